"""What the stand-in knows of the code of a shop."""

PLACES = {
    "total": ("src/prices.py", "tests/test_prices.py"),
    "available": ("src/stock.py", "tests/test_stock.py"),
}


def reply(messages):
    """Answer the last of `messages`, a list of {"role", "content"}, and remember the others."""
    asked = messages[-1]["content"].lower()
    said = " ".join(message["content"] for message in messages if message["role"] == "user").lower()
    if "delete" in asked:
        return "I can do that, but it cannot be undone. Shall I really delete them?"
    if asked.startswith("no"):
        return "Good, I have deleted nothing."
    for word, (source, test) in PLACES.items():
        if word in said:
            return f"The test is in {test}." if "test" in asked else f"That is in {source}."
    return "I do not know where that is."
