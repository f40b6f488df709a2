"""The pages on simulations: the project runs as it stands, and the figures are those of the program."""

import asyncio
import json
import re
from pathlib import Path

import pytest

import loopback
from agentlab_ci.core.agreement import Rejudged
from agentlab_ci.core.trace import Usage
from agentlab_ci.reports.agreement_text import agreement_lines
from agentlab_ci.reports.formatting import TEXT
from agentlab_ci.simulation.transcript import LONGEST
from command import agentlab
from doc_pages import read_page
from loopback import HostileAgent, Request, hostile_agent
from openai_talk import says

SIMULATE, TRUST = read_page("how-to/simulate-users.md"), read_page("how-to/trust-a-judge.md")
USER = [json.dumps({"message": text, "done": False}) for text in ("I was charged twice!", "It is ord_1024.")]
DONE = json.dumps({"message": "", "done": True})
MET = json.dumps({"reason": "It asked, and it refunded.", "met": True})


async def _model(_: HostileAgent, request: Request, count: int, writer: asyncio.StreamWriter) -> None:
    """Play the user, who leaves after two messages, and judge."""
    messages = request.body["messages"]
    said = sum(message["role"] == "assistant" for message in messages)
    text = MET if request.body["model"] == "gpt-4o" else [*USER, DONE][said]
    body = says(text) | {"usage": {"prompt_tokens": 100, "completion_tokens": 10}}
    await loopback.fixed(json.dumps(body).encode())(_, request, count, writer)


async def _desk(_: HostileAgent, request: Request, count: int, writer: asyncio.StreamWriter) -> None:
    named = "ord_1024" in request.body["message"]
    reply = "One charge of ord_1024 is refunded." if named else "Which order is it?"
    await loopback.fixed(json.dumps({"message": reply}).encode())(_, request, count, writer)


def test_the_project_of_the_page_runs_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(loopback.ROUTES, "/v1/chat/completions", _model)
    monkeypatch.setitem(loopback.ROUTES, "/api/chat", _desk)
    assert len(SIMULATE.commands) == SIMULATE.text.count("```sh") == 3
    with hostile_agent() as server:
        config = SIMULATE.write(tmp_path) / "agentlab.config.yaml"
        text = config.read_text(encoding="utf-8").replace("http://localhost:3000", server.url(""))
        text = re.sub(r"( +)model: .*\n", rf"\g<0>\1base_url: {server.url('/v1')}\n", text)
        config.write_text(text, encoding="utf-8")
        environ = {"OPENAI_API_KEY": "sk-canary-123456"}
        ends = [agentlab(tmp_path, *arguments, environ=environ) for _, arguments in SIMULATE.commands]
    assert [ended.code for ended in ends] == [code for code, _ in SIMULATE.commands], [e.out + e.err for e in ends]
    _, ran, named = ends
    summary = ran.results["summary"]
    # 3 requests to the simulator and 1 to the judge in each of 3 samples
    assert summary["simulation_cost_usd"] == pytest.approx(3 * (3 * 0.000021 + 0.00035))
    assert summary["cost_usd"] is None
    report = (tmp_path / "agentlab-report/report.md").read_text(encoding="utf-8")
    assert "✅ judge: met: `It asked, and it refunded.`" in report
    assert named.out == "scenarios/desk.yaml: wrote 2 ids\n  desk.late-order\n  desk.no-refund-twice\n"
    listed = (tmp_path / "scenarios/desk.yaml").read_text(encoding="utf-8")
    assert "  - id: desk.late-order\n    label: Late order # asked for most often\n" in listed


def test_what_a_check_of_the_judge_prints() -> None:
    def sample(number: int, run_id: str, *, stored: bool, met: int, not_met: int, unusable: int = 0) -> Rejudged:
        return Rejudged(
            title="support.charged-twice",
            sample=number,
            of=3,
            run_id=run_id,
            stored=stored,
            met=met,
            not_met=not_met,
            unusable=unusable,
            dissent=None if stored else "The agent named the order, which is what was asked.",
        )

    samples = [
        sample(1, "run_20260407_001234_k3f9", stored=True, met=5, not_met=0),
        sample(2, "run_20260407_001236_p2x1", stored=False, met=1, not_met=3, unusable=1),
        sample(3, "run_20260407_001239_m7c4", stored=True, met=5, not_met=0),
    ]
    shown = agreement_lines(samples, Usage(input_tokens=14210, output_tokens=812, cost_usd=0.044), TEXT)
    (block,) = re.findall(r"```text\n\$ agentlab judge-check @last -n 5\n(.*?)```", TRUST.text, re.DOTALL)
    assert block == "\n".join(shown) + "\n"


@pytest.mark.parametrize("page", [SIMULATE, TRUST], ids=["simulate", "trust"])
def test_how_much_of_a_talk_models_are_shown(page: object) -> None:
    assert f"{LONGEST:,} characters" in getattr(page, "text", "")
