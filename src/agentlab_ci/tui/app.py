"""The live view: an app in the main thread, which asks a feed ten times a second how the run goes."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, assert_never

from textual import on
from textual.app import App
from textual.binding import Binding, BindingType
from textual.theme import Theme

from agentlab_ci.reports.formatting import Glyphs
from agentlab_ci.tui.feed import Feed
from agentlab_ci.tui.keys import KeysScreen
from agentlab_ci.tui.screens import Choice, DetailScreen, LeaveScreen, RowsScreen, tell
from agentlab_ci.tui.state import LiveState
from agentlab_ci.tui.tree import Place

TICK_SECONDS = 0.1
EVENTS_A_TICK = 300
"""The rest of a burst waits for the next tick, so that keys are answered in between."""


class Action(StrEnum):
    """What the view was closed for."""

    CLOSED = "closed"
    """There is nothing more to do: the run is over, or a signal has come, which ends it."""
    STOP = "stop"
    """The run is to be stopped as by SIGINT."""
    KEEP = "keep"
    """The run is to go on without the view."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """How the view was left. `printed` are plain texts for the terminal, in the order they were asked for."""

    printed: tuple[str, ...] = ()
    action: Action = Action.CLOSED


_THEME = Theme(
    name="agentlab",
    primary="#7fb3e0",
    foreground="#c8cdd6",
    background="#15181e",
    surface="#15181e",
    panel="#222731",
    variables={
        "block-cursor-background": "#2c3442",
        "block-cursor-foreground": "#ffffff",
        "block-cursor-text-style": "none",
        "block-cursor-blurred-background": "#222731",
        "block-cursor-blurred-text-style": "none",
        "footer-background": "#1b1f27",
        "footer-key-foreground": "#7fb3e0",
        "scrollbar": "#2c3442",
        "scrollbar-background": "#15181e",
    },
)


class LiveApp(App[Leave]):
    """Shows a run while it goes on, or one that is over; `run()` returns how it was left.

    `feed` is None where there is nothing to wait for. `clock` is in seconds; `interrupted` tells whether a signal
    has come, which closes the view.
    """

    TITLE = "agentlab"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    ScenarioTree, TextView { background: $background; }
    ScenarioTree:focus, TextView:focus { background-tint: transparent; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "keys", "Keys", key_display="?"),
        Binding("q", "leave", "Quit"),
        Binding("ctrl+q", "leave", "Quit", show=False, priority=True),
        Binding("ctrl+c", "stop", "Stop", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", "Suspend", show=False, priority=True),
    ]

    def __init__(
        self,
        feed: Feed | None,
        state: LiveState,
        *,
        clock: Callable[[], float],
        glyphs: Glyphs,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> None:
        # With the terminal's own colours Textual leaves out all of them for NO_COLOR, else it makes them grey.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self._feed = feed
        self._state = state
        self._clock = clock
        self._glyphs = glyphs
        self._interrupted = interrupted
        self._began = clock()
        self._ended: float | None = None
        self._printed: dict[Place, bool] = {}
        self._rows = RowsScreen(state, glyphs)

    def get_default_screen(self) -> RowsScreen:
        """Begin with the rows."""
        return self._rows

    def on_mount(self) -> None:
        """Put on the colours."""
        self.register_theme(_THEME)
        self.theme = _THEME.name
        # Textual takes the terminal back after a suspension, and leaves it blank until something changes.
        self.app_resume_signal.subscribe(self, lambda _: self.refresh(layout=True))

    def on_ready(self) -> None:
        """Begin to follow the run, now that there is something to show it on."""
        self.tick()
        self.set_interval(TICK_SECONDS, self.tick)

    def tick(self) -> None:
        """Take in what has come, and show it."""
        if self._interrupted():
            self._leave(Action.CLOSED)
            return
        if not self._rows.complete:
            return
        now = self._clock()
        for event in self._feed.drain(EVENTS_A_TICK) if self._feed is not None else ():
            self._state.apply(event, now)
        changed = self._state.take_changed(now)
        if self._state.over and self._ended is None:
            self._ended = now
        self._rows.show(changed, elapsed=self._elapsed(now))
        for screen in self.screen_stack:
            if isinstance(screen, DetailScreen) and screen.place[0] in changed:
                screen.show()

    def _elapsed(self, now: float) -> float:
        if self._state.report is not None:
            return self._state.report.summary.duration_ms / 1000
        return (now if self._ended is None else self._ended) - self._began

    @on(RowsScreen.Opened)
    def open(self, message: RowsScreen.Opened) -> None:
        """Show a scenario or a sample."""
        self.push_screen(DetailScreen(self._state, self._glyphs, message.place))

    @on(DetailScreen.Printed)
    def mark(self, message: DetailScreen.Printed) -> None:
        """Note that a detail is to be printed, or no longer."""
        if message.place in self._printed:
            del self._printed[message.place]
            self.notify("Not printed any more.", timeout=2)
        else:
            self._printed[message.place] = message.calls
            self.notify("Printed to the terminal when the view closes.", timeout=2)

    def action_keys(self) -> None:
        """Show the keys."""
        self.push_screen(KeysScreen(self._glyphs))

    def action_leave(self) -> None:
        """Close, after asking while the run goes on."""
        if self._state.over:
            self._leave(Action.CLOSED)
        elif not isinstance(self.screen, LeaveScreen):
            self.push_screen(LeaveScreen(), self._decide)

    def action_stop(self) -> None:
        """Stop the run without asking, and close."""
        self._leave(Action.CLOSED if self._state.over else Action.STOP)

    def _decide(self, choice: Choice | None) -> None:
        match choice:
            case Choice.STOP:
                self.action_stop()
            case Choice.KEEP:
                self._leave(Action.CLOSED if self._state.over else Action.KEEP)
            case Choice.BACK | None:
                pass
            case _:
                assert_never(choice)

    def _leave(self, action: Action) -> None:
        printed = (
            tell(self._state, self._glyphs, place, calls=calls).plain for place, calls in self._printed.items()
        )
        self.exit(Leave(printed=tuple(printed), action=action))
