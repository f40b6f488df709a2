"""Another tool's run that broke off is green in no case."""

import pytest

from agentlab_ci.core.gate import FailOn
from agentlab_ci.core.judge import build_report, regate
from agentlab_ci.core.results import ImportedRun, RunReport
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.errors import ExitCode
from factories import make_batch, make_row

BROKEN = ImportedRun(tool="livekit", run_id="SR_1", status="STATUS_FAILED", completed=False, failed=True)
ENDED = ImportedRun(tool="livekit", run_id="SR_1", status="STATUS_COMPLETED", completed=True)
CANCELLED = ImportedRun(tool="livekit", run_id="SR_1", status="STATUS_CANCELLED", completed=False)


def report(imported: ImportedRun | None, *outcomes: str, gate: bool = True, **how: object) -> RunReport:
    rows = [make_row(word, f"s.{number}", gate=gate) for number, word in enumerate(outcomes)]
    return build_report(make_batch(imported=imported), rows, duration_ms=0, **how)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("imported", "outcomes", "code", "verdict"),
    [
        (BROKEN, ["ppc"], ExitCode.NO_VERDICT, Verdict.UNFINISHED),  # settled, and yet not whole
        (BROKEN, ["pp."], ExitCode.NO_VERDICT, Verdict.UNFINISHED),
        (BROKEN, ["ppp", "p.."], ExitCode.NO_VERDICT, Verdict.UNFINISHED),
        (BROKEN, ["ppp", "ff."], ExitCode.BELOW_BAR, Verdict.FAILED),  # 1 wins over 3
        (BROKEN, ["ppp", "ppp"], ExitCode.OK, Verdict.PASSED),  # nothing was to come
        (BROKEN, [], ExitCode.NO_VERDICT, Verdict.UNFINISHED),
        (ENDED, [], ExitCode.NO_VERDICT, Verdict.UNFINISHED),
        (ENDED, ["ppc"], ExitCode.OK, Verdict.PASSED),
        (CANCELLED, ["ppc"], ExitCode.OK, Verdict.PASSED),
        (CANCELLED, ["ppp", "p.."], ExitCode.OK, Verdict.UNFINISHED),
        (None, ["ppc"], ExitCode.OK, Verdict.PASSED),
        (None, [], ExitCode.BAD_INPUT, Verdict.SKIPPED),
    ],
)
def test_a_broken_off_run(
    imported: ImportedRun | None, outcomes: list[str], code: ExitCode, verdict: Verdict
) -> None:
    first = report(imported, *outcomes)
    for judged in (first, regate(first)):
        assert (judged.summary.exit_code, judged.summary.verdict) == (code, verdict)
        assert judged.imported == imported


@pytest.mark.parametrize("fail_on", FailOn)
@pytest.mark.parametrize("outcomes", [["ppc"], ["ppp", "f.."], [], ["ff.", "ppp"]])
def test_no_setting_makes_it_green(fail_on: FailOn, outcomes: list[str]) -> None:
    assert report(BROKEN, *outcomes, fail_on=fail_on).summary.exit_code is not ExitCode.OK


def test_what_does_not_gate_need_not_be_whole() -> None:
    assert report(BROKEN, "ppc", gate=False).summary.exit_code is ExitCode.OK
