"""Customers, their orders, accounts and subscriptions."""

from typing import Any

from agentlab_ci.tools.builtin.kind import BuiltinTool, FixtureKind, text
from agentlab_ci.tools.builtin.table import Record, Table
from agentlab_ci.tools.interface import ToolFailedError

_CUSTOMERS = FixtureKind(path="support/customers.json", fields={"id": str, "email": str})
_ORDERS = FixtureKind(
    path="support/orders.json",
    fields={"id": str, "customer_id": str, "amount": float, "currency": str, "status": str},
)
_ACCOUNTS = FixtureKind(
    path="support/accounts.json", fields={"customer_id": str, "newsletter_subscribed": bool, "tier": str}
)
_SUBSCRIPTIONS = FixtureKind(
    path="support/subscriptions.json", fields={"customer_id": str, "subscription_id": str, "status": str}
)
_CUSTOMER_ID = text("The customer's id, as crm.search_customer returns it.")


def _search_customer(customers: Table, value: Record) -> Any:
    email = value["email"].strip().casefold()
    found = customers.select(lambda customer: customer["email"].casefold() == email)
    if not found:
        raise ToolFailedError(f"there is no customer with the email {value['email']}")
    return found[0]


def _list_orders(orders: Table, value: Record) -> Any:
    return orders.where(customer_id=value["customer_id"])


def _refund(orders: Table, value: Record) -> Any:
    found = orders.where(id=value["order_id"])
    if not found:
        raise ToolFailedError(f"there is no order {value['order_id']}")
    order = found[0]
    if order["status"] == "refunded":
        raise ToolFailedError(f"the order {order['id']} has been refunded already")
    orders.change(order, status="refunded")
    return {"refunded": True, "order_id": order["id"], "amount": order["amount"], "currency": order["currency"]}


def _account(accounts: Table, value: Record) -> Record:
    found = accounts.where(customer_id=value["customer_id"])
    if not found:
        raise ToolFailedError(f"there is no account of the customer {value['customer_id']}")
    return found[0]


def _update_newsletter(accounts: Table, value: Record) -> Any:
    account = accounts.change(_account(accounts, value), newsletter_subscribed=value["subscribed"])
    return {
        "customer_id": account["customer_id"],
        "newsletter_subscribed": account["newsletter_subscribed"],
        "updated": True,
    }


def _cancel(subscriptions: Table, value: Record) -> Any:
    found = subscriptions.where(customer_id=value["customer_id"])
    if not found:
        raise ToolFailedError(f"the customer {value['customer_id']} has no subscription")
    running = [subscription for subscription in found if subscription["status"] != "cancelled"]
    if not running:
        raise ToolFailedError(f"the subscription {found[0]['subscription_id']} has been cancelled already")
    cancelled = subscriptions.change(running[0], status="cancelled")
    return {"subscription_id": cancelled["subscription_id"], "status": cancelled["status"]}


KINDS: tuple[BuiltinTool, ...] = (
    BuiltinTool(
        name="crm.search_customer",
        description="Find a customer by email address.",
        arguments={"email": text("The customer's email address.")},
        returns="the customer",
        fixture=_CUSTOMERS,
        act=_search_customer,
    ),
    BuiltinTool(
        name="orders.list",
        description="List the orders of a customer. Orders that were charged twice share a duplicate_group.",
        arguments={"customer_id": _CUSTOMER_ID},
        returns="a list of the customer's orders, empty when there are none",
        fixture=_ORDERS,
        act=_list_orders,
    ),
    BuiltinTool(
        name="orders.refund",
        description="Refund an order. An order can be refunded once.",
        arguments={"order_id": text("The id of the order, as orders.list returns it.")},
        returns="`{refunded, order_id, amount, currency}`",
        fixture=_ORDERS,
        act=_refund,
    ),
    BuiltinTool(
        name="accounts.get_profile",
        description="Get a customer's account: tier and newsletter.",
        arguments={"customer_id": _CUSTOMER_ID},
        returns="the account",
        fixture=_ACCOUNTS,
        act=_account,
    ),
    BuiltinTool(
        name="accounts.update_newsletter",
        description="Subscribe a customer to the newsletter, or end the subscription.",
        arguments={
            "customer_id": _CUSTOMER_ID,
            "subscribed": {"type": "boolean", "description": "Whether the customer is to get the newsletter."},
        },
        returns="`{customer_id, newsletter_subscribed, updated}`",
        fixture=_ACCOUNTS,
        act=_update_newsletter,
    ),
    BuiltinTool(
        name="subscriptions.cancel",
        description="Cancel a customer's subscription.",
        arguments={"customer_id": _CUSTOMER_ID},
        returns="`{subscription_id, status}`",
        fixture=_SUBSCRIPTIONS,
        act=_cancel,
    ),
)
