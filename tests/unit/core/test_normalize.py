import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.normalize import normalize
from agentlab_ci.core.results import Normalization

DATES = Normalization(ignore_dates=True)


def test_nothing_is_changed_unless_asked() -> None:
    text = " It SHIPPED  on 2026-04-07.\n"
    assert normalize(text, None) == text
    assert normalize(text, Normalization()) == text


@pytest.mark.parametrize(
    ("how", "text"),
    [
        (Normalization(strip_whitespace=True), "It SHIPPED on 2026-04-07."),
        (Normalization(lowercase=True), " it shipped  on\n2026-04-07.\n"),
        (DATES, " It SHIPPED  on\n<date>.\n"),
        (Normalization(strip_whitespace=True, lowercase=True, ignore_dates=True), "it shipped on <date>."),
    ],
)
def test_each_rule_does_its_part(how: Normalization, text: str) -> None:
    assert normalize(" It SHIPPED  on\n2026-04-07.\n", how) == text


@pytest.mark.parametrize(
    "date",
    [
        "2026-04-07",
        "2026-04-07T10:11",
        "2026-04-07T10:11:12.345Z",
        "2026-04-07 10:11:12+02:00",
        "7/4/2026",
        "07.04.2026",
        "7 April 2026",
        "7th Apr. 2026",
        "April 7, 2026",
        "april 7th 2026",
        "Sept 2026",
    ],
)
def test_a_date_is_any_date(date: str) -> None:
    assert normalize(f"Shipped {date}, order 1024", DATES) == "Shipped <date>, order 1024"


@pytest.mark.parametrize(
    "text",
    [
        "order 2026-04-071",  # an order number
        "version 1.2.2024.7",
        "ord-2026-04-07",
        "you may 2 of 3",
        "call 555-2026",
        "I may 20260 times",
    ],
)
def test_what_is_no_date_is_kept(text: str) -> None:
    assert normalize(text, DATES) == text


@settings(derandomize=True, deadline=None)
@given(st.text(), st.booleans(), st.booleans(), st.booleans())
def test_twice_is_once(text: str, strip: bool, lower: bool, dates: bool) -> None:
    how = Normalization(strip_whitespace=strip, lowercase=lower, ignore_dates=dates)
    once = normalize(text, how)
    assert normalize(once, how) == once
