"""Rows under each other."""

import pytest

from agentlab_ci.reports.columns import align, align_facts
from hostile import HOSTILE_TEXTS
from runner_commands import find_commands


def test_columns_are_as_wide_as_their_widest_cell_and_empty_cells_are_seen() -> None:
    assert align(("ID", "A", "PLACE"), [("x.long", "", "here"), ("y", "ab", "")]) == [
        "ID      A   PLACE",
        "x.long  -   here",
        "y       ab  -",
    ]


def test_a_table_without_rows_is_its_header() -> None:
    assert align(("ID", "NAME"), []) == ["ID  NAME"]


def test_escapes_count_with_the_width_that_they_are_shown_in() -> None:
    assert align(("ID", "B"), [("a\x07", "1"), ("b", "2")]) == ["ID     B", "a\\x07  1", "b      2"]


def test_facts_that_are_not_known_are_left_out() -> None:
    assert align_facts([("started", "today"), ("ref", None), ("by", "me")]) == [
        "  started  today",
        "  by       me",
    ]
    assert align_facts([("a very long name", None), ("by", "")]) == ["  by  "]


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_no_cell_is_obeyed(text: str) -> None:
    lines = [*align(("A", "B"), [(text, text), (text, "x")]), *align_facts([("name", text)])]
    assert len(lines) == 4
    assert not any("\n" in line or "\r" in line or "\x1b" in line for line in lines)
    assert find_commands("\n".join(lines)) == []
