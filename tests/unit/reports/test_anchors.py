"""Addresses within the HTML report: one for each scenario, whatever its id and variant hold."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.reports.anchors import anchor_of
from factories import make_row

names = st.text(st.sampled_from("a&=nvs#%/ \ud800é"), max_size=6)
keys = st.tuples(names | st.none(), names)


@settings(derandomize=True, deadline=None)
@given(keys, keys)
def test_different_scenarios_have_different_addresses(
    one: tuple[str | None, str], other: tuple[str | None, str]
) -> None:
    rows = [make_row("p", scenario_id, variant=variant) for variant, scenario_id in (one, other)]
    anchors = [anchor_of(row) for row in rows]
    assert (anchors[0] == anchors[1]) is (rows[0].key == rows[1].key)
    assert all(re.fullmatch(r"s=[\w.~%-]*(&v=[\w.~%-]+)?", anchor, re.ASCII) for anchor in anchors)


def test_a_sample_is_named_by_its_number() -> None:
    row = make_row("pp", "support.cancel", variant="new prompt")
    assert anchor_of(row, 2) == "s=support.cancel&v=new%20prompt&n=2"
