"""What may stand in a scenario's YAML, type by type. Evaluators are read on their own, by their types."""

import re
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from agentlab_ci.core.model import Flag, Json, Model, Name, Number, Rate, Text, Whole
from agentlab_ci.core.sampling import MAX_SAMPLES
from agentlab_ci.core.scenario import ScenarioType

ID_PATTERN = r"^[\w-]+(\.[\w-]+)+$"
_ID = re.compile(ID_PATTERN.rstrip("$"))
USERDATA = "Sent to the agent as metadata, all of it; neither the played user nor the judge is shown it."
"""What `userdata` is described as."""


def _check_id(value: str) -> str:
    if _ID.fullmatch(value) is None:
        raise ValueError(
            "must be `<suite>.<short-name>` in letters, digits, `-` and `_`, such as `support.refund-twice`"
        )
    return value


ScenarioId = Annotated[Name, AfterValidator(_check_id), Field(json_schema_extra={"pattern": ID_PATTERN})]


class AgentPreset(Model):
    """What the agent is told before the sample."""

    system_prompt: Text | None = Field(None, description="System prompt of an openai agent; metadata for others.")


class SamplingPart(Model):
    """The scenario's own sampling; a flag of `agentlab run` wins over it."""

    samples: Annotated[Whole, Field(ge=1, le=MAX_SAMPLES)] | None = Field(
        None, description="Runs of the scenario."
    )
    pass_rate: Rate | None = Field(
        None, description="Share of the samples that must pass; half a sample rounds up."
    )


class NormalizePart(Model):
    """How outputs are made alike before two runs are compared."""

    strip_whitespace: Flag = False
    lowercase: Flag = False
    ignore_dates: Flag = False


class ScenarioFile(Model):
    """The keys that every type of scenario has."""

    id: ScenarioId = Field(description="`<suite>.<short-name>`, once in the whole project.")
    name: Name = Field(description="What reports call it.")
    suite: Name = Field(description="The group that it is in; its id starts with it.")
    description: Text = ""
    difficulty: Text = ""
    tags: tuple[Name, ...] = ()
    agent: Name | None = Field(None, description="The agent that runs it when the command names none.")
    agent_preset: AgentPreset = AgentPreset()
    runtime_profile: Name | None = Field(None, description="A profile of the config.")
    sampling: SamplingPart = SamplingPart()
    normalize: NormalizePart = NormalizePart()
    setup_script: Name | None = Field(
        None, description="Run before each sample: a `.py` file or an executable inside the project."
    )
    evaluators: tuple[Json, ...] = Field((), description="Checks of the sample as a whole.")


class TaskPart(Model):
    """What the agent has to do."""

    KEY_HINTS: ClassVar[dict[str, str]] = {
        "context": "`context` stands at the top of the scenario, beside `task`",
        "tools": "`tools` stands at the top of the scenario, beside `task`",
    }
    instructions: Name
    success_hint: Text | None = None


class ContextPart(Model):
    """What the agent and its tools find."""

    fixtures: tuple[Name, ...] = Field((), description="JSON files of the project that tools read.")
    variables: Json = Field({}, description="Values that the agent is given.")


class ToolsPart(Model):
    """Which tools the agent may and may not call."""

    allowed: Annotated[tuple[Name, ...], Field(min_length=1)]
    forbidden: tuple[Name, ...] = Field((), description="Calling one ends the sample.")


class RuntimePart(Model):
    """Limits that the author sets; exceeding one fails the sample."""

    max_steps: Annotated[Whole, Field(ge=1)] = 8
    timeout_seconds: Annotated[Number, Field(gt=0)] | None = None


class TaskFile(ScenarioFile):
    """One job with tools."""

    type: Literal["task"] = "task"
    task: TaskPart
    context: ContextPart = ContextPart()
    tools: ToolsPart
    runtime: RuntimePart = RuntimePart()
    evaluators: Annotated[tuple[Json, ...], Field(min_length=1)] = Field(
        description="Checks of the sample as a whole."
    )


class StepPart(Model):
    """What the user says next, and what the reply is held to."""

    role: Literal["user"] = "user"
    message: Name
    evaluators: tuple[Json, ...] = Field((), description="Checks of the reply to this message.")


class StatePart(Model):
    """What ties the steps together."""

    conversation_id: Literal["auto"] = Field(
        "auto", description="A new one for each sample, sent with each request."
    )


class ConversationFile(ScenarioFile):
    """User messages in a fixed order."""

    KEY_HINTS: ClassVar[dict[str, str]] = {
        "tools": "a conversation has no tools; they belong to `type: task`",
        "task": "a conversation has `steps`; `task` belongs to `type: task`",
    }
    type: Literal["conversation"]
    steps: Annotated[tuple[StepPart, ...], Field(min_length=1)]
    state: StatePart = StatePart()


class SimulationFile(ScenarioFile):
    """A user played by a model, judged by a model."""

    type: Literal["simulation"]
    instructions: Name = Field(description="How the model plays the user.")
    agent_expectations: Name = Field(description="What the judge holds the agent to.")
    userdata: Json = Field({}, description=USERDATA)
    max_turns: Annotated[Whole, Field(ge=1)] = 10


SCENARIO_FILES: dict[str, type[TaskFile | ConversationFile | SimulationFile]] = {
    ScenarioType.TASK: TaskFile,
    ScenarioType.CONVERSATION: ConversationFile,
    ScenarioType.SIMULATION: SimulationFile,
}
