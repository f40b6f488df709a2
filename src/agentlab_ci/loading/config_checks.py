"""What the parts of a config must hold to beyond their keys: paths, URLs, placeholders, schemas."""

import re
from collections.abc import Iterator
from pathlib import Path

from agentlab_ci.core.config import (
    AgentConfig,
    CustomTool,
    ExternalProcessAgent,
    HttpAgent,
    HttpFault,
    MockAgent,
    ModelEndpoint,
    OpenAIAgent,
    SamplingConfig,
    ToolFault,
    validate_agent,
)
from agentlab_ci.core.placeholder import CONVERSATION_PLACEHOLDERS, ENV_PREFIX
from agentlab_ci.core.policy import why_against_policy
from agentlab_ci.loading.config_names import Finding
from agentlab_ci.loading.config_parts import items_of, under, valid
from agentlab_ci.loading.files import is_inside
from agentlab_ci.loading.placeholders import placeholders_of
from agentlab_ci.loading.wording import did_you_mean, quoted
from agentlab_ci.loading.yaml_source import Document, Loc
from agentlab_ci.tools.registry import find_schema_faults

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FRAMING_HEADERS = {"content-length", "transfer-encoding"}
_NOT_IN_A_HEADER = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_PLACEHOLDERS = (*CONVERSATION_PLACEHOLDERS, f"{ENV_PREFIX}NAME")
_NOT_INSIDE = "is outside of the project, or in its `.git`"


def find_wrong_parts(document: Document, root: Path) -> Iterator[Finding]:
    """Yield what is wrong in those parts of the config that are valid by themselves."""
    top = [((), document.data)]
    for loc, sampling in valid(under(document.data, "sampling"), SamplingConfig.model_validate):
        wrong = why_against_policy(sampling.samples or 1, sampling)
        if wrong is not None:
            yield (*loc, "samples"), wrong
    for loc, agent in valid(items_of(top, "agents"), validate_agent):
        yield from ((loc + inner, message) for inner, message in _check_agent(agent, root))
    for section in ("simulator", "judge"):
        for loc, endpoint in valid(under(document.data, section), ModelEndpoint.model_validate):
            yield from _check_url(endpoint.base_url, (*loc, "base_url"))
    for loc, tool in valid(items_of(top, "tools"), CustomTool.model_validate):
        yield from ((loc + inner, message) for inner, message in _check_tool(tool, root))
    yield from _check_faults(document)


def _check_faults(document: Document) -> Iterator[Finding]:
    top = [((), document.data)]
    for loc, tool_fault in valid(items_of(top, "runtime_profiles", "tool_faults"), ToolFault.model_validate):
        if tool_fault.mode == "partial_output" and tool_fault.partial_output is None:
            yield loc, "`partial_output` is required for this mode: the object that the tool answers"
    for loc, http_fault in valid(items_of(top, "runtime_profiles", "http_faults"), HttpFault.model_validate):
        if http_fault.mode == "status" and http_fault.status is None:
            yield loc, "`status` is required for this mode"
        if http_fault.mode == "delay" and http_fault.delay_ms == 0:
            if "delay_ms" in http_fault.model_fields_set:
                yield (*loc, "delay_ms"), "must be more than 0 for this mode"
            else:
                yield loc, "`delay_ms` is required for this mode"


def find_shadowed_replies(document: Document) -> Iterator[Finding]:
    """Yield the scripted replies that hide those after them."""
    for loc, agent in valid(items_of([((), document.data)], "agents"), validate_agent):
        replies = agent.replies if isinstance(agent, MockAgent) else ()
        for index, reply in enumerate(replies[:-1]):
            if not reply.contains:
                yield (*loc, "replies", index), "answers every message, so the replies after it are never given"
                break


def _check_agent(agent: AgentConfig, root: Path) -> Iterator[Finding]:
    for loc, name in placeholders_of(agent):
        yield from _check_placeholder(loc, name)
    if isinstance(agent, HttpAgent):
        if agent.url is not None:
            yield from _check_url(agent.url, ("url",))
        for name, value in agent.headers.items():
            if _HEADER_NAME.fullmatch(name) is None:
                yield ("headers", name), f"{quoted(name)} cannot be the name of an HTTP header"
            elif name.lower() in _FRAMING_HEADERS:
                yield ("headers", name), f"{quoted(name)} follows from the body: leave it out"
            elif _NOT_IN_A_HEADER.search(value):
                yield ("headers", name), "the value of an HTTP header holds no line end or control character"
    elif isinstance(agent, OpenAIAgent):
        yield from _check_url(agent.base_url, ("base_url",))
    elif isinstance(agent, ExternalProcessAgent) and not is_inside(root, root / agent.cwd):
        yield ("cwd",), f"{quoted(agent.cwd)} {_NOT_INSIDE}"


def _check_placeholder(loc: Loc, name: str) -> Iterator[Finding]:
    if name in CONVERSATION_PLACEHOLDERS:
        return
    variable = name.removeprefix(ENV_PREFIX)
    if variable == name:
        yield loc, f"unknown placeholder {quoted('{{' + name + '}}')}{did_you_mean(name, _PLACEHOLDERS)}"
    elif _VARIABLE.fullmatch(variable) is None:
        yield loc, f"{quoted(variable)} cannot be the name of an environment variable"


def _check_url(url: str, loc: Loc) -> Iterator[Finding]:
    from agentlab_ci.agents.registry import find_url_fault  # noqa: PLC0415 - 0.1 s, and mock agents have no URL

    fault = find_url_fault(url)
    if fault is not None:
        yield loc, fault
    elif "{{" in url:
        yield loc, "placeholders are filled in in `headers` and `request_template`, not in a URL"


def _check_tool(tool: CustomTool, root: Path) -> Iterator[Finding]:
    given = [key for key in ("module_path", "package", "command") if getattr(tool, key) is not None]
    if len(given) != 1:
        have = " and ".join(quoted(key) for key in given) or "none of them"
        yield (), f"needs exactly one of `module_path`, `package` and `command`; it has {have}"
    if tool.command == ():
        yield ("command",), "must have at least 1 item"
    if tool.command is not None and tool.export_name is not None:
        yield ("export_name",), "a `command` has no function to name; it belongs to `module_path` and `package`"
    if tool.module_path is not None and not is_inside(root, root / tool.module_path):
        yield ("module_path",), f"{quoted(tool.module_path)} {_NOT_INSIDE}"
    for way, wrong in find_schema_faults(tool.input_schema):
        yield ("input_schema", *way), wrong
