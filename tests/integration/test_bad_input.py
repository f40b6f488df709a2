"""What a user gets for bad input: exit 2, every problem with its place, no traceback, no agent called."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from agentlab_ci.cli import list as list_command
from agentlab_ci.cli import validate
from agentlab_ci.errors import AgentlabError, ExitCode
from command import agentlab, conversation, start_python, wait_for, write_project
from yaml_projects import CONFIG, CONVERSATION, write_files

LAUGHS = "\n".join(
    ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
)


def validate_in(folder: Path, monkeypatch: pytest.MonkeyPatch, *args: str) -> tuple[int, list[str], list[str]]:
    """Return exit code, lines of stdout, and the lines of what ended the command."""
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(validate.command, args)
    if result.exception is None:
        return result.exit_code, result.stdout.splitlines(), []
    assert isinstance(result.exception, AgentlabError), result.exception
    return result.exception.exit_code, result.stdout.splitlines(), str(result.exception).splitlines()


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("", ["1:1: the file is empty"]),
        (
            "- a\n- b\n",
            ["1:1: must be a scenario (lines of `key: value`), not a list; write one scenario per document"],
        ),
        ("a:\n\tb: 1\n", ["2:1: not valid YAML: a tab cannot indent: use spaces"]),
        (
            CONVERSATION.replace("Where is the order", "500"),
            ["3:1: name: must be text, not the number `500`: quote it"],
        ),
        (CONVERSATION.replace("tags:", "tagz:"), ["5:1: unknown key `tagz`; did you mean `tags`?"]),
        (
            CONVERSATION.replace("keywords", "keyword"),
            [
                "11:52: steps[0].evaluators[0].config: `keywords` is required",
                "11:61: steps[0].evaluators[0].config: unknown key `keyword`; did you mean `keywords`?",
            ],
        ),
        (
            CONVERSATION.replace("step_count_max", "response_contains"),
            [
                (
                    "13:6: evaluators[0].type: `response_contains` cannot stand at the end of a conversation; "
                    "there may be "
                )
            ],
        ),
        (
            CONVERSATION.replace("0.75", "0"),
            ["6:24: sampling.pass_rate: a pass rate is a decimal above 0 and at most 1"],
        ),
        (
            CONVERSATION.replace("0.75", "1.5"),
            ["6:24: sampling.pass_rate: a pass rate is a decimal above 0 and at mos"],
        ),
        (
            CONVERSATION.replace("0.75", "abc"),
            ["6:24: sampling.pass_rate: a pass rate is a decimal above 0 and at mos"],
        ),
        (
            CONVERSATION.replace("0.75", "NaN"),
            ["6:24: sampling.pass_rate: a pass rate is a decimal above 0 and at mos"],
        ),
        (CONVERSATION.replace("0.75", ".nan"), ["6:24: sampling.pass_rate: `.nan` is not a finite number"]),
        (CONVERSATION.replace("samples: 3", "samples: 0"), ["6:12: sampling.samples: must be at least 1, not 0"]),
        (
            CONVERSATION.replace("samples: 3", "samples: -1"),
            ["6:12: sampling.samples: must be at least 1, not -1"],
        ),
        (
            CONVERSATION.replace("samples: 3", "samples: abc"),
            ["6:12: sampling.samples: must be a whole number, not the"],
        ),
        ("[" * 60 + "]" * 60, ["1:41: nested deeper than 40 levels"]),
        (LAUGHS, ["1:37: more than 100,000 values, aliases counted in full"]),
        (
            CONVERSATION + "---\n" + CONVERSATION,
            ["16:1: id: the id `support.order` is taken by scenarios/a.yaml:2"],
        ),
        (
            CONVERSATION + "agent: scriptd\n",
            ["14:1: agent: no agent is called `scriptd`; did you mean `scripted`?"],
        ),
    ],
)
def test_bad_scenarios(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, problems: list[str]) -> None:
    write_files(tmp_path, {"agentlab.config.yaml": CONFIG, "scenarios/a.yaml": text})
    code, out, found = validate_in(tmp_path, monkeypatch)
    assert (code, out) == (ExitCode.BAD_INPUT, [])
    assert len(found) == len(problems), found
    for line, problem in zip(found, problems, strict=True):
        assert line.startswith(f"scenarios/a.yaml:{problem}")


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        (
            {"scenarios/a.yaml": b"id: \xff\n"},
            "scenarios/a.yaml:1:5: the byte 0xff is not UTF-8: save the file as UTF-8",
        ),
        ({"scenarios/a.yaml": b"a" * (2 << 20)}, "scenarios/a.yaml: the file is larger than 1 MB"),
        ({"scenarios/a.yaml/b": ""}, "scenarios/a.yaml: cannot be read: it is a folder, not a file"),
        (
            {"other/a.yaml": CONVERSATION},
            "scenarios: no scenario: looked here for `**/*.yaml` and `**/*.yml`; other",
        ),
    ],
)
def test_files_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: Mapping[str, str | bytes], problem: str
) -> None:
    code, _, (found,) = validate_in(write_files(tmp_path, files), monkeypatch)
    assert code == ExitCode.BAD_INPUT
    assert found.startswith(problem)


def test_a_pipe_a_dangling_link_and_a_way_out_are_named_and_not_waited_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, {"outside.yaml": CONVERSATION, "project/scenarios/ok.yaml": CONVERSATION})
    folder = tmp_path / "project"
    os.mkfifo(folder / "scenarios/pipe.yaml")
    (folder / "scenarios/dangling.yaml").symlink_to("nothing")
    (folder / "scenarios/out.yaml").symlink_to(tmp_path / "outside.yaml")
    code, _, found = validate_in(folder, monkeypatch, "scenarios", "../outside.yaml", "nope/*.yaml")
    assert code == ExitCode.BAD_INPUT
    assert found == [
        "../outside.yaml: is outside of the project, `.`, or in its `.git`",
        "nope/*.yaml: no file matches",
        "scenarios/dangling.yaml: cannot be read: it is a link to nothing",
        "scenarios/out.yaml: is outside of the project, `.`, or in its `.git`",
        "scenarios/pipe.yaml: cannot be read: it is a device or a pipe, not a file",
    ]


LONG = "x" * 300


@pytest.mark.parametrize("args", [(LONG,), ("--config", LONG, "scenarios"), ("scenarios", f"{LONG}/*.yaml")])
def test_a_path_that_no_file_can_have_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...]
) -> None:
    write_files(tmp_path, {"agentlab.config.yaml": CONFIG, "scenarios/a.yaml": CONVERSATION})
    code, _, found = validate_in(tmp_path, monkeypatch, *args)
    assert code == ExitCode.BAD_INPUT
    assert any(line.startswith(LONG) for line in found)


@pytest.mark.parametrize(
    ("agent", "problem"),
    [
        (
            "{name: web, provider: http, url: 'http://999.1.1.1/'}",
            "2:33: agents[0].url: cannot be used in a request: Invalid IPv4 address: '999.1.1.1'",
        ),
        (
            "{name: web, provider: http, url: http://x, headers: {Content-Length: '5'}}",
            "2:58: agents[0].headers.Content-Length: `Content-Length` follows from the body: leave it out",
        ),
        (
            f"{{name: web, provider: http, url: http://x, timeout_ms: {10**400}}}",
            f"2:48: agents[0].timeout_ms: `1{'0' * 78}…` is too large a number",
        ),
        (
            f"{{name: child, provider: external_process, command: sh, cwd: {LONG}}}",
            f"2:60: agents[0].cwd: there is no folder `{'x' * 79}…`",
        ),
    ],
)
def test_agents_that_no_run_could_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str, problem: str
) -> None:
    config = f"agents:\n  - {agent}\n"
    write_files(tmp_path, {"agentlab.config.yaml": config, "scenarios/a.yaml": CONVERSATION})
    assert validate_in(tmp_path, monkeypatch) == (ExitCode.BAD_INPUT, [], [f"agentlab.config.yaml:{problem}"])


def test_all_files_with_problems_are_named_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(
        tmp_path,
        {
            "agentlab.config.yaml": "agents: [{name: a, provider: htp}]\n",
            "scenarios/a.yaml": "",
            "scenarios/b.yaml": CONVERSATION.replace("suite: support", "suite: shop").replace("tags", "tagz"),
            "scenarios/c.yaml": "x: [",
        },
    )
    code, _, found = validate_in(tmp_path, monkeypatch)
    assert code == ExitCode.BAD_INPUT
    assert [":".join(line.split(":")[:2]) for line in found] == [
        "agentlab.config.yaml:1",
        "scenarios/a.yaml:1",
        "scenarios/b.yaml:2",
        "scenarios/b.yaml:5",
        "scenarios/c.yaml:2",
    ]


def test_what_is_used_but_cannot_be_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = "agents:\n  - {name: web, provider: http, url: 'http://x', headers: {A: '{{env.TOKEN}}'}}\n"
    write_files(tmp_path, {"agentlab.config.yaml": config, "scenarios/a.yaml": CONVERSATION})
    monkeypatch.delenv("TOKEN", raising=False)
    assert validate_in(tmp_path, monkeypatch) == (
        ExitCode.BAD_INPUT,
        [],
        ["agentlab.config.yaml:2:60: agents[0].headers.A: the environment variable `TOKEN` is not set or empty"],
    )
    monkeypatch.setenv("TOKEN", "x")
    assert validate_in(tmp_path, monkeypatch) == (ExitCode.OK, ["1 scenario, 1 agent: valid"], [])


def test_a_valid_project_is_said_to_be_with_its_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = CONFIG + "runtime_profiles: [{name: unused}]\n"
    write_files(tmp_path, {"agentlab.config.yaml": config, "scenarios/a.yaml": CONVERSATION})
    assert validate_in(tmp_path, monkeypatch) == (
        ExitCode.OK,
        [
            "note: agentlab.config.yaml:3:20: runtime_profiles[0]: no scenario names the profile `unused`",
            "1 scenario, 1 agent: valid",
        ],
        [],
    )
    write_files(tmp_path, {"elsewhere/my.yaml": CONFIG, "elsewhere/x.yaml": CONVERSATION})
    args = ("--config", "elsewhere/my.yaml", "elsewhere/x.yaml")
    assert validate_in(tmp_path, monkeypatch, *args) == (ExitCode.OK, ["1 scenario, 1 agent: valid"], [])


def list_in(folder: Path, monkeypatch: pytest.MonkeyPatch, *args: str) -> list[str]:
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(list_command.command, args, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout.splitlines()


def test_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = CONFIG + (
        '  - {name: web, provider: http, label: "Shop\\e[31m", url: "http://user:secret@host/chat?key=secret"}\n'
        "sampling: {samples: 5}\n"
        "suite_definitions: [{name: quick, include: {tags: [smoke]}}]\n"
    )
    second = CONVERSATION.replace("support.order", "shop.cart").replace("suite: support", "suite: shop")
    second = second.replace("sampling: {samples: 3, pass_rate: 0.75}\n", "").replace("tags: [smoke]\n", "")
    write_files(
        tmp_path, {"agentlab.config.yaml": config, "scenarios/a.yaml": CONVERSATION, "scenarios/b.yaml": second}
    )
    assert list_in(tmp_path, monkeypatch, "scenarios") == [
        "ID             TYPE          SUITE    TAGS   SAMPLES     PLACE               NAME",
        "support.order  conversation  support  smoke  3, needs 2  scenarios/a.yaml:1  Where is the order",
        "shop.cart      conversation  shop     -      5, needs 4  scenarios/b.yaml:1  Where is the order",
    ]
    assert list_in(tmp_path, monkeypatch, "agents") == [
        "NAME      PROVIDER  LABEL         WHERE",
        "scripted  mock      scripted      -",
        "web       http      Shop\\x1b[31m  http://host/chat",
    ]
    assert list_in(tmp_path, monkeypatch, "suites", "--scenarios", "scenarios") == [
        "SUITE    COUNT  SCENARIOS",
        "support  1      support.order",
        "shop     1      shop.cart",
        "",
        "SUITE DEFINITION  COUNT  SCENARIOS",
        "quick             1      support.order",
    ]


BUGGY = """\
import os, sys
from agentlab_ci.runner import batch

def fail(*args, **kwargs):
    raise RuntimeError("sent " + os.environ["SHOP_TOKEN"] + " through " + os.environ["HTTPS_PROXY"])

batch.run_plan = fail
from agentlab_ci.cli.group import run_command
sys.exit(run_command(["run"]))
"""


def test_the_traceback_of_a_bug_is_whole_and_holds_no_secret(tmp_path: Path) -> None:
    agent = {
        "name": "web",
        "provider": "http",
        "url": "http://localhost:1/",
        "headers": {"X": "{{env.SHOP_TOKEN}}"},
    }
    folder = write_project(tmp_path, {"agents": [agent]}, [conversation("a.one")])
    (folder / "buggy.py").write_text(BUGGY, encoding="utf-8")
    secrets = {
        "SHOP_TOKEN": "canary-of-the-shop",
        "HTTPS_PROXY": "http://me:canary-of-the-proxy@proxy.example:3128",
    }
    ended = wait_for(start_python(folder, "buggy.py", environ=secrets), folder)
    assert ended.code == ExitCode.BUG
    assert "RuntimeError: sent *** through http://***@proxy.example:3128" in ended.err
    assert "please report it with the traceback above" in ended.err
    assert "canary" not in ended.err + ended.out


def test_validate_imports_the_functions_that_are_used_and_says_which_cannot_be(tmp_path: Path) -> None:
    agent = {"name": "mine", "provider": "python", "target": "shop:answer", "env_allowlist": ["SHOP_TOKEN"]}
    folder = write_project(tmp_path, {"agents": [agent]}, [conversation("a.one")])
    (folder / "shop.py").write_text("import os; raise ValueError(os.environ['SHOP_TOKEN'])\n", encoding="utf-8")
    ended = agentlab(folder, "validate", environ={"SHOP_TOKEN": "canary-of-the-shop"})
    assert ended.code == ExitCode.BAD_INPUT
    assert "agents[0].target: cannot be imported: ValueError: ***" in ended.err
    assert "canary" not in ended.err + ended.out
    (folder / "shop.py").write_text("def answer(messages, context, tools): return 'shipped'\n", encoding="utf-8")
    assert agentlab(folder, "validate", environ={"SHOP_TOKEN": "canary-of-the-shop"}).code == 0
