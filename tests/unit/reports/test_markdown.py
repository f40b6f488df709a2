"""report.md: the same table as the PR comment, then every sample; nothing in it escapes its place."""

import html
import re

import pytest

from agentlab_ci.core.judge import judge_scenario
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.scenario import Mode
from agentlab_ci.core.trace import Evaluation
from agentlab_ci.reports.markdown import render_report
from canned import CANNED_REPORTS, scenario
from factories import make_facts, make_report, make_row, make_samples
from github_markdown import to_html
from golden import assert_golden


@pytest.mark.parametrize("name", CANNED_REPORTS)
def test_report_of_every_kind_of_run(name: str) -> None:
    assert_golden(f"markdown/{name}.md", render_report(CANNED_REPORTS[name]))


def test_every_sample_is_there_with_its_label() -> None:
    report = render_report(make_report(scenario("pf.", "a.b"), scenario("..s.", "a.c"), scenario("f", "a.d")))
    assert re.findall(r"#### (\S+) (samples? [\d–/]+) · ([a-z ]+)", report) == [
        ("✅", "sample 1/3", "passed "),
        ("❌", "sample 2/3", "failed "),
        ("⏳", "sample 3/3", "not run"),
        ("➖", "sample 3/4", "not run"),
        ("⏳", "samples 1–2/4", "not run"),
        ("⏳", "sample 4/4", "not run"),
        ("❌", "sample 1/1", "failed "),
    ]


def test_samples_that_never_ran_are_one_line() -> None:
    report = render_report(make_report(scenario("p" + "s" * 199, "a.b")))
    assert re.findall("#### .*", report) == [
        "#### ✅ sample 1/200 · passed · 1.1s · score 100 · `run_1`",
        "#### ➖ samples 2–200/200 · not run: `settled`",
    ]


def test_an_agent_that_is_not_reached_is_told_once() -> None:
    report = render_report(make_report(scenario("uuu", "a.b")))
    assert report.count("- `agent_unreachable: ") == 1


def test_a_score_stands_beside_the_status_only_where_it_decided() -> None:
    by_gate, by_score = scenario("ff", "a.b").samples
    polite = Evaluation(id="polite", type="t", mode=Mode.WEIGHTED, passed=False, message="no")
    by_score = by_score.model_copy(update={"score": 60, "evaluations": (polite,)})
    by_limit = by_score.model_copy(
        update={"sample": 3, "score": 100, "termination_reason": TerminationReason.STEP_LIMIT_EXCEEDED}
    )
    row = judge_scenario(make_facts("a.b", samples_wanted=3), [by_gate, by_score, by_limit])
    assert re.findall(r"#### ❌ (.*) · `", render_report(make_report(row))) == [
        "sample 1/2 · failed · 1.1s",
        "sample 2/2 · failed · 1.0s · score 60",
        "sample 3/2 · failed · 1.0s",
    ]


def test_the_table_says_what_was_tolerated() -> None:
    report = render_report(make_report(scenario("ppf", "a.b"), scenario("ppe", "a.c"), scenario("pps", "a.d")))
    missed = '`1 failed: step 2 names-tracking (hard_gate): missing "tracking"`'
    assert f"| `a.b` | ✅✅❌ | 2/3,\u00a0needs\u00a02 | flaky: {missed} |" in report
    assert "| `1 error: http_error: the agent answered HTTP 502` |" in report
    assert "| `a.d` | ✅✅➖ | 2/3,\u00a0needs\u00a02 |  |" in report


def test_the_table_has_a_mark_for_each_sample_and_says_why() -> None:
    report = render_report(make_report(scenario("pfe", "a.b"), scenario("pf.", "a.c", pass_rate="0.5")))
    assert "| ⚠️ | `a.b` | ✅❌⚠️ | 1/3,\u00a0needs\u00a02 |" in report
    assert "| could not be judged · flaky: `http_error: the agent answered HTTP 502` |" in report
    assert "| ⏳ | `a.c` | ✅❌⏳ | 1/3,\u00a0needs\u00a02 | unfinished · flaky: `1 sample unfinished` |" in report


def test_only_samples_that_did_not_pass_show_their_transcript() -> None:
    report = render_report(make_report(scenario("ppf", "a.b")))
    assert report.count("<details>") == report.count("</details>") == 1
    assert "It has shipped." not in report
    assert "I cannot help with that." in report


def test_an_output_without_turns_is_shown_as_it_is() -> None:
    (sample,) = make_samples("f")
    row = judge_scenario(make_facts(samples_wanted=1), [sample.model_copy(update={"final_output": "42"})])
    assert "**final output**\n\n```text\n42\n```\n" in render_report(make_report(row))


def test_a_long_reason_is_cut_in_the_table() -> None:
    row = make_row("...", skipped="x" * 5000)
    table_row = next(line for line in render_report(make_report(row)).splitlines() if line.startswith("| ⏭️"))
    assert len(table_row) < 300
    assert "more bytes left out" in table_row


def test_hostile_text_neither_adds_nor_takes_structure() -> None:
    report = CANNED_REPORTS["hostile"]
    shown = to_html(render_report(report))
    rows = len(report.scenarios)  # one has no text at all: no bodies, and no words beside the calls
    tags = re.findall(r"<(\w+)", shown)
    assert {tag: tags.count(tag) for tag in set(tags) - {"code", "p", "br", "ul", "strong", "li"}} == {
        "h2": 1, "table": 1, "thead": 1, "tbody": 1, "tr": rows + 1, "th": 5, "td": 5 * rows, "h3": rows,
        "h4": 3 * rows, "details": 3 * rows, "summary": 3 * rows, "pre": 12 * rows - 3, "hr": 1,
    }  # fmt: skip
    plain = html.unescape(re.sub(r"<code>.*?</code>|<[^>]*>", "", shown, flags=re.DOTALL))
    assert re.search(r"(?<!pass)[@#](?!\u200b)", plain) is None
