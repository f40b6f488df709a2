"""What a step would read, known before any of it is read."""

import glob
from itertools import takewhile
from pathlib import Path

from agentlab_ci.loading.project import CONFIG_NAME, SCENARIO_FOLDER
from agentlab_ci.publish.git_head import find_dot_git
from agentlab_ci.settings import RunSettings


def find_sources(settings: RunSettings, cwd: Path) -> tuple[Path, ...]:
    """Return what a run is made of: baseline, config, its folder, and the scenarios' files and folders.

    Of a pattern it is the fixed part. They need not be there. A pattern that goes up after its fixed part is
    searched from the folder that it reaches at most.
    """
    config = cwd / (settings.config_file or CONFIG_NAME)
    scenarios = [_fixed_part(cwd, given) for given in settings.scenario_paths]
    return (*_baseline(settings, cwd), config, config.parent, *(scenarios or [config.parent / SCENARIO_FOLDER]))


def find_export_sources(export: str, settings: RunSettings, cwd: Path) -> tuple[Path, ...]:
    """Return what the results of LiveKit are read from and held against, as far as it is part of a checkout.

    An export beside no checkout is data that anybody may have written, and is treated as that. A baseline always
    counts: it decides what is red.
    """
    path = cwd / export
    return (*_baseline(settings, cwd), *([path] if find_dot_git(path) else []))


def _baseline(settings: RunSettings, cwd: Path) -> tuple[Path, ...]:
    return () if settings.report.baseline is None else (cwd / settings.report.baseline,)


def _fixed_part(cwd: Path, given: str) -> Path:
    path = Path(given)
    fixed = list(takewhile(lambda part: not glob.has_magic(part), path.parts))
    climbs = path.parts[len(fixed) :].count("..")
    # A name with pattern characters in it may also be there as it is.
    return cwd.joinpath(*fixed, *[".."] * climbs)
