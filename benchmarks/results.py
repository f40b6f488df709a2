"""Write the results.json of a big run: `python results.py PATH SCENARIOS SAMPLES`.

A process of its own, because the memory of a process counts towards the peak of those that it starts.
Every fourth sample failed, every reply is 1 KB.
"""

import sys
from pathlib import Path

from agentlab_ci.core.judge import build_report, judge_scenario
from agentlab_ci.core.results import BatchFacts, SampleResult, SamplingFacts, ScenarioFacts
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.sampling import PassRate
from agentlab_ci.core.scenario import Mode, ScenarioType
from agentlab_ci.core.trace import Evaluation, Role, Turn


def write_results(path: Path, *, scenarios: int, samples: int) -> None:
    """Write the results of so many scenarios with so many samples each."""
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
    path.write_text(build_report(batch, rows, duration_ms=41_200).model_dump_json(), encoding="utf-8")


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
    write_results(Path(sys.argv[1]), scenarios=int(sys.argv[2]), samples=int(sys.argv[3]))
