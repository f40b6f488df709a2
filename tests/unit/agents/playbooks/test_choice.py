from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.agents.playbooks.choice import work
from agentlab_ci.agents.playbooks.play import fill_input
from agentlab_ci.core.tool import CallOutcome, ToolSpec
from agentlab_ci.tools.registry import BUILTIN_TOOLS
from playbook_talk import Fails, Script, brief_of, perform

NEEDS = {"crm.search_customer": ["email"], "accounts.get_profile": ["customer_id"], "shop.gift": ["city"]}


@pytest.mark.parametrize(
    ("tools", "final"),
    [
        (
            {"shop.gift": [], "accounts.get_profile": []},
            (
                "I have no playbook for this task: it does not say what its tools need"
                " (shop.gift needs city; accounts.get_profile needs customer_id)."
            ),
        ),
        (
            {"orders.refund": []},
            "I have no playbook for this task: it allows orders.refund and asks for nothing that I know.",
        ),
    ],
)
def test_what_no_playbook_fits_is_said_with_what_is_lacking(tools: Script, final: str) -> None:
    done = perform("Make somebody happy.", tools, needs=NEEDS)
    assert (done.calls, done.final) == ([], final)


def test_what_no_playbook_fits_is_looked_up_as_far_as_it_is_known() -> None:
    tools: Script = {
        "orders.refund": [],
        "accounts.get_profile": [{"tier": "pro"}],
        "shop.gift": [Fails("sold out")],
        "crm.search_customer": [{"id": "cus_1", "email": "alice@example.com"}],
    }
    done = perform("What does alice@example.com like?", tools, needs=NEEDS, city="Rome")
    assert done.calls == [
        ("shop.gift", {"city": "Rome"}),
        ("crm.search_customer", {"email": "alice@example.com"}),
        ("accounts.get_profile", {"customer_id": "cus_1"}),
    ]
    assert done.final == (
        "I have no playbook for this task, so I only looked: shop.gift failed: sold out;"
        ' crm.search_customer says {"id": "cus_1", "email": "alice@example.com"};'
        ' accounts.get_profile says {"tier": "pro"}.'
    )


def test_a_tool_is_given_all_of_its_input_that_is_known() -> None:
    schema = {"properties": {"city": {}, "limit": {}, "currency": {}}, "required": ["city"]}
    tool = ToolSpec(name="shop.gift", description="", input_schema=schema)
    assert fill_input(tool, {"city": "Rome", "limit": 3, "other": 1}) == {"city": "Rome", "limit": 3}


EVERYTHING = [*BUILTIN_TOOLS, "shop.find_duplicate_charge", "shop.gift"]
WORDS = [
    *("refund", "charged twice", "duplicate", "newsletter", "stop", "subscribe", "cancel", "fix", "src/sum.py"),
    *(
        "a@example.com",
        "remote work",
        "smallest",
        "confident",
        "card-api",
        "do not",
        "the",
        "order",
        "ord_1",
        "yet",
    ),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *(
                        "id",
                        "order_id",
                        "content",
                        "path",
                        "service",
                        "severity",
                        "status",
                        "owner",
                        "lines",
                        "title",
                    ),
                    *(
                        "duplicate_group",
                        "refunded",
                        "applied",
                        "newsletter_subscribed",
                        "subscription_id",
                        "amount",
                    ),
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(
    words=st.lists(st.sampled_from(WORDS), max_size=6),
    allowed=st.lists(st.sampled_from(EVERYTHING), unique=True),
    names=st.dictionaries(
        st.sampled_from(["customer_email", "customer_id", "order_id", "replacement", "path", "query", "service"]),
        JSON,
    ),
    answers=st.lists(JSON | st.text().map(Fails), max_size=12),
)
@settings(derandomize=True, deadline=None, max_examples=400)
def test_only_allowed_tools_are_called_and_whatever_they_answer_the_work_ends_alike(
    words: list[str], allowed: list[str], names: dict[str, Any], answers: list[Any]
) -> None:
    def run() -> tuple[list[Any], str]:
        play = work(brief_of(" ".join(words), {name: [] for name in allowed}, **names))
        calls: list[Any] = []
        try:
            action = next(play)
            while True:
                calls.append((action.request.name, action.request.input))
                answer = answers[len(calls) % len(answers)] if answers else None
                error = str(answer) if isinstance(answer, Fails) else None
                action = play.send(CallOutcome(name=action.request.name, output=answer, error=error))
        except StopIteration as end:
            return calls, end.value

    calls, final = run()
    assert {name for name, _ in calls} <= set(allowed)
    assert len(calls) <= len(EVERYTHING)
    assert final.strip()
    assert run() == (calls, final)
