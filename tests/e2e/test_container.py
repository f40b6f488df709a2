"""The image, run with a runner's mounts, environment and working directory."""

import os
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from action_step import write_mock_project
from command import conversation, write_project
from container import OWNER, Runner, owners
from fake_github import FakeGitHub, fake_github
from livekit_export import EXPORT, write_export
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


def test_what_livekit_has_run_is_reported(tmp_path: Path, github: FakeGitHub) -> None:
    runner = Runner(write_export(tmp_path / "workspace", "orders.status=pff", "orders.delay=ppp"))
    ended = runner.run(github, inputs={"from-livekit": EXPORT})
    assert ended.code == 1, ended.log
    assert ended.outputs["failed-scenarios"] == '["orders.status"]'
    assert "orders.status" in github.bodies()[0]
    assert "orders.status" in ended.summary
    assert owners(runner.workspace) == {(OWNER, OWNER)}
    assert set(find_commands(ended.log)) == {"group", "endgroup", "error"}


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


@contextmanager
def server_on_every_address() -> Iterator[int]:
    """Serve an agent that the container's gateway leads to."""

    class Agent(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

        def do_GET(self) -> None:
            body = b'{"message": "It has shipped."}'
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("0.0.0.0", 0), Agent) as server:  # noqa: S104 - that is what is tried
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def test_localhost_of_the_runner_is_reached_through_the_gateway(tmp_path: Path, github: FakeGitHub) -> None:
    with server_on_every_address() as port:
        url = f"http://localhost:{port}/"
        agent = {"name": "mine", "provider": "http", "url": url}
        workspace = write_project(tmp_path / "workspace", {"agents": [agent]}, [conversation("orders.status")])
        runner = Runner(workspace)
        # The bridge does not lead to the GitHub on loopback: no token, no call.
        inputs = {"github-token": "", "wait-for-url": url, "wait-seconds": "20", "localhost-gateway": "true"}
        ended = runner.run(github, inputs=inputs, network="bridge")
        assert ended.code == 0, ended.log
        assert str(port) in (workspace / ended.outputs["report-json"]).read_text(encoding="utf-8")


def test_without_the_gateway_it_is_said_what_to_do(tmp_path: Path, github: FakeGitHub) -> None:
    agent = {"name": "mine", "provider": "http", "url": "http://localhost:3000/"}
    config = {"agents": [agent], "sampling": {"error_retries": 0}}
    workspace = write_project(tmp_path / "workspace", config, [conversation("orders.status")])
    ended = Runner(workspace).run(github, inputs={"github-token": ""}, network="bridge")
    assert ended.code == 1, ended.log
    assert "localhost-gateway: true" in ended.log


def test_nothing_depends_on_home_or_the_runner_s_variables(tmp_path: Path) -> None:
    """As somebody tries the image by hand."""
    runner = mock_runner(tmp_path)
    done = runner.call(
        *("run", "--rm", "--network=none", "--env=HOME=/nowhere", "--workdir=/work"),
        *(f"--volume={runner.workspace}:/work", "localhost/agentlab:e2e"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "::" not in done.stdout
