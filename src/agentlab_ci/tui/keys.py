"""The keys, as the view itself shows them; one table for the screen of help and for the documentation."""

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Static

from agentlab_ci.reports.formatting import ASCII, Glyphs
from agentlab_ci.tui.tones import STYLES, Tone

KEYS: tuple[tuple[str, str], ...] = (
    ("↑ ↓ PgUp PgDn Home End", "move; the mouse does too"),
    ("→ ← or space", "show and hide the samples of a scenario"),
    ("Enter", "open the scenario or the sample"),
    ("/", "show only what holds the text in its name or id"),
    ("f", "show only what is below the bar, or all again"),
    ("t", "in a detail: show what tools were given and gave back"),
    ("p", "in a detail: print it to the terminal when the view closes"),
    ("Esc", "back; in the list: show all again"),
    ("q", "close; asks first while the run goes on"),
    ("Ctrl+C", "stop the run and close"),
    ("Ctrl+Z", "suspend the run and the view; `fg` brings both back"),
    ("?", "these keys"),
)


_WRITTEN_OUT = str.maketrans({"↑": "Up", "↓": "Down", "→": "Right", "←": "Left"})


def keys_for(glyphs: Glyphs) -> tuple[tuple[str, str], ...]:
    """Return the keys, in plain letters where an output can write no others."""
    return tuple((key.translate(_WRITTEN_OUT), does) for key, does in KEYS) if glyphs is ASCII else KEYS


class KeysScreen(ModalScreen[None]):
    """Shows the keys; any of them closes it."""

    DEFAULT_CSS = """
    KeysScreen { align: center middle; }
    KeysScreen > Static { width: auto; max-width: 100%; height: auto; padding: 1 3; background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q,question_mark,space", "dismiss", "Back", show=False)
    ]

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self._keys = keys_for(glyphs)

    def compose(self) -> ComposeResult:
        """Lay out the table."""
        width = max(len(key) for key, _ in self._keys)
        lines = [Text.assemble((f"{key:<{width}}", STYLES[Tone.HEADING]), f"  {does}") for key, does in self._keys]
        yield Static(Text("\n").join(lines))
