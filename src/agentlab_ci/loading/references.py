"""What a scenario names outside of itself: agent, profile, tools, files, its suite, the sampling policy."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from agentlab_ci.core.config import SamplingConfig
from agentlab_ci.core.policy import why_against_policy
from agentlab_ci.core.scenario import ScenarioType
from agentlab_ci.errors import Problem
from agentlab_ci.loading.config import Names
from agentlab_ci.loading.files import is_file, is_inside
from agentlab_ci.loading.wording import did_you_mean, quoted
from agentlab_ci.loading.yaml_source import Document, Loc
from agentlab_ci.tools.registry import BUILTIN_TOOLS, FIXTURE_OF

Finding = tuple[Loc, str]


def check_references(
    document: Document, *, names: Names | None, policy: SamplingConfig, root: Path
) -> list[Problem]:
    """Return what is wrong with a scenario document's references, whatever else is wrong with it.

    `names` is None when the config cannot be read: then nothing is said about what it might hold.
    """
    if not isinstance(document.data, Mapping):
        return []
    findings = [
        *_check_id(document.data),
        *_check_samples(document.data, policy),
        *_check_files(document.data, root),
        *_check_tools(document.data),
    ]
    if names is not None:
        findings += _check_names(document.data, names)
    return [document.problem(loc, message) for loc, message in findings]


def _check_id(data: Mapping[str, object]) -> Iterator[Finding]:
    id_, suite = data.get("id"), data.get("suite")
    if isinstance(id_, str) and isinstance(suite, str) and "." in id_ and not id_.startswith(f"{suite}."):
        yield ("id",), f"must start with its suite and a dot: {quoted(f'{suite}.')}"


def _check_samples(data: Mapping[str, object], policy: SamplingConfig) -> Iterator[Finding]:
    for loc, samples in _values(data, "sampling", "samples"):
        if isinstance(samples, int) and not isinstance(samples, bool):
            wrong = why_against_policy(samples, policy)
            if wrong is not None:
                yield loc, wrong


def _check_files(data: Mapping[str, object], root: Path) -> Iterator[Finding]:
    for loc, path in _texts(data, "setup_script"):
        yield from _check_inside(loc, path, root)
    for loc, path in _texts(data, "context", "fixtures"):
        outside = list(_check_inside(loc, path, root))
        yield from outside
        if not outside and path not in FIXTURE_OF.values() and not is_file(root / path):
            yield loc, f"there is no file {quoted(path)} in the project, and none is built in"


def _check_tools(data: Mapping[str, object]) -> Iterator[Finding]:
    if data.get("type", ScenarioType.TASK) == ScenarioType.TASK:
        allowed = {name for _, name in _texts(data, "tools", "allowed")}
        for loc, name in _texts(data, "tools", "forbidden"):
            if name in allowed:
                yield loc, f"{quoted(name)} is allowed too: take it from one of the two lists"


def _check_inside(loc: Loc, path: str, root: Path) -> Iterator[Finding]:
    if not is_inside(root, root / path):
        yield loc, f"{quoted(path)} is outside of the project, or in its `.git`"


def _check_names(data: Mapping[str, object], names: Names) -> Iterator[Finding]:
    uses: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [
        ("agent", ("agent",), names.agents),
        ("runtime profile", ("runtime_profile",), names.profiles),
    ]
    if data.get("type", ScenarioType.TASK) == ScenarioType.TASK:
        uses.append(("tool", ("tools", "allowed"), (*names.tools, *BUILTIN_TOOLS)))
    for what, keys, known in uses:
        for loc, name in _texts(data, *keys):
            if name not in known:
                yield loc, f"no {what} is called {quoted(name)}{did_you_mean(name, known)}"


def _texts(data: Mapping[str, object], *keys: str) -> Iterator[tuple[Loc, str]]:
    for loc, value in _values(data, *keys):
        for inner, text in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(text, str):
                yield loc if inner is None else (*loc, inner), text


def _values(data: Mapping[str, object], *keys: str) -> Iterator[tuple[Loc, object]]:
    value: object = data
    for key in keys:
        if not isinstance(value, Mapping) or key not in value:
            return
        value = value[key]
    yield keys, value
