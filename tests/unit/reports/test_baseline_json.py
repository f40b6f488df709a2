"""The baseline file: written to be reviewed, and read strictly."""

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from agentlab_ci.core.compare_baseline import make_baseline
from agentlab_ci.errors import BadInputError
from agentlab_ci.loading.schema import baseline_schema
from agentlab_ci.reports.baseline_json import read_baseline, render_baseline
from canned import CANNED_REPORTS, compared, scenario
from factories import make_report
from golden import assert_golden

LINE: dict[str, Any] = {
    "scenario_id": "a.b",
    "hash": "0" * 16,
    "verdict": "passed",
    "passed": 3,
    "samples": 3,
    "needed": 2,
    "hard_gates": [{"id": "names-tracking", "step": 2}],
    "batch_id": "batch_1",
    "ended_at": "2026-04-07T00:13:11Z",
}


def document(**overrides: Any) -> bytes:
    return json.dumps({"version": 1, "scenarios": [LINE | overrides]}).encode()


def test_it_has_a_line_for_each_scenario() -> None:
    rows = [
        scenario("ppp", "support.refund", hash="b" * 16),
        scenario("pff", "support.cancel", hash="a" * 16),
        *compared("support.order-status", baseline="ppp", candidate="ppf"),
    ]
    report = make_report(*rows)
    report = report.model_copy(update={"source": report.source.model_copy(update={"commit": "c" * 40})})
    assert_golden("baseline.json", render_baseline(make_baseline(report, None)).decode())


@pytest.mark.parametrize("name", CANNED_REPORTS)
def test_what_is_written_is_read(name: str) -> None:
    report = CANNED_REPORTS[name]
    # No results with lone surrogates in an id are ever read, from a file or from the database.
    rows = [row for row in report.scenarios if not re.search("[\ud800-\udfff]", row.scenario_id)]
    baseline = make_baseline(report.model_copy(update={"scenarios": tuple(rows)}), None)
    content = render_baseline(baseline)
    assert content.isascii()
    assert read_baseline(content) == baseline
    Draft202012Validator(baseline_schema()).validate(json.loads(content))
    assert len(content.splitlines()) == len(baseline.scenarios) + 5 or not baseline.scenarios


def test_a_byte_order_mark_is_forgiven() -> None:
    assert read_baseline(b"\xef\xbb\xbf" + document()) == read_baseline(document())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a baseline of agentlab: Invalid JSON: EOF while parsing a value at line 1 column 0"),
        (b'{"version": 2}', "a baseline of version 2; this agentlab reads version 1"),
        (b'{"scenarios": []}', "not a baseline of agentlab: version: Field required"),
        (
            document(verdict="unfinished"),
            "not a baseline of agentlab: scenarios[0].verdict: Input should be 'passed' or 'failed'",
        ),
        (document(note="x"), "not a baseline of agentlab: scenarios[0].note: Extra inputs are not permitted"),
        (
            document(hard_gates=[{"id": "x", "stepp": 1}]),
            "not a baseline of agentlab: scenarios[0].hard_gates[0].stepp: Extra inputs are not permitted",
        ),
        (
            document(passed=1),
            "not a baseline of agentlab: scenarios[0].verdict: passed, with 1 passed and 2 needed",
        ),
        (
            document(verdict="failed"),
            "not a baseline of agentlab: scenarios[0].verdict: failed, with 3 passed and 2 needed",
        ),
        (document(passed=4), "not a baseline of agentlab: scenarios[0]: 4 passed, 2 needed, of 3 samples"),
        (
            json.dumps({"version": 1, "scenarios": [LINE, LINE]}).encode(),
            "not a baseline of agentlab: scenarios[1]: 'a.b' is there twice",
        ),
    ],
)
def test_anything_else_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(BadInputError) as refused:
        read_baseline(content)
    assert str(refused.value) == message
