"""From a scenario document to scenarios: the right model for its type, then plain frozen data."""

from collections.abc import Mapping
from typing import assert_never

from pydantic import ValidationError

from agentlab_ci.core.scenario import (
    Conversation,
    EvaluatorSpec,
    Normalize,
    SamplingChoice,
    Scenario,
    ScenarioType,
    Simulation,
    Step,
    Task,
)
from agentlab_ci.errors import Problem
from agentlab_ci.loading.evaluators import AT_END, AT_SIMULATION_END, AT_STEP, AT_TASK_END, read_evaluators
from agentlab_ci.loading.livekit import ListFile, row_to_scenario
from agentlab_ci.loading.problems import explain, must_be_one_of
from agentlab_ci.loading.rates import with_typed_rate
from agentlab_ci.loading.scenario_file import SCENARIO_FILES, ConversationFile, SimulationFile, TaskFile
from agentlab_ci.loading.yaml_source import Document, Loc

_StepChecks = list[tuple[EvaluatorSpec, ...]]
_END_OF = {TaskFile: AT_TASK_END, ConversationFile: AT_END, SimulationFile: AT_SIMULATION_END}


def read_scenarios(document: Document) -> tuple[list[Scenario], list[Problem]]:
    """Return the document's scenarios, none when it has problems of its own, and the problems."""
    document = with_typed_rate(document)
    data = document.data
    if not isinstance(data, Mapping):
        kind = "a list; write one scenario per document" if isinstance(data, list) else "a single value"
        return [], [document.problem((), f"must be a scenario (lines of `key: value`), not {kind}")]
    if "scenarios" in data or set(data) == {"name"}:
        return _read_list(document, data)
    type_ = data.get("type", ScenarioType.TASK)
    model = SCENARIO_FILES.get(type_) if isinstance(type_, str) else None
    if model is None:
        return [], [document.problem(("type",), must_be_one_of(type_, list(SCENARIO_FILES)))]
    return _read_one(document, data, model)


def declared_ids(document: Document, scenarios: list[Scenario]) -> list[tuple[str, Loc]]:
    """Return the ids that a document gives, also where the scenario has problems, and the way to each.

    `scenarios` is what was read from the document.
    """
    if not isinstance(document.data, Mapping):
        return []
    if "scenarios" in document.data:
        return [(scenario.id, ("scenarios", index)) for index, scenario in enumerate(scenarios)]
    id_ = document.data.get("id")
    return [(id_, ("id",))] if isinstance(id_, str) else []


def _read_list(document: Document, data: Mapping[str, object]) -> tuple[list[Scenario], list[Problem]]:
    if data.get("scenarios") in (None, []):
        row = "`- {label: …, instructions: …, agent_expectations: …}`"
        message = f"this list file has no scenarios: give it rows such as {row}"
        return [], [document.problem(("scenarios",), message)]
    try:
        rows = ListFile.model_validate(document.data).scenarios
    except ValidationError as error:
        return [], explain(error, document, ListFile)
    places = [document.place(("scenarios", index)) for index in range(len(rows))]
    return [row_to_scenario(row, place) for row, place in zip(rows, places, strict=True)], []


def _read_one(
    document: Document, data: Mapping[str, object], model: type[TaskFile | ConversationFile | SimulationFile]
) -> tuple[list[Scenario], list[Problem]]:
    evaluators, problems = read_evaluators(document, ("evaluators",), data.get("evaluators"), _END_OF[model])
    checks: _StepChecks = []
    if model is ConversationFile:
        checks, found = _read_step_evaluators(document, data.get("steps"))
        problems += found
    try:
        file = model.model_validate(data)
    except ValidationError as error:
        return [], explain(error, document, model) + problems
    if problems:
        return [], problems
    return [_to_scenario(file, document, evaluators, checks)], []


def _read_step_evaluators(document: Document, steps: object) -> tuple[_StepChecks, list[Problem]]:
    checks: _StepChecks = []
    problems: list[Problem] = []
    for index, step in enumerate(steps if isinstance(steps, list) else []):
        raw = step.get("evaluators") if isinstance(step, Mapping) else None
        specs, found = read_evaluators(document, ("steps", index, "evaluators"), raw, AT_STEP)
        checks.append(specs)
        problems += found
    return checks, problems


def _to_scenario(
    file: TaskFile | ConversationFile | SimulationFile,
    document: Document,
    evaluators: tuple[EvaluatorSpec, ...],
    checks: _StepChecks,
) -> Scenario:
    return Scenario(
        id=file.id,
        name=file.name,
        suite=file.suite,
        description=file.description,
        difficulty=file.difficulty,
        tags=file.tags,
        agent=file.agent,
        system_prompt=file.agent_preset.system_prompt,
        runtime_profile=file.runtime_profile,
        sampling=SamplingChoice(samples=file.sampling.samples, pass_rate=file.sampling.pass_rate),
        evaluators=evaluators,
        normalize=Normalize(
            strip_whitespace=file.normalize.strip_whitespace,
            lowercase=file.normalize.lowercase,
            ignore_dates=file.normalize.ignore_dates,
        ),
        setup_script=file.setup_script,
        body=_to_body(file, checks),
        place=document.place(()),
    )


def _to_body(
    file: TaskFile | ConversationFile | SimulationFile, checks: _StepChecks
) -> Task | Conversation | Simulation:
    match file:
        case TaskFile():
            return Task(
                instructions=file.task.instructions,
                success_hint=file.task.success_hint,
                fixtures=file.context.fixtures,
                variables=file.context.variables,
                tools_allowed=file.tools.allowed,
                tools_forbidden=file.tools.forbidden,
                max_steps=file.runtime.max_steps,
                timeout_seconds=file.runtime.timeout_seconds,
            )
        case ConversationFile():
            pairs = zip(file.steps, checks, strict=True)
            return Conversation(steps=tuple(Step(message=step.message, evaluators=specs) for step, specs in pairs))
        case SimulationFile():
            return Simulation(
                instructions=file.instructions,
                agent_expectations=file.agent_expectations,
                userdata=file.userdata,
                max_turns=file.max_turns,
            )
        case _:
            assert_never(file)
