"""Why a sample or a scenario did not pass, in a few words."""

from typing import Any

import pytest

from agentlab_ci.core.judge import judge_scenario
from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.scenario import Mode
from agentlab_ci.core.trace import Evaluation, Redraw, SampleError, Wait
from agentlab_ci.reports.reasons import (
    deciding_score,
    explain_sample,
    explain_scenario,
    tell_cause,
    tell_end,
    tell_history,
)
from canned import scenario
from factories import make_facts, make_row, make_samples


def _sample(outcome: str, **update: Any) -> SampleResult:
    return make_samples(outcome)[0].model_copy(update=update)


def _evaluation(
    name: str, *, passed: bool = False, mode: Mode = Mode.HARD_GATE, step: int | None = 1
) -> Evaluation:
    return Evaluation(id=name, type="t", mode=mode, step=step, passed=passed, message=f"{name} says no")


GATE = _evaluation("gate")
PASSED = _evaluation("fine", passed=True)
WEIGHTED = _evaluation("polite", mode=Mode.WEIGHTED, step=None)


@pytest.mark.parametrize(
    ("sample", "reasons"),
    [
        (_sample("p", evaluations=(PASSED, WEIGHTED), score=80), ()),
        (_sample("f", evaluations=(PASSED, WEIGHTED, GATE)), ("step 1 gate (hard_gate): gate says no", "")),
        (_sample("f", evaluations=(WEIGHTED,), score=60), ("score 60: polite (weighted): polite says no",)),
        (_sample("f"), ("evaluator_failed",)),
        (
            _sample("f", termination_reason=TerminationReason.STEP_LIMIT_EXCEEDED, evaluations=(GATE,)),
            ("step_limit_exceeded", "step 1 gate (hard_gate): gate says no"),
        ),
        (_sample("e", error=SampleError(message="no answer", status=502)), ("http_error: no answer (HTTP 502)",)),
        (_sample("e", error=SampleError(message="HTTP 502", status=502)), ("http_error: HTTP 502",)),
        (_sample("u"), ("agent_unreachable",)),
        (_sample("s"), ("not run: settled",)),
        (_sample("c"), ("cancelled: run deadline",)),
        (_sample("c", run_id=None), ("not run: run deadline",)),
        (_sample("c", error=SampleError(message="no credit")), ("cancelled: run deadline: no credit",)),
    ],
)
def test_explain_sample(sample: SampleResult, reasons: tuple[str, ...]) -> None:
    assert explain_sample(sample) == tuple(filter(None, reasons))


def test_weighted_misses_follow_the_gates_when_there_is_a_score() -> None:
    sample = _sample("f", evaluations=(WEIGHTED, GATE), score=0)
    assert explain_sample(sample) == (
        "step 1 gate (hard_gate): gate says no",
        "score 0: polite (weighted): polite says no",
    )


def test_a_scenario_below_the_bar_is_explained_by_a_wrong_answer_first() -> None:
    assert explain_scenario(scenario("effp", "a.b")) == 'step 2 names-tracking (hard_gate): missing "tracking"'


def test_a_scenario_that_could_not_be_judged_is_explained_by_its_error() -> None:
    assert explain_scenario(scenario("pfe", "a.b")) == "http_error: the agent answered HTTP 502"


def test_a_scenario_without_a_verdict_says_what_is_left() -> None:
    assert explain_scenario(make_row("pc.")) == "2 samples unfinished: run deadline"
    assert explain_scenario(make_row("pp.", pass_rate="1")) == "1 sample unfinished"
    stopped = make_row("pcc", pass_rate="1")
    third = stopped.samples[2].model_copy(update={"error": SampleError(message="no credit")})
    told = stopped.model_copy(update={"samples": (*stopped.samples[:2], third)})
    assert explain_scenario(told) == "2 samples unfinished: run deadline: no credit"


def test_a_skipped_scenario_says_why() -> None:
    skipped = judge_scenario(make_facts(skipped="a task cannot run on an http agent"), ())
    assert explain_scenario(skipped) == "a task cannot run on an http agent"


@pytest.mark.parametrize(
    ("outcomes", "said"),
    [
        ("ppp", ""),
        ("pps", ""),
        ("ppf", "1 failed: evaluator_failed"),
        ("pee", "2 errors: http_error"),
        ("pefe", "1 failed, 2 errors: evaluator_failed"),
    ],
)
def test_a_scenario_that_passed_says_what_was_tolerated(outcomes: str, said: str) -> None:
    row = make_row(outcomes, pass_rate="0.3")
    assert explain_scenario(row) == said


@pytest.mark.parametrize(
    ("sample", "score"),
    [
        (_sample("p", score=100), 100),
        (_sample("p", score=80, evaluations=(PASSED, WEIGHTED)), 80),
        (_sample("f", score=60, evaluations=(WEIGHTED,)), 60),
        (_sample("f", score=100, evaluations=(PASSED, GATE)), None),
        (_sample("f", score=100, termination_reason=TerminationReason.STEP_LIMIT_EXCEEDED), None),
        (_sample("e"), None),
    ],
)
def test_a_score_decides_when_no_hard_gate_and_no_limit_did(sample: SampleResult, score: int | None) -> None:
    assert deciding_score(sample) == score


def test_history_tells_waits_and_fresh_starts() -> None:
    sample = _sample(
        "p",
        waits=(Wait(seconds=12, status=429, attempt=1),),
        redraws=(Redraw(reason=TerminationReason.HTTP_ERROR, message="HTTP 502", seconds=1),),
    )
    assert tell_history(sample) == ("waited 12.0s: HTTP 429", "tried again after: http_error: HTTP 502")


def test_the_cause_of_an_error_has_the_first_lines_of_the_body() -> None:
    body = "\n".join(f"line {n}\r" for n in range(9))
    sample = _sample("e", error=SampleError(message="HTTP 500", status=500, body=body))
    assert tell_cause(sample)[:3] == ("http_error: HTTP 500", "line 0", "line 1")
    assert len(tell_cause(sample)) == 6
    assert tell_cause(_sample("f")) == ()


def test_the_end_says_nothing_that_evaluations_say() -> None:
    assert tell_end(_sample("f", evaluations=(GATE,))) == ()
    assert tell_end(_sample("f")) == ("evaluator_failed",)
    timeout = _sample("f", termination_reason=TerminationReason.TIMEOUT_EXCEEDED, evaluations=(GATE,))
    assert tell_end(timeout) == ("timeout_exceeded",)
    assert tell_end(_sample("c")) == ("cancelled: run deadline",)
