"""The pages over a database: what they show, where they lead, and what becomes of what is not there."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from lxml import html

from agentlab_ci.core.results import ScenarioResult
from agentlab_ci.core.stored import Approval, BatchRef, RunRef
from agentlab_ci.core.trace import Role, ToolCall, Turn
from agentlab_ci.reports.html import render_html
from agentlab_ci.reports.ui_links import compare_url, run_url, scenario_url
from agentlab_ci.store.approvals import approve, list_approvals
from agentlab_ci.store.reader import load_report
from agentlab_ci.store.writer import StoreWriter
from canned import AGENT, CANNED_REPORTS, answered, hostile_scenario, hostile_simulation, scenario, task_scenario
from factories import make_batch, make_facts
from hostile import HOSTILE_TEXTS
from stored import run_id, store_batch, store_killed_batch
from ui_site import PORT, TOKEN, Site

DAY = "2026-04-0{}T00:12:30.000+00:00"
ORIGIN = {"Origin": f"http://127.0.0.1:{PORT}"}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Three batches, the newest with variants."""
    path = tmp_path / "a.db"
    store_batch(
        path, "batch_1", DAY.format(1), scenario("ppp", "support.order"), scenario("fff", "support.cancel")
    )
    tasks = task_scenario("support.refund", "refunded", "forbidden", "crashed")
    store_batch(path, "batch_2", DAY.format(2), scenario("pff", "support.order"), tasks)
    store_batch(path, "batch_3", DAY.format(3), *CANNED_REPORTS["variants"].scenarios)
    return Site(database=path)


def parse(answer: httpx.Response) -> Any:
    return html.fromstring(answer.content.decode())


def texts(page: Any, path: str) -> list[str]:
    """Return what the elements say, white space between any two pieces of it."""
    return [" ".join(" ".join(element.itertext()).split()) for element in page.xpath(path)]


def names(answer: httpx.Response) -> list[str]:
    return texts(parse(answer), '//table[@class="list"]/tbody/tr/th/a')


def test_batches_are_listed_with_what_became_of_them(site: Site) -> None:
    answer = site.get("/")
    assert answer.status_code == 200
    assert names(answer) == ["batch_3", "batch_2", "batch_1"]
    rows = texts(parse(answer), "//tbody/tr")
    assert rows[1] == (
        "Compare batch_2 batch_2 2026-04-02 00:12:30 UTC support shop, worker ✗ failed 0/2 2/6 41.2s $0.0126"
    )
    assert "baseline, candidate, small" in rows[0]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("/?verdict=failed", ["batch_3", "batch_2", "batch_1"]),
        ("/?verdict=no-end", []),
        ("/?scenario=support.c*", ["batch_3", "batch_1"]),
        ("/?agent=worker", ["batch_2"]),
        ("/?variant=candidate", ["batch_3"]),
        ("/?suite=other", []),
        ("/?since=2026-04-02", ["batch_3", "batch_2"]),
        ("/runs?batch=batch_2&status=error", ["run_2.support.refund.3"]),
        (
            "/runs?scenario=support.can*&variant=candidate",
            [f"run_3.candidate.support.cancel.{number}" for number in (3, 2, 1)],
        ),
        (
            "/scenarios?scenario=support.order-*&suite=support",
            [f"support.order-status · {variant}" for variant in ("baseline", "candidate", "small")],
        ),
    ],
)
def test_lists_are_filtered(site: Site, query: str, found: list[str]) -> None:
    assert names(site.get(query)) == found


def test_what_is_asked_for_stays_in_the_form_and_in_the_parts(site: Site) -> None:
    page = parse(site.get("/runs?scenario=support.*&status=failed&since=2026-04-01"))
    values = {field.get("name"): field.get("value") for field in page.xpath('//form[@role="search"]//input')}
    assert values == {"since": "2026-04-01", "scenario": "support.*", "batch": ""}
    assert page.xpath('//select[@name="status"]/option[@selected]/@value') == ["failed"]
    assert texts(page, '//a[@class="reset"]') == ["Show all"]


def test_long_lists_come_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    rows = [scenario("p" * 9, f"a.s{number}") for number in range(14)]  # 126 runs
    store_batch(path, "batch_1", DAY.format(1), *rows)
    site = Site(database=path)
    seen: list[str] = []
    address = "/runs?status=passed"
    while address:
        page = parse(site.get(address))
        seen += texts(page, "//tbody/tr/th/a")
        address = next(iter(page.xpath('//a[@rel="next"]/@href')), "")
        assert not address or parse_qs(urlsplit(address).query)["status"] == ["passed"]
    assert len(seen) == len(set(seen)) == 126
    [back] = page.xpath('//a[@rel="prev"]/@href')
    assert names(site.get(back)) == seen[50:100]
    assert page.xpath('//nav[@class="pager"]/a[text()="Newest"]/@href') == ["/runs?status=passed"]
    assert not parse(site.get("/runs")).xpath('//a[@rel="prev"]')


def test_a_batch_is_the_report(site: Site) -> None:
    page = parse(site.get("/batch?id=batch_2"))
    report = html.fromstring(render_html(load_report(site.database, "batch_2")).decode())
    for part in ('//header[@class="verdict"]', '//ol[@class="matrix"]', '//section[@class="statistics"]'):
        [ours], [theirs] = page.xpath(part), report.xpath(part)
        assert html.tostring(ours, with_tail=False) == html.tostring(theirs, with_tail=False)
    data = '//script[@type="application/json"]/text()'
    assert page.xpath(data) == report.xpath(data)
    assert "/compare?old=batch_1&new=batch_2" in page.xpath("//a/@href")
    assert "/runs?batch=batch_2" in page.xpath("//a/@href")


def test_a_run_shows_its_trace_and_its_judgement(site: Site) -> None:
    page = parse(site.get("/run?id=run_2.support.refund.2"))
    assert texts(page, "//h1") == ["✗ Sample 2 of 3, failed"]
    said = page.text_content()
    for part in (
        "forbidden_tool_used",
        'no call to orders.refund with {"order_id": "ord_1024"}',
        "crm.search_customer",
        "not called: the tool is forbidden",
        "scenarios/support/refund.yaml:1",
    ):
        assert part in said
    kinds = [kind.split()[1] for kind in page.xpath('//*[starts-with(@class, "exhibit ")]/@class')]
    assert kinds == ["user", "agent", "call", "call", "limit"]
    siblings = page.xpath('//p[contains(@class, "siblings")]/*/@aria-label')
    assert siblings == ["sample 1 of 3, passed", "sample 2 of 3, failed, this one", "sample 3 of 3, error"]
    assert "/batch?id=batch_2#s=support.refund&n=2" in page.xpath("//a/@href")
    assert "/scenario?id=support.refund" in page.xpath("//a/@href")
    assert page.xpath('//select[@name="old"]/option/@value')[:2] == [
        "run_2.support.refund.3",
        "run_2.support.refund.1",
    ]


def test_two_batches_are_compared(site: Site) -> None:
    page = parse(site.get("/compare?old=batch_1&new=batch_2"))
    assert texts(page, "//h1") == ["✗ 1 of 1 compared scenario regressed: support.order"]
    rows = texts(page, '//li[@class="row"]')
    assert rows[0].startswith("✗ support.order regressed 3/3 → 1/3 p = 0.4 hard gate names-tracking")
    assert texts(page, "//del")[:1] == ["old: - agent: It has shipped. Tracking: 1Z999."]
    assert texts(page, "//ins")[:1] == ["new: + agent: I cannot help with that."]
    assert texts(page, '//tr[@class="changed"]') == [
        'step 2 names-tracking (hard_gate) changed ✓ passed ✗ failed missing "tracking"'
    ]
    assert "vanished: not in the new batch" in rows[-1]


def test_two_runs_are_compared_and_the_newer_one_that_was_picked_is_new(site: Site) -> None:
    answer = site.get("/compare?pick=run_2.support.order.2&pick=run_1.support.order.1")
    assert answer.status_code == 303
    page = parse(site.get(answer.headers["location"]))
    assert texts(page, "//h1") == ["✗ Regressed: passed → failed"]
    assert texts(page, '//dl[@class="sides"]//a') == ["run_1.support.order.1", "run_2.support.order.2"]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("?pick=batch_1", "Choose two"),
        ("?pick=batch_1&pick=batch_2&pick=batch_3", "Choose two"),
        ("?old=batch_1&new=run_2.support.order.1", "compare two runs, or two batches"),
        ("?old=batch_1&new=batch_9", "Batch 'batch_9' not found"),
        ("?old=run_1.support.cancel.1&new=run_2.support.order.1", "compare runs of the same scenario"),
        ("?old=/etc/passwd&new=a.json", "not found"),  # no file is read here
    ],
)
def test_what_cannot_be_compared_is_said_above_the_form(site: Site, query: str, said: str) -> None:
    answer = site.get(f"/compare{query}")
    assert answer.status_code == 400
    assert said in texts(parse(answer), '//*[@role="alert"]')[0]


def test_a_scenario_is_told_over_time_by_variant(site: Site) -> None:
    approve(site.database, BatchRef(batch_id="batch_1"), at=DAY.format(4))
    page = parse(site.get("/scenario?id=support.order"))
    assert texts(page, "//h1") == ["support.order"]
    rows = texts(page, '//table[contains(@class, "history")]/tbody/tr')
    assert rows[0].startswith(
        "batch_2 2026-04-02 00:12:30 UTC ✗ failed flaky 1/3 0.06 to 0.79 shop assistant compare"
    )
    assert rows[1].startswith("batch_1 approved 2026-04-01 00:12:30 UTC ✓ passed 3/3 0.44 to 1.00 shop assistant")
    assert len(page.xpath('//*[@class="range"]')) == 2
    assert texts(page, '//ul[@class="baselines"]/li') == ["batch_1 2026-04-04 00:12:30 UTC"]
    variants = parse(site.get("/scenario?id=support.refund"))
    assert texts(variants, "//section/h2") == ["baseline", "candidate", "small", "Without a variant"]
    assert "prompt prompt-v4, model m-large, tools t2" in variants.text_content()


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/batch?id=batch_9", 404, "Batch 'batch_9' not found"),
        ("/run?id=run_9", 404, "Run 'run_9' not found"),
        ("/scenario?id=nothing", 404, "Scenario 'nothing' not found"),
        ("/batch", 400, "this address lacks `id=`"),
        ("/nowhere", 404, "Not Found"),
        ("/?verdict=splendid", 400, "'splendid' is none of passed, failed, unfinished, skipped, no-end"),
        ("/runs?status=%3Cb%3E", 400, "'<b>' is none of"),
        ("/?since=tomorrow", 400, "'tomorrow' is no day"),
        ("/approve?batch=batch_9", 404, "Batch 'batch_9' not found"),
        ("/approve?batch=batch_1&scenario=nope", 404, "batch_1 holds no samples of nope"),
        ("/approve", 400, "nothing is named"),
    ],
)
def test_what_is_not_there_is_said(site: Site, path: str, status: int, said: str) -> None:
    answer = site.get(path)
    assert answer.status_code == status
    assert said in parse(answer).xpath("//main")[0].text_content()
    assert "Content-Security-Policy" in answer.headers


def test_before_the_first_run_the_lists_are_empty_and_say_so(tmp_path: Path) -> None:
    site = Site(database=tmp_path / "none" / "a.db")
    for path in ("/", "/runs", "/scenarios"):
        assert "are stored yet" in parse(site.get(path)).text_content()
    assert "there is no database" in parse(site.get("/batch?id=batch_1")).text_content()
    assert not site.database.parent.exists()


def test_a_damaged_database_is_said(site: Site) -> None:
    site.database.write_bytes(b"not a database, " * 300)
    answer = site.get("/")
    assert answer.status_code == 400
    assert "cannot be used" in parse(answer).text_content()


DAMAGES = {
    "no samples": "DELETE FROM samples WHERE run_id LIKE 'run_1.support.order%'",
    "an end that is none": "UPDATE batches SET ended_at = NULL",
    "a suite that is no text": "UPDATE scenarios SET suite = x'ff'",
    "a time that is none": "UPDATE samples SET duration_ms = 'y', started_at = 'y', cost_usd = 'y'",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_rows_are_said(site: Site, damage: str) -> None:
    with closing(sqlite3.connect(site.database, isolation_level=None)) as connection:
        connection.execute(DAMAGES[damage])
    paths = ("/", "/runs", "/scenarios", "/batch?id=batch_1", "/run?id=run_1.support.cancel.1")
    answers = [site.get(path) for path in (*paths, "/compare?old=batch_1&new=batch_2")]
    assert {answer.status_code for answer in answers} <= {200, 400, 404}
    said = [parse(answer).xpath("//main")[0].text_content() for answer in answers if answer.status_code == 400]
    assert any(f"the database {site.database} " in it for it in said)


def test_a_running_batch_is_the_report_so_far_and_the_page_knows_when_to_look_again(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    site = Site(database=path)
    planned = [make_facts("a.one", agent=AGENT), make_facts("a.two", agent=AGENT)]
    with StoreWriter.open(path) as writer:
        writer.start_batch(make_batch(batch_id="batch_1"), planned)
        first = site.get("/batch?id=batch_1")
        assert texts(parse(first), '//p[@class="progress"]') == ["No end yet: 0 of 6 samples"]
        assert parse(first).xpath("//body/@data-live") == [""]
        again = site.get("/batch?id=batch_1", {"If-None-Match": first.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        for sample in answered("ppf", "a.one"):
            writer.add_sample("batch_1", None, sample)
        changed = site.get("/batch?id=batch_1", {"If-None-Match": first.headers["ETag"]})
        assert changed.status_code == 200
        page = parse(changed)
        assert texts(page, '//p[@class="progress"]') == ["No end yet: 3 of 6 samples"]
        assert page.xpath('//a[starts-with(@class, "cell")]/@aria-label') == [
            "sample 1 of 3, passed, a.one",
            "sample 2 of 3, passed, a.one",
            "sample 3 of 3, failed, a.one",
        ]
        assert not page.xpath('//a[starts-with(@href, "/approve")]'), "it has no end"
        assert names(site.get("/?verdict=no-end")) == ["batch_1"]
        run = parse(site.get("/run?id=run_1"))
        assert texts(run, "//h1") == ["✓ Sample 1 of 3, passed"]
        assert not run.xpath('//a[starts-with(@href, "/approve")]')


def test_a_batch_whose_plan_is_unknown_shows_its_runs(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    store_killed_batch(path, "batch_1", DAY.format(1), scenario("pf.", "a.one"))
    page = parse(Site(database=path).get("/batch?id=batch_1"))
    assert "2 samples stored: 1 passed, 1 failed" in page.text_content()
    assert page.xpath('//p[@class="ways"]/a/@href') == ["/runs?batch=batch_1"]


def test_pages_are_shown_while_somebody_else_writes(site: Site) -> None:
    with StoreWriter.open(site.database) as writer:
        writer._connection.execute("BEGIN IMMEDIATE")
        for path in ("/", "/runs", "/batch?id=batch_2", "/run?id=run_1.support.order.1"):
            assert site.get(path).status_code == 200
        writer._connection.execute("ROLLBACK")


# Approval.


def approved(site: Site) -> list[Approval]:
    return list(list_approvals(site.database))


def ask(site: Site, query: str) -> dict[str, str]:
    """Return the form as the page with the question holds it."""
    page = parse(site.get(f"/approve?{query}", site.cookie))
    return {field.get("name"): field.get("value") for field in page.xpath('//form[@method="post"]//input')}


def test_what_passed_is_approved_and_shown_as_such(site: Site) -> None:
    form = ask(site, "run=run_1.support.order.1")
    assert form == {"token": TOKEN, "run": "run_1.support.order.1"}
    answer = site.post("/approve", form, site.cookie | ORIGIN)
    assert (answer.status_code, answer.headers["location"]) == (303, "/run?id=run_1.support.order.1")
    reference = RunRef(run_id="run_1.support.order.1", batch_id="batch_1", scenario_id="support.order")
    assert approved(site) == [Approval(reference=reference, approved_at="2026-04-09T12:00:00.000+00:00")]
    assert "2026-04-09 12:00:00 UTC" in site.get("/run?id=run_1.support.order.1").text
    assert (
        "approved" in texts(parse(site.get("/runs?batch=batch_1")), '//tr[@id="/run?id=run_1.support.order.1"]')[0]
    )


def test_what_did_not_pass_needs_somebody_who_insists(site: Site) -> None:
    form = ask(site, "batch=batch_2&scenario=support.order")
    assert form == {"token": TOKEN, "batch": "batch_2", "scenario": "support.order", "force": "yes"}
    insisting = form.pop("force")
    answer = site.post("/approve", form, site.cookie | ORIGIN)
    assert answer.status_code == 400
    assert "not approved: support.order of batch_2 failed" in parse(answer).text_content()
    assert approved(site) == []
    assert site.post("/approve", form | {"force": insisting}, site.cookie | ORIGIN).status_code == 303
    assert [it.reference for it in approved(site)] == [BatchRef(batch_id="batch_2", scenario_id="support.order")]


def test_without_the_token_nobody_can_even_ask(site: Site) -> None:
    page = parse(site.get("/approve?batch=batch_1"))
    assert not page.xpath('//form[@method="post"]')
    assert "reading without the token" in page.text_content()
    assert TOKEN not in site.get("/approve?batch=batch_1").text


@pytest.mark.parametrize(
    ("form", "headers"),
    [
        ({"token": TOKEN}, {}),
        ({"token": "guess"}, {"Cookie": f"agentlab_{PORT}={TOKEN}"}),
        ({}, {"Cookie": f"agentlab_{PORT}={TOKEN}"}),
        ({"token": TOKEN}, {"Cookie": "agentlab_4771=" + TOKEN}),
        ({"token": TOKEN}, {"Cookie": f"agentlab_{PORT}={TOKEN}", "Origin": "https://evil.example"}),
        ({"token": TOKEN}, {"Cookie": f"agentlab_{PORT}={TOKEN}", "Origin": "null"}),
    ],
)
def test_a_forged_form_writes_nothing(site: Site, form: dict[str, str], headers: dict[str, str]) -> None:
    answer = site.post("/approve", {"run": "run_1.support.order.1"} | form, ORIGIN | headers)
    assert answer.status_code == 403
    assert approved(site) == []


def test_an_address_writes_nothing(site: Site) -> None:
    assert site.get("/approve?run=run_1.support.order.1&token=" + TOKEN).status_code == 303
    assert site.get("/approve?run=run_1.support.order.1", site.cookie | ORIGIN).status_code == 200
    assert site.get("/approve", site.cookie | ORIGIN, method="PUT").status_code == 405
    assert site.post("/", {"token": TOKEN}, site.cookie | ORIGIN).status_code == 405
    assert approved(site) == []


def test_a_form_that_never_ends_is_refused(site: Site) -> None:
    answer = site.post("/approve", {"token": "x" * 100_000}, site.cookie | ORIGIN)
    assert answer.status_code == 400
    assert "too big" in answer.text


def test_a_scenario_that_the_batch_does_not_hold_is_not_approved(site: Site) -> None:
    form = {"token": TOKEN, "batch": "batch_1", "scenario": "nope"}
    for more in ({}, {"force": "yes"}):
        answer = site.post("/approve", form | more, site.cookie | ORIGIN)
        assert answer.status_code == 404
        assert "batch_1 holds no samples of nope" in parse(answer).text_content()
    assert approved(site) == []


def test_a_form_with_too_many_fields_is_refused(site: Site) -> None:
    form = {"token": TOKEN, "run": "run_1.support.order.1"} | {f"more{number}": "" for number in range(30)}
    assert site.post("/approve", form, site.cookie | ORIGIN).status_code == 400
    assert site.post("/approve", form, ORIGIN).status_code == 403
    assert site.post("/approve", form, site.cookie | {"Origin": "https://evil.example"}).status_code == 403
    assert approved(site) == []
    assert site.said == []


# The gate.


def test_the_token_moves_from_the_address_into_a_cookie(site: Site) -> None:
    answer = site.get(f"/runs?status=failed&token={TOKEN}&suite=a%26b")
    assert (answer.status_code, answer.headers["location"]) == (303, "/runs?status=failed&suite=a%26b")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"agentlab_{PORT}={TOKEN};")
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    for path in (f"/%2Fevil.example/?token={TOKEN}", f"/%5Cevil.example?token={TOKEN}"):
        location = site.get(path).headers["location"]
        assert urlsplit(location).netloc == ""
        assert location.startswith(("/evil", "/%5C"))
    wrong = site.get("/?token=another")
    assert wrong.status_code == 403
    assert "set-cookie" not in wrong.headers


def test_another_host_is_answered_with_nothing(site: Site) -> None:
    answer = site.get("/", {"Host": f"evil.example:{PORT}"})
    assert answer.status_code == 421
    assert "batch" not in answer.text
    assert site.get(f"/?token={TOKEN}", {"Host": f"evil.example:{PORT}"}).status_code == 421


def test_from_elsewhere_reading_needs_the_token(site: Site) -> None:
    open_site = Site(database=site.database, host="0.0.0.0")  # noqa: S104 - nothing is listened on
    assert open_site.get("/").status_code == 403
    assert open_site.get("/", {"Cookie": "agentlab_4770=guess"}).status_code == 403
    assert open_site.get("/", open_site.cookie).status_code == 200


def test_every_answer_has_the_headers(site: Site) -> None:
    paths = ("/", "/nowhere", "/batch?id=batch_9", f"/?token={TOKEN}", "/batch?id=batch_1")
    answers = [*map(site.get, paths), site.get("/", {"Host": "evil.example"}), site.post("/approve", {})]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none';")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in answer.headers
        assert "server" not in answer.headers


def test_a_bug_is_printed_where_the_server_was_started_and_not_on_the_page(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("::error::inner secret")

    monkeypatch.setattr("agentlab_ci.ui.pages.lists.list_batches", fail)
    answer = site.get("/")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "content-security-policy" in answer.headers
    assert [line for line in site.said if "inner secret" in line]
    assert not [line for line in site.said if line.lstrip().startswith("::")]


# Hostile texts.

UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
ACTIVE = re.compile(r"^on|^srcdoc$|^formaction$|^style$")


def said_otherwise(row: ScenarioResult) -> ScenarioResult:
    """Return the scenario with something more in all that was said and called."""
    samples = []
    for sample in row.samples:
        more = f"{sample.final_output}<i>{sample.final_output}</i>"
        turns = (*sample.turns, Turn(role=Role.AGENT, text=more))
        calls = (*sample.tool_calls, ToolCall(name=more, input={more: more}, error=more))
        samples.append(sample.model_copy(update={"turns": turns, "tool_calls": calls, "final_output": f"{more}."}))
    return row.model_copy(update={"samples": tuple(samples)})


@pytest.mark.parametrize("make", [hostile_scenario, hostile_simulation])
def test_hostile_texts_stay_text_on_every_page(tmp_path: Path, make: Any) -> None:
    path = tmp_path / "a.db"
    rows = [make(index, text) for index, text in enumerate(HOSTILE_TEXTS)]
    store_batch(path, "batch_1", DAY.format(1), *rows)
    store_batch(path, "batch_2", DAY.format(2), *map(said_otherwise, rows))
    site = Site(database=path)
    addresses = {"/", "/runs", "/scenarios", "/compare?old=batch_1&new=batch_2", "/batch?id=batch_1"}
    for row in rows:
        addresses |= {run_url(run_id("batch_1", row, sample.sample)) for sample in row.samples}
        addresses.add(scenario_url(row.scenario_id))
        addresses.add(compare_url(run_id("batch_1", row, 1), run_id("batch_2", row, 1)))
    differing = site.get(compare_url(run_id("batch_1", rows[3], 1), run_id("batch_2", rows[3], 1)))
    assert len(parse(differing).xpath("//ins")) > 2
    for address in sorted(addresses):
        answer = site.get(address)
        assert answer.status_code == 200, (address, answer.text[-2000:] if answer.status_code == 500 else "")
        page = parse(answer)
        assert not UNSEEN.search(page.xpath("//body")[0].text_content()), address
        scripts = page.xpath('//script[not(@type="application/json")]')
        assert len(scripts) == (2 if address.startswith("/batch") else 1)
        for element in page.iter():
            if isinstance(element.tag, str):
                assert element.tag not in {"i", "img", "iframe", "object", "embed"}, address
                assert not [name for name in element.attrib if ACTIVE.search(name)], address
                assert not element.get("href", "").lower().startswith("javascript:"), address
