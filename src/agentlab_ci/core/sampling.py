"""How many samples a scenario runs, how many must pass, and when one more can still matter."""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import floor

DEFAULT_SAMPLES = 1
DEFAULT_PASS_RATE = "0.75"  # noqa: S105 - a share, no password
MAX_SAMPLES = 1000

_PLAIN_DECIMAL = re.compile(r"(\d+(\.\d*)?|\.\d+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class PassRate:
    """The share of samples that must pass, in (0, 1], kept as the text that the user typed.

    The text is the truth: `0.5` as a float is exact but `0.1` is not, and half a sample decides.
    """

    text: str

    def __post_init__(self) -> None:
        if _PLAIN_DECIMAL.fullmatch(self.text) is None or not 0 < Fraction(self.text) <= 1:
            raise ValueError(f"a pass rate is a decimal above 0 and at most 1, such as 0.75, not {self.text!r}")

    @property
    def value(self) -> Fraction:
        """The exact value."""
        return Fraction(self.text)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """What one scenario is held to: `samples` runs (at least 1), of which `needed` must pass."""

    samples: int = DEFAULT_SAMPLES
    pass_rate: PassRate = PassRate(DEFAULT_PASS_RATE)

    @property
    def needed(self) -> int:
        """The pass rate as whole samples: the bar."""
        return needed(self.samples, self.pass_rate)


@cache
def needed(samples: int, rate: PassRate) -> int:
    """Return how many of `samples` must pass: max(1, floor(rate * samples + 1/2)), computed exactly.

    Half a sample rounds up. Python's `round` goes to the even neighbour and would lower the bar at 2.5.
    """
    return max(1, floor(rate.value * samples + Fraction(1, 2)))


def room_to_start(*, samples: int, needed: int, passed: int, not_passed: int) -> int:
    """Return how many samples may be in flight so that each of them can still change the verdict.

    With so many, the samples run are exactly those of a one-by-one run that stops once it is settled:
    neither `needed` passes nor `samples - needed + 1` others can be reached before the last one ends.
    """
    return max(0, min(needed - passed, samples - needed + 1 - not_passed))
