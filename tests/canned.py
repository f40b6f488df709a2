"""Whole reports, one for each way in which a run can end; every golden file is made from these."""

from typing import Any

from agentlab_ci.core.judge import judge_scenario
from agentlab_ci.core.provider import Provider
from agentlab_ci.core.results import AgentIdentity, RunReport, SampleResult, ScenarioResult
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.scenario import Mode
from agentlab_ci.core.trace import Evaluation, Redraw, Role, SampleError, Turn, Wait
from agentlab_ci.errors import ExitCode
from factories import make_facts, make_report, make_row, make_samples
from hostile import HOSTILE_TEXTS

AGENT = AgentIdentity(
    name="shop", provider=Provider.HTTP, label="shop assistant", url="http://localhost:3000/api/chat"
)


def answered(outcomes: str, scenario_id: str) -> tuple[SampleResult, ...]:
    """Return samples of a two-step conversation with their turns, evaluations and errors."""
    return tuple(_with_evidence(sample) for sample in make_samples(outcomes, scenario_id=scenario_id))


def scenario(outcomes: str, scenario_id: str, **overrides: Any) -> ScenarioResult:
    """Return a judged two-step conversation, with evidence; its number of samples is the length of `outcomes`."""
    facts: dict[str, Any] = {
        "name": scenario_id.partition(".")[2].replace("-", " ").capitalize(),
        "suite": "support",
        "tags": ("smoke",),
        "file": "scenarios/support.yaml",
        "line": 12,
        "steps": 2,
        "agent": AGENT,
        "samples_wanted": len(outcomes),
    }
    return judge_scenario(make_facts(scenario_id, **facts | overrides), answered(outcomes, scenario_id))


def _with_evidence(sample: SampleResult) -> SampleResult:
    if sample.run_id is None:
        return sample
    asked = Turn(role=Role.USER, text="Where is my order?")
    evidence: dict[str, Any] = {"started_at": "2026-04-07T00:12:34Z", "duration_ms": 1200.0 - 100 * sample.sample}
    match sample.status:
        case SampleStatus.PASSED:
            evidence |= _two_answers("It has shipped. Tracking: 1Z999.", passed=True)
        case SampleStatus.FAILED:
            evidence |= _two_answers("I cannot help with that.", passed=False)
        case SampleStatus.ERROR:
            body = "<html>\n<h1>502 Bad Gateway</h1>\n</html>"
            evidence |= {
                "turns": (asked,),
                "error": SampleError(message="the agent answered HTTP 502", status=502, body=body),
                "redraws": (
                    Redraw(
                        reason=TerminationReason.HTTP_ERROR, message="the agent answered HTTP 502", seconds=0.5
                    ),
                ),
            }
        case SampleStatus.CANCELLED:
            evidence |= {"turns": (asked,), "waits": (Wait(seconds=12, status=429, attempt=1),)}
    return sample.model_copy(update=evidence)


def _two_answers(reply: str, *, passed: bool) -> dict[str, Any]:
    message = 'found "tracking"' if passed else 'missing "tracking"'
    greets = Evaluation(
        id="greets", type="response_contains", mode=Mode.WEIGHTED, step=1, passed=True, message='found "hello"'
    )
    tracks = Evaluation(
        id="names-tracking", type="response_contains", mode=Mode.HARD_GATE, step=2, passed=passed, message=message
    )
    return {
        "score": 100,
        "final_output": reply,
        "turns": (
            Turn(role=Role.USER, text="Hello"),
            Turn(role=Role.AGENT, text="Hello! How can I help?", latency_ms=310),
            Turn(role=Role.USER, text="Where is my order?"),
            Turn(role=Role.AGENT, text=reply, latency_ms=420),
        ),
        "evaluations": (greets, tracks),
    }


def hostile_scenario(index: int, text: str) -> ScenarioResult:
    """Return a failing scenario that holds the text in every field that untrusted text can reach."""
    scenario_id = f"{text}{index}"
    facts = make_facts(
        scenario_id,
        name=text,
        suite=text,
        tags=(text,),
        file=text,
        samples_wanted=3,
        skipped=None,
        agent=AGENT.model_copy(update={"label": text, "url": text}),
    )
    evaluation = Evaluation(id=text, type=text, mode=Mode.HARD_GATE, step=1, passed=False, message=text)
    evidence = {
        "run_id": text,
        "started_at": text,
        "turns": (Turn(role=Role.USER, text=text, note=text), Turn(role=Role.AGENT, text=text)),
        "final_output": text,
        "evaluations": (evaluation,),
        "error": SampleError(message=text, status=500, body=text),
        "redraws": (Redraw(reason=TerminationReason.HTTP_ERROR, message=text, seconds=1),),
    }
    samples = make_samples("ffe", scenario_id=scenario_id)
    return judge_scenario(facts, [sample.model_copy(update=evidence) for sample in samples])


CANNED_REPORTS: dict[str, RunReport] = {
    "all_pass": make_report(scenario("ppp", "support.order-status"), scenario("ppp", "support.refund")),
    "flaky": make_report(scenario("pfp", "support.order-status"), scenario("ppp", "support.refund")),
    "below_bar": make_report(
        scenario("ppp", "support.order-status"),
        scenario("fpf", "support.cancel"),
        scenario("pfe", "support.refund", pass_rate="1"),
        scenario("fff", "support.return"),
    ),
    "errors_only": make_report(scenario("pee", "support.order-status"), scenario("ppp", "support.refund")),
    "unfinished": make_report(
        scenario("pcc", "support.order-status"),
        scenario("...", "support.cancel"),
        scenario("ppp", "support.refund"),
    ),
    "interrupted": make_report(
        scenario("ppp", "support.order-status"), scenario("p..", "support.refund"), ended_by=ExitCode.SIGTERM
    ),
    "stopped_early": make_report(scenario("pps", "support.order-status"), scenario("ffs", "support.cancel")),
    "skipped": make_report(
        scenario("ppp", "support.order-status"),
        scenario("...", "support.fix-bug", skipped="a task cannot run on an http agent"),
    ),
    "single": make_report(
        scenario("p", "support.order-status"),
        scenario("f", "support.cancel"),
        scenario("e", "support.refund"),
        scenario("c", "support.return"),
    ),
    "empty": make_report(),
    "variants": make_report(
        make_row("ppp", "support.order-status", variant="baseline"),
        make_row("pff", "support.order-status", variant="candidate"),
        make_row("ppp", "support.refund", variant="baseline"),
        make_row("pfp", "support.refund", variant="candidate"),
    ),
    "not_gating": make_report(
        make_row("ppp", "support.order-status", variant="baseline"),
        make_row("pff", "support.order-status", variant="candidate", gate=False),
        make_row("eee", "support.refund", variant="candidate", gate=False),
    ),
    "mixed_k": make_report(scenario("ppp", "support.order-status"), scenario("pfppp", "support.refund")),
    "hostile": make_report(*(hostile_scenario(index, text[:200]) for index, text in enumerate(HOSTILE_TEXTS))),
}
