"""Pass rates as they were typed: YAML makes the same number of `0.1` and of `1_0.0e-2`."""

from collections.abc import Mapping
from dataclasses import replace

from agentlab_ci.loading.yaml_source import Document


def with_typed_rate(document: Document) -> Document:
    """Return the document with the text of its `sampling.pass_rate` where YAML made a number of it."""
    data = document.data
    sampling = data.get("sampling") if isinstance(data, Mapping) else None
    if not isinstance(data, Mapping) or not isinstance(sampling, Mapping):
        return document
    typed = {
        key: document.written["sampling", key]
        for key in ("pass_rate", "passRate")
        if isinstance(sampling.get(key), int | float) and not isinstance(sampling[key], bool)
    }
    return replace(document, data={**data, "sampling": {**sampling, **typed}})
