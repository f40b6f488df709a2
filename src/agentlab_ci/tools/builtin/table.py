"""A fixture's records as one sample sees them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Record = Mapping[str, Any]


class Table:
    """The records in the order of the file. Samples share them, so a record is replaced and never changed."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = list(records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records)

    def where(self, **fields: object) -> list[Record]:
        """Return the records that have all these values."""
        return self.select(lambda record: all(record[name] == value for name, value in fields.items()))

    def select(self, wanted: Callable[[Record], bool]) -> list[Record]:
        """Return the records that are wanted."""
        return [record for record in self._records if wanted(record)]

    def change(self, record: Record, **fields: object) -> Record:
        """Put a record with these values in the place of one of the table's own, and return it."""
        place = next(index for index, own in enumerate(self._records) if own is record)
        self._records[place] = {**record, **fields}
        return self._records[place]
