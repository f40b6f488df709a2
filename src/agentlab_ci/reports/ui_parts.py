"""Small things that several pages of `agentlab ui` hold: facts with links, filters, places in a list."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from agentlab_ci.core.batch_state import BatchState
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.stored import Approval, BatchRef, RunRef
from agentlab_ci.reports.escape import printable
from agentlab_ci.reports.formatting import TEXT, format_moment
from agentlab_ci.reports.redact import cut
from agentlab_ci.reports.table import LONGEST_NAME
from agentlab_ci.reports.ui_links import link, run_url

KINDS = {
    TEXT.passed: "passed",
    TEXT.failed: "failed",
    TEXT.error: "error",
    TEXT.unfinished: "unfinished",
    TEXT.skipped: "skipped",
    TEXT.dash: "unfinished",
    TEXT.cancelled: "unfinished",
}
"""Classes of the stylesheet by icon."""
_STATES = {
    BatchState.PASSED: TEXT.passed,
    BatchState.FAILED: TEXT.failed,
    BatchState.UNFINISHED: TEXT.unfinished,
    BatchState.SKIPPED: TEXT.skipped,
    BatchState.NO_END: TEXT.unfinished,
}
NO_END = "no end yet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """What is said by a name, and where it leads, if anywhere."""

    name: str
    said: str
    href: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A status or a verdict: the class of its sign, the sign, and the word."""

    kind: str
    glyph: str
    word: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One way to filter a list; with `choices` one of those, (value, what it is called) each."""

    name: str
    label: str
    value: str
    kind: str = "text"
    hint: str = ""
    wide: bool = False
    choices: tuple[tuple[str, str], ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a list is filtered, and whether it is."""

    label: str
    action: str
    fields: tuple[Field, ...]

    @property
    def is_used(self) -> bool:
        """Whether anything is asked for."""
        return any(field.value for field in self.fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """Where the parts of a list beside the one that is shown are; None where there are none."""

    newest: str | None
    newer: str | None
    older: str | None


def mark_status(status: SampleStatus) -> Mark:
    """Return how a sample ended."""
    return Mark(kind=status.value, glyph=TEXT.of_status(status), word=status.value)


def mark_state(state: BatchState) -> Mark:
    """Return how a batch stands."""
    glyph = _STATES[state]
    return Mark(kind=KINDS[glyph], glyph=glyph, word=NO_END if state is BatchState.NO_END else state.value)


def choose(names: Iterable[str], value: str) -> tuple[tuple[str, str], ...]:
    """Return choices of these names, and of the value that is chosen."""
    known = dict.fromkeys([*names, *([value] if value else [])])
    return tuple((name, short(name)) for name in known)


def place_pages(
    path: str, asked: Mapping[str, str], *, first: str, last: str, has_newer: bool, has_older: bool
) -> Pages:
    """Return where the parts beside the one from `first` to `last` are."""
    return Pages(
        newest=link(path, **asked) if has_newer else None,
        newer=link(path, **asked, after=first) if has_newer else None,
        older=link(path, **asked, before=last) if has_older else None,
    )


def approval_facts(approvals: Iterable[Approval]) -> Iterable[Fact]:
    """Yield when what was approved."""
    for approval in approvals:
        moment = format_moment(approval.approved_at)
        match approval.reference:
            case BatchRef(scenario_id=None):
                yield Fact(name="approved", said=moment)
            case BatchRef(scenario_id=scenario_id):
                yield Fact(name="approved", said=f"{moment}: {short(scenario_id or '')}")
            case RunRef(run_id=run_id):
                yield Fact(name="approved", said=f"{moment}: {short(run_id)}", href=run_url(run_id))


def short(text: str) -> str:
    """Return a name as one line of bounded length."""
    return printable(cut(text, LONGEST_NAME))
