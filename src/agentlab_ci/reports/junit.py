"""junit.xml: one testsuite for each scenario, red if and only if a gating scenario is below the bar.

Consumers turn red at any failure, so a tolerated one is written as skipped (or as flaky) with its evidence.
"""

import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from junit_xml import TestCase, TestSuite

from agentlab_ci.core.formats import JUnitStyle
from agentlab_ci.core.results import RunReport, SampleResult, ScenarioResult, VariantIdentity
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.reports.baseline_wording import explain_state
from agentlab_ci.reports.escape import clean_xml
from agentlab_ci.reports.evidence import describe_sample
from agentlab_ci.reports.reasons import deciding_sample, explain_sample, explain_scenario
from agentlab_ci.reports.redact import cut
from agentlab_ci.reports.simulation import brief_of, is_simulation
from agentlab_ci.reports.wording import count_passes

_CASE_LIMIT = 64 << 10
_MESSAGE_LIMIT = 1 << 10
_NOT_PASSED = (SampleStatus.FAILED, SampleStatus.ERROR)
_LAST_CHILDREN = ("skipped", "system-out")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A testcase of junit-xml, and what it cannot write: its time when zero, and flaky or rerun children."""

    case: Any
    seconds: float
    reruns: tuple[ET.Element, ...] = ()


def render_junit(report: RunReport, *, style: JUnitStyle) -> bytes:
    """Render junit.xml in UTF-8, suite by suite: elements take many times the memory of their text."""
    totals = dict.fromkeys(("tests", "failures", "errors"), 0)
    seconds = 0.0
    suites = []
    for row, name in zip(report.scenarios, _name_suites(report.scenarios), strict=True):
        suite = _suite(row, name, style)
        totals = {kind: total + int(suite.attrib[kind]) for kind, total in totals.items()}
        seconds += float(suite.attrib["time"])
        suites.append(ET.tostring(suite, encoding="utf-8"))
    counts = {kind: str(total) for kind, total in totals.items()}
    root = ET.Element("testsuites", {"name": "agentlab", **counts, "time": _seconds(seconds)})
    empty: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True, short_empty_elements=False)
    end = b"</testsuites>"
    return b"".join([empty.removesuffix(end), *suites, end, b"\n"])


def _name_suites(rows: Iterable[ScenarioResult]) -> list[str]:
    """Name each suite by its title, with a number where titles are alike once they are legal XML."""
    names: dict[str, None] = {}
    numbers: defaultdict[str, Iterator[int]] = defaultdict(lambda: count(2))
    for row in rows:
        name = title = _clean(row.title)
        while name in names:
            name = f"{title} ({next(numbers[title])})"
        names[name] = None
    return list(names)


def _suite(row: ScenarioResult, name: str, style: JUnitStyle) -> ET.Element:
    whole = style is JUnitStyle.SCENARIOS or row.skipped is not None
    cases = [_scenario_case(row, name)] if whole else _sample_cases(row, name)
    started = [sample.started_at for sample in row.samples if sample.started_at is not None]
    suite = TestSuite(
        name,
        [case.case for case in cases],
        properties={name: _clean(value) for name, value in _properties(row).items()},
        timestamp=_clean(min(started)) if started else None,
        file=_file(row),
    )
    element: ET.Element = suite.build_xml_doc()
    element.attrib.pop("disabled")
    element.set("time", _seconds(sum(case.seconds for case in cases)))
    for case, node in zip(cases, element.findall("testcase"), strict=True):
        node.set("time", _seconds(case.seconds))
        node.extend(case.reruns)
        node[:] = sorted(node, key=lambda child: child.tag in _LAST_CHILDREN)
    if brief := "\n\n".join(f"{it.title}:\n{it.text}" for it in brief_of(row)):
        ET.SubElement(element, "system-out").text = _clean(brief)
    return element


def _properties(row: ScenarioResult) -> dict[str, str]:
    properties = {
        "verdict": row.verdict.value,
        "passed": str(row.passed),
        "samples": str(row.samples_wanted),
        "needed": str(row.needed),
        "pass_rate": str(row.pass_rate),
        "suite": row.suite,
    }
    if row.name not in ("", row.scenario_id):
        properties["name"] = row.name
    if row.label is not None:
        properties["label"] = row.label.value
    if row.agent is not None:
        properties["agent"] = row.agent.label
    if row.tags:
        properties["tags"] = ", ".join(row.tags)
    if row.variant is not None:
        known = {name: getattr(row.variant, name) for name in VariantIdentity.model_fields}
        properties |= {name: value for name, value in known.items() if value is not None}
    if not row.gate:
        properties["gate"] = "false"
    if row.baseline is not None:
        properties["baseline"] = row.baseline.state.value
        if reason := explain_state(row, str):
            properties["baseline_reason"] = reason
    return properties


def _sample_cases(row: ScenarioResult, suite: str) -> list[_Case]:
    ended = {sample.sample: sample for sample in row.samples}
    return [_sample_case(row, suite, number, ended.get(number)) for number in range(1, row.samples_wanted + 1)]


def _sample_case(row: ScenarioResult, suite: str, number: int, sample: SampleResult | None) -> _Case:
    name = _name_case(row, suite) if row.samples_wanted == 1 else f"sample {number}/{row.samples_wanted}"
    case = _test_case(row, suite, name)
    if sample is None:
        case.add_skipped_info(message="not run")
        return _Case(case=case, seconds=0)
    if sample.status is not SampleStatus.PASSED:
        if _is_red(row, sample):
            _make_red(case, sample, explain_sample(sample)[0])
        else:
            case.add_skipped_info(message=_message(_why_skipped(row, sample)))
    if is_simulation(row) or sample.status is not SampleStatus.PASSED:
        case.stdout = _clean(describe_sample(sample))
    return _Case(case=case, seconds=sample.duration_ms / 1000)


def _name_case(row: ScenarioResult, suite: str) -> str:
    """Name the only testcase of a suite as the scenario: by its name where its id says nothing to people."""
    return _clean(row.name) if row.goes_by_name else suite


def _is_red(row: ScenarioResult, sample: SampleResult) -> bool:
    if not (row.gate and row.below_bar):
        return False
    return sample.status is SampleStatus.ERROR or (
        sample.status is SampleStatus.FAILED and not row.could_not_be_judged
    )


def _why_skipped(row: ScenarioResult, sample: SampleResult) -> str:
    if sample.status is SampleStatus.CANCELLED:
        return explain_sample(sample)[0]
    if row.verdict is Verdict.PASSED:
        reason = "tolerated"
    elif row.verdict is Verdict.UNFINISHED:
        reason = "unfinished"
    else:
        reason = "could not be judged" if row.gate else "variant does not gate"
    return f"{sample.status.value}, {reason}: {count_passes(row)}"


def _scenario_case(row: ScenarioResult, suite: str) -> _Case:
    case = _test_case(row, suite, _name_case(row, suite))
    bad = [sample for sample in row.samples if sample.status in _NOT_PASSED]
    seconds = sum(sample.duration_ms for sample in row.samples) / 1000
    if row.verdict is Verdict.PASSED:
        if is_simulation(row):
            case.stdout = _clean(_describe(s for s in row.samples if s.status is SampleStatus.PASSED))
        return _Case(case=case, seconds=seconds, reruns=_reruns("flaky", bad))
    if row.gate and row.below_bar:
        decisive = deciding_sample(row)
        _make_red(case, decisive, f"{count_passes(row)}: {explain_scenario(row)}")
        case.stdout = _clean(describe_sample(decisive))
        others = [sample for sample in bad if sample is not decisive]
        return _Case(case=case, seconds=seconds, reruns=_reruns("rerun", others))
    reason = "variant does not gate: " if row.below_bar else ""
    case.add_skipped_info(message=_message(f"{reason}{count_passes(row)}: {explain_scenario(row)}"))
    case.stdout = _clean(_describe(bad))
    return _Case(case=case, seconds=seconds)


def _describe(samples: Iterable[SampleResult]) -> str:
    return "\n\n".join(f"sample {s.sample}/{s.of}\n{describe_sample(s)}" for s in samples)


def _reruns(kind: str, samples: Iterable[SampleResult]) -> tuple[ET.Element, ...]:
    return tuple(_rerun(f"{kind}{'Error' if s.status is SampleStatus.ERROR else 'Failure'}", s) for s in samples)


def _rerun(tag: str, sample: SampleResult) -> ET.Element:
    reasons = explain_sample(sample)
    label = f"sample {sample.sample}/{sample.of}"
    element = ET.Element(
        tag, {"message": _message(f"{label}: {reasons[0]}"), "type": sample.termination_reason.value}
    )
    ET.SubElement(element, "stackTrace").text = _clean("\n".join(reasons))
    ET.SubElement(element, "system-out").text = _clean(describe_sample(sample))
    return element


def _test_case(row: ScenarioResult, suite: str, name: str) -> Any:
    return TestCase(name, classname=suite, file=_file(row), line=row.line)


def _make_red(case: Any, sample: SampleResult, message: str) -> None:
    """Add a failure or an error; junit-xml leaves out one whose message is empty."""
    text = _clean("\n".join(explain_sample(sample)))
    if sample.status is SampleStatus.ERROR:
        case.add_error_info(_message(message), text, sample.termination_reason.value)
    else:
        case.add_failure_info(_message(message), text, sample.termination_reason.value)


def _file(row: ScenarioResult) -> str | None:
    return None if row.file is None else _clean(row.file)


def _message(text: str) -> str:
    return clean_xml(cut(text, _MESSAGE_LIMIT))


def _clean(text: str) -> str:
    return clean_xml(cut(text, _CASE_LIMIT))


def _seconds(value: float) -> str:
    return f"{value:.3f}"
