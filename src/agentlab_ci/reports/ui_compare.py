"""A comparison in `agentlab ui`: two batches row by row, or two runs, with what differs in them."""

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from agentlab_ci.core.compare_batches import BatchComparison, RowComparison
from agentlab_ci.core.compare_runs import Change, RunComparison, RunView
from agentlab_ci.core.results import RunReport, SampleResult
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.text import plural
from agentlab_ci.core.trace import Evaluation
from agentlab_ci.reports.anchors import anchor_of
from agentlab_ci.reports.compare_parts import choose_examples, diffs, icon_of, name_key, worst_change
from agentlab_ci.reports.compare_wording import (
    conclude_batches,
    conclude_runs,
    count_changes,
    name_run,
    row_notes,
    run_notes,
    tell_p,
    tell_passes,
)
from agentlab_ci.reports.escape import code_element, printable, printable_block
from agentlab_ci.reports.formatting import TEXT, format_moment
from agentlab_ci.reports.reasons import describe_evaluation
from agentlab_ci.reports.redact import cut
from agentlab_ci.reports.table import LONGEST_NAME
from agentlab_ci.reports.ui_frame import Frame, render_page
from agentlab_ci.reports.ui_links import batch_url, compare_url, run_url
from agentlab_ci.reports.ui_parts import Mark, mark_status, short
from agentlab_ci.reports.variants import variants_of

_KINDS = {
    Change.REGRESSED: "failed",
    Change.IMPROVED: "passed",
    Change.UNCHANGED_PASS: "passed",
    Change.UNCHANGED_FAIL: "failed",
    Change.CHANGED_NON_TERMINAL: "error",
    Change.NOT_COMPARABLE: "skipped",
}
_TEMPLATE = "ui_compare.html.j2"
_MOST_NAMED = 6

Line = tuple[str, str]
"""`-`, `+`, `@` or a blank, and the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two that are compared: its id, where it is shown, and what is known of it."""

    word: str
    id: str
    href: str
    known: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What an evaluator said of both runs; None where it was not asked."""

    name: str
    old: Mark | None
    new: Mark | None
    message: str

    @property
    def changed(self) -> bool:
        """Whether the two answers differ."""
        return (self.old and self.old.word) != (self.new and self.new.word)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Two runs: what is said of them, what each evaluator answered, and the texts that differ, line by line."""

    old: str
    new: str
    href: str | None
    notes: tuple[str, ...]
    answers: tuple[Answer, ...]
    texts: tuple[tuple[str, tuple[Line, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What became of one scenario; `example` is None where nothing is shown of it."""

    anchor: str
    mark: Mark
    title: str
    href: str | None
    passes: str
    p: str
    notes: tuple[str, ...]
    example: Difference | None
    is_open: bool


def batches_compared_page(comparison: BatchComparison, frame: Frame) -> bytes:
    """Render the comparison of two batches, in the order of the new one."""
    shown = choose_examples(comparison)
    worst = worst_change(comparison)
    hidden = sum(row.example is not None for row in comparison.rows) - len(shown)
    return render_page(
        _TEMPLATE,
        frame,
        f"{short(comparison.old.batch_id)} and {short(comparison.new.batch_id)} compared",
        mark=Mark(kind=_KINDS[worst], glyph=icon_of(worst, TEXT), word=""),
        headline=Markup(_begin(conclude_batches(comparison, TEXT, _code))),  # noqa: S704 - our words, and names escaped
        figures=_spaced(count_changes(comparison)),
        sides=(_batch_side("old", comparison.old), _batch_side("new", comparison.new)),
        swapped=compare_url(comparison.new.batch_id, comparison.old.batch_id),
        rows=tuple(_row(row, comparison, shows=row.key in shown) for row in comparison.rows),
        hidden=f"{plural(hidden, 'more scenario')} with differences: `agentlab compare --format json` has all."
        if hidden
        else "",
        difference_of=None,
    )


def runs_compared_page(comparison: RunComparison, frame: Frame) -> bytes:
    """Render the comparison of two runs of a scenario."""
    change = comparison.change
    old, new = comparison.old.run.run_id or "", comparison.new.run.run_id or ""
    return render_page(
        _TEMPLATE,
        frame,
        f"{short(old)} and {short(new)} compared",
        mark=Mark(kind=_KINDS[change], glyph=icon_of(change, TEXT), word=""),
        headline=_begin(_spaced(conclude_runs(comparison))),
        figures=short(name_key(comparison.new.scenario.key, TEXT)),
        sides=(_run_side("old", comparison.old), _run_side("new", comparison.new)),
        swapped=compare_url(new, old),
        rows=(),
        hidden="",
        difference_of=_difference(comparison),
    )


def choose_page(frame: Frame, *, old: str, new: str, said: str) -> bytes:
    """Render the form that asks for two runs or two batches; `said` is what is wrong, if anything."""
    return render_page("ui_choose.html.j2", frame, "Compare", old=printable(old), new=printable(new), said=said)


def _batch_side(word: str, report: RunReport) -> Side:
    labels = dict.fromkeys(row.agent.label for row in report.scenarios if row.agent is not None)
    variants = variants_of(report.scenarios)
    told = (
        ", ".join([f"{name} {value}" for name, value in variant.known.items() if name != "agent"])
        for variant in variants
    )
    named = [
        f"{variant.label}: {known}" if known else variant.label
        for variant, known in zip(variants, told, strict=True)
    ]
    known = (format_moment(report.started_at), ", ".join([*labels][:_MOST_NAMED]), *named[:_MOST_NAMED])
    return Side(
        word=word,
        id=short(report.batch_id),
        href=batch_url(report.batch_id),
        known=tuple(short(part) for part in known if part),
    )


def _run_side(word: str, view: RunView) -> Side:
    run, agent = view.run, view.scenario.agent
    known = (
        f"sample {run.sample}/{run.of}, {run.status.value}",
        "" if run.started_at is None else format_moment(run.started_at),
        "" if agent is None else agent.label,
        view.scenario.key[0] or "",
    )
    run_id = run.run_id or ""
    parts = tuple(short(part) for part in known if part)
    return Side(word=word, id=short(run_id), href=run_url(run_id), known=parts)


def _row(row: RowComparison, comparison: BatchComparison, *, shows: bool) -> Row:
    known = row.new or row.old
    batch = comparison.old if row.new is None else comparison.new
    anchor = "" if known is None else anchor_of(known)
    return Row(
        anchor=anchor,
        mark=Mark(kind=_KINDS[row.change], glyph=icon_of(row.change, TEXT), word=_spaced(row.change.value)),
        title=short(name_key(row.key, TEXT)),
        href=f"{batch_url(batch.batch_id)}#{anchor}",
        passes=_arrow(tell_passes(row)),
        p=tell_p(row),
        notes=tuple(_arrow(printable(note)) for note in row_notes(row)),
        example=_difference(row.example) if row.example is not None and shows else None,
        is_open=row.change is Change.REGRESSED,
    )


def _difference(run: RunComparison) -> Difference:
    old, new = run.old.run, run.new.run
    both = old.run_id is not None and new.run_id is not None
    return Difference(
        old=short(name_run(run.old)),
        new=short(name_run(run.new)),
        href=compare_url(old.run_id or "", new.run_id or "") if both else None,
        notes=tuple(_arrow(printable(note)) for note in run_notes(run)),
        answers=tuple(_answers(old, new)),
        texts=tuple((name, tuple(map(_line, lines))) for name, lines in diffs(run.behaviour)),
    )


def _answers(old: SampleResult, new: SampleResult) -> Iterator[Answer]:
    before, after = ({(it.step, it.id): it for it in side.evaluations} for side in (old, new))
    for key, latest in (before | after).items():
        yield Answer(
            name=printable(describe_evaluation(latest)),
            old=_mark(before.get(key)),
            new=_mark(after.get(key)),
            message=printable_block(latest.message),
        )


def _mark(evaluation: Evaluation | None) -> Mark | None:
    if evaluation is None:
        return None
    return mark_status(SampleStatus.PASSED if evaluation.passed else SampleStatus.FAILED)


def _line(text: str) -> Line:
    return text[0], printable(text[1:])


def _spaced(words: str) -> str:
    return _arrow(words.replace("_", " "))


def _code(name: str) -> str:
    return code_element(cut(name, LONGEST_NAME))


def _begin(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _arrow(text: str) -> str:
    return text.replace(" -> ", " → ")
