"""report.html in a real browser: what opens, what is filtered, what the keyboard does, and that nothing leaves."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agentlab_ci.core.results import RunReport
from agentlab_ci.reports.html import render_html
from browser import Visit, find_browser, visit
from canned import CANNED_REPORTS, hostile_scenario, hostile_simulation
from factories import make_report
from hostile import HOSTILE_TEXTS

pytestmark = pytest.mark.network

Step = tuple[str, ...]
Open = Callable[..., Visit]

TITLE = 'document.querySelector(".panel h4")?.textContent'
FOCUS = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
SHOWN = '[...document.querySelectorAll(".row:not([hidden]) h3 a")].map(link => link.textContent)'
COUNT = 'document.querySelector(".shown").textContent'
HASH = "location.hash"
THEMES = pytest.mark.parametrize("theme", ["light", "dark"])


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Open the report of a run, as a file, go through steps, and see that it stayed quiet and to itself."""
    packages = os.environ.get("AGENTLAB_PLAYWRIGHT_DIR")
    if not packages or find_browser() is None:
        pytest.skip("AGENTLAB_PLAYWRIGHT_DIR is not set, or there is no Chromium: .ci/run installs both")

    def go(report: RunReport | str, *steps: Step, fragment: str = "", **options: object) -> Visit:
        page = tmp_path / "report.html"
        page.write_bytes(render_html(CANNED_REPORTS[report] if isinstance(report, str) else report))
        seen = visit(Path(packages), page.as_uri() + fragment, *steps, **options)
        assert seen.trouble == []
        assert {url.partition("#")[0] for url in seen.requests} - {"data:,"} == {page.as_uri()}
        return seen

    return go


def test_a_cell_opens_its_sample_and_escape_closes_it(opened: Open) -> None:
    cell = '[aria-label="sample 3 of 3, failed, support.cancel"]'
    evidence = '[...document.querySelectorAll(".panel pre, .panel .said")].map(it => it.textContent)'
    steps = (
        ("click", cell),
        ("look", TITLE),
        ("look", FOCUS),
        ("look", HASH),
        ("look", evidence),
        ("press", "Escape"),
        ("look", TITLE),
        ("look", FOCUS),
        ("look", HASH),
    )
    title, focus, address, said, *closed = opened("below_bar", *steps).seen
    assert (title, focus) == ("✗ sample 3 of 3, failed", "✗ sample 3 of 3, failed")
    assert address == "#s=support.cancel&n=3"
    assert said[:2] == ['found "hello"', 'missing "tracking"']
    assert said[2:] == ["Hello", "Hello! How can I help?", "Where is my order?", "I cannot help with that."]
    assert closed == [None, "sample 3 of 3, failed, support.cancel", ""]


def test_calls_costs_and_causes_are_shown(opened: Open) -> None:
    text = 'document.querySelector(".panel").innerText'
    done = opened("tasks", ("look", text), fragment="#s=support.refund&n=1").seen[0]
    for part in (
        "crm.search_customer",
        '{"email": "alice@example.com"}',
        '"name": "Alice"',
        "$0.0042",
    ):
        assert part in done
    crashed = opened("tasks", ("look", text), fragment="#s=support.refund-bob&n=2").seen[0]
    for part in ("agent_error: python3 ended with code 1", "instead of an answer", "KeyError: 'email'"):
        assert part in crashed
    judged = opened("simulation", ("look", text), fragment="#s=support.double-charge&n=2").seen[0]
    for part in (
        "You were charged twice for order 1024.",
        "The agent refunds one of the two charges",
        "judge: not met",
    ):
        assert part in judged


def test_an_address_leads_to_a_sample_of_a_variant_and_back(opened: Open) -> None:
    where = "#s=support.return&v=candidate&n=5"
    steps = (
        *(("look", TITLE), ("look", FOCUS)),
        ("look", 'document.querySelector(".panel").closest(".row").id'),
        *(("click", "text=Next that did not pass"), ("look", HASH), ("back",), ("look", TITLE)),
        ("click", '[id="s=support.refund&v=small"] h3 a'),
        ("look", TITLE),
    )
    seen = opened("variants", *steps, fragment=where).seen
    assert seen == [
        "✗ sample 5 of 5, failed",
        "✗ sample 5 of 5, failed",
        "s=support.return&v=candidate",
        "#s=support.return&v=small&n=1",
        "✗ sample 5 of 5, failed",
        "! sample 2 of 3, error",
    ]


def test_filters_choose_by_verdict_variant_and_text_and_have_an_address(opened: Open) -> None:
    steps = (
        *(("select", "[name=show]", "below the bar (3)"), ("look", SHOWN), ("look", HASH)),
        *(("select", "[name=variant]", "small"), ("look", SHOWN), ("look", COUNT)),
        *(("fill", "[name=text]", "HTTP 502"), ("wait", f"{COUNT}.startsWith('1 of')"), ("look", SHOWN)),
        *(("click", "text=Show all"), ("wait", f"{COUNT}.startsWith('12 of')"), ("look", HASH)),
    )
    below, address, small, count, broken, cleared = opened("variants", *steps).seen
    assert below == ["support.order-status · candidate", "support.refund · small", "support.return · small"]
    assert address == "#show=below"
    assert small == ["support.refund · small", "support.return · small"]
    assert count == "2 of 12 scenarios shown"
    assert broken == ["support.refund · small"]
    assert cleared == ""
    (again,) = opened("variants", ("look", SHOWN), fragment="#show=below&variant=candidate").seen
    assert again == ["support.order-status · candidate"]


def test_text_is_looked_for_as_it_is_shown(opened: Open) -> None:
    report = make_report(*(hostile_scenario(index, text[:200]) for index, text in enumerate(HOSTILE_TEXTS)))
    steps = (
        *(
            ("fill", "[name=text]", "<SCRIPT>alert(1)</script>"),
            ("wait", f"{COUNT}.startsWith('1 of')"),
            ("look", SHOWN),
        ),
        *(("fill", "[name=text]", '"exhibits"'), ("wait", f"{COUNT}.startsWith('0 of')"), ("look", SHOWN)),
    )
    found, none = opened(report, *steps).seen
    assert found == [f"<script>alert(1)</script><img src=x onerror=alert(1)>{HOSTILE_TEXTS.index(found[0][:-2])}"]
    assert none == []


def test_the_keyboard_is_enough(opened: Open) -> None:
    steps = (
        *(("press", "Tab"), ("look", FOCUS)),
        ("look", 'document.querySelector("a.cell").focus()'),
        *(("press", "ArrowRight"), ("press", "ArrowDown"), ("look", FOCUS)),
        *(("press", "Enter"), ("look", TITLE)),
        *(("press", "Tab"), ("look", FOCUS), ("press", "Enter"), ("look", TITLE), ("look", HASH)),
        ("look", "getComputedStyle(document.activeElement).outlineStyle + document.activeElement.tagName"),
        ("press", "Tab"),
        ("look", "getComputedStyle(document.activeElement).outlineStyle + document.activeElement.tagName"),
    )
    seen = opened("below_bar", *steps).seen
    assert seen[:1] + seen[2:] == [
        "Skip to the statistics",
        "sample 2 of 3, passed, support.cancel",
        "✓ sample 2 of 3, passed",
        "Next that did not pass",
        "✗ sample 3 of 3, failed",
        "#s=support.cancel&n=3",
        "solidH4",
        "solidBUTTON",
    ]


@THEMES
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(
    ("name", "fragment"), [("below_bar", "#s=support.refund&n=3"), ("simulation", ""), ("variants", "")]
)
def test_axe_finds_nothing(opened: Open, name: str, fragment: str, width: int, theme: str) -> None:
    steps = (("look", "for (const it of document.querySelectorAll('details')) it.open = true"), ("axe",))
    narrow = "document.documentElement.scrollWidth <= innerWidth"
    size = {"width": width, "height": 900}
    seen = opened(name, *steps, ("look", narrow), fragment=fragment, colorScheme=theme, viewport=size).seen
    assert seen[1:] == [[], True]


def test_hostile_texts_stay_text(opened: Open) -> None:
    report = make_report(
        *(
            make(index, text)
            for index, text in enumerate(HOSTILE_TEXTS)
            for make in (hostile_scenario, hostile_simulation)
        )
    )
    look = """(() => {
      const found = new Set();
      for (const link of document.querySelectorAll("a.cell")) {
        link.click();
        for (const it of document.querySelectorAll(".panel, .panel *")) found.add(it.localName);
      }
      return [...found].sort();
    })()"""
    seen = opened(report, ("look", look), ("axe",)).seen
    assert set(seen[0]) <= {
        *("b", "button", "dd", "details", "div", "dl", "dt", "h4", "h5", "header", "li", "p", "pre", "section"),
        *("span", "summary", "ul"),
    }
    assert seen[1] == []


def test_without_a_script_the_verdict_the_matrix_and_the_plots_are_there(opened: Open) -> None:
    steps = (
        ("look", 'document.querySelector("h1").innerText'),
        ("look", 'document.querySelector(".filters").offsetHeight'),
        ("look", '[...document.querySelectorAll(".matrix a.cell")].every(it => it.offsetHeight > 0)'),
        ("look", 'document.querySelectorAll("figure").length'),
        ("look", "document.querySelector(':target').getAttribute('aria-label')"),
    )
    seen = opened("below_bar", *steps, fragment="#s=support.cancel&n=1", javaScriptEnabled=False).seen
    assert seen[0].startswith("✗\n3 of 4 scenarios finished below the bar")
    assert seen[1:] == [0, True, 4, "sample 1 of 3, failed, support.cancel"]


def test_on_paper_what_is_open_is_printed_and_controls_are_not(opened: Open) -> None:
    steps = (
        ("media", "print"),
        ("look", '[...document.querySelectorAll(".filters, .panel button")].every(it => !it.offsetHeight)'),
        ("look", 'document.querySelector(".panel pre").offsetHeight > 0'),
        ("look", "getComputedStyle(document.body).backgroundColor"),
    )
    seen = opened("below_bar", *steps, fragment="#s=support.cancel&n=1", colorScheme="dark").seen
    assert seen == [True, True, "rgb(255, 255, 255)"]
