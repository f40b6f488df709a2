"""The page about the live view has the keys that the view has."""

from pathlib import Path

from agentlab_ci.reports.formatting import ASCII, TEXT
from agentlab_ci.tui.keys import KEYS, keys_for

PAGE = Path(__file__).parents[3] / "docs/how-to/live-view.md"


def test_the_page_has_every_key_as_the_view_tells_it() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("## Keys")[2].partition("\nThe detail")[0]
    rows = [
        tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in table.splitlines() if "|" in line
    ]
    assert tuple(rows[2:]) == KEYS


def test_an_output_of_plain_letters_gets_no_arrows() -> None:
    assert keys_for(TEXT) == KEYS
    assert all(key.isascii() for key, _ in keys_for(ASCII))
    assert keys_for(ASCII)[1][0] == "Right Left or space"
