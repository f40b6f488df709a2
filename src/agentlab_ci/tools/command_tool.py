"""A tool that is a command: input as JSON on stdin, result as JSON on stdout, one process for each call."""

import json
from collections.abc import Mapping
from typing import Any

from agentlab_ci.core.config import CustomTool
from agentlab_ci.core.tool import ToolSpec
from agentlab_ci.processes.child import Command
from agentlab_ci.processes.environment import child_environment
from agentlab_ci.processes.errors import describe_end
from agentlab_ci.processes.once import Finished, run_once
from agentlab_ci.processes.starting import explain_start_failure
from agentlab_ci.tools.interface import ToolBrokenError, ToolFailedError, ToolWorld
from agentlab_ci.tools.plain import MAX_RESULT_BYTES, NotPlainError, read_plain
from agentlab_ci.tools.wording import said


class CommandTool:
    """A project's own command, run in the project's folder. It has no state between calls."""

    def __init__(self, argv: tuple[str, ...], config: CustomTool, spec: ToolSpec, world: ToolWorld) -> None:
        self.spec = spec
        self._timeout_ms = config.timeout_ms
        self._command = Command(
            argv=argv,
            cwd=world.project,
            env=child_environment(world.environ, config.env_allowlist),
        )
        self._mask = world.mask

    async def call(self, value: Mapping[str, Any]) -> Any:
        """Run the command once and return what it printed."""
        try:
            done = await run_once(
                self._command,
                json.dumps(value).encode(),
                timeout=self._timeout_ms / 1000,
                max_bytes=MAX_RESULT_BYTES,
            )
        except OSError as problem:
            raise ToolBrokenError(explain_start_failure(self._command, problem)) from None
        return self._result_of(done)

    def _result_of(self, done: Finished) -> Any:
        if done.timed_out:
            raise ToolFailedError(f"no result within {self._timeout_ms} ms")
        if done.truncated:
            raise ToolFailedError(f"the result is longer than {MAX_RESULT_BYTES} bytes")
        if done.exit_code != 0:
            how = describe_end(exit_code=done.exit_code, signal=done.signal)
            raise ToolFailedError(f"{how}{said(done.stderr, self._mask)}")
        try:
            return read_plain(done.stdout.decode("utf-8-sig", "replace"))
        except json.JSONDecodeError:
            what = "what it printed is no JSON" if done.stdout.strip() else "it printed no result"
            raise ToolFailedError(f"{what}{said(done.stderr, self._mask)}") from None
        except NotPlainError as problem:
            raise ToolFailedError(f"the result {problem}") from None
