"""The HTTP client of a worker slot, and what the environment says of proxies and certificates."""

import os
import ssl
from collections.abc import Iterator
from functools import cache
from http.cookiejar import Cookie, CookieJar, DefaultCookiePolicy
from importlib.util import find_spec
from typing import Any
from urllib.request import Request, getproxies

import httpx

from agentlab_ci.agents.url import find_url_fault, is_loopback
from agentlab_ci.errors import BadInputError

CONNECT_SECONDS = 10.0
"""A host that does not take the connection in this time is not there; `timeout_ms` may be shorter."""
KEEPALIVE_SECONDS = 2.0
"""Idle connections are dropped before a server does so just as the next request is on its way."""

_PROXY_KINDS = ("http", "https", "all")
_PROXY_SCHEMES = ("http", "https", "socks5", "socks5h")


class SendableCookies(DefaultCookiePolicy):
    """Takes no cookie that a request header could not carry back."""

    def set_ok(self, cookie: Cookie, request: Request) -> bool:
        """Tell whether the cookie is kept."""
        parts = (cookie.name, cookie.value, cookie.domain, cookie.path, cookie.port)
        return all(part is None or part.isascii() for part in parts) and super().set_ok(cookie, request)


class _Cookies(httpx.Cookies):
    """Looks at those answers only that bring cookies: the library makes urllib's objects of each one, at a tenth
    of what a request costs.
    """

    def extract_cookies(self, response: httpx.Response) -> None:
        """Keep the cookies that an answer brings."""
        if "set-cookie" in response.headers:
            super().extract_cookies(response)


class _Client(httpx.AsyncClient):
    def __init__(self, *, cookies: CookieJar, **options: Any) -> None:
        super().__init__(**options)
        self._cookies = _Cookies(cookies)


def open_client(url: str, tls: ssl.SSLContext | None) -> httpx.AsyncClient:
    """Return a client for requests to `url`, with `tls` where that is https; nothing is connected yet.

    Raises BadInputError that names a proxy variable of the environment which cannot be used.
    """
    # A proxy cannot reach this machine's loopback.
    past_proxies = is_loopback(url)
    if not past_proxies:
        _check_proxies()
    try:
        return _Client(
            verify=tls or _context_for_plain_http(),
            trust_env=not past_proxies,
            follow_redirects=False,
            cookies=CookieJar(SendableCookies()),
            limits=httpx.Limits(max_keepalive_connections=1, keepalive_expiry=KEEPALIVE_SECONDS),
            timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
        )
    except (httpx.InvalidURL, ValueError) as problem:
        raise BadInputError(f"the environment variable NO_PROXY cannot be used: {problem}") from None


def read_trusted_authorities() -> ssl.SSLContext:
    """Return the TLS context of a run; raises BadInputError that names the variable whose file cannot be used."""
    try:
        return httpx.create_ssl_context()
    except OSError as problem:
        variable = _find_tls_variable()
        if variable is None:
            raise
        why = problem.strerror or str(problem)
        raise BadInputError(f"the environment variable {variable} cannot be used: {why}") from None


def _find_tls_variable() -> str | None:
    """Name the variable for which no context can be made; None when none of them is set."""
    log = os.environ.get("SSLKEYLOGFILE")
    if log:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).keylog_filename = log
        except OSError:
            return "SSLKEYLOGFILE"
    return "SSL_CERT_FILE" if os.environ.get("SSL_CERT_FILE") else None


@cache
def _context_for_plain_http() -> ssl.SSLContext:
    """Return a context that no connection uses: without one, each client would read the CA bundle, 20 ms long."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _check_proxies() -> None:
    for name, address in _proxies():
        fault = _find_proxy_fault(address)
        if fault is not None:
            raise BadInputError(f"the environment variable {name} is no proxy to use: it {fault}")


def _proxies() -> Iterator[tuple[str, str]]:
    """Yield (variable, address) of the proxies that the client takes from the environment."""
    proxies = getproxies()
    if "*" in (host.strip() for host in proxies.get("no", "").split(",")):
        return
    for kind in _PROXY_KINDS:
        if address := proxies.get(kind):
            names = (f"{kind}_proxy", f"{kind}_proxy".upper())
            yield next((name for name in names if os.environ.get(name) == address), names[1]), address


def _find_proxy_fault(address: str) -> str | None:
    scheme, _, rest = address.rpartition("://")
    scheme = scheme.lower() or "http"
    if scheme not in _PROXY_SCHEMES:
        return f"starts with none of {', '.join(f'{known}://' for known in _PROXY_SCHEMES)}"
    if scheme.startswith("socks") and find_spec("socksio") is None:
        return "is a SOCKS proxy, for which the package `socksio` is not installed"
    # The rules for host and port are the same; what is wrong with them is not said, for a password stands beside.
    return find_url_fault(f"http://{rest}") and "is no address such as `http://proxy.example:8080`"
