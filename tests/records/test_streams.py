"""Streams: every compression gives the same bytes; what is wrong with a file is said in a line."""

import bz2
import gzip
import io
import random
from pathlib import Path

import pytest
import zstandard

from evenmatch.errors import RecordError
from evenmatch.records.streams import Stream

TEXT = b'[Event "x"]\n\n1. e4 e5 1-0\n\n' * 20_000 + random.Random(1).randbytes(200_000)
PACKED = {
    "pgn": TEXT,
    "pgn.zst": zstandard.ZstdCompressor(write_checksum=True).compress(TEXT),
    "pgn.gz": gzip.compress(TEXT),
    "pgn.bz2": bz2.compress(TEXT),
}
COMPRESSED = [name for name in PACKED if name != "pgn"]


def whole(path, size=100_000):
    with Stream(path) as stream:
        parts = []
        while part := stream.read(size):
            parts.append(part)
        assert stream.done == stream.size
    return b"".join(parts), [len(part) for part in parts]


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("size", [100_000, 77_777, 10_000_000])
def test_bytes_are_those_that_were_packed(name, size, pgn):
    text, sizes = whole(pgn(PACKED[name], f"a.{name}"), size)
    assert text == TEXT
    assert set(sizes[:-1]) <= {size}  # only the last read may be short


@pytest.mark.parametrize("name", PACKED)
def test_compression_is_told_by_the_first_bytes(name, pgn):
    assert whole(pgn(PACKED[name], "a.pgn"))[0] == TEXT


@pytest.mark.parametrize(("name", "pack"), [
    ("zst", zstandard.compress), ("gz", gzip.compress), ("bz2", bz2.compress)
])  # fmt: skip
def test_frames_may_follow_each_other(name, pack, pgn):
    assert whole(pgn(pack(b"one ") + pack(b"two"), f"a.{name}"))[0] == b"one two"


@pytest.mark.parametrize("name", COMPRESSED)
@pytest.mark.parametrize("share", [0.3, 0.9, 0.999])
def test_truncated(name, share, pgn):
    packed = PACKED[name]
    path = pgn(packed[: int(share * len(packed))], f"a.{name}")
    with pytest.raises(RecordError, match=r"ends early; download it again$"):
        whole(path)


@pytest.mark.parametrize("name", COMPRESSED)
def test_damaged(name, pgn):
    packed = bytearray(PACKED[name])
    middle = len(packed) // 2
    packed[middle : middle + 2000] = bytes(2000)
    with pytest.raises(RecordError, match=r"damaged; download|ends early; download"):
        whole(pgn(bytes(packed), f"a.{name}"))


@pytest.mark.parametrize("name", ["zst", "gz", "bz2"])
def test_not_what_its_name_says(name, pgn):
    with pytest.raises(RecordError, match=f"is no .{name} file; rename it"):
        Stream(pgn("1. e4 e5 1-0", f"a.{name}"))


class Trickle(io.RawIOBase):
    """A pipe that gives one byte at a time at first."""

    def __init__(self, data):
        self._data, self._at = data, 0

    def readable(self):
        return True

    def readinto(self, buffer):
        part = self._data[self._at : self._at + (1 if self._at < 9 else len(buffer))]
        self._at += len(part)
        buffer[: len(part)] = part
        return len(part)


@pytest.mark.parametrize("name", PACKED)
def test_standard_input(name, monkeypatch):
    pipe = io.TextIOWrapper(io.BufferedReader(Trickle(PACKED[name]), buffer_size=100))
    monkeypatch.setattr("sys.stdin", pipe)
    with Stream("-") as stream:
        assert stream.name == "standard input"
        assert b"".join(iter(lambda: stream.read(77_777), b"")) == TEXT
    assert not pipe.closed


def test_standard_input_that_cannot_be_read(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(RecordError, match="standard input is empty; pipe games into it"):
        Stream("-")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(PACKED["pgn.gz"][:9999])))
    with pytest.raises(RecordError, match="standard input ends early"):
        Stream("-").read(10_000_000)
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(RecordError, match="standard input is closed"):
        Stream("-")


@pytest.mark.parametrize("path", ["./-", Path("-")])
def test_a_file_named_like_standard_input(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("./-").write_bytes(b"in a file")
    with Stream(path) as stream:
        assert stream.read(100) == b"in a file"


def test_missing_empty_and_a_folder(tmp_path, pgn):
    with pytest.raises(RecordError, match=r"no file .*none.pgn; check the path"):
        Stream(tmp_path / "none.pgn")
    with pytest.raises(RecordError, match="is a folder; name the files in it, or give"):
        Stream(tmp_path)
    with pytest.raises(RecordError, match="is empty; export or download"):
        Stream(pgn(""))
