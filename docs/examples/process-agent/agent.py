"""An agent that refunds what was charged twice. It speaks JSON lines: one object a line, on stdin and stdout."""

import json
import sys


class ToolError(Exception):
    """A tool said no, and why."""


def say(**line):
    print(json.dumps(line), flush=True)


def hear():
    line = sys.stdin.readline()
    if not line:
        sys.exit()  # nobody is there any more
    heard = json.loads(line)
    if heard["type"] == "runner_error":
        sys.exit(f"I said something wrong: {heard['message']}")
    return heard


def call(tool, why, **value):
    say(type="tool_call", toolName=tool, input=value, metadata={"message": why})
    answer = hear()
    if "error" in answer:
        raise ToolError(answer["error"])
    return answer["result"]


def refund(order_id, why):
    done = call("orders.refund", why, order_id=order_id)
    return f"Refunded {done['order_id']}: {done['amount']} {done['currency']}."


def work(context):
    if "order_id" in context:
        try:
            return refund(context["order_id"], "The customer names the order.")
        except ToolError as error:
            look = f"{error}, so I look for it."
    else:
        look = "I look for the charge that was made twice."
    customer = call("crm.search_customer", look, email=context["customer_email"])
    seen = set()
    for order in call("orders.list", f"{customer['id']} it is.", customer_id=customer["id"]):
        if order["duplicate_group"] in seen:
            return refund(order["id"], "The second one of two that are the same.")
        if order["duplicate_group"]:
            seen.add(order["duplicate_group"])
    return "I refunded nothing: there is no charge that was made twice."


run = hear()
try:
    output = work(run["input"]["context"])
except ToolError as error:
    output = f"I could not do it: {error}."
# A model's figures would stand here. This agent has none, so what it used is known to be nothing.
say(type="final", output=output, usage={"input_tokens": 0, "output_tokens": 0, "cost_usd": 0})
