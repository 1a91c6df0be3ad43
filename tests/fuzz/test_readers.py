"""Readers of what others wrote: they accept an input, or refuse it in one line.

Hypothesis damages valid examples; ``corpus`` keeps what was found: each a traceback or worse.
10,000 inputs per reader: ``EVENMATCH_FUZZ=10000 python -m pytest tests/fuzz``.
"""

import bz2
import gzip
import io
import os
import shutil
import zipfile
from functools import cache
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

for package in ("google.protobuf", "torch"):
    pytest.importorskip(package, reason=f"{package} absent: pip install evenmatch[test,train]")

from readers import READERS, columns_of, parts, with_cell  # noqa: E402

from evenmatch.errors import EvenmatchError  # noqa: E402

CORPUS = Path(__file__).parent / "corpus"
FOUND = sorted(path for path in CORPUS.rglob("*") if path.is_file())
INPUTS = int(os.environ.get("EVENMATCH_FUZZ", "25"))  #: per reader
SLOW = {
    "uci", "gtp", "onnx", "card", "graph", "leela", "katago", "torch", "pickle", "ranges", "state",
}  # fmt: skip
MOST_LETTERS = 10_000  #: of a refusal, which may name a spec and a file
CELLS = (
    None, 0, -1, 2, 2**40, -(2**62), 1e308, float("inf"), "", "x", "é\u202e\x00", b"\xff\xfe",
    "[]", "{}", "null", "[[1]]", '{"a":1}', "[" * 3000, "1e999", "NaN", "chess", "go9", "even",
    "engine:cmd=true", "x" * 70_000, "KM[nan]", "AB[zz]", '{"games":"x"}',
)  # fmt: skip


def refused_in_one_line(take, data, folder):
    """Read an input; a refusal has to be one line that can be written."""
    folder.mkdir()
    try:
        take(data, folder)
    except EvenmatchError as error:
        text = str(error)
        assert 0 < len(text.strip()) <= len(text) <= MOST_LETTERS
        assert len(text.splitlines()) == 1
        assert not any(ord(letter) < 32 or ord(letter) == 127 for letter in text)
        text.encode()
    finally:
        shutil.rmtree(folder)


@cache
def examples_of(name):
    return tuple(READERS[name][1]())


@st.composite
def damaged(draw, examples):
    """Draw an example with parts cut, repeated or replaced."""
    data = draw(st.sampled_from(examples))
    for _ in range(draw(st.integers(0, 4))):
        other = draw(st.sampled_from(examples))
        begin, end = sorted(draw(st.integers(0, len(data))) for _ in range(2))
        first, last = sorted(draw(st.integers(0, len(other))) for _ in range(2))
        junk = draw(st.one_of(st.just(other[first:last]), st.binary(max_size=8)))
        data = data[:begin] + junk * draw(st.sampled_from((1, 1, 1, 50))) + data[end:]
    return data


@st.composite
def packed(draw, examples):
    """Draw a damaged example, compressed now and then, and cut short now and then."""
    data = draw(damaged(examples))
    pack = draw(st.sampled_from((bytes, bytes, bytes, gzip.compress, bz2.compress, _zstd)))
    whole = pack(data)
    return whole if draw(st.booleans()) else whole[: draw(st.integers(0, len(whole)))]


def _zstd(data):
    return zstandard.ZstdCompressor(1).compress(data)


@st.composite
def files(draw, examples):
    """Draw a file of a folder: its bytes, a cell of a database, or a member of an archive."""
    example = draw(st.sampled_from(examples))
    name, held = parts(example)
    if name.endswith(".sqlite") and draw(st.booleans()):
        table, column = draw(st.sampled_from(columns_of(held)))
        held = with_cell(held, table, column, draw(st.sampled_from(CELLS)))
    elif name.endswith((".npz", ".pt")) and draw(st.booleans()):
        held = _with_member(draw, held)
    else:
        held = draw(damaged((held,)))
    return name.encode() + b"\n" + held


def _with_member(draw, data):
    """Return an archive with one member damaged, and sums that fit."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        chosen = draw(st.sampled_from(old.namelist()))
        for name in old.namelist():
            member = old.read(name)
            new.writestr(name, draw(damaged((member,))) if name == chosen else member)
    return out.getvalue()


@pytest.mark.parametrize("name", READERS)
def test_damaged_inputs_are_read_or_refused(name, tmp_path):
    take, examples = READERS[name][0], examples_of(name)
    strategy = {"dataset": files, "state": files}.get(name, packed)
    if name in ("card", "graph", "ranges", "uci", "gtp"):
        strategy = damaged

    @settings(
        max_examples=max(INPUTS // 3, 1) if name in SLOW and INPUTS < 100 else INPUTS,
        deadline=None, derandomize=INPUTS < 100, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(strategy(examples))
    def check(data):
        refused_in_one_line(take, data, tmp_path / "input")

    check()


@pytest.mark.parametrize("name", READERS)
def test_examples_are_accepted(name, tmp_path):
    for at, data in enumerate(examples_of(name)):
        if name not in ("fen", "spec", "othello"):  # some of theirs are of other games
            folder = tmp_path / str(at)
            folder.mkdir()
            READERS[name][0](data, folder)


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}-{path.stem[:30]}")
def test_what_was_found_stays_mended(path, tmp_path):
    data = path.read_bytes()
    refused_in_one_line(
        READERS[path.parent.name][0],
        gzip.decompress(data) if path.suffix == ".gz" else data,
        tmp_path / "input",
    )
