"""What stands around every page of `agentlab ui`: its head, the ways to the others, and the policy it obeys."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from markupsafe import Markup

from agentlab_ci.reports.html import read_asset, source_hash
from agentlab_ci.reports.templating import render
from agentlab_ci.reports.ui_links import BATCHES, COMPARE, RUNS, SCENARIOS

NAVIGATION = ((BATCHES, "Batches"), (RUNS, "Runs"), (SCENARIOS, "Scenarios"), (COMPARE, "Compare"))
END = "</body>\n</html>\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What a page is shown with. `here` is the address of the page in the navigation that it belongs to.

    With `live` it looks every two seconds whether it has changed. `form_token` is what a form has to bring so that
    something is written; None for those who may only read.
    """

    here: str = ""
    live: bool = False
    form_token: str | None = None


@cache
def policy() -> str:
    """Return the policy of every page: its own style and scripts, forms to its own origin, and nothing else."""
    sources = " ".join(f"'{source_hash(read_asset(name))}'" for name in ("report.js", "ui.js"))
    return (
        f"default-src 'none'; style-src '{source_hash(read_asset('style.css'))}'; script-src {sources}; "
        "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'self'"
    )


def render_page(template: str, frame: Frame, title: str, **context: Any) -> bytes:
    """Render a page; `title` is safe but for HTML's own signs."""
    return f"{begin_page(template, frame, title, **context)}{END}".encode()


def begin_page(template: str, frame: Frame, title: str, **context: Any) -> str:
    """Render a page without its last two lines, so that something can still stand before them."""
    return render(template, frame=frame, title=title, navigation=NAVIGATION, **_assets(), **context)


@cache
def _assets() -> dict[str, Markup]:
    return {
        "style": read_asset("style.css"),
        "report_script": read_asset("report.js"),
        "ui_script": read_asset("ui.js"),
        "policy": Markup(policy()),  # noqa: S704 - our own words
    }
