import re
from datetime import UTC, datetime, timedelta, timezone
from math import gcd

from agentlab_ci.store import ids

NOW = datetime(2026, 4, 7, 0, 12, 30, tzinfo=UTC)


def test_ids_bear_the_time_in_utc() -> None:
    elsewhere = NOW.astimezone(timezone(timedelta(hours=9)))
    assert re.fullmatch(r"batch_20260407_001230_[0-9a-z]{6}", ids.new_batch_id(elsewhere))
    assert re.fullmatch(r"run_20260407_001230_[0-9a-z]{6}", ids.new_run_id(elsewhere))


def test_ids_of_one_second_differ() -> None:
    assert len({ids.new_run_id(NOW) for _ in range(50_000)}) == 50_000


def test_no_suffix_comes_twice_before_all_have_come() -> None:
    assert gcd(ids._STRIDE, 36**6) == 1


def test_ids_sort_by_time() -> None:
    made = [ids.new_run_id(NOW + timedelta(seconds=second)) for second in range(100)]
    assert made == sorted(made)
