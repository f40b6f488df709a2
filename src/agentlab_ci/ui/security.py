"""Who may read and who may write: pure decisions over what a request says of itself.

The pages hold what agents said in private, and any site in the same browser can send requests to a loopback port.
So the Host header has to be one of ours, which a rebound name is not; what writes has to bring the token, and to
come from our own pages.
"""

import ipaddress
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hmac import compare_digest

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
_HTTP_PORT = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """What is asked of every request. `host` is the address that is listened on, as the user wrote it."""

    host: str
    port: int
    token: str

    @property
    def cookie(self) -> str:
        """The name of the cookie with the token; another server on another port has another one."""
        return f"agentlab_{self.port}"

    @property
    def is_private(self) -> bool:
        """Whether nobody but this machine can come in."""
        return is_loopback(self.host)

    def knows_host(self, values: Sequence[str]) -> bool:
        """Tell whether the Host header, of which there has to be one, names this server.

        Listening on every address, it is reached by any of them, but by no name other than `localhost`.
        """
        if len(values) != 1:
            return False
        name, port = _split(values[0].lower())
        if port != self.port:
            return False
        own = _in_url(self.host.lower())
        if name in LOOPBACK_NAMES or name == own:
            return True
        return _is_wildcard(self.host) and _address(name) is not None

    def knows_token(self, given: str | None) -> bool:
        """Tell whether this is the token, in a time that says nothing of how much of it is right."""
        return given is not None and compare_digest(given.encode(), self.token.encode())

    def may_read(self, cookie: str | None) -> bool:
        """Tell whether pages are shown to who brings this cookie."""
        return self.is_private or self.knows_token(cookie)

    def refuse_write(
        self, headers: Mapping[str, str], *, cookie: str | None, form_token: str | None
    ) -> str | None:
        """Say why nothing is written, None when it may be."""
        return self.refuse_sender(headers, cookie=cookie if self.knows_token(form_token) else None)

    def refuse_sender(self, headers: Mapping[str, str], *, cookie: str | None) -> str | None:
        """Say why a form is not even read, None when it is.

        A browser says where a form stood. One that says neither Origin nor Sec-Fetch-Site is none of today's.
        """
        if not self.knows_token(cookie):
            return "the token is missing: open the address that `agentlab ui` printed"
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is None and site is None:
            return "nothing says where the form stood"
        if origin is not None and origin.lower() != f"http://{headers.get('host', '').lower()}":
            return "the form stood on another site"
        if site not in (None, "same-origin"):
            return "the form stood on another site"
        return None


def make_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(32)


def is_loopback(host: str) -> bool:
    """Tell whether only this machine reaches the host."""
    address = _address(_in_url(host))
    return host.lower() == "localhost" if address is None else address.is_loopback


def show_host(host: str) -> str:
    """Return the host as it stands in an address that a browser on this machine can open."""
    if _is_wildcard(host):
        return "127.0.0.1" if ":" not in host else "[::1]"
    return _in_url(host)


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _is_wildcard(host: str) -> bool:
    address = _address(_in_url(host))
    return address is not None and address.is_unspecified


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name[1:-1] if name.startswith("[") else name)
    except ValueError:
        return None


def _split(value: str) -> tuple[str, int | None]:
    """Return name and port of a Host header; None for a port that is none."""
    name, colon, port = value.rpartition(":")
    if not colon or value.endswith("]"):
        return value, _HTTP_PORT
    return name, int(port) if port.isascii() and port.isdigit() and len(port) <= 5 else None
