"""The sentences of a run: counts, pass@k lines, the summary, the verdict. Every surface takes them from here."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from agentlab_ci.core.judge import PassGroup, has_broken_off, pass_groups
from agentlab_ci.core.results import RunReport, ScenarioFacts, ScenarioResult
from agentlab_ci.core.stats import format_share
from agentlab_ci.core.text import plural
from agentlab_ci.core.verdict import Label, Verdict
from agentlab_ci.errors import ExitCode
from agentlab_ci.reports.formatting import Glyphs
from agentlab_ci.reports.imported import tell_unfinished
from agentlab_ci.reports.redact import cut

NAMED_SCENARIOS = 10
"""How many scenarios a sentence names before it only counts the rest."""
_LONGEST_NAME = 120
"""Bytes, so that the id beside it is never cut off."""

_ENDED_BY = {
    ExitCode.SIGINT: ("interrupted",),
    ExitCode.SIGTERM: ("terminated",),
    ExitCode.BUG: ("ended by a bug in agentlab",),
}

Show = Callable[[str], str]
"""Makes an untrusted name safe for the sink that the sentence is for."""


def count_passes(row: ScenarioResult) -> str:
    """Write how a scenario stands: `2/3 passed, needs 2`; for one sample just the verdict."""
    if row.verdict is Verdict.SKIPPED:
        return "skipped"
    if row.samples_wanted > 1:
        return f"{row.passed}/{row.samples_wanted} passed, needs {row.needed}"
    return "could not be judged" if row.could_not_be_judged else row.verdict.value


def name_row(row: ScenarioResult, glyphs: Glyphs) -> str:
    """Write what people know a row by, with the output's own sign before the variant."""
    return f" {glyphs.dot} ".join(part for part in (name_scenario(row), row.key[0]) if part is not None)


def name_scenario(row: ScenarioFacts) -> str:
    """Return the id, or the name with the id beside it where people know the scenario by that."""
    return f"{cut(row.name, _LONGEST_NAME)} ({row.scenario_id})" if row.goes_by_name else row.scenario_id


def remarks(row: ScenarioResult) -> tuple[str, ...]:
    """What the counts of a sampled scenario do not say, such as `flaky`, and that it does not gate."""
    said = []
    if row.samples_wanted > 1:
        said += ["could not be judged"] if row.could_not_be_judged else []
        said += ["unfinished"] if row.verdict is Verdict.UNFINISHED else []
        said += [row.label.value] if row.label in (Label.FLAKY, Label.BROKEN) else []
    said += [] if row.gate else ["does not gate"]
    return tuple(said)


def pass_lines(report: RunReport, show: Show) -> tuple[str, ...]:
    """Write pass@k and pass^k, one line for each variant and k; none where nothing qualifies."""
    lines = ((group.variant, _pass_line(group)) for group in pass_groups(report.scenarios))
    return tuple(line if variant is None else f"{show(variant)}: {line}" for variant, line in lines if line)


def summary_line(report: RunReport, glyphs: Glyphs) -> str:
    """Count samples by status and scenarios by what went wrong, non-gating ones included."""
    samples, scenarios = report.summary.samples, report.summary.scenarios
    wanted = sum(row.samples_wanted for row in report.judged)
    counts = [
        (samples.passed, "passed"),
        (samples.failed, "failed"),
        (samples.error, "error" if samples.error == 1 else "errors"),
        (samples.cancelled, "cancelled"),
        (wanted - sum(len(row.samples) for row in report.judged), "not run"),
    ]
    told = ", ".join(f"{count} {word}" for count, word in counts if count)
    parts = [f"{plural(wanted, 'sample')}: {told}" if told else plural(wanted, "sample")]
    not_judged = sum(row.could_not_be_judged for row in report.scenarios)
    groups = [
        (scenarios.failed - not_judged, "failed"),
        (not_judged, "could not be judged"),
        (scenarios.unfinished, "unfinished"),
    ]
    if not any(count for count, _ in groups):
        groups = [(scenarios.passed, "passed")]
    words = [f"{count}/{scenarios.total} {word}" for count, word in groups if count]
    if words:
        words[0] = words[0].replace(" ", " scenario " if scenarios.total == 1 else " scenarios ", 1)
    if scenarios.skipped:
        words.append(f"{scenarios.skipped} skipped")
    return f" {glyphs.dot} ".join([*parts, *words])


def verdict_sentence(report: RunReport, glyphs: Glyphs, show: Show) -> str:
    """Say how the run ended, in one line: its icon, then which gating scenarios did what, then the others."""
    gating = [row for row in report.judged if row.gate]
    others = [row for row in report.judged if not row.gate and row.below_bar]
    icon = _run_icon(gating, glyphs)
    if icon == glyphs.passed and report.summary.exit_code is ExitCode.BELOW_BAR:
        icon = glyphs.failed
    if icon in (glyphs.passed, glyphs.skipped) and report.summary.verdict is Verdict.UNFINISHED:
        icon = glyphs.unfinished
    noun = "scenario" if len(gating) == len(report.judged) else "gating scenario"
    broken_off = has_broken_off(report, report.scenarios)
    clauses = list(_clauses(gating, noun, lambda rows: _name(rows, glyphs, show), broken_off=broken_off))
    if report.imported is not None and report.imported.remarkable:
        clauses.insert(0, tell_unfinished(report.imported, show))
    clauses[:0] = _ENDED_BY.get(report.summary.exit_code, ())
    if others:
        clauses.append(f"not gating, but below the bar: {_name(others, glyphs, show)}")
    clauses += _regression_clauses(report.judged, lambda rows: _name(rows, glyphs, show))
    if report.summary.scenarios.skipped:
        clauses.append(f"{report.summary.scenarios.skipped} skipped")
    return f"{icon} {'; '.join(clauses)}"


def _clauses(
    gating: list[ScenarioResult],
    noun: str,
    name: Callable[[list[ScenarioResult]], str],
    *,
    broken_off: bool,
) -> Iterator[str]:
    not_judged = [row for row in gating if row.could_not_be_judged]
    failed = [row for row in gating if row.below_bar and not row.could_not_be_judged]
    unfinished = [row for row in gating if row.verdict is Verdict.UNFINISHED]
    of = f"of {plural(len(gating), noun)}"
    if failed:
        yield f"{len(failed)} {of} finished below the bar: {name(failed)}"
    if not_judged:
        yield f"{len(not_judged)} {of} could not be judged: {name(not_judged)}"
    if unfinished:
        yield f"{len(unfinished)} {of} unfinished: {name(unfinished)}"
    if not gating:
        yield f"no {noun} to judge"
    elif broken_off and not unfinished and (short := [row for row in gating if row.unfinished]):
        yield f"{len(short)} {of} without all samples: {name(short)}"
    elif not failed and not not_judged and not unfinished:
        yield f"the {noun} passed" if len(gating) == 1 else f"all {len(gating)} {noun}s passed"


def _regression_clauses(
    judged: Sequence[ScenarioResult], name: Callable[[list[ScenarioResult]], str]
) -> Iterator[str]:
    for gates, said in ((True, "regressed since the baseline"), (False, "not gating, but regressed")):
        regressed = [row for row in judged if row.regressed and row.gate is gates]
        if regressed:
            yield f"{said}: {name(regressed)}"


def _run_icon(gating: list[ScenarioResult], glyphs: Glyphs) -> str:
    below = [row for row in gating if row.below_bar]
    if below:
        return glyphs.error if all(row.could_not_be_judged for row in below) else glyphs.failed
    if any(row.verdict is Verdict.UNFINISHED for row in gating):
        return glyphs.unfinished
    return glyphs.passed if gating else glyphs.skipped


def _name(rows: Iterable[ScenarioResult], glyphs: Glyphs, show: Show) -> str:
    names = [show(name_row(row, glyphs)) for row in rows]
    more = len(names) - NAMED_SCENARIOS
    return ", ".join(names[:NAMED_SCENARIOS]) + (f" and {more} more" if more > 0 else "")


def _pass_line(group: PassGroup) -> str | None:
    heads = f"pass@{group.k}", f"pass^{group.k}"
    if group.counts is None:
        if not group.stopped_early:
            return None
        return f"{heads[0]}, {heads[1]} not measured: {plural(group.stopped_early, 'scenario')} stopped early"
    of = group.counts.of
    shares = (
        f"{head} {part}/{of} ({format_share(part, of)})"
        for head, part in zip(heads, (group.counts.at_least_once, group.counts.every_time), strict=True)
    )
    return ", ".join(shares)
