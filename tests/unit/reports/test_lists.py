"""Lists of stored runs and batches, for people and for programs."""

import json
from dataclasses import replace

import pytest

from agentlab_ci.core.batch_state import BatchState
from agentlab_ci.core.results import SampleCounts, ScenarioCounts
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.stored import BatchEntry, RunEntry
from agentlab_ci.reports.formatting import ASCII, TEXT
from agentlab_ci.reports.listing import batch_table, json_line, run_table
from hostile import HOSTILE_TEXTS
from runner_commands import find_commands

RUN = RunEntry(
    run_id="run_20260407_001234_k3f9ab",
    batch_id="batch_20260407_001230_9x2c3d",
    scenario_id="support.refund-correct-order",
    variant=None,
    suite="support",
    agent="shop",
    sample=2,
    of=3,
    status=SampleStatus.CANCELLED,
    termination_reason="run_deadline",
    score=None,
    started_at="2026-04-07T00:12:34.000+00:00",
    duration_ms=1200.5,
    cost_usd=0.25,
    approved=False,
)
BATCH = BatchEntry(
    batch_id="batch_20260407_001230_9x2c3d",
    started_at="2026-04-07T00:12:30.000+00:00",
    ended_at="2026-04-07T00:13:11.000+00:00",
    verdict=BatchState.UNFINISHED,
    exit_code=3,
    scenarios=ScenarioCounts(total=14, passed=12, failed=0, unfinished=2, skipped=1),
    samples=SampleCounts(passed=36, failed=2, error=1, cancelled=3),
    suites=("support",),
    agents=("shop",),
    variants=(),
    cost_usd=None,
    duration_ms=41_200,
    approved=False,
)
UNENDED = replace(
    BATCH,
    ended_at=None,
    verdict=BatchState.NO_END,
    exit_code=None,
    scenarios=None,
    samples=SampleCounts(passed=1, failed=0, error=0, cancelled=0),
    suites=(),
    agents=(),
    duration_ms=None,
)


def test_runs_for_people() -> None:
    other = replace(RUN, scenario_id="a.one", variant="new", status=SampleStatus.PASSED, approved=True)
    assert run_table([RUN, other], TEXT) == [
        "RUN                         STATUS     TIME  SAMPLE  SCENARIO",
        "run_20260407_001234_k3f9ab  cancelled  1.2s  2/3     support.refund-correct-order",
        "run_20260407_001234_k3f9ab  passed     1.2s  2/3     a.one · new · approved",
    ]


def test_batches_for_people() -> None:
    many = replace(BATCH, agents=("a", "b", "c", "d"), variants=("x", "y"), approved=True)
    assert batch_table([BATCH, UNENDED, many], ASCII) == [
        "BATCH                         VERDICT     SCENARIOS  SAMPLES  TIME   AGENTS",
        "batch_20260407_001230_9x2c3d  unfinished  12/14      36/42    41.2s  shop",
        "batch_20260407_001230_9x2c3d  no-end      -          1/1      -      -",
        "batch_20260407_001230_9x2c3d  unfinished  12/14      36/42    41.2s  a, b and 2 more | x, y | approved",
    ]


def test_eighty_columns_hold_a_line_of_ordinary_names() -> None:
    assert max(map(len, [*run_table([replace(RUN, scenario_id="support.refund-status")], TEXT)])) <= 80
    assert max(map(len, batch_table([BATCH], TEXT))) <= 80


def test_lists_for_programs() -> None:
    assert json.loads(json_line(RUN)) == {
        "run_id": "run_20260407_001234_k3f9ab",
        "batch_id": "batch_20260407_001230_9x2c3d",
        "scenario_id": "support.refund-correct-order",
        "variant": None,
        "suite": "support",
        "agent": "shop",
        "sample": 2,
        "of": 3,
        "status": "cancelled",
        "termination_reason": "run_deadline",
        "score": None,
        "started_at": "2026-04-07T00:12:34.000+00:00",
        "duration_ms": 1200.5,
        "cost_usd": 0.25,
        "approved": False,
    }
    batch = json.loads(json_line(BATCH))
    assert (batch["verdict"], batch["exit_code"], batch["agents"]) == ("unfinished", 3, ["shop"])
    assert batch["scenarios"] == {"total": 14, "passed": 12, "failed": 0, "unfinished": 2, "skipped": 1}
    assert batch["samples"] == {"passed": 36, "failed": 2, "error": 1, "cancelled": 3}
    assert json.loads(json_line(UNENDED))["scenarios"] is None


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_no_name_is_obeyed_and_programs_get_it_whole(text: str) -> None:
    run = replace(RUN, scenario_id=text, variant=text, run_id=text)
    batch = replace(BATCH, agents=(text,), variants=(text,), batch_id=text)
    lines = [*run_table([run], TEXT), *batch_table([batch], TEXT), json_line(run), json_line(batch)]
    assert find_commands("\n".join(lines)) == []
    assert not any(character in line for line in lines for character in "\r\n\x1b\u202e\ud800")
    assert json.loads(json_line(run))["scenario_id"] == text
    assert json.loads(json_line(batch))["agents"] == [text]
