from typing import Any

import pytest

from agentlab_ci.core.behaviour import BehaviourDiff, behaviour_of, diff_behaviour
from agentlab_ci.core.results import Normalization, SampleResult
from agentlab_ci.core.trace import Role, ToolCall, Turn
from factories import make_samples


def _sample(*replies: str, calls: tuple[ToolCall, ...] = (), **more: Any) -> SampleResult:
    turns = [Turn(role=Role.USER, text="Where is it?")]
    turns += [Turn(role=Role.AGENT, text=reply, latency_ms=len(reply)) for reply in replies]
    return make_samples("p")[0].model_copy(update={"turns": tuple(turns), "tool_calls": calls} | more)


def _call(order: str, **more: Any) -> ToolCall:
    return ToolCall(name="orders.refund", input={"order_id": order, "amount": 1}, **more)


def _diff(old: SampleResult, new: SampleResult, how: Normalization | None = None) -> BehaviourDiff:
    return diff_behaviour(behaviour_of(old, how), behaviour_of(new, how))


def test_the_same_words_and_calls_are_the_same_behaviour_however_long_they_took() -> None:
    old = _sample("Done.", calls=(_call("1", duration_ms=1, output={"a": 1}),), duration_ms=5)
    new = _sample("Done.", calls=(_call("1", duration_ms=9, output={"a": 2}),), duration_ms=900)
    new = new.model_copy(update={"turns": tuple(t.model_copy(update={"latency_ms": 7}) for t in new.turns)})
    assert not _diff(old, new)


def test_another_turn_shows_in_its_lines() -> None:
    assert _diff(_sample("It has shipped.\nBye."), _sample("It has shipped.\nNo.")) == BehaviourDiff(
        turns=(" agent: It has shipped.", "-    Bye.", "+    No.")
    )


def test_another_argument_of_a_call_shows() -> None:
    diff = _diff(_sample(calls=(_call("1"),)), _sample(calls=(_call("2"),)))
    assert diff == BehaviourDiff(
        tool_calls=(
            '-orders.refund {"amount": 1, "order_id": "1"}',
            '+orders.refund {"amount": 1, "order_id": "2"}',
        )
    )


def test_the_order_of_keys_is_no_other_call() -> None:
    turned = ToolCall(name="orders.refund", input={"amount": 1, "order_id": "1"})
    assert not _diff(_sample(calls=(_call("1"),)), _sample(calls=(turned,)))


def test_a_call_that_now_fails_shows() -> None:
    diff = _diff(_sample(calls=(_call("1"),)), _sample(calls=(_call("1", error="no such order"),)))
    assert diff.tool_calls[1].endswith('"order_id": "1"} -> error: no such order')


def test_the_final_output_is_compared_where_no_turn_holds_it() -> None:
    assert _diff(_sample("a", final_output="a"), _sample("b", final_output="b")).output == ()
    assert _diff(_sample(final_output="a"), _sample(final_output="b")).output == ("-a", "+b")
    assert _diff(_sample(final_output="a"), _sample(final_output=None)).output == ("-a",)


@pytest.mark.parametrize("how", [None, Normalization(lowercase=True)])
def test_what_the_agent_says_is_normalised(how: Normalization | None) -> None:
    assert bool(_diff(_sample("It has SHIPPED."), _sample("It has shipped."), how)) is (how is None)
    assert bool(_diff(_sample(final_output="OK"), _sample(final_output="ok"), how)) is (how is None)


def test_turns_that_only_call_tools_say_nothing() -> None:
    assert not _diff(_sample("", "Done.", calls=(_call("1"),)), _sample("Done.", calls=(_call("1"),)))
    assert _diff(_sample(""), _sample()).turns  # an empty reply is one
