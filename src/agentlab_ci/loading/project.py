"""A whole project: its config and its scenarios, read and checked together, or every problem at once."""

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from agentlab_ci.core.config import Config
from agentlab_ci.core.scenario import Place, Scenario
from agentlab_ci.errors import InvalidFilesError, Problem
from agentlab_ci.loading.config import NO_CONFIG, ConfigReading, read_config
from agentlab_ci.loading.files import FoundFile, find_scenario_files, is_there, read_bytes, shown_path
from agentlab_ci.loading.notes import note_config, note_list_file, note_scenario, note_userdata
from agentlab_ci.loading.problems import without_doubles
from agentlab_ci.loading.references import check_references
from agentlab_ci.loading.scenarios import declared_ids, read_scenarios
from agentlab_ci.loading.wording import quoted
from agentlab_ci.loading.yaml_source import Document, Loc, YamlFile, read_yaml

CONFIG_NAME = "agentlab.config.yaml"
SCENARIO_FOLDER = "scenarios"


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What the user's files say. `root` is the config's folder, else the working directory.

    `config_file` and all places are relative to the working directory; `config_places` has the place of every key
    and item of the config, keys in snake_case. Notes bear their place.
    """

    root: Path
    config_file: str | None
    config: Config
    scenarios: tuple[Scenario, ...]
    notes: tuple[str, ...]
    config_places: Mapping[Loc, Place]


def load_project(*, cwd: Path, config_file: str | None = None, scenario_paths: tuple[str, ...] = ()) -> Project:
    """Read the config and the scenarios; given paths are relative to `cwd`.

    The config is `config_file`, else `agentlab.config.yaml` in `cwd` if it is there. The scenarios are the given
    files, folders and globs, else all of `scenarios/` beside the config. Raises InvalidFilesError with all
    problems.
    """
    config_path = _find_config(cwd, config_file)
    root = cwd if config_path is None else config_path.parent
    reading = NO_CONFIG if config_path is None else _read_config(config_path, cwd)
    files, problems = _find_scenarios(scenario_paths, root=root, cwd=cwd, config_path=config_path)
    scenarios, found, notes = _read_scenario_files(files, reading, root)
    problems += [*reading.problems, *found]
    if problems or reading.config is None:
        raise InvalidFilesError(problems)
    if reading.document is not None:
        notes += note_userdata(reading.config, reading.document, scenarios)
        if not scenario_paths:
            notes += note_config(reading.config, reading.document, scenarios)
    notes += reading.notes
    return Project(
        root=root,
        config_file=None if config_path is None else shown_path(config_path, cwd),
        config=reading.config,
        scenarios=tuple(scenarios),
        notes=tuple(str(note) for note in sorted(notes, key=_by_place)),
        config_places=reading.places,
    )


def load_config(*, cwd: Path, config_file: str | None = None) -> Config:
    """Read the config alone, found as `load_project` does; raises InvalidFilesError with all its problems."""
    path = _find_config(cwd, config_file)
    reading = NO_CONFIG if path is None else _read_config(path, cwd)
    if reading.config is None or reading.problems:
        raise InvalidFilesError(reading.problems)
    return reading.config


def read_ids_beside(paths: Collection[Path], *, cwd: Path) -> set[str]:
    """Return the ids in the other scenario files of the project in `cwd`; none when it has none of these files.

    Files and documents that are not valid count as far as they can be read.
    """
    found, _ = _find_scenarios((), root=cwd, cwd=cwd, config_path=_find_config(cwd, None))
    given = {os.path.realpath(path) for path in paths}
    others = [file for file in found if os.path.realpath(file.path) not in given]
    if len(others) == len(found):
        return set()
    contents = ((file, read_bytes(file.path, file.shown)) for file in others)
    documents = (
        document
        for file, raw in contents
        if isinstance(raw, bytes)
        for document in read_yaml(raw, file.shown).documents
    )
    return {id_ for document in documents for id_, _ in declared_ids(document, read_scenarios(document)[0])}


def read_config_text(*, cwd: Path, config_file: str | None = None) -> str:
    """Return the config as it stands, valid or not; empty when there is none or it cannot be read."""
    path = _find_config(cwd, config_file)
    raw = b"" if path is None else read_bytes(path, shown_path(path, cwd))
    return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else ""


def _find_config(cwd: Path, config_file: str | None) -> Path | None:
    if config_file is not None:
        return cwd / config_file
    default = cwd / CONFIG_NAME
    return default if is_there(default) else None


def _read_config(path: Path, cwd: Path) -> ConfigReading:
    shown = shown_path(path, cwd)
    raw = read_bytes(path, shown)
    return (
        ConfigReading(problems=(raw,))
        if isinstance(raw, Problem)
        else read_config(read_yaml(raw, shown), path.parent)
    )


def _find_scenarios(
    given: tuple[str, ...], *, root: Path, cwd: Path, config_path: Path | None
) -> tuple[list[FoundFile], list[Problem]]:
    looked = "no scenario: looked here for `**/*.yaml` and `**/*.yml`; other places can be given as paths"
    return find_scenario_files(
        given or [shown_path(root / SCENARIO_FOLDER, cwd)],
        root=root,
        cwd=cwd,
        leave_out=config_path,
        if_none=None if given else looked,
    )


def _read_scenario_files(
    files: Iterable[FoundFile], reading: ConfigReading, root: Path
) -> tuple[list[Scenario], list[Problem], list[Problem]]:
    """Return the scenarios in order, the problems and the notes."""
    scenarios: list[Scenario] = []
    problems: list[Problem] = []
    notes: list[Problem] = []
    first: dict[str, Place] = {}
    for file in files:
        raw = read_bytes(file.path, file.shown)
        content = YamlFile(problems=(raw,)) if isinstance(raw, Problem) else read_yaml(raw, file.shown)
        problems += content.problems
        for document in content.documents:
            read, found = read_scenarios(document)
            found += check_references(document, names=reading.names, policy=reading.policy, root=root)
            found += _check_unique(document, read, first)
            problems += without_doubles(found, content.problems)
            scenarios += read
            notes += note_list_file(document, read)
            if reading.config is not None:
                notes += (note for scenario in read for note in note_scenario(scenario, document, reading.config))
    return scenarios, problems, notes


def _check_unique(document: Document, scenarios: list[Scenario], first: dict[str, Place]) -> list[Problem]:
    problems = []
    for id_, loc in declared_ids(document, scenarios):
        place = document.place(loc)
        if id_ in first:
            there = f"{first[id_].path}:{first[id_].line}"
            problems.append(document.problem(loc, f"the id {quoted(id_)} is taken by {there}"))
        first.setdefault(id_, place)
    return problems


def _by_place(note: Problem) -> tuple[str, int, int]:
    return (note.path, note.line or 0, note.column or 0)
