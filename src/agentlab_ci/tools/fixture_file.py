"""Reading a fixture: a JSON array of records that have the fields which its tools work with."""

import json
from pathlib import Path

from agentlab_ci.tools.builtin.kind import TYPE_NAMES, FixtureKind
from agentlab_ci.tools.builtin.table import Record
from agentlab_ci.tools.plain import NotPlainError, read_plain

MAX_BYTES = 16 << 20


class FixtureError(Exception):
    """The file cannot serve as the fixture. `line` and `column` count from 1, where a place is known."""

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


def read_records(path: Path, kind: FixtureKind) -> tuple[Record, ...]:
    """Return the records of a file. Raises FixtureError."""
    text = _read(path)
    try:
        data = read_plain(text)
    except json.JSONDecodeError as problem:
        raise FixtureError(f"is not JSON: {problem.msg}", line=problem.lineno, column=problem.colno) from None
    except NotPlainError as problem:
        raise FixtureError(f"is not JSON: {problem}") from None
    if not isinstance(data, list):
        raise FixtureError("must be a JSON array of records, `[{…}, …]`", line=1)
    for index, record in enumerate(data):
        wrong = _find_fault(record, kind)
        if wrong is not None:
            raise FixtureError(f"record {index + 1} {wrong}", line=_line_of(text, index))
    return tuple(data)


def _read(path: Path) -> str:
    try:
        if not path.is_file():
            raise FixtureError("cannot be read: it is not a file")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as problem:
        raise FixtureError(f"cannot be read: {problem.strerror}") from None
    if len(content) > MAX_BYTES:
        raise FixtureError(f"is larger than {MAX_BYTES >> 20} MB")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise FixtureError("is not UTF-8", line=content.count(b"\n", 0, problem.start) + 1) from None


def _find_fault(record: object, kind: FixtureKind) -> str | None:
    if not isinstance(record, dict):
        return "must be an object, `{…}`"
    for name, wanted in kind.fields.items():
        if name not in record:
            return f"lacks `{name}`"
        if not _is_a(record[name], wanted):
            return f"must have {TYPE_NAMES[wanted]} in `{name}`"
    return None


def _is_a(value: object, wanted: type) -> bool:
    if wanted is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, wanted)


def _line_of(text: str, index: int) -> int:
    """Return the line where an item of the array begins, counted from 1."""
    decoder = json.JSONDecoder()
    position = _skip_space(text, text.index("[") + 1)
    for _ in range(index):
        _, end = decoder.raw_decode(text, position)
        position = _skip_space(text, text.index(",", end) + 1)
    return text.count("\n", 0, position) + 1


def _skip_space(text: str, position: int) -> int:
    while text[position].isspace():
        position += 1
    return position
