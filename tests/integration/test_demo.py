"""The shipped example scenarios run offline and end as the documentation says."""

import re
from pathlib import Path

import pytest
import yaml

from agentlab_ci.evaluators.registry import EVALUATORS
from agentlab_ci.tools.registry import FIXTURE_OF
from command import Ended, agentlab
from demo import ENDS, ROOT, copy_demo, read_ends, read_evaluations

FILES = sorted((ROOT / "scenarios").rglob("*.yaml"))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    return agentlab(copy_demo(tmp_path_factory.mktemp("demo")), "run")


def test_it_ends_as_documented(run: Ended) -> None:
    assert run.code == 1, run.err
    assert list(read_ends(run.results).items()) == list(ENDS.items())
    assert run.out.splitlines()[-1] == "✗ 1 of 13 scenarios finished below the bar: billing.double-charge"


def test_the_report_in_the_readme_is_a_real_one(run: Ended) -> None:
    excerpt = (ROOT / "README.md").read_text(encoding="utf-8").split("```text\n")[1].split("```")[0]
    shown = [_without_chance(line) for line in excerpt.splitlines() if line != "…"]
    printed = [_without_chance(line) for line in run.out.splitlines()]
    assert len(shown) > 10
    assert [line for line in shown if line not in printed] == []


def test_every_report_is_written(run: Ended) -> None:
    reports = (run.folder / "agentlab-report").iterdir()
    assert sorted(path.name for path in reports) == ["junit.xml", "report.md", "results.json"]


def test_it_shows_every_evaluator(run: Ended) -> None:
    evaluations = read_evaluations(run.results)
    assert {e["type"] for e in evaluations} == EVALUATORS.keys()
    assert {e["mode"] for e in evaluations} == {"hard_gate", "weighted"}
    # All but the cost, which a scripted agent does not know, are shown passing.
    assert {e["type"] for e in evaluations if e["passed"]} == EVALUATORS.keys() - {"cost_max"}


def test_an_agent_recovers_from_what_a_tool_refused(run: Ended) -> None:
    (row,) = (row for row in run.results["scenarios"] if row["scenario_id"] == "coding.fix-total")
    calls = [(call["name"], call["input"].get("path"), call["error"]) for call in row["samples"][0]["tool_calls"]]
    assert calls == [
        ("repo.read_file", "lib/prices.py", "there is no file lib/prices.py"),
        ("repo.list_files", None, None),
        ("repo.read_file", "src/prices.py", None),
        ("repo.apply_patch", "src/prices.py", None),
    ]


def test_every_domain_of_the_built_in_tools_has_a_task(run: Ended) -> None:
    used = {call["name"] for row in run.results["scenarios"] for s in row["samples"] for call in s["tool_calls"]}
    domains = {FIXTURE_OF[name].split("/")[1] for name in used}
    assert domains == {path.split("/")[1] for path in FIXTURE_OF.values()}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_example_says_what_it_is(path: Path) -> None:
    scenario = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert scenario["id"] == f"{path.parent.name}.{path.stem}"
    assert all(scenario[key] for key in ("name", "description", "difficulty", "tags"))
    if scenario.get("type") == "conversation":
        assert 2 <= len(scenario["steps"]) <= 5
    else:
        assert any(e["config"].get("succeeded") for e in scenario["evaluators"])


def _without_chance(line: str) -> str:
    """Take durations and run ids out of a line of the log."""
    return re.sub(r" +[\d.]+m?s  run_\w+$", "", line)
