import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from agentlab_ci.core.config import Config
from agentlab_ci.errors import Problem
from agentlab_ci.loading.config import read_config
from agentlab_ci.loading.livekit import ListFile
from agentlab_ci.loading.problems import explain, place_of, without_doubles
from agentlab_ci.loading.scenario_file import ConversationFile, SimulationFile, TaskFile
from agentlab_ci.loading.yaml_source import Document, Loc, YamlFile, read_yaml
from yaml_projects import (
    CONVERSATION,
    ROWS,
    SIMULATION,
    TASK,
    document_of,
    scenario_of,
    scenario_problems,
)


def changed(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("name: Where is the order", "name: 500", "3:1: name: must be text, not the number `500`: quote it"),
        ("name: Where is the order", "name: 0x1F", "3:1: name: must be text, not the number `0x1F`: quote it"),
        ("name: Where is the order", "name: no", "3:1: name: must be text; YAML reads `no` as false: quote it"),
        ("name: Where is the order", "name:", "3:1: name: must be text, not nothing"),
        ("name: Where is the order", "name: ''", "3:1: name: must not be empty"),
        ("name: Where is the order", "name: [a]", "3:1: name: must be text, not a list"),
        ("name: Where is the order", "name: {a: b}", "3:1: name: must be text, not a mapping"),
        ("tags: [smoke]", "tags: smoke", "5:1: tags: must be a list (lines of `- …`), not the text `smoke`"),
        ("tags: [smoke]", "tags: [1]", "5:8: tags[0]: must be text, not the number `1`: quote it"),
        ("samples: 3", "samples: 0", "6:12: sampling.samples: must be at least 1, not 0"),
        ("samples: 3", "samples: -1", "6:12: sampling.samples: must be at least 1, not -1"),
        ("samples: 3", "samples: 1001", "6:12: sampling.samples: must be at most 1000, not 1001"),
        (
            "samples: 3",
            f"samples: 1{'0' * 300}",
            f"6:12: sampling.samples: must be at most 1000, not 1{'0' * 78}…",
        ),
        (
            "0.75",
            "1_0.0e-2",
            "6:24: sampling.pass_rate: a pass rate is a decimal above 0 and at most 1, such as 0.75",
        ),
        (
            "0.75",
            "7.5e-1",
            "6:24: sampling.pass_rate: a pass rate is a decimal above 0 and at most 1, such as 0.75",
        ),
        ("0.75", "0b1", "6:24: sampling.pass_rate: a pass rate is a decimal above 0 and at most 1, such as 0.75"),
        (
            "0.75",
            "true",
            "6:24: sampling.pass_rate: must be a decimal above 0 and at most 1, such as 0.75, not true",
        ),
        ("samples: 3", "samples: abc", "6:12: sampling.samples: must be a whole number, not the text `abc`"),
        ("samples: 3", "samples: 3.0", "6:12: sampling.samples: must be a whole number, not the number `3.0`"),
        (
            "samples: 3",
            "samples: yes",
            "6:12: sampling.samples: must be a whole number, not true or false (`yes`)",
        ),
        (
            "pass_rate: 0.75",
            "pass_rate: 0",
            "6:24: sampling.pass_rate: a pass rate is a decimal above 0 and at most 1, such as 0.75, not '0'",
        ),
        (
            "pass_rate: 0.75",
            "pass_rate: 1.5",
            "6:24: sampling.pass_rate: a pass rate is a decimal above 0 and at most 1, such as 0.75, not '1.5'",
        ),
        (
            "pass_rate: 0.75",
            "pass_rate: abc",
            "6:24: sampling.pass_rate: a pass rate is a decimal above 0 and at most 1, such as 0.75, not 'abc'",
        ),
        (
            "pass_rate: 0.75",
            "pass_rate: NaN",
            "6:24: sampling.pass_rate: a pass rate is a decimal above 0 and at most 1, such as 0.75, not 'NaN'",
        ),
        (
            "pass_rate: 0.75",
            "pass_rate: [1]",
            "6:24: sampling.pass_rate: must be a decimal above 0 and at most 1, such as 0.75, not a list",
        ),
        ("steps:", "stepz:", "1:1: `steps` is required"),
        ("message: Where", "mesage: Where", "9:5: steps[0]: unknown key `mesage`; did you mean `message`?"),
        ("role: user", "role: usr", "8:5: steps[0].role: must be one of `user`, not `usr`; did you mean `user`?"),
        ("mode: weighted", "mode: 3", "13:28: evaluators[0].mode: must be one of `hard_gate`, `weighted`"),
        ("weight: 2", "weight: 0", "13:44: evaluators[0].weight: must be above 0, not 0"),
        ("weight: 2", "weight: x", "13:44: evaluators[0].weight: must be a number, not the text `x`"),
        (
            "id: support.order",
            "id: order",
            "2:1: id: must be `<suite>.<short-name>` in letters, digits, `-` and `_`",
        ),
        ("id: support.order", "id: support.*", "2:1: id: must be `<suite>.<short-name>` in letters"),
        ("id: support.order", '"id": "support.a\\n"', "2:1: id: must be `<suite>.<short-name>` in letters"),
        ("tags: [smoke]", "tools: {allowed: [a]}", "5:1: unknown key `tools`: a conversation has no tools"),
        (
            "tags: [smoke]",
            "runtime_profil: x",
            "5:1: unknown key `runtime_profil`; did you mean `runtime_profile`?",
        ),
        ("tags: [smoke]", "zzz: x", "5:1: unknown key `zzz`; there is `id`, `name`, `suite`"),
        ("tags: [smoke]", '"a\\e[1m": x', "5:1: unknown key `a\\x1b[1m`"),
        ("tags: [smoke]", "state: {conversation_id: mine}", "5:9: state.conversation_id: must be one of `auto`"),
        (
            "tags: [smoke]",
            "normalize: {lowercase: 1}",
            "5:13: normalize.lowercase: must be true or false, not the",
        ),
        (
            "tags: [smoke]",
            "agent_preset: x",
            "5:1: agent_preset: must be a mapping (lines of `key: value`), not the",
        ),
    ],
)
def test_wording_and_place(old: str, new: str, problem: str) -> None:
    assert any(found.startswith(problem) for found in scenario_problems(changed(CONVERSATION, old, new)))


def test_context_in_a_task_is_pointed_to_its_place() -> None:
    text = changed(TASK, "  success_hint: Only one of them.", "  context: {variables: {}}")
    assert scenario_problems(text) == [
        "6:3: task: unknown key `context`: `context` stands at the top of the scenario, beside `task`"
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("agents: [{name: a, provider: htp}]", "1:20: agents[0].provider: must be one of `mock`, `http`"),
        ("agents: [{name: a, provider: no}]", "1:20: agents[0].provider: must be one of `mock`, `http`"),
        ("agents: [{name: a}]", "1:10: agents[0]: `provider` is required"),
        ("agents: [a]", "1:10: agents[0]: must be a mapping (lines of `key: value`), not the text `a`"),
        ("agents: [{provider: http, urll: x}]", "1:27: agents[0]: unknown key `urll`; did you mean `url`?"),
        ("agents: [{provider: mock, url: x}]", "1:27: agents[0]: unknown key `url`; there is `name`, `label`"),
        ("agents: [{provider: http}]", "1:10: agents[0]: `name` is required"),
        (
            "agents: [{name: a, provider: http, usageFields: {inputTokns: x}}]",
            "1:50: agents[0].usage_fields: unknown key `inputTokns`; did you mean `input_tokens`?",
        ),
        (
            "agents: [{name: a, provider: http, headers: {X: 1}}]",
            "1:46: agents[0].headers.X: must be text, not the number `1`: quote it",
        ),
        (
            "agents: [{name: a, provider: http, timeoutMs: no}]",
            "1:36: agents[0].timeout_ms: must be a whole number, not true or false (`no`)",
        ),
        (
            "agents: [{name: a, provider: python, target: x}]",
            "1:38: agents[0].target: must look like the pattern",
        ),
        ("variantSets: [{name: x, variants: []}]", "1:25: variant_sets[0].variants: must have at least 1 item"),
        ("tools: [{name: t, modulePath: x.py, module_path: y.py}]", "1:19: tools[0]: unknown key `modulePath`"),
        ("concurency: 1", "1:1: unknown key `concurency`; did you mean `concurrency`?"),
    ],
)
def test_config_wording_and_place(text: str, problem: str, tmp_path: Any) -> None:
    reading = read_config(read_yaml(text.encode(), "c"), tmp_path)
    assert any(str(found).removeprefix("c:").startswith(problem) for found in reading.problems), reading.problems


def test_one_word_on_each_place_is_enough() -> None:
    known = Problem(path="x", line=1, column=2, message="cannot be read")
    same = Problem(path="x", line=1, column=2, message="must be text")
    other = Problem(path="x", line=1, column=3, message="must be text")
    assert without_doubles([same, other], [known]) == [other]


MODELS: dict[str, type[BaseModel]] = {
    CONVERSATION: ConversationFile,
    TASK: TaskFile,
    SIMULATION: SimulationFile,
    ROWS: ListFile,
}
CONFIG = """\
sampling: {samples: 3, pass_rate: 0.75, max_samples: 9}
agents:
  - {name: a, provider: mock, replies: [{contains: x, reply: y}], fail_samples: [1]}
  - {name: b, provider: http, url: 'http://x', headers: {A: b}, timeoutMs: 3, usageFields: {costUsd: a.b}}
  - {name: c, provider: openai, model: m, price: {inputPerMillion: 1, output_per_million: 2}}
  - {name: d, provider: external_process, command: x, args: [y], envAllowlist: [A]}
  - {name: e, provider: python, target: 'a:b'}
simulator: {model: m}
tools: [{name: t, modulePath: a.py, inputSchema: {type: object}}]
variantSets: [{name: v, variants: [{agent: a, label: l, promptVersion: p}]}]
runtime_profiles:
  - name: p
    toolFaults: [{tool: t, mode: error, onCall: 1}]
    httpFaults: [{mode: status, status: 503}]
    state: {seededMessages: [{role: user, message: hi}], memory_blob: {a: 1}}
suite_definitions: [{name: s, include: {tags: [x]}, exclude: {scenarios: [y]}}]
"""
_NOWHERE = Path("/nowhere")
_WRONG: list[Any] = [None, True, 7, -0.5, "", "text", [], ["x"], {}, {"k": "v"}, [[1]], [{}]]


def _ways(value: Any, loc: Loc = ()) -> list[Loc]:
    children: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        children = list(value.items())
    elif isinstance(value, list):
        children = list(enumerate(value))
    return [way for key, inner in children for way in ((*loc, key), *_ways(inner, (*loc, key)))]


def _mutated(data: Any, way: Loc, change: str, value: Any) -> Any:
    data = copy.deepcopy(data)
    holder = data
    for part in way[:-1]:
        holder = holder[part]
    if change == "replace":
        holder[way[-1]] = value
    elif change == "delete":
        del holder[way[-1]]
    elif isinstance(holder, dict):
        holder["zzzUnknown"] = value
    else:
        holder.append(value)
    return data


@st.composite
def _mutations(draw: st.DrawFn, text: str) -> Any:
    data = yaml.safe_load(text)
    for _ in range(draw(st.integers(1, 3))):
        ways = _ways(data)
        if not ways:
            break
        change = draw(st.sampled_from(["replace", "delete", "add"]))
        data = _mutated(data, draw(st.sampled_from(ways)), change, draw(st.sampled_from(_WRONG)))
    return data


def _check_places(document: Document, validate: Callable[[Any], object], model: Any) -> None:
    try:
        validate(document.data)
    except ValidationError as error:
        for details in error.errors():
            assert place_of(details) in document.marks, details
        for problem in explain(error, document, model):
            assert not re.search(r"validation error|Input should|Value error", problem.message)


@pytest.mark.parametrize("text", MODELS, ids=lambda text: MODELS[text].__name__)
@settings(derandomize=True, deadline=None, max_examples=80)
@given(draw=st.data())
def test_every_error_of_a_scenario_is_placed_at_its_key(text: str, draw: st.DataObject) -> None:
    data = draw.draw(_mutations(text))
    file = read_yaml(yaml.safe_dump(data, sort_keys=False).encode(), "x.yaml")
    for document in file.documents:
        _check_places(document, MODELS[text].model_validate, MODELS[text])


@settings(derandomize=True, deadline=None, max_examples=150)
@given(draw=st.data())
def test_every_error_of_a_config_is_placed_at_its_key(draw: st.DataObject) -> None:
    data = draw.draw(_mutations(CONFIG))
    file = read_yaml(yaml.safe_dump(data, sort_keys=False).encode(), "c.yaml")
    for document in file.documents:
        reading = read_config(YamlFile(documents=(document,)), _NOWHERE)
        if reading.document is not None:
            _check_places(reading.document, Config.model_validate, Config)


def test_the_examples_that_are_mutated_are_valid(tmp_path: Any) -> None:
    for text in (CONVERSATION, TASK, SIMULATION):
        scenario_of(text)
    assert read_config(YamlFile(documents=(document_of(CONFIG),)), tmp_path).problems == ()
