"""In which month the games of a dataset were played, as the files say that it was built from.

A dataset keeps the year alone.
"""

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import RecordError, UsageError
from evenmatch.records.streams import Stream
from evenmatch.workshop.datasets.dataset import Dataset

DAYS = 365.25 / 12  #: of a month
TAG = re.compile(rb'\[(?:UTC)?Date "([^"]*)"')  #: of PGN


def month_of(date: str) -> int:
    """Return the number of a date's month, such as of 2022.09.??; 0 if it has none."""
    found = re.match(r"(\d{4})[.-](\d\d)", date)
    return 12 * int(found[1]) + int(found[2]) if found else 0


def months_of(dataset: Dataset) -> NDArray[np.int64]:
    """Return the number of the month of each game, [G]; 0 where none is known, as in all but PGN.

    UsageError if a file that the dataset was built from cannot be read.
    """
    months = np.zeros(len(dataset), np.int64)
    if dataset.codec.game.id != "chess":
        return months
    for number, source in enumerate(dataset.facts["sources"]):
        own = np.flatnonzero(dataset.games["source"] == number)
        begins = dataset.games["line"][own].astype(np.int64)
        order = np.argsort(begins, kind="stable")
        months[own[order]] = _of_games(*_dated_lines(Path(source["file"])), begins[order])
    return months


def _dated_lines(path: Path) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers of the lines with a month, from 1, and the months."""
    found, number, rest = [], 0, b""
    try:
        with Stream(path) as stream:
            while block := stream.read(1 << 20):
                *lines, rest = (rest + block).split(b"\n")
                tags = ((n, TAG.match(line)) for n, line in enumerate(lines, number + 1))
                told = ((n, month_of(tag[1].decode("latin-1"))) for n, tag in tags if tag)
                found += [(n, month) for n, month in told if month]
                number += len(lines)
    except (OSError, RecordError) as error:
        raise UsageError(f"the dataset's source cannot be read; build it again ({error})") from None
    table = np.array(found, np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _of_games(
    lines: NDArray[np.int64], months: NDArray[np.int64], begins: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the month that stands between each game's first line and the next game's."""
    ends = np.append(begins[1:], np.iinfo(np.int64).max)
    at = np.searchsorted(lines, begins)
    known = at < len(lines)
    known[known] = lines[at[known]] < ends[known]
    return np.where(known, np.append(months, 0)[at], 0)
