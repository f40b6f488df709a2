from pathlib import Path

import pytest

from agentlab_ci.core.config import Config
from agentlab_ci.loading.project import Project, load_project
from agentlab_ci.loading.secrets import secret_names, secret_values, url_userinfo
from agentlab_ci.loading.usable import agents_in_use, find_unusable
from yaml_projects import CONVERSATION, ROWS, SIMULATION, TASK, load, write_files

CONFIG = """\
agents:
  - {name: nowhere, provider: http}
  - name: web
    provider: http
    url: https://user:p%40ss@host/x
    headers: {Authorization: "Bearer {{env.WEB_TOKEN}}"}
    request_template: {query: "{{message}}", key: "{{ env.EXTRA }}"}
  - {name: gpt, provider: openai, model: m, api_key_env: GPT_KEY, base_url: "https://token@gpt/v1"}
  - {name: child, provider: external_process, command: no-such-command, env_allowlist: [CHILD_KEY]}
  - {name: lost, provider: external_process, command: sh, cwd: nowhere}
  - {name: local, provider: external_process, command: ./bin/agent, cwd: sub}
  - {name: inproc, provider: python, target: "a:b", python: .venv/bin/python, env_allowlist: [PY_KEY]}
  - {name: scripted, provider: mock, replies: [{reply: hi}]}
tools:
  - {name: t.ts, modulePath: tools/a.ts}
  - {name: t.missing, module_path: tools/missing.py}
  - {name: t.fine, module_path: tools/fine.py}
  - {name: t.command, command: [no-such-command], env_allowlist: [TOOL_KEY]}
simulator: {model: m, api_key_env: SIM_KEY}
judge: {model: m}
redact: [MORE]
"""
NOT_THERE = (
    "is not there: install it where agentlab runs; in the container Action, which has no tools of the project, "
    "use the `composite` Action instead, or an image of your own built `FROM` agentlab's"
)
ANY_TEXT = "; any text will do for a server that asks for no key"
NOT_EXECUTABLE = "may not be executed: `chmod +x` it, or name its interpreter as the command"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_files(
        tmp_path,
        {
            "agentlab.config.yaml": CONFIG,
            "scenarios/a.yaml": CONVERSATION,
            "tools/fine.py": "",
            "sub/bin/agent": "",
        },
    )


def unusable(project: Project, *agents: str, **environ: str) -> list[str]:
    found = find_unusable(project, agents=agents, scenarios=(), environ={"PATH": "/bin:/usr/bin"} | environ)
    return [str(problem).removeprefix("agentlab.config.yaml:") for problem in found]


@pytest.mark.parametrize(
    ("agent", "problems"),
    [
        ("nowhere", ["2:5: agents[0]: HTTP agents require a configured url: add `url:` to `nowhere`"]),
        (
            "web",
            [
                "6:15: agents[1].headers.Authorization: the environment variable `WEB_TOKEN` is not set or empty",
                "7:46: agents[1].request_template.key: the environment variable `EXTRA` is not set or empty",
            ],
        ),
        ("gpt", [f"8:45: agents[2].api_key_env: GPT_KEY is required: `gpt` takes its key from it{ANY_TEXT}"]),
        ("child", [f"9:47: agents[3].command: the command `no-such-command` {NOT_THERE}"]),
        ("lost", ["10:59: agents[4].cwd: there is no folder `nowhere`"]),
        ("local", [f"11:47: agents[5].command: `./bin/agent` {NOT_EXECUTABLE}"]),
        ("inproc", [f"12:53: agents[6].python: the command `.venv/bin/python` {NOT_THERE}"]),
        ("scripted", []),
    ],
)
def test_what_an_agent_needs(folder: Path, agent: str, problems: list[str]) -> None:
    assert unusable(load(folder), agent) == problems


def test_what_is_there_is_no_problem(folder: Path) -> None:
    (folder / "sub/bin/agent").chmod(0o755)
    write_files(folder, {".venv/bin/python": ""})
    (folder / ".venv/bin/python").chmod(0o755)
    project = load(folder)
    assert unusable(project, "web", "gpt", "local", "inproc", WEB_TOKEN="a", EXTRA="b", GPT_KEY="c") == []
    assert len(unusable(project, "web", WEB_TOKEN="", EXTRA="b")) == 1  # empty is how a missing secret looks in CI
    assert unusable(project) == []


def test_the_default_key_of_openai_is_named(tmp_path: Path) -> None:
    config = "agents: [{name: gpt, provider: openai, model: m}]\n"
    project = load(write_files(tmp_path, {"agentlab.config.yaml": config, "scenarios/a.yaml": CONVERSATION}))
    assert unusable(project, "gpt") == [
        "1:10: agents[0].api_key_env: OPENAI_API_KEY is required: `gpt` takes its key from it"
    ]


@pytest.mark.parametrize("command", ["a\\0b", "./a\\0b", "a\\nb"])
def test_a_command_that_no_file_can_have_is_shown_on_one_line(tmp_path: Path, command: str) -> None:
    config = f'agents: [{{name: child, provider: external_process, command: "{command}"}}]\n'
    project = load(write_files(tmp_path, {"agentlab.config.yaml": config, "scenarios/a.yaml": CONVERSATION}))
    (problem,) = unusable(project, "child")
    assert problem.isprintable()
    assert problem.endswith(NOT_THERE)


@pytest.mark.parametrize(
    ("tool", "problem"),
    [
        (
            "t.ts",
            "15:18: tools[0].module_path: `tools/a.ts` is not Python: write a Python module here, or `command: ",
        ),
        ("t.missing", "16:23: tools[1].module_path: there is no file `tools/missing.py`"),
        ("t.fine", None),
        ("t.command", f"18:23: tools[3].command: the command `no-such-command` {NOT_THERE}"),
        ("orders.list", None),
    ],
)
def test_what_a_tool_needs_is_asked_only_where_a_scenario_allows_it(
    folder: Path, tool: str, problem: str | None
) -> None:
    write_files(folder, {"scenarios/t.yaml": TASK.replace("[orders.list,", f"[{tool},")})
    project = load(folder)
    found = find_unusable(project, agents=(), scenarios=project.scenarios, environ={"PATH": "/bin"})
    assert len(found) == (problem is not None)
    assert problem is None or str(found[0]).startswith(f"agentlab.config.yaml:{problem}")


BAD_ORDERS = '[\n  {"id": "ord_1"}\n]\n'


def test_a_fixture_is_looked_at_where_a_scenario_s_tools_read_it(folder: Path) -> None:
    files = {
        "fixtures/support/orders.json": BAD_ORDERS,
        "fixtures/ops/alerts.json": "no JSON",
        "scenarios/t.yaml": TASK,
    }
    project = load(write_files(folder, files))
    found = find_unusable(project, agents=(), scenarios=project.scenarios, environ={})
    assert [str(problem) for problem in found] == ["fixtures/support/orders.json:2: record 1 lacks `customer_id`"]
    assert find_unusable(project, agents=(), scenarios=project.scenarios[:1], environ={}) == ()


def test_a_fixture_is_named_as_seen_from_where_the_command_runs(folder: Path) -> None:
    write_files(folder, {"fixtures/support/orders.json": "[", "scenarios/t.yaml": TASK})
    project = load_project(cwd=folder.parent, config_file=f"{folder.name}/agentlab.config.yaml")
    (problem,) = find_unusable(project, agents=(), scenarios=project.scenarios, environ={})
    assert str(problem) == f"{folder.name}/fixtures/support/orders.json:1:2: is not JSON: Expecting value"


def test_a_fixture_may_not_lead_out_of_the_project(folder: Path) -> None:
    write_files(folder, {"scenarios/t.yaml": TASK.replace("  fixtures: [fixtures/support/orders.json]\n", "")})
    (folder / "fixtures/support").mkdir(parents=True)
    (folder / "fixtures/support/orders.json").symlink_to(__file__)
    project = load(folder)
    (problem,) = find_unusable(project, agents=(), scenarios=project.scenarios, environ={})
    assert str(problem) == "fixtures/support/orders.json: is outside of the project, or in its `.git`"


@pytest.mark.parametrize("use", ["tool", "script", "nothing"])
def test_a_folder_of_fixtures_may_not_lead_out_of_the_project_where_it_is_used(folder: Path, use: str) -> None:
    (folder / "fixtures").symlink_to(folder.parent)
    text = {"tool": TASK.replace("  fixtures: [fixtures/support/orders.json]\n", ""), "script": CONVERSATION}
    script = "setup_script: good.py\n" if use == "script" else ""
    write_files(folder, {"scenarios/a.yaml": text.get(use, CONVERSATION) + script, "good.py": ""})
    project = load(folder)
    found = find_unusable(project, agents=(), scenarios=project.scenarios, environ={})
    expected = [] if use == "nothing" else ["fixtures: is outside of the project, or in its `.git`"]
    assert [str(problem) for problem in found] == expected


def test_setup_scripts_must_be_there_and_runnable(folder: Path) -> None:
    scripts = ["missing.py", "plain.sh", "good.sh", "good.py"]
    texts = [
        CONVERSATION.replace("support.order", f"support.s{number}") + f"setup_script: {script}\n"
        for number, script in enumerate(scripts)
    ]
    write_files(folder, {"scenarios/s.yaml": "---\n".join(texts), "plain.sh": "", "good.sh": "", "good.py": ""})
    (folder / "good.sh").chmod(0o755)
    project = load(folder)
    found = find_unusable(project, agents=(), scenarios=project.scenarios, environ={})
    assert [str(problem) for problem in found] == [
        "scenarios/s.yaml:1:1: setup_script: there is no file `missing.py`",
        "scenarios/s.yaml:16:1: setup_script: `plain.sh` is neither a `.py` file nor executable: `chmod +x` it",
    ]


def test_the_agents_in_use_are_those_that_are_named(folder: Path) -> None:
    assert agents_in_use(load(folder)) == frozenset()
    write_files(folder, {"scenarios/a.yaml": CONVERSATION + "agent: web\n"})
    variants = "variant_sets: [{name: v, variants: [{agent: gpt, label: x}]}]\n"
    write_files(folder, {"agentlab.config.yaml": CONFIG + variants})
    assert agents_in_use(load(folder)) == {"web", "gpt"}


def test_the_only_agent_is_in_use(tmp_path: Path) -> None:
    config = "agents: [{name: web, provider: http}]\n"
    write_files(tmp_path, {"agentlab.config.yaml": config, "scenarios/a.yaml": CONVERSATION})
    assert agents_in_use(load(tmp_path)) == {"web"}


def test_secrets_are_the_values_of_every_variable_that_the_config_names(folder: Path) -> None:
    config = load(folder).config
    names = {
        "WEB_TOKEN",
        "EXTRA",
        "GPT_KEY",
        "CHILD_KEY",
        "PY_KEY",
        "TOOL_KEY",
        "SIM_KEY",
        "OPENAI_API_KEY",
        "MORE",
    }
    assert secret_names(config) == names
    assert url_userinfo(config) == {"user:p%40ss", "user:p@ss", "p%40ss", "p@ss", "token"}
    assert secret_values(config, {"MORE": "more-value", "EXTRA": "", "HOME": "/root"}) == {
        "more-value",
        *url_userinfo(config),
    }
    assert secret_values(Config(), {"HOME": "/root"}) == frozenset()


MODELS = "judge: {model: m}\nsimulator:\n  model: m\n  api_key_env: SIM_KEY\n"
JUDGE_KEY = (
    "agentlab.config.yaml:1:1: judge.api_key_env: OPENAI_API_KEY is required: the judge takes its key from it"
)
ANY_KEY = JUDGE_KEY + ANY_TEXT
SIM_KEY = (
    "agentlab.config.yaml:4:3: simulator.api_key_env: SIM_KEY is required: the simulator takes its key from it"
)


@pytest.mark.parametrize(
    ("config", "environ", "problems"),
    [
        (MODELS, {"OPENAI_API_KEY": "k", "SIM_KEY": "k"}, []),
        (MODELS, {}, [SIM_KEY, JUDGE_KEY]),
        (MODELS.replace("{model: m}", "{model: m, base_url: http://x/v1}"), {"SIM_KEY": "k"}, [ANY_KEY]),
        (MODELS, {"OPENAI_API_KEY": "", "SIM_KEY": "k"}, [JUDGE_KEY]),  # as a missing secret looks like in CI
    ],
)
def test_what_simulations_need(tmp_path: Path, config: str, environ: dict[str, str], problems: list[str]) -> None:
    files = {"agentlab.config.yaml": config, "scenarios/a.yaml": SIMULATION, "scenarios/b.yaml": ROWS}
    project = load(write_files(tmp_path, files))
    found = find_unusable(project, agents=(), scenarios=project.scenarios, environ=environ)
    assert [str(problem) for problem in found] == problems


def test_simulations_without_their_models_are_told_so_once_at_the_first(tmp_path: Path) -> None:
    project = load(write_files(tmp_path, {"scenarios/a.yaml": SIMULATION, "scenarios/b.yaml": ROWS}))
    found = find_unusable(project, agents=(), scenarios=project.scenarios, environ={})
    assert [str(problem).split("a model that ")[1].split(": {")[0] for problem in found] == [
        "plays the user: add `simulator",
        "judges: add `judge",
    ]
    assert {(problem.path, problem.line) for problem in found} == {("scenarios/a.yaml", 1)}
    assert find_unusable(project, agents=(), scenarios=(), environ={}) == ()
