"""A stand-in for your agent: a program that says and hears one JSON object a line, on stdout and stdin."""

import json
import sys

from work import work


class ToolError(Exception):
    """A tool said no, and why."""


def hear():
    line = sys.stdin.readline()
    if not line:
        sys.exit()  # nobody is there any more
    return json.loads(line)


def say(**line):
    print(json.dumps(line), flush=True)


def call(name, **value):
    say(type="tool_call", toolName=name, input=value)
    heard = hear()
    if "result" not in heard:
        raise ToolError(heard.get("error") or heard["message"])
    return heard["result"]


job = hear()["input"]
try:
    output = work(job["instructions"], job["context"], call)
except ToolError as error:
    output = f"I could not do it: {error}."
say(type="final", output=output)
