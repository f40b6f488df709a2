import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agentlab_ci.core.results import SourceIdentity
from agentlab_ci.errors import BadInputError
from agentlab_ci.publish.second_stage import MAX_RESULTS_BYTES, Target, choose_target, read_artifact
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
PAYLOAD = {"workflow_run": {"head_sha": HEAD, "head_repository": {"full_name": "fork/r"}, "pull_requests": []}}


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
        cwd=Path("/"),
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


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_bytes(b"{}")
    assert read_artifact(path, shown="results.json") == b"{}"


def test_a_file_of_the_greatest_size_is_read(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.touch()
    os.truncate(path, MAX_RESULTS_BYTES)
    assert len(read_artifact(path, shown="results.json")) == MAX_RESULTS_BYTES


class TestHostileFiles:
    """What an archive may hold in place of a file."""

    def test_a_huge_file(self, tmp_path: Path) -> None:
        path = tmp_path / "results.json"
        path.touch()
        os.truncate(path, MAX_RESULTS_BYTES + 1)
        self.refuses(path, "longer than 32 MiB")

    def test_a_link(self, tmp_path: Path) -> None:
        (tmp_path / "secret").write_text("token", encoding="utf-8")
        (tmp_path / "results.json").symlink_to("secret")
        self.refuses(tmp_path / "results.json", "Too many levels of symbolic links")

    def test_a_pipe_that_nobody_writes_to(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "results.json")
        self.refuses(tmp_path / "results.json", "not a file")

    def test_a_folder(self, tmp_path: Path) -> None:
        self.refuses(tmp_path, "Is a directory|not a file")

    def test_nothing(self, tmp_path: Path) -> None:
        self.refuses(tmp_path / "results.json", "No such file")

    def refuses(self, path: Path, reason: str) -> None:
        with pytest.raises(BadInputError, match=f"cannot read results.json: .*({reason})"):
            read_artifact(path, shown="results.json")
