import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from agentlab_ci.core.fisher import fisher_exact

GOLDEN = Path(__file__).parents[2] / "data" / "fisher.json"
"""Made with scipy 1.17: for `old new`, the numbers of samples, p by passes of the old and of the new ones."""


def _p(old_passed: int, old: int, new_passed: int, new: int) -> Fraction:
    return fisher_exact(
        old_passed=old_passed,
        old_failed=old - old_passed,
        new_passed=new_passed,
        new_failed=new - new_passed,
    )


@pytest.mark.parametrize(
    ("old", "new", "p"),
    [
        ((3, 3), (2, 3), Fraction(1)),
        ((3, 3), (0, 3), Fraction(1, 10)),
        ((5, 5), (0, 5), Fraction(1, 126)),
        ((0, 5), (5, 5), Fraction(1, 126)),
        ((3, 3), (3, 3), Fraction(1)),
        ((0, 0), (3, 3), Fraction(1)),  # nothing on one side says nothing
        ((9, 9), (0, 9), Fraction(1, 24310)),
    ],
)
def test_p_of_known_tables(old: tuple[int, int], new: tuple[int, int], p: Fraction) -> None:
    assert _p(*old, *new) == p


def _golden() -> Iterator[tuple[tuple[int, int, int, int], float]]:
    for sizes, table in json.loads(GOLDEN.read_text(encoding="utf-8")).items():
        old, new = map(int, sizes.split())
        for old_passed, new_passed in product(range(old + 1), range(new + 1)):
            yield (old_passed, old, new_passed, new), table[old_passed][new_passed]


def test_p_is_scipys_for_all_tables_of_up_to_nine_samples_a_side() -> None:
    tables = list(_golden())
    assert len(tables) == 1705
    assert all(float(_p(*table)) == pytest.approx(p, rel=1e-9) for table, p in tables)


def test_which_side_is_the_older_makes_no_difference() -> None:
    for (old_passed, old, new_passed, new), _ in _golden():
        assert _p(old_passed, old, new_passed, new) == _p(new_passed, new, old_passed, old)
        assert _p(old_passed, old, new_passed, new) == _p(old - old_passed, old, new - new_passed, new)


def test_p_is_scipys_for_all_tables_of_cells_up_to_nine() -> None:
    stats: Any = pytest.importorskip(
        "scipy.stats", reason="scipy is not installed; the golden table stands in for it"
    )
    for a, b, c, d in product(range(10), repeat=4):
        ours = fisher_exact(old_passed=a, old_failed=b, new_passed=c, new_failed=d)
        assert float(ours) == pytest.approx(stats.fisher_exact([[a, b], [c, d]]).pvalue, rel=1e-9)
