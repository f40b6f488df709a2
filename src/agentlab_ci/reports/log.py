"""The job log: one section for each scenario, the closing lines, and the annotations on scenarios' YAML lines.

Every line is made safe as a whole, so no piece of it can begin a workflow command.
"""

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentlab_ci.core.results import RunReport, SampleResult, ScenarioResult
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.scenario import ScenarioType
from agentlab_ci.core.text import plural
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.errors import Problem
from agentlab_ci.reports.advice import advise, last_words
from agentlab_ci.reports.baseline_wording import baseline_lines, tell_state
from agentlab_ci.reports.comparison_log import comparison_lines
from agentlab_ci.reports.conversation_log import conversation_lines
from agentlab_ci.reports.entries import join_alike, make_entries, name_samples
from agentlab_ci.reports.escape import command_message, command_property, for_log
from agentlab_ci.reports.excerpt import excerpt, say
from agentlab_ci.reports.formatting import TEXT, Glyphs, format_duration
from agentlab_ci.reports.reasons import (
    explain_not_run,
    explain_sample,
    explain_scenario,
    tell_cause,
    tell_history,
)
from agentlab_ci.reports.redact import cut
from agentlab_ci.reports.simulation import TURN_BYTES, brief_of, is_simulation
from agentlab_ci.reports.wording import (
    count_passes,
    name_row,
    pass_lines,
    remarks,
    summary_line,
    verdict_sentence,
)

MAX_ANNOTATIONS = 8
"""Of one scenario each; one more sums up. The runner keeps 10 of a step and adds one of its own."""
_LONGEST_LINE = 1000
_ANNOTATED_SAMPLES = 5
_TURNS = 20
"""Of a simulation that failed: all of one with the usual `max_turns`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogStyle:
    """How the log is written; `github` folds sections with the runner's own commands."""

    glyphs: Glyphs
    github: bool = False


def scenario_section(row: ScenarioResult, *, style: LogStyle) -> list[str]:
    """Return the lines of a scenario: only a heading when it was skipped, else its samples in a group."""
    heading = _line(_heading(row, style.glyphs))
    if row.verdict is Verdict.SKIPPED:
        return [heading]
    if row.samples_wanted == 1 and row.type is ScenarioType.CONVERSATION and row.samples:
        body = conversation_lines(row, row.samples[0], style.glyphs)
    else:
        body = _sample_lines(row, style.glyphs)
    lines = [_line(line) for line in body]
    if style.github:
        return [f"::group::{command_message(heading)}", *lines, "::endgroup::"]
    return [heading, *lines]


def closing(report: RunReport, *, style: LogStyle) -> list[str]:
    """Return the end of the log: variants and matrix, counts, pass@k, baseline, advice, batch id, verdict.

    Above them stands what an agent that was given up on said last.
    """
    return [
        *(_line(line) for line in last_words(report)),
        *(_line(line) for line in comparison_lines(report.scenarios, style.glyphs)),
        _line(summary_line(report, style.glyphs)),
        *(_line(line) for line in pass_lines(report, str)),
        *(_line(line) for line in baseline_lines(report, str)),
        *(_line(line) for line in advise(report, str)),
        _line(f"batch: {report.batch_id}"),
        _line(verdict_sentence(report, style.glyphs, str)),
    ]


def annotations(report: RunReport, *, prefix: str = "") -> list[str]:
    """Return an `::error` command for each gating scenario below the bar, on its own YAML line.

    At most `MAX_ANNOTATIONS`, then one that counts and names the rest. `prefix` is the path from the workspace to
    the working directory, which the files are relative to.
    """
    rows = report.gating_below_bar
    commands = [_annotation(row, prefix) for row in rows[:MAX_ANNOTATIONS]]
    rest = rows[MAX_ANNOTATIONS:]
    if rest:
        names = cut(", ".join(name_row(row, TEXT) for row in rest), _LONGEST_LINE)
        text = f"{plural(len(rest), 'more scenario')} below the bar: {names}"
        commands.append(_error(for_log(text), title="agentlab"))
    return commands


def problem_annotations(problems: Sequence[Problem], *, prefix: str = "") -> list[str]:
    """Return an `::error` command for each problem, on its place where it has one.

    At most `MAX_ANNOTATIONS`, then one that counts the rest; `prefix` is as above.
    """
    commands = [
        _error(
            _line(": ".join(part for part in (problem.where, problem.message) if part)),
            title="agentlab",
            place=_place(problem.path, problem.line, problem.column, prefix),
        )
        for problem in problems[:MAX_ANNOTATIONS]
    ]
    rest = len(problems) - MAX_ANNOTATIONS
    if rest > 0:
        commands.append(_error(f"{plural(rest, 'more problem')}: see the log", title="agentlab"))
    return commands


def _heading(row: ScenarioResult, glyphs: Glyphs) -> str:
    said = [explain_scenario(row)] if row.verdict is Verdict.SKIPPED else remarks(row)
    parts = [*_titles(row, glyphs), count_passes(row), *said, *tell_state(row, str)]
    return f"{glyphs.of_scenario(row)} " + f" {glyphs.dot} ".join(parts)


def _titles(row: ScenarioResult, glyphs: Glyphs) -> list[str]:
    """Return what the row is called, then what else: the name, where it goes by its id."""
    more = [] if row.goes_by_name or row.name in ("", row.scenario_id) else [row.name]
    return [name_row(row, glyphs), *more]


def _sample_lines(row: ScenarioResult, glyphs: Glyphs) -> Iterator[str]:
    for exhibit in brief_of(row):
        yield from (f"  {line}" for line in say(exhibit.title.lower(), exhibit.text).split("\n"))
    for entry in make_entries(row.samples, _told_with_transcript if is_simulation(row) else _told):
        first, last = entry.samples[0], entry.samples[-1]
        ended = f"not run: {explain_not_run(first)}" if first.never_ran else _outcome(first)
        name = name_samples(first.sample, last.sample, first.of, glyphs.to)
        yield f"  {name} {glyphs.of_status(first.status)} {ended}"
        yield from (f"      {line}" for line in entry.lines)


def _outcome(sample: SampleResult) -> str:
    said = [f"{format_duration(sample.duration_ms):>4}"] if sample.is_timed else []
    said += [sample.run_id] if sample.run_id is not None else []
    if sample.status is SampleStatus.CANCELLED:
        said += explain_sample(sample)
    return f"{sample.status.value:<8} " + "  ".join(said)


def _told(sample: SampleResult) -> tuple[str, ...]:
    if sample.status is SampleStatus.CANCELLED:
        return tell_history(sample)
    return (*tell_history(sample), *(tell_cause(sample) or explain_sample(sample)))


def _told_with_transcript(sample: SampleResult) -> tuple[str, ...]:
    said = _told(sample)
    if sample.status is not SampleStatus.FAILED:
        return said
    transcript = excerpt(sample, turns=_TURNS, turn_bytes=TURN_BYTES)
    return (*said, *(f"  {line}" for line in transcript.split("\n") if transcript))


def _annotation(row: ScenarioResult, prefix: str) -> str:
    bad = (sample for sample in row.samples if sample.status in (SampleStatus.FAILED, SampleStatus.ERROR))
    reasons = [
        _line(_accuse(alike[0], alike[-1])) for alike in join_alike(bad, lambda sample: sample.agent_given_up)
    ]
    more = len(reasons) - _ANNOTATED_SAMPLES
    shown = reasons[:_ANNOTATED_SAMPLES] + ([f"and {more} more"] if more > 0 else [])
    title = _line(" · ".join([name_row(row, TEXT), count_passes(row), *remarks(row), *tell_state(row, str)]))
    return _error("\n".join(shown), title=title, place=_place(row.file, row.line, None, prefix))


def _accuse(first: SampleResult, last: SampleResult) -> str:
    return f"{name_samples(first.sample, last.sample, first.of)} {first.status.value}: {explain_sample(first)[0]}"


def _error(message: str, *, title: str, place: Sequence[str] = ()) -> str:
    """Make the command; message and title are safe for the log already."""
    properties = ",".join([*place, f"title={command_property(title)}"])
    return f"::error {properties}::{command_message(message)}"


def _place(file: str | None, line: int | None, column: int | None, prefix: str) -> list[str]:
    if not file:
        return []
    path = posixpath.normpath(posixpath.join(prefix, file))
    numbers = [f"{name}={number}" for name, number in (("line", line), ("col", column)) if number]
    return [f"file={command_property(for_log(path))}", *numbers]


def _line(text: str) -> str:
    return for_log(cut(text, _LONGEST_LINE))
