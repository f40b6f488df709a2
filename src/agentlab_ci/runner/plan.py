"""What will run: scenarios x variants x samples with their agents, decided before any agent is called. Pure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace

from agentlab_ci.core.baseline import Baseline, BaselineSource
from agentlab_ci.core.config import AgentConfig, Config, HttpAgent, OpenAIAgent, RuntimeProfile
from agentlab_ci.core.history import messages_to_say
from agentlab_ci.core.identity import hash_scenario
from agentlab_ci.core.policy import choose_sampling, why_against_policy
from agentlab_ci.core.results import (
    AgentIdentity,
    Brief,
    Normalization,
    RowKey,
    SamplingFacts,
    ScenarioFacts,
)
from agentlab_ci.core.sampling import Sampling
from agentlab_ci.core.scenario import Conversation, Normalize, SamplingChoice, Scenario, Simulation, Task
from agentlab_ci.core.url import safe_url
from agentlab_ci.errors import BadInputError
from agentlab_ci.runner.assignment import Assignment, assign_agent, assign_variants, why_skipped
from agentlab_ci.settings import RunSettings

ASKED_TWICE = 2
"""How often a model is asked for one answer: its first reply may be of no use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow:
    """One scenario on one agent, in a variant set as one variant.

    `profile` is the one that the scenario names, None where it names none.
    """

    scenario: Scenario
    agent: AgentConfig
    profile: RuntimeProfile | None
    facts: ScenarioFacts

    @property
    def key(self) -> RowKey:
        """What tells this row from every other of the plan."""
        return self.facts.key

    @property
    def skipped(self) -> bool:
        """Whether the scenario's type cannot run on the agent."""
        return self.facts.skipped is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything the engine does, in YAML order, and variants in that of their set. Times are seconds.

    `baseline` is what the results will be held against, None without one.
    """

    rows: tuple[PlanRow, ...]
    sampling: SamplingFacts
    error_retries: int
    concurrency: int
    sample_timeout: float
    pass_score: float
    baseline: BaselineSource | None = None

    def with_facts(self, change: Callable[[ScenarioFacts], ScenarioFacts]) -> "Plan":
        """Return the plan with what is known of each scenario changed."""
        return replace(self, rows=tuple(replace(row, facts=change(row.facts)) for row in self.rows))

    def with_baseline(self, baseline: Baseline, scenario_ids: Iterable[str]) -> "Plan":
        """Return the plan with what the baseline says of each scenario; `scenario_ids` are all there are."""

        def know(facts: ScenarioFacts) -> ScenarioFacts:
            return facts.model_copy(update={"baseline": baseline.facts_of(facts.key)})

        source = baseline.find_vanished(scenario_ids, (row.key[0] for row in self.rows))
        return replace(self.with_facts(know), baseline=source)

    @property
    def runnable(self) -> tuple[PlanRow, ...]:
        """The rows that are not skipped; never empty."""
        return tuple(row for row in self.rows if not row.skipped)

    @property
    def total_samples(self) -> int:
        """How many samples there are, cancelled ones included."""
        return sum(row.facts.samples_wanted for row in self.runnable)

    @property
    def most_agent_calls(self) -> int:
        """The upper bound of requests that agents process, every redraw used up."""
        calls = sum(_calls_of(row) * row.facts.samples_wanted for row in self.runnable)
        return calls * (1 + self.error_retries)

    @property
    def most_simulator_calls(self) -> int:
        """The upper bound of answers that playing the user takes, every repair and redraw used up."""
        return sum(_lines_of(row) for row in self.runnable) * ASKED_TWICE * (1 + self.error_retries)

    @property
    def most_judge_calls(self) -> int:
        """The same for judging: nothing is drawn again once the judge is asked."""
        simulations = (row for row in self.runnable if isinstance(row.scenario.body, Simulation))
        return sum(row.facts.samples_wanted for row in simulations) * ASKED_TWICE


def make_plan(scenarios: Sequence[Scenario], config: Config, settings: RunSettings) -> Plan:
    """Give every selected scenario its agent or its variants, and its sampling; `scenarios` is not empty.

    Raises BadInputError when an agent is not given, when the variant set is not there, when nothing is left to
    run, when a scenario named by its id cannot run, and when samples break the config's policy.
    """
    rows = _plan_rows(scenarios, config, settings)
    _refuse_skips(rows, settings)
    _refuse_lonely_rate(rows, settings)
    shared = choose_sampling(
        SamplingChoice(), config.sampling, samples=settings.samples, pass_rate=settings.report.pass_rate
    )
    return Plan(
        rows=rows,
        sampling=SamplingFacts(
            samples=shared.samples,
            pass_rate=shared.pass_rate,
            stop_when_settled=_first(settings.stop_when_settled, config.sampling.stop_when_settled),
        ),
        error_retries=config.sampling.error_retries,
        concurrency=settings.concurrency or config.concurrency,
        sample_timeout=config.sample_timeout_seconds,
        pass_score=config.pass_score,
    )


def _plan_rows(scenarios: Sequence[Scenario], config: Config, settings: RunSettings) -> tuple[PlanRow, ...]:
    variants = assign_variants(config, settings)
    rows: list[PlanRow] = []
    problems: list[str] = []
    for scenario in scenarios:
        try:
            assigned = variants or (Assignment(agent=assign_agent(scenario, config, settings)),)
            rows += [_plan_row(scenario, it, config, settings) for it in assigned]
        except BadInputError as problem:
            problems.append(str(problem))
    _refuse(problems)
    return tuple(rows)


def _refuse(problems: Iterable[str]) -> None:
    different = dict.fromkeys(problems)
    if different:
        raise BadInputError("\n".join(different))


def _choose_sampling(scenario: Scenario, config: Config, settings: RunSettings) -> Sampling:
    sampling = choose_sampling(
        scenario.sampling, config.sampling, samples=settings.samples, pass_rate=settings.report.pass_rate
    )
    objection = why_against_policy(sampling.samples, config.sampling)
    if objection is not None:
        raise BadInputError(f"{scenario.id}: {objection}")
    return sampling


def _plan_row(scenario: Scenario, assigned: Assignment, config: Config, settings: RunSettings) -> PlanRow:
    agent = assigned.agent
    sampling = _choose_sampling(scenario, config, settings)
    profile = next((p for p in config.runtime_profiles if p.name == scenario.runtime_profile), None)
    body = scenario.body
    facts = ScenarioFacts(
        scenario_id=scenario.id,
        name=scenario.name,
        type=scenario.type,
        suite=scenario.suite,
        tags=scenario.tags,
        file=scenario.place.path,
        line=scenario.place.line,
        hash=hash_scenario(
            scenario,
            profile,
            config.tools,
            pass_score=config.pass_score,
            simulator=config.simulator,
            judge=config.judge,
        ),
        steps=len(body.steps) if isinstance(body, Conversation) else None,
        brief=_brief(body),
        normalize=_normalization(scenario.normalize),
        agent=AgentIdentity(
            name=agent.name,
            provider=agent.provider,
            label=agent.shown_as,
            url=_address(agent),
        ),
        variant=assigned.variant,
        gate=assigned.gate,
        skipped=why_skipped(scenario, agent),
        samples_wanted=sampling.samples,
        pass_rate=sampling.pass_rate,
    )
    return PlanRow(scenario=scenario, agent=agent, profile=profile, facts=facts)


def _brief(body: Task | Conversation | Simulation) -> Brief:
    match body:
        case Conversation(steps=steps):
            return Brief(steps=tuple(step.message for step in steps))
        case Task(instructions=instructions, success_hint=hint):
            return Brief(instructions=instructions, expected=hint)
        case Simulation(instructions=instructions, agent_expectations=expected):
            return Brief(instructions=instructions, expected=expected)


def _normalization(how: Normalize) -> Normalization | None:
    return None if how == Normalize() else Normalization(**asdict(how))


def _address(agent: AgentConfig) -> str | None:
    match agent:
        case HttpAgent(url=str(url)) | OpenAIAgent(base_url=url):
            return safe_url(url)
        case _:
            return None


def _calls_of(row: PlanRow) -> int:
    match row.scenario.body:
        case Conversation(steps=steps):
            return len(steps) + len(messages_to_say(row.profile, row.agent))
        case Task(max_steps=max_steps):
            return max_steps
        case Simulation(max_turns=max_turns):
            return max_turns + len(messages_to_say(row.profile, row.agent))


def _lines_of(row: PlanRow) -> int:
    """Return how many lines of the played user the row's samples may take, each of them with its last reply."""
    body = row.scenario.body
    return body.max_turns * row.facts.samples_wanted if isinstance(body, Simulation) else 0


def _refuse_skips(rows: tuple[PlanRow, ...], settings: RunSettings) -> None:
    skipped = [row for row in rows if row.skipped]
    runnable = {row.scenario.id for row in rows if not row.skipped}
    named = [row for row in skipped if row.scenario.id in settings.ids and row.scenario.id not in runnable]
    if named or not runnable:
        lines = [f"  {row.facts.title}: {row.facts.skipped}" for row in named or skipped]
        raise BadInputError("\n".join(["nothing to judge: these scenarios cannot run on their agent", *lines]))
    gating = [row for row in rows if row.facts.gate]
    if gating and all(row.skipped for row in gating):
        lines = [f"  {row.facts.title}: {row.facts.skipped}" for row in gating]
        raise BadInputError("\n".join(["nothing can gate: these scenarios cannot run on their agent", *lines]))


def _refuse_lonely_rate(rows: tuple[PlanRow, ...], settings: RunSettings) -> None:
    if settings.report.pass_rate is not None and all(row.facts.samples_wanted == 1 for row in rows):
        raise BadInputError(
            "--pass-rate does nothing with one sample a scenario; add --samples, such as --samples 3"
        )


def _first(flag: bool | None, fallback: bool) -> bool:
    return fallback if flag is None else flag
