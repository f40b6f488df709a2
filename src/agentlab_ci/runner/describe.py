"""A plan in words, for `--dry-run`."""

from agentlab_ci.core.sampling import needed
from agentlab_ci.core.text import plural
from agentlab_ci.runner.plan import Plan, PlanRow


def describe_plan(plan: Plan) -> list[str]:
    """Return a line for each scenario and variant, then what the run would cost at most."""
    lines = [_describe_row(row) for row in plan.rows]
    scenarios, samples = len(plan.runnable), plan.total_samples
    lines.append(
        f"{plural(scenarios, 'scenario')}, {plural(samples, 'sample')}, at most {_describe_calls(plan)}; "
        "nothing was called"
    )
    return lines


def _describe_calls(plan: Plan) -> str:
    agent = plural(plan.most_agent_calls, "agent call")
    if not plan.most_judge_calls:
        return agent
    return (
        f"{agent}, {plural(plan.most_simulator_calls, 'simulator call')} and {plan.most_judge_calls} judge calls"
    )


def _describe_row(row: PlanRow) -> str:
    facts = row.facts
    if row.skipped:
        return f"{facts.title}: skipped, {facts.skipped}"
    bar = f", needs {needed(facts.samples_wanted, facts.pass_rate)}" if facts.samples_wanted > 1 else ""
    profile = "" if row.profile is None else f", profile {row.profile.name}"
    gate = "" if facts.gate else ", does not gate"
    samples = plural(facts.samples_wanted, "sample")
    return f"{facts.title}: {samples}{bar}, agent {row.agent.shown_as}{profile}{gate}"
