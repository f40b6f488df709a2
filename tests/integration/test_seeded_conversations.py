"""Conversations that began before their first step: the command, and an agent on loopback that remembers."""

from pathlib import Path
from typing import Any

from command import Ended, agentlab, conversation, write_project
from loopback import HostileAgent, hostile_agent

SEEDS = [{"role": "user", "message": "I am Ada."}, {"role": "assistant", "message": "Hello Ada."}]


def run(folder: Path, web: HostileAgent, *, samples: int = 1, keyword: str = "Ada", **state: Any) -> Ended:
    config = {
        "agents": [{"name": "web", "provider": "http", "url": web.url("/ok")}],
        "runtime_profiles": [{"name": "before", "state": {"seeded_messages": SEEDS} | state}],
    }
    scenario = conversation("a.one", keyword=keyword, runtime_profile="before")
    return agentlab(write_project(folder, config, [scenario]), "run", "-k", str(samples))


def replies(ended: Ended) -> list[str]:
    (row,) = ended.results["scenarios"]
    return [sample["final_output"].partition("you said: ")[2] for sample in row["samples"]]


def test_a_stateful_agent_is_told_before_each_sample(tmp_path: Path) -> None:
    with hostile_agent() as web:
        ended = run(tmp_path, web, samples=3)
    assert ended.code == 0, ended.out + ended.err
    assert replies(ended) == ["I am Ada. | Where is my order?"] * 3
    assert len({body["conversation_id"] for body in web.bodies["/ok"]}) == 3
    assert "note: scenarios/all.yaml" in ended.out, "the assistant's words cannot be put into its mouth"


def test_a_shared_conversation_goes_on_from_sample_to_sample(tmp_path: Path) -> None:
    with hostile_agent() as web:
        ended = run(tmp_path, web, samples=3, reset="per_variant_run")
    asked = "Where is my order?"
    assert replies(ended) == [" | ".join(["I am Ada.", *[asked] * n]) for n in (1, 2, 3)]
    assert len({body["conversation_id"] for body in web.bodies["/ok"]}) == 1


def test_a_conversation_that_nobody_resets_goes_on_from_run_to_run(tmp_path: Path) -> None:
    with hostile_agent() as web:
        heard = [replies(run(tmp_path, web, reset="manual")) for _ in range(2)]
    assert heard == [["Where is my order?"], ["Where is my order? | Where is my order?"]], (
        "it is not told the seeds"
    )


def test_what_was_said_before_stands_in_the_transcript(tmp_path: Path) -> None:
    with hostile_agent() as web:
        ended = run(tmp_path, web, keyword="Grace")
    assert ended.code == 1
    report = (tmp_path / "agentlab-report/report.md").read_text(encoding="utf-8")
    assert report.index("user: I am Ada.") < report.index("Where is my order?")
