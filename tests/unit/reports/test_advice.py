"""What is said of an agent that was given up on, and of one that was asked too much."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.judge import judge_scenario
from agentlab_ci.core.results import RunReport, SampleResult
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.trace import EventKind, SampleError, TraceEvent, Wait
from agentlab_ci.reports.advice import LONG_WAITS, advise, last_words
from agentlab_ci.reports.comment import render_comment
from agentlab_ci.reports.formatting import TEXT
from agentlab_ci.reports.log import LogStyle, closing, scenario_section
from canned import AGENT, CANNED_REPORTS
from factories import make_facts, make_report, make_samples
from github_markdown import to_html
from hostile import HOSTILE_TEXTS
from runner_commands import find_commands

PLAIN = LogStyle(glyphs=TEXT)
START = "2026-04-07T00:00:{:06.3f}+00:00"


def report_of(samples: Sequence[SampleResult], **facts: Any) -> RunReport:
    known: dict[str, Any] = {"agent": AGENT, "samples_wanted": len(samples)} | facts
    return make_report(judge_scenario(make_facts(**known), samples))


def timed(letters: str, *times: tuple[float, float]) -> list[SampleResult]:
    """Return samples that start at a second and take so many."""
    return [
        sample.model_copy(update={"started_at": START.format(start), "duration_ms": took * 1000})
        for sample, (start, took) in zip(make_samples(letters), times, strict=True)
    ]


def waiting(sample: SampleResult, *seconds: float, status: int = 429, model: str | None = None) -> SampleResult:
    waits = tuple(
        Wait(seconds=each, status=status, attempt=n, model=model) for n, each in enumerate(seconds, start=1)
    )
    return sample.model_copy(update={"waits": waits})


def refused(sample: SampleResult) -> SampleResult:
    error = SampleError(message="the agent is busy: HTTP 429 after 120 s of waiting", status=429)
    return sample.model_copy(update={"error": error})


AT_ONCE = [(0.0, 50.0)] * 8


def test_long_waits_end_in_a_sentence_with_half_of_what_ran_at_once() -> None:
    samples = [waiting(sample, 5.0, 7.0) for sample in timed("pppppppp", *AT_ONCE)]
    (sentence,) = advise(report_of(samples), str)
    assert sentence == (
        "agent shop got too many requests (HTTP 429): its samples waited 1m 36s in all; up to 8 ran at once: "
        "try `--concurrency 4`, or `max_concurrency: 4` for this agent in the config"
    )


def test_samples_that_got_no_answer_end_in_it_too() -> None:
    samples = timed("ppe", (0, 9), (0, 9), (0, 9))
    samples[2] = refused(waiting(samples[2], 3.0))
    (sentence,) = advise(report_of(samples), str)
    assert sentence.startswith(
        "agent shop got too many requests (HTTP 429): its samples waited 3.0s in all and 1 sample got no answer; "
        "up to 3 ran at once: try `--concurrency 1`, "
    )


def test_an_agent_that_asked_for_too_long_a_wait_was_never_waited_for() -> None:
    samples = [refused(sample) for sample in timed("ee", (0, 9), (1, 9))]
    (sentence,) = advise(report_of(samples), str)
    assert "(HTTP 429): 2 samples got no answer; up to 2 ran at once: try `--concurrency 1`, " in sentence


def test_less_than_one_at_a_time_cannot_be_suggested() -> None:
    one_after_the_other = [(0.0, 10.0), (10.0, 10.0005), (20.0, 9.0)]  # an end is rounded up into the next start
    samples = [waiting(sample, 30.0) for sample in timed("ppp", *one_after_the_other)]
    (sentence,) = advise(report_of(samples), str)
    assert sentence.endswith(
        ": its samples waited 1m 30s in all, although no two ran at once; take fewer samples, or raise its quota"
    )


@pytest.mark.parametrize("others", [0, 4])
def test_one_sample_that_got_no_answer_has_a_sentence_of_its_own_where_there_is_no_other(others: int) -> None:
    samples = timed("p" * others + "e", *[(10.0 * n, 9.0) for n in range(others + 1)])
    samples[-1] = refused(samples[-1])
    (sentence,) = advise(report_of(samples), str)
    said = ", although no two ran at once; take fewer samples, or raise its quota"
    alone = "; run again later, or raise its quota"
    assert sentence.endswith(f"(HTTP 429): 1 sample got no answer{said if others else alone}")


@pytest.mark.parametrize(
    "samples",
    [
        timed("pppppppp", *AT_ONCE),
        [waiting(sample, (LONG_WAITS - 1) / 8) for sample in timed("pppppppp", *AT_ONCE)],  # short waits work
        [waiting(sample, 30.0, status=503) for sample in timed("pppp", *AT_ONCE[:4])],  # it may just be starting
        [waiting(sample, LONG_WAITS, model="judge") for sample in timed("pppp", *AT_ONCE[:4])],  # not the agent
        [waiting(sample, 30.0) for sample in make_samples("pppp")],  # nobody knows how many ran at once
        [sample.model_copy(update={"started_at": "soon"}) for sample in make_samples("pppp")],
    ],
)
def test_what_is_no_reason_for_advice(samples: list[SampleResult]) -> None:
    assert advise(report_of(samples), str) == ()


@pytest.mark.parametrize("name", CANNED_REPORTS)
def test_no_other_run_gets_advice(name: str) -> None:
    assert advise(CANNED_REPORTS[name], str) == ()
    assert last_words(CANNED_REPORTS[name]) == []


def test_each_agent_has_its_own_sentence() -> None:
    samples = [waiting(sample, 40.0) for sample in timed("pp", (0, 50), (0, 50))]
    other = AGENT.model_copy(update={"name": "desk"})
    rows = [
        judge_scenario(make_facts(scenario_id, agent=agent, samples_wanted=2), samples)
        for scenario_id, agent in (("a.b", AGENT), ("a.c", other))
    ]
    assert [sentence.split(" ")[1] for sentence in advise(make_report(*rows), str)] == ["shop", "desk"]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 60)), min_size=1, max_size=12))
@settings(derandomize=True, deadline=None)
def test_what_is_suggested_is_at_most_half_of_what_ran_at_once(times: list[tuple[int, int]]) -> None:
    most = max(sum(start <= second < start + took for start, took in times) for second in range(110))
    samples = [waiting(sample, 60.0) for sample in timed("p" * len(times), *times)]
    (sentence,) = advise(report_of(samples), str)
    assert f"up to {most} ran at once: try `--concurrency {most // 2}`" in sentence or most == 1


CRASH = SampleError(
    message="`agent`: it ended with code 1 before its final answer",
    body="\n".join(
        ["Traceback (most recent call last):", *(f"  line {n}" for n in range(20)), "KeyError: 'TOKEN'"]
    ),
)
SPARED = SampleError(
    message=f"the agent's first samples all failed alike, so the rest did not run: {CRASH.message}"
)


def given_up(letters: str, *, ran: int, error: SampleError = CRASH) -> list[SampleResult]:
    """Return samples that all failed alike, and of which so many ran."""
    update = {"termination_reason": TerminationReason.AGENT_ERROR, "given_up": True}
    return [
        sample.model_copy(
            update=update | ({"error": error} if sample.sample <= ran else {"error": SPARED, "run_id": None})
        )
        for sample in make_samples(letters)
    ]


def test_an_agent_that_was_given_up_on_is_named_with_what_it_said_last() -> None:
    report = report_of(given_up("eeeee", ran=3))
    named = "agent shop was given up on and 2 samples did not run, because its first ones all failed alike: "
    assert closing(report, style=PLAIN) == [
        "last words of shop:",
        *(f"    line {n}" for n in range(11, 20)),
        "  KeyError: 'TOKEN'",
        "5 samples: 5 errors · 1/1 scenario could not be judged",
        f"{named}{CRASH.message}",
        "batch: batch_20260407_001230_9x2c",
        "! 1 of 1 scenario could not be judged: billing.refund",
    ]


def test_of_a_page_the_beginning_is_shown() -> None:
    page = SampleError(
        message="POST u answered HTTP 404", status=404, body="\n".join(f"<p>{n}" for n in range(20))
    )
    assert last_words(report_of(given_up("eeee", ran=3, error=page)))[:2] == ["last words of shop:", "  <p>0"]


def test_the_last_words_are_said_once_and_not_in_every_section() -> None:
    row = report_of(given_up("eeeee", ran=3)).scenarios[0]
    assert scenario_section(row, style=PLAIN)[1:] == [
        "  sample 1/5 ! error    run_1",
        f"      agent_error: {CRASH.message}",
        "  sample 2/5 ! error    run_2",
        "  sample 3/5 ! error    run_3",
        f"  samples 4–5/5 ! not run: agent_error: {SPARED.message}",
    ]


def test_it_takes_no_part_in_pass_at_k() -> None:
    report = report_of(given_up("eeeee", ran=5))
    assert report.summary.pass_at_k == ()


def test_an_agent_without_a_word_is_named_all_the_same() -> None:
    report = report_of(given_up("eeee", ran=3, error=CRASH.model_copy(update={"body": None})))
    assert last_words(report) == []
    assert len(advise(report, str)) == 1


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_hostile_last_words_are_text(text: str) -> None:
    error = SampleError(message=text, body=text)
    agent = AGENT.model_copy(update={"name": text})
    report = report_of(given_up("eeee", ran=3, error=error), agent=agent)
    assert find_commands("\n".join(closing(report, style=PLAIN))) == []
    shown = to_html(render_comment(report, marker="<!-- -->", links=None, run_url=None))
    assert shown.count("<h3>") == shown.count("<table>") == shown.count("<details") == 1
    assert shown.count("<script") == 0


def test_waits_that_a_profile_made_ask_for_no_fewer_samples() -> None:
    samples = [waiting(sample, LONG_WAITS) for sample in timed("pppppppp", *AT_ONCE)]
    assert advise(report_of(samples), str)
    fault = TraceEvent(at_ms=0, kind=EventKind.FAULT, text="status 429")
    made = [sample.model_copy(update={"trace": (fault,)}) for sample in samples]
    assert advise(report_of(made), str) == ()
