"""What the HTTP library raises, and the reason for which there is then no answer."""

import errno
import os
import ssl
from collections.abc import Iterator

import h11
import httpx

from agentlab_ci.agents.http_advice import URL_ADVICE, HttpAdvice
from agentlab_ci.agents.http_client import CONNECT_SECONDS
from agentlab_ci.agents.interface import AgentFailedError
from agentlab_ci.core.sample import TerminationReason

LIBRARY_ERRORS = (
    httpx.HTTPError,
    httpx.InvalidURL,
    httpx.StreamError,
    h11.ProtocolError,
    OSError,
    ValueError,
    OverflowError,
    ExceptionGroup,
)
"""All that httpx and what it is made of lets out while a request is built, sent and answered.

Most are wrapped by httpx; a body that does not fit its Content-Length, a socket that cannot be made and text that
no header can carry are not, and a connection attempt may raise a group.
"""

_NOT_CONNECTED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError)
_NOT_SENT = (
    httpx.LocalProtocolError,
    httpx.UnsupportedProtocol,
    httpx.InvalidURL,
    h11.LocalProtocolError,
    ValueError,
    OverflowError,
)
_NO_MORE_FILES = {errno.EMFILE, errno.ENFILE}
_BAD_LOCATION = "location header"
"""How the library says that it cannot read where a redirect leads, although it is not to follow it."""
_HUNG_UP = ("disconnected", "closed connection")
"""How the library says that the other side left; whatever else breaks the protocol is what it said."""


def explain_failure(problem: Exception, *, where: str, advice: HttpAdvice = URL_ADVICE) -> AgentFailedError:
    """Return what a `LIBRARY_ERRORS` of the request called `where` means for the sample.

    Nothing of what the agent sent is quoted: it may hold a secret in a form that is not masked.
    """
    causes = list(_causes(problem))
    if any(isinstance(cause, OSError) and cause.errno in _NO_MORE_FILES for cause in causes):
        return _broken(
            f"{where}: this machine has no more files to open for a connection; "
            "raise `ulimit -n`, or lower `--concurrency`"
        )
    cause = _name_cause(causes[-1])
    if isinstance(problem, _NOT_CONNECTED):
        return _broken(f"{where}: {_explain_no_connection(problem, causes, cause, advice)}", unreached=True)
    if isinstance(problem, _NOT_SENT):
        return AgentFailedError(
            f"{where} cannot be sent ({cause}); check {advice.request}",
            reason=TerminationReason.AGENT_ERROR,
        )
    if isinstance(problem, httpx.RemoteProtocolError) and _BAD_LOCATION in str(problem):
        return AgentFailedError(
            f"{where} answered with a redirect to what is no URL; redirects are not followed, "
            f"check {advice.address}",
            reason=TerminationReason.HTTP_ERROR,
        )
    if isinstance(problem, httpx.RemoteProtocolError) and not any(word in str(problem) for word in _HUNG_UP):
        return AgentFailedError(
            f"{where}: what came back is not HTTP ({cause}); check {advice.address}",
            reason=TerminationReason.INVALID_RESPONSE_FORMAT,
        )
    return _broken(f"{where}: the connection broke before the answer was complete ({cause})")


def _broken(message: str, *, unreached: bool = False) -> AgentFailedError:
    return AgentFailedError(
        message, reason=TerminationReason.HTTP_CONNECTION_FAILED, redrawable=True, unreached=unreached
    )


def _explain_no_connection(problem: Exception, causes: list[BaseException], cause: str, advice: HttpAdvice) -> str:
    if isinstance(problem, httpx.ConnectTimeout):
        reached = f"is {advice.party} running, and can this machine reach it?"
        return f"no connection within {CONNECT_SECONDS:g} s; {reached}"
    if isinstance(problem, httpx.ProxyError):
        return f"no connection through the proxy ({cause}); check `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`"
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        known = "and its certificate known here (`SSL_CERT_FILE`)"
        return f"no TLS connection ({cause}); is {advice.address} right, {known}?"
    return f"no connection ({cause}); is {advice.party} running, and is {advice.address} right?"


def _causes(problem: BaseException) -> Iterator[BaseException]:
    """Yield the exception and what led to it, the last one being the root."""
    yield problem
    if isinstance(problem, BaseExceptionGroup):
        yield from _causes(problem.exceptions[-1])
    elif (deeper := problem.__cause__ or problem.__context__) is not None:
        yield from _causes(deeper)


def _name_cause(problem: BaseException) -> str:
    if isinstance(problem, OSError) and not isinstance(problem, ssl.SSLError) and (problem.errno or 0) > 0:
        return os.strerror(problem.errno or 0)
    said = getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
    return str(said).partition(": bytearray(")[0]
