"""The lists of `agentlab ui`: batches, runs and scenarios, as pages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentlab_ci.core.results import SampleCounts, ScenarioCounts
from agentlab_ci.core.stored import BatchEntry, RunEntry, ScenarioEntry
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.reports.formatting import TEXT, format_cost, format_duration, format_moment
from agentlab_ci.reports.ui_frame import Frame, render_page
from agentlab_ci.reports.ui_links import batch_url, run_url, scenario_url
from agentlab_ci.reports.ui_parts import KINDS, Form, Mark, Pages, mark_state, mark_status, short

_MOST_NAMED = 3
_VERDICTS = {
    Verdict.PASSED: TEXT.passed,
    Verdict.FAILED: TEXT.failed,
    Verdict.UNFINISHED: TEXT.unfinished,
    Verdict.SKIPPED: TEXT.skipped,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a list: where its name leads, how it ended, what stands below the name, and its cells.

    `id` is what is chosen to be compared, empty where nothing is; `cells` are (class, text, address or None).
    """

    id: str
    name: str
    href: str
    mark: Mark
    below: tuple[str, ...]
    approved: bool
    cells: tuple[tuple[str, str, str | None], ...]


def batches_page(entries: Sequence[BatchEntry], form: Form, pages: Pages, frame: Frame) -> bytes:
    """Render the list of batches."""
    heads = ("Batch", "Verdict", "Scenarios", "Samples", "Took", "Cost")
    return _list_page("Batches", [*map(_batch_row, entries)], heads, frame, form=form, pages=pages)


def runs_page(entries: Sequence[RunEntry], form: Form, pages: Pages, frame: Frame) -> bytes:
    """Render the list of runs."""
    heads = ("Run", "Status", "Scenario", "Score", "Took", "Cost")
    return _list_page("Runs", [*map(_run_row, entries)], heads, frame, form=form, pages=pages)


def scenarios_page(entries: Sequence[ScenarioEntry], form: Form, frame: Frame, *, is_cut: bool) -> bytes:
    """Render the list of scenarios; `is_cut` says that there are more."""
    heads = ("Scenario", "Last verdict", "Suite", "Batches", "Last batch")
    note = f"The first {len(entries)} are shown: a filter shows others." if is_cut else ""
    return _list_page("Scenarios", [*map(_scenario_row, entries)], heads, frame, form=form, note=note)


def _list_page(
    title: str,
    rows: Sequence[Row],
    heads: Sequence[str],
    frame: Frame,
    *,
    form: Form,
    pages: Pages | None = None,
    note: str = "",
) -> bytes:
    nothing = _no(title.lower(), form)
    return render_page(
        "ui_list.html.j2", frame, title, rows=rows, heads=heads, form=form, pages=pages, note=note, nothing=nothing
    )


def _no(nouns: str, form: Form) -> str:
    if form.is_used:
        return f"No {nouns} like that are stored."
    return f"No {nouns} are stored yet: `agentlab run` stores them, and they appear here while it runs."


def _batch_row(entry: BatchEntry) -> Row:
    counted = "" if entry.scenarios is None else _share(entry.scenarios, entry.scenarios.total)
    samples = _share(entry.samples, sum(entry.samples.model_dump().values()))
    below = (format_moment(entry.started_at), _name(entry.suites), _name(entry.agents), _name(entry.variants))
    return Row(
        id=entry.batch_id,
        name=short(entry.batch_id),
        href=batch_url(entry.batch_id),
        mark=mark_state(entry.verdict),
        below=tuple(part for part in below if part),
        approved=entry.approved,
        cells=(
            ("number", counted, None),
            ("number", samples, None),
            ("number", "" if entry.duration_ms is None else format_duration(entry.duration_ms), None),
            ("number", "" if entry.cost_usd is None else format_cost(entry.cost_usd), None),
        ),
    )


def _run_row(entry: RunEntry) -> Row:
    below = ("" if entry.started_at is None else format_moment(entry.started_at), short(entry.agent or ""))
    named = (entry.scenario_id, entry.variant, f"{entry.sample}/{entry.of}")
    return Row(
        id=entry.run_id,
        name=short(entry.run_id),
        href=run_url(entry.run_id),
        mark=mark_status(entry.status),
        below=tuple(part for part in below if part),
        approved=entry.approved,
        cells=(
            ("named", " · ".join(short(part) for part in named if part), scenario_url(entry.scenario_id)),
            ("number", "" if entry.score is None else str(entry.score), None),
            ("number", format_duration(entry.duration_ms), None),
            ("number", "" if entry.cost_usd is None else format_cost(entry.cost_usd), None),
        ),
    )


def _scenario_row(entry: ScenarioEntry) -> Row:
    glyph = _VERDICTS[entry.verdict]
    title = " · ".join(short(part) for part in (entry.scenario_id, entry.variant) if part)
    return Row(
        id="",
        name=title,
        href=scenario_url(entry.scenario_id),
        mark=Mark(kind=KINDS[glyph], glyph=glyph, word=entry.verdict.value),
        below=(),
        approved=False,
        cells=(
            ("", short(entry.suite or ""), None),
            ("number", str(entry.batches), None),
            ("named", format_moment(entry.started_at), batch_url(entry.batch_id)),
        ),
    )


def _name(names: Sequence[str]) -> str:
    return ", ".join(_shown(names))


def _shown(names: Sequence[str]) -> Iterator[str]:
    yield from map(short, names[:_MOST_NAMED])
    if len(names) > _MOST_NAMED:
        yield f"{len(names) - _MOST_NAMED} more"


def _share(counts: ScenarioCounts | SampleCounts, of: int) -> str:
    return f"{counts.passed}/{of}" if of else ""
