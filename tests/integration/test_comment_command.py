"""`agentlab comment`: a fork's results, posted by a job of the repository."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from agentlab_ci.core.results import SourceIdentity
from agentlab_ci.publish.sticky import Marker, read_marker
from agentlab_ci.reports.json_report import render_json
from canned import CANNED_REPORTS
from command import Ended, agentlab, start_agentlab, wait_for
from demo import ROOT
from fake_github import FORBIDDEN, FakeGitHub, StoredPull, fake_github, refusal
from hostile import HOSTILE_TEXTS
from runner_commands import find_commands

HEAD, OTHER, DEFAULT = "1" * 40, "2" * 40, "4" * 40
RUN_URL = "https://github.com/o/r/actions/runs/55/attempts/1"
TOKEN = "ghs_canary123456"
ENDED = {
    "head_sha": HEAD,
    "head_branch": "topic",
    "head_repository": {"full_name": "fork/r", "owner": {"login": "fork"}},
    "html_url": "https://github.com/o/r/actions/runs/55",
    "pull_requests": [],
}
"""What GitHub says of the run that ended, as of every fork's."""
INSTALLED = ["pipx", "run", "--spec", "git+https://github.com/OWNER/agentlab-ci@v1"]
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
    (folder / "event.json").write_text(json.dumps({"workflow_run": ENDED}), encoding="utf-8")
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
    """Post `results.json` in a step of a job on workflow_run."""
    return run_step(folder, github, "results.json", *args, run_id=run_id, environ=environ)


def run_step(
    folder: Path, github: FakeGitHub, *args: str, run_id: int = 99, environ: Mapping[str, str] | None = None
) -> Ended:
    """Run the command as a step of a job on workflow_run."""
    job = job_on_workflow_run(folder, github, run_id=run_id)
    ended = agentlab(folder, "comment", *args, environ=job | dict(environ or {}))
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
    assert read_marker(posted) == Marker(key="agentlab comment/comment", run=99, attempt=1)
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
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == (
        "note: no comment was posted: pull request 7 has moved on, it is at 222222222222 now, "
        "and this is about 111111111111\n"
    )
    assert github.comments == []


def test_another_pull_request_cannot_be_named(tmp_path: Path, github: FakeGitHub) -> None:
    ended = comment(write_results(tmp_path, pull=8), github)
    assert "pull request 8 has moved on" in ended.out
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


def test_links_lead_to_the_folder_of_the_run(tmp_path: Path, github: FakeGitHub) -> None:
    assert comment(write_results(tmp_path), github, "--working-directory", "services/desk").code == 0
    assert f"/o/r/blob/{HEAD}/services/desk/scenarios/support.yaml#L12" in github.bodies()[0]


def test_comments_of_two_keys_say_which_is_which(tmp_path: Path, github: FakeGitHub) -> None:
    for key in ("fast", "careful"):
        assert comment(write_results(tmp_path), github, "--key", key).code == 0
    assert ["`fast`" in body for body in github.bodies()] == [True, False]
    assert ["`careful`" in body for body in github.bodies()] == [False, True]


def test_a_token_that_github_repeats_is_masked(tmp_path: Path, github: FakeGitHub) -> None:
    github.fail("POST", refusal(400, f"bad token {TOKEN}"))
    assert comment(write_results(tmp_path), github).code == 2


class TestNotJudged:
    """The run left no results."""

    @pytest.fixture(autouse=True)
    def green(self, tmp_path: Path, github: FakeGitHub) -> None:
        assert comment(write_results(tmp_path, "all_pass"), github).code == 0

    def say_so(self, folder: Path, github: FakeGitHub, *args: str, run_id: int = 100, **event: Any) -> Ended:
        """Run the step that the recipe has for this; `event` changes what GitHub says of the run."""
        with pytest.MonkeyPatch.context() as patch:
            for name, value in event.items():
                patch.setitem(ENDED, name, value)
            return run_step(
                folder, github, "--not-judged", *args, run_id=run_id, environ={"GITHUB_ACTION": "__run_2"}
            )

    def test_the_comment_is_brought_up_to_date(self, tmp_path: Path, github: FakeGitHub) -> None:
        ended = self.say_so(tmp_path, github)
        assert (ended.code, ended.err) == (0, "")
        assert ended.out == "comment updated: https://github.test/o/r/pull/7#issuecomment-1001\n"
        [body] = github.bodies()
        assert read_marker(body) == Marker(key="agentlab comment/comment", run=100, attempt=1)
        assert "`111111111111` was not judged" in body
        assert "no results of its run were found" in body
        assert "[workflow run](https://github.com/o/r/actions/runs/55)" in body
        assert "passed" not in body

    def test_results_replace_it_again(self, tmp_path: Path, github: FakeGitHub) -> None:
        self.say_so(tmp_path, github)
        assert comment(tmp_path, github, run_id=101).code == 0
        [body] = github.bodies()
        assert "was not judged" not in body

    def test_none_is_made(self, tmp_path: Path, github: FakeGitHub) -> None:
        github.comments.clear()
        ended = self.say_so(tmp_path, github)
        assert (ended.code, ended.err, github.comments) == (0, "", [])
        assert ended.out == (
            "note: pull request 7 has no comment of the key `agentlab comment/comment` to bring up to date\n"
        )

    def test_a_newer_run_s_comment_is_left_alone(self, tmp_path: Path, github: FakeGitHub) -> None:
        there = github.bodies()
        ended = self.say_so(tmp_path, github, run_id=98)
        assert ended.code == 0
        assert ended.out.startswith("comment kept-newer: ")
        assert github.bodies() == there

    @pytest.mark.parametrize("args", [(), ("--pr", "7")])
    def test_the_pull_request_has_moved_on(
        self, tmp_path: Path, github: FakeGitHub, args: tuple[str, ...]
    ) -> None:
        there = github.bodies()
        github.pulls = [StoredPull(number=7, head_sha=OTHER)]
        ended = self.say_so(tmp_path, github, *args)
        assert (ended.code, ended.err) == (0, "")
        assert ended.out.startswith("note: no comment was posted: ")
        assert github.bodies() == there

    def test_a_pull_request_that_was_closed(self, tmp_path: Path, github: FakeGitHub) -> None:
        github.pulls = [StoredPull(number=7, head_sha=HEAD, is_open=False)]
        ended = self.say_so(tmp_path, github)
        assert ended.code == 0
        assert ended.out == "note: no comment was posted: no open pull request is at 111111111111\n"

    def test_a_branch_of_the_same_commit_is_another_pull_request(self, tmp_path: Path, github: FakeGitHub) -> None:
        github.pulls.append(StoredPull(number=9, head_sha=HEAD, branch="fork:copy"))
        assert self.say_so(tmp_path, github).out.startswith("comment updated: ")

    def test_several_pull_requests_of_one_branch(self, tmp_path: Path, github: FakeGitHub) -> None:
        there = github.bodies()
        github.pulls.append(StoredPull(number=9, head_sha=HEAD))
        ended = self.say_so(tmp_path, github)
        assert ended.code == 2
        assert "pull requests 7, 9 are all at 111111111111; give --pr NUMBER" in ended.err
        assert github.bodies() == there
        assert self.say_so(tmp_path, github, "--pr", "7").out.startswith("comment updated: ")

    def test_a_fork_that_is_gone(self, tmp_path: Path, github: FakeGitHub) -> None:
        many = [StoredPull(number=100 + number, head_sha=OTHER) for number in range(120)]
        github.pulls = [*many, StoredPull(number=7, head_sha=HEAD, branch="", fork_is_gone=True)]
        ended = self.say_so(tmp_path, github, head_repository=None)
        assert ended.out == "comment updated: https://github.test/o/r/pull/7#issuecomment-1001\n"

    @pytest.mark.parametrize(("method", "path"), [("GET", ".*/pulls"), ("PATCH", ".*")])
    def test_github_refuses(self, tmp_path: Path, github: FakeGitHub, method: str, path: str) -> None:
        there = github.bodies()
        github.fail(method, FORBIDDEN, path=path)
        ended = self.say_so(tmp_path, github)
        assert ended.code == 2
        assert "pull-requests: write" in ended.err
        assert github.bodies() == there

    def test_github_is_waited_for(self, tmp_path: Path, github: FakeGitHub) -> None:
        github.fail("GET", refusal(502, "Bad gateway"), path=".*/pulls")
        github.fail("PATCH", refusal(502, "Bad gateway"))
        assert self.say_so(tmp_path, github).out.startswith("comment updated: ")


@pytest.mark.parametrize("args", [(), ("results.json", "--not-judged")])
def test_either_results_or_none(tmp_path: Path, github: FakeGitHub, args: tuple[str, ...]) -> None:
    ended = run_step(write_results(tmp_path), github, *args)
    assert ended.code == 2
    assert "either RESULTS.JSON or --not-judged" in ended.err
    assert github.asked == []


PAGE = (ROOT / "docs/how-to/forks-and-dependabot.md").read_text(encoding="utf-8")
SECOND_WORKFLOW = yaml.safe_load(
    next(block for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) if "workflow_run:" in block)
)
CONDITIONS = {"steps.download.outcome == 'success'": True, "steps.download.outcome != 'success'": False}


class TestRecipe:
    """The second workflow of the how-to page, as a runner would run its steps."""

    def run_job(self, folder: Path, github: FakeGitHub, *, downloaded: bool, run_id: int) -> list[Ended]:
        ended = []
        for step in SECOND_WORKFLOW["jobs"]["comment"]["steps"]:
            if "run" in step and CONDITIONS[step["if"]] is downloaded:
                assert "continue-on-error" not in step
                *installed, command, subcommand, argument = shlex.split(step["run"])
                assert (installed, command, subcommand) == (INSTALLED, "agentlab", "comment")
                ended.append(run_step(folder, github, argument.replace("$RESULTS", "results.json"), run_id=run_id))
        return ended

    def test_a_comment_is_kept_up_to_date_whatever_the_runs_left(self, tmp_path: Path, github: FakeGitHub) -> None:
        write_results(tmp_path, "all_pass")
        for run_id, downloaded in enumerate((True, False, True), start=1):
            [ended] = self.run_job(tmp_path, github, downloaded=downloaded, run_id=run_id)
            assert ended.code == 0, ended.err
            [body] = github.bodies()
            assert f" run={run_id} " in body
            assert ("was not judged" in body) is not downloaded

    def test_a_refusal_is_red(self, tmp_path: Path, github: FakeGitHub) -> None:
        github.fail("POST", FORBIDDEN)
        [ended] = self.run_job(write_results(tmp_path), github, downloaded=True, run_id=1)
        assert ended.code == 2
