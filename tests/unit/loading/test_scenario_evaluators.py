import pytest

from agentlab_ci.evaluators.interface import Position
from agentlab_ci.evaluators.registry import EVALUATORS
from agentlab_ci.loading.evaluators import (
    AT_END,
    AT_SIMULATION_END,
    AT_STEP,
    AT_TASK_END,
    read_evaluators,
    types_at,
)
from yaml_projects import document_of

CONFIGS = {
    "response_contains": "{keywords: [a]}",
    "response_not_contains": "{keywords: [a]}",
    "response_matches_regex": "{pattern: 'a+'}",
    "response_latency_max": "{ms: 5}",
    "final_answer_contains": "{required_substrings: [a]}",
    "exact_final_answer": "{expected: a}",
    "step_count_max": "{max: 3}",
    "cost_max": "{max_usd: 0.5}",
    "tool_call_assertion": "{tool: t}",
    "forbidden_tool": "{tools: [t]}",
    "tool_call_count_max": "{max: 3}",
    "tool_repeat_max": "{tool: t, max: 3}",
}


def read(text: str, allowed: frozenset[Position]) -> tuple[list[str], list[str]]:
    document = document_of(text)
    specs, problems = read_evaluators(document, (), document.data, allowed)
    return [spec.id for spec in specs], [str(problem).removeprefix("x.yaml:") for problem in problems]


def test_every_kind_of_evaluator_has_an_example_here() -> None:
    assert set(CONFIGS) == set(EVALUATORS)


@pytest.mark.parametrize("name", EVALUATORS)
@pytest.mark.parametrize("allowed", [AT_STEP, AT_END, AT_TASK_END, AT_SIMULATION_END])
def test_each_kind_stands_only_where_it_may(name: str, allowed: frozenset[Position]) -> None:
    ids, problems = read(f"- {{type: {name}, mode: hard_gate, config: {CONFIGS[name]}}}\n", allowed)
    if EVALUATORS[name].positions & allowed:
        assert (ids, problems) == ([name], [])
    else:
        (problem,) = problems
        assert problem.startswith(f"1:4: [0].type: `{name}` cannot stand ")
        assert all(f"`{kind.name}`" in problem for kind in types_at(allowed))


def test_ids_are_made_unique_within_their_list() -> None:
    latency = "type: response_latency_max, mode: weighted, config: {ms: 5}}"
    text = f"- {{{latency}\n- {{id: response_latency_max-2, {latency}\n- {{{latency}\n- {{{latency}\n"
    ids, problems = read(text, AT_STEP)
    assert problems == []
    assert ids == [
        "response_latency_max",
        "response_latency_max-2",
        "response_latency_max-3",
        "response_latency_max-4",
    ]


def test_an_id_that_is_given_twice_is_a_problem() -> None:
    latency = "type: response_latency_max, mode: weighted, config: {ms: 5}}"
    _, problems = read(f"- {{id: a, {latency}\n- {{id: a, {latency}\n", AT_STEP)
    assert problems == ["2:4: [1].id: the id `a` is in this list twice, first in line 1"]


def test_the_id_of_the_judges_answer_is_taken_in_a_simulation() -> None:
    item = "- {id: judge, type: step_count_max, mode: weighted, config: {max: 5}}\n"
    _, problems = read(item, AT_SIMULATION_END)
    assert problems == ["1:4: [0].id: the id `judge` is that of the judge's answer: choose another"]
    assert read(item, AT_END) == (["judge"], [])


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ("{mode: hard_gate, config: {}}", "1:3: [0]: `type` is required"),
        ("{type: response_latency_max, config: {ms: 1}}", "1:3: [0]: `mode` is required"),
        ("{type: response_latency_max, mode: weighted}", "1:3: [0]: `config` is required"),
        (
            "{type: response_latenci_max, mode: weighted, config: {ms: 1}}",
            "1:4: [0].type: unknown evaluator `response_latenci_max`; did you mean `response_latency_max`?",
        ),
        (
            "{type: response_latency_max, mode: weighted, config: {mss: 1, ms: 2}}",
            "1:57: [0].config: unknown key `mss`; did you mean `ms`?",
        ),
        (
            "{type: response_latency_max, mode: weighted, config: [1]}",
            "1:48: [0].config: must be a mapping (lines of `key: value`), not a list",
        ),
        (
            "{type: response_contains, mode: weighted, config: {text: hello}}",
            "1:45: [0].config: `text` is not a key: write `keywords: [...]`, a list of texts",
        ),
        (
            "{type: response_matches_regex, mode: weighted, config: {pattern: '('}}",
            "1:59: [0].config.pattern: not a regular expression: missing ) at position 1",
        ),
        (
            "{type: response_latency_max, mode: weighted, weight: -1, config: {ms: 1}}",
            "1:48: [0].weight: must be above 0, not -1",
        ),
    ],
)
def test_what_is_wrong_with_one(item: str, problem: str) -> None:
    _, problems = read(f"- {item}\n", AT_STEP)
    assert problems == [problem]


def test_what_is_no_list_of_mappings_is_left_to_the_model() -> None:
    assert read("a: 1\n", AT_STEP) == ([], [])
    assert read("- a\n", AT_STEP) == ([], [])
