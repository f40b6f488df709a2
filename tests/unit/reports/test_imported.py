"""What is said of another tool's run."""

import pytest

from agentlab_ci.core.judge import build_report
from agentlab_ci.core.results import ImportedRun
from agentlab_ci.reports.escape import code_span
from agentlab_ci.reports.formatting import EMOJI
from agentlab_ci.reports.imported import tell_unfinished
from agentlab_ci.reports.wording import verdict_sentence
from factories import make_batch, make_row


def imported(**more: object) -> ImportedRun:
    facts = {"tool": "livekit", "run_id": "SR_1", "status": "STATUS_FAILED", "completed": False, "failed": True}
    return ImportedRun.model_validate(facts | more)


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (imported(error="out of\n credit"), "LiveKit's run SR_1 is STATUS_FAILED: out of credit"),
        (imported(run_id="", status=""), "LiveKit's run is of no known status"),
        (imported(tool="other"), "the run of other SR_1 is STATUS_FAILED"),
    ],
)
def test_a_run_that_did_not_complete_is_named(run: ImportedRun, said: str) -> None:
    assert tell_unfinished(run) == said


def test_a_long_error_is_cut() -> None:
    assert len(tell_unfinished(imported(error="x" * 5000))) < 400


@pytest.mark.parametrize(
    ("run", "outcomes", "sentence"),
    [
        (
            imported(run_id="", error="`b` @c"),
            ["pp.", "ppp"],
            "⏳ LiveKit's run is `STATUS_FAILED`: `` `b` @c ``; 1 of 2 scenarios without all samples: `s.0`",
        ),
        (imported(), ["p.."], "⏳ LiveKit's run `SR_1` is `STATUS_FAILED`; 1 of 1 scenario unfinished: `s.0`"),
        (
            imported(),
            ["fff"],
            "❌ LiveKit's run `SR_1` is `STATUS_FAILED`; 1 of 1 scenario finished below the bar: `s.0`",
        ),
        (imported(), [], "⏳ LiveKit's run `SR_1` is `STATUS_FAILED`; no scenario to judge"),
        (imported(completed=True, failed=False), ["ppp"], "✅ the scenario passed"),
        (imported(completed=True, failed=False), [], "⏳ no scenario to judge"),
    ],
)
def test_the_headline_claims_no_success(run: ImportedRun, outcomes: list[str], sentence: str) -> None:
    rows = [make_row(word, f"s.{number}") for number, word in enumerate(outcomes)]
    report = build_report(make_batch(imported=run), rows, duration_ms=0)
    assert verdict_sentence(report, EMOJI, code_span) == sentence
