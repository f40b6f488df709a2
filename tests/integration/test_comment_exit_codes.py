"""Whatever GitHub does to the comment, the exit code is the verdict's."""

from pathlib import Path

import pytest

from action_step import run_step, write_mock_project
from agentlab_ci.errors import ExitCode
from fake_github import (
    COMMENT,
    COMMENTS,
    DROP,
    FORBIDDEN,
    HANG,
    NOT_FOUND,
    SECONDARY,
    Answer,
    fake_github,
    refusal,
)


@pytest.mark.parametrize(
    ("fail_samples", "code"), [((), ExitCode.OK), ((1, 2, 3), ExitCode.BELOW_BAR)], ids=["green", "red"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "PATCH"])
@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(FORBIDDEN, id="403 permission"),
        pytest.param(refusal(403, SECONDARY), id="403 secondary"),
        pytest.param(refusal(403, SECONDARY, retry_after="600"), id="403 secondary with Retry-After"),
        pytest.param(NOT_FOUND, id="404"),
        pytest.param(refusal(401, "Bad credentials"), id="401"),
        pytest.param(refusal(422, "Validation Failed"), id="422"),
        pytest.param(refusal(429, "Too many requests", retry_after="600"), id="429"),
        pytest.param(refusal(422, "Body is too long"), id="422 too long"),
        pytest.param(refusal(502, "Bad Gateway", retry_after="600"), id="502"),
        pytest.param(Answer(200, b"{broken"), id="broken JSON"),
        pytest.param(Answer(301, b"", {"Location": "https://elsewhere.test/"}), id="moved"),
    ],
)
def test_the_exit_code_is_the_verdict_s(
    tmp_path: Path, method: str, answer: Answer, fail_samples: tuple[int, ...], code: ExitCode
) -> None:
    folder = write_mock_project(tmp_path / "workspace", fail_samples=fail_samples)
    with fake_github() as github:
        if method == "PATCH":
            run_step(folder, github, run_id=1)
        github.fail(method, answer, path=COMMENT if method == "PATCH" else ".*", times=99)
        step = run_step(folder, github, run_id=2)
        assert github.problems == []
    assert step.code is code
    assert step.outputs["verdict"] == ("passed" if code is ExitCode.OK else "failed")
    assert len(step.commands("warning")) == 1
    assert (folder / "agentlab-report" / "comment.md").is_file()


@pytest.mark.parametrize(
    ("fail_samples", "code"), [((), ExitCode.OK), ((1, 2, 3), ExitCode.BELOW_BAR)], ids=["green", "red"]
)
class TestPassingTrouble:
    """What ends well, or is left behind."""

    @pytest.mark.parametrize("answer", [DROP, refusal(502, "Bad Gateway")], ids=["drop", "502"])
    @pytest.mark.parametrize("applied", [False, True])
    def test_once(
        self, tmp_path: Path, answer: Answer, applied: bool, fail_samples: tuple[int, ...], code: ExitCode
    ) -> None:
        folder = write_mock_project(tmp_path / "workspace", fail_samples=fail_samples)
        with fake_github() as github:
            github.fail("POST", answer, applied=applied)
            step = run_step(folder, github)
        assert step.code is code
        assert len(github.comments) == 1
        assert step.commands("warning") == []

    def test_deleted_in_between(self, tmp_path: Path, fail_samples: tuple[int, ...], code: ExitCode) -> None:
        folder = write_mock_project(tmp_path / "workspace", fail_samples=fail_samples)
        with fake_github() as github:
            run_step(folder, github, run_id=1)
            github.before("PATCH", github.comments.clear)
            step = run_step(folder, github, run_id=2)
        assert step.code is code
        assert len(github.comments) == 1

    @pytest.mark.parametrize("path", [COMMENTS, ".*"])
    def test_silence(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        path: str,
        fail_samples: tuple[int, ...],
        code: ExitCode,
    ) -> None:
        monkeypatch.setattr("agentlab_ci.action.publishing.PUBLISH_SECONDS", 0.3)
        folder = write_mock_project(tmp_path / "workspace", fail_samples=fail_samples)
        with fake_github() as github:
            github.fail("GET", HANG, path=path, times=99)
            step = run_step(folder, github)
        assert step.code is code
        assert "did not answer in time" in step.commands("warning")[0]
