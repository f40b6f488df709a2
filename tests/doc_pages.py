"""Pages of the documentation that hold a whole project: its files, and commands with their exit codes."""

import re
from dataclasses import dataclass
from pathlib import Path

from command import Ended, agentlab
from demo import ROOT
from yaml_projects import write_files


@dataclass(frozen=True, slots=True, kw_only=True)
class DocPage:
    """A page as it is written. Files and commands are marked by comments before their blocks."""

    text: str

    @property
    def files(self) -> dict[str, str]:
        """The text of each file by its path."""
        return dict(re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", self.text, re.DOTALL))

    @property
    def commands(self) -> list[tuple[int, list[str]]]:
        """What each command of agentlab must exit with, and its arguments."""
        found = re.findall(r"<!-- run: exit (\d+) -->\n```sh\nagentlab (.*?)\n```", self.text)
        return [(int(code), arguments.split()) for code, arguments in found]

    def write(self, folder: Path) -> Path:
        """Write the files into `folder` and return it."""
        return write_files(folder, self.files)

    def run(self, folder: Path) -> list[Ended]:
        """Write the files and run the commands in order; each ends as the page says."""
        self.write(folder)
        ends = []
        for code, arguments in self.commands:
            ends.append(agentlab(folder, *arguments))
            assert ends[-1].code == code, ends[-1].out + ends[-1].err
        return ends

    def blocks(self, mark: str) -> list[str]:
        """Return the blocks that stand under a comment of that text."""
        return re.findall(rf"<!-- {mark} -->\n```\w+\n(.*?)```", self.text, re.DOTALL)

    def rows(self, head: str) -> list[list[str]]:
        """Return the cells of the table that has this head, row by row."""
        table = self.text.split(f"\n{head}\n")[1].split("\n\n")[0]
        return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in table.splitlines()[1:]]


def read_page(name: str) -> DocPage:
    """Read a page of docs/."""
    return DocPage(text=(ROOT / "docs" / name).read_text(encoding="utf-8"))
