"""What a new project holds, and what is left alone."""

import re
from pathlib import Path

import pytest
import yaml

from agentlab_ci.core.domain import Domain
from agentlab_ci.core.provider import RUNS_ON, Provider
from agentlab_ci.core.scenario import ScenarioType
from agentlab_ci.errors import BadInputError, InvalidFilesError
from agentlab_ci.scaffolding import generate_scenarios, init_project
from demo import ROOT
from yaml_projects import load, write_files

KINDS = (ScenarioType.TASK, ScenarioType.CONVERSATION)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("domain", Domain)
@pytest.mark.parametrize("provider", Provider)
def test_it_has_all_that_a_project_needs(tmp_path: Path, provider: Provider, domain: Domain) -> None:
    written = init_project(tmp_path, provider, domain).written
    assert set(written) == contents(tmp_path).keys()
    assert {".gitignore", ".github/workflows/agentlab.yml", "README.md", "agentlab.config.yaml"} < set(written)
    project = load(tmp_path)
    assert [agent.provider for agent in project.config.agents] == [provider]
    assert project.notes == ()
    assert {scenario.type for scenario in project.scenarios} == {
        kind for kind in KINDS if provider in RUNS_ON[kind]
    }
    assert {scenario.suite for scenario in project.scenarios} == {domain}
    for scenario in project.scenarios:
        assert scenario.place.path == f"scenarios/{scenario.id.replace('.', '/')}.yaml"


@pytest.mark.parametrize("provider", Provider)
def test_its_workflow_asks_for_every_verdict_and_for_no_more_than_it_needs(
    tmp_path: Path, provider: Provider
) -> None:
    init_project(tmp_path, provider, Domain.OPS)
    workflow = yaml.safe_load((tmp_path / ".github/workflows/agentlab.yml").read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read", "pull-requests": "write"}
    [job] = workflow["jobs"].values()
    assert job["steps"][-1]["with"]["require-finished"] is True
    used = {step["uses"] for step in job["steps"] if "uses" in step}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert used < set(re.findall(r"[\w/-]+@v\d+", readme))


def test_what_agentlab_writes_is_ignored(tmp_path: Path) -> None:
    init_project(tmp_path, Provider.MOCK, Domain.OPS)
    assert {"agentlab-report/", "artifacts/"} < set((tmp_path / ".gitignore").read_text().splitlines())


def test_nothing_is_overwritten_and_all_that_is_in_the_way_is_named(tmp_path: Path) -> None:
    write_files(tmp_path, {"agent.py": "mine", "agentlab.config.yaml": "agents: []\n", "README.md": "# Mine\n"})
    before = contents(tmp_path)
    with pytest.raises(BadInputError, match=r"/agent\.py, .*/agentlab\.config\.yaml would be overwritten"):
        init_project(tmp_path, Provider.PYTHON, Domain.CODING)
    assert contents(tmp_path) == before


def test_a_link_to_nothing_is_in_the_way_too(tmp_path: Path) -> None:
    (tmp_path / "agent.py").symlink_to(tmp_path / "elsewhere.py")
    with pytest.raises(BadInputError, match=r"agent\.py"):
        init_project(tmp_path, Provider.HTTP, Domain.CODING)
    assert list(tmp_path.iterdir()) == [tmp_path / "agent.py"]


def test_the_files_that_any_folder_has_are_kept(tmp_path: Path) -> None:
    write_files(tmp_path, {"README.md": "# Mine\n", ".gitignore": "*.log\n"})
    scaffold = init_project(tmp_path, Provider.MOCK, Domain.SUPPORT)
    assert scaffold.kept == (".gitignore", "README.md")
    assert not {".gitignore", "README.md"} & set(scaffold.written)
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == "# Mine\n"
    assert (tmp_path / ".gitignore").read_text(encoding="utf-8") == "*.log\n"


def test_scenarios_are_added_under_ids_of_their_own(tmp_path: Path) -> None:
    init_project(tmp_path, Provider.MOCK, Domain.SUPPORT)
    before = contents(tmp_path)
    first = generate_scenarios(tmp_path, Domain.SUPPORT, 3)
    assert first.written == (
        "scenarios/support/cancel-subscription.yaml",
        "scenarios/support/late-order.yaml",
        "scenarios/support/newsletter-off.yaml",
    )
    second = generate_scenarios(tmp_path, Domain.SUPPORT, 4)
    assert second.written == (
        "scenarios/support/keep-the-password.yaml",
        "scenarios/support/refund-in-euros.yaml",
        "scenarios/support/refund-double-charge-2.yaml",
        "scenarios/support/which-order-2.yaml",
    )
    generate_scenarios(tmp_path, Domain.SUPPORT, 20)
    ids = [scenario.id for scenario in load(tmp_path).scenarios]
    assert len(ids) == len(set(ids)) == 2 + 3 + 4 + 20
    assert contents(tmp_path).items() > before.items()


def test_neither_an_id_nor_a_file_is_taken_wherever_it_stands(tmp_path: Path) -> None:
    init_project(tmp_path, Provider.EXTERNAL_PROCESS, Domain.OPS)
    (tmp_path / "scenarios/ops/triage-alerts.yaml").rename(tmp_path / "scenarios/mine.yaml")
    text = (tmp_path / "scenarios/mine.yaml").read_text(encoding="utf-8")
    write_files(tmp_path, {"scenarios/ops/mail-queue.yaml": text.replace("ops.triage-alerts", "ops.other")})
    assert generate_scenarios(tmp_path, Domain.OPS, 3).written == (
        "scenarios/ops/nothing-to-escalate.yaml",
        "scenarios/ops/triage-alerts-2.yaml",
        "scenarios/ops/nothing-to-escalate-2.yaml",
    )


def test_a_project_that_is_not_valid_is_not_added_to(tmp_path: Path) -> None:
    init_project(tmp_path, Provider.MOCK, Domain.OPS)
    write_files(tmp_path, {"scenarios/ops/odd.yaml": "id: ops.odd\n"})
    before = contents(tmp_path)
    with pytest.raises(InvalidFilesError, match=r"/scenarios/ops/odd\.yaml:1:1: `name` is required"):
        generate_scenarios(tmp_path, Domain.OPS, 1)
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("agents", "kinds"),
    [
        ("[{name: a, provider: http, url: http://localhost/}]", {"conversation"}),
        ("[{name: a, provider: external_process, command: x}]", {"task"}),
        ("[{name: a, provider: mock}]", {"task"}),
        ("[{name: a, provider: mock, replies: [{reply: x}]}]", {"task", "conversation"}),
        # one agent for each
        (
            "[{name: a, provider: http, url: http://localhost/}, {name: b, provider: mock}]",
            {"task", "conversation"},
        ),
        # not decided yet
        ("[]", {"task", "conversation"}),
    ],
)
def test_scenarios_are_of_the_types_that_the_agents_run(tmp_path: Path, agents: str, kinds: set[str]) -> None:
    write_files(tmp_path, {"agentlab.config.yaml": f"agents: {agents}\n"})
    generate_scenarios(tmp_path, Domain.RESEARCH, 4)
    assert {scenario.type for scenario in load(tmp_path).scenarios} == kinds


def test_scenarios_need_a_project(tmp_path: Path) -> None:
    with pytest.raises(
        BadInputError, match=r"there is no .*agentlab\.config\.yaml: start a project with `agentlab init`"
    ):
        generate_scenarios(tmp_path, Domain.OPS, 1)
    assert list(tmp_path.iterdir()) == []
