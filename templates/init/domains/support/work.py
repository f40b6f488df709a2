"""What the stand-in does at the desk of a shop."""


def work(instructions, known, call):
    """Do the job and return the final answer; `call("tool.name", key=value)` returns what the tool answers."""
    customer = call("crm.search_customer", email=known["customer_email"])
    if "newsletter" in instructions:
        call("accounts.update_newsletter", customer_id=customer["id"], subscribed=False)
        return f"The newsletter is now disabled for {customer['id']}."
    if "subscription" in instructions:
        done = call("subscriptions.cancel", customer_id=customer["id"])
        return f"Cancelled {done['subscription_id']}."
    return refund_duplicate(customer["id"], call)


def refund_duplicate(customer_id, call):
    seen = set()
    for order in call("orders.list", customer_id=customer_id):
        if order["duplicate_group"] in seen:
            call("orders.refund", order_id=order["id"])
            return f"Refunded {order['id']}."
        if order["duplicate_group"]:
            seen.add(order["duplicate_group"])
    return "I refunded nothing: there is no charge that was made twice."
