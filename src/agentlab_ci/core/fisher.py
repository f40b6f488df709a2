"""Fisher's exact test: how likely two pass rates differ so much, or more, by chance alone."""

from fractions import Fraction
from math import comb


def fisher_exact(*, old_passed: int, old_failed: int, new_passed: int, new_failed: int) -> Fraction:
    """Return the exact two-sided p of the table; 1 where a side or an outcome is empty.

    The sum over all tables with the same margins that are no more likely than this one (R. A. Fisher, 1935).
    In whole numbers, so that tables which are equally likely are all counted.
    """
    passed = old_passed + new_passed
    old, new = old_passed + old_failed, new_passed + new_failed
    # How many ways there are to draw so many passes into the old side, out of all ways to draw that side.
    ways = [comb(old, part) * comb(new, passed - part) for part in range(min(old, passed) + 1)]
    observed = comb(old, old_passed) * comb(new, new_passed)
    return Fraction(sum(count for count in ways if count <= observed), sum(ways))
