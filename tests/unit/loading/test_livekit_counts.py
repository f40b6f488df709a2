"""LiveKit's counts of its jobs, held against those that its export holds."""

import json
from typing import Any

import pytest

from agentlab_ci.core.judge import build_report, judge_scenario, regate
from agentlab_ci.core.results import RunReport
from agentlab_ci.core.sampling import PassRate
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.errors import ExitCode
from agentlab_ci.loading.livekit_run import read_livekit_run

ONE_PASSED = [{"id": "j1", "status": "STATUS_COMPLETED", "scenario_id": "s1"}]
AGAIN = [*ONE_PASSED, {"id": "j2", "status": "STATUS_COMPLETED", "scenario_id": "s1"}]
SAMPLED = {
    "sampling": {"samples": 3, "pass_rate": "0.6"},
    "jobs": [
        {"id": f"j{n}", "status": f"STATUS_{status}", "scenario_id": "s1", "sample": n}
        for n, status in enumerate(("COMPLETED", "FAILED", "COMPLETED"), start=1)
    ],
}


def judged(run: dict[str, Any], summary: dict[str, Any]) -> RunReport:
    document = {"version": 1, "run": {"id": "r"} | run, "summary": summary}
    read = read_livekit_run(json.dumps(document).encode(), shown="run.json")
    rows = [judge_scenario(row, samples) for row, samples in read.scenarios]
    return build_report(read.facts.model_copy(update={"imported": read.imported}), rows, duration_ms=0)


@pytest.mark.parametrize("status", ["COMPLETED", "FAILED", "CANCELLED", "RUNNING", "PENDING"])
@pytest.mark.parametrize(
    ("counts", "summary", "doubt"),
    [
        ({"job_count": 6}, {}, "it counts 6 jobs, and the export holds 1"),
        ({"job_count": "6"}, {}, "it counts 6 jobs, and the export holds 1"),
        ({"failed_count": 5}, {}, "it counts 5 failed jobs, and the export holds 0"),
        ({"passed_count": 2}, {}, "it counts 2 passed jobs, and the export holds 1"),
        ({}, {"passed": 1, "failed": 1}, "it counts 1 failed job, and the export holds 0"),
        (
            {"job_count": 6, "passed_count": 1, "failed_count": 5},
            {"passed": 1, "failed": 5},
            "it counts 6 jobs, and the export holds 1; it counts 5 failed jobs, and the export holds 0",
        ),
        ({"job_count": 1, "jobs": [*ONE_PASSED, {"id": "j2", "status": "COMPLETED"}]}, {}, "it counts 1 job"),
    ],
)
def test_a_run_that_lacks_jobs_is_not_green(
    status: str, counts: dict[str, Any], summary: dict[str, Any], doubt: str
) -> None:
    report = judged({"status": status, "jobs": ONE_PASSED} | counts, summary)
    assert report.imported is not None
    assert report.imported.doubt is not None
    assert report.imported.doubt.startswith(doubt)
    going_on = status in ("RUNNING", "PENDING")
    for again in (report, regate(report), regate(report, pass_rate=PassRate("0.1"))):
        assert again.summary.verdict is Verdict.UNFINISHED
        assert again.summary.exit_code is (ExitCode.OK if going_on else ExitCode.NO_VERDICT)
    assert regate(report, require_finished=True).summary.exit_code is ExitCode.NO_VERDICT


@pytest.mark.parametrize(
    ("run", "summary"),
    [
        ({"jobs": ONE_PASSED}, {}),  # zeros are left out, so nothing is known
        ({"jobs": ONE_PASSED, "job_count": 0, "passed_count": 0, "failed_count": 0}, {"passed": 0, "failed": 0}),
        ({"jobs": ONE_PASSED, "job_count": 1, "passed_count": 1}, {"passed": 1}),
        ({"jobs": AGAIN, "job_count": 1, "passed_count": 1}, {"passed": 2}),  # a job that was run again
        ({"jobs": AGAIN, "job_count": 2, "passed_count": 2}, {"passed": 1}),
        (SAMPLED | {"job_count": 3, "passed_count": 2, "failed_count": 1}, {"passed": 1}),  # jobs; scenarios
    ],
)
def test_counts_that_fit_are_no_doubt(run: dict[str, Any], summary: dict[str, Any]) -> None:
    report = judged({"status": "STATUS_COMPLETED"} | run, summary)
    assert report.imported is not None
    assert report.imported.doubt is None
    assert report.summary.exit_code is ExitCode.OK


def test_a_failed_scenario_is_red_all_the_same() -> None:
    report = judged({"status": "COMPLETED", "jobs": [ONE_PASSED[0] | {"status": "FAILED"}], "job_count": 2}, {})
    assert (report.summary.exit_code, report.summary.verdict) == (ExitCode.BELOW_BAR, Verdict.FAILED)
