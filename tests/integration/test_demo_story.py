"""`agentlab run --demo` tells its story with the real commands, and leaves nothing behind."""

import re
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentlab_ci.app import World
from agentlab_ci.demo import tell_demo
from agentlab_ci.errors import ExitCode
from agentlab_ci.interrupts import Interrupts
from agentlab_ci.publish.console import Console
from agentlab_ci.reports.formatting import glyphs_for
from agentlab_ci.reports.log import LogStyle
from command import Ended, agentlab


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    folder = tmp_path_factory.mktemp("demo")
    temporary = folder / "temporary"
    temporary.mkdir()
    database = str(folder / "other.db")
    environ = {"TMPDIR": str(temporary), "AGENTLAB_DB": database, "GITHUB_ACTIONS": "true"}
    return agentlab(folder, "run", "--demo", environ=environ)


def test_it_ends_well(told: Ended) -> None:
    assert (told.code, told.err) == (0, "")


def test_it_runs_approves_runs_again_and_compares(told: Ended) -> None:
    typed = [line.removeprefix("$ ") for line in told.out.splitlines() if line.startswith("$ ")]
    assert typed == ["agentlab run", "agentlab approve @last", "agentlab run", "agentlab compare @prev @last"]
    first, approval, second, comparison = re.split(r"^\$ .*$", told.out, flags=re.MULTILINE)[1:]
    assert "✓ all 2 scenarios passed" in first
    assert "approved: batch_" in approval
    assert "✗ 1 of 2 scenarios finished below the bar: support.refund-double-charge" in second
    assert "1 regressed, 1 unchanged_pass" in comparison


def test_it_shows_what_was_changed_and_what_came_of_it(told: Ended) -> None:
    assert '-        if order["duplicate_group"] in seen:\n+        if order["duplicate_group"]:\n' in told.out
    assert '- orders.refund {"order_id": "ord_1024"}' in told.out
    assert '+ orders.refund {"order_id": "ord_1023"}' in told.out


def test_it_leaves_nothing_behind(told: Ended) -> None:
    assert [path.name for path in told.folder.rglob("*")] == ["temporary"]


def test_its_regression_is_no_error_of_the_job_that_it_runs_in(told: Ended) -> None:
    assert "::" not in told.out


def test_whoever_interrupts_it_hears_no_more(tmp_path: Path) -> None:
    interrupts = Interrupts()
    interrupts.exit_code = ExitCode.SIGINT
    out: list[str] = []
    world = World(
        cwd=tmp_path,
        environ={},
        console=Console(out=out.append, err=out.append, clock=time.monotonic),
        log_style=LogStyle(glyphs=glyphs_for("utf-8"), github=False),
        now=lambda: datetime.now(UTC),
        interrupts=interrupts,
    )
    assert tell_demo(world).exit_code is ExitCode.SIGINT
    assert [line for line in out if line.startswith("$ ")] == ["$ agentlab run"]
    assert tell_demo(replace(world, interrupts=Interrupts())).exit_code is ExitCode.OK


@pytest.mark.parametrize("other", ["support.*", "--dry-run", "--samples=3", "--report-dir=elsewhere"])
def test_it_takes_nothing_else(tmp_path: Path, other: str) -> None:
    ended = agentlab(tmp_path, "run", "--demo", other)
    assert (ended.code, ended.out) == (2, "")
    assert "--demo runs a project of its own: give it nothing else." in ended.err
