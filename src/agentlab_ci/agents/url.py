"""What an agent's URL must be."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from agentlab_ci.errors import BadInputError

_FORM = "is no http:// or https:// address with a host, such as `http://localhost:3000/chat`"


def find_url_fault(url: str) -> str | None:
    """Say why no request can be made to the URL, as the end of a sentence about it; None when one can be."""
    import httpx  # noqa: PLC0415 - 0.1 s, and a project of mock agents has no URL

    try:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.port == 0:
            return _FORM
    except ValueError:  # of a port that is no number up to 65535, too
        return _FORM
    try:
        address = httpx.URL(url)
        understood = address.scheme == parts.scheme and bool(address.host)
    except (httpx.InvalidURL, ValueError) as problem:
        return f"cannot be used in a request: {problem}"
    return None if understood else _FORM


def check_url(url: str | None) -> str:
    """Return the URL if a request can be made to it; raises BadInputError."""
    if not url:
        raise BadInputError("HTTP agents require a configured url")
    fault = find_url_fault(url)
    if fault is not None:
        raise BadInputError(f"the url {fault}")
    return url


def is_loopback(url: str) -> bool:
    """Tell whether the URL's host is this machine by its very name, without a look-up."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
