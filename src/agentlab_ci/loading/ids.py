"""Ids written into the rows of list files that have none, as insertions into the text as it stands. Pure."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import yaml

from agentlab_ci.core.scenario import Scenario
from agentlab_ci.errors import Problem
from agentlab_ci.loading.scenarios import read_scenarios
from agentlab_ci.loading.wording import quoted
from agentlab_ci.loading.yaml_source import Document, read_yaml

_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_LINE_END = re.compile("\r\n|\r|\n")
_EXPLICIT_KEY = re.compile(r"\?[ \t]+\Z")
_BOM = b"\xef\xbb\xbf"
_ROWS = "scenarios"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewId:
    """The id of a row, and the line where the row stood before."""

    line: int
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """A file with its `new` ids and `ids` in all, or as it was and the problems for which it stays so."""

    content: bytes
    new: tuple[NewId, ...] = ()
    ids: frozenset[str] = frozenset()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _List:
    """A document that is a list of simulations, and each row's node in the text."""

    document: Document
    rows: Sequence[Mapping[str, object]]
    scenarios: Sequence[Scenario]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Edit:
    """Text to be written in place of a part, which is empty but where a row has an `id: null`."""

    start: int
    end: int
    text: str


def write_ids(raw: bytes, path: str, *, taken: Collection[str] = ()) -> Rewritten:
    """Give each row without an id the one that loading makes of its label, with a number where that is taken.

    All other bytes stay as they are. `taken` are the ids of other files; those of the file's other documents are
    taken too. The problems are those of loading, that the file has no list, and that ids cannot be inserted.
    """
    lists, problems = _read_lists(raw, path)
    if problems:
        return Rewritten(content=raw, problems=tuple(problems))
    text = raw.removeprefix(_BOM).decode()
    documents = filter(_find_rows, yaml.compose_all(text, Loader=_Loader))
    nodes = [row for node in documents for row in _find_rows(node)]
    rows = [row for listed in lists for row in listed.rows]
    scenarios = [scenario for listed in lists for scenario in listed.scenarios]
    ids = choose_ids(rows, scenarios, {*taken, *find_written_ids(raw, path)})
    edits = [
        _edit(text, node, id_) for row, node, id_ in zip(rows, nodes, ids, strict=True) if row.get("id") is None
    ]
    content = raw[: len(raw) - len(raw.removeprefix(_BOM))] + _apply(edits, text).encode()
    places = [listed.document.place((_ROWS, index)) for listed in lists for index in range(len(listed.rows))]
    new = [
        NewId(line=place.line, id=id_)
        for row, place, id_ in zip(rows, places, ids, strict=True)
        if row.get("id") is None
    ]
    if not _are_there(content, path, lists, ids):
        message = f"ids cannot be inserted as this is written: write them yourself, here `id: {new[0].id}`"
        return Rewritten(content=raw, problems=(Problem(path=path, line=new[0].line, message=message),))
    return Rewritten(content=content, new=tuple(new), ids=frozenset(ids))


def find_written_ids(raw: bytes, path: str) -> frozenset[str]:
    """Return the ids that stand in a file, of scenarios of every type, and none that loading makes.

    What is not valid counts as far as it can be read.
    """
    given = (document.data for document in read_yaml(raw, path).documents if isinstance(document.data, Mapping))
    rows = (row for data in given for row in (data[_ROWS] if isinstance(data.get(_ROWS), list) else [data]))
    ids = (row.get("id") for row in rows if isinstance(row, Mapping))
    return frozenset(id_ for id_ in ids if isinstance(id_, str))


def _read_lists(raw: bytes, path: str) -> tuple[list[_List], list[Problem]]:
    file = read_yaml(raw, path)
    problems = list(file.problems)
    lists = []
    for document in file.documents:
        scenarios, found = read_scenarios(document)
        problems += found
        rows = document.data.get(_ROWS) if isinstance(document.data, Mapping) else None
        if isinstance(rows, list):
            lists.append(_List(document=document, rows=rows, scenarios=scenarios))
    if not any(isinstance(it.data, Mapping) and _ROWS in it.data for it in file.documents):
        problems = list(file.problems)  # what else it may be is no matter
    if not lists and not problems:
        message = f"has no list of simulations ({quoted(_ROWS + ':')}): other scenarios have ids anyway"
        problems.append(Problem(path=path, line=1, column=1, message=message))
    return lists, problems


def _find_rows(document: yaml.Node) -> list[yaml.MappingNode]:
    """Return the nodes of the rows, none of a document that is no list."""
    pairs = document.value if isinstance(document, yaml.MappingNode) else []
    return next((value.value for key, value in pairs if key.value == _ROWS), [])


def choose_ids(
    rows: Sequence[Mapping[str, object]], scenarios: Sequence[Scenario], taken: Collection[str]
) -> list[str]:
    """Return the id of each row, with a number where the one that loading makes is `taken`."""
    used, numbers = set(taken), Counter[str]()
    ids = []
    for row, scenario in zip(rows, scenarios, strict=True):
        id_ = scenario.id
        while id_ in used and not row.get("id"):
            numbers[scenario.id] += 1
            id_ = scenario.id if numbers[scenario.id] == 1 else f"{scenario.id}-{numbers[scenario.id]}"
        used.add(id_)
        ids.append(id_)
    return ids


def _edit(text: str, row: yaml.MappingNode, id_: str) -> _Edit:
    """Return how the id gets into a row: before its first key, or as the value of an `id` that has none."""
    value = _write_value(id_)
    key, empty = next(((key, node) for key, node in row.value if key.value == "id"), (None, None))
    if key is not None and empty is not None:
        start, end = empty.start_mark.index, empty.end_mark.index
        value = f'"{id_}"' if key.style == '"' else value  # the file may be JSON
        return _Edit(start=start, end=end, text=value if end > start or text[start - 1] == " " else f" {value}")
    first = row.value[0][0]
    start, column = first.start_mark.index, first.start_mark.column
    entry = f'"id": "{id_}"' if first.style == '"' else f"id: {value}"
    if row.flow_style:
        return _Edit(start=start, end=start, text=f"{entry}, ")
    explicit = _EXPLICIT_KEY.search(text, start - column, start)
    indent = explicit.start() - (start - column) if explicit else column
    line_end = _LINE_END.search(text)
    start += indent - column
    return _Edit(start=start, end=start, text=f"{entry}{line_end[0] if line_end else chr(10)}{' ' * indent}")


def _write_value(id_: str) -> str:
    """Write an id so that YAML reads it as text: `2024.5` would be a number."""
    node = yaml.compose(id_, Loader=_Loader)
    return id_ if isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:str" else f'"{id_}"'


def _apply(edits: Sequence[_Edit], text: str) -> str:
    pieces, done = [], 0
    for edit in edits:
        pieces += [text[done : edit.start], edit.text]
        done = edit.end
    return "".join([*pieces, text[done:]])


def _are_there(content: bytes, path: str, lists: Sequence[_List], ids: Sequence[str]) -> bool:
    """Tell whether the new text holds the same scenarios as before, each with its id written down."""
    found, problems = _read_lists(content, path)
    rows = [row for listed in found for row in listed.rows]
    if problems or [row.get("id") for row in rows] != list(ids):
        return False
    before = [scenario for listed in lists for scenario in listed.scenarios]
    after = [scenario for listed in found for scenario in listed.scenarios]
    return all(replace(old, id=new.id, place=new.place) == new for old, new in zip(before, after, strict=True))
