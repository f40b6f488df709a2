"""The live view, driven without a terminal: rows, details, filter, and how it is left."""

from unicodedata import category

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot
from textual.widgets import Input

from agentlab_ci.reports.formatting import ASCII
from agentlab_ci.tui.app import Action, Leave, LiveApp
from agentlab_ci.tui.feed import Feed
from agentlab_ci.tui.screens import DetailScreen, LeaveScreen, RowsScreen
from agentlab_ci.tui.state import LiveState, state_of
from canned import CANNED_REPORTS, scenario
from factories import make_facts, make_report, make_row, make_samples
from golden import assert_golden
from live_run import drive, facts_of, half_way, screen_lines, screen_text, whole

UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Categories of characters that control, reorder or hide, and of none that a line consists of."""


def row_of(app: LiveApp, name: str) -> str:
    """Return the line of the screen that names a scenario."""
    return next(line for line in screen_lines(app) if name in line)


def test_rows_stand_in_yaml_order_with_their_samples_under_them() -> None:
    async def script(app: LiveApp, _: Pilot[Leave]) -> None:
        lines = screen_lines(app)
        top = next(number for number, line in enumerate(lines) if "Ask about nut allergies" in line)
        assert lines[top].split() == ["▾", "✓", "2.", "Ask", "about", "nut", "allergies", "2/3", "flaky"]
        assert [line.split()[:5] for line in lines[top + 1 : top + 4]] == [
            ["├─", "✓", "run_…2x1c", "sample", "1"],
            ["├─", "✗", "run_…2x2c", "sample", "2"],
            ["└─", "✓", "run_…2x3c", "sample", "3"],
        ]
        names = ("Order status", "Ask about", "Cancel an", "Refund the", "Double", "Return", "Fix", "Send")
        places = [lines.index(row_of(app, name)) for name in names]
        assert places == sorted(places)

    drive(script, feed=half_way())


def test_the_header_counts_as_the_log_does() -> None:
    async def script(app: LiveApp, _: Pilot[Leave]) -> None:
        head = " ".join(screen_text(app).split())
        assert "13/21 samples · 8 passed · 3 failed · 2 errors · 4 running" in head
        assert "1/7 scenarios could not be judged · pass@3 2/2 (1.00), pass^3 1/2 (0.50)" in head
        assert "1 sample waiting, 12 s at most (429, try 2)" in head

    drive(script, feed=half_way())


def test_an_icon_settles_while_a_sample_still_runs() -> None:
    feed = Feed()
    facts = make_facts("a.b", name="Settles early")
    feed.planned([facts])

    async def script(app: LiveApp, pilot: Pilot[Leave]) -> None:
        for number in (1, 2, 3):
            feed.sample_started(facts, number, f"run_{number}")
        app.tick()
        await pilot.pause()
        assert row_of(app, "Settles early").split()[1] == "…"
        for sample in make_samples("pp.", scenario_id="a.b"):
            feed.sample_ended(facts, sample)
        app.tick()
        await pilot.pause()
        assert row_of(app, "Settles early").split()[1] == "✓"
        assert "● run_3" in screen_text(app)

    drive(script, feed=feed)


def test_the_cursor_visits_samples_and_enter_opens_them() -> None:
    async def script(app: LiveApp, pilot: Pilot[Leave]) -> None:
        await pilot.press("down", "down", "down", "down", "enter")
        assert isinstance(app.screen, DetailScreen)
        assert screen_lines(app)[0].strip() == "✓ Ask about nut allergies  2/3 samples passed"
        for told in (
            "Steps",
            "1. Hello",
            "Evaluators",
            "sample 2/3  failed",
            'missing "tracking"',
            "agent  It has",
        ):
            assert told in screen_text(app), told
        await pilot.press("escape", "down", "down", "enter")
        assert screen_lines(app)[0].strip() == "✗ Ask about nut allergies (sample 2/3)"
        await pilot.press("escape")
        assert isinstance(app.screen, RowsScreen)

    drive(script, feed=half_way())


def test_a_detail_of_a_simulation_shows_what_was_asked_and_expected() -> None:
    async def script(app: LiveApp, pilot: Pilot[Leave]) -> None:
        await pilot.press("slash", *"double", "enter", "enter")
        for told in ("Instructions", "You were charged twice", "Expected", "The agent refunds one", "judge: met"):
            assert told in screen_text(app), told

    drive(script, state=state_of(whole()), size=(100, 50))


def test_tool_calls_unfold() -> None:
    async def script(app: LiveApp, pilot: Pilot[Leave]) -> None:
        await pilot.press("slash", *"twice", "enter", "down", "enter")
        assert "orders.refund" in screen_text(app)
        assert "ord_1024" not in screen_text(app).partition("Transcript")[2].partition("agent  Refunded")[0]
        await pilot.press("t")
        assert 'input: {"order_id": "ord_1024"}' in screen_text(app)
        assert "error: there is no order ord_1" in screen_text(app)
        assert "900 input tokens, 120 output tokens, $0.0042" in screen_text(app)

    drive(script, state=state_of(whole()), size=(100, 40))


def test_a_detail_is_brought_up_to_date_while_it_is_open() -> None:
    feed = Feed()
    row = scenario("pfp", "a.b", name="Grows")
    feed.planned([facts_of(row)])

    async def script(app: LiveApp, pilot: Pilot[Leave]) -> None:
        await pilot.press("enter")
        assert screen_lines(app)[0].strip() == "… Grows  0/3 samples passed"
        for sample in row.samples:
            feed.sample_ended(facts_of(row), sample)
        app.tick()
        await pilot.pause()
        assert screen_lines(app)[0].strip() == "✓ Grows  2/3 samples passed"

    drive(script, feed=feed)


def test_filter_and_below_the_bar() -> None:
    async def script(app: LiveApp, pilot: Pilot[Leave]) -> None:
        await pilot.press("slash", "n", "u", "t")
        assert "1 of 8 scenarios" in screen_text(app)
        assert "Order status" not in screen_text(app)
        assert isinstance(app.focused, Input)
        await pilot.press("enter", "escape", "f")
        shown = screen_text(app)
        assert "2 of 8 scenarios: below the bar" in shown
        assert "Cancel an order" in shown
        assert "Return a lamp" in shown
        assert "Order status" not in shown
        await pilot.press("f")
        assert "Order status" in screen_text(app)
        await pilot.press("slash", *"nothing has this")
        assert "0 of 8 scenarios" in screen_text(app)

    drive(script, state=state_of(whole()), size=(100, 40))


def test_what_falls_below_the_bar_appears_in_its_place() -> None:
    feed = Feed()
    rows = [make_facts(f"a.{letter}", samples_wanted=1) for letter in "abc"]
    feed.planned(rows)
    for letter, outcome in (("c", "f"), ("a", "f")):
        feed.sample_ended(make_facts(f"a.{letter}", samples_wanted=1), make_samples(outcome)[0])

    async def script(app: LiveApp, pilot: Pilot[Leave]) -> None:
        await pilot.press("f", "down")
        feed.sample_ended(rows[1], make_samples("f")[0])
        app.tick()
        await pilot.pause()
        shown = [line.split()[2] for line in screen_lines(app) if " a." in line]
        assert shown == ["a.a", "a.b", "a.c"]
        await pilot.press("enter")
        assert "a.c" in screen_lines(app)[0]

    drive(script, feed=feed)


@pytest.mark.parametrize(
    ("keys", "action"),
    [
        (("q", "s"), Action.STOP),
        (("q", "q"), Action.STOP),
        (("ctrl+c",), Action.STOP),
        (("q", "k"), Action.KEEP),
        (("enter", "q", "k"), Action.KEEP),
        (("ctrl+q", "s"), Action.STOP),
    ],
)
def test_leaving_a_run_that_goes_on_says_what_becomes_of_it(keys: tuple[str, ...], action: Action) -> None:
    async def script(_: LiveApp, pilot: Pilot[Leave]) -> None:
        await pilot.press(*keys)

    assert drive(script, feed=half_way()) == Leave(action=action)


def test_esc_goes_back_to_a_run_that_goes_on() -> None:
    async def script(app: LiveApp, pilot: Pilot[Leave]) -> None:
        await pilot.press("q")
        assert isinstance(app.screen, LeaveScreen)
        await pilot.press("escape")
        assert isinstance(app.screen, RowsScreen)

    assert drive(script, feed=half_way()) is None


@pytest.mark.parametrize("key", ["q", "ctrl+q", "ctrl+c"])
def test_a_run_that_is_over_is_left_at_once(key: str) -> None:
    async def script(_: LiveApp, pilot: Pilot[Leave]) -> None:
        await pilot.press(key)

    assert drive(script, state=state_of(whole())) == Leave(action=Action.CLOSED)


def test_a_signal_from_outside_closes_the_view() -> None:
    async def script(app: LiveApp, pilot: Pilot[Leave]) -> None:
        assert app.return_value is None
        came.append(True)
        app.tick()
        await pilot.pause()

    came: list[bool] = []
    assert drive(script, feed=half_way(), interrupted=lambda: bool(came)) == Leave(action=Action.CLOSED)


def test_details_are_printed_when_the_view_is_left() -> None:
    async def script(_: LiveApp, pilot: Pilot[Leave]) -> None:
        await pilot.press("down", "enter", "p", "escape", "up", "enter", "p", "p", "escape", "q")

    left = drive(script, state=state_of(whole()))
    assert left is not None
    (printed,) = left.printed
    assert printed.splitlines()[0] == "✓ Order status (sample 1/3)"
    assert "  agent  It has shipped. Tracking: 1Z999." in printed
    assert "\x1b" not in printed


def test_what_is_said_while_the_view_is_open_stands_in_the_header() -> None:
    feed = half_way()
    feed.said("warning: first")
    feed.said("warning: \x1b[31mthe disk\x1b[0m is full\n")

    async def script(app: LiveApp, _: Pilot[Leave]) -> None:
        assert r"warning: the disk is full\n" in screen_text(app)
        assert "first" not in screen_text(app)

    drive(script, feed=feed)


def test_the_screen_is_drawn_again_after_a_suspension() -> None:
    async def script(app: LiveApp, pilot: Pilot[Leave]) -> None:
        await pilot.press("ctrl+z")  # a driver without a terminal cannot suspend
        assert isinstance(app.screen, RowsScreen)
        drawn: list[bool] = []
        app.refresh = lambda *_, layout=False, **__: drawn.append(layout)  # type: ignore[method-assign, assignment]
        app.app_resume_signal.publish(app)
        await pilot.pause()
        assert True in drawn

    drive(script, feed=half_way())


def test_keys_are_shown() -> None:
    async def script(app: LiveApp, pilot: Pilot[Leave]) -> None:
        await pilot.press("question_mark")
        assert "show only what is below the bar" in screen_text(app)
        await pilot.press("escape")
        assert isinstance(app.screen, RowsScreen)

    drive(script, feed=half_way())


def test_samples_fold_and_unfold() -> None:
    async def script(app: LiveApp, pilot: Pilot[Leave]) -> None:
        assert "run_…1x1c" in screen_text(app)
        await pilot.press("down", "left")
        assert "run_…1x1c" not in screen_text(app)
        await pilot.press("right")
        assert "run_…1x1c" in screen_text(app)
        await pilot.click("ScenarioTree", offset=(1, 0))
        assert "run_…1x1c" not in screen_text(app)
        await pilot.press("space")
        assert "run_…1x1c" in screen_text(app)

    drive(script, feed=half_way())


def test_a_click_opens_what_is_under_it() -> None:
    async def script(app: LiveApp, pilot: Pilot[Leave]) -> None:
        await pilot.click("ScenarioTree", offset=(20, 1))
        assert "Order status (sample 1/3)" in screen_lines(app)[0]

    drive(script, feed=half_way())


def test_a_scenario_that_runs_once_has_nothing_to_unfold() -> None:
    async def script(app: LiveApp, pilot: Pilot[Leave]) -> None:
        assert row_of(app, "1. Once").split() == ["✗", "1.", "Once", "0/1"]
        assert "1/1 scenario failed" not in screen_text(app)
        await pilot.press("right", "enter")
        assert screen_lines(app)[0].strip() == "✗ Once  failed"

    drive(script, state=state_of(make_report(make_row("f", "a.b", name="Once"))))


@pytest.mark.parametrize("size", [(80, 24), (40, 24), (20, 10), (200, 60)])
def test_no_line_is_wider_than_the_screen(size: tuple[int, int]) -> None:
    async def script(app: LiveApp, pilot: Pilot[Leave]) -> None:
        await pilot.resize_terminal(*size)
        await pilot.pause()
        app.tick()
        await pilot.pause()
        if size[0] >= 40:
            assert "1/3" in row_of(app, "3. Cancel")
        await pilot.press("enter")
        assert all(strip.cell_length == size[0] for strip in app.screen._compositor.render_strips())

    drive(script, feed=half_way())


def test_wide_and_combining_characters_keep_the_columns() -> None:
    names = ["日本語の注文を確認する", "e\u0301" * 12, "👍 thumbs", "plain"]
    rows = [make_row("pfp", f"a.{number}", name=name) for number, name in enumerate(names)]

    async def script(app: LiveApp, _: Pilot[Leave]) -> None:
        strips = app.screen._compositor.render_strips()
        rows_shown = [strip.text for strip in strips if "flaky" in strip.text]
        assert len(rows_shown) == len(names)
        assert len({cell_len(text[: text.index("2/3")]) for text in rows_shown}) == 1

    drive(script, state=state_of(make_report(*rows)))


def test_hostile_text_is_shown_and_not_obeyed() -> None:
    report = CANNED_REPORTS["hostile"]

    async def script(app: LiveApp, pilot: Pilot[Leave]) -> None:
        for key in ("end", "pageup", "pageup", "enter", "t", "escape", "up", "enter", "end"):
            await pilot.press(key)
            assert not [it for it in screen_text(app) if category(it) in UNSEEN and it != "\n"]

    drive(script, state=state_of(report), size=(80, 24))


def test_markup_in_names_is_text() -> None:
    row = make_row("f", "a.b", name="[red]not[/red] [link=x]markup[/link] [/]")

    async def script(app: LiveApp, pilot: Pilot[Leave]) -> None:
        assert "[red]not[/red] [link=x]markup[/link] [/]" in screen_text(app)
        await pilot.press("enter")
        assert "[red]not[/red] [link=x]markup[/link] [/]" in screen_lines(app)[0]
        await pilot.press("escape", "slash", *"[/red]")
        assert '1 of 1 scenarios: with "[/red]"' in screen_text(app)

    drive(script, state=state_of(make_report(row)))


SHOTS = {
    "half-way": ((), half_way, (100, 36)),
    "scenario": (("down", "down", "down", "down", "enter"), half_way, (100, 36)),
    "sample": (("slash", *"twice", "enter", "down", "down", "enter", "t"), half_way, (100, 30)),
    "leaving": (("q",), half_way, (80, 24)),
    "keys": (("question_mark",), half_way, (80, 24)),
    "narrow": ((), half_way, (40, 24)),
}


@pytest.mark.parametrize("name", SHOTS)
def test_a_picture_of_the_run_is_as_it_was(name: str) -> None:
    keys, feed, size = SHOTS[name]

    async def script(app: LiveApp, pilot: Pilot[Leave]) -> None:
        await pilot.press(*keys)
        await pilot.pause()
        assert_golden(f"tui/{name}.svg", app.export_screenshot(simplify=True))

    drive(script, feed=feed(), size=size)


def test_a_picture_of_the_end_is_as_it_was() -> None:
    async def script(app: LiveApp, pilot: Pilot[Leave]) -> None:
        await pilot.press("f")
        assert_golden("tui/below-the-bar.svg", app.export_screenshot(simplify=True))

    drive(script, state=state_of(whole()), size=(80, 24))


def test_without_colours_the_picture_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def script(app: LiveApp, _: Pilot[Leave]) -> None:
        assert_golden("tui/no-colour.svg", app.export_screenshot(simplify=True))
        for strip in app.screen._compositor.render_strips():
            colours = {it for _, style, _ in strip if style for it in (style.color, style.bgcolor) if it}
            assert all(colour.is_default for colour in colours)

    drive(script, feed=half_way(), size=(80, 24))


def test_a_terminal_without_the_signs_gets_plain_ones() -> None:
    async def script(app: LiveApp, _: Pilot[Leave]) -> None:
        shown = screen_text(app)
        assert "v + 1. Order status" in shown
        assert "|- +" in shown
        rows = [line for line in screen_lines(app) if "sample" in line]
        assert all(line.isascii() for line in rows)

    drive(script, feed=half_way(), glyphs=ASCII, size=(80, 40))


def test_an_empty_state_waits() -> None:
    async def script(app: LiveApp, pilot: Pilot[Leave]) -> None:
        assert "0/0 samples" in screen_text(app)
        await pilot.press("enter", "down", "left", "right", "f")

    assert drive(script, feed=Feed(), state=LiveState()) is None
