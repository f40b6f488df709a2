"""The page about the files that users write: its files load."""

import re
from pathlib import Path

from yaml_projects import load, write_files

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "files.md"
EXAMPLE = re.compile(r"```yaml\n# (\S+\.yaml)\n(.*?)```", re.DOTALL)


def test_the_files_on_the_page_are_a_valid_project(tmp_path: Path) -> None:
    examples = dict(EXAMPLE.findall(PAGE.read_text(encoding="utf-8")))
    assert len(examples) == 5
    project = load(write_files(tmp_path, examples))
    assert [scenario.id for scenario in project.scenarios] == [
        "checks.late-order",
        "support.moody-customer",
        "support.late-order",
        "support.refund",
    ]
    (note,) = project.notes
    assert note.startswith("scenarios/checks.yaml:2:1: scenarios: ids made of labels: `checks.late-order`; ")
