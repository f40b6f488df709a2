"""`agentlab ui` as a user starts it: its address, its port, who gets in, and how it ends."""

import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agentlab_ci.errors import ExitCode
from canned import scenario
from command import agentlab, conversation, start_agentlab, start_python, wait_for, write_project
from stored import store_batch

AT = "2026-04-07T00:12:30.000+00:00"
ADDRESS = re.compile(r"(http://127\.0\.0\.1:(\d+))/\?token=([\w-]{40,})\n")


@contextmanager
def serving(folder: Path, *args: str) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """Run the command; yields the process, its origin, and the token."""
    process = start_agentlab(folder, "ui", "--port", "0", *args)
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("agentlab ui over ")
        found = ADDRESS.fullmatch(process.stdout.readline())
        assert found is not None
        yield process, found[1], found[3]
    finally:
        process.kill()
        process.communicate()


def fetch(url: str, headers: dict[str, str] | None = None, form: dict[str, str] | None = None) -> tuple[int, str]:
    data = None if form is None else urllib.parse.urlencode(form).encode()
    try:
        request = urllib.request.Request(url, data, headers or {})  # noqa: S310 - an address of ours
        with urllib.request.urlopen(request) as answer:  # noqa: S310
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    store_batch(tmp_path / "artifacts/agentlab.db", "batch_1", AT, scenario("ppp", "support.order"))
    return tmp_path


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_a_signal_comes_and_says_so_by_its_exit_code(folder: Path, number: signal.Signals) -> None:
    with serving(folder) as (process, origin, token):
        assert "batch_1" in fetch(origin)[1]
        cookie = {"Cookie": f"agentlab_{origin.rpartition(':')[2]}={token}", "Origin": origin}
        form = {"token": token, "batch": "batch_1"}
        assert fetch(f"{origin}/approve", {"Origin": origin}, form)[0] == 403
        assert fetch(f"{origin}/approve", cookie | {"Host": "evil.example"}, form)[0] == 421
        assert "<dt>approved</dt>" not in fetch(f"{origin}/batch?id=batch_1")[1]
        status, page = fetch(f"{origin}/approve", cookie, form)
        assert status == 200
        assert "<dt>approved</dt>" in page
        process.send_signal(number)
        ended = wait_for(process, folder)
    assert ended.code == {signal.SIGINT: ExitCode.SIGINT, signal.SIGTERM: ExitCode.SIGTERM}[number]
    assert ended.err == "Ctrl-C ends it.\n"


def test_a_signal_ends_it_while_a_browser_keeps_its_connection(folder: Path) -> None:
    with serving(folder) as (process, origin, _):
        host, port = origin.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(f"GET / HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
            assert connection.recv(12) == b"HTTP/1.1 200"
            process.send_signal(signal.SIGINT)
            assert wait_for(process, folder).code == ExitCode.SIGINT


def test_a_signal_ends_it_that_comes_before_it_serves(folder: Path) -> None:
    process = start_agentlab(folder, "ui", "--port", "0")
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert wait_for(process, folder).code == ExitCode.SIGINT


def test_it_shows_what_another_process_stores_meanwhile(tmp_path: Path) -> None:
    with serving(tmp_path) as (_, origin, _token):
        assert "No batches are stored yet" in fetch(origin)[1]
        agent = {"name": "a", "provider": "mock", "replies": [{"reply": "It has shipped."}]}
        write_project(tmp_path, {"agents": [agent]}, [conversation("a.one")])
        assert agentlab(tmp_path, "run").code == ExitCode.OK
        [batch] = re.findall(r'href="(/batch\?id=batch_\w+)"', fetch(origin)[1])
        assert "the scenario passed" in fetch(origin + batch)[1]


def test_a_port_that_is_taken_is_told_in_one_sentence(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = agentlab(folder, "ui", "--port", port)
    assert ended.code == ExitCode.BAD_INPUT
    assert ended.out == ""
    assert ended.err == (
        f"agentlab: port {port} of 127.0.0.1 is taken, perhaps by another `agentlab ui`: "
        "name another with --port, or let --port 0 pick one\n"
    )


def test_an_address_that_is_not_ours_is_refused(folder: Path) -> None:
    ended = agentlab(folder, "ui", "--host", "192.0.2.1", "--port", "0")
    assert ended.code == ExitCode.BAD_INPUT
    assert ended.err.startswith("agentlab: 192.0.2.1 port 0 cannot be listened on (")
    assert len(ended.err.splitlines()) == 1


def test_who_lets_others_in_is_warned_and_they_need_the_token(folder: Path) -> None:
    with serving(folder, "--host", "0.0.0.0") as (process, origin, token):  # noqa: S104 - that is what is tried
        assert fetch(origin)[0] == 403
        port = origin.rpartition(":")[2]
        assert fetch(origin, {"Cookie": f"agentlab_{port}={token}"})[0] == 200
        process.send_signal(signal.SIGINT)
        ended = wait_for(process, folder)
    assert ended.err.splitlines()[0].startswith("warning: 0.0.0.0 can be reached by others: ")


def test_without_the_extra_it_is_said_how_to_get_it(folder: Path) -> None:
    script = "import sys; sys.modules['uvicorn'] = None; from agentlab_ci.cli.main import main; main()"
    ended = wait_for(start_python(folder, "-c", script, "ui"), folder)
    assert ended.code == ExitCode.BAD_INPUT
    assert ended.err == "agentlab: `agentlab ui` needs the extra `ui`: pip install 'agentlab-ci[ui]'\n"


def test_nothing_of_it_is_imported_elsewhere(folder: Path) -> None:
    script = (
        "import sys; from agentlab_ci.cli.group import run_command; run_command(['list', 'batches']); "
        "print([name for name in ('starlette', 'uvicorn', 'agentlab_ci.ui') if name in sys.modules])"
    )
    ended = wait_for(start_python(folder, "-c", script), folder)
    assert ended.out.splitlines()[-1] == "[]", sys.version
