"""Exports that anybody may have damaged: each is refused in words, or gates and comes back as it was read."""

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentlab_ci.core.formats import JUnitStyle
from agentlab_ci.core.judge import regate
from agentlab_ci.core.results import RunReport, SourceIdentity
from agentlab_ci.errors import BadInputError
from agentlab_ci.reports.json_report import read_results, render_json
from agentlab_ci.reports.livekit_json import render_livekit
from agentlab_ci.reports.redact import Redactor
from agentlab_ci.reports.registry import report_formats
from agentlab_ci.results_file import read_livekit_file

DATA = Path(__file__).parents[1] / "data" / "livekit"
DOCUMENTS = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(DATA.glob("*.json"))]
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 3, 10**30, 1.5, float("nan"), 1e308),
    *("", "x", "0", "-5", "STATUS_", "STATUS_FAILED", "9" * 25, "2026-13-01", "\x00", "a" * 70_000),
    *([], {}, [None], {"a": None}, [[[[]]]]),
)


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if way:
        yield way
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places(value[key], (*way, key))


def damage(document: Any, draw: random.Random) -> Any:
    damaged = copy.deepcopy(document)
    for _ in range(draw.randint(1, 3)):
        ways = list(places(damaged))
        if not ways:
            break
        *way, key = draw.choice(ways)
        part = damaged
        for step in way:
            part = part[step]
        what = draw.random()
        if what < 0.6:
            part[key] = copy.deepcopy(draw.choice(VALUES))
        elif what < 0.8:
            del part[key]
        elif isinstance(part, list):
            part.append(copy.deepcopy(part[key]))
        else:
            part["later"] = copy.deepcopy(draw.choice(VALUES))
    return damaged


def read(folder: Path, content: bytes) -> RunReport:
    (folder / "run.json").write_bytes(content)
    report, _ = read_livekit_file(folder, "run.json", redactor=Redactor(()), source=SourceIdentity())
    return report


def test_damaged_exports(tmp_path: Path) -> None:
    draw = random.Random(11)  # noqa: S311 - nothing secret
    kept, refused = 0, []
    for _ in range(600):
        try:
            report = read(tmp_path, json.dumps(damage(draw.choice(DOCUMENTS), draw)).encode())
        except BadInputError as problem:
            refused.append(str(problem))
            continue
        for style in JUnitStyle:
            for format_of in report_formats(junit_style=style).values():
                format_of.render(report)
        assert regate(read_results(render_json(report))).summary == report.summary
        try:
            back = read(tmp_path, render_livekit(report))
        except BadInputError:
            continue
        assert [row.verdict for row in back.scenarios] == [row.verdict for row in report.scenarios]
        assert back.summary.exit_code is report.summary.exit_code
        kept += 1
    assert len(refused) > 100
    assert all(told.startswith("run.json: ") for told in refused)
    assert kept > 50
