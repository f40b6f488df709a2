"""Secrets that came in by other ways are masked by the runner, line by line."""

import pytest

from agentlab_ci.publish.commands import add_mask
from runner_commands import find_commands


@pytest.mark.parametrize(
    ("value", "commands"),
    [
        ("s3cret-token", ["::add-mask::s3cret-token"]),
        ("  s3cret-token\n", ["::add-mask::s3cret-token"]),
        ("line one\r\nline%two\rthree", ["::add-mask::line one", "::add-mask::line%25two"]),
        ("", []),
        ("\n\n", []),
        ("three", []),  # it would blot out ordinary words
        ("key-material\nabc=\n", ["::add-mask::key-material"]),
    ],
)
def test_each_line_of_a_value_is_masked_and_never_an_empty_one(value: str, commands: list[str]) -> None:
    assert add_mask(value) == commands


def test_a_value_cannot_be_another_command() -> None:
    commands = add_mask("::error::forged\n::stop-commands::x\u2028::notice::y")
    assert set(find_commands("\n".join(commands))) == {"add-mask"}
