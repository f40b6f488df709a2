"""The live view as it is seen: in tmux, under a shell with job control."""

import json
from pathlib import Path

import pytest

from demo import ENDS, copy_demo, read_ends
from gated import half_done, open_gate
from tmux import has_tmux, in_tmux

pytestmark = [
    pytest.mark.network,
    pytest.mark.skipif(not has_tmux(), reason="tmux is not installed: .ci/run installs it"),
]


def test_the_demo_is_seen_looked_into_and_left(tmp_path: Path) -> None:
    folder = copy_demo(tmp_path)
    with in_tmux(folder) as tmux:
        tmux.type("agentlab run")
        screen = tmux.wait_for("1 of 13 scenarios finished below the bar: billing.double-charge")
        assert "39/39 samples" in screen[0]
        assert any("pass@3 " in line for line in screen)
        tmux.press("f")
        tmux.wait_for("1 of 13 scenarios: below the bar")
        tmux.press("Enter")
        tmux.wait_for("1/3 samples passed")
        tmux.press("p")
        tmux.press("Escape")
        tmux.wait_for("1 of 13 scenarios: below the bar")
        tmux.resize(80, 24)
        tmux.wait_until(
            lambda screen: len(screen) <= 24 and any("39/39 samples" in line for line in screen), "80x24"
        )
        tmux.press("q")
        screen = tmux.wait_until(lambda screen: screen[-1:] == ["$"], "the prompt")
        assert screen[-2] == "✗ 1 of 13 scenarios finished below the bar: billing.double-charge"
        tmux.type("echo code $?; stty -a | grep -o -- '-\\?\\<echo\\>'")
        tmux.wait_for("code 1")
        tmux.wait_until(lambda screen: "echo" in screen, "a terminal that echoes")
    results = json.loads((folder / "agentlab-report" / "results.json").read_text(encoding="utf-8"))
    assert read_ends(results) == ENDS


def test_a_run_is_suspended_and_brought_back_with_the_view_and_without(tmp_path: Path) -> None:
    folder = half_done(tmp_path)
    with in_tmux(folder) as tmux:
        tmux.type("agentlab run --samples 3")
        tmux.wait_for("3/6 samples")
        tmux.press("C-z")
        tmux.wait_for("Stopped")
        tmux.type("fg")
        tmux.wait_for("3/6 samples")
        tmux.press("q")
        tmux.wait_for("keep it running")
        tmux.press("k")
        tmux.wait_for("a.quick · 3/3 passed")
        tmux.press("C-z")
        tmux.wait_until(lambda screen: sum("Stopped" in line for line in screen) == 2, "a second stop")
        tmux.type("fg")
        open_gate(folder)
        tmux.wait_for("all 2 scenarios passed")
        tmux.type("echo code $?")
        tmux.wait_for("code 0")


def test_a_run_in_the_background_prints_its_log(tmp_path: Path) -> None:
    folder = half_done(tmp_path)
    open_gate(folder)
    with in_tmux(folder) as tmux:
        tmux.type("agentlab run --samples 3 &")
        tmux.wait_for("all 2 scenarios passed")
        tmux.type("echo code $?")
        screen = tmux.wait_for("code 0")
        assert not any("Stopped" in line for line in screen)
