"""A text that scrolls; only the lines in sight are drawn, so a long transcript costs no more than a short one."""

from collections.abc import Iterable, Iterator

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from agentlab_ci.tui.tones import Line, to_text

_NARROWEST = 10
"""Cells that a text gets at least, however narrow the screen is."""


class TextView(ScrollView, can_focus=True):
    """Shows lines, broken at words where they are too long for the screen."""

    DEFAULT_CSS = """
    TextView { padding: 0 1; overflow-x: hidden; scrollbar-gutter: stable; scrollbar-size-vertical: 1; }
    """

    def __init__(self, lines: Iterable[Line] = ()) -> None:
        super().__init__()
        self._lines = tuple(lines)
        self._broken: tuple[Text, ...] = ()

    def show(self, lines: Iterable[Line]) -> None:
        """Show other lines; what is in sight stays where it is."""
        self._lines = tuple(lines)
        self._break()

    def on_resize(self, _event: events.Resize) -> None:
        """Break the lines anew."""
        self._break()

    def render_line(self, y: int) -> Strip:
        """Draw one line of those in sight."""
        place = y + self.scroll_offset.y
        width = self.size.width
        if place >= len(self._broken):
            return Strip.blank(width, self.rich_style)
        segments = list(self._broken[place].render(self.app.console))
        return Strip(segments).adjust_cell_length(width).apply_style(self.rich_style)

    def _break(self) -> None:
        width = self.scrollable_content_region.width
        if width:
            self._broken = tuple(part for line in self._lines for part in self._break_line(line, width))
            self.virtual_size = Size(width, len(self._broken))
            self.refresh()

    def _break_line(self, line: Line, width: int) -> Iterator[Text]:
        text = to_text(line.spans)
        if line.indent + cell_len(text.plain) <= width:
            yield _indented(text, line.indent)
            return
        beside, told = text[: line.hang], text[line.hang :]
        indent = min(line.indent + line.hang, max(0, width - _NARROWEST))
        parts = told.wrap(self.app.console, max(_NARROWEST, width - indent), no_wrap=False)
        for number, part in enumerate(parts):
            yield _indented(part, indent) if number else _indented(Text.assemble(beside, part), line.indent)


def _indented(text: Text, cells: int) -> Text:
    return Text.assemble(" " * cells, text, end="")
