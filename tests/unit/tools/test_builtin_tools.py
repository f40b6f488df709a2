import asyncio
from pathlib import Path
from typing import Any

import pytest

from agentlab_ci.core.tool import CallOutcome
from agentlab_ci.tools.interface import ToolContext
from tool_samples import Call, answer, opener, outcomes_of
from yaml_projects import write_files

ALICE = {"id": "cus_100", "email": "alice@example.com", "name": "Alice Archer"}


@pytest.mark.parametrize(
    ("name", "value", "output"),
    [
        ("crm.search_customer", {"email": "alice@example.com"}, ALICE),
        ("crm.search_customer", {"email": " Alice@Example.COM "}, ALICE),
        # A customer without orders, and a customer whom nobody knows.
        ("orders.list", {"customer_id": "cus_103"}, []),
        ("orders.list", {"customer_id": "cus_999"}, []),
        (
            "orders.refund",
            {"order_id": "ord_1024"},
            {"refunded": True, "order_id": "ord_1024", "amount": 49, "currency": "USD"},
        ),
        (
            "accounts.get_profile",
            {"customer_id": "cus_100"},
            {"customer_id": "cus_100", "newsletter_subscribed": True, "tier": "pro"},
        ),
        (
            "accounts.update_newsletter",
            {"customer_id": "cus_100", "subscribed": False},
            {"customer_id": "cus_100", "newsletter_subscribed": False, "updated": True},
        ),
        (
            "subscriptions.cancel",
            {"customer_id": "cus_100"},
            {"subscription_id": "sub_900", "status": "cancelled"},
        ),
        (
            "repo.read_file",
            {"path": "src/mails.py"},
            {"path": "src/mails.py", "content": 'def greeting(name):\n    return f"Dear {name},"\n'},
        ),
        (
            "repo.apply_patch",
            {"path": "src/mails.py", "replacement": "new"},
            {"path": "src/mails.py", "replacement": "new", "applied": True},
        ),
        # In nothing but the title of one document, and in any case; in the content of another.
        ("docs.search", {"query": "HANDLING of"}, [{"id": "doc_credentials", "title": "Handling of credentials"}]),
        ("docs.search", {"query": "itemised"}, [{"id": "doc_travel_expenses", "title": "Travel expense policy"}]),
        ("docs.search", {"query": "no such words"}, []),
        (
            "status.get_service",
            {"service": "checkout-api"},
            {"service": "checkout-api", "status": "degraded", "owner": "payments-oncall"},
        ),
    ],
)
def test_a_tool_answers(tmp_path: Path, name: str, value: dict[str, Any], output: object) -> None:
    (outcome,) = outcomes_of(tmp_path, (name, value))
    assert (outcome.output, outcome.error) == (output, None)
    assert outcome.duration_ms > 0


def test_lists_are_whole(tmp_path: Path) -> None:
    files, orders, alerts, logs, document = outcomes_of(
        tmp_path,
        ("repo.list_files", {}),
        ("orders.list", {"customer_id": "cus_100"}),
        ("alerts.list_active", {}),
        ("logs.query_service", {"service": "mail-worker"}),
        ("docs.read", {"doc_id": "doc_refunds"}),
    )
    assert {"path": "src/stock.py"} in files.output
    assert [order["id"] for order in orders.output] == ["ord_1019", "ord_1023", "ord_1024"]
    assert len({order["duplicate_group"] for order in orders.output}) == 2
    assert {alert["severity"] for alert in alerts.output} == {"low", "medium", "critical"}
    assert logs.output.keys() == {"service", "lines"}
    assert len(logs.output["lines"]) == 3
    assert document.output.keys() == {"id", "title", "content"}


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("crm.search_customer", {"email": "x@example.com"}, "there is no customer with the email x@example.com"),
        ("orders.refund", {"order_id": "ord_1"}, "there is no order ord_1"),
        # It stands as refunded in the fixture.
        ("orders.refund", {"order_id": "ord_3001"}, "the order ord_3001 has been refunded already"),
        ("accounts.get_profile", {"customer_id": "cus_1"}, "there is no account of the customer cus_1"),
        (
            "accounts.update_newsletter",
            {"customer_id": "cus_1", "subscribed": True},
            "there is no account of the customer cus_1",
        ),
        ("subscriptions.cancel", {"customer_id": "cus_103"}, "the customer cus_103 has no subscription"),
        (
            "subscriptions.cancel",
            {"customer_id": "cus_102"},
            "the subscription sub_902 has been cancelled already",
        ),
        ("repo.read_file", {"path": "/etc/passwd"}, "there is no file /etc/passwd"),
        ("repo.apply_patch", {"path": "src/x.py", "replacement": ""}, "there is no file src/x.py"),
        ("docs.read", {"doc_id": "doc_x"}, "there is no document doc_x"),
        ("logs.query_service", {"service": "x"}, "there are no logs of the service x"),
        ("status.get_service", {"service": "x"}, "there is no service x"),
    ],
)
def test_what_is_not_there_is_an_error_that_names_it(
    tmp_path: Path, name: str, value: dict[str, Any], error: str
) -> None:
    (outcome,) = outcomes_of(tmp_path, (name, value))
    assert (outcome.output, outcome.error) == (None, error)


def test_an_error_that_repeats_a_long_input_is_masked_and_cut(tmp_path: Path) -> None:
    (outcome,) = outcomes_of(tmp_path, ("orders.refund", {"order_id": "x" * 1979 + "secret" * 100}))
    assert outcome.error == f"there is no order {'x' * 1979}***…"


def test_what_a_tool_did_is_seen_by_the_others_of_the_sample(tmp_path: Path) -> None:
    outcomes = outcomes_of(
        tmp_path,
        ("orders.refund", {"order_id": "ord_1024"}),
        ("orders.refund", {"order_id": "ord_1024"}),
        ("orders.list", {"customer_id": "cus_100"}),
        ("subscriptions.cancel", {"customer_id": "cus_101"}),
        ("subscriptions.cancel", {"customer_id": "cus_101"}),
        ("accounts.update_newsletter", {"customer_id": "cus_101", "subscribed": True}),
        ("accounts.get_profile", {"customer_id": "cus_101"}),
        ("repo.apply_patch", {"path": "README.md", "replacement": "new"}),
        ("repo.read_file", {"path": "README.md"}),
    )
    assert outcomes[1].error == "the order ord_1024 has been refunded already"
    assert [order["status"] for order in outcomes[2].output] == ["delivered", "paid", "refunded"]
    assert outcomes[4].error == "the subscription sub_901 has been cancelled already"
    assert outcomes[6].output["newsletter_subscribed"] is True
    assert outcomes[8].output["content"] == "new"


def test_a_customer_s_second_subscription_is_cancelled_after_the_first(tmp_path: Path) -> None:
    record = '{"customer_id": "c", "subscription_id": "%s", "status": "active"}'
    rows = f"[{record % 'one'}, {record % 'two'}]"
    write_files(tmp_path, {"fixtures/support/subscriptions.json": rows})
    cancel: Call = ("subscriptions.cancel", {"customer_id": "c"})
    outcomes = outcomes_of(tmp_path, cancel, cancel, cancel)
    assert [outcome.error is None and outcome.output["subscription_id"] for outcome in outcomes] == [
        "one",
        "two",
        False,
    ]


def test_fifty_samples_at_once_refund_the_same_order_once_each(tmp_path: Path) -> None:
    refund: Call = ("orders.refund", {"order_id": "ord_1024"})
    open_toolbox = opener(tmp_path)

    async def sample(number: int) -> list[CallOutcome]:
        async with open_toolbox(("orders.refund",), ToolContext(scenario_id="a.b", sample=number)) as box:
            first = await answer(box, [refund])
            await asyncio.sleep(0)  # the other samples refund it now
            return first + await answer(box, [refund])

    async def run() -> list[list[CallOutcome]]:
        return await asyncio.gather(*(sample(number) for number in range(1, 51)))

    for first, second in asyncio.run(run()):
        assert first.output["refunded"] is True
        assert second.error == "the order ord_1024 has been refunded already"


def test_an_agent_that_changes_a_result_changes_nothing_else(tmp_path: Path) -> None:
    open_toolbox = opener(tmp_path)
    query: Call = ("logs.query_service", {"service": "mail-worker"})

    async def run() -> list[CallOutcome]:
        context = ToolContext(scenario_id="a.b", sample=1)
        async with open_toolbox(("logs.query_service",), context) as box:
            (first,) = await answer(box, [query])
            first.output["lines"].clear()
            (second,) = await answer(box, [query])
        async with open_toolbox(("logs.query_service",), context) as box:
            return [second, *await answer(box, [query])]

    assert [len(outcome.output["lines"]) for outcome in asyncio.run(run())] == [3, 3]
