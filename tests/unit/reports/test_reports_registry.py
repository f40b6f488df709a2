"""Every report that can be asked for renders every kind of run."""

import pytest

from agentlab_ci.core.formats import FileFormat, JUnitStyle
from agentlab_ci.reports.registry import report_formats
from canned import CANNED_REPORTS


def test_every_format_has_a_file_of_its_own() -> None:
    formats = report_formats()
    assert list(formats) == list(FileFormat)
    assert [row.file_name for row in formats.values()] == ["report.md", "junit.xml", "results.json", "report.html"]


@pytest.mark.parametrize("name", CANNED_REPORTS)
@pytest.mark.parametrize("wanted", FileFormat)
def test_every_format_renders_every_run_the_same_each_time(wanted: FileFormat, name: str) -> None:
    render = report_formats(junit_style=JUnitStyle.SCENARIOS)[wanted].render
    content = render(CANNED_REPORTS[name])
    assert content.decode()
    assert content == render(CANNED_REPORTS[name])


def test_the_junit_style_is_passed_on() -> None:
    report = CANNED_REPORTS["flaky"]
    assert b"flakyFailure" in report_formats(junit_style=JUnitStyle.SCENARIOS)[FileFormat.JUNIT].render(report)
    assert b"flakyFailure" not in report_formats()[FileFormat.JUNIT].render(report)
