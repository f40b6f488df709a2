"""The shipped example scenarios run offline and end as the documentation says."""

import re
from pathlib import Path

import pytest
import yaml

from agentlab_ci.evaluators.interface import Position
from agentlab_ci.evaluators.registry import EVALUATORS
from command import Ended, agentlab
from demo import ENDS, ROOT, copy_demo, read_ends, read_evaluations

FILES = sorted((ROOT / "scenarios").rglob("*.yaml"))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    return agentlab(copy_demo(tmp_path_factory.mktemp("demo")), "run")


def test_it_ends_as_documented(run: Ended) -> None:
    assert run.code == 1, run.err
    assert list(read_ends(run.results).items()) == list(ENDS.items())
    assert run.out.splitlines()[-1] == "✗ 1 of 8 scenarios finished below the bar: billing.double-charge"


def test_the_report_in_the_readme_is_a_real_one(run: Ended) -> None:
    excerpt = (ROOT / "README.md").read_text(encoding="utf-8").split("```text\n")[1].split("```")[0]
    shown = [_without_chance(line) for line in excerpt.splitlines() if line != "…"]
    printed = [_without_chance(line) for line in run.out.splitlines()]
    assert len(shown) > 10
    assert [line for line in shown if line not in printed] == []


def test_every_report_is_written(run: Ended) -> None:
    reports = (run.folder / "agentlab-report").iterdir()
    assert sorted(path.name for path in reports) == ["junit.xml", "report.md", "results.json"]


def test_it_shows_every_evaluator_that_a_conversation_can_have(run: Ended) -> None:
    possible = {kind.name for kind in EVALUATORS.values() if kind.positions & {Position.STEP, Position.END}}
    evaluations = read_evaluations(run.results)
    assert {e["type"] for e in evaluations} == possible
    assert {e["mode"] for e in evaluations} == {"hard_gate", "weighted"}
    # All but the cost, which a scripted agent does not know, are shown passing.
    assert {e["type"] for e in evaluations if e["passed"]} == possible - {"cost_max"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_example_says_what_it_is(path: Path) -> None:
    scenario = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert scenario["id"] == f"{path.parent.name}.{path.stem}"
    assert all(scenario[key] for key in ("name", "description", "difficulty", "tags"))
    assert 2 <= len(scenario["steps"]) <= 5


def _without_chance(line: str) -> str:
    """Take durations and run ids out of a line of the log."""
    return re.sub(r" +[\d.]+m?s  run_\w+$", "", line)
