"""Pieces of text with what they mean, and the one table from meanings to colours.

Red is for what is below its bar, and nothing else; a failure that is tolerated is not.
"""

from dataclasses import dataclass
from enum import StrEnum

from rich.style import Style
from rich.text import Text

from agentlab_ci.core.results import SampleResult, ScenarioResult
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.reports.formatting import ASCII, Glyphs


class Tone(StrEnum):
    """What a piece of text is."""

    PLAIN = "plain"
    DIM = "dim"
    HEADING = "heading"
    PASSED = "passed"
    BELOW = "below the bar"
    TOLERATED = "not passed, and not what keeps it below the bar"
    RUNNING = "running"
    AGENT = "agent"


STYLES: dict[Tone, Style] = {
    Tone.PLAIN: Style(),
    Tone.DIM: Style(color="#7d8595"),
    Tone.HEADING: Style(color="#e6e9ef", bold=True),
    Tone.PASSED: Style(color="#8fbf8f"),
    Tone.BELOW: Style(color="#f07178", bold=True),
    Tone.TOLERATED: Style(color="#d9b06c"),
    Tone.RUNNING: Style(color="#7fb3e0"),
    Tone.AGENT: Style(color="#a9c7e8"),
}


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of one line; its text must be printable."""

    text: str
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """The signs beside the reports' own that only a view needs which is still under way."""

    running: str
    waiting: str
    not_started: str
    opened: str
    closed: str
    ellipsis: str
    branch: str
    last_branch: str
    done: str
    left: str


def marks_for(glyphs: Glyphs) -> Marks:
    """Return the signs that go with these glyphs."""
    return _ASCII if glyphs is ASCII else _TEXT


_TEXT = Marks(
    running="●",
    waiting="◌",
    not_started="·",
    opened="▾",
    closed="▸",
    ellipsis="…",
    branch="├─",
    last_branch="└─",
    done="━",
    left="─",
)
_ASCII = Marks(
    running="*",
    waiting="w",
    not_started=".",
    opened="v",
    closed=">",
    ellipsis="..",
    branch="|-",
    last_branch="`-",
    done="=",
    left="-",
)


def tone_of_scenario(row: ScenarioResult, *, running: bool = False) -> Tone:
    """Return the tone of a scenario's icon."""
    match row.verdict:
        case Verdict.PASSED:
            return Tone.PASSED
        case Verdict.FAILED:
            return Tone.BELOW
        case Verdict.UNFINISHED if running:
            return Tone.RUNNING
        case _:
            return Tone.DIM


def tone_of_sample(row: ScenarioResult, sample: SampleResult) -> Tone:
    """Return the tone of a sample's icon: only what keeps its scenario below the bar is red."""
    match sample.status:
        case SampleStatus.PASSED:
            return Tone.PASSED
        case SampleStatus.CANCELLED:
            return Tone.DIM
        case SampleStatus.FAILED if row.could_not_be_judged:
            return Tone.TOLERATED
        case _:
            return Tone.BELOW if row.below_bar else Tone.TOLERATED


def to_text(spans: tuple[Span, ...]) -> Text:
    """Return the pieces as one line for the screen; nothing in them is read as markup."""
    return Text.assemble(*((span.text, STYLES[span.tone]) for span in spans), end="", no_wrap=True)


@dataclass(frozen=True, slots=True)
class Line:
    """A line, `indent` cells in; where it is broken, the rest stands beside its first `hang` characters."""

    spans: tuple[Span, ...] = ()
    indent: int = 0
    hang: int = 0

    @property
    def plain(self) -> str:
        """The line without colours."""
        return (" " * self.indent + "".join(span.text for span in self.spans)).rstrip()
