"""Stored runs and batches as text."""

import pytest

from agentlab_ci.core.results import RunReport, ScenarioResult, SourceIdentity
from agentlab_ci.core.stored import Approval, BatchRef, Reference, RunRef, StoredRun, UnendedBatch
from agentlab_ci.reports.formatting import ASCII, TEXT, Glyphs, format_cost, format_moment
from agentlab_ci.reports.show_batch import batch_lines, scenario_lines, unended_lines
from agentlab_ci.reports.show_run import run_lines
from canned import CANNED_REPORTS, scenario
from factories import make_batch, make_report, make_row
from golden import assert_golden
from runner_commands import find_commands

AT = "2026-04-08T09:30:00.000+00:00"


def runs_of(report: RunReport) -> list[StoredRun]:
    return [
        StoredRun(batch=report, variant=row.key[0], row=row, sample=sample)
        for row in report.scenarios
        for sample in row.samples
    ]


def show_all(report: RunReport, glyphs: Glyphs = TEXT) -> list[str]:
    blocks = [batch_lines(report, glyphs), *(run_lines(run, glyphs) for run in runs_of(report))]
    return [line for block in blocks for line in (*block, "")]


@pytest.mark.parametrize(
    "name", ["tasks", "simulation", "below_bar", "variants", "unfinished", "skipped", "single", "empty"]
)
def test_a_batch_of_every_kind(name: str) -> None:
    assert_golden(f"show/batch-{name}.txt", "\n".join(batch_lines(CANNED_REPORTS[name], TEXT)) + "\n")


@pytest.mark.parametrize("name", ["tasks", "simulation", "below_bar", "variants", "unfinished"])
def test_the_runs_of_every_kind(name: str) -> None:
    shown = {run.sample.status: run for run in runs_of(CANNED_REPORTS[name])}.values()
    assert_golden(f"show/runs-{name}.txt", "\n\n".join("\n".join(run_lines(run, TEXT)) for run in shown) + "\n")


def test_a_run_of_a_batch_without_end_is_shown_without_its_scenario() -> None:
    row = make_row("f", "a.one")
    run = StoredRun(batch=make_batch(), variant="new", row=None, sample=row.samples[0])
    assert run_lines(run, ASCII) == [
        "x a.one | new | sample 1/1 | failed",
        "  run    run_1",
        "  batch  batch_20260407_001230_9x2c",
        "  ended  evaluator_failed",
    ]


def test_an_approval_is_told_where_it_belongs() -> None:
    report = make_report(make_row("p", "a.one"))
    [run] = runs_of(report)
    assert "  approved  2026-04-08 09:30:00 UTC" in run_lines(run, TEXT, approved_at=AT)
    assert not any("approved" in line for line in run_lines(run, TEXT))
    id_ = report.batch_id
    references: list[Reference] = [
        BatchRef(batch_id=id_),
        BatchRef(batch_id=id_, scenario_id="a.one"),
        RunRef(run_id="run_1", batch_id=id_, scenario_id="a.one"),
    ]
    lines = batch_lines(report, TEXT, [Approval(reference=reference, approved_at=AT) for reference in references])
    assert [line.removeprefix("  approved   ") for line in lines if line.startswith("  approved")] == [
        "2026-04-08 09:30:00 UTC",
        "2026-04-08 09:30:00 UTC: a.one",
        "2026-04-08 09:30:00 UTC: run_1",
    ]


def test_a_batch_says_where_it_ran() -> None:
    source = SourceIdentity(commit="abc123", ref="refs/heads/x", pull_request=7, run_url="https://ci.invalid/1")
    lines = batch_lines(make_report(make_row("p")).model_copy(update={"source": source}), TEXT)
    assert [line.split(maxsplit=1) for line in lines[4:8]] == [
        ["commit", "abc123"],
        ["ref", "refs/heads/x"],
        ["pull", "request  7"],
        ["CI", "run        https://ci.invalid/1"],
    ]


@pytest.mark.parametrize(
    ("samples", "end"),
    [
        ({}, "0 samples stored"),
        ({("new", "a.one"): make_row("pf.").samples}, "2 samples stored: 1 passed, 1 failed"),
    ],
)
def test_a_batch_without_end_is_shown_as_far_as_it_is_stored(
    samples: dict[tuple[str | None, str], tuple[object, ...]], end: str
) -> None:
    lines = unended_lines(UnendedBatch(facts=make_batch(), samples=samples), TEXT)  # type: ignore[arg-type]
    assert lines[0] == "batch_20260407_001230_9x2c · did not end: it still runs, or was killed"
    assert not any("ended" in line or "exit code" in line for line in lines[1:])
    assert lines[-1] == end
    assert [line.split() for line in lines if line.startswith("run_")] == [
        ["run_1", "passed", "0ms", "1/3", "a.one", "·", "new"],
        ["run_2", "failed", "0ms", "2/3", "a.one", "·", "new"],
    ][: len(samples) * 2]


def test_a_scenario_is_told_with_its_reason() -> None:
    assert scenario_lines(scenario("pff", "support.cancel"), TEXT) == [
        "✗ support.cancel · 1/3 passed, needs 2 · flaky",
        '      step 2 names-tracking (hard_gate): missing "tracking"',
    ]
    assert scenario_lines(scenario("ppp", "support.cancel"), TEXT) == ["✓ support.cancel · 3/3 passed, needs 2"]


@pytest.mark.parametrize("glyphs", [TEXT, ASCII])
def test_nothing_that_is_shown_is_obeyed(glyphs: Glyphs) -> None:
    report = CANNED_REPORTS["hostile"]
    everything = [
        *show_all(report, glyphs),
        *(line for row in report.scenarios for line in scenario_lines(row, glyphs)),
    ]
    assert find_commands("\n".join(everything)) == []
    assert not any(character in line for line in everything for character in "\r\n\x1b\x07\u202e\ud800")


def test_a_terminal_without_unicode_gets_ascii_where_we_speak() -> None:
    for name in ("tasks", "below_bar", "variants", "unfinished", "skipped"):
        assert all(line.isascii() for line in show_all(CANNED_REPORTS[name], ASCII))


def test_short_names_fit_in_eighty_columns() -> None:
    lines = batch_lines(CANNED_REPORTS["below_bar"], TEXT)
    assert [line for line in lines if len(line) > 80 and not line.startswith("✗ 3 of 4")] == []


def test_never_started_samples_are_no_runs() -> None:
    row: ScenarioResult = scenario("pps", "a.one")
    lines = batch_lines(make_report(row), TEXT)
    assert [line.split()[0] for line in lines if "1/3" in line or "2/3" in line or "3/3" in line][1:] == [
        "run_1",
        "run_2",
    ]


@pytest.mark.parametrize(
    ("usd", "text"),
    [(0, "$0.00"), (1.2, "$1.20"), (0.0042, "$0.0042"), (12, "$12.00"), (0.1 + 0.2, "$0.30"), (1e-7, "$0.00")],
)
def test_costs(usd: float, text: str) -> None:
    assert format_cost(usd) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2026-04-07T00:12:34.123+00:00", "2026-04-07 00:12:34 UTC"),
        ("2026-04-07T00:12:34Z", "2026-04-07 00:12:34 UTC"),
        ("2026-04-07T00:12:34+02:00", "2026-04-07T00:12:34+02:00"),
        ("yesterday", "yesterday"),
    ],
)
def test_moments(text: str, shown: str) -> None:
    assert format_moment(text) == shown
