"""JSON schemas of the files that users and other tools read and write, made from the models that check them."""

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from agentlab_ci.core.baseline import BaselineFile
from agentlab_ci.core.config import Config
from agentlab_ci.core.results import RunReport
from agentlab_ci.evaluators.interface import Position
from agentlab_ci.evaluators.registry import EVALUATORS
from agentlab_ci.loading.evaluators import AT_END, AT_SIMULATION_END, AT_STEP, AT_TASK_END, EvaluatorPart, types_at
from agentlab_ci.loading.livekit import ListFile
from agentlab_ci.loading.scenario_file import ConversationFile, SimulationFile, StepPart, TaskFile

Schema = dict[str, Any]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_RATE_TEXT = {"type": "string", "description": "A decimal above 0 and at most 1, as it was typed."}


class _Generator(GenerateJsonSchema):
    """Leaves out the titles that only repeat the keys."""

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002 - pydantic calls it so
        return False


def scenario_schema() -> Schema:
    """Return the schema of one document of a scenario file: a scenario of any type, or a list file."""
    files: list[type[BaseModel]] = [TaskFile, ConversationFile, SimulationFile, ListFile]
    configs = {kind.name: kind.config for kind in EVALUATORS.values()}
    defs = _definitions([*files, EvaluatorPart, *configs.values()])
    part = defs.pop(EvaluatorPart.__name__)
    for name, config in configs.items():
        own = {"type": {"const": name}, "config": _ref(config.__name__)}
        description = f"Passes when {EVALUATORS[name].passes_when}."
        defs[name] = {**part, "description": description, "properties": {**part["properties"], **own}}
        defs[name].pop("title", None)
    for model, allowed in (
        (TaskFile, AT_TASK_END),
        (ConversationFile, AT_END),
        (SimulationFile, AT_SIMULATION_END),
        (StepPart, AT_STEP),
    ):
        defs[model.__name__]["properties"]["evaluators"]["items"] = _any_evaluator(allowed)
    refs = [_ref(model.__name__) for model in files]
    return _head("scenario", "agentlab scenario file") | {"oneOf": refs, "$defs": defs}


def config_schema() -> Schema:
    """Return the schema of `agentlab.config.yaml`; keys in snake_case."""
    schema = Config.model_json_schema(schema_generator=_Generator)
    schema["properties"]["agents"]["items"].pop("discriminator")
    return schema | _head("config", "agentlab.config.yaml")


def results_schema() -> Schema:
    """Return the schema of results.json, version 1."""
    schema = RunReport.model_json_schema(mode="serialization", schema_generator=_Generator)
    for definition in schema["$defs"].values():
        if "pass_rate" in definition.get("properties", {}):
            definition["properties"]["pass_rate"] = _RATE_TEXT
    return schema | _head("results", "agentlab results.json")


def baseline_schema() -> Schema:
    """Return the schema of a baseline file, version 1; unknown keys are errors, as when it is read."""
    schema = BaselineFile.model_json_schema(mode="serialization", schema_generator=_Generator)
    for part in (schema, *schema["$defs"].values()):
        if "properties" in part:
            part["additionalProperties"] = False
    return schema | _head("baseline", "agentlab baseline file")


def _definitions(models: list[type[BaseModel]]) -> Schema:
    _, schema = models_json_schema([(model, "validation") for model in models], schema_generator=_Generator)
    definitions: Schema = schema["$defs"]
    return definitions


def _any_evaluator(allowed: frozenset[Position]) -> Schema:
    return {"oneOf": [_ref(kind.name) for kind in types_at(allowed)]}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _head(name: str, title: str) -> Schema:
    return {"$schema": _DIALECT, "$id": f"{name}.schema.json", "title": title}
