"""Simulations in every report: what was asked for, once, and of each sample the judge's reason and the talk."""

import re

import pytest
from lxml import etree

from agentlab_ci.core.formats import JUnitStyle
from agentlab_ci.core.results import RunReport, SampleResult, ScenarioResult
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.stored import StoredRun
from agentlab_ci.core.trace import Evaluation, Role, Turn, Usage
from agentlab_ci.reports.comment import COMMENT_LIMIT, render_comment
from agentlab_ci.reports.evidence import describe_sample
from agentlab_ci.reports.excerpt import excerpt
from agentlab_ci.reports.formatting import TEXT
from agentlab_ci.reports.junit import render_junit
from agentlab_ci.reports.log import LogStyle, scenario_section
from agentlab_ci.reports.markdown import render_report
from agentlab_ci.reports.reasons import explain_sample
from agentlab_ci.reports.show_batch import batch_lines
from agentlab_ci.reports.show_run import run_lines
from agentlab_ci.reports.simulation import brief_of
from agentlab_ci.reports.summary import SUMMARY_LIMIT, render_summary
from canned import BRIEF, hostile_simulation, scenario, simulation_scenario, task_scenario
from factories import make_report, make_samples
from hostile import HOSTILE_TEXTS
from pages import LINKS, MARKER, RUN_URL
from runner_commands import find_commands

EXPECTED = BRIEF.expected or ""
STYLE = LogStyle(glyphs=TEXT)
SAID_NOTHING = {"turns": (), "trace": (), "final_output": None}


def _comment(report: RunReport) -> str:
    return render_comment(report, marker=MARKER, links=LINKS, run_url=RUN_URL)


def _summary(report: RunReport) -> str:
    return render_summary(report, links=LINKS, run_url=RUN_URL)


def _log(report: RunReport) -> str:
    return "\n".join(line for row in report.scenarios for line in scenario_section(row, style=STYLE))


def _junit(report: RunReport) -> str:
    return render_junit(report, style=JUnitStyle.SAMPLES).decode()


SURFACES = [render_report, _comment, _summary, _log, _junit]


@pytest.mark.parametrize("surface", SURFACES)
def test_each_surface_says_once_what_was_expected_and_of_each_failure_why(surface: object) -> None:
    assert callable(surface)
    shown = surface(make_report(simulation_scenario("a.b", "missed", "met", "missed")))
    assert shown.count("You were charged twice for order 1024.") == 1
    assert shown.count(EXPECTED) == 1
    assert shown.count("I have noted your complaint.") >= 1
    assert re.search("judge: not met: `?No charge was refunded", shown)


@pytest.mark.parametrize("surface", [render_report, _junit])
def test_a_sample_that_passed_has_the_reason_of_the_judge_and_what_was_said(surface: object) -> None:
    assert callable(surface)
    shown = surface(make_report(simulation_scenario("a.b", "met")))
    assert re.search("judge: met: `?One charge was refunded", shown)
    assert "Anything else?" in shown


@pytest.mark.parametrize(
    "row", [scenario("pf", "a.b", brief=BRIEF), task_scenario("a.c", "refunded", "forbidden", brief=BRIEF)]
)
def test_other_types_show_no_brief_and_no_transcript_of_what_passed(row: ScenarioResult) -> None:
    assert brief_of(row) == ()
    shown = render_report(make_report(row))
    assert EXPECTED not in shown
    assert shown.count("<summary>Transcript</summary>") == 1


def test_a_failed_sample_without_a_transcript_has_no_line_for_it() -> None:
    row = simulation_scenario("a.b", "missed")
    without = row.model_copy(update={"samples": (row.samples[0].model_copy(update=SAID_NOTHING),)})
    assert _log(make_report(row)).splitlines()[-1].startswith("        agent: I have noted")
    assert _log(make_report(without)).splitlines()[-1].startswith("      judge: not met: ")


def test_what_is_not_known_of_a_brief_is_left_out() -> None:
    row = simulation_scenario("a.b", "met", brief=BRIEF.model_copy(update={"instructions": None}))
    assert [exhibit.title for exhibit in brief_of(row)] == ["Expected"]
    assert brief_of(simulation_scenario("a.b", "met", brief=None)) == ()
    assert brief_of(None) == ()


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (TerminationReason.JUDGE_ERROR, "judge_error: the judge could not be used"),
        (TerminationReason.SIMULATOR_ERROR, "simulator_error: the user could not be played"),
        (TerminationReason.HTTP_ERROR, "http_error"),
    ],
)
def test_what_went_wrong_beside_the_agent_has_words_of_its_own(reason: TerminationReason, words: str) -> None:
    sample = make_samples("e")[0].model_copy(update={"termination_reason": reason})
    assert explain_sample(sample) == (words,)


def test_what_came_instead_is_not_taken_for_the_agents() -> None:
    judge, user = simulation_scenario("a.b", "no_judge", "no_user").samples
    assert "instead of a judgement:\nIt depends." in describe_sample(judge)
    assert excerpt(user) == "instead of the user's message: out of memory"


def _with_turns(*numbers: int) -> SampleResult:
    turns = tuple(Turn(role=Role.USER if n % 2 else Role.AGENT, text=f"turn {n} " + "x" * 999) for n in numbers)
    return make_samples("f")[0].model_copy(update={"turns": turns})


def test_an_excerpt_is_of_the_end_and_counts_what_is_before() -> None:
    lines = excerpt(_with_turns(*range(1, 11)), turns=6, turn_bytes=60).split("\n")
    assert lines[0] == "… [4 earlier turns left out]"
    assert [line[: line.index(" x")] for line in lines[1:]] == [
        f"{'user' if n % 2 else 'agent'}: turn {n}" for n in range(5, 11)
    ]
    assert all(len(line) < 80 for line in lines)
    assert "left out" not in excerpt(make_samples("f")[0].model_copy(update={"turns": _with_turns(1).turns[:0]}))


def test_a_log_shows_all_turns_of_a_simulation_of_usual_length() -> None:
    row = simulation_scenario("a.b", "missed")
    (sample,) = row.samples
    long = sample.model_copy(update={"turns": _with_turns(*range(1, 21)).turns})
    shown = scenario_section(row.model_copy(update={"samples": (long,)}), style=STYLE)
    assert sum("turn " in line for line in shown) == 20
    assert not any("left out]" in line and "earlier" in line for line in shown)


def test_sizes_stay_bounded() -> None:
    brief = BRIEF.model_copy(update={"instructions": "i" * 60_000, "expected": "e\n" * 30_000})
    rows = []
    for number in range(40):
        row = simulation_scenario(f"a.b{number}", *["missed"] * 9, brief=brief)
        talk = tuple(Turn(role=Role.AGENT, text="said " * 10_000) for _ in range(20))
        samples = tuple(sample.model_copy(update={"turns": talk}) for sample in row.samples)
        rows.append(row.model_copy(update={"samples": samples}))
    report = make_report(*rows)
    assert len(_comment(report).encode("utf-16-le")) // 2 <= COMMENT_LIMIT
    assert len(_summary(report).encode()) <= SUMMARY_LIMIT
    assert "#### ❌" in _comment(report)  # not so long that no scenario fits
    assert len(_log(report)) < 40 * 9 * 20 * 600


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_no_text_of_a_simulation_is_a_command_in_the_log(text: str) -> None:
    row = hostile_simulation(0, text)
    run = StoredRun(batch=make_report(row), variant=None, row=row, sample=row.samples[0])
    assert not find_commands("\n".join([*scenario_section(row, style=STYLE), *run_lines(run, TEXT)]))


def test_what_played_and_judged_is_counted_apart_from_the_agent() -> None:
    row = simulation_scenario("a.b", "met")
    run = StoredRun(batch=make_report(row), variant=None, row=row, sample=row.samples[0])
    facts = [line.split(maxsplit=1) for line in run_lines(run, TEXT)]
    assert ["usage", "300 input tokens, 40 output tokens, $0.001"] in facts
    assert ["simulator", "500 input tokens, 30 output tokens, $0.002"] in facts
    assert ["judge", "700 input tokens, 20 output tokens, $0.003"] in facts
    batch = [line.split(maxsplit=1) for line in batch_lines(make_report(row), TEXT)]
    assert ["cost", "$0.001"] in batch
    assert ["simulation", "$0.005 for simulator and judge"] in batch
    free = row.samples[0].model_copy(update={"simulator_usage": None, "judge_usage": Usage()})
    told = run_lines(StoredRun(batch=make_report(row), variant=None, row=row, sample=free), TEXT)
    assert not any(line.startswith(("  simulator", "  judge")) for line in told)


def test_a_run_shows_its_brief_before_what_happened() -> None:
    row = simulation_scenario("a.b", "missed")
    lines = run_lines(StoredRun(batch=make_report(row), variant=None, row=row, sample=row.samples[0]), TEXT)
    places = [lines.index(part) for part in ("instructions", "expected", "evaluations", "what happened")]
    assert places == sorted(places)
    assert f"  {EXPECTED}" in lines
    assert "  ✗ judge: not met: No charge was refunded." in lines


def test_a_check_that_failed_beside_the_judge_keeps_its_name() -> None:
    sample = simulation_scenario("a.b", "vetoed").samples[0]
    assert sample.status is SampleStatus.FAILED
    assert explain_sample(sample) == ('no-card-number (hard_gate): found "4111"',)


def test_a_judge_by_any_id_is_known_by_its_type() -> None:
    row = simulation_scenario("a.b", "missed")
    (sample,) = row.samples
    named = tuple(e.model_copy(update={"id": "grader"}) if e.type == "judge" else e for e in sample.evaluations)
    assert explain_sample(sample.model_copy(update={"evaluations": named})) == (
        "judge: not met: No charge was refunded.",
    )
    assert isinstance(named[-1], Evaluation)


def test_a_suite_of_junit_says_at_its_end_what_was_expected() -> None:
    root = etree.fromstring(_junit(make_report(simulation_scenario("a.b", "met"), scenario("p", "a.c"))).encode())
    played, other = root
    assert [child.tag for child in played] == ["properties", "testcase", "system-out"]
    assert played.findtext("system-out") == f"Instructions:\n{BRIEF.instructions}\n\nExpected:\n{EXPECTED}"
    assert other.find("system-out") is None
