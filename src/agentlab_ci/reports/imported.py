"""What to say of another tool's run."""

from agentlab_ci.core.results import ImportedRun

_TOOLS = {"livekit": "LiveKit"}
_NO_STATUS = "of no known status"


def tell_unfinished(run: ImportedRun) -> str:
    """Name a run that did not come to its end, its status, and its error if there is one."""
    named = " ".join(part for part in (f"{_TOOLS.get(run.tool, run.tool)}'s run", run.run_id) if part)
    return f"{named} is {run.status or _NO_STATUS}" + (f": {run.error}" if run.error else "")
