"""Words that every surface needs."""

from agentlab_ci.core.text import plural


def test_a_count_has_its_noun_in_the_right_number() -> None:
    assert (plural(0, "agent"), plural(1, "agent"), plural(2, "agent")) == ("0 agents", "1 agent", "2 agents")
