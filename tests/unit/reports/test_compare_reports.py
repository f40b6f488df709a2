"""A comparison as text, Markdown and JSON: its form, and that no text in it is obeyed."""

import json
from fractions import Fraction

import pytest

from agentlab_ci.core.compare_batches import BatchComparison, compare_batches
from agentlab_ci.core.compare_runs import RunComparison, RunView, compare_runs
from agentlab_ci.core.formats import CompareFormat
from agentlab_ci.core.results import RunReport, ScenarioResult
from agentlab_ci.core.trace import Role, Turn
from agentlab_ci.reports.compare_formats import show_batch_comparison, show_run_comparison
from agentlab_ci.reports.compare_parts import MOST_EXAMPLES
from agentlab_ci.reports.compare_wording import format_p
from agentlab_ci.reports.formatting import ASCII, TEXT, Glyphs
from canned import compared, hostile_scenario, scenario, task_scenario
from factories import make_report, make_row
from github_markdown import to_html
from golden import assert_golden
from hostile import HOSTILE_TEXTS
from runner_commands import find_commands

SUFFIXES = {CompareFormat.TEXT: "txt", CompareFormat.MARKDOWN: "md", CompareFormat.JSON: "json"}


def _renamed(name: str, report: RunReport) -> RunReport:
    """Give the batch a name, and every run an id as long as real ones are."""
    rows = [
        row.model_copy(
            update={"samples": tuple(s.model_copy(update={"run_id": _run_id(s.run_id)}) for s in row.samples)}
        )
        for row in report.scenarios
    ]
    return report.model_copy(update={"batch_id": name, "scenarios": tuple(rows)})


def _run_id(short: str | None) -> str | None:
    return None if short is None else f"run_20260407_001230_{short.removeprefix('run_'):>06}"


def _batches(old: RunReport, new: RunReport) -> BatchComparison:
    return compare_batches(
        _renamed("batch_20260407_001230_old2xc", old), _renamed("batch_20260408_001230_new2xc", new)
    )


def _slower(row: ScenarioResult) -> ScenarioResult:
    said = Turn(role=Role.AGENT, text="Wait.")
    samples = (
        s.model_copy(update={"duration_ms": s.duration_ms + 2000, "turns": (said,) * 3 + s.turns})
        for s in row.samples
    )
    return row.model_copy(update={"samples": tuple(samples)})


EVERY_KIND = _batches(
    make_report(
        scenario("ppp", "support.order-status"),
        scenario("ppp", "support.refund"),
        scenario("fff", "support.cancel"),
        task_scenario("support.refund-correct-order", "refunded", "refunded", "refunded"),
        scenario("pff", "support.broken"),
        scenario("ppp", "support.slow"),
        scenario("ppp", "support.down"),
        scenario("p", "support.once"),
        scenario("ppp", "support.gone"),
    ),
    make_report(
        scenario("ppp", "support.order-status"),
        scenario("fpf", "support.refund"),
        scenario("fpp", "support.cancel"),
        task_scenario("support.refund-correct-order", "refunded", "refunded", "forbidden"),
        scenario("fff", "support.broken"),
        _slower(scenario("ppp", "support.slow")),
        scenario("eee", "support.down"),
        scenario("ppp", "support.once"),
        scenario("ppp", "support.new"),
    ),
)
VARIANTS = _batches(
    make_report(*compared("support.refund", baseline="ppp", candidate="ppp", small="ppp")),
    make_report(*compared("support.refund", baseline="ppp", candidate="pff", small="fff")),
)
SAME = _batches(make_report(scenario("ppp", "a.b")), make_report(scenario("ppp", "a.b")))
NOTHING = _batches(make_report(make_row("ppp", hash="a1")), make_report(make_row("ppp", hash="b2")))
COMPARISONS = {"every_kind": EVERY_KIND, "variants": VARIANTS, "same": SAME, "nothing": NOTHING}


def _runs(outcomes: str) -> RunComparison:
    [row] = _renamed("batch_1", make_report(scenario(outcomes, "support.order-status"))).scenarios
    old, new = (RunView(scenario=row, run=run) for run in row.samples)
    return compare_runs(old, new)


RUNS = {"regressed": _runs("pf"), "same": _runs("pp"), "error": _runs("pe")}


def _show(comparison: BatchComparison, output: CompareFormat, glyphs: Glyphs = TEXT) -> str:
    return "\n".join(show_batch_comparison(comparison, output, glyphs)) + "\n"


@pytest.mark.parametrize("output", CompareFormat)
@pytest.mark.parametrize("name", COMPARISONS)
def test_batches_in_every_format(name: str, output: CompareFormat) -> None:
    assert_golden(f"compare/{name}.{SUFFIXES[output]}", _show(COMPARISONS[name], output))


@pytest.mark.parametrize("output", CompareFormat)
@pytest.mark.parametrize("name", RUNS)
def test_runs_in_every_format(name: str, output: CompareFormat) -> None:
    shown = "\n".join(show_run_comparison(RUNS[name], output, TEXT)) + "\n"
    assert_golden(f"compare/run_{name}.{SUFFIXES[output]}", shown)


def test_the_form_of_a_comparison() -> None:
    old, new = (
        make_report(make_row("ppp", "a.one"), make_row("ppp", "a.two")),
        make_report(make_row("fff", "a.one")),
    )
    assert _show(_batches(old, new), CompareFormat.TEXT).splitlines() == [
        "old: batch_20260407_001230_old2xc  2026-04-07T00:12:30Z",
        "new: batch_20260408_001230_new2xc  2026-04-07T00:12:30Z",
        "✗ regressed       a.one  3/3 -> 0/3    p = 0.1",
        "      run_20260407_001230_000001 (sample 1/3, passed) ->",
        "          run_20260407_001230_000001 (sample 1/3, failed):",
        "        ended: completed -> evaluator_failed",
        "○ not_comparable  a.two",
        "      vanished: not in the new batch",
        "2 scenarios: 1 regressed, 1 not_comparable",
        "✗ 1 of 1 compared scenario regressed: a.one",
    ]


@pytest.mark.parametrize("name", COMPARISONS)
def test_lines_fit_80_columns_and_hold_no_colours(name: str) -> None:
    *lines, _, _ = _show(
        COMPARISONS[name], CompareFormat.TEXT
    ).splitlines()  # counts and sentence are one line each
    for run in RUNS.values():
        lines += show_run_comparison(run, CompareFormat.TEXT, TEXT)
    assert max(map(len, lines)) <= 80
    assert not any("\x1b" in line for line in lines)


def test_a_terminal_that_knows_ascii_only_gets_ascii() -> None:
    assert _show(EVERY_KIND, CompareFormat.TEXT, ASCII).isascii()
    assert _show(VARIANTS, CompareFormat.TEXT, ASCII).isascii()


def test_json_says_the_same_as_the_comparison() -> None:
    document = json.loads(_show(EVERY_KIND, CompareFormat.JSON))
    assert document["regressed"] is True
    assert [(row["scenario_id"], row["change"]) for row in document["scenarios"]] == [
        (row.key[1], row.change.value) for row in EVERY_KIND.rows
    ]
    assert sum(document["counts"].values()) == len(EVERY_KIND.rows)


@pytest.mark.parametrize(
    ("p", "written"),
    [
        (Fraction(1), "1.0"),
        (Fraction(1, 10), "0.1"),
        (Fraction(1, 126), "0.0079"),
        (Fraction(17, 35), "0.49"),
        (Fraction(999, 1000), "1.0"),
        (Fraction(1, 10_000), "0.0001"),
        (Fraction(1, 24310), "< 0.0001"),
    ],
)
def test_p_has_two_digits(p: Fraction, written: str) -> None:
    assert format_p(p) == written


def test_only_so_many_diffs_are_shown_and_the_rest_is_counted() -> None:
    ids = [f"a.s{number}" for number in range(MOST_EXAMPLES + 3)]
    old = make_report(*(scenario("ppp", id_) for id_ in ids), scenario("ppp", "a.worse"))
    new = make_report(*(scenario("ppf", id_) for id_ in ids), scenario("fff", "a.worse"))
    text = _show(_batches(old, new), CompareFormat.TEXT)
    assert text.count("+ agent: I cannot help with that.") == MOST_EXAMPLES + 1
    assert "\n3 more scenarios with differences: `--format json` has all of them\n" in text


def _hostile() -> BatchComparison:
    rows = [hostile_scenario(index, text) for index, text in enumerate(HOSTILE_TEXTS)]
    passed = [
        row.model_copy(update={"samples": tuple(s.model_copy(update={"turns": ()}) for s in row.samples)})
        for row in rows
    ]
    return _batches(make_report(*passed), make_report(*rows))


@pytest.mark.parametrize("output", [CompareFormat.TEXT, CompareFormat.JSON])
def test_no_runner_obeys_what_results_say(output: CompareFormat) -> None:
    hostile = _hostile()
    shown = _show(hostile, output)
    shown += "\n".join(
        line for row in hostile.rows if row.example for line in show_run_comparison(row.example, output, TEXT)
    )
    assert hostile.rows[0].example is not None
    assert find_commands(shown) == []
    assert not set(shown) & {"\x1b", "\r", "\x00", "\u202e"}


def test_markdown_shows_and_does_not_obey() -> None:
    html = to_html(_show(_hostile(), CompareFormat.MARKDOWN))
    assert "<script" not in html
    assert "<img" not in html
    assert "href=" not in html
    assert html.count("<details") == html.count("</details>") == len(_hostile().rows)
