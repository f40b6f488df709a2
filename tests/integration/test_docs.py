"""The documentation says what is so."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import yaml

from agentlab_ci.cli.group import cli
from agentlab_ci.core.provider import RUNS_ON, Provider
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.sampling import PassRate, needed
from agentlab_ci.core.scenario import ScenarioType
from agentlab_ci.errors import ExitCode
from command import agentlab
from demo import ROOT
from generate import render_pages

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "tests/README.md"])
TUTORIAL = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", render_pages())
def test_a_generated_page_is_current(name: str) -> None:
    committed = (ROOT / "docs/reference" / name).read_text(encoding="utf-8")
    assert committed == render_pages()[name], "run `make docs`"


def test_every_command_is_on_the_reference_page() -> None:
    page = (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^## agentlab (.*)$", page, re.MULTILINE)) == sorted(_commands(cli, ""))


def _commands(group: click.Group, prefix: str) -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield f"{prefix}{name}"
        if isinstance(command, click.Group):
            yield from _commands(command, f"{prefix}{name} ")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if not target.startswith("https://"):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_yaml_is_yaml(page: Path) -> None:
    for block in re.findall(r"```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        assert isinstance(yaml.safe_load(block), dict)


def test_the_tutorial_works_as_written(tmp_path: Path) -> None:
    for name, text in re.findall(r"<!-- file: (\S+) -->\n```yaml\n(.*?)```", TUTORIAL, re.DOTALL):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    commands = re.findall(r"<!-- run: exit (\d+) -->\n```sh\nagentlab (.*?)\n```", TUTORIAL)
    assert len(commands) == TUTORIAL.count("```sh")
    for code, arguments in commands:
        done = agentlab(tmp_path, *arguments.split())
        assert done.code == int(code), f"agentlab {arguments}\n{done.out}{done.err}"


def test_the_readme_names_every_exit_code() -> None:
    table = README.split("## Exit codes")[1].split("\n## ")[0]
    named = {int(code) for row in re.findall(r"^\| ([\d, ]+) \|", table, re.MULTILINE) for code in row.split(",")}
    assert named == set(ExitCode)


def test_every_end_of_a_sample_is_explained() -> None:
    page = (ROOT / "docs/reference/results.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+) \| `(\w+)` \|", page, re.MULTILINE)
    assert {reason for _, reason in rows} == set(TerminationReason)
    assert {status for status, _ in rows} == set(SampleStatus)
    assert len(set(rows)) == len(rows)


def test_the_readme_says_what_each_agent_works_on() -> None:
    table = README.split("## Agents")[1].split("\n## ")[0]
    said = dict(re.findall(r"^\| `(\w+)` \| .* \| ([\w, ]+) \|$", table, re.MULTILINE))
    types = {"conversations": ScenarioType.CONVERSATION, "tasks": ScenarioType.TASK}
    assert said == {
        provider: ", ".join(name for name, kind in types.items() if provider in RUNS_ON[kind])
        for provider in Provider
    }


@pytest.mark.parametrize(
    ("row", "rates"),
    [
        ("| 1 | any | 1 |", ["0.01", "1"]),
        ("| 2 | 0.75 | 2 |", ["0.75"]),
        ("| 3 | up to 0.49 | 1 |", ["0.01", "0.49"]),
        ("| 3 | 0.5 to 0.83 | 2 |", ["0.5", "0.83"]),
        ("| 3 | 0.84 and more | 3 |", ["0.84", "1"]),
        ("| 5 | 0.5 | 3 |", ["0.5"]),
        ("| 5 | 0.75 | 4 |", ["0.75"]),
        ("| 5 | 0.9 | 5 |", ["0.9"]),
    ],
)
def test_the_readme_is_right_about_the_bar(row: str, rates: list[str]) -> None:
    assert row in README
    samples, _, bar = (cell.strip() for cell in row.strip("|").split("|"))
    assert [needed(int(samples), PassRate(rate)) for rate in rates] == [int(bar)] * len(rates)
