"""Words that every surface needs."""


def plural(count: int, noun: str) -> str:
    """Write a count with its noun: `1 scenario`, `2 scenarios`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def glob_of(text: str) -> str:
    """Return a glob that fits this text and no other."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in text)
