"""The project's config: agents and how they are reached, and everything that scenarios may name.

One model per thing in `agentlab.config.yaml`. Field descriptions reach the JSON schema.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from agentlab_ci.core.model import CamelModel, Flag, Json, Name, Number, Rate, Text, Whole
from agentlab_ci.core.provider import Provider
from agentlab_ci.core.sampling import MAX_SAMPLES

DEFAULT_PASS_SCORE = 80
_DAY_MS = 86_400_000
Milliseconds = Annotated[Whole, Field(gt=0, le=_DAY_MS)]
Delay = Annotated[Whole, Field(ge=0, le=_DAY_MS)]
Slots = Annotated[Whole, Field(ge=1, le=1000)]
Seed = Annotated[Whole, Field(gt=-(1 << 63), lt=1 << 63)]
AtLeastOne = Annotated[Whole, Field(ge=1)]
Dollars = Annotated[Number, Field(ge=0, le=1_000_000)]
Probability = Annotated[Number, Field(ge=0, le=1)]


class _Agent(CamelModel):
    name: Name = Field(description="What scenarios, variants and `--agent` call it.")
    label: Text | None = Field(None, description="What reports call it; its name when absent.")
    max_concurrency: Slots | None = Field(
        None, description="Samples of this agent that run at once, within the global limit."
    )
    provider: Provider

    @property
    def shown_as(self) -> str:
        """The name that reports use."""
        return self.label or self.name


class ScriptedReply(CamelModel):
    """What a scripted mock agent says to a message."""

    contains: Text = Field("", description="Text that the message must contain, in any case. Absent: any.")
    reply: Text


class MockAgent(_Agent):
    """A deterministic agent that needs no network: scripted replies, or playbooks over the built-in tools."""

    provider: Literal[Provider.MOCK]
    replies: tuple[ScriptedReply, ...] = Field(
        (), description="In a conversation, the first whose `contains` is in the message answers it."
    )
    fail_samples: tuple[AtLeastOne, ...] = Field((), description="Samples that answer wrongly on purpose.")
    flake_rate: Probability = Field(0.0, description="Share of the other samples that answer wrongly.")
    seed: Seed = Field(0, description="Seed of `flake_rate`.")
    latency_ms: Delay = Field(0, description="How long each reply, or turn of a task, takes.")


class UsageFields(CamelModel):
    """Dotted paths of the usage figures in a reply's JSON."""

    input_tokens: Name | None = None
    output_tokens: Name | None = None
    cost_usd: Name | None = None


class HttpAgent(_Agent):
    """An agent behind an HTTP endpoint that takes JSON and answers JSON."""

    provider: Literal[Provider.HTTP]
    url: Name | None = Field(None, description="Where the agent answers.")
    method: Literal["POST", "PUT", "PATCH", "GET"] = "POST"
    headers: dict[str, Text] = Field({}, description="Request headers; placeholders are filled in.")
    request_template: dict[str, Any] | None = Field(
        None, description="The JSON body; absent: message and conversation_id."
    )
    response_field: Name = Field("message", description="Key or dotted path of the reply's text.")
    timeout_ms: Milliseconds = Field(30_000, description="Total time of one request.")
    usage_fields: UsageFields = UsageFields()


class ExternalProcessAgent(_Agent):
    """An agent that is a command and speaks JSON lines on stdin and stdout."""

    provider: Literal[Provider.EXTERNAL_PROCESS]
    command: Name
    args: tuple[Text, ...] = ()
    cwd: Name = Field(".", description="Working directory, inside the project.")
    env_allowlist: tuple[Name, ...] = Field((), description="Environment variables that it may see.")
    turn_timeout_ms: Milliseconds = Field(10_000, description="Time for one reply.")


class Price(CamelModel):
    """US dollars for a million tokens."""

    input_per_million: Dollars
    output_per_million: Dollars


class Endpoint(CamelModel):
    """Where a model is asked for chat completions, and how."""

    model: Name = Field(description="What the server calls the model.")
    base_url: Name = Field(
        "https://api.openai.com/v1", description="What stands before `/chat/completions` in the address."
    )
    api_key_env: Name = Field("OPENAI_API_KEY", description="Environment variable that holds the key.")
    timeout_ms: Milliseconds = Field(30_000, description="Total time of one request.")
    temperature: Number | None = Field(None, description="Sent only when given, as is `seed`.")
    seed: Seed | None = None
    extra_body: Json = Field({}, description="Further keys of the request body; they win over agentlab's own.")
    price: Price | None = Field(None, description="What the cost is counted by; absent: what the server says.")


class OpenAIAgent(Endpoint, _Agent):
    """A model behind any OpenAI-compatible chat completions endpoint."""

    provider: Literal[Provider.OPENAI]
    system_prompt: Text | None = Field(
        None, description="The system prompt of scenarios that have none in `agent_preset`."
    )


class PythonAgent(_Agent):
    """A Python callable, run in a worker process."""

    provider: Literal[Provider.PYTHON]
    target: Annotated[Name, Field(pattern=r"^[\w.]+:[\w.]+$")] = Field(description="`package.module:callable`.")
    python: Name | None = Field(None, description="The interpreter; agentlab's own when absent.")
    env_allowlist: tuple[Name, ...] = ()
    turn_timeout_ms: Milliseconds = 30_000


AgentConfig = Annotated[
    MockAgent | HttpAgent | ExternalProcessAgent | OpenAIAgent | PythonAgent, Field(discriminator="provider")
]


def validate_agent(data: object) -> AgentConfig:
    """Return the agent that the data of one describes; raises pydantic's ValidationError.

    Only the model of its provider is built: each costs some milliseconds, and most configs use one.
    """
    provider = data.get("provider") if isinstance(data, dict) else None
    return _AGENT_MODELS.get(provider, MockAgent).model_validate(data)


_AGENT_MODELS: dict[object, type[MockAgent | HttpAgent | ExternalProcessAgent | OpenAIAgent | PythonAgent]] = {
    Provider.MOCK: MockAgent,
    Provider.HTTP: HttpAgent,
    Provider.EXTERNAL_PROCESS: ExternalProcessAgent,
    Provider.OPENAI: OpenAIAgent,
    Provider.PYTHON: PythonAgent,
}


class ModelEndpoint(Endpoint):
    """A model that plays the user or the judge in simulations, behind any OpenAI-compatible endpoint."""

    timeout_ms: Milliseconds = Field(60_000, description="Total time of one request.")


class CustomTool(CamelModel):
    """A tool of the project's own: exactly one of `module_path`, `package` and `command` says where it is."""

    name: Name
    module_path: Name | None = Field(None, description="A Python file inside the project.")
    package: Name | None = Field(None, description="An importable Python module.")
    export_name: Name | None = Field(None, description="The function in the module.")
    command: tuple[Name, ...] | None = Field(None, description="JSON in on stdin, JSON out on stdout.")
    env_allowlist: tuple[Name, ...] = ()
    timeout_ms: Milliseconds = 10_000
    description: Text = ""
    input_schema: Json = Field({"type": "object"}, description="JSON schema of the input.")

    @property
    def python_source(self) -> dict[str, str] | None:
        """The `path` or `module` and the `attribute` of its Python function; None for a command.

        Without `export_name` the function is called as the last part of the tool's name.
        """
        function = self.export_name or self.name.rpartition(".")[2].replace("-", "_")
        if self.module_path is not None:
            return {"path": self.module_path, "attribute": function}
        return None if self.package is None else {"module": self.package, "attribute": function}


class Variant(CamelModel):
    """An agent and the versions that make it one to compare."""

    agent: Name = Field(description="The agent that it runs on; wins over a scenario's own.")
    label: Name = Field(description="What reports call it; unique in its set.")
    prompt_version: Text | None = Field(None, description="In every report, and part of `config_hash`.")
    model_version: Text | None = Field(None, description="In every report, and part of `config_hash`.")
    tool_schema_version: Text | None = Field(None, description="In every report, and part of `config_hash`.")
    config_label: Text | None = Field(None, description="A name for this configuration, in every report.")
    notes: Text | None = Field(None, description="For people who read the config.")
    gate: Flag = Field(True, description="Whether its scenarios set the exit code.")


class VariantSet(CamelModel):
    """Variants that are run side by side."""

    name: Name = Field(description="What `--variant-set` calls it.")
    variants: Annotated[tuple[Variant, ...], Field(min_length=1)]


class ToolFault(CamelModel):
    """How a tool goes wrong; the first that applies to a call wins."""

    tool: Name
    mode: Literal["timeout", "error", "malformed_output", "partial_output"]
    timeout_ms: Milliseconds = Field(5000, description="How long a `timeout` takes.")
    error_message: Text | None = Field(None, description="What `error` and `timeout` say.")
    partial_output: Json | None = Field(None, description="What `partial_output` answers.")
    on_call: AtLeastOne | None = Field(None, description="Only the n-th call of the tool in a sample.")
    probability: Probability = Field(1.0, description="Share of the calls, drawn from the profile's `seed`.")


class HttpFault(CamelModel):
    """How a request to an http or openai agent goes wrong; the first that applies wins."""

    mode: Literal["status", "delay", "drop", "truncate"]
    status: Annotated[Whole, Field(ge=100, le=599)] | None = Field(None, description="What `status` answers.")
    delay_ms: Delay = Field(0, description="How long a `delay` takes.")
    on_request: AtLeastOne | None = Field(
        None, description="Only the n-th request of the sample, fresh starts included."
    )
    probability: Probability = Field(1.0, description="Share of the requests, drawn from the profile's `seed`.")


class SeededMessage(CamelModel):
    """A turn that is there before the first step."""

    role: Literal["user", "assistant", "system"]
    message: Text


class ProfileState(CamelModel):
    """What the agent remembers before the sample starts."""

    reset: Literal["per_run", "per_variant_run", "manual"] = Field(
        "per_run", description="When a conversation begins afresh: with each sample, with each run, or never."
    )
    seeded_messages: tuple[SeededMessage, ...] = Field((), description="What was said before the first step.")
    memory_blob: Json = Field({}, description="What the agent is told that it remembers.")


class RuntimeProfile(CamelModel):
    """Conditions that a scenario runs under."""

    name: Name = Field(description="What `runtime_profile` of a scenario calls it.")
    seed: Seed = Field(0, description="Seed of each `probability`.")
    tool_faults: tuple[ToolFault, ...] = ()
    http_faults: tuple[HttpFault, ...] = ()
    state: ProfileState | None = None


class Include(CamelModel):
    """Selectors; a scenario that any of them picks is in. `scenarios` takes globs."""

    tags: tuple[Name, ...] = ()
    suites: tuple[Name, ...] = ()
    scenarios: tuple[Name, ...] = ()


class SuiteDefinition(CamelModel):
    """A named selection of scenarios: whatever `include` picks and `exclude` does not."""

    name: Name
    include: Include
    exclude: Include = Include()


class SamplingConfig(CamelModel):
    """Defaults for all scenarios, and the policy that nothing exceeds."""

    samples: Annotated[Whole, Field(ge=1, le=MAX_SAMPLES)] | None = None
    pass_rate: Rate | None = None
    stop_when_settled: Flag = Field(False, description="Start no sample that cannot change the verdict.")
    error_retries: Annotated[Whole, Field(ge=0, le=10)] = Field(
        1, description="Times a sample is drawn again after a connection error, 502 or 504."
    )
    max_samples: Annotated[Whole, Field(ge=1, le=MAX_SAMPLES)] | None = None
    require_odd: Flag = False


class Config(CamelModel):
    """All of `agentlab.config.yaml`."""

    sampling: SamplingConfig = SamplingConfig()
    concurrency: Slots = Field(8, description="Samples that run at once.")
    sample_timeout_seconds: Annotated[Number, Field(gt=0, le=86_400)] = Field(
        600, description="Total time of one sample, waits and redraws included."
    )
    pass_score: Annotated[Number, Field(ge=0, le=100)] = Field(
        DEFAULT_PASS_SCORE, description="Score that a sample needs."
    )
    max_reply_bytes: Annotated[Whole, Field(ge=1, le=1 << 30)] = Field(
        4 << 20, description="A longer reply is an error."
    )
    redact: tuple[Name, ...] = Field((), description="More environment variables whose values are masked.")
    agents: tuple[AgentConfig, ...] = ()
    simulator: ModelEndpoint | None = None
    judge: ModelEndpoint | None = None
    tools: tuple[CustomTool, ...] = ()
    variant_sets: tuple[VariantSet, ...] = ()
    runtime_profiles: tuple[RuntimeProfile, ...] = ()
    suite_definitions: tuple[SuiteDefinition, ...] = ()
