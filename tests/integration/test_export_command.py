"""`agentlab export`: a stored batch for other tools, whole or not at all."""

import json
from pathlib import Path

import pytest

from agentlab_ci.core.results import ScenarioResult
from agentlab_ci.reports.json_report import render_json
from command import agentlab, conversation, write_project
from factories import make_report, make_row
from hostile import HOSTILE_TEXTS
from runner_commands import find_commands
from stored import store_batch, store_killed_batch

STEADY = {"name": "steady", "provider": "mock", "replies": [{"reply": "It has shipped."}]}
FLAKY = STEADY | {"name": "flaky", "fail_samples": [2]}
DATABASE = Path("artifacts") / "agentlab.db"
FORMS = ("agentlab", "livekit")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / DATABASE
    path.parent.mkdir()
    return path


def export(folder: Path, *args: str) -> str:
    ended = agentlab(folder, "export", *args)
    assert (ended.code, ended.err) == (0, "")
    return ended.out


def test_the_own_form_is_results_json_to_the_byte(tmp_path: Path) -> None:
    project = write_project(
        tmp_path, {"agents": [FLAKY]}, [conversation("shop.status"), conversation("shop.ünder")]
    )
    assert agentlab(project, "run", "--samples", "3").code == 0
    results = (project / "agentlab-report" / "results.json").read_text(encoding="utf-8")
    assert export(project, "@last") == results
    assert export(project, "agentlab-report/results.json") == results


def test_livekits_form_comes_back_with_the_same_verdicts(tmp_path: Path) -> None:
    scenarios = [conversation("shop.status"), conversation("shop.refund", keyword="refunded")]
    project = write_project(tmp_path, {"agents": [FLAKY]}, scenarios)
    ran = agentlab(project, "run", "--samples", "3")
    before = {row["scenario_id"]: row["verdict"] for row in ran.results["scenarios"]}
    assert before == {"shop.status": "passed", "shop.refund": "failed"}
    (project / "run.json").write_text(export(project, "@last", "--as", "livekit"), encoding="utf-8")
    again = agentlab(project, "report", "--from", "livekit", "run.json")
    assert {row["scenario_id"]: row["verdict"] for row in again.results["scenarios"]} == before
    assert again.code == ran.code == 1
    (sample, *_) = again.results["scenarios"][0]["samples"]
    assert [turn["text"] for turn in sample["turns"]] == ["Where is my order?", "It has shipped."]


@pytest.mark.parametrize("form", FORMS)
def test_each_batch_is_found_by_its_names(tmp_path: Path, database: Path, form: str) -> None:
    store_batch(database, "batch_1", "2026-04-07T00:00:00Z", make_row("pfp", "a.one"))
    store_batch(database, "batch_2", "2026-04-08T00:00:00Z", make_row("ppp", "a.two"))
    assert export(tmp_path, "@last", "--as", form) == export(tmp_path, "batch_2", "--as", form)
    assert export(tmp_path, "@prev", "--as", form) == export(tmp_path, "batch_1", "--as", form)
    assert "a.one" in export(tmp_path, "@prev", "--as", form)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("@last", "batch batch_3 did not end: it still runs, or was killed"),
        ("batch_3", "batch batch_3 did not end: it still runs, or was killed"),
        ("@prev:a.one", "is only a part of batch_1: export takes whole batches"),
        ("run_1.a.one.1", "run_1.a.one.1 is a run: export takes whole batches, and its batch is batch_1"),
        ("batch_9", "Batch 'batch_9' not found"),
        ("nope", "Batch 'nope' not found"),
        ("run_9", "Run 'run_9' not found"),
        ("@first", "@first means nothing"),
        ("none.json", "cannot read none.json"),
        ("agentlab.config.yaml", "agentlab.config.yaml: not the results.json of agentlab"),
    ],
)
def test_complete_or_nothing(tmp_path: Path, database: Path, form: str, reference: str, said: str) -> None:
    (tmp_path / "agentlab.config.yaml").write_text("agents: []\n", encoding="utf-8")
    store_batch(database, "batch_1", "2026-04-07T00:00:00Z", make_row("pfp", "a.one"))
    store_batch(database, "batch_2", "2026-04-07T01:00:00Z", make_row("pfp", "a.one"))
    store_killed_batch(database, "batch_3", "2026-04-08T00:00:00Z", make_row("p..", "a.two"))
    ended = agentlab(tmp_path, "export", reference, "--as", form)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err.replace("batch_2", "batch_1")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([make_row("ppp", variant="new")], "knows no variants"),
        ([make_row("ppp"), make_row("p", "b.c")], "one sampling for a whole run"),
    ],
)
def test_what_livekits_form_cannot_hold_is_refused(tmp_path: Path, rows: list[ScenarioResult], said: str) -> None:
    (tmp_path / "results.json").write_bytes(render_json(make_report(*rows)))
    ended = agentlab(tmp_path, "export", "results.json", "--as", "livekit")
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert export(tmp_path, "results.json")  # our own can


def test_skipped_scenarios_are_left_out_and_that_is_said(tmp_path: Path) -> None:
    rows = [make_row("ppp"), make_row("...", "b.c", skipped="not on this agent")]
    (tmp_path / "results.json").write_bytes(render_json(make_report(*rows)))
    ended = agentlab(tmp_path, "export", "results.json", "--as", "livekit")
    assert (ended.code, ended.err) == (0, "left out, because LiveKit's form has none: 1 skipped scenario\n")
    assert [row["id"] for row in json.loads(ended.out)["run"]["scenario_group"]["scenarios"]] == ["billing.refund"]


@pytest.mark.parametrize("form", FORMS)
def test_no_line_is_a_command_to_a_runner(tmp_path: Path, form: str) -> None:
    texts = [text for text in HOSTILE_TEXTS if not any("\ud800" <= char <= "\udfff" for char in text)]
    texts += ["#\u00ad#\u200b[error]hidden", "##\x1b[0m[error]coloured", "####[error]many"]
    rows = [make_row("p", f"s.{number}", name=text or "-") for number, text in enumerate(texts)]
    (tmp_path / "results.json").write_bytes(render_json(make_report(*rows)))
    out = export(tmp_path, "results.json", "--as", form)
    assert find_commands(out) == []
    document = json.loads(out)
    told = document["scenarios"] if form == "agentlab" else document["run"]["scenario_group"]["scenarios"]
    assert [row.get("name", row.get("label")) for row in told] == [text or "-" for text in texts]


def test_an_ascii_terminal_gets_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_bytes(render_json(make_report(make_row("p", name="ünder"))))
    ended = agentlab(tmp_path, "export", "results.json", environ={"PYTHONIOENCODING": "ascii"})
    assert json.loads(ended.out)["scenarios"][0]["name"] == "ünder"
