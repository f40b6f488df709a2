"""The page about the files that users write: its files load, and what it says of the schemas holds."""

import re
from pathlib import Path

from yaml_projects import load, write_files

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "files.md"
EXAMPLE = re.compile(r"```yaml\n# (\S+\.yaml)\n(.*?)```", re.DOTALL)
SCHEMA_LINE = re.compile(r"# yaml-language-server: \$schema=(\S+)")


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
    assert project.notes == ()


def test_the_schemas_that_the_page_names_are_there() -> None:
    named = SCHEMA_LINE.findall(PAGE.read_text(encoding="utf-8"))
    assert len(named) == 2
    for path in named:
        assert (PAGE.parents[2] / path).is_file()
