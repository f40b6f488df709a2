import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.action.inputs import INPUTS, OF_A_RUN, read_inputs
from agentlab_ci.core.formats import FileFormat, JUnitStyle
from agentlab_ci.core.gate import FailOn
from agentlab_ci.core.sampling import PassRate
from agentlab_ci.errors import BadInputError
from agentlab_ci.publish.sticky import CommentMode
from agentlab_ci.settings import ReportSettings, RunSettings


def test_without_any_input_a_run_is_that_of_the_command_line() -> None:
    inputs = read_inputs({})
    assert inputs.problems == ()
    assert inputs.run == RunSettings()
    assert (inputs.working_directory, inputs.comment, inputs.comment_key) == (".", CommentMode.AUTO, None)
    assert inputs.from_livekit is None
    assert (inputs.step_summary, inputs.annotations) == (True, True)
    assert (inputs.localhost_gateway, inputs.allow_untrusted_code) == (False, False)
    assert (inputs.wait_for_url, inputs.wait_seconds) == (None, 60)
    assert (inputs.pr_number, inputs.github_token) == (None, None)


def test_every_input_of_a_run_reaches_its_setting() -> None:
    given = {
        "SCENARIOS": "scenarios/a, b.yaml\n\n  more/*.yaml  ",
        "CONFIG": "ci.yaml",
        "IDS": "support.*, billing.refund\ntravel.seat",
        "SUITE": "support",
        "SUITE-DEF": "smoke",
        "TAG": "fast,slow",
        "AGENT": "mine",
        "VARIANT-SET": "models",
        "SAMPLES": "3",
        "PASS-RATE": "0.60",
        "STOP-WHEN-SETTLED": "yes",
        "CONCURRENCY": "4",
        "TIMEOUT": "12.5",
        "REQUIRE-FINISHED": "TRUE",
        "BASELINE": "ci/baseline.json",
        "FAIL-ON": "never",
        "REPORT-DIR": "out",
        "FORMAT": "json, md",
        "JUNIT-STYLE": "scenarios",
        "WORKING-DIRECTORY": "service",
        "COMMENT": "on-failure",
        "COMMENT-KEY": "linux",
        "PR-NUMBER": "7",
        "STEP-SUMMARY": "no",
        "ANNOTATIONS": "0",
        "WAIT-FOR-URL": "http://localhost:3000/health",
        "WAIT-SECONDS": "90",
        "LOCALHOST-GATEWAY": "1",
        "ALLOW-UNTRUSTED-CODE": "True",
        "GITHUB-TOKEN": "canary-token",
    }
    inputs = read_inputs({f"INPUT_{name}": text for name, text in given.items()})
    assert {name.lower() for name in given} == INPUTS.keys() - {"from-livekit"}
    assert inputs.problems == ()
    assert inputs.run == RunSettings(
        scenario_paths=("scenarios/a, b.yaml", "more/*.yaml"),
        config_file="ci.yaml",
        ids=("support.*", "billing.refund", "travel.seat"),
        suite="support",
        suite_def="smoke",
        tags=("fast", "slow"),
        agent="mine",
        variant_set="models",
        samples=3,
        stop_when_settled=True,
        concurrency=4,
        timeout=12.5,
        annotate=False,
        report=ReportSettings(
            report_dir="out",
            formats=(FileFormat.JSON, FileFormat.MARKDOWN),
            junit_style=JUnitStyle.SCENARIOS,
            require_finished=True,
            baseline="ci/baseline.json",
            fail_on=FailOn.NEVER,
            pass_rate=PassRate("0.60"),
        ),
    )
    assert (inputs.working_directory, inputs.comment, inputs.comment_key) == ("service", "on-failure", "linux")
    assert (inputs.pr_number, inputs.step_summary, inputs.annotations) == (7, False, False)
    assert (inputs.wait_for_url, inputs.wait_seconds) == ("http://localhost:3000/health", 90)
    assert (inputs.localhost_gateway, inputs.allow_untrusted_code) == (True, True)
    assert inputs.github_token == "canary-token"
    assert "canary-token" not in repr(inputs)


@pytest.mark.parametrize(
    "environ",
    [
        {"INPUT_PASS-RATE": "0.9"},  # as the runner passes it
        {"INPUT_PASS_RATE": "0.9"},  # as an `env:` block can name it
        {"INPUT_PASS-RATE": " 0.9\n", "INPUT_PASS_RATE": "0.1"},
        {"INPUT_PASS-RATE": "", "INPUT_PASS_RATE": "0.9"},
    ],
)
def test_a_name_may_have_hyphens_or_underscores(environ: dict[str, str]) -> None:
    assert read_inputs(environ).run.report.pass_rate == PassRate("0.9")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("samples", "0", "'0' is not a whole number from 1 to 1000"),
        ("samples", "1001", "'1001' is not a whole number from 1 to 1000"),
        ("samples", "3.0", "'3.0' is not a whole number from 1 to 1000"),
        ("samples", "³", "'³' is not a whole number from 1 to 1000"),
        ("samples", "9" * 5000, "is not a whole number from 1 to 1000"),
        ("concurrency", "-1", "'-1' is not a whole number of at least 1"),
        ("pass-rate", "75%", "a pass rate is a decimal above 0 and at most 1"),
        ("timeout", "0", "'0' is not a number of seconds above 0"),
        ("timeout", "inf", "'inf' is not a number of seconds above 0"),
        ("timeout", "nan", "'nan' is not a number of seconds above 0"),
        ("stop-when-settled", "on", "'on' is none of true, 1, yes, false, 0, no"),
        ("fail-on", "always", "'always' is none of below-bar, regression, never"),
        ("format", "md,pdf", "'pdf' is none of md, junit, json"),
        ("comment", "yes", "'yes' is none of auto, on-failure, never"),
        ("wait-for-url", "localhost:3000", "`wait-for-url`: the url is no http:// or https:// address"),
    ],
)
def test_what_cannot_be_read_is_named_and_has_its_default(name: str, text: str, said: str) -> None:
    inputs = read_inputs({f"INPUT_{name.upper()}": text})
    (problem,) = inputs.problems
    assert problem.startswith(f"input `{name}`: ")
    assert said in problem
    assert inputs.run == RunSettings()
    with pytest.raises(BadInputError, match=f"input `{name}`"):
        inputs.check()


def test_all_problems_are_told_at_once_and_the_rest_is_read() -> None:
    inputs = read_inputs(
        {"INPUT_SAMPLES": "many", "INPUT_COMMENT": "loud", "INPUT_COMMENT-KEY": "k", "INPUT_WAIT-SECONDS": "5"}
    )
    with pytest.raises(BadInputError) as told:
        inputs.check()
    assert str(told.value).splitlines() == [
        "input `samples`: 'many' is not a whole number from 1 to 1000",
        "input `comment`: 'loud' is none of auto, on-failure, never",
        "input `wait-seconds` does nothing without `wait-for-url`",
    ]
    assert inputs.comment_key == "k"


def test_a_default_that_the_runner_passes_is_no_wish() -> None:
    environ = {f"INPUT_{name.upper()}": kind.default for name, kind in INPUTS.items()}
    assert read_inputs(environ) == read_inputs({})
    assert read_inputs(environ | {"INPUT_FROM-LIVEKIT": "run.json"}).problems == ()


OF_EXPORTS = {
    "working-directory": "service",
    "pass-rate": "0.60",
    "require-finished": "true",
    "baseline": "ci/baseline.json",
    "fail-on": "regression",
    "report-dir": "out",
    "format": "json",
    "junit-style": "scenarios",
    "comment": "on-failure",
    "comment-key": "livekit",
    "pr-number": "7",
    "step-summary": "false",
    "annotations": "false",
    "allow-untrusted-code": "true",
    "github-token": "canary-token",
}
"""Inputs that say what becomes of results, whoever has made them."""
OF_RUNS = {
    "scenarios": "scenarios/",
    "config": "ci.yaml",
    "ids": "support.*",
    "suite": "support",
    "suite-def": "smoke",
    "tag": "fast",
    "agent": "mine",
    "variant-set": "models",
    "samples": "3",
    "stop-when-settled": "false",  # it says something: the config's may be true
    "concurrency": "4",
    "timeout": "12.5",
    "wait-for-url": "http://localhost:3000/health",
    "wait-seconds": "90",
    "localhost-gateway": "true",
}


def test_inputs_of_results_reach_their_settings_beside_an_export() -> None:
    inputs = read_inputs(
        {f"INPUT_{n.upper()}": text for n, text in {"from-livekit": "a/run.json", **OF_EXPORTS}.items()}
    )
    assert inputs.problems == ()
    assert inputs.from_livekit == "a/run.json"
    assert inputs.run.report == ReportSettings(
        report_dir="out",
        formats=(FileFormat.JSON,),
        junit_style=JUnitStyle.SCENARIOS,
        require_finished=True,
        baseline="ci/baseline.json",
        fail_on=FailOn.REGRESSION,
        pass_rate=PassRate("0.60"),
    )


def test_inputs_of_a_run_are_refused_beside_an_export_all_at_once() -> None:
    environ = {f"INPUT_{name.upper()}": text for name, text in OF_RUNS.items()}
    inputs = read_inputs(environ | {"INPUT_FROM-LIVEKIT": "run.json"})
    assert list(inputs.problems) == [f"input `{name}` does nothing with `from-livekit`" for name in OF_RUNS]
    assert read_inputs(environ).problems == ()


def test_every_input_is_one_of_a_run_or_of_results() -> None:
    assert OF_RUNS.keys() == OF_A_RUN
    assert {*OF_RUNS, *OF_EXPORTS, "from-livekit"} == INPUTS.keys()


@pytest.mark.parametrize("name", OF_RUNS)
def test_what_cannot_be_read_beside_an_export_is_named_once(name: str) -> None:
    environ = {f"INPUT_{name.upper()}": ",", "INPUT_FROM-LIVEKIT": "run.json"}
    assert len(read_inputs(environ).problems) == 1


@pytest.mark.parametrize(
    ("environ", "database"),
    [
        ({"RUNNER_TEMP": "/runner/temp"}, "/runner/temp/agentlab.db"),  # outside the workspace
        ({"RUNNER_TEMP": "/runner/temp", "AGENTLAB_DB": "history.db"}, None),  # the variable is read later
        ({}, None),
    ],
)
def test_the_history_is_kept_out_of_the_workspace(environ: dict[str, str], database: str | None) -> None:
    assert read_inputs(environ).run.database == database


@settings(derandomize=True, deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(INPUTS)), st.text()))
def test_no_text_breaks_the_reading(texts: dict[str, str]) -> None:
    inputs = read_inputs({f"INPUT_{name.upper()}": text for name, text in texts.items()})
    named = {problem.split("`")[1] for problem in inputs.problems}
    assert named <= texts.keys()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ids", ", ,"),
        ("tag", ","),
        ("format", ","),
        ("comment-key", "x" * 201),
        ("comment-key", "two\nlines"),
        ("comment-key", "\udcff"),
        ("github-token", "canary\nsecond"),
        ("github-token", "canary secönd"),
    ],
)
def test_what_no_input_may_be(name: str, text: str) -> None:
    (problem,) = read_inputs({f"INPUT_{name.upper()}": text}).problems
    assert problem.startswith(f"input `{name}`: ")
    assert "canary" not in problem


def test_the_longest_comment_key() -> None:
    assert read_inputs({"INPUT_COMMENT-KEY": "é" * 200}).comment_key == "é" * 200
