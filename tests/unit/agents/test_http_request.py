import json
from typing import Any

import pytest

from agentlab_ci.agents.http_request import RequestParts, build_request, read_env_values
from agentlab_ci.agents.interface import AgentFailedError
from agentlab_ci.core.config import HttpAgent
from agentlab_ci.core.provider import Provider

MESSAGES = [{"role": "user", "content": "hi"}]
VALUES = {"message": "hi", "conversation_id": "c1", "messages": MESSAGES, "env.KEY": "k-1"}


def build(values: dict[str, Any] | None = None, **more: Any) -> RequestParts:
    config = HttpAgent.model_validate({"name": "a", "provider": "http", "url": "http://a/"} | more)
    return build_request(config, VALUES | (values or {}))


def test_the_default_body_is_message_and_conversation_id() -> None:
    assert json.loads(build().body or b"") == {"message": "hi", "conversation_id": "c1"}


def test_an_empty_template_is_an_empty_body() -> None:
    assert build(request_template={}).body == b"{}"


def test_a_whole_placeholder_becomes_the_value_itself() -> None:
    template = {"model": "m", "messages": "{{messages}}", "note": "of {{conversation_id}}"}
    assert json.loads(build(request_template=template).body or b"") == {
        "model": "m",
        "messages": MESSAGES,
        "note": "of c1",
    }


def test_a_lone_surrogate_travels_as_an_escape() -> None:
    body = build({"message": "a\ud800b"}).body
    assert body is not None
    assert json.loads(body)["message"] == "a\ud800b"


def test_own_headers_win_in_any_case() -> None:
    headers = build(headers={"content-type": "application/vnd.x+json", "X-Key": " {{env.KEY}} "}).headers
    assert headers[b"content-type"] == b"application/vnd.x+json"
    assert b"Content-Type" not in headers
    assert headers[b"X-Key"] == b"k-1"
    assert headers[b"Accept-Encoding"] == b"identity"


def test_a_header_carries_utf8() -> None:
    assert build({"message": "café"}, headers={"X": "{{message}}"}).headers[b"X"] == "café".encode()


@pytest.mark.parametrize("character", ["\n", "\r", "\x00", "\x1b", "\x7f"])
def test_a_header_with_a_control_character_is_not_sent(character: str) -> None:
    with pytest.raises(AgentFailedError, match="header X was not sent") as failure:
        build({"message": f"a{character}b"}, headers={"X": "{{message}}"})
    assert not failure.value.redrawable


def test_get_turns_the_template_into_a_query() -> None:
    parts = build(
        {"message": "a\ud800"}, method="GET", request_template={"q": "{{message}}", "m": "{{messages}}", "n": 1}
    )
    assert parts.body is None
    assert parts.query == {"q": "a?", "m": '[{"role": "user", "content": "hi"}]', "n": "1"}
    assert b"Content-Type" not in parts.headers


def test_only_named_variables_are_read() -> None:
    config = HttpAgent(name="a", provider=Provider.HTTP, headers={"X": "{{env.KEY}} {{message}}"})
    assert read_env_values(config, {"KEY": "k", "OTHER": "o"}) == {"env.KEY": "k"}
