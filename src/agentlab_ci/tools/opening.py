"""Opening tools for samples: what they share is read and made ready once for a run, on first use."""

from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from functools import cache
from typing import TYPE_CHECKING

from agentlab_ci.core.config import CustomTool
from agentlab_ci.tools.interface import Toolbox, ToolboxOpener, ToolContext, ToolWorld

if TYPE_CHECKING:
    from agentlab_ci.tools.shop import Shop


def make_toolbox_opener(tools: Iterable[CustomTool], world: ToolWorld) -> ToolboxOpener:
    """Return the function that opens built-in tools and the project's own ones for a sample.

    Each name that it is given must be a tool's. Tools of the project's own start a process when they are called.
    """

    @cache
    def open_shop() -> "Shop":
        from agentlab_ci.tools.shop import Shop  # noqa: PLC0415 - only tasks have tools

        return Shop(tools, world)

    def open_toolbox(names: tuple[str, ...], context: ToolContext) -> AbstractAsyncContextManager[Toolbox]:
        return open_shop().open_toolbox(names, context)

    return open_toolbox
