"""The Action's whole step against a GitHub on loopback: what is published for each way it can end."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from action_step import (
    BASE_SHA,
    HEAD_SHA,
    MERGE_SHA,
    PRIVILEGED,
    TOKEN,
    Step,
    check_out,
    pull_request_payload,
    run_step,
    write_mock_project,
)
from agentlab_ci.errors import ExitCode
from agentlab_ci.interrupts import Interrupts
from command import conversation, write_project
from fake_github import FORBIDDEN, FakeGitHub, StoredPull, fake_github, refusal
from loopback import closed_port, hostile_agent
from runner_commands import find_commands

REPORTS = ("report.md", "junit.xml", "results.json", "comment.md")


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with fake_github() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_mock_project(tmp_path / "workspace", fail_samples=(2,))


def break_config(folder: Path) -> None:
    (folder / "agentlab.config.yaml").write_text("agents:\n  - {name: desk, provider: mokc}\n", encoding="utf-8")


def test_a_tolerated_failure_is_green_and_shown_everywhere(folder: Path, github: FakeGitHub) -> None:
    step = run_step(folder, github)
    assert step.code == 0
    outputs = dict(step.outputs)
    assert outputs.pop("batch-id").startswith("batch_")
    assert outputs == {
        "verdict": "passed",
        "scenarios": "2",
        "scenarios-passed": "2",
        "scenarios-failed": "0",
        "scenarios-unfinished": "0",
        "samples": "6",
        "samples-passed": "4",
        "samples-failed": "2",
        "samples-errored": "0",
        "pass-at-k": "1.00",
        "pass-hat-k": "0.00",
        "failed-scenarios": "[]",
        "report-markdown": "agentlab-report/report.md",
        "report-junit": "agentlab-report/junit.xml",
        "report-json": "agentlab-report/results.json",
        "report-html": "",
        "report-dir": "agentlab-report",
        "comment-url": "https://github.test/o/r/pull/7#issuecomment-1001",
    }
    (body,) = github.bodies()
    assert body.startswith("<!-- agentlab:comment key=ci/scenarios/agentlab run=1 attempt=1 -->")
    for page in (body, step.summary):
        assert "orders.status" in page
        assert "flaky" in page
    assert step.out[-1] == "✓ all 2 scenarios passed"
    assert step.commands("error") == []
    assert not (folder / "artifacts").exists()


def test_below_the_bar_is_red_and_the_comment_is_the_same_one(tmp_path: Path, github: FakeGitHub) -> None:
    run_step(write_mock_project(tmp_path / "workspace"), github, run_id=1)
    step = run_step(write_mock_project(tmp_path / "workspace", fail_samples=(1, 3)), github, run_id=2)
    assert step.code == 1
    assert step.outputs["verdict"] == "failed"
    assert json.loads(step.outputs["failed-scenarios"]) == ["orders.status", "orders.delay"]
    assert len(step.commands("error")) == 2
    (body,) = github.bodies()
    assert "run=2" in body
    assert "below the bar" in body


def test_the_html_report_is_written_when_it_is_asked_for(tmp_path: Path, github: FakeGitHub) -> None:
    write_mock_project(tmp_path / "workspace", fail_samples=(1, 2))
    step = run_step(tmp_path / "workspace", github, inputs={"format": "html,json"})
    assert (step.outputs["report-html"], step.outputs["report-markdown"]) == ("agentlab-report/report.html", "")
    page = (tmp_path / "workspace" / step.outputs["report-html"]).read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert HEAD_SHA[:12] in page


def test_paths_are_relative_to_the_workspace(tmp_path: Path, github: FakeGitHub) -> None:
    write_mock_project(tmp_path / "workspace" / "services" / "desk", fail_samples=(1, 2))
    step = run_step(tmp_path / "workspace", github, inputs={"working-directory": "services/desk/"})
    assert step.code == 1
    assert step.commands("error")[0].startswith("::error file=services/desk/scenarios/all.yaml,line=1,")
    assert step.outputs["report-json"] == "services/desk/agentlab-report/results.json"
    assert (tmp_path / "workspace" / step.outputs["report-json"]).is_file()
    assert f"/blob/{HEAD_SHA}/services/desk/scenarios/all.yaml#L1" in github.bodies()[0]


class TestNothingJudged:
    """Exit codes 2, 70, 130 and 143 after a green run."""

    @pytest.fixture(autouse=True)
    def green(self, folder: Path, github: FakeGitHub) -> None:
        assert run_step(folder, github, run_id=1).code == 0

    def check_comment(self, github: FakeGitHub, *said: str) -> None:
        (body,) = github.bodies()
        assert "run=2" in body
        assert HEAD_SHA[:7] in body
        assert "was not judged" in body
        for text in said:
            assert text in body

    def test_a_broken_config(self, folder: Path, github: FakeGitHub) -> None:
        break_config(folder)
        step = run_step(folder, github, run_id=2)
        assert step.code == 2
        assert step.outputs["verdict"] == ""
        assert step.outputs["scenarios"] == "0"
        assert step.outputs["report-json"] == ""
        (command,) = step.commands("error")
        assert command.startswith("::error file=agentlab.config.yaml,line=2,")
        assert "mokc" in step.summary
        assert "mokc" in "\n".join(step.err)
        self.check_comment(github, "mokc")

    def test_broken_inputs(self, folder: Path, github: FakeGitHub) -> None:
        step = run_step(folder, github, run_id=2, inputs={"samples": "many", "fail-on": "mondays"})
        assert step.code == 2
        assert len(step.commands("error")) == 2
        self.check_comment(github, "input `samples`", "input `fail-on`")

    @pytest.mark.parametrize(
        "given",
        [
            *("..", "/", "missing", "scenarios/all.yaml", "loop", "a\0b", "x" * 10_000),
            "link-out",  # inside by its name only
            "../link-in",  # outside by its name only
        ],
    )
    def test_a_working_directory_that_is_none(self, folder: Path, github: FakeGitHub, given: str) -> None:
        (folder / "link-out").symlink_to(folder.parent)
        (folder / "loop").symlink_to("loop")
        (folder.parent / "link-in").symlink_to(folder)
        step = run_step(folder, github, run_id=2, inputs={"working-directory": given})
        assert step.code == 2
        self.check_comment(github, "input `working-directory`")

    def test_a_bug(self, folder: Path, github: FakeGitHub) -> None:
        def broken_clock() -> Any:
            raise ZeroDivisionError("two lines\n::error::from a traceback")

        step = run_step(folder, github, run_id=2, now=broken_clock)
        assert step.code == 70
        assert "Traceback" in step.log
        assert find_commands("\n".join(step.err)) == []
        self.check_comment(github, "has a bug")

    @pytest.mark.parametrize("code", [ExitCode.SIGINT, ExitCode.SIGTERM])
    def test_a_signal(self, folder: Path, github: FakeGitHub, code: ExitCode) -> None:
        interrupts = Interrupts()
        interrupts.exit_code = code
        step = run_step(folder, github, run_id=2, interrupts=interrupts)
        assert step.code == code
        assert step.outputs["verdict"] == "unfinished"
        assert "orders.status" in step.summary
        self.check_comment(github, "the run was cancelled")

    def test_a_signal_leaves_little_time_for_the_comment(self, folder: Path, github: FakeGitHub) -> None:
        interrupts = Interrupts()
        interrupts.exit_code = ExitCode.SIGTERM
        github.fail("GET", refusal(429, "Too many requests", retry_after="20"))
        step = run_step(folder, github, run_id=2, interrupts=interrupts)
        assert step.code == 143
        assert "GitHub was waited for" in step.commands("warning")[0]
        assert "run=1" in github.bodies()[0]

    @pytest.mark.parametrize("given", ["..", "/", "link-out", "../elsewhere"])
    def test_a_report_folder_outside_the_workspace(self, folder: Path, github: FakeGitHub, given: str) -> None:
        (folder / "link-out").symlink_to(folder.parent)
        step = run_step(folder, github, run_id=2, inputs={"report-dir": given})
        assert step.code == 2
        self.check_comment(github, "input `report-dir`", "outside the workspace")

    def test_no_file_is_written_to_a_report_folder_outside(self, folder: Path, github: FakeGitHub) -> None:
        github.fail("PATCH", FORBIDDEN)
        assert run_step(folder, github, run_id=2, inputs={"report-dir": ".."}).code == 2
        assert not (folder.parent / "comment.md").exists()
        assert (folder / "agentlab-report/comment.md").is_file()

    def test_a_signal_counts_whatever_ended_the_step(self, folder: Path, github: FakeGitHub) -> None:
        interrupts = Interrupts()
        interrupts.exit_code = ExitCode.SIGTERM
        break_config(folder)
        github.fail("GET", refusal(429, "Too many requests", retry_after="20"))
        step = run_step(folder, github, run_id=2, interrupts=interrupts)
        assert step.code == 143
        assert "mokc" in step.summary
        assert "with 3 s left" in step.commands("warning")[0]

    def test_a_server_that_never_answers(self, folder: Path, github: FakeGitHub) -> None:
        with closed_port() as port:
            url = f"http://127.0.0.1:{port}/"
            step = run_step(folder, github, run_id=2, inputs={"wait-for-url": url, "wait-seconds": "0.1"})
        assert step.code == 2
        self.check_comment(github, "did not answer")


@pytest.mark.parametrize(("given", "code"), [("../../out", 0), ("../..", 0), ("../../..", 2)])
def test_the_report_folder_is_relative_to_the_working_directory(
    tmp_path: Path, github: FakeGitHub, given: str, code: int
) -> None:
    write_mock_project(tmp_path / "workspace/services/desk")
    inputs = {"working-directory": "services/desk", "report-dir": given}
    assert run_step(tmp_path / "workspace", github, inputs=inputs).code == code


def test_without_a_verdict_no_new_comment_is_written(folder: Path, github: FakeGitHub) -> None:
    break_config(folder)
    step = run_step(folder, github)
    assert step.code == 2
    assert github.bodies() == []
    assert step.outputs["comment-url"] == ""


def test_on_failure_a_red_comment_turns_green_and_a_green_run_writes_none(
    tmp_path: Path, github: FakeGitHub
) -> None:
    inputs = {"comment": "on-failure"}
    good, bad = (
        write_mock_project(tmp_path / name, fail_samples=f) for name, f in (("good", ()), ("bad", (1, 2)))
    )
    run_step(good, github, inputs=inputs, run_id=1)
    assert github.bodies() == []
    run_step(bad, github, inputs=inputs, run_id=2)
    assert "run=2" in github.bodies()[0]
    run_step(good, github, inputs=inputs, run_id=3)
    assert "run=3" in github.bodies()[0]


def test_never_writes_no_comment_but_lets_none_grow_old(folder: Path, github: FakeGitHub) -> None:
    run_step(folder, github, inputs={"comment": "never"}, run_id=1)
    assert github.bodies() == []
    run_step(folder, github, run_id=2)
    run_step(folder, github, inputs={"comment": "never"}, run_id=3)
    assert "run=3" in github.bodies()[0]


def test_a_refused_comment_changes_nothing_but_a_warning(folder: Path, github: FakeGitHub) -> None:
    github.fail("POST", FORBIDDEN)
    step = run_step(folder, github)
    assert step.code == 0
    (warning,) = step.commands("warning")
    assert "pull-requests: write" in warning
    assert "agentlab-report/comment.md" in warning
    assert (folder / "agentlab-report/comment.md").read_text(encoding="utf-8").startswith("<!-- agentlab:comment")
    assert step.outputs["comment-url"] == ""


def test_an_unsent_comment_is_not_written_through_a_link(folder: Path, github: FakeGitHub) -> None:
    target = folder.parent / "elsewhere"
    target.write_text("untouched", encoding="utf-8")
    (folder / "agentlab-report").mkdir()
    (folder / "agentlab-report/comment.md").symlink_to(target)
    github.fail("POST", FORBIDDEN)
    run_step(folder, github)
    assert target.read_text(encoding="utf-8") == "untouched"
    assert not (folder / "agentlab-report/comment.md").is_symlink()


def test_for_a_fork_no_call_is_tried(folder: Path, github: FakeGitHub) -> None:
    step = run_step(folder, github, payload=pull_request_payload(head_repository="someone/r"))
    assert step.code == 0
    assert github.asked == []
    assert len(step.commands("warning")) == 1
    assert "orders.status" in step.summary


def test_a_push_finds_its_pull_request(folder: Path, github: FakeGitHub) -> None:
    github.pulls.append(StoredPull(number=7, head_sha=MERGE_SHA))
    step = run_step(folder, github, event="push", payload={})
    assert step.outputs["comment-url"].endswith("/pull/7#issuecomment-1001")


def test_a_push_without_one_is_no_trouble(folder: Path, github: FakeGitHub) -> None:
    step = run_step(folder, github, event="push", payload={})
    assert step.code == 0
    assert github.bodies() == []
    assert step.commands("warning") == []


def test_the_pull_request_can_be_named(folder: Path, github: FakeGitHub) -> None:
    run_step(
        folder, github, event="workflow_dispatch", payload={}, inputs={"pr-number": "12", "comment-key": "x y"}
    )
    assert [comment.issue for comment in github.comments] == [12]
    assert github.bodies()[0].startswith("<!-- agentlab:comment key=x%20y run=1")


@pytest.mark.parametrize("event", PRIVILEGED)
class TestUntrustedCode:
    """A fork's code meets the repository's secrets."""

    def test_it_is_refused_before_the_config_is_read(self, folder: Path, github: FakeGitHub, event: str) -> None:
        check_out(folder, HEAD_SHA)
        break_config(folder)
        step = run_step(folder, github, event=event, payload=PRIVILEGED[event])
        assert step.code == 2
        assert "refused to run" in step.log
        assert "mokc" not in step.log + step.summary

    def test_it_runs_when_asked_to(self, folder: Path, github: FakeGitHub, event: str) -> None:
        check_out(folder, HEAD_SHA)
        inputs = {"allow-untrusted-code": "true"}
        assert run_step(folder, github, event=event, payload=PRIVILEGED[event], inputs=inputs).code == 0

    def test_the_repository_s_own_commit_runs(self, folder: Path, github: FakeGitHub, event: str) -> None:
        check_out(folder, MERGE_SHA)
        assert run_step(folder, github, event=event, payload=PRIVILEGED[event]).code == 0

    @pytest.mark.parametrize(
        ("name", "given"),
        [
            ("config", "fork/agentlab.config.yaml"),
            ("config", "link/agentlab.config.yaml"),
            ("config", "link.yaml"),
            ("config", "../outside/agentlab.config.yaml"),
            ("scenarios", "fork/scenarios"),
            ("scenarios", "fork/*/all.yaml"),
            ("scenarios", "f*/scenarios"),
            ("scenarios", "conf/*/../../fork/scenarios"),
            ("working-directory", "fork"),
            ("working-directory", "link"),
        ],
    )
    def test_a_fork_beside_our_own_code(
        self, tmp_path: Path, github: FakeGitHub, event: str, name: str, given: str
    ) -> None:
        folder = write_mock_project(check_out(tmp_path / "workspace", MERGE_SHA))
        write_mock_project(tmp_path / "outside")
        (folder / "conf/deep").mkdir(parents=True)
        fork = write_mock_project(check_out(folder / "fork", HEAD_SHA))
        (folder / "link").symlink_to(fork)
        (folder / "link.yaml").symlink_to("fork/agentlab.config.yaml")
        step = run_step(folder, github, event=event, payload=PRIVILEGED[event], inputs={name: given})
        assert step.code == 2
        assert "refused to run" in step.log

    @pytest.mark.parametrize("payload", [{}, {"issue": 3}, {"workflow_run": None}, {"pull_request": []}])
    @pytest.mark.parametrize("inputs", [{}, {"pr-number": "12"}])
    def test_an_event_that_does_not_say(
        self, folder: Path, github: FakeGitHub, event: str, payload: dict[str, Any], inputs: dict[str, str]
    ) -> None:
        check_out(folder, HEAD_SHA)
        assert run_step(folder, github, event=event, payload=payload, inputs=inputs).code == 2

    @pytest.mark.parametrize("missing", ["GITHUB_RUN_ID", "GITHUB_REPOSITORY", "GITHUB_EVENT_PATH"])
    def test_a_runner_that_does_not_say(self, folder: Path, github: FakeGitHub, event: str, missing: str) -> None:
        check_out(folder, HEAD_SHA)
        step = run_step(folder, github, event=event, payload=PRIVILEGED[event], environ={missing: ""})
        assert step.code == 2
        assert "refused to run" in step.log


def test_a_pull_request_s_own_base_is_trusted(folder: Path, github: FakeGitHub) -> None:
    check_out(folder, BASE_SHA)
    for given in ({}, {"pr-number": "7"}):
        step = run_step(
            folder,
            github,
            event="pull_request_target",
            payload=PRIVILEGED["pull_request_target"],
            inputs=given,
        )
        assert step.code == 0


def test_the_base_of_one_pull_request_is_not_that_of_another(folder: Path, github: FakeGitHub) -> None:
    check_out(folder, BASE_SHA)
    payload = PRIVILEGED["pull_request_target"]
    step = run_step(folder, github, event="pull_request_target", payload=payload, inputs={"pr-number": "12"})
    assert step.code == 2


def test_a_pull_request_that_is_named_may_be_anybody_s(folder: Path, github: FakeGitHub) -> None:
    check_out(folder, HEAD_SHA)
    for event, payload in (("issue_comment", {"issue": {"number": 3}}), ("pull_request_target", None)):
        run = partial(run_step, folder, github, event=event, payload=payload)
        assert run().code == 0
        assert run(inputs={"pr-number": "12"}).code == 2


def test_off_github_it_is_a_plain_run(folder: Path) -> None:
    step = run_step(folder)
    assert step.code == 0
    assert not [line for line in step.out if line.startswith("::")]


def test_the_step_summary_can_be_left_out(folder: Path, github: FakeGitHub) -> None:
    assert run_step(folder, github, inputs={"step-summary": "false"}).summary == ""


def test_annotations_can_be_left_out(tmp_path: Path, github: FakeGitHub) -> None:
    folder = write_mock_project(tmp_path / "workspace", fail_samples=(1, 2))
    step = run_step(folder, github, inputs={"annotations": "false"}, run_id=1)
    assert (step.code, step.commands("error")) == (1, [])
    break_config(folder)
    step = run_step(folder, github, inputs={"annotations": "false"}, run_id=2)
    assert (step.code, step.commands("error")) == (2, [])


def test_the_results_say_which_commit_they_are_of(folder: Path, github: FakeGitHub) -> None:
    run_step(folder, github)
    source = json.loads((folder / "agentlab-report/results.json").read_text(encoding="utf-8"))["source"]
    assert (source["commit"], source["pull_request"]) == (HEAD_SHA, 7)


@pytest.mark.parametrize(("inside", "advised"), [("1", True), ("", False)])
def test_localhost_inside_the_container_gets_advice(
    tmp_path: Path, github: FakeGitHub, inside: str, advised: bool
) -> None:
    with closed_port() as port:
        agent = {"name": "mine", "provider": "http", "url": f"http://localhost:{port}/chat"}
        config = {"agents": [agent], "sampling": {"error_retries": 0}}
        write_project(tmp_path / "workspace", config, [conversation("orders.status")])
        step = run_step(tmp_path / "workspace", github, environ={"AGENTLAB_CONTAINER": inside})
    assert step.code == 1
    warned = [line for line in step.commands("warning") if "localhost-gateway: true" in line]
    assert len(warned) == advised


def test_the_run_begins_when_the_server_answers(tmp_path: Path, github: FakeGitHub) -> None:
    with hostile_agent() as server:
        agent = {"name": "mine", "provider": "http", "url": server.url("/ok")}
        write_project(tmp_path / "workspace", {"agents": [agent]}, [conversation("orders.status")])
        step = run_step(tmp_path / "workspace", github, inputs={"wait-for-url": server.url("/503-once")})
        assert step.code == 0
        assert [request.path for request in server.received] == ["/503-once", "/503-once", "/ok"]


def test_an_unreadable_event_is_said_and_nothing_more(folder: Path, github: FakeGitHub) -> None:
    step = run_step(folder, github, environ={"GITHUB_EVENT_PATH": str(folder / "nowhere.json")})
    assert step.code == 0
    assert "cannot read the event" in step.commands("warning")[0]


def test_the_token_is_written_nowhere(tmp_path: Path, github: FakeGitHub) -> None:
    folder = tmp_path / "workspace"
    agent = {"name": "desk", "provider": "mock", "replies": [{"reply": f"I have seen {TOKEN}."}]}
    write_project(folder, {"agents": [agent]}, [conversation("orders.status")])
    step = run_step(folder, github)
    assert "I have seen ***." in step.summary
    assert "I have seen ***." in github.bodies()[0]
    assert github.tokens == {f"token {TOKEN}"}
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "agentlab.config.yaml"]
    assert not [path for path in files if TOKEN.encode() in path.read_bytes()]
    assert TOKEN not in step.log + "".join(github.bodies())


SECRET = "canary-password"


def masked_step(folder: Path, github: FakeGitHub, **more: Any) -> Step:
    """Run a step after which neither the token nor the secret stands anywhere."""
    run_step(folder, github, run_id=1)
    more.get("before", lambda: None)()
    step = run_step(folder, github, run_id=2, **{name: value for name, value in more.items() if name != "before"})
    shown = "\n".join((step.log, step.summary, *github.bodies(), *step.outputs.values()))
    assert "***" in shown
    assert SECRET not in shown
    assert TOKEN not in shown
    return step


@pytest.mark.parametrize(
    "inputs",
    [
        {"suite": f"http://user:{SECRET}@127.0.0.1/"},
        {"config": f"http://user:{SECRET}@127.0.0.1/"},
        *({name: TOKEN} for name in ("samples", "config", "ids", "suite", "agent", "working-directory")),
    ],
)
def test_problems_hold_no_secret(folder: Path, github: FakeGitHub, inputs: dict[str, str]) -> None:
    assert masked_step(folder, github, inputs=inputs).code == 2


@pytest.mark.parametrize("key", [f"http://user:{SECRET}@host", TOKEN])
def test_problems_of_files_hold_no_secret(folder: Path, github: FakeGitHub, key: str) -> None:
    def spoil() -> None:
        config = {"agents": [{"name": "desk", "provider": key}], key: 1}
        (folder / "agentlab.config.yaml").write_text(json.dumps(config), encoding="utf-8")

    assert masked_step(folder, github, before=spoil).code == 2


def test_a_traceback_holds_no_secret(folder: Path, github: FakeGitHub) -> None:
    def broken_clock() -> Any:
        raise ZeroDivisionError(f"{TOKEN} http://user:{SECRET}@host/")

    assert masked_step(folder, github, now=broken_clock).code == 70


def test_what_github_says_holds_no_secret(folder: Path, github: FakeGitHub) -> None:
    for said in (f"bad token {TOKEN}", "x" * 290 + f" {TOKEN}"):
        github.fail("PATCH", refusal(400, said))
        step = masked_step(folder, github) if TOKEN in said[:40] else run_step(folder, github, run_id=3)
        assert TOKEN[:8] not in step.log


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize(
    ("variable", "database"),
    [({}, "conf/artifacts/agentlab.db"), ({"AGENTLAB_DB": "kept/history.db"}, "kept/history.db")],
)
def test_what_was_created_belongs_to_the_workspace_s_owner(
    tmp_path: Path, github: FakeGitHub, variable: dict[str, str], database: str
) -> None:
    folder = tmp_path / "workspace"
    write_mock_project(folder / "conf")
    for path in (folder, *folder.rglob("*")):
        os.chown(path, 1001, 1001)
    github.fail("POST", FORBIDDEN)
    inputs = {"report-dir": "out/reports", "config": "conf/agentlab.config.yaml", "scenarios": "conf/scenarios"}
    run_step(folder, github, inputs=inputs, environ={"RUNNER_TEMP": "", **variable})
    assert (folder / database).is_file()
    created = {str(path.relative_to(folder)) for path in (folder / "out").rglob("*")}
    assert created == {"out/reports", *(f"out/reports/{name}" for name in REPORTS)}
    assert {(path.stat().st_uid, path.stat().st_gid) for path in folder.rglob("*")} == {(1001, 1001)}


def test_what_an_agent_says_is_no_command(tmp_path: Path, github: FakeGitHub) -> None:
    said = (
        "::error::x\n\t::add-mask::shipped ##[group]y @octocat #1 <!-- agentlab:comment key=k run=9 attempt=9 -->"
    )
    agent = {"name": "desk", "provider": "mock", "replies": [{"reply": said}]}
    scenario = conversation("orders.status", keyword="nothing of this")
    write_project(tmp_path / "workspace", {"agents": [agent]}, [scenario])
    step = run_step(tmp_path / "workspace", github)
    assert step.code == 1
    assert set(find_commands(step.log)) == {"group", "endgroup", "error"}
    assert len(step.commands("error")) == 1
    (body,) = github.bodies()
    assert re.findall(r"<!-- agentlab:comment[^>]*>", body) == re.findall(r"\A<!-- agentlab:comment[^>]*>", body)


def test_a_comment_that_grows_old_is_no_secret(folder: Path, github: FakeGitHub) -> None:
    run_step(folder, github, run_id=1)
    break_config(folder)
    for comment, warned in (("auto", 1), ("on-failure", 1), ("never", 0)):
        github.fail("PATCH", FORBIDDEN)
        step = run_step(folder, github, run_id=2, inputs={"comment": comment})
        assert step.code == 2
        assert len([line for line in step.commands("warning") if "pull-requests: write" in line]) == warned


def test_a_comment_that_cannot_be_kept_either(folder: Path, github: FakeGitHub) -> None:
    (folder / "agentlab-report/comment.md").mkdir(parents=True)
    github.fail("POST", FORBIDDEN)
    step = run_step(folder, github)
    assert step.code == 0
    assert "pull-requests: write" in step.commands("warning")[0]
    assert "could not be kept" in step.commands("warning")[0]
    assert "Traceback" not in step.log


@pytest.mark.parametrize(
    "environ",
    [
        {"GITHUB_OUTPUT": "/nowhere/output"},
        {"GITHUB_API_URL": "ftp://github.test"},
        {"GITHUB_API_URL": "http://"},
        {"GITHUB_API_URL": "http://u:canary@ho st/"},
    ],
)
def test_a_runner_that_is_set_up_wrongly(folder: Path, github: FakeGitHub, environ: dict[str, str]) -> None:
    step = run_step(folder, github, environ=environ)
    assert step.code == 0
    assert len(step.commands("warning")) == (2 if "GITHUB_OUTPUT" in environ else 1)
    assert "Traceback" not in step.log
    assert "canary@" not in step.log


def test_a_bug_while_publishing_leaves_the_verdict_and_the_rest(folder: Path, github: FakeGitHub) -> None:
    step = run_step(folder, github, environ={"GITHUB_STEP_SUMMARY": "a\0b"})  # no path at all
    assert step.code == 0
    assert "Traceback" in step.log
    assert "not everything was published" in step.commands("warning")[0]
    assert step.outputs["verdict"] == "passed"
    assert len(github.bodies()) == 1


@pytest.mark.parametrize(
    ("environ", "inputs"),
    [({"GITHUB_WORKSPACE": "/nowhere"}, {}), ({}, {"report-dir": "x" * 10_000}), ({}, {"report-dir": "a\0b"})],
)
def test_folders_that_cannot_be(
    folder: Path, github: FakeGitHub, environ: dict[str, str], inputs: dict[str, str]
) -> None:
    step = run_step(folder, github, environ=environ, inputs=inputs)
    assert step.code == 2
    assert "Traceback" not in step.log


NO_NAME = "0.0.0.0"  # noqa: S104 - it is asked, and nothing listens there
"""A host that leads to this machine, and is none of its names."""


@pytest.mark.parametrize(
    ("host", "inside", "gateway", "said"),
    [
        ("localhost", "1", "false", "localhost-gateway: true"),
        ("localhost", "1", "true", "`localhost` was looked for at 127.0.0.2: the server must listen on 0.0.0.0"),
        ("localhost", "", "false", None),
        (NO_NAME, "1", "false", None),
        (NO_NAME, "1", "true", None),
    ],
)
def test_a_server_on_localhost_that_never_answers_gets_advice(
    folder: Path, host: str, inside: str, gateway: str, said: str | None
) -> None:
    with closed_port() as port:
        inputs = {
            "wait-for-url": f"http://{host}:{port}/",
            "wait-seconds": "0.1",
            "localhost-gateway": gateway,
        }
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("agentlab_ci.action.entrypoint.find_gateway", lambda: "127.0.0.2")
            step = run_step(folder, inputs=inputs, environ={"AGENTLAB_CONTAINER": inside})
    assert step.code == 2
    asked = "127.0.0.2" if gateway == "true" and host == "localhost" else host
    assert f"http://{asked}:{port}/ did not answer" in step.log
    assert (said in step.log) if said else ("must listen" not in step.log and "let it listen" not in step.log)


def test_pages_of_two_jobs_say_which_is_which(folder: Path, github: FakeGitHub) -> None:
    steps = [
        run_step(folder, github, run_id=run, inputs={"comment-key": key})
        for run, key in ((1, "fast"), (2, "slow"))
    ]
    headings = [body.splitlines()[1:4] for body in github.bodies()]
    assert ["`fast`" in " ".join(lines) for lines in headings] == [True, False]
    assert ["`slow`" in " ".join(lines) for lines in headings] == [False, True]
    assert ["`fast`" in step.summary for step in steps] == [True, False]
    run_step(folder, github, run_id=3, environ={"GITHUB_JOB": "nightly"})
    assert "`nightly`" in github.bodies()[-1]
