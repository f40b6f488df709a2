"""Lines that wait for the terminal."""

import pytest

from agentlab_ci.publish.console import Console
from agentlab_ci.publish.held_lines import HeldLines

EVERYTHING = ["out: report", "out: section", "err: warning", "out: verdict"]


def speak(lines: HeldLines) -> None:
    lines.console.out("report")
    lines.log.out("section")
    lines.log.err("1/3 samples")
    lines.console.err("warning")
    lines.console.out("verdict")


def make() -> tuple[HeldLines, list[str]]:
    said: list[str] = []
    console = Console(
        out=lambda line: said.append(f"out: {line}"),
        err=lambda line: said.append(f"err: {line}"),
        clock=lambda: 7.0,
    )
    return HeldLines(console), said


def test_lines_pass_until_they_are_held() -> None:
    lines, said = make()
    speak(lines)
    assert said == [*EVERYTHING[:2], "err: 1/3 samples", *EVERYTHING[2:]]
    assert not lines.holding
    assert (lines.console.clock(), lines.log.clock()) == (7.0, 7.0)


@pytest.mark.parametrize("log", [True, False])
def test_what_was_held_comes_in_its_order_with_the_log_or_without(log: bool) -> None:
    lines, said = make()
    told: list[str] = []
    lines.hold(tell=told.append)
    speak(lines)
    assert (said, told, lines.holding) == ([], ["warning"], True)
    lines.release(log=log)
    held = [line for line in EVERYTHING if log or line != "out: section"]
    assert (said, lines.holding) == (held, False), "how far it was is no news by then"


@pytest.mark.parametrize("log", [True, False])
def test_what_comes_later_is_printed_at_once_with_the_log_or_without(log: bool) -> None:
    lines, said = make()
    lines.hold(tell=lambda _: None)
    lines.release(log=log)
    speak(lines)
    assert said == ["out: report", *(["out: section", "err: 1/3 samples"] if log else []), *EVERYTHING[2:]]
