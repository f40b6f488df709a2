"""Which tool an agent means by a name that is nearly one's. Pure."""

import unicodedata
from collections.abc import Collection

_NAMESPACE = "functions"
"""What some models write before a tool's name, as in `functions.orders_refund`."""
_NO_PART_OF_A_NAME = "CPSZ"
"""Separators, signs, spaces and what is not seen, by the first letter of their Unicode category."""


def find_meant(name: str, *, allowed: Collection[str], forbidden: Collection[str]) -> str:
    """Return the forbidden tool that a name stands for, and the name itself where it stands for none.

    Names are alike in any case, whatever separates their words, with or without `functions.` before them. One that
    is also like the name of a tool that is allowed, and not forbidden, stands for no other.
    """
    if name in allowed or name in forbidden:
        return name
    own = {_key(tool) for tool in allowed if tool not in forbidden}
    meant = {_key(tool): tool for tool in reversed(tuple(forbidden))}
    key = _key(name)
    for candidate in filter(None, (key, key.removeprefix(_NAMESPACE))):
        if candidate in own:
            return name
        if candidate in meant:
            return meant[candidate]
    return name


def _key(name: str) -> str:
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(sign for sign in text if unicodedata.category(sign)[0] not in _NO_PART_OF_A_NAME)
