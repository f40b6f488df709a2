"""Refunds and charges that were made twice."""

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from agentlab_ci.agents.playbooks.customer import find_customer, find_email
from agentlab_ci.agents.playbooks.play import (
    Job,
    Play,
    StuckError,
    fill_input,
    find_missing,
    join_words,
    read_records,
    read_text,
)
from agentlab_ci.core.tool import ToolSpec

_REFUND = re.compile(r"\brefund|\b(?:money|charge|payment) back\b", re.IGNORECASE)
_TWICE = re.compile(r"\btwice\b|\bduplicat|\bdoubl[ey]|\b(?:two|2) times\b", re.IGNORECASE)
_NOT_YET = re.compile(
    r"\b(?:do not|don't|never) (?:(?:issue|make|process|send|start) (?:the |a |any )?refunds?\b"
    r"|refund (?:it|them|anything|any)\b|refund\b[^.!?]*\byet\b)|\bwithout refunding\b",
    re.IGNORECASE,
)
_CLOSED = ("refunded", "cancelled")


def fits(job: Job) -> bool:
    """Tell whether the task is about a refund or a second charge, and allows to find or refund an order."""
    about = job.mentions(_REFUND) or job.mentions(_TWICE)
    return about and (job.allows("orders.list", "orders.refund") or _find_own_tool(job) is not None)


def play(job: Job) -> Play[str]:
    """Find the order and refund it, if that is asked for; ask which one where several are plausible."""
    if job.mentions(_TWICE):
        order_id, what = yield from _find_duplicate(job)
    else:
        order_id, what = yield from _find_order(job)
    if not job.mentions(_REFUND):
        return f"{order_id} is {what}."
    if job.mentions(_NOT_YET) or not job.allows("orders.refund"):
        return f"{order_id} is {what}. It is the one that should be refunded; I have not refunded it."
    outcome = yield from job.call("orders.refund", f"refund {order_id}", {"order_id": order_id})
    if outcome.error is not None:
        return f"I did not refund {order_id}, {what}: {outcome.error}"
    if not (isinstance(outcome.output, Mapping) and outcome.output.get("refunded") is True):
        return f"I asked for a refund of {order_id}, {what}, but the answer does not say that it was made."
    return f"Refunded {order_id}, {what}."


def _find_duplicate(job: Job) -> Play[tuple[str, str]]:
    """Return the id of the second of two equal charges, and a description of it."""
    customer_id = yield from find_customer(job)
    own = _find_own_tool(job)
    known = {**job.brief.variables, "email": find_email(job), "customer_id": customer_id}
    if own is not None and not find_missing(own, known):
        purpose = f"look for the duplicated charge of {customer_id}"
        outcome = yield from job.call(own.name, purpose, fill_input(own, known))
        order_id = _read_order_id(outcome.output)
        if outcome.error is None and order_id is not None:
            return order_id, f"the duplicated charge that {own.name} found"
        if not job.allows("orders.list"):
            raise StuckError(
                f"The duplicated charge is unknown: {own.name}: {outcome.error or 'it named no order'}"
            )
    groups: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for order in (yield from _list_orders(job, customer_id)):
        if (group := read_text(order, "duplicate_group")) is not None and _is_open(order):
            groups[group].append(order)
    pairs = [orders for orders in groups.values() if len(orders) > 1]
    if not pairs:
        raise StuckError(
            f"No two open orders of {customer_id} are the same charge, so there is nothing to refund."
        )
    if len(pairs) > 1 or len(pairs[0]) > 2:
        raise _ask_which([order for orders in pairs for order in orders[1:]])
    first, second = pairs[0]
    return str(second["id"]), f"the duplicated charge of {_price(second)}, the same as {first['id']}"


def _find_order(job: Job) -> Play[tuple[str, str]]:
    """Return the id of the order that the task names, or else of the only one that is plausible."""
    named = job.variable("order_id", "target_order_id")
    if named is not None and not job.allows("orders.list"):
        return named, "the order that the task names"
    customer_id = yield from find_customer(job)
    orders = yield from _list_orders(job, customer_id)
    wanted = [order for order in orders if named == order["id"] or (named is None and _is_in(order, job.text))]
    if named is not None and not wanted:
        raise StuckError(f"{named} is not among the orders of {customer_id}, so I refunded nothing.")
    plausible = wanted or [order for order in orders if _is_open(order)]
    if not plausible:
        raise StuckError(f"{customer_id} has no order that could be refunded.")
    if len(plausible) > 1:
        raise _ask_which(plausible)
    return str(plausible[0]["id"]), f"the order of {_price(plausible[0])}"


def _list_orders(job: Job, customer_id: str) -> Play[list[Mapping[str, Any]]]:
    subject = f"The orders of {customer_id}"
    output = yield from job.ask(
        "orders.list",
        f"look at the orders of {customer_id}",
        {"customer_id": customer_id},
        subject=f"{subject} are",
    )
    return [order for order in read_records(output, subject=subject) if read_text(order, "id")]


def _ask_which(orders: list[Mapping[str, Any]]) -> StuckError:
    choices = join_words([f"{order['id']} ({_price(order)})" for order in orders])
    return StuckError(f"Which order do you mean? Please clarify: {choices}. I have refunded none of them.")


def _find_own_tool(job: Job) -> ToolSpec | None:
    """Return the project's own tool that finds duplicates, as its name says."""
    return next((tool for tool in job.brief.tools if "duplicate" in tool.name.casefold()), None)


def _read_order_id(output: object) -> str | None:
    """Return the order id in a tool's output, whatever is said before it in the key: duplicate_order_id."""
    keys = sorted(output, key=len) if isinstance(output, Mapping) else []
    return next((read_text(output, key) for key in keys if str(key).endswith("order_id")), None)


def _is_open(order: Mapping[str, Any]) -> bool:
    return order.get("status") not in _CLOSED


def _is_in(order: Mapping[str, Any], text: str) -> bool:
    return re.search(rf"\b{re.escape(order['id'])}\b", text) is not None


def _price(order: Mapping[str, Any]) -> str:
    return f"{order.get('amount', 'unknown amount')} {order.get('currency', '')}".strip()
