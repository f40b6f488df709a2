"""results.json: what is written is read back, and what a newer version adds is kept."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from agentlab_ci.core.judge import regate
from agentlab_ci.core.provider import Provider
from agentlab_ci.core.results import AgentIdentity, RunReport, SampleResult, SourceIdentity
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.scenario import Mode
from agentlab_ci.core.trace import Evaluation, Redraw, Role, SampleError, ToolCall, Turn, Usage, Wait
from factories import make_batch, make_report, make_row

FULL_SAMPLE = SampleResult(
    scenario_id="billing.refund",
    sample=1,
    of=2,
    run_id="run_20260407_001234_k3f9",
    status=SampleStatus.ERROR,
    termination_reason=TerminationReason.HTTP_ERROR,
    score=50,
    started_at="2026-04-07T00:12:34Z",
    duration_ms=1200.5,
    waits=(Wait(seconds=2, status=429, attempt=1),),
    redraws=(Redraw(reason=TerminationReason.HTTP_CONNECTION_FAILED, message="refused", seconds=0.5),),
    usage=Usage(input_tokens=10, output_tokens=0, cost_usd=0.0),
    error=SampleError(message="HTTP 500", status=500, body="oops ☃ \ud83d"),
    final_output="",
    turns=(Turn(role=Role.USER, text="hello"), Turn(role=Role.AGENT, text="", latency_ms=1.5, note="cut")),
    tool_calls=(ToolCall(name="orders.list", input={"a": [1, None]}, output=[], duration_ms=3),),
    evaluations=(
        Evaluation(id="e", type="response_contains", mode=Mode.HARD_GATE, step=1, passed=False, message="no"),
    ),
)


def _full_report() -> RunReport:
    row = make_row("pp", agent=AgentIdentity(name="a", provider=Provider.HTTP, label="A"), variant="baseline")
    batch = make_batch(source=SourceIdentity(commit="abc", pull_request=7))
    report = make_report(row.model_copy(update={"samples": (FULL_SAMPLE, *row.samples[1:])}))
    return report.model_copy(update={"source": batch.source})


def test_round_trip() -> None:
    report = _full_report()
    stored = report.model_dump(mode="json")
    assert RunReport.model_validate(stored) == report
    assert list(stored) == [
        "version",
        "tool",
        "batch_id",
        "started_at",
        "ended_at",
        "sampling",
        "errors_count_as",
        "source",
        "summary",
        "scenarios",
    ]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("sampling", "pass_rate"), "0.75"),  # text: what was typed
        (("summary", "exit_code"), 0),
        (("summary", "verdict"), "passed"),
        (("summary", "pass_at_k", 0), {"k": 2, "passed": 1, "of": 1, "variant": "baseline"}),
        (("summary", "cost_usd"), 0.0),
        (("scenarios", 0, "type"), "conversation"),
        (("scenarios", 0, "samples", 0, "termination_reason"), "http_error"),
        (("scenarios", 0, "samples", 0, "turns", 0, "role"), "user"),
    ],
)
def test_values_are_plain_json(path: tuple[str | int, ...], value: object) -> None:
    row = make_row("pf", variant="baseline", pass_rate="0.5")
    priced = row.samples[0].model_copy(
        update={
            "usage": Usage(cost_usd=0.0),
            "termination_reason": TerminationReason.HTTP_ERROR,
            "turns": (Turn(role=Role.USER, text="hello"),),
        }
    )
    report = make_report(row.model_copy(update={"samples": (priced, row.samples[1])}))
    found: Any = json.loads(report.model_dump_json())
    for key in path:
        found = found[key]
    assert found == value


def test_the_variant_of_a_pass_line_is_absent_outside_a_variant_set() -> None:
    summary = make_report(make_row("pp")).model_dump(mode="json")["summary"]
    assert summary["pass_at_k"] == [{"k": 2, "passed": 1, "of": 1}]


def test_fields_that_are_not_known_survive_reading_judging_and_writing() -> None:
    stored = make_report(make_row("pf")).model_dump(mode="json")
    stored["x_run"] = {"a": 1}
    stored["scenarios"][0]["x_scenario"] = [1]
    stored["scenarios"][0]["samples"][0]["x_sample"] = "s"
    stored["source"]["x_source"] = None
    again = regate(RunReport.model_validate(stored)).model_dump(mode="json")
    assert again == stored


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},  # another shape
        {"errors_count_as": "failed"},  # counts of another meaning
        {"summary": None},
        {"sampling": {"samples": 3, "pass_rate": "2", "stop_when_settled": False}},
    ],
)
def test_what_is_no_report_of_this_version_is_refused(change: dict[str, Any]) -> None:
    stored = make_report(make_row("pf")).model_dump(mode="json")
    with pytest.raises(ValidationError):
        RunReport.model_validate(stored | change)
