"""Which modules a command imports."""

import subprocess
from collections.abc import Sequence

HEAVY = ("asyncio", "yaml", "pydantic", "httpx", "jinja2", "github", "textual")


def unwanted_imports(command: Sequence[str]) -> list[str]:
    """Run a Python command and return those of the heavy modules that it imported."""
    python, *rest = command
    done = subprocess.run([python, "-X", "importtime", *rest], capture_output=True, text=True, check=True)
    imported = {
        line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")
    }
    return [name for name in HEAVY if name in imported]
