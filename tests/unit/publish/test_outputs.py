"""The outputs of the Action: figures from the report, and no value that becomes another output."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.formats import FileFormat
from agentlab_ci.publish.outputs import outputs_of, write_outputs
from canned import CANNED_REPORTS
from factories import make_report, make_row
from hostile import HOSTILE_TEXTS

NAMES = {
    *("verdict", "scenarios", "scenarios-passed", "scenarios-failed", "scenarios-unfinished"),
    *("samples", "samples-passed", "samples-failed", "samples-errored", "pass-at-k", "pass-hat-k"),
    *(
        "failed-scenarios",
        "report-markdown",
        "report-junit",
        "report-json",
        "report-html",
        "report-dir",
        "comment-url",
        "batch-id",
    ),
}
WRITTEN = {FileFormat.MARKDOWN: "out/report.md", FileFormat.JSON: "out/results.json"}


def read_as_the_runner_does(text: str) -> dict[str, str]:
    outputs: dict[str, str] = {}
    lines = text.split("\n")
    assert lines.pop() == ""
    while lines:
        name, delimiter = lines.pop(0).split("<<", 1)
        end = lines.index(delimiter)
        assert name not in outputs
        outputs[name] = "\n".join(lines[:end])
        lines = lines[end + 1 :]
    return outputs


def test_every_output_of_a_run() -> None:
    outputs = outputs_of(CANNED_REPORTS["below_bar"], written=WRITTEN, report_dir="out")
    assert outputs == {
        "verdict": "failed",
        "scenarios": "4",
        "scenarios-passed": "1",
        "scenarios-failed": "3",
        "scenarios-unfinished": "0",
        "samples": "12",
        "samples-passed": "5",
        "samples-failed": "6",
        "samples-errored": "1",
        "pass-at-k": "0.75",
        "pass-hat-k": "0.25",
        "failed-scenarios": '["support.cancel", "support.refund", "support.return"]',
        "report-markdown": "out/report.md",
        "report-junit": "",
        "report-json": "out/results.json",
        "report-html": "",
        "report-dir": "out",
        "comment-url": "",
        "batch-id": "batch_20260407_001230_9x2c",
    }


def test_without_a_report_the_outputs_are_set_too() -> None:
    outputs = outputs_of(None)
    assert outputs.keys() == NAMES
    assert {name for name, value in outputs.items() if value == "0"} == {
        name for name in NAMES if name.startswith(("scenarios", "samples"))
    }
    assert outputs["failed-scenarios"] == "[]"
    assert {outputs[name] for name in ("verdict", "batch-id", "pass-at-k", "report-dir", "comment-url")} == {""}


def test_ids_of_another_tool_are_obeyed_by_nobody() -> None:
    hostile = "::error::x\n##[error]y\x1b[31m\u202e $(id) `id` \"'é"
    report = make_report(make_row("f", hostile)).model_copy(update={"batch_id": f"SR_1{hostile}SR"})
    outputs = outputs_of(report)
    assert outputs["batch-id"] == "SR_1_error_x_error_y_31m_id_id_SR"
    assert json.loads(outputs["failed-scenarios"]) == [hostile]
    assert not set("#$`\n\x1b\u202e") & set(outputs["failed-scenarios"])


@pytest.mark.parametrize("name", CANNED_REPORTS)
def test_every_kind_of_run_has_the_same_outputs(name: str) -> None:
    assert outputs_of(CANNED_REPORTS[name]).keys() == NAMES


@pytest.mark.parametrize(
    ("outcomes", "shares"),
    [
        (["ppp", "pfp"], ("1.00", "0.50")),
        (["ppp", "p"], ("1.00", "1.00")),  # k = 1 has no pass@k and takes no part
        (["ppp", "pp.", "ppf"], ("1.00", "0.50")),  # an unfinished scenario takes no part
        (["ppp", "ppppp"], ("", "")),  # k differs
        (["ppp", "ccccc"], ("", "")),  # k differs, although one of them qualifies
        (["p", "f"], ("", "")),
        (["pps", "fff"], ("", "")),  # stopped early
        (["..."], ("", "")),
        ([], ("", "")),
    ],
)
def test_a_share_is_given_where_there_is_one(outcomes: list[str], shares: tuple[str, str]) -> None:
    outputs = outputs_of(make_report(*(make_row(text, f"a.{n}") for n, text in enumerate(outcomes))))
    assert (outputs["pass-at-k"], outputs["pass-hat-k"]) == shares


def test_variants_have_no_single_share_and_their_scenarios_are_named_once() -> None:
    report = make_report(*(make_row("fff", "a.b", variant=name) for name in ("old", "new")))
    outputs = outputs_of(report)
    assert (outputs["pass-at-k"], outputs["pass-hat-k"]) == ("", "")
    assert json.loads(outputs["failed-scenarios"]) == ["a.b"]
    assert outputs_of(make_report(make_row("ppp", variant="only")))["pass-at-k"] == ""


def test_what_does_not_gate_is_counted_and_not_named() -> None:
    outputs = outputs_of(CANNED_REPORTS["not_gating"])
    assert (outputs["verdict"], outputs["scenarios-failed"], outputs["failed-scenarios"]) == ("passed", "2", "[]")


@pytest.mark.parametrize(
    ("prefix", "folder", "shown"),
    [
        ("", "agentlab-report", "agentlab-report"),
        ("", "./out/", "out"),
        ("apps/shop/", "out", "apps/shop/out"),
        ("apps/shop/", "../out", "apps/out"),
        ("apps/shop/", "/github/out", "/github/out"),
    ],
)
def test_paths_are_relative_to_the_workspace(prefix: str, folder: str, shown: str) -> None:
    outputs = outputs_of(None, report_dir=folder, written={FileFormat.JUNIT: f"{folder}/junit.xml"}, prefix=prefix)
    assert (outputs["report-dir"], outputs["report-junit"]) == (shown, f"{shown}/junit.xml")


def test_outputs_are_appended(tmp_path: Path) -> None:
    file = tmp_path / "output"
    file.write_text("earlier=1\n")
    write_outputs(file, {"a": "1", "b": ""}, new_delimiter=lambda: "END")
    assert file.read_text() == "earlier=1\na<<END\n1\nEND\nb<<END\n\nEND\n"


def test_a_delimiter_that_occurs_is_drawn_again(tmp_path: Path) -> None:
    drawn = iter(["first", "second", "third"])
    write_outputs(tmp_path / "output", {"a": "x\nfirst\n", "b": "asecondb"}, new_delimiter=lambda: next(drawn))
    assert read_as_the_runner_does((tmp_path / "output").read_text()) == {"a": "x\nfirst\n", "b": "asecondb"}


def test_delimiters_cannot_be_guessed(tmp_path: Path) -> None:
    for _ in range(2):
        write_outputs(tmp_path / "output", {"a": ""})
    first, second = re.findall("<<(.*)", (tmp_path / "output").read_text())
    assert first != second
    assert len(first) >= 32


@given(st.dictionaries(st.sampled_from(sorted(NAMES)), st.one_of(st.text(), st.sampled_from(HOSTILE_TEXTS))))
@settings(derandomize=True, deadline=None)
def test_no_value_becomes_another_output(
    tmp_path_factory: pytest.TempPathFactory, outputs: dict[str, str]
) -> None:
    file = tmp_path_factory.mktemp("outputs") / "output"
    write_outputs(file, outputs)
    read = read_as_the_runner_does(file.read_bytes().decode())
    assert read == {name: value.encode(errors="replace").decode() for name, value in outputs.items()}
