"""`agentlab.config.yaml`: read, and checked as far as it can be without the scenarios."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from agentlab_ci.core.config import Config, SamplingConfig
from agentlab_ci.core.scenario import Place
from agentlab_ci.errors import Problem
from agentlab_ci.loading.config_checks import find_shadowed_replies, find_wrong_parts
from agentlab_ci.loading.config_names import find_wrong_names
from agentlab_ci.loading.config_parts import items_of, texts_of
from agentlab_ci.loading.problems import explain, without_doubles
from agentlab_ci.loading.rates import with_typed_rate
from agentlab_ci.loading.yaml_source import Document, Loc, YamlFile

ValueT = TypeVar("ValueT")

_CAPITAL = re.compile("(?<=[a-z0-9])[A-Z]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What scenarios may name, as far as the config could be read."""

    agents: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigReading:
    """What came of reading a config. `config` is None when keys are wrong, `names` when nothing can be read."""

    config: Config | None = None
    names: Names | None = None
    document: Document | None = None
    problems: tuple[Problem, ...] = ()
    notes: tuple[Problem, ...] = ()

    @property
    def policy(self) -> SamplingConfig:
        """What scenarios' samples are held to."""
        return self.config.sampling if self.config is not None else SamplingConfig()

    @property
    def places(self) -> Mapping[Loc, Place]:
        """The place of every key and item, keys in snake_case."""
        return {loc: self.document.place(loc) for loc in self.document.marks} if self.document else {}


NO_CONFIG = ConfigReading(config=Config(), names=Names())


def read_config(file: YamlFile, root: Path) -> ConfigReading:
    """Read the config of the project at `root`; whatever part is valid by itself is checked further."""
    if not file.documents:
        return ConfigReading(problems=file.problems)
    document = _with_snake_case(with_typed_rate(file.documents[0]))
    problems: list[Problem] = []
    if len(file.documents) > 1:
        second = file.documents[1]
        problems.append(second.problem((), "a config is one document; this is a second one"))
    if not isinstance(document.data, Mapping):
        problems.append(document.problem((), "must be a config (lines of `key: value`)"))
        return ConfigReading(problems=(*file.problems, *problems))
    config = None
    try:
        config = Config.model_validate(document.data)
    except ValidationError as error:
        problems += explain(error, document, Config)
    for loc, message in (*find_wrong_names(document), *find_wrong_parts(document, root)):
        problems.append(document.problem(loc, message))
    return ConfigReading(
        config=config,
        names=Names(
            agents=_names(document, "agents"),
            tools=_names(document, "tools"),
            profiles=_names(document, "runtime_profiles"),
        ),
        document=document,
        problems=(*file.problems, *without_doubles(problems, file.problems)),
        notes=tuple(document.problem(loc, message) for loc, message in find_shadowed_replies(document)),
    )


def _names(document: Document, section: str) -> tuple[str, ...]:
    return tuple(name for _, name in texts_of(items_of([((), document.data)], section), "name"))


def _with_snake_case(document: Document) -> Document:
    """Find the places of camelCase keys under the snake_case names that the models have."""
    return replace(document, marks=_renamed(document.marks), written=_renamed(document.written))


def _renamed(by_loc: Mapping[Loc, ValueT]) -> dict[Loc, ValueT]:
    """Add the names that a loc may have: a model's as far as models go, and as written from there on."""
    return {
        (*map(_snake_case, loc[:end]), *loc[end:]): value
        for loc, value in by_loc.items()
        for end in range(len(loc), -1, -1)
    } | dict(by_loc)


def _snake_case(part: str | int) -> str | int:
    return _CAPITAL.sub(lambda match: f"_{match[0].lower()}", part) if isinstance(part, str) else part
