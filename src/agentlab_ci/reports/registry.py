"""Every report file by the name that `--format` gives it."""

from functools import partial

from agentlab_ci.core.formats import FileFormat, JUnitStyle
from agentlab_ci.core.results import RunReport
from agentlab_ci.reports.interface import ReportFormat
from agentlab_ci.reports.json_report import render_json
from agentlab_ci.reports.junit import render_junit
from agentlab_ci.reports.markdown import render_report


def report_formats(*, junit_style: JUnitStyle = JUnitStyle.SAMPLES) -> dict[FileFormat, ReportFormat]:
    """Return the formats in the order in which they are listed."""
    formats = (
        ReportFormat(name=FileFormat.MARKDOWN, file_name="report.md", render=_markdown),
        ReportFormat(
            name=FileFormat.JUNIT, file_name="junit.xml", render=partial(render_junit, style=junit_style)
        ),
        ReportFormat(name=FileFormat.JSON, file_name="results.json", render=render_json),
        ReportFormat(name=FileFormat.HTML, file_name="report.html", render=_html),
    )
    return {row.name: row for row in formats}


def _markdown(report: RunReport) -> bytes:
    return render_report(report).encode()


def _html(report: RunReport) -> bytes:
    from agentlab_ci.reports.html import render_html  # noqa: PLC0415 - few runs write it

    return render_html(report)
