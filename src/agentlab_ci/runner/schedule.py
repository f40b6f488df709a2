"""Which sample starts next: a state machine without clock or I/O that the engine asks."""

from collections.abc import Iterable
from dataclasses import dataclass

from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.sampling import needed, room_to_start
from agentlab_ci.runner.plan import Plan, PlanRow
from agentlab_ci.runner.state import RowState


@dataclass(frozen=True, slots=True)
class Job:
    """One sample to run, numbered from 1. `state` is its row's."""

    row: PlanRow
    sample: int
    state: RowState


@dataclass(slots=True, eq=False)
class _Cell:
    """How far one row is."""

    row: PlanRow
    needed: int
    state: RowState
    started: int = 0
    in_flight: int = 0
    passed: int = 0
    not_passed: int = 0

    @property
    def samples(self) -> int:
        return self.row.facts.samples_wanted

    @property
    def held_up(self) -> bool:
        """Whether the next sample has to wait for the one that runs, whose state it shares."""
        return self.state.shared and self.in_flight > 0

    @property
    def room(self) -> int:
        return room_to_start(
            samples=self.samples, needed=self.needed, passed=self.passed, not_passed=self.not_passed
        )


class Schedule:
    """Hands out samples scenario by scenario, within each agent's `max_concurrency`.

    With `stop_when_settled` no sample starts that could not change a verdict. Samples that share the state of
    their row run one after the other.
    """

    def __init__(self, plan: Plan) -> None:
        self._stop_when_settled = plan.sampling.stop_when_settled
        self._cells = {
            row.key: _Cell(row, needed(row.facts.samples_wanted, row.facts.pass_rate), _open_state(row))
            for row in plan.runnable
        }
        self._open: dict[str, list[_Cell]] = {}
        for cell in self._cells.values():
            self._open.setdefault(cell.row.agent.name, []).append(cell)
        self._order = {key: place for place, key in enumerate(self._cells)}
        self._in_flight = dict.fromkeys(self._open, 0)
        self._limit = {cell.row.agent.name: cell.row.agent.max_concurrency for cell in self._cells.values()}

    @property
    def exhausted(self) -> bool:
        """Whether no further sample will ever start."""
        return not any(self._open.values())

    def next(self) -> Job | None:
        """Start a sample; None when none may start now, though one may later unless `exhausted`."""
        candidates = [cell for name in self._open if (cell := self._first_of(name)) is not None]
        if not candidates:
            return None
        cell = min(candidates, key=lambda cell: self._order[cell.row.key])
        cell.started += 1
        cell.in_flight += 1
        self._in_flight[cell.row.agent.name] += 1
        if cell.started == cell.samples:
            self._open[cell.row.agent.name].remove(cell)
        return Job(cell.row, cell.started, cell.state)

    def finish(self, job: Job, status: SampleStatus) -> tuple[Job, ...]:
        """Note how a started sample ended; returns the samples of its scenario that now will never start."""
        cell = self._cells[job.row.key]
        cell.in_flight -= 1
        self._in_flight[job.row.agent.name] -= 1
        if status is SampleStatus.PASSED:
            cell.passed += 1
        elif status.finished:
            cell.not_passed += 1
        if self._stop_when_settled and cell.room == 0:
            return self._drop([cell])
        return ()

    def drop_agent(self, name: str) -> tuple[Job, ...]:
        """Give up on an agent; returns its samples that have not started, in order."""
        return self._drop(self._open[name])

    def drop_all(self) -> tuple[Job, ...]:
        """Start nothing more; returns what has not started, in order."""
        return self._drop([cell for cells in self._open.values() for cell in cells])

    def _first_of(self, name: str) -> _Cell | None:
        limit = self._limit[name]
        if limit is not None and self._in_flight[name] >= limit:
            return None
        return next((cell for cell in self._open[name] if self._may_start(cell)), None)

    def _may_start(self, cell: _Cell) -> bool:
        return not cell.held_up and (not self._stop_when_settled or cell.in_flight < cell.room)

    def _drop(self, cells: Iterable[_Cell]) -> tuple[Job, ...]:
        dropped: list[Job] = []
        for cell in sorted(cells, key=lambda cell: self._order[cell.row.key]):
            dropped += [Job(cell.row, number, cell.state) for number in range(cell.started + 1, cell.samples + 1)]
            cell.started = cell.samples
            if cell in self._open[cell.row.agent.name]:
                self._open[cell.row.agent.name].remove(cell)
        return tuple(dropped)


def _open_state(row: PlanRow) -> RowState:
    return RowState(row.profile, scenario=row.scenario, agent=row.agent, variant=row.facts.variant)
