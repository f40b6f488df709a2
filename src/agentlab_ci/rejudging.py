"""The story of a judge that is judged: stored transcripts are judged again, and the answers compared."""

import asyncio
import ssl
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agentlab_ci.agents.interface import AgentBusyError, AgentFailedError, AgentWorld, ChatModel
from agentlab_ci.app import Outcome, World
from agentlab_ci.core.agreement import Rejudged
from agentlab_ci.core.config import ModelEndpoint
from agentlab_ci.core.results import SampleResult, ScenarioResult
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.scenario import ScenarioType, Simulation
from agentlab_ci.core.stored import BatchRef, RunRef
from agentlab_ci.core.text import plural
from agentlab_ci.core.trace import Evaluation, Usage
from agentlab_ci.errors import BadInputError, ExitCode
from agentlab_ci.evaluators.interface import JUDGE
from agentlab_ci.loading.project import load_config
from agentlab_ci.loading.secrets import secret_values
from agentlab_ci.reports.agreement_text import agreement_lines
from agentlab_ci.reports.escape import for_log
from agentlab_ci.reports.redact import Redactor
from agentlab_ci.results_file import read_results_file
from agentlab_ci.runner.models import LONGEST_QUOTE
from agentlab_ci.runner.patience import choose_wait
from agentlab_ci.simulation.judge import (
    JUDGE_SCHEMA,
    Judgement,
    ask_judge_again,
    build_judge_messages,
    read_judgement,
)
from agentlab_ci.simulation.reply import UnusableReplyError
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
    cases = [case for row in _find_rows(text, world, database) for case in _find_cases(row)]
    if not cases:
        raise BadInputError(f"{text} holds no simulation that a judge has judged")
    redactor = Redactor(secret_values(config, world.environ) | world.secrets)
    transcripts, often = plural(len(cases), "transcript"), plural(times, "time")
    world.console.err(for_log(f"judging {transcripts} {often} with {config.judge.model}"))
    with redactor.masking_errors():
        panel = _Panel(config.judge, _make_agent_world(world, config.max_reply_bytes, redactor))
        _run(panel, [case for _ in range(times) for case in cases], world, slots=config.concurrency)
    samples = [_count(case, panel.answers_to(case), redactor) for case in cases]
    for line in agreement_lines(samples, panel.usage, world.log_style.glyphs):
        world.console.out(line)
    return Outcome(exit_code=world.interrupts.exit_code or ExitCode.OK)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A transcript to be judged again, and what was said of it."""

    title: str
    body: Simulation
    sample: SampleResult
    stored: Evaluation


_Answer = Judgement | UnusableReplyError | AgentFailedError


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


def _find_cases(row: ScenarioResult) -> Iterator[_Case]:
    brief = row.brief
    if row.type is not ScenarioType.SIMULATION or brief is None or brief.expected is None:
        return
    body = Simulation(instructions=brief.instructions or "", agent_expectations=brief.expected)
    for sample in row.samples:
        stored = next((it for it in sample.evaluations if it.type == JUDGE), None)
        if stored is not None:
            yield _Case(title=row.title, body=body, sample=sample, stored=stored)


def _make_agent_world(world: World, max_reply_bytes: int, redactor: Redactor) -> AgentWorld:
    return AgentWorld(
        environ=world.environ,
        project=world.cwd,
        max_reply_bytes=max_reply_bytes,
        tls=cache(_read_trusted_authorities),
        mask=redactor.text,
    )


def _read_trusted_authorities() -> ssl.SSLContext:
    from agentlab_ci.agents.http_client import read_trusted_authorities  # noqa: PLC0415 - imports httpx

    return read_trusted_authorities()


class _Panel:
    """The judge, asked by several slots at once, and what it answered so far."""

    def __init__(self, config: ModelEndpoint, world: AgentWorld) -> None:
        self._config = config
        self._world = world
        self._answers: list[tuple[_Case, _Answer]] = []
        self._usages: list[Usage] = []
        self.open()  # raises what stands against the judge before anything is asked

    def open(self) -> ChatModel:
        """Open a connection for one slot. Raises BadInputError."""
        from agentlab_ci.agents.model import open_model  # noqa: PLC0415 - imports httpx

        return open_model(self._config, self._world, role="judge")

    @property
    def usage(self) -> Usage:
        """What all answers used; a figure that one of them lacks is unknown."""
        figures = {name: [getattr(usage, name) for usage in self._usages] for name in Usage.model_fields}
        return Usage(**{name: None if None in known else sum(known) for name, known in figures.items() if known})

    def answers_to(self, case: _Case) -> list[_Answer]:
        """Return what came of judging one transcript again."""
        return [answer for asked, answer in self._answers if asked is case]

    async def ask(self, cases: Sequence[_Case], *, slots: int) -> None:
        """Judge each, and stop where the judge only fails."""
        waiting = iter(cases)
        patience = max(HOPELESS, slots)

        async def work() -> None:
            model = self.open()
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
    def failure(self) -> _Answer | None:
        """Why there is no judgement at all: what came first instead; None where there is one, or nothing came."""
        if any(isinstance(answer, Judgement) for _, answer in self._answers):
            return None
        return self._answers[0][1] if self._answers else None

    async def _judge(self, model: ChatModel, case: _Case) -> _Answer:
        """Ask as a run does: a reply that is no judgement is held out to the judge once."""
        messages = build_judge_messages(case.body, case.sample.turns, boundary=uuid.uuid4().hex)
        try:
            said = await self._complete(model, messages)
            try:
                return read_judgement(said)
            except UnusableReplyError as problem:
                quote = {"role": "assistant", "content": said[:LONGEST_QUOTE]}
                return read_judgement(
                    await self._complete(model, [*messages, quote, ask_judge_again(problem.why)])
                )
        except (UnusableReplyError, AgentFailedError) as problem:
            return problem

    async def _complete(self, model: ChatModel, messages: Sequence[Mapping[str, str]]) -> str:
        """Return the reply; a busy judge is waited for as long as a sample would."""
        waited, attempt = 0.0, 0
        while True:
            try:
                reply = await model.complete(messages, schema=JUDGE_SCHEMA)
            except AgentBusyError as busy:
                attempt += 1
                wait = choose_wait(retry_after=busy.retry_after, attempt=attempt, waited=waited)
                if wait is None:
                    message = f"it is busy: HTTP {busy.status} after {waited:g} s of waiting"
                    raise AgentFailedError(message, reason=TerminationReason.HTTP_ERROR) from busy
                await asyncio.sleep(wait)
                waited += wait
            else:
                self._usages.append(reply.usage)
                return reply.text


def _run(panel: _Panel, cases: Sequence[_Case], world: World, *, slots: int) -> None:
    """Ask until all is judged or a signal comes. Raises BadInputError where the judge gave no judgement at all."""
    # Not asyncio.run: it waits for the threads of name look-ups, which may hang.
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(_ask(panel, cases, world, slots=slots))
    finally:
        loop.close()
    if panel.failure is not None and world.interrupts.exit_code is None:
        why = f"its reply {panel.failure.why}" if isinstance(panel.failure, UnusableReplyError) else panel.failure
        raise BadInputError(f"the judge gave no judgement: {why}")


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
    others = (redactor.text(it.reason) for it in judgements if it.met is not case.stored.passed)
    return Rejudged(
        title=case.title,
        sample=case.sample.sample,
        of=case.sample.of,
        run_id=case.sample.run_id,
        stored=case.stored.passed,
        met=sum(it.met for it in judgements),
        not_met=sum(not it.met for it in judgements),
        unusable=sum(isinstance(answer, UnusableReplyError) for answer in answers),
        unanswered=sum(isinstance(answer, AgentFailedError) for answer in answers),
        dissent=next(others, None),
    )
