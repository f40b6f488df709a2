"""Words that every surface needs."""


def plural(count: int, noun: str) -> str:
    """Write a count with its noun: `1 scenario`, `2 scenarios`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
