"""The job log: its form, its folding, its annotations, and that no text in it is obeyed."""

import pytest

from agentlab_ci.core.judge import judge_scenario
from agentlab_ci.core.results import RunReport, ScenarioResult
from agentlab_ci.core.scenario import Mode
from agentlab_ci.core.trace import Evaluation, SampleError
from agentlab_ci.errors import Problem
from agentlab_ci.reports.formatting import ASCII, TEXT
from agentlab_ci.reports.log import (
    MAX_ANNOTATIONS,
    LogStyle,
    annotations,
    closing,
    problem_annotations,
    scenario_section,
)
from canned import CANNED_REPORTS, scenario
from factories import make_facts, make_report, make_row, make_samples
from golden import assert_golden
from hostile import HOSTILE_TEXTS
from runner_commands import find_commands

PLAIN = LogStyle(glyphs=TEXT)
GITHUB = LogStyle(glyphs=TEXT, github=True)


def _log(report: RunReport, style: LogStyle) -> list[str]:
    sections = [line for row in report.scenarios for line in scenario_section(row, style=style)]
    return [*sections, *(annotations(report) if style.github else []), *closing(report, style=style)]


@pytest.mark.parametrize("name", CANNED_REPORTS)
def test_log_of_every_kind_of_run(name: str) -> None:
    assert_golden(f"log/{name}.txt", "\n".join(_log(CANNED_REPORTS[name], PLAIN)) + "\n")


@pytest.mark.parametrize("name", ["below_bar", "errors_only", "single", "hostile", "baseline"])
def test_log_on_github(name: str) -> None:
    assert_golden(f"log-github/{name}.txt", "\n".join(_log(CANNED_REPORTS[name], GITHUB)) + "\n")


def test_the_form_of_a_section_and_of_the_closing_lines() -> None:
    gate = Evaluation(
        id="refund-created",
        type="tool_call_assertion",
        mode=Mode.HARD_GATE,
        passed=False,
        message='no call to orders.refund with {"order_id": "ord_1024"}',
    )
    samples = [s.model_copy(update={"duration_ms": 900 + 300 * (s.sample % 2)}) for s in make_samples("pfp")]
    samples[1] = samples[1].model_copy(update={"evaluations": (gate,)})
    row = judge_scenario(make_facts("support.refund-correct-order", name="Refund The Correct Order"), samples)
    report = make_report(row, make_row("ppp"), make_row("pfp"), make_row("fff", "support.cancel"))
    assert scenario_section(row, style=GITHUB) == [
        "::group::✓ support.refund-correct-order · Refund The Correct Order · 2/3 passed, needs 2 · flaky",
        "  sample 1/3 ✓ passed   1.2s  run_1",
        "  sample 2/3 ✗ failed   0.9s  run_2",
        '      refund-created (hard_gate): no call to orders.refund with {"order_id": "ord_1024"}',
        "  sample 3/3 ✓ passed   1.2s  run_3",
        "::endgroup::",
    ]
    assert closing(report, style=GITHUB) == [
        "12 samples: 7 passed, 5 failed · 1/4 scenarios failed",
        "pass@3 3/4 (0.75), pass^3 1/4 (0.25)",
        "batch: batch_20260407_001230_9x2c",
        "✗ 1 of 4 scenarios finished below the bar: support.cancel",
    ]


def test_ascii_output_has_no_other_character() -> None:
    lines = _log(CANNED_REPORTS["single"], LogStyle(glyphs=ASCII))
    assert "\n".join(lines).isascii()


def test_an_annotation_stands_on_the_scenarios_own_line() -> None:
    report = make_report(
        scenario("fpf", "support.cancel", file="sce:na,rios/a%.yaml", line=7), scenario("ppf", "support.refund")
    )
    (command,) = annotations(report)
    assert command == (
        "::error file=sce%3Ana%2Crios/a%25.yaml,line=7,title=support.cancel · 1/3 passed%2C needs 2 · flaky::"
        'sample 1/3 failed: step 2 names-tracking (hard_gate): missing "tracking"%0A'
        'sample 3/3 failed: step 2 names-tracking (hard_gate): missing "tracking"'
    )


@pytest.mark.parametrize(
    ("prefix", "file", "shown"),
    [
        ("", "scenarios/a.yaml", "scenarios/a.yaml"),
        ("apps/shop/", "scenarios/a.yaml", "apps/shop/scenarios/a.yaml"),
        ("apps/shop/", "../shared/a.yaml", "apps/shared/a.yaml"),
        ("apps/shop/", "/github/workspace/a.yaml", "/github/workspace/a.yaml"),
    ],
)
def test_annotated_files_are_relative_to_the_workspace(prefix: str, file: str, shown: str) -> None:
    (command,) = annotations(make_report(make_row("f", file=file, line=3)), prefix=prefix)
    assert command.startswith(f"::error file={shown},line=3,title=")
    (command,) = problem_annotations([Problem(path=file, line=3, message="no")], prefix=prefix)
    assert command == f"::error file={shown},line=3,title=agentlab::no"


def test_each_problem_is_annotated_on_its_place() -> None:
    problems = [
        Problem(path="a,b.yaml", line=2, column=5, where="steps[0]", message="unknown key `mesage`"),
        Problem(path="", message="50% of\nnothing"),
    ]
    assert problem_annotations(problems) == [
        "::error file=a%2Cb.yaml,line=2,col=5,title=agentlab::steps[0]: unknown key `mesage`",
        r"::error title=agentlab::50%25 of\nnothing",
    ]


@pytest.mark.parametrize(("problems", "commands"), [(0, 0), (8, 8), (9, 9), (30, 9)])
def test_the_problems_beyond_what_the_runner_keeps_are_counted(problems: int, commands: int) -> None:
    given = problem_annotations([Problem(path="a.yaml", line=n, message="no") for n in range(1, problems + 1)])
    assert len(given) == commands
    if problems > MAX_ANNOTATIONS:
        assert f"{problems - MAX_ANNOTATIONS} more problem" in given[-1]


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_a_hostile_problem_is_one_annotation(text: str) -> None:
    given = problem_annotations([Problem(path=text, where=text, message=text)])
    assert find_commands("\n".join(given)) == ["error"]


def test_an_imported_scenario_is_annotated_without_a_place() -> None:
    (command,) = annotations(make_report(scenario("f", "a.b", file=None, line=None)))
    assert command.startswith("::error title=B (a.b) · failed::sample 1/1 failed: ")


def test_what_does_not_gate_is_not_annotated() -> None:
    assert annotations(CANNED_REPORTS["not_gating"]) == []
    assert annotations(CANNED_REPORTS["unfinished"]) == []


@pytest.mark.parametrize(("below", "commands"), [(1, 1), (8, 8), (9, 9), (30, 9)])
def test_the_runner_keeps_ten_annotations_so_the_rest_is_summed_up(below: int, commands: int) -> None:
    report = make_report(*(make_row("fff", f"a.{n}") for n in range(below)))
    given = annotations(report)
    assert len(given) == commands
    if below > MAX_ANNOTATIONS:
        assert given[-1].startswith("::error title=agentlab::")
        assert f"{below - MAX_ANNOTATIONS} more scenario" in given[-1]
        assert "a.8" in given[-1]


def test_many_bad_samples_are_counted_in_the_annotation() -> None:
    (command,) = annotations(make_report(make_row("f" * 9)))
    assert command.endswith("sample 5/9 failed: evaluator_failed%0Aand 4 more")


def _interrupted(outcomes: str) -> ScenarioResult:
    """Return a scenario whose cancelled samples never began."""
    samples = [s.model_copy(update={"run_id": None}) if s.sample > 1 else s for s in make_samples(outcomes)]
    return judge_scenario(make_facts(samples_wanted=len(outcomes)), samples)


def test_samples_that_never_ran_are_one_line() -> None:
    row = _interrupted("p" + "c" * 199)
    assert scenario_section(row, style=PLAIN)[1:] == [
        "  sample 1/200 ✓ passed   run_1",
        "  samples 2–200/200 – not run: run deadline",
    ]
    assert scenario_section(row, style=LogStyle(glyphs=ASCII))[2] == "  samples 2-200/200 - not run: run deadline"


def test_an_agent_that_is_not_reached_is_told_once() -> None:
    refused, gone = SampleError(message="refused"), SampleError(message="the rest did not run")
    samples = [
        sample.model_copy(update={"error": refused} if sample.sample < 4 else {"error": gone, "run_id": None})
        for sample in make_samples("u" * 9)
    ]
    row = judge_scenario(make_facts(samples_wanted=9), samples)
    assert scenario_section(row, style=PLAIN)[1:] == [
        "  sample 1/9 ! error    run_1",
        "      agent_unreachable: refused",
        "  sample 2/9 ! error    run_2",
        "  sample 3/9 ! error    run_3",
        "  samples 4–9/9 ! not run: agent_unreachable: the rest did not run",
    ]
    (command,) = annotations(make_report(row))
    assert command.endswith(
        "::samples 1–3/9 error: agent_unreachable: refused%0A"
        "samples 4–9/9 error: agent_unreachable: the rest did not run"
    )


def test_only_our_own_commands_are_obeyed() -> None:
    report = CANNED_REPORTS["hostile"]
    assert find_commands("\n".join(_log(report, PLAIN))) == []
    obeyed = find_commands("\n".join(_log(report, GITHUB)))
    rows = len(report.scenarios)
    assert obeyed == ["group", "endgroup"] * rows + ["error"] * (MAX_ANNOTATIONS + 1)


def test_lines_are_of_bearable_length() -> None:
    long = make_facts(name="n" * 100_000)
    for line in scenario_section(judge_scenario(long, make_samples("fff")), style=PLAIN):
        assert len(line) <= 1000


def test_a_step_by_step_log_stops_where_the_run_stopped() -> None:
    row = scenario("f", "internal-teams.memory", name="Memory", steps=3)
    assert scenario_section(row, style=PLAIN) == [
        "✗ internal-teams.memory · Memory · failed",
        "  run internal-teams.memory — FAIL",
        "  agent: shop assistant (http://localhost:3000/api/chat)",
        "  turns completed: 2/3",
        "  step 1: pass (greets ✓)",
        "  step 2: fail (names-tracking ✗)",
        '      names-tracking (hard_gate): missing "tracking"',
        "  run stopped (evaluator_failed)",
        "  run id: run_1   1.1s",
    ]
