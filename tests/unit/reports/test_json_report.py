"""results.json is the same each time, read back as it was, and refused with reasons when it is not ours."""

import json
from typing import Any

import pytest

from agentlab_ci.core.judge import regate
from agentlab_ci.errors import BadInputError
from agentlab_ci.reports.json_report import read_results, render_json
from canned import CANNED_REPORTS
from golden import assert_golden


@pytest.mark.parametrize("name", ["below_bar", "not_gating", "empty", "baseline_variants"])
def test_json_of_a_run(name: str) -> None:
    assert_golden(f"json/{name}.json", render_json(CANNED_REPORTS[name]))


@pytest.mark.parametrize("name", [name for name in CANNED_REPORTS if name != "hostile"])
def test_what_is_written_is_read_back(name: str) -> None:
    report = CANNED_REPORTS[name]
    assert read_results(render_json(report)) == report
    assert render_json(read_results(render_json(report))) == render_json(report)


def test_any_text_can_be_written() -> None:
    # Lone surrogates are in it, which UTF-8 has no form for; JSON's escapes have.
    written = json.loads(render_json(CANNED_REPORTS["hostile"]).decode())
    names = [row["name"] for row in written["scenarios"]]
    assert names == [row.name for row in CANNED_REPORTS["hostile"].scenarios]


def _document(**changes: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(render_json(CANNED_REPORTS["flaky"]))
    return document | changes


def test_keys_of_a_newer_version_are_kept_through_a_new_verdict() -> None:
    document = _document(newer={"a": 1})
    document["scenarios"][0]["newer"] = True
    document["scenarios"][0]["samples"][0]["turns"][0]["newer"] = "x"
    again = json.loads(render_json(regate(read_results(json.dumps(document)))))
    assert again["newer"] == {"a": 1}
    assert again["scenarios"][0]["newer"] is True
    assert again["scenarios"][0]["samples"][0]["turns"][0]["newer"] == "x"


def _without(*path: str | int) -> dict[str, Any]:
    document = inner = _document()
    for key in path[:-1]:
        inner = inner[key]  # type: ignore[index]
    del inner[path[-1]]  # type: ignore[arg-type]
    return document


def _changed(*path_and_value: Any) -> dict[str, Any]:
    *path, key, value = path_and_value
    document = inner = _document()
    for part in path:
        inner = inner[part]
    inner[key] = value
    return document


_SAMPLE = ("scenarios", 0, "samples", 0)
NUMBERS: tuple[tuple[str | int, ...], ...] = (
    ("summary", "duration_ms"),
    ("summary", "cost_usd"),
    ("scenarios", 0, "line"),
    ("scenarios", 0, "steps"),
    ("scenarios", 0, "samples_wanted"),
    (*_SAMPLE, "sample"),
    (*_SAMPLE, "of"),
    (*_SAMPLE, "score"),
    (*_SAMPLE, "duration_ms"),
    (*_SAMPLE, "usage", "input_tokens"),
    (*_SAMPLE, "usage", "cost_usd"),
    (*_SAMPLE, "turns", 1, "latency_ms"),
    (*_SAMPLE, "evaluations", 0, "step"),
    (*_SAMPLE, "evaluations", 0, "weight"),
)
PARTS: tuple[tuple[tuple[str | int, ...], dict[str, Any]], ...] = (
    ((*_SAMPLE, "waits"), {"seconds": "@", "status": 429, "attempt": 1}),
    ((*_SAMPLE, "waits"), {"seconds": 1, "status": "@", "attempt": 1}),
    ((*_SAMPLE, "redraws"), {"reason": "http_error", "message": "", "seconds": "@"}),
)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "-1", "true", '"1"'])
@pytest.mark.parametrize(
    ("document", "place"),
    [
        *((_changed(*path, "@"), path) for path in NUMBERS),
        *((_changed(*path, [part]), (*path, 0)) for path, part in PARTS),
    ],
)
def test_no_figure_is_endless_negative_or_no_number(
    document: dict[str, Any], place: tuple[str | int, ...], number: str
) -> None:
    with pytest.raises(BadInputError) as refused:
        read_results(json.dumps(document).replace('"@"', number))
    assert "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)[1:] in str(
        refused.value
    )


@pytest.mark.parametrize("digits", [400, 5000])
@pytest.mark.parametrize("path", NUMBERS[:2] + NUMBERS[5:-1])
def test_no_figure_is_as_long_as_a_page(path: tuple[str | int, ...], digits: int) -> None:
    with pytest.raises(BadInputError) as refused:
        read_results(json.dumps(_changed(*path, "@")).replace('"@"', "9" * digits))
    assert len(str(refused.value)) < 1000


def test_the_byte_order_mark_of_some_editors_is_forgiven() -> None:
    content = render_json(CANNED_REPORTS["flaky"])
    assert read_results(b"\xef\xbb\xbf" + content) == CANNED_REPORTS["flaky"]
    assert read_results("\ufeff" + content.decode()) == CANNED_REPORTS["flaky"]


FORGED = "a\n::error::FORGED\u202e\x1b[31m" + "x" * 10_000


@pytest.mark.parametrize(
    "document",
    [
        _document(version=FORGED),
        _changed("sampling", "pass_rate", FORGED),
        _changed(*_SAMPLE, "scenario_id", FORGED),
        _document(scenarios=[_document()["scenarios"][0] | {"scenario_id": FORGED}] * 2),
    ],
)
def test_a_message_is_one_short_line_whatever_it_quotes(document: dict[str, Any]) -> None:
    with pytest.raises(BadInputError) as refused:
        read_results(json.dumps(document))
    message = str(refused.value)
    assert "FORGED" in message
    assert message.isprintable()
    assert len(message) < 3000


def _renumbered(**changes: Any) -> dict[str, Any]:
    document = _document()
    document["scenarios"][0]["samples"][1] |= changes
    return document


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Invalid JSON"),
        ("{", "Invalid JSON"),
        (b"\xff\xfe", "Invalid JSON"),
        ("[]", "object"),
        ('{"a": "\\ud800"}', "Invalid JSON"),
        ("[" * 100_000, "Invalid JSON"),
        (json.dumps(_document(version=2)), "results of version 2; this agentlab reads version 1"),
        (json.dumps(_document(version="1.0")), "results of version '1.0'; this agentlab reads version 1"),
        (json.dumps(_without("version")), "it has no version"),
        (json.dumps(_without("batch_id")), "batch_id: Field required"),
        (
            json.dumps(_without("scenarios", 1, "samples", 2, "status")),
            "scenarios[1].samples[2].status: Field required",
        ),
        (json.dumps(_document(scenarios=[{}] * 3)), "and "),
        (json.dumps(_renumbered(sample=1)), "scenarios[0].samples: not numbered from 1 to 3, each once"),
        (json.dumps(_renumbered(sample=4)), "scenarios[0].samples: not numbered from 1 to 3, each once"),
        (
            json.dumps(_document(scenarios=_document()["scenarios"][:1] * 2)),
            "scenarios[1]: 'support.order-status' is there twice",
        ),
        (json.dumps(_renumbered(of=99)), "scenarios[0].samples[1].of: 99, and the scenario's samples_wanted is 3"),
        (
            json.dumps(_renumbered(scenario_id="a.b")),
            "scenarios[0].samples[1].scenario_id: 'a.b', in 'support.order-status'",
        ),
        (json.dumps(_changed("scenarios", 0, "skipped", "")), "scenarios[0].skipped: "),
        (json.dumps(_changed("scenarios", 0, "skipped", "no")), "scenarios[0]: skipped, and yet it has samples"),
    ],
)
def test_what_is_not_ours_is_refused_with_the_place(text: str | bytes, said: str) -> None:
    with pytest.raises(BadInputError) as refused:
        read_results(text)
    assert said in str(refused.value)


def test_no_file_makes_us_count_to_a_billion() -> None:
    document = _document()
    document["scenarios"][0]["samples_wanted"] = 10**9
    with pytest.raises(BadInputError, match="samples_wanted: not between 1 and 1000"):
        read_results(json.dumps(document))
