"""What is told of one scenario or of one sample, as lines: for the screen, and plain for the scrollback."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from agentlab_ci.core.results import SampleResult, ScenarioResult
from agentlab_ci.core.trace import Evaluation, Role, Usage
from agentlab_ci.evaluators.interface import JUDGE
from agentlab_ci.reports.escape import log_lines, printable
from agentlab_ci.reports.evidence import exhibits
from agentlab_ci.reports.formatting import Glyphs, format_cost, format_duration, format_moment
from agentlab_ci.reports.reasons import describe_evaluation, explain_sample, tell_history
from agentlab_ci.reports.redact import cut
from agentlab_ci.reports.wording import count_passes, name_row, remarks
from agentlab_ci.tui.icons import icon_of_sample, icon_of_scenario, tell_phase
from agentlab_ci.tui.state import RowView, SampleView
from agentlab_ci.tui.tones import Line, Span, Tone, tone_of_sample

_OVERVIEW_BYTES = 2000
"""Of each text, where all samples of a scenario stand below each other."""
_SAMPLE_BYTES = 16 << 10
"""Of each text of one sample: to break more into lines would hold up the screen. The reports have it all."""
_CALL = "tool call"
_SPEAKER = 7
_TONES = {Role.USER.value: Tone.HEADING, Role.AGENT.value: Tone.AGENT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """One scenario or sample, told in full. Every text in it is printable."""

    title: tuple[Span, ...]
    lines: tuple[Line, ...]

    @property
    def plain(self) -> str:
        """All of it without colours, for the terminal's scrollback."""
        return "\n".join([Line(self.title).plain, *(line.plain for line in self.lines)])


def tell_scenario(row: RowView, glyphs: Glyphs, *, calls: bool = False) -> Detail:
    """Tell what a scenario asks for and expects, then each sample; `calls` shows what tools got and gave."""
    result = row.result
    title = (icon_of_scenario(row, glyphs), Span(f" {printable(row.name)}  ", Tone.HEADING), Span(_passes(row)))
    lines = [Line(_joined(_facts_of(result, glyphs), glyphs))]
    lines += _tell_brief(result)
    lines += _tell_checks(row, glyphs)
    for sample in row.samples:
        lines += [Line(), Line(_sample_heading(row, sample, glyphs))]
        lines += _tell_outcome(sample)
        if sample.result is not None:
            told = list(_tell_exhibits(sample.result, calls=calls, limit=_OVERVIEW_BYTES))
            lines += [Line(), *told] if told else []
    return Detail(title=title, lines=tuple(lines))


def tell_sample(row: RowView, sample: SampleView, glyphs: Glyphs, *, calls: bool = False) -> Detail:
    """Tell how a sample went: its facts, evaluations, then turn by turn; `calls` is as above."""
    numbered = f"(sample {sample.number}/{sample.of})"
    title = (
        icon_of_sample(row.result, sample, glyphs),
        Span(f" {printable(row.name)} ", Tone.HEADING),
        Span(numbered, Tone.HEADING),
    )
    result = sample.result
    if result is None:
        return Detail(title=title, lines=(Line((Span(tell_phase(sample), Tone.DIM),)), *_facts(sample)))
    outcome = list(_tell_outcome(sample))
    lines = [*outcome, *([Line()] if outcome else []), *_facts(sample)]
    if result.evaluations:
        lines += _heading("Evaluations")
        lines += [_tell_evaluation(row.result, result, it, glyphs) for it in result.evaluations]
    told = list(_tell_exhibits(result, calls=calls, limit=_SAMPLE_BYTES))
    lines += [*_heading("Transcript"), *told] if told else []
    return Detail(title=title, lines=tuple(lines))


def _passes(row: RowView) -> str:
    result = row.result
    if result.samples_wanted == 1 or not row.samples:
        return count_passes(result)
    return f"{row.passes} samples passed"


def _facts_of(row: ScenarioResult, glyphs: Glyphs) -> Iterator[str]:
    yield name_row(row, glyphs)
    if row.file:
        yield row.file if row.line is None else f"{row.file}:{row.line}"
    if row.agent is not None:
        yield row.agent.label
    if row.samples_wanted > 1:
        yield f"needs {row.needed}"
    yield from remarks(row)
    if row.skipped is not None:
        yield row.skipped


def _joined(parts: Iterable[str], glyphs: Glyphs) -> tuple[Span, ...]:
    return (Span(f" {glyphs.dot} ".join(map(printable, parts)), Tone.DIM),)


def _heading(text: str) -> list[Line]:
    return [Line(), Line((Span(text, Tone.HEADING),))]


def _tell_brief(row: ScenarioResult) -> Iterator[Line]:
    if row.brief is None:
        return
    if row.brief.steps:
        yield from _heading("Steps")
        for number, step in enumerate(row.brief.steps, start=1):
            yield from _labelled(f"{number}.", Tone.DIM, step, width=3)
    for title, text in (("Instructions", row.brief.instructions), ("Expected", row.brief.expected)):
        if text is not None:
            yield from _heading(title)
            yield from (Line((Span(line),), indent=2) for line in log_lines(text))


def _tell_checks(row: RowView, glyphs: Glyphs) -> Iterator[Line]:
    """Name the evaluators, as far as a sample has met them, and how often each was content."""
    answers: dict[str, list[bool]] = {}
    for sample in row.result.samples:
        for evaluation in sample.evaluations:
            answers.setdefault(_name_check(evaluation), []).append(evaluation.passed)
    if not answers:
        return
    yield from _heading("Evaluators")
    for name, passed in answers.items():
        content = all(passed)
        icon = Span(glyphs.passed if content else glyphs.failed, Tone.PASSED if content else Tone.TOLERATED)
        counted = Span(f"  {sum(passed)}/{len(passed)}", Tone.DIM)
        yield Line((icon, Span(f" {printable(name)}"), counted), indent=2, hang=2)


def _name_check(evaluation: Evaluation) -> str:
    return JUDGE if evaluation.type == JUDGE else describe_evaluation(evaluation)


def _sample_heading(row: RowView, sample: SampleView, glyphs: Glyphs) -> tuple[Span, ...]:
    told = [f"sample {sample.number}/{sample.of}", tell_phase(sample)]
    if sample.result is not None and sample.run_id is not None and sample.result.is_timed:
        told.append(format_duration(sample.result.duration_ms))
    spans = (icon_of_sample(row.result, sample, glyphs), Span(f" {told[0]}", Tone.HEADING))
    rest = "  ".join([*told[1:], *([printable(sample.run_id)] if sample.run_id is not None else [])])
    return (*spans, Span(f"  {rest}", Tone.DIM))


def _tell_outcome(sample: SampleView) -> Iterator[Line]:
    """Say why it ended so, of a judge also why it passed, and what came before."""
    if sample.result is None:
        return
    judged = (it for it in sample.result.evaluations if it.type == JUDGE)
    told = explain_sample(sample.result) or [f"{describe_evaluation(it)}: {it.message}" for it in judged]
    yield from (Line((Span(line),), indent=2, hang=2) for text in told for line in log_lines(text))
    for text in tell_history(sample.result):
        yield Line((Span(printable(text), Tone.DIM),), indent=2, hang=2)


def _facts(sample: SampleView) -> Iterator[Line]:
    for name, said in _known(sample):
        yield Line((Span(f"{name:<10}", Tone.DIM), Span(printable(said))), indent=2, hang=10)


def _known(sample: SampleView) -> Iterator[tuple[str, str]]:
    if sample.run_id is not None:
        yield "run", sample.run_id
    result = sample.result
    if result is None:
        return
    if result.started_at is not None:
        yield "started", format_moment(result.started_at)
    if result.is_timed and not result.never_ran:
        yield "took", format_duration(result.duration_ms)
    yield "ended", result.termination_reason.value
    if result.score is not None:
        yield "score", str(result.score)
    for name, usage in (
        ("usage", result.usage),
        ("simulator", result.simulator_usage),
        ("judge", result.judge_usage),
    ):
        told = ", ".join(_tell_usage(usage or Usage()))
        if told:
            yield name, told


def _tell_usage(usage: Usage) -> Iterator[str]:
    if usage.input_tokens is not None:
        yield f"{usage.input_tokens} input tokens"
    if usage.output_tokens is not None:
        yield f"{usage.output_tokens} output tokens"
    if usage.cost_usd is not None:
        yield format_cost(usage.cost_usd)


def _tell_evaluation(row: ScenarioResult, sample: SampleResult, it: Evaluation, glyphs: Glyphs) -> Line:
    tone = Tone.PASSED if it.passed else tone_of_sample(row, sample)
    weight = f", weight {it.weight:g}" if it.weight != 1 else ""
    icon = Span(glyphs.passed if it.passed else glyphs.failed, tone)
    told = Span(f" {printable(describe_evaluation(it))}{weight}: ", Tone.DIM)
    return Line((icon, told, Span(printable(it.message))), indent=2, hang=2)


def _tell_exhibits(sample: SampleResult, *, calls: bool, limit: int) -> Iterator[Line]:
    for it in exhibits(sample):
        text = cut(it.text, limit)
        details = [*it.details, *([f"+{format_duration(it.at_ms)}"] if it.at_ms is not None else [])]
        if it.title == _CALL:
            yield from _tell_call(text, details, shown=calls)
        else:
            yield from _labelled(it.title, _TONES.get(it.title, Tone.DIM), text, details=details)


def _tell_call(text: str, details: list[str], *, shown: bool) -> Iterator[Line]:
    name, *rest = map(printable, details)
    spans = (Span("tool".ljust(_SPEAKER), Tone.DIM), Span(name), Span(f"  {'  '.join(rest)}".rstrip(), Tone.DIM))
    yield Line(spans, indent=2, hang=_SPEAKER)
    if shown:
        for line in log_lines(text):
            yield Line((Span(line, Tone.DIM),), indent=2 + _SPEAKER, hang=2)


def _labelled(
    label: str, tone: Tone, text: str, *, details: Sequence[str] = (), width: int = _SPEAKER
) -> Iterator[Line]:
    """Set who speaks before the text, whose further lines stand below its first; details end the last."""
    texts = log_lines(text) or [""]
    if len(label) >= width:
        yield Line((Span(label, tone),), indent=2)
        label = ""
    for number, line in enumerate(texts):
        speaker = Span((label if number == 0 else "").ljust(width), tone)
        after = f"  {'  '.join(map(printable, details))}" if details and number == len(texts) - 1 else ""
        yield Line((speaker, Span(line), Span(after, Tone.DIM)), indent=2, hang=width)
