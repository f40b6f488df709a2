"""Exports as `lk agent simulate export` prints them, of which a test states only what it is about."""

import json
from pathlib import Path
from typing import Any

STATUSES = {
    "p": "STATUS_COMPLETED",  # the judge was content
    "f": "STATUS_FAILED",
    "c": "STATUS_CANCELLED",
    "r": "STATUS_RUNNING",
}
EXPORT = "run.json"


def make_export(*scenarios: str, chat: str = "It has shipped.", **run: Any) -> dict[str, Any]:
    """Return an export of scenarios like `"orders.status=pfp"`: an id, and a letter for each sample."""
    rows = [row.split("=") for row in scenarios]
    jobs = [
        make_job(scenario_id, number, letter)
        for scenario_id, letters in rows
        for number, letter in enumerate(letters, start=1)
    ]
    said = [
        {"message": {"id": "item_1", "role": "USER", "content": [{"text": "Where is my order?"}]}},
        {"message": {"id": "item_2", "role": "ASSISTANT", "content": [{"text": chat}]}},
    ]
    facts = {
        "id": "SR_desk",
        "status": "STATUS_COMPLETED",
        "created_at": "2026-04-07T00:12:30Z",
        "ended_at": "2026-04-07T00:13:30Z",
        "agent_name": "desk",
        "sampling": {"samples": max((len(letters) for _, letters in rows), default=1), "pass_rate": 0.75},
        "scenario_group": {
            "id": "SG_desk",
            "name": "desk",
            "scenarios": [make_scenario(scenario_id) for scenario_id, _ in rows],
        },
        "jobs": jobs,
    }
    return {
        "version": 1,
        "run": facts | run,
        "summary": {"chat_history": {job["id"]: {"items": said} for job in jobs}},
    }


def make_scenario(scenario_id: str, **more: Any) -> dict[str, Any]:
    """Return one scenario of the group."""
    return {
        "id": scenario_id,
        "label": f"Label of {scenario_id}",
        "instructions": "Ask where your order is.",
        "agent_expectations": "Says that it has shipped.",
        **more,
    }


def make_job(scenario_id: str, sample: int, letter: str, **more: Any) -> dict[str, Any]:
    """Return one sample that ended as the letter says."""
    return {
        **make_scenario(scenario_id),
        "id": f"SJ_{scenario_id}_{sample}",
        "scenario_id": scenario_id,
        "sample": sample,
        "status": STATUSES[letter],
        "error": "It said so." if letter == "p" else "It did not say so.",
        "started_at": "2026-04-07T00:12:31Z",
        "ended_at": "2026-04-07T00:12:39Z",
        **more,
    }


def write_export(folder: Path, *scenarios: str, file: str = EXPORT, **more: Any) -> Path:
    """Write an export into a folder and return the folder."""
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(make_export(*scenarios, **more)), encoding="utf-8")
    return folder
