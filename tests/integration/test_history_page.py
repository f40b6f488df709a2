"""The page on history and baselines works as written, and names every state that there is."""

from pathlib import Path

from agentlab_ci.core.baseline import BaselineState
from doc_pages import read_page

PAGE = read_page("how-to/history-and-baselines.md")


def test_it_works_as_written(tmp_path: Path) -> None:
    assert len(PAGE.commands) == PAGE.text.count("```sh")
    ended = dict(zip((" ".join(arguments) for _, arguments in PAGE.commands), PAGE.run(tmp_path), strict=True))
    [excerpt] = PAGE.blocks("compare")
    shown = [line for line in excerpt.splitlines() if line != "…"]
    assert [line for line in shown if line not in ended["compare @prev @last"].out.splitlines()] == []
    baseline = (tmp_path / "baseline.json").read_text(encoding="utf-8")
    assert "A-1024" not in baseline
    regressed = ended["run --agent desk-2 --baseline baseline.json --fail-on regression"].out
    assert "regressed" in regressed


def test_it_names_every_state() -> None:
    rows = PAGE.rows("| state | means |")
    assert {state.strip("`") for state, _ in rows} == set(BaselineState)
