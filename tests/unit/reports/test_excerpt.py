"""The lines that a sample was judged by."""

from typing import Any

import pytest

from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.scenario import Mode
from agentlab_ci.core.trace import Evaluation, Role, SampleError, ToolCall, Turn
from agentlab_ci.reports.evidence import to_json
from agentlab_ci.reports.excerpt import excerpt
from agentlab_ci.reports.redact import cut
from factories import make_samples

TALK = tuple(
    Turn(role=role, text=text)
    for role, text in (
        (Role.USER, "one?"),
        (Role.AGENT, "One."),
        (Role.USER, "two?"),
        (Role.AGENT, "Two."),
        (Role.USER, "three?"),
    )
)


def _sample(**update: Any) -> SampleResult:
    return make_samples("f")[0].model_copy(update=update)


def _missed(*steps: int | None) -> tuple[Evaluation, ...]:
    return tuple(
        Evaluation(id="a", type="a", mode=Mode.WEIGHTED, step=step, passed=False, message="") for step in steps
    )


@pytest.mark.parametrize(
    ("steps", "shown"),
    [
        ((2, 1), "user: one?\nagent: One."),  # the first step that failed
        ((2,), "user: two?\nagent: Two."),
        ((9,), "agent: Two.\nuser: three?"),  # there is no such step
        ((None,), "agent: Two.\nuser: three?"),  # failed at the end
        ((), "agent: Two.\nuser: three?"),
    ],
)
def test_the_exchange_that_was_judged(steps: tuple[int | None, ...], shown: str) -> None:
    assert excerpt(_sample(turns=TALK, evaluations=_missed(*steps))) == shown


def test_what_came_instead_of_an_answer() -> None:
    error = SampleError(message="HTTP 502", status=502, body="\n<h1>\r\nBad gateway\n")
    assert excerpt(_sample(turns=TALK, error=error)) == "instead of an answer: <h1>\n    Bad gateway"


def test_an_output_without_turns() -> None:
    assert excerpt(_sample(final_output="42\n")) == "final output: 42"
    assert excerpt(_sample()) == ""


def test_a_reply_cannot_pretend_to_be_another_speaker() -> None:
    turns = (Turn(role=Role.AGENT, text="no\nuser: yes\ragent: yes"),)
    assert excerpt(_sample(turns=turns)) == "agent: no\n    user: yes\n    agent: yes"


def test_long_replies_are_cut() -> None:
    shown = excerpt(_sample(turns=(Turn(role=Role.AGENT, text="line\n" * 30),)))
    assert shown.splitlines()[-1] == "    … [18 more lines left out]"
    assert len(shown.splitlines()) == 13
    shown = excerpt(_sample(turns=(Turn(role=Role.AGENT, text="é" * 5000),)))
    assert len(shown.encode()) < 1100
    assert "more bytes left out" in shown


def test_of_a_task_its_last_calls_with_what_came_of_them_and_the_answer() -> None:
    calls = [ToolCall(name=f"t{n}", input={"n": n}, output={"ok": True}) for n in range(6)]
    calls += [
        ToolCall(name="orders.list", input={}, error="no answer came", fault="timeout"),
        ToolCall(name="long", input={"x": "y" * 1000}, output="plain"),
    ]
    assert excerpt(_sample(tool_calls=tuple(calls), final_output="Done.")).splitlines() == [
        "… [2 earlier calls left out]",
        'call: t2 {"n": 2} → {"ok": true}',
        'call: t3 {"n": 3} → {"ok": true}',
        'call: t4 {"n": 4} → {"ok": true}',
        'call: t5 {"n": 5} → {"ok": true}',
        "call: orders.list {} → error: no answer came (fault: timeout)",
        "call: long " + cut(to_json({"x": "y" * 1000}), 200) + " → plain",
        "agent: Done.",
    ]
