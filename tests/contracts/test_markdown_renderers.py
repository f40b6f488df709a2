"""Comment and summary, read by two renderers: nothing in them is alive that we did not write.

The second one is remark with rehype-sanitize. AGENTLAB_REMARK_DIR names a folder whose node_modules hold it, as
`tests/remark_markdown.py` imports it; `.ci/run` makes one.
"""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import html

from agentlab_ci.errors import Problem
from agentlab_ci.reports.comment import render_comment, render_not_judged
from agentlab_ci.reports.summary import render_problems, render_summary
from canned import CANNED_REPORTS, hostile_scenario, hostile_simulation
from factories import make_report
from github_markdown import to_html
from hostile import HOSTILE_TEXTS
from pages import LINKS, MARKER, RUN_URL, big_report
from remark_markdown import to_sanitized_html

Renderer = Callable[[list[str]], list[str]]

ELEMENTS = {
    *("a", "b", "br", "code", "details", "h3", "h4", "li", "p", "pre", "strong", "sub", "summary", "ul"),
    *("table", "tbody", "td", "th", "thead", "tr"),
}
ATTRIBUTES = {"href", "open", "align", "lang", "class"}
UNREAD = {"code", "pre", "a"}
"""Where GitHub looks for no mention, reference or address."""
LIVE = re.compile(r"(?<![\w`])@[\w-]|(?<!\w)#\d|\bGH-\d|[\w.-]/[\w.-]+[#@]\w|\b[0-9a-f]{7,40}\b", re.IGNORECASE)
"""Mentions, references and commits, which GitHub finds after Markdown is rendered."""
PIECES = r"""
@you \@you &#64;you @org/team #1 GH-1 owner/repo#1 0123456789abcdef0123456789abcdef01234567
https://e.com www.e.com a@e.com ![x](https://e.com/x.png) [x](https://e.com) [x]: <https://e.com>
<b> </b> <img/src=x/onerror=y> </details> </summary> <details/open> <!-- --> agentlab:comment <script> <sub>
` `` ``` ```` ~~~ | \| \ - > # *** _ &lt; & ::error::x ##[error]x 日本 🙂 a
"""
pieces = st.sampled_from([*PIECES.split(), " ", "    ", "\t", "\n", "\n\n", "\r", "\u202e", "\u200b", "\u2028"])
texts = st.one_of(st.lists(pieces, max_size=10).map("".join), st.sampled_from(HOSTILE_TEXTS))
fuzzed = settings(derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _with_cmark(documents: list[str]) -> list[str]:
    return [to_html(document) for document in documents]


@pytest.fixture(params=["cmark-gfm", pytest.param("remark", marks=pytest.mark.network)])
def renderer(request: pytest.FixtureRequest) -> Renderer:
    if request.param == "cmark-gfm":
        return _with_cmark
    folder = os.environ.get("AGENTLAB_REMARK_DIR")
    if not folder:
        pytest.skip("AGENTLAB_REMARK_DIR is not set: .ci/run installs what tests/remark_markdown.py imports")
    return lambda documents: to_sanitized_html(documents, Path(folder))


def _pages(text: str, number: int = 0) -> list[str]:
    """Return every page that there is, with the text wherever others' words are shown."""
    report = make_report(hostile_scenario(number, text[:200]), hostile_simulation(number, text[:200]))
    problem = Problem(path=text, where=text, message=text)
    return [
        render_comment(report, marker=MARKER, links=LINKS, run_url=RUN_URL, title=text),
        render_summary(report, links=LINKS, run_url=RUN_URL, title=text),
        render_not_judged(text, marker=MARKER, sha=text, run_url=RUN_URL, title=text),
        render_problems([problem], links=LINKS, title=text),
    ]


def _live_things(shown: str) -> Iterator[str]:
    """Yield what a page does or links to that is not ours, and what it would make GitHub do."""
    root = html.fragment_fromstring(shown, create_parent="div")
    for element in root.iterdescendants():
        if element.tag is html.etree.Comment:
            if element.text != MARKER.removeprefix("<!--").removesuffix("-->"):
                yield f"comment {element.text}"
            continue
        if element.tag not in ELEMENTS:
            yield f"element {element.tag}"
        yield from (f"attribute {name}" for name in element.attrib if name not in ATTRIBUTES)
        target = element.get("href")
        if target is not None and not (target == RUN_URL or target.startswith(LINKS.base)):
            yield f"link to {target}"
    yield from (found[0] for text in _read_texts(root) for found in LIVE.finditer(text))


def _read_texts(element: html.HtmlElement) -> Iterator[str]:
    if element.tag in UNREAD or not isinstance(element.tag, str):
        return
    yield element.text or ""
    for child in element:
        yield from _read_texts(child)
        yield child.tail or ""


def _assert_dead(pages: list[str], renderer: Renderer) -> None:
    for page, shown in zip(pages, renderer(pages), strict=True):
        assert page.count("<!-- agentlab:comment") == page.startswith(MARKER)
        assert list(_live_things(shown)) == [], page


def test_the_corpus_is_dead(renderer: Renderer) -> None:
    pages = [page for number, text in enumerate(HOSTILE_TEXTS) for page in _pages(text, number)]
    _assert_dead(pages, renderer)


def test_whole_runs_are_dead(renderer: Renderer) -> None:
    reports = [*CANNED_REPORTS.values(), big_report(20)]
    comments = [render_comment(report, marker=MARKER, links=LINKS, run_url=RUN_URL) for report in reports]
    summaries = [render_summary(report, links=LINKS, run_url=RUN_URL) for report in reports]
    _assert_dead(comments + summaries, renderer)


@given(documents=st.lists(texts, min_size=20, max_size=20))
@settings(fuzzed, max_examples=12)
def test_whatever_is_said_is_dead(renderer: Renderer, documents: list[str]) -> None:
    _assert_dead([page for number, text in enumerate(documents) for page in _pages(text, number)], renderer)


def test_the_structure_is_ours(renderer: Renderer) -> None:
    pages = [page for text in HOSTILE_TEXTS[1:] for page in _pages(text)[:2]]
    for number, shown in enumerate(renderer(pages)):
        root = html.fragment_fromstring(shown, create_parent="div")
        count = {name: len(root.findall(f".//{name}")) for name in ("tr", "details", "h3", "h4", "sub")}
        transcripts = 6 * (number % 2)  # every other page is a summary
        assert count == {"tr": 3, "details": 2 + transcripts, "h3": 1, "h4": 6, "sub": 1}, pages[number]


@pytest.mark.parametrize(
    "alive", ["<p>@you</p>", "<p>see #1</p>", '<a href="https://e.com">x</a>', "<img>", "<!-- x -->"]
)
def test_live_things_are_seen(alive: str) -> None:
    assert len(list(_live_things(alive))) == 1
