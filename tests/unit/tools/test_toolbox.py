import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from agentlab_ci.core.config import CustomTool
from agentlab_ci.core.tool import CallOutcome, ToolSpec
from agentlab_ci.tools.input_schema import InputSchema
from agentlab_ci.tools.interface import ToolBrokenError, ToolContext, ToolFailedError
from agentlab_ci.tools.registry import BUILTIN_TOOLS
from agentlab_ci.tools.toolbox import CheckedTool, SampleToolbox
from tool_samples import opener

CONTEXT = ToolContext(scenario_id="a.b", sample=1)


class Scripted:
    """A tool that does as it is told."""

    def __init__(self, result: object) -> None:
        self.spec = ToolSpec(name="t", description="", input_schema={"type": "object"})
        self.result = result

    async def call(self, value: Any) -> Any:
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


def call(result: object, name: str = "shop.sell", value: dict[str, Any] | None = None) -> CallOutcome:
    tool = CheckedTool(tool=Scripted(result), schema=InputSchema({}))
    box = SampleToolbox({"shop.sell": tool}, mask=lambda text: text.replace("secret", "***"))
    return asyncio.run(box.call(name, value or {}))


def test_a_result_is_an_outcome_with_its_time() -> None:
    outcome = call([1])
    assert (outcome.name, outcome.output, outcome.error) == ("shop.sell", [1], None)
    assert outcome.duration_ms > 0


def test_a_failure_is_an_outcome_with_its_time() -> None:
    outcome = call(ToolFailedError("sold out"))
    assert (outcome.output, outcome.error) == (None, "sold out")
    assert outcome.duration_ms > 0


def test_a_broken_tool_is_named() -> None:
    with pytest.raises(ToolBrokenError, match=r"^tool `shop.sell`: no shop$"):
        call(ToolBrokenError("no shop"))


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("shop.sel", "there is no tool `shop.sel`; did you mean `shop.sell`?"),
        ("weather", "there is no tool `weather`; there is `shop.sell`"),
        ("", "there is no tool ``; there is `shop.sell`"),
    ],
)
def test_a_tool_that_is_not_allowed_is_refused_with_those_that_are(name: str, error: str) -> None:
    outcome = call([1], name=name)
    assert (outcome.name, outcome.output, outcome.error, outcome.duration_ms) == (name, None, error, 0.0)


def test_a_name_of_any_length_is_refused_at_once() -> None:
    started = time.thread_time()
    assert (call([1], name="x" * 4_000_000).error or "").startswith("there is no tool `xxx")
    assert time.thread_time() - started < 0.3


def test_input_that_no_tool_could_read_is_refused() -> None:
    assert call([1], value={"a": float("inf")}).error == "invalid input: it holds inf, which JSON cannot"
    assert call([1], value={"a": 10**400}).error == "invalid input: it holds a number that is too large"


def test_a_long_error_is_masked_before_it_is_cut() -> None:
    short = call(ToolFailedError("a secret"))
    assert short.error == "a secret"  # whoever writes it down masks it
    long = call(ToolFailedError("x" * 1997 + "secret" + "x" * 50))
    assert long.error == "x" * 1997 + "***…"


def test_an_agent_is_told_of_the_tools_in_the_order_of_the_scenario(tmp_path: Path) -> None:
    own = CustomTool(
        name="my.tool", command=("x",), description="Mine.", input_schema={"properties": {"q": {"type": "string"}}}
    )

    async def specs() -> tuple[ToolSpec, ...]:
        async with opener(tmp_path, [own])(("orders.refund", "my.tool", "crm.search_customer"), CONTEXT) as box:
            return box.specs

    refund, mine, search = asyncio.run(specs())
    assert (refund, search) == (BUILTIN_TOOLS["orders.refund"].spec, BUILTIN_TOOLS["crm.search_customer"].spec)
    assert mine == ToolSpec(
        name="my.tool",
        description="Mine.",
        input_schema={"properties": {"q": {"type": "string"}}, "additionalProperties": False},
    )


def test_only_what_is_allowed_can_be_called(tmp_path: Path) -> None:
    async def refund() -> CallOutcome:
        async with opener(tmp_path)(("orders.list",), CONTEXT) as box:
            return await box.call("orders.refund", {"order_id": "ord_1024"})

    assert asyncio.run(refund()).error == "there is no tool `orders.refund`; there is `orders.list`"


def test_a_scenario_may_allow_a_tool_twice(tmp_path: Path) -> None:
    async def names() -> list[str]:
        async with opener(tmp_path)(("orders.list", "orders.list"), CONTEXT) as box:
            return [spec.name for spec in box.specs]

    assert asyncio.run(names()) == ["orders.list"]
