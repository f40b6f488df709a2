"""A new project runs green as it was written, for every provider and domain, and so do all scenarios for it."""

import subprocess
import sys
from pathlib import Path

import pytest

from agentlab_ci.core.domain import Domain
from agentlab_ci.core.provider import RUNS_ON, Provider
from agentlab_ci.core.scenario import ScenarioType
from agentlab_ci.scaffolding import generate_scenarios, init_project
from command import agentlab
from scaffolds import INIT, ready_to_run

ALL = 20
"""More scenarios than any domain has: some of them come twice."""


@pytest.mark.parametrize("domain", Domain)
@pytest.mark.parametrize("provider", Provider)
def test_every_scenario_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: Provider, domain: Domain
) -> None:
    first = init_project(tmp_path, provider, domain)
    more = generate_scenarios(tmp_path, domain, ALL)
    with ready_to_run(tmp_path, provider, domain, monkeypatch) as environ:
        ended = agentlab(tmp_path, "run", "-k", "1", environ=environ)
    assert ended.code == 0, ended.out + ended.err
    assert ended.err.count("warning") == 0
    rows = ended.results["scenarios"]
    assert len(rows) == sum(path.startswith("scenarios/") for path in first.written) + ALL
    kinds = {kind for kind in (ScenarioType.TASK, ScenarioType.CONVERSATION) if provider in RUNS_ON[kind]}
    assert {row["type"] for row in rows} == kinds
    assert {sample["status"] for row in rows for sample in row["samples"]} == {"passed"}
    assert more.written == tuple(path for path in more.written if (tmp_path / path).is_file())


@pytest.mark.parametrize("provider", [Provider.PYTHON, Provider.EXTERNAL_PROCESS])
def test_the_stand_in_says_what_a_tool_refused(tmp_path: Path, provider: Provider) -> None:
    init_project(tmp_path, provider, Domain.SUPPORT)
    scenario = tmp_path / "scenarios/support/refund-double-charge.yaml"
    text = scenario.read_text(encoding="utf-8")
    scenario.write_text(text.replace("alice@", "nobody@"), encoding="utf-8")
    ended = agentlab(tmp_path, "run", "support.refund-double-charge", "-k", "1")
    assert ended.code == 1, ended.out + ended.err
    [row] = ended.results["scenarios"]
    assert row["samples"][0]["final_output"] == (
        "I could not do it: there is no customer with the email nobody@example.com."
    )


@pytest.mark.parametrize(
    "command", [["actionlint"], ["check-jsonschema", "--builtin-schema", "vendor.github-workflows"]]
)
def test_every_workflow_is_valid(command: list[str]) -> None:
    files = sorted(INIT.rglob(".github/workflows/*.yml"))
    assert len(files) == 3
    tool = Path(sys.executable).parent / command[0]
    done = subprocess.run([tool, *command[1:], *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("domain", Domain)
def test_the_scenarios_ask_for_calls_that_went_well(domain: Domain) -> None:
    text = (INIT / "domains" / domain / "tasks.yaml").read_text(encoding="utf-8")
    assert text.count("type: tool_call_assertion") == text.count("succeeded: true") > 2
