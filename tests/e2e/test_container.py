"""The image, run with a runner's mounts, environment and working directory."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from action_step import write_mock_project
from command import conversation, write_project
from container import OWNER, Runner, owners
from fake_github import FakeGitHub, fake_github
from loopback import hostile_agent
from runner_commands import find_commands

pytestmark = [
    pytest.mark.network,
    pytest.mark.skipif(
        "AGENTLAB_CONTAINERS" not in os.environ, reason="needs the folder that .ci/container makes"
    ),
]


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with fake_github() as server:
        yield server
    assert server.problems == []


def mock_runner(tmp_path: Path, **project: Any) -> Runner:
    return Runner(write_mock_project(tmp_path / "workspace", **project))


def test_a_tolerated_failure_is_green(tmp_path: Path, github: FakeGitHub) -> None:
    runner = mock_runner(tmp_path, fail_samples=(2,))
    ended = runner.run(github, inputs={"pass-rate": "0.6"})
    assert ended.code == 0, ended.log
    assert ended.outputs["verdict"] == "passed"
    assert ended.outputs["samples-failed"] == "2"
    assert (runner.workspace / ended.outputs["report-junit"]).is_file()
    assert "orders.status" in ended.summary
    (body,) = github.bodies()
    assert "orders.status" in body
    assert owners(runner.workspace) == {(OWNER, OWNER)}
    assert set(find_commands(ended.log)) == {"group", "endgroup"}


def test_an_agent_on_the_network_is_asked(tmp_path: Path, github: FakeGitHub) -> None:
    with hostile_agent() as server:
        agent = {"name": "mine", "provider": "http", "url": server.url("/ok")}
        workspace = write_project(tmp_path / "workspace", {"agents": [agent]}, [conversation("orders.status")])
        ended = Runner(workspace).run(github, inputs={"wait-for-url": server.url("/503-once")})
        assert ended.code == 0, ended.log
        assert server.requests == {"/503-once": 2, "/ok": 1}


def test_below_the_bar_is_red(tmp_path: Path, github: FakeGitHub) -> None:
    ended = mock_runner(tmp_path, fail_samples=(1, 2)).run(github)
    assert ended.code == 1, ended.log
    assert ended.log.count("::error file=scenarios/all.yaml,line=") == 2


def test_a_broken_config_is_told_everywhere(tmp_path: Path, github: FakeGitHub) -> None:
    runner = mock_runner(tmp_path)
    assert runner.run(github, run_id=1).code == 0
    (runner.workspace / "agentlab.config.yaml").write_text("agents: 7\n", encoding="utf-8")
    ended = runner.run(github, run_id=2)
    assert ended.code == 2, ended.log
    assert ended.outputs["verdict"] == ""
    assert "::error file=agentlab.config.yaml,line=1" in ended.log
    assert "was not judged" in github.bodies()[0]
    assert "agentlab.config.yaml" in ended.summary


def test_a_cancelled_job_leaves_its_reports(tmp_path: Path, github: FakeGitHub) -> None:
    agents = [
        {"name": "quick", "provider": "mock", "replies": [{"reply": "It has shipped."}]},
        {"name": "slow", "provider": "mock", "replies": [{"reply": "It has shipped."}], "latency_ms": 3_600_000},
    ]
    scenarios = [conversation("a.quick", agent="quick"), conversation("a.slow", agent="slow")]
    runner = Runner(write_project(tmp_path / "workspace", {"agents": agents}, scenarios))
    with runner.started(f"agentlab-{uuid.uuid4().hex}", github, inputs={"samples": "3"}) as container:
        container.wait_for("sample 3/3")
        first, *others = container.processes()
        assert first.endswith("agentlab action")
        assert len(others) == 1, "process 1 hands signals on, another one works"
        ended = container.stop()
    assert ended.code == 143, ended.log
    assert ended.outputs["verdict"] == "unfinished"
    assert "a.quick" in ended.summary
    assert owners(runner.workspace) == {(OWNER, OWNER)}


def test_nothing_depends_on_home_or_the_runner_s_variables(tmp_path: Path) -> None:
    """As somebody tries the image by hand."""
    runner = mock_runner(tmp_path)
    done = runner.call(
        *("run", "--rm", "--network=none", "--env=HOME=/nowhere", "--workdir=/work"),
        *(f"--volume={runner.workspace}:/work", "localhost/agentlab:e2e"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "::" not in done.stdout
