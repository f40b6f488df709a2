"""Pieces of a sample as Markdown, for every page that shows samples."""

from collections.abc import Sequence

from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.trace import Evaluation
from agentlab_ci.evaluators.interface import JUDGE
from agentlab_ci.reports.escape import code_span, fenced
from agentlab_ci.reports.evidence import Exhibit
from agentlab_ci.reports.formatting import EMOJI, format_duration
from agentlab_ci.reports.reasons import deciding_score, describe_judgement


def title_sample(sample: SampleResult) -> str:
    """Return the title of a sample as Markdown: icon, number, status, duration, score if it decided, run id."""
    score = deciding_score(sample)
    title = [f"{EMOJI.of_status(sample.status)} sample {sample.sample}/{sample.of}", sample.status.value]
    title += [format_duration(sample.duration_ms)] if sample.is_timed else []
    title += [f"score {score}"] if score is not None else []
    title += [code_span(sample.run_id)] if sample.run_id is not None else []
    return " · ".join(title)


def title_samples(samples: Sequence[SampleResult]) -> str:
    """Return one title for samples of a scenario that ended alike; only a single one has its duration in it."""
    first = samples[0]
    if len(samples) == 1:
        return title_sample(first)
    score = deciding_score(first)
    title = [f"{EMOJI.of_status(first.status)} samples {_number(samples)} of {first.of}", first.status.value]
    title += [f"score {score}"] if score is not None else []
    title += [code_span(sample.run_id) for sample in samples if sample.run_id is not None]
    return " · ".join(title)


def show_exhibit(exhibit: Exhibit) -> str:
    """Return a text of a sample as Markdown: what it is, then the text in a fence."""
    label = " · ".join([f"**{exhibit.title}**", *(code_span(detail) for detail in exhibit.details)])
    return f"{label}\n\n{fenced(exhibit.text, 'text')}"


def show_evaluation(evaluation: Evaluation) -> str:
    """Return an evaluation as one line of Markdown."""
    icon = EMOJI.passed if evaluation.passed else EMOJI.failed
    if evaluation.type == JUDGE:
        return f"{icon} {describe_judgement(evaluation)}: {code_span(evaluation.message)}"
    step = "" if evaluation.step is None else f"step {evaluation.step} "
    name = f"{step}{code_span(evaluation.id)} ({evaluation.mode.value})"
    return f"{icon} {name}: {code_span(evaluation.message)}"


def _number(samples: Sequence[SampleResult]) -> str:
    numbers = [sample.sample for sample in samples]
    if numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]}–{numbers[-1]}"
    return ", ".join(map(str, numbers))
