"""The outputs of the Action's step, for the steps after it."""

import json
import posixpath
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from agentlab_ci.core.formats import FileFormat
from agentlab_ci.core.judge import PassGroup, pass_groups
from agentlab_ci.core.results import RunReport
from agentlab_ci.core.stats import PassCounts, format_share

_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_.@+-]+")
"""What no id of agentlab's or LiveKit's holds: one that was read from a file may be anything."""
_OBEYED = re.compile(r"[#$`]")
"""Obeyed by a runner (`##[`) or by the shell of a later step that prints it; in JSON an escape says as much."""
_NOTHING_WRITTEN: Mapping[FileFormat, str] = MappingProxyType({})
_NO_FIGURES: Mapping[str, str] = MappingProxyType(
    {
        "verdict": "",
        "scenarios": "0",
        "scenarios-passed": "0",
        "scenarios-failed": "0",
        "scenarios-unfinished": "0",
        "samples": "0",
        "samples-passed": "0",
        "samples-failed": "0",
        "samples-errored": "0",
        "pass-at-k": "",
        "pass-hat-k": "",
        "failed-scenarios": "[]",
        "batch-id": "",
    }
)


def outputs_of(
    report: RunReport | None,
    *,
    written: Mapping[FileFormat, str] = _NOTHING_WRITTEN,
    report_dir: str | None = None,
    prefix: str = "",
) -> dict[str, str]:
    """Return every output.

    Without a report, as after exit code 2, counts are `0`, `failed-scenarios` is `[]` and the verdict is empty.
    Counts include scenarios that do not gate, and `failed-scenarios` does not.

    `written` and `report_dir` are relative to the working directory; `prefix` is the path to it from the
    workspace, which the outputs are relative to. `comment-url` is empty until there is a comment.
    """

    def in_workspace(path: str | None) -> str:
        return "" if path is None else posixpath.normpath(posixpath.join(prefix, path))

    return {
        **(_NO_FIGURES if report is None else _figures(report)),
        "report-markdown": in_workspace(written.get(FileFormat.MARKDOWN)),
        "report-junit": in_workspace(written.get(FileFormat.JUNIT)),
        "report-json": in_workspace(written.get(FileFormat.JSON)),
        "report-html": in_workspace(written.get(FileFormat.HTML)),
        "report-dir": in_workspace(report_dir),
        "comment-url": "",
    }


def write_outputs(
    path: Path, outputs: Mapping[str, str], *, new_delimiter: Callable[[], str] = lambda: secrets.token_hex(16)
) -> None:
    """Append the outputs to the file that GITHUB_OUTPUT names.

    No value can end early and begin another output: delimiters are drawn until one occurs in none of them. Raises
    OSError when the file cannot be written.
    """
    delimiter = new_delimiter()
    while any(delimiter in value for value in outputs.values()):
        delimiter = new_delimiter()
    text = "".join(f"{name}<<{delimiter}\n{value}\n{delimiter}\n" for name, value in outputs.items())
    with path.open("a", encoding="utf-8", errors="replace", newline="\n") as file:
        file.write(text)


def _figures(report: RunReport) -> dict[str, str]:
    scenarios, samples = report.summary.scenarios, report.summary.samples
    groups = pass_groups(report.scenarios)
    below_bar = dict.fromkeys(row.scenario_id for row in report.gating_below_bar)
    return {
        "verdict": report.summary.verdict.value,
        "scenarios": str(scenarios.total),
        "scenarios-passed": str(scenarios.passed),
        "scenarios-failed": str(scenarios.failed),
        "scenarios-unfinished": str(scenarios.unfinished),
        "samples": str(sum(row.samples_wanted for row in report.judged)),
        "samples-passed": str(samples.passed),
        "samples-failed": str(samples.failed),
        "samples-errored": str(samples.error),
        "pass-at-k": _share(groups, lambda counts: counts.at_least_once),
        "pass-hat-k": _share(groups, lambda counts: counts.every_time),
        "failed-scenarios": _OBEYED.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(list(below_bar))),
        "batch-id": _NOT_IN_IDS.sub("_", report.batch_id),
    }


def _share(groups: Sequence[PassGroup], part: Callable[[PassCounts], int]) -> str:
    """Write the one share of a run without variants whose sampled scenarios all have the same k; else nothing."""
    if len(groups) != 1 or groups[0].variant is not None or groups[0].counts is None:
        return ""
    return format_share(part(groups[0].counts), groups[0].counts.of)
