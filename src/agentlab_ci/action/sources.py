"""Where a run would read its config and its scenarios, known before any of them is read."""

import glob
from itertools import takewhile
from pathlib import Path

from agentlab_ci.loading.project import CONFIG_NAME, SCENARIO_FOLDER
from agentlab_ci.settings import RunSettings


def find_sources(settings: RunSettings, cwd: Path) -> tuple[Path, ...]:
    """Return the config, its folder, and the scenarios' files and folders, of a pattern its fixed part.

    They need not be there. A pattern that goes up after its fixed part is searched from the folder that it reaches
    at most.
    """
    config = cwd / (settings.config_file or CONFIG_NAME)
    scenarios = [_fixed_part(cwd, given) for given in settings.scenario_paths]
    return (config, config.parent, *(scenarios or [config.parent / SCENARIO_FOLDER]))


def _fixed_part(cwd: Path, given: str) -> Path:
    path = Path(given)
    fixed = list(takewhile(lambda part: not glob.has_magic(part), path.parts))
    climbs = path.parts[len(fixed) :].count("..")
    # A name with pattern characters in it may also be there as it is.
    return cwd.joinpath(*fixed, *[".."] * climbs)
