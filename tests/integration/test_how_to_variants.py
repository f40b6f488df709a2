"""The page on variants works as it is written."""

from pathlib import Path

import pytest

from agentlab_ci.core.config import Variant
from agentlab_ci.reports.matrix import MOST_COLUMNS
from command import Ended
from doc_pages import read_page

PAGE = read_page("how-to/compare-variants.md")


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory) -> list[Ended]:
    """What each command of the page gives, one after the other in the folder that its files make up."""
    return PAGE.run(tmp_path_factory.mktemp("page"))


def test_every_command_ends_as_the_page_says(ends: list[Ended]) -> None:
    assert [end.code for end in ends] == [0, 1, 0, 2]
    assert len(ends) == PAGE.text.count("```sh")


@pytest.mark.parametrize(("block", "command"), [(0, 0), (1, 2)])
def test_what_the_page_shows_is_printed(ends: list[Ended], block: int, command: int) -> None:
    shown = PAGE.blocks("shown")[block].splitlines()
    assert len(shown) > 2
    assert [line for line in shown if line not in ends[command].out.splitlines()] == []


def test_every_key_of_a_variant_has_its_row() -> None:
    named = [name.strip("`") for keys, _ in PAGE.rows("| key | |") for name in keys.split(", ")]
    assert sorted(named) == sorted(Variant.model_fields)


def test_the_page_knows_how_wide_a_matrix_gets() -> None:
    words = {12: "twelve"}
    assert f"More than {words[MOST_COLUMNS]} variants make no matrix" in PAGE.text


def test_the_files_are_all_there_are(tmp_path: Path) -> None:
    PAGE.write(tmp_path)
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == PAGE.text.count("<!-- file:") == 4
