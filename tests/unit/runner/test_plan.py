"""Who runs what, how often, against which bar, and what is refused before any agent is called."""

from typing import Any

import pytest

from agentlab_ci.core.config import AgentConfig, Config, ExternalProcessAgent, HttpAgent, OpenAIAgent
from agentlab_ci.core.provider import Provider
from agentlab_ci.core.results import Normalization
from agentlab_ci.core.sampling import needed
from agentlab_ci.core.scenario import Normalize, Scenario, Simulation, Task
from agentlab_ci.errors import BadInputError
from agentlab_ci.runner.describe import describe_plan
from scripted_agent import make_config, make_mock, make_scenario, plan_of

HTTP = HttpAgent(name="web", provider=Provider.HTTP, url="http://user:pw@localhost:3000/chat?key=1")
PROCESS = ExternalProcessAgent(name="proc", provider=Provider.EXTERNAL_PROCESS, command="agent")


def task(scenario_id: str = "a.task", *, tools: tuple[str, ...] = ("orders.list",), **more: Any) -> Scenario:
    return make_scenario(scenario_id, body=Task(instructions="do it", tools_allowed=tools), **more)


@pytest.mark.parametrize(
    ("flag", "own", "shared", "samples"),
    [
        (None, None, None, 1),  # the default
        (None, None, 3, 3),  # the config's
        (None, 5, 3, 5),  # the scenario's own wins over the config's
        (7, 5, 3, 7),  # the flag wins over all
    ],
)
def test_who_says_how_many_samples(flag: int | None, own: int | None, shared: int | None, samples: int) -> None:
    config = make_config(sampling={"samples": shared})
    assert plan_of(make_scenario(samples=own), config=config, samples=flag).rows[0].facts.samples_wanted == samples


@pytest.mark.parametrize(
    ("flag", "own", "shared", "rate"),
    [
        (None, None, None, "0.75"),
        (None, None, 0.5, "0.5"),
        (None, "0.90", 0.5, "0.90"),  # as typed
        ("1", "0.9", 0.5, "1"),
    ],
)
def test_who_says_the_pass_rate(flag: str | None, own: str | None, shared: float | None, rate: str) -> None:
    config = make_config(sampling={"pass_rate": shared, "samples": 3})
    assert str(plan_of(make_scenario(rate=own), config=config, rate=flag).rows[0].facts.pass_rate) == rate


def test_the_bar_follows_from_both() -> None:
    facts = plan_of(make_scenario(samples=5, rate="0.5")).rows[0].facts
    assert needed(facts.samples_wanted, facts.pass_rate) == 3


def test_a_rate_flag_that_would_do_nothing_is_refused() -> None:
    with pytest.raises(BadInputError, match="--pass-rate does nothing with one sample"):
        plan_of(rate="0.5")
    assert plan_of(make_scenario("a.one"), make_scenario("a.two", samples=3), rate="0.5").total_samples == 4


def test_the_policy_is_kept_and_says_how_to_change_it() -> None:
    config = make_config(sampling={"max_samples": 3, "require_odd": True})
    with pytest.raises(BadInputError, match=r"a\.one: 5 samples are more than the 3 that `sampling\.max_samples`"):
        plan_of(config=config, samples=5)
    with pytest.raises(BadInputError, match=r"a\.one: 2 samples are an even number.*: take 3, or turn it off"):
        plan_of(config=config, samples=2)
    assert plan_of(config=config, samples=3).total_samples == 3


def test_no_agent_is_ever_chosen_by_default() -> None:
    config = make_config(make_mock("one"), make_mock("two"))
    with pytest.raises(BadInputError, match=r"a\.one does not say which agent.* there are one, two"):
        plan_of(config=config)
    with pytest.raises(BadInputError, match="no agent: add one under `agents:`"):
        plan_of(config=Config())
    assert plan_of(config=config, agent="two").rows[0].agent.name == "two"
    assert plan_of(make_scenario(agent="one"), config=config).rows[0].agent.name == "one"
    assert plan_of(make_scenario(agent="one"), config=config, agent="two").rows[0].agent.name == "two"
    with pytest.raises(BadInputError, match=r"--agent: no agent is called 'three'; there are one, two"):
        plan_of(config=config, agent="three")


def test_the_provider_flag_takes_the_only_agent_of_its_kind() -> None:
    assert plan_of(config=make_config(HTTP, make_mock()), provider=Provider.HTTP).rows[0].agent.name == "web"
    with pytest.raises(BadInputError, match="HTTP agents require a configured url"):
        plan_of(config=make_config(), provider=Provider.HTTP)
    with pytest.raises(BadInputError, match="fits several agents; give --agent and one of one, two"):
        plan_of(config=make_config(make_mock("one"), make_mock("two")), provider=Provider.MOCK)


def test_what_cannot_run_on_the_agent_is_skipped_and_listed() -> None:
    plan = plan_of(make_scenario("a.one"), task(), config=make_config(HTTP))
    assert [row.skipped for row in plan.rows] == [False, True]
    assert plan.rows[1].facts.skipped == (
        "a task does not run on web (http), only on external_process, mock, openai, python"
    )
    assert plan.total_samples == 1


def test_when_nothing_is_left_or_one_was_named_it_is_an_error() -> None:
    with pytest.raises(BadInputError, match=r"nothing to judge.*\n  a\.task: a task does not run on web"):
        plan_of(task(), config=make_config(HTTP))
    with pytest.raises(BadInputError, match="nothing to judge"):
        plan_of(make_scenario("a.one"), task(), config=make_config(HTTP), ids=("a.task",))
    assert plan_of(make_scenario("a.one"), task(), config=make_config(HTTP), ids=("a.*",)).total_samples == 1


def test_a_mock_agent_without_replies_holds_no_conversation() -> None:
    with pytest.raises(BadInputError, match="only with scripted `replies`"):
        plan_of(config=make_config(make_mock(replies=())))


def simulation(**more: Any) -> Scenario:
    body = Simulation(instructions="ask", agent_expectations="answers", max_turns=4)
    return make_scenario("a.talk", **{"body": body} | more)


def test_a_simulation_runs_where_a_conversation_does() -> None:
    worker = ExternalProcessAgent(name="worker", provider=Provider.EXTERNAL_PROCESS, command="agent")
    assert plan_of(simulation(), config=make_config(HTTP)).total_samples == 1
    with pytest.raises(BadInputError, match="a simulation does not run on worker"):
        plan_of(simulation(), config=make_config(worker))
    with pytest.raises(BadInputError, match=r"a simulation runs on mock .* only with scripted `replies`"):
        plan_of(simulation(), config=make_config(make_mock(replies=())))


def test_what_a_simulation_takes_at_most_is_told_model_by_model() -> None:
    # 3 samples of 4 turns: drawn twice, each line asked for twice at most, and the judge asked twice at most.
    plan = plan_of(simulation(samples=3), make_scenario("a.one"), config=make_config(HTTP))
    assert describe_plan(plan)[-1] == (
        "2 scenarios, 4 samples, at most 26 agent calls, 48 simulator calls and 6 judge calls; nothing was called"
    )


def test_another_judge_makes_the_results_of_simulations_incomparable_and_no_others() -> None:
    plans = [
        plan_of(simulation(), make_scenario("a.one"), config=make_config(HTTP, judge={"model": model}))
        for model in ("old", "new")
    ]
    (old, same), (new, as_before) = ([row.facts.hash for row in plan.rows] for plan in plans)
    assert old != new
    assert same == as_before


def test_messages_that_a_profile_has_said_are_agent_calls_too() -> None:
    profile = {"name": "p", "state": {"seeded_messages": [{"role": "user", "message": "hi"}]}}
    config = make_config(HTTP, runtime_profiles=[profile], sampling={"error_retries": 0})
    assert plan_of(simulation(runtime_profile="p"), config=config).most_agent_calls == 5


def test_the_agents_address_is_shown_without_its_secrets() -> None:
    model = OpenAIAgent(
        name="gpt", provider=Provider.OPENAI, model="m", base_url="https://key@models.example/v1?k=1"
    )
    plan = plan_of(config=variant_config(HTTP, model), variant_set="models")
    urls = [row.facts.agent.url for row in plan.rows if row.facts.agent]
    assert urls == ["http://localhost:3000/chat", "https://models.example/v1"]


def test_results_say_how_outputs_are_made_alike_to_compare_them() -> None:
    plan = plan_of(make_scenario("a.one", normalize=Normalize(lowercase=True)), make_scenario("a.two"))
    assert [row.facts.normalize for row in plan.rows] == [Normalization(lowercase=True), None]


def test_a_plan_in_words() -> None:
    config = make_config(HTTP, sampling={"error_retries": 2})
    plan = plan_of(make_scenario("a.one", steps=2, samples=3), make_scenario("a.two"), task(), config=config)
    assert describe_plan(plan) == [
        "a.one: 3 samples, needs 2, agent web",
        "a.two: 1 sample, agent web",
        "a.task: skipped, a task does not run on web (http), only on external_process, mock, openai, python",
        "2 scenarios, 4 samples, at most 21 agent calls; nothing was called",
    ]


def test_every_problem_of_the_plan_is_named_once() -> None:
    config = make_config(make_mock("one"), make_mock("two"), sampling={"require_odd": True})
    with pytest.raises(BadInputError) as raised:
        plan_of(
            make_scenario("a.x"), make_scenario("a.y"), make_scenario("a.z", agent="one", samples=2), config=config
        )
    lines = str(raised.value).splitlines()
    assert [line.split(":")[0].split(" ")[0] for line in lines] == ["a.x", "a.y", "a.z"]


def variant_config(*agents: AgentConfig, **more: Any) -> Config:
    """Return a config with one set, `models`, of a variant for each agent, called after its agent."""
    variants = [{"agent": agent.name, "label": f"on-{agent.name}"} for agent in agents]
    return make_config(*agents, variant_sets=[{"name": "models", "variants": variants}], **more)


def test_a_variant_set_runs_every_scenario_on_each_of_its_agents() -> None:
    config = variant_config(make_mock("old"), make_mock("new"))
    plan = plan_of(make_scenario("a.one"), make_scenario("a.two"), config=config, variant_set="models", samples=2)
    assert [(row.key, row.agent.name) for row in plan.rows] == [
        (("on-old", "a.one"), "old"),
        (("on-new", "a.one"), "new"),
        (("on-old", "a.two"), "old"),
        (("on-new", "a.two"), "new"),
    ]
    assert plan.total_samples == 8


def test_a_variant_brings_its_versions_and_whether_it_gates() -> None:
    variants = [
        {
            "agent": "mock",
            "label": "new",
            "prompt_version": "p4",
            "model_version": "m2",
            "tool_schema_version": "t1",
            "config_label": "concise",
            "notes": "shorter",
            "gate": False,
        },
        {"agent": "mock", "label": "old"},
    ]
    config = make_config(variant_sets=[{"name": "prompts", "variants": variants}])
    new, old = (row.facts for row in plan_of(config=config, variant_set="prompts").rows)
    assert new.variant is not None
    assert old.variant is not None
    assert new.variant.model_dump(exclude={"config_hash"}) == {
        "variant_set_name": "prompts",
        "variant_label": "new",
        "prompt_version": "p4",
        "model_version": "m2",
        "tool_schema_version": "t1",
        "config_label": "concise",
    }
    assert (new.gate, old.gate) == (False, True)
    assert new.variant.config_hash != old.variant.config_hash
    assert new.hash == old.hash, "it is the same scenario"


def test_the_agent_of_a_variant_wins_over_the_scenario_s_own() -> None:
    config = variant_config(make_mock("old"), make_mock("new"))
    plan = plan_of(make_scenario(agent="new"), config=config, variant_set="models")
    assert [row.agent.name for row in plan.rows] == ["old", "new"]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"variant_set": "model"}, "there is no variant set `model`; did you mean `models`?"),
        ({"variant_set": "x"}, "there is no variant set `x`; there is `models`"),
        ({"variant_set": "models", "agent": "old"}, "--agent and --variant-set exclude each other"),
        ({"variant_set": "models", "provider": Provider.MOCK}, "--provider and --variant-set exclude each other"),
    ],
)
def test_what_no_variant_set_is_run_for(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInputError) as refused:
        plan_of(
            make_scenario("a.one"), make_scenario("a.two"), config=variant_config(make_mock("old")), **settings
        )
    assert str(refused.value).startswith(said)
    assert "\n" not in str(refused.value)


def test_what_cannot_run_on_a_variant_is_skipped_for_it_alone() -> None:
    config = variant_config(HTTP, make_mock("desk"))
    plan = plan_of(make_scenario("a.one"), task(), config=config, variant_set="models", ids=("a.one", "a.task"))
    assert [(row.facts.title, row.skipped) for row in plan.rows] == [
        ("a.one · on-web", False),
        ("a.one · on-desk", False),
        ("a.task · on-web", True),
        ("a.task · on-desk", False),
    ]
    assert plan.total_samples == 3


def test_what_cannot_run_on_any_variant_is_an_error_as_it_is_without() -> None:
    config = variant_config(HTTP, HTTP.model_copy(update={"name": "web2"}))
    with pytest.raises(BadInputError) as nothing_left:
        plan_of(task(), config=config, variant_set="models")
    assert [line.partition(":")[0] for line in str(nothing_left.value).splitlines()[1:]] == [
        "  a.task · on-web",
        "  a.task · on-web2",
    ]
    with pytest.raises(BadInputError, match=r"nothing to judge.*\n  a\.task · on-web"):
        plan_of(make_scenario("a.one"), task(), config=config, variant_set="models", ids=("a.task", "a.one"))


def test_a_plan_of_variants_in_words() -> None:
    variants = [{"agent": "web", "label": "live"}, {"agent": "desk", "label": "next", "gate": False}]
    config = make_config(HTTP, make_mock("desk"), variant_sets=[{"name": "models", "variants": variants}])
    plan = plan_of(make_scenario("a.one", samples=3), task(), config=config, variant_set="models")
    assert describe_plan(plan) == [
        "a.one · live: 3 samples, needs 2, agent web",
        "a.one · next: 3 samples, needs 2, agent desk, does not gate",
        f"a.task · live: skipped, {plan.rows[2].facts.skipped}",
        "a.task · next: 1 sample, agent desk, does not gate",
        "3 scenarios, 7 samples, at most 28 agent calls; nothing was called",
    ]


def test_gating_variants_that_cannot_run_at_all_are_no_green_gate() -> None:
    variants: list[dict[str, Any]] = [
        {"agent": "worker", "label": "prod"},
        {"agent": "mock", "label": "exp", "gate": False},
    ]
    worker = ExternalProcessAgent(name="worker", provider=Provider.EXTERNAL_PROCESS, command="agent")
    config = make_config(worker, make_mock(), variant_sets=[{"name": "models", "variants": variants}])
    with pytest.raises(BadInputError, match=r"nothing can gate: .*\n  a\.one · prod: a conversation does not run"):
        plan_of(config=config, variant_set="models")
    free = [variants[0] | {"gate": False}, variants[1]]
    config = make_config(worker, make_mock(), variant_sets=[{"name": "models", "variants": free}])
    assert plan_of(config=config, variant_set="models").total_samples == 1
