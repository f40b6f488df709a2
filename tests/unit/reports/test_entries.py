"""Samples that never ran, or never reached their agent, are told once however many they are."""

from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.trace import SampleError
from agentlab_ci.reports.entries import join_alike, make_entries, name_samples
from agentlab_ci.reports.reasons import explain_sample
from factories import make_samples


def _numbers(samples: tuple[SampleResult, ...]) -> list[list[int]]:
    return [[sample.sample for sample in entry.samples] for entry in make_entries(samples, explain_sample)]


def test_neighbours_that_never_ran_for_one_reason_are_one_entry() -> None:
    assert _numbers(make_samples("pssfss")) == [[1], [2, 3], [4], [5, 6]]


def test_a_gap_and_another_reason_begin_an_entry() -> None:
    deadline = [sample.model_copy(update={"run_id": None}) for sample in make_samples("ccssss")]
    assert _numbers((*deadline[:4], deadline[5])) == [[1, 2], [3, 4], [6]]


def test_what_ran_has_an_entry_of_its_own() -> None:
    assert _numbers(make_samples("ccuuff")) == [[1], [2], [3], [4], [5], [6]]


def test_an_unreachable_agent_is_told_once_and_an_error_each_time() -> None:
    unreachable = make_samples("uuu")
    error = SampleError(message="refused")
    samples = (unreachable[0], unreachable[1].model_copy(update={"error": error}), unreachable[2])
    lines = [entry.lines for entry in make_entries(samples, explain_sample)]
    assert lines == [("agent_unreachable",), ("agent_unreachable: refused",), ()]
    assert [entry.lines for entry in make_entries(make_samples("ee"), explain_sample)] == [("http_error",)] * 2


@given(st.text("pfeucs.", min_size=1, max_size=12), st.booleans())
@settings(derandomize=True, deadline=None)
def test_every_sample_is_in_one_entry(outcomes: str, begun: bool) -> None:
    samples = make_samples(outcomes)
    if not begun:
        samples = tuple(sample.model_copy(update={"run_id": None}) for sample in samples)
    for joined in (
        _numbers(samples),
        [[s.sample for s in g] for g in join_alike(samples, lambda s: s.agent_given_up)],
    ):
        assert [number for numbers in joined for number in numbers] == [sample.sample for sample in samples]
        assert all(numbers == list(range(numbers[0], numbers[-1] + 1)) for numbers in joined)


def test_names() -> None:
    assert name_samples(3, 3, 3) == "sample 3/3"
    assert name_samples(35, 200, 200) == "samples 35–200/200"
    assert name_samples(35, 200, 200, "-") == "samples 35-200/200"
