"""Workflow commands that are no part of a report."""

SHORTEST_MASKED = 6
"""Characters; masking a shorter line would blot out ordinary words of every later step's log."""


def add_mask(value: str) -> list[str]:
    """Return the commands that keep a secret out of the job's log, one for each line of the value.

    The runner masks the workflow's secrets by itself; this is for those that came in another way. They are printed
    before anything else, and past whatever masks the console: the runner has to read the value.
    """
    lines = (line.strip() for line in value.splitlines())
    return [f"::add-mask::{line.replace('%', '%25')}" for line in lines if len(line) >= SHORTEST_MASKED]
