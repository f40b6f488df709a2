"""Samples that call tools: the outcomes of a few calls, in one sample or in several at once."""

import asyncio
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from agentlab_ci.core.config import CustomTool
from agentlab_ci.core.tool import CallOutcome
from agentlab_ci.tools.interface import Toolbox, ToolboxOpener, ToolContext, ToolWorld
from agentlab_ci.tools.opening import make_toolbox_opener
from agentlab_ci.tools.registry import BUILTIN_TOOLS

Call = tuple[str, dict[str, Any]]

BUILTIN_CALLS: dict[str, dict[str, Any]] = {
    "crm.search_customer": {"email": "alice@example.com"},
    "orders.list": {"customer_id": "cus_100"},
    "orders.refund": {"order_id": "ord_1024"},
    "accounts.get_profile": {"customer_id": "cus_100"},
    "accounts.update_newsletter": {"customer_id": "cus_100", "subscribed": False},
    "subscriptions.cancel": {"customer_id": "cus_100"},
    "repo.list_files": {},
    "repo.read_file": {"path": "src/prices.py"},
    "repo.apply_patch": {"path": "src/prices.py", "replacement": "TAX = 0.2\n"},
    "docs.search": {"query": "refund"},
    "docs.read": {"doc_id": "doc_refunds"},
    "alerts.list_active": {},
    "logs.query_service": {"service": "checkout-api"},
    "status.get_service": {"service": "checkout-api"},
}
"""For each built-in tool an input that the shipped fixtures have a result for."""


def opener(
    project: Path, tools: Iterable[CustomTool] = (), environ: Mapping[str, str] | None = None
) -> ToolboxOpener:
    """Return what opens all of a project's tools, with this process's environment if none is given.

    The word `secret` is one.
    """
    world = ToolWorld(
        environ=os.environ if environ is None else environ,
        project=project,
        mask=lambda text: text.replace("secret", "***"),
    )
    return make_toolbox_opener(tools, world)


async def answer(box: Toolbox, calls: Iterable[Call]) -> list[CallOutcome]:
    """Make the calls one after the other."""
    return [await box.call(name, value) for name, value in calls]


def outcomes_of(
    project: Path,
    *calls: Call,
    tools: Iterable[CustomTool] = (),
    fixtures: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> list[CallOutcome]:
    """Return what one sample gets that may use the built-in tools and these, with fixtures of its own if given."""
    own = tuple(tools)

    async def sample() -> list[CallOutcome]:
        context = ToolContext(scenario_id="shop.refund", sample=2, fixtures=fixtures)
        names = (*BUILTIN_TOOLS, *(tool.name for tool in own))
        async with opener(project, own, environ)(names, context) as box:
            return await answer(box, calls)

    return asyncio.run(sample())
