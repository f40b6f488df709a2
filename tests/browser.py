"""A page in Chromium, driven by playwright-core: what is done to it, what it shows, and what it should not do.

AGENTLAB_PLAYWRIGHT_DIR names a folder whose node_modules hold playwright-core and axe-core; `.ci/run` makes one.
"""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_SCRIPT = """
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { chromium } from "playwright-core";

const { browser: executablePath, url, options, steps } = JSON.parse(await text(process.stdin));
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"];
args.push("--disable-background-networking", "--disable-component-update");
const browser = await chromium.launch({ executablePath, args });
const page = await browser.newPage(options);
page.setDefaultTimeout(20000);
const trouble = [];
const requests = [];
page.on("console", (message) => trouble.push(message.type() + ": " + message.text()));
page.on("pageerror", (error) => trouble.push("error: " + error.message));
page.on("dialog", (dialog) => { trouble.push("dialog: " + dialog.message()); dialog.dismiss(); });
page.on("request", (request) => requests.push(request.url()));
const acts = {
  click: (selector) => page.click(selector),
  fill: (selector, value) => page.fill(selector, value),
  select: (selector, label) => page.selectOption(selector, { label }),
  press: (key) => page.keyboard.press(key),
  back: () => page.goBack(),
  goto: (path) => page.goto(new URL(path, page.url()).href),
  arrive: (part) => page.waitForURL((address) => address.href.includes(part)),
  wait: async (expression) => {
    // waitForFunction would need eval, which the page's policy forbids.
    for (let left = 200; !(await page.evaluate(expression)); left--) {
      if (!left) throw new Error("never came true: " + expression);
      await page.waitForTimeout(50);
    }
  },
  look: (expression) => page.evaluate(expression),
  picture: (path) => page.screenshot({ path }),
  media: (media) => page.emulateMedia({ media }),
  axe: async () => {
    await page.evaluate(readFileSync("node_modules/axe-core/axe.min.js", "utf8"));
    const found = await page.evaluate((values) => axe.run({ runOnly: { type: "tag", values } }), rules);
    return found.violations.map((it) => it.id + ": " + it.nodes.map((node) => node.html).join(" "));
  },
};
await page.goto(url);
const seen = [];
for (const [act, ...given] of steps) {
  const result = await acts[act](...given);
  if (act === "look" || act === "axe") seen.push(result);
}
await browser.close();
console.log(JSON.stringify({ seen, trouble, requests }));
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What the steps `look` and `axe` returned, in order; what the console said; which addresses were fetched."""

    seen: list[Any]
    trouble: list[str]
    requests: list[str]


def find_browser() -> str | None:
    """Return the path of a Chromium, None where none is installed."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def visit(packages: Path, url: str, *steps: tuple[str, ...], **options: Any) -> Visit:
    """Open a page and go through the steps: (what to do, with what).

    `options` are playwright's for a page, such as `colorScheme`; `packages` is the folder that holds node_modules.
    """
    task = {"browser": find_browser(), "url": url, "options": options, "steps": steps}
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", _SCRIPT],
        cwd=packages,
        input=json.dumps(task),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return Visit(**json.loads(done.stdout))
