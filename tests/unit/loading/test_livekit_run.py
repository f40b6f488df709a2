"""What LiveKit's command exports, as a run of ours."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentlab_ci.core.judge import build_report, judge_scenario
from agentlab_ci.core.results import RunReport
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.scenario import ScenarioType
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.errors import ExitCode, InvalidFilesError
from agentlab_ci.loading import livekit_run
from agentlab_ci.loading.livekit_run import LivekitRun, read_livekit_run

DATA = Path(__file__).parents[2] / "data" / "livekit"
SAMPLED = {"samples": 3, "pass_rate": 0.75}


def read(run: object, summary: object = None, **more: object) -> LivekitRun:
    document = {"version": 1, "run": run} | ({"summary": summary} if summary else {}) | more
    return read_livekit_run(json.dumps(document).encode(), shown="run.json")


def job(number: int, status: str = "STATUS_COMPLETED", scenario: str = "SCN_a", **more: Any) -> dict[str, Any]:
    return {"id": f"SRJ_{number}", "status": status, "scenario_id": scenario, "sample": number} | more


def judged(run: LivekitRun) -> RunReport:
    facts = run.facts.model_copy(update={"imported": run.imported})
    rows = [judge_scenario(row, samples) for row, samples in run.scenarios]
    return build_report(facts, rows, duration_ms=run.duration_ms)


def from_file(name: str) -> LivekitRun:
    return read_livekit_run((DATA / name).read_bytes(), shown=name)


@pytest.mark.parametrize(
    ("name", "verdicts", "code"),
    [
        ("hostile.json", {"SCN_refund": "failed", "SCN_track": "passed", "SCN_cancel": "unfinished"}, 1),
        ("plain.json", {"SRJ_1": "passed", "SRJ_2": "failed"}, 1),
        ("cancelled.json", {"SCN_settled": "passed", "SCN_open": "unfinished"}, 0),
        (
            "out_of_order.json",  # the group's order, then what only jobs know as the file has it
            {"SCN_b": "passed", "SCN_a": "passed", "SCN_z": "unfinished", "SRJ_own": "passed", "SCN_y": "failed"},
            1,
        ),
        ("no_jobs.json", {}, 3),
        ("broken_off.json", {"SCN_a": "passed"}, 3),  # settled, and yet the run did not end
    ],
)
def test_runs_by_hand_get_their_verdicts(name: str, verdicts: dict[str, str], code: int) -> None:
    report = judged(from_file(name))
    assert {row.scenario_id: row.verdict.value for row in report.scenarios} == verdicts
    assert list(verdicts) == [row.scenario_id for row in report.scenarios]
    assert report.summary.exit_code == code


@pytest.mark.parametrize(
    ("status", "expected", "reason"),
    [
        ("STATUS_COMPLETED", SampleStatus.PASSED, TerminationReason.COMPLETED),
        ("STATUS_FAILED", SampleStatus.FAILED, TerminationReason.EVALUATOR_FAILED),
        ("STATUS_CANCELLED", SampleStatus.CANCELLED, TerminationReason.INTERRUPTED),
        ("STATUS_PENDING", SampleStatus.CANCELLED, TerminationReason.INTERRUPTED),
        ("STATUS_RUNNING", SampleStatus.CANCELLED, TerminationReason.INTERRUPTED),
        ("COMPLETED", SampleStatus.PASSED, TerminationReason.COMPLETED),
        ("completed", SampleStatus.PASSED, TerminationReason.COMPLETED),
        ("status_failed", SampleStatus.FAILED, TerminationReason.EVALUATOR_FAILED),
        (None, SampleStatus.CANCELLED, TerminationReason.INTERRUPTED),  # pending is zero, and so left out
        ("STATUS_LATER", SampleStatus.CANCELLED, TerminationReason.INTERRUPTED),
        (7, SampleStatus.CANCELLED, TerminationReason.INTERRUPTED),  # a value without a name
    ],
)
def test_each_job_ends_in_a_status(
    status: str | int | None, expected: SampleStatus, reason: TerminationReason
) -> None:
    run = read({"id": "SR_1", "jobs": [{"id": "SRJ_1", "status": status, "error": "why"}]})
    ((_, (sample,)),) = run.scenarios
    assert (sample.status, sample.termination_reason, sample.run_id) == (expected, reason, "SRJ_1")
    assert [e.message for e in sample.evaluations] == ([] if expected is SampleStatus.CANCELLED else ["why"])
    assert bool(run.notes) == (status in ("STATUS_LATER", 7))


def test_a_judge_without_a_reason_is_shown_only_where_it_failed_a_sample() -> None:
    run = read({"jobs": [job(1), job(2, "STATUS_FAILED")], "sampling": SAMPLED})
    ((_, (passed, failed)),) = run.scenarios
    assert passed.evaluations == ()
    (evaluation,) = failed.evaluations
    assert (evaluation.type, evaluation.passed, evaluation.message) == ("judge", False, livekit_run.NO_REASON)


def test_facts_of_a_scenario_come_from_the_group() -> None:
    run = from_file("hostile.json")
    row, samples = run.scenarios[0]
    assert (row.type, row.file, row.line, row.agent) == (ScenarioType.SIMULATION, None, None, None)
    assert (row.suite, row.name) == ("orders | <b>", "Refund | `once` @team")
    assert row.tags == ("team:billing", "smoke")
    assert row.brief is not None
    assert row.brief.expected == "Refunds once. </details>"
    assert (row.samples_wanted, str(row.pass_rate)) == (3, "0.75")
    assert (row.model_extra or {})["livekit"] == {"tags": {"team": "billing", "smoke": ""}} | {
        "userdata": '{"order": "1024"}'
    }
    assert [sample.sample for sample in samples] == [1, 2, 3]
    assert samples[0].duration_ms == 4000
    assert samples[0].started_at == "2026-04-07T00:12:30.000+00:00"
    assert (samples[0].model_extra or {})["livekit"] == {"room_name": "room-1", "tags": ["a"]}


def test_facts_of_the_run_are_kept() -> None:
    run = from_file("hostile.json")
    assert (run.facts.batch_id, run.imported.status, run.imported.completed) == (
        "SR_hostile",
        "STATUS_COMPLETED",
        True,
    )
    assert run.facts.started_at == "2026-04-07T00:12:30.000+00:00"
    assert run.duration_ms == 41_000
    kept = (run.imported.model_extra or {})["livekit"]
    assert kept["ci"] == {"provider": "github", "commit_sha": "0123abc"}
    assert kept["summary"]["issues"][0]["label"] == "refund"
    assert kept["scenario_group"]["id"] == "SG_1"
    assert kept["document"] == {"later_field": {"kept": True}}


@pytest.mark.parametrize(
    ("sampling", "samples", "rate"),
    [
        (None, 1, "0.75"),
        ({}, 1, "0.75"),
        ({"samples": 5}, 5, "0.75"),  # a rate of zero is left out: nobody gave one
        ({"samples": "5", "pass_rate": 0}, 5, "0.75"),
        ({"samples": 3, "pass_rate": 0.6}, 3, "0.6"),
        ({"samples": 3, "pass_rate": 1}, 3, "1"),
        ({"samples": 3, "pass_rate": 0.1}, 3, "0.1"),
    ],
)
def test_sampling_is_read_as_it_was_typed(sampling: Any, samples: int, rate: str) -> None:
    facts = read({"sampling": sampling, "jobs": [job(1)]}).facts
    assert (facts.sampling.samples, str(facts.sampling.pass_rate)) == (samples, rate)


def test_of_two_jobs_for_a_sample_the_later_counts() -> None:
    by_place = read({"jobs": [job(1), job(1, "STATUS_FAILED")]})
    assert [s.status for _, samples in by_place.scenarios for s in samples] == [SampleStatus.FAILED]
    assert by_place.notes == ("SCN_a: there are two jobs for sample 1: the later counts",)
    by_time = read(
        {
            "jobs": [
                job(1, started_at="2026-04-07T00:12:40Z"),
                job(1, "STATUS_FAILED", started_at="2026-04-07T00:12:30Z"),
            ]
        }
    )
    assert [s.status for _, samples in by_time.scenarios for s in samples] == [SampleStatus.PASSED]


def test_a_job_without_a_scenario_is_one_of_its_own() -> None:
    own = {"id": "SRJ_own", "status": "STATUS_FAILED", "label": "Own"}
    run = read(
        {
            "sampling": SAMPLED,
            "scenario_group": {"scenarios": [{"id": "SRJ_own"}]},
            "jobs": [own, own | {"id": "SRJ_2", "sample": 2}, {"status": "STATUS_COMPLETED"}],
        }
    )
    assert [(row.scenario_id, row.samples_wanted) for row, _ in run.scenarios] == [
        ("SRJ_own", 3),
        ("SRJ_own (2)", 1),  # no sample of several: it has no number
        ("SRJ_2", 3),
        ("job 3", 1),
    ]


def test_odd_scenarios_of_the_group_are_unfinished() -> None:
    group = [{"id": "A"}, {"id": "A", "label": "other"}, {"label": "lost"}, {"id": "A (2)"}, {}]
    jobs = [job(1, scenario="A"), job(2, scenario="A (2)", sample=1)]
    run = read({"status": "STATUS_FAILED", "scenario_group": {"scenarios": group}, "jobs": jobs})
    rows = judged(run).scenarios
    assert [(row.scenario_id, row.name, row.verdict.value) for row in rows] == [
        ("A", "A", "passed"),
        ("A (3)", "other", "unfinished"),  # `A (2)` is somebody else's
        ("scenario 3", "lost", "unfinished"),
        ("A (2)", "A (2)", "passed"),
        ("scenario 5", "scenario 5", "unfinished"),
    ]
    assert judged(run).summary.exit_code is ExitCode.NO_VERDICT
    assert run.notes == (
        "scenario A is in the group twice: its jobs are those of the first",
        "scenario 3 of the group has no id, so no job is known to be its own: lost",
        "scenario 5 of the group has no id, so no job is known to be its own",
    )


@pytest.mark.parametrize(
    "jobs",
    [
        [{"id": "q", "status": "FAILED"}, {"id": "q", "status": "COMPLETED"}],
        [{"id": "q", "status": "FAILED"}, {"id": "j2", "status": "COMPLETED", "scenario_id": "q"}],
        [{"id": "j2", "status": "COMPLETED", "scenario_id": "q"}, {"id": "q", "status": "FAILED"}],
        [{"status": "FAILED"}, {"id": "job 1", "status": "COMPLETED"}],
        [{"id": "job 2", "status": "COMPLETED"}, {"status": "FAILED"}],
        [{"id": "q"}, {"id": "q", "status": "FAILED"}, {"id": "q (2)", "status": "COMPLETED"}],
    ],
)
def test_no_job_without_a_scenario_joins_another(jobs: list[dict[str, Any]]) -> None:
    report = judged(read({"status": "COMPLETED", "jobs": jobs}))
    assert len(report.scenarios) == len({row.scenario_id for row in report.scenarios}) == len(jobs)
    assert report.summary.exit_code is ExitCode.BELOW_BAR


@pytest.mark.parametrize(
    ("run", "place"),
    [
        ({"jobs": [job(1) | {"sample": 4}], "sampling": SAMPLED}, "run.jobs[0].sample: there is no sample 4"),
        ({"jobs": [job(1) | {"sample": 2}]}, "run.jobs[0].sample: there is no sample 2: the run has no sampling"),
        ({"jobs": [job(1) | {"sample": -1}]}, "run.jobs[0].sample: there is no sample -1"),
        ({"jobs": [job(1) | {"sample": 0}], "sampling": SAMPLED}, "run.jobs[0].sample: missing"),
        ({"sampling": {"samples": 1001}}, "run.sampling.samples: must be between 1 and 1000, not 1001"),
        ({"sampling": {"samples": -3}}, "run.sampling.samples: must be between 1 and 1000"),
        ({"sampling": {"samples": 1.5}}, "run.sampling.samples: should be a whole number"),
        ({"sampling": {"samples": True}}, "run.sampling.samples: should be a whole number"),
        ({"sampling": {"samples": 3, "pass_rate": 1.5}}, "run.sampling.pass_rate: "),
        ({"sampling": {"samples": 3, "pass_rate": "NaN"}}, "run.sampling.pass_rate: "),
        ({"jobs": {}}, "run.jobs: "),
        ({"jobs": [3]}, "run.jobs[0]: "),
        ({"jobs": [{"status": []}]}, "run.jobs[0].status: "),
        ({"jobs": [{"error": 3}]}, "run.jobs[0].error: "),
        ({"scenario_group": []}, "run.scenario_group: "),
        ([], "run: "),
    ],
)
def test_what_cannot_be_is_named_with_its_place(run: object, place: str) -> None:
    with pytest.raises(InvalidFilesError) as caught:
        read(run)
    assert str(caught.value).startswith(f"run.json: {place}")
    assert caught.value.exit_code is ExitCode.BAD_INPUT


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b"no JSON", "Invalid JSON"),
        (b"[" * 5000, "Invalid JSON"),
        (b"3", "run.json: "),
        (b"{}", "it has no `run`"),
        (b'{"run": {}}', "version: Field required"),
        (b'{"version": 2, "run": {}}', "this agentlab reads version 1"),
        (b'{"version": true, "run": {}}', "this agentlab reads version 1"),
        (b'{"version": 1.0, "run": {}}', "this agentlab reads version 1"),
        (b'{"version": "1", "run": {}}', "this agentlab reads version 1"),
        (
            b'{"version": 1, "run": {"jobs": [{"status": "FAILED", "status": "COMPLETED"}]}}',
            "run.jobs[0].status: stands twice",
        ),
        (b'{"batch_id": "b", "scenarios": []}', "read without `--from livekit`"),
        (b'{"version": 1, "run": {"id": "\xff"}}', "run.json: "),
    ],
)
def test_what_is_no_export_is_refused(content: bytes, said: str) -> None:
    with pytest.raises(InvalidFilesError, match=r"run\.json") as caught:
        read_livekit_run(content, shown="run.json")
    assert said in str(caught.value)


def test_it_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(livekit_run, "MAX_BYTES", 10)
    with pytest.raises(InvalidFilesError, match="longer than"):
        read({})
    monkeypatch.undo()
    with pytest.raises(InvalidFilesError, match=r"run\.jobs: .* at most 20000 items"):
        read({"jobs": [{}] * 20_001})
    with pytest.raises(InvalidFilesError, match=r"SRJ_1\.items: .* at most 10000 items"):
        read({}, {"chat_history": {"SRJ_1": {"items": [{}] * 10_001}}})
    histories: dict[str, Any] = {f"SRJ_{number}": {"items": [{}] * 10_000} for number in range(11)}
    with pytest.raises(InvalidFilesError, match=r"summary\.chat_history: holds 110,000 items; at most 100,000"):
        read({}, {"chat_history": histories})


def test_null_is_what_is_not_there() -> None:
    run = read({"id": None, "sampling": None, "jobs": [{"id": "SRJ_1", "error": None, "sample": None}]})
    assert [row.scenario_id for row, _ in run.scenarios] == ["SRJ_1"]


def test_a_byte_order_mark_is_forgiven() -> None:
    assert (
        read_livekit_run(b'\xef\xbb\xbf{"version": 1, "run": {"id": "SR_1"}}', shown="x").imported.run_id == "SR_1"
    )


def test_numbers_that_json_has_not_are_kept_as_text() -> None:
    content = b'{"version": 1, "run": {"later": [NaN, 1e999, 2.5]}}'
    kept = (read_livekit_run(content, shown="x").imported.model_extra or {})["livekit"]
    assert kept == {"later": ["nan", "inf", 2.5]}


@pytest.mark.parametrize("status", ["STATUS_FAILED", "STATUS_CANCELLED", "STATUS_RUNNING", "", "STATUS_NEW"])
def test_a_run_that_did_not_complete_is_known_as_such(status: str) -> None:
    imported = read({"id": "SR_1", "status": status}).imported
    assert (imported.completed, imported.failed, imported.status) == (False, status == "STATUS_FAILED", status)


def test_a_scenario_of_which_nothing_ran_is_unfinished() -> None:
    report = judged(read({"scenario_group": {"scenarios": [{"id": "A"}]}, "status": "COMPLETED"}))
    assert [row.verdict for row in report.scenarios] == [Verdict.UNFINISHED]
    assert report.summary.exit_code is ExitCode.NO_VERDICT
