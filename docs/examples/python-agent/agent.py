"""An agent that refunds what was charged twice, as one function that says what comes next."""

import json
import re

# A model's figures would stand here. This agent has none, so what it used is known to be nothing.
USAGE = {"input_tokens": 0, "output_tokens": 0, "cost_usd": 0}


def answer(messages, context, tools):
    """Return the next reply, or the next calls; `messages` is all that was said and done so far."""
    if not tools:
        return talk(messages)
    told = [(message["name"], json.loads(message["content"])) for message in messages if message["role"] == "tool"]
    return work(context["variables"], told)


def work(known, told):
    if not told and "order_id" in known:
        return call("orders.refund", "The customer names the order.", order_id=known["order_id"])
    tool, result = told[-1] if told else ("", None)
    failed = isinstance(result, dict) and result.get("error")
    if tool == "orders.refund" and not failed:
        return final(f"Refunded {result['order_id']}: {result['amount']} {result['currency']}.")
    if "crm.search_customer" not in dict(told):
        look = f"{failed}, so I look for it." if failed else "I look for the charge that was made twice."
        return call("crm.search_customer", look, email=known["customer_email"])
    if failed:
        return final(f"I could not do it: {failed}.")
    if tool == "crm.search_customer":
        return call("orders.list", f"{result['id']} it is.", customer_id=result["id"])
    return refund_double(result)


def refund_double(orders):
    seen = set()
    for order in orders:
        if order["duplicate_group"] in seen:
            return call("orders.refund", "The second one of two that are the same.", order_id=order["id"])
        if order["duplicate_group"]:
            seen.add(order["duplicate_group"])
    return final("I refunded nothing: there is no charge that was made twice.")


def talk(messages):
    said = " ".join(message["content"] for message in messages if message["role"] == "user")
    named = re.search(r"\bord_\d+\b", said)
    if named is None:
        return "I am sorry. Which order is it?"
    if "when" in messages[-1]["content"].lower():
        return f"You hear from me about {named[0]} within two days."
    return f"I look into {named[0]}."


def call(tool, why, **value):
    return {"reply": why, "tool_calls": [{"name": tool, "input": value}], "usage": USAGE}


def final(text):
    return {"reply": text, "usage": USAGE}
