"""A secret, wherever it comes in and in whatever form it comes back, is in nothing that leaves a step."""

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from action_step import Step, run_step
from agentlab_ci.core.formats import FileFormat
from agentlab_ci.reports.redact import BODY_LIMIT, TEXT_LIMIT
from command import conversation, write_project
from echo_agent import Echo, echo_agent, response
from fake_github import FORBIDDEN, Answer, FakeGitHub, fake_github, refusal
from livekit_export import EXPORT, make_export

CANARY = 'canary7"/+&=?~?~pw'
"""Its first word survives every way of writing it but base64; the rest is written in another way by each."""
UNKNOWN = "canary7-unknown"
"""What no config and no input names as a secret: it must not be shown where it stands."""
WORD = "canary7"
MASK = "***"
IN_URL = quote(CANARY, safe="")
STORED = frozenset({"results.json", "agentlab.db"})
PAGES = STORED | {"summary", "report.md", "report.html", "junit.xml"}
"""Where the reply of a failed sample is seen, beside the comment; the reason why it failed is in the log, too."""
EVERYWHERE = PAGES | {"comment", "stdout"}


def in_base64(text: str) -> Iterator[str]:
    """Yield base64 that can only come of the text: of whole groups inside it, wherever it begins."""
    for before in ("", "a", "ab"):
        inner = base64.b64encode(f"{before}{text}".encode()).decode()[4:-4]
        yield inner
        yield inner.translate(str.maketrans("+/", "-_"))


TRACES = (WORD, *in_base64(CANARY), *in_base64(IN_URL))


def all_forms(text: str) -> str:
    """Write a text in all the ways that a server may give it back."""
    raw = text.encode()
    return " | ".join(
        [
            *(text, quote(text), quote(text, safe=""), quote_plus(text), quote(text, safe="").lower()),
            *(json.dumps(text), json.dumps(text).replace("/", r"\/")),
            *(base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode().rstrip("=")),
            *(base64.b64encode(before + raw + b"!").decode() for before in (b":", b"u:")),
        ]
    )


def says(seen: str) -> bytes:
    return response(json.dumps({"message": f"I was sent {all_forms(seen)}"}))


def fails(status: str, *headers: str) -> Echo:
    """Answer with this status and an error page of everything."""
    return lambda seen: response(
        f"no: {all_forms(seen)}", *(it.format(quote(seen, safe="")) for it in headers), status=status
    )


def across(size: int, pad: int, answer: Callable[[str], bytes]) -> Echo:
    """Answer with so many canaries around a size that a cut there goes through one; `pad` shifts them."""
    return lambda seen: answer("x" * (size - 400 + pad) + seen * 60)


@dataclass(frozen=True, kw_only=True)
class Way:
    """How the canary comes in and back; `shown` are the places where its mask must be seen in its stead.

    `project` makes config and scenario of the port that the agent `answer` listens on. `export` is what is in
    the place of LiveKit's export. `github` is what GitHub answers to the comment.
    """

    answer: Echo = says
    project: Callable[[int], tuple[dict[str, Any], dict[str, Any]]] = field(
        default=lambda port: (config_of(bearer(port)), scenario())
    )
    export: str | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    environ: Mapping[str, str] = field(default_factory=lambda: {"AGENT_KEY": CANARY})
    process: Mapping[str, str] = field(default_factory=dict)
    world: Mapping[str, Any] = field(default_factory=dict)
    github: Answer | None = None
    code: int = 1
    shown: frozenset[str] = EVERYWHERE


def bearer(port: int, **more: Any) -> dict[str, Any]:
    """Return an agent that is sent the canary in a header."""
    url = f"http://127.0.0.1:{port}/chat"
    return {"provider": "http", "url": url, "headers": {"Authorization": "Bearer {{env.AGENT_KEY}}"}} | more


def at(url: str) -> dict[str, Any]:
    return {"provider": "http", "url": url}


def mock(reply: str = "No.") -> dict[str, Any]:
    """Return an agent that sends nothing anywhere."""
    return {"provider": "mock", "replies": [{"reply": reply}]}


def config_of(agent: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"agents": [{"name": "desk"} | agent], "sampling": {"error_retries": 0}} | more


def scenario(**more: Any) -> dict[str, Any]:
    """Return a scenario that no answer here passes."""
    return conversation("orders.status", keyword="nothing of this") | more


def on_mock(_: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a project that holds no secret of its own."""
    return config_of(mock()), scenario()


def with_check(kind: str, **config: Any) -> dict[str, Any]:
    check = {"type": kind, "mode": "hard_gate", "config": config}
    return scenario(steps=[{"role": "user", "message": f"Do you know {CANARY}?", "evaluators": [check]}])


def broken_clock() -> Any:
    raise ZeroDivisionError(f"{all_forms(CANARY)} http://user:{IN_URL}@host/")


def exported(text: str) -> str:
    """Return an export that says the text wherever it is free to say something."""
    words = {
        "label": text,
        "instructions": text,
        "agent_expectations": text,
        "error": text,
        "tags": {"note": text},
    }
    export = make_export("orders.status=f", chat=text, error=text)
    for part in (*export["run"]["jobs"], *export["run"]["scenario_group"]["scenarios"]):
        part.update(words)
    items = next(iter(export["summary"]["chat_history"].values()))["items"]
    items.append({"function_call": {"name": "look_up", "call_id": "1", "arguments": json.dumps({text: text})}})
    items.append({"function_call_output": {"name": "look_up", "call_id": "1", "output": text}})
    return json.dumps(export)


FROM_LIVEKIT: dict[str, Any] = {"inputs": {"from-livekit": EXPORT}, "environ": {"INPUT_GITHUB-TOKEN": CANARY}}
REFUSED: dict[str, Any] = {"code": 2, "shown": frozenset({"stdout", "stderr", "summary"})}
"""How a step ends that judges nothing, and where the mask is then."""
SILENT = REFUSED | {"shown": frozenset()}

WAYS = {
    # An agent gives back what it was sent.
    "in the reply": Way(shown=PAGES | {"comment"}),
    "in an unsent comment": Way(github=FORBIDDEN, shown=PAGES | {"comment.md"}),
    "in an error's body": Way(answer=fails("500 Internal Server Error")),
    "in a reason phrase": Way(answer=fails(f"500 {CANARY}")),
    "in a redirect": Way(answer=fails("302 Found", f"Location: /login/{{0}}?token={UNKNOWN}")),
    "in a redirect's user info": Way(answer=fails("302 Found", f"Location: http://{UNKNOWN}@127.0.0.1/")),
    "in a redirect that leads nowhere": Way(
        answer=lambda seen: response("", f"Location: http://u:{seen}@127.0.0.1/", status="302 Found"),
        shown=frozenset(),
    ),
    "in an encoding": Way(answer=lambda seen: response("x", f"Content-Encoding: {seen}")),
    "in what is no JSON": Way(answer=lambda seen: response(all_forms(seen))),
    "in what is no HTTP": Way(answer=lambda seen: f"{seen} {seen}\r\n\r\n".encode(), shown=frozenset()),
    "in a header line that is none": Way(
        answer=lambda seen: response("{}", f"{seen} {seen}", status="200 OK"), shown=frozenset()
    ),
    "in a key beside the reply": Way(answer=lambda seen: response(json.dumps({seen: 1}))),
    "in what stands for text": Way(answer=lambda seen: response(json.dumps({"message": [seen]}))),
    "in a figure": Way(
        answer=lambda seen: response(json.dumps({"message": seen, "cost": seen})),
        project=lambda port: (config_of(bearer(port, usage_fields={"cost_usd": "cost"})), scenario()),
        shown=PAGES | {"comment"},
    ),
    "in a wait": Way(answer=fails("429 Too Many Requests", "Retry-After: 86400")),
    "in a redraw": Way(
        answer=fails("502 Bad Gateway"),
        project=lambda port: (config_of(bearer(port), sampling={"error_retries": 1}), scenario()),
    ),
    **{
        f"across the cut {name}, {pad} bytes in": Way(answer=across(size, pad, answer), shown=PAGES)
        for pad in range(0, len(CANARY), 3)
        for name, size, answer in (
            ("of a page", BODY_LIMIT, lambda text: response(text, status="500 Broken")),
            ("of a reply", TEXT_LIMIT, lambda text: response(json.dumps({"message": text}))),
        )
    },
    # The project's own texts.
    "in the scenario": Way(
        project=lambda _: (
            config_of(mock(), redact=["AGENT_KEY"]),
            scenario(name=f"Ask {CANARY}", description=CANARY),
        ),
        shown=STORED | {"stdout"},
    ),
    "in the agent's label": Way(
        project=lambda _: (config_of({**mock(), "label": CANARY}, redact=["AGENT_KEY"]), scenario()),
        shown=STORED,
    ),
    "in a message, and in keywords": Way(
        project=lambda _: (
            config_of(mock(), redact=["AGENT_KEY"]),
            with_check("response_contains", keywords=[all_forms(CANARY)]),
        ),
    ),
    "in a pattern": Way(
        project=lambda _: (
            config_of(mock(), redact=["AGENT_KEY"]),
            with_check("response_matches_regex", pattern=CANARY),
        ),
    ),
    # The user info of an agent's URL.
    "in the reply, of the URL": Way(
        project=lambda port: (config_of(at(f"http://user:{IN_URL}@127.0.0.1:{port}/")), scenario()),
        shown=PAGES | {"comment"},
    ),
    "in the URL of no server": Way(
        project=lambda _: (
            config_of(at(f"http://user:{IN_URL}@localhost:9/?key={UNKNOWN}#{UNKNOWN}")),
            scenario(),
        ),
        environ={"AGENTLAB_CONTAINER": "1"},
        shown=frozenset(),
    ),
    "in a URL that is none": Way(
        project=lambda _: (config_of(at(f"http://user:{IN_URL}@127.0.0.1:port/")), scenario()),
        **SILENT,
    ),
    "in a URL that no request can be made to": Way(
        project=lambda _: (config_of(at(f"http://user:{IN_URL}@[::1/")), scenario()),
        **SILENT,
    ),
    # The user info of a proxy.
    "in what a proxy says": Way(
        answer=fails("407 Proxy Authentication Required"),
        project=lambda _: (config_of(at("http://agent.test/")), scenario()),
        process={"HTTP_PROXY": f"http://user:{IN_URL}@127.0.0.1:{{port}}", "NO_PROXY": "127.0.0.1"},
    ),
    "in the proxy of a wait": Way(
        answer=fails("502 Bad Gateway"),
        inputs={"wait-for-url": "http://agent.test/", "wait-seconds": "0.1"},
        process={"HTTP_PROXY": f"http://user:{IN_URL}@127.0.0.1:{{port}}", "NO_PROXY": "127.0.0.1"},
        **SILENT,
    ),
    "in a proxy that refuses": Way(
        answer=fails("407 Proxy {0}"),
        project=lambda _: (config_of(at("https://agent.test/")), scenario()),
        process={"HTTPS_PROXY": f"http://user:{IN_URL}@127.0.0.1:{{port}}", "NO_PROXY": "127.0.0.1"},
        shown=frozenset(),
    ),
    "in a proxy that is none": Way(
        project=lambda _: (config_of(at("http://agent.test/")), scenario()),
        process={"HTTP_PROXY": f"htp://user:{IN_URL}@127.0.0.1:1", "NO_PROXY": "127.0.0.1"},
        **SILENT,
    ),
    # The server that is waited for.
    "in the URL that is waited for": Way(
        inputs={"wait-for-url": f"http://user:{IN_URL}@127.0.0.1:{{port}}/?key={UNKNOWN}", "wait-seconds": "0.1"},
        answer=fails("500 {0}"),
        **SILENT,
    ),
    # The github-token.
    "in the reply, of the token": Way(
        project=lambda _: (config_of(mock(all_forms(CANARY))), scenario()),
        environ={"INPUT_GITHUB-TOKEN": CANARY},
        shown=PAGES | {"comment"},
    ),
    "in what GitHub says": Way(
        project=on_mock,
        environ={"INPUT_GITHUB-TOKEN": CANARY},
        github=refusal(400, f"bad credentials: {all_forms(CANARY)}"),
        shown=frozenset({"stderr"}),
    ),
    "in a token of two lines": Way(environ={"INPUT_GITHUB-TOKEN": f"{CANARY}\nx"}, **SILENT),
    **{
        f"in the input {name}": Way(
            project=on_mock, environ={"INPUT_GITHUB-TOKEN": CANARY}, inputs={name: CANARY}, **REFUSED
        )
        for name in (
            "scenarios",
            "ids",
            "suite",
            "suite-def",
            "tag",
            "agent",
            "samples",
            "timeout",
            "from-livekit",
        )
    },
    "in an input that is a URL": Way(
        project=on_mock, inputs={"suite": f"http://user:{UNKNOWN}@127.0.0.1/"}, **REFUSED
    ),
    "in an input, of the config": Way(
        project=lambda _: (config_of(mock(), redact=["AGENT_KEY"]), scenario()),
        inputs={"suite": CANARY},
        **REFUSED,
    ),
    # What LiveKit has left.
    "in an export": Way(export=exported(all_forms(CANARY)), shown=EVERYWHERE - {"agentlab.db"}, **FROM_LIVEKIT),
    **{
        f"across the cut of an export, {pad} characters in": Way(
            export=exported("x" * (TEXT_LIMIT - 400 + pad) + CANARY * 60),
            shown=PAGES - {"agentlab.db"},
            **FROM_LIVEKIT,
        )
        for pad in range(0, len(CANARY), 3)
    },
    "in an export, of LiveKit's secret": Way(
        export=exported(all_forms(CANARY)),
        inputs={"from-livekit": EXPORT},
        environ={"LIVEKIT_API_SECRET": CANARY},
        shown=EVERYWHERE - {"agentlab.db"},
    ),
    "in what is no export": Way(
        export=json.dumps(
            {"version": CANARY, "run": {CANARY: 1, "jobs": [{"label": [CANARY], "sample": CANARY}]}}
        ),
        **FROM_LIVEKIT | SILENT,
    ),
    "in what is no JSON, of an export": Way(export=f"{{ {CANARY}", **FROM_LIVEKIT | SILENT),
    # What is wrong.
    "in a key of the config": Way(
        project=lambda _: (config_of(mock(), redact=["AGENT_KEY"], **{CANARY: 1}), scenario()), **REFUSED
    ),
    "in a value of the config": Way(
        project=lambda _: (config_of({"provider": CANARY}, redact=["AGENT_KEY"]), scenario()), **REFUSED
    ),
    "in a key of a scenario": Way(
        project=lambda _: (config_of(mock(), redact=["AGENT_KEY"]), scenario(**{CANARY: 1})), **REFUSED
    ),
    "in an agent that there is not": Way(
        project=lambda _: (config_of(mock(), redact=["AGENT_KEY"]), scenario(agent=CANARY)), **REFUSED
    ),
    "in a note": Way(
        project=lambda _: (
            config_of(mock(), redact=["AGENT_KEY"], runtime_profiles=[{"name": CANARY}]),
            scenario(),
        ),
        shown=frozenset({"stdout"}),
    ),
    # What nobody expected.
    "in a traceback": Way(world={"now": broken_clock}, code=70, shown=frozenset({"stderr"})),
    "in a traceback, of the token": Way(
        project=on_mock,
        environ={"INPUT_GITHUB-TOKEN": CANARY},
        world={"now": broken_clock},
        code=70,
        shown=frozenset({"stderr"}),
    ),
}


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with fake_github() as server:
        yield server


def places_of(step: Step, github: FakeGitHub, folder: Path) -> dict[str, str]:
    """Return all that the step leaves: both streams, what GitHub got, and every file that was not there before."""
    said = [line for line in step.out if not line.startswith("::add-mask::")]  # the runner has to know it
    given = {"agentlab.config.yaml", "all.yaml", "event-1", EXPORT}
    left = [path for path in folder.parent.rglob("*") if path.is_file() and path.name not in given]
    return {
        **{path.name: path.read_bytes().decode("utf-8", "replace") for path in left},
        "stdout": "\n".join(said),
        "stderr": "\n".join(step.err),
        "summary": step.summary,
        "outputs": json.dumps(step.outputs),
        "comment": "\n".join(github.bodies()),
        "requests": "\n".join(github.sent),
    }


def around(trace: str, text: str) -> str:
    """Show where a trace was found."""
    begin = text.index(trace)
    return text[max(0, begin - 30) : begin + 60]


@pytest.mark.parametrize("name", WAYS)
def test_the_canary_is_seen_nowhere(
    tmp_path: Path, github: FakeGitHub, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    way = WAYS[name]
    if way.github is not None:
        github.fail("POST", way.github)
    with echo_agent(way.answer) as port:
        process = {variable: value.format(port=port) for variable, value in way.process.items()}
        for variable, value in process.items():
            monkeypatch.setenv(variable, value)
        config, row = way.project(port)
        folder = write_project(tmp_path / "workspace", config, [row])
        if way.export is not None:
            (folder / EXPORT).write_text(way.export, encoding="utf-8")
        given = {name: text.format(port=port) for name, text in way.inputs.items()}
        inputs = {"format": ",".join(FileFormat), **given}
        step = run_step(folder, github, inputs=inputs, environ={**way.environ, **process}, **way.world)
    places = places_of(step, github, folder)
    leaks = {place: around(trace, text) for place, text in places.items() for trace in TRACES if trace in text}
    assert leaks == {}
    assert step.code == way.code, step.log
    assert not {place for place in way.shown if MASK not in places[place]}
