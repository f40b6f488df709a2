"""Golden files: what a surface looks like, kept in tests/data/golden and compared as a whole."""

import os
from pathlib import Path

GOLDEN = Path(__file__).parent / "data" / "golden"


def assert_golden(name: str, content: str | bytes) -> None:
    """Compare with the golden file of that name; AGENTLAB_GOLDEN=write makes the files anew instead."""
    path = GOLDEN / name
    given = content if isinstance(content, bytes) else content.encode()
    if os.environ.get("AGENTLAB_GOLDEN") == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(given)
    assert path.read_bytes().decode() == given.decode()
