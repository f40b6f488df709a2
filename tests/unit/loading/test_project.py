import os
from pathlib import Path

import pytest

from agentlab_ci.core.config import Config
from agentlab_ci.core.scenario import Place
from agentlab_ci.errors import ExitCode, InvalidFilesError
from agentlab_ci.loading.project import load_project
from yaml_projects import CONFIG, CONVERSATION, ROWS, SIMULATION, TASK, load, problems_in, write_files


def conversation(id_: str, more: str = "") -> str:
    return (
        CONVERSATION.replace("support.order", id_).replace(
            "suite: support", f"suite: {id_.split('.', maxsplit=1)[0]}"
        )
        + more
    )


def test_a_project_is_its_config_and_all_files_under_scenarios_in_path_order(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "agentlab.config.yaml": CONFIG,
            "scenarios/b.yml": conversation("b.one") + "---\n" + conversation("b.two"),
            "scenarios/a/deep/x.yaml": conversation("a.one"),
            "scenarios/c.yaml": ROWS,
            "scenarios/notes.txt": "not a scenario",
            "scenarios/.git/y.yaml": "not: one",
            "other.yaml": "not: one",
        },
    )
    project = load(tmp_path)
    assert [scenario.id for scenario in project.scenarios] == [
        "a.one",
        "b.one",
        "b.two",
        "c.late-order-angry",
        "shop.refund",
    ]
    assert [scenario.place for scenario in project.scenarios[:3]] == [
        Place(path="scenarios/a/deep/x.yaml", line=1),
        Place(path="scenarios/b.yml", line=1),
        Place(path="scenarios/b.yml", line=15),
    ]
    assert (project.root, project.config_file) == (tmp_path, "agentlab.config.yaml")
    assert project.config_places["agents", 0, "name"] == Place(path="agentlab.config.yaml", line=2, column=6)


def test_without_a_config_there_are_defaults(tmp_path: Path) -> None:
    project = load(write_files(tmp_path, {"scenarios/a.yaml": CONVERSATION}))
    assert (project.config, project.config_file, project.config_places) == (Config(), None, {})


def test_a_config_elsewhere_makes_its_folder_the_project(tmp_path: Path) -> None:
    write_files(tmp_path, {"shop/my.yaml": CONFIG, "shop/scenarios/a.yaml": CONVERSATION, "here/x": ""})
    project = load(tmp_path / "here", config="../shop/my.yaml")
    assert project.root.resolve() == tmp_path / "shop"
    assert project.config_file == "../shop/my.yaml"
    assert project.scenarios[0].place.path == "../shop/scenarios/a.yaml"


@pytest.mark.parametrize(
    ("paths", "ids"),
    [
        (["scenarios/b.yaml"], ["b.one"]),
        (["scenarios/b.yaml", "scenarios/a"], ["a.one", "a.two", "b.one"]),
        (["scenarios/**/*.yaml"], ["a.one", "a.two", "b.one"]),
        (["scenarios/a/*"], ["a.one", "a.two"]),
        (["."], ["a.one", "a.two", "b.one"]),  # and not the config
        (["scenarios", "scenarios/b.yaml", "scenarios/../scenarios/b.yaml"], ["a.one", "a.two", "b.one"]),
        (["odd.name"], ["odd.one"]),  # a file that is named is read whatever it is called
    ],
)
def test_files_folders_and_globs_can_be_given(tmp_path: Path, paths: list[str], ids: list[str]) -> None:
    write_files(
        tmp_path,
        {
            "agentlab.config.yaml": CONFIG,
            "scenarios/a/1.yaml": conversation("a.one"),
            "scenarios/a/2.yaml": conversation("a.two"),
            "scenarios/b.yaml": conversation("b.one"),
            "odd.name": conversation("odd.one"),
        },
    )
    assert [scenario.id for scenario in load(tmp_path, *paths).scenarios] == ids
    absolute = [str(tmp_path / path) for path in paths]
    assert [scenario.id for scenario in load(tmp_path, *absolute).scenarios] == ids


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("nope.yaml", "nope.yaml: there is no such file or folder"),
        ("x/*.yaml", "x/*.yaml: no file matches"),
        ("empty", "empty: the folder holds no scenario file (.yaml or .yml)"),
        ("..", "..: is outside of the project, `.`, or in its `.git`"),
        ("../outside.yaml", "../outside.yaml: is outside of the project, `.`, or in its `.git`"),
        ("scenarios/link.yaml", "scenarios/link.yaml: is outside of the project, `.`, or in its `.git`"),
        (".git/x.yaml", ".git/x.yaml: is outside of the project, `.`, or in its `.git`"),
        ("dangling.yaml", "dangling.yaml: cannot be read: it is a link to nothing"),
        ("loop.yaml", "loop.yaml: cannot be read: Too many levels of symbolic links"),
        ("fifo", "fifo: cannot be read: it is a device or a pipe, not a file"),
        ("folders", "folders/x.yaml: cannot be read: it is a folder, not a file"),
        ("out", "out: is outside of the project, `.`, or in its `.git`"),
    ],
)
def test_what_cannot_be_read_is_a_problem_and_never_waited_on(tmp_path: Path, path: str, problem: str) -> None:
    project = tmp_path / "project"
    write_files(
        tmp_path,
        {
            "outside.yaml": conversation("x.y"),
            "project/scenarios/a.yaml": CONVERSATION,
            "project/.git/x.yaml": CONVERSATION,
            "project/folders/x.yaml/a": "",
        },
    )
    (project / "empty").mkdir()
    (project / "scenarios/link.yaml").symlink_to(tmp_path / "outside.yaml")
    (project / "dangling.yaml").symlink_to("nothing")
    (project / "loop.yaml").symlink_to("loop.yaml")
    (project / "out").symlink_to(tmp_path)
    os.mkfifo(project / "fifo")
    assert problems_in(project, path) == [problem]


def test_folders_that_link_to_each_other_are_walked_once(tmp_path: Path) -> None:
    write_files(tmp_path, {"scenarios/a/x.yaml": CONVERSATION})
    (tmp_path / "scenarios/a/up").symlink_to("..")
    (tmp_path / "scenarios/b").symlink_to("a")
    assert len(load(tmp_path).scenarios) == 1


def test_no_scenario_says_where_it_looked(tmp_path: Path) -> None:
    assert problems_in(tmp_path) == [
        "scenarios: no scenario: looked here for `**/*.yaml` and `**/*.yml`; other places can be given as paths"
    ]


def test_a_config_that_is_not_there(tmp_path: Path) -> None:
    write_files(tmp_path, {"scenarios/a.yaml": CONVERSATION + "agent: unknown\n"})
    assert problems_in(tmp_path, config="nope.yaml") == ["nope.yaml: cannot be read: there is no such file"]
    (tmp_path / "agentlab.config.yaml").symlink_to("nothing")
    assert problems_in(tmp_path) == ["agentlab.config.yaml: cannot be read: it is a link to nothing"]


def test_the_problems_of_all_files_come_at_once_sorted_by_place(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "agentlab.config.yaml": "concurency: 1\n",
            "scenarios/b.yaml": CONVERSATION.replace("name:", "nam:"),
            "scenarios/a.yaml": b"\xff",
            "scenarios/c.yaml": "",
        },
    )
    with pytest.raises(InvalidFilesError) as caught:
        load(tmp_path)
    assert caught.value.exit_code is ExitCode.BAD_INPUT
    assert [(problem.path, problem.line) for problem in caught.value.problems] == [
        ("agentlab.config.yaml", 1),
        ("scenarios/a.yaml", 1),
        ("scenarios/b.yaml", 1),
        ("scenarios/b.yaml", 3),
        ("scenarios/c.yaml", 1),
    ]


def test_an_id_is_there_once_and_both_places_are_named(tmp_path: Path) -> None:
    rows = "name: x\nscenarios:\n  - {label: a, instructions: b, agent_expectations: c, id: support.order}\n"
    broken = CONVERSATION.replace("name:", "nam:")
    write_files(
        tmp_path, {"scenarios/a.yaml": broken, "scenarios/b.yaml": "\n" + CONVERSATION, "scenarios/c.yaml": rows}
    )
    doubles = [problem for problem in problems_in(tmp_path) if "is taken" in problem]
    assert doubles == [
        "scenarios/b.yaml:3:1: id: the id `support.order` is taken by scenarios/a.yaml:2",
        "scenarios/c.yaml:3:5: scenarios[0]: the id `support.order` is taken by scenarios/a.yaml:2",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (CONVERSATION + "agent: scripte\n", "14:1: agent: no agent is called `scripte`; did you mean `scripted`?"),
        (
            CONVERSATION + "runtime_profile: p\n",
            "14:1: runtime_profile: no runtime profile is called `p`; there is none",
        ),
        (
            CONVERSATION.replace("suite: support", "suite: shop"),
            "2:1: id: must start with its suite and a dot: `shop.`",
        ),
        (CONVERSATION.replace("samples: 3", "samples: 4"), "6:12: sampling.samples: 4 samples are an even number"),
        (
            CONVERSATION.replace("samples: 3", "samples: 7"),
            "6:12: sampling.samples: 7 samples are more than the 5",
        ),
        (CONVERSATION + "tools: {allowed: [nope]}\n", "14:1: unknown key `tools`: a conversation has no tools"),
        (CONVERSATION + "setup_script: ../x.py\n", "14:1: setup_script: `../x.py` is outside of the project"),
        (
            TASK.replace("refund_all", "list"),
            "12:15: tools.forbidden[0]: `orders.list` is allowed too: take it from one of the two lists",
        ),
        (
            TASK.replace("[orders.list,", "[orders.lst,"),
            "11:13: tools.allowed[0]: no tool is called `orders.lst`; did",
        ),
        (
            TASK.replace("support/orders.json", "support/order.json"),
            "8:14: context.fixtures[0]: there is no file `fixtures/support/order.json` in the project",
        ),
        (
            TASK.replace("fixtures/support/orders.json", "/etc/passwd"),
            "8:14: context.fixtures[0]: `/etc/passwd` is out",
        ),
    ],
)
def test_what_a_scenario_names_must_be_there(tmp_path: Path, text: str, problem: str) -> None:
    config = CONFIG + "sampling: {max_samples: 5, require_odd: true}\ntools: [{name: own.tool, command: [x]}]\n"
    write_files(tmp_path, {"agentlab.config.yaml": config, "scenarios/a.yaml": text})
    (found,) = problems_in(tmp_path)
    assert found.startswith(f"scenarios/a.yaml:{problem}")


def test_what_a_scenario_names_is_checked_though_its_keys_are_wrong(tmp_path: Path) -> None:
    text = TASK.replace("name:", "nam:").replace("[orders.list,", "[orders.lst,") + "agent: nobody\n"
    write_files(tmp_path, {"agentlab.config.yaml": CONFIG, "scenarios/a.yaml": text})
    assert len(problems_in(tmp_path)) == 4


def test_what_a_scenario_may_name(tmp_path: Path) -> None:
    config = CONFIG + "tools: [{name: own.tool, command: [x]}]\nruntime_profiles: [{name: p}]\n"
    text = TASK.replace("[orders.list,", "[own.tool,").replace("fixtures/support/orders.json", "data/own.json")
    text += "agent: scripted\nruntime_profile: p\n"
    write_files(tmp_path, {"agentlab.config.yaml": config, "scenarios/a.yaml": text, "data/own.json": "[]"})
    assert problems_in(tmp_path) == []


PROFILES = """\
runtime_profiles:
  - {name: slow, tool_faults: [{tool: orders.list, mode: timeout}, {tool: docs.read, mode: error}]}
  - {name: docs, tool_faults: [{tool: docs.read, mode: error}]}
  - {name: memory, state: {memory_blob: {seat: aisle}}}
  - {name: idle, state: {reset: manual}}
  - {name: net, http_faults: [{mode: drop}]}
"""


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (
            TASK + "runtime_profile: slow\n",
            "16:1: runtime_profile: the profile `slow` has a fault for `docs.read`, which is not allowed here",
        ),
        (
            TASK + "runtime_profile: docs\n",
            "16:1: runtime_profile: the profile `docs` changes nothing for this scenario",
        ),
        (
            TASK + "runtime_profile: idle\n",
            "16:1: runtime_profile: the profile `idle` changes nothing for this scenario",
        ),
        (CONVERSATION + "runtime_profile: idle\n", None),
        (
            CONVERSATION + "runtime_profile: slow\n",
            "14:1: runtime_profile: the profile `slow` changes nothing for this scenario",
        ),
        (CONVERSATION + "runtime_profile: net\n", None),
        (
            TASK.replace("support/orders.json", "ops/logs.json"),
            "8:14: context.fixtures[0]: no tool of this scenario reads `fixtures/ops/logs.json`",
        ),
        (TASK.replace("support/orders.json", "ops/logs.json") + "setup_script: s.py\n", None),
        (TASK.replace("support/orders.json", "ops/logs.json").replace("[orders.list,", "[own.tool,"), None),
        (
            CONVERSATION + "agent: web\nagent_preset: {system_prompt: Be kind.}\n",
            "15:16: agent_preset.system_prompt: an http agent is never told this prompt",
        ),
        (CONVERSATION + "agent: scripted\nagent_preset: {system_prompt: Be kind.}\n", None),
        (
            TASK.replace("refund_all", "lsit"),
            "12:15: tools.forbidden[0]: no tool is called `orders.lsit`; did you mean `orders.list`?",
        ),
        (
            TASK + "  - {type: forbidden_tool, mode: hard_gate, config: {tools: [orders.refnd]}}\n",
            "16:62: evaluators[1].config.tools[0]: no tool is called `orders.refnd`; did you mean `orders.refund`",
        ),
        (
            TASK.replace("config: {tool: orders.refund}", "config: {tool: shop.refund}"),
            "15:73: evaluators[0].config.tool: no tool is called `shop.refund`",
        ),
        (TASK.replace("config: {tool: orders.refund}", "config: {tool: own.tool}"), None),
        (CONVERSATION + "agent_preset: {system_prompt: Be kind.}\n", None),  # which agent is not known yet
    ],
)
def test_what_does_nothing_is_noted(tmp_path: Path, text: str, note: str | None) -> None:
    config = CONFIG + "  - {name: web, provider: http, url: 'http://x'}\n" + PROFILES
    config += "tools: [{name: own.tool, command: [x]}]\n"
    write_files(tmp_path, {"agentlab.config.yaml": config, "scenarios/a.yaml": text})
    notes = [found for found in load(tmp_path).notes if found.startswith("scenarios/")]
    assert len(notes) == (note is not None)
    assert not notes or notes[0].startswith(f"scenarios/a.yaml:{note}")


HTTP = "  - {name: web, provider: http, url: 'http://x'%s}\n"
UNTOLD = ", request_template: {q: '{{message}}'}"
TOLD = ", request_template: {q: '{{message}}', about: [{u: '{{ userdata }}'}]}"


@pytest.mark.parametrize(
    ("agents", "scenario", "noted"),
    [
        (HTTP % UNTOLD, SIMULATION, ("agents[0]", "`support.moody`")),
        (HTTP % UNTOLD, ROWS, ("agents[0]", "`a.late-order-angry`")),  # of the two rows the one that has some
        (HTTP % UNTOLD, SIMULATION.replace("{order: ord_1}", "{}"), None),
        (HTTP % UNTOLD, CONVERSATION, None),
        (HTTP % "", SIMULATION, None),  # agentlab's own body has it
        (HTTP % TOLD, SIMULATION, None),
        (HTTP % (UNTOLD + ", headers: {X-User: 'u={{userdata}}'}"), SIMULATION, None),
        (CONFIG.removeprefix("agents:\n") + HTTP % UNTOLD, SIMULATION, None),  # which agent is not known yet
        (
            CONFIG.removeprefix("agents:\n") + HTTP % UNTOLD,
            SIMULATION + "agent: web\n",
            ("agents[1]", "`support.moody`"),
        ),
    ],
)
def test_userdata_that_an_http_agent_is_never_told_is_noted(
    tmp_path: Path, agents: str, scenario: str, noted: tuple[str, str] | None
) -> None:
    write_files(tmp_path, {"agentlab.config.yaml": "agents:\n" + agents, "scenarios/a.yaml": scenario})
    for paths in ((), ("scenarios/a.yaml",)):
        project = load_project(cwd=tmp_path, scenario_paths=paths)
        notes = [note for note in project.notes if "userdata" in note]
        if noted is None:
            assert notes == []
            continue
        (note,) = notes
        place, ids = noted
        said = "without `{{userdata}}` here or in `headers` the agent is not told that of"
        assert note.endswith(f": {place}.request_template: {said} {ids}")
        assert note.startswith("agentlab.config.yaml:")


@pytest.mark.parametrize(
    ("rows", "made"),
    [
        ("[{label: A b, %s}, {label: C, id: s.c, %s}]", "`l.a-b`"),
        ("[{label: A, %s}, {label: B, %s}]", "`l.a`, `l.b`"),
        ("[{label: A, id: a.b, %s}]", None),
    ],
)
def test_rows_whose_ids_follow_their_labels_are_noted(tmp_path: Path, rows: str, made: str | None) -> None:
    text = f"name: x\nscenarios: {rows.replace('%s', 'instructions: a, agent_expectations: b')}\n"
    project = load(write_files(tmp_path, {"scenarios/l.yaml": text}))
    note = "ids made of labels: {}; `agentlab ids scenarios/l.yaml` writes them down, so that labels may change"
    assert project.notes == (() if made is None else (f"scenarios/l.yaml:2:1: scenarios: {note.format(made)}",))


def test_what_no_scenario_uses_is_noted_when_all_are_seen(tmp_path: Path) -> None:
    config = "runtime_profiles: [{name: p}]\nsuite_definitions: [{name: s, include: {tags: [nightly]}}]\n"
    write_files(tmp_path, {"agentlab.config.yaml": config, "scenarios/a.yaml": SIMULATION})
    assert load(tmp_path).notes == (
        "agentlab.config.yaml:1:20: runtime_profiles[0]: no scenario names the profile `p`",
        "agentlab.config.yaml:2:21: suite_definitions[0]: the suite definition `s` picks no scenario",
    )
    assert load(tmp_path, "scenarios/a.yaml").notes == ()
