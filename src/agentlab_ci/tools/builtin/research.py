"""Documents to search and to read."""

from typing import Any

from agentlab_ci.tools.builtin.kind import BuiltinTool, FixtureKind, text
from agentlab_ci.tools.builtin.table import Record, Table
from agentlab_ci.tools.interface import ToolFailedError

_DOCUMENTS = FixtureKind(path="research/documents.json", fields={"id": str, "title": str, "content": str})


def _search(documents: Table, value: Record) -> Any:
    query = value["query"].casefold()
    found = documents.select(lambda it: query in it["title"].casefold() or query in it["content"].casefold())
    return [{"id": document["id"], "title": document["title"]} for document in found]


def _read(documents: Table, value: Record) -> Any:
    found = documents.where(id=value["doc_id"])
    if not found:
        raise ToolFailedError(f"there is no document {value['doc_id']}")
    return found[0]


KINDS: tuple[BuiltinTool, ...] = (
    BuiltinTool(
        name="docs.search",
        description="Find documents whose title or content holds a text, in any case.",
        arguments={"query": text("The text to look for.")},
        returns="a list of `{id, title}`, empty when there are none",
        fixture=_DOCUMENTS,
        act=_search,
    ),
    BuiltinTool(
        name="docs.read",
        description="Read a document.",
        arguments={"doc_id": text("The id of the document, as docs.search returns it.")},
        returns="the document",
        fixture=_DOCUMENTS,
        act=_read,
    ),
)
