"""The sticky comment: how it is recognised, and what to do next with those that are there. Pure."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias
from urllib.parse import quote, unquote

from agentlab_ci.core.github import GitHubEvent

_MARKER = re.compile(r"<!-- agentlab:comment key=(\S+) run=([0-9]{1,19}) attempt=([0-9]{1,9}) -->")


class CommentMode(StrEnum):
    """When a comment is created; one that is there is brought up to date in every mode."""

    AUTO = "auto"
    ON_FAILURE = "on-failure"
    NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """What the first line of a comment of ours says: which use of agentlab wrote it, in which run."""

    key: str
    run: int
    attempt: int

    @property
    def age(self) -> tuple[int, int]:
        """Orders the comments of one key; the greater is the newer."""
        return (self.run, self.attempt)

    def __str__(self) -> str:
        key = quote(self.key, safe="/:@")
        return f"<!-- agentlab:comment key={key} run={self.run} attempt={self.attempt} -->"


def read_marker(body: str) -> Marker | None:
    """Read the marker at the very start of a comment, None where there is none."""
    found = _MARKER.match(body)
    return Marker(key=unquote(found[1]), run=int(found[2]), attempt=int(found[3])) if found else None


def default_key(event: GitHubEvent) -> str:
    """Tell this use of agentlab from others: `<workflow>/<job>/<step>`; matrix jobs need a key of their own."""
    return "/".join(part for part in (event.workflow, event.job, event.step) if part) or "agentlab"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment as GitHub has it. `author` is a login, None where the account is gone."""

    id: int
    author: str | None
    by_bot: bool
    body: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """A comment that begins with a marker."""

    comment: Comment
    marker: Marker


def find_marked(comments: Iterable[Comment], key: str) -> list[Marked]:
    """Find the comments that begin with a marker of this key, whoever wrote them."""
    marked = [(comment, read_marker(comment.body)) for comment in comments]
    return [Marked(comment=c, marker=marker) for c, marker in marked if marker is not None and marker.key == key]


def keep_ours(marked: Iterable[Marked], login: str | None) -> list[Marked]:
    """Leave out what others wrote. `login` is ours; a token that may not ask for it (None) is a bot's."""
    return [
        it
        for it in marked
        if (it.comment.by_bot if login is None else (it.comment.author or "").lower() == login.lower())
    ]


@dataclass(frozen=True, slots=True)
class Create:
    """Write a new comment."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Write over this comment."""

    comment: Comment


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete these comments, which say less than another one of ours."""

    comments: tuple[Comment, ...]


@dataclass(frozen=True, slots=True)
class Stop:
    """Nothing is left to do; this comment stands, if one does."""

    standing: Marked | None


Step: TypeAlias = Create | Edit | Delete | Stop


def next_step(ours: Sequence[Marked], marker: Marker, *, create: bool, written: Collection[int]) -> Step:
    """Choose what to do with the comments of ours that are there now; done over and over, it ends in `Stop`.

    The newest stays, at a tie the one with the lowest id; the others go. A newer run's comment is never written
    over. `written` are the ids that this run has written; `create` says whether a first comment is wanted.
    """
    if not ours:
        # A list may lag behind what was just written.
        return Create() if create and not written else Stop(None)
    kept = max(ours, key=lambda it: (it.marker.age, -it.comment.id))
    if kept.marker.age < marker.age or (kept.marker.age == marker.age and kept.comment.id not in written):
        return Edit(kept.comment)
    others = tuple(it.comment for it in ours if it is not kept)
    return Delete(others) if others else Stop(kept)
