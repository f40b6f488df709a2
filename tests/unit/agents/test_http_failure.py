"""From what the library raises to the reason why there is no answer."""

import asyncio
import contextlib
import errno
import os
import resource
import ssl
from collections.abc import Iterator

import h11
import httpx
import pytest

from agentlab_ci.agents.http import open_http_agent
from agentlab_ci.agents.http_failure import LIBRARY_ERRORS, explain_failure
from agentlab_ci.agents.interface import AgentFailedError
from agentlab_ci.core.sample import TerminationReason
from http_talk import config, start, world
from loopback import closed_port

WHERE = "POST http://a/"
FAILED, WRONG_FORM, OURS = (
    TerminationReason.HTTP_CONNECTION_FAILED,
    TerminationReason.INVALID_RESPONSE_FORMAT,
    TerminationReason.AGENT_ERROR,
)


def caused_by(problem: Exception, cause: Exception) -> Exception:
    problem.__cause__ = cause
    return problem


CERTIFICATE = ssl.SSLError(1, "certificate verify failed: self-signed certificate")
REFUSED, LOST = ConnectionRefusedError(111, "Connection refused"), ConnectionResetError(104, "reset")
NO_FILE = OSError(errno.EMFILE, "Too many open files")


@pytest.mark.parametrize(
    ("problem", "reason", "unreached", "says"),
    [
        (
            caused_by(httpx.ConnectError("all failed"), REFUSED),
            FAILED,
            True,
            "no connection (Connection refused); ",
        ),
        # an attempt on each address of the host
        (
            caused_by(httpx.ConnectError("all failed"), ExceptionGroup("all", [LOST, REFUSED])),
            FAILED,
            True,
            "no connection (Connection refused); is the agent running",
        ),
        (
            caused_by(httpx.ConnectError("tls"), CERTIFICATE),
            FAILED,
            True,
            "no TLS connection (certificate verify failed: self-signed certificate); is `url` right",
        ),
        (
            httpx.ProxyError("407 Proxy Authentication Required"),
            FAILED,
            True,
            "no connection through the proxy (407 Proxy Authentication Required); check `HTTP_PROXY`",
        ),
        (httpx.ConnectTimeout(""), FAILED, True, "no connection within 10 s; is the agent running"),
        (
            caused_by(httpx.ReadError(""), LOST),
            FAILED,
            False,
            "the connection broke before the answer was complete",
        ),
        (
            httpx.RemoteProtocolError("Server disconnected without sending a response."),
            FAILED,
            False,
            "broke before",
        ),
        (httpx.RemoteProtocolError("peer closed connection without sending"), FAILED, False, "broke before"),
        (BrokenPipeError(32, "Broken pipe"), FAILED, False, "broke before the answer was complete (Broken pipe)"),
        (
            httpx.RemoteProtocolError("illegal status line: bytearray(b'sk-secret')"),
            WRONG_FORM,
            False,
            "what came back is not HTTP (illegal status line); check `url`",
        ),
        (
            h11.LocalProtocolError("Too little data"),
            OURS,
            False,
            "cannot be sent (Too little data); check `headers`",
        ),
        (httpx.InvalidURL("too long"), OURS, False, "cannot be sent (too long)"),
        (UnicodeEncodeError("ascii", "é", 0, 1, "no"), OURS, False, "cannot be sent ('ascii' codec"),
        (OverflowError("port must be 0-65535"), OURS, False, "cannot be sent (port must be 0-65535)"),
        # neither the agent nor its absence is to blame
        (NO_FILE, FAILED, False, "this machine has no more files to open for a connection; raise `ulimit -n`"),
        (caused_by(httpx.ConnectError(""), NO_FILE), FAILED, False, "this machine has no more files to open"),
    ],
)
def test_each_kind_of_exception_has_its_reason(
    problem: Exception, reason: TerminationReason, unreached: bool, says: str
) -> None:
    assert isinstance(problem, LIBRARY_ERRORS)
    failure = explain_failure(problem, where=WHERE)
    assert (failure.reason, failure.unreached) == (reason, unreached)
    assert failure.redrawable is (reason is FAILED)
    assert failure.message.startswith(WHERE)
    assert says in failure.message
    assert "sk-secret" not in failure.message


def test_a_bug_of_ours_is_not_explained_away() -> None:
    assert not any(
        issubclass(bug, LIBRARY_ERRORS) for bug in (TypeError, KeyError, AttributeError, AssertionError)
    )


@contextlib.contextmanager
def no_file_left() -> Iterator[None]:
    """Hold every file that the process may open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    held = [os.open(os.devnull, os.O_RDONLY)]
    resource.setrlimit(resource.RLIMIT_NOFILE, (held[0] + 30, hard))
    try:
        with contextlib.suppress(OSError):
            while True:
                held.append(os.open(os.devnull, os.O_RDONLY))
        yield
    finally:
        for file in held:
            os.close(file)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_machine_without_open_files_does_not_blame_the_agent() -> None:
    async def talk(url: str) -> None:
        connection = open_http_agent(config(url), world())
        try:
            async with connection.session(start()) as session:
                with no_file_left():
                    await session.send("hi")
        finally:
            await connection.aclose()

    with closed_port() as port, pytest.raises(AgentFailedError, match="this machine has no more files") as failure:
        asyncio.run(talk(f"http://127.0.0.1:{port}/"))
    assert failure.value.redrawable
    assert not failure.value.unreached
