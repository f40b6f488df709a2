import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.config import Config, Include, SuiteDefinition
from agentlab_ci.core.scenario import Conversation, Place, Scenario, Step
from agentlab_ci.errors import BadInputError
from agentlab_ci.loading.select import Selection, picks, select_scenarios


def make_scenario(id_: str, *tags: str) -> Scenario:
    return Scenario(
        id=id_,
        name=id_,
        suite=id_.partition(".")[0],
        tags=tags,
        body=Conversation(steps=(Step(message="hi"),)),
        place=Place(path="x.yaml", line=1),
    )


ALL = (
    make_scenario("support.refund", "smoke", "money"),
    make_scenario("billing.refund", "money"),
    make_scenario("support.order", "smoke", "wip"),
    make_scenario("travel.seat"),
)
CONFIG = Config(
    suite_definitions=(
        SuiteDefinition(
            name="pre_merge",
            include=Include(tags=("smoke",), scenarios=("billing.*",)),
            exclude=Include(tags=("wip",)),
        ),
        SuiteDefinition(name="travel", include=Include(suites=("travel",))),
    )
)


def ids_of(selection: Selection) -> list[str]:
    return [scenario.id for scenario in select_scenarios(ALL, CONFIG, selection)]


@pytest.mark.parametrize(
    ("selection", "ids"),
    [
        (Selection(), ["support.refund", "billing.refund", "support.order", "travel.seat"]),
        (Selection(ids=("travel.seat", "billing.refund")), ["billing.refund", "travel.seat"]),  # YAML order
        (Selection(ids=("support.*",)), ["support.refund", "support.order"]),
        (Selection(ids=("*.refund", "support.refund")), ["support.refund", "billing.refund"]),
        (Selection(ids=("[bt]*",)), ["billing.refund", "travel.seat"]),
        (Selection(suite="support"), ["support.refund", "support.order"]),
        (Selection(tags=("wip", "money")), ["support.refund", "billing.refund", "support.order"]),  # tags are OR
        (Selection(suite="support", tags=("money",)), ["support.refund"]),  # selectors narrow each other
        (Selection(ids=("*.refund",), suite="billing"), ["billing.refund"]),
        (Selection(suite_def="pre_merge"), ["support.refund", "billing.refund"]),  # exclude wins
        (Selection(suite_def="travel"), ["travel.seat"]),
        (Selection(suite_def="pre_merge", suite="support"), ["support.refund"]),
    ],
)
def test_selection(selection: Selection, ids: list[str]) -> None:
    assert ids_of(selection) == ids


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (
            Selection(ids=("support.refnd",)),
            "no scenario is called `support.refnd`; did you mean `support.refund`?",
        ),
        (Selection(ids=("Support.*",)), "no scenario matches `Support.*`"),  # case counts
        (Selection(suite="suport"), "there is no suite `suport`; did you mean `support`?"),
        (Selection(suite_def="x"), "there is no suite definition `x`; there is `pre_merge`, `travel`"),
        (Selection(tags=("smok",)), "there is no tag `smok`; did you mean `smoke`?"),
        (
            Selection(ids=("travel.seat",), suite="support"),
            "no scenario matches `travel.seat` and suite `support`; there is `support.refund`, `billing.refund`",
        ),
        (
            Selection(suite_def="travel", tags=("wip",)),
            "no scenario matches suite definition `travel` and tag `wip`",
        ),
    ],
)
def test_what_matches_nothing(selection: Selection, message: str) -> None:
    with pytest.raises(BadInputError) as caught:
        ids_of(selection)
    assert str(caught.value).startswith(message)


def test_everything_that_is_unknown_is_named_at_once() -> None:
    with pytest.raises(BadInputError) as caught:
        ids_of(Selection(ids=("a", "b"), suite="c", suite_def="d", tags=("e",)))
    assert len(str(caught.value).split("\n")) == 5


_NAMES = st.sampled_from(["smoke", "money", "wip", "none"])
_SELECTORS = st.builds(
    Include,
    tags=st.lists(_NAMES, max_size=2).map(tuple),
    suites=st.lists(st.sampled_from(["support", "billing"]), max_size=1).map(tuple),
    scenarios=st.lists(st.sampled_from(["*", "support.*", "travel.seat"]), max_size=1).map(tuple),
)


@settings(derandomize=True, deadline=None)
@given(include=_SELECTORS, exclude=_SELECTORS)
def test_a_suite_definition_is_what_include_picks_without_what_exclude_picks(
    include: Include, exclude: Include
) -> None:
    def picked(selectors: Include) -> set[str]:
        return {s.id for s in ALL if picks(SuiteDefinition(name="x", include=selectors), s)}

    both = SuiteDefinition(name="x", include=include, exclude=exclude)
    assert {s.id for s in ALL if picks(both, s)} == picked(include) - picked(exclude)
