"""The HTML report of a big run: `python -m benchmarks.html_report SCENARIOS SAMPLES` prints its figures as JSON.

How long it takes to render, how big it is, and, where a Chromium is installed, how much longer it takes a new
browser to load, lay out and paint it than an empty page.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from agentlab_ci.reports.html import render_html
from benchmarks.results import make_report

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--window-size=1280,900"),
)


def main(scenarios: int, samples: int) -> None:
    """Render the report once, and open it five times."""
    report = make_report(scenarios=scenarios, samples=samples)
    started = time.perf_counter()
    content = render_html(report)
    figures = {"render_s": time.perf_counter() - started, "size_mb": len(content) / 1e6}
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is not None:
        with tempfile.TemporaryDirectory() as folder:
            page, empty = Path(folder) / "report.html", Path(folder) / "empty.html"
            page.write_bytes(content)
            empty.write_text("<!doctype html><title>empty</title>", encoding="utf-8")
            spent = [(_seconds_to_paint(browser, page), _seconds_to_paint(browser, empty)) for _ in range(5)]
        figures["open_s"] = median(full - nothing for full, nothing in spent)
    print(json.dumps(figures))


def _seconds_to_paint(browser: str, page: Path) -> float:
    folder = page.parent
    started = time.perf_counter()
    subprocess.run(
        [
            *(browser, *FLAGS, f"--user-data-dir={folder}/profile", f"--screenshot={folder}/picture.png"),
            page.as_uri(),
        ],
        check=True,
        capture_output=True,
        timeout=120,
    )
    return time.perf_counter() - started


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
