"""The engine in virtual time: what runs, what is cancelled, what is said, and that it always ends."""

import asyncio
import signal

import pytest

from agentlab_ci.core.results import ScenarioResult
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.errors import ExitCode
from agentlab_ci.reports.advice import advise
from agentlab_ci.runner.engine import KEEP_SECONDS
from agentlab_ci.runner.plan import Plan
from factories import make_report
from scripted_agent import (
    BAD,
    GOOD,
    REFUSES,
    Act,
    Performance,
    Script,
    Stage,
    letters,
    make_config,
    make_mock,
    plan_of,
)
from scripted_agent import make_scenario as scenario
from virtual_time import run_virtually


def perform(
    plan: Plan, script: Script, *, deadline: float | None = None
) -> tuple[tuple[ScenarioResult, ...], Performance, float]:
    performance = Performance(plan, Stage(script))
    rows, seconds = run_virtually(performance.run(deadline=deadline))
    assert performance.stage.opened == performance.stage.closed
    assert performance.stage.in_flight == 0
    return rows, performance, seconds


def fails_on(*bad: tuple[str, int]) -> Script:
    return lambda scenario_id, sample, _time: BAD if (scenario_id, sample) in bad else GOOD


def test_every_sample_runs_and_is_judged() -> None:
    plan = plan_of(scenario("a.one"), scenario("a.two"), samples=3)
    rows, performance, seconds = perform(plan, fails_on(("a.two", 1), ("a.two", 3)))
    assert [letters(row) for row in rows] == ["ppp", "fpf"]
    assert [row.verdict for row in rows] == [Verdict.PASSED, Verdict.FAILED]
    assert seconds == 1.0, "six samples of a second fit side by side into eight slots"
    ran = {(row.scenario_id, sample.sample, sample.run_id) for row in rows for sample in row.samples}
    assert len({run_id for _, _, run_id in ran}) == 6
    assert sorted(performance.witness.started) == sorted(ran)
    assert len(set(performance.stage.conversation_ids)) == 6


def test_concurrency_bounds_what_runs_at_once() -> None:
    plan = plan_of(scenario(), samples=7, concurrency=2)
    _, performance, seconds = perform(plan, fails_on())
    assert performance.stage.most_in_flight == 2
    assert performance.stage.opened == 2, "one agent for each slot"
    assert seconds == 4.0


def test_an_agents_own_limit_bounds_it_within_the_global_one() -> None:
    config = make_config(make_mock("slow", max_concurrency=1), make_mock("fast"))
    plan = plan_of(
        scenario("a.one", agent="slow"), scenario("a.two", agent="fast"), config=config, samples=3, concurrency=4
    )
    _, performance, seconds = perform(plan, fails_on())
    assert seconds == 3.0, "three of the slow agent in a row, the fast one's beside them"
    assert performance.stage.most_in_flight == 4


def test_samples_start_scenario_by_scenario() -> None:
    plan = plan_of(scenario("a.one"), scenario("a.two"), samples=2, concurrency=1)
    _, performance, _ = perform(plan, fails_on())
    assert performance.stage.asked == [("a.one", 1), ("a.one", 2), ("a.two", 1), ("a.two", 2)]


def test_a_hard_gate_that_fails_at_a_step_ends_the_sample() -> None:
    rows, performance, _ = perform(
        plan_of(scenario(steps=3)), lambda _id, _sample, time: BAD if time == 2 else GOOD
    )
    sample = rows[0].samples[0]
    assert sample.termination_reason is TerminationReason.EVALUATOR_FAILED
    assert len(performance.stage.asked) == 2
    assert [e.step for e in sample.evaluations] == [1, 2]


def test_with_stop_when_settled_no_sample_runs_that_cannot_matter() -> None:
    plan = plan_of(scenario(), samples=5, rate="0.6", stop_when_settled=True)
    rows, performance, _ = perform(plan, fails_on())
    assert letters(rows[0]) == "pppcc"
    assert {s.termination_reason for s in rows[0].samples[3:]} == {TerminationReason.SETTLED}
    assert [s.run_id for s in rows[0].samples[3:]] == [None, None]
    assert len(performance.stage.asked) == 3


def test_a_connection_failure_is_drawn_again_as_a_fresh_start() -> None:
    plan = plan_of(scenario(steps=2))
    rows, performance, _ = perform(plan, lambda _id, _sample, time: REFUSES if time == 2 else GOOD)
    sample = rows[0].samples[0]
    assert sample.status is SampleStatus.PASSED
    assert [redraw.reason for redraw in sample.redraws] == [TerminationReason.HTTP_CONNECTION_FAILED]
    assert len(performance.stage.asked) == 4, "both steps are said again"
    assert len(set(performance.stage.conversation_ids)) == 2, "under a new conversation id"
    assert [turn.text for turn in sample.turns] == ["step 1", "good", "step 2", "good"]


@pytest.mark.parametrize(
    ("act", "calls"),
    [
        (Act(fails=TerminationReason.HTTP_ERROR), 1),  # a 500 is not drawn again
        (Act(fails=TerminationReason.HTTP_ERROR, redrawable=True), 2),  # a 502 is, once
        (Act(fails=TerminationReason.INVALID_RESPONSE_FORMAT), 1),
        (Act(fails=TerminationReason.TIMEOUT_EXCEEDED), 1),
    ],
)
def test_an_error_is_final_unless_a_fresh_start_may_help(act: Act, calls: int) -> None:
    rows, performance, _ = perform(plan_of(), lambda *_: act)
    sample = rows[0].samples[0]
    assert (sample.status, sample.termination_reason) == (SampleStatus.ERROR, act.fails)
    assert sample.error is not None
    assert sample.error.message == "scripted failure"
    assert sample.evaluations == ()
    assert sample.score is None
    assert len(performance.stage.asked) == calls


def test_error_retries_0_draws_nothing_again() -> None:
    config = make_config(sampling={"error_retries": 0})
    _, performance, _ = perform(plan_of(config=config), lambda *_: REFUSES)
    assert len(performance.stage.asked) == 1


def test_a_busy_agent_is_waited_for_and_no_redraw_is_used_up() -> None:
    rows, performance, seconds = perform(
        plan_of(), lambda _id, _sample, time: Act(busy_for=7.0, seconds=0) if time == 1 else GOOD
    )
    sample = rows[0].samples[0]
    assert sample.status is SampleStatus.PASSED
    assert [(wait.seconds, wait.status, wait.attempt) for wait in sample.waits] == [(7.0, 429, 1)]
    assert performance.witness.waits == [("a.one", 1, 7.0)]
    assert sample.redraws == ()
    assert seconds == 8.0
    assert sample.turns[-1].latency_ms == 1000, "the wait is not the agent's latency"


def test_an_agent_that_is_busy_for_ever_ends_as_an_error_within_two_minutes() -> None:
    rows, _, seconds = perform(plan_of(), lambda *_: Act(busy_for=1.0, seconds=0))
    sample = rows[0].samples[0]
    assert (sample.status, sample.termination_reason) == (SampleStatus.ERROR, TerminationReason.HTTP_ERROR)
    assert sample.error is not None
    assert sample.error.status == 429
    assert seconds == 120.0


def test_a_wish_to_wait_longer_than_a_minute_ends_the_sample_at_once() -> None:
    rows, _, seconds = perform(plan_of(), lambda *_: Act(busy_for=86_400, seconds=0))
    assert rows[0].samples[0].status is SampleStatus.ERROR
    assert seconds == 0.0


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (90.5, "90.5 s"),
        (86_400, "86400 s"),  # a day
        (1e12, "more than a day"),
        (float("inf"), "more than a day"),  # four hundred nines
    ],
)
def test_how_long_an_agent_asks_to_wait_is_said_in_words_for_people(seconds: float, said: str) -> None:
    rows, _, _ = perform(plan_of(), lambda *_: Act(busy_for=seconds, seconds=0))
    (sample,) = rows[0].samples
    assert sample.error is not None
    assert sample.error.message == f"the agent is busy: HTTP 429 after 0 s of waiting, and asks to wait {said}"


def test_a_sample_has_a_total_deadline() -> None:
    config = make_config(sample_timeout_seconds=5)
    rows, _, seconds = perform(plan_of(scenario(steps=9), config=config), lambda *_: GOOD)
    sample = rows[0].samples[0]
    assert (sample.status, sample.termination_reason) == (SampleStatus.ERROR, TerminationReason.TIMEOUT_EXCEEDED)
    assert seconds == 5.0
    assert len(sample.turns) == 9, "what was said by then is kept: four replies and the fifth message"


def test_at_the_runs_deadline_running_and_waiting_samples_are_cancelled() -> None:
    plan = plan_of(scenario("a.one"), scenario("a.two"), samples=2, concurrency=2)
    rows, _, seconds = perform(plan, lambda *_: Act(seconds=10), deadline=15)
    assert [letters(row) for row in rows] == ["pp", "cc"]
    assert {s.termination_reason for s in rows[1].samples} == {TerminationReason.RUN_DEADLINE}
    assert rows[1].verdict is Verdict.UNFINISHED
    assert seconds == 15.0


@pytest.mark.parametrize("samples", [1, 3])
def test_an_agent_that_nobody_can_reach_is_given_up_on(samples: int) -> None:
    plan = plan_of(*(scenario(f"a.s{n}") for n in range(10)), samples=samples, concurrency=2)
    rows, performance, _ = perform(plan, lambda *_: REFUSES)
    reasons = {sample.termination_reason for row in rows for sample in row.samples}
    assert reasons == {TerminationReason.AGENT_UNREACHABLE}
    assert {letters(row) for row in rows} == {"e" * samples}
    assert len(performance.stage.asked) < 10, "only the first samples, with their redraws, were tried"
    assert {row.verdict for row in rows} == {Verdict.FAILED}
    assert len(performance.witness.complete) == 10
    for row in performance.witness.complete:
        assert {s.termination_reason for s in row.samples} == {TerminationReason.AGENT_UNREACHABLE}


def test_what_runs_of_an_agent_that_nobody_can_reach_is_stopped() -> None:
    plan = plan_of(*(scenario(f"a.s{n}") for n in range(10)), concurrency=2)
    slow = Act(seconds=100)
    rows, _, seconds = perform(plan, lambda name, *_: slow if name == "a.s3" else REFUSES)
    assert {row.samples[0].termination_reason for row in rows} == {TerminationReason.AGENT_UNREACHABLE}
    assert rows[3].samples[0].run_id is not None
    assert seconds < 100


def test_an_agent_that_was_reached_once_is_not_given_up_on() -> None:
    plan = plan_of(*(scenario(f"a.s{n}") for n in range(4)), samples=3, concurrency=1)
    rows, _, _ = perform(plan, lambda scenario_id, _sample, _time: GOOD if scenario_id == "a.s0" else REFUSES)
    assert letters(rows[0]) == "ppp"
    assert {s.termination_reason for s in rows[3].samples} == {TerminationReason.HTTP_CONNECTION_FAILED}


def test_giving_up_on_one_agent_leaves_the_others_alone() -> None:
    config = make_config(make_mock("gone"), make_mock("there"))
    plan = plan_of(
        *(scenario(f"a.gone{n}", agent="gone") for n in range(5)),
        *(scenario(f"a.there{n}", agent="there") for n in range(5)),
        config=config,
        samples=2,
    )
    rows, _, _ = perform(plan, lambda scenario_id, *_: REFUSES if "gone" in scenario_id else GOOD)
    assert [letters(row) for row in rows] == ["ee"] * 5 + ["pp"] * 5


def test_an_agent_that_hangs_up_was_reached() -> None:
    hangs_up = Act(fails=TerminationReason.HTTP_CONNECTION_FAILED, redrawable=True)
    rows, performance, _ = perform(plan_of(samples=9), lambda *_: hangs_up)
    assert {s.termination_reason for s in rows[0].samples} == {TerminationReason.HTTP_CONNECTION_FAILED}
    assert len(performance.stage.asked) == 18, "every sample is tried, and drawn again"


def test_a_single_sample_that_cannot_connect_says_unreachable() -> None:
    rows, _, _ = perform(plan_of(), lambda *_: REFUSES)
    assert rows[0].samples[0].termination_reason is TerminationReason.AGENT_UNREACHABLE


CRASHES = Act(fails=TerminationReason.AGENT_ERROR)
QUICK_CRASH = Act(fails=TerminationReason.AGENT_ERROR, seconds=0)


def test_an_agent_whose_first_samples_all_crash_alike_is_given_up_on() -> None:
    plan = plan_of(*(scenario(f"a.s{n}") for n in range(10)), samples=2, concurrency=2)
    rows, performance, _ = perform(plan, lambda *_: CRASHES)
    samples = [sample for row in rows for sample in row.samples]
    assert {sample.termination_reason for sample in samples} == {TerminationReason.AGENT_ERROR}
    assert {letters(row) for row in rows} == {"ee"}
    assert len(performance.stage.asked) == 6, "samples of three scenarios, and the one beside the fifth"
    assert all(sample.given_up for sample in samples)
    messages = [sample.error.message for sample in samples if sample.error]
    assert messages[:6] == ["scripted failure"] * 6
    assert set(messages[6:]) == {
        "the agent's first samples all failed alike, so the rest did not run: scripted failure"
    }
    assert [sample.run_id is None for sample in samples] == [False] * 6 + [True] * 14
    assert len(performance.witness.complete) == 10
    assert all(sample.given_up for row in performance.witness.complete for sample in row.samples)


def test_an_agent_that_will_never_answer_is_given_up_on_and_not_called_busy() -> None:
    plan = plan_of(*(scenario(f"a.s{n}") for n in range(10)), concurrency=2)
    no_quota = Act(fails=TerminationReason.HTTP_ERROR, status=429, hopeless=True)
    rows, performance, _ = perform(plan, lambda *_: no_quota)
    assert len(performance.stage.asked) == 4
    samples = [sample for row in rows for sample in row.samples]
    assert all(sample.given_up for sample in samples)
    (sentence,) = advise(make_report(*rows), str)
    assert sentence == (
        "agent mock was given up on and 6 samples did not run, because its first ones all failed alike: "
        "scripted failure"
    )


def test_two_samples_that_will_never_be_answered_are_not_called_busy_either() -> None:
    no_quota = Act(fails=TerminationReason.HTTP_ERROR, status=429, hopeless=True)
    rows, _, _ = perform(plan_of(samples=2), lambda *_: no_quota)
    assert [sample.error and sample.error.status for sample in rows[0].samples] == [429, 429]
    assert advise(make_report(*rows), str) == ()


def test_a_sample_that_runs_while_its_agent_is_given_up_on_runs_to_its_end() -> None:
    plan = plan_of(*(scenario(f"a.s{n}") for n in range(10)), concurrency=2)
    slow = Act(seconds=100)
    rows, performance, seconds = perform(plan, lambda name, *_: slow if name == "a.s3" else CRASHES)
    assert "".join(map(letters, rows)) == "eeepeeeeee"
    assert seconds == 101.0
    assert len(performance.stage.asked) == 4
    assert [row.samples[0].given_up for row in rows] == [True] * 3 + [False] + [True] * 6
    assert {row.scenario_id for row in performance.witness.complete} == {row.scenario_id for row in rows}


def test_samples_that_fail_at_once_do_not_decide_over_those_that_began_before_them() -> None:
    plan = plan_of(*(scenario(f"a.s{n}") for n in range(10)), samples=2, concurrency=8)
    works = Act(seconds=2)
    rows, performance, _ = perform(plan, lambda _id, sample, _time: works if sample == 2 else QUICK_CRASH)
    assert {letters(row) for row in rows} == {"ep"}
    assert len(performance.stage.asked) == 20
    assert not any(sample.given_up for row in rows for sample in row.samples)


def test_a_connection_that_hangs_counts_in_its_turn() -> None:
    plan = plan_of(*(scenario(f"a.s{n}") for n in range(20)), concurrency=4)
    rows, _, _ = perform(plan, lambda name, *_: Act(seconds=60) if name == "a.s1" else REFUSES)
    assert letters(rows[1]) == "p"
    assert {s.termination_reason for s in rows[0].samples} == {TerminationReason.HTTP_CONNECTION_FAILED}


@pytest.mark.parametrize("concurrency", [1, 3, 8])
def test_a_single_scenario_is_not_given_up_on_while_it_can_still_pass(concurrency: int) -> None:
    plan = plan_of(scenario(), samples=9, rate="0.5", concurrency=concurrency)
    rows, _, _ = perform(plan, lambda _id, sample, _time: CRASHES if sample <= 3 else GOOD)
    assert (letters(rows[0]), rows[0].verdict) == ("eeepppppp", Verdict.PASSED)


def test_a_single_scenario_that_cannot_pass_any_more_is_given_up_on() -> None:
    rows, performance, _ = perform(plan_of(scenario(), samples=9, rate="0.5", concurrency=1), lambda *_: CRASHES)
    assert len(performance.stage.asked) == 5, "after five errors of nine, five passes are out of reach"
    assert all(sample.given_up for sample in rows[0].samples)


@pytest.mark.parametrize("concurrency", [1, 3, 8])
def test_two_broken_scenarios_hide_no_others(concurrency: int) -> None:
    plan = plan_of(*(scenario(f"a.s{n}") for n in range(10)), samples=9, concurrency=concurrency)
    rows, _, _ = perform(plan, lambda name, *_: CRASHES if name in ("a.s0", "a.s1") else GOOD)
    assert [letters(row) for row in rows] == ["e" * 9] * 2 + ["p" * 9] * 8
    assert not any(sample.given_up for row in rows for sample in row.samples)


def test_what_is_given_up_on_is_stored_again() -> None:
    plan = plan_of(*(scenario(f"a.s{n}") for n in range(6)), concurrency=1)
    rows, performance, _ = perform(plan, lambda *_: CRASHES)
    last = {(s.scenario_id, s.sample): s for s in performance.witness.kept}
    assert [last["a.s0", 1], last["a.s1", 1], last["a.s2", 1]] == [row.samples[0] for row in rows[:3]]


def test_a_scenario_that_its_agent_cannot_bear_costs_no_other_scenario() -> None:
    plan = plan_of(*(scenario(f"a.s{n}") for n in range(4)), samples=4, concurrency=1)
    rows, _, _ = perform(plan, lambda name, *_: CRASHES if name == "a.s0" else GOOD)
    assert [letters(row) for row in rows] == ["eeee", "pppp", "pppp", "pppp"]
    assert not any(sample.given_up for sample in rows[0].samples)


def test_a_crash_after_an_answer_is_no_reason_to_give_up() -> None:
    plan = plan_of(*(scenario(f"a.s{n}", steps=2) for n in range(6)), concurrency=1)
    rows, performance, _ = perform(plan, lambda _id, _sample, time: GOOD if time == 1 else CRASHES)
    assert [letters(row) for row in rows] == ["e"] * 6
    assert len(performance.stage.asked) == 12


def test_giving_up_on_a_failing_agent_leaves_the_others_alone() -> None:
    config = make_config(make_mock("broken"), make_mock("there"))
    plan = plan_of(
        *(scenario(f"a.{name}{n}", agent=name) for n in range(8) for name in ("broken", "there")),
        config=config,
        concurrency=2,
    )
    rows, _, _ = perform(plan, lambda name, *_: CRASHES if "broken" in name else GOOD)
    assert "".join(map(letters, rows)) == "ep" * 8


def test_every_sample_that_fails_is_told_when_none_is_left_to_spare() -> None:
    rows, _, _ = perform(plan_of(scenario("a.one"), scenario("a.two"), concurrency=1), lambda *_: CRASHES)
    assert [(letters(row), row.samples[0].given_up) for row in rows] == [("e", False), ("e", False)]


def test_nothing_starts_after_a_signal_that_came_before_the_run() -> None:
    performance = Performance(plan_of(samples=3), Stage(fails_on()))
    performance.interrupts._handle(signal.SIGTERM, None)
    rows, _ = run_virtually(performance.run())
    assert letters(rows[0]) == "ccc"
    assert {s.termination_reason for s in rows[0].samples} == {TerminationReason.INTERRUPTED}
    assert performance.stage.asked == []
    assert performance.interrupts.exit_code is ExitCode.SIGTERM


@pytest.mark.parametrize(
    ("seconds_left", "letters_after"),
    [(1.5, "ppc"), (30.0, "ccc")],  # what ends within the two seconds counts; what does not is cancelled
)
def test_running_samples_get_two_seconds_after_a_signal(seconds_left: float, letters_after: str) -> None:
    performance = Performance(plan_of(samples=3, concurrency=2), Stage(lambda *_: Act(seconds=seconds_left)))

    def interrupt_first(scenario_id: str, sample: int, _time: int) -> Act:
        if sample == 1:
            performance.interrupts._handle(signal.SIGINT, None)
        return Act(seconds=seconds_left)

    performance.stage.script = interrupt_first
    rows, seconds = run_virtually(performance.run())
    assert letters(rows[0]) == letters_after
    assert seconds == min(seconds_left, 2.0)


def test_a_second_signal_does_not_wait() -> None:
    performance = Performance(plan_of(samples=1), Stage(lambda *_: GOOD))

    def interrupt_twice(*_: object) -> Act:
        performance.interrupts._handle(signal.SIGINT, None)
        return Act(seconds=30)

    performance.stage.script = interrupt_twice

    async def run_and_insist() -> tuple[ScenarioResult, ...]:
        asyncio.get_running_loop().call_later(0.5, performance.interrupts._handle, signal.SIGINT, None)
        return await performance.run()

    rows, seconds = run_virtually(run_and_insist())
    assert letters(rows[0]) == "c"
    assert seconds == 0.5


def test_each_scenario_is_told_complete_once_with_all_its_samples() -> None:
    plan = plan_of(*(scenario(f"a.s{n}") for n in range(6)), samples=3, concurrency=4)
    _, performance, _ = perform(plan, lambda _id, sample, _time: Act(seconds=float(4 - sample)))
    assert sorted(row.scenario_id for row in performance.witness.complete) == [f"a.s{n}" for n in range(6)]
    assert all(len(row.samples) == 3 for row in performance.witness.complete)
    assert len(performance.witness.ended) == 18


def test_a_bug_costs_its_sample_and_is_raised_when_the_run_is_over() -> None:
    performance = Performance(
        plan_of(scenario("a.one"), scenario("a.two"), samples=2),
        Stage(lambda name, n, _time: Act(raises=RuntimeError("a bug")) if (name, n) == ("a.one", 1) else GOOD),
    )
    with pytest.RaisesGroup(pytest.RaisesExc(RuntimeError, match="a bug")):
        run_virtually(performance.run())
    ended = {(s.scenario_id, s.sample): s for s in performance.witness.ended}
    assert "".join(ended[key].status[0] for key in sorted(ended)) == "eppp"
    broken = ended["a.one", 1]
    assert broken.termination_reason is TerminationReason.TOOL_ERROR
    assert broken.error is not None
    assert broken.error.message == "a bug in agentlab: RuntimeError: a bug"


def test_nothing_is_told_of_a_sample_before_it_is_stored() -> None:
    performance = Performance(plan_of(), Stage(lambda *_: GOOD))
    performance.witness.seconds_to_store = 0.5
    _, seconds = run_virtually(performance.run())
    assert seconds == 1.5, "the run waits for the store"
    assert performance.witness.kept == performance.witness.ended


def test_a_store_that_hangs_does_not_hold_up_the_run() -> None:
    performance = Performance(plan_of(samples=3, concurrency=1), Stage(lambda *_: GOOD))
    performance.witness.seconds_to_store = 3600.0
    rows, seconds = run_virtually(performance.run())
    assert letters(rows[0]) == "ppp"
    assert seconds == 3 * (1.0 + KEEP_SECONDS)


def test_what_is_rewritten_is_stored_again() -> None:
    plan = plan_of(*(scenario(f"a.s{n}") for n in range(3)), concurrency=1)
    _, performance, _ = perform(plan, lambda *_: REFUSES)
    last = {sample.run_id: sample.termination_reason for sample in performance.witness.kept}
    assert set(last.values()) == {TerminationReason.AGENT_UNREACHABLE}
