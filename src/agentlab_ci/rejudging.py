"""The story of a judge that is judged: stored transcripts are judged again, and the answers compared."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from agentlab_ci.agents.interface import ChatModel
from agentlab_ci.agents.opening import make_judge_opener
from agentlab_ci.app import Outcome, World
from agentlab_ci.core.agreement import Rejudged
from agentlab_ci.core.results import SampleResult, ScenarioResult
from agentlab_ci.core.scenario import Mode, ScenarioType, Simulation
from agentlab_ci.core.stored import BatchRef, RunRef
from agentlab_ci.core.text import plural
from agentlab_ci.core.trace import Evaluation, Usage
from agentlab_ci.errors import BadInputError, ExitCode
from agentlab_ci.evaluators.interface import JUDGE
from agentlab_ci.loading.project import load_config
from agentlab_ci.loading.secrets import secret_values
from agentlab_ci.reports.agreement_text import agreement_lines
from agentlab_ci.reports.escape import for_log
from agentlab_ci.reports.formatting import TEXT
from agentlab_ci.reports.redact import Redactor
from agentlab_ci.reports.wording import name_row
from agentlab_ci.results_file import read_results_file
from agentlab_ci.runner.interface import ModelFailedError
from agentlab_ci.runner.models import ask_judge
from agentlab_ci.runner.outage import Outages
from agentlab_ci.runner.recording import add_up
from agentlab_ci.runner.waiting import Waiter
from agentlab_ci.simulation.judge import Judgement
from agentlab_ci.store.reader import load_report, load_run
from agentlab_ci.store.references import find_reference

HOPELESS = 3
"""Requests that failed while none was answered, after which no more are sent; or as many as run at once."""


def check_judge(text: str, world: World, *, database: Path, config_file: str | None, times: int) -> Outcome:
    """Judge the transcripts of a run, a batch or a file of results `times` again, and print how far that agrees.

    Nothing is stored. Raises BadInputError for what is not there or holds no judgement of a simulation, and where
    the config has no judge, or one that gives no judgement at all.
    """
    config = load_config(cwd=world.cwd, config_file=config_file)
    if config.judge is None:
        raise BadInputError("the config has no judge: add `judge: {model: …}`")
    rows = _find_rows(text, world, database)
    found = [it for row in rows for it in _find_cases(row)]
    cases = [it for it in found if isinstance(it, _Case)]
    left_out = _tell_left_out(it for it in found if isinstance(it, _LeftOut))
    if not cases:
        raise BadInputError("\n".join([f"{text} holds no simulation that a judge has judged", *left_out]))
    redactor = Redactor(secret_values(config, world.environ) | world.secrets)
    transcripts, often = plural(len(cases), "transcript"), plural(times, "time")
    world.console.err(for_log(f"judging {transcripts} {often} with {config.judge.model}"))
    for line in (*left_out, *_tell_unseen(cases)):
        world.console.err(line)
    with redactor.masking_errors():
        open_judge = make_judge_opener(
            config.judge,
            environ=world.environ,
            project=world.cwd,
            max_reply_bytes=config.max_reply_bytes,
            mask=redactor.text,
        )
        panel = _Panel(open_judge, error_retries=config.sampling.error_retries)
        _run(panel, [case for _ in range(times) for case in cases], world, slots=config.concurrency)
    samples = [_count(case, answers, redactor) for case in cases if (answers := panel.answers_to(case))]
    if panel.answered < times * len(cases):
        asked = plural(times * len(cases), "judgement")
        world.console.err(f"interrupted: {panel.answered} of {asked} came; what has none is not shown")
    for line in agreement_lines(samples, panel.usage, world.log_style.glyphs) if samples else ():
        world.console.out(line)
    return Outcome(exit_code=world.interrupts.exit_code or ExitCode.OK)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A transcript to be judged again, and what was said of it."""

    title: str
    body: Simulation
    sample: SampleResult
    stored: Evaluation


class _LeftOut(StrEnum):
    """Why the sample of a simulation is not judged again."""

    VETOED = "a hard gate failed before a judge was asked"
    NOT_JUDGED = "no judgement is stored"
    NO_TALK = "nothing that was said is stored"
    NO_EXPECTATIONS = "nobody knows what was expected"


_Answer = Judgement | ModelFailedError


def _find_rows(text: str, world: World, database: Path) -> Sequence[ScenarioResult]:
    """Return the scenarios that are meant, each with the samples that are."""
    if not text.startswith("@") and (text.endswith(".json") or (world.cwd / text).is_file()):
        return read_results_file(world.cwd, text).scenarios
    match find_reference(database, text):
        case RunRef(run_id=run_id):
            run = load_run(database, run_id)
            if run.row is None:
                raise BadInputError(f"the batch of {run_id} did not end, so nobody knows what was expected of it")
            return [run.row.model_copy(update={"samples": (run.sample,)})]
        case BatchRef(batch_id=batch_id, scenario_id=scenario_id):
            rows = load_report(database, batch_id).scenarios
            return [row for row in rows if scenario_id in (None, row.scenario_id)]


def _find_cases(row: ScenarioResult) -> Iterator[_Case | _LeftOut]:
    """Return for each sample of a simulation what is to be judged again, or why it is not."""
    if row.type is not ScenarioType.SIMULATION:
        return
    for sample in row.samples:
        stored = next((it for it in sample.evaluations if it.type == JUDGE), None)
        if stored is None:
            vetoed = any(it.mode is Mode.HARD_GATE and not it.passed for it in sample.evaluations)
            yield _LeftOut.VETOED if vetoed else _LeftOut.NOT_JUDGED
        elif not sample.turns:
            yield _LeftOut.NO_TALK
        elif row.brief is None or row.brief.expected is None:
            yield _LeftOut.NO_EXPECTATIONS
        else:
            body = Simulation(instructions=row.brief.instructions or "", agent_expectations=row.brief.expected)
            yield _Case(title=name_row(row, TEXT), body=body, sample=sample, stored=stored)


def _tell_left_out(reasons: Iterable[_LeftOut]) -> list[str]:
    counts = Counter(reasons)
    return [f"left out, because {why}: {plural(counts[why], 'sample')}" for why in _LeftOut if counts[why]]


def _tell_unseen(cases: Iterable[_Case]) -> Iterator[str]:
    """Say what the stored judgements may rest on and the new ones cannot."""
    calling = sum(bool(case.sample.tool_calls) for case in cases)
    if calling:
        yield f"not shown to the judge: the tool calls of {plural(calling, 'transcript')}"


class _Panel:
    """The judge, asked by several slots at once, and what it answered so far."""

    def __init__(self, open_judge: Callable[[], ChatModel], *, error_retries: int) -> None:
        self._open = open_judge
        self._error_retries = error_retries
        self._answers: list[tuple[_Case, _Answer]] = []
        self._usages: list[Usage] = []
        open_judge()  # raises what stands against the judge before anything is asked

    @property
    def usage(self) -> Usage:
        """What all answers used; a figure that one of them lacks is unknown."""
        return add_up(self._usages)

    @property
    def answered(self) -> int:
        """How many requests have come to an end, whatever came of them."""
        return len(self._answers)

    def answers_to(self, case: _Case) -> list[_Answer]:
        """Return what came of judging one transcript again."""
        return [answer for asked, answer in self._answers if asked is case]

    async def ask(self, cases: Sequence[_Case], *, slots: int) -> None:
        """Judge each, and stop where the judge only fails."""
        waiting = iter(cases)
        patience = max(HOPELESS, slots)

        async def work() -> None:
            model = self._open()
            try:
                for case in waiting:
                    self._answers.append((case, await self._judge(model, case)))
                    if len(self._answers) >= patience and self.failure is not None:
                        return
            finally:
                await model.aclose()

        async with asyncio.TaskGroup() as group:
            for _ in range(min(slots, len(cases))):
                group.create_task(work())

    @property
    def failure(self) -> ModelFailedError | None:
        """Why there is no judgement at all: what came first instead; None where there is one, or nothing came."""
        failures = [answer for _, answer in self._answers if isinstance(answer, ModelFailedError)]
        return failures[0] if failures and len(failures) == len(self._answers) else None

    async def _judge(self, model: ChatModel, case: _Case) -> _Answer:
        asker = _Asker(patiently=Waiter(), error_retries=self._error_retries)
        try:
            return await ask_judge(asker, model, case.body, case.sample.turns, usages=self._usages)
        except ModelFailedError as failure:
            return failure


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asker:
    """Asks as a sample does; what is found of the judge is the panel's to count."""

    patiently: Waiter
    error_retries: int
    outages: Outages = field(default_factory=Outages)


def _run(panel: _Panel, cases: Sequence[_Case], world: World, *, slots: int) -> None:
    """Ask until all is judged or a signal comes. Raises BadInputError where the judge gave no judgement at all."""
    # Not asyncio.run: it waits for the threads of name look-ups, which may hang.
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(_ask(panel, cases, world, slots=slots))
    finally:
        loop.close()
    if panel.failure is not None and world.interrupts.exit_code is None:
        raise BadInputError(str(panel.failure))


async def _ask(panel: _Panel, cases: Sequence[_Case], world: World, *, slots: int) -> None:
    loop = asyncio.get_running_loop()
    asking = asyncio.ensure_future(panel.ask(cases, slots=slots))
    world.interrupts.subscribe(lambda: loop.call_soon_threadsafe(asking.cancel))
    if world.interrupts.exit_code is not None:
        asking.cancel()
    try:
        await asyncio.wait([asking])
    finally:
        world.interrupts.subscribe(None)
    if not asking.cancelled():
        asking.result()


def _count(case: _Case, answers: Sequence[_Answer], redactor: Redactor) -> Rejudged:
    judgements = [answer for answer in answers if isinstance(answer, Judgement)]
    failures = [answer for answer in answers if isinstance(answer, ModelFailedError)]
    others = (redactor.text(it.reason) for it in judgements if it.met is not case.stored.passed)
    return Rejudged(
        title=case.title,
        sample=case.sample.sample,
        of=case.sample.of,
        run_id=case.sample.run_id,
        stored=case.stored.passed,
        met=sum(it.met for it in judgements),
        not_met=sum(not it.met for it in judgements),
        unusable=sum(failure.answered for failure in failures),
        unanswered=sum(not failure.answered for failure in failures),
        dissent=next(others, None),
    )
