"""The screens: the rows, the detail of one of them, and the question before a run that goes on is left."""

from enum import StrEnum
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import ModalScreen, Screen
from textual.widgets import Footer, Input, Static, Tree

from agentlab_ci.core.results import RowKey
from agentlab_ci.reports.formatting import Glyphs
from agentlab_ci.tui.detail import Detail, tell_sample, tell_scenario
from agentlab_ci.tui.header import CountsHeader
from agentlab_ci.tui.state import LiveState
from agentlab_ci.tui.text_view import TextView
from agentlab_ci.tui.tones import STYLES, Tone, to_text
from agentlab_ci.tui.tree import Place, ScenarioTree


class RowsScreen(Screen[None]):
    """Counts, rows, and what narrows them down."""

    DEFAULT_CSS = """
    RowsScreen > #filter { dock: bottom; display: none; border: none; height: 1; padding: 0 1; margin-bottom: 1; }
    RowsScreen > #shown { height: auto; padding: 0 1; display: none; color: $text-muted; }
    RowsScreen.filtering > #filter { display: block; }
    RowsScreen.narrowed > #shown { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter", key_display="/"),
        Binding("f", "below", "Below the bar"),
        Binding("escape", "all", "All", show=False),
    ]

    class Opened(Message):
        """Somebody wants to see more of a scenario or a sample."""

        def __init__(self, place: Place) -> None:
            self.place = place
            super().__init__()

    def __init__(self, state: LiveState, glyphs: Glyphs) -> None:
        super().__init__()
        self._state = state
        self._glyphs = glyphs
        self._query = ""
        self._only_below = False
        self._shown: tuple[RowKey, ...] | None = None

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield CountsHeader()
        yield Static(id="shown", markup=False)
        yield ScenarioTree(self._state, self._glyphs)
        yield Input(id="filter", placeholder="part of a name or id; Enter keeps it, Esc shows all again")
        yield Footer(show_command_palette=False)

    @property
    def complete(self) -> bool:
        """Whether all of it is there: while the app closes, a timer may still find it half taken apart."""
        return all(self.query(kind) for kind in (CountsHeader, ScenarioTree, Input, "#shown"))

    def on_mount(self) -> None:
        """Put the cursor among the rows."""
        self.query_one(ScenarioTree).focus()

    def show(self, changed: tuple[RowKey, ...], *, elapsed: float) -> None:
        """Bring the counts and the rows up to date; `elapsed` is in seconds."""
        self.query_one(CountsHeader).show(self._state, self._glyphs, elapsed=elapsed)
        if changed or self._shown is None:
            self._show_rows()
            self.query_one(ScenarioTree).show_changes(changed)

    def action_filter(self) -> None:
        """Ask for a part of a name."""
        self.add_class("filtering")
        self.query_one(Input).focus()

    def action_below(self) -> None:
        """Show only what is below the bar, or all again."""
        self._only_below = not self._only_below
        self._show_rows()

    def action_all(self) -> None:
        """Show all rows again."""
        self._only_below = False
        self.query_one(Input).value = ""
        self._query = ""
        self._leave_filter()
        self._show_rows()

    @on(Input.Changed)
    def narrow(self, event: Input.Changed) -> None:
        """Show what holds the text as it is typed."""
        self._query = event.value
        self._show_rows()

    @on(Input.Submitted)
    def keep(self) -> None:
        """Go back to the rows that are left."""
        self._leave_filter()

    @on(Tree.NodeSelected)
    def open(self, event: Tree.NodeSelected[Place]) -> None:
        """Pass on which row or sample was chosen."""
        if event.node.data is not None:
            self.post_message(self.Opened(event.node.data))

    def _leave_filter(self) -> None:
        self.remove_class("filtering")
        self.query_one(ScenarioTree).focus()

    def _show_rows(self) -> None:
        keys = self._state.find(self._query, only_below=self._only_below)
        if keys != self._shown:
            self._shown = keys
            self.query_one(ScenarioTree).show_rows(keys)
        narrowed = bool(self._query) or self._only_below
        self.set_class(narrowed, "narrowed")
        if narrowed:
            told = ["below the bar"] if self._only_below else []
            told += [f'with "{self._query}"'] if self._query else []
            self.query_one("#shown", Static).update(
                Text(f"{len(keys)} of {len(self._state.rows)} scenarios: {', '.join(told)}; Esc shows all")
            )


class DetailScreen(Screen[None]):
    """One scenario or sample, brought up to date while it is open."""

    DEFAULT_CSS = """
    DetailScreen > #title { height: auto; padding: 0 1 1 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.pop_screen", "Back"),
        Binding("t", "calls", "Tool calls"),
        Binding("p", "print", "Print on leaving"),
    ]

    class Printed(Message):
        """The place is to be printed when the view closes, with its tool calls or without, or no longer."""

        def __init__(self, place: Place, *, calls: bool) -> None:
            self.place = place
            self.calls = calls
            super().__init__()

    def __init__(self, state: LiveState, glyphs: Glyphs, place: Place) -> None:
        super().__init__()
        self.place = place
        self.calls = False
        self._state = state
        self._glyphs = glyphs

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield Static(id="title", markup=False)
        yield TextView()
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Show it at once."""
        self.show()
        self.query_one(TextView).focus()

    def show(self) -> None:
        """Bring it up to date."""
        detail = tell(self._state, self._glyphs, self.place, calls=self.calls)
        self.query_one("#title", Static).update(to_text(detail.title))
        self.query_one(TextView).show(detail.lines)

    def action_calls(self) -> None:
        """Show or hide what tools were given and gave back."""
        self.calls = not self.calls
        self.show()

    def action_print(self) -> None:
        """Have it printed when the view closes."""
        self.post_message(self.Printed(self.place, calls=self.calls))


def tell(state: LiveState, glyphs: Glyphs, place: Place, *, calls: bool) -> Detail:
    """Return the detail of a scenario or a sample as it is now."""
    key, number = place
    row = state.row(key)
    if number is None:
        return tell_scenario(row, glyphs, calls=calls)
    return tell_sample(row, row.samples[number - 1], glyphs, calls=calls)


class Choice(StrEnum):
    """What to do with a run that goes on."""

    STOP = "stop"
    KEEP = "keep"
    BACK = "back"


class LeaveScreen(ModalScreen[Choice]):
    """Asks what becomes of the run when the view closes."""

    DEFAULT_CSS = """
    LeaveScreen { align: center middle; }
    LeaveScreen > Static { width: auto; max-width: 100%; height: auto; padding: 1 3; background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s,q", "choose('stop')", "Stop", show=False),
        Binding("k", "choose('keep')", "Keep", show=False),
        Binding("escape", "choose('back')", "Back", show=False),
    ]
    _TEXT = (
        ("The run goes on.\n", ""),
        ("s", "stop it: running samples get 2 s, reports are written"),
        ("k", "keep it running without the view"),
        ("Esc", "back"),
    )

    def compose(self) -> ComposeResult:
        """Lay out the question."""
        lines = [Text.assemble((f"{key:<4}", STYLES[Tone.HEADING]), f" {does}") for key, does in self._TEXT]
        yield Static(Text("\n").join(lines))

    def action_choose(self, choice: str) -> None:
        """Answer."""
        self.dismiss(Choice(choice))
