"""Where the command meets a world that is not as it should be: streams, disks, signals, hostile names."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agentlab_ci.results_file import LONGEST
from command import agentlab, conversation, start_agentlab, start_python, wait_for, write_project
from demo import clean_environ
from loopback import hostile_agent
from runner_commands import find_commands

MOCK = {"name": "mock", "provider": "mock", "replies": [{"reply": "It has shipped."}]}
FORGED = "x\n::error::FORGED\r::warning::F2 ##[error]F3"


def project(folder: Path, agent: object = MOCK) -> Path:
    return write_project(folder, {"agents": [agent]}, [conversation("a.one"), conversation("a.two")])


def run_in_shell(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run a shell line in which `agentlab` is the command."""
    environ = clean_environ() | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    line = command.replace("agentlab", f"{sys.executable} -m agentlab_ci", 1)
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environ, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize(
    "redirection", [">/dev/full", ">&-", "2>&-", ">&- 2>&-", "| head -1; exit ${PIPESTATUS[0]}"]
)
def test_a_stream_that_takes_nothing_costs_no_verdict(tmp_path: Path, redirection: str) -> None:
    done = run_in_shell(project(tmp_path), f"agentlab run {redirection}")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert (tmp_path / "agentlab-report" / "results.json").exists()


@pytest.mark.parametrize("redirection", [">/dev/full", ">&-"])
@pytest.mark.parametrize("command", ["export agentlab-report/results.json", "schema scenario"])
def test_what_was_asked_for_is_not_lost_without_a_word(tmp_path: Path, command: str, redirection: str) -> None:
    folder = project(tmp_path)
    assert run_in_shell(folder, "agentlab run").returncode == 0
    done = run_in_shell(folder, f"agentlab {command} {redirection}")
    assert done.returncode == 2
    assert done.stderr.startswith("agentlab: ")
    assert "Traceback" not in done.stderr


def test_a_report_that_cannot_be_written_leaves_the_others_and_the_verdict(tmp_path: Path) -> None:
    folder = project(tmp_path, MOCK | {"fail_samples": [1], "latency_ms": 3_600_000})
    process = start_agentlab(folder, "run", "--timeout", "2")
    report = folder / "agentlab-report" / "results.json"
    while not (folder / "artifacts" / "agentlab.db").exists():  # it is opened once the folder was looked at
        assert process.poll() is None
    report.mkdir()
    ended = wait_for(process, folder)
    assert ended.code == 3, "no scenario got a verdict, whatever became of the reports"
    assert "cannot write agentlab-report/results.json: Is a directory" in ended.err
    assert "--timeout is over: 2 scenarios unfinished" in ended.err
    assert (folder / "agentlab-report" / "junit.xml").exists()


@pytest.mark.parametrize(
    ("args", "longest"), [(("report",), "1024 MiB"), (("report", "--from", "livekit"), "64 MiB")]
)
def test_results_that_are_too_long_are_not_read(tmp_path: Path, args: tuple[str, ...], longest: str) -> None:
    with (tmp_path / "big.json").open("wb") as file:
        file.truncate(LONGEST + 1)  # it holds zeros, and takes no room
    ended = agentlab(tmp_path, *args, "big.json")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == f"agentlab: cannot read big.json: it is longer than {longest}\n"


@pytest.mark.parametrize(
    "args",
    [
        ("run", "--dry-run"),
        ("run", "--agent", "nope"),
        ("run", FORGED),
        ("validate", "::error::"),
        ("validate",),
        ("list", "agents"),
        ("list", "scenarios"),
        ("run", "--bogus\n::error::FORGED"),
    ],
)
def test_names_of_the_users_files_are_no_workflow_commands(tmp_path: Path, args: tuple[str, ...]) -> None:
    folder = write_project(
        tmp_path,
        {"agents": [MOCK | {"name": FORGED, "label": FORGED}], "runtime_profiles": [{"name": FORGED}]},
        [conversation("a.one", name=FORGED, tags=[FORGED])],
    )
    (folder / "scenarios" / "##[error]x.yaml").write_text("tags: {}", encoding="utf-8")
    paths = () if args[0] == "validate" else ("--scenarios", "scenarios/all.yaml")
    ended = agentlab(
        folder, *args, *(() if args == ("list", "agents") else paths), environ={"GITHUB_ACTIONS": "true"}
    )
    assert ended.out or ended.err
    assert find_commands(ended.out) == []
    assert find_commands(ended.err) == []


def test_a_pattern_without_end_costs_only_its_own_samples(tmp_path: Path) -> None:
    """Every sample of the slow pattern computes for a while; the healthy agent's deadlines go on meanwhile."""
    pattern = {"type": "response_matches_regex", "mode": "hard_gate", "config": {"pattern": "^(a|aa)+$"}}
    step = {"role": "user", "message": "hello", "evaluators": [pattern]}
    with hostile_agent() as web:
        agents = [
            {"name": "slow", "provider": "mock", "replies": [{"reply": "a" * 60 + "!"}]},
            {"name": "web", "provider": "http", "url": web.url("/ok"), "timeout_ms": 3000},
        ]
        scenarios = [conversation("a.slow", agent="slow", steps=[step]), conversation("a.web", agent="web")]
        folder = write_project(tmp_path, {"agents": agents}, scenarios)
        ended = agentlab(folder, "run", "-k", "20", "--concurrency", "40")
    assert ended.ends()["a.web"] == [("passed", "completed")] * 20
    assert {reason for _, reason in ended.ends()["a.slow"]} == {"timeout_exceeded"}


@pytest.mark.parametrize("args", [("run", "--timeout", "nan"), ("run", "--report-dir", ""), ("run", "--db", " ")])
def test_values_that_mean_nothing_are_refused(tmp_path: Path, args: tuple[str, ...]) -> None:
    ended = agentlab(project(tmp_path), *args)
    assert ended.code == 2
    assert not (tmp_path / "results.json").exists()


def test_a_working_directory_that_is_gone_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    script = "import os; os.rmdir(os.getcwd()); from agentlab_ci.cli.main import main; main()"
    process = start_python(tmp_path / "gone", "-c", script, "run")
    ended = wait_for(process, tmp_path)
    assert (ended.code, ended.err) == (2, "agentlab: the working directory does not exist any more\n")


def test_a_signal_counts_for_every_command(tmp_path: Path) -> None:
    script = (
        "import os, signal; from agentlab_ci.cli import main; from agentlab_ci.interrupts import INTERRUPTS; "
        "INTERRUPTS.install(int); os.kill(os.getpid(), signal.SIGTERM); main.main()"
    )
    ended = wait_for(start_python(project(tmp_path), "-c", script, "validate"), tmp_path)
    assert ended.code == 128 + signal.SIGTERM


def test_results_that_are_a_pipe_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "results.json")
    ended = agentlab(tmp_path, "report", "results.json")
    assert (ended.code, ended.err) == (2, "agentlab: cannot read results.json: it is not a file\n")


def test_a_warning_is_an_annotation_on_github(tmp_path: Path) -> None:
    folder = project(tmp_path, MOCK | {"latency_ms": 3_600_000})
    ended = agentlab(folder, "run", "--timeout", "0.2", environ={"GITHUB_ACTIONS": "true"})
    assert ended.err == "::warning title=agentlab::--timeout is over: 2 scenarios unfinished\n"


@pytest.mark.parametrize(
    ("environ", "named"),
    [
        ({"HTTPS_PROXY": "ftp://proxy.invalid"}, "HTTPS_PROXY"),
        ({"HTTPS_PROXY": "http://127.0.0.1:99999"}, "HTTPS_PROXY"),
        ({"SSL_CERT_FILE": "/nonexistent/ca.pem"}, "SSL_CERT_FILE"),
    ],
)
@pytest.mark.parametrize("command", ["run", "validate"])
def test_an_environment_that_no_request_can_be_made_in_is_the_users_to_mend(
    tmp_path: Path, environ: dict[str, str], named: str, command: str
) -> None:
    ended = agentlab(
        project(tmp_path, {"name": "web", "provider": "http", "url": "https://agent.invalid/"}),
        command,
        environ=environ,
    )
    assert ended.code == 2
    assert named in ended.err
    assert "Traceback" not in ended.err
    assert not (tmp_path / "agentlab-report").exists()
