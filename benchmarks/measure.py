"""What a process costs, from its first to its last moment."""

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Seconds on the clock, seconds of CPU (user and system), the peak of memory in MB, and what was printed."""

    wall: float
    cpu: float
    peak_mb: float
    output: str = ""


def run(command: Sequence[str], *, cwd: Path | None = None, codes: tuple[int, ...] = (0,)) -> Cost:
    """Run a command to its end and return its cost. Raises RuntimeError when its exit code is not in `codes`."""
    with tempfile.TemporaryFile() as output:
        started = time.perf_counter()
        process = subprocess.Popen(command, cwd=cwd, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode()
    if process.returncode not in codes:
        raise RuntimeError(f"{command} ended with {process.returncode}: {text[-2000:]}")
    return Cost(wall=wall, cpu=usage.ru_utime + usage.ru_stime, peak_mb=usage.ru_maxrss / 1024, output=text)


def in_turn(contenders: Mapping[str, Callable[[], Cost]], *, rounds: int) -> dict[str, list[Cost]]:
    """Run all contenders once, then again, so that a slow moment of the machine hits each of them."""
    costs: dict[str, list[Cost]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            costs[name].append(contender())
    return costs


def median_cost(costs: Sequence[Cost]) -> Cost:
    """Return the median of each figure by itself."""
    return Cost(
        wall=median(cost.wall for cost in costs),
        cpu=median(cost.cpu for cost in costs),
        peak_mb=median(cost.peak_mb for cost in costs),
    )


@contextmanager
def background(command: Sequence[str]) -> Iterator[str]:
    """Run a command while the block lasts; yields the first line that it prints."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None  # noqa: S101 - it was asked for
            yield process.stdout.readline().strip()
        finally:
            process.kill()
