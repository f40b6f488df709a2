from typing import Any

import pytest

from playbook_talk import Fails, Script, perform

ALICE = {"id": "cus_1", "email": "alice@example.com", "name": "Alice"}
FIRST = {"id": "ord_1", "customer_id": "cus_1", "amount": 49, "currency": "USD", "status": "paid"}
TWIN = FIRST | {"id": "ord_2", "duplicate_group": "dup_1"}
TWINS = [FIRST | {"duplicate_group": "dup_1"}, TWIN]
OTHER = FIRST | {"id": "ord_3", "amount": 12.5, "status": "delivered", "duplicate_group": None}
CRM: Script = {"crm.search_customer": [ALICE]}
REFUNDED = {"refunded": True, "order_id": "ord_2", "amount": 49, "currency": "USD"}
TWICE = "The customer was charged twice.\nFind the duplicated charge and refund only that order."


def ask(instructions: str, tools: Script, **given: Any) -> str:
    return perform(instructions, CRM | tools, customer_email="alice@example.com", **given).final


def test_a_refund_takes_every_id_from_a_tool() -> None:
    tools: Script = {"crm.search_customer": [ALICE], "orders.list": [[*TWINS, OTHER]], "orders.refund": [REFUNDED]}
    done = perform(TWICE, tools, customer_email="alice@example.com")
    assert done.calls == [
        ("crm.search_customer", {"email": "alice@example.com"}),
        ("orders.list", {"customer_id": "cus_1"}),
        ("orders.refund", {"order_id": "ord_2"}),
    ]
    assert done.messages == [
        "Look for the customer alice@example.com.",
        "Look at the orders of cus_1.",
        "Refund ord_2.",
    ]
    assert done.final == "Refunded ord_2, the duplicated charge of 49 USD, the same as ord_1."


@pytest.mark.parametrize(
    ("instructions", "orders", "final"),
    [
        # nothing is refunded where the words ask for less
        ("Was the customer charged twice?", TWINS, "ord_2 is the duplicated charge of 49 USD, the same as ord_1."),
        (
            "Which of the double charges should be refunded? Do not issue the refund yet.",
            TWINS,
            (
                "ord_2 is the duplicated charge of 49 USD, the same as ord_1."
                " It is the one that should be refunded; I have not refunded it."
            ),
        ),
        # none, or too many, to be sure
        (TWICE, [FIRST, OTHER], "No two open orders of cus_1 are the same charge, so there is nothing to refund."),
        # the first of the two has been given back, so the second one is right
        (
            TWICE,
            [TWINS[0] | {"status": "refunded"}, TWIN],
            "No two open orders of cus_1 are the same charge, so there is nothing to refund.",
        ),
        (
            TWICE,
            [*TWINS, *({**order, "id": f"{order['id']}0", "duplicate_group": "dup_2"} for order in TWINS)],
            (
                "Which order do you mean? Please clarify: ord_2 (49 USD) or ord_20 (49 USD)."
                " I have refunded none of them."
            ),
        ),
        (
            TWICE,
            [*TWINS, TWIN | {"id": "ord_4", "amount": 50}],
            (
                "Which order do you mean? Please clarify: ord_2 (49 USD) or ord_4 (50 USD)."
                " I have refunded none of them."
            ),
        ),
        (
            "Please refund my order.",
            [*TWINS, OTHER],
            (
                "Which order do you mean? Please clarify: ord_1 (49 USD), ord_2 (49 USD) or ord_3 (12.5 USD)."
                " I have refunded none of them."
            ),
        ),
        ("Please refund my order.", [], "cus_1 has no order that could be refunded."),
        (
            "Please refund my order.",
            [FIRST | {"status": "refunded"}],
            "cus_1 has no order that could be refunded.",
        ),
        # an answer that is no list of orders
        (TWICE, "MALFORMED_OUTPUT", "The orders of cus_1 came back unreadable, so I do not rely on them."),
        (TWICE, Fails("timed out"), "The orders of cus_1 are unavailable: timed out"),
    ],
)
def test_nothing_is_refunded_when_it_is_not_clear_that_it_should(
    instructions: str, orders: Any, final: str
) -> None:
    assert ask(instructions, {"orders.list": [orders], "orders.refund": []}) == final


@pytest.mark.parametrize(
    ("instructions", "orders", "given"),
    [
        ("Please refund my order.", [TWIN, FIRST | {"status": "refunded"}], {}),
        ("Please refund order ord_2.", [*TWINS, OTHER], {}),
        ("Give the money back.", [*TWINS, OTHER], {"order_id": "ord_2"}),
        ("Do not guess which order to refund if there are several. Refund mine.", [TWIN], {}),
    ],
)
def test_the_one_order_that_is_meant_is_refunded(
    instructions: str, orders: list[Any], given: dict[str, Any]
) -> None:
    final = ask(instructions, {"orders.list": [orders], "orders.refund": [REFUNDED]}, **given)
    assert final == "Refunded ord_2, the order of 49 USD."


@pytest.mark.parametrize(
    ("words", "held"),
    [
        ("Do not issue the refund yet.", True),
        ("Don't refund anything.", True),
        ("Never issue refunds yourself.", True),
        ("Do not refund the order yet.", True),
        ("Say which, without refunding it.", True),
        ("Do not refund the first one.", False),
        ("Never refund more than one order.", False),
    ],
)
def test_a_refund_that_is_not_to_be_made_yet_is_held_back(words: str, *, held: bool) -> None:
    final = ask(f"{TWICE} {words}", {"orders.list": [TWINS], "orders.refund": [REFUNDED]})
    assert final.endswith("I have not refunded it.") is held


def test_an_order_of_somebody_else_is_not_refunded() -> None:
    final = ask("Refund it.", {"orders.list": [TWINS], "orders.refund": []}, order_id="ord_9")
    assert final == "ord_9 is not among the orders of cus_1, so I refunded nothing."


@pytest.mark.parametrize(
    ("answer", "final"),
    [
        (
            Fails("ord_2 is refunded already"),
            "I did not refund ord_2, the order of 49 USD: ord_2 is refunded already",
        ),
        ({}, "I asked for a refund of ord_2, the order of 49 USD, but the answer does not say that it was made."),
    ],
)
def test_a_refund_that_was_not_made_is_not_claimed(answer: Any, final: str) -> None:
    assert ask("Refund it.", {"orders.list": [[TWIN]], "orders.refund": [answer]}) == final


def test_a_tool_that_is_not_allowed_is_not_called() -> None:
    assert (
        ask("Refund it.", {"orders.refund": []})
        == "I cannot look at the orders of cus_1: orders.list is not allowed."
    )
    assert ask("Refund it.", {"orders.list": [[TWIN]]}) == (
        "ord_2 is the order of 49 USD. It is the one that should be refunded; I have not refunded it."
    )


@pytest.mark.parametrize(
    ("answer", "final"),
    [
        (Fails("no such customer"), "The record of alice@example.com is unavailable: no such customer"),
        (
            {"name": "Alice"},
            "The record of alice@example.com came back without an id, so I know no customer to act for.",
        ),
    ],
)
def test_without_a_customer_nothing_is_done(answer: Any, final: str) -> None:
    tools: Script = {"crm.search_customer": [answer], "orders.list": []}
    assert perform("Refund the order of alice@example.com, please.", tools).final == final


def test_without_a_name_nobody_is_looked_for() -> None:
    done = perform("Refund it.", {"crm.search_customer": [], "orders.list": []})
    assert done.final == "I cannot look for the customer: the task gives neither an e-mail address nor an id."


FINDER = "shop.find_duplicate_charge"


def find_with_own_tool(answer: Any, **more: Any) -> str:
    tools: Script = {"crm.search_customer": [ALICE], FINDER: [answer], "orders.refund": [REFUNDED]} | more
    needs = {FINDER: ["customer_id"]}
    return perform(TWICE, tools, needs=needs, customer_email="alice@example.com").final


def test_a_tool_of_the_project_s_own_finds_the_duplicate() -> None:
    found = "Refunded ord_2, the duplicated charge that shop.find_duplicate_charge found."
    assert find_with_own_tool({"order_id": "ord_2"}) == found
    assert find_with_own_tool({"duplicate_order_id": "ord_2", "note": "seen"}) == found


def test_without_its_result_the_orders_are_looked_at_if_they_may_be() -> None:
    assert find_with_own_tool(Fails("no index")) == (
        "The duplicated charge is unknown: shop.find_duplicate_charge: no index"
    )
    assert (
        find_with_own_tool({}) == "The duplicated charge is unknown: shop.find_duplicate_charge: it named no order"
    )
    final = find_with_own_tool(Fails("no index"), **{"orders.list": [TWINS]})
    assert final == "Refunded ord_2, the duplicated charge of 49 USD, the same as ord_1."


@pytest.mark.parametrize(
    ("needs", "value"),
    [
        ([], {}),
        (["customer_id", "since"], {"customer_id": "cus_1", "since": "2026-01-01"}),
        (["email"], {"email": "alice@example.com"}),
        (["card"], None),  # nobody knows it
    ],
)
def test_it_is_called_with_what_it_requires_if_that_is_known(
    needs: list[str], value: dict[str, str] | None
) -> None:
    tools: Script = {"crm.search_customer": [ALICE], FINDER: [{"order_id": "ord_2"}], "orders.list": [TWINS]}
    done = perform(TWICE, tools, needs={FINDER: needs}, customer_email="alice@example.com", since="2026-01-01")
    assert done.calls[1] == ((FINDER, value) if value is not None else ("orders.list", {"customer_id": "cus_1"}))


OFF = "Find the account and disable the newsletter subscription."
ON = "The customer would like to subscribe to the newsletter again."


@pytest.mark.parametrize(
    ("instructions", "subscribed", "state"), [(OFF, False, "disabled"), (ON, True, "enabled")]
)
def test_the_newsletter_is_switched(instructions: str, *, subscribed: bool, state: str) -> None:
    account = {"customer_id": "cus_1", "newsletter_subscribed": not subscribed, "tier": "pro"}
    tools: Script = {
        "crm.search_customer": [ALICE],
        "accounts.get_profile": [account],
        "accounts.update_newsletter": [account | {"newsletter_subscribed": subscribed, "updated": True}],
    }
    done = perform(instructions, tools, email="alice@example.com")
    assert done.calls[1:] == [
        ("accounts.get_profile", {"customer_id": "cus_1"}),
        ("accounts.update_newsletter", {"customer_id": "cus_1", "subscribed": subscribed}),
    ]
    assert done.final == f"The newsletter is now {state} for cus_1."


@pytest.mark.parametrize(
    ("instructions", "account", "update", "final"),
    [
        (
            OFF,
            {"newsletter_subscribed": False},
            [],
            "The newsletter was already disabled for cus_1; I changed nothing.",
        ),
        (OFF, Fails("no account"), [], "I changed nothing. The account of cus_1 is unavailable: no account"),
        (OFF, "MALFORMED_OUTPUT", [Fails("down")], "The newsletter of cus_1 could not be disabled: down"),
        (
            OFF,
            {},
            ["MALFORMED_OUTPUT"],
            "I asked for the newsletter of cus_1 to be disabled, but cannot tell whether it is.",
        ),
        (
            "Look after the newsletter.",
            {},
            [],
            "I cannot tell from the task whether the newsletter is to be switched on or off.",
        ),
    ],
)
def test_a_newsletter_that_is_not_switched_is_not_claimed(
    instructions: str, account: Any, update: list[Any], final: str
) -> None:
    tools: Script = {"accounts.get_profile": [account], "accounts.update_newsletter": update}
    assert ask(instructions, tools) == final


CANCEL = "The customer wants to cancel their current subscription."


@pytest.mark.parametrize(
    ("instructions", "answers", "final"),
    [
        (CANCEL, [{"subscription_id": "sub_9", "status": "cancelled"}], "Cancelled subscription sub_9 of cus_1."),
        (CANCEL, [Fails("already over")], "I did not cancel a subscription of cus_1: already over"),
        (
            CANCEL,
            [{"subscription_id": "sub_9"}],
            "I asked to cancel the subscription of cus_1, but the answer does not say that it is.",
        ),
        (
            "Can the subscription be cancelled? Do not cancel it.",
            [],
            "I have cancelled nothing for cus_1, as the task says.",
        ),
    ],
)
def test_a_subscription_is_cancelled_or_it_is_said_why_not(
    instructions: str, answers: list[Any], final: str
) -> None:
    assert ask(instructions, {"subscriptions.cancel": answers}) == final
