"""The http agent against an OpenAI-compatible server that others wrote."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from aimock import aimock, journal
from command import Ended, agentlab, conversation, write_project

KEY = "sk-canary-123456"

pytestmark = pytest.mark.network


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Start the server; yields its base URL."""
    with aimock("openai_replies.json", key=KEY) as url:
        yield url


@pytest.fixture(scope="module")
def ended(server: str, tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """Run a suite of four conversations."""
    agent = {
        "name": "chat",
        "provider": "http",
        "url": f"{server}/v1/chat/completions",
        "headers": {"Authorization": "Bearer {{env.CHAT_KEY}}"},
        "request_template": {"model": "any", "messages": "{{messages}}"},
        "response_field": "choices.0.message.content",
        "usage_fields": {"input_tokens": "usage.prompt_tokens", "output_tokens": "usage.completion_tokens"},
    }
    scenarios: list[Mapping[str, Any]] = [
        one_step("chat.flaky", "where is my order?", sampling={"samples": 3, "pass_rate": 0.67}),
        one_step("chat.overload", "overload"),
        one_step("chat.explode", "explode"),
        conversation(
            "chat.memory",
            steps=[step("my name is Ada", "Ada"), step("who am I?", "You are Ada")],
        ),
    ]
    # One at a time, so that the replies come in the order of the file.
    config = {"agents": [agent], "concurrency": 1}
    project = write_project(tmp_path_factory.mktemp("openai"), config, scenarios)
    return agentlab(project, "run", environ={"CHAT_KEY": KEY})


def one_step(scenario_id: str, message: str, **more: Any) -> dict[str, Any]:
    return conversation(scenario_id, steps=[step(message, "shipped")], **more)


def step(message: str, keyword: str) -> dict[str, Any]:
    check = {"type": "response_contains", "mode": "hard_gate", "config": {"keywords": [keyword]}}
    return {"role": "user", "message": message, "evaluators": [check]}


def test_every_sample_gets_its_own_reply(ended: Ended) -> None:
    assert ended.ends()["chat.flaky"] == [
        ("passed", "completed"),
        ("failed", "evaluator_failed"),
        ("passed", "completed"),
    ], ended.out + ended.err


def test_a_rate_limit_is_waited_out(ended: Ended) -> None:
    assert ended.ends()["chat.overload"] == [("passed", "completed")]
    [sample] = row(ended, "chat.overload")["samples"]
    assert [wait["status"] for wait in sample["waits"]] == [429]


def test_an_error_that_holds_the_words_is_an_error(ended: Ended) -> None:
    assert ended.ends()["chat.explode"] == [("error", "http_error")]
    assert ended.code == 1


def test_the_history_goes_with_each_message(ended: Ended, server: str) -> None:
    assert ended.ends()["chat.memory"] == [("passed", "completed")]
    received = journal(server, key=KEY)
    assert received[-1]["body"]["messages"] == [
        {"role": "user", "content": "my name is Ada"},
        {"role": "assistant", "content": "Hello Ada."},
        {"role": "user", "content": "who am I?"},
    ]
    assert {entry["headers"]["user-agent"].partition("/")[0] for entry in received} == {"agentlab"}


def test_usage_is_recorded(ended: Ended) -> None:
    usage = row(ended, "chat.flaky")["samples"][0]["usage"]
    assert usage["input_tokens"] > 0
    assert usage["output_tokens"] > 0


def test_the_key_is_nowhere(ended: Ended) -> None:
    written = [path.read_bytes() for path in ended.folder.rglob("*") if path.is_file()]
    assert written
    assert all(KEY.encode() not in text for text in [*written, ended.out.encode(), ended.err.encode()])


def row(ended: Ended, scenario_id: str) -> Any:
    return next(r for r in ended.results["scenarios"] if r["scenario_id"] == scenario_id)
