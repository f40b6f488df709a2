"""The schedule as a state machine: order, limits, and calls that cannot matter."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.sampling import PassRate, needed
from agentlab_ci.runner.schedule import Job, Schedule
from scripted_agent import make_config, make_mock, make_scenario, plan_of

RATES = st.sampled_from(["0.01", "0.34", "0.5", "0.67", "0.75", "0.9", "1"])


def one_by_one(outcomes: list[bool], bar: int) -> int:
    """How many samples a run uses that does one after the other and stops once the verdict is settled."""
    for ran in range(len(outcomes) + 1):
        passed = sum(outcomes[:ran])
        if passed >= bar or passed + len(outcomes) - ran < bar:
            return ran
    return len(outcomes)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(data=st.data(), samples=st.integers(1, 9), rate=RATES, concurrency=st.integers(1, 9))
def test_stopping_when_settled_runs_exactly_the_samples_of_a_one_by_one_run(
    data: st.DataObject, samples: int, rate: str, concurrency: int
) -> None:
    outcomes = data.draw(st.lists(st.booleans(), min_size=samples, max_size=samples))
    plan = plan_of(make_scenario(samples=samples, rate=rate), stop_when_settled=True, concurrency=concurrency)
    schedule = Schedule(plan)
    bar = needed(samples, PassRate(rate))
    running: list[Job] = []
    order: list[bool] = []
    dropped: list[Job] = []
    while not schedule.exhausted or running:
        while len(running) < concurrency and (job := schedule.next()) is not None:
            running.append(job)
        job = running.pop(data.draw(st.integers(0, len(running) - 1)))
        passed = outcomes[len(order)]
        order.append(passed)
        dropped += schedule.finish(job, SampleStatus.PASSED if passed else SampleStatus.FAILED)
    assert len(order) == one_by_one(outcomes, bar)
    assert len(order) + len(dropped) == samples


@settings(derandomize=True, deadline=None)
@given(random=st.randoms(use_true_random=False), scenarios=st.integers(1, 5), samples=st.integers(1, 4))
def test_samples_start_in_yaml_order_and_each_once(random: Random, scenarios: int, samples: int) -> None:
    plan = plan_of(*(make_scenario(f"a.s{n}", samples=samples) for n in range(scenarios)))
    schedule = Schedule(plan)
    started: list[tuple[str, int]] = []
    running: list[Job] = []
    while not schedule.exhausted or running:
        if running and random.random() < 0.5:
            schedule.finish(running.pop(random.randrange(len(running))), SampleStatus.FAILED)
        elif (job := schedule.next()) is not None:
            running.append(job)
            started.append((job.row.scenario.id, job.sample))
    assert started == [(f"a.s{n}", sample) for n in range(scenarios) for sample in range(1, samples + 1)]


def test_an_agent_at_its_limit_lets_others_pass() -> None:
    config = make_config(make_mock("slow", max_concurrency=1), make_mock("fast"))
    plan = plan_of(
        make_scenario("a.one", agent="slow", samples=2), make_scenario("a.two", agent="fast"), config=config
    )
    schedule = Schedule(plan)
    first, second = schedule.next(), schedule.next()
    assert first is not None
    assert second is not None
    assert (first.row.scenario.id, second.row.scenario.id) == ("a.one", "a.two")
    assert schedule.next() is None
    assert not schedule.exhausted
    schedule.finish(first, SampleStatus.PASSED)
    third = schedule.next()
    assert third is not None
    assert third.row.scenario.id == "a.one"
    assert schedule.exhausted


def test_dropping_returns_what_has_not_started_in_order() -> None:
    config = make_config(make_mock("one"), make_mock("two"))
    plan = plan_of(
        make_scenario("a.x", agent="two", samples=2),
        make_scenario("a.y", agent="one", samples=2),
        make_scenario("a.z", agent="two", samples=1),
        config=config,
    )
    schedule = Schedule(plan)
    schedule.next()
    assert [(j.row.scenario.id, j.sample) for j in schedule.drop_agent("two")] == [("a.x", 2), ("a.z", 1)]
    assert [(j.row.scenario.id, j.sample) for j in schedule.drop_all()] == [("a.y", 1), ("a.y", 2)]
    assert schedule.exhausted
    assert schedule.next() is None


@settings(derandomize=True, deadline=None)
@given(random=st.randoms(use_true_random=False), samples=st.integers(1, 5), stop=st.booleans())
def test_samples_that_share_their_state_run_one_after_the_other(random: Random, samples: int, stop: bool) -> None:
    config = make_config(runtime_profiles=[{"name": "p", "state": {"reset": "per_variant_run"}}])
    plan = plan_of(
        make_scenario("a.shared", samples=samples, runtime_profile="p"),
        make_scenario("a.free", samples=samples),
        config=config,
        stop_when_settled=stop,
    )
    schedule = Schedule(plan)
    running: list[Job] = []
    started: list[int] = []
    while not schedule.exhausted or running:
        while (job := schedule.next()) is not None:
            running.append(job)
            started += [job.sample] if job.row.scenario.id == "a.shared" else []
        assert sum(job.row.scenario.id == "a.shared" for job in running) <= 1
        schedule.finish(running.pop(random.randrange(len(running))), SampleStatus.ERROR)
    assert started == list(range(1, len(started) + 1))
    assert stop or len(started) == samples
