"""`agentlab view`: stored batches and files of results, opened in a real terminal."""

import os
import signal
from pathlib import Path

import pytest

from agentlab_ci.core.results import RunReport
from agentlab_ci.reports.json_report import render_json
from agentlab_ci.store.writer import StoreWriter
from command import agentlab
from factories import make_batch, make_facts, make_row, make_samples
from stored import store_batch, store_killed_batch
from terminal import ALTERNATE, ORDINARY, WITHOUT_TEXTUAL, in_terminal, plain

DATABASE = Path("artifacts") / "agentlab.db"
VERDICT = "1 of 2 scenarios finished below the bar: a.two"


@pytest.fixture
def report(tmp_path: Path) -> RunReport:
    (tmp_path / DATABASE).parent.mkdir()
    rows = (make_row("ppp", "a.one"), make_row("pff", "a.two"))
    stored = store_batch(tmp_path / DATABASE, "batch_1", "2026-04-07T00:12:30.000+00:00", *rows)
    (tmp_path / "results.json").write_bytes(render_json(stored))
    return stored


@pytest.mark.parametrize("reference", ["batch_1", "@last", "results.json"])
def test_a_batch_or_a_file_is_opened_and_left_with_q(tmp_path: Path, report: RunReport, reference: str) -> None:
    with in_terminal(tmp_path, "view", reference) as terminal:
        terminal.wait_for(ALTERNATE)
        terminal.wait_for(VERDICT)
        terminal.wait_for("a.one")
        terminal.press("q")
        code, drawn = terminal.end()
        assert terminal.is_as_before()
    assert (code, plain(drawn.partition(ORDINARY)[2])) == (0, "")


def test_what_is_marked_is_printed(tmp_path: Path, report: RunReport) -> None:
    with in_terminal(tmp_path, "view", "@last") as terminal:
        terminal.wait_for(VERDICT)
        terminal.press("\r")
        terminal.wait_for("3/3 samples passed")
        terminal.press("p")
        terminal.wait_for("Printed to the terminal")
        terminal.press("q")
        code, drawn = terminal.end()
    assert code == 0
    assert plain(drawn.partition(ORDINARY)[2]).splitlines()[0] == "✓ a.one  3/3 samples passed"


def test_a_signal_closes_it(tmp_path: Path, report: RunReport) -> None:
    with in_terminal(tmp_path, "view", "@last") as terminal:
        terminal.wait_for(VERDICT)
        os.kill(terminal.process.pid, signal.SIGTERM)
        code, drawn = terminal.end()
        assert terminal.is_as_before()
    assert code == 143
    assert ORDINARY in drawn


def test_a_batch_without_an_end_is_shown_as_far_as_it_is_stored(tmp_path: Path) -> None:
    (tmp_path / DATABASE).parent.mkdir()
    with StoreWriter.open(tmp_path / DATABASE) as writer:
        planned = [make_facts(scenario_id=name, name=name) for name in ("a.one", "a.two")]
        writer.start_batch(make_batch(batch_id="batch_1"), planned)
        for sample in make_samples("pp.", scenario_id="a.one")[:2]:
            writer.add_sample("batch_1", None, sample)
    with in_terminal(tmp_path, "view", "@last") as terminal:
        terminal.wait_for("note: batch_1 still runs, or was killed: this is what is stored of it by now")
        terminal.wait_for(ALTERNATE)
        terminal.wait_for("2/6 samples")
        terminal.wait_for("did not end: it still runs, or was killed")
        terminal.wait_for("1 of 2 scenarios unfinished: a.two")
        terminal.press("q")
        assert terminal.end()[0] == 0


def test_what_cannot_be_opened_is_refused_with_what_can_be_done(tmp_path: Path, report: RunReport) -> None:
    store_killed_batch(tmp_path / DATABASE, "batch_2", "2026-04-08T00:00:00.000+00:00", make_row("p..", "a.one"))
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    for reference, told in {
        "run_1.a.one.1": "of batch_1: view that, and open the part in it; `agentlab show` prints it alone",
        "batch_1:a.one": "not found",
        "@prev:a.one": "is a part of batch_1",
        "@last": "batch batch_2 did not end, and an older agentlab began it; `agentlab show batch_2` prints",
        "batch_9": "Batch 'batch_9' not found",
        "nope": "`agentlab list batches` names those that can be viewed",
        ".": "`agentlab list batches` names those that can be viewed",
        "broken.json": "broken.json: ",
        "absent.json": "cannot read absent.json",
    }.items():
        with in_terminal(tmp_path, "view", reference, columns=200) as terminal:
            code, drawn = terminal.end()
        assert (code, "\x1b" in drawn) == (2, False), reference
        assert told in drawn, drawn


def test_without_textual_it_says_what_brings_it(tmp_path: Path, report: RunReport) -> None:
    with in_terminal(tmp_path, "view", "@last", code=WITHOUT_TEXTUAL, columns=200) as terminal:
        code, drawn = terminal.end()
    assert code == 2
    assert drawn.strip() == (
        "agentlab: the view is not installed: pip install 'agentlab-ci[tui]' brings it; "
        "`agentlab show` prints a stored batch"
    )


def test_without_a_terminal_it_names_what_needs_none(tmp_path: Path, report: RunReport) -> None:
    ended = agentlab(tmp_path, "view", "@last")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "agentlab: view needs a terminal, and a TERM that is not dumb; "
        "`agentlab show` prints a stored batch anywhere\n"
    )
