"""YAML text to plain data that knows where each of its keys stands.

Two passes: events first, so that depth, aliases and size are bounded before anything recurses, then nodes, which
are built into plain data here. Keys are text as written. Dates and `12:30` stay text too: YAML 1.1 would make a
date and the number 750 of them, and JSON, which agents get, has neither.
"""

import math
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from agentlab_ci.core.scenario import Place
from agentlab_ci.errors import Problem
from agentlab_ci.loading.wording import printable, quoted

Loc = tuple[str | int, ...]
"""The way to a value: keys and indexes from the top of its document."""

MAX_BYTES = 1 << 20
MAX_DEPTH = 40
MAX_ALIASES = 100
MAX_NODES = 100_000

_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_TEXT_KINDS = frozenset({"str", "timestamp", "value", "merge"})
_KIND_NAMES = {"int": "a whole number", "float": "a number", "bool": "true or false", "null": "nothing"}
_NOT_YAML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_INDENT = re.compile("(?:^|[\n\r\x85\u2028\u2029])( *)")
"""At every line break that YAML knows."""
_DASH = re.compile(r"-(?!\S)")
_SHORT = MAX_NODES // 4
"""Characters of a text that cannot hold too many values: one that is left out still needs its dash or colon."""
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A YAML document: `marks` has line and column of each key and item, `written` each scalar that is no text."""

    path: str
    data: object
    marks: Mapping[Loc, tuple[int, int]]
    written: Mapping[Loc, str]

    def place(self, loc: Loc) -> Place:
        """Return where the key or item stands, or the nearest thing around it."""
        while loc not in self.marks and loc:
            loc = loc[:-1]
        line, column = self.marks[loc]
        return Place(path=self.path, line=line, column=column)

    def problem(self, loc: Loc, message: str, *, where: Loc | None = None) -> Problem:
        """Return the problem at a key; `where` names another one than `loc`, such as its parent."""
        place = self.place(loc)
        shown = format_loc(loc if where is None else where)
        return Problem(path=self.path, line=place.line, column=place.column, where=shown, message=message)


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlFile:
    """What a file holds. A document that has problems of its own is still given, as far as it can be read."""

    documents: tuple[Document, ...] = ()
    problems: tuple[Problem, ...] = ()


class _UnreadableError(Exception):
    """The rest of the file cannot be read."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def format_loc(loc: Loc) -> str:
    """Return `steps[0].message` for `("steps", 0, "message")`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{printable(part)}" for part in loc)
    return text.removeprefix(".")


def read_yaml(raw: bytes, path: str) -> YamlFile:
    """Read the bytes of a file that messages call `path`. Never raises for what stands in the file."""
    reader = _Reader(path)
    try:
        text = _decode(raw, path)
        _check_bounds(text, path)
        documents = tuple(reader.documents(text))
    except _UnreadableError as stop:
        return YamlFile(problems=(*reader.problems, stop.problem))
    except yaml.YAMLError as error:
        return YamlFile(problems=(*reader.problems, _syntax_problem(error, text, path)))
    filled = tuple(document for document in documents if document.data is not None)
    if not filled:
        reader.problems.append(Problem(path=path, line=1, column=1, message="the file is empty"))
    return YamlFile(documents=filled, problems=tuple(reader.problems))


def _decode(raw: bytes, path: str) -> str:
    if len(raw) > MAX_BYTES:
        raise _UnreadableError(Problem(path=path, message="the file is larger than 1 MB"))
    raw = raw.removeprefix(_BOM)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = _position(raw[: error.start].decode("utf-8"))
        message = f"the byte 0x{raw[error.start]:02x} is not UTF-8: save the file as UTF-8"
        raise _UnreadableError(Problem(path=path, line=line, column=column, message=message)) from None
    illegal = _NOT_YAML.search(text)
    if illegal is not None:
        line, column = _position(text[: illegal.start()])
        message = f"the control character {quoted(illegal[0])} is not allowed in YAML"
        raise _UnreadableError(Problem(path=path, line=line, column=column, message=message))
    return text


def _position(before: str) -> tuple[int, int]:
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def bound_depth(text: str) -> int:
    """Return a depth that the YAML of a text cannot exceed, from its characters alone.

    A bracket opens a collection, and a pair in it may be another one. A dash, which white space follows, opens a
    sequence, and a mapping may begin beside it, as beside a `?`. Every other mapping begins a line, further in
    than those around it.
    """
    indents = {len(indent) for indent in _INDENT.findall(text)}
    flow = 2 * (text.count("[") + text.count("{"))
    return flow + 2 * len(_DASH.findall(text)) + text.count("?") + len(indents) + 2


def _check_bounds(text: str, path: str) -> None:
    if len(text) < _SHORT and "*" not in text and bound_depth(text) <= MAX_DEPTH:
        return  # as nearly every file: reading the events takes a third of its time
    depth = nodes = aliases = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.ScalarEvent):
            nodes += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            nodes += 1
        elif isinstance(event, yaml.AliasEvent):
            aliases += 1
        if depth > MAX_DEPTH:
            raise _stop(path, event.start_mark, f"nested deeper than {MAX_DEPTH} levels")
        if aliases > MAX_ALIASES:
            raise _stop(path, event.start_mark, f"more than {MAX_ALIASES} aliases")
        if nodes > MAX_NODES:
            raise _stop(path, event.start_mark, f"more than {MAX_NODES:,} values")


def _stop(path: str, mark: Any, message: str) -> _UnreadableError:
    return _UnreadableError(Problem(path=path, line=mark.line + 1, column=mark.column + 1, message=message))


def _syntax_problem(error: yaml.YAMLError, text: str, path: str) -> Problem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    what = getattr(error, "problem", None) or "it cannot be read"
    if mark is None:
        return Problem(path=path, line=1, column=1, message=f"not valid YAML: {printable(what)}")
    lines = text.split("\n")
    line = lines[mark.line] if mark.line < len(lines) else ""
    if line[mark.column : mark.column + 1] == "\t":
        what = "a tab cannot indent: use spaces"
    elif "mapping values are not allowed" in what:
        what = f"{what}: text that holds `: ` wants quotes around it"
    return Problem(
        path=path, line=mark.line + 1, column=mark.column + 1, message=f"not valid YAML: {printable(what)}"
    )


class _Reader:
    """Builds the documents of one file; `problems` grows as they are built."""

    def __init__(self, path: str) -> None:
        self.problems: list[Problem] = []
        self._path = path
        self._nodes = 0
        self._open: set[int] = set()
        self._marks: dict[Loc, tuple[int, int]] = {}
        self._written: dict[Loc, str] = {}

    def documents(self, text: str) -> Iterator[Document]:
        """Yield each document. Raises YAMLError and _UnreadableError."""
        self._loader = _Loader(text)
        try:
            while self._loader.check_node():
                yield self._document(self._loader.get_node())
        finally:
            self._loader.dispose()

    def _document(self, node: Any) -> Document:
        self._marks, self._written = {(): _mark(node)}, {}
        data = self._value(node, ())
        return Document(path=self._path, data=data, marks=self._marks, written=self._written)

    def _value(self, node: yaml.Node, loc: Loc) -> object:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise _stop(self._path, node.start_mark, f"more than {MAX_NODES:,} values, aliases counted in full")
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, loc)
        if id(node) in self._open:
            raise _stop(self._path, node.start_mark, "an alias contains itself")
        self._open.add(id(node))
        data = self._mapping(node, loc) if isinstance(node, yaml.MappingNode) else self._sequence(node, loc)
        self._open.remove(id(node))
        return data

    def _mapping(self, node: yaml.MappingNode, loc: Loc) -> dict[str, object]:
        self._check_tag(node, "map", loc)
        data: dict[str, object] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                message = "a key must be plain text; quote a value such as `{{message}}`"
                self._add(_mark(key_node), loc, message)
                continue
            key = key_node.value
            here = (*loc, key)
            if key_node.tag == _TAG + "merge":
                self._add(_mark(key_node), loc, "merge keys (`<<`) are not supported: write the keys out")
            elif key in data:
                first = self._marks[here][0]
                message = f"the key {quoted(key)} stands here twice, first in line {first}"
                self._add(_mark(key_node), loc, message)
            else:
                self._marks[here] = _mark(key_node)
                data[key] = self._value(value_node, here)
        return data

    def _sequence(self, node: yaml.Node, loc: Loc) -> list[object]:
        self._check_tag(node, "seq", loc)
        items = []
        for index, item in enumerate(node.value):
            here = (*loc, index)
            self._marks[here] = _mark(item)
            items.append(self._value(item, here))
        return items

    def _scalar(self, node: yaml.ScalarNode, loc: Loc) -> object:
        text: str = node.value
        kind = node.tag.removeprefix(_TAG)
        if kind in _TEXT_KINDS or (":" in text and kind in {"int", "float"}):
            return text
        if kind not in _KIND_NAMES:
            self._add(self._marks[loc], loc, f"the tag {quoted(node.tag)} is not supported")
            return None
        self._written[loc] = text
        try:
            value: object = self._loader.construct_object(node)
        except (yaml.YAMLError, ValueError):
            self._add(self._marks[loc], loc, f"{quoted(text)} cannot be read as {_KIND_NAMES[kind]}")
            return None
        if isinstance(value, float) and not math.isfinite(value):
            self._add(self._marks[loc], loc, f"{quoted(text)} is not a finite number")
        if isinstance(value, int) and abs(value) > sys.float_info.max:
            self._add(self._marks[loc], loc, f"{quoted(text)} is too large a number")
            return None
        return value

    def _check_tag(self, node: yaml.Node, kind: str, loc: Loc) -> None:
        if node.tag != _TAG + kind:
            self._add(self._marks[loc], loc, f"the tag {quoted(node.tag)} is not supported")

    def _add(self, mark: tuple[int, int], loc: Loc, message: str) -> None:
        line, column = mark
        self.problems.append(
            Problem(path=self._path, line=line, column=column, where=format_loc(loc), message=message)
        )


def _mark(node: yaml.Node) -> tuple[int, int]:
    mark = node.start_mark
    return mark.line + 1, mark.column + 1
