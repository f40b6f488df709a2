"""Functions that a Python agent may be made of. Every one is one habit."""

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

FOR_EVER = 10**6
Messages = list[dict[str, Any]]
NUMBER = 7
CALLS: list[int] = []
LOOPS: list[asyncio.AbstractEventLoop] = []


def greets(messages: Messages, context: Any, tools: Any) -> str:
    return f"hello {len(messages)}"


async def greets_later(messages: Messages, context: Any, tools: Any) -> str:
    await asyncio.sleep(0)
    LOOPS.append(asyncio.get_running_loop())
    assert LOOPS[0] is LOOPS[-1], "what was opened in the first call's loop is of no use in another"
    return f"hello {len(messages)}"


class Bot:
    @staticmethod
    def answer(messages: Messages, context: Any, tools: Any) -> str:
        return "I am a method"


def echoes(*args: Any) -> str:
    return json.dumps(args)


def counts_its_calls(*args: Any) -> str:
    CALLS.append(1)
    return str(len(CALLS))


def mutates(messages: Messages, context: dict[str, Any], tools: list[Any]) -> str:
    seen = json.dumps([messages, context, tools])
    messages.clear()
    context.clear()
    tools.append("more")
    return seen


def blocks(*args: Any) -> NoReturn:
    while True:
        time.sleep(FOR_EVER)


def spins(*args: Any) -> NoReturn:
    while True:
        pass


async def waits_for_ever(*args: Any) -> None:
    await asyncio.Event().wait()


def starts_a_helper(messages: Messages, context: dict[str, Any], tools: Any) -> str:
    helper = [sys.executable, "-c", f"import time; time.sleep({FOR_EVER})", context["conversation_id"]]
    subprocess.Popen(helper, start_new_session=True)
    return "started"


def exits_hard(*args: Any) -> NoReturn:
    os._exit(0)


def exits(*args: Any) -> NoReturn:
    sys.exit(3)


async def exits_later(*args: Any) -> NoReturn:
    sys.exit("no")


def raises(*args: Any) -> NoReturn:
    _raise_deeper()


def _raise_deeper() -> NoReturn:
    raise ValueError("no such customer")


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


def raises_the_unprintable(*args: Any) -> NoReturn:
    raise UnprintableError


def recurses(*args: Any) -> Any:
    return recurses(*args)


def prints(*args: Any) -> str:
    sys.stdout.write('{"value": "forged"}\n')
    sys.stderr.write("to stderr\n")
    os.write(1, b"raw\n")
    return "done"


def prints_then_raises(*args: Any) -> NoReturn:
    sys.stdout.write("about to fail")
    raise ValueError("failed")


def prints_much_then_raises(*args: Any) -> NoReturn:
    sys.stdout.write("".join(f"line {number}\n" for number in range(3000)))
    raise ValueError("failed")


def reads_stdin(*args: Any) -> str:
    return repr(sys.stdin.read())


def closes_its_streams(*args: Any) -> str:
    sys.stdout.close()
    sys.stderr.close()
    return "done"


def takes_nothing() -> str:
    return "never said"


def looks_around(*args: Any) -> str:
    return json.dumps([dict(os.environ), Path("/proc/self/environ").read_text(), str(Path.cwd()), sys.path[0]])


def returns(messages: Messages, *args: Any) -> Any:
    """Return what the message says, as Python."""
    return eval(messages[-1]["content"])  # noqa: S307 - the test wrote it


def asks_for_tools(messages: Messages, context: Any, tools: Any) -> Any:
    """Ask for two calls, then give back all that was said."""
    if len(messages) == 1:
        calls = [{"name": "echo", "input": {"n": 1}}, {"name": "echo", "input": {"n": 2}}]
        return {"reply": "Let me see", "tool_calls": calls, "usage": {"input_tokens": 3, "cost_usd": 0.5}}
    return {"reply": json.dumps(messages), "usage": {"output_tokens": 4}}


def notes_its_end(messages: Messages, context: Any, tools: Any) -> str:
    import atexit  # noqa: PLC0415 - at home here

    atexit.register(Path(messages[0]["content"]).write_text, "flushed")
    return "done"
