"""What a child process gets to see of the environment."""

from collections.abc import Iterable, Mapping

ALWAYS = ("PATH", "HOME", "LANG")
"""What every program needs; no secret stands in them."""


def child_environment(environ: Mapping[str, str], allow: Iterable[str]) -> dict[str, str]:
    """Return PATH, HOME, LANG and the variables that `allow` names, as far as they are set."""
    return {name: environ[name] for name in (*ALWAYS, *allow) if name in environ}
