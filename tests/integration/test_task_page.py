"""The page on writing tasks works as it is written."""

import re

import pytest

from agentlab_ci.agents.playbooks.choice import PLAYBOOKS
from command import Ended, agentlab
from demo import ROOT

PAGE = (ROOT / "docs/how-to/write-a-task.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"<!-- run: exit (\d+) -->\n```sh\nagentlab (.*?)\n```", PAGE)


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory) -> list[Ended]:
    """What each command of the page gives, one after the other in the folder that its files make up."""
    folder = tmp_path_factory.mktemp("page")
    for name, text in re.findall(r"<!-- file: (\S+) -->\n```yaml\n(.*?)```", PAGE, re.DOTALL):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return [agentlab(folder, *arguments.split()) for _, arguments in COMMANDS]


def test_every_command_ends_as_the_page_says(ends: list[Ended]) -> None:
    assert len(COMMANDS) == PAGE.count("```sh") > 3
    assert [end.code for end in ends] == [int(code) for code, _ in COMMANDS], [end.out + end.err for end in ends]


def test_what_the_page_shows_is_printed(ends: list[Ended]) -> None:
    shown = PAGE.split("```text\n")[1].split("```")[0].splitlines()
    printed = [re.sub(r" +[\d.]+m?s  run_\w+$", "", line) for line in ends[-1].out.splitlines()]
    assert len(shown) > 3
    assert [line for line in shown if line not in printed] == []


def test_every_playbook_has_its_row() -> None:
    table = PAGE.split("| playbook |")[1].split("\n\n")[0]
    names = [row.split("|")[1].strip() for row in table.splitlines()[2:]]
    assert names == [playbook.fits.__module__.rpartition(".")[2] for playbook in PLAYBOOKS]
