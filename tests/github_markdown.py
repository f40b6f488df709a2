"""Markdown rendered by GitHub's own parser."""

import cmarkgfm  # type: ignore[import-untyped]  # it ships no type information

_RAW_HTML = 1 << 17


def to_html(markdown: str) -> str:
    """Render as GitHub does before it sanitizes: raw HTML is let through."""
    return str(cmarkgfm.github_flavored_markdown_to_html(markdown, _RAW_HTML))
