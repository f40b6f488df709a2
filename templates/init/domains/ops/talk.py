"""What the stand-in says to whoever is on call."""

OWNERS = {"checkout-api": "payments-oncall", "search-indexer": "search-team"}


def reply(messages):
    """Answer the last of `messages`, a list of {"role", "content"}, and remember the others."""
    asked = messages[-1]["content"].lower()
    said = " ".join(message["content"] for message in messages)
    service = next((name for name in OWNERS if name in said), None)
    if service is None:
        return "Which service is it?"
    if asked.startswith("yes"):
        return f"I restart {service} now."
    if "restart" in asked:
        return f"A restart drops what {service} is working on. Shall I restart it?"
    if "whom" in asked:
        return f"Call {OWNERS[service]}."
    return f"I look at {service}. What customers notice comes first, and the rest waits for the next working day."
