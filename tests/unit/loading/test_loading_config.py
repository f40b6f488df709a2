import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.config import Config
from agentlab_ci.core.scenario import Place
from agentlab_ci.loading.config import NO_CONFIG, ConfigReading, Names, read_config
from agentlab_ci.loading.yaml_source import YamlFile, read_yaml
from yaml_projects import document_of


def read(text: str, root: Path = Path("/nowhere")) -> ConfigReading:
    return read_config(read_yaml(text.encode(), "c"), root)


def problems_of(text: str, root: Path = Path("/nowhere")) -> list[str]:
    return [str(problem).removeprefix("c:") for problem in read(text, root).problems]


def http(**keys: object) -> str:
    return "agents:\n  - " + json.dumps({"name": "a", "provider": "http", "url": "http://x"} | keys)


def tool(**keys: object) -> str:
    return "tools:\n  - " + json.dumps({"name": "t"} | keys)


def test_a_config_is_read_with_its_names_and_places() -> None:
    reading = read(
        "agents: [{name: a, provider: mock}]\nvariantSets:\n  - {name: v, variants: [{agent: a, label: x}]}\n"
    )
    assert reading.problems == ()
    assert reading.config is not None
    assert reading.config.variant_sets[0].variants[0].agent == "a"
    assert reading.names == Names(agents=("a",))
    assert reading.places["agents", 0, "provider"] == Place(path="c", line=1, column=20)
    assert reading.places["variant_sets", 0, "variants", 0, "label"] == Place(path="c", line=3, column=37)


def test_no_config_is_the_default_one() -> None:
    assert NO_CONFIG.config == Config()
    assert NO_CONFIG.places == {}


DEAR = "{inputPerMillion: 1, outputPerMillion: 1.0e+308}"
ONE_AGENT = "agents: [{name: a, provider: mock}]\n"


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("", ["1:1: the file is empty"]),
        ("- a\n", ["1:1: must be a config (lines of `key: value`)"]),
        ("concurrency: 1\n---\nconcurrency: 2\n", ["3:1: a config is one document; this is a second one"]),
        ("concurrency: !x 1\n", ["1:1: concurrency: the tag `!x` is not supported"]),  # and not: must be a number
        (
            "agents: [{name: a, provider: mock}, {name: a, provider: mock}]",
            ["1:38: agents[1].name: `a` stands here"],
        ),
        (
            "tools: [{name: t, command: [x]}, {name: t, command: [x]}]",
            ["1:35: tools[1].name: `t` stands here twice"],
        ),
        (
            "tools: [{name: orders.list, command: [x]}]",
            ["1:10: tools[0].name: `orders.list` is the name of a built-in"],
        ),
        (
            "suiteDefinitions: [{name: s, include: {}}, {name: s, include: {}}]",
            ["1:45: suite_definitions[1].name: `s` stands here twice, first in line 1"],
        ),
        ("runtime_profiles: [{name: p}, {name: p}]", ["1:32: runtime_profiles[1].name: `p` stands here twice"]),
        (
            ONE_AGENT + "variant_sets: [{name: v, variants: [{agent: b, label: x}, {agent: a, label: x}]}]",
            [
                "2:38: variant_sets[0].variants[0].agent: no agent is called `b`; there is `a`",
                "2:70: variant_sets[0].variants[1].label: `x` stands here twice, first in line 2",
            ],
        ),
        (
            "runtime_profiles: [{name: p, tool_faults: [{tool: orders.lst, mode: error}]}]",
            ["1:45: runtime_profiles[0].tool_faults[0].tool: no tool is called `orders.lst`; did you mean"],
        ),
        (
            "runtime_profiles: [{name: p, tool_faults: [{tool: orders.list, mode: partial_output}]}]",
            ["1:44: runtime_profiles[0].tool_faults[0]: `partial_output` is required for this mode"],
        ),
        (
            "runtime_profiles: [{name: p, http_faults: [{mode: status}]}]",
            ["1:44: runtime_profiles[0].http_faults[0]: `status` is required for this mode"],
        ),
        (
            "runtime_profiles: [{name: p, http_faults: [{mode: delay}]}]",
            ["1:44: runtime_profiles[0].http_faults[0]: `delay_ms` is required for this mode"],
        ),
        (
            "runtime_profiles: [{name: p, http_faults: [{mode: delay, delay_ms: 0}]}]",
            ["1:58: runtime_profiles[0].http_faults[0].delay_ms: must be more than 0 for this mode"],
        ),
        (
            f"agents: [{{name: o, provider: openai, model: m, price: {DEAR}}}]",
            ["1:76: agents[0].price.output_per_million: must be at most 1000000"],
        ),
        ("sampling: {samples: 4, max_samples: 3}", ["1:12: sampling.samples: 4 samples are more than the 3"]),
        ("sampling: {samples: 4, require_odd: true}", ["1:12: sampling.samples: 4 samples are an even number"]),
        ("sampling: {max_samples: 3, require_odd: true}", []),
        (http(url="ftp://x/y"), ["2:39: agents[0].url: is no http:// or https:// address with a host"]),
        (http(url="http://"), ["2:39: agents[0].url: is no http:// or https:// address with a host"]),
        (http(url="localhost:3000"), ["2:39: agents[0].url: is no http:// or https:// address with a host"]),
        (http(url="http://x:99999"), ["2:39: agents[0].url: is no http:// or https:// address with a host"]),
        (http(url="http://[::1"), ["2:39: agents[0].url: is no http:// or https:// address with a host"]),
        (http(url="http://x:0"), ["2:39: agents[0].url: is no http:// or https:// address with a host"]),
        (
            http(url="http://999.1.1.1/"),
            ["2:39: agents[0].url: cannot be used in a request: Invalid IPv4 address"],
        ),
        (http(url="http://☃.net/"), ["2:39: agents[0].url: cannot be used in a request: Invalid IDNA hostname"]),
        (
            http(url="http://x/\0"),
            ["2:39: agents[0].url: cannot be used in a request: Invalid non-printable ASCII"],
        ),
        (http(url="http://x/" + "a" * 70_000), ["2:39: agents[0].url: cannot be used in a request: URL too long"]),
        ("judge: {model: m, base_url: 'http://[v1.x]/'}", ["1:19: judge.base_url: cannot be used in a request"]),
        (http(url="http://x/{{env.A}}"), ["2:39: agents[0].url: placeholders are filled in in `headers`"]),
        (http(url="http://user:pw@[::1]:3000/x?y"), []),
        (
            http(headers={"A": "{{mesage}}"}),
            ["2:70: agents[0].headers.A: unknown placeholder `{{mesage}}`; did you mean `message`?"],
        ),
        (
            http(headers={"A": "{{memori}}"}),
            ["2:70: agents[0].headers.A: unknown placeholder `{{memori}}`; did you mean `memory`?"],
        ),
        (
            http(request_template={"apiKey": ["{{env.1A}}", "{{ env.A }}", {"x": "{{messages}}"}]}),
            ["2:90: agents[0].request_template.apiKey[0]: `1A` cannot be the name of an environment variable"],
        ),
        (http(headers={"a b": "x"}), ["2:70: agents[0].headers.a b: `a b` cannot be the name of an HTTP header"]),
        (
            http(headers={"content-length": "5", "Transfer-Encoding": "chunked"}),
            [
                "2:70: agents[0].headers.content-length: `content-length` follows from the body: leave it out",
                "2:93: agents[0].headers.Transfer-Encoding: `Transfer-Encoding` follows from the body",
            ],
        ),
        (
            http(headers={"A": "x\ny"}),
            ["2:70: agents[0].headers.A: the value of an HTTP header holds no line end"],
        ),
        ("agents: [{name: o, provider: openai, model: m, base_url: x}]", ["1:48: agents[0].base_url: is no http"]),
        ("simulator: {model: m, base_url: x}", ["1:23: simulator.base_url: is no http:// or https:// address"]),
        (
            "judge: {model: m, baseUrl: x}",
            ["1:19: judge.base_url: is no http:// or https:// address with a host"],
        ),
        (
            "agents: [{name: e, provider: external_process, command: x, cwd: ..}]",
            ["1:60: agents[0].cwd: `..` is outside of the project, or in its `.git`"],
        ),
        (
            tool(),
            ["2:5: tools[0]: needs exactly one of `module_path`, `package` and `command`; it has none of them"],
        ),
        (
            tool(package="p", command=["x"]),
            ["2:5: tools[0]: needs exactly one of `module_path`, `package` and `command`; it has `package` and"],
        ),
        (tool(command=[]), ["2:19: tools[0].command: must have at least 1 item"]),
        (
            tool(command=["x"], export_name="f"),
            ["2:37: tools[0].export_name: a `command` has no function to name"],
        ),
        (tool(modulePath="../t.py"), ["2:19: tools[0].module_path: `../t.py` is outside of the project"]),
        (tool(module_path=".git/t.py"), ["2:19: tools[0].module_path: `.git/t.py` is outside of the project"]),
        (tool(module_path="a\0.py"), ["2:19: tools[0].module_path: `a\\x00.py` is outside of the project"]),
        (tool(module_path="t.ts"), []),  # a problem only where it is used
        (
            tool(package="p", input_schema={"type": "objekt"}),
            ["2:35: tools[0].input_schema: is not a JSON schema: type: 'objekt' is not valid"],
        ),
        (
            tool(package="p", input_schema={"$schema": 5}),
            ["2:35: tools[0].input_schema: is not a JSON schema: $schema: must be text"],
        ),
        (
            tool(package="p", input_schema={"$schema": ["a"]}),
            ["2:35: tools[0].input_schema: is not a JSON schema: $schema: must be text"],
        ),
        (
            tool(package="p", input_schema={"$schema": "http://["}),
            ["2:35: tools[0].input_schema: is not a JSON schema: $schema: Invalid IPv6 URL"],
        ),
        (
            tool(package="p", input_schema={"properties": {"q": {"$ref": "#/title"}}, "title": "t"}),
            ["2:73: tools[0].input_schema.properties.q.$ref: '#/title' leads to no schema"],
        ),
        (f"concurrency: {10**400}", [f"1:1: concurrency: `{'1' + 78 * '0'}…` is too large a number"]),
        (http(timeout_ms=10**400), ["2:58: agents[0].timeout_ms: `1000000"]),
        (f"sampling: {{samples: 0x{'f' * 6000}}}", ["1:12: sampling.samples: `0xfff"]),  # int() cannot show it
        ("sampling: {pass_rate: 1_0.0e-2}", ["1:12: sampling.pass_rate: a pass rate is a decimal above 0"]),
        ("sampling: {passRate: 0x1}", ["1:12: sampling.pass_rate: a pass rate is a decimal above 0"]),
        ("sampling: {passRate: 0.80}", []),
    ],
)
def test_what_a_config_must_hold_to(text: str, problems: list[str]) -> None:
    found = problems_of(text)
    assert len(found) == len(problems), found
    for problem, expected in zip(sorted(found), problems, strict=True):
        assert problem.startswith(expected)


def test_a_pass_rate_is_what_was_typed() -> None:
    # as a float it would be 0.5, and 3 of 5 would be needed
    config = read("sampling: {samples: 5, pass_rate: 0.49999999999999999999}").config
    assert config is not None
    assert str(config.sampling.pass_rate) == "0.49999999999999999999"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "object", "#", "http://[", "http://x", "("]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["$schema", "$ref", "type", "properties", "allOf", "pattern"]), inner)
    ),
    max_leaves=6,
)


@settings(derandomize=True, deadline=None, max_examples=50)
@given(st.dictionaries(st.sampled_from(["$schema", "$id", "type", "properties", "anyOf"]), JSON))
def test_any_input_schema_is_one_or_is_refused(schema: dict[str, object]) -> None:
    found = problems_of(tool(package="p", input_schema=schema))
    assert all("tools[0].input_schema" in problem for problem in found)


def test_a_wrong_part_does_not_hide_what_is_wrong_in_another() -> None:
    text = (
        "concurency: 1\nagents:\n  - {name: a, provider: http, url: x}\n  - {name: a, provider: http, urll: x}\n"
    )
    assert len(problems_of(text)) == 4
    assert read(text).config is None
    assert read(text).names == Names(agents=("a", "a"))


def test_links_out_of_the_project_are_followed(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "inside.py").symlink_to(project / "real.py")
    (project / "outside.py").symlink_to(tmp_path / "elsewhere.py")
    assert problems_of(tool(module_path="inside.py"), project) == []
    assert len(problems_of(tool(module_path="outside.py"), project)) == 1


def test_a_reply_that_hides_the_others_is_noted() -> None:
    replies = "[{contains: a, reply: b}, {reply: c}, {contains: d, reply: e}]"
    document = document_of(f"agents: [{{name: m, provider: mock, replies: {replies}}}]", "c")
    (note,) = read_config(YamlFile(documents=(document,)), Path("/nowhere")).notes
    assert (
        str(note) == "c:1:71: agents[0].replies[1]: answers every message, so the replies after it are never given"
    )


def test_a_last_reply_to_everything_is_fine() -> None:
    assert read("agents: [{name: m, provider: mock, replies: [{contains: a, reply: b}, {reply: c}]}]").notes == ()
