"""`--variant-set` from the config to every surface: who runs what, what gates, and what each variant is."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from junitparser import JUnitXml

from action_step import Step, run_step
from command import Ended, agentlab, conversation, write_project
from fake_github import FakeGitHub, fake_github

TASK = {
    "id": "orders.refund",
    "name": "Refund",
    "suite": "orders",
    "task": {"instructions": "The customer alice@example.com was charged twice. Refund one order."},
    "tools": {"allowed": ["crm.search_customer", "orders.list", "orders.refund"]},
    "evaluators": [{"type": "tool_call_assertion", "mode": "hard_gate", "config": {"tool": "orders.refund"}}],
}
REPLIES = [{"reply": "It has shipped."}]
SETS = [
    {
        "name": "prompts",
        "variants": [
            {"agent": "steady", "label": "baseline", "prompt_version": "p3", "config_label": "live"},
            {"agent": "hasty", "label": "concise", "prompt_version": "p4", "gate": False},
        ],
    },
    {
        "name": "gated",
        "variants": [{"agent": "steady", "label": "baseline"}, {"agent": "hasty", "label": "concise"}],
    },
    {"name": "remote", "variants": [{"agent": "web", "label": "live"}, {"agent": "secret", "label": "next"}]},
    {"name": "mute", "variants": [{"agent": "steady", "label": "baseline"}, {"agent": "mute", "label": "mute"}]},
]
CONFIG: dict[str, Any] = {
    "sampling": {"samples": 3},
    "agents": [
        {"name": "steady", "provider": "mock", "replies": REPLIES},
        {"name": "hasty", "provider": "mock", "replies": REPLIES, "fail_samples": [1, 3]},
        {"name": "mute", "provider": "mock"},
        {"name": "web", "provider": "http", "url": "http://127.0.0.1:9/"},
        {"name": "secret", "provider": "http", "url": "http://127.0.0.1:9/", "headers": {"X": "{{env.NOT_SET}}"}},
    ],
    "variant_sets": SETS,
}


def project(folder: Path) -> Path:
    return write_project(folder, CONFIG, [conversation("orders.status"), conversation("orders.delay"), TASK])


def verdicts(results: Any) -> dict[str, str]:
    """By scenario and variant, the verdict."""
    return {
        f"{row['scenario_id']} {row['variant']['variant_label']}": row["verdict"] for row in results["scenarios"]
    }


@pytest.fixture(scope="module")
def not_gating(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """A run in which the variant that does not gate is below the bar in all that it does."""
    return agentlab(project(tmp_path_factory.mktemp("project")), "run", "--variant-set", "prompts")


def test_each_scenario_runs_on_each_variant_in_order(not_gating: Ended) -> None:
    assert list(verdicts(not_gating.results).items()) == [
        ("orders.status baseline", "passed"),
        ("orders.status concise", "failed"),
        ("orders.delay baseline", "passed"),
        ("orders.delay concise", "failed"),
        ("orders.refund baseline", "passed"),
        ("orders.refund concise", "failed"),
    ]


def test_a_variant_that_does_not_gate_is_below_the_bar_and_the_run_green(not_gating: Ended) -> None:
    assert not_gating.code == 0
    *_, matrix_head, status, _, _, _, baseline, concise, _, verdict = not_gating.out.splitlines()
    assert matrix_head == "scenario       needs   baseline  concise (does not gate)"
    assert status == "orders.status  2 of 3  ✓ 3/3     ✗ 1/3"
    assert baseline == "baseline: pass@3 3/3 (1.00), pass^3 3/3 (1.00)"
    assert concise == "concise: pass@3 3/3 (1.00), pass^3 0/3 (0.00)"
    assert verdict == (
        "✓ all 3 gating scenarios passed; not gating, but below the bar: "
        "orders.status · concise, orders.delay · concise, orders.refund · concise"
    )


@pytest.mark.parametrize("style", ["samples", "scenarios"])
def test_junit_is_green_and_says_what_each_suite_ran_on(tmp_path: Path, style: str) -> None:
    ended = agentlab(project(tmp_path), "run", "--variant-set", "prompts", "--junit-style", style)
    junit = JUnitXml.fromfile(str(ended.folder / "agentlab-report/junit.xml"))
    assert (junit.failures, junit.errors) == (0, 0)
    assert [suite.name for suite in junit][:2] == ["orders.status · baseline", "orders.status · concise"]
    properties = [{p.name: p.value for p in suite.properties()} for suite in junit]  # type: ignore[no-untyped-call]
    assert (properties[0]["variant_label"], properties[0]["prompt_version"]) == ("baseline", "p3")
    assert (properties[1]["variant_label"], properties[1]["gate"]) == ("concise", "false")
    assert "variant does not gate" in (ended.folder / "agentlab-report/junit.xml").read_text(encoding="utf-8")


def test_the_same_variant_makes_the_run_red_when_it_gates(tmp_path: Path) -> None:
    ended = agentlab(project(tmp_path), "run", "orders.status", "--variant-set", "gated")
    assert ended.code == 1
    assert ended.out.splitlines()[-1] == ("✗ 1 of 2 scenarios finished below the bar: orders.status · concise")


def test_the_results_and_the_history_say_which_variant_it_was(not_gating: Ended) -> None:
    rows = not_gating.results["scenarios"]
    variants = [row["variant"] for row in rows[:2]]
    assert [row["variant"] for row in rows] == variants * 3, "it is the same in all rows of a variant"
    hashes = [variant.pop("config_hash") for variant in variants]
    assert variants == [
        {
            "variant_set_name": "prompts",
            "variant_label": label,
            "prompt_version": prompt,
            "model_version": None,
            "tool_schema_version": None,
            "config_label": config,
        }
        for label, prompt, config in (("baseline", "p3", "live"), ("concise", "p4", None))
    ]
    assert len(set(hashes)) == 2
    with closing(sqlite3.connect(not_gating.folder / "artifacts/agentlab.db")) as history:
        stored = history.execute(
            "SELECT scenario_id, variant, json_extract(doc, '$.variant.variant_set_name'),"
            " json_extract(doc, '$.variant.config_hash') FROM scenarios ORDER BY position"
        ).fetchall()
        samples = history.execute("SELECT variant, count(*) FROM samples GROUP BY variant").fetchall()
    assert stored[:2] == [
        ("orders.status", "baseline", "prompts", hashes[0]),
        ("orders.status", "concise", "prompts", hashes[1]),
    ]
    assert samples == [("baseline", 9), ("concise", 9)]


def test_stored_results_are_shown_and_gated_the_same_again(not_gating: Ended, tmp_path: Path) -> None:
    results = not_gating.folder / "agentlab-report/results.json"
    again = agentlab(tmp_path, "report", str(results))
    assert again.code == 0
    lines = not_gating.out.splitlines()
    assert again.out.splitlines()[-12:] == lines[-12:]
    for name in ("report.md", "junit.xml"):
        known = (not_gating.folder / "agentlab-report" / name).read_text(encoding="utf-8")
        assert (tmp_path / "agentlab-report" / name).read_text(encoding="utf-8") == known


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--variant-set", "prompt"], "there is no variant set `prompt`; did you mean `prompts`?"),
        (["--variant-set", "prompts", "--agent", "steady"], "--agent and --variant-set exclude each other"),
        (["--variant-set", "prompts", "--provider", "mock"], "--provider and --variant-set exclude each other"),
        (["--variant-set", "remote"], "the environment variable `NOT_SET` is not set or empty"),
        (
            ["--variant-set", "remote", "orders.refund"],
            "nothing to judge: these scenarios cannot run on their agent",
        ),
        (["--variant-set", ""], "it is empty"),
    ],
)
def test_what_cannot_be_run_is_said_before_anything_runs(tmp_path: Path, arguments: list[str], said: str) -> None:
    ended = agentlab(project(tmp_path), "run", *arguments)
    assert ended.code == 2, ended.out
    assert said in ended.err
    assert not (tmp_path / "agentlab-report").exists()


def test_what_a_variant_cannot_run_is_skipped_and_listed(tmp_path: Path) -> None:
    ended = agentlab(project(tmp_path), "run", "--variant-set", "mute")
    assert ended.code == 0
    assert verdicts(ended.results)["orders.status mute"] == "skipped"
    why = "a conversation runs on mute (mock) only with scripted `replies`"
    assert f"○ orders.status · mute · skipped · {why}" in ended.out.splitlines()
    assert "orders.delay   2 of 3  ✓ 3/3     ○ skipped" in ended.out.splitlines()
    assert ended.out.splitlines()[-1] == "✓ all 4 scenarios passed; 2 skipped"
    report = (tmp_path / "agentlab-report/report.md").read_text(encoding="utf-8")
    assert "⏭️ 2 scenarios skipped on `mute`: `` a conversation runs on mute (mock) only with" in report


def test_a_dry_run_lists_every_variant(tmp_path: Path) -> None:
    ended = agentlab(project(tmp_path), "run", "orders.status", "--variant-set", "prompts", "--dry-run")
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "orders.status · baseline: 3 samples, needs 2, agent steady",
        "orders.status · concise: 3 samples, needs 2, agent hasty, does not gate",
        "2 scenarios, 6 samples, at most 12 agent calls; nothing was called",
    ]
    assert not (tmp_path / "artifacts").exists()


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with fake_github() as server:
        yield server


def step_of(folder: Path, github: FakeGitHub, name: str) -> Step:
    return run_step(project(folder / "workspace"), github, inputs={"variant-set": name})


def test_the_action_comments_on_a_variant_that_does_not_gate(tmp_path: Path, github: FakeGitHub) -> None:
    step = step_of(tmp_path, github, "prompts")
    assert step.code == 0
    assert step.commands("error") == []
    assert {name: step.outputs[name] for name in ("verdict", "scenarios-failed", "pass-at-k", "pass-hat-k")} == {
        "verdict": "passed",
        "scenarios-failed": "3",
        "pass-at-k": "",
        "pass-hat-k": "",
    }
    assert json.loads(step.outputs["failed-scenarios"]) == []
    (body,) = github.bodies()
    for page in (body, step.summary):
        assert "✅ all 3 gating scenarios passed; not gating, but below the bar: `orders.status · concise`" in page
        assert "| Scenario | Needs | `baseline` | `concise`<br>does not gate |" in page
        assert "\n`concise`: pass@3 3/3 (1.00), pass^3 0/3 (0.00)\n" in page
        assert "<summary>The variants of <code>prompts</code></summary>" in page
        assert "1/3 passed, needs 2 · flaky · does not gate</summary>" in page


def test_the_action_is_red_for_a_variant_that_gates(tmp_path: Path, github: FakeGitHub) -> None:
    step = step_of(tmp_path, github, "gated")
    assert step.code == 1
    assert json.loads(step.outputs["failed-scenarios"]) == ["orders.status", "orders.delay", "orders.refund"]
    titles = [line.split("title=")[1].split("::")[0] for line in step.commands("error")]
    assert [title.split(" · ")[1] for title in titles] == ["concise"] * 3
    assert "❌ 3 of 6 scenarios finished below the bar: `orders.status · concise`" in github.bodies()[0]
