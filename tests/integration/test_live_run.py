"""A run watched in a real terminal, and what is left on it: lines, reports, modes, exit code."""

import os
import shutil
import signal
import time
from pathlib import Path

import pytest

from children import wait_until_gone
from command import Ended, agentlab, conversation
from demo import ROOT
from gated import gated_project, half_done, open_gate
from terminal import ALTERNATE, ORDINARY, SECONDS, WITHOUT_TEXTUAL, Terminal, in_terminal, plain

SECRET = "MY_TOKEN"
CANCELLED = [("cancelled", "interrupted")] * 3
DONE = [("passed", "completed")] * 3


@pytest.fixture
def half(tmp_path: Path) -> Path:
    return half_done(tmp_path, redact=[SECRET])


def wait_until_half_done(terminal: Terminal) -> None:
    terminal.wait_for(ALTERNATE)
    terminal.wait_for("3/6 samples")


def ended(terminal: Terminal, folder: Path) -> Ended:
    """Wait for the end; what it printed is what came once the screen was given back."""
    code, drawn = terminal.end()
    _, back, printed = drawn.partition(ORDINARY)
    assert back, plain(drawn)
    assert ALTERNATE not in printed
    assert terminal.is_as_before()
    return Ended(code=code, out=plain(printed), err="", folder=folder)


def without_ids(lines: list[str]) -> list[str]:
    return [line.partition("  run_")[0] for line in lines if not line.startswith("batch: ")]


@pytest.mark.parametrize(
    ("keyword", "code", "verdict"),
    [("shipped", 0, "the scenario passed"), ("lost", 1, "finished below the bar")],
)
def test_a_run_that_is_over_is_left_with_its_last_lines_reports_and_exit_code(
    tmp_path: Path, keyword: str, code: int, verdict: str
) -> None:
    folder = gated_project(tmp_path, conversation("a.quick", agent="ships", keyword=keyword))
    log = agentlab(folder, "run", "--samples", "3").out.splitlines()
    with in_terminal(folder, "run", "--samples", "3") as terminal:
        terminal.wait_for(ALTERNATE)
        terminal.wait_for(verdict)
        terminal.press("q")
        left = ended(terminal, folder)
    told = without_ids(left.out.splitlines())
    assert told[0].startswith("reports: agentlab-report/report.md, ")
    assert told == without_ids(log)[-len(told) :]
    assert verdict in told[-1]
    assert left.code == left.results["summary"]["exit_code"] == code


@pytest.mark.parametrize("keys", [("q", "s"), ("\x03",)], ids=["q then s", "Ctrl+C"])
def test_stopping_is_a_sigint(half: Path, keys: tuple[str, ...]) -> None:
    with in_terminal(half, "run", "--samples", "3") as terminal:
        wait_until_half_done(terminal)
        for key in keys:
            terminal.press(key)
            if key == "q":
                terminal.wait_for("keep it running")
        left = ended(terminal, half)
    assert left.code == left.results["summary"]["exit_code"] == 130
    assert left.ends() == {"a.quick": DONE, "a.slow": CANCELLED}
    assert "a.slow" in (half / "agentlab-report" / "report.md").read_text(encoding="utf-8")
    assert left.out.startswith("stopping what runs; then the reports are written\nreports: ")
    assert "interrupted" in left.out.splitlines()[-1]
    assert wait_until_gone(half)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 143)])
def test_a_signal_from_outside_closes_the_view(half: Path, number: int, code: int) -> None:
    with in_terminal(half, "run", "--samples", "3") as terminal:
        wait_until_half_done(terminal)
        os.kill(terminal.process.pid, number)
        left = ended(terminal, half)
    assert left.code == left.results["summary"]["exit_code"] == code
    assert left.ends() == {"a.quick": DONE, "a.slow": CANCELLED}
    assert wait_until_gone(half)


@pytest.mark.parametrize("args", [(), ("--no-tui",)], ids=["the view", "the log"])
def test_a_terminal_that_is_gone_ends_the_run_with_its_reports(half: Path, args: tuple[str, ...]) -> None:
    with in_terminal(half, "run", "--samples", "3", *args) as terminal:
        terminal.wait_for("sample 3/3" if args else "3/6 samples")
        os.close(terminal.side)
        left = Ended(code=terminal.process.wait(timeout=SECONDS), out="", err="", folder=half)
    assert left.code == left.results["summary"]["exit_code"] == 143
    assert left.ends() == {"a.quick": DONE, "a.slow": CANCELLED}
    assert wait_until_gone(half)


def test_a_run_that_is_kept_goes_on_in_the_plain_log(half: Path) -> None:
    with in_terminal(half, "run", "--samples", "3") as terminal:
        wait_until_half_done(terminal)
        terminal.press("q")
        terminal.wait_for("keep it running")
        terminal.press("k")
        terminal.wait_for(ORDINARY)
        terminal.wait_for("a.quick")
        assert "a.slow" not in terminal.drawn
        open_gate(half)
        code, drawn = terminal.end()
        assert terminal.is_as_before()
    log = agentlab(half, "run", "--samples", "3")
    assert code == log.code == 0
    said = plain(drawn).splitlines()
    whole = log.out.splitlines()
    assert [line for line in said if "a.slow" in line] == [line for line in whole if "a.slow" in line]
    assert said[-1] == whole[-1] == "✓ all 2 scenarios passed"


def test_after_the_view_ctrl_c_is_a_signal_again(half: Path) -> None:
    with in_terminal(half, "run", "--samples", "3") as terminal:
        wait_until_half_done(terminal)
        terminal.press("q")
        terminal.wait_for("keep it running")
        terminal.press("k")
        terminal.wait_for(ORDINARY)
        terminal.wait_for("a.quick")
        terminal.press("\x03")
        code, drawn = terminal.end()
    assert code == 130
    assert "interrupted" in plain(drawn).splitlines()[-1]
    assert wait_until_gone(half)


def test_whoever_insists_gets_the_terminal_back_at_once(half: Path) -> None:
    with in_terminal(half, "run", "--samples", "3") as terminal:
        wait_until_half_done(terminal)
        for number in (signal.SIGINT, signal.SIGTERM):  # the same one twice may arrive as one
            os.kill(terminal.process.pid, number)
        wait_until_taken(terminal.process.pid)
        os.kill(terminal.process.pid, signal.SIGINT)
        code, drawn = terminal.end()
        assert terminal.is_as_before()
    assert code == 130
    assert ORDINARY in drawn
    assert drawn.rindex("\x1b[?25h") > drawn.rindex(ORDINARY), "the cursor is shown"
    assert wait_until_gone(half)


def wait_until_taken(pid: int) -> None:
    """Wait until the process has taken the signals that were sent to it."""
    end = time.monotonic() + SECONDS
    while any(int(line.split()[1], 16) for line in _status(pid) if line.startswith(("SigPnd", "ShdPnd"))):
        assert time.monotonic() < end


def _status(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()


def test_a_detail_that_was_marked_stays_above_the_summary(tmp_path: Path) -> None:
    folder = gated_project(tmp_path, conversation("a.quick", agent="ships", keyword="lost"))
    with in_terminal(folder, "run", "--samples", "2") as terminal:
        terminal.wait_for(ALTERNATE)
        terminal.wait_for("finished below the bar")
        terminal.press("\r")
        terminal.wait_for("Where is my order?")
        terminal.press("p")
        terminal.wait_for("Printed to the terminal")
        terminal.press("q")
        left = ended(terminal, folder)
    told = left.out.splitlines()
    assert told[0].startswith("✗ a.quick  0/2 samples passed")
    assert told.index("") < next(n for n, line in enumerate(told) if line.startswith("reports: "))
    assert "It has shipped." in left.out
    assert "finished below the bar" in told[-1]


@pytest.mark.parametrize(
    ("args", "environ"),
    [(["--no-tui"], {}), ([], {"CI": "1"}), ([], {"TERM": "dumb"}), (["--dry-run"], {})],
    ids=["--no-tui", "CI", "TERM=dumb", "--dry-run"],
)
def test_the_log_is_printed_where_the_view_is_not_wanted(
    tmp_path: Path, args: list[str], environ: dict[str, str]
) -> None:
    folder = gated_project(tmp_path, conversation("a.quick", agent="ships"))
    with in_terminal(folder, "run", *args, environ=environ) as terminal:
        code, drawn = terminal.end()
    assert code == 0
    assert "\x1b" not in drawn
    assert "a.quick" in drawn


def test_bad_input_never_opens_the_view(tmp_path: Path) -> None:
    folder = gated_project(tmp_path, conversation("a.quick", agent="nobody"))
    with in_terminal(folder, "run") as terminal:
        code, drawn = terminal.end()
    assert code == 2
    assert "\x1b" not in drawn
    assert "nobody" in drawn


def test_without_textual_the_log_is_printed_and_one_line_says_what_there_could_be(tmp_path: Path) -> None:
    folder = gated_project(tmp_path, conversation("a.quick", agent="ships"))
    with in_terminal(folder, "run", code=WITHOUT_TEXTUAL) as terminal:
        code, drawn = terminal.end()
    assert code == 0
    assert "\x1b" not in drawn
    assert [line for line in drawn.splitlines() if "tui" in line] == [
        "note: pip install 'agentlab-ci[tui]' shows the run live; --no-tui leaves this line out"
    ]
    assert "✓ the scenario passed" in drawn


NOTHING_OF_TEXTUAL = """
import atexit, os, sys
from agentlab_ci.cli import main
from agentlab_ci.cli.group import run_command
code = run_command(sys.argv[1:])
print(sorted({name.partition(".")[0] for name in sys.modules} & {"textual", "rich"}))
sys.exit(code)
"""


def test_nothing_of_textual_is_imported_where_the_view_is_not_shown(tmp_path: Path) -> None:
    folder = gated_project(tmp_path, conversation("a.quick", agent="ships"))
    with in_terminal(folder, "run", "--no-tui", code=NOTHING_OF_TEXTUAL) as terminal:
        code, drawn = terminal.end()
    assert (code, drawn.splitlines()[-1]) == (0, "[]")


BREAKS = """
from agentlab_ci.cli.main import main
from agentlab_ci.{module} import {name} as broken

calls = 0

def breaks(self, *args, before=broken.{method}, **named):
    global calls
    calls += 1
    if calls > {after}:
        password = "hidden-as-a-local"
        raise LookupError("nobody thought of this: s3cret-token")
    return before(self, *args, **named)

broken.{method} = breaks
main()
"""


def test_a_bug_in_the_view_costs_neither_run_nor_reports(half: Path) -> None:
    code = BREAKS.format(module="tui.header", name="CountsHeader", method="show", after=3)
    with in_terminal(half, "run", "--samples", "3", code=code, environ={SECRET: "s3cret-token"}) as terminal:
        terminal.wait_for(ALTERNATE)
        terminal.wait_for(ORDINARY)
        terminal.wait_for("warning: the live view has a bug and is closed; the run goes on")
        open_gate(half)
        exit_code, drawn = terminal.end()
        assert terminal.is_as_before()
    printed = plain(drawn)
    assert exit_code == 70
    assert "✓ all 2 scenarios passed" in printed.partition("Traceback")[0]
    assert "LookupError: nobody thought of this: ***" in printed
    assert "please report it" in printed.splitlines()[-1]
    assert "hidden-as-a-local" not in plain(terminal.whole)
    assert "s3cret-token" not in plain(terminal.whole)
    assert (half / "agentlab-report" / "results.json").exists()


def test_a_bug_in_the_run_is_told_once_the_view_is_closed(half: Path) -> None:
    code = BREAKS.format(module="runner.ledger", name="Ledger", method="add", after=0)
    with in_terminal(half, "run", "a.quick", code=code, environ={SECRET: "s3cret-token"}) as terminal:
        terminal.wait_for(ALTERNATE)
        terminal.wait_for("the run broke off")
        terminal.press("q")
        left = ended(terminal, half)
    assert left.code == 70
    assert "LookupError: nobody thought of this: ***" in left.out
    assert "please report it" in left.out.splitlines()[-1]
    assert (half / "agentlab-report" / "results.json").exists()


REDIRECTED = """
import os, subprocess, sys
command = [sys.executable, "-m", "agentlab_ci", *sys.argv[1:]]
sys.exit(subprocess.run(command, {stream}=open(os.devnull, "r+")).returncode)
"""


@pytest.mark.parametrize("stream", ["stdin", "stdout", "stderr"])
def test_the_log_is_printed_where_a_stream_is_no_terminal(tmp_path: Path, stream: str) -> None:
    folder = gated_project(tmp_path, conversation("a.quick", agent="ships"))
    with in_terminal(folder, "run", code=REDIRECTED.format(stream=stream)) as terminal:
        code, drawn = terminal.end()
    assert (code, "\x1b" in drawn) == (0, False)
    assert ("✓ the scenario passed" in drawn) == (stream != "stdout")


@pytest.mark.parametrize("kind", ["process-agent", "python-agent"])
def test_children_of_all_kinds_work_in_a_run_that_is_watched(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / kind
    shutil.copytree(ROOT / "docs" / "examples" / kind, folder)
    shutil.copytree(folder, tmp_path / "plain")
    log = agentlab(tmp_path / "plain", "run", "--samples", "2")
    with in_terminal(folder, "run", "--samples", "2") as terminal:
        terminal.wait_for(ALTERNATE)
        terminal.wait_for(log.out.splitlines()[-1])
        terminal.press("q")
        left = ended(terminal, folder)
    assert (left.code, left.ends()) == (log.code, log.ends())
    assert wait_until_gone(folder)
