"""Untrusted text made safe for each place it is written to: CI log, Markdown, XML, workflow commands.

Whatever an agent, a tool, a scenario's author or an imported file says is untrusted. Every function takes the text
as it is and returns text that the sink shows and does not obey.
"""

import html
import re
from urllib.parse import quote

_COLOUR = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
# Controls, characters that reorder or hide text, lone surrogates and noncharacters: nothing that a reader sees.
_UNSEEN = (
    r"\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_UNSEEN_IN_LINE = re.compile(f"[{_UNSEEN}]")
_UNSEEN_IN_BLOCK = re.compile(rf"(?![\t\n])[{_UNSEEN}]")
_LINE_END = re.compile(r"\r\n|\r|\n")
_COMMAND = re.compile(r"^(\s*):(?=:)")
_OLD_COMMAND = re.compile(r"##(?=\[)")
_MARKER = re.compile(r"<!--(?=\s*agentlab:)", re.IGNORECASE)
_TICKS = re.compile(r"`+")
_MARKUP = re.compile(r"[&<>|`*_~\[\]\\]|[@#]|:(?=//)|\bwww(?=\.)|\bGH-(?=\d)", re.IGNORECASE)
# What XML 1.0 refuses, C1 controls and noncharacters. Listed rather than negated: that compiles ten times faster.
_ILLEGAL_XML = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef"
    + "".join(f"{chr((plane << 16) + 0xFFFE)}{chr((plane << 16) + 0xFFFF)}" for plane in range(17))
    + "]"
)


def without_colours(text: str) -> str:
    """Return text without the sequences that set colours and move the cursor, which no sink shows."""
    return _COLOUR.sub("", text)


def printable(text: str) -> str:
    """Return text as one line for a terminal: colours dropped, everything else unseen shown as an escape."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN_IN_LINE.sub(_show, _COLOUR.sub("", text))


def printable_block(text: str) -> str:
    """Return text as `printable` does, but with its lines and tabs."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return _UNSEEN_IN_BLOCK.sub(_show, _COLOUR.sub("", _LINE_END.sub("\n", text)))


def for_log(text: str) -> str:
    r"""Return text as one line that a CI runner does not take for a command; line ends are shown as `\n`.

    The runner obeys `::name::` after any leading white space, and `##[name]` anywhere. Applied twice, it changes
    nothing more.
    """
    return _OLD_COMMAND.sub("## ", _COMMAND.sub(r"\1: ", printable(text)))


def log_lines(text: str) -> list[str]:
    """Return text as lines for the CI log, each of them safe as in `for_log`."""
    return [for_log(line) for line in _LINE_END.split(text.expandtabs(4).rstrip())]


def code_span(text: str) -> str:
    """Return text as one Markdown code span, outside tables; empty text becomes a blank."""
    shown = _MARKER.sub("<! --", printable(text)) or " "
    ticks = "`" * (_longest_ticks(shown) + 1)
    padded = "`" in (shown[0], shown[-1]) or (shown[0] == shown[-1] == " " and shown.strip(" "))
    return f"{ticks} {shown} {ticks}" if padded else f"{ticks}{shown}{ticks}"


def table_cell(text: str) -> str:
    """Return text as a code span for a cell of a Markdown table.

    A backslash and a pipe are kept apart: some parsers take the two backslashes that they become for one, and the
    pipe for the end of the cell.
    """
    return code_span(text).replace("\\|", "\\\u200b|").replace("|", r"\|")


def inline(text: str) -> str:
    """Return text as plain words within a Markdown line or link text, where a code span cannot stand.

    Markup is written as entities. Mentions, references and bare links are entities' business only after they have
    been resolved, so these are broken by a zero-width space. Not safe at the start of a line.
    """
    return _MARKUP.sub(_defuse, printable(text))


def fenced(text: str, info: str = "") -> str:
    """Return text as a fenced Markdown block, which has to begin at column 0."""
    block = _MARKER.sub("<! --", printable_block(text).removesuffix("\n"))
    ticks = "`" * max(3, _longest_ticks(block) + 1)
    return f"{ticks}{info}\n{block}\n{ticks}"


def code_element(text: str) -> str:
    """Return text as an HTML code element, for lines of Markdown that begin with a tag and so are HTML already."""
    return f"<code>{html.escape(_MARKER.sub('<! --', printable(text)))}</code>"


def link_target(url: str) -> str:
    """Return a URL with every character percent-encoded that could end it, in Markdown as in an HTML attribute."""
    return quote(url, safe=":/?#@!$&+,;=%~", errors="replace")


def clean_xml(text: str) -> str:
    """Return text in characters that XML 1.0 allows; others are shown as escapes, line ends become LF."""
    return _ILLEGAL_XML.sub(_show, _LINE_END.sub("\n", text))


def command_message(text: str) -> str:
    """Encode the message of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def command_property(text: str) -> str:
    """Encode a property of a workflow command, such as `file` or `title`."""
    return command_message(text).replace(":", "%3A").replace(",", "%2C")


def _show(match: re.Match[str]) -> str:
    return ascii(match[0])[1:-1]


def _longest_ticks(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0)


def _defuse(match: re.Match[str]) -> str:
    found = match[0]
    return found + "\u200b" if found[0] in "@#:wWgG" else f"&#{ord(found)};"
