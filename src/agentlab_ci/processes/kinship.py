"""Who of the processes of this machine belongs to a child, and who was left behind by one. Pure."""

from collections.abc import Collection, Iterable

from agentlab_ci.processes.process_table import ProcessEntry


def find_descendants(entries: Iterable[ProcessEntry], ancestor: int) -> set[ProcessEntry]:
    """Return everything that descends from a process, itself excepted."""
    children: dict[int, list[ProcessEntry]] = {}
    for entry in entries:
        children.setdefault(entry.parent, []).append(entry)
    found: set[ProcessEntry] = set()
    waiting = [ancestor]
    while waiting:
        new = [entry for entry in children.get(waiting.pop(), ()) if entry not in found]
        found.update(new)
        waiting += [entry.pid for entry in new]
    return found


def find_family(entries: Collection[ProcessEntry], head: int) -> set[ProcessEntry]:
    """Return a process, its descendants, and whoever is in the session that it leads, if it leads one."""
    itself = {entry for entry in entries if head in (entry.pid, entry.session)}
    return itself | find_descendants(entries, head)


def find_strangers(entries: Iterable[ProcessEntry], us: int, *, session: int, since: int) -> set[ProcessEntry]:
    """Return our descendants that stem from children.

    They started after the first child (`since`), and in sessions that are not ours: a session is left for good.
    """
    return {e for e in find_descendants(entries, us) if e.session != session and e.started >= since}


def find_orphans(strangers: Iterable[ProcessEntry], us: int, leaders: Collection[int]) -> set[ProcessEntry]:
    """Return strangers that came to us when they lost their parent."""
    return {e for e in strangers if e.parent == us and e.pid not in leaders}


def find_left_behind(
    entries: Collection[ProcessEntry], strangers: set[ProcessEntry], leaders: Collection[int]
) -> set[ProcessEntry]:
    """Return strangers that no living child can have started, since they are older than all of these."""
    starts = [entry.started for entry in entries if entry.pid in leaders and not entry.zombie]
    first = min(starts, default=None)
    return {entry for entry in strangers if first is None or entry.started < first}
