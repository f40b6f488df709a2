"""`agentlab init` and `agentlab generate` as they are typed."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from agentlab_ci.core.domain import Domain
from agentlab_ci.core.provider import Provider
from agentlab_ci.scaffolding import init_project
from command import SECONDS, agentlab
from demo import clean_environ


def on_a_terminal(folder: Path, *args: str, typed: str) -> tuple[int, str]:
    """Run the command on a terminal on which this is typed; returns its exit code and what the terminal shows."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "agentlab_ci", *args],
        cwd=folder,
        env=clean_environ() | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        os.write(ours, typed.encode())
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:
            pass  # the other end has hung up
        finally:
            os.close(ours)
        code = process.wait(timeout=SECONDS)
    return code, shown.decode().replace("\r\n", "\n")


def test_it_says_what_it_wrote_and_what_to_do_next(tmp_path: Path) -> None:
    ended = agentlab(tmp_path, "init", "my shop", "--provider", "http", "--domain", "support")
    assert ended.code == 0, ended.err
    assert ended.out == (
        "wrote my shop/.github/workflows/agentlab.yml\n"
        "wrote my shop/.gitignore\n"
        "wrote my shop/README.md\n"
        "wrote my shop/agent.py\n"
        "wrote my shop/agentlab.config.yaml\n"
        "wrote my shop/scenarios/support/which-order.yaml\n"
        "wrote my shop/talk.py\n"
        "next:\n"
        "  cd 'my shop'\n"
        "  python3 agent.py    # in one terminal\n"
        "  agentlab run        # in another\n"
    )


def test_it_starts_here_when_no_folder_is_given(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.log\n", encoding="utf-8")
    ended = agentlab(tmp_path, "init", "--provider", "openai", "--domain", "ops")
    assert ended.code == 0, ended.err
    assert ended.out.endswith(
        "kept .gitignore, which was there\nnext:\n  export OPENAI_API_KEY=...\n  agentlab run\n"
    )
    assert (tmp_path / "agentlab.config.yaml").is_file()


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        (
            [],
            "--provider http|external_process|openai|python|mock, --domain support|coding|research|ops",
        ),
        (["--domain", "ops"], "--provider http|external_process|openai|python|mock"),
        (["--provider", "mock"], "--domain support|coding|research|ops"),
    ],
)
def test_without_a_terminal_all_that_is_missing_is_named_with_its_choices(
    tmp_path: Path, given: list[str], missing: str
) -> None:
    ended = agentlab(tmp_path, "init", *given)
    assert ended.code == 2
    assert ended.err.endswith(f"Error: There is no terminal to ask on. Missing: {missing}.\n")
    assert list(tmp_path.iterdir()) == []


def test_yes_takes_the_defaults(tmp_path: Path) -> None:
    assert agentlab(tmp_path, "init", "--yes", "--domain", "ops").code == 0
    assert "provider: mock" in (tmp_path / "agentlab.config.yaml").read_text(encoding="utf-8")
    assert (tmp_path / "scenarios/ops").is_dir()


def test_a_terminal_is_asked_until_it_answers(tmp_path: Path) -> None:
    code, shown = on_a_terminal(tmp_path, "init", typed="carrier-pigeon\npython\nresearch\n")
    assert code == 0, shown
    assert "How is your agent reached?\n  http              a server that takes JSON" in shown
    assert "'carrier-pigeon' is not one of 'http', 'external_process', 'openai', 'python', 'mock'" in shown
    assert "What are the scenarios about?\n  support " in shown
    assert (tmp_path / "agent.py").is_file()
    assert (tmp_path / "scenarios/research/remote-work.yaml").is_file()


def test_a_terminal_is_asked_only_for_what_is_not_given(tmp_path: Path) -> None:
    code, shown = on_a_terminal(tmp_path, "init", "--provider", "mock", typed="coding\n")
    assert code == 0, shown
    assert "How is your agent reached?" not in shown
    assert (tmp_path / "scenarios/coding").is_dir()


def test_whoever_leaves_the_terminal_gets_no_project(tmp_path: Path) -> None:
    code, shown = on_a_terminal(tmp_path, "init", typed="\x04")
    assert code == 130, shown
    assert list(tmp_path.iterdir()) == []


def test_what_is_in_the_way_is_named(tmp_path: Path) -> None:
    init_project(tmp_path / "shop", Provider.MOCK, Domain.OPS)
    ended = agentlab(tmp_path, "init", "shop", "--yes")
    assert ended.code == 2
    assert ended.err == (
        "agentlab: shop/.github/workflows/agentlab.yml, shop/agentlab.config.yaml would be overwritten, so "
        "nothing was written: name another folder, or add scenarios to a project that is there with "
        "`agentlab generate`\n"
    )


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "shop").write_text("", encoding="utf-8")
    ended = agentlab(tmp_path, "init", "shop", "--yes")
    assert (ended.code, ended.out) == (2, "")
    assert "shop" in ended.err
    assert "Traceback" not in ended.err


def test_scenarios_are_added(tmp_path: Path) -> None:
    init_project(tmp_path / "shop", Provider.MOCK, Domain.CODING)
    ended = agentlab(tmp_path, "generate", "shop", "--domain", "coding", "--count", "2")
    assert ended.code == 0, ended.err
    assert ended.out == (
        "wrote shop/scenarios/coding/sell-the-last-piece.yaml\n"
        "wrote shop/scenarios/coding/ask-before-deleting.yaml\n"
        "change them into what must not go wrong with your agent, then: agentlab validate\n"
    )


def test_the_problems_of_a_project_are_named_with_their_places(tmp_path: Path) -> None:
    init_project(tmp_path / "shop", Provider.MOCK, Domain.CODING)
    (tmp_path / "shop/agentlab.config.yaml").write_text("agent: []\n", encoding="utf-8")
    ended = agentlab(tmp_path, "generate", "shop", "--domain", "coding")
    assert ended.code == 2
    assert ended.err.startswith("shop/agentlab.config.yaml:1:1: unknown key `agent`; did you mean `agents`?")


@pytest.mark.parametrize("count", ["0", "-1", "many"])
def test_a_count_is_a_number_of_scenarios(tmp_path: Path, count: str) -> None:
    ended = agentlab(tmp_path, "generate", "--domain", "ops", "--count", count)
    assert ended.code == 2
    assert "--count" in ended.err


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_place_for_scenarios_that_is_no_folder_of_the_project_stops_it_before_it_writes(
    tmp_path: Path, kind: str
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "elsewhere").mkdir()
    if kind == "file":
        (project / "scenarios").write_text("", encoding="utf-8")
    else:
        (project / "scenarios").symlink_to("../elsewhere")
    ended = agentlab(tmp_path, "init", "project", "--yes")
    assert ended.code == 2
    assert "project/scenarios would have to be a folder of the project's own, so nothing was written" in ended.err
    assert [path.name for path in project.iterdir()] == ["scenarios"]
    assert list((tmp_path / "elsewhere").iterdir()) == []
