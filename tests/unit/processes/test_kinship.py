import pytest

from agentlab_ci.processes.kinship import find_family, find_left_behind, find_orphans, find_strangers
from agentlab_ci.processes.process_table import ProcessEntry

US, OUR_SESSION, SINCE = 100, 90, 50


def entry(pid: int, parent: int, session: int, started: int = 60, *, zombie: bool = False) -> ProcessEntry:
    return ProcessEntry(pid=pid, parent=parent, session=session, started=started, zombie=zombie)


MACHINE = (
    entry(1, 0, 1, 0),
    entry(90, 1, 90, 10),  # the shell
    entry(US, 90, 90, 20),
    entry(101, US, OUR_SESSION, 70),  # a helper of ours
    entry(102, US, 102, 30),  # from before the first child, such as a browser of a test
    entry(200, US, 200, 60),  # a child
    entry(201, 200, 200, 61),
    entry(202, 201, 202, 62),  # its grandchild, which left the session
    entry(203, US, 200, 63),  # in its session, though nobody's child any more
    entry(300, US, 300, 80),  # a younger child
    entry(400, US, 400, 55),  # an orphan older than both
    entry(401, 400, 401, 90),  # started by it
    entry(402, US, 402, 70),  # an orphan older than the second only
    entry(500, 1, 500, 95),  # somebody else's
)


def pids(entries: set[ProcessEntry]) -> set[int]:
    return {entry.pid for entry in entries}


def test_a_family_is_what_descends_from_a_process_or_is_in_its_session() -> None:
    assert pids(find_family(MACHINE, 200)) == {200, 201, 202, 203}
    assert pids(find_family(MACHINE, 300)) == {300}
    assert pids(find_family(MACHINE, 202)) == {202}
    assert pids(find_family(MACHINE, 400)) == {400, 401}


def test_strangers_are_ours_by_descent_and_in_other_sessions() -> None:
    strangers = find_strangers(MACHINE, US, session=OUR_SESSION, since=SINCE)
    assert pids(strangers) == {200, 201, 202, 203, 300, 400, 401, 402}


def test_orphans_are_strangers_that_came_to_us() -> None:
    strangers = find_strangers(MACHINE, US, session=OUR_SESSION, since=SINCE)
    assert pids(find_orphans(strangers, US, {200, 300})) == {203, 400, 402}


@pytest.mark.parametrize(
    ("leaders", "left"),
    [
        ({200, 300}, {400}),
        ({300}, {200, 201, 202, 203, 400, 402}),
        ({200}, {400}),
        (set(), {200, 201, 202, 203, 300, 400, 401, 402}),
    ],
)
def test_whoever_is_older_than_all_living_children_is_none_of_theirs(leaders: set[int], left: set[int]) -> None:
    strangers = find_strangers(MACHINE, US, session=OUR_SESSION, since=SINCE)
    assert pids(find_left_behind(MACHINE, strangers, leaders)) == left


def test_a_dead_child_started_nothing_any_more() -> None:
    dead = (*MACHINE[:5], entry(200, US, 200, 40, zombie=True), entry(402, US, 402, 70))
    strangers = find_strangers(dead, US, session=OUR_SESSION, since=SINCE)
    assert pids(find_left_behind(dead, strangers, {200})) == {402}


def test_a_circle_of_parents_has_an_end() -> None:
    # what can be read while ids are handed out again
    circle = (entry(2, 3, 2), entry(3, 2, 2))
    assert pids(find_family(circle, 2)) == {2, 3}
