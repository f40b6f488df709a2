"""The Action's step with `from-livekit`: what LiveKit has run is published and gated as a run of our own."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from junitparser import JUnitXml

from action_step import BASE_SHA, HEAD_SHA, MERGE_SHA, PRIVILEGED, TOKEN, Step, check_out, run_step
from agentlab_ci.baselines import write_baseline
from agentlab_ci.errors import ExitCode
from agentlab_ci.interrupts import Interrupts
from agentlab_ci.loading.livekit_run import MAX_BYTES
from agentlab_ci.results_file import read_results_file
from command import conversation, write_project
from fake_github import FORBIDDEN, FakeGitHub, fake_github
from github_markdown import to_html
from hostile import HOSTILE_TEXTS
from livekit_export import EXPORT, make_export, make_job, make_scenario, write_export
from runner_commands import find_commands

CANARY = "canary-of-another-file"


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with fake_github() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a workspace without a config, scenarios or a checkout."""
    return write_export(tmp_path / "workspace", "orders.status=pfp", "orders.delay=ppp")


def report_step(folder: Path, github: FakeGitHub | None, given: str = EXPORT, **more: Any) -> Step:
    inputs = {"from-livekit": given, **more.pop("inputs", {})}
    return run_step(folder, github, inputs=inputs, **more)


def test_a_tolerated_failure_is_green_and_shown_everywhere(folder: Path, github: FakeGitHub) -> None:
    step = report_step(folder, github)
    assert step.code == 0, step.log
    assert step.outputs == {
        "verdict": "passed",
        "scenarios": "2",
        "scenarios-passed": "2",
        "scenarios-failed": "0",
        "scenarios-unfinished": "0",
        "samples": "6",
        "samples-passed": "5",
        "samples-failed": "1",
        "samples-errored": "0",
        "pass-at-k": "1.00",
        "pass-hat-k": "0.50",
        "failed-scenarios": "[]",
        "batch-id": "SR_desk",
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
        assert "It did not say so." in page
    assert step.out[-1] == "✓ all 2 scenarios passed"
    assert set(find_commands(step.log)) == {"group", "endgroup"}
    assert sorted(path.name for path in folder.iterdir()) == ["agentlab-report", EXPORT]


def test_below_the_bar_is_red_and_annotated_without_a_place(tmp_path: Path, github: FakeGitHub) -> None:
    report_step(write_export(tmp_path / "workspace", "orders.status=ppp"), github, run_id=1)
    folder = write_export(tmp_path / "workspace", "orders.status=pff", "orders.delay=ppp")
    step = report_step(folder, github, run_id=2)
    assert step.code == 1
    assert json.loads(step.outputs["failed-scenarios"]) == ["orders.status"]
    (command,) = step.commands("error")
    assert command.startswith("::error title=Label of orders.status (orders.status) ")
    assert "It did not say so." in command
    (body,) = github.bodies()
    assert "run=2" in body
    assert "below the bar" in body
    assert "/blob/" not in body, "there is no file that a link could lead to"


def test_the_results_say_which_commit_they_are_of(folder: Path, github: FakeGitHub) -> None:
    step = report_step(folder, github)
    source = json.loads((folder / step.outputs["report-json"]).read_text(encoding="utf-8"))["source"]
    assert (source["commit"], source["pull_request"]) == (HEAD_SHA, 7)
    assert source["run_url"].endswith("/o/r/actions/runs/1/attempts/1")


def test_paths_are_relative_to_the_working_directory(tmp_path: Path, github: FakeGitHub) -> None:
    folder = write_export(tmp_path / "workspace", "orders.status=p", file="voice/out/run.json")
    (folder / "run.json").write_text("another", encoding="utf-8")
    step = report_step(folder, github, "out/run.json", inputs={"working-directory": "voice"})
    assert step.code == 0, step.log
    assert (folder / step.outputs["report-json"]) == folder / "voice/agentlab-report/results.json"
    step = report_step(folder, github, "../run.json", inputs={"working-directory": "voice"}, run_id=2)
    assert step.code == 2
    assert "../run.json" in step.log


@pytest.mark.parametrize(
    ("scenarios", "run", "inputs", "code"),
    [
        (["a.x=pff"], {}, {"fail-on": "never"}, 0),
        (["a.x=pff"], {}, {"pass-rate": "0.3"}, 0),
        (["a.x=ppf"], {}, {"pass-rate": "1"}, 1),
        (["a.x=p"], {"sampling": None}, {}, 0),
        (["a.x=p"], {"sampling": None}, {"pass-rate": "1"}, 2),  # it would do nothing
        (["a.x=p"], {}, {"fail-on": "regression"}, 2),  # since when?
        (["a.x=ppp", "a.y=cpr"], {}, {}, 0),  # some are judged
        (["a.x=ppp", "a.y=cpr"], {}, {"require-finished": "true"}, 3),
        (["a.x=ppp", "a.y=cpr"], {"status": "STATUS_FAILED", "error": "out of credit"}, {}, 3),
        (["a.x=fff", "a.y=cpr"], {"status": "STATUS_FAILED"}, {}, 1),
        (["a.x=c"], {}, {}, 3),
        ([], {"status": "STATUS_FAILED", "error": "no agent registered"}, {}, 3),
    ],
)
def test_exit_codes_are_those_of_a_run(
    tmp_path: Path,
    github: FakeGitHub,
    *,
    scenarios: list[str],
    run: dict[str, Any],
    inputs: dict[str, str],
    code: int,
) -> None:
    step = report_step(write_export(tmp_path / "workspace", *scenarios, **run), github, inputs=inputs)
    assert step.code == code, step.log
    assert (step.outputs["verdict"] == "") == (code == 2)
    if code == 3 and "error" in run:
        assert run["error"] in step.log
        assert not re.search("all .* passed", step.log + step.summary)


def test_a_baseline_tells_what_regressed(tmp_path: Path, github: FakeGitHub) -> None:
    folder = write_export(tmp_path / "workspace", "a.x=ppp", "a.y=fff")
    assert report_step(folder, github).code == 1
    write_baseline(read_results_file(folder, "agentlab-report/results.json"), folder, "ci/baseline.json")
    gate = {"baseline": "ci/baseline.json", "fail-on": "regression"}
    step = report_step(folder, github, inputs=gate, run_id=2)
    assert step.code == 0, step.log
    assert "still failing" in step.summary
    write_export(folder, "a.x=fff", "a.y=ppp")
    step = report_step(folder, github, inputs=gate, run_id=3)
    assert step.code == 1
    assert "regressed" in github.bodies()[0]


def test_inputs_of_reports_and_comments_count(folder: Path, github: FakeGitHub) -> None:
    inputs = {
        "format": "junit",
        "junit-style": "scenarios",
        "report-dir": "out",
        "step-summary": "false",
        "comment-key": "voice",
        "pr-number": "12",
    }
    step = report_step(folder, github, inputs=inputs)
    assert step.code == 0, step.log
    assert [path.name for path in (folder / "out").iterdir()] == ["junit.xml"]
    assert sum(suite.tests for suite in JUnitXml.fromfile(str(folder / "out/junit.xml"))) == 2
    assert (step.summary, step.outputs["report-json"]) == ("", "")
    assert [comment.issue for comment in github.comments] == [12]
    assert "`voice`" in github.bodies()[0]


def test_annotations_can_be_left_out(tmp_path: Path, github: FakeGitHub) -> None:
    folder = write_export(tmp_path / "workspace", "orders.status=fff")
    step = report_step(folder, github, inputs={"annotations": "false"})
    assert (step.code, step.commands("error")) == (1, [])


@pytest.mark.parametrize(("mode", "kept"), [("never", 0), ("on-failure", 0), ("auto", 1)])
def test_the_comment_input_counts(folder: Path, github: FakeGitHub, mode: str, kept: int) -> None:
    assert report_step(folder, github, inputs={"comment": mode}).code == 0
    assert len(github.bodies()) == kept


def test_a_refused_comment_is_kept(folder: Path, github: FakeGitHub) -> None:
    github.fail("POST", FORBIDDEN)
    step = report_step(folder, github)
    assert step.code == 0
    assert "pull-requests: write" in step.commands("warning")[0]
    assert (folder / "agentlab-report/comment.md").is_file()


def test_a_signal_sets_the_exit_code(folder: Path, github: FakeGitHub) -> None:
    interrupts = Interrupts()
    interrupts.exit_code = ExitCode.SIGTERM
    assert report_step(folder, github, interrupts=interrupts).code == 143


def test_off_github_it_is_a_plain_report(folder: Path) -> None:
    step = report_step(folder, None)
    assert step.code == 0
    assert not [line for line in step.out if line.startswith("::")]


def test_no_config_is_read_and_nothing_is_run(tmp_path: Path, github: FakeGitHub) -> None:
    folder = write_project(tmp_path / "workspace", {"agents": 7}, [conversation("mine.only")])
    step = report_step(write_export(folder, "orders.status=p"), github)
    assert step.code == 0, step.log
    assert "mine.only" not in step.log + step.summary


class TestNothingJudged:
    """Exit code 2 after a green run."""

    @pytest.fixture(autouse=True)
    def green(self, folder: Path, github: FakeGitHub) -> None:
        assert report_step(folder, github, run_id=1).code == 0

    def refuse(self, folder: Path, github: FakeGitHub, *said: str, given: str = EXPORT, **inputs: str) -> Step:
        """Run a step that says these texts everywhere, and nothing that is not its own."""
        step = report_step(folder, github, given, inputs=inputs, run_id=2)
        assert step.code == 2, step.log
        assert (step.outputs["verdict"], step.outputs["report-json"]) == ("", "")
        (body,) = github.bodies()
        assert "run=2" in body
        assert "was not judged" in body
        for text in said:
            assert text in step.log
            assert text in step.summary
        assert CANARY not in step.log + step.summary + body
        assert "Traceback" not in step.log
        return step

    def test_inputs_of_a_run(self, folder: Path, github: FakeGitHub) -> None:
        given = {"samples": "3", "agent": "desk", "ids": "a.*", "wait-for-url": "http://127.0.0.1:9/"}
        said = [f"input `{name}` does nothing with `from-livekit`" for name in given]
        step = self.refuse(folder, github, *said, **given)
        assert len(step.commands("error")) == 4

    @pytest.mark.parametrize(
        "given",
        [
            "..",
            "../outside.json",
            "/etc/hostname",
            "link-out.json",
            "link-out/outside.json",
            "../link-in/run.json",
        ],
    )
    def test_a_file_outside_the_workspace(self, folder: Path, github: FakeGitHub, given: str) -> None:
        write_export(folder.parent, f"{CANARY}=p", file="outside.json")
        (folder / "link-out.json").symlink_to("../outside.json")
        (folder / "link-out").symlink_to("..")
        (folder.parent / "link-in").symlink_to(folder)
        self.refuse(folder, github, "input `from-livekit`", "outside the workspace", given=given)

    @pytest.mark.parametrize("given", ["missing.json", "folder", ".", "pipe", "a\0b", "x" * 10_000, "loop"])
    def test_what_is_no_file(self, folder: Path, github: FakeGitHub, given: str) -> None:
        (folder / "folder").mkdir()
        (folder / "loop").symlink_to("loop")
        os.mkfifo(folder / "pipe")
        self.refuse(folder, github, given=given)

    @pytest.mark.parametrize(
        "content",
        [
            "",
            CANARY,
            f"[core]\n\textraheader = AUTHORIZATION: basic {CANARY}\n",  # what a link may lead to
            "[" * 100_000,
            "{}",
            "[]",
            '{"version": 2, "run": {}}',
            '{"version": 1, "run": {"jobs": 7, "##[error]x": "\\n::error::x"}}',
            '{"version": 1, "run": {"jobs": [{"status": ["##[error]x"], "sample": "\\n::error::x"}]}}',
        ],
    )
    def test_what_is_no_export(self, folder: Path, github: FakeGitHub, content: str) -> None:
        (folder / EXPORT).write_text(content, encoding="utf-8")
        step = self.refuse(folder, github, EXPORT)
        assert set(find_commands(step.log)) == {"error"}

    def test_results_of_our_own(self, folder: Path, github: FakeGitHub) -> None:
        self.refuse(folder, github, "results.json", given="agentlab-report/results.json")

    def test_a_file_that_is_too_long(self, folder: Path, github: FakeGitHub) -> None:
        with (folder / EXPORT).open("r+b") as file:
            file.truncate(MAX_BYTES + 1)  # it holds zeros, and takes no room
        self.refuse(folder, github, "input `from-livekit`", f"longer than {MAX_BYTES >> 20} MiB")


NAMED_AT_ONCE = 12


@pytest.mark.parametrize("first", range(0, len(HOSTILE_TEXTS), NAMED_AT_ONCE))
def test_what_the_export_says_is_text_in_every_sink(tmp_path: Path, github: FakeGitHub, first: int) -> None:
    """Whoever wrote it can say anything, and do nothing."""
    plain = show(tmp_path / "plain", github, ["plain words"], run_id=1)
    # A lone surrogate is no JSON.
    texts = [text.encode("utf-8", "replace").decode() for text in HOSTILE_TEXTS[first : first + NAMED_AT_ONCE]]
    hostile = show(tmp_path / "hostile", github, texts, run_id=2)
    assert hostile.code == plain.code == 1
    assert set(find_commands(hostile.log)) == {"group", "endgroup", "error", "warning"}
    assert (len(hostile.commands("error")), len(hostile.commands("warning"))) == (min(len(texts), 9), 1)
    assert hostile.outputs.keys() == plain.outputs.keys()
    assert len(json.loads(hostile.outputs["failed-scenarios"])) == len(texts)
    (body,) = github.bodies()
    assert re.findall(r"<!-- agentlab:comment[^>]*>", body) == re.findall(r"\A<!-- agentlab:comment[^>]*>", body)
    for page in (body, hostile.summary, read(tmp_path / "hostile", "report.md")):
        assert shapes(page) <= shapes(read(tmp_path / "plain", "report.md")) | shapes(plain.summary)
        links = re.findall(r'(?:href|src)="([^"]*)"', to_html(page))
        assert not [link for link in links if not link.startswith("https://github.com/o/r/")]
    assert JUnitXml.fromfile(str(tmp_path / "hostile/agentlab-report/junit.xml")).failures == 2 * len(texts)
    assert len(json.loads(read(tmp_path / "hostile", "results.json"))["scenarios"]) == len(texts)


def show(folder: Path, github: FakeGitHub, texts: list[str], *, run_id: int) -> Step:
    """Publish an export of one scenario for each text, which stands wherever a text can stand."""
    export = make_export(sampling={"samples": 3, "pass_rate": 0.75})
    for number, text in enumerate(texts):
        words = {"label": text, "instructions": text, "agent_expectations": text, "tags": {text: text}}
        scenario_id = f"{number}{text[:100]}"
        export["run"]["scenario_group"]["scenarios"].append(make_scenario(scenario_id, **words))
        for sample, letter in enumerate("pff", start=1):
            job = make_job(
                scenario_id, sample, letter, **words, id=f"{number}-{sample}{text}", error=text, room_name=text
            )
            export["run"]["jobs"].append(job)
            call = {"name": text, "call_id": text, "arguments": json.dumps({text: text})}
            export["summary"]["chat_history"][job["id"]] = {
                "items": [
                    {"message": {"role": "USER", "content": [{"text": text}]}},
                    {"function_call": call},
                    {"function_call_output": {"name": text, "call_id": text, "output": text, "is_error": True}},
                    {"agent_handoff": {"old_agent_id": text, "new_agent_id": text}},
                    {"message": {"role": "ASSISTANT", "content": [{"text": text}]}},
                    {"message": {"role": text, "content": [{"text": text}]}},
                ]
            }
    export["run"]["scenario_group"]["name"] = texts[0]
    export["run"] |= {"id": texts[0], "error": texts[0], "agent_name": texts[0], "status": "STATUS_FAILED"}
    folder.mkdir()
    (folder / EXPORT).write_text(json.dumps(export), encoding="utf-8")
    return report_step(folder, github, run_id=run_id)


def shapes(page: str) -> set[str]:
    """Name the elements that GitHub makes of a page."""
    return set(re.findall(r"<(\w+)", to_html(page)))


def read(folder: Path, report: str) -> str:
    return (folder / "agentlab-report" / report).read_text(encoding="utf-8")


def test_the_token_is_written_nowhere(tmp_path: Path, github: FakeGitHub) -> None:
    folder = write_export(tmp_path / "workspace", "orders.status=fff", chat=f"I have seen {TOKEN}.", error=TOKEN)
    step = report_step(folder, github)
    assert "I have seen ***." in step.summary
    files = [path for path in (folder / "agentlab-report").iterdir() if TOKEN.encode() in path.read_bytes()]
    assert files == []
    assert TOKEN not in "\n".join((step.log, step.summary, *github.bodies(), *step.outputs.values()))


@pytest.mark.parametrize("event", PRIVILEGED)
class TestPrivilegedEvents:
    """A fork's pull request, in a job that has secrets: an export is data, a stranger's checkout is not."""

    def step(self, folder: Path, github: FakeGitHub, event: str, given: str = EXPORT, **inputs: str) -> Step:
        step = report_step(folder, github, given, event=event, payload=PRIVILEGED[event], inputs=inputs)
        assert (step.code == 2) == ("refused to run" in step.log), step.log
        return step

    def test_without_any_checkout_it_is_data(self, folder: Path, github: FakeGitHub, event: str) -> None:
        assert self.step(folder, github, event).code == 0

    def test_beside_our_own_commit(self, folder: Path, github: FakeGitHub, event: str) -> None:
        check_out(folder, MERGE_SHA)
        (folder / "baseline.json").write_text('{"version": 1, "scenarios": []}', encoding="utf-8")
        assert self.step(folder, github, event, baseline="baseline.json").code == 0

    def test_in_a_fork_s_checkout_it_may_be_the_fork_s(self, folder: Path, github: FakeGitHub, event: str) -> None:
        check_out(folder, HEAD_SHA)
        assert self.step(folder, github, event).code == 2
        assert self.step(folder, github, event, **{"allow-untrusted-code": "true"}).code == 0

    @pytest.mark.parametrize("given", ["fork/run.json", "link/run.json", "link.json"])
    def test_in_a_fork_beside_our_own_code(self, folder: Path, github: FakeGitHub, event: str, given: str) -> None:
        write_export(check_out(check_out(folder, MERGE_SHA) / "fork", HEAD_SHA), "orders.status=p")
        (folder / "link").symlink_to("fork")
        (folder / "link.json").symlink_to("fork/run.json")
        assert self.step(folder, github, event).code == 0
        assert self.step(folder, github, event, given).code == 2

    @pytest.mark.parametrize(
        ("sha", "given"), [(None, "b.json"), (MERGE_SHA, "fork/b.json"), (HEAD_SHA, "b.json")]
    )
    def test_a_baseline_is_no_data(
        self, folder: Path, github: FakeGitHub, event: str, sha: str | None, given: str
    ) -> None:
        if sha is not None:
            check_out(folder, sha)
        fork = check_out(folder / "fork", HEAD_SHA)
        for place in (folder, fork):
            (place / "b.json").write_text('{"version": 1, "scenarios": []}', encoding="utf-8")
        assert self.step(folder, github, event, baseline=given).code == 2

    @pytest.mark.parametrize(("place", "code"), [("ours", 0), ("fork", 2)])
    def test_a_baseline_of_a_run_is_none_either(
        self, tmp_path: Path, github: FakeGitHub, event: str, *, place: str, code: int
    ) -> None:
        """The same holds for runs of our own: in a fork's checkout somebody else decides what is red."""
        folder = check_out(tmp_path / "workspace", MERGE_SHA)
        agent = {"name": "desk", "provider": "mock", "replies": [{"reply": "It has shipped."}]}
        write_project(folder / "conf", {"agents": [agent]}, [conversation("orders.status")])
        check_out(folder / "fork", HEAD_SHA)
        (folder / "ours").mkdir()
        (folder / place / "b.json").write_text('{"version": 1, "scenarios": []}', encoding="utf-8")
        inputs = {
            "config": "conf/agentlab.config.yaml",
            "scenarios": "conf/scenarios",
            "baseline": f"{place}/b.json",
        }
        step = run_step(folder, github, event=event, payload=PRIVILEGED[event], inputs=inputs)
        assert step.code == code, step.log
        assert ("refused to run" in step.log) == (code == 2)

    @pytest.mark.parametrize(("sha", "masked"), [(MERGE_SHA, True), (HEAD_SHA, False), (None, False)])
    def test_only_our_own_config_says_what_is_secret(
        self, tmp_path: Path, github: FakeGitHub, event: str, *, sha: str | None, masked: bool
    ) -> None:
        folder = tmp_path / "workspace" / "conf"
        folder.mkdir(parents=True)
        write_export(tmp_path / "workspace" / "data", "orders.status=fff", chat="I have seen hunter2hunter2.")
        (folder / "agentlab.config.yaml").write_text("redact: [SHOP_KEY]", encoding="utf-8")
        if sha is not None:
            check_out(folder, sha)
        step = report_step(
            tmp_path / "workspace",
            github,
            f"../data/{EXPORT}",
            event=event,
            payload=PRIVILEGED[event],
            environ={"SHOP_KEY": "hunter2hunter2"},
            inputs={"working-directory": "conf"},
        )
        assert step.code == 1, step.log
        assert ("I have seen ***." in step.summary) == masked
        assert ("hunter2hunter2" in step.summary) != masked

    def test_an_event_that_nobody_can_read(self, folder: Path, github: FakeGitHub, event: str) -> None:
        check_out(folder, HEAD_SHA)
        step = report_step(folder, github, event=event, payload={}, environ={"GITHUB_RUN_ID": ""})
        assert step.code == 2
        assert "refused to run" in step.log


def test_a_pull_request_s_own_base_is_trusted(folder: Path, github: FakeGitHub) -> None:
    check_out(folder, BASE_SHA)
    payload = PRIVILEGED["pull_request_target"]
    assert report_step(folder, github, event="pull_request_target", payload=payload).code == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_was_created_belongs_to_the_workspace_s_owner(folder: Path, github: FakeGitHub) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, 1001, 1001)
    assert report_step(folder, github).code == 0
    assert {(path.stat().st_uid, path.stat().st_gid) for path in folder.rglob("*")} == {(1001, 1001)}
