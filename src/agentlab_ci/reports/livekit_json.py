"""A run in the form that `lk agent simulate export` prints, which keeps its verdicts."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from math import floor
from typing import Any

from agentlab_ci.core.livekit_run import CANCELLED, COMPLETED, FAILED, KEPT, STATUS_PREFIX
from agentlab_ci.core.results import RunReport, SampleResult, ScenarioResult
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.sampling import PassRate, needed
from agentlab_ci.core.trace import Record
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.errors import BadInputError
from agentlab_ci.evaluators.interface import JUDGE
from agentlab_ci.reports.livekit_chat import write_items
from agentlab_ci.reports.reasons import explain_sample

_TOOL = "agentlab"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_STATUSES = {
    SampleStatus.PASSED: COMPLETED,
    SampleStatus.FAILED: FAILED,
    SampleStatus.ERROR: FAILED,
    SampleStatus.CANCELLED: CANCELLED,
}


def render_livekit(report: RunReport) -> bytes:
    """Render the run in ASCII, its scenarios in the group's order and its jobs in theirs.

    What LiveKit's form cannot say is left out: skipped scenarios, evaluators and scores, and whether a sample that
    did not pass failed or could not be judged. Raises BadInputError where a verdict would be lost with it.
    """
    rows = report.judged
    _refuse_unlike(rows)
    kept = _kept(report.imported)
    summary, whole = kept.pop("summary", {}), kept.pop("document", {})
    jobs = [(row, sample, _write_job(row, sample)) for row in rows for sample in row.samples]
    chats = {
        job["id"]: {"items": items} for _, sample, job in jobs if "id" in job and (items := write_items(sample))
    }
    document = {
        "version": 1,
        "run": _without_nothing(kept | _write_run(report, rows, kept) | {"jobs": [job for _, _, job in jobs]}),
        "summary": _without_nothing(_count_jobs(job for _, _, job in jobs) | summary | {"chat_history": chats}),
    }
    text = _LONE_SURROGATE.sub("\ufffd", json.dumps(whole | document, indent=2, ensure_ascii=False))
    return _NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], text).encode() + b"\n"


def _write_run(report: RunReport, rows: Sequence[ScenarioResult], kept: Mapping[str, Any]) -> dict[str, Any]:
    suites = {row.suite for row in rows}
    agents = {row.agent.label for row in rows if row.agent}
    group = {"name": next(iter(suites)) if len(suites) == 1 else _TOOL}
    imported = report.imported
    run = {
        "id": imported.run_id if imported else report.batch_id,
        "status": imported.status
        if imported
        else STATUS_PREFIX + (COMPLETED if _is_complete(rows) else CANCELLED),
        "error": imported.error if imported else None,
        "created_at": _epoch(report.started_at),
        "ended_at": _epoch(report.ended_at),
        "sampling": _write_sampling(rows[0]),
        "scenario_group": kept.get("scenario_group", group)
        | {"scenarios": [_write_scenario(row) for row in rows]},
    }
    return run if imported or len(agents) != 1 else run | {"agent_name": agents.pop()}


def _write_scenario(row: ScenarioResult) -> dict[str, Any]:
    brief = row.brief
    asked = (brief.instructions or "\n".join(brief.steps)) if brief else None
    return _without_nothing(
        _kept(row)
        | {
            "id": row.scenario_id,
            "label": row.name,
            "instructions": asked,
            "agent_expectations": brief.expected if brief else None,
            "tags": _write_tags(row.tags),
        }
    )


def _write_job(row: ScenarioResult, sample: SampleResult) -> dict[str, Any]:
    started = _moment(sample.started_at)
    ended = started + sample.duration_ms / 1000 if started is not None else None
    return _without_nothing(
        {"label": row.name}
        | _kept(sample)
        | {
            "id": sample.run_id,
            "status": STATUS_PREFIX + _STATUSES[sample.status],
            "error": _write_reason(sample),
            "scenario_id": row.scenario_id,
            "sample": sample.sample if row.samples_wanted > 1 else None,
            "started_at": _write_time(started),
            "ended_at": _write_time(ended),
        }
    )


def _refuse_unlike(rows: Sequence[ScenarioResult]) -> None:
    """Refuse a run whose verdicts would not follow from what can be written of it."""
    if not rows:
        raise BadInputError("LiveKit's form is one of runs, and here no scenario was run")
    first = rows[0]
    for row in rows:
        if row.variant is not None:
            raise BadInputError("LiveKit's form knows no variants: a run of a variant set cannot be written in it")
        if not row.gate:
            raise BadInputError(f"{row.scenario_id} does not gate, which LiveKit's form cannot say")
        if (row.samples_wanted, row.needed) != (first.samples_wanted, first.needed):
            raise BadInputError(
                f"LiveKit's form has one sampling for a whole run, and {_held_to(first)}, but {_held_to(row)}"
            )
    if len({row.scenario_id for row in rows}) < len(rows):
        raise BadInputError("a scenario is there twice, and LiveKit's form would join the two")


def _held_to(row: ScenarioResult) -> str:
    return f"{row.scenario_id} needs {row.needed} of {row.samples_wanted}"


def _write_sampling(row: ScenarioResult) -> dict[str, Any] | None:
    """Write how every scenario is sampled; nothing for a plain run."""
    if row.samples_wanted == 1:
        return None
    return {"samples": row.samples_wanted, "pass_rate": _number_for(row.pass_rate, row.samples_wanted)}


def _number_for(rate: PassRate, samples: int) -> float:
    """Return the rate as a number from which everybody, whatever their rounding, gets the same bar."""
    bar, number = needed(samples, rate), float(rate.text)
    readings: tuple[Fraction | float, ...] = (Fraction(repr(number)), Fraction(number), number)
    alike = all(max(1, floor(reading * samples + Fraction(1, 2))) == bar for reading in readings)
    return number if number and alike else bar / samples


def _write_reason(sample: SampleResult) -> str:
    """Return the judge's words where a model judged, else why the sample did not pass."""
    if sample.status is SampleStatus.CANCELLED:
        return sample.error.message if sample.error else ""
    passed = sample.status is SampleStatus.PASSED
    judged = (e.message for e in sample.evaluations if e.type == JUDGE and e.passed is passed)
    return next(judged, "\n".join(explain_sample(sample)))


def _write_tags(tags: Iterable[str]) -> dict[str, str]:
    """Write `team:billing` as key and value; a tag that has none, or a key that is taken, is a key alone."""
    written: dict[str, str] = {}
    for tag in tags:
        key, _, value = tag.partition(":")
        if key in written:
            key, value = tag, ""
        written[key] = value
    return written


def _is_complete(rows: Iterable[ScenarioResult]) -> bool:
    """Tell whether everything was run that could still decide something."""
    return all(not row.unfinished or (row.stopped_early and row.verdict is not Verdict.UNFINISHED) for row in rows)


def _count_jobs(jobs: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    statuses = [job["status"].removeprefix(STATUS_PREFIX) for job in jobs]
    return {"passed": statuses.count(COMPLETED), "failed": statuses.count(FAILED)}


def _kept(record: Record | None) -> dict[str, Any]:
    """Return what an import has kept for which results.json has no place."""
    extra = record.model_extra if record is not None else None
    kept = extra.get(KEPT) if extra else None
    return dict(kept) if isinstance(kept, Mapping) else {}


def _without_nothing(part: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is zero or empty, as LiveKit's command does."""
    return {key: value for key, value in part.items() if value or value is False}


def _moment(time: str | None) -> float | None:
    """Return seconds since 1970; None for what is no time."""
    try:
        moment = datetime.fromisoformat(time or "")
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _epoch(time: str) -> str | None:
    moment = _moment(time)
    return None if moment is None else str(floor(moment))


def _write_time(moment: float | None) -> str | None:
    if moment is None:
        return None
    try:
        return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return None
