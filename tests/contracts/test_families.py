"""What every member of a family holds: a new one is a file, a row in its registry, and no change here."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import pytest
from pydantic import ValidationError

from agentlab_ci.agents.interface import Agent, AgentTurn, SessionStart, Talker, Worker
from agentlab_ci.agents.opening import make_agent_opener
from agentlab_ci.agents.registry import AGENTS
from agentlab_ci.core.config import (
    AgentConfig,
    ExternalProcessAgent,
    HttpAgent,
    MockAgent,
    OpenAIAgent,
    PythonAgent,
    ScriptedReply,
)
from agentlab_ci.core.formats import FileFormat, JUnitStyle
from agentlab_ci.core.provider import RUNS_ON, Provider
from agentlab_ci.core.scenario import ScenarioType
from agentlab_ci.core.tool import TaskBrief
from agentlab_ci.core.trace import ToolCall
from agentlab_ci.evaluators.interface import Evidence, Finding
from agentlab_ci.evaluators.registry import EVALUATORS
from agentlab_ci.reports.registry import report_formats
from agentlab_ci.runner.registry import SCENARIO_RUNNERS
from canned import CANNED_REPORTS
from children import HOSTILE_CHILDREN, PROCESS_AGENT
from evaluator_rows import ROWS
from hostile import HOSTILE_TEXTS
from loopback import hostile_agent

ROW_OF = {kind: config for kind, config, _, _ in ROWS}


@pytest.mark.parametrize("name", EVALUATORS)
def test_an_evaluator_is_known_by_its_name_and_knows_its_config(name: str) -> None:
    kind = EVALUATORS[name]
    config = kind.config.model_validate(ROW_OF[name])
    assert kind.name == name
    assert kind.positions
    assert kind.passes_when
    with pytest.raises(ValidationError):
        kind.config.model_validate(ROW_OF[name] | {"unheard-of": 1})
    with pytest.raises(ValidationError):
        setattr(config, next(iter(kind.config.model_fields)), None)


@pytest.mark.parametrize("name", EVALUATORS)
def test_an_evaluator_answers_whatever_the_agent_says_and_always_the_same(name: str) -> None:
    kind = EVALUATORS[name]
    config = kind.config.model_validate(ROW_OF[name])
    for text in ("", *HOSTILE_TEXTS):
        call = ToolCall(name=text, input={text: [text]}, error=text)
        evidence = Evidence(output=text, latency_ms=0.0, turns=1, tool_calls=(call,), cost_usd=0.0)
        finding = kind.judge(config, evidence)
        assert isinstance(finding, Finding)
        assert finding.message
        assert kind.judge(config, evidence) == finding


@contextmanager
def config_of(provider: Provider) -> Iterator[AgentConfig]:
    """An agent of this kind that answers everything."""
    match provider:
        case Provider.MOCK:
            yield MockAgent(name="a", provider=provider, replies=(ScriptedReply(reply="hello, I am here"),))
        case Provider.HTTP:
            with hostile_agent() as web:
                yield HttpAgent(name="a", provider=provider, url=web.url("/ok"))
        case Provider.OPENAI:
            with hostile_agent() as web:
                yield OpenAIAgent(name="a", provider=provider, model="m", base_url=web.url("/v1"))
        case Provider.EXTERNAL_PROCESS:
            args = (PROCESS_AGENT, "no_newline", "-")
            yield ExternalProcessAgent(name="a", provider=provider, command=sys.executable, args=args)
        case Provider.PYTHON:
            yield PythonAgent(name="a", provider=provider, target="python_agent:greets")
        case _:
            pytest.fail(f"{provider} agents need a config here that answers everything")


def open_here(config: AgentConfig) -> Agent:
    environ = {"OPENAI_API_KEY": "sk-test"}
    return make_agent_opener(environ=environ, project=HOSTILE_CHILDREN, max_reply_bytes=1 << 20, mask=str)(config)


@pytest.mark.parametrize("provider", sorted(AGENTS.keys() & RUNS_ON[ScenarioType.CONVERSATION]))
def test_an_agent_holds_a_conversation_and_starts_each_session_afresh(provider: Provider) -> None:
    async def talk(config: AgentConfig) -> list[str]:
        agent = cast("Talker", open_here(config))
        said = []
        for conversation_id in ("one", "two"):
            start = SessionStart(scenario_id="a.b", sample=1, conversation_id=conversation_id)
            async with agent.session(start) as session:
                for message in ("hello", "and again"):
                    reply = await session.send(message)
                    assert reply.latency_ms >= 0
                    said.append(reply.text)
        await agent.aclose()
        await agent.aclose()
        return said

    with config_of(provider) as config:
        said = asyncio.run(talk(config))
    assert all(said)
    assert said[:2] == said[2:], "the second session knows nothing of the first"


@pytest.mark.parametrize("provider", sorted(AGENTS.keys() & RUNS_ON[ScenarioType.TASK]))
def test_an_agent_ends_a_task_with_calls_or_an_answer_and_may_be_left_at_any_time(provider: Provider) -> None:
    start = SessionStart(scenario_id="a.b", sample=1, conversation_id="one")
    brief = TaskBrief(instructions="Say hello.", tools=())

    async def work(config: AgentConfig) -> list[AgentTurn]:
        agent = cast("Worker", open_here(config))
        async with agent.task(start, brief):
            pass
        turns = []
        for _ in range(2):
            async with agent.task(start, brief) as session:
                turns.append(await session.advance(()))
        await agent.aclose()
        await agent.aclose()
        return turns

    with config_of(provider) as config:
        turns = asyncio.run(work(config))
    for turn in turns:
        assert bool(turn.calls) != (turn.final is not None)
        assert turn.latency_ms >= 0


@pytest.mark.parametrize("style", JUnitStyle)
@pytest.mark.parametrize("name", FileFormat)
def test_a_report_renders_every_kind_of_run_to_the_same_bytes_again(name: FileFormat, style: JUnitStyle) -> None:
    kind = report_formats(junit_style=style)[name]
    assert kind.name == name
    for report in CANNED_REPORTS.values():
        rendered = kind.render(report)
        assert rendered == kind.render(report)
        text = rendered.decode("utf-8")
        if report is not CANNED_REPORTS["hostile"]:
            assert all(row.scenario_id in text for row in report.scenarios)


def test_report_files_do_not_overwrite_each_other() -> None:
    names = [kind.file_name for kind in report_formats(junit_style=JUnitStyle.SAMPLES).values()]
    assert len(set(names)) == len(names) == len(FileFormat)


def test_what_can_be_run_is_a_scenario_type() -> None:
    assert SCENARIO_RUNNERS.keys() <= set(ScenarioType)


def test_every_evaluator_has_a_row() -> None:
    assert ROW_OF.keys() == EVALUATORS.keys()
