"""How scenarios stand against the baseline, in the words of every surface. Ids and file names are untrusted."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from agentlab_ci.core.baseline import BaselineState, LostHardGate
from agentlab_ci.core.judge import has_broken_off
from agentlab_ci.core.results import RunReport, ScenarioResult
from agentlab_ci.core.text import plural
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.errors import ExitCode
from agentlab_ci.reports.redact import cut

MOST_NAMED = 10
_MOST_GATES = 2
_LONGEST_NAME = 100
"""Bytes."""

Show = Callable[[str], str]
"""Makes an untrusted name safe for the sink that the words are for."""


def name_state(row: ScenarioResult) -> str:
    """Return the state in words, such as `still failing`; empty without a baseline."""
    return "" if row.baseline is None else _words(row.baseline.state)


def explain_state(row: ScenarioResult, show: Show) -> str:
    """Say why a scenario is not comparable, or which hard gate was lost; empty where the state says it all."""
    if row.baseline is None:
        return ""
    return row.baseline.reason or _tell_gates(row.baseline.lost_gates, show)


def tell_state(row: ScenarioResult, show: Show) -> tuple[str, ...]:
    """Return state and explanation as one remark; none without a baseline."""
    told = ": ".join(part for part in (name_state(row), explain_state(row, show)) if part)
    return (told,) if told else ()


def baseline_lines(report: RunReport, show: Show) -> tuple[str, ...]:
    """Count the scenarios by state, name what vanished, say why nothing is decided; no line without a baseline."""
    if report.baseline is None:
        return ()
    states = [row.baseline.state for row in report.scenarios if row.baseline is not None]
    told = ", ".join(f"{states.count(it)} {_words(it)}" for it in _WORST_FIRST if it in states)
    gone = [show(cut(it.title, _LONGEST_NAME)) for it in report.baseline.vanished]
    file = show(cut(report.baseline.file, _LONGEST_NAME))
    lines = [f"since the baseline ({file}): {told or 'nothing to compare'}"]
    if gone:
        lines.append(f"{plural(len(gone), 'scenario')} of the baseline vanished: {_join(gone)}")
    return (*lines, *_tell_undecided(report))


def _tell_undecided(report: RunReport) -> Iterator[str]:
    """Say why `--fail-on regression` ended in exit code 3, unless what is unfinished says it all."""
    gating = [row for row in report.judged if row.gate]
    if report.summary.exit_code is not ExitCode.NO_VERDICT or has_broken_off(report, report.scenarios):
        return
    if not any(row.below_bar for row in gating) and any(row.verdict is Verdict.UNFINISHED for row in gating):
        return
    reasons = [reason for row in gating if (reason := _why_undecided(row))]
    if told := ", ".join(f"{count} {reason}" for reason, count in Counter(reasons).items()):
        code = f"exit code {ExitCode.NO_VERDICT}"
        yield f"`--fail-on regression` cannot tell whether anything got worse ({code}): {told}"


def _why_undecided(row: ScenarioResult) -> str | None:
    """Name why nobody can say whether the scenario got worse, by the rule of `core.judge`."""
    state = None if row.baseline is None else row.baseline.state
    if row.could_not_be_judged:
        return "could not be judged"
    if state is BaselineState.NEW and row.below_bar:
        return "new and below the bar"
    return _words(state) if state is BaselineState.NOT_COMPARABLE else None


_WORST_FIRST = (
    BaselineState.REGRESSED,
    BaselineState.STILL_FAILING,
    BaselineState.NOT_COMPARABLE,
    BaselineState.NEW,
    BaselineState.FIXED,
    BaselineState.UNCHANGED,
)


def _words(state: BaselineState) -> str:
    return state.value.replace("_", " ")


def _tell_gates(gates: Iterable[LostHardGate], show: Show) -> str:
    told = [_tell_gate(gate, show) for gate in gates]
    more = len(told) - _MOST_GATES
    return ", ".join(told[:_MOST_GATES]) + (f" and {more} more" if more > 0 else "")


def _tell_gate(gate: LostHardGate, show: Show) -> str:
    place = "" if gate.step is None else f" of step {gate.step}"
    name = show(cut(gate.id, _LONGEST_NAME))
    return f"hard gate {name}{place} fails in {gate.missed} of {plural(gate.of, 'sample')}"


def _join(names: list[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
