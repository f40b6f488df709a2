"""Every sample that has ended, by row, and which scenarios are complete."""

from collections.abc import Iterator

from agentlab_ci.core.judge import judge_scenario
from agentlab_ci.core.results import RowKey, SampleResult, ScenarioResult
from agentlab_ci.runner.giving_up import mark_alike
from agentlab_ci.runner.plan import Plan, PlanRow
from agentlab_ci.runner.reachability import Failure


class Ledger:
    """The results of a run while it grows; it can be asked at any time."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._samples: dict[RowKey, dict[int, SampleResult]] = {row.key: {} for row in plan.rows}

    def add(self, row: PlanRow, sample: SampleResult) -> None:
        """Note that a sample has ended."""
        self._samples[row.key][sample.sample] = sample

    def is_complete(self, row: PlanRow) -> bool:
        """Whether every sample of the row has ended, run or not."""
        return row.skipped or len(self._samples[row.key]) == row.facts.samples_wanted

    def judge(self, row: PlanRow) -> ScenarioResult:
        """Judge the row by what has ended so far."""
        return judge_scenario(row.facts, self._samples[row.key].values())

    def judge_all(self) -> tuple[ScenarioResult, ...]:
        """Judge every row, in YAML order."""
        return tuple(self.judge(row) for row in self._plan.rows)

    def none_can_pass(self, agent: str) -> bool:
        """Whether every scenario of the agent is settled as failed."""
        rows = (row for row in self._plan.runnable if row.agent.name == agent)
        return all(self.judge(row).below_bar for row in rows)

    def give_up_on(self, agent: str, failure: Failure) -> Iterator[tuple[PlanRow, SampleResult]]:
        """Mark those of the agent's samples that failed like this; yields what it marked."""
        for row in self._plan.runnable:
            if row.agent.name != agent:
                continue
            for sample in self._samples[row.key].values():
                marked = mark_alike(sample, failure)
                if marked is not None:
                    self._samples[row.key][sample.sample] = marked
                    yield row, marked
