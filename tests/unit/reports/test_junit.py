"""junit.xml: red if and only if the run is, read back by others, and legal whatever text it holds."""

import os
from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml
from junitparser.xunit2 import FlakyError, FlakyFailure, RerunError, RerunFailure
from junitparser.xunit2 import JUnitXml as RerunXml
from lxml import etree

from agentlab_ci.core.formats import JUnitStyle
from agentlab_ci.core.results import RunReport, ScenarioResult
from agentlab_ci.reports.junit import render_junit
from canned import CANNED_REPORTS, hostile_scenario, hostile_simulation, scenario
from factories import make_report, make_row
from golden import assert_golden
from hostile import HOSTILE_TEXTS

STYLES = list(JUnitStyle)
XSD = os.environ.get("AGENTLAB_JUNIT_XSD")


def _parse(report: RunReport, style: JUnitStyle) -> Any:
    return etree.fromstring(render_junit(report, style=style))


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", CANNED_REPORTS)
def test_junit_of_every_kind_of_run(name: str, style: JUnitStyle) -> None:
    # Indented, so that a difference can be read; the file itself is not.
    root = _parse(CANNED_REPORTS[name], style)
    etree.indent(root)
    assert_golden(f"junit-{style}/{name}.xml", etree.tostring(root, encoding="utf-8") + b"\n")


def _all_mixes() -> Iterator[ScenarioResult]:
    """Every count of outcomes up to k = 9, at the lowest, a middle and the highest bar, gating or not."""
    for k in range(1, 10):
        for mix in combinations_with_replacement("pfe.", k):
            for rate in ("0.01", "0.6", "1"):
                for gate in (True, False):
                    word = "".join(mix)
                    yield make_row(word, f"{word}-{rate}-{gate}", pass_rate=rate, gate=gate)


@pytest.mark.parametrize("style", STYLES)
def test_red_if_and_only_if_a_gating_scenario_is_below_the_bar(style: JUnitStyle) -> None:
    rows = list(_all_mixes())
    root = _parse(make_report(*rows), style)
    assert len(root) == len(rows)
    for row, suite in zip(rows, root, strict=True):
        red = int(suite.get("failures")) + int(suite.get("errors")) > 0
        assert red == (row.below_bar and row.gate), row.title
        _assert_honest(row, suite, style)
    for count in ("tests", "failures", "errors"):
        assert int(root.get(count)) == sum(int(suite.get(count)) for suite in root)


def _assert_honest(row: ScenarioResult, suite: Any, style: JUnitStyle) -> None:
    cases = suite.findall("testcase")
    assert len(cases) == int(suite.get("tests")) == (row.samples_wanted if style is JUnitStyle.SAMPLES else 1)
    assert len({case.get("name") for case in cases}) == len(cases)
    for tag, count in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        assert len(suite.findall(f"testcase/{tag}")) == int(suite.get(count))
    assert all(len(case.xpath("failure|error|skipped")) <= 1 for case in cases)
    if row.could_not_be_judged:
        assert not suite.findall("testcase/failure")


mixes = st.lists(
    st.tuples(st.text("pfeusc.", min_size=1, max_size=5), st.booleans(), st.sampled_from(["0.1", "0.5", "1"])),
    max_size=5,
)


@given(mix=mixes, style=st.sampled_from(STYLES))
@settings(derandomize=True, deadline=None, max_examples=150)
def test_others_read_the_same_counts_back(mix: list[tuple[str, bool, str]], style: JUnitStyle) -> None:
    rows = [make_row(o, f"a.{n}", gate=gate, pass_rate=rate) for n, (o, gate, rate) in enumerate(mix)]
    report = make_report(*rows)
    xml = JUnitXml.fromstring(render_junit(report, style=style))
    before = (xml.tests, xml.failures, xml.errors)
    xml.update_statistics()  # type: ignore[no-untyped-call]
    assert (xml.tests, xml.failures, xml.errors) == before
    assert (xml.failures + xml.errors > 0) == bool(report.gating_below_bar)
    assert [suite.name for suite in xml] == [row.title for row in rows]


def _results(row: ScenarioResult, style: JUnitStyle) -> list[tuple[str, str | None]]:
    suite = _parse(make_report(row), style)[0]
    return [
        (child.tag, child.get("message"))
        for case in suite.findall("testcase")
        for child in case
        if child.tag != "system-out"
    ]


@pytest.mark.parametrize(
    ("row", "results"),
    [
        (make_row("pfp"), [("skipped", "failed, tolerated: 2/3 passed, needs 2")]),
        (make_row("ppe"), [("skipped", "error, tolerated: 2/3 passed, needs 2")]),
        (make_row("pps"), [("skipped", "not run: settled")]),
        (make_row("p.c"), [("skipped", "not run"), ("skipped", "cancelled: run deadline")]),
        (make_row("pfc", pass_rate="0.5"), [("skipped", "failed, unfinished: 1/3 passed, needs 2"),
                                            ("skipped", "cancelled: run deadline")]),
        (make_row("pff"), [("failure", "evaluator_failed"), ("failure", "evaluator_failed")]),
        (make_row("ffe"), [("failure", "evaluator_failed"), ("failure", "evaluator_failed"),
                           ("error", "http_error")]),
        (make_row("pfe"), [("skipped", "failed, could not be judged: 1/3 passed, needs 2"),
                           ("error", "http_error")]),
        (make_row("pfe", gate=False), [("skipped", "failed, variant does not gate: 1/3 passed, needs 2"),
                                       ("skipped", "error, variant does not gate: 1/3 passed, needs 2")]),
        (make_row("f"), [("failure", "evaluator_failed")]),
        (make_row("...", skipped="no http"), [("skipped", "skipped: no http")]),
    ],
)  # fmt: skip
def test_what_each_sample_becomes(row: ScenarioResult, results: list[tuple[str, str]]) -> None:
    assert _results(row, JUnitStyle.SAMPLES) == results


@pytest.mark.parametrize(
    ("row", "result"),
    [
        (make_row("p.c"), ("skipped", "1/3 passed, needs 2: 2 samples unfinished: run deadline")),
        (make_row("pff", gate=False), ("skipped", "variant does not gate: 1/3 passed, needs 2: evaluator_failed")),
        (make_row("pee"), ("error", "1/3 passed, needs 2: http_error")),
        (make_row("pff"), ("failure", "1/3 passed, needs 2: evaluator_failed")),
        (make_row("f"), ("failure", "failed: evaluator_failed")),
    ],
)
def test_what_a_scenario_becomes(row: ScenarioResult, result: tuple[str, str]) -> None:
    assert _results(row, JUnitStyle.SCENARIOS)[0] == result


def _case(row: ScenarioResult) -> Any:
    (suite,) = RerunXml.fromstring(render_junit(make_report(row), style=JUnitStyle.SCENARIOS))
    (case,) = suite
    return case


def test_a_tolerated_failure_is_flaky_and_no_result() -> None:
    case = _case(scenario("pfe", "a.b", pass_rate="0.3"))
    assert case.result == []
    assert [type(run) for run in case.interim_result] == [FlakyFailure, FlakyError]
    assert case.interim_result[0].stack_trace == 'step 2 names-tracking (hard_gate): missing "tracking"'
    assert "I cannot help with that." in case.interim_result[0].system_out


def test_the_other_samples_of_a_red_scenario_are_reruns() -> None:
    case = _case(scenario("effp", "a.b"))
    assert [type(result) for result in case.result] == [Failure]
    assert [type(run) for run in case.interim_result] == [RerunError, RerunFailure]
    case = _case(scenario("pfe", "a.b"))
    assert [type(result) for result in case.result] == [Error]
    assert [type(run) for run in case.interim_result] == [RerunFailure]


def test_names_places_times_and_properties() -> None:
    suite = _parse(make_report(scenario("pfp", "support.refund")), JUnitStyle.SAMPLES)[0]
    assert suite.attrib == {
        "name": "support.refund", "tests": "3", "failures": "0", "errors": "0", "skipped": "1", "time": "3.000",
        "timestamp": "2026-04-07T00:12:34Z", "file": "scenarios/support.yaml",
    }  # fmt: skip
    assert {p.get("name"): p.get("value") for p in suite.find("properties")} == {
        "verdict": "passed", "passed": "2", "samples": "3", "needed": "2", "pass_rate": "0.75", "label": "flaky",
        "suite": "support", "name": "Refund", "agent": "shop assistant", "tags": "smoke",
    }  # fmt: skip
    assert suite.findall("testcase")[1].attrib == {
        "name": "sample 2/3", "classname": "support.refund", "file": "scenarios/support.yaml", "line": "12",
        "time": "1.000",
    }  # fmt: skip


def test_a_single_sample_is_named_as_its_scenario() -> None:
    assert _parse(make_report(make_row("p", "a.b")), JUnitStyle.SAMPLES).xpath("//testcase/@name") == ["a.b"]


@pytest.mark.parametrize("style", STYLES)
def test_a_single_sample_is_named_by_its_name_where_its_id_is_a_code(style: JUnitStyle) -> None:
    (case,) = _parse(make_report(make_row("p", "SCN_aB3k", name="Refund once", file=None)), style).iter("testcase")
    assert (case.get("classname"), case.get("name")) == ("SCN_aB3k", "Refund once")


def test_variants_of_a_scenario_have_names_of_their_own() -> None:
    root = _parse(CANNED_REPORTS["variants"], JUnitStyle.SAMPLES)
    names = root.xpath("//testcase/@classname")
    assert names[:4] == [*["support.order-status · baseline"] * 3, "support.order-status · candidate"]


@pytest.mark.parametrize("style", STYLES)
def test_no_two_suites_have_the_same_name_once_they_are_legal(style: JUnitStyle) -> None:
    rows = [
        make_row("p", "s.a · v"),
        make_row("p", "s.a", variant="v"),
        make_row("ff", "s.a\x00"),
        make_row("pf", r"s.a\x00"),
        make_row("f", r"s.a\x00 (2)"),
    ]
    names = ["s.a · v", "s.a · v (2)", r"s.a\x00", r"s.a\x00 (2)", r"s.a\x00 (2) (2)"]
    root = _parse(make_report(*rows), style)
    assert [suite.get("name") for suite in root] == names
    for suite in root:
        assert {case.get("classname") for case in suite.iter("testcase")} == {suite.get("name")}
    cases = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(set(cases)) == len(cases)


def _hostile_reports() -> list[RunReport]:
    monsters = ["\x1b\x00\ufffe\ud800\udfff]]>" * 10, "x\x1b]]>\ud800\n" * 600_000]
    rows = [hostile_scenario(index, text) for index, text in enumerate([*HOSTILE_TEXTS, *monsters])]
    played = [hostile_simulation(index, text) for index, text in enumerate([*HOSTILE_TEXTS, *monsters])]
    return [make_report(*rows), make_report(*played)]


@pytest.mark.parametrize("style", STYLES)
def test_no_text_breaks_the_file(style: JUnitStyle) -> None:
    for report in _hostile_reports():
        content = render_junit(report, style=style)
        assert len(content) < 10_000_000
        etree.fromstring(content)
        assert JUnitXml.fromstring(content).tests > 0


@pytest.mark.network
@pytest.mark.skipif(XSD is None, reason="AGENTLAB_JUNIT_XSD names no schema; .ci/run fetches it")
@pytest.mark.parametrize("style", STYLES)
def test_the_file_is_valid_by_the_junit_10_schema(style: JUnitStyle) -> None:
    schema = etree.XMLSchema(etree.parse(XSD))
    for report in [*CANNED_REPORTS.values(), *_hostile_reports()]:
        root = _parse(report, style)
        # Readers want these on a case; the schema does not know them there.
        for case in root.iter("testcase"):
            for name in ("file", "line"):
                case.attrib.pop(name, None)
        schema.assertValid(root)
