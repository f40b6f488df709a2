"""A comparison as JSON, for other tools; versioned as results.json is. Durations are milliseconds."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from agentlab_ci.core.compare_batches import BatchComparison, RowComparison, judged_samples
from agentlab_ci.core.compare_runs import Change, RunComparison, RunView
from agentlab_ci.core.results import RunReport, ScenarioResult

VERSION = 1


def render_batch_comparison(comparison: BatchComparison) -> str:
    """Return a JSON object: the two batches, how many scenarios each change happened to, and the scenarios."""
    counts = comparison.counts
    return _to_json(
        {
            "version": VERSION,
            "old": _name_batch(comparison.old),
            "new": _name_batch(comparison.new),
            "regressed": comparison.has_regressed,
            "counts": {change.value: counts[change] for change in Change},
            "scenarios": [_row(row) for row in comparison.rows],
        }
    )


def render_run_comparison(comparison: RunComparison) -> str:
    """Return a JSON object: the two runs, what became of the verdict, and what differs."""
    regressed = comparison.change is Change.REGRESSED
    return _to_json({"version": VERSION, "regressed": regressed} | _run(comparison))


def _to_json(document: dict[str, Any]) -> str:
    # In ASCII, what no encoding has and what a terminal obeys are escapes; so must be what a CI runner obeys.
    return json.dumps(document, indent=1, ensure_ascii=True).replace("##[", r"##\u005b")


def _name_batch(report: RunReport) -> dict[str, Any]:
    return {"batch_id": report.batch_id, "started_at": report.started_at}


def _row(row: RowComparison) -> dict[str, Any]:
    variant, scenario_id = row.key
    return {
        "scenario_id": scenario_id,
        "variant": variant,
        "gate": row.gates,
        "change": row.change.value,
        "reason": row.reason or None,
        "old": _standing(row.old),
        "new": _standing(row.new),
        "p": None if row.p is None else float(row.p),
        "fewer_passes": row.fewer_passes,
        "lost_gates": _plain(row.lost_gates),
        "runtime_ms": None if row.runtime is None else asdict(row.runtime),
        "steps": None if row.steps is None else asdict(row.steps),
        "example": None if row.example is None else _run(row.example),
    }


def _standing(row: ScenarioResult | None) -> dict[str, Any] | None:
    if row is None:
        return None
    return {
        "agent": None if row.agent is None else row.agent.label,
        "verdict": row.verdict.value,
        "samples_wanted": row.samples_wanted,
        "needed": row.needed,
        "passed": row.passed,
        "judged": len(judged_samples(row)),
    }


def _run(run: RunComparison) -> dict[str, Any]:
    return {
        "change": run.change.value,
        "reason": run.reason or None,
        "old": _ended(run.old),
        "new": _ended(run.new),
        "lost_gates": _plain(run.lost_gates),
        "evaluations": _plain(run.evaluations),
        "turns": list(run.behaviour.turns),
        "tool_calls": list(run.behaviour.tool_calls),
        "final_output": list(run.behaviour.output),
        "runtime_ms": None if run.runtime is None else asdict(run.runtime),
        "steps": None if run.steps is None else asdict(run.steps),
    }


def _ended(view: RunView) -> dict[str, Any]:
    run = view.run
    return {
        "run_id": run.run_id,
        "scenario_id": run.scenario_id,
        "variant": view.scenario.key[0],
        "agent": None if view.scenario.agent is None else view.scenario.agent.label,
        "sample": run.sample,
        "of": run.of,
        "status": run.status.value,
        "termination_reason": run.termination_reason.value,
        "score": run.score,
        "error": None if run.error is None else run.error.message,
    }


def _plain(records: Sequence[Any]) -> list[dict[str, Any]]:
    return [asdict(record) for record in records]
