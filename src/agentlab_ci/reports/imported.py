"""What to say of another tool's run."""

from collections.abc import Callable

from agentlab_ci.core.results import ImportedRun
from agentlab_ci.reports.redact import cut

_TOOLS = {"livekit": "LiveKit"}
_LONGEST_ERROR = 300
_NO_STATUS = "of no known status"


def tell_unfinished(run: ImportedRun, show: Callable[[str], str] = str) -> str:
    """Name a run with its status, its error and what is in doubt of it, if anything, in one line.

    `show` makes what the tool says safe for the sink that the sentence is for.
    """
    named = f"{_TOOLS[run.tool]}'s run" if run.tool in _TOOLS else f"the run of {show(run.tool)}"
    named += f" {show(run.run_id)}" if run.run_id else ""
    status = show(run.status) if run.status else _NO_STATUS
    error = cut(" ".join((run.error or "").split()), _LONGEST_ERROR)
    said = [f"{named} is {status}" + (f": {show(error)}" if error else "")]
    return "; ".join([*said, show(run.doubt)] if run.doubt else said)
