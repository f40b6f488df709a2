"""Untrusted text is shown by every sink and obeyed by none."""

import html
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from agentlab_ci.reports.escape import (
    clean_xml,
    code_element,
    code_span,
    command_message,
    command_property,
    fenced,
    for_log,
    inline,
    link_target,
    log_lines,
    printable,
    table_cell,
)
from github_markdown import to_html
from hostile import HOSTILE_TEXTS
from runner_commands import find_commands

fixed = settings(derandomize=True, deadline=None, max_examples=400)
PIECES = r"""
:: ##[ ] error Group : # ` ``` | \ < > & @ [ ]( ) ! * _ ~ - = www. https:// GH-1 a 1 . <!-- -->
agentlab:comment &amp; $
"""
pieces = st.sampled_from([*PIECES.split(), *" \t\u3000\x85\u200b\xad\r\n\x1b\u202e", "\r\n", "\x1b[0m"])
texts = st.one_of(st.lists(pieces, max_size=12).map("".join), st.text(max_size=30), st.sampled_from(HOSTILE_TEXTS))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain — ünïcode 日本 🙂", "plain — ünïcode 日本 🙂"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("a\r\nb\tc", r"a\r\nb\tc"),
        ("\u202eabc\u200b", r"\u202eabc\u200b"),
        ("\U000e0041\ud800\ufffe\x85", r"\U000e0041\ud800\ufffe\x85"),
        ("❤️", "❤️"),  # the variation selector is part of the emoji
    ],
)
def test_printable_shows_what_cannot_be_seen(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", ": :error::x"),
        (" \u3000::Error file=a::x", " \u3000: :Error file=a::x"),
        ("see a::b", "see a::b"),
        ("x ##[error]y", "x ## [error]y"),
        ("###[error]", "### [error]"),
        ("# heading", "# heading"),
        ("a\r::error::x", r"a\r::error::x"),
    ],
)
def test_for_log_breaks_commands_and_nothing_else(text: str, shown: str) -> None:
    assert for_log(text) == shown


def test_log_lines_splits_at_every_line_end() -> None:
    assert log_lines("a\r\nb\rc\n\td\n") == ["a", "b", "c", "    d"]


@given(texts)
@fixed
def test_no_untrusted_text_is_a_command(text: str) -> None:
    assert find_commands("\n".join(log_lines(text))) == []
    assert find_commands(for_log(text)) == []
    assert find_commands(f"      {for_log(text)}: {for_log(text)}") == []
    assert for_log(for_log(text)) == for_log(text)
    assert len(for_log(text).splitlines()) <= 1
    for_log(text).encode()


@pytest.mark.parametrize(
    ("output", "obeyed"),
    [
        ("::error::x", ["error"]),
        ("\u3000::Warning file=a::x", ["warning"]),
        ("\u200b::error::a comparison by culture skips this", ["error"]),
        ("a\r::notice::b", ["notice"]),
        ("text ##[Group]x", ["group"]),
        ("text ::error::x", []),
        ("::unknown::x\n::error", []),
    ],
)
def test_the_port_of_the_runner_finds_commands(output: str, obeyed: list[str]) -> None:
    assert find_commands(output) == obeyed


def test_command_values_keep_their_text() -> None:
    assert command_message("50%\r\n::a,b") == "50%25%0D%0A::a,b"
    assert command_property("50%\r\n::a,b") == "50%25%0D%0A%3A%3Aa%2Cb"


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("plain", "`plain`"),
        ("", "` `"),
        ("  ", "`  `"),
        (" a ", "`  a  `"),
        ("a `b` c", "``a `b` c``"),
        ("`", "`` ` ``"),
        ("a|b", "`a|b`"),
        ("<!-- agentlab:comment -->", "`<! -- agentlab:comment -->`"),
        ("a\nb", r"`a\nb`"),
    ],
)
def test_code_span(text: str, span: str) -> None:
    assert code_span(text) == span


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("a|b", r"`a\|b`"),
        (r"a\|b", "`a\\\u200b\\|b`"),
        (r"\\|", "`\\\\\u200b\\|`"),
    ],
)
def test_table_cell(text: str, cell: str) -> None:
    assert table_cell(text) == cell


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Refund the order", "Refund the order"),
        ("<b> & |", "&#60;b&#62; &#38; &#124;"),
        ("[a](b) `c` *d*", "&#91;a&#93;(b) &#96;c&#96; &#42;d&#42;"),
        ("@team #1 GH-2", "@\u200bteam #\u200b1 GH-\u200b2"),
        ("https://a www.a", "https:\u200b//a www\u200b.a"),
    ],
)
def test_inline(text: str, shown: str) -> None:
    assert inline(text) == shown


@given(texts)
@fixed
def test_github_shows_a_code_element_as_it_is(text: str) -> None:
    shown = to_html(f"<details><summary>{code_element(text)} b</summary>\n\nafter\n\n</details>")
    match = re.fullmatch(
        r"<details><summary><code>([^<>]*)</code> b</summary>\n<p>after</p>\n</details>\n?", shown
    )
    assert match is not None
    assert html.unescape(match[1]) == _unmarked(printable(text))


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://github.com/a/b?c=d&e=%20f#L1", "https://github.com/a/b?c=d&e=%20f#L1"),
        ("https://a/)](x) <b>\"'`\n", "https://a/%29%5D%28x%29%20%3Cb%3E%22%27%60%0A"),
        ("https://a/\ud800ü", "https://a/?%C3%BC"),
    ],
)
def test_a_link_target_keeps_its_url(url: str, target: str) -> None:
    assert link_target(url) == target


@given(texts)
@fixed
def test_no_text_leaves_a_link_target(text: str) -> None:
    shown = to_html(f"[a](https://x/{link_target(text)}) b")
    assert re.fullmatch(r'<p><a href="https://x/[^"<> ]*">a</a> b</p>\n', shown)


def test_fence_is_longer_than_any_run_of_backticks() -> None:
    assert fenced("a\r\nb\x00\n", "text") == "```text\na\nb\\x00\n```"
    assert fenced("````") == "`````\n````\n`````"


@given(texts)
@fixed
def test_the_marker_of_the_comment_cannot_be_forged(text: str) -> None:
    for shown in (code_span(text), table_cell(text), code_element(text), inline(text), fenced(text)):
        assert re.search(r"<!--\s*agentlab:", shown, re.IGNORECASE) is None


@given(texts)
@fixed
def test_github_shows_a_code_span_as_it_is(text: str) -> None:
    shown = to_html(f"a {code_span(text)} b")
    match = re.fullmatch(r"<p>a <code>([^<>]*)</code> b</p>\n", shown)
    assert match is not None
    assert html.unescape(match[1]) == (_unmarked(printable(text)) or " ")


@given(texts)
@fixed
def test_github_shows_a_cell_as_it_is(text: str) -> None:
    shown = to_html(f"| a | b |\n|---|---|\n| {table_cell(text)} | end |\n\nafter\n")
    cells = re.findall(r"<td>(.*?)</td>", shown, re.DOTALL)
    assert cells[1:] == ["end"]
    match = re.fullmatch(r"<code>([^<>]*)</code>", cells[0])
    assert match is not None
    assert html.unescape(match[1]).replace("\u200b", "") == (_unmarked(printable(text)) or " ")


@given(texts)
@fixed
def test_github_shows_inline_text_as_it_is(text: str) -> None:
    shown = to_html(f"a{inline(text)}b")
    match = re.fullmatch(r"<p>([^<>]*)</p>\n", shown)
    assert match is not None
    assert html.unescape(match[1]).replace("\u200b", "") == f"a{printable(text)}b"
    assert re.search(r"[@#](?!\u200b)", html.unescape(match[1])) is None


@given(texts)
@fixed
def test_github_shows_a_fenced_block_as_it_is(text: str) -> None:
    shown = to_html(f"before\n\n{fenced(text)}\n\nafter")
    match = re.fullmatch(r"<p>before</p>\n<pre><code>([^<>]*)</code></pre>\n<p>after</p>\n", shown)
    assert match is not None
    lines = re.split(r"\r\n|\r|\n", text)
    kept = "\n".join("\t".join(printable(part) for part in line.split("\t")) for line in lines)
    assert html.unescape(match[1]).removesuffix("\n") == _unmarked(kept.removesuffix("\n"))


def _unmarked(text: str) -> str:
    return re.sub(r"<!--(?=\s*agentlab:)", "<! --", text, flags=re.IGNORECASE)


@given(texts)
@fixed
def test_xml_parsers_read_the_text_back(text: str) -> None:
    element = etree.Element("a", {"b": clean_xml(text)})
    element.text = clean_xml(text)
    back = etree.fromstring(etree.tostring(element, encoding="utf-8"))
    assert (back.text or "", back.get("b")) == (clean_xml(text), clean_xml(text))


def test_clean_xml_shows_what_xml_has_no_place_for() -> None:
    assert clean_xml("a\x00\x1b\ufffe\ud800\U0001ffffb\r\nc\rd") == "a\\x00\\x1b\\ufffe\\ud800\\U0001ffffb\nc\nd"
