"""A scenario's lists of evaluators: types, positions, configs and ids."""

import itertools
from typing import Annotated

from pydantic import Field, ValidationError

from agentlab_ci.core.model import Json, Model, Name, Number
from agentlab_ci.core.scenario import EvaluatorSpec, Mode
from agentlab_ci.errors import Problem
from agentlab_ci.evaluators.interface import JUDGE, AnyKind, Position
from agentlab_ci.evaluators.registry import EVALUATORS
from agentlab_ci.loading.problems import explain
from agentlab_ci.loading.wording import did_you_mean, listed, quoted
from agentlab_ci.loading.yaml_source import Document, Loc

AT_STEP = frozenset({Position.STEP})
AT_END = frozenset({Position.END})
AT_TASK_END = frozenset({Position.END, Position.TASK_END})
AT_SIMULATION_END = frozenset({Position.END, Position.SIMULATION_END})

_HERE = {
    AT_STEP: "under a step",
    AT_END: "at the end of a conversation",
    AT_TASK_END: "in a task",
    AT_SIMULATION_END: "in a simulation",
}


class EvaluatorPart(Model):
    """One check, as every type of evaluator is written."""

    id: Name | None = Field(None, description="What reports call it; its type when absent.")
    type: Name
    mode: Mode = Field(description="A failed hard gate fails the sample; a failed weighted one costs score.")
    weight: Annotated[Number, Field(gt=0, le=1_000_000)] = 1.0
    config: Json


def types_at(allowed: frozenset[Position]) -> list[AnyKind]:
    """Return the kinds of evaluator that may stand in one of the positions."""
    return [kind for kind in EVALUATORS.values() if kind.positions & allowed]


def read_evaluators(
    document: Document, loc: Loc, raw: object, allowed: frozenset[Position]
) -> tuple[tuple[EvaluatorSpec, ...], list[Problem]]:
    """Return the list's evaluators and all its problems; what is no list of mappings is the caller's to refuse.

    An evaluator without an id is called by its type, with `-2`, `-3` where that is taken in its list.
    """
    items = [item for item in raw if isinstance(item, dict)] if isinstance(raw, list) else []
    taken = {item["id"] for item in items if isinstance(item.get("id"), str)}
    problems = _repeated_ids(document, loc, raw)
    if Position.SIMULATION_END in allowed:
        problems += _ids_of_the_judge(document, loc, raw)
    specs = []
    for index, item in enumerate(raw if isinstance(raw, list) else []):
        if not isinstance(item, dict):
            continue
        here = (*loc, index)
        part, config, found = _read_one(document, here, item, allowed)
        problems += found
        if part is not None and config is not None:
            id_ = part.id or _free_id(part.type, taken)
            specs.append(EvaluatorSpec(id=id_, type=part.type, mode=part.mode, weight=part.weight, config=config))
    return tuple(specs), problems


def _read_one(
    document: Document, here: Loc, item: dict[str, object], allowed: frozenset[Position]
) -> tuple[EvaluatorPart | None, Model | None, list[Problem]]:
    problems: list[Problem] = []
    part = config = None
    try:
        part = EvaluatorPart.model_validate(item)
    except ValidationError as error:
        problems += explain(error, document, EvaluatorPart, here)
    type_ = item.get("type")
    kind = EVALUATORS.get(type_) if isinstance(type_, str) else None
    if kind is None or not kind.positions & allowed:
        if isinstance(type_, str):
            problems.append(document.problem((*here, "type"), _why_not_here(type_, allowed)))
    elif isinstance(item.get("config"), dict):
        try:
            config = kind.config.model_validate(item["config"])
        except ValidationError as error:
            problems += explain(error, document, kind.config, (*here, "config"))
    return part, config, problems


def _why_not_here(type_: str, allowed: frozenset[Position]) -> str:
    names = [kind.name for kind in types_at(allowed)]
    if type_ in EVALUATORS:
        return f"{quoted(type_)} cannot stand {_HERE[allowed]}; there may be {listed(names)}"
    return f"unknown evaluator {quoted(type_)}{did_you_mean(type_, names)}"


def _repeated_ids(document: Document, loc: Loc, raw: object) -> list[Problem]:
    first: dict[str, int] = {}
    problems = []
    for index, item in enumerate(raw if isinstance(raw, list) else []):
        id_ = item.get("id") if isinstance(item, dict) else None
        if isinstance(id_, str) and first.setdefault(id_, index) != index:
            line = document.place((*loc, first[id_], "id")).line
            message = f"the id {quoted(id_)} is in this list twice, first in line {line}"
            problems.append(document.problem((*loc, index, "id"), message))
    return problems


def _ids_of_the_judge(document: Document, loc: Loc, raw: object) -> list[Problem]:
    message = f"the id {quoted(JUDGE)} is that of the judge's answer: choose another"
    return [
        document.problem((*loc, index, "id"), message)
        for index, item in enumerate(raw if isinstance(raw, list) else [])
        if isinstance(item, dict) and item.get("id") == JUDGE
    ]


def _free_id(type_: str, taken: set[str]) -> str:
    names = itertools.chain([type_], (f"{type_}-{number}" for number in itertools.count(2)))
    free = next(name for name in names if name not in taken)
    taken.add(free)
    return free
