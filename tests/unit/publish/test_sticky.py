from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.github import GitHubEvent
from agentlab_ci.publish.sticky import (
    Comment,
    Create,
    Delete,
    Edit,
    Marked,
    Marker,
    Step,
    Stop,
    default_key,
    find_marked,
    keep_ours,
    next_step,
    read_marker,
)


def comment(comment_id: int, body: str = "", *, author: str | None = "octocat", by_bot: bool = False) -> Comment:
    return Comment(id=comment_id, author=author, by_bot=by_bot, body=body, url="")


def marked(comment_id: int, run: int, attempt: int = 1) -> Marked:
    return Marked(comment=comment(comment_id), marker=Marker(key="k", run=run, attempt=attempt))


def test_the_marker_in_full() -> None:
    marker = Marker(key="Agent tests/agents/__run", run=9123456789, attempt=2)
    assert str(marker) == "<!-- agentlab:comment key=Agent%20tests/agents/__run run=9123456789 attempt=2 -->"


@settings(derandomize=True, deadline=None)
@given(st.text(min_size=1), st.integers(0, 10**18), st.integers(1, 10**8), st.text())
def test_a_marker_is_read_as_it_was_written(key: str, run: int, attempt: int, rest: str) -> None:
    key = key.encode("utf-8", "replace").decode()  # GitHub's names hold no lone surrogates
    marker = Marker(key=key, run=run, attempt=attempt)
    assert read_marker(f"{marker}\n{rest}") == marker
    assert str(marker).isascii()
    assert str(marker).count(">") == 1


@pytest.mark.parametrize(
    "body",
    [
        "",
        "text",
        " <!-- agentlab:comment key=k run=1 attempt=1 -->",
        "> <!-- agentlab:comment key=k run=1 attempt=1 -->",
        "<!-- agentlab:comment key= run=1 attempt=1 -->",
        "<!-- agentlab:comment key=k run=1 -->",
        "<!-- agentlab:comment key=k run=-1 attempt=1 -->",
        "<!-- agentlab:comment key=k run=١ attempt=1 -->",
        f"<!-- agentlab:comment key=k run={'9' * 5000} attempt=1 -->",
        "<!-- agentlab:comment key=k l run=1 attempt=1 -->",
    ],
)
def test_what_is_not_a_marker(body: str) -> None:
    assert read_marker(body) is None


@pytest.mark.parametrize(
    ("workflow", "job", "step", "key"),
    [
        ("Agent tests", "agents", "__run", "Agent tests/agents/__run"),
        ("Agent tests", "agents", "", "Agent tests/agents"),
        ("", "", "", "agentlab"),
    ],
)
def test_the_default_key(workflow: str, job: str, step: str, key: str) -> None:
    event = GitHubEvent(name="push", repository="o/r", sha=None, run_id=1, workflow=workflow, job=job, step=step)
    assert default_key(event) == key


def test_only_our_key_is_found() -> None:
    ours, other = Marker(key="k", run=1, attempt=1), Marker(key="k2", run=1, attempt=1)
    found = find_marked([comment(1, f"{ours}\n"), comment(2, f"{other}\n"), comment(3, "hello")], "k")
    assert [it.comment.id for it in found] == [1]


@pytest.mark.parametrize(
    ("author", "by_bot", "login", "ours"),
    [
        ("octocat", False, "octocat", True),
        ("Octocat", False, "octocat", True),
        ("hubot", False, "octocat", False),
        ("github-actions[bot]", True, "octocat", False),
        (None, False, "octocat", False),
        # A workflow's own token may not ask who it is: then it is a bot.
        ("github-actions[bot]", True, None, True),
        ("octocat", False, None, False),
        (None, False, None, False),
    ],
)
def test_whose_comment_it_is(author: str | None, by_bot: bool, login: str | None, ours: bool) -> None:
    it = Marked(comment=comment(1, author=author, by_bot=by_bot), marker=Marker(key="k", run=1, attempt=1))
    assert bool(keep_ours([it], login)) is ours


ME = Marker(key="k", run=10, attempt=2)


@pytest.mark.parametrize(
    ("ours", "create", "written", "step"),
    [
        ([], True, [], Create()),
        ([], False, [], Stop(None)),
        # The list does not show yet what was just written.
        ([], True, [1], Stop(None)),
        ([marked(1, 9)], False, [], Edit(comment(1))),
        ([marked(1, 10, 1)], True, [], Edit(comment(1))),
        ([marked(1, 10, 2)], True, [1], Stop(marked(1, 10, 2))),
        # Our run's and attempt's, and not written by us.
        ([marked(1, 10, 2)], True, [], Edit(comment(1))),
        # An older run has written over ours.
        ([marked(1, 9)], True, [1], Edit(comment(1))),
        ([marked(1, 11)], True, [], Stop(marked(1, 11))),
        ([marked(1, 10, 3)], True, [], Stop(marked(1, 10, 3))),
        # Doubles: the newest stays, at a tie the lowest id.
        ([marked(1, 8), marked(2, 9)], True, [], Edit(comment(2))),
        ([marked(1, 9), marked(2, 10, 2)], True, [2], Delete((comment(1),))),
        ([marked(2, 10, 2), marked(1, 10, 2)], True, [1, 2], Delete((comment(2),))),
        ([marked(1, 10, 2), marked(2, 11)], True, [1], Delete((comment(1),))),
    ],
)
def test_what_comes_next(ours: list[Marked], create: bool, written: list[int], step: Step) -> None:
    assert next_step(ours, ME, create=create, written=written) == step


class Conversation:
    """Comments that several runs write; what is read and what is written are single moments."""

    def __init__(self) -> None:
        self.there: dict[int, Marker] = {}
        self.next_id = 1

    def ours(self) -> list[Marked]:
        return [Marked(comment=comment(i), marker=marker) for i, marker in self.there.items()]

    def create(self, marker: Marker) -> int:
        self.next_id += 1
        self.there[self.next_id] = marker
        return self.next_id

    def is_writable(self, comment_id: int, marker: Marker) -> bool:
        """Look once more, as a run does just before it writes."""
        return comment_id in self.there and self.there[comment_id].age <= marker.age


def one_run(there: Conversation, marker: Marker) -> Iterator[None]:
    """Do what a run does, pausing between what it sees and what it does about it."""
    written: set[int] = set()
    while True:
        step = next_step(there.ours(), marker, create=True, written=written)
        yield
        match step:
            case Create():
                written.add(there.create(marker))
            case Edit(comment=found):
                if there.is_writable(found.id, marker):
                    there.there[found.id] = marker
                    written.add(found.id)
            case Delete(comments=doubles):
                for double in doubles:
                    if there.is_writable(double.id, marker):
                        del there.there[double.id]
            case Stop():
                return


@settings(derandomize=True, deadline=None, max_examples=500)
@given(st.permutations([1, 2, 3, 4]), st.lists(st.integers(1, 4), max_size=3), st.lists(st.integers(0, 3)))
def test_racing_runs_end_in_one_comment_the_newest(
    runs: list[int], before: list[int], schedule: list[int]
) -> None:
    there = Conversation()
    for run in before:
        there.create(Marker(key="k", run=run - 4, attempt=1))
    racing = [one_run(there, Marker(key="k", run=run, attempt=1)) for run in runs]
    turns = iter([*schedule, *[turn for turn in range(4) for _ in range(50)]])
    for turn in turns:
        next(racing[turn], None)
    assert [marker.run for marker in there.there.values()] == [4]
