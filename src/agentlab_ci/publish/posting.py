"""`agentlab comment`: the comment of a target, at the pull request that GitHub has at its commit."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agentlab_ci.core.github import PullRequest
from agentlab_ci.errors import BadInputError
from agentlab_ci.publish.outcome import CommentAction
from agentlab_ci.publish.patience import Patience
from agentlab_ci.publish.pull_request import BodyOf, explain_failure, open_client, publish_comment
from agentlab_ci.publish.second_stage import Target, short
from agentlab_ci.publish.sticky import CommentMode, default_key

if TYPE_CHECKING:
    from agentlab_ci.publish.github import Pull


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """What was done, or why nothing had to be, in one line; `warning` is one sentence for the user."""

    line: str
    warning: str | None = None


def post(
    target: Target, body_of: BodyOf, *, token: str, key: str | None, update_only: bool, patience: Patience
) -> Posted:
    """Bring the comment up to date, or create it unless `update_only`, if a pull request is at the commit.

    One that has moved on to another commit is left to that commit's run. Raises BadInputError when several pull
    requests are at the commit, and when GitHub does not take the comment.
    """
    if not token:
        raise BadInputError("no comment was posted: the variable that --token-env names is empty")
    try:
        pulls = patience.run(lambda: _ask_for_pulls(target, token, patience))
    except Exception as problem:
        raise BadInputError(f"no comment was posted: {explain_failure(problem, target.event)}") from problem
    there = [pull for pull in pulls if pull.head_sha == target.commit]
    if len(there) > 1:
        numbers = ", ".join(str(pull.number) for pull in there)
        raise BadInputError(
            f"no comment was posted: pull requests {numbers} are all at {short(target.commit)}; give --pr NUMBER"
        )
    if not there:
        return Posted(line=f"note: no comment was posted: {_explain_absence(target, pulls)}")
    event = replace(target.event, pull_request=PullRequest(number=there[0].number, head_sha=target.commit))
    key = key or default_key(event)
    outcome = publish_comment(
        event,
        body_of,
        token=token,
        key=key,
        mode=CommentMode.AUTO,
        bad_news=False,
        update_only=update_only,
        keep_unsent=None,
        patience=patience,
    )
    if outcome.action in (CommentAction.NOT_SENT, CommentAction.NOT_TRIED):
        raise BadInputError(outcome.warning or "no comment was posted")
    if outcome.action is CommentAction.NOT_WANTED:
        return Posted(
            line=f"note: pull request {there[0].number} has no comment of the key `{key}` to bring up to date"
        )
    return Posted(line=f"comment {outcome.action}: {outcome.url}", warning=outcome.warning)


def _ask_for_pulls(target: Target, token: str, patience: Patience) -> "list[Pull]":
    with open_client(target.event, token, patience) as client:
        return client.open_pulls(target.branch) if target.number is None else [client.pull(target.number)]


def _explain_absence(target: Target, pulls: "Sequence[Pull]") -> str:
    if target.number is None:
        return f"no open pull request is at {short(target.commit)}"
    return (
        f"pull request {target.number} has moved on, it is at {short(pulls[0].head_sha)} now, "
        f"and this is about {short(target.commit)}"
    )
