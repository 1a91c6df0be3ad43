"""What fuzzers found, made small, comes to the doors again; each was a traceback or worse.

The longest games of PGN took seconds; a checkpoint ran what it held.
"""

import gzip
from pathlib import Path

import pytest

from evenmatch_lab.fuzz.door import RIGHT, judged
from evenmatch_lab.fuzz.doors import doors

CORPUS = Path(__file__).parent / "corpus"
FOUND = sorted(path for path in CORPUS.rglob("*") if path.is_file())


def name_of(path: Path) -> str:
    return str(path.relative_to(CORPUS))


def test_the_corpus_is_of_doors_that_there_are():
    assert {path.parent.name for path in FOUND} <= doors().keys()


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """Return what opens a door, once each."""
    open_doors = {}

    def opening(name):
        if name not in open_doors:
            folder = tmp_path_factory.mktemp(name)
            open_doors[name] = doors()[name].opened(folder)
        return open_doors[name]

    return opening


@pytest.mark.parametrize("path", FOUND, ids=name_of)
def test_what_was_found_is_mended(path, opened):
    data = path.read_bytes()
    if path.suffix == ".gz":  # to keep it small
        data = gzip.decompress(data)
    verdict = judged(opened(path.parent.name), data)
    assert verdict.kind in (*RIGHT, "slow"), verdict.told  # what takes long is for a quiet machine
