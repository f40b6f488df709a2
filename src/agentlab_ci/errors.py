"""What can go wrong, and the exit code that each kind gives.

`EXIT_CODES` is the one table of exit codes; the reference page is rendered from it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from agentlab_ci import __version__


class ExitCode(IntEnum):
    """How a command ended, for the shell and the CI job."""

    OK = 0
    BELOW_BAR = 1
    BAD_INPUT = 2
    NO_VERDICT = 3
    BUG = 70
    SIGINT = 130
    SIGTERM = 143


EXIT_CODES: dict[ExitCode, str] = {
    ExitCode.OK: "No scenario finished below the bar.",
    ExitCode.BELOW_BAR: (
        "At least one scenario finished below the bar, by wrong answers or by errors alone. Of `compare`, and "
        "with `--fail-on regression`: at least one regressed."
    ),
    ExitCode.BAD_INPUT: (
        "Nothing could be judged because of what was given: bad arguments, config or YAML, "
        "nothing matched, or everything was skipped."
    ),
    ExitCode.NO_VERDICT: (
        "Every scenario is unfinished, or some are and `--require-finished` was asked. With `--fail-on "
        "regression`, those of which nobody can say whether they got worse count as unfinished: not comparable, "
        "new and below the bar, or kept below it by errors alone. Of another tool's run (`--from`): it holds "
        "nothing to judge, fewer jobs than it counts, or broke off while samples were to come."
    ),
    ExitCode.BUG: "A bug in agentlab. The traceback on stderr says where.",
    ExitCode.SIGINT: "Interrupted (Ctrl-C). Reports of what was known were written.",
    ExitCode.SIGTERM: "Terminated, or its terminal was closed. Reports of what was known were written.",
}


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Problem:
    """One thing wrong in a user's file.

    `line` and `column` count from 1 and are None where there is no such place, as in an unreadable file.
    `where` is the path of keys inside the file, such as `steps[0].evaluators[1].config`.
    """

    path: str
    line: int | None = None
    column: int | None = None
    where: str = ""
    message: str

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.path, self.line, self.column) if part is not None)
        return ": ".join(part for part in (place, self.where, self.message) if part)


class AgentlabError(Exception):
    """Anything that ends a command on purpose; the message is for the user, without a traceback."""

    exit_code: ExitCode = ExitCode.BAD_INPUT


class BadInputError(AgentlabError):
    """What the user gave cannot be used; the message says what happened and what to do."""


class InterruptedRunError(AgentlabError):
    """A signal came, and what was being done was given up."""

    def __init__(self, exit_code: ExitCode) -> None:
        super().__init__("interrupted")
        self.exit_code = exit_code


class BugError(AgentlabError):
    """A bug in agentlab; the message is its traceback, from which the secrets must be gone, and what to do."""

    exit_code = ExitCode.BUG

    def __init__(self, trace: str) -> None:
        asked = f"agentlab {__version__} has a bug: please report it with the traceback above and the command."
        super().__init__(f"{trace.rstrip()}\n{asked}")


class InvalidFilesError(BadInputError):
    """Problems in the user's files, all of them at once.

    `problems` is sorted by place and never empty.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(sorted(problems, key=_by_place))
        super().__init__("\n".join(str(problem) for problem in self.problems))


def _by_place(problem: Problem) -> tuple[str, int, int, str]:
    return (problem.path, problem.line or 0, problem.column or 0, problem.message)
