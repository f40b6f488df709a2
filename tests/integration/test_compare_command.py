"""`agentlab compare`: what it finds, what it refuses, and its exit code."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agentlab_ci.cli.group import run_command
from agentlab_ci.core.formats import CompareFormat
from agentlab_ci.reports.json_report import render_json
from canned import hostile_scenario, scenario
from command import Ended, agentlab, conversation, write_project
from factories import make_report, make_row
from hostile import HOSTILE_TEXTS
from runner_commands import find_commands
from stored import run_id, store_batch, store_killed_batch

OLD, NEW, LATER = "2026-04-07T00:12:30Z", "2026-04-08T00:12:30Z", "2026-04-09T00:12:30Z"
GOOD, WORSE = scenario("ppp", "a.one"), scenario("pff", "a.one")
STAYS = scenario("ppp", "a.two")


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose database holds batches of each kind that a test needs."""
    folder = tmp_path_factory.mktemp("history")
    database = folder / "artifacts" / "agentlab.db"
    store_batch(database, "batch_good", OLD, GOOD, STAYS)
    store_batch(database, "batch_worse", NEW, WORSE, STAYS)
    store_batch(database, "batch_other", LATER, make_row("ppp", "b.other"))
    store_batch(database, "batch_variants", OLD, make_row("ppp", "a.one", variant="large"))
    store_killed_batch(database, "batch_killed", OLD, scenario("ppp", "a.one"))
    return folder


def compare(folder: Path, *args: str, environ: Mapping[str, str] | None = None) -> Ended:
    return agentlab(folder, "compare", *args, environ=environ)


def test_a_regression_of_a_batch_is_exit_code_1(history: Path) -> None:
    ended = compare(history, "batch_good", "batch_worse")
    assert ended.code == 1, ended.err
    assert "✗ regressed       a.one  3/3 -> 1/3    p = 0.4\n" in ended.out
    assert ended.out.endswith("✗ 1 of 2 compared scenarios regressed: a.one\n")
    assert "- agent: It has shipped. Tracking: 1Z999." in ended.out
    assert ended.err == ""


@pytest.mark.parametrize("old", ["batch_good", "batch_worse"])
def test_anything_else_is_exit_code_0(history: Path, old: str) -> None:
    ended = compare(history, old, "batch_good")
    assert ended.code == 0, ended.err
    assert ended.out.splitlines()[-1] == "✓ none of 2 compared scenarios regressed"


def test_runs_are_compared_with_their_turns(history: Path) -> None:
    old, new = run_id("batch_good", GOOD, 1), run_id("batch_worse", WORSE, 2)
    ended = compare(history, old, new)
    assert ended.code == 1
    assert ended.out.splitlines() == [
        f"old: {old} (sample 1/3, passed)",
        "     a.one  agent shop assistant",
        f"new: {new} (sample 2/3, failed)",
        "     a.one  agent shop assistant",
        "  ended: completed -> evaluator_failed",
        '  step 2 names-tracking (hard_gate): passed -> failed: missing "tracking"',
        "  turns:",
        "      user: Where is my order?",
        "    - agent: It has shipped. Tracking: 1Z999.",
        "    + agent: I cannot help with that.",
        "✗ regressed: passed -> failed",
    ]
    assert compare(history, new, old).code == 0


RUN = run_id("batch_good", GOOD, 1)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("run_x", RUN), "Run 'run_x' not found"),
        ((RUN, "run_x"), "Run 'run_x' not found"),
        (("batch_x", "batch_good"), "Batch 'batch_x' not found"),
        ((RUN, "batch_good"), f"{RUN} is a run, and batch_good a batch: compare two runs, or two batches"),
        (("batch_good", RUN), f"{RUN} is a run, and batch_good a batch: compare two runs, or two batches"),
        ((RUN, run_id("batch_good", STAYS, 1)), "compare runs of the same scenario"),
        (("batch_good", "batch_killed"), "batch batch_killed did not end"),
        (("run_killed.a.one.1", RUN), "run_killed.a.one.1 is a run of batch_killed, which did not end"),
        (
            ("batch_good", "batch_other"),
            "batch_good and batch_other have no scenario in common: a.one, a.two in the one, b.other in the other",
        ),
        (("batch_good", "batch_variants"), "a.one, a.two in the one, a.one · large in the other"),
        (("--suite", "batch_good"), "Missing baseline or candidate suite batch id"),
        (("--suite",), "Missing baseline or candidate suite batch id"),
        (("--suite", RUN, RUN), f"{RUN} is a run: --suite compares two batches"),
        (
            ("--suite", "batch_good", "batch_other"),
            "not of the same selection; only in batch_good: a.one, a.two; only in batch_other: b.other",
        ),
        (("batch_good",), "Give OLD and NEW."),
        (("--baseline", "a.one", "batch_good", "batch_worse"), "Give NEW, and no OLD, with --baseline."),
        (("--suite", "--baseline", "a.one", "batch_good", "x"), "Give either --suite or --baseline."),
        (("--baseline", "a.one", "batch_good"), "no baseline of a.one is approved in "),
        (("gone.json", "batch_good"), "cannot read gone.json: No such file or directory"),
    ],
)
def test_what_cannot_be_compared_is_exit_code_2(
    history: Path,
    args: tuple[str, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(history)
    assert run_command(["compare", *args]) == 2
    ended = capsys.readouterr()
    assert ended.out == ""
    assert said in ended.err
    assert "Traceback" not in ended.err


def test_suites_of_the_same_selection_are_compared(history: Path) -> None:
    assert compare(history, "--suite", "batch_good", "batch_worse").code == 1
    assert compare(history, "--suite", "batch_worse", "batch_good").code == 0


def test_json_and_markdown(history: Path) -> None:
    ended = compare(history, "batch_good", "batch_worse", "--format", "json")
    assert ended.code == 1
    document = json.loads(ended.out)
    assert [row["change"] for row in document["scenarios"]] == ["regressed", "unchanged_pass"]
    assert document["scenarios"][0]["p"] == 0.4
    ended = compare(history, "batch_good", "batch_worse", "--format", "markdown")
    assert ended.code == 1
    assert ended.out.startswith("## ❌ 1 of 2 compared scenarios regressed: `a.one`\n")


def test_files_are_compared_without_a_database(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_bytes(render_json(make_report(GOOD)))
    (tmp_path / "new.json").write_bytes(render_json(make_report(WORSE)))
    ended = compare(tmp_path, "old.json", "new.json")
    assert ended.code == 1, ended.err
    assert ended.out.endswith("regressed: a.one\n")
    assert compare(tmp_path, "new.json", "old.json").code == 0
    assert not (tmp_path / "artifacts").exists()


def test_a_file_is_judged_by_its_samples_and_not_by_what_it_claims(tmp_path: Path) -> None:
    document: dict[str, Any] = json.loads(render_json(make_report(WORSE)))
    document["scenarios"][0] |= {"verdict": "passed", "passed": 3, "needed": 1}
    (tmp_path / "new.json").write_text(json.dumps(document), encoding="utf-8")
    (tmp_path / "old.json").write_bytes(render_json(make_report(GOOD)))
    assert compare(tmp_path, "old.json", "new.json").code == 1


def test_a_file_that_holds_no_results_is_named(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text("{}", encoding="utf-8")
    ended = compare(tmp_path, "old.json", "old.json")
    assert ended.code == 2
    assert ended.err.startswith("agentlab: old.json: not the results.json of agentlab: ")


@pytest.mark.parametrize("output", CompareFormat)
def test_no_runner_obeys_what_results_say(tmp_path: Path, output: CompareFormat) -> None:
    texts = [
        text for text in HOSTILE_TEXTS if text.isprintable() or text.isascii()
    ]  # no lone surrogates, as in files
    new = make_report(*(hostile_scenario(index, text) for index, text in enumerate(texts)))
    old = make_report(*(make_row("ppp", row.scenario_id) for row in new.scenarios))
    for name, report in (("old.json", old), ("new.json", new)):
        (tmp_path / name).write_bytes(render_json(report))
    ended = compare(tmp_path, "old.json", "new.json", "--format", output, environ={"GITHUB_ACTIONS": "true"})
    assert ended.code == 1, ended.err
    assert find_commands(ended.out + ended.err) == []


AGENT = """\
def answer(messages, context, tools):
    done = [message for message in messages if message["role"] == "tool"]
    if not done:
        return {"tool_calls": [{"name": "orders.refund", "input": {"order_id": "ord_1024"}}]}
    return "Refunded ord_1024."
"""
TASK = {
    "id": "shop.refund",
    "name": "Refund",
    "suite": "shop",
    "task": {"instructions": "Refund order ord_1024."},
    "tools": {"allowed": ["orders.refund"]},
    "evaluators": [
        {
            "id": "refunded",
            "type": "tool_call_assertion",
            "mode": "hard_gate",
            "config": {"tool": "orders.refund", "match": {"order_id": "ord_1024"}},
        }
    ],
}
TALK = {"name": "talk", "provider": "mock", "replies": [{"reply": "It has shipped."}]}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a conversation and a task, both of which pass."""
    work = {"name": "work", "provider": "python", "target": "agent:answer"}
    scenarios = [conversation("shop.order", agent="talk"), TASK | {"agent": "work"}]
    write_project(tmp_path, {"agents": [TALK, work]}, scenarios)
    (tmp_path / "agent.py").write_text(AGENT, encoding="utf-8")
    ended = agentlab(tmp_path, "run", "-k", "3")
    assert ended.code == 0, ended.out + ended.err
    return tmp_path


def test_a_changed_agent_is_found_in_what_it_calls_and_says(project: Path) -> None:
    assert agentlab(project, "run", "-k", "3").code == 0
    same = compare(project, "@prev", "@last")
    assert same.code == 0, same.err
    assert same.out.endswith("2 scenarios: 2 unchanged_pass\n✓ none of 2 compared scenarios regressed\n")
    assert "turns:" not in same.out

    (project / "agent.py").write_text(AGENT.replace("ord_1024", "ord_1023"), encoding="utf-8")
    assert agentlab(project, "run", "-k", "3").code == 1
    worse = compare(project, "@prev", "@last")
    assert worse.code == 1
    assert "hard gate refunded passed in all old samples and fails in 3 of 3 samples" in worse.out
    assert '- orders.refund {"order_id": "ord_1024"}' in worse.out
    assert '+ orders.refund {"order_id": "ord_1023"}' in worse.out
    assert "+ agent: Refunded ord_1023." in worse.out

    one = compare(project, "@prev:shop.order", "@last")
    assert one.code == 0, one.err
    assert "1 scenario: 1 unchanged_pass" in one.out


def test_the_approved_baseline_of_a_scenario(project: Path) -> None:
    assert agentlab(project, "approve", "@last").code == 0
    (project / "agent.py").write_text(AGENT.replace("ord_1024", "ord_1023"), encoding="utf-8")
    assert agentlab(project, "run", "-k", "3").code == 1
    worse = compare(project, "--baseline", "shop.refund", "@last")
    assert worse.code == 1, worse.err
    assert worse.out.endswith("✗ 1 of 1 compared scenario regressed: shop.refund\n")
    assert compare(project, "--baseline", "shop.order", "@last").code == 0
    listed = agentlab(project, "list", "runs", "--scenario", "shop.refund", "--json", "--limit", "1")
    run = json.loads(listed.out)["run_id"]
    mixed = compare(project, "--baseline", "shop.refund", run)
    assert mixed.code == 2
    assert f"{run} is a run, and the baseline of shop.refund, batch_" in mixed.err

    # What was approved last counts.
    assert agentlab(project, "approve", "@last", "--force").code == 0
    assert compare(project, "--baseline", "shop.refund", "@last").code == 0
    assert agentlab(project, "approve", run, "--force").code == 0
    assert compare(project, "--baseline", "shop.refund", run).code == 0
    assert compare(project, "--baseline", "shop.refund", "@last").code == 0, "a batch still has one of its kind"


def test_where_nothing_could_be_compared_green_would_mean_nothing(tmp_path: Path) -> None:
    database = tmp_path / "artifacts" / "agentlab.db"
    store_batch(database, "batch_old", OLD, scenario("ppp", "a.one"))
    store_batch(database, "batch_new", NEW, scenario("eee", "a.one"))
    ended = compare(tmp_path, "batch_old", "batch_new")
    assert "nothing could be compared" in ended.out
    assert ended.code == 2


def test_a_baseline_of_another_variant_hides_none_of_its_own(tmp_path: Path) -> None:
    database = tmp_path / "artifacts" / "agentlab.db"
    store_batch(database, "batch_plain", OLD, scenario("ppp", "a.one"))
    store_batch(database, "batch_variant", NEW, make_row("ppp", "a.one", variant="large"))
    store_batch(database, "batch_worse", LATER, scenario("pff", "a.one"))
    for batch in ("batch_plain", "batch_variant"):
        assert agentlab(tmp_path, "approve", batch).code == 0
    ended = compare(tmp_path, "--baseline", "a.one", "batch_worse")
    assert ended.code == 1, ended.err
