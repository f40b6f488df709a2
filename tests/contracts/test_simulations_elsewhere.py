"""Simulations against an OpenAI-compatible server that others wrote: it is agent, played user and judge."""

from collections.abc import Iterator
from typing import Any

import pytest

from aimock import aimock, journal
from command import Ended, agentlab, write_project
from simulated import simulation

KEY = "sk-canary-123456"

pytestmark = pytest.mark.network


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Start the server; yields its base URL."""
    with aimock("simulation_replies.json", key=KEY) as url:
        yield url


def check(kind: str, **config: Any) -> dict[str, Any]:
    return {"type": kind, "mode": "hard_gate", "config": config}


@pytest.fixture(scope="module")
def ended(server: str, tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """Run a simulation for each way that one can end."""
    scenarios = [
        simulation("sim.met"),
        simulation("sim.not-met", agent_preset={"system_prompt": "Be unkind."}),
        simulation("sim.cheated", agent_preset={"system_prompt": "Cheat."}),
        simulation("sim.repaired", agent_expectations="The author expects a mumbling judge."),
        simulation("sim.unusable", agent_expectations="The author expects a mumbling judge."),
        simulation("sim.busy", agent_expectations="The author expects a judge with little time."),
        simulation("sim.endless", instructions="You are one who never leaves.", max_turns=2),
        simulation("sim.vetoed", evaluators=[check("final_answer_contains", keywords=["receipt"])]),
        simulation("sim.slow", evaluators=[check("response_latency_max", ms=0.001)]),
    ]
    base = {"base_url": f"{server}/v1", "api_key_env": "MODELS_KEY"}
    config = {
        "agents": [{"name": "gpt", "provider": "openai", "model": "agent", **base}],
        "simulator": {"model": "simulator", **base},
        "judge": {"model": "judge", **base},
        # One at a time, so that the judge's replies come in the order of the file.
        "concurrency": 1,
    }
    project = write_project(tmp_path_factory.mktemp("simulations"), config, scenarios)
    return agentlab(project, "run", environ={"MODELS_KEY": KEY})


def test_how_each_ends(ended: Ended) -> None:
    assert {scenario_id: ends[0] for scenario_id, ends in ended.ends().items()} == {
        "sim.met": ("passed", "completed"),
        "sim.not-met": ("failed", "completed"),
        "sim.cheated": ("failed", "completed"),
        "sim.repaired": ("passed", "completed"),
        "sim.unusable": ("error", "judge_error"),
        "sim.busy": ("passed", "completed"),
        "sim.endless": ("passed", "completed"),
        "sim.vetoed": ("failed", "completed"),
        "sim.slow": ("failed", "completed"),
    }, ended.out + ended.err
    assert ended.code == 1


def test_what_was_said(ended: Ended) -> None:
    assert [turn["text"] for turn in sample(ended, "sim.met")["turns"]] == [
        "Refund ord_7.",
        "I have refunded ord_7.",
        "Thanks, bye.",
    ]
    assert [turn["role"] for turn in sample(ended, "sim.endless")["turns"]] == ["user", "agent"] * 2
    assert sample(ended, "sim.not-met")["evaluations"][-1]["message"] == "Nothing was refunded."
    assert [wait["status"] for wait in sample(ended, "sim.busy")["waits"]] == [429]


def test_a_veto_spares_the_judge(ended: Ended, server: str) -> None:
    judged = [entry for entry in journal(server, key=KEY) if entry["body"]["model"] == "judge"]
    # Once for met, not-met, cheated and endless; twice for repaired, unusable and busy.
    assert len(judged) == 10
    assert "judge_usage" not in sample(ended, "sim.vetoed")


def test_usage_is_recorded_model_by_model(ended: Ended) -> None:
    found = sample(ended, "sim.met")
    for name in ("usage", "simulator_usage", "judge_usage"):
        assert found[name]["input_tokens"] > 0
        assert found[name]["output_tokens"] > 0


def sample(ended: Ended, scenario_id: str) -> Any:
    [row] = [row for row in ended.results["scenarios"] if row["scenario_id"] == scenario_id]
    return row["samples"][0]
