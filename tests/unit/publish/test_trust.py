from pathlib import Path

import pytest

from agentlab_ci.core.github import GitHubEvent, PullRequest
from agentlab_ci.publish.trust import why_untrusted

HEAD, BASE, DEFAULT = "1" * 40, "2" * 40, "4" * 40


def ask(
    folder: Path,
    name: str,
    *,
    from_fork: bool = True,
    pull_request: bool = True,
    known: bool = True,
    sources: tuple[str, ...] = (".",),
) -> str | None:
    event = GitHubEvent(
        name=name,
        repository="o/r",
        sha=HEAD,
        pull_request=PullRequest(number=7, base_sha=BASE) if pull_request else None,
        from_fork=from_fork,
        run_id=1,
    )
    return why_untrusted(
        event if known else None,
        working_directory=folder,
        sources=[folder / source for source in sources],
        workspace=folder,
        environ={"GITHUB_SHA": DEFAULT, "GITHUB_EVENT_NAME": name},
    )


def check_out(folder: Path, sha: str) -> Path:
    (folder / ".git").mkdir(parents=True)
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

    def test_an_event_that_nobody_could_read_counts_as_a_strangers(self, tmp_path: Path, name: str) -> None:
        assert ask(check_out(tmp_path, HEAD), name, known=False) is not None
        assert ask(check_out(tmp_path / "own", DEFAULT), name, known=False) is None


class TestWhatIsRead:
    """A stranger's files within, beside or behind our own."""

    def ask(self, folder: Path, *sources: str) -> str | None:
        return ask(folder, "pull_request_target", sources=sources or (".",))

    @pytest.fixture
    def own(self, tmp_path: Path) -> Path:
        own = check_out(tmp_path / "workspace", DEFAULT)
        (own / "scenarios").mkdir()
        (own / "scenarios" / "a.yaml").write_text("")
        return own

    @pytest.fixture
    def fork(self, own: Path) -> Path:
        """Check out a fork beside what is ours, where no source is looked for."""
        return check_out(own / "other" / "fork", HEAD)

    def test_our_own_files_may_be_read(self, own: Path) -> None:
        (own / "scenarios" / "link.yaml").symlink_to("a.yaml")
        (own / "scenarios" / "round").symlink_to(".")
        assert self.ask(own, ".", "scenarios", "missing.yaml") is None

    def test_a_checkout_below(self, own: Path, fork: Path) -> None:
        assert "111111111111 is checked out at other/fork" in (self.ask(own) or "")

    def test_a_checkout_that_is_not_read_from(self, own: Path, fork: Path) -> None:
        assert self.ask(own, "scenarios") is None

    @pytest.mark.parametrize("source", ["other/fork", "other/fork/agentlab.config.yaml", "other/fork/a/b.yaml"])
    def test_a_source_in_another_checkout(self, own: Path, fork: Path, source: str) -> None:
        assert self.ask(own, source) is not None

    @pytest.mark.parametrize("kind", ["dangling", "file", "empty", "loop"])
    def test_a_checkout_without_a_readable_head(self, own: Path, kind: str) -> None:
        (own / "scenarios" / "deep").mkdir()
        dot_git = own / "scenarios" / "deep" / ".git"
        if kind == "file":
            dot_git.write_text("gitdir: nowhere")
        elif kind == "empty":
            dot_git.mkdir()
        else:
            dot_git.symlink_to("nowhere" if kind == "dangling" else ".git")
        assert "cannot be told at scenarios/deep" in (self.ask(own, "scenarios") or "")
        assert ask(dot_git.parent, "workflow_run") is not None

    def test_a_link_into_another_checkout(self, own: Path, fork: Path) -> None:
        (own / "scenarios" / "theirs").symlink_to(fork)
        assert "other/fork" in (self.ask(own, "scenarios") or "")

    def test_a_link_to_a_folder_that_holds_another_checkout(self, own: Path, fork: Path) -> None:
        (own / "scenarios" / "theirs").symlink_to(fork.parent)
        assert "other/fork" in (self.ask(own, "scenarios") or "")

    def test_a_source_through_a_link(self, own: Path, fork: Path) -> None:
        (own / "link").symlink_to(fork)
        assert "other/fork" in (self.ask(own, "link/agentlab.config.yaml") or "")

    @pytest.mark.parametrize("target", ["../../outside", "/etc/hostname", "../../nowhere"])
    def test_a_link_out_of_the_workspace(self, own: Path, target: str) -> None:
        (own.parent / "outside").mkdir()
        (own / "scenarios" / "out").symlink_to(target)
        assert "outside the workspace" in (self.ask(own, "scenarios") or "")

    @pytest.mark.parametrize("source", ["..", "../outside", "/"])
    def test_a_source_outside_the_workspace(self, own: Path, source: str) -> None:
        check_out(own.parent, DEFAULT)
        assert "outside the workspace" in (self.ask(own, source) or "")

    def test_a_path_that_cannot_be(self, own: Path) -> None:
        assert self.ask(own, "a\0b") is not None

    def test_a_tree_too_large_to_look_through(self, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("agentlab_ci.publish.checkout.MOST_ENTRIES", 3)
        assert self.ask(own) is None
        (own / "one.more").write_text("")
        assert "more than 3 files" in (self.ask(own) or "")


@pytest.mark.parametrize("name", ["pull_request", "push", "merge_group", "schedule", "workflow_dispatch"])
def test_other_events_have_nothing_to_lose(tmp_path: Path, name: str) -> None:
    assert ask(check_out(tmp_path, HEAD), name) is None


def test_an_unset_sha_is_not_a_match(tmp_path: Path) -> None:
    check_out(tmp_path, HEAD)
    reason = why_untrusted(
        None,
        working_directory=tmp_path,
        sources=(),
        workspace=tmp_path,
        environ={"GITHUB_EVENT_NAME": "workflow_run"},
    )
    assert reason is not None
