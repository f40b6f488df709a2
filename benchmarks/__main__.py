"""Measure agentlab beside plain HTTP loops: `python -m benchmarks`, or `make bench`.

Ratios count: every figure is the median of runs in turn on the same machine, and CPU seconds are those of whole
processes, interpreter and imports included.
"""

import json
import math
import os
import platform
import shutil
import sys
import tempfile
import urllib.request
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from statistics import median

from benchmarks.measure import Cost, background, in_turn, median_cost, run
from benchmarks.projects import write_project
from benchmarks.startup import unwanted_imports

HERE = Path(__file__).parent
AGENTLAB = (sys.executable, "-c", "from agentlab_ci.cli.main import main; main()")
SCENARIOS, SAMPLES, IN_FLIGHT = 100, 3, 32
REQUESTS = SCENARIOS * SAMPLES
SLOW_MS = 400


def main() -> None:
    """Run every part and print its figures and targets."""
    libraries = ", ".join(f"{name} {version(name)}" for name in ("httpx", "sniffio", "aiohttp", "pydantic"))
    print(f"{os.cpu_count()} CPUs, {platform.platform()}, Python {platform.python_version()}, {libraries}")
    with tempfile.TemporaryDirectory() as folder:
        measure_cpu(Path(folder))
        measure_makespan(Path(folder))
        measure_start_up()
        measure_reports(Path(folder))
        measure_html_report()
        measure_live_view()
        measure_ui_pages()


def measure_cpu(folder: Path) -> None:
    """Compare the CPU of the whole command with that of its requests alone."""
    print(f"\n{REQUESTS} instant requests, {IN_FLIGHT} in flight")
    with background((sys.executable, str(HERE / "stub.py"), "0")) as port:
        url = f"http://127.0.0.1:{port}/"
        costs = in_turn(
            {name: _floor(name, url) for name in ("per-worker", "one-client", "aiohttp")}
            | {"agentlab run": _command(folder / "instant", url)},
            rounds=9,
        )
    medians = {name: median_cost(runs) for name, runs in costs.items()}
    floor = medians["per-worker"]
    for name, cost in medians.items():
        print(
            f"  {name:13} {cost.cpu:6.3f} s CPU  {cost.wall:6.3f} s  {cost.peak_mb:4.0f} MB  "
            f"{cost.cpu / floor.cpu:5.2f} x per-worker"
        )
    _target("CPU of the whole command", medians["agentlab run"].cpu / floor.cpu, 1.8, "x per-worker loop")


def measure_makespan(folder: Path) -> None:
    """Compare the time from the first request to the last reply with the ideal."""
    ideal = math.ceil(REQUESTS / IN_FLIGHT) * SLOW_MS / 1000
    print(f"\n{REQUESTS} requests of {SLOW_MS} ms, {IN_FLIGHT} in flight: {ideal:.2f} s at best")
    spans: dict[str, list[float]] = {}
    with background((sys.executable, str(HERE / "stub.py"), str(SLOW_MS))) as port:
        url = f"http://127.0.0.1:{port}/"

        def spanned(name: str, contender: Callable[[], Cost]) -> Callable[[], Cost]:
            def measured() -> Cost:
                cost = contender()
                with urllib.request.urlopen(url) as answer:
                    spans.setdefault(name, []).append(json.load(answer))
                return cost

            return measured

        contenders = {name: _floor(name, url) for name in ("per-worker", "aiohttp")}
        contenders["agentlab run"] = _command(folder / "slow", url)
        costs = in_turn({name: spanned(name, contender) for name, contender in contenders.items()}, rounds=5)
    rests = {
        name: median(cost.wall - span for cost, span in zip(runs, spans[name], strict=True))
        for name, runs in costs.items()
    }
    for name in contenders:
        span = median(spans[name])
        print(f"  {name:13} {span:6.3f} s  {span / ideal:5.3f} x ideal  and {rests[name]:.3f} s around it")
    _target("first request to last reply", median(spans["agentlab run"]) / ideal, 1.06, "x ideal")
    _target("the rest of the command", rests["agentlab run"], 0.6, "s")


def measure_start_up() -> None:
    """Time `agentlab --version`, and look at what it imports."""
    print("\nstart-up")
    contenders = {
        "python -c pass": (sys.executable, "-c", "pass"),
        "agentlab --version": (*AGENTLAB, "--version"),
    }
    costs = in_turn({name: partial(run, command) for name, command in contenders.items()}, rounds=15)
    for name, runs in costs.items():
        print(f"  {name:18} {median_cost(runs).wall:.3f} s")
    _target("agentlab --version", median_cost(costs["agentlab --version"]).wall, 0.08, "s")
    unwanted = unwanted_imports((*AGENTLAB, "--version"))
    _target(f"heavy modules that it imports {unwanted or ''}".strip(), len(unwanted), 0, "")


def measure_reports(folder: Path) -> None:
    """Time every report of a big run, then `agentlab report`, which also reads, judges and prints the log."""
    results = folder / "results.json"
    runs = [run((sys.executable, str(HERE / "results.py"), "3334", "3", str(results))) for _ in range(5)]
    print(f"\n10,002 samples, {results.stat().st_size / 1e6:.0f} MB of results")
    seconds = [json.loads(cost.output) for cost in runs]
    for name in seconds[0]:
        print(f"  {name:6} {median(each[name] for each in seconds):.3f} s")
    _target("all reports", median(sum(each.values()) for each in seconds), 2.0, "s")
    _target("memory of their process", median_cost(runs).peak_mb, 200, "MB")
    command = (*AGENTLAB, "report", str(results), "--report-dir", str(folder / "reports"))
    again = median_cost([run(command, cwd=folder, codes=(0, 1)) for _ in range(5)])
    print(f"  agentlab report: {again.wall:.3f} s, {again.peak_mb:.0f} MB")


def measure_html_report() -> None:
    """Time how the HTML report of a big run opens."""
    cost = run((sys.executable, "-m", "benchmarks.html_report", "3334", "3"), cwd=HERE.parent)
    figures = json.loads(cost.output)
    print(f"\nHTML report of 10,002 samples, {figures['size_mb']:.1f} MB")
    if "open_s" in figures:
        _target("longer to open than an empty page", figures["open_s"], 2.0, "s")


def measure_live_view() -> None:
    """Time what the live view of a big run does in the thread that paints it, between two looks at the keys."""
    runs = [run((sys.executable, "-m", "benchmarks.live_view", "1000", "9"), cwd=HERE.parent) for _ in range(5)]
    print("\nlive view, 1,000 scenarios of 9 samples, all open")
    figures = [json.loads(cost.output) for cost in runs]
    medians = {name: median(each[name] for each in figures) for name in figures[0]}
    for name, milliseconds in medians.items():
        print(f"  {name:47} {milliseconds:7.2f} ms")
    print(f"  memory of its process {median_cost(runs).peak_mb:.0f} MB")
    longest = max(milliseconds for name, milliseconds in medians.items() if "tick" in name)
    _target("longest tick", longest, 50, "ms")


def measure_ui_pages() -> None:
    """Time the pages over a history of a hundred thousand samples; lists and batches have a target."""
    milliseconds = json.loads(run((sys.executable, "-m", "benchmarks.ui_pages", "334", "100", "3")).output)
    print("\npages of `agentlab ui`, 100,200 samples in 334 batches")
    for name, figure in milliseconds.items():
        print(f"  {name:32} {figure:5.0f}" + ("" if "MB" in name else " ms"))
    listed = {
        name: figure for name, figure in milliseconds.items() if name.startswith(("batches", "runs", "a batch"))
    }
    slowest = max(listed, key=lambda name: listed[name])
    _target(f"slowest of the list and batch pages, {slowest}", listed[slowest], 200, "ms")


def _floor(name: str, url: str) -> Callable[[], Cost]:
    command = (sys.executable, str(HERE / "floors.py"), name, url, str(REQUESTS), str(IN_FLIGHT))
    return lambda: run(command)


def _command(folder: Path, url: str) -> Callable[[], Cost]:
    write_project(folder, url=url, scenarios=SCENARIOS, samples=SAMPLES, in_flight=IN_FLIGHT)

    def measured() -> Cost:
        shutil.rmtree(folder / "artifacts", ignore_errors=True)
        return run((*AGENTLAB, "run"), cwd=folder)

    return measured


def _target(what: str, figure: float, limit: float, unit: str) -> None:
    met = "met" if figure <= limit else "MISSED"
    print(f"  target: {what}: {figure:.3g} {unit} (at most {limit:g}): {met}")


if __name__ == "__main__":
    main()
