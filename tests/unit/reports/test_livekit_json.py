"""Runs in LiveKit's form, and back again."""

import json
import random
from decimal import Decimal
from typing import Any

import pytest

from agentlab_ci.core.judge import build_report, judge_scenario, regate
from agentlab_ci.core.results import Brief, RunReport, ScenarioResult
from agentlab_ci.core.sampling import PassRate, needed
from agentlab_ci.core.scenario import Mode
from agentlab_ci.core.trace import Evaluation, EventKind, Role, SampleError, ToolCall, TraceEvent, Turn
from agentlab_ci.errors import BadInputError
from agentlab_ci.loading.livekit_run import read_livekit_run
from agentlab_ci.reports.livekit_json import render_livekit
from agentlab_ci.reports.redact import Redactor
from factories import make_batch, make_report, make_row
from hostile import HOSTILE_TEXTS

MASKED = Redactor(())
"""Takes out lone surrogates, as of every text that is stored."""
RATES = ("0.01", "0.145", "0.34", "0.5", "0.66666666666666666667", "0.7", "0.75", "0.8333", "0.8334", "0.9", "1")


def there_and_back(report: RunReport) -> RunReport:
    run = read_livekit_run(render_livekit(report), shown="run.json")
    rows = [judge_scenario(facts, samples) for facts, samples in run.scenarios]
    facts = run.facts.model_copy(update={"imported": run.imported})
    return build_report(facts, rows, duration_ms=run.duration_ms)


def written(report: RunReport) -> Any:
    return json.loads(render_livekit(report))


def with_sample(row: ScenarioResult, index: int, **update: Any) -> ScenarioResult:
    samples = list(row.samples)
    samples[index] = samples[index].model_copy(update=update)
    return row.model_copy(update={"samples": tuple(samples)})


def random_report(draw: random.Random) -> RunReport:
    """Return a run such as one of ours may be: any outcomes, one sampling, some scenarios skipped."""
    samples, rate = draw.randint(1, 9), PassRate(draw.choice(RATES))
    rows = []
    for number in range(draw.randint(1, 6)):
        outcomes = "".join(draw.choices("pfeucs.", (8, 4, 1, 1, 1, 1, 1), k=samples))
        skipped = "its type cannot run here" if number and draw.random() < 0.1 else None
        outcomes = "." * samples if skipped else outcomes
        name = MASKED.text(draw.choice(HOSTILE_TEXTS)) or "-"
        rows.append(make_row(outcomes, f"s.{number}", pass_rate=rate, name=name, skipped=skipped))
    return make_report(*rows)


def test_a_thousand_runs_keep_their_verdicts() -> None:
    draw = random.Random(7)  # noqa: S311 - nothing secret
    codes = set()
    for _ in range(1000):
        report = random_report(draw)
        back = there_and_back(report)
        assert [(row.scenario_id, row.name, row.verdict, row.passed, row.needed) for row in back.scenarios] == [
            (row.scenario_id, row.name, row.verdict, row.passed, row.needed) for row in report.judged
        ]
        assert back.summary.exit_code == regate(report).summary.exit_code
        assert back.summary.verdict == report.summary.verdict
        again = there_and_back(back)
        assert [row.verdict for row in again.scenarios] == [row.verdict for row in back.scenarios]
        codes.add(back.summary.exit_code.value)
    assert codes == {0, 1, 3}


@pytest.mark.parametrize("samples", range(1, 60))
def test_everybody_gets_the_same_bar_from_the_number(samples: int) -> None:
    for thousandths in range(5, 1001, 5):
        rate = PassRate(f"0.{thousandths:03}" if thousandths < 1000 else "1")
        row = make_row("." * samples, pass_rate=rate)
        sampling = written(make_report(row))["run"].get("sampling", {"samples": 1, "pass_rate": 1})
        number = sampling["pass_rate"]
        assert needed(samples, PassRate(format(Decimal(number), "f"))) == row.needed
        assert max(1, int(number * samples + 0.5)) == row.needed  # as a program without exact fractions has it


def test_the_form() -> None:
    row = make_row(
        "pfec", name="Refund", tags=("team:billing", "smoke", "team:other"), brief=Brief(steps=("a", "b"))
    )
    row = with_sample(row, 0, started_at="2026-04-07T00:12:34.500+00:00", duration_ms=1500.0)
    row = with_sample(row, 2, error=SampleError(message="refused", status=502))
    document = written(make_report(row))
    assert document["version"] == 1
    run = document["run"]
    assert (run["id"], run["status"]) == ("batch_20260407_001230_9x2c", "STATUS_CANCELLED")
    assert (run["created_at"], run["ended_at"]) == ("1775520750", "1775520791")
    assert run["sampling"] == {"samples": 4, "pass_rate": 0.75}
    (scenario,) = run["scenario_group"]["scenarios"]
    assert scenario == {
        "id": "billing.refund",
        "label": "Refund",
        "instructions": "a\nb",
        "tags": {"team": "billing", "smoke": "", "team:other": ""},
    }
    assert run["scenario_group"]["name"] == "billing"
    common = {"label": "Refund", "scenario_id": "billing.refund"}
    assert run["jobs"] == [
        common
        | {"id": "run_1", "status": "STATUS_COMPLETED", "sample": 1}
        | {"started_at": "2026-04-07T00:12:34.500Z", "ended_at": "2026-04-07T00:12:36.000Z"},
        common | {"id": "run_2", "status": "STATUS_FAILED", "sample": 2, "error": "evaluator_failed"},
        common
        | {"id": "run_3", "status": "STATUS_FAILED", "sample": 3, "error": "http_error: refused (HTTP 502)"},
        common | {"id": "run_4", "status": "STATUS_CANCELLED", "sample": 4},
    ]
    assert document["summary"] == {"passed": 1, "failed": 2}


def test_a_plain_run_has_no_sampling_and_no_sample_numbers() -> None:
    run = written(make_report(make_row("p"), make_row("f", "billing.other")))["run"]
    assert "sampling" not in run
    assert run["status"] == "STATUS_COMPLETED"
    assert not any("sample" in job for job in run["jobs"])


def test_a_run_that_stopped_when_it_was_settled_is_complete() -> None:
    assert written(make_report(make_row("pps")))["run"]["status"] == "STATUS_COMPLETED"
    assert written(make_report(make_row("pp.")))["run"]["status"] == "STATUS_CANCELLED"


def test_what_the_judge_said_is_the_reason() -> None:
    judged = Evaluation(id="judge", type="judge", mode=Mode.HARD_GATE, passed=False, message="It was rude.")
    row = with_sample(make_row("f"), 0, evaluations=(judged,))
    assert written(make_report(row))["run"]["jobs"][0]["error"] == "It was rude."


def test_what_was_said_is_the_chat_history_in_its_order() -> None:
    turns = (Turn(role=Role.USER, text="hi"), Turn(role=Role.AGENT, text="done", latency_ms=1500))
    calls = (
        ToolCall(name="refund", input={"id": 1}, output={"ok": True}),
        ToolCall(name="mail", input={}, error="no"),
    )
    places = [(EventKind.TURN, 0), (EventKind.TOOL_CALL, 0), (EventKind.TOOL_CALL, 1), (EventKind.TURN, 1)]
    trace = tuple(TraceEvent(at_ms=0, kind=kind, index=index) for kind, index in places)
    row = with_sample(make_row("p"), 0, turns=turns, tool_calls=calls, trace=trace)
    items = written(make_report(row))["summary"]["chat_history"]["run_1"]["items"]
    assert items == [
        {"message": {"role": "USER", "content": [{"text": "hi"}]}},
        {"function_call": {"call_id": "call_1", "name": "refund", "arguments": '{"id": 1}'}},
        {"function_call_output": {"call_id": "call_1", "name": "refund", "output": '{"ok": true}'}},
        {"function_call": {"call_id": "call_2", "name": "mail", "arguments": "{}"}},
        {"function_call_output": {"call_id": "call_2", "name": "mail", "output": "no", "is_error": True}},
        {"message": {"role": "ASSISTANT", "content": [{"text": "done"}], "metrics": {"e2e_latency": 1.5}}},
    ]
    untraced = with_sample(row, 0, trace=trace[:1])
    kinds = [
        next(iter(item)) for item in written(make_report(untraced))["summary"]["chat_history"]["run_1"]["items"]
    ]
    assert kinds == ["message", "message", *["function_call", "function_call_output"] * 2]
    ((sample,),) = [back.samples for back in there_and_back(make_report(row)).scenarios]
    assert [(turn.role, turn.text, turn.latency_ms) for turn in sample.turns] == [
        (Role.USER, "hi", None),
        (Role.AGENT, "done", 1500),
    ]
    assert [event.kind for event in sample.trace] == [kind for kind, _ in places]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([make_row("ppp", variant="new")], "knows no variants"),
        ([make_row("ppp", gate=False)], "billing.refund does not gate"),
        (
            [make_row("ppp"), make_row("p", "billing.other")],
            "billing.refund needs 2 of 3, but billing.other needs 1 of 1",
        ),
        ([make_row("ppp"), make_row("ppp", "b.c", pass_rate=PassRate("1"))], "but b.c needs 3 of 3"),
        ([make_row("...", skipped="not here")], "no scenario was run"),
        ([], "no scenario was run"),
        ([make_row("p"), make_row("p")], "is there twice"),
    ],
)
def test_what_would_lose_a_verdict_is_refused(rows: list[ScenarioResult], said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        render_livekit(make_report(*rows))


def test_rates_that_come_to_the_same_bar_are_one_sampling() -> None:
    report = make_report(make_row("ppf"), make_row("pff", "b.c", pass_rate=PassRate("0.5")))
    assert [row.needed for row in there_and_back(report).scenarios] == [2, 2]


def test_odd_times_are_left_out() -> None:
    row = with_sample(make_row("p"), 0, started_at="soon")
    report = build_report(make_batch(started_at="", ended_at="never"), [row], duration_ms=0)
    run = written(report)["run"]
    assert not {"created_at", "ended_at"} & run.keys()
    assert "started_at" not in run["jobs"][0]


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_it_is_ascii_whatever_is_said(text: str) -> None:
    row = with_sample(make_row("p", name=text or "-"), 0, turns=(Turn(role=Role.AGENT, text=text),))
    report = make_report(row)
    assert render_livekit(report).isascii()
    ((sample,),) = [back.samples for back in there_and_back(report).scenarios]
    assert sample.turns[0].text == MASKED.text(text)
