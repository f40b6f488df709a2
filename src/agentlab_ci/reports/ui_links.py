"""Addresses of the pages of `agentlab ui`. Ids are untrusted: each of them stays one part of a query."""

from urllib.parse import urlencode

from agentlab_ci.core.stored import Reference, RunRef

BATCHES, RUNS, SCENARIOS, COMPARE, APPROVE = "/", "/runs", "/scenarios", "/compare", "/approve"
BATCH, RUN, SCENARIO = "/batch", "/run", "/scenario"


def batch_url(batch_id: str) -> str:
    """Return where a batch is shown."""
    return link(BATCH, id=batch_id)


def run_url(run_id: str) -> str:
    """Return where a run is shown."""
    return link(RUN, id=run_id)


def scenario_url(scenario_id: str) -> str:
    """Return where the history of a scenario is shown."""
    return link(SCENARIO, id=scenario_id)


def compare_url(old: str, new: str) -> str:
    """Return where two runs or two batches are compared."""
    return link(COMPARE, old=old, new=new)


def approve_url(reference: Reference) -> str:
    """Return where somebody is asked whether this is to be approved."""
    return link(APPROVE, **reference_fields(reference))


def reference_fields(reference: Reference) -> dict[str, str]:
    """Return what names it in a form or in an address."""
    if isinstance(reference, RunRef):
        return {"run": reference.run_id}
    scenario = {} if reference.scenario_id is None else {"scenario": reference.scenario_id}
    return {"batch": reference.batch_id, **scenario}


def shown_at(reference: Reference) -> str:
    """Return where what it names is shown."""
    return run_url(reference.run_id) if isinstance(reference, RunRef) else batch_url(reference.batch_id)


def link(path: str, **query: str | None) -> str:
    """Return an address with what of the query is not None, a lone surrogate written as in the database."""
    given = {name: value for name, value in query.items() if value is not None}
    return f"{path}?{urlencode(given, errors='backslashreplace')}" if given else path
