from typing import Any

import pytest

from agentlab_ci.agents.interface import AgentBusyError, AgentFailedError, AgentTurn
from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.tool import CallRequest
from agentlab_ci.core.trace import EventKind, Usage
from scripted_task import ScriptedWorker, call, final, spec, work


def ends(sample: SampleResult) -> tuple[str, str]:
    return (sample.status.value, sample.termination_reason.value)


def trace(sample: SampleResult) -> list[tuple[float, str, object]]:
    return [
        (event.at_ms, event.kind.value, event.text if event.index is None else event.index)
        for event in sample.trace
    ]


def test_an_agent_is_told_what_came_of_its_calls_and_answers() -> None:
    worker = ScriptedWorker([call("echo", "looking", order_id="o1"), call("refuse"), final("done")])
    sample = work(
        worker,
        spec("tool_call_assertion", tool="echo", match={"order_id": "o1"}),
        spec("final_answer_contains", required_substrings=["done"]),
    )
    assert ends(sample) == ("passed", "completed")
    assert [[(o.output, o.error) for o in outcomes] for outcomes in worker.told] == [
        [],
        [({"order_id": "o1"}, None)],
        [(None, "no such order")],
    ]
    assert [(turn.role.value, turn.text) for turn in sample.turns] == [
        ("user", "Do it."),
        ("agent", "looking"),
        ("agent", ""),
        ("agent", "done"),
    ]
    assert [(c.name, c.input, c.output, c.error, c.duration_ms) for c in sample.tool_calls] == [
        ("echo", {"order_id": "o1"}, {"order_id": "o1"}, None, 2),
        ("refuse", {}, None, "no such order", 1),
    ]
    assert sample.final_output == "done"
    assert worker.left == 1


def test_the_trace_has_everything_in_its_order() -> None:
    turn = AgentTurn(
        calls=(CallRequest(name="echo", input={}), CallRequest(name="refuse", input={})),
        latency_ms=1000,
        log=("warming up",),
    )
    sample = work(ScriptedWorker([turn, final("done", log=("bye",))]))
    assert trace(sample) == [
        (0, "turn", 0),
        (1000, "log", "warming up"),
        (1000, "turn", 1),
        (1000, "tool_call", 0),
        (1000, "tool_call", 1),
        (2000, "log", "bye"),
        (2000, "turn", 2),
    ]


def test_the_brief_says_what_the_scenario_says() -> None:
    worker = ScriptedWorker([final("done")])
    work(worker, variables={"email": "a@example.com"}, max_steps=5)
    assert worker.brief is not None
    assert worker.brief.instructions == "Do it."
    assert worker.brief.variables == {"email": "a@example.com"}
    assert worker.brief.max_steps == 5
    assert [tool.name for tool in worker.brief.tools] == ["echo", "refuse", "slow", "broken"]


@pytest.mark.parametrize(
    ("turns", "max_steps", "end", "calls"),
    [
        ([call("echo"), final("done")], 2, ("passed", "completed"), 1),
        ([call("echo"), final("done")], 1, ("failed", "step_limit_exceeded"), 1),
        ([call("echo"), call("echo"), final("done")], 1, ("failed", "step_limit_exceeded"), 2),
    ],
)
def test_the_turn_after_the_last_one_ends_the_sample(
    turns: list[AgentTurn], max_steps: int, end: tuple[str, str], calls: int
) -> None:
    sample = work(ScriptedWorker(turns), max_steps=max_steps)
    assert ends(sample) == end
    assert len(sample.tool_calls) == calls
    limits = [event.text for event in sample.trace if event.kind is EventKind.LIMIT]
    assert limits == (
        [] if end[0] == "passed" else [f"step {max_steps + 1}, at most {max_steps} (`runtime.max_steps`)"]
    )
    assert sample.evaluations, "it is judged all the same"


def test_parallel_calls_count_singly() -> None:
    three = AgentTurn(calls=tuple(CallRequest(name="echo", input={"n": n}) for n in range(3)), latency_ms=1)
    sample = work(ScriptedWorker([three, final("done")]), spec("step_count_max", max=4), max_steps=4)
    assert (ends(sample), sample.evaluations[0].message) == (("passed", "completed"), "4 agent turns, at most 4")
    sample = work(ScriptedWorker([three, final("done")]), max_steps=2)
    assert [call.error for call in sample.tool_calls] == [None, None, "not called: all 2 steps are used up"]


def test_a_forbidden_tool_is_not_called_and_ends_the_sample() -> None:
    worker = ScriptedWorker([call("echo", n=1), final("done")])
    sample = work(
        worker,
        spec("forbidden_tool", tools=["echo"]),
        tools_allowed=("refuse",),
        tools_forbidden=("echo",),
    )
    assert ends(sample) == ("failed", "forbidden_tool_used")
    assert [(c.name, c.output, c.error) for c in sample.tool_calls] == [
        ("echo", None, "not called: the tool is forbidden")
    ]
    assert [e.passed for e in sample.evaluations] == [False]
    assert len(worker.told) == 1


@pytest.mark.parametrize("name", ["Echo", "functions.echo", "e\u200bcho"])
def test_a_forbidden_tool_is_known_however_it_is_written(name: str) -> None:
    check = spec("forbidden_tool", tools=["echo"])
    ended = work(ScriptedWorker([call(name)]), check, tools_allowed=("refuse",), tools_forbidden=("echo",))
    assert ends(ended) == ("failed", "forbidden_tool_used")
    assert [(c.name, c.error) for c in ended.tool_calls] == [("echo", "not called: the tool is forbidden")]
    assert [e.message for e in ended.evaluations] == ["called echo"]

    worker = ScriptedWorker([call(name), final("done")])
    went_on = work(worker, check, tools_allowed=("refuse",))
    assert ends(went_on) == ("failed", "completed")
    assert [(c.name, c.error) for c in went_on.tool_calls] == [("echo", f"there is no tool {name}")]
    assert worker.told[1][0].name == name, "it is answered as it asked"
    assert [e.message for e in went_on.evaluations] == ["called echo"]


def test_the_brief_holds_what_the_agent_must_not_try() -> None:
    worker = ScriptedWorker([final("done")])
    checks = spec("forbidden_tool", tools=["shop.pay", "shop.sell"]), spec("tool_call_assertion", tool="echo")
    work(worker, *checks, tools_forbidden=("shop.buy", "shop.sell"))
    assert worker.brief is not None
    assert worker.brief.forbidden == ("shop.buy", "shop.sell", "shop.pay")
    assert [tool.name for tool in worker.brief.tools] == ["echo", "refuse", "slow", "broken"]


def test_a_tool_that_is_not_there_is_the_agents_to_recover_from() -> None:
    worker = ScriptedWorker([call("ehco"), call("echo"), final("done")])
    sample = work(worker, tools_allowed=("echo", "refuse"))
    assert ends(sample) == ("passed", "completed")
    assert worker.told[1][0].error == "there is no tool ehco"


def test_input_that_cannot_be_read_is_the_agents_to_recover_from() -> None:
    unread = AgentTurn(calls=(CallRequest(name="echo", input={}, invalid="the arguments are text"),), latency_ms=1)
    worker = ScriptedWorker([unread, call("echo", n=1), final("done")])
    sample = work(worker, spec("tool_call_count_max", max=1))
    assert worker.told[1][0].error == "not called: the arguments are text"
    assert [(c.input, c.output, c.error) for c in sample.tool_calls] == [
        ({}, None, "not called: the arguments are text"),
        ({"n": 1}, {"n": 1}, None),
    ]
    assert ends(sample) == ("failed", "completed"), "it counts as an attempt"
    forbidden = work(ScriptedWorker([unread]), tools_allowed=("refuse",), tools_forbidden=("echo",))
    assert ends(forbidden) == ("failed", "forbidden_tool_used")


def test_the_scenarios_own_limit_is_a_failure_that_is_judged_by_what_was_done() -> None:
    worker = ScriptedWorker([call("echo"), call("slow"), final("done")])
    sample = work(worker, spec("tool_call_count_max", max=1), timeout_seconds=30)
    assert ends(sample) == ("failed", "timeout_exceeded")
    assert sample.duration_ms == 30_000
    assert [call.name for call in sample.tool_calls] == ["echo", "slow"]
    assert sample.tool_calls[1].error == "cut short: the sample ended before the call did"
    assert [e.passed for e in sample.evaluations] == [False], "an attempt counts"
    assert worker.left == 1


def test_a_tool_that_cannot_be_asked_is_an_error_and_nobodys_answer() -> None:
    sample = work(ScriptedWorker([call("broken"), final("done")]))
    assert ends(sample) == ("error", "tool_error")
    assert sample.error is not None
    assert sample.error.message == "the tool broken cannot be started"
    assert [call.error for call in sample.tool_calls] == ["the tool broken cannot be started"]
    assert sample.evaluations == ()


def test_an_agent_that_fails_is_an_error_with_what_was_done_by_then() -> None:
    failure = AgentFailedError("it crashed", reason=TerminationReason.AGENT_ERROR, body="stack")
    sample = work(ScriptedWorker([call("echo"), failure]))
    assert ends(sample) == ("error", "agent_error")
    assert len(sample.tool_calls) == 1
    assert sample.evaluations == ()


def test_a_retryable_failure_starts_the_sample_afresh() -> None:
    failure = AgentFailedError("try again", reason=TerminationReason.AGENT_ERROR, redrawable=True)
    worker = ScriptedWorker([call("echo"), failure, call("refuse"), final("done")])
    sample = work(worker)
    assert ends(sample) == ("passed", "completed")
    assert [call.name for call in sample.tool_calls] == ["refuse"], "only the draw that counted"
    assert len({start.conversation_id for start in worker.starts}) == 2
    assert worker.told[2] == (), "the second draw begins at the beginning"


def test_a_busy_agent_is_told_the_same_again() -> None:
    busy = AgentBusyError(status=429, retry_after=5, body="")
    worker = ScriptedWorker([call("echo"), busy, final("done")])
    sample = work(worker)
    assert sample.status is SampleStatus.PASSED
    assert worker.told[1] == worker.told[2] != ()
    assert [wait.seconds for wait in sample.waits] == [5]


@pytest.mark.parametrize(
    ("usages", "cost", "verdict"),
    [
        ([None, 0.25], 0.25, True),
        ([0.25, 0.5], 0.75, False),
        ([None, None], None, False),
    ],
)
def test_what_the_agent_says_it_used_is_summed(
    usages: list[float | None], cost: float | None, verdict: bool
) -> None:
    said: list[Any] = [None if usage is None else Usage(cost_usd=usage) for usage in usages]
    sample = work(
        ScriptedWorker([call("echo", usage=said[0]), final("done", usage=said[1])]), spec("cost_max", max_usd=0.5)
    )
    assert sample.usage.cost_usd == cost
    assert [e.passed for e in sample.evaluations] == [verdict]


def test_words_beside_the_answer_are_kept() -> None:
    answer = AgentTurn(final="done", message="that was easy", latency_ms=1000)
    sample = work(ScriptedWorker([answer]), spec("step_count_max", max=1))
    assert ends(sample) == ("passed", "completed")
    assert [turn.text for turn in sample.turns] == ["Do it.", "that was easy", "done"]
    assert sample.final_output == "done"


def test_costs_add_up_without_a_trail_of_digits() -> None:
    turns = [call("echo", usage=Usage(cost_usd=0.1)), final("done", usage=Usage(cost_usd=0.2))]
    assert work(ScriptedWorker(turns)).usage.cost_usd == 0.3


@pytest.mark.parametrize("cost", [1e308, float("inf"), float("nan"), 0.7e24])
def test_a_cost_that_no_run_can_have_is_unknown(cost: float) -> None:
    beyond = Usage().model_copy(update={"cost_usd": cost})
    sample = work(ScriptedWorker([call("echo", usage=beyond), final("done", usage=beyond)]))
    assert (sample.status, sample.usage.cost_usd) == (SampleStatus.PASSED, None)
