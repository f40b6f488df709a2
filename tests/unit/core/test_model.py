"""The strict scalars and the two spellings of keys."""

from typing import Any

import pytest
from pydantic import ValidationError

from agentlab_ci.core.config import Config, CustomTool, SamplingConfig
from agentlab_ci.core.model import camel_case
from agentlab_ci.core.sampling import PassRate


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        (0.75, "0.75"),
        (0.1, "0.1"),  # the float is not a tenth, its text is
        (1, "1"),
        (1.0, "1.0"),
        ("0.750", "0.750"),
        (0.00001, "0.00001"),  # the float's own repr is 1e-05
        (0.8333333333333, "0.8333333333333"),
    ],
)
def test_a_rate_is_read_as_it_was_typed(typed: object, text: str) -> None:
    assert SamplingConfig.model_validate({"pass_rate": typed}).pass_rate == PassRate(text)


@pytest.mark.parametrize("typed", [0, 1.5, -1, True, "abc", float("nan"), float("inf"), []])
def test_what_is_no_rate_is_refused(typed: object) -> None:
    with pytest.raises(ValidationError) as refused:
        SamplingConfig.model_validate({"pass_rate": typed})
    assert [error["loc"][0] for error in refused.value.errors()] == ["pass_rate"]


def test_a_rate_is_written_as_text() -> None:
    chosen = SamplingConfig.model_validate({"pass_rate": 0.9})
    assert chosen.model_dump(mode="json")["pass_rate"] == "0.9"
    assert SamplingConfig.model_validate(chosen.model_dump()) == chosen


@pytest.mark.parametrize(
    ("name", "camel"), [("name", "name"), ("module_path", "modulePath"), ("turn_timeout_ms", "turnTimeoutMs")]
)
def test_camel_case(name: str, camel: str) -> None:
    assert camel_case(name) == camel


def test_both_spellings_of_a_key_mean_the_same() -> None:
    snake = {"name": "t", "module_path": "t.py", "export_name": "f", "input_schema": {"type": "object"}}
    camel = {"name": "t", "modulePath": "t.py", "exportName": "f", "inputSchema": {"type": "object"}}
    assert CustomTool.model_validate(snake) == CustomTool.model_validate(camel)


def test_one_key_in_both_spellings_is_refused() -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        CustomTool.model_validate({"name": "t", "module_path": "a.py", "modulePath": "b.py"})


@pytest.mark.parametrize(
    ("config", "place"),
    [
        ({"concurrency": 0}, ("concurrency",)),
        ({"concurrency": True}, ("concurrency",)),  # a bool is no number
        ({"concurrency": 8.0}, ("concurrency",)),
        ({"concurrency": "8"}, ("concurrency",)),  # nor is text
        ({"sample_timeout_seconds": 0}, ("sample_timeout_seconds",)),
        ({"sample_timeout_seconds": float("inf")}, ("sample_timeout_seconds",)),  # every wait ends
        ({"pass_score": 101}, ("pass_score",)),
        ({"redact": [False]}, ("redact", 0)),  # YAML's `no`
        ({"sampling": {"samples": 0}}, ("sampling", "samples")),
        ({"sampling": {"samples": 1001}}, ("sampling", "samples")),
        ({"sampling": {"error_retries": 11}}, ("sampling", "error_retries")),
        ({"agents": [{"name": "", "provider": "mock"}]}, ("agents", 0, "mock", "name")),
        ({"no_such": 1}, ("no_such",)),
    ],
)
def test_a_value_that_is_no_such_thing_is_refused_at_its_place(
    config: dict[str, Any], place: tuple[str | int, ...]
) -> None:
    with pytest.raises(ValidationError) as refused:
        Config.model_validate(config)
    assert [error["loc"] for error in refused.value.errors()] == [place]


def test_data_is_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Config().concurrency = 2  # type: ignore[misc]  # that it is refused is what is tested
