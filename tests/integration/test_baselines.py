"""A baseline from its approval to the exit code, through the whole command and through a step of the Action."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from action_step import TOKEN, run_step
from agentlab_ci.baselines import write_baseline
from agentlab_ci.core.gate import FailOn
from agentlab_ci.errors import BadInputError
from agentlab_ci.reports.json_report import read_results
from command import Ended, agentlab, conversation, write_project
from factories import make_report, make_row
from fake_github import FakeGitHub, fake_github
from loopback import closed_port

IDS = ("orders.status", "orders.delay", "orders.refund")
GOOD = {"name": "desk", "provider": "mock", "replies": [{"reply": "It has shipped."}]}
BAD = GOOD | {"name": "worse", "fail_samples": [1, 2]}


def project(folder: Path, *ids: str, agents: tuple[dict[str, Any], ...] = (GOOD,), **more: Any) -> Path:
    """Write a project of these scenarios; the first agent answers, unless a scenario names another."""
    config = {"sampling": {"samples": 3}, "agents": list(agents), **more}
    return write_project(folder, config, [conversation(scenario_id, agent="desk") for scenario_id in ids])


def approve(ended: Ended, file: str = "baseline.json") -> Path:
    """Approve of what a run came to."""
    results = (ended.folder / "agentlab-report/results.json").read_bytes()
    write_baseline(read_results(results), ended.folder, file)
    return ended.folder


def states(results: Any) -> dict[str, str]:
    return {
        " ".join(filter(None, [row["scenario_id"], row["variant"] and row["variant"]["variant_label"]])): row[
            "baseline"
        ]["state"]
        for row in results["scenarios"]
    }


@pytest.fixture
def approved(tmp_path: Path) -> Path:
    """A project whose baseline says that two scenarios pass."""
    return approve(agentlab(project(tmp_path / "project", *IDS[:2]), "run"))


def test_a_run_says_how_it_stands(approved: Path) -> None:
    project(approved, "orders.status", "orders.refund", agents=(GOOD | {"fail_samples": [1, 2]},))
    ended = agentlab(approved, "run", "--baseline", "baseline.json", "--fail-on", "regression")
    assert ended.code == 1, ended.err
    assert states(ended.results) == {"orders.status": "regressed", "orders.refund": "new"}
    assert ended.results["baseline"] == {"file": "baseline.json", "vanished": [{"scenario_id": "orders.delay"}]}
    *_, counts, gone, _, verdict = ended.out.splitlines()
    assert counts == "since the baseline (baseline.json): 1 regressed, 1 new"
    assert gone == "1 scenario of the baseline vanished: orders.delay"
    assert verdict.endswith("; regressed since the baseline: orders.status")


@pytest.mark.parametrize(
    ("agent", "args", "code"),
    [
        (GOOD, (), 0),
        (GOOD, ("--fail-on", "regression"), 0),
        (BAD, (), 1),  # below the bar, as without a baseline
        (BAD, ("--fail-on", "regression"), 1),
        (BAD, ("--fail-on", "never"), 0),
        (GOOD | {"fail_samples": [1]}, ("--fail-on", "regression"), 0),  # within the bar
        (BAD, ("--fail-on", "regression", "-k", "5"), 3),  # another k: nobody knows
    ],
)
def test_it_gates_only_when_asked(approved: Path, agent: dict[str, Any], args: tuple[str, ...], code: int) -> None:
    project(approved, *IDS[:2], agents=(agent | {"name": "desk"},))
    assert agentlab(approved, "run", "--baseline", "baseline.json", *args).code == code


def test_a_scenario_that_failed_before_is_no_regression(tmp_path: Path) -> None:
    folder = approve(agentlab(project(tmp_path, "orders.status", agents=(BAD | {"name": "desk"},)), "run"))
    ended = agentlab(folder, "run", "--baseline", "baseline.json", "--fail-on", "regression")
    assert (ended.code, states(ended.results)) == (0, {"orders.status": "still_failing"})


def test_an_agent_that_is_not_there_is_not_green(approved: Path) -> None:
    with closed_port() as port:
        project(
            approved, *IDS[:2], agents=({"name": "desk", "provider": "http", "url": f"http://127.0.0.1:{port}/"},)
        )
        ended = agentlab(approved, "run", "--baseline", "baseline.json", "--fail-on", "regression")
    assert ended.code == 3, ended.out
    assert set(states(ended.results).values()) == {"not_comparable"}


@pytest.mark.parametrize(
    ("args", "vanished"),
    [
        (("orders.status",), ["orders.refund"]),  # orders.delay is there, and was not asked for
        (("--suite", "orders"), ["orders.refund"]),
        (("--scenarios", "scenarios/all.yaml"), ["orders.refund"]),
    ],
)
def test_what_was_not_selected_has_not_vanished(
    tmp_path: Path, args: tuple[str, ...], vanished: list[str]
) -> None:
    folder = approve(agentlab(project(tmp_path, *IDS), "run"))
    project(folder, *IDS[:2])
    ended = agentlab(folder, "run", "--baseline", "baseline.json", *args)
    assert [it["scenario_id"] for it in ended.results["baseline"]["vanished"]] == vanished


def test_variants_are_held_against_their_own_line(tmp_path: Path) -> None:
    sets = [
        {"name": "both", "variants": [{"agent": "desk", "label": "old"}, {"agent": "worse", "label": "new"}]},
        {"name": "one", "variants": [{"agent": "worse", "label": "old"}, {"agent": "desk", "label": "third"}]},
    ]
    folder = project(tmp_path, *IDS[:2], agents=(GOOD, BAD), variant_sets=sets)
    approve(agentlab(folder, "run", "--variant-set", "both"))
    same = agentlab(
        folder, "run", "--variant-set", "both", "--baseline", "baseline.json", "--fail-on", "regression"
    )
    assert (same.code, list(states(same.results).values())) == (0, ["unchanged", "still_failing"] * 2)
    assert "orders.status  2 of 3  ✓ 3/3 unchanged  ✗ 1/3 still failing" in same.out.splitlines()
    other = agentlab(
        folder, "run", "--variant-set", "one", "--baseline", "baseline.json", "--fail-on", "regression"
    )
    assert (other.code, list(states(other.results).values())) == (1, ["regressed", "new"] * 2)
    assert other.results["baseline"]["vanished"] == [
        {"scenario_id": "orders.delay", "variant": "new"},
        {"scenario_id": "orders.status", "variant": "new"},
    ]
    plain = agentlab(folder, "run", "--baseline", "baseline.json")
    assert set(states(plain.results).values()) == {"new"}
    assert plain.results["baseline"]["vanished"] == [], "a run without variants does not look at them"


@pytest.mark.parametrize("command", [("run",), ("report", "agentlab-report/results.json")])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no baseline baseline.json: `agentlab approve RESULTS.JSON --to baseline.json` makes one"),
        (b"{", "baseline.json: not a baseline of agentlab: Invalid JSON: EOF while parsing"),
        (b'{"version": 2}', "baseline.json: a baseline of version 2; this agentlab reads version 1"),
        (
            b'{"version": 1, "scenarios": [{}]}',
            "baseline.json: not a baseline of agentlab: scenarios[0].scenario_id",
        ),
    ],
)
def test_a_baseline_that_cannot_be_read_stops_everything(
    approved: Path, command: tuple[str, ...], content: bytes | None, message: str
) -> None:
    before = (approved / "agentlab-report/results.json").read_bytes()
    (approved / "baseline.json").unlink()
    if content is not None:
        (approved / "baseline.json").write_bytes(content)
    ended = agentlab(approved, *command, "--baseline", "baseline.json")
    assert ended.code == 2
    assert message in ended.err
    assert len(ended.err.strip().splitlines()) == 1
    assert (approved / "agentlab-report/results.json").read_bytes() == before


def test_a_folder_is_no_baseline(approved: Path) -> None:
    ended = agentlab(approved, "run", "--baseline", "scenarios")
    assert (ended.code, ended.err) == (2, "agentlab: cannot read scenarios: it is not a file\n")


def test_only_a_baseline_can_be_regressed_from(approved: Path) -> None:
    for command in (("run",), ("report", "agentlab-report/results.json")):
        ended = agentlab(approved, *command, "--fail-on", "regression")
        assert (ended.code, ended.err) == (
            2,
            "agentlab: `--fail-on regression` needs `--baseline FILE`: it says what there was before\n",
        )


def test_results_are_held_against_a_baseline_again(approved: Path) -> None:
    project(approved, *IDS[:2], agents=(BAD | {"name": "desk"},))
    results = "agentlab-report/results.json"
    agentlab(approved, "run")
    ended = agentlab(approved, "report", results, "--baseline", "baseline.json", "--fail-on", "regression")
    assert (ended.code, set(states(ended.results).values())) == (1, {"regressed"})
    assert "**regressed**" in (approved / "agentlab-report/report.md").read_text(encoding="utf-8")
    again = agentlab(approved, "report", results, "--fail-on", "regression")
    assert again.code == 1, "the results bear their baseline"
    other_bar = agentlab(approved, "report", results, "--pass-rate", "1", "--fail-on", "regression")
    assert (other_bar.code, set(states(other_bar.results).values())) == (3, {"not_comparable"})


class TestWriteBaseline:
    """The file that is reviewed."""

    def test_a_second_approval_of_the_same_changes_nothing(self, approved: Path) -> None:
        before = (approved / "baseline.json").read_text(encoding="utf-8")
        approve(agentlab(approved, "run"))
        assert (approved / "baseline.json").read_text(encoding="utf-8") == before

    def test_a_changed_scenario_changes_its_line(self, approved: Path) -> None:
        before = (approved / "baseline.json").read_text(encoding="utf-8").splitlines()
        write_project(
            approved,
            {"sampling": {"samples": 3}, "agents": [GOOD]},
            [conversation(IDS[0]), conversation(IDS[1], keyword="has shipped")],
        )
        approve(agentlab(approved, "run"))
        after = (approved / "baseline.json").read_text(encoding="utf-8").splitlines()
        assert [one == other for one, other in zip(before, after, strict=True)] == [
            *[True] * 3,
            False,
            *[True] * 3,
        ]

    def test_a_broken_file_is_not_written_over(self, approved: Path) -> None:
        (approved / "baseline.json").write_text("{<<<<<<< HEAD", encoding="utf-8")
        with pytest.raises(BadInputError, match=r"^baseline\.json: not a baseline of agentlab: Invalid JSON"):
            write_baseline(make_report(make_row("p")), approved, "baseline.json")
        assert (approved / "baseline.json").read_text(encoding="utf-8") == "{<<<<<<< HEAD"

    def test_nothing_judged_is_nothing_approved(self, tmp_path: Path) -> None:
        with pytest.raises(BadInputError, match=r"holds no scenario that was judged: b\.json is left as it is"):
            write_baseline(make_report(make_row("p.."), make_row("pee", "a.b")), tmp_path, "b.json")
        assert list(tmp_path.iterdir()) == []

    def test_folders_are_made_and_nothing_else_is_left(self, tmp_path: Path) -> None:
        write_baseline(make_report(make_row("p")), tmp_path, "ci/baselines/b.json")
        assert [path.name for path in (tmp_path / "ci/baselines").iterdir()] == ["b.json"]

    def test_what_is_in_the_way_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "b").write_text("", encoding="utf-8")
        with pytest.raises(BadInputError, match=r"b/c\.json: Not a directory"):
            write_baseline(make_report(make_row("p")), tmp_path, "b/c.json")


class TestAction:
    """The same in CI: log, summary, comment, outputs, exit code."""

    @pytest.fixture
    def github(self) -> Iterator[FakeGitHub]:
        with fake_github() as server:
            yield server

    def step(self, folder: Path, github: FakeGitHub, **inputs: str) -> Any:
        return run_step(folder, github, inputs={"baseline": "baseline.json", **inputs})

    def test_a_regression_is_seen_everywhere(self, approved: Path, github: FakeGitHub) -> None:
        project(approved, *IDS[1:], agents=(BAD | {"name": "desk"},))
        step = self.step(approved, github, **{"fail-on": "regression"})
        assert step.code == 1
        [comment] = github.comments
        for page in (step.summary, comment.body):
            assert "| | Scenario | Samples | Passed | Baseline | Why |" in page
            assert re.search(r"^\| ❌ \|.*`orders\.delay`.*\| \*\*regressed\*\*: hard gate", page, re.MULTILINE)
            assert re.search(r"^\| ❌ \|.*`orders\.refund`.*\| new \|", page, re.MULTILINE)
            assert "1 scenario of the baseline vanished: `orders.status`" in page
        assert step.outputs["verdict"] == "failed"
        assert "since the baseline (baseline.json): 1 regressed, 1 new" in step.out
        assert TOKEN not in step.log

    def test_known_failures_are_green(self, tmp_path: Path, github: FakeGitHub) -> None:
        folder = project(tmp_path / "project", "orders.status", agents=(BAD | {"name": "desk"},))
        approve(agentlab(folder, "run"))
        step = self.step(folder, github, **{"fail-on": "regression"})
        assert (step.code, step.outputs["verdict"]) == (0, "failed")
        assert "still failing" in github.comments[0].body
        assert self.step(folder, github).code == 1

    def test_the_working_directory_has_the_file(self, tmp_path: Path, github: FakeGitHub) -> None:
        approve(agentlab(project(tmp_path / "repository" / "desk", "orders.status"), "run"))
        step = run_step(
            tmp_path / "repository", github, inputs={"baseline": "baseline.json", "working-directory": "desk"}
        )
        assert step.code == 0
        assert "since the baseline (baseline.json): 1 unchanged" in step.out

    @pytest.mark.parametrize(
        ("inputs", "message"),
        [
            ({"baseline": "no.json"}, "there is no baseline no.json"),
            ({"baseline": "", "fail-on": "regression"}, "`--fail-on regression` needs `--baseline FILE`"),
        ],
    )
    def test_what_cannot_be_used_is_in_the_summary(
        self, approved: Path, github: FakeGitHub, inputs: dict[str, str], message: str
    ) -> None:
        step = self.step(approved, github, **inputs)
        assert step.code == 2
        assert message.replace("`", "") in step.summary.replace("`", "")
        assert step.outputs["verdict"] == ""
        assert step.commands("error")

    def test_every_choice_of_fail_on_is_an_input(self, approved: Path, github: FakeGitHub) -> None:
        for choice in FailOn:
            assert self.step(approved, github, **{"fail-on": choice.value}).code == 0


def test_a_baseline_file_holds_nothing_that_was_said(approved: Path) -> None:
    text = (approved / "baseline.json").read_text(encoding="utf-8")
    assert "shipped" not in text
    assert "Where is" not in text
    assert json.loads(text)["scenarios"][0]["hard_gates"] == [{"id": "response_contains", "step": 1}]


def test_a_baseline_that_says_nothing_of_what_failed_is_no_green_gate(approved: Path) -> None:
    (approved / "empty.json").write_text('{"version": 1, "scenarios": []}', encoding="utf-8")
    for agent, code in ((GOOD | {"fail_samples": [1, 2]}, 3), (GOOD, 0)):
        project(approved, "orders.status", "orders.refund", agents=(agent,))
        ended = agentlab(approved, "run", "--baseline", "empty.json", "--fail-on", "regression")
        assert ended.code == code, ended.out
        assert set(states(ended.results).values()) == {"new"}


def test_another_score_to_pass_makes_results_not_comparable(approved: Path) -> None:
    config = json.loads((approved / "agentlab.config.yaml").read_text(encoding="utf-8"))
    (approved / "agentlab.config.yaml").write_text(json.dumps(config | {"pass_score": 40}), encoding="utf-8")
    ended = agentlab(approved, "run", "--baseline", "baseline.json", "--fail-on", "regression")
    assert ended.code == 3, ended.out
    assert set(states(ended.results).values()) == {"not_comparable"}
