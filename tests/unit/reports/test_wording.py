"""The sentences of a run are true for every mix of outcomes."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.results import RunReport, ScenarioResult
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.errors import ExitCode
from agentlab_ci.reports.formatting import TEXT
from agentlab_ci.reports.wording import (
    NAMED_SCENARIOS,
    count_passes,
    name_row,
    pass_lines,
    remarks,
    summary_line,
    verdict_sentence,
)
from factories import make_report, make_row


@pytest.mark.parametrize(
    ("row", "called"),
    [
        (make_row("p", "shop.refund", name="Refund"), "shop.refund"),
        (make_row("p", "shop.refund", name="Refund", variant="v"), "shop.refund · v"),
        # another tool's id, and a code of another tool in a file of ours
        (make_row("p", "desk.refund", name="Refund", file=None), "Refund (desk.refund)"),
        (make_row("p", "SCN_aB3k", name="Refund"), "Refund (SCN_aB3k)"),
        (make_row("p", "SCN_aB3k", name="Refund", variant="v"), "Refund (SCN_aB3k) · v"),
        # nothing else is known
        (make_row("p", "SCN_aB3k", name="SCN_aB3k", file=None), "SCN_aB3k"),
        (make_row("p", "SCN_aB3k", name=" ", file=None), "SCN_aB3k"),
    ],
)
def test_what_people_know_a_scenario_by(row: ScenarioResult, called: str) -> None:
    assert name_row(row, TEXT) == called
    assert row.title.startswith(row.scenario_id), "which tells it from the others"


def test_a_long_name_leaves_room_for_the_id() -> None:
    called = name_row(make_row("p", "SCN_aB3k", name="ä" * 1000, file=None), TEXT)
    assert called.endswith(" (SCN_aB3k)")
    assert len(called.encode()) < 200


@pytest.mark.parametrize(
    ("row", "counts", "said"),
    [
        (make_row("ppf"), "2/3 passed, needs 2", ("flaky",)),
        (make_row("ppp"), "3/3 passed, needs 2", ()),
        (make_row("fff"), "0/3 passed, needs 2", ("broken",)),
        (make_row("pee"), "1/3 passed, needs 2", ("could not be judged",)),
        (make_row("p.."), "1/3 passed, needs 2", ("unfinished",)),
        (make_row("pff", gate=False), "1/3 passed, needs 2", ("flaky", "does not gate")),
        (make_row("p"), "passed", ()),
        (make_row("f"), "failed", ()),
        (make_row("e"), "could not be judged", ()),
        (make_row("c"), "unfinished", ()),
        (make_row("...", skipped="no"), "skipped", ()),
    ],
)
def test_how_a_scenario_stands(row: ScenarioResult, counts: str, said: tuple[str, ...]) -> None:
    assert count_passes(row) == counts
    assert remarks(row) == said


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        (["ppp", "pff", "fff", "pfp"], ("pass@3 3/4 (0.75), pass^3 1/4 (0.25)",)),
        (["p", "f"], ()),  # k = 1 has none
        (["pc.", "p.."], ()),  # nothing finished
        (["pps", "ppp"], ("pass@3, pass^3 not measured: 1 scenario stopped early",)),
        (["pps", "ffs"], ("pass@3, pass^3 not measured: 2 scenarios stopped early",)),
        (["ppp", "ppppf"], ("pass@3 1/1 (1.00), pass^3 1/1 (1.00)", "pass@5 1/1 (1.00), pass^5 0/1 (0.00)")),
    ],
)
def test_pass_lines(rows: list[str], lines: tuple[str, ...]) -> None:
    report = make_report(*(make_row(outcomes, f"a.{n}") for n, outcomes in enumerate(rows)))
    assert pass_lines(report, str) == lines


def test_variants_have_a_pass_line_each() -> None:
    rows = [make_row("ppp", variant="base`line"), make_row("pps", variant="candidate")]
    assert pass_lines(make_report(*rows), lambda name: f"<{name}>") == (
        "<base`line>: pass@3 1/1 (1.00), pass^3 1/1 (1.00)",
        "<candidate>: pass@3, pass^3 not measured: 1 scenario stopped early",
    )


def _report(*outcomes: str, not_gating: tuple[str, ...] = (), skipped: int = 0) -> RunReport:
    rows = [make_row(word, f"a.{n}") for n, word in enumerate(outcomes)]
    rows += [make_row(word, f"n.{n}", variant="new", gate=False) for n, word in enumerate(not_gating)]
    rows += [make_row("...", f"s.{n}", skipped="no") for n in range(skipped)]
    return make_report(*rows)


@pytest.mark.parametrize(
    ("report", "summary", "verdict"),
    [
        (
            _report("ppp", "ppf"),
            "6 samples: 5 passed, 1 failed · 2/2 scenarios passed",
            "✓ all 2 scenarios passed",
        ),
        (_report("p"), "1 sample: 1 passed · 1/1 scenario passed", "✓ the scenario passed"),
        (
            _report("ppp", "pff", "pfe", "fff"),
            "12 samples: 5 passed, 6 failed, 1 error · 2/4 scenarios failed · 1/4 could not be judged",
            "✗ 2 of 4 scenarios finished below the bar: a.1, a.3; 1 of 4 scenarios could not be judged: a.2",
        ),
        (
            _report("ppp", "pee"),
            "6 samples: 4 passed, 2 errors · 1/2 scenarios could not be judged",
            "! 1 of 2 scenarios could not be judged: a.1",
        ),
        (
            _report("pc.", "ppp"),
            "6 samples: 4 passed, 1 cancelled, 1 not run · 1/2 scenarios unfinished",
            "… 1 of 2 scenarios unfinished: a.0",
        ),
        (
            _report("pc.", "fff"),
            "6 samples: 1 passed, 3 failed, 1 cancelled, 1 not run · 1/2 scenarios failed · 1/2 unfinished",
            "✗ 1 of 2 scenarios finished below the bar: a.1; 1 of 2 scenarios unfinished: a.0",
        ),
        (
            _report("ppp", not_gating=("fff", "ppp")),
            "9 samples: 6 passed, 3 failed · 1/3 scenarios failed",
            "✓ the gating scenario passed; not gating, but below the bar: n.0 · new",
        ),
        (
            _report("fff", "ppp", not_gating=("eee",)),
            "9 samples: 3 passed, 3 failed, 3 errors · 1/3 scenarios failed · 1/3 could not be judged",
            "✗ 1 of 2 gating scenarios finished below the bar: a.0; not gating, but below the bar: n.0 · new",
        ),
        (
            _report(not_gating=("fff",)),
            "3 samples: 3 failed · 1/1 scenario failed",
            "○ no gating scenario to judge; not gating, but below the bar: n.0 · new",
        ),
        (
            _report("ppp", skipped=2),
            "3 samples: 3 passed · 1/1 scenario passed · 2 skipped",
            "✓ the scenario passed; 2 skipped",
        ),
        (_report(skipped=1), "0 samples · 1 skipped", "○ no scenario to judge; 1 skipped"),
        (_report(), "0 samples", "○ no scenario to judge"),
    ],
)
def test_how_a_run_ended(report: RunReport, summary: str, verdict: str) -> None:
    assert summary_line(report, TEXT) == summary
    assert verdict_sentence(report, TEXT, str) == verdict


@pytest.mark.parametrize(
    ("ended_by", "said"),
    [
        (ExitCode.SIGINT, "interrupted"),
        (ExitCode.SIGTERM, "terminated"),
        (ExitCode.BUG, "ended by a bug in agentlab"),
    ],
)
def test_a_run_that_was_ended_says_so(ended_by: ExitCode, said: str) -> None:
    report = make_report(make_row("p.."), ended_by=ended_by)
    assert verdict_sentence(report, TEXT, str) == f"… {said}; 1 of 1 scenario unfinished: billing.refund"


def test_a_long_list_of_names_is_counted() -> None:
    report = _report(*["fff"] * (NAMED_SCENARIOS + 3))
    assert verdict_sentence(report, TEXT, str).endswith("a.8, a.9 and 3 more")


mixes = st.lists(
    st.tuples(st.text("pfec.", min_size=3, max_size=3), st.booleans(), st.sampled_from(["0.1", "0.5", "1"])),
    max_size=6,
)


@given(mixes)
@settings(derandomize=True, deadline=None, max_examples=300)
def test_the_verdict_sentence_names_each_scenario_below_the_bar_once(mix: list[tuple[str, bool, str]]) -> None:
    rows = [make_row(o, f"a.{n}", gate=gate, pass_rate=rate) for n, (o, gate, rate) in enumerate(mix)]
    report = make_report(*rows)
    sentence = verdict_sentence(report, TEXT, str)
    told = [row for row in rows if row.below_bar or (row.gate and row.verdict is Verdict.UNFINISHED)]
    assert sorted(re.findall(r"a\.\d", sentence)) == sorted(row.scenario_id for row in told)
    gating = [row for row in rows if row.gate]
    assert (sentence[0] == TEXT.passed) == (bool(gating) and all(r.verdict is Verdict.PASSED for r in gating))
    assert (sentence[0] in (TEXT.failed, TEXT.error)) == bool(report.gating_below_bar)
    assert sum(
        map(int, re.findall(r"(\d+) (?:passed|failed|errors?|cancelled|not run)", _samples(report)))
    ) == len(rows * 3)


def _samples(report: RunReport) -> str:
    return summary_line(report, TEXT).split(" · ")[0]
