"""How publishing a comment ended."""

from dataclasses import dataclass
from enum import StrEnum


class CommentAction(StrEnum):
    """What became of the comment."""

    CREATED = "created"
    UPDATED = "updated"
    KEPT_NEWER = "kept-newer"
    NOT_WANTED = "not-wanted"
    NOT_TRIED = "not-tried"
    NOT_SENT = "not-sent"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentOutcome:
    """How publishing the comment ended. `warning` is one sentence for the user, also of a comment that stands."""

    action: CommentAction
    url: str | None = None
    warning: str | None = None
