"""The reports of a big run: `python results.py SCENARIOS SAMPLES [PATH]` prints the seconds of each as JSON.

With a PATH the results.json is kept there. Every fourth sample failed, every reply is 1 KB. A process of its own,
because the memory of a process counts towards the peak of those that it starts.
"""

import json
import sys
import time
from pathlib import Path

from agentlab_ci.core.formats import FileFormat, JUnitStyle
from agentlab_ci.core.judge import build_report, judge_scenario
from agentlab_ci.core.results import BatchFacts, RunReport, SampleResult, SamplingFacts, ScenarioFacts
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.sampling import PassRate
from agentlab_ci.core.scenario import Mode, ScenarioType
from agentlab_ci.core.trace import Evaluation, Role, Turn
from agentlab_ci.reports.registry import report_formats


def main(scenarios: int, samples: int, kept: str | None = None) -> None:
    """Render every format once."""
    report = make_report(scenarios=scenarios, samples=samples)
    seconds = {}
    for name, report_format in report_formats(junit_style=JUnitStyle.SAMPLES).items():
        started = time.perf_counter()
        rendered = report_format.render(report)
        seconds[name] = time.perf_counter() - started
        if kept is not None and name is FileFormat.JSON:
            Path(kept).write_bytes(rendered)
    print(json.dumps(seconds))


def make_report(*, scenarios: int, samples: int) -> RunReport:
    """Make up the results of so many scenarios with so many samples each."""
    rows = [
        judge_scenario(
            _facts(f"support.refund-{number}", samples),
            [_sample(f"support.refund-{number}", sample, samples, number) for sample in range(1, samples + 1)],
        )
        for number in range(scenarios)
    ]
    batch = BatchFacts(
        tool="agentlab 0.1.0",
        batch_id="batch_20260407_001230_9x2c",
        started_at="2026-04-07T00:12:30Z",
        ended_at="2026-04-07T00:13:11Z",
        sampling=SamplingFacts(samples=samples, pass_rate=PassRate("0.75"), stop_when_settled=False),
    )
    return build_report(batch, rows, duration_ms=41_200)


def _facts(scenario_id: str, samples: int) -> ScenarioFacts:
    return ScenarioFacts(
        scenario_id=scenario_id,
        name="Tell Where The Refund Is",
        type=ScenarioType.CONVERSATION,
        suite="support",
        file="scenarios/support.yaml",
        line=1,
        hash=None,
        agent=None,
        samples_wanted=samples,
        pass_rate=PassRate("0.75"),
    )


def _sample(scenario_id: str, sample: int, of: int, number: int) -> SampleResult:
    failed = (number + sample) % 4 == 0
    reply = "Your refund was sent on 2 March. " * 31
    return SampleResult(
        scenario_id=scenario_id,
        sample=sample,
        of=of,
        run_id=f"run_20260407_001234_{number:04}{sample}",
        status=SampleStatus.FAILED if failed else SampleStatus.PASSED,
        termination_reason=TerminationReason.EVALUATOR_FAILED if failed else TerminationReason.COMPLETED,
        score=0 if failed else 100,
        duration_ms=1200,
        final_output=reply,
        turns=(Turn(role=Role.USER, text="Where is it?"), Turn(role=Role.AGENT, text=reply, latency_ms=1100)),
        evaluations=(
            Evaluation(
                id="names-order",
                type="response_contains",
                mode=Mode.HARD_GATE,
                step=1,
                passed=not failed,
                message="reply does not contain 'A-1024'" if failed else "reply contains 'A-1024'",
            ),
        ),
    )


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
