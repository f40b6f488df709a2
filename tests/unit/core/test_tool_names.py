import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.tool_names import find_meant

ALLOWED = ("orders.list", "kb_search")
FORBIDDEN = ("orders.refund", "kb.search", "Über.weisen")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("orders.refund", "orders.refund"),
        ("orders_refund", "orders.refund"),
        ("functions.orders_refund", "orders.refund"),
        ("functions.orders.refund", "orders.refund"),
        ("Orders.Refund", "orders.refund"),
        ("ordersRefund", "orders.refund"),
        ("orders/refund", "orders.refund"),
        ("orders\u2024refund", "orders.refund"),  # a dot to the eye
        ("orders\uff0erefund", "orders.refund"),
        ("orders.re\u200bfund", "orders.refund"),  # a space of no width
        ("\uff4f\uff52ders.refund\n", "orders.refund"),
        ("u\u0308ber_weisen", "Über.weisen"),
        ("orders.refund.all", "orders.refund.all"),
        ("orders.refunds", "orders.refunds"),
        ("refund", "refund"),
        # allowed, or as like an allowed one
        ("orders.list", "orders.list"),
        ("kb_search", "kb_search"),
        ("kb.search", "kb.search"),
        ("KB.search", "KB.search"),
        ("functions.kb.search", "functions.kb.search"),
        ("", ""),
        ("functions.", "functions."),
    ],
)
def test_a_name_stands_for_the_forbidden_tool_that_it_is_like(name: str, meant: str) -> None:
    assert find_meant(name, allowed=ALLOWED, forbidden=FORBIDDEN) == meant


def test_an_allowed_tool_that_a_check_forbids_is_meant_as_well() -> None:
    assert find_meant("Orders_List", allowed=ALLOWED, forbidden=("orders.list",)) == "orders.list"


def test_of_two_forbidden_tools_the_first_is_meant() -> None:
    assert find_meant("A-B", allowed=(), forbidden=("a.b", "a_b")) == "a.b"


def test_names_without_a_letter_are_like_no_other() -> None:
    assert find_meant("?", allowed=(), forbidden=("!", "functions.!")) == "?"


WORDS = st.lists(st.text("abcxyzéß7", min_size=1, max_size=6), min_size=1, max_size=4)


@settings(derandomize=True, deadline=None)
@given(
    WORDS,
    st.lists(
        st.sampled_from(["_", "-", "/", ".", "\u2024", "\uff0e", ":", " ", "\u200b", ""]), min_size=3, max_size=3
    ),
    st.sampled_from([str, str.upper, str.title, str.casefold]),
    st.sampled_from(["", "functions.", "Functions/", "functions_"]),
)
def test_no_spelling_hides_a_forbidden_tool(
    words: list[str], separators: list[str], spell: type[str], prefix: str
) -> None:
    tool = ".".join(words)
    spelled = prefix + "".join(
        spell(word) + mark for word, mark in zip(words, [*separators, "", "", ""], strict=False)
    )
    assert find_meant(spelled, allowed=("orders.list",), forbidden=(tool,)) == tool


@settings(derandomize=True, deadline=None)
@given(st.text(), st.lists(st.text(min_size=1), max_size=3), st.lists(st.text(min_size=1), max_size=3))
def test_a_name_is_its_own_or_a_forbidden_one(name: str, allowed: list[str], forbidden: list[str]) -> None:
    meant = find_meant(name, allowed=allowed, forbidden=forbidden)
    assert meant == name or meant in forbidden
    assert name not in (*allowed, *forbidden) or meant == name
