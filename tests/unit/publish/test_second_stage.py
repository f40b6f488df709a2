from datetime import UTC, datetime
from typing import Any

import pytest

from agentlab_ci.core.results import SourceIdentity
from agentlab_ci.errors import BadInputError
from agentlab_ci.publish.second_stage import Target, choose_target, choose_unjudged
from agentlab_ci.settings import CommentSettings

HEAD, OTHER, DEFAULT = "1" * 40, "2" * 40, "4" * 40
RUN_URL = "https://github.com/o/r/actions/runs/55/attempts/1"
SOURCE = SourceIdentity(commit=HEAD, ref="refs/pull/7/merge", pull_request=7, run_url=RUN_URL)
NOW = datetime(2026, 4, 7, tzinfo=UTC)

SHELL = {"GITHUB_REPOSITORY": "o/r"}
WORKFLOW_RUN = {
    "GITHUB_REPOSITORY": "o/r",
    "GITHUB_RUN_ID": "99",
    "GITHUB_RUN_ATTEMPT": "2",
    "GITHUB_EVENT_NAME": "workflow_run",
    "GITHUB_SHA": DEFAULT,
}
FORK = {"full_name": "fork/r", "owner": {"login": "fork"}}
ENDED = {
    "head_sha": HEAD,
    "head_branch": "topic",
    "head_repository": FORK,
    "html_url": "https://github.com/o/r/actions/runs/55",
    "pull_requests": [],
}
PAYLOAD = {"workflow_run": ENDED}


def choose(
    *,
    environ: dict[str, str] | None = None,
    payload: Any = None,
    source: SourceIdentity = SOURCE,
    **settings: Any,
) -> Target:
    return choose_target(
        CommentSettings(**settings),
        source,
        environ=SHELL if environ is None else environ,
        payload=payload or {},
        now=NOW,
    )


def test_from_a_shell() -> None:
    target = choose(pull_request=7)
    assert (target.number, target.commit, target.run_url) == (7, HEAD, RUN_URL)
    assert (target.event.run_id, target.event.run_attempt) == (int(NOW.timestamp()), 1)
    assert target.event.links is not None
    assert target.event.links.to_line("a.yaml", 3) == f"https://github.com/o/r/blob/{HEAD}/a.yaml#L3"


def test_on_workflow_run_the_results_may_name_the_pull_request() -> None:
    target = choose(environ=WORKFLOW_RUN, payload=PAYLOAD)
    assert (target.number, target.commit) == (7, HEAD)
    assert (target.event.run_id, target.event.run_attempt) == (99, 2)


def test_links_lead_to_the_folder_that_the_run_was_in() -> None:
    for given in ("services/desk", "services/desk/", "./services/desk"):
        links = choose(pull_request=7, working_directory=given).event.links
        assert links is not None
        assert links.to_line("a.yaml", 3) == f"https://github.com/o/r/blob/{HEAD}/services/desk/a.yaml#L3"


def test_the_steps_of_a_job_share_a_comment() -> None:
    first, second = (choose(environ=WORKFLOW_RUN | {"GITHUB_ACTION": step}, payload=PAYLOAD) for step in "ab")
    assert first == second


def test_the_repository_can_be_named() -> None:
    target = choose(environ={"GITHUB_API_URL": "https://ghe.test/api/v3"}, pull_request=7, repository="p/q")
    assert (target.event.repository, target.event.api_url) == ("p/q", "https://ghe.test/api/v3")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"environ": {}, "pull_request": 7}, "--repository OWNER/NAME"),
        ({"pull_request": 7, "repository": "o"}, "--repository OWNER/NAME"),
        ({"pull_request": 7, "repository": "o/../../user"}, "--repository OWNER/NAME"),
        # Anybody can write any number into results: it counts only if GitHub vouches for the commit.
        ({}, "Give --pr NUMBER"),
        ({"source": SourceIdentity(commit=HEAD), "head_sha": HEAD}, "Give --pr NUMBER"),
        ({"source": SourceIdentity(pull_request=7), "pull_request": 7}, "give --head-sha"),
        ({"source": SourceIdentity(commit="main"), "pull_request": 7}, "give --head-sha"),
        ({"pull_request": 7, "head_sha": "1111111"}, "full SHA"),
        ({"pull_request": 7, "head_sha": OTHER}, "are of 111111111111, and not of 222222222222"),
        ({"source": SourceIdentity(), "pull_request": 7, "head_sha": OTHER}, "are of an unknown commit"),
        (
            {"environ": WORKFLOW_RUN, "payload": PAYLOAD, "source": SourceIdentity(commit=OTHER, pull_request=3)},
            "are of 222222222222, and not of 111111111111",
        ),
    ],
)
def test_what_is_missing_or_differs(given: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadInputError, match=reason):
        choose(**given)


@pytest.mark.parametrize(
    "run_url",
    [
        None,
        "https://evil.test/o/r/actions/runs/55",
        "https://github.com/o/r/actions/runs/55/../../../../evil",
        "https://github.com/o/r/actions/runs/55)[x](https://evil.test",
        "https://github.com/o/r/actions/runs/55\n",
        "javascript:alert(1)",
    ],
)
def test_a_run_elsewhere_is_not_linked(run_url: str | None) -> None:
    source = SOURCE.model_copy(update={"run_url": run_url})
    assert choose(pull_request=7, source=source).run_url is None


def choose_none(*, environ: dict[str, str] | None = None, payload: Any = None, **settings: Any) -> Target:
    return choose_unjudged(
        CommentSettings(**settings),
        environ=WORKFLOW_RUN if environ is None else environ,
        payload={"workflow_run": ENDED} if payload is None else payload,
        now=NOW,
    )


def test_a_run_without_results_is_known_from_its_event() -> None:
    target = choose_none()
    assert (target.number, target.branch, target.commit) == (None, "fork:topic", HEAD)
    assert target.run_url == "https://github.com/o/r/actions/runs/55"
    assert target.event == choose(environ=WORKFLOW_RUN, payload=PAYLOAD).event, "one key, one age"


@pytest.mark.parametrize(
    "ended",
    [
        ENDED | {"head_repository": None},
        ENDED | {"head_repository": {"full_name": "fork/r", "owner": None}},
        ENDED | {"head_branch": None},
    ],
)
def test_of_a_fork_that_is_gone_no_branch_is_known(ended: Any) -> None:
    target = choose_none(payload={"workflow_run": ended})
    assert (target.commit, target.branch) == (HEAD, None)


@pytest.mark.parametrize(
    "page", [None, 7, "https://evil.test/o/r/actions/runs/55", "https://github.com/p/q/actions/runs/5"]
)
def test_a_run_elsewhere_is_not_linked_either(page: Any) -> None:
    assert choose_none(payload={"workflow_run": ENDED | {"html_url": page}}).run_url is None


def test_another_commit_may_be_of_another_branch() -> None:
    target = choose_none(head_sha=OTHER)
    assert (target.commit, target.branch) == (OTHER, None)
    assert choose_none(head_sha=HEAD).branch == "fork:topic"


def test_what_was_not_judged_can_be_named() -> None:
    target = choose_none(environ=SHELL, payload={}, head_sha=HEAD, pull_request=7)
    assert (target.commit, target.number, target.run_url) == (HEAD, 7, None)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"environ": SHELL, "payload": {}}, "which commit was not judged"),
        ({"environ": SHELL, "payload": {}, "head_sha": "1111111"}, "full SHA"),
        ({"payload": {"workflow_run": None}}, "which commit was not judged"),
        # What is no workflow_run event is nobody's word.
        ({"environ": SHELL | {"GITHUB_SHA": HEAD}, "pull_request": 7}, "which commit was not judged"),
        ({"environ": {}, "payload": {}, "head_sha": HEAD}, "--repository OWNER/NAME"),
    ],
)
def test_no_commit_is_guessed(given: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadInputError, match=reason):
        choose_none(**given)
