"""What is stored, through the commands: shown, listed, approved, pruned."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import pytest

from agentlab_ci.cli.group import run_command
from agentlab_ci.cli.history import SinceType
from agentlab_ci.core.batch_state import BatchState
from agentlab_ci.core.stored import BatchEntry, RunEntry
from agentlab_ci.reports.json_report import render_json
from agentlab_ci.store.migrations import MIGRATIONS
from canned import CANNED_REPORTS
from command import Ended, agentlab, conversation, start_agentlab, wait_for, write_project
from demo import ROOT, clean_environ
from factories import make_report, make_row
from runner_commands import find_commands
from stored import store_batch, store_killed_batch

STEADY = {"name": "steady", "provider": "mock", "replies": [{"reply": "It has shipped."}]}
FLAKY = STEADY | {"name": "flaky", "fail_samples": [2], "failure_reply": "No idea."}
DATABASE = Path("artifacts") / "agentlab.db"
COMMANDS = [
    ("show", "@last"),
    ("show", "run_x"),
    ("list", "runs"),
    ("list", "batches"),
    ("approve", "@last"),
    ("prune", "--keep", "1"),
]


class Call(Protocol):
    """Runs a command in this process, which takes a hundredth of the time of a process of its own."""

    def __call__(self, folder: Path, *args: str, environ: Mapping[str, str] | None = None) -> Ended: ...


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    def call(folder: Path, *args: str, environ: Mapping[str, str] | None = None) -> Ended:
        with monkeypatch.context() as patch:
            patch.chdir(folder)
            for name in ("AGENTLAB_DB", "GITHUB_ACTIONS"):
                patch.delenv(name, raising=False)
            for name, value in (environ or {}).items():
                patch.setenv(name, value)
            code = run_command(args)
        out, err = capsys.readouterr()
        return Ended(code=code, out=out, err=err, folder=folder)

    return call


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose first batch passed, and whose second failed."""
    agents = {"agents": [STEADY, {"name": "flaky", "provider": "mock", "replies": STEADY["replies"]}]}
    project = write_project(
        tmp_path_factory.mktemp("history"),
        agents,
        [conversation("a.one", agent="steady"), conversation("b.two", agent="flaky")],
    )
    assert agentlab(project, "run", "-k", "3").code == 0
    failing = {"agents": [STEADY, {"name": "flaky", "provider": "mock", "replies": [{"reply": "No idea."}]}]}
    write_project(project, failing, [conversation("a.one", agent="steady"), conversation("b.two", agent="flaky")])
    assert agentlab(project, "run", "-k", "3").code == 1
    return project


def json_lines(ended: Ended) -> list[dict[str, Any]]:
    assert ended.code == 0, ended.err
    return [json.loads(line) for line in ended.out.splitlines()]


def batch_ids(call: Call, folder: Path, *args: str) -> list[str]:
    return [batch["batch_id"] for batch in json_lines(call(folder, "list", "batches", "--json", *args))]


def query(path: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def test_a_batch_is_listed_and_shown(call: Call, folder: Path) -> None:
    newest, first = batch_ids(call, folder)
    table = call(folder, "list", "batches").out.splitlines()
    assert [line.split()[:4] for line in table] == [
        ["BATCH", "VERDICT", "SCENARIOS", "SAMPLES"],
        [newest, "failed", "1/2", "3/6"],
        [first, "passed", "2/2", "6/6"],
    ]
    last = call(folder, "show", "@last")
    assert (last.code, last.err) == (0, "")
    assert last.out.splitlines()[0] == f"{newest} · failed"
    assert last.out == call(folder, "show", newest).out
    assert "✗  0/3     2      b.two · broken\n" in last.out
    assert len(re.findall(r"^run_\S+  passed .* a\.one$", last.out, re.MULTILINE)) == 3
    assert last.out.splitlines()[-1] == "✗ 1 of 2 scenarios finished below the bar: b.two"
    assert call(folder, "show", "@prev").out.startswith(f"{first} · passed\n")


def test_a_run_is_listed_and_shown(call: Call, folder: Path) -> None:
    runs = json_lines(call(folder, "list", "runs", "--scenario", "b.*", "--status", "failed", "--json"))
    assert [(run["scenario_id"], run["sample"]) for run in runs] == [("b.two", 3), ("b.two", 2), ("b.two", 1)]
    shown = call(folder, "show", runs[1]["run_id"])
    assert shown.code == 0
    lines = shown.out.splitlines()
    assert lines[0] == "✗ b.two · sample 2/3 · failed"
    assert f"  run      {runs[1]['run_id']}" in lines
    assert '  ✗ step 1 response_contains (hard_gate): reply does not contain "shipped"' in lines
    said = [line for line in lines[lines.index("what happened") :] if line.startswith("      ")]
    assert said == ["      Where is my order?", "      No idea."]


def test_a_scenario_of_the_last_batch_that_holds_it_is_shown_in_full(call: Call, folder: Path) -> None:
    shown = call(folder, "show", "@last:b.two").out.splitlines()
    assert shown[0] == "✗ b.two · 0/3 passed, needs 2 · broken"
    assert [line for line in shown if line.startswith("✗ b.two · sample")] == [
        f"✗ b.two · sample {number}/3 · failed" for number in (1, 2, 3)
    ]
    assert not any("a.one" in line for line in shown)
    assert call(folder, "show", "@prev:b.two").out.startswith("✓ b.two · 3/3 passed, needs 2\n")


def test_samples_that_never_ran_are_not_shown_as_runs(call: Call, tmp_path: Path) -> None:
    row = make_row("pps", "a.one")
    store_batch(tmp_path / DATABASE, "batch_1", "2026-04-07T00:00:00.000+00:00", row)
    shown = call(tmp_path, "show", "@last:a.one").out.splitlines()
    assert shown[0] == "✓ a.one · 2/3 passed, needs 2"
    assert [line for line in shown if "sample" in line] == [
        "✓ a.one · sample 1/3 · passed",
        "✓ a.one · sample 2/3 · passed",
    ]


def test_a_day_without_a_zone_is_of_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    assert SinceType().convert("2026-04-07", None, None) == datetime(2026, 4, 7, tzinfo=UTC)
    assert SinceType().convert("2026-04-07T01:00+02:00", None, None) == datetime(2026, 4, 6, 23, tzinfo=UTC)
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("args", "count"),
    [
        (("runs",), 12),
        (("runs", "--limit", "5"), 5),
        (("runs", "--agent", "flaky", "--status", "passed"), 3),
        (("runs", "--suite", "a", "--since", "1h"), 6),
        (("runs", "--since", "2999-01-01"), 0),
        (("runs", "--variant", "x"), 0),
        (("batches", "--verdict", "passed"), 1),
        (("batches", "--verdict", "no-end"), 0),
        (("batches", "--scenario", "a.one", "--agent", "steady", "--since", "2026-01-01T00:00:00+02:00"), 2),
    ],
)
def test_lists_are_filtered(call: Call, folder: Path, args: tuple[str, ...], count: int) -> None:
    assert len(json_lines(call(folder, "list", *args, "--json"))) == count


def test_that_there_is_more_or_nothing_is_no_part_of_the_list(call: Call, folder: Path) -> None:
    some = call(folder, "list", "runs", "--limit", "5")
    assert (len(some.out.splitlines()), some.err) == (6, "the newest 5 runs: --limit shows more\n")
    none = call(folder, "list", "batches", "--suite", "none")
    assert (none.code, none.out, none.err) == (0, "", "no batches like that are stored\n")
    assert call(folder, "list", "runs", "--limit", "12").err == ""


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("show", "run_x"), "agentlab: Run 'run_x' not found"),
        (("approve", "run_x"), "agentlab: Run 'run_x' not found"),
        (("show", "batch_x"), "agentlab: Batch 'batch_x' not found"),
        (("show", "@last:c.three"), "does not hold a batch with samples of c.three"),
        (("show", "@first"), "@first means nothing: give @last or @prev"),
        (("show", ""), "it is empty"),
        (("show",), "Missing argument 'RUN|BATCH'"),
        (
            ("approve", "agentlab-report/results.json"),
            "is a file, of which nothing is stored: name a baseline file with --to",
        ),
        (("approve", "none.json", "--to", "b.json"), "cannot read none.json: No such file or directory"),
        (("approve", "agentlab.config.yaml", "--to", "b.json"), "agentlab.config.yaml: not the results.json of"),
        (("approve", "scenarios.json", "--to", "b.json"), "cannot read scenarios.json"),
        (("list", "runs", "--since", "yesterday"), "'yesterday' is no day such as 2026-04-07"),
        (("list", "runs", "--since", "0001-01-01T00:00:00+23:00"), "is no day such as"),
        (("list", "runs", "--since", "99999w"), "is no day such as"),
        (("list", "batches", "--verdict", "green"), "'green' is not one of 'passed', 'failed'"),
        (("list", "runs", "--limit", "0"), "0 is not in the range"),
        (("prune",), "Give either --keep N or --older-than AGE."),
        (("prune", "--keep", "1", "--older-than", "1d"), "Give either --keep N or --older-than AGE."),
        (("prune", "--keep", "-1"), "-1 is not in the range"),
        (("prune", "--older-than", "30"), "'30' is no age such as 30d"),
        (("prune", "--older-than", "99999w"), "is no age such as 30d"),
    ],
)
def test_what_cannot_be_done_is_said(call: Call, folder: Path, args: tuple[str, ...], said: str) -> None:
    ended = call(folder, *args)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("args", COMMANDS)
def test_without_a_database_a_sentence_says_so_and_none_is_made(
    call: Call, tmp_path: Path, args: tuple[str, ...]
) -> None:
    ended = call(tmp_path, *args)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        f"agentlab: there is no database {tmp_path / DATABASE}: it comes with the first run; "
        "another one can be named with --db\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("args", COMMANDS)
def test_the_database_of_a_newer_agentlab_is_refused(call: Call, tmp_path: Path, args: tuple[str, ...]) -> None:
    store_batch(tmp_path / DATABASE, "batch_1", "2026-04-07T00:00:00.000+00:00", make_row("p"))
    with closing(sqlite3.connect(tmp_path / DATABASE)) as database:
        database.execute("PRAGMA user_version = 99")
    ended = call(tmp_path, *args)
    assert ended.code == 2
    known = f"this agentlab knows up to {len(MIGRATIONS)}"
    assert f"is a newer agentlab's (it has schema 99, and {known}): upgrade" in ended.err


@pytest.mark.parametrize(
    ("args", "environ"),
    [
        (("--db", "elsewhere/history.db"), {}),
        ((), {"AGENTLAB_DB": "elsewhere/history.db"}),
        (("--config", "project/agentlab.config.yaml"), {}),
        (("--config", "project/agentlab.config.yaml", "--db", "elsewhere/history.db"), {"AGENTLAB_DB": "none.db"}),
    ],
)
def test_the_database_is_where_the_run_has_it(
    call: Call, tmp_path: Path, args: tuple[str, ...], environ: Mapping[str, str]
) -> None:
    write_project(tmp_path / "project", {"agents": [STEADY]}, [conversation("a.one")])
    config = () if "--config" in args else ("--config", "project/agentlab.config.yaml")
    assert call(tmp_path, "run", *config, *args, environ=environ).code == 0
    # What the project's files say now, and whether they are right, is of no matter.
    (tmp_path / "project" / "agentlab.config.yaml").write_text("broken: [", encoding="utf-8")
    for command in (("show", "@last"), ("list", "runs"), ("approve", "@last"), ("prune", "--keep", "0")):
        ended = call(tmp_path, *command, *args, environ=environ)
        assert (ended.code, ended.err) == (0, "")


def test_approving_what_did_not_pass_takes_force(call: Call, folder: Path, tmp_path: Path) -> None:
    database = tmp_path / "copy.db"
    with closing(sqlite3.connect(folder / DATABASE)) as source, closing(sqlite3.connect(database)) as copy:
        source.backup(copy)
    newest, first = batch_ids(call, folder)
    [run, *_] = json_lines(call(folder, "list", "runs", "--scenario", "b.two", "--json"))

    def approve(*args: str) -> tuple[int, str]:
        ended = call(folder, "approve", *args, "--db", str(database))
        return ended.code, ended.out + ended.err

    refused = "--force approves it all the same\n"
    assert approve("@last") == (2, f"agentlab: not approved: {newest} failed; {refused}")
    assert approve(run["run_id"]) == (2, f"agentlab: not approved: {run['run_id']} failed; {refused}")
    assert approve("@last:b.two") == (2, f"agentlab: not approved: b.two of {newest} failed; {refused}")
    assert query(database, "SELECT * FROM approvals") == []
    assert approve("@last:a.one") == (0, f"approved: a.one of {newest}\n")
    assert approve("@prev") == (0, f"approved: {first}\n")
    assert approve("@last", "--force") == (0, f"approved: {newest}, which failed\n")
    assert approve(run["run_id"], "--force") == (0, f"approved: {run['run_id']}, which failed\n")
    assert len(query(database, "SELECT * FROM approvals")) == 4

    shown = call(folder, "show", newest, "--db", str(database)).out
    assert len(re.findall("^  approved   20.* UTC", shown, re.MULTILINE)) == 3
    assert "  approved " in call(folder, "show", run["run_id"], "--db", str(database)).out
    listed = call(folder, "list", "batches", "--db", str(database)).out
    assert listed.count("· approved") == 2


@pytest.mark.parametrize(
    ("outcomes", "overrides", "said"),
    [
        ("ee", {}, "failed"),
        ("cc", {}, "is unfinished"),
        ("", {"skipped": "cannot run on http"}, "was skipped"),
    ],
)
def test_only_what_passed_is_approved(
    call: Call, tmp_path: Path, outcomes: str, overrides: dict[str, Any], said: str
) -> None:
    store_batch(
        tmp_path / DATABASE, "batch_1", "2026-04-07T00:00:00.000+00:00", make_row(outcomes, "a.one", **overrides)
    )
    ended = call(tmp_path, "approve", "batch_1")
    assert (ended.code, ended.err.split(";")[0]) == (2, f"agentlab: not approved: batch_1 {said}")


@pytest.mark.parametrize(("outcome", "said"), [("e", "could not be judged"), ("c", "was cancelled")])
def test_only_a_run_that_passed_is_approved(call: Call, tmp_path: Path, outcome: str, said: str) -> None:
    store_batch(tmp_path / DATABASE, "batch_1", "2026-04-07T00:00:00.000+00:00", make_row(outcome, "a.one"))
    ended = call(tmp_path, "approve", "run_1.a.one.1")
    assert (ended.code, ended.err.split(";")[0]) == (2, f"agentlab: not approved: run_1.a.one.1 {said}")


def lines_of(file: Path) -> dict[str, str]:
    """Return the verdict of every scenario that a baseline file holds."""
    scenarios = json.loads(file.read_text(encoding="utf-8"))["scenarios"]
    return {line["scenario_id"]: line["verdict"] for line in scenarios}


def test_what_is_approved_is_written_into_a_baseline_file(call: Call, tmp_path: Path) -> None:
    path = tmp_path / DATABASE
    store_batch(
        path, "batch_1", "2026-04-01T00:00:00.000+00:00", make_row("ppp", "a.one"), make_row("pp", "a.two")
    )
    store_batch(path, "batch_2", "2026-04-02T00:00:00.000+00:00", make_row("ff", "a.one"), make_row("ff", "a.two"))
    refused = call(tmp_path, "approve", "@last", "--to", "base.json")
    assert (refused.code, (tmp_path / "base.json").exists()) == (2, False)
    done = call(tmp_path, "approve", "@prev", "--to", "base.json")
    assert (done.code, done.out) == (0, "approved: batch_1\nbaseline: base.json, 2 scenarios\n")
    assert lines_of(tmp_path / "base.json") == {"a.one": "passed", "a.two": "passed"}
    assert query(path, "SELECT batch_id FROM approvals") == [("batch_1",)]
    one = call(tmp_path, "approve", "@last:a.two", "--to", "base.json", "--force")
    assert one.out == "approved: a.two of batch_2, which failed\nbaseline: base.json, 2 scenarios\n"
    assert lines_of(tmp_path / "base.json") == {"a.one": "passed", "a.two": "failed"}


def test_a_run_is_no_line_of_a_baseline_file(call: Call, tmp_path: Path) -> None:
    store_batch(tmp_path / DATABASE, "batch_1", "2026-04-01T00:00:00.000+00:00", make_row("p", "a.one"))
    refused = call(tmp_path, "approve", "run_1.a.one.1", "--to", "base.json")
    assert (refused.code, refused.err) == (
        2,
        "agentlab: not approved: run_1.a.one.1 is a run, and base.json takes whole scenarios: name its batch\n",
    )
    assert query(tmp_path / DATABASE, "SELECT * FROM approvals") == []


def test_what_cannot_be_written_is_not_approved(call: Call, tmp_path: Path) -> None:
    store_batch(tmp_path / DATABASE, "batch_1", "2026-04-01T00:00:00.000+00:00", make_row("p", "a.one"))
    (tmp_path / "base.json").write_text("{}", encoding="utf-8")
    assert call(tmp_path, "approve", "@last", "--to", "base.json").code == 2
    assert (tmp_path / "base.json").read_text(encoding="utf-8") == "{}"
    assert query(tmp_path / DATABASE, "SELECT * FROM approvals") == []


def test_the_results_of_a_ci_job_are_approved_without_a_database(call: Call, tmp_path: Path) -> None:
    report = make_report(make_row("ppp", "a.one"), make_row("ffp", "a.two"))
    # What the file says of its verdict is not believed.
    lies = report.model_copy(update={"summary": report.summary.model_copy(update={"verdict": "passed"})})
    (tmp_path / "results.json").write_bytes(render_json(lies))
    refused = call(tmp_path, "approve", "results.json", "--to", "base.json")
    assert (refused.code, refused.err.split(";")[0]) == (2, "agentlab: not approved: results.json failed")
    done = call(tmp_path, "approve", "results.json", "--to", "base.json", "--force")
    assert done.out == "approved: results.json, which failed\nbaseline: base.json, 2 scenarios\n"
    assert lines_of(tmp_path / "base.json") == {"a.one": "passed", "a.two": "failed"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["base.json", "results.json"]


def test_old_batches_are_pruned(call: Call, tmp_path: Path) -> None:
    for day in (1, 2, 3):
        store_batch(tmp_path / DATABASE, f"batch_{day}", f"2026-04-0{day}T00:00:00.000+00:00", make_row("p"))
    assert call(tmp_path, "approve", "batch_1").code == 0
    tried = call(tmp_path, "prune", "--keep", "1", "--dry-run")
    assert tried.out == "to remove: batch_2\n1 batch to remove; kept: 1 new enough, 1 approved\n"
    assert batch_ids(call, tmp_path) == ["batch_3", "batch_2", "batch_1"]
    done = call(tmp_path, "prune", "--keep", "1")
    assert (done.out, done.err) == ("removed: batch_2\n1 batch removed; kept: 1 new enough, 1 approved\n", "")
    assert batch_ids(call, tmp_path) == ["batch_3", "batch_1"]
    assert call(tmp_path, "prune", "--older-than", "30d").out == (
        "removed: batch_3\n1 batch removed; kept: 1 approved\n"
    )
    assert "Run 'run_3.billing.refund.1' not found" in call(tmp_path, "show", "run_3.billing.refund.1").err


def test_a_batch_that_was_killed_is_listed_and_shown_as_such(call: Call, tmp_path: Path) -> None:
    path = tmp_path / DATABASE
    rows = make_row("pf.", "a.one", variant="new"), make_row("p", "b.two")
    store_killed_batch(path, "batch_1", "2026-04-07T00:00:00.000+00:00", *rows)
    assert batch_ids(call, tmp_path, "--verdict", "no-end", "--variant", "new") == ["batch_1"]
    assert call(tmp_path, "list", "batches").out.splitlines()[1].split() == [
        *("batch_1", "no-end", "-", "2/3", "-", "-")
    ]
    shown = call(tmp_path, "show", "@last")
    assert shown.out.startswith("batch_1 · did not end: it still runs, or was killed\n")
    assert shown.out.endswith("\n3 samples stored: 2 passed, 1 failed\n")
    titles = [line for line in call(tmp_path, "show", "@last:a.one").out.splitlines() if "sample" in line]
    assert titles == ["✓ a.one · new · sample 1/3 · passed", "✗ a.one · new · sample 2/3 · failed"]
    refused = call(tmp_path, "approve", "@last", "--force")
    assert (refused.code, refused.err) == (
        2,
        "agentlab: batch batch_1 did not end: it still runs, or was killed\n",
    )


def test_a_run_that_is_killed_can_be_looked_at(tmp_path: Path) -> None:
    slow = STEADY | {"name": "slow", "latency_ms": 3_600_000}
    write_project(
        tmp_path,
        {"agents": [STEADY, slow], "concurrency": 8},
        [conversation("a.one", agent="steady"), conversation("b.two", agent="slow")],
    )
    process = start_agentlab(tmp_path, "run", "-k", "3")
    while not ((tmp_path / DATABASE).exists() and _stored(tmp_path / DATABASE) == 3):
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    wait_for(process, tmp_path)
    [batch] = json_lines(agentlab(tmp_path, "list", "batches", "--json"))
    assert (batch["verdict"], batch["samples"]["passed"]) == ("no-end", 3)
    assert "3 samples stored: 3 passed\n" in agentlab(tmp_path, "show", "@last").out
    assert agentlab(tmp_path, "prune", "--keep", "0").out == "0 batches removed; kept: 1 may still run\n"


def _stored(path: Path) -> int:
    try:
        return int(query(path, "SELECT count(*) FROM samples")[0][0])
    except sqlite3.OperationalError:  # the tables are not there yet
        return 0


def test_runs_approvals_and_prunings_at_once_lose_nothing(tmp_path: Path) -> None:
    folder = write_project(tmp_path, {"agents": [STEADY], "concurrency": 4}, [conversation("a.one")])
    assert agentlab(folder, "run").code == 0
    [first] = batch_ids(agentlab, folder)
    assert agentlab(folder, "approve", first).code == 0
    runs = [start_agentlab(folder, "run", "-k", "200", "--report-dir", f"report-{n}") for n in range(3)]
    others = [start_agentlab(folder, "approve", first) for _ in range(3)]
    others += [start_agentlab(folder, "prune", "--keep", "0") for _ in range(2)]
    ended = [wait_for(process, folder) for process in (*runs, *others)]
    said = [line for each in ended for line in each.err.splitlines() if not re.match(r"\d+/200 samples", line)]
    assert ([each.code for each in ended], said) == ([0] * 8, [])
    path = folder / DATABASE
    assert query(path, "PRAGMA integrity_check") == [("ok",)]
    assert query(path, "PRAGMA foreign_key_check") == []
    counts = query(path, "SELECT batch_id, count(*) FROM samples GROUP BY batch_id")
    # A batch that had ended when it was pruned is gone, and that is as asked; any other is whole.
    assert dict(counts).pop(first) == 1
    assert {count for batch_id, count in counts if batch_id != first} <= {200}
    assert {batch_id for batch_id, _ in counts} == set(batch_ids(agentlab, folder))


@pytest.mark.parametrize("args", [("list", "runs"), ("list", "batches", "--json"), ("show", "@last")])
def test_a_reader_that_has_enough_is_no_error(folder: Path, args: tuple[str, ...]) -> None:
    environ = clean_environ() | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    line = f"{sys.executable} -m agentlab_ci {' '.join(args)} | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environ, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == ""


def test_nothing_that_is_stored_is_obeyed_by_a_ci_runner(call: Call, tmp_path: Path) -> None:
    rows = [row for row in CANNED_REPORTS["hostile"].scenarios if "\0" not in row.scenario_id]
    report = store_batch(tmp_path / DATABASE, "batch_1", "2026-04-07T00:00:00.000+00:00", *rows)
    seen = [
        call(tmp_path, *args, environ={"GITHUB_ACTIONS": "true"})
        for args in (
            ("show", "@last"),
            ("list", "runs", "--limit", "1000"),
            ("list", "runs", "--json"),
            ("list", "batches"),
            ("list", "batches", "--json"),
            *(("show", f"@last:{row.scenario_id}") for row in report.scenarios[4:12]),
        )
    ]
    for ended in seen:
        assert (ended.code, ended.out == "") == (0, False), ended.err
        assert find_commands(ended.out) == []
        assert "\x1b" not in ended.out


@pytest.mark.parametrize(("what", "entry"), [("run", RunEntry), ("batch", BatchEntry)])
def test_the_page_names_every_key_of_a_line(what: str, entry: type[RunEntry] | type[BatchEntry]) -> None:
    page = (ROOT / "docs/reference/history.md").read_text(encoding="utf-8")
    table = page.split(f"| key of a {what} |")[1].split("\n\n")[0]
    cells = [row.split("|")[1] for row in table.splitlines()[2:]]
    named = [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(named) == sorted(field.name for field in fields(entry))


def test_the_page_names_every_end_of_a_batch() -> None:
    page = (ROOT / "docs/reference/history.md").read_text(encoding="utf-8")
    [row] = [line for line in page.splitlines() if line.startswith("| `verdict`")]
    assert set(re.findall(r"`([\w-]+)`", row)) - {"verdict"} == set(BatchState)
