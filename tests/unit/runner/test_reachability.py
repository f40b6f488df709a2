"""When an agent is given up on."""

from typing import Any

import pytest

from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.trace import Role, SampleError, ToolCall, Turn
from agentlab_ci.runner.reachability import UNREACHED, Failure, Reach, Reachability, find_failure
from factories import make_samples

CRASH = Failure(reason=TerminationReason.AGENT_ERROR, message="it ended with code 1")
REFUSED = Failure(reason=TerminationReason.HTTP_ERROR, status=401, message="answered HTTP 401")


def reaches(
    *failures: Failure | None, samples: int = 30, slots: int = 1, scenarios: int = 10, settled: bool = False
) -> list[Reach]:
    """Record these ends, of so many scenarios in turn, and return what was known after each."""
    reachability = Reachability(samples=samples, slots=slots)
    return [
        reachability.record(
            reachability.start(), failure, scenario_id=f"a.{n % scenarios}", last=False, settled=settled
        )
        for n, failure in enumerate(failures)
    ]


@pytest.mark.parametrize(("failure", "given_up"), [(UNREACHED, Reach.UNREACHABLE), (CRASH, Reach.FAILING)])
@pytest.mark.parametrize(
    ("samples", "slots", "failures"),
    [
        (30, 1, 3),  # at least three are tried
        (30, 8, 8),  # as many as run at once
        (3, 8, 3),  # all there are
    ],
)
def test_so_many_first_samples_must_fail(
    samples: int, slots: int, failures: int, failure: Failure, given_up: Reach
) -> None:
    known = reaches(*[failure] * failures, samples=samples, slots=slots)
    assert known == [Reach.UNKNOWN] * (failures - 1) + [given_up]


@pytest.mark.parametrize("failure", [UNREACHED, CRASH, REFUSED])
def test_one_answer_settles_it_for_good(failure: Failure) -> None:
    assert reaches(failure, None, *[failure] * 9)[1:] == [Reach.REACHED] * 10


@pytest.mark.parametrize(
    "other",
    [
        Failure(reason=TerminationReason.AGENT_ERROR, message="it ended with code 2"),
        REFUSED,
        UNREACHED,
    ],
)
def test_samples_that_fail_in_different_ways_say_nothing_of_the_agent(other: Failure) -> None:
    assert reaches(CRASH, other, CRASH, CRASH, CRASH)[-1] is Reach.REACHED
    assert reaches(other, CRASH, other, other, other)[-1] is Reach.REACHED


def test_a_refusal_is_the_same_in_other_words() -> None:
    reworded = Failure(reason=TerminationReason.HTTP_ERROR, status=401, message="no. request 77")
    assert reaches(REFUSED, reworded, REFUSED)[-1] is Reach.FAILING
    other_status = Failure(reason=TerminationReason.HTTP_ERROR, status=404, message="answered HTTP 401")
    assert reaches(REFUSED, other_status, REFUSED)[-1] is Reach.REACHED


def test_two_samples_that_cannot_connect_are_enough_where_there_are_no_more() -> None:
    assert reaches(UNREACHED, UNREACHED, samples=2) == [Reach.UNKNOWN, Reach.UNREACHABLE]


def test_if_fewer_ran_because_the_verdicts_were_settled_all_of_them_decide() -> None:
    reachability = Reachability(samples=30, slots=8)
    number = reachability.start()
    assert reachability.record(number, UNREACHED, scenario_id="a.b", last=True) is Reach.UNREACHABLE


def test_an_agent_that_fails_is_not_given_up_on_when_nothing_is_left_to_spare() -> None:
    reachability = Reachability(samples=1, slots=8)
    assert reachability.record(reachability.start(), CRASH, scenario_id="a.b", last=True) is Reach.REACHED


@pytest.mark.parametrize("scenarios", [1, 2])
def test_scenarios_that_an_agent_cannot_bear_are_no_reason_to_spare_others(scenarios: int) -> None:
    assert set(reaches(*[CRASH] * 20, scenarios=scenarios)) == {Reach.UNKNOWN}


@pytest.mark.parametrize("scenarios", [1, 2])
def test_a_scenario_is_enough_where_none_can_pass_any_more(scenarios: int) -> None:
    assert reaches(*[CRASH] * 3, scenarios=scenarios, settled=True)[-1] is Reach.FAILING


def test_a_scenario_does_not_matter_to_a_connection() -> None:
    assert reaches(*[UNREACHED] * 3, scenarios=1)[-1] is Reach.UNREACHABLE


@pytest.mark.parametrize(("failure", "given_up"), [(UNREACHED, Reach.UNREACHABLE), (CRASH, Reach.FAILING)])
def test_the_first_samples_are_those_that_start_first(failure: Failure, given_up: Reach) -> None:
    reachability = Reachability(samples=30, slots=4)
    numbers = [reachability.start() for _ in range(12)]

    def fail(number: int) -> Reach:
        return reachability.record(number, failure, scenario_id=f"a.{number}", last=False)

    assert {fail(number) for number in numbers if number != 2} == {Reach.UNKNOWN}
    assert fail(2) is given_up


def test_an_answer_of_the_slowest_sample_settles_it_too() -> None:
    reachability = Reachability(samples=30, slots=4)
    first, *others = [reachability.start() for _ in range(12)]
    for number in others:
        reachability.record(number, CRASH, scenario_id=f"a.{number}", last=False)
    assert reachability.record(first, None, scenario_id="a.first", last=False) is Reach.REACHED


def test_samples_that_say_nothing_are_neither_counted_nor_waited_for() -> None:
    reachability = Reachability(samples=30, slots=1)
    silent, *others = [reachability.start() for _ in range(4)]
    for number in others:
        assert reachability.record(number, CRASH, scenario_id=f"a.{number}", last=False) is Reach.UNKNOWN
    assert reachability.forget(silent, last=False) is Reach.FAILING


def test_the_last_sample_may_say_nothing() -> None:
    reachability = Reachability(samples=2, slots=1)
    first, silent = reachability.start(), reachability.start()
    reachability.record(first, UNREACHED, scenario_id="a.b", last=False)
    assert reachability.forget(silent, last=True) is Reach.UNREACHABLE
    nothing_else = Reachability(samples=1, slots=1)
    assert nothing_else.forget(nothing_else.start(), last=True) is Reach.REACHED


def ended(reason: TerminationReason, *, status: int | None = None, **more: Any) -> SampleResult:
    error = SampleError(message="no", status=status)
    update: dict[str, Any] = {"status": SampleStatus.ERROR, "termination_reason": reason, "error": error}
    return make_samples("e")[0].model_copy(update=update | more)


ASKED = Turn(role=Role.USER, text="Hello")


@pytest.mark.parametrize(
    ("sample", "says_something"),
    [
        (ended(TerminationReason.AGENT_ERROR), True),
        (ended(TerminationReason.AGENT_ERROR, turns=(ASKED,)), True),  # only the user has spoken
        (ended(TerminationReason.AGENT_ERROR, turns=(ASKED, Turn(role=Role.AGENT, text="Hi"))), False),
        (ended(TerminationReason.AGENT_ERROR, tool_calls=(ToolCall(name="t", input={}),)), False),
        (ended(TerminationReason.HTTP_ERROR, status=401), True),
        (ended(TerminationReason.HTTP_ERROR, status=402), True),  # no credit
        (ended(TerminationReason.HTTP_ERROR, status=403), True),
        (ended(TerminationReason.HTTP_ERROR, status=400), False),  # may depend on what was asked
        (ended(TerminationReason.HTTP_ERROR, status=404), True),
        (ended(TerminationReason.HTTP_ERROR, status=429), False),  # help of its own
        (
            ended(TerminationReason.HTTP_ERROR, error=SampleError(message="no quota", status=429, hopeless=True)),
            True,  # no wait can mend it
        ),
        (ended(TerminationReason.HTTP_ERROR, status=500), False),  # may depend on what was asked
        (ended(TerminationReason.INVALID_RESPONSE_FORMAT, status=404), False),
        (ended(TerminationReason.TIMEOUT_EXCEEDED), False),
        (ended(TerminationReason.TOOL_ERROR), False),
        (make_samples("f")[0], False),
        (make_samples("p")[0], False),
    ],
)
def test_which_ends_may_be_the_agent_s_own(sample: SampleResult, says_something: bool) -> None:
    assert (find_failure(sample, unreached=False) is not None) == says_something
    assert find_failure(sample, unreached=True) is UNREACHED
