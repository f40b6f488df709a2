"""A variant set as a matrix and a list of its variants, in the log and in Markdown."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.results import RunReport, ScenarioResult, VariantIdentity
from agentlab_ci.core.trace import SampleError
from agentlab_ci.reports.comment import COMMENT_LIMIT, render_comment
from agentlab_ci.reports.comparison import fold_variants
from agentlab_ci.reports.comparison_log import comparison_lines
from agentlab_ci.reports.formatting import ASCII, TEXT
from agentlab_ci.reports.log import LogStyle, closing
from agentlab_ci.reports.matrix import MOST_COLUMNS, make_matrix
from agentlab_ci.reports.table import TABLE_HEAD, make_table
from agentlab_ci.reports.variants import MOST_VARIANTS_TOLD
from canned import AGENT, CANNED_REPORTS, compared
from factories import make_report, make_row
from github_markdown import to_html
from hostile import HOSTILE_TEXTS
from pages import LINKS, MARKER, RUN_URL
from runner_commands import find_commands

EVERY_KIND = (
    make_row("ppf", "a.b", variant="passed"),
    make_row("pff", "a.b", variant="failed"),
    make_row("pee", "a.b", variant="errors"),
    make_row("pc.", "a.b", variant="unfinished"),
    make_row("...", "a.b", variant="skipped", skipped="no"),
    make_row("p", "a.c", variant="passed"),
    make_row("f", "a.c", variant="failed", gate=False),
)
"""Two scenarios, of which the second is only on two of the variants."""


def comment(report: RunReport, *, limit: int = 65_000) -> str:
    return render_comment(report, marker=MARKER, links=LINKS, run_url=RUN_URL, limit=limit)


def test_the_matrix_of_the_log_is_aligned() -> None:
    lines = comparison_lines(EVERY_KIND, TEXT)
    assert lines[-3:] == [
        "scenario  needs   passed  failed  errors  unfinished  skipped",
        "a.b       2 of 3  ✓ 2/3   ✗ 1/3   ! 1/3   … 1/3       ○ skipped",
        "a.c       1 of 1  ✓ 1/1   ✗ 0/1",
    ]


def test_the_matrix_has_signs_that_any_terminal_can_show() -> None:
    lines = comparison_lines(EVERY_KIND, ASCII)
    assert lines[-2] == "a.b       2 of 3  + 2/3   x 1/3   ! 1/3   ~ 1/3       o skipped"
    assert "".join(closing(make_report(*EVERY_KIND), style=LogStyle(glyphs=ASCII))).isascii()


def test_a_variant_that_does_not_gate_says_so_over_its_column() -> None:
    (head, *_) = comparison_lines(compared("a.b", baseline="p", small="f"), TEXT)[-2:]
    assert head == "scenario  needs   baseline  small (does not gate)"
    assert make_table(compared("a.b", baseline="p", small="f")).head.splitlines() == [
        "| Scenario | Needs | `baseline` | `small`<br>does not gate |",
        "|:--|:--|:--|:--|",
    ]


def test_long_names_do_not_push_the_columns_away() -> None:
    row = make_row("p", "support." + "x" * 100, variant="v" * 100)
    (head, line) = comparison_lines([row], TEXT)[-2:]
    assert head == f"{'scenario':60}  needs   {'v' * 21}..."
    assert line.startswith(f"support.{'x' * 49}...  1 of 1  ")
    assert comparison_lines([row], TEXT)[1] == f"  {'v' * 100}: ", "its whole name stands in the list"


def test_what_every_variant_is_stands_above_the_matrix() -> None:
    lines = closing(CANNED_REPORTS["not_gating"], style=LogStyle(glyphs=TEXT))
    live = "agent shop assistant, prompt prompt-v3, model m-large, config live, config hash 0000000000000008"
    assert lines[:3] == [
        "variants of prompts:",
        f"  baseline: {live}",
        "  small: agent small shop, config hash 0000000000000005, does not gate",
    ]
    assert lines[-1].startswith("✓ "), "the verdict stays the last line"


def test_a_line_of_the_table_is_a_scenario_with_a_cell_for_each_variant() -> None:
    table = make_table(EVERY_KIND)
    first, second = (re.sub("\u00a0", " ", line) for line in table.lines)
    assert first == "| `a.b` | 2 of 3 | ✅ 2/3 | ❌ 1/3 | ⚠️ 1/3 | ⏳ 1/3 | ⏭️ skipped |"
    assert second == "| `a.c` | 1 of 1 | ✅ 1/1 | ❌ 0/1 |  |  |  |"
    assert table.below == {0, 1}
    assert table.notes == ("⏭️ 1 scenario skipped on `skipped`: `no`",)
    assert make_table(EVERY_KIND[5:6]).below == frozenset()


def test_scenarios_may_differ_in_what_they_need() -> None:
    imported = [make_row("ppp", "a.b", variant="old"), make_row("p", "a.b", variant="new")]
    matrix = make_matrix(imported)
    assert matrix is not None
    assert [line.needs for line in matrix.lines] == ["2 of 3 or 1 of 1"]


@pytest.mark.parametrize(
    "rows",
    [
        (),
        (make_row("p"),),
        (make_row("p", "a.b", variant="v"), make_row("p", "a.c")),  # imported: one is of no variant
        tuple(make_row("p", variant=f"v{n}") for n in range(MOST_COLUMNS + 1)),  # nobody reads so many columns
    ],
)
def test_what_is_no_matrix_is_a_table_with_a_line_for_each_row(rows: tuple[ScenarioResult, ...]) -> None:
    assert make_matrix(rows) is None
    assert make_table(rows).head == TABLE_HEAD
    assert len(make_table(rows).lines) == len(rows)
    assert not [line for line in comparison_lines(rows, TEXT) if line.startswith("scenario ")]


def test_many_variants_are_counted() -> None:
    rows = [make_row("p", variant=f"v{n}") for n in range(MOST_VARIANTS_TOLD + 5)]
    lines = comparison_lines(rows, TEXT)
    assert len(lines) == MOST_VARIANTS_TOLD + 2
    assert lines[-1] == "  and 5 more"
    fold = fold_variants(rows)
    assert fold is not None
    assert "And 5 more variants." in fold


def test_outside_of_a_variant_set_nothing_is_said_of_variants() -> None:
    assert comparison_lines([make_row("p")], TEXT) == []
    assert fold_variants([make_row("p")]) is None
    assert "variant" not in comment(make_report(make_row("p")))


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_hostile_variants_neither_add_nor_take_structure(text: str) -> None:
    rows = []
    for label in (text, f"{text} "):
        identity = VariantIdentity(
            variant_set_name=text,
            variant_label=label,
            prompt_version=text,
            model_version=text,
            tool_schema_version=text,
            config_label=text,
            config_hash=text or "-",
        )
        facts = {"variant": identity, "skipped": text or "no"}
        rows.append(make_row("...", "a.b", skipped="no").model_copy(update=facts))
    report = make_report(*rows)
    tags = re.findall(r"<(\w+)", to_html(comment(report)))
    assert {tag: tags.count(tag) for tag in ("table", "tr", "td", "th", "details", "summary", "h3", "sub")} == {
        "table": 2,
        "tr": 2 + 3,
        "td": 4 + 2 * (5 if text else 1) + 2,
        "th": 4 + (6 if text else 2),
        "details": 1,
        "summary": 1,
        "h3": 1,
        "sub": 1,
    }
    assert find_commands("\n".join(closing(report, style=LogStyle(glyphs=TEXT)))) == []


@given(
    st.lists(st.sampled_from(["ppp", "fff", "pfp", "eee", "..."]), min_size=1, max_size=30),
    st.integers(1, MOST_COLUMNS),
    st.integers(6_000, 20_000),
)
@settings(derandomize=True, deadline=None, max_examples=60)
def test_lines_of_the_matrix_are_whole_or_counted(outcomes: list[str], variants: int, limit: int) -> None:
    rows = [
        make_row(text, f"support.{number}", variant=f"v{column}", skipped="no" if text == "..." else None)
        for number, text in enumerate(outcomes)
        for column in range(variants)
    ]
    page = comment(make_report(*rows), limit=limit)
    assert len(page) <= limit
    table = make_table(rows, LINKS)
    there = [index for index, line in enumerate(table.lines) if f"\n{line}\n" in page]
    assert len(re.findall(r"^\| \[", page, re.MULTILINE)) == len(there)
    left = len(table.lines) - len(there)
    below = len(table.below - set(there))
    said = re.search(r"(\d+) scenarios? (?:is|are) left out of this table, (\d+) of them below", page)
    assert (left, below) == ((int(said[1]), int(said[2])) if said else (0, 0))


@pytest.mark.parametrize("filling", ["\x00", "`", "|", "\\|", "<", "\u200b", "🙂", "é", "x"])
@pytest.mark.parametrize("variants", [MOST_COLUMNS, 3 * MOST_COLUMNS])
def test_no_names_leave_a_page_no_room_for_its_verdict(filling: str, variants: int) -> None:
    """Everything that a page always shows, all of it as long as it gets."""
    name = filling * 300
    rows = []
    for number in range(4 * variants):
        outcomes, gate = [("fff", True), ("eee", True), ("p..", True), ("fffff", False)][number % 4]
        identity = VariantIdentity(
            variant_set_name=name,
            variant_label=f"{number // 4 % variants}{name}",
            prompt_version=name,
            model_version=name,
            tool_schema_version=name,
            config_label=name,
            config_hash=name,
        )
        agent = AGENT.model_copy(update={"name": f"{number % 9}{name}", "label": name})
        row = make_row(outcomes, f"{number}{name}", gate=gate, agent=agent)
        error = SampleError(message=name, status=429)
        samples = tuple(
            s.model_copy(update={"error": error, "given_up": number % 2 == 0, "started_at": "2026-04-07"})
            for s in row.samples
        )
        rows.append(row.model_copy(update={"variant": identity, "samples": samples}))
        skipped = {"variant": identity, "skipped": f"{number % 50}{name}"}
        rows.append(make_row("...", f"s{number}{name}", skipped="no").model_copy(update=skipped))
    report = make_report(*rows)
    bare = render_comment(report, marker=MARKER, links=LINKS, run_url=RUN_URL, title=name, limit=1)
    assert len(bare.encode("utf-16-le")) // 2 <= COMMENT_LIMIT - 15_000
    assert report.summary.exit_code == 1
