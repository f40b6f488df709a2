"""The story of a new project: which files it starts with, and which scenarios are added to one later."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, count, islice, zip_longest
from pathlib import Path, PurePosixPath

from agentlab_ci.core.config import AgentConfig, Config, MockAgent
from agentlab_ci.core.domain import Domain
from agentlab_ci.core.provider import RUNS_ON, Provider
from agentlab_ci.core.scenario import ScenarioType
from agentlab_ci.errors import BadInputError
from agentlab_ci.loading.files import SUFFIXES, is_there
from agentlab_ci.loading.project import CONFIG_NAME, SCENARIO_FOLDER, load_config, load_project
from agentlab_ci.loading.wording import printable
from agentlab_ci.reports.templating import find_templates

_SCENARIOS = {ScenarioType.TASK: "tasks.yaml", ScenarioType.CONVERSATION: "conversations.yaml"}
"""Where a domain has its scenarios: one in each YAML document, the first of which a new project gets."""
_PARTS: Mapping[Provider, tuple[str, ...]] = {
    Provider.MOCK: (CONFIG_NAME,),
    Provider.HTTP: ("talk.py",),
    Provider.OPENAI: (),
    Provider.EXTERNAL_PROCESS: ("work.py",),
    Provider.PYTHON: ("talk.py", "work.py"),
}
"""What an agent needs of its domain to be able to do its job."""
_OF_ANY_PROJECT = frozenset({"README.md", ".gitignore"})
"""Files that a folder may well have already; they are left as they are."""
_ID = re.compile(r"^id: (\S+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaffold:
    """Paths in the project's folder: what was written, and what was there already and is left as it is."""

    written: tuple[str, ...]
    kept: tuple[str, ...] = ()


def init_project(folder: Path, provider: Provider, domain: Domain) -> Scaffold:
    """Write a project whose first run passes, with a scenario of each type that its agent can run.

    A relative folder is one of the working directory. Nothing is overwritten: raises BadInputError, with all that
    is in the way, before anything is written.
    """
    files = _plan_project(provider, domain)
    there = sorted(path for path in files if is_there(folder / path))
    in_the_way = [path for path in there if path not in _OF_ANY_PROJECT]
    if in_the_way:
        raise BadInputError(
            f"{_show(folder, in_the_way)} would be overwritten, so nothing was written: name another folder, or "
            "add scenarios to a project that is there with `agentlab generate`"
        )
    new = {path: text for path, text in files.items() if path not in there}
    if no_folders := _find_no_folders(folder, new):
        raise BadInputError(
            f"{_show(folder, no_folders)} would have to be a folder of the project's own, so nothing was written: "
            "name another folder"
        )
    return Scaffold(written=_write(folder, new), kept=tuple(there))


def generate_scenarios(folder: Path, domain: Domain, wanted: int) -> Scaffold:
    """Add scenarios to the project in the folder, tasks and conversations in turn, as far as its agents run them.

    Those that are there already come again under a number: no id and no file is taken twice. Raises BadInputError
    where there is no project, and InvalidFilesError with the problems of one that is not valid.
    """
    if not is_there(folder / CONFIG_NAME):
        missing = _show(folder, [CONFIG_NAME])
        raise BadInputError(f"there is no {missing}: start a project with `agentlab init`")
    config, taken = _read_project(folder)
    kinds = [kind for kind in _SCENARIOS if not config.agents or any(_runs(kind, it) for it in config.agents)]
    in_turn = chain.from_iterable(zip_longest(*(_read_scenarios(domain, kind) for kind in kinds)))
    free = _free_scenarios([text for text in in_turn if text], taken, folder)
    return Scaffold(written=_write(folder, dict(islice(free, wanted))))


def _plan_project(provider: Provider, domain: Domain) -> dict[str, str]:
    """Return the text of each file by its path; what is particular to a provider replaces what is common."""
    templates = find_templates() / "init"
    own = templates / "domains" / domain
    kinds = [kind for kind in _SCENARIOS if provider in RUNS_ON[kind]]
    scenarios = (_read_scenarios(domain, kind)[0] for kind in kinds)
    files = {
        **_read_tree(templates / "common"),
        **_read_tree(templates / "providers" / provider),
        **{name: _read(own / name) for name in _PARTS[provider]},
        **{_path_of(_id_of(text)): text for text in scenarios},
    }
    return dict(sorted(files.items()))


def _read_tree(folder: Path) -> dict[str, str]:
    # An agent that was run where it stands has left its bytecode beside it.
    paths = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): _read(path) for path in paths}


def _read_scenarios(domain: Domain, kind: ScenarioType) -> list[str]:
    text = _read(find_templates() / "init" / "domains" / domain / _SCENARIOS[kind])
    return [f"{document.strip()}\n" for document in text.split("\n---\n")]


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _id_of(scenario: str) -> str:
    found = _ID.search(scenario)
    if found is None:
        raise LookupError(f"a template of a scenario has no id: {scenario[:80]}")
    return found[1]


def _path_of(scenario_id: str) -> str:
    suite, _, name = scenario_id.partition(".")
    return f"{SCENARIO_FOLDER}/{suite}/{name}.yaml"


def _read_project(folder: Path) -> tuple[Config, frozenset[str]]:
    """Return the config, and the ids of the scenarios; a project may have none yet."""
    config_file = str(folder / CONFIG_NAME)
    if not any(path.suffix in SUFFIXES for path in (folder / SCENARIO_FOLDER).rglob("*")):
        return load_config(cwd=Path(), config_file=config_file), frozenset()
    project = load_project(cwd=Path(), config_file=config_file)
    return project.config, frozenset(scenario.id for scenario in project.scenarios)


def _runs(kind: ScenarioType, agent: AgentConfig) -> bool:
    silent = isinstance(agent, MockAgent) and not agent.replies
    return agent.provider in RUNS_ON[kind] and not (silent and kind is ScenarioType.CONVERSATION)


def _free_scenarios(scenarios: Iterable[str], taken: frozenset[str], folder: Path) -> Iterator[tuple[str, str]]:
    """Yield path and text of scenarios that are not there yet, without end: numbered from 2 on the second time."""
    texts = list(scenarios)
    for round_number in count(1):
        for text in texts:
            first_id = _id_of(text)
            scenario_id = first_id if round_number == 1 else f"{first_id}-{round_number}"
            path = _path_of(scenario_id)
            if scenario_id not in taken and not is_there(folder / path):
                yield path, _ID.sub(f"id: {scenario_id}", text)


def _show(folder: Path, paths: Iterable[str]) -> str:
    return ", ".join(printable(str(folder / path)) for path in paths)


def _find_no_folders(folder: Path, files: Iterable[str]) -> list[str]:
    """Return what is there and is no folder of `folder`, where the files need one: a file, or a link."""
    parents = {parent.as_posix() for path in files for parent in PurePosixPath(path).parents} - {"."}
    there = (path for path in sorted(parents) if is_there(folder / path))
    return [path for path in there if (folder / path).is_symlink() or not (folder / path).is_dir()]


def _write(folder: Path, files: Mapping[str, str]) -> tuple[str, ...]:
    """Write new files, and fail at one that has come into being since."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        with (folder / path).open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    return tuple(files)
