"""Killing what is left of children, at no cost where there never was one."""

import sys


def kill_orphans_if_any() -> None:
    """Kill the children that still run, and all that they started.

    Nothing is imported for it: this may run inside a signal handler, and what was never imported has started
    nothing.
    """
    family = sys.modules.get("agentlab_ci.processes.family")
    if family is not None:
        family.kill_orphans()
