"""Children that may end by themselves while the next sample is already under way."""

import asyncio

from agentlab_ci.processes.child import Child

GRACE_SECONDS = 1.0
"""What a child gets to end once all is said."""


class Lingering:
    """The children of one worker slot that have their grace."""

    def __init__(self) -> None:
        self._ending: set[asyncio.Task[None]] = set()

    def add(self, child: Child) -> None:
        """End a child within its grace, without waiting for it here."""
        task = asyncio.create_task(child.end(grace=GRACE_SECONDS))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def settle(self) -> None:
        """Wait until all have ended, which takes no longer than their grace. Kills them when cancelled."""
        await asyncio.gather(*self._ending)
