"""Where the database is."""

from collections.abc import Mapping
from pathlib import Path

DATABASE = "artifacts/agentlab.db"
"""In the folder of the config."""
VARIABLE = "AGENTLAB_DB"


def find_database(given: str | None, *, environ: Mapping[str, str], cwd: Path, config_file: str | None) -> Path:
    """Return the file that is `given`, else named by AGENTLAB_DB, else the default beside the config."""
    named = given or environ.get(VARIABLE)
    if named:
        return cwd / named
    return (cwd if config_file is None else (cwd / config_file).parent) / DATABASE
