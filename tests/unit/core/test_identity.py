"""Which changes of a scenario, and of a variant, make their results another thing to compare."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.config import (
    AgentConfig,
    CustomTool,
    ExternalProcessAgent,
    HttpAgent,
    ModelEndpoint,
    OpenAIAgent,
    Price,
    RuntimeProfile,
    Variant,
)
from agentlab_ci.core.identity import hash_config, hash_scenario
from agentlab_ci.core.provider import Provider
from agentlab_ci.core.sampling import PassRate
from agentlab_ci.core.scenario import (
    Conversation,
    EvaluatorSpec,
    Mode,
    Normalize,
    Place,
    SamplingChoice,
    Scenario,
    Simulation,
    Step,
    Task,
)
from agentlab_ci.evaluators.response import Keywords

CHECK = EvaluatorSpec(id="c", type="response_contains", mode=Mode.HARD_GATE, config=Keywords(keywords=("refund",)))
SCENARIO = Scenario(
    id="billing.refund",
    name="Refund",
    suite="billing",
    body=Conversation(steps=(Step(message="Refund me", evaluators=(CHECK,)),)),
    place=Place(path="a.yaml", line=1),
)
PROFILE = RuntimeProfile(name="calm")


@pytest.mark.parametrize(
    "other",
    [
        replace(SCENARIO, name="Other", description="d", difficulty="hard", tags=("t",), suite="s", id="s.x"),
        replace(SCENARIO, sampling=SamplingChoice(samples=5, pass_rate=PassRate("1")), agent="a"),
        replace(SCENARIO, place=Place(path="b.yaml", line=9)),
    ],
)
def test_what_it_is_called_and_where_it_stands_changes_nothing(other: Scenario) -> None:
    assert hash_scenario(other, PROFILE) == hash_scenario(SCENARIO, PROFILE)


def test_another_name_of_the_profile_changes_nothing() -> None:
    assert hash_scenario(SCENARIO, RuntimeProfile(name="other")) == hash_scenario(SCENARIO, PROFILE)


@pytest.mark.parametrize(
    "other",
    [
        replace(SCENARIO, body=Conversation(steps=(Step(message="Refund me!", evaluators=(CHECK,)),))),
        replace(SCENARIO, body=Conversation(steps=(Step(message="Refund me"),))),
        replace(SCENARIO, evaluators=(CHECK,)),
        replace(
            SCENARIO, body=Conversation(steps=(Step(message="Refund me", evaluators=(replace(CHECK, weight=2),)),))
        ),
        replace(SCENARIO, system_prompt="Be brief."),
        replace(SCENARIO, normalize=Normalize(lowercase=True)),
        replace(SCENARIO, setup_script="setup.py"),
    ],
)
def test_what_is_asked_and_how_it_is_judged_changes_it(other: Scenario) -> None:
    assert hash_scenario(other, PROFILE) != hash_scenario(SCENARIO, PROFILE)


def test_the_conditions_it_runs_under_change_it() -> None:
    assert hash_scenario(SCENARIO, None) != hash_scenario(SCENARIO, PROFILE)
    assert hash_scenario(SCENARIO, PROFILE.model_copy(update={"seed": 1})) != hash_scenario(SCENARIO, PROFILE)


WORK = replace(SCENARIO, body=Task(instructions="refund", tools_allowed=("kb.search", "orders.list")))
SEARCH = CustomTool(
    name="kb.search", command=("node", "search.mjs", "--token=first"), description="Find articles."
)


def test_the_definitions_of_the_tools_that_a_task_allows_change_it() -> None:
    known = hash_scenario(WORK, None, (SEARCH,))
    assert hash_scenario(WORK, None, (SEARCH.model_copy(update={"description": "Find."}),)) != known
    assert hash_scenario(WORK, None, (SEARCH.model_copy(update={"input_schema": {"type": "array"}}),)) != known
    other = CustomTool(name="kb.other", command=("node", "other.mjs"))
    assert hash_scenario(WORK, None, (other, SEARCH)) == known
    renewed = SEARCH.model_copy(update={"command": ("node", "search.mjs", "--token=second")})
    assert hash_scenario(WORK, None, (renewed,)) == known


SIMULATION = replace(SCENARIO, body=Simulation(instructions="refund", agent_expectations="refunds"))
JUDGE = ModelEndpoint(model="m", temperature=0, extra_body={"api_key": "first"})


@pytest.mark.parametrize(
    "change",
    [
        {"model": "n"},
        {"base_url": "http://localhost:1/v1"},
        {"temperature": None},
        {"seed": 1},
        {"extra_body": {"api_key": "first", "top_p": 1}},
    ],
)
def test_the_models_of_a_simulation_change_it(change: dict[str, Any]) -> None:
    other = JUDGE.model_copy(update=change)
    known = hash_scenario(SIMULATION, None, simulator=JUDGE, judge=JUDGE)
    simulated = hash_scenario(SIMULATION, None, simulator=other, judge=JUDGE)
    judged = hash_scenario(SIMULATION, None, simulator=JUDGE, judge=other)
    assert len({known, simulated, judged}) == 3
    # Nobody plays or judges in others, whose hashes stay what they were.
    assert hash_scenario(SCENARIO, None, simulator=other, judge=JUDGE) == hash_scenario(SCENARIO, None)


@pytest.mark.parametrize(
    "change",
    [
        {"api_key_env": "OTHER"},
        {"timeout_ms": 1},
        {"price": Price(input_per_million=1, output_per_million=1)},
        {"extra_body": {"api_key": "second"}},
        {"base_url": "https://me:pw@api.openai.com/v1"},
    ],
)
def test_what_changes_no_reply_of_a_model_changes_nothing(change: dict[str, Any]) -> None:
    other = JUDGE.model_copy(update=change)
    known = hash_scenario(SIMULATION, None, simulator=JUDGE, judge=JUDGE)
    assert hash_scenario(SIMULATION, None, simulator=other, judge=other) == known


HTTP = HttpAgent(
    name="web",
    provider=Provider.HTTP,
    url="https://user:hunter2@agent.example.com/chat?key=abc&mode=fast",
    headers={"Authorization": "Bearer {{env.TOKEN}}", "X-Api-Key": "hunter2", "X-Model": "small"},
    request_template={"query": "{{message}}", "auth": {"pin": "1234", "as": ["guest"]}, "top": 3},
)
PROCESS = ExternalProcessAgent(
    name="proc",
    provider=Provider.EXTERNAL_PROCESS,
    command="agent",
    args=("--fast", "--api-key", "k1", "--token=t1"),
)
MODEL = OpenAIAgent(
    name="gpt", provider=Provider.OPENAI, model="small", system_prompt="Be kind.", extra_body={"max_tokens": 100}
)
BASELINE = Variant(
    agent="web", label="baseline", prompt_version="v1", model_version="m1", tool_schema_version="t1"
)


def changed(agent: AgentConfig, **update: Any) -> AgentConfig:
    return type(agent).model_validate(agent.model_dump() | update)


@pytest.mark.parametrize(
    ("agent", "update"),
    [
        (HTTP, {"name": "other", "label": "other", "max_concurrency": 2}),
        (HTTP, {"url": "https://user:other@agent.example.com/chat?key=xyz&mode=fast"}),  # user info, and a key
        (HTTP, {"headers": {**HTTP.headers, "X-Api-Key": "other"}}),
        (HTTP, {"headers": {**HTTP.headers, "Authorization": "Basic {{env.TOKEN}}"}}),  # the scheme goes with it
        (HTTP, {"request_template": {"query": "{{message}}", "auth": {"pin": "9", "as": ["me"]}, "top": 3}}),
        (PROCESS, {"args": ("--fast", "--api-key", "k2", "--token=t2")}),
        (HTTP, {"headers": {name.lower(): value for name, value in HTTP.headers.items()}}),
        (MODEL, {"price": {"input_per_million": 1, "output_per_million": 2}}),
    ],
)
def test_names_and_secrets_do_not_change_the_hash_of_a_variant(agent: AgentConfig, update: dict[str, Any]) -> None:
    assert hash_config(changed(agent, **update), BASELINE) == hash_config(agent, BASELINE)


@pytest.mark.parametrize(
    ("agent", "update"),
    [
        (HTTP, {"url": "https://user:hunter2@agent.example.com/v2/chat?key=abc&mode=fast"}),
        (HTTP, {"url": "https://user:hunter2@agent.example.com/chat?key=abc&mode=slow"}),
        (HTTP, {"url": "https://user:hunter2@other.example.com/chat?key=abc&mode=fast"}),
        (HTTP, {"headers": {**HTTP.headers, "X-Model": "large"}}),
        (HTTP, {"headers": {**HTTP.headers, "X-More": "1"}}),
        (HTTP, {"headers": {**HTTP.headers, "Authorization": "Bearer {{env.OTHER}}"}}),  # another variable
        (HTTP, {"request_template": {"query": "{{messages}}", "top": 3}}),
        (HTTP, {"request_template": {**(HTTP.request_template or {}), "top": 5}}),
        (HTTP, {"timeout_ms": 100}),
        (PROCESS, {"args": ("--slow", "--api-key", "k1", "--token=t1")}),
        (PROCESS, {"args": ("--fast", "--api-key", "k1", "--token=t1", "--verbose")}),
        (MODEL, {"model": "large"}),
        (MODEL, {"system_prompt": "Be brief."}),
        (MODEL, {"temperature": 0.5}),
        (MODEL, {"extra_body": {"max_tokens": 200}}),
        (MODEL, {"extra_body": {"max_tokens": 100, "stop_tokens": "END"}}),
        (HTTP, {"headers": {**HTTP.headers, "X-Author": "me"}}),
        *(
            (HTTP, {"request_template": {"query": "{{message}}", **more}})
            for more in ({"keywords": "short"}, {"author_persona": "stern"}, {"tokenizer": {"system_prompt": "x"}})
        ),
    ],
)
def test_what_changes_behaviour_changes_it(agent: AgentConfig, update: dict[str, Any]) -> None:
    assert hash_config(changed(agent, **update), BASELINE) != hash_config(agent, BASELINE)


def test_the_versions_of_a_variant_count_and_its_names_do_not() -> None:
    known = hash_config(HTTP, BASELINE)
    for version in ("prompt_version", "model_version", "tool_schema_version"):
        assert hash_config(HTTP, BASELINE.model_copy(update={version: "v2"})) != known
    named = {"label": "other", "config_label": "other", "notes": "n", "gate": False, "agent": "same"}
    assert hash_config(HTTP, BASELINE.model_copy(update=named)) == known


@settings(derandomize=True, deadline=None)
@given(st.text(st.characters(exclude_characters="{}"), max_size=20), st.sampled_from(["Authorization", "Cookie"]))
def test_no_value_of_a_secret_header_can_be_told_from_another(secret: str, header: str) -> None:
    plain = hash_config(changed(HTTP, headers={header: "x"}), BASELINE)
    assert hash_config(changed(HTTP, headers={header: secret}), BASELINE) == plain


@pytest.mark.parametrize(
    ("args", "other"),
    [
        (["--max-tokens", "5"], ["--max-tokens", "6"]),
        (["--max-tokens=5"], ["--max-tokens=6"]),
        (["--keywords", "x"], ["--keywords", "y"]),
        (["--prompt-author=me"], ["--prompt-author=you"]),
    ],
)
def test_an_option_that_only_sounds_a_little_like_a_secret_counts(args: list[str], other: list[str]) -> None:
    one, two = (changed(PROCESS, args=given) for given in (args, other))
    assert hash_config(one, BASELINE) != hash_config(two, BASELINE)


@pytest.mark.parametrize(
    "name",
    ["apiKey", "X-API-Key", "API_KEY", "accessToken", "client_secret", "PASSWORD", "passwd", "Cookie", "key"],
)
def test_a_secrets_name_is_known_in_every_spelling(name: str) -> None:
    one, two = (changed(HTTP, request_template={name: value}) for value in ("hunter2", "hunter3"))
    assert hash_config(one, BASELINE) == hash_config(two, BASELINE)


def test_the_score_that_a_sample_needs_is_part_of_what_it_is_held_to() -> None:
    known = hash_scenario(SCENARIO, None)
    assert hash_scenario(SCENARIO, None, pass_score=80.0) == known
    assert hash_scenario(SCENARIO, None, pass_score=40) != known
