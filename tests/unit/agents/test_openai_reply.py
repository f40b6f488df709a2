import contextlib
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from agentlab_ci.agents.interface import AgentBusyError, AgentFailedError
from agentlab_ci.agents.openai_reply import LONGEST_QUOTE, Completion, read_completion
from agentlab_ci.core.config import OpenAIAgent, Price
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.tool import CallRequest
from agentlab_ci.core.trace import Usage
from openai_talk import KEY, answer, asks, calls, model, says

NOW = datetime(2026, 4, 7, tzinfo=UTC)
CAP = 100_000
WHERE = "POST http://a/v1/chat/completions"
LENGTH = "cut short at the model's token limit (`finish_reason: length`)"
FILTER = "cut short by the provider's content filter (`finish_reason: content_filter`)"
STREAM = "the reply is a stream of events, not JSON: the server streams what is to come in one piece"
REFUSED = "the model refused (`refusal`)"


def read(
    data: object, *, status: int = 200, price: Price | None = None, config: OpenAIAgent | None = None
) -> Completion:
    return read_completion(
        answer(data, status=status, config=config),
        functions={"orders_refund": "orders.refund"},
        turn=1,
        price=price,
        cap=CAP,
        now=NOW,
    )


def fail(data: object, **more: Any) -> AgentFailedError:
    with pytest.raises(AgentFailedError) as failure:
        read(data, **more)
    return failure.value


@pytest.mark.parametrize(
    ("data", "text", "note"),
    [
        (says("It has shipped."), "It has shipped.", None),
        (says(""), "", None),  # an empty answer is one
        (says(None), "", None),
        (says("It has", finish="length"), "It has", LENGTH),
        (says(None, finish="length"), "", LENGTH),  # all its tokens went into thinking
        (says("It", finish="content_filter"), "It", FILTER),
        (says(None, finish="content_filter"), "", FILTER),
        (says(None, refusal="I cannot do that."), "I cannot do that.", REFUSED),
        (
            says("", refusal="I cannot do that.", finish="content_filter"),
            "I cannot do that.",
            f"{REFUSED}; {FILTER}",
        ),
        (says([{"type": "text", "text": "Hi. "}, {"type": "refusal", "refusal": "No."}]), "Hi. No.", None),
        (says("Hi", refusal=None), "Hi", None),
        (says("Hi", refusal="no"), "Hi", None),
        (says("Hi", finish=None), "Hi", None),
        (says("Hi", finish="something new"), "Hi", None),
        (
            says([{"type": "text", "text": "It has "}, {"type": "text", "text": "shipped."}]),
            "It has shipped.",
            None,
        ),
        (says([{"type": "thinking", "thinking": [{"text": "hm"}]}, {"type": "text", "text": "Hi"}]), "Hi", None),
        (says([{"type": "refusal", "refusal": "No."}, "odd", {"text": 7}]), "No.", REFUSED),
        (says([]), "", None),
        ({"choices": [{"message": {}}]}, "", None),
        ({"choices": [{"message": {"content": "Hi"}}, {"message": {"content": "other"}}]}, "Hi", None),
        ({"error": None, **says("Hi")}, "Hi", None),
    ],
)
def test_what_the_model_says_is_its_answer(data: object, text: str, note: str | None) -> None:
    said = read(data)
    assert (said.text, said.note, said.calls, said.latency_ms) == (text, note, (), 5)


def test_bytes_that_are_not_utf8_are_noted_beside_what_else_there_is_to_note() -> None:
    said = read(json.dumps(says("caf@", finish="length")).encode().replace(b"@", b"\xe9"))
    assert said.text == "caf\ufffd"
    assert said.note == f"the reply held bytes that are not UTF-8; each is shown as U+FFFD; {LENGTH}"


def test_a_model_may_talk_and_call() -> None:
    entry = asks("orders_refund", '{"order_id": "ord_1"}')
    said = read(calls(entry, content="One moment."))
    assert said.text == "One moment."
    assert [call.request for call in said.calls] == [
        CallRequest(name="orders.refund", input={"order_id": "ord_1"})
    ]


def test_the_message_goes_back_as_it_came() -> None:
    entry = asks("orders_refund", "{}")
    data = calls(entry)
    data["choices"][0]["message"] |= {"reasoning_content": "hm", "refusal": None, "annotations": []}
    assert read(data).message == data["choices"][0]["message"]


def test_what_a_server_leaves_out_is_filled_in_on_the_way_back() -> None:
    said = read({"choices": [{"message": {"tool_calls": [{"function": {"name": "a", "arguments": "{}"}}]}}]})
    assert said.message["role"] == "assistant"
    assert said.message["tool_calls"][0]["id"] == said.calls[0].id == "call_1_1"


USAGE = {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200}
PRICE = Price(input_per_million=0.15, output_per_million=0.6)


@pytest.mark.parametrize(
    ("usage", "price", "expected"),
    [
        (USAGE, None, Usage(input_tokens=1000, output_tokens=200)),
        (USAGE, PRICE, Usage(input_tokens=1000, output_tokens=200, cost_usd=0.00027)),
        (USAGE | {"cost": 0.5}, None, Usage(input_tokens=1000, output_tokens=200, cost_usd=0.5)),
        # the price that was configured is the one to count by
        (USAGE | {"cost": 0.5}, PRICE, Usage(input_tokens=1000, output_tokens=200, cost_usd=0.00027)),
        (None, PRICE, Usage()),  # unknown is not free
        ({"prompt_tokens": 1000}, PRICE, Usage(input_tokens=1000)),
        ({"prompt_tokens": 1000, "completion_tokens": None, "cost": 0.5}, PRICE, Usage(input_tokens=1000)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, PRICE, Usage(input_tokens=0, output_tokens=0, cost_usd=0)),
        ({"prompt_tokens": "9", "completion_tokens": -1, "cost": True}, None, Usage()),
    ],
)
def test_the_cost_is_by_the_price_or_else_what_the_server_says(
    usage: object, price: Price | None, expected: Usage
) -> None:
    used = read(says("Hi") | {"usage": usage}, price=price).usage
    assert (used.input_tokens, used.output_tokens) == (expected.input_tokens, expected.output_tokens)
    assert used.cost_usd == (None if expected.cost_usd is None else pytest.approx(expected.cost_usd, rel=1e-12))


def test_the_dearest_tokens_that_may_be_counted_have_a_cost_that_can_be_held() -> None:
    most = (1 << 53) - 1
    dear = Price(input_per_million=1e6, output_per_million=1e6)
    used = read(says("Hi") | {"usage": {"prompt_tokens": most, "completion_tokens": most}}, price=dear).usage
    assert Usage.model_validate(used.model_dump()).cost_usd == pytest.approx(2 * most)
    with pytest.raises(ValidationError, match="less than or equal to 1000000"):
        Price(input_per_million=1e308, output_per_million=1)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"choices": []}, "the reply has no `choices.0.message`: `choices` is a list of 0; check `base_url`"),
        (
            {"object": "list"},
            "the reply has no `choices.0.message`: it is an object with object; check `base_url`",
        ),
        ([], "the reply has no `choices.0.message`: it is a list of 0; check `base_url`"),
        (
            {"choices": [{"text": "completion of old"}]},
            "the reply has no `choices.0.message`: it is an object with text; check `base_url`",
        ),
        ({"choices": ["Hi"]}, "the reply has no `choices.0.message`: it is text; check `base_url`"),
        ({"choices.0": "Hi", "choices.0.message": {}}, "the reply has no `choices.0.message`: it is text; check"),
        ({"choices": [{"message": "Hi"}]}, "`choices.0.message` in the reply is text, not an object"),
        (says(7), "`choices.0.message.content` in the reply is a number, not text"),
        (says({"text": "Hi"}), "`choices.0.message.content` in the reply is an object with text, not text"),
        (says(None, tool_calls="x"), "`tool_calls` in the reply is text, not a list"),
        (says(None, function_call={"name": "a"}), "the reply has a `function_call`, the form before"),
        (b"oops", "the reply is not JSON; check `base_url`"),
        (b"<html>", "the reply is HTML, not JSON; check `base_url`"),
        (b'data: {"choices": []}\n\ndata: [DONE]\n\n', f"{STREAM}; check `base_url`"),
        (b": ping\n\nevent: message\ndata: {}\n\n", f"{STREAM}; check `base_url`"),
        (b"", "the reply is empty, not JSON; check `base_url`"),
    ],
)
def test_what_is_no_completion_is_no_answer(data: object, why: str) -> None:
    failure = fail(data)
    assert failure.message.startswith(f"{WHERE}: {why}")
    assert failure.reason is TerminationReason.INVALID_RESPONSE_FORMAT
    assert not failure.redrawable
    assert failure.body is not None


@pytest.mark.parametrize(
    ("data", "says_"),
    [
        ({"error": {"message": "Upstream is down", "code": 502}}, "Upstream is down"),
        ({"error": "Upstream is down"}, "Upstream is down"),
        ({"error": {"code": 502}}, "an object with code"),
        (
            {"choices": [{"error": {"message": "Upstream is down"}, "message": {"content": "It ha"}}]},
            "Upstream is",
        ),
    ],
)
def test_an_error_that_comes_as_an_answer_is_none(data: object, says_: str) -> None:
    failure = fail(data)
    assert failure.message.startswith(f"{WHERE}: the reply is an error: {says_}")
    assert (failure.reason, failure.redrawable) == (TerminationReason.AGENT_ERROR, False)


def test_a_long_error_is_masked_before_it_is_cut() -> None:
    failure = fail({"error": "x" * (LONGEST_QUOTE - 5) + KEY + "y" * 9000})
    assert failure.message.endswith("xx***yy…")
    assert "sk-" not in failure.message


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        (400, "check `model`, `extra_body` and the `input_schema` of the tools"),
        (401, "check the key in `GPT_KEY`"),
        (402, "the account of the key in `GPT_KEY` has no credit"),
        (403, "check what the key in `GPT_KEY` may use, and `model`"),
        (404, "check `model`, and `base_url`, which ends before `/chat/completions`"),
        (405, "check `base_url`"),
        (422, "check `model`, `extra_body` and the `input_schema` of the tools"),
        (500, "the server did not answer the message; what it says may tell why"),
        (302, "redirects are not followed; set `base_url` to where it points"),
        (502, "the server did not answer the message; what it says may tell why"),
    ],
)
def test_an_error_status_tells_what_to_check(status: int, hint: str) -> None:
    failure = fail({"error": {"message": "no"}}, status=status, config=model(api_key_env="GPT_KEY"))
    assert failure.message == f"{WHERE} answered HTTP {status}: {hint}"
    assert (failure.reason, failure.status) == (TerminationReason.HTTP_ERROR, status)
    assert (failure.redrawable, failure.hopeless) == (status == 502, False)
    assert failure.body == '{"error": {"message": "no"}}'


QUOTA = {"error": {"message": "You exceeded your current quota.", "type": "insufficient_quota", "code": None}}


@pytest.mark.parametrize(
    "data",
    [QUOTA, {"error": {"message": "You exceeded your current quota.", "code": "billing_not_active"}}],
)
def test_a_quota_that_is_used_up_is_not_waited_for(data: object) -> None:
    failure = fail(data, status=429)
    assert failure.message == (
        f"{WHERE} answered HTTP 429, and waiting does not help: You exceeded your current quota."
    )
    assert (failure.reason, failure.status) == (TerminationReason.HTTP_ERROR, 429)
    assert (failure.redrawable, failure.hopeless) == (False, True)


@pytest.mark.parametrize(
    "data",
    [
        {"error": {"message": "Rate limit reached", "type": "tokens", "code": "rate_limit_exceeded"}},
        {"error": "insufficient_quota, they say"},
        {"error": {"code": ["insufficient_quota"]}},
        [QUOTA],
        b"slow down",
        b"[" * 99_999,
        b"",
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_waited_for(data: object, status: int) -> None:
    with pytest.raises(AgentBusyError) as busy:
        read(data, status=status)
    assert busy.value.status == status


@settings(derandomize=True, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["choices", "message", "content", "error", "usage", "finish_reason", "tool_calls"]
                ),
                inner,
            )
        ),
    )
)
def test_whatever_a_server_answers_is_a_completion_or_an_error(data: object) -> None:
    with contextlib.suppress(AgentFailedError):
        assert isinstance(read(data).text, str)
