"""`agentlab comment`: a fork's results, posted by a job of the repository."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from agentlab_ci.core.results import SourceIdentity
from agentlab_ci.publish.sticky import Marker, read_marker
from agentlab_ci.reports.json_report import render_json
from canned import CANNED_REPORTS
from command import Ended, agentlab, start_agentlab, wait_for
from fake_github import FORBIDDEN, FakeGitHub, StoredPull, fake_github, refusal
from hostile import HOSTILE_TEXTS
from runner_commands import find_commands

HEAD, OTHER, DEFAULT = "1" * 40, "2" * 40, "4" * 40
RUN_URL = "https://github.com/o/r/actions/runs/55/attempts/1"
TOKEN = "ghs_canary123456"
NAMED_AT_ONCE = 10
"""Problems that one message names."""


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    """Serve a repository whose pull request 7 is at HEAD."""
    with fake_github(prefix="/api/v3") as served:
        served.pulls = [StoredPull(number=7, head_sha=HEAD), StoredPull(number=8, head_sha=OTHER)]
        yield served
    assert served.problems == []


def write_results(folder: Path, name: str = "below_bar", *, commit: str | None = HEAD, pull: int = 7) -> Path:
    source = SourceIdentity(commit=commit, pull_request=pull, run_url=RUN_URL)
    report = CANNED_REPORTS[name].model_copy(update={"source": source})
    (folder / "results.json").write_bytes(render_json(report))
    return folder


def job_on_workflow_run(folder: Path, github: FakeGitHub, *, run_id: int = 99) -> dict[str, str]:
    """Write the event and return the variables of a job on workflow_run."""
    payload = {"workflow_run": {"head_sha": HEAD, "head_repository": {"full_name": "fork/r"}, "pull_requests": []}}
    (folder / "event.json").write_text(json.dumps(payload), encoding="utf-8")
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_API_URL": github.api_url,
        "GITHUB_EVENT_NAME": "workflow_run",
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_RUN_ID": str(run_id),
        "GITHUB_SHA": DEFAULT,
        "GITHUB_WORKFLOW": "agentlab comment",
        "GITHUB_JOB": "comment",
        "GITHUB_ACTION": "__run",
        "GITHUB_TOKEN": TOKEN,
        "NO_PROXY": "127.0.0.1",
    }


def comment(
    folder: Path, github: FakeGitHub, *args: str, run_id: int = 99, environ: Mapping[str, str] | None = None
) -> Ended:
    """Run the command as a step of a job on workflow_run."""
    job = job_on_workflow_run(folder, github, run_id=run_id)
    ended = agentlab(folder, "comment", "results.json", *args, environ=job | dict(environ or {}))
    assert TOKEN not in ended.out + ended.err
    assert "Traceback" not in ended.err
    assert find_commands(ended.out) == []
    assert find_commands(ended.err) == ["warning"] * ended.err.count("::warning title=agentlab::")
    return ended


def test_the_results_are_posted_and_kept_up_to_date(tmp_path: Path, github: FakeGitHub) -> None:
    ended = comment(write_results(tmp_path), github)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == "comment created: https://github.test/o/r/pull/7#issuecomment-1001\n"
    [posted] = github.bodies()
    assert read_marker(posted) == Marker(key="agentlab comment/comment/__run", run=99, attempt=1)
    assert "support.cancel" in posted
    assert RUN_URL in posted
    assert f"/o/r/blob/{HEAD}/scenarios/support.yaml#L12" in posted
    again = comment(write_results(tmp_path, "all_pass"), github, run_id=100)
    assert again.out.startswith("comment updated: ")
    [updated] = github.bodies()
    assert (read_marker(updated) or pytest.fail("no marker")).run == 100


def test_results_are_judged_again(tmp_path: Path, github: FakeGitHub) -> None:
    write_results(tmp_path)
    honest = comment(tmp_path, github)
    lying = json.loads((tmp_path / "results.json").read_bytes())
    lying["summary"]["verdict"] = "passed"
    for row in lying["scenarios"]:
        row |= {"verdict": "passed", "passed": 3, "needed": 1}
    (tmp_path / "results.json").write_text(json.dumps(lying), encoding="utf-8")
    truth = github.bodies()
    comment(tmp_path, github)
    assert honest.code == 0
    assert github.bodies() == truth


def test_the_pull_request_has_moved_on(tmp_path: Path, github: FakeGitHub) -> None:
    github.pulls = [StoredPull(number=7, head_sha=OTHER)]
    ended = comment(write_results(tmp_path), github)
    assert ended.code == 2
    assert "pull request 7 is at 222222222222 now, and the results are of 111111111111" in ended.err
    assert github.comments == []


def test_another_pull_request_cannot_be_named(tmp_path: Path, github: FakeGitHub) -> None:
    ended = comment(write_results(tmp_path, pull=8), github)
    assert ended.code == 2
    assert github.comments == []


@pytest.mark.parametrize("commit", [OTHER, None])
def test_results_of_another_commit(tmp_path: Path, github: FakeGitHub, commit: str | None) -> None:
    ended = comment(write_results(tmp_path, commit=commit), github)
    assert ended.code == 2
    assert "not of 111111111111" in ended.err
    assert github.asked == []


def test_github_refuses(tmp_path: Path, github: FakeGitHub) -> None:
    github.fail("POST", FORBIDDEN)
    ended = comment(write_results(tmp_path), github)
    assert ended.code == 2
    assert "pull-requests: write" in ended.err


def test_the_pull_request_cannot_be_read(tmp_path: Path, github: FakeGitHub) -> None:
    github.fail("GET", refusal(404, "Not Found"))
    ended = comment(write_results(tmp_path), github)
    assert ended.code == 2
    assert "no comment was posted: GitHub refused with 404 Not Found" in ended.err


def test_the_token_is_missing(tmp_path: Path, github: FakeGitHub) -> None:
    ended = comment(write_results(tmp_path), github, "--token-env", "MY_TOKEN")
    assert ended.code == 2
    assert github.asked == []


def test_by_hand(tmp_path: Path, github: FakeGitHub) -> None:
    """From a shell or another CI system, where nothing says what is meant."""
    environ = {"GITHUB_API_URL": github.api_url, "MY_TOKEN": TOKEN, "NO_PROXY": "127.0.0.1"}
    options = ("--repository", "o/r", "--pr", "7", "--token-env", "MY_TOKEN", "--key", "nightly")
    ended = agentlab(write_results(tmp_path), "comment", "results.json", *options, environ=environ)
    assert ended.code == 0, ended.err
    marker = read_marker(github.bodies()[0])
    assert marker is not None
    assert marker.key == "nightly"
    again = agentlab(tmp_path, "comment", "results.json", *options, environ=environ)
    assert again.code == 0, again.err
    assert len(github.comments) == 1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[" * 100_000,
        b'{"version": "##[error]pwned"}',
        b'{"version": "\\n::error::pwned"}',
        b'{"version": 1, "##[error]pwned": "::error::pwned", "scenarios": [{"##[error]pwned": 1}]}',
    ],
)
def test_what_is_no_results(tmp_path: Path, github: FakeGitHub, content: bytes) -> None:
    (tmp_path / "results.json").write_bytes(content)
    ended = comment(tmp_path, github)
    assert ended.code == 2
    assert "results.json" in ended.err
    assert github.asked == []


@pytest.mark.parametrize("first", range(0, len(HOSTILE_TEXTS), NAMED_AT_ONCE))
def test_ids_in_messages_are_no_commands(tmp_path: Path, github: FakeGitHub, first: int) -> None:
    row = CANNED_REPORTS["all_pass"].scenarios[0]
    # A lone surrogate is no JSON.
    texts = [text.encode("utf-8", "replace").decode() for text in HOSTILE_TEXTS[first : first + NAMED_AT_ONCE]]
    rows = tuple(
        row.model_copy(update={"scenario_id": text[:200], "samples": ()}) for text in texts for _ in range(2)
    )
    report = CANNED_REPORTS["all_pass"].model_copy(update={"scenarios": rows})
    (tmp_path / "results.json").write_bytes(render_json(report))
    ended = comment(tmp_path, github)
    assert ended.code == 2
    assert "is there twice" in ended.err


def test_a_signal_does_not_wait_for_github(tmp_path: Path, github: FakeGitHub) -> None:
    github.fail("GET", refusal(429, "Too many requests", retry_after="40"), times=1)
    job = job_on_workflow_run(write_results(tmp_path), github)
    process = start_agentlab(tmp_path, "comment", "results.json", environ=job)
    while not github.asked:
        assert process.poll() is None
    process.terminate()
    ended = wait_for(process, tmp_path)
    assert ended.code == 143
    assert github.comments == [], "whoever waits the 40 s writes one"


def test_comments_of_two_keys_say_which_is_which(tmp_path: Path, github: FakeGitHub) -> None:
    for key in ("fast", "careful"):
        assert comment(write_results(tmp_path), github, "--key", key).code == 0
    assert ["`fast`" in body for body in github.bodies()] == [True, False]
    assert ["`careful`" in body for body in github.bodies()] == [False, True]


def test_a_token_that_github_repeats_is_masked(tmp_path: Path, github: FakeGitHub) -> None:
    github.fail("POST", refusal(400, f"bad token {TOKEN}"))
    assert comment(write_results(tmp_path), github).code == 2
