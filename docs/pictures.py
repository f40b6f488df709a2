"""Draw the pictures of the README and the docs from the real templates and the real view: `make pictures`.

    python docs/pictures.py FOLDER

FOLDER holds the npm packages github-markdown-css and playwright-core. A Chromium has to be installed.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from agentlab_ci.core.github import Links
from agentlab_ci.core.judge import judge_scenario
from agentlab_ci.core.results import RunReport, ScenarioResult, SourceIdentity
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.scenario import Mode
from agentlab_ci.core.trace import Evaluation, Redraw, Role, SampleError, Turn
from agentlab_ci.reports.comment import render_comment
from agentlab_ci.reports.html import render_html
from agentlab_ci.reports.summary import render_summary
from agentlab_ci.tui.app import Leave, LiveApp
from browser import visit
from factories import make_facts, make_report, make_samples
from github_markdown import to_html
from live_run import drive, half_way
from ui_pictures import draw_ui

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
BAD_GATEWAY = (
    "POST https://agent.example.com/api/chat answered HTTP 502: "
    "the agent did not answer the message; its own log may say why"
)
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
    draw(PAGE.format(css="", background="#ffffff", body=live_view()), IMAGES / "live-view.png")
    for theme, (ending, background) in THEMES.items():
        css = (packages / f"node_modules/github-markdown-css/github-markdown-{theme}.css").read_text(
            encoding="utf-8"
        )
        for name, body in (("comment", comment), ("summary", summary)):
            draw(PAGE.format(css=css, background=background, body=body), IMAGES / f"{name}{ending}.png")
        draw_report(packages, report, theme, ending)
        draw_ui(packages, IMAGES, theme, ending)


def live_view() -> str:
    """Return the live view of a run that is half through, as it stands on a terminal of 100 columns."""
    drawn = []

    async def script(app: LiveApp, pilot: Pilot[Leave]) -> None:
        await pilot.press("down", "down", "down", "down", "down", "down")
        drawn.append(app.export_screenshot(title="agentlab run --samples 3", simplify=True))

    drive(script, feed=half_way(), size=(100, 36), clock=chain([0.0], repeat(42.0)).__next__)
    return drawn[0]


def draw_report(packages: Path, report: RunReport, theme: str, ending: str) -> None:
    """Draw the HTML report with a sample open, its statistics, and how it looks on a phone."""
    statistics = 'document.querySelector(".statistics").scrollIntoView()'
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        page.write_bytes(render_html(report))
        for name, (width, height), fragment, step in (
            (
                "report",
                (1280, 1150),
                "#s=billing.double-charge&n=1",
                ("look", "scrollTo(0, document.activeElement.blur())"),
            ),
            ("report-statistics", (1280, 1130), "", ("look", statistics)),
            ("report-phone", (390, 844), "", ("look", "scrollTo(0, 0)")),
        ):
            visit(
                packages,
                page.as_uri() + fragment,
                ("wait", 'document.readyState === "complete"'),
                step,
                ("picture", str(IMAGES / f"{name}{ending}.png")),
                colorScheme=theme,
                viewport={"width": width, "height": height},
                deviceScaleFactor=1.5,
            )


def example() -> RunReport:
    """Return a run with a stable, a tolerated, a failed and an unreachable scenario."""
    report = make_report(
        _scenario(
            *("support.order-status", 3, "Where is order A-1024?"),
            ("The order A-1024 left our warehouse on 3 March.", None),
            ("A-1024 is on its way, the parcel number is 1Z999.", None),
            ("Order A-1024 has shipped.", None),
        ),
        _scenario(
            *("support.refund", 21, "I was charged twice for A-1024. What happens now?"),
            ("I have asked for a refund of 42.50 EUR.", None),
            ("I am sorry to hear that. Is there anything else?", 'reply does not contain "refund"'),
            ("You get a refund of 42.50 EUR within five days.", None),
        ),
        _scenario(
            *("billing.double-charge", 44, "Two charges, one order. Please dispute one."),
            ("I have opened a dispute for you.", r"reply does not match /\bD-\d{4}\b/"),
            ("Your dispute is D-4471. We answer within a week.", None),
            ("I have opened a dispute for you.", r"reply does not match /\bD-\d{4}\b/"),
        ),
        _scenario(
            *("support.return", 70, "How do I return a lamp?"),
            ("Print the label in your account and bring the parcel to a shop.", None),
            (None, BAD_GATEWAY),
            (None, BAD_GATEWAY),
        ),
    )
    return report.model_copy(update={"source": SourceIdentity(commit=COMMIT)})


def _scenario(scenario_id: str, line: int, asked: str, *samples: tuple[str | None, str | None]) -> ScenarioResult:
    """Judge samples, each of which is a reply, and what is wrong with it; None replied is an error."""
    facts = make_facts(scenario_id, suite=scenario_id.partition(".")[0], file="scenarios/support.yaml", line=line)
    letters = "".join("e" if reply is None else "p" if wrong is None else "f" for reply, wrong in samples)
    drawn = []
    for sample, (reply, wrong) in zip(make_samples(letters, scenario_id=scenario_id), samples, strict=True):
        key = hashlib.sha256(f"{scenario_id} {sample.sample}".encode()).hexdigest()
        update: dict[str, Any] = {
            "run_id": f"run_20260407_001234_{key[:6]}",
            "started_at": f"2026-04-07T00:12:3{sample.sample + line % 4}Z",
            "duration_ms": 900 + int(key[:4], 16) % 900,
            "turns": (Turn(role=Role.USER, text=asked),),
        }
        if reply is None:
            body = "<html>\n<h1>502 Bad Gateway</h1>\n</html>"
            update["error"] = SampleError(message=str(wrong), status=502, body=body)
            again = Redraw(reason=TerminationReason.HTTP_ERROR, message=str(wrong), seconds=0.5)
            update["redraws"] = (again,)
        else:
            update["turns"] += (Turn(role=Role.AGENT, text=reply, latency_ms=update["duration_ms"] - 40),)
            check = {"id": "answers-it", "type": "response_matches_regex", "mode": Mode.HARD_GATE, "step": 1}
            said = wrong or "reply is as asked for"
            update["evaluations"] = (Evaluation(**check, passed=wrong is None, message=said),)
        drawn.append(sample.model_copy(update=update))
    return judge_scenario(facts, drawn)


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
