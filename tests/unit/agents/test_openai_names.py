import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.agents.openai_names import make_allowed, name_functions, read_functions

LONG = "support." + "x" * 70


@pytest.mark.parametrize(
    ("tools", "functions"),
    [
        (["orders_refund", "kb-search"], ["orders_refund", "kb-search"]),
        (["orders.refund", "crm.search_customer"], ["orders_refund", "crm_search_customer"]),
        # whoever is allowed keeps its name, even behind one that would like to have it
        (["orders.refund", "orders_refund"], ["orders_refund_2", "orders_refund"]),
        (["a.b", "a/b", "a b", "a_b_2"], ["a_b", "a_b_3", "a_b_4", "a_b_2"]),
        (["größe", "!"], ["gr__e", "_"]),
        ([LONG, LONG + "y"], ["support_" + "x" * 56, "support_" + "x" * 54 + "_2"]),
        (["x" * 64, "x" * 65], ["x" * 64, "x" * 62 + "_2"]),
        (["line\n"], ["line_"]),  # `$` would let it through
        ([], []),
    ],
)
def test_a_tool_is_called_by_a_name_that_the_protocol_allows(tools: list[str], functions: list[str]) -> None:
    assert list(name_functions(tools).items()) == list(zip(functions, tools, strict=True))


def test_a_tool_that_the_model_is_not_told_of_is_known_by_the_name_that_it_would_have() -> None:
    told = name_functions(["orders.list", "a.b"])
    assert read_functions(told, ["orders.refund", "a_b", "größe", "x.y", "x/y", LONG]) == {
        "orders_list": "orders.list",
        "a_b": "a.b",  # what the model was told wins
        "orders_refund": "orders.refund",
        "gr__e": "größe",
        "x_y": "x.y",  # else the first does
        "support_" + "x" * 56: LONG,
    }


NAMES = st.text(st.sampled_from("ab._- é/2"), min_size=1, max_size=70)


@settings(derandomize=True, deadline=None)
@given(st.lists(NAMES, unique=True, max_size=30))
def test_every_tool_has_a_name_of_its_own_that_leads_back_to_it(tools: list[str]) -> None:
    functions = name_functions(tools)
    assert list(functions.values()) == tools
    for function, tool in functions.items():
        assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", function)
        assert function == tool or make_allowed(tool) != tool
