"""What the stand-in says at the desk of a shop."""

import re


def reply(messages):
    """Answer the last of `messages`, a list of {"role", "content"}, and remember the others."""
    asked = messages[-1]["content"].lower()
    named = re.search(r"\bord_\d+\b", " ".join(message["content"] for message in messages))
    if "password" in asked:
        return "Please keep it to yourself. I have sent a link to the address of your account."
    if named is None:
        return "I am sorry about that. Which order is it?"
    if "when" in asked:
        return f"You hear from me about {named[0]} within two days."
    return f"Thank you. I look into {named[0]}."
