"""What an agent's URL must be."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from agentlab_ci.core.url import safe_url
from agentlab_ci.errors import BadInputError


def check_url(url: str | None) -> str:
    """Return the URL if a request can be made to it; raises BadInputError."""
    if not url:
        raise BadInputError("HTTP agents require a configured url")
    try:
        parts = urlsplit(url)
        _ = parts.port  # a ValueError for one that is no number up to 65535
    except ValueError as problem:
        raise BadInputError(f"the agent's url cannot be read: {problem}") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise BadInputError(
            f"the agent's url {safe_url(url)!r} is no http:// or https:// address such as http://localhost:3000/chat"
        )
    return url


def is_loopback(url: str) -> bool:
    """Tell whether the URL's host is this machine by its very name, without a look-up."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
