"""Draw the pictures of the README from the real templates: `make pictures`.

    python docs/pictures.py FOLDER

FOLDER holds the npm package github-markdown-css. A Chromium has to be installed.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from agentlab_ci.core.github import Links
from agentlab_ci.core.results import RunReport, SourceIdentity
from agentlab_ci.reports.comment import render_comment
from agentlab_ci.reports.summary import render_summary
from canned import scenario
from factories import make_report
from github_markdown import to_html

IMAGES = Path(__file__).parent / "images"
WIDTH = 940
COMMIT = "5f0c1e2d9b7a4c3e8d6f1a2b3c4d5e6f7a8b9c0d"
RUN_URL = "https://github.com/acme/shop/actions/runs/1/attempts/1"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--force-device-scale-factor=1.5"),
)
THEMES = {"light": ("", "#ffffff"), "dark": ("-dark", "#0d1117")}
"""What ends a picture's name, and its background."""
FOLD, OPEN_FOLD = "<details><summary>Transcript", "<details open><summary>Transcript"
PAGE = """<!doctype html><meta charset="utf-8">
<style>{css}</style>
<style>
  html, body {{ margin: 0; background: {background}; }}
  article {{ box-sizing: border-box; padding: 24px 28px; }}
</style>
<article class="markdown-body">{body}</article>
<script>document.title = document.querySelector("article").offsetHeight</script>
"""


def main(packages: Path) -> None:
    """Draw every picture, in GitHub's light and dark colours."""
    links = Links(base=f"https://github.com/acme/shop/blob/{COMMIT}/")
    report = example()
    comment = to_html(render_comment(report, marker="<!-- -->", links=links, run_url=RUN_URL))
    summary = to_html(render_summary(report, links=links, run_url=RUN_URL)).replace(FOLD, OPEN_FOLD, 1)
    IMAGES.mkdir(exist_ok=True)
    for theme, (ending, background) in THEMES.items():
        css = (packages / f"node_modules/github-markdown-css/github-markdown-{theme}.css").read_text(
            encoding="utf-8"
        )
        for name, body in (("comment", comment), ("summary", summary)):
            draw(PAGE.format(css=css, background=background, body=body), IMAGES / f"{name}{ending}.png")


def example() -> RunReport:
    """Return a run with a stable, a tolerated, a failed and an unreachable scenario."""
    report = make_report(
        scenario("ppp", "support.order-status", line=3),
        scenario("pfp", "support.refund", line=21),
        scenario("fpf", "support.cancel", line=44),
        scenario("pee", "support.return", line=70),
    )
    return report.model_copy(update={"source": SourceIdentity(commit=COMMIT)})


def draw(page: str, target: Path) -> None:
    """Write the page as a picture as high as its content."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"none of {', '.join(BROWSERS)} is installed")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "page.html"
        source.write_text(page, encoding="utf-8")
        common = [browser, *FLAGS, f"--user-data-dir={folder}/profile"]
        dom = _run([*common, f"--window-size={WIDTH},600", "--dump-dom", source.as_uri()])
        height = re.findall(r"<title>(\d+)</title>", dom)[-1]
        _run([*common, f"--window-size={WIDTH},{height}", f"--screenshot={target}", source.as_uri()])


def _run(command: list[str]) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120, env=dict(os.environ))  # noqa: S603
    return done.stdout


if __name__ == "__main__":
    main(Path(sys.argv[1]))
