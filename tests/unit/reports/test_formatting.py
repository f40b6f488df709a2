"""Durations, counts and glyphs are written the same everywhere."""

import pytest

from agentlab_ci.core.results import ScenarioResult
from agentlab_ci.core.text import plural
from agentlab_ci.reports.formatting import ASCII, TEXT, Glyphs, format_duration, glyphs_for
from factories import make_row


@pytest.mark.parametrize(
    ("milliseconds", "written"),
    [
        (0, "0ms"),
        (12.4, "12ms"),
        (99.4, "99ms"),
        (99.5, "0.1s"),
        (950, "1.0s"),  # half up
        (1249.9, "1.2s"),
        (59_949, "59.9s"),
        (59_950, "1m 00s"),
        (125_000, "2m 05s"),
        (3_599_600, "1h 00m"),
        (3_720_000, "1h 02m"),
    ],
)
def test_format_duration(milliseconds: float, written: str) -> None:
    assert format_duration(milliseconds) == written


@pytest.mark.parametrize(
    ("encoding", "glyphs"),
    [
        ("utf-8", TEXT),
        ("UTF-16", TEXT),
        ("ascii", ASCII),
        ("cp1252", ASCII),
        ("latin-1", ASCII),
        (None, ASCII),
        ("unheard-of", ASCII),
    ],
)
def test_output_that_cannot_write_the_glyphs_gets_ascii(encoding: str | None, glyphs: Glyphs) -> None:
    assert glyphs_for(encoding) is glyphs


def test_ascii_is_ascii_and_tells_all_apart() -> None:
    icons = [ASCII.passed, ASCII.failed, ASCII.error, ASCII.cancelled, ASCII.unfinished, ASCII.skipped]
    assert "".join([*icons, ASCII.dot, ASCII.dash]).isascii()
    assert len(set(icons)) == 6


@pytest.mark.parametrize(
    ("row", "icon"),
    [
        (make_row("ppf"), TEXT.passed),
        (make_row("pff"), TEXT.failed),
        (make_row("pee"), TEXT.error),  # errors alone keep it below the bar
        (make_row("p.."), TEXT.unfinished),
        (make_row("...", skipped="no"), TEXT.skipped),
    ],
)
def test_icon_of_a_scenario(row: ScenarioResult, icon: str) -> None:
    assert TEXT.of_scenario(row) == icon


def test_plural() -> None:
    assert [plural(n, "scenario") for n in (0, 1, 2)] == ["0 scenarios", "1 scenario", "2 scenarios"]
