"""A comparison in each format that it can be printed in, as lines."""

from agentlab_ci.core.compare_batches import BatchComparison
from agentlab_ci.core.compare_runs import RunComparison
from agentlab_ci.core.formats import CompareFormat
from agentlab_ci.reports.compare_json import render_batch_comparison, render_run_comparison
from agentlab_ci.reports.compare_markdown import batch_comparison_page, run_comparison_page
from agentlab_ci.reports.compare_text import batch_comparison_lines, run_comparison_lines
from agentlab_ci.reports.formatting import Glyphs


def show_batch_comparison(comparison: BatchComparison, output: CompareFormat, glyphs: Glyphs) -> list[str]:
    """Return the lines of a comparison of batches; `glyphs` are for text only."""
    match output:
        case CompareFormat.TEXT:
            return batch_comparison_lines(comparison, glyphs)
        case CompareFormat.MARKDOWN:
            return batch_comparison_page(comparison).splitlines()
        case CompareFormat.JSON:
            return render_batch_comparison(comparison).splitlines()


def show_run_comparison(comparison: RunComparison, output: CompareFormat, glyphs: Glyphs) -> list[str]:
    """Return the lines of a comparison of runs; `glyphs` are for text only."""
    match output:
        case CompareFormat.TEXT:
            return run_comparison_lines(comparison, glyphs)
        case CompareFormat.MARKDOWN:
            return run_comparison_page(comparison).splitlines()
        case CompareFormat.JSON:
            return render_run_comparison(comparison).splitlines()
