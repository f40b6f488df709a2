"""URLs as they may be shown, and what in them may not be."""

import re
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

_USER_INFO = re.compile(r"(?:[^/]*//)?([^/?#]*)@")


def safe_url(url: str) -> str:
    """Return the URL without user info, query and fragment, any of which may hold a secret."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"


def user_info(url: str) -> Iterator[str]:
    """Yield what stands before the `@` of a URL: whole, and the password (else the user) alone, also decoded.

    The scheme may be missing, as in the variables that name a proxy.
    """
    if found := _USER_INFO.match(url):
        user, _, password = found[1].partition(":")
        for text in (found[1], password or user):
            yield from (text, unquote(text))
