"""Room for the files and pipes of many samples at once."""

import contextlib

ENOUGH = 65_536
"""Files; children inherit the limit, and some close every number up to it, one by one."""


def raise_file_limit(enough: int = ENOUGH) -> None:
    """Raise our limit of open files, which often is 1,024 or less, to what is enough, or as far as we may."""
    try:
        import resource  # noqa: PLC0415 - not there on every system
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = enough if hard == resource.RLIM_INFINITY else min(hard, enough)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):  # macOS has a lower limit that it does not tell
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
