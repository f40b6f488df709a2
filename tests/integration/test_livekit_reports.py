"""`agentlab report --from livekit`: what LiveKit has run is rendered and gated as a run of our own."""

import json
import re
import signal
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from agentlab_ci.core.judge import regate
from agentlab_ci.reports.escape import code_span
from agentlab_ci.reports.json_report import read_results
from command import SECONDS, Ended, agentlab, start_agentlab
from github_markdown import to_html
from golden import assert_golden
from hostile import HOSTILE_TEXTS
from runner_commands import find_commands

DATA = Path(__file__).parents[1] / "data" / "livekit"
SECRET = "ghp_0123456789abcdef"
SHORT = "1 of 1 scenario without all samples"


def report(folder: Path, name: str, *args: str, **environ: str) -> Ended:
    return agentlab(folder, "report", "--from", "livekit", str(DATA / name), *args, environ=environ)


def report_of(folder: Path, document: object, *args: str, **environ: str) -> Ended:
    (folder / "run.json").write_text(json.dumps(document), encoding="utf-8")
    return agentlab(folder, "report", "--from", "livekit", "run.json", *args, environ=environ)


def verdicts(ended: Ended) -> dict[str, str]:
    return {row["scenario_id"]: row["verdict"] for row in ended.results["scenarios"]}


def failures(ended: Ended) -> int:
    root = ET.parse(ended.folder / "agentlab-report" / "junit.xml").getroot()  # noqa: S314 - ours
    return sum(int(root.get(name, "0")) for name in ("failures", "errors"))


@pytest.mark.parametrize(
    ("name", "args", "code", "last"),
    [
        ("plain.json", (), 1, "✗ 1 of 2 scenarios finished below the bar: Refuses (SRJ_2)"),
        ("plain.json", ("--fail-on", "never"), 0, "✗ 1 of 2 scenarios finished below the bar: Refuses (SRJ_2)"),
        ("hostile.json", ("--pass-rate", "0.34"), 0, "✓ all 3 scenarios passed"),
        ("out_of_order.json", ("--pass-rate", "0.34"), 0, "… 1 of 5 scenarios unfinished: SCN_y"),
        (
            "cancelled.json",
            (),
            0,
            "… LiveKit's run SR_cancelled is STATUS_CANCELLED; 1 of 2 scenarios unfinished: Open (SCN_open)",
        ),
        (
            "cancelled.json",
            ("--require-finished",),
            3,
            "… LiveKit's run SR_cancelled is STATUS_CANCELLED; 1 of 2 scenarios unfinished: Open (SCN_open)",
        ),
        (
            "broken_off.json",
            ("--fail-on", "never"),
            3,
            f"… LiveKit's run SR_broken is STATUS_FAILED: out of credit; {SHORT}: A (SCN_a)",
        ),
        (
            "no_jobs.json",
            (),
            3,
            "… LiveKit's run SR_none is STATUS_FAILED: scenario generation failed; no scenario to judge",
        ),
    ],
)
def test_it_gates_as_a_run_of_ours(tmp_path: Path, name: str, args: tuple[str, ...], code: int, last: str) -> None:
    ended = report(tmp_path, name, *args)
    assert (ended.code, ended.out.splitlines()[-1]) == (code, last)
    assert (failures(ended) > 0) == (ended.results["summary"]["verdict"] == "failed")
    again = agentlab(tmp_path, "report", "agentlab-report/results.json", *args)
    assert (again.code, again.out.splitlines()[-1]) == (code, last)
    assert again.err == "".join(f"{line}\n" for line in ended.err.splitlines() if line.startswith("warning"))


def test_a_run_that_is_not_complete_is_named_in_a_warning(tmp_path: Path) -> None:
    assert report(tmp_path, "cancelled.json").err == "warning: LiveKit's run SR_cancelled is STATUS_CANCELLED\n"
    ended = report(tmp_path, "no_jobs.json", GITHUB_ACTIONS="true")
    assert "::warning title=agentlab::LiveKit's run SR_none is STATUS_FAILED: scenario generation" in ended.err
    page = (tmp_path / "agentlab-report/report.md").read_text(encoding="utf-8")
    assert page.endswith("· batch `SR_none`\n"), "nobody knows when it began, and there is no row for a table"
    assert "|" not in page
    assert report(tmp_path, "plain.json").err == ""


def test_a_pass_rate_on_an_unsampled_run_is_refused(tmp_path: Path) -> None:
    ended = report(tmp_path, "plain.json", "--pass-rate", "0.5")
    assert (ended.code, ended.out) == (2, "")
    assert "--pass-rate does nothing here" in ended.err


@pytest.mark.parametrize("github", [False, True])
def test_a_hostile_run_is_harmless_everywhere(tmp_path: Path, *, github: bool) -> None:
    environ = {"GITHUB_ACTIONS": "true", "GITHUB_TOKEN": SECRET} if github else {"GITHUB_TOKEN": SECRET}
    ended = report(tmp_path, "hostile.json", **environ)
    assert ended.code == 1
    assert set(find_commands(ended.out + ended.err)) == ({"group", "endgroup", "error"} if github else set())
    folder = tmp_path / "agentlab-report"
    assert SECRET not in "".join(path.read_text(encoding="utf-8") for path in folder.iterdir()) + ended.out
    assert "***" in (folder / "results.json").read_text(encoding="utf-8")
    if not github:
        assert_golden("livekit/hostile.md", (folder / "report.md").read_bytes())
        assert_golden("livekit/hostile.xml", (folder / "junit.xml").read_bytes())


@pytest.mark.parametrize(
    "config",
    [
        "redact: [SHOP_KEY]\n",
        "agents: [{name: a, provider: http, url: 'http://h', headers: {X: '{{env.SHOP_KEY}}'}}]\n",
        "judge: {model: m, base_url: 'http://h', api_key_env: SHOP_KEY}\n",
        "redact: [SHOP_KEY\n",  # not valid, and yet it says what is secret
    ],
)
def test_secrets_of_the_config_are_masked(tmp_path: Path, config: str) -> None:
    (tmp_path / "agentlab.config.yaml").write_text(config, encoding="utf-8")
    said = {"items": [{"message": {"role": "user", "content": [f"It is {SECRET}."]}}]}
    run = {"status": "STATUS_FAILED", "error": SECRET, "jobs": [{"id": "j", "status": "FAILED", "error": SECRET}]}
    document = {"version": 1, "run": run, "summary": {"chat_history": {"j": said}}}
    formats = ("--format", "md,junit,json,html")
    ended = report_of(tmp_path, document, *formats, SHOP_KEY=SECRET)
    assert "It is ***." in ended.out
    written = [path.read_text(encoding="utf-8") for path in (tmp_path / "agentlab-report").iterdir()]
    assert len(written) == 4
    assert SECRET not in "".join([ended.out, ended.err, *written])


def test_an_export_may_come_through_a_pipe(tmp_path: Path) -> None:
    process = start_agentlab(tmp_path, "report", "--from", "livekit", "-", stdin=subprocess.PIPE)
    out, err = process.communicate((DATA / "plain.json").read_text(encoding="utf-8"), timeout=SECONDS)
    assert process.returncode == 1, err
    assert "1 of 2 scenarios finished below the bar" in out


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_reading_of_a_file(tmp_path: Path, number: int, code: int) -> None:
    process = start_agentlab(tmp_path, "report", "--from", "livekit", "-", stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(" " * (1 << 20))  # more than a pipe holds: it reads by now
    process.stdin.flush()
    process.send_signal(number)
    assert process.wait(SECONDS) == code
    out, err = process.communicate()
    assert (out, err) == ("", "agentlab: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_lacks_jobs_says_so_everywhere(tmp_path: Path) -> None:
    run = {"id": "r", "status": "STATUS_COMPLETED", "job_count": 6, "jobs": [{"id": "j", "status": "COMPLETED"}]}
    ended = report_of(tmp_path, {"version": 1, "run": run})
    said = "LiveKit's run r is STATUS_COMPLETED; it counts 6 jobs, and the export holds 1"
    assert (ended.code, ended.err) == (3, f"warning: {said}\n")
    assert ended.out.splitlines()[-1] == f"… {said}; the scenario passed"
    written = (tmp_path / "agentlab-report" / "report.md").read_text(encoding="utf-8")
    assert "it counts 6 jobs, and the export holds 1" in written
    again = agentlab(tmp_path, "report", "agentlab-report/results.json")
    assert (again.code, again.err, again.out.splitlines()[-1]) == (3, ended.err, ended.out.splitlines()[-1])


@pytest.mark.parametrize("status", ["STATUS_COMPLETED", "STATUS_FAILED"])
def test_a_run_without_jobs_tells_its_error(tmp_path: Path, status: str) -> None:
    ended = report_of(tmp_path, {"version": 1, "run": {"id": "r", "status": status, "error": "QUOTA EXCEEDED"}})
    assert ended.code == 3
    assert f"LiveKit's run r is {status}: QUOTA EXCEEDED" in ended.err
    assert "QUOTA EXCEEDED" in ended.out.splitlines()[-1]


def test_every_text_of_a_run_may_be_hostile(tmp_path: Path) -> None:
    scenarios, jobs, chats = [], [], {}
    for number, text in enumerate(HOSTILE_TEXTS):
        scenarios.append(
            {
                "id": f"SCN_{number}",
                "label": text,
                "instructions": text,
                "agent_expectations": text,
                "tags": {text: text},
                "userdata": text,
            }
        )
        jobs.append(
            {"id": f"SRJ_{number}", "status": "STATUS_FAILED", "scenario_id": f"SCN_{number}", "error": text}
        )
        jobs.append({"id": f"SRJ_c{number}", "status": "STATUS_CANCELLED", "error": text})
        call = {"call_id": text, "name": text, "arguments": text}
        items: list[dict[str, Any]] = [
            {"message": {"role": role, "content": [{"text": text}]}}
            for role in ("USER", "ASSISTANT", "SYSTEM", text)
        ]
        items += [{"function_call": call}, {"function_call_output": {"call_id": text, "output": text}}]
        chats[f"SRJ_{number}"] = {"items": [*items, {"agent_handoff": {"new_agent_id": text}}, {text: text}]}
    # A lone surrogate is no JSON.
    document = json.loads(re.sub(r"\\ud[89a-f][0-9a-f]{2}", "?", json.dumps([scenarios, jobs, chats])))
    scenarios, jobs, chats = document
    run = {"id": "SR_1", "status": "STATUS_CANCELLED", "error": HOSTILE_TEXTS[4], "jobs": jobs}
    run["scenario_group"] = {"name": "::error::group", "scenarios": scenarios}
    ended = report_of(
        tmp_path, {"version": 1, "run": run, "summary": {"chat_history": chats}}, GITHUB_ACTIONS="true"
    )
    assert ended.code == 1, ended.err
    assert set(find_commands(ended.out + ended.err)) <= {"group", "endgroup", "error", "warning"}
    assert len(find_commands(ended.err)) == 1
    ET.parse(tmp_path / "agentlab-report" / "junit.xml")  # noqa: S314 - ours
    page = to_html((tmp_path / "agentlab-report" / "report.md").read_text(encoding="utf-8"))
    assert "<script" not in page
    assert set(verdicts(ended).values()) == {"failed", "unfinished"}


def test_why_a_job_was_cancelled_is_told(tmp_path: Path) -> None:
    jobs = [
        {"id": f"SRJ_{number}", "status": "STATUS_CANCELLED", "scenario_id": "SCN_a", "sample": number} | more
        for number, more in ((1, {}), (2, {"error": "`out`\n<b>of</b> credit"}))
    ]
    run = {"id": "SR_1", "status": "STATUS_CANCELLED", "jobs": jobs, "sampling": {"samples": 2, "pass_rate": 1}}
    ended = report_of(tmp_path, {"version": 1, "run": run})
    assert "sample 2/2 – cancelled SRJ_2  cancelled: interrupted: `out`\\n<b>of</b> credit" in ended.out
    page = to_html((tmp_path / "agentlab-report" / "report.md").read_text(encoding="utf-8"))
    assert (
        page.count("interrupted: `out`\\n&lt;b&gt;of&lt;/b&gt; credit") == 2
    )  # of the scenario and of the sample
    assert page.count("cancelled: interrupted<") == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "run.json: not what `lk agent simulate export` prints: it is empty"),
        ("{}", "run.json: not what `lk agent simulate export` prints: it has no `run`"),
        ('{"version": 1, "run": {"jobs": 3}}', "run.json: run.jobs: Input should be a valid array"),
        ("{", "run.json: not what `lk agent simulate export` prints: Invalid JSON"),
        ("[]", "run.json: not what `lk agent simulate export` prints: Input should be an object"),
        (
            "No simulation run found\n",
            "run.json: not what `lk agent simulate export` prints: Invalid JSON",
        ),
    ],
)
def test_what_is_no_export_is_one_sentence(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "run.json").write_text(content, encoding="utf-8")
    ended = agentlab(tmp_path, "report", "--from", "livekit", "run.json")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(said)
    assert len(ended.err.splitlines()) == 1
    assert not (tmp_path / "agentlab-report").exists()


def test_the_one_is_not_taken_for_the_other(tmp_path: Path) -> None:
    assert report(tmp_path, "plain.json").code == 1
    ended = agentlab(tmp_path, "report", "--from", "livekit", "agentlab-report/results.json")
    assert ended.code == 2
    assert "these are results of agentlab, which are read without `--from livekit`" in ended.err
    ended = agentlab(tmp_path, "report", str(DATA / "plain.json"))
    assert ended.code == 2
    assert "`agentlab report --from livekit` reads that" in ended.err
    assert agentlab(tmp_path, "report", "--from", "livekit", "none.json").err == (
        "agentlab: cannot read none.json: No such file or directory\n"
    )


def test_results_of_an_import_say_where_they_come_from(tmp_path: Path) -> None:
    results = report(tmp_path, "hostile.json").results
    assert results["batch_id"] == "SR_hostile"
    imported = results["imported"]
    assert (imported["tool"], imported["run_id"], imported["status"]) == (
        "livekit",
        "SR_hostile",
        "STATUS_COMPLETED",
    )
    assert imported["livekit"]["ci"] == {"provider": "github", "commit_sha": "0123abc"}
    stored = read_results((tmp_path / "agentlab-report" / "results.json").read_bytes())
    assert regate(stored) == stored
    assert code_span(stored.batch_id) in (tmp_path / "agentlab-report" / "report.md").read_text(encoding="utf-8")
