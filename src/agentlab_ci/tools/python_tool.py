"""A tool that is a Python function of the project's own: `fn(input, context)`, in a process for each sample."""

import asyncio
from collections.abc import Mapping
from typing import Any

from agentlab_ci.core.config import CustomTool
from agentlab_ci.core.tool import ToolSpec
from agentlab_ci.processes.environment import child_environment
from agentlab_ci.processes.errors import ChildGoneError, LineTooLongError
from agentlab_ci.processes.python_worker import NOT_JSON, Worker, WorkerFailedError, start_worker
from agentlab_ci.tools.fixture_folder import SampleFixtures
from agentlab_ci.tools.interface import ToolBrokenError, ToolContext, ToolFailedError, ToolWorld
from agentlab_ci.tools.plain import MAX_RESULT_BYTES, NotPlainError, to_plain
from agentlab_ci.tools.wording import said


class PythonTool:
    """A function in a module of the project. Its process starts with the first call, and anew after it died."""

    def __init__(
        self, config: CustomTool, spec: ToolSpec, world: ToolWorld, context: ToolContext, fixtures: SampleFixtures
    ) -> None:
        self.spec = spec
        self._config = config
        self._world = world
        self._context = context
        self._fixtures = fixtures
        self._worker: Worker | None = None

    async def call(self, value: Mapping[str, Any]) -> Any:
        """Call the function and return what it returns."""
        worker = self._worker or await self._start()
        context = {
            "scenario_id": self._context.scenario_id,
            "sample": self._context.sample,
            "fixtures_folder": str(await self._fixtures.folder()),
        }
        try:
            result = await self._ask(worker, {"do": "call", "args": [value, context], "kwargs": {}})
            return to_plain(result)
        except WorkerFailedError as problem:
            raise ToolFailedError(_describe(problem)) from None
        except NotPlainError as problem:
            raise ToolFailedError(f"the result {problem}") from None
        except _NoAnswerError as problem:
            await self.aclose()
            raise ToolFailedError(str(problem)) from None

    async def aclose(self) -> None:
        """End the process, whatever it is doing."""
        worker, self._worker = self._worker, None
        if worker is not None:
            await worker.child.end()

    async def _start(self) -> Worker:
        project = self._world.project
        env = child_environment(self._world.environ, self._config.env_allowlist)
        try:
            self._worker = start_worker(
                None, project, env=env, max_line_bytes=MAX_RESULT_BYTES, mask=self._world.mask
            )
        except OSError as problem:
            raise ToolBrokenError(f"Python cannot be started: {problem.strerror or problem}") from None
        try:
            await self._ask(self._worker, {"do": "import", **(self._config.python_source or {})})
        except (WorkerFailedError, _NoAnswerError) as problem:
            why = _describe(problem) if isinstance(problem, WorkerFailedError) else str(problem)
            await self.aclose()
            source = self._config.module_path or self._config.package
            raise ToolBrokenError(f"`{source}` cannot be loaded: {why}") from None
        return self._worker

    async def _ask(self, worker: Worker, request: Mapping[str, Any]) -> Any:
        """Return the answer. Raises WorkerFailedError, and _NoAnswerError when the process is of no more use."""
        try:
            async with asyncio.timeout(self._config.timeout_ms / 1000):
                return await worker.call(request)
        except TimeoutError:
            raise _NoAnswerError(f"no result within {self._config.timeout_ms} ms") from None
        except LineTooLongError:
            raise _NoAnswerError(f"the result is longer than {MAX_RESULT_BYTES} bytes") from None
        except ChildGoneError as problem:
            raise _NoAnswerError(
                f"its process is gone: {problem}{said(problem.stderr, self._world.mask)}"
            ) from None


class _NoAnswerError(Exception):
    """The process did not answer, and will not any more."""


def _describe(problem: WorkerFailedError) -> str:
    return problem.message if problem.type == NOT_JSON else str(problem)
