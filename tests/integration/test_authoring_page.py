"""The authoring guide works as written, and its figures are right."""

from math import comb
from pathlib import Path

import pytest

from command import agentlab
from doc_pages import read_page

PAGE = read_page("how-to/write-good-scenarios.md")
HEAD = "| the agent is right in | 1 sample | 2 of 3 | 3 of 3 | 4 of 5 |"
BARS = ((1, 1), (3, 2), (3, 3), (5, 4))


def test_it_works_as_written(tmp_path: Path) -> None:
    assert len(PAGE.commands) == PAGE.text.count("```sh")
    PAGE.run(tmp_path)
    ended = agentlab(tmp_path, "validate")
    assert (ended.code, ended.out) == (0, "2 scenarios, 2 agents: valid\n")


@pytest.mark.parametrize(("weights", "score"), [((3, 1), 75), ((4, 1), 80)])
def test_it_is_right_about_the_score(tmp_path: Path, weights: tuple[int, int], score: int) -> None:
    folder = PAGE.write(tmp_path)
    scenario = folder / "scenarios/refund.yaml"
    text = scenario.read_text(encoding="utf-8").replace("[ord_1024]", "[no such words]")
    text = text.replace("weight: 3", f"weight: {weights[0]}").replace("weight: 1\n", f"weight: {weights[1]}\n")
    scenario.write_text(text, encoding="utf-8")
    ended = agentlab(folder, "run", "support.refund-double-charge", "--agent", "clerk", "-k", "1")
    [row] = ended.results["scenarios"]
    assert row["samples"][0]["score"] == score
    assert ended.code == (0 if score >= 80 else 1)


def test_it_is_right_about_chance() -> None:
    rows = PAGE.rows(HEAD)
    assert len(rows) > 4
    for right, *cells in rows:
        share = int(right.removesuffix(" %")) / 100
        chances = [
            sum(comb(k, passed) * share**passed * (1 - share) ** (k - passed) for passed in range(needed, k + 1))
            for k, needed in BARS
        ]
        assert cells == [f"{100 * chance:.0f} %" for chance in chances]
