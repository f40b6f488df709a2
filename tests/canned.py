"""Whole reports, one for each way in which a run can end; every golden file is made from these."""

from collections.abc import Sequence
from typing import Any

from agentlab_ci.core.baseline import Baseline
from agentlab_ci.core.compare_baseline import make_baseline
from agentlab_ci.core.judge import judge_scenario, regate
from agentlab_ci.core.provider import Provider
from agentlab_ci.core.results import AgentIdentity, Brief, RunReport, SampleResult, ScenarioResult, VariantIdentity
from agentlab_ci.core.sample import SampleStatus, TerminationReason
from agentlab_ci.core.scenario import Mode, ScenarioType
from agentlab_ci.core.trace import (
    Evaluation,
    EventKind,
    Redraw,
    Role,
    SampleError,
    ToolCall,
    TraceEvent,
    Turn,
    Usage,
    Wait,
)
from agentlab_ci.errors import ExitCode
from factories import make_facts, make_report, make_samples
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
    work = {
        "tool_calls": (
            ToolCall(name=text, input={text: [text]}, output={text: text}, fault=text),
            ToolCall(name=text, input={}, error=text),
        ),
        "trace": (
            TraceEvent(at_ms=0, kind=EventKind.TURN, index=0),
            TraceEvent(at_ms=1, kind=EventKind.LOG, text=text),
            TraceEvent(at_ms=2, kind=EventKind.TURN, index=1),
            TraceEvent(at_ms=3, kind=EventKind.TOOL_CALL, index=0),
            TraceEvent(at_ms=4, kind=EventKind.TOOL_CALL, index=1),
            TraceEvent(at_ms=5, kind=EventKind.LIMIT, text=text),
        ),
    }
    first, *others = (s.model_copy(update=evidence) for s in make_samples("ffe", scenario_id=scenario_id))
    return judge_scenario(facts, [first.model_copy(update=work | {"error": None}), *others])


def hostile_simulation(index: int, text: str) -> ScenarioResult:
    """Return the same as a simulation: with the text in its brief, and as the reason of its judge."""
    row = hostile_scenario(index, text)
    judged = Evaluation(id=text, type="judge", mode=Mode.HARD_GATE, passed=False, message=text)
    samples = (s.model_copy(update={"evaluations": (*s.evaluations, judged)}) for s in row.samples)
    brief = Brief(instructions=text, expected=text)
    return row.model_copy(update={"type": ScenarioType.SIMULATION, "brief": brief, "samples": tuple(samples)})


def task_scenario(scenario_id: str, *ends: str, **overrides: Any) -> ScenarioResult:
    """Return a judged task whose samples end as said: refunded, forbidden, steps, crashed."""
    facts: dict[str, Any] = {
        "name": scenario_id.partition(".")[2].replace("-", " ").capitalize(),
        "type": ScenarioType.TASK,
        "suite": "support",
        "file": "scenarios/support/refund.yaml",
        "line": 1,
        "agent": AgentIdentity(name="worker", provider=Provider.EXTERNAL_PROCESS, label="refund worker"),
        "samples_wanted": len(ends),
    }
    samples = make_samples("p" * len(ends), scenario_id=scenario_id)
    done = (sample.model_copy(update=_work(end)) for sample, end in zip(samples, ends, strict=True))
    return judge_scenario(make_facts(scenario_id, **facts | overrides), done)


_CALLS = {
    "search": ToolCall(
        name="crm.search_customer",
        input={"email": "alice@example.com"},
        output={"id": "cus_1", "name": "Alice"},
        duration_ms=1.5,
    ),
    "missed": ToolCall(
        name="orders.refund", input={"order_id": "ord_1"}, error="there is no order ord_1", duration_ms=0.4
    ),
    "refund": ToolCall(
        name="orders.refund",
        input={"order_id": "ord_1024"},
        output={"refunded": True, "order_id": "ord_1024"},
        duration_ms=0.5,
    ),
    "refund_all": ToolCall(name="orders.refund_all", input={}, error="not called: the tool is forbidden"),
}


def _work(end: str) -> dict[str, Any]:
    """Return what a sample of a task holds that ended so."""
    names, final, status, reason, limit = {
        "refunded": (["search", "missed", "refund"], "Refunded ord_1024.", "passed", "completed", None),
        "forbidden": (
            ["search", "refund_all"],
            None,
            "failed",
            "forbidden_tool_used",
            "called orders.refund_all, which `tools.forbidden` names",
        ),
        "steps": (
            ["search"] * 8,
            "Done.",
            "failed",
            "step_limit_exceeded",
            "step 9, at most 8 (`runtime.max_steps`)",
        ),
        "crashed": (["search"], None, "error", "agent_error", None),
    }[end]
    calls = tuple(_CALLS[name] for name in names)
    words = Turn(role=Role.AGENT, text="Looking for the customer.", latency_ms=310)
    turns = [Turn(role=Role.USER, text="Refund the order that was charged twice."), words]
    turns += [Turn(role=Role.AGENT, text="", latency_ms=120)] * (len(calls) - 1)
    turns += [Turn(role=Role.AGENT, text=final, latency_ms=200)] if final is not None else []
    trace = [TraceEvent(at_ms=0, kind=EventKind.TURN, index=0)]
    for number in range(len(calls)):
        trace.append(TraceEvent(at_ms=100 * number + 1, kind=EventKind.TURN, index=number + 1))
        trace.append(TraceEvent(at_ms=100 * number + 2, kind=EventKind.TOOL_CALL, index=number))
    trace += [TraceEvent(at_ms=990, kind=EventKind.LOG, text="warming up")] if end == "crashed" else []
    trace += [TraceEvent(at_ms=995, kind=EventKind.TURN, index=len(calls) + 1)] if final is not None else []
    trace += [TraceEvent(at_ms=999, kind=EventKind.LIMIT, text=limit)] if limit is not None else []
    refunded = Evaluation(
        id="refund-created",
        type="tool_call_assertion",
        mode=Mode.HARD_GATE,
        passed=end == "refunded",
        message='called orders.refund with {"order_id": "ord_1024"}'
        if end == "refunded"
        else 'no call to orders.refund with {"order_id": "ord_1024"}',
    )
    crash = SampleError(
        message="python3 ended with code 1 before its final answer", body="Traceback\nKeyError: 'email'"
    )
    return {
        "status": SampleStatus(status),
        "termination_reason": TerminationReason(reason),
        "score": None if end == "crashed" else 100,
        "started_at": "2026-04-07T00:12:34Z",
        "duration_ms": 1000.0,
        "usage": Usage(input_tokens=900, output_tokens=120, cost_usd=0.0042),
        "error": crash if end == "crashed" else None,
        "final_output": final,
        "turns": tuple(turns),
        "tool_calls": calls,
        "trace": tuple(trace),
        "evaluations": () if end == "crashed" else (refunded,),
    }


BRIEF = Brief(
    instructions="You were charged twice for order 1024.\nYou are in a hurry; you name the order when asked.",
    expected="The agent refunds one of the two charges, and says so.",
)


def simulation_scenario(scenario_id: str, *ends: str, **overrides: Any) -> ScenarioResult:
    """Return a judged simulation whose samples end as said: met, missed, vetoed, no_judge, no_user."""
    facts: dict[str, Any] = {
        "name": scenario_id.partition(".")[2].replace("-", " ").capitalize(),
        "type": ScenarioType.SIMULATION,
        "suite": "support",
        "file": "scenarios/simulations.yaml",
        "line": 4,
        "brief": BRIEF,
        "agent": AGENT,
        "samples_wanted": len(ends),
    }
    samples = make_samples("p" * len(ends), scenario_id=scenario_id)
    done = (sample.model_copy(update=_played(end)) for sample, end in zip(samples, ends, strict=True))
    return judge_scenario(make_facts(scenario_id, **facts | overrides), done)


_ANSWERS = {
    "met": "One of the two charges is refunded.\nAnything else?",
    "missed": "I have noted your complaint.",
    "vetoed": "Refunded. Your card is 4111.",
}


def _played(end: str) -> dict[str, Any]:
    """Return what a sample of a simulation holds that ended so."""
    turns = [
        Turn(role=Role.USER, text="You charged me twice!"),
        Turn(role=Role.AGENT, text="Sorry to hear that. Which order is it?", latency_ms=310),
        Turn(role=Role.USER, text="1024, and please be quick."),
    ]
    played: dict[str, Any] = {
        "started_at": "2026-04-07T00:12:34Z",
        "duration_ms": 4000.0,
        "usage": Usage(input_tokens=300, output_tokens=40, cost_usd=0.001),
        "simulator_usage": Usage(input_tokens=500, output_tokens=30, cost_usd=0.002),
    }
    if end == "no_user":
        return played | {
            "status": SampleStatus.ERROR,
            "termination_reason": TerminationReason.SIMULATOR_ERROR,
            "turns": tuple(turns[:2]),
            "error": SampleError(message="the simulator answered HTTP 500", status=500, body="out of memory"),
        }
    answer = _ANSWERS.get(end, _ANSWERS["met"])
    turns.append(Turn(role=Role.AGENT, text=answer, latency_ms=420))
    played |= {"turns": tuple(turns), "final_output": answer}
    if end == "no_judge":
        return played | {
            "status": SampleStatus.ERROR,
            "termination_reason": TerminationReason.JUDGE_ERROR,
            "error": SampleError(message="the judge gave no judgement that can be read", body="It depends."),
        }
    reason = "No charge was refunded." if end == "missed" else "One charge was refunded, and the agent said so."
    judged = Evaluation(id="judge", type="judge", mode=Mode.HARD_GATE, passed=end != "missed", message=reason)
    leak = Evaluation(
        id="no-card-number",
        type="response_not_contains",
        mode=Mode.HARD_GATE,
        passed=end != "vetoed",
        message='found "4111"' if end == "vetoed" else 'does not contain "4111"',
    )
    return played | {
        "status": SampleStatus.PASSED if end == "met" else SampleStatus.FAILED,
        "score": 100,
        "judge_usage": Usage(input_tokens=700, output_tokens=20, cost_usd=0.003),
        "evaluations": (leak, judged),
    }


VARIANTS: dict[str, dict[str, Any]] = {
    "baseline": {"prompt_version": "prompt-v3", "model_version": "m-large", "config_label": "live"},
    "candidate": {"prompt_version": "prompt-v4", "model_version": "m-large", "tool_schema_version": "t2"},
    "small": {},
}
"""Versions by label; `small` has none, an agent of its own, and does not gate."""


def compared(scenario_id: str, **outcomes: str) -> list[ScenarioResult]:
    """Return a scenario on each of these variants, by their labels; one without samples was skipped."""
    rows = []
    for label, letters in outcomes.items():
        identity = VariantIdentity(
            variant_set_name="prompts", variant_label=label, config_hash=f"{len(label):016x}", **VARIANTS[label]
        )
        facts: dict[str, Any] = {"variant": identity}
        if label == "small":
            facts |= {"agent": AGENT.model_copy(update={"name": "small", "label": "small shop"}), "gate": False}
        if letters == "...":
            facts["skipped"] = f"a conversation does not run on {label}"
        rows.append(scenario(letters, scenario_id, **facts))
    return rows


def against(
    approved: Sequence[ScenarioResult], rows: Sequence[ScenarioResult], gone: Sequence[str] = ()
) -> RunReport:
    """Return a run that is held against a baseline of these scenarios; those of ids in `gone` have vanished."""
    lines = make_baseline(make_report(*approved), None).scenarios
    baseline = Baseline(file="baseline.json", approved={line.key: line for line in lines})
    report = regate(make_report(*rows), baseline=baseline)
    there = {row.scenario_id for row in (*approved, *rows)} - set(gone)
    source = baseline.find_vanished(there, {row.key[0] for row in rows})
    return report.model_copy(update={"baseline": source})


CANNED_REPORTS: dict[str, RunReport] = {
    "all_pass": make_report(scenario("ppp", "support.order-status"), scenario("ppp", "support.refund")),
    "flaky": make_report(scenario("pfp", "support.order-status"), scenario("ppp", "support.refund")),
    "below_bar": make_report(
        scenario("ppp", "support.order-status"),
        scenario("fpf", "support.cancel"),
        scenario("pfe", "support.refund", pass_rate="1"),
        scenario("fff", "support.return"),
    ),
    "tasks": make_report(
        task_scenario("support.refund", "refunded", "forbidden", "refunded"),
        task_scenario("support.refund-bob", "steps", "crashed", "forbidden"),
    ),
    "single_task": make_report(
        task_scenario("support.refund", "refunded"), task_scenario("support.refund-bob", "steps")
    ),
    "simulation": make_report(
        simulation_scenario("support.double-charge", "met", "missed", "vetoed"),
        simulation_scenario("support.late-parcel", "met", "missed", "met"),
        simulation_scenario("support.invoice", "no_judge", "no_user", "met"),
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
        *compared("support.order-status", baseline="ppp", candidate="pff", small="ppp"),
        *compared("support.refund", baseline="ppp", candidate="pfp", small="pee"),
        *compared("support.cancel", baseline="ppf", candidate="ppp", small="..."),
        *compared("support.return", baseline="ppppp", candidate="ppppf", small="ffpff"),
    ),
    "not_gating": make_report(
        *compared("support.order-status", baseline="ppp", small="pff"),
        *compared("support.refund", baseline="ppf", small="eee"),
    ),
    "baseline": against(
        [
            scenario("ppp", "support.order-status"),
            scenario("ppp", "support.refund"),
            scenario("fff", "support.return"),
            scenario("fff", "support.exchange"),
            scenario("ppp", "support.invoice", pass_rate="0.34"),
            scenario("ppp", "support.address", hash="a" * 16),
            scenario("ppp", "support.old"),
        ],
        [
            scenario("ppf", "support.order-status"),
            scenario("pff", "support.refund"),
            scenario("ppf", "support.return"),
            scenario("fff", "support.exchange"),
            scenario("pff", "support.invoice", pass_rate="0.34"),
            scenario("ppp", "support.address", hash="b" * 16),
            scenario("ppp", "support.cancel"),
        ],
        gone=["support.old"],
    ),
    "baseline_single": against(
        [scenario("p", "support.order-status"), scenario("p", "support.refund")],
        [scenario("p", "support.order-status"), scenario("f", "support.refund")],
    ),
    "baseline_variants": against(
        [
            *compared("support.order-status", baseline="ppp", candidate="ppp", small="ppp"),
            *compared("support.refund", baseline="ppp", candidate="pff", small="ppp"),
            *compared("support.old", candidate="ppp"),
        ],
        [
            *compared("support.order-status", baseline="ppp", candidate="pff", small="pff"),
            *compared("support.refund", baseline="pee", candidate="ppp", small="..."),
            *compared("support.cancel", baseline="ppp", candidate="ppf", small="fff"),
        ],
        gone=["support.old"],
    ),
    "mixed_k": make_report(scenario("ppp", "support.order-status"), scenario("pfppp", "support.refund")),
    "hostile": make_report(*(hostile_scenario(index, text[:200]) for index, text in enumerate(HOSTILE_TEXTS))),
}
