"""A stand-in for your agent: a function that is told all that was said and done, and returns what comes next."""

import json

from talk import reply
from work import work


class Asked(Exception):
    """The work cannot go on before this call is made."""


class ToolError(Exception):
    """A tool said no, and why."""


def answer(messages, context, tools):
    if not tools:
        return reply(messages)
    results = iter([json.loads(message["content"]) for message in messages if message["role"] == "tool"])

    def call(name, **value):
        """Return what came of the call. The work begins anew each time, and gets one call further."""
        for result in results:
            if isinstance(result, dict) and "error" in result:
                raise ToolError(result["error"])
            return result
        raise Asked({"name": name, "input": value})

    try:
        return work(messages[0]["content"], context["variables"], call)
    except Asked as asked:
        return {"tool_calls": [asked.args[0]]}
    except ToolError as error:
        return f"I could not do it: {error}."
