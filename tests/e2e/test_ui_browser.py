"""The pages of `agentlab ui` in a real browser: filters, addresses, live updates, comparison, approval."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from agentlab_ci.core.stored import BatchRef
from agentlab_ci.store.approvals import list_approvals
from agentlab_ci.store.writer import StoreWriter
from browser import Visit, find_browser, visit
from canned import (
    AGENT,
    CANNED_REPORTS,
    answered,
    hostile_scenario,
    hostile_simulation,
    scenario,
    simulation_scenario,
    task_scenario,
)
from factories import make_batch, make_facts, make_report
from hostile import HOSTILE_TEXTS
from stored import run_id, store_batch
from ui_site import serving

pytestmark = pytest.mark.network

Step = tuple[str, ...]
Open = Callable[..., Visit]
Acts = Mapping[str, Callable[[], object]]

DAY = "2026-04-0{}T00:12:30.000+00:00"
PAGES = {
    "batches": "/",
    "runs": "/runs?status=failed",
    "scenarios": "/scenarios",
    "batch": "/batch?id=batch_3#s=support.order&n=2",
    "variants": "/batch?id=batch_4",
    "run": "/run?id=run_2.support.refund.2",
    "simulation": "/run?id=run_1.support.late-parcel.2",
    "comparison": "/compare?old=batch_1&new=batch_3",
    "runs compared": "/compare?old=run_1.support.order.1&new=run_3.support.order.2",
    "history": "/scenario?id=support.order",
    "choice": "/compare",
    "question": "/approve?batch=batch_3",
}
HEADING = 'document.querySelector("h1").innerText'
NAMES = '[...document.querySelectorAll(".list tbody th a")].map(link => link.textContent)'
SIDEWAYS = "document.documentElement.scrollWidth <= innerWidth"
THEMES = pytest.mark.parametrize("theme", ["light", "dark"])


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Four batches: one that passed, one of tasks, one that regressed, one of variants."""
    path = tmp_path / "a.db"
    late = simulation_scenario("support.late-parcel", "met", "missed", "met")
    store_batch(path, "batch_1", DAY.format(1), scenario("ppp", "support.order"), late)
    refund = task_scenario("support.refund", "refunded", "forbidden", "crashed")
    store_batch(path, "batch_2", DAY.format(2), scenario("ppf", "support.order"), refund)
    store_batch(
        path, "batch_3", DAY.format(3), scenario("pff", "support.order"), scenario("ppp", "support.cancel")
    )
    store_batch(path, "batch_4", DAY.format(4), *CANNED_REPORTS["variants"].scenarios)
    return path


@pytest.fixture
def opened(database: Path) -> Open:
    """Open the pages by the printed address, go through steps, and see that they stay quiet and at home."""
    packages = os.environ.get("AGENTLAB_PLAYWRIGHT_DIR")
    if not packages or find_browser() is None:
        pytest.skip("AGENTLAB_PLAYWRIGHT_DIR is not set, or there is no Chromium: .ci/run installs both")

    def go(*steps: Step, path: Path = database, acts: Acts | None = None, **options: object) -> Visit:
        with serving(path, acts) as address:
            seen = visit(Path(packages), address, *steps, **options)
        assert seen.trouble == []
        origins = {urlsplit(url)[:2] for url in seen.requests if url != "data:,"}
        assert origins == {urlsplit(address)[:2]}
        return seen

    return go


@THEMES
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing_on_any_page(opened: Open, width: int, theme: str) -> None:
    steps = [step for page in PAGES.values() for step in (("goto", page), ("axe",), ("look", SIDEWAYS))]
    size = {"width": width, "height": 900}
    seen = opened(*steps, colorScheme=theme, viewport=size).seen
    shown = dict(zip(PAGES, zip(seen[::2], seen[1::2], strict=True), strict=True))
    assert {name: found for name, found in shown.items() if found != ([], True)} == {}


def test_the_token_leaves_the_address_at_once(opened: Open) -> None:
    assert opened(("look", "location.pathname + location.search"), ("look", "document.cookie")).seen == ["/", ""]


def test_lists_are_filtered_and_two_of_them_compared(opened: Open) -> None:
    steps = (
        ("look", NAMES),
        *(
            ("select", "[name=agent]", "worker"),
            ("click", "text=Filter"),
            ("arrive", "agent=worker"),
            ("look", NAMES),
        ),
        *(("click", "text=Show all"), ("arrive", ":"), ("goto", "/runs?scenario=support.ord*")),
        *(("fill", "[name=batch]", "batch_3"), ("press", "Enter"), ("arrive", "batch=batch_3"), ("look", NAMES)),
        *(("goto", "/"), ("click", '[value="batch_3"]'), ("click", '[value="batch_1"]')),
        *(("click", "text=Compare two"), ("arrive", "old=batch_1&new=batch_3"), ("look", HEADING)),
        ("look", '[...document.querySelectorAll("del, ins")].map(line => line.textContent.trim())'),
        *(("click", "text=These two runs alone"), ("arrive", "old=run_1"), ("look", HEADING)),
        *(("back",), ("look", HEADING)),
    )
    everything, of_worker, runs, regressed, lines, of_runs, again = opened(*steps).seen
    assert everything == ["batch_4", "batch_3", "batch_2", "batch_1"]
    assert of_worker == ["batch_2"]
    assert runs == [f"run_3.support.order.{number}" for number in (3, 2, 1)]
    assert regressed == again == "✗\n1 of 1 compared scenario regressed: support.order"
    assert lines == [
        "old: - agent: It has shipped. Tracking: 1Z999.",
        "new: + agent: I cannot help with that.",
    ]
    assert of_runs == "✗\nRegressed: passed → failed"


def test_a_sample_of_the_report_leads_to_its_run_and_its_history_and_back(opened: Open) -> None:
    steps = (
        ("goto", "/batch?id=batch_3#s=support.order&n=2"),
        ("look", 'document.querySelector(".panel h4").textContent'),
        *(("click", ".panel a[href^='/run?']"), ("arrive", "/run?id="), ("look", HEADING)),
        *(("click", ".siblings a"), ("arrive", "support.order.1"), ("look", HEADING)),
        *(("click", ".facts a"), ("arrive", "/batch?id=batch_3#s=support.order&n=1")),
        ("look", 'document.querySelector(".panel h4").textContent'),
        *(("click", ".panel .about summary"), ("click", ".panel a[href^='/scenario?']")),
        *(("arrive", "/scenario?id=support.order"), ("look", HEADING)),
        ("look", 'document.querySelectorAll(".trend .range").length'),
    )
    assert opened(*steps).seen == [
        "✗ sample 2 of 3, failed",
        "✗\nSample 2 of 3, failed",
        "✓\nSample 1 of 3, passed",
        "✓ sample 1 of 3, passed",
        "support.order",
        3,
    ]


def test_a_batch_is_approved_by_somebody_who_insists(opened: Open, database: Path) -> None:
    steps = (
        *(("goto", "/batch?id=batch_3"), ("click", "text=Approve as baseline…"), ("arrive", "/approve")),
        *(("click", "text=Approve it all the same"), ("click", "button >> text=Approve")),
        *(
            ("arrive", "/batch?id=batch_3"),
            ("look", "document.querySelector('main').innerText.includes('approved')"),
        ),
        *(("goto", "/"), ("look", '[...document.querySelectorAll(".approved")].map(it => it.closest("tr").id)')),
    )
    assert opened(*steps).seen == [True, ["/batch?id=batch_3"]]
    assert [it.reference for it in list_approvals(database)] == [BatchRef(batch_id="batch_3")]


def test_a_page_keeps_up_with_its_run_and_keeps_what_is_open(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    rows = [make_facts(name, agent=AGENT) for name in ("a.one", "a.two")]
    facts = make_batch(batch_id="batch_1", started_at=DAY.format(1))
    samples = {row.scenario_id: answered("pfp", row.scenario_id) for row in rows}

    def write(name: str, *numbers: int) -> None:
        for number in numbers:
            sample = samples[name][number - 1]
            named = {"run_id": f"run_{name}.{number}", "started_at": DAY.format(1)}
            writer.add_sample("batch_1", None, sample.model_copy(update=named))

    def finish() -> None:
        write("a.two", 2, 3)
        done = make_report(*(scenario("pfp", row.scenario_id) for row in rows))
        writer.finish_batch(done.model_copy(update={"batch_id": "batch_1", "started_at": DAY.format(1)}))

    writer = StoreWriter.open(path)
    writer.start_batch(facts, rows)
    write("a.two", 1)
    progress = 'document.querySelector(".progress")?.innerText.trim()'
    steps = (
        *(
            ("goto", "/batch?id=batch_1"),
            ("look", progress),
            ("click", '[aria-label="sample 1 of 3, passed, a.two"]'),
        ),
        ("select", "[name=show]", "unfinished (2)"),
        ("look", "fetch('/scenarios').then(answer => answer.status)"),  # now a.one comes to its end
        ("wait", f"{progress} === 'No end yet: 4 of 6 samples'"),
        ("look", '[...document.querySelectorAll(".row:not([hidden]) h3 a")].map(link => link.textContent)'),
        ("look", 'document.querySelector(".panel h4").textContent'),
        ("look", 'document.activeElement.matches(".panel h4")'),
        ("look", 'document.querySelector("[name=show]").selectedOptions[0].textContent'),
        ("click", "text=Pause"),
        ("look", "fetch('/runs').then(answer => answer.status)"),  # and now it ends, while nobody looks
        ("look", progress),
        *(("click", ".live button"), ("wait", '!document.querySelector(".progress")')),
        ("look", 'document.querySelector("#news").textContent'),
        ("look", 'document.querySelector("h1").innerText'),
        ("look", 'document.querySelectorAll("a.cell").length'),
        ("axe",),
    )
    acts = {"/scenarios": lambda: write("a.one", 1, 2, 3), "/runs": finish}
    seen = opened(*steps, path=path, acts=acts).seen
    assert writer.close() is None
    assert seen == [
        "No end yet: 1 of 6 samples",
        200,
        ["a.two"],
        "✓ sample 1 of 3, passed",
        True,
        "unfinished (1)",
        200,
        "No end yet: 4 of 6 samples",
        "The run has ended: ✓ all 2 scenarios passed · agentlab",
        "✓\nall 2 scenarios passed",
        6,
        [],
    ]


def test_what_is_filtered_opened_and_focused_outlives_the_end_of_the_run(opened: Open, database: Path) -> None:
    rows = [make_facts(name, agent=AGENT) for name in ("a.one", "a.two", "a.three")]
    done = make_report(*(scenario("pfp", row.scenario_id) for row in rows))
    done = done.model_copy(update={"batch_id": "batch_5", "started_at": DAY.format(5)})
    writer = StoreWriter.open(database)
    writer.start_batch(make_batch(batch_id="batch_5", started_at=DAY.format(5)), rows)
    for number, sample in enumerate(answered("pfp", "a.two"), 1):
        named = {"run_id": f"run_a.two.{number}", "started_at": DAY.format(5)}
        writer.add_sample("batch_5", None, sample.model_copy(update=named))
    state = """[
        document.querySelector(".shown").textContent,
        [...document.querySelectorAll(".row:not([hidden])")].map((row) => row.id).join(),
        document.querySelector(".panel h4")?.textContent,
        document.activeElement.name,
        document.activeElement.selectionStart,
        location.hash,
        document.querySelector(".ways a").marked,
    ]"""
    steps = (
        *(("goto", "/batch?id=batch_5"), ("click", '[aria-label="sample 2 of 3, failed, a.two"]')),
        *(("look", "document.querySelector('.ways a').marked = 1"), ("click", "[name=text]")),
        *(("fill", "[name=text]", "a.t"), ("press", "ArrowLeft"), ("wait", "location.hash.includes('text=a.t')")),
        *(("look", state), ("look", "fetch('/scenarios').then(answer => answer.status)")),
        *(("wait", '!document.querySelector(".progress")'), ("look", state)),
        *(("fill", "[name=text]", "a.two"), ("wait", "location.hash.includes('text=a.two')"), ("look", state)),
        *(("click", '[aria-label="sample 3 of 3, passed, a.two"]'), ("look", state)),
        ("look", "document.querySelectorAll('.panel dd a').length > 0"),
        ("look", "document.querySelectorAll('.ways a').length"),
    )
    seen = opened(*steps, acts={"/scenarios": lambda: writer.finish_batch(done)}).seen
    assert writer.close() is None
    hash_of = "#s=a.two&n={}&text=a.{}".format
    failed, both = "✗ sample 2 of 3, failed", ["2 of 3 scenarios shown", "s=a.two,s=a.three"]
    two = ["1 of 3 scenarios shown", "s=a.two"]
    before = [*both, failed, "text", 2, hash_of(2, "t"), 1]
    assert seen == [
        1,
        before,
        200,
        before,
        [*two, failed, "text", 5, hash_of(2, "two"), 1],
        [*two, "✓ sample 3 of 3, passed", None, None, hash_of(3, "two"), 1],
        True,
        3,
    ]


def test_a_batch_of_which_only_runs_were_known_gets_its_matrix_when_it_ends(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    done = make_report(scenario("pfp", "a.one")).model_copy(update={"batch_id": "batch_1"})
    writer = StoreWriter.open(path)
    writer.start_batch(make_batch(batch_id="batch_1"))
    steps = (
        *(("goto", "/batch?id=batch_1"), ("look", "fetch('/scenarios').then(answer => answer.status)")),
        *(("arrive", "/batch"), ("click", '[aria-label="sample 2 of 3, failed, a.one"]')),
        ("look", 'document.querySelector(".panel h4").textContent'),
    )
    seen = opened(*steps, path=path, acts={"/scenarios": lambda: writer.finish_batch(done)}).seen
    assert writer.close() is None
    assert seen == [200, "✗ sample 2 of 3, failed"]


def test_an_address_of_what_is_not_there_says_so(opened: Open) -> None:
    shown = ("look", 'document.querySelector(".shown").textContent')
    steps = (
        *(("goto", "/batch?id=batch_3#s=nope&n=1"), shown),
        *(("goto", "/batch?id=batch_3#s=support.order&n=99"), shown),
        *(("click", '[aria-label="sample 1 of 3, passed, support.order"]'), shown),
    )
    assert opened(*steps).seen == [
        "2 of 2 scenarios shown; the address names a scenario that is not here",
        "2 of 2 scenarios shown; the address names a sample that is not here",
        "2 of 2 scenarios shown",
    ]


def test_a_list_takes_in_what_is_new_and_keeps_what_is_chosen(opened: Open, database: Path) -> None:
    def store() -> None:
        store_batch(database, "batch_5", DAY.format(5), scenario("ppp", "support.order"))

    steps = (
        *(("click", '[value="batch_4"]'), ("look", "fetch('/scenarios').then(answer => answer.status)")),
        *(("wait", f"{NAMES}.length === 5"), ("look", NAMES)),
        ("look", '[...document.querySelectorAll("input:checked")].map(box => box.value).join()'),
        ("look", "document.activeElement.value"),
    )
    names = ["batch_5", "batch_4", "batch_3", "batch_2", "batch_1"]
    assert opened(*steps, acts={"/scenarios": store}).seen == [200, names, "batch_4", "batch_4"]


def test_hostile_texts_stay_text(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "hostile.db"
    rows = [
        make(index, text)
        for index, text in enumerate(HOSTILE_TEXTS)
        for make in (hostile_scenario, hostile_simulation)
    ]
    for number in (1, 2):
        store_batch(path, f"batch_{number}", DAY.format(number), *rows)
    markup = next(row for row in rows if "<script>" in row.scenario_id)
    addresses = [
        *("/", "/runs", "/scenarios", "/batch?id=batch_1", "/compare?old=batch_1&new=batch_2"),
        f"/run?id={run_id('batch_1', markup, 1).replace('<', '%3C').replace('>', '%3E').replace(' ', '%20')}",
    ]
    alien = 'document.querySelectorAll("main img, main script, main iframe, main object, main [onerror]").length'
    seen = opened(
        *(step for it in addresses for step in (("goto", it), ("look", alien), ("axe",))), path=path
    ).seen
    assert seen == [0, []] * len(addresses)


def test_without_a_script_everything_but_live_updates_works(opened: Open) -> None:
    steps = (
        *(("select", "[name=verdict]", "failed"), ("click", "text=Filter"), ("arrive", "verdict=failed")),
        *(("look", NAMES), ("look", 'document.querySelector(".live").offsetHeight')),
        *(("goto", "/run?id=run_3.support.order.2"), ("click", "button >> text=Compare"), ("arrive", "/compare")),
        ("look", HEADING),
    )
    found, live, heading = opened(*steps, javaScriptEnabled=False).seen
    assert found == ["batch_4", "batch_3", "batch_2"]
    assert live == 0
    assert "→" in heading


def test_the_keyboard_is_enough_and_focus_is_seen(opened: Open) -> None:
    focus = "document.activeElement.textContent.trim() + getComputedStyle(document.activeElement).outlineStyle"
    steps = (
        *(("press", "Tab"), ("look", focus), ("press", "Tab"), ("press", "Tab"), ("look", focus)),
        *(("press", "Enter"), ("arrive", "/runs"), ("look", HEADING)),
        *(("press", "Tab"), ("press", "Enter"), ("look", "location.hash"), ("look", "document.activeElement.id")),
    )
    assert opened(*steps).seen == ["Skip to the contentsolid", "Runssolid", "Runs", "#main", "main"]
