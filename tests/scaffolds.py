"""What a new project needs to be run in a test: its server for http, and a model for openai.

The model is the stand-in of the Python project of the same domain: it knows how to do the job.
"""

import asyncio
import contextlib
import json
import re
import runpy
import subprocess
import sys
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import loopback
from agentlab_ci.core.domain import Domain
from agentlab_ci.core.provider import Provider
from demo import ROOT, clean_environ
from loopback import HostileAgent, Request, Route, hostile_agent
from openai_talk import KEY, asks, calls, says

INIT = ROOT / "templates/init"
COMPLETIONS = "/v1/chat/completions"


@contextlib.contextmanager
def ready_to_run(
    folder: Path, provider: Provider, domain: Domain, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Mapping[str, str]]:
    """Do what a user does before the first run; yields the variables to run it with."""
    match provider:
        case Provider.HTTP:
            with _server(folder) as url:
                _edit(folder / "agentlab.config.yaml", "http://localhost:8787/", url)
                yield {}
        case Provider.OPENAI:
            monkeypatch.setitem(loopback.ROUTES, COMPLETIONS, _model(domain))
            with hostile_agent() as server:
                _edit(folder / "agentlab.config.yaml", "https://api.openai.com/v1", server.url("/v1"))
                yield {"OPENAI_API_KEY": KEY}
        case _:
            yield {}


def _edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")


@contextlib.contextmanager
def _server(folder: Path) -> Iterator[str]:
    """Start the project's agent on a free port and return its address."""
    environ = clean_environ() | {"PORT": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(
        [sys.executable, "agent.py"], cwd=folder, env=environ, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://localhost:\d+/", process.stdout.readline())
            assert found is not None
            yield found[0]
        finally:
            process.kill()


def _model(domain: Domain) -> Route:
    answer = _load_stand_in(domain)

    async def route(agent: HostileAgent, request: Request, count: int, writer: asyncio.StreamWriter) -> None:
        body = json.dumps(_complete(answer, request.body)).encode()
        await loopback.fixed(body)(agent, request, count, writer)

    return route


def _complete(answer: Any, body: Any) -> dict[str, Any]:
    """Answer a request for a completion as the stand-in would."""
    functions = [tool["function"]["name"] for tool in body.get("tools", [])]
    instructions, _, variables = body["messages"][0]["content"].partition("\n\nContext:\n")
    messages = body["messages"]
    if functions:
        messages = [{"role": "user", "content": instructions}, *messages[1:]]
    said = answer(messages, {"variables": json.loads(variables or "{}")}, functions)
    if isinstance(said, str):
        return says(said)
    return calls(*(asks(it["name"].replace(".", "_"), json.dumps(it["input"])) for it in said["tool_calls"]))


def _load_stand_in(domain: Domain) -> Any:
    """Load the agent of the Python project; `talk` and `work` are modules of this domain only while it loads."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("talk", "work"):
            module = types.ModuleType(name)
            vars(module).update(runpy.run_path(str(INIT / "domains" / domain / f"{name}.py")))
            patch.setitem(sys.modules, name, module)
        return runpy.run_path(str(INIT / "providers/python/agent.py"))["answer"]
