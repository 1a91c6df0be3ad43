"""A table as plain rows, for whatever draws it."""

from collections.abc import Sequence
from typing import NamedTuple


class PlainTable(NamedTuple):
    """A table: a title, which may be empty, heads of columns, and rows of cells."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold nothing but numbers."""
        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(self.heads)
        return [all(map(_is_number, column)) for column in columns]


def _is_number(cell: str) -> bool:
    return cell.removesuffix("%").replace(".", "", 1).isdigit()
