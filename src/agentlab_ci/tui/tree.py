"""The rows: one line a scenario in YAML order, its samples branching under it once it is opened."""

from collections.abc import Iterable
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from agentlab_ci.core.results import RowKey
from agentlab_ci.core.verdict import Verdict
from agentlab_ci.reports.escape import printable
from agentlab_ci.reports.formatting import ASCII, Glyphs, format_duration
from agentlab_ci.reports.reasons import explain_sample
from agentlab_ci.reports.wording import remarks
from agentlab_ci.tui.icons import icon_of_sample, icon_of_scenario, tell_phase
from agentlab_ci.tui.state import LiveState, Phase, RowView, SampleView
from agentlab_ci.tui.tones import Span, Tone, marks_for, to_text

Place = tuple[RowKey, int | None]
"""A scenario, or one of its samples by number."""
_OPEN_AT_FIRST = 100
"""Samples of a run, up to which all scenarios are open from the start."""
_SHORT_ID = 11
_TOGGLE = Style.from_meta({"toggle": True})


class ScenarioTree(Tree[Place]):
    """Shows a state's rows; they are drawn from the state when they come into sight, never before."""

    DEFAULT_CSS = """
    ScenarioTree { overflow-x: hidden; scrollbar-gutter: stable; scrollbar-size-vertical: 1; padding: 0 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "open", "Open", show=False),
        Binding("left", "close", "Close", show=False),
    ]

    def __init__(self, state: LiveState, glyphs: Glyphs) -> None:
        super().__init__(Text(""))
        self.show_root = False
        self.show_guides = False
        self.guide_depth = 2
        self.auto_expand = False
        self._state = state
        self._glyphs = glyphs
        self._marks = marks_for(glyphs)
        self._row_nodes: dict[RowKey, TreeNode[Place]] = {}
        self._name_width = self._number_width = self._passes_width = 0

    def show_rows(self, keys: Iterable[RowKey]) -> None:
        """Show these rows and no others; the cursor stays where it is, if its row does."""
        wanted = dict.fromkeys(keys)
        rows = self._state.rows
        self._measure(rows)
        before = self.cursor_node.data if self.cursor_node is not None else None
        for key in [key for key in self._row_nodes if key not in wanted]:
            self._row_nodes.pop(key).remove()
        opened = sum(len(row.samples) for row in rows) <= _OPEN_AT_FIRST
        for place, key in enumerate(wanted):
            if key not in self._row_nodes:
                self._row_nodes[key] = self._add_row(key, place, opened=opened)
        if before is None or before[0] not in self._row_nodes:
            self.cursor_line = 0

    def show_changes(self, keys: Iterable[RowKey]) -> None:
        """Draw these rows anew, as far as they are shown."""
        for node in (self._row_nodes[key] for key in keys if key in self._row_nodes):
            # What `node.refresh` does, and that of its samples too, without a region to repaint for each.
            node._updates += 1
        self.refresh()

    def action_open(self) -> None:
        """Show the samples of the scenario under the cursor."""
        node = self.cursor_node
        if node is not None and node.allow_expand:
            node.expand()

    def action_close(self) -> None:
        """Hide them again; on a sample, those of its scenario."""
        node = self.cursor_node
        if node is not None and not node.allow_expand and node.parent is not None and not node.parent.is_root:
            node = node.parent
            self.move_cursor(node)
        if node is not None:
            node.collapse()

    def on_tree_node_expanded(self, event: Tree.NodeExpanded[Place]) -> None:
        """Add the samples of a scenario that is opened for the first time."""
        self._add_samples(event.node)

    def get_label_width(self, node: TreeNode[Place]) -> int:  # noqa: ARG002 - as Tree asks for it
        """Return next to nothing without drawing any: a line is as wide as the screen, and never scrolls."""
        return 1

    def render_label(self, node: TreeNode[Place], base_style: Style, style: Style) -> Text:  # noqa: ARG002 - as Tree asks for it
        """Draw a line from the state as it is now."""
        if node.data is None:
            return Text("")
        key, number = node.data
        row = self._state.row(key)
        if number is None:
            text = self._draw_row(row, node)
        else:
            text = self._draw_sample(row, row.samples[number - 1], node.is_last)
        plain = self._glyphs is ASCII
        text.truncate(self._width_of(node), overflow="crop" if plain else "ellipsis", pad=True)
        text.stylize_before(style)
        return text

    def _width_of(self, node: TreeNode[Place]) -> int:
        inset = 0 if node.data is None or node.data[1] is None else self.guide_depth
        return max(1, self.scrollable_content_region.width - inset)

    def _measure(self, rows: tuple[RowView, ...]) -> None:
        self._name_width = max((cell_len(printable(row.name)) for row in rows), default=0)
        self._number_width = len(str(len(rows)))
        self._passes_width = max((len(row.passes) for row in rows), default=0)

    def _add_row(self, key: RowKey, place: int, *, opened: bool) -> TreeNode[Place]:
        before = place if place < len(self.root.children) else None
        sampled = len(self._state.row(key).samples) > 1
        node = self.root.add(Text(" "), (key, None), before=before, allow_expand=sampled)
        if opened and sampled:
            self._add_samples(node)
            node.expand()
        return node

    def _add_samples(self, node: TreeNode[Place]) -> None:
        if node.data is not None and not node.children:
            key, _ = node.data
            for sample in self._state.row(key).samples:
                node.add_leaf(Text(" "), (key, sample.number))

    def _draw_row(self, row: RowView, node: TreeNode[Place]) -> Text:
        fold = (self._marks.opened if node.is_expanded else self._marks.closed) if node.allow_expand else " "
        name_width = self._room_for_name()
        dim = row.result.verdict is Verdict.SKIPPED or all(it.phase is Phase.NOT_STARTED for it in row.samples)
        text = to_text(
            (
                Span(f"{fold} ", Tone.DIM),
                icon_of_scenario(row, self._glyphs),
                Span(f" {row.number:>{self._number_width}}. ", Tone.DIM),
                Span(self._fit(printable(row.name), name_width), Tone.DIM if dim else Tone.PLAIN),
                Span(f"  {row.passes:>{self._passes_width}}", Tone.DIM if dim else Tone.PLAIN),
                Span(f"  {printable(self._remark(row))}".rstrip(), Tone.DIM),
            )
        )
        if node.allow_expand:
            text.stylize(_TOGGLE, 0, 2)
        return text

    def _remark(self, row: RowView) -> str:
        """Say what the counts do not; while the run goes on, unfinished is what the icon says already."""
        if row.result.skipped is not None:
            return row.result.skipped
        said = remarks(row.result)
        going_on = not self._state.over and row.result.verdict is Verdict.UNFINISHED
        return f" {self._glyphs.dot} ".join(said[1:] if going_on and row.result.samples_wanted > 1 else said)

    def _draw_sample(self, row: RowView, sample: SampleView, last: bool) -> Text:
        branch = self._marks.last_branch if last else self._marks.branch
        icon = icon_of_sample(row.result, sample, self._glyphs)
        named = tell_phase(sample) if sample.run_id is None else self._shorten(printable(sample.run_id))
        told = [f"sample {sample.number}"]
        if sample.result is not None:
            told += (
                [format_duration(sample.result.duration_ms)] if sample.run_id and sample.result.is_timed else []
            )
            told += explain_sample(sample.result)[:1]
        elif sample.run_id is not None:
            told.append(tell_phase(sample))
        indent = " " * (self._number_width + 2)
        return to_text(
            (
                Span(f"{indent}{branch} ", Tone.DIM),
                icon,
                Span(f" {self._fit(named, _SHORT_ID)}  ", Tone.DIM),
                Span(told[0]),
                Span("".join(f"  {printable(it)}" for it in told[1:]), Tone.DIM),
            )
        )

    def _room_for_name(self) -> int:
        """Return the cells of the column of names: as wide as the longest, unless the line is too short for it."""
        around = 6 + self._number_width + 2 + self._passes_width + 2
        return max(8, min(self._name_width, self.scrollable_content_region.width - around))

    def _shorten(self, run_id: str) -> str:
        """Leave out the middle of a run id: its end is what tells it from the others of the run."""
        if len(run_id) <= _SHORT_ID:
            return run_id
        return f"{run_id[:4]}{self._marks.ellipsis}{run_id[-4:]}"

    def _fit(self, text: str, width: int) -> str:
        """Cut or fill up to so many cells."""
        if cell_len(text) > width:
            text = set_cell_size(text, width - len(self._marks.ellipsis)) + self._marks.ellipsis
        return set_cell_size(text, width)
