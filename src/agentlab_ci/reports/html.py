"""report.html: one file with everything in it that a browser needs, and nothing that it would have to fetch.

The matrix and the plots are plain HTML. Samples stand behind them as inert JSON, a block for each scenario, and
become elements when somebody opens one: ten thousand transcripts in the document would freeze the page.
"""

import base64
import hashlib
import io
from functools import cache

from markupsafe import Markup

from agentlab_ci.core.results import RunReport
from agentlab_ci.core.sample import SampleStatus
from agentlab_ci.reports.html_data import scenario_data
from agentlab_ci.reports.html_page import make_page
from agentlab_ci.reports.templating import find_templates, render

MOST_OF_PASSED, MOST_OF_ALL = 32 << 20, 96 << 20
"""Bytes of page after which samples that passed, and then all, are shown without their transcripts."""
_TEMPLATE = "report.html.j2"
_END = b"</body>\n</html>\n"


def render_html(
    report: RunReport, *, most_of_passed: int = MOST_OF_PASSED, most_of_all: int = MOST_OF_ALL
) -> bytes:
    """Render report.html in UTF-8, the same bytes for the same results."""
    page = render(_TEMPLATE, page=make_page(report), **_assets())
    return with_samples(page, report, most_of_passed=most_of_passed, most_of_all=most_of_all)


def with_samples(
    page: str, report: RunReport, *, most_of_passed: int = MOST_OF_PASSED, most_of_all: int = MOST_OF_ALL
) -> bytes:
    """Return a page that ends within its body, with what its script shows of each scenario, to its end."""
    most = dict.fromkeys(SampleStatus, most_of_all) | {SampleStatus.PASSED: most_of_passed}
    document = io.BytesIO()
    document.write(page.encode())
    for index, row in enumerate(report.scenarios):
        size = document.tell()
        keeps = {status: size < limit for status, limit in most.items()}
        data = scenario_data(row, keeps)
        document.write(b'<script type="application/json" id="data-%d">%b</script>\n' % (index, data))
    document.write(_END)
    return document.getvalue()


@cache
def _assets() -> dict[str, Markup]:
    """Return stylesheet, script, and the policy that allows these two and nothing else."""
    style, script = read_asset("style.css"), read_asset("report.js")
    policy = (
        f"default-src 'none'; style-src '{source_hash(style)}'; script-src '{source_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return {"style": style, "script": script, "policy": Markup(policy)}  # noqa: S704 - our own words


def read_asset(name: str) -> Markup:
    """Return a stylesheet or a script of ours, to be written into a page as it is."""
    return Markup((find_templates() / name).read_text(encoding="utf-8"))  # noqa: S704 - our own files


def source_hash(text: str) -> str:
    """Return what a policy names an inline style or script by."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
