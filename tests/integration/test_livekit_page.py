"""The page on LiveKit: its export is gated as it says, and comes back as it says."""

from pathlib import Path

from demo import ROOT
from doc_pages import DocPage

PAGE = DocPage(text=(ROOT / "docs" / "how-to" / "livekit.md").read_text(encoding="utf-8"))


def test_its_commands_end_as_it_says(tmp_path: Path) -> None:
    green, red, exported = PAGE.run(tmp_path)
    assert green.out.splitlines()[-1] == "✓ all 2 scenarios passed"
    assert "sample 2/3 ✗ failed" in green.out
    assert red.out.splitlines()[-1].startswith("✗ 1 of 2 scenarios finished below the bar: Refund (SCN_refund)")
    assert '"id": "SCN_refund"' in exported.out
