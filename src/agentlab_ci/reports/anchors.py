"""Addresses within the HTML report: of a scenario and of each of its samples."""

from urllib.parse import quote

from agentlab_ci.core.results import ScenarioResult


def anchor_of(row: ScenarioResult, sample: int | None = None) -> str:
    """Return a fragment that is an element's id too: `s=support.cancel&v=candidate&n=2`.

    Percent-encoded, so that different ids never have the same one, whatever they hold.
    """
    variant, scenario_id = row.key
    parts = [f"s={_encode(scenario_id)}"]
    parts += [] if variant is None else [f"v={_encode(variant)}"]
    parts += [] if sample is None else [f"n={sample}"]
    return "&".join(parts)


def _encode(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="")
