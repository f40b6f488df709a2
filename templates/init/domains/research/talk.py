"""What the stand-in knows of the rules of a company, and where it has that from."""

RULES = {
    "remote": ("Up to three days a week, if your manager agrees.", "doc_remote_work"),
    "expenses": ("Within 30 days of the trip, with receipts.", "doc_travel_expenses"),
}


def reply(messages):
    """Answer the last of `messages`, a list of {"role", "content"}, and remember the others."""
    asked = messages[-1]["content"].lower()
    said = " ".join(message["content"] for message in messages if message["role"] == "user").lower()
    for word, (rule, source) in RULES.items():
        if word in said:
            return f"That stands in {source}." if "where" in asked else rule
    return "I have found no document on that, so I do not know."
