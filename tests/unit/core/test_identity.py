"""Which changes of a scenario make its results another thing to compare."""

from dataclasses import replace

import pytest

from agentlab_ci.core.config import RuntimeProfile
from agentlab_ci.core.identity import hash_scenario
from agentlab_ci.core.sampling import PassRate
from agentlab_ci.core.scenario import (
    Conversation,
    EvaluatorSpec,
    Mode,
    Normalize,
    Place,
    SamplingChoice,
    Scenario,
    Step,
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
