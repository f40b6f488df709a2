"""`agentlab run` and `agentlab report` as a user calls them: exit codes, flags, files, and what never happens."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from command import Ended, agentlab, conversation, write_project
from loopback import HostileAgent, hostile_agent

MOCK = {"name": "mock", "provider": "mock", "replies": [{"reply": "It has shipped."}]}


def flaky(*bad: int) -> dict[str, Any]:
    """A mock agent whose samples of these numbers answer wrongly."""
    return MOCK | {"fail_samples": list(bad)}


def run(folder: Path, agent: dict[str, Any], *args: str, scenarios: int = 1) -> Ended:
    rows = [conversation(f"a.s{number}") for number in range(1, scenarios + 1)]
    return agentlab(write_project(folder, {"agents": [agent]}, rows), "run", *args)


@pytest.fixture
def web() -> Iterator[HostileAgent]:
    with hostile_agent() as agent:
        yield agent


@pytest.mark.parametrize(
    ("agent", "args", "code"),
    [
        (MOCK, (), 0),
        (flaky(2), ("-k", "3"), 0),  # 2/3 is the bar of 0.75
        (flaky(2), ("-k", "3", "--pass-rate", "0.9"), 1),
        (flaky(1), (), 1),  # one sample behaves as every other test runner
        (flaky(1), ("--fail-on", "never"), 0),
        (MOCK | {"latency_ms": 600_000}, ("--timeout", "0.2"), 3),  # no scenario got a verdict
    ],
)
def test_the_exit_code_is_set_by_scenarios_below_the_bar(
    tmp_path: Path, agent: dict[str, Any], args: tuple[str, ...], code: int
) -> None:
    ended = run(tmp_path, agent, *args)
    assert ended.code == code, ended.err
    assert ended.results["summary"]["exit_code"] == code


def test_an_unfinished_scenario_is_an_error_only_when_asked(tmp_path: Path) -> None:
    agents = [MOCK, MOCK | {"name": "slow", "latency_ms": 600_000}]
    scenarios = [conversation("a.quick", agent="mock"), conversation("a.slow", agent="slow")]
    folder = write_project(tmp_path, {"agents": agents}, scenarios)
    ended = agentlab(folder, "run", "--timeout", "1")
    assert (ended.code, ended.ends()["a.slow"]) == (0, [("cancelled", "run_deadline")])
    assert "unfinished" in ended.out.splitlines()[-1]
    assert agentlab(folder, "run", "--timeout", "1", "--require-finished").code == 3


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (("-k", "0"), "0 is not in the range"),
        (("-k", "-1"), "-1 is not in the range"),
        (("-k", "abc"), "'abc' is not a valid integer"),
        (("--pass-rate", "0.5"), "--pass-rate does nothing with one sample"),
        (("-k", "3", "--pass-rate", "0"), "a pass rate is a decimal above 0 and at most 1"),
        (("-k", "3", "--pass-rate", "1.5"), "a pass rate is a decimal above 0 and at most 1"),
        (("-k", "3", "--pass-rate", "abc"), "a pass rate is a decimal above 0 and at most 1"),
        (("-k", "3", "--pass-rate", "NaN"), "a pass rate is a decimal above 0 and at most 1"),
        (("-k", "3", "--pass-rate", "75%"), "a pass rate is a decimal above 0 and at most 1"),
        (("nothing.like-it",), "no scenario is called `nothing.like-it`"),
        (("--suite", "b"), "no suite"),
        (("--agent", "mok"), "no agent is called 'mok'"),
        (("--provider", "http"), "HTTP agents require a configured url"),
        (("--format", "md,pdf"), "'md,pdf' is not a list of md, junit, json"),
        (("--timeout", "0"), "0.0 is not in the range"),
        (("--concurrency", "0"), "0 is not in the range"),
        (("--scenarios", ".."), "outside"),
        (("--config", "missing.yaml"), "missing.yaml"),
        (("--report-dir", "agentlab.config.yaml"), "cannot write reports to agentlab.config.yaml"),
        (("--bogus",), "No such option"),
    ],
)
def test_bad_arguments_exit_2_and_call_no_agent(
    tmp_path: Path, web: HostileAgent, args: tuple[str, ...], complaint: str
) -> None:
    agent = {"name": "web", "provider": "http", "url": web.url("/ok")} if "--provider" not in args else MOCK
    ended = run(tmp_path, agent, *args)
    assert ended.code == 2
    assert complaint in ended.err
    assert "Traceback" not in ended.err
    assert web.received == []
    assert not (tmp_path / "agentlab-report").exists()


def test_a_dry_run_says_what_it_would_cost_and_sends_nothing(tmp_path: Path, web: HostileAgent) -> None:
    agent = {"name": "web", "provider": "http", "url": web.url("/ok")}
    ended = run(tmp_path, agent, "-k", "3", "--dry-run", scenarios=2)
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "a.s1: 3 samples, needs 2, agent web",
        "a.s2: 3 samples, needs 2, agent web",
        "2 scenarios, 6 samples, at most 12 agent calls; nothing was called",
    ]
    assert web.received == []
    assert not (tmp_path / "agentlab-report").exists()
    assert not (tmp_path / "artifacts").exists()


def test_stopping_when_settled_saves_the_calls_that_cannot_matter(tmp_path: Path, web: HostileAgent) -> None:
    agent = {"name": "web", "provider": "http", "url": web.url("/ok")}
    ended = run(tmp_path, agent, "-k", "5", "--pass-rate", "0.6", "--stop-when-settled", scenarios=2)
    assert len(web.received) == 6
    assert "pass@5, pass^5 not measured: 2 scenarios stopped early" in ended.out
    assert ended.results["summary"]["pass_at_k"] == []


def test_each_sample_has_a_conversation_of_its_own(tmp_path: Path, web: HostileAgent) -> None:
    agent = {"name": "web", "provider": "http", "url": web.url("/ok")}
    run(tmp_path, agent, "-k", "4", scenarios=2)
    ids = [body["conversation_id"] for body in web.bodies["/ok"]]
    assert len(set(ids)) == 8


def test_only_the_reports_asked_for_are_written(tmp_path: Path) -> None:
    ended = run(tmp_path, MOCK, "--format", "junit", "--report-dir", "out/reports")
    assert [path.name for path in (tmp_path / "out" / "reports").iterdir()] == ["junit.xml"]
    assert "reports: out/reports/junit.xml" in ended.out


def test_report_renders_and_gates_again_without_an_agent(tmp_path: Path, web: HostileAgent) -> None:
    run(tmp_path, flaky(2), "-k", "3", scenarios=2)
    first = {path.name: path.read_bytes() for path in (tmp_path / "agentlab-report").iterdir()}
    again = agentlab(tmp_path, "report", "agentlab-report/results.json", "--report-dir", "again")
    assert again.code == 0
    assert {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()} == first
    stricter = agentlab(tmp_path, "report", "agentlab-report/results.json", "--pass-rate", "1")
    assert stricter.code == 1
    assert stricter.out.splitlines()[-1] == "✗ 2 of 2 scenarios finished below the bar: a.s1, a.s2"


def test_the_reports_of_a_lying_results_file_tell_the_truth(tmp_path: Path) -> None:
    run(tmp_path, flaky(1, 2), "-k", "3")
    path = tmp_path / "agentlab-report" / "results.json"
    lie = json.loads(path.read_text(encoding="utf-8"))
    lie["summary"] |= {"verdict": "passed", "exit_code": 0}
    lie["scenarios"][0] |= {"verdict": "passed", "passed": 3, "needed": 0, "label": "stable"}
    path.write_text(json.dumps(lie), encoding="utf-8")
    assert agentlab(tmp_path, "report", "agentlab-report/results.json").code == 1


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"version": 99}', "not JSON"])
def test_a_results_file_that_is_none_exits_2(tmp_path: Path, content: str) -> None:
    (tmp_path / "results.json").write_text(content, encoding="utf-8")
    ended = agentlab(tmp_path, "report", "results.json")
    assert ended.code == 2
    assert "results.json: " in ended.err
    assert "Traceback" not in ended.err


def test_the_database_holds_what_the_report_says(tmp_path: Path) -> None:
    ended = run(tmp_path, flaky(2), "-k", "3", "--db", "history/lab.db", scenarios=2)
    with closing(sqlite3.connect(tmp_path / "history" / "lab.db")) as database:
        rows = database.execute("SELECT run_id, status FROM samples ORDER BY scenario_id, sample").fetchall()
    assert rows == [(s["run_id"], s["status"]) for row in ended.results["scenarios"] for s in row["samples"]]


CANARY = "canary-7Zq/9+secret value"


def test_a_secret_appears_nowhere(tmp_path: Path, web: HostileAgent) -> None:
    agent = {
        "name": "web",
        "provider": "http",
        "url": web.url("/ok").replace("http://", "http://user:urlpassword99@"),
        "headers": {"Authorization": "Bearer {{env.MY_TOKEN}}"},
        "request_template": {"message": "{{message}} {{env.MY_TOKEN}}", "conversation_id": "{{conversation_id}}"},
    }
    scenario = conversation("a.leak", name=f"Leaks {CANARY}", keyword="never said")
    folder = write_project(tmp_path, {"agents": [agent]}, [scenario])
    ended = agentlab(folder, "run", "-k", "2", environ={"MY_TOKEN": CANARY})
    assert ended.code == 1
    assert CANARY in web.bodies["/ok"][0]["message"], "the agent got it, and its reply says it again"
    written = [path for path in folder.rglob("*") if path.is_file() and "scenarios" not in path.parts]
    assert {"results.json", "report.md", "junit.xml", "agentlab.db"} <= {path.name for path in written}
    everything = [path.read_bytes() for path in written if path.name != "agentlab.config.yaml"]
    for text in (*everything, ended.out.encode(), ended.err.encode()):
        assert CANARY.encode() not in text
        assert b"canary-7Zq" not in text
        assert b"urlpassword99" not in text
    assert "***" in ended.out


def test_agents_are_listed_before_there_is_a_scenario(tmp_path: Path) -> None:
    (tmp_path / "agentlab.config.yaml").write_text(json.dumps({"agents": [MOCK]}), encoding="utf-8")
    ended = agentlab(tmp_path, "list", "agents")
    assert (ended.code, ended.out.split()) == (
        0,
        ["NAME", "PROVIDER", "LABEL", "WHERE", "mock", "mock", "mock", "-"],
    )


@pytest.mark.parametrize("provider", ["openai", "external_process", "python"])
def test_a_provider_is_never_replaced_by_a_mock(tmp_path: Path, provider: str) -> None:
    ended = run(tmp_path, MOCK, "--provider", provider)
    assert ended.code == 2
    assert f"--provider {provider}: no agent of the config has it; there is mock (mock)" in ended.err


def test_a_provider_chooses_the_one_agent_that_has_it(tmp_path: Path) -> None:
    gpt = {"name": "gpt", "provider": "openai", "model": "m"}
    project = write_project(tmp_path, {"agents": [MOCK, gpt]}, [conversation("a.one")])
    asked = ("run", "--provider", "openai", "--dry-run")
    ended = agentlab(project, *asked, environ={"OPENAI_API_KEY": CANARY})
    assert (ended.code, "agent gpt\n" in ended.out) == (0, True), ended.out + ended.err


def test_on_github_the_runner_is_told_of_secrets_before_anything_else(tmp_path: Path, web: HostileAgent) -> None:
    agent = {"name": "web", "provider": "http", "url": web.url("/ok"), "headers": {"X-Token": "{{env.MY_TOKEN}}"}}
    folder = write_project(tmp_path, {"agents": [agent]}, [conversation("a.one", name=f"Leaks {CANARY}")])
    ended = agentlab(folder, "run", environ={"MY_TOKEN": CANARY, "GITHUB_ACTIONS": "true"})
    first, *rest = ended.out.splitlines()
    assert first == f"::add-mask::{CANARY}"
    assert not any(CANARY in line for line in rest)


@pytest.mark.parametrize(
    "broken",
    [
        {"redact": ["MY_TOKEN"], "agents": [MOCK], CANARY: 1},
        {"redact": ["MY_TOKEN"], "agents": [MOCK | {"provider": CANARY}]},
        {"agents": [MOCK | {"provider": "http://u:urlpassword99@host/x"}]},
        {"agents": [{"name": "web", "provider": "http", "url": CANARY, "headers": {"X": "{{env.MY_TOKEN}}"}}]},
    ],
)
def test_a_secret_is_masked_in_what_is_said_of_a_broken_config(tmp_path: Path, broken: dict[str, Any]) -> None:
    folder = write_project(tmp_path, broken, [conversation("a.one")])
    for command in ("run", "validate"):
        ended = agentlab(folder, command, environ={"MY_TOKEN": CANARY})
        assert ended.code == 2
        assert CANARY not in ended.err
        assert "canary-7Zq" not in ended.err
        assert "urlpassword99" not in ended.err


def test_the_paths_of_reports_are_no_workflow_commands(tmp_path: Path) -> None:
    ended = run(tmp_path, MOCK, "--report-dir", "rep ##[error]a")
    assert "##[error]" not in ended.out
