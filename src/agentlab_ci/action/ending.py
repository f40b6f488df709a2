"""What one step of the Action came to."""

from dataclasses import dataclass

from agentlab_ci.app import Outcome
from agentlab_ci.errors import ExitCode, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """A run's outcome, or the problems for which nothing was judged; one without a path belongs to no file."""

    outcome: Outcome
    problems: tuple[Problem, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        """The step's exit code."""
        return self.outcome.exit_code

    @property
    def interrupted(self) -> bool:
        """Whether a signal ended it."""
        return self.exit_code in (ExitCode.SIGINT, ExitCode.SIGTERM)

    @property
    def why_not_judged(self) -> str | None:
        """Why the commit has no verdict, None if it has one."""
        if self.problems:
            return "\n".join(map(str, self.problems))
        return "the run was cancelled" if self.interrupted else None


def not_judged(exit_code: ExitCode, *problems: Problem) -> Ending:
    """Return the ending of a step that judged nothing."""
    return Ending(outcome=Outcome(exit_code=exit_code), problems=problems)
