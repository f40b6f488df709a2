from pathlib import Path

import pytest

from agentlab_ci.core.github import GitHubEvent, PullRequest
from agentlab_ci.publish.trust import why_untrusted

HEAD, BASE, DEFAULT = "1" * 40, "2" * 40, "4" * 40


def ask(folder: Path, name: str, *, from_fork: bool = True, pull_request: bool = True) -> str | None:
    event = GitHubEvent(
        name=name,
        repository="o/r",
        sha=HEAD,
        pull_request=PullRequest(number=7, base_sha=BASE) if pull_request else None,
        from_fork=from_fork,
        run_id=1,
    )
    return why_untrusted(event, working_directory=folder, environ={"GITHUB_SHA": DEFAULT})


def check_out(folder: Path, sha: str) -> Path:
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text(f"{sha}\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", ["pull_request_target", "issue_comment", "workflow_run"])
class TestPrivilegedEvents:
    """Events whose job has secrets although a stranger caused them."""

    def test_a_forks_head_is_refused(self, tmp_path: Path, name: str) -> None:
        reason = ask(check_out(tmp_path, HEAD), name) or ""
        assert name in reason
        assert "111111111111 is checked out" in reason
        assert "allow-untrusted-code: true" in reason

    @pytest.mark.parametrize("sha", [BASE, DEFAULT])
    def test_our_own_commits_may_run(self, tmp_path: Path, name: str, sha: str) -> None:
        assert ask(check_out(tmp_path, sha), name) is None

    def test_what_cannot_be_read_is_refused(self, tmp_path: Path, name: str) -> None:
        assert "cannot be told" in (ask(tmp_path, name) or "")

    def test_without_a_known_pull_request_only_the_default_branch_may_run(self, tmp_path: Path, name: str) -> None:
        assert ask(check_out(tmp_path, BASE), name, pull_request=False) is not None

    def test_our_own_branches_may_run(self, tmp_path: Path, name: str) -> None:
        assert ask(check_out(tmp_path, HEAD), name, from_fork=False) is None

    def test_a_checkout_below_counts(self, tmp_path: Path, name: str) -> None:
        check_out(tmp_path, DEFAULT)
        fork = tmp_path / "fork"
        fork.mkdir()
        assert ask(check_out(fork, HEAD), name) is not None


@pytest.mark.parametrize("name", ["pull_request", "push", "merge_group", "schedule", "workflow_dispatch"])
def test_other_events_have_nothing_to_lose(tmp_path: Path, name: str) -> None:
    assert ask(check_out(tmp_path, HEAD), name) is None


def test_an_unset_sha_is_not_a_match(tmp_path: Path) -> None:
    event = GitHubEvent(name="workflow_run", repository="o/r", sha=None, from_fork=True, run_id=1)
    assert why_untrusted(event, working_directory=tmp_path, environ={}) is not None
