"""Keeps one comment of a key at a pull request, whatever else writes there meanwhile."""

from functools import cached_property
from typing import assert_never

from agentlab_ci.publish.github import Conversation, GitHubClient
from agentlab_ci.publish.outcome import CommentAction, CommentOutcome
from agentlab_ci.publish.patience import RefusedError
from agentlab_ci.publish.sticky import (
    Comment,
    Create,
    Delete,
    Edit,
    Marked,
    Marker,
    Stop,
    find_marked,
    keep_ours,
    next_step,
)

_WORKFLOW_BOT = "github-actions[bot]"
"""Who writes with a workflow's own token."""
_MOST_STEPS = 12
"""Racing runs, and lists that lag behind, settle in far fewer."""


class CommentKeeper:
    """One run's work on the comments of its key."""

    def __init__(self, client: GitHubClient, conversation: Conversation, marker: Marker, body: str) -> None:
        self._client = client
        self._conversation = conversation
        self._marker = marker
        self._body = body
        self._written: dict[int, Comment] = {}
        self._gone: set[int] = set()
        self._action = CommentAction.NOT_WANTED
        self._shared = False

    def settle(self, *, create: bool) -> CommentOutcome:
        """Look and act until nothing is left to do."""
        for _ in range(_MOST_STEPS):
            ours = self._find()
            self._shared |= any(self._is_twin(it) for it in ours)
            step = next_step(ours, self._marker, create=create, written=self._written)
            match step:
                case Create():
                    self._create()
                case Edit():
                    self._edit(step.comment)
                case Delete():
                    try:
                        for comment in step.comments:
                            self._delete(comment)
                    except RefusedError as refusal:
                        standing = next(it for it in ours if it.comment not in step.comments)
                        return self._outcome(standing, left_over=refusal)
                case Stop():
                    return self._outcome(step.standing)
                case _:
                    assert_never(step)
        return self._outcome(None)

    def _find(self) -> list[Marked]:
        marked = find_marked(self._conversation.comments(), self._marker.key)
        return keep_ours(marked, self._login) if marked else []

    @cached_property
    def _login(self) -> str | None:
        return self._client.login()

    def _is_twin(self, it: Marked) -> bool:
        return it.marker.age == self._marker.age and it.comment.id not in self._written

    def _create(self) -> None:
        comment = self._conversation.create(self._body, look_again=self._find_own)
        self._written[comment.id] = comment
        self._action = CommentAction.CREATED

    def _find_own(self) -> Comment | None:
        return next((it.comment for it in self._find() if it.marker.age == self._marker.age), None)

    def _edit(self, comment: Comment) -> None:
        try:
            if self._is_overtaken(comment):
                return
            self._conversation.edit(comment.id, self._body)
        except RefusedError as refusal:
            # Somebody deleted it after we looked; a comment that is still there the next time may not be written.
            if refusal.status != 404 or comment.id in self._gone:
                raise
            self._gone.add(comment.id)
            return
        self._written[comment.id] = comment
        if self._action is not CommentAction.CREATED:
            self._action = CommentAction.UPDATED

    def _delete(self, comment: Comment) -> None:
        try:
            if not self._is_overtaken(comment):
                self._conversation.delete(comment.id)
        except RefusedError as refusal:
            if refusal.status != 404:  # another run may delete it first
                raise

    def _is_overtaken(self, comment: Comment) -> bool:
        """Say whether a newer run has written the comment since it was listed; a long list takes a while."""
        current = find_marked([self._conversation.read(comment.id)], self._marker.key)
        return any(it.marker.age > self._marker.age for it in current)

    def _outcome(self, standing: Marked | None, *, left_over: RefusedError | None = None) -> CommentOutcome:
        if standing is not None and standing.marker.age > self._marker.age:
            return CommentOutcome(
                action=CommentAction.KEPT_NEWER, url=standing.comment.url, warning=self._doubt(standing.comment)
            )
        written = standing.comment if standing else next(iter(self._written.values()), None)
        shared = (
            "another job of this run wrote the same comment; give each job of a matrix its own comment-key "
            "(`agentlab comment`: its own --key)"
        )
        warning = shared if self._shared else None
        if left_over is not None:
            warning = f"an older comment of the same key could not be deleted: GitHub refused with {left_over}"
        return CommentOutcome(action=self._action, url=written.url if written else None, warning=warning)

    def _doubt(self, newer: Comment) -> str | None:
        """Say so where another bot may have written the newer comment: nobody told us who we are."""
        if self._login is not None or newer.author == _WORKFLOW_BOT:
            return None
        return (
            f"the comment was left alone, because {newer.author} wrote one of the same key in a newer run; "
            "if that is none of yours, set another comment-key"
        )
