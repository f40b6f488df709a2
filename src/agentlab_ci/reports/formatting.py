"""Glyphs, durations and other small things that are written the same everywhere."""

import re
from dataclasses import dataclass
from typing import assert_never

from agentlab_ci.core.results import ScenarioResult
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.verdict import Verdict

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|\+00:00)", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Glyphs:
    """The icons and separators of one kind of output."""

    passed: str
    failed: str
    error: str
    cancelled: str
    unfinished: str
    skipped: str
    dot: str
    dash: str
    to: str

    def of_status(self, status: SampleStatus) -> str:
        """The icon of a sample."""
        match status:
            case SampleStatus.PASSED:
                return self.passed
            case SampleStatus.FAILED:
                return self.failed
            case SampleStatus.ERROR:
                return self.error
            case SampleStatus.CANCELLED:
                return self.cancelled
            case _:
                assert_never(status)

    def of_scenario(self, row: ScenarioResult) -> str:
        """The icon of a scenario: an error when errors alone keep it below the bar."""
        match row.verdict:
            case Verdict.PASSED:
                return self.passed
            case Verdict.FAILED:
                return self.error if row.could_not_be_judged else self.failed
            case Verdict.UNFINISHED:
                return self.unfinished
            case Verdict.SKIPPED:
                return self.skipped
            case _:
                assert_never(row.verdict)


TEXT = Glyphs(
    passed="✓", failed="✗", error="!", cancelled="–", unfinished="…", skipped="○", dot="·", dash="—", to="–"
)
ASCII = Glyphs(
    passed="+", failed="x", error="!", cancelled="-", unfinished="~", skipped="o", dot="|", dash="-", to="-"
)
EMOJI = Glyphs(
    passed="✅", failed="❌", error="⚠️", cancelled="➖", unfinished="⏳", skipped="⏭️", dot="·", dash="—", to="–"
)


def glyphs_for(encoding: str | None) -> Glyphs:
    """Return the glyphs that an output of this encoding can write; plain ASCII when it is unknown."""
    try:
        "".join(getattr(TEXT, name) for name in Glyphs.__slots__).encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return TEXT


def format_duration(milliseconds: float) -> str:
    """Write a duration: `12ms`, `1.2s`, `2m 05s`, `1h 02m`."""
    if milliseconds < 99.5:
        return f"{milliseconds:.0f}ms"
    tenths = int(milliseconds / 100 + 0.5)
    if tenths < 600:
        return f"{tenths // 10}.{tenths % 10}s"
    seconds = int(milliseconds / 1000 + 0.5)
    minutes = seconds // 60
    if minutes < 60:
        return f"{minutes}m {seconds % 60:02d}s"
    return f"{minutes // 60}h {minutes % 60:02d}m"


def format_cost(usd: float) -> str:
    """Write a cost: `$1.20`, `$0.0042`; at most six decimals, at least two."""
    whole, _, decimals = f"{usd:.6f}".partition(".")
    return f"${whole}.{decimals.rstrip('0'):0<2}"


def format_moment(text: str) -> str:
    """Write a moment of UTC to the second: `2026-04-07 00:12:34 UTC`; what is none of ours stays as it is."""
    moment = _MOMENT.fullmatch(text)
    return f"{moment[1]} {moment[2]} UTC" if moment else text
