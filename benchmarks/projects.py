"""A project to run."""

import json
from pathlib import Path

SCENARIO = """\
id: support.refund-{number:03}
name: Tell Where Refund {number} Is
suite: support
description: The desk says when the refund was sent and where it goes.
difficulty: easy
tags: [support, smoke]
type: conversation
steps:
  - role: user
    message: Hello, where is my refund for order A-1024?
    evaluators:
      - id: names-order-and-amount
        type: response_contains
        mode: hard_gate
        config:
          keywords: [A-1024, "42.50"]
      - id: names-a-day
        type: response_matches_regex
        mode: weighted
        config:
          pattern: '\\d+ March'
evaluators:
  - type: final_answer_contains
    mode: hard_gate
    config:
      keywords: [refund]
"""


def write_project(folder: Path, *, url: str, scenarios: int, samples: int, in_flight: int) -> Path:
    """Write a project of one-step conversations with an HTTP agent at `url`; a file for each scenario."""
    agent = {"name": "stub", "provider": "http", "url": url}
    config = {"agents": [agent], "concurrency": in_flight, "sampling": {"samples": samples}}
    (folder / "scenarios").mkdir(parents=True)
    # JSON is YAML.
    (folder / "agentlab.config.yaml").write_text(json.dumps(config), encoding="utf-8")
    for number in range(scenarios):
        path = folder / "scenarios" / f"refund-{number:03}.yaml"
        path.write_text(SCENARIO.format(number=number), encoding="utf-8")
    return folder
