"""What is allowed but does nothing: profiles, faults, fixtures, prompts, userdata and suites without effect."""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from agentlab_ci.core.config import AgentConfig, Config, HttpAgent
from agentlab_ci.core.scenario import Scenario, Simulation, Task
from agentlab_ci.errors import Problem
from agentlab_ci.loading.config_names import Finding
from agentlab_ci.loading.placeholders import placeholders_of
from agentlab_ci.loading.profile_notes import note_profile
from agentlab_ci.loading.select import picks
from agentlab_ci.loading.wording import listed, quoted
from agentlab_ci.loading.yaml_source import Document, Loc
from agentlab_ci.tools.registry import BUILTIN_TOOLS, FIXTURE_OF


def note_scenario(scenario: Scenario, document: Document, config: Config) -> list[Problem]:
    """Return the notes on one scenario, each at the key that has no effect."""
    findings = [
        *((("runtime_profile",), message) for message in note_profile(scenario, config)),
        *_note_fixtures(scenario),
        *_note_unknown_tools(scenario, config),
        *_note_prompt(scenario, config),
    ]
    return [document.problem(loc, message) for loc, message in findings]


def note_config(config: Config, document: Document, scenarios: Sequence[Scenario]) -> list[Problem]:
    """Return the notes on a config that is seen together with all scenarios of its project."""
    named = {scenario.runtime_profile for scenario in scenarios}
    findings: list[Finding] = [
        (("runtime_profiles", index), f"no scenario names the profile {quoted(profile.name)}")
        for index, profile in enumerate(config.runtime_profiles)
        if profile.name not in named
    ]
    for index, definition in enumerate(config.suite_definitions):
        if not any(picks(definition, scenario) for scenario in scenarios):
            message = f"the suite definition {quoted(definition.name)} picks no scenario"
            findings.append((("suite_definitions", index), message))
    return [document.problem(loc, message) for loc, message in findings]


def note_userdata(config: Config, document: Document, scenarios: Iterable[Scenario]) -> list[Problem]:
    """Return a note for each http agent whose own request leaves out the userdata of simulations that run on it.

    A simulation that may run on another agent, which is told, has no note.
    """
    untold: dict[int, list[str]] = {}
    for scenario in scenarios:
        if not isinstance(scenario.body, Simulation) or not scenario.body.userdata:
            continue
        runs_on = [place for place, agent in enumerate(config.agents) if scenario.agent in (None, agent.name)]
        if not any(_is_told_userdata(config.agents[place]) for place in runs_on):
            for place in runs_on:
                untold.setdefault(place, []).append(scenario.id)
    return [
        document.problem(
            ("agents", place, "request_template"),
            f"without `{{{{userdata}}}}` here or in `headers` the agent is not told that of {listed(ids)}",
        )
        for place, ids in sorted(untold.items())
    ]


def note_list_file(document: Document, scenarios: Sequence[Scenario]) -> list[Problem]:
    """Return a note on a list file that has rows without an id; `scenarios` are all of its rows.

    Their ids follow the labels, so that a changed label would begin a new history.
    """
    rows = document.data.get("scenarios") if isinstance(document.data, Mapping) else None
    pairs = zip(rows, scenarios, strict=False) if isinstance(rows, list) else ()
    made = [scenario for row, scenario in pairs if row.get("id") is None]
    if not made:
        return []
    shown = listed([scenario.id for scenario in made])
    path = made[0].place.path
    message = f"ids made of labels: {shown}; `agentlab ids {path}` writes them down, so that labels may change"
    return [document.problem(("scenarios",), message)]


def _is_told_userdata(agent: AgentConfig) -> bool:
    """Tell whether userdata reaches the agent; a request without a template of its own holds it."""
    if not isinstance(agent, HttpAgent) or agent.request_template is None:
        return True
    return any(name == "userdata" for _, name in placeholders_of(agent))


def _note_fixtures(scenario: Scenario) -> Iterator[Finding]:
    body = scenario.body
    if not isinstance(body, Task) or scenario.setup_script is not None:
        return
    if any(tool not in FIXTURE_OF for tool in body.tools_allowed):
        return  # a tool of the project's own may read any of them
    read = {FIXTURE_OF[tool] for tool in body.tools_allowed}
    for index, fixture in enumerate(body.fixtures):
        if fixture not in read:
            yield ("context", "fixtures", index), f"no tool of this scenario reads {quoted(fixture)}"


def _note_unknown_tools(scenario: Scenario, config: Config) -> Iterator[Finding]:
    """Yield tools that are nowhere: those that must be called, and those that look like a misspelt one.

    To forbid a tool that does not exist is sound: an agent may make it up.
    """
    if not isinstance(scenario.body, Task):
        return
    known = [*BUILTIN_TOOLS, *(tool.name for tool in config.tools)]
    forbidden: list[tuple[Loc, str]] = [
        (("tools", "forbidden", index), tool) for index, tool in enumerate(scenario.body.tools_forbidden)
    ]
    for index, spec in enumerate(scenario.evaluators):
        loc: Loc = ("evaluators", index, "config")
        forbidden += [((*loc, "tools", place), it) for place, it in enumerate(getattr(spec.config, "tools", ()))]
        tool = getattr(spec.config, "tool", None)
        if tool is not None and tool not in known:
            yield (*loc, "tool"), f"no tool is called {quoted(tool)}{_name_nearest(tool, known, likeness=0.6)}"
    for loc, tool in forbidden:
        nearest = _name_nearest(tool, known, likeness=0.9)
        if tool not in known and nearest:
            yield loc, f"no tool is called {quoted(tool)}{nearest}"


def _name_nearest(word: str, known: Sequence[str], *, likeness: float) -> str:
    nearest = difflib.get_close_matches(word, known, n=1, cutoff=likeness)
    return f"; did you mean {quoted(nearest[0])}?" if nearest else ""


def _note_prompt(scenario: Scenario, config: Config) -> Iterator[Finding]:
    if scenario.system_prompt is None or isinstance(scenario.body, Task):
        return
    agents = [agent for agent in config.agents if scenario.agent in (None, agent.name)]
    if agents and all(isinstance(agent, HttpAgent) for agent in agents):
        loc = ("agent_preset", "system_prompt")
        yield loc, "an http agent is never told this prompt: no placeholder of its request holds it"
