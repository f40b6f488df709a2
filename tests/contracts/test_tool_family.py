"""What every built-in tool holds: a new one is a row in its domain's module, its fixture, and one call."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from agentlab_ci.core.tool import CallOutcome
from agentlab_ci.tools.fixture_folder import SHIPPED
from agentlab_ci.tools.plain import to_plain
from agentlab_ci.tools.registry import BUILTIN_TOOLS, FIXTURE_OF, read_records
from hostile import HOSTILE_TEXTS
from tool_samples import BUILTIN_CALLS, outcomes_of


def test_every_tool_has_a_call_that_works() -> None:
    assert BUILTIN_CALLS.keys() == BUILTIN_TOOLS.keys()


@pytest.mark.parametrize("name", BUILTIN_TOOLS)
def test_a_tool_says_what_it_is(name: str) -> None:
    tool = BUILTIN_TOOLS[name]
    spec = tool.spec
    assert (spec.name, tool.name) == (name, name)
    assert spec.description.endswith(".")
    assert tool.returns
    jsonschema.Draft202012Validator.check_schema(dict(spec.input_schema))
    assert spec.input_schema["required"] == list(spec.input_schema["properties"])
    assert spec.input_schema["additionalProperties"] is False
    assert all(schema["description"].endswith(".") for schema in spec.input_schema["properties"].values())
    json.dumps(spec.input_schema)


@pytest.mark.parametrize("name", BUILTIN_TOOLS)
def test_a_tool_answers_with_plain_data(name: str, tmp_path: Path) -> None:
    (outcome,) = outcomes_of(tmp_path, (name, BUILTIN_CALLS[name]))
    assert outcome.error is None
    assert outcome.output
    assert to_plain(outcome.output) == outcome.output


@pytest.mark.parametrize("name", BUILTIN_TOOLS)
def test_a_tool_answers_whatever_it_is_given(name: str, tmp_path: Path) -> None:
    good = BUILTIN_CALLS[name]
    values: list[Any] = [*HOSTILE_TEXTS, None, 1e308, 10**400, float("nan"), ["\ud800"], {"a": {}}]
    odd: list[dict[str, Any]] = [dict.fromkeys(good, value) for value in values]
    odd += [{**good, text: text} for text in HOSTILE_TEXTS]
    odd += [{}, {"x" * 100_000: "y" * 100_000}]
    outcomes = outcomes_of(tmp_path, *((name, value) for value in odd))
    for outcome in outcomes:
        assert isinstance(outcome, CallOutcome)
        assert outcome.output is None or outcome.error is None
        assert len(outcome.error or "") < 2100
        json.dumps(outcome.output, allow_nan=False)
    assert {outcome.error is None for outcome in outcomes_of(tmp_path, (name, {**good, "surplus": 1}))} == {False}


@pytest.mark.parametrize("name", BUILTIN_TOOLS)
def test_a_tool_s_fixture_ships(name: str) -> None:
    records = read_records(SHIPPED.parent / FIXTURE_OF[name], BUILTIN_TOOLS[name].fixture)
    assert len(records) >= 3
    assert all(record.keys() == records[0].keys() for record in records)


def test_every_file_that_ships_is_read_by_a_tool_and_names_nobody() -> None:
    shipped = {f"fixtures/{path.relative_to(SHIPPED)}" for path in SHIPPED.rglob("*") if path.is_file()}
    assert shipped == set(FIXTURE_OF.values())
    texts = [path.read_text(encoding="utf-8") for path in SHIPPED.rglob("*.json")]
    assert all(text.count("@") == text.count("@example.com") for text in texts)


def test_records_refer_to_records_that_are_there() -> None:
    def values(path: str, field: str) -> list[str]:
        return [record[field] for record in json.loads((SHIPPED / path).read_text(encoding="utf-8"))]

    customers = values("support/customers.json", "id")
    for path in ("support/orders.json", "support/accounts.json", "support/subscriptions.json"):
        assert set(values(path, "customer_id")) <= set(customers)
    services = values("ops/status.json", "service")
    assert set(values("ops/alerts.json", "service")) == set(values("ops/logs.json", "service")) == set(services)
    for ids in (customers, services, values("support/orders.json", "id"), values("research/documents.json", "id")):
        assert len(set(ids)) == len(ids)
