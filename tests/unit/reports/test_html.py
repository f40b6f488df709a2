"""report.html: what a browser finds in it, what it may do, and that nothing in it lives that we did not write."""

import base64
import hashlib
import json
import re
from typing import Any

import pytest
from lxml import html

from agentlab_ci.core.results import RunReport, SourceIdentity
from agentlab_ci.core.trace import ToolCall
from agentlab_ci.reports.formatting import TEXT
from agentlab_ci.reports.html import render_html
from agentlab_ci.reports.html_data import LEFT_OUT
from agentlab_ci.reports.wording import pass_lines, summary_line, verdict_sentence
from canned import CANNED_REPORTS, hostile_scenario, hostile_simulation, scenario, task_scenario
from factories import make_report
from golden import assert_golden
from hostile import HOSTILE_TEXTS

GOLDEN = ("below_bar", "simulation", "variants")
HOSTILE = make_report(
    *(
        make(index, text)
        for index, text in enumerate(HOSTILE_TEXTS)
        for make in (hostile_scenario, hostile_simulation)
    )
)
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
ELEMENTS = {
    *("html", "head", "meta", "link", "title", "style", "script", "body", "main", "header", "section", "noscript"),
    *("a", "button", "code", "dd", "details", "div", "dl", "dt", "figcaption", "figure", "form", "h1", "h2", "h3"),
    *("input", "label", "li", "ol", "option", "output", "p", "select", "span", "summary"),
    *("caption", "table", "tbody", "td", "th", "thead", "tr"),
    *("circle", "defs", "line", "path", "pattern", "polyline", "rect", "svg", "text"),
}


def parse(report: RunReport) -> Any:
    return html.document_fromstring(render_html(report).decode(), parser=html.HTMLParser(huge_tree=True))


def words(element: Any) -> str:
    return " ".join(element.text_content().split())


def data_of(page: Any, index: int = 0) -> Any:
    (block,) = page.xpath(f'//script[@id="data-{index}"]')
    return json.loads(block.text)


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str) -> None:
    text = render_html(CANNED_REPORTS[name]).decode()
    for tag in ("style", "script"):
        text = re.sub(rf"<{tag}>.*?</{tag}>", f"<{tag}>…</{tag}>", text, flags=re.DOTALL)
    assert_golden(f"html/{name}.html", re.sub(r"sha256-[\w+/=]+", "sha256-…", text))


@pytest.mark.parametrize("name", CANNED_REPORTS.keys() - {"hostile"})
def test_it_says_what_every_other_report_says(name: str) -> None:
    report = CANNED_REPORTS[name]
    page = parse(report)
    (headline,) = page.xpath("//h1")
    assert words(headline) == verdict_sentence(report, TEXT, str)
    figures = [words(line) for line in page.xpath('//p[starts-with(@class, "figure")]')]
    assert figures[: 1 + len(pass_lines(report, str))] == [summary_line(report, TEXT), *pass_lines(report, str)]
    rows = page.xpath('//li[starts-with(@class, "row")]')
    assert [words(row.xpath(".//h3/a")[0]) for row in rows] == [row.title for row in report.scenarios]
    for element, row in zip(rows, report.scenarios, strict=True):
        assert len(element.xpath('.//p[@class="cells"]/*')) == (0 if row.skipped else row.samples_wanted)


def test_a_cell_is_a_link_with_a_name_and_what_is_to_come_is_none() -> None:
    (row,) = parse(make_report(scenario("pf.", "support.cancel"))).xpath("//li")
    cells = row.xpath('.//p[@class="cells"]/*')
    assert [(it.tag, it.get("aria-label"), it.text, it.get("href")) for it in cells] == [
        ("a", "sample 1 of 3, passed, support.cancel", "✓", "#s=support.cancel&n=1"),
        ("a", "sample 2 of 3, failed, support.cancel", "✗", "#s=support.cancel&n=2"),
        ("span", "sample 3 of 3, not run, support.cancel", "…", None),
    ]


@pytest.mark.parametrize("name", CANNED_REPORTS)
def test_every_address_in_it_leads_to_one_place(name: str) -> None:
    page = parse(CANNED_REPORTS[name])
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in page.xpath("//a/@href") if link.startswith("#")} <= set(ids)


@pytest.mark.parametrize("name", CANNED_REPORTS)
def test_the_policy_allows_its_own_stylesheet_and_script_and_no_more(name: str) -> None:
    page = parse(CANNED_REPORTS[name])
    (policy,) = page.xpath('//meta[@http-equiv="Content-Security-Policy"]/@content')
    hashes = {
        tag: base64.b64encode(
            hashlib.sha256(page.xpath(f"//{tag}[not(@type)]")[0].text.encode()).digest()
        ).decode()
        for tag in ("style", "script")
    }
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src 'sha256-{hashes['style']}'",
        f"script-src 'sha256-{hashes['script']}'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert len(page.xpath("//style")) == len(page.xpath("//script[not(@type)]")) == 1
    assert not page.xpath("//@style | //@src | //@srcset")


def test_hostile_texts_stay_text() -> None:
    page = parse(HOSTILE)
    assert {element.tag for element in page.iter() if isinstance(element.tag, str)} <= ELEMENTS
    assert not page.xpath("//@*[starts-with(name(), 'on')]")
    assert {link for link in page.xpath("//@href") if not link.startswith("#")} == {"data:,"}
    assert not UNSEEN.search(render_html(HOSTILE).decode())
    assert not page.xpath("//comment()")


def test_hostile_texts_are_shown_whole_and_can_be_read_by_the_script() -> None:
    page = parse(HOSTILE)
    for index, row in enumerate(HOSTILE.scenarios):
        facts, _, samples = data_of(page, index)
        assert dict(facts)["type"] == row.type.value
        assert [sample[2] for sample in samples] == ["failed", "failed", "error"]
        assert not UNSEEN.search(json.dumps([facts, samples], ensure_ascii=False).replace("\\n", ""))
    lines = HOSTILE_TEXTS.index("first\n##[command]second") * 2
    assert ["user", "user", ["first\\n##[command]second"], "+0ms", [["", "first\n##[command]second"]]] in (
        data_of(page, lines)[2][0][7]
    )


def test_a_sample_holds_its_calls_spread_over_lines() -> None:
    page = parse(make_report(task_scenario("support.refund", "refunded")))
    sample = data_of(page)[2][0]
    assert sample[:4] == [1, "sample 1 of 1, passed", "passed", "✓"]
    assert ["took", "1.0s"] in sample[4]
    assert ["usage", "$0.0042, 900 input tokens, 120 output tokens"] in sample[4]
    assert sample[6] == [
        ["passed", "✓", "refund-created (hard_gate)", 'called orders.refund with {"order_id": "ord_1024"}']
    ]
    calls = [exhibit for exhibit in sample[7] if exhibit[0] == "call"]
    assert calls[1] == [
        "call",
        "tool call",
        ["orders.refund", "0ms"],
        "+0.1s",
        [["input", '{"order_id": "ord_1"}'], ["error", "there is no order ord_1"]],
    ]


def test_long_json_is_spread_and_a_tool_s_own_text_is_left_as_it_is() -> None:
    long, own = {"lines": ["word"] * 20}, '{"twice": 1, "twice": 2, "and": "long enough to be spread over lines"}'
    row = task_scenario("support.refund", "refunded")
    calls = (ToolCall(name="a", input=long, output=own),)
    sample = row.samples[0].model_copy(update={"tool_calls": calls, "trace": (), "turns": ()})
    page = parse(make_report(row.model_copy(update={"samples": (sample,)})))
    ((_, _, _, _, texts),) = data_of(page)[2][0][7]
    assert texts == [["input", json.dumps(long, indent=2)], ["output", own]]


def test_what_is_too_much_for_a_page_is_left_out_from_samples_that_passed_first() -> None:
    report = CANNED_REPORTS["below_bar"]
    note = ["note", "note", [], "", [["", LEFT_OUT]]]

    def left_out(content: bytes) -> list[str]:
        page = html.document_fromstring(content.decode())
        rows = [data_of(page, index)[2] for index in range(len(report.scenarios))]
        return [sample[2] for row in rows for sample in row if sample[7] == [note]]

    assert left_out(render_html(report)) == []
    assert set(left_out(render_html(report, most_of_passed=0))) == {"passed"}
    assert set(left_out(render_html(report, most_of_passed=0, most_of_all=0))) == {"passed", "failed", "error"}


@pytest.mark.parametrize(
    ("url", "links"),
    [("https://example.com/run/1", 1), ("javascript:alert(1)", 0), (None, 0), ("//example.com", 0)],
)
def test_the_workflow_run_is_linked_when_it_is_a_web_address(url: str | None, links: int) -> None:
    report = CANNED_REPORTS["flaky"].model_copy(update={"source": SourceIdentity(run_url=url)})
    found = [link for link in parse(report).xpath("//a/@href") if not link.startswith("#")]
    assert found == [url] * links


def test_filters_offer_what_tells_scenarios_apart() -> None:
    page = parse(CANNED_REPORTS["baseline"])
    choices = {it.get("name"): [words(option) for option in it] for it in page.xpath("//select")}
    assert choices == {
        "show": ["all", "below the bar (2)", "passed (5)", "flaky (4)", "broken (1)", "regressed (2)"],
        "tag": ["all", "smoke"],
    }
    variants = parse(CANNED_REPORTS["variants"]).xpath('//select[@name="variant"]/option')
    assert [words(option) for option in variants] == ["all", "baseline", "candidate", "small"]


def test_an_empty_run_has_a_verdict_and_nothing_else() -> None:
    page = parse(CANNED_REPORTS["empty"])
    assert words(page.xpath("//h1")[0]) == "○ no scenario to judge"
    assert not page.xpath("//h2")
