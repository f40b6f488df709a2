import json
from pathlib import Path
from typing import Any

import pytest

from agentlab_ci.core.github import GitHubEvent, PullRequest
from agentlab_ci.publish.event import read_event, read_payload

HEAD, BASE, MERGE, DEFAULT = "1" * 40, "2" * 40, "3" * 40, "4" * 40
WORKSPACE = Path("/github/workspace")

ENVIRON = {
    "GITHUB_REPOSITORY": "o/r",
    "GITHUB_RUN_ID": "9123456789",
    "GITHUB_RUN_ATTEMPT": "2",
    "GITHUB_SHA": DEFAULT,
    "GITHUB_REF": "refs/heads/main",
    "GITHUB_WORKFLOW": "Agent tests",
    "GITHUB_JOB": "agents",
    "GITHUB_ACTION": "__run",
    "GITHUB_ACTOR": "octocat",
    "GITHUB_WORKSPACE": str(WORKSPACE),
}


def read(name: str, payload: Any, **environ: str) -> GitHubEvent:
    event = read_event(ENVIRON | {"GITHUB_EVENT_NAME": name} | environ, payload, cwd=WORKSPACE)
    assert event is not None
    return event


def judged(event: GitHubEvent) -> tuple[str | None, PullRequest | None, bool]:
    return event.sha, event.pull_request, event.from_fork


def pull_payload(*, head_repository: str | None = "o/r") -> dict[str, Any]:
    repo = {"full_name": head_repository} if head_repository else None
    return {"pull_request": {"number": 7, "head": {"sha": HEAD, "repo": repo}, "base": {"sha": BASE}}}


def run_payload(*, head_repository: str | None = "o/r", pulls: Any = ()) -> dict[str, Any]:
    run = {
        "head_sha": HEAD,
        "head_branch": "topic",
        "head_repository": {"full_name": head_repository} if head_repository else None,
        "pull_requests": pulls,
    }
    return {"workflow_run": run, "repository": {"id": 1}}


PULL = PullRequest(number=7, head_sha=HEAD, base_sha=BASE)
LISTED = {"number": 7, "base": {"sha": BASE, "repo": {"id": 1}}}
LISTED_ELSEWHERE = {"number": 3, "base": {"sha": BASE, "repo": {"id": 2}}}
COMMENTED = {"issue": {"number": 7, "pull_request": {"url": "…"}}}


@pytest.mark.parametrize(
    ("name", "payload", "expected"),
    [
        # GITHUB_SHA is the merge commit, and on pull_request_target the base: neither is what the author pushed.
        ("pull_request", pull_payload(), (HEAD, PULL, False)),
        ("pull_request", pull_payload(head_repository="fork/r"), (HEAD, PULL, True)),
        ("pull_request", pull_payload(head_repository=None), (HEAD, PULL, True)),
        ("pull_request_target", pull_payload(), (HEAD, PULL, False)),
        ("pull_request_target", pull_payload(head_repository="fork/r"), (HEAD, PULL, True)),
        ("pull_request_review", pull_payload(), (HEAD, PULL, False)),
        # Whose commit is checked out, a comment does not say.
        ("issue_comment", COMMENTED, (None, PullRequest(number=7), True)),
        ("issue_comment", {"issue": {"number": 8}}, (DEFAULT, None, False)),
        ("push", {"after": HEAD}, (DEFAULT, None, False)),
        ("merge_group", {"merge_group": {"head_sha": HEAD, "base_sha": BASE}}, (HEAD, None, False)),
        ("workflow_run", run_payload(pulls=[LISTED]), (HEAD, PULL, False)),
        ("workflow_run", run_payload(pulls=[LISTED_ELSEWHERE, LISTED]), (HEAD, PULL, False)),
        ("workflow_run", run_payload(pulls=[LISTED_ELSEWHERE]), (HEAD, None, False)),
        # GitHub names no pull request of a fork.
        ("workflow_run", run_payload(head_repository="fork/r"), (HEAD, None, True)),
        ("workflow_run", run_payload(head_repository=None), (HEAD, None, True)),
        ("schedule", {}, (DEFAULT, None, False)),
        ("workflow_dispatch", {"inputs": {}}, (DEFAULT, None, False)),
    ],
)
def test_what_an_event_judges(name: str, payload: Any, expected: Any) -> None:
    assert judged(read(name, payload)) == expected


@pytest.mark.parametrize("payload", [{}, {"pull_request": None}, {"pull_request": "7"}, {"workflow_run": []}])
@pytest.mark.parametrize("name", ["pull_request", "pull_request_target", "workflow_run"])
def test_without_a_payload_the_answer_is_careful(name: str, payload: Any) -> None:
    event = read(name, payload, GITHUB_REF="refs/pull/7/merge", GITHUB_SHA=MERGE)
    assert event.sha is None
    assert event.from_fork
    assert event.pull_request == (None if name == "workflow_run" else PullRequest(number=7))


def test_the_run() -> None:
    event = read("schedule", {})
    assert event.run_url == "https://github.com/o/r/actions/runs/9123456789/attempts/2"
    assert (event.workflow, event.job, event.step, event.actor) == ("Agent tests", "agents", "__run", "octocat")
    assert event.ref == "refs/heads/main"
    assert event.api_url == "https://api.github.com"


def test_enterprise_server() -> None:
    event = read("push", {}, GITHUB_SERVER_URL="https://ghe.test/", GITHUB_API_URL="https://ghe.test/api/v3/")
    assert event.run_url.startswith("https://ghe.test/o/r/actions/")
    assert event.api_url == "https://ghe.test/api/v3"


@pytest.mark.parametrize(
    "environ",
    [{}, {"GITHUB_RUN_ID": "1"}, {"GITHUB_REPOSITORY": "o/r"}, {"GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ID": "x"}],
)
def test_elsewhere_there_is_no_event(environ: dict[str, str]) -> None:
    assert read_event(environ, {}, cwd=WORKSPACE) is None


@pytest.mark.parametrize(
    ("cwd", "workspace", "prefix"),
    [
        ("/github/workspace", "/github/workspace", ""),
        ("/github/workspace/apps/shop", "/github/workspace", "apps/shop/"),
        ("/elsewhere", "/github/workspace", ""),
        ("/github/workspace-2", "/github/workspace", ""),
        ("/github/workspace/apps", "", ""),
    ],
)
def test_the_prefix_leads_from_the_workspace(cwd: str, workspace: str, prefix: str) -> None:
    event = read_event(ENVIRON | {"GITHUB_WORKSPACE": workspace}, {}, cwd=Path(cwd))
    assert event is not None
    assert event.prefix == prefix


def test_the_payload_is_read(tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    path.write_text(json.dumps(pull_payload()), encoding="utf-8")
    payload = read_payload({"GITHUB_EVENT_PATH": str(path)})
    assert (payload.content, payload.warning) == (pull_payload(), None)


@pytest.mark.parametrize(
    ("content", "reason"),
    [(None, "No such file"), (b"{", "not a JSON object"), (b"[]", "not a JSON object"), (b"\xff", "not a JSON")],
)
def test_a_payload_that_cannot_be_read_is_a_warning(tmp_path: Path, content: bytes | None, reason: str) -> None:
    path = tmp_path / "event.json"
    if content is not None:
        path.write_bytes(content)
    payload = read_payload({"GITHUB_EVENT_PATH": str(path)})
    assert payload.content == {}
    assert reason in (payload.warning or "")


def test_without_a_path_there_is_nothing_to_read() -> None:
    assert read_payload({}) == read_payload({"GITHUB_EVENT_PATH": ""})
    assert read_payload({}).warning is None
