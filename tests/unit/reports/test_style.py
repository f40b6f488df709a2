"""The stylesheet keeps the contrasts of WCAG 2.2 AA in both themes and on paper."""

import re

import pytest

from agentlab_ci.reports.templating import find_templates

STYLE = (find_templates() / "style.css").read_text(encoding="utf-8")
TEXTS = [
    *(("ink", ground) for ground in ("ground", "sunk")),
    *(("quiet", ground) for ground in ("ground", "sunk")),
    *(("link", ground) for ground in ("ground", "sunk")),
    *(
        (status, ground)
        for status in ("passed", "failed", "error")
        for ground in ("ground", "sunk", f"{status}-soft")
    ),
    *(("solid-ink", status) for status in ("failed", "error")),
]
"""Words, and what they stand on."""
SHAPES = [("edge", "ground"), ("passed", "ground"), ("failed", "ground"), ("error", "ground"), ("link", "ground")]


def themes() -> list[dict[str, str]]:
    """The colours of light, dark and paper."""
    blocks = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
    return [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6});", block)) for block in blocks]


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    channels = (int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_formula() -> None:
    assert contrast("#000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", range(3), ids=["light", "dark", "print"])
def test_contrasts(theme: int) -> None:
    assert len(themes()) == 3
    colours = themes()[theme]
    assert {pair: it for pair in TEXTS if (it := contrast(colours[pair[0]], colours[pair[1]])) < 4.5} == {}
    assert {pair: it for pair in SHAPES if (it := contrast(colours[pair[0]], colours[pair[1]])) < 3} == {}


def test_nothing_in_it_is_fetched() -> None:
    assert not re.search(r"@import|https?:|url\((?!#)", STYLE)
