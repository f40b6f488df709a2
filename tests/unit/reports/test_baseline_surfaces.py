"""How a baseline shows on every surface: a column of the table, a word in the matrix, lines, properties."""

import json
import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from agentlab_ci.core.baseline import (
    ApprovedScenario,
    BaselineComparison,
    BaselineSource,
    BaselineState,
    LostHardGate,
    VanishedScenario,
)
from agentlab_ci.core.formats import JUnitStyle
from agentlab_ci.core.gate import FailOn
from agentlab_ci.core.judge import regate
from agentlab_ci.core.results import RunReport, ScenarioResult, VariantIdentity
from agentlab_ci.core.trace import SampleError
from agentlab_ci.errors import ExitCode
from agentlab_ci.loading.schema import results_schema
from agentlab_ci.reports.baseline_wording import baseline_lines
from agentlab_ci.reports.comment import COMMENT_LIMIT, render_comment
from agentlab_ci.reports.comparison_log import comparison_lines
from agentlab_ci.reports.formatting import EMOJI, TEXT
from agentlab_ci.reports.json_report import read_results, render_json
from agentlab_ci.reports.junit import render_junit
from agentlab_ci.reports.log import LogStyle, annotations, closing, scenario_section
from agentlab_ci.reports.markdown import render_report
from agentlab_ci.reports.matrix import MOST_COLUMNS
from agentlab_ci.reports.table import TABLE_HEAD, TABLE_HEAD_WITH_BASELINE, make_table
from agentlab_ci.reports.wording import verdict_sentence
from canned import AGENT, CANNED_REPORTS, against, scenario
from factories import make_report, make_row
from github_markdown import to_html
from hostile import HOSTILE_TEXTS
from pages import LINKS, MARKER, RUN_URL
from runner_commands import find_commands

TABLE, MATRIX = CANNED_REPORTS["baseline"], CANNED_REPORTS["baseline_variants"]
PLAIN = LogStyle(glyphs=TEXT)


def comment(report: RunReport, **given: Any) -> str:
    return render_comment(report, marker=MARKER, links=LINKS, run_url=RUN_URL, **given)


def cells(line: str) -> list[str]:
    return [cell.strip().replace("\u00a0", " ") for cell in line.strip("|").split("|")]


def test_the_table_has_a_column_between_counts_and_why() -> None:
    table = make_table(TABLE.scenarios)
    assert table.head == TABLE_HEAD_WITH_BASELINE
    assert [cells(line)[4] for line in table.lines] == [
        "unchanged",
        "**regressed**: hard gate `names-tracking` of step 2 fails in 2 of 3 samples",
        "fixed",
        "still failing",
        "**regressed**: hard gate `names-tracking` of step 2 fails in 2 of 3 samples",
        "not comparable: the scenario has changed",
        "new",
    ]
    assert {len(cells(line)) for line in table.lines} == {len(cells(table.head.splitlines()[0]))} == {6}


def test_without_a_baseline_there_is_no_column() -> None:
    report = CANNED_REPORTS["below_bar"]
    assert make_table(report.scenarios).head == TABLE_HEAD
    assert baseline_lines(report, str) == ()
    for page in (comment(report), render_report(report), "\n".join(closing(report, style=PLAIN))):
        assert "baseline" not in page.lower()
    assert b"baseline" not in render_junit(report, style=JUnitStyle.SAMPLES)


def test_the_matrix_has_a_word_in_each_cell_and_reasons_below() -> None:
    table = make_table(MATRIX.scenarios)
    assert [cells(line)[2:] for line in table.lines] == [
        ["✅ 3/3<br>unchanged", "❌ 1/3<br>**regressed**", "❌ 1/3<br>**regressed**"],
        ["⚠️ 1/3<br>not comparable", "✅ 3/3<br>fixed", "⏭️ skipped<br>not comparable"],
        ["✅ 3/3<br>new", "✅ 2/3<br>new", "❌ 0/3<br>new"],
    ]
    assert table.notes[1:] == (
        "1 scenario regressed on `candidate`: hard gate `names-tracking` of step 2 fails in 2 of 3 samples",
        "1 scenario regressed on `small`: hard gate `names-tracking` of step 2 fails in 2 of 3 samples",
        "1 scenario not comparable on `baseline`: could not be judged",
        "1 scenario not comparable on `small`: skipped in this run",
    )
    assert all(note in comment(MATRIX) and note in render_report(MATRIX) for note in table.notes)


def test_the_matrix_of_the_log_is_aligned() -> None:
    assert comparison_lines(MATRIX.scenarios, TEXT)[-4:] == [
        "scenario              needs   baseline              candidate        small (does not gate)",
        "support.order-status  2 of 3  ✓ 3/3 unchanged       ✗ 1/3 regressed  ✗ 1/3 regressed",
        "support.refund        2 of 3  ! 1/3 not comparable  ✓ 3/3 fixed      ○ skipped not comparable",
        "support.cancel        2 of 3  ✓ 3/3 new             ✓ 2/3 new        ✗ 0/3 new",
    ]


def test_states_are_counted_and_what_vanished_is_named() -> None:
    counts = "2 regressed, 1 still failing, 1 not comparable, 1 new, 1 fixed, 1 unchanged"
    assert baseline_lines(TABLE, str) == (
        f"since the baseline (baseline.json): {counts}",
        "1 scenario of the baseline vanished: support.old",
    )
    for line in baseline_lines(TABLE, str):
        assert line in closing(TABLE, style=PLAIN)
    many = [make_row("p", f"a.{number}") for number in range(12)]
    lines = baseline_lines(against(many, [make_row("p", "a.x")], [row.scenario_id for row in many]), str)
    assert lines[1].startswith("12 scenarios of the baseline vanished: a.0, a.1, a.10, a.11, ")
    assert lines[1].endswith(" and 2 more")


def test_every_heading_of_a_scenario_says_it() -> None:
    row = TABLE.scenarios[1]
    said = "regressed: hard gate names-tracking of step 2 fails in 2 of 3 samples"
    assert scenario_section(row, style=PLAIN)[0].endswith(f" · {said}")
    assert f" · {said.replace('names-tracking', '`names-tracking`')}" in render_report(TABLE)
    assert f" · {said.replace('names-tracking', '<code>names-tracking</code>')}</summary>" in comment(TABLE)
    assert said.replace(":", "%3A") in annotations(TABLE)[0]


@pytest.mark.parametrize("style", JUnitStyle)
def test_junit_has_it_as_a_property(style: JUnitStyle) -> None:
    suites = ET.fromstring(render_junit(TABLE, style=style)).findall("testsuite")  # noqa: S314 - our own
    properties = [{p.get("name"): p.get("value") for p in suite.iter("property")} for suite in suites]
    assert [it["baseline"] for it in properties] == [
        "unchanged",
        "regressed",
        "fixed",
        "still_failing",
        "regressed",
        "not_comparable",
        "new",
    ]
    assert properties[5]["baseline_reason"] == "the scenario has changed"
    red = [suite.get("failures") != "0" for suite in suites]
    assert red == [row.below_bar for row in TABLE.scenarios], "it reports, and makes nothing red"


def test_results_bear_it_and_are_read_again() -> None:
    for report in (TABLE, MATRIX):
        content = render_json(report)
        Draft202012Validator(results_schema()).validate(json.loads(content))
        again = read_results(content)
        assert again == report
        assert regate(again) == report


def test_the_verdict_names_what_regressed() -> None:
    assert verdict_sentence(TABLE, EMOJI, str).endswith(
        "; regressed since the baseline: support.refund, support.invoice"
    )
    assert "; not gating, but regressed: support.order-status · small; 1 skipped" in verdict_sentence(
        MATRIX, TEXT, str
    )


def test_a_run_that_only_a_regression_makes_red_says_so() -> None:
    rows = [scenario("ppp", "a.b", pass_rate="0.34")], [scenario("pff", "a.b", pass_rate="0.34")]
    red = regate(against(*rows), fail_on=FailOn.REGRESSION)
    assert red.summary.exit_code is ExitCode.BELOW_BAR
    assert verdict_sentence(red, TEXT, str) == "✗ the scenario passed; regressed since the baseline: a.b"
    assert verdict_sentence(against(*rows), TEXT, str)[0] == "✓"


CANNOT_TELL = "`--fail-on regression` cannot tell whether anything got worse (exit code 3): "


@pytest.mark.parametrize(
    ("approved", "rows", "told"),
    [
        ([], [scenario("fff", "a.b"), scenario("fff", "a.c")], "2 new and below the bar"),
        ([scenario("ppp", "a.b", hash="1")], [scenario("ppp", "a.b", hash="2")], "1 not comparable"),
        (
            [scenario("ppp", "a.b")],
            [scenario("eee", "a.b"), scenario("fff", "a.c")],
            "1 could not be judged, 1 new",
        ),
        # What is unfinished is told by the verdict.
        ([scenario("ppp", "a.b")], [scenario("p..", "a.b")], None),
        # One that is compared is enough.
        ([scenario("ppp", "a.b")], [scenario("ppp", "a.b"), scenario("fff", "a.c")], None),
    ],
)
def test_why_a_gate_on_regressions_decided_nothing(
    approved: list[ScenarioResult], rows: list[ScenarioResult], told: str | None
) -> None:
    report = regate(against(approved, rows), fail_on=FailOn.REGRESSION)
    said = [line for line in baseline_lines(report, str) if line.startswith("`--fail-on")]
    assert [line[: len(CANNOT_TELL + (told or ""))] for line in said] == ([CANNOT_TELL + told] if told else [])
    assert all(line in closing(report, style=PLAIN) for line in said)
    assert not any("--fail-on" in line for line in baseline_lines(against(approved, rows), str))


def with_texts(row: ScenarioResult, text: str, **facts: Any) -> ScenarioResult:
    """Return the row with the text in all that a baseline says of it."""
    gates = tuple(LostHardGate(id=f"{text}{n}", step=None, missed=2, of=3) for n in range(3))
    line = ApprovedScenario(
        scenario_id=text,
        hash=text,
        verdict="passed",
        passed=3,
        samples=3,
        needed=2,
        hard_gates=gates,
        batch_id=text,
        commit=text,
        ended_at=text,
    )
    comparison = BaselineComparison(approved=line, state=BaselineState.REGRESSED, lost_gates=gates)
    return row.model_copy(update={"baseline": comparison} | facts)


def with_source(report: RunReport, text: str) -> RunReport:
    gone = tuple(VanishedScenario(scenario_id=f"{n}{text}", variant=text) for n in range(12))
    return report.model_copy(update={"baseline": BaselineSource(file=text, vanished=gone)})


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_a_hostile_baseline_is_text(text: str) -> None:
    identity = VariantIdentity(variant_set_name="s", variant_label="v")
    for facts in ({}, {"variant": identity}):
        plain, hostile = (
            with_source(make_report(*(with_texts(make_row("fff", f"a.{n}"), it, **facts) for n in range(2))), it)
            for it in ("plain", text)
        )
        for page in (comment, render_report):
            shapes = [re.findall(r"</?(?!code)\w+", to_html(page(report))) for report in (plain, hostile)]
            assert shapes[0] == shapes[1]
        log = [*scenario_section(hostile.scenarios[0], style=PLAIN), *closing(hostile, style=PLAIN)]
        assert find_commands("\n".join(log)) == []
        assert not [line for line in log if "\n" in line or "\r" in line]
        ET.fromstring(render_junit(hostile, style=JUnitStyle.SAMPLES))  # noqa: S314 - our own


@pytest.mark.parametrize("filling", ["\x00", "`", "|", "\\|", "<", "\u200b", "🙂", "é", "x"])
def test_no_names_leave_a_page_no_room_for_its_verdict(filling: str) -> None:
    """Everything that a page always shows, all of it as long as it gets, and a baseline."""
    name = filling * 300
    rows = []
    for number in range(4 * MOST_COLUMNS):
        outcomes, gate = [("fff", True), ("eee", True), ("p..", True), ("fffff", False)][number % 4]
        identity = VariantIdentity(
            variant_set_name=name,
            variant_label=f"{number // 4 % MOST_COLUMNS}{name}",
            prompt_version=name,
            model_version=name,
            tool_schema_version=name,
            config_label=name,
            config_hash=name,
        )
        agent = AGENT.model_copy(update={"name": f"{number % 9}{name}", "label": name})
        row = make_row(outcomes, f"{number}{name}", gate=gate, agent=agent)
        error = SampleError(message=name, status=429)
        samples = tuple(
            s.model_copy(update={"error": error, "given_up": number % 2 == 0, "started_at": "2026-04-07"})
            for s in row.samples
        )
        rows.append(with_texts(row, f"{number}{name}", variant=identity, samples=samples))
        skipped = {"variant": identity, "skipped": f"{number % 50}{name}"}
        rows.append(make_row("...", f"s{number}{name}", skipped="no").model_copy(update=skipped))
    bare = comment(with_source(make_report(*rows), name), title=name, limit=1)
    assert len(bare.encode("utf-16-le")) // 2 <= COMMENT_LIMIT - 5_000
