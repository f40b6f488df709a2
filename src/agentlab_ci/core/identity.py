"""Hashes by which results are told comparable: what is asked and judged, not what it is called."""

import hashlib
import json
from dataclasses import fields, is_dataclass
from typing import Any

from pydantic import BaseModel

from agentlab_ci.core.config import RuntimeProfile
from agentlab_ci.core.scenario import Scenario


def hash_scenario(scenario: Scenario, profile: RuntimeProfile | None) -> str:
    """Return 16 hex digits over all that changes what a sample does or how it is judged, defaults filled in.

    Names, description, tags, difficulty, suite, sampling, agent and place are left out, so that a comment, the
    order of keys or another agent change nothing.
    """
    meaning = {
        "type": scenario.type,
        "body": scenario.body,
        "evaluators": scenario.evaluators,
        "system_prompt": scenario.system_prompt,
        "normalize": scenario.normalize,
        "setup_script": scenario.setup_script,
        "profile": profile.model_dump(mode="json", exclude={"name"}) if profile else None,
    }
    text = json.dumps(meaning, sort_keys=True, ensure_ascii=True, default=_plain)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _plain(value: object) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return str(value)
