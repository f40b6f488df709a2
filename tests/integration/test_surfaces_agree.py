"""A thousand random runs: whatever happened in them, every surface says the same, and says what is true.

What is true is worked out here a second time, from the letters of the outcomes and from nothing of ours.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from agentlab_ci.app import Outcome, World, report_again
from agentlab_ci.core.formats import JUnitStyle
from agentlab_ci.core.gate import FailOn
from agentlab_ci.core.judge import judge_scenario
from agentlab_ci.core.results import RunReport, VariantIdentity
from agentlab_ci.core.sampling import PassRate
from agentlab_ci.core.scenario import ScenarioType
from agentlab_ci.interrupts import Interrupts
from agentlab_ci.publish.console import Console
from agentlab_ci.publish.outputs import outputs_of
from agentlab_ci.reports.comment import render_comment
from agentlab_ci.reports.formatting import EMOJI, TEXT
from agentlab_ci.reports.json_report import read_results, render_json
from agentlab_ci.reports.log import LogStyle
from agentlab_ci.reports.summary import render_summary
from agentlab_ci.settings import ReportSettings
from factories import make_facts, make_report, make_samples
from pages import LINKS, MARKER, RUN_URL

RATES = ["0.01", "0.34", "0.5", "0.6", "0.67", "0.75", "0.8", "0.9", "1"]
ICONS = {
    getattr(TEXT, name): getattr(EMOJI, name) for name in ("passed", "failed", "error", "unfinished", "skipped")
}


@dataclass(frozen=True)
class Row:
    """A scenario as it came out: a letter for each sample, as in `factories`; none of them when it was skipped."""

    outcomes: str
    rate: str
    variant: str | None
    gate: bool
    skipped: bool
    type: ScenarioType

    @property
    def k(self) -> int:
        return len(self.outcomes)

    @property
    def verdict(self) -> str:
        if self.skipped:
            return "skipped"
        passed, open_ = self.outcomes.count("p"), sum(letter in "cs." for letter in self.outcomes)
        bar = bar_of(self.k, self.rate)
        return "passed" if passed >= bar else "failed" if passed + open_ < bar else "unfinished"


@dataclass(frozen=True)
class Run:
    """All scenarios of a run, and how it is gated."""

    rows: tuple[Row, ...]
    fail_on: FailOn
    require_finished: bool
    style: JUnitStyle

    @property
    def judged(self) -> list[Row]:
        return [row for row in self.rows if not row.skipped]

    @property
    def gating(self) -> list[str]:
        return [row.verdict for row in self.judged if row.gate]

    @property
    def verdict(self) -> str:
        if not self.judged:
            return "skipped"
        return next((it for it in ("failed", "unfinished") if it in self.gating), "passed")

    @property
    def exit_code(self) -> int:
        if not self.judged:
            return 2
        if "failed" in self.gating:
            return 0 if self.fail_on is FailOn.NEVER else 1
        nothing_decided = all(row.verdict == "unfinished" for row in self.judged)
        unfinished = self.gating.count("unfinished")
        left = unfinished and (self.require_finished or unfinished == len(self.gating))
        return 3 if nothing_decided or left else 0

    @property
    def pass_lines(self) -> list[str]:
        groups = dict.fromkeys((row.variant, row.k) for row in self.judged if row.k > 1)
        lines = ((variant, self._pass_line(variant, k)) for variant, k in groups)
        return [line if variant is None else f"{variant}: {line}" for variant, line in lines if line]

    def complete(self, variant: str | None, k: int) -> list[str]:
        """Outcomes of the scenarios that count for pass@k."""
        rows = (row.outcomes for row in self.judged if (row.variant, row.k) == (variant, k))
        return [outcomes for outcomes in rows if set(outcomes) <= set("pfe")]

    def _pass_line(self, variant: str | None, k: int) -> str:
        stopped = sum("s" in row.outcomes for row in self.judged if (row.variant, row.k) == (variant, k))
        if stopped:
            return f"pass@{k}, pass^{k} not measured: {stopped} scenario{'s' * (stopped > 1)} stopped early"
        counted = self.complete(variant, k)
        if not counted:
            return ""
        shares = (("@", sum("p" in it for it in counted)), ("^", sum(set(it) == {"p"} for it in counted)))
        return ", ".join(
            f"pass{sign}{k} {part}/{len(counted)} ({decimals(part, len(counted))})" for sign, part in shares
        )


def bar_of(k: int, rate: str) -> int:
    return max(1, int((Decimal(rate) * k).quantize(Decimal(1), ROUND_HALF_UP)))


def decimals(part: int, whole: int) -> str:
    if part in (0, whole):
        return "0.00" if part == 0 else "1.00"
    share = (Decimal(part) / Decimal(whole)).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return str(min(max(share, Decimal("0.01")), Decimal("0.99")))


@st.composite
def streams(draw: st.DrawFn) -> Run:
    """A run as it might come out: samples end one by one, and with `stop_when_settled` no more than needed."""
    variants: list[tuple[str | None, bool]] = draw(
        st.sampled_from([[(None, True)], [("base", True), ("new", False)], [("base", False)]])
    )
    stops, ks = draw(st.booleans()), draw(st.sampled_from([[1], [3], [2, 5], list(range(1, 10))]))
    letters = draw(st.sampled_from(["p", "ppf", "pfe", "fe", "pfeu", "pfc", "pfec.", "e."]))
    rows = []
    for _ in range(draw(st.integers(0, 4))):
        k, rate = draw(st.sampled_from(ks)), draw(st.sampled_from(RATES))
        kind = draw(st.sampled_from([ScenarioType.CONVERSATION, ScenarioType.SIMULATION]))
        for variant, gate in variants:
            stream = draw(st.text(letters, min_size=k, max_size=k))
            outcomes = settle(stream, rate) if stops else stream
            rows.append(Row(outcomes, rate, variant, gate, skipped=draw(st.integers(0, 9)) == 0, type=kind))
    return Run(
        rows=tuple(rows),
        fail_on=draw(st.sampled_from([FailOn.BELOW_BAR, FailOn.BELOW_BAR, FailOn.NEVER])),
        require_finished=draw(st.booleans()),
        style=draw(st.sampled_from(JUnitStyle)),
    )


def settle(stream: str, rate: str) -> str:
    bar, k = bar_of(len(stream), rate), len(stream)
    for ended in range(k):
        passed = stream[:ended].count("p")
        if passed >= bar or passed + k - ended < bar:
            return stream[:ended] + "s" * (k - ended)
    return stream


def report_of(run: Run) -> RunReport:
    return make_report(
        *(
            judge_scenario(
                make_facts(
                    f"a.s{number}",
                    samples_wanted=row.k,
                    pass_rate=PassRate(row.rate),
                    type=row.type,
                    gate=row.gate,
                    skipped="it does not run there" if row.skipped else None,
                    variant=VariantIdentity(variant_set_name="v", variant_label=row.variant)
                    if row.variant
                    else None,
                ),
                [] if row.skipped else reversed(make_samples(row.outcomes, scenario_id=f"a.s{number}")),
            )
            for number, row in number_rows(run)
        )
    )


def number_rows(run: Run) -> Iterator[tuple[int, Row]]:
    """Give the rows of a scenario, one for each variant, the same number."""
    numbers: dict[str | None, Iterator[int]] = {}
    for row in run.rows:
        yield next(numbers.setdefault(row.variant, count(1))), row


def told_again(run: Run, folder: Path) -> tuple[Outcome, list[str]]:
    """Let `agentlab report` render it all, and return what it came to and what it printed."""
    (folder / "results.json").write_bytes(render_json(report_of(run)))
    lines: list[str] = []
    world = World(
        cwd=folder,
        environ={},
        console=Console(out=lines.append, err=lambda _: None, clock=lambda: 0.0),
        log_style=LogStyle(glyphs=TEXT),
        now=lambda: datetime(2026, 4, 7, tzinfo=UTC),
        interrupts=Interrupts(),
    )
    settings_ = ReportSettings(fail_on=run.fail_on, require_finished=run.require_finished, junit_style=run.style)
    return report_again("results.json", settings_, world), lines


def pass_lines_in(lines: Sequence[str]) -> list[str]:
    plain = (line.replace("`", "").removesuffix("\\") for line in lines)
    return [line for line in plain if re.match(r"(\w+: )?pass@\d", line)]


def to_emoji(sentence: str) -> str:
    icon, _, words = sentence.partition(" ")
    return f"{ICONS[icon]} {words}"


def headline_of(page: str, mark: str) -> str:
    line = next(line for line in page.split("\n") if line.startswith(f"{mark} "))
    return line.removeprefix(f"{mark} ").replace("`", "")


@given(run=streams())
@settings(
    derandomize=True, deadline=None, max_examples=1000, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_every_surface_says_the_same_and_what_is_true(run: Run, tmp_path: Path) -> None:
    outcome, log = told_again(run, tmp_path)
    report = outcome.report
    assert report is not None
    markdown = (tmp_path / "agentlab-report/report.md").read_text(encoding="utf-8")
    comment = render_comment(report, marker=MARKER, links=LINKS, run_url=RUN_URL)
    summary = render_summary(report, links=LINKS, run_url=RUN_URL)
    written: Any = json.loads((tmp_path / "agentlab-report/results.json").read_bytes())
    outputs = outputs_of(report)

    assert (int(outcome.exit_code), written["summary"]["exit_code"]) == (run.exit_code, run.exit_code)
    assert (written["summary"]["verdict"], outputs["verdict"]) == (run.verdict, run.verdict)
    assert [row["verdict"] for row in written["scenarios"]] == [row.verdict for row in run.rows]
    assert read_results(json.dumps(written)).summary == report.summary

    for page in (log, markdown.split("\n"), comment.split("\n"), summary.split("\n")):
        assert pass_lines_in(page) == run.pass_lines
    sentence = to_emoji(log[-1])
    assert [headline_of(markdown, "##"), headline_of(comment, "###"), headline_of(summary, "###")] == [
        sentence
    ] * 3
    check_sentence(sentence, run)
    check_counts(run, outputs, written)
    check_junit(run, etree.fromstring((tmp_path / "agentlab-report/junit.xml").read_bytes()))


def check_sentence(sentence: str, run: Run) -> None:
    failed, unfinished = run.gating.count("failed"), run.gating.count("unfinished")
    told = sum(int(n) for n in re.findall(r"(\d+) of \d+ \D*?(?:finished below|could not be judged)", sentence))
    assert told == failed
    assert (f"{unfinished} of " in sentence and " unfinished: " in sentence) or not unfinished
    icon = sentence.partition(" ")[0]
    expected = {
        "failed": {EMOJI.failed, EMOJI.error},
        "unfinished": {EMOJI.unfinished},
        "passed": {EMOJI.passed if run.gating else EMOJI.skipped},
        "skipped": {EMOJI.skipped},
    }
    assert icon in expected[run.verdict]


def check_counts(run: Run, outputs: dict[str, str], written: Any) -> None:
    verdicts = [row.verdict for row in run.judged]
    counts = {verdict: verdicts.count(verdict) for verdict in ("passed", "failed", "unfinished")}
    assert {name: int(outputs[f"scenarios-{name}"]) for name in counts} == counts
    assert {name: written["summary"]["scenarios"][name] for name in counts} == counts
    letters = "".join(row.outcomes for row in run.judged)
    assert int(outputs["samples"]) == len(letters)
    assert int(outputs["samples-passed"]) == written["summary"]["samples"]["passed"] == letters.count("p")
    assert json.loads(outputs["failed-scenarios"]) == list(
        dict.fromkeys(f"a.s{n}" for n, row in number_rows(run) if row.gate and row.verdict == "failed")
    )
    groups = {(row.variant, row.k) for row in run.judged if row.k > 1}
    shares = re.findall(r"pass[@^]\d+ \d+/\d+ \((\d\.\d\d)\)", "\n".join(run.pass_lines))
    told = shares if len(groups) == 1 and groups <= {(None, k) for k in range(10)} and shares else ["", ""]
    assert [outputs["pass-at-k"], outputs["pass-hat-k"]] == told


def check_junit(run: Run, root: Any) -> None:
    red = [int(suite.get("failures", 0)) + int(suite.get("errors", 0)) > 0 for suite in root]
    assert red == [row.gate and row.verdict == "failed" for row in run.rows]
    assert (int(root.get("failures", 0)) + int(root.get("errors", 0)) > 0) == ("failed" in run.gating)
    cases = [len(suite.findall("testcase")) for suite in root]
    single = run.style is JUnitStyle.SCENARIOS
    assert cases == [1 if single or row.skipped else row.k for row in run.rows]


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(1, 8, "0.13"), (1, 201, "0.01"), (200, 201, "0.99"), (0, 3, "0.00"), (3, 3, "1.00")],
)
def test_how_shares_are_written_here(part: int, whole: int, text: str) -> None:
    assert decimals(part, whole) == text
