"""What is compressed: as it should be, damaged, or so that it unpacks to very much."""

import bz2
import gzip
import io
import random
import zlib
from collections.abc import Sequence
from functools import cache

import zstandard

KINDS = ("", "gz", "zst", "bz2")
MEGABYTE = 1 << 20
GZIP = 31  #: what zlib calls that form


def packed(data: bytes, kind: str) -> bytes:
    """Return data in a kind of compression; as it is where that is empty."""
    if kind == "gz":
        return gzip.compress(data, 1, mtime=0)
    if kind == "zst":
        return zstandard.ZstdCompressor(1).compress(data)
    return bz2.compress(data, 1) if kind == "bz2" else data


@cache
def bomb(kind: str, megabytes: int, filled: bytes = b"\0", head: bytes = b"") -> bytes:
    """Return a small file that unpacks to so much."""
    block = filled * (MEGABYTE // len(filled))
    if kind == "zst":
        out = io.BytesIO()
        with zstandard.ZstdCompressor(1).stream_writer(out, closefd=False) as writer:
            writer.write(head)
            for _ in range(megabytes):
                writer.write(block)
        return out.getvalue()
    packer = bz2.BZ2Compressor(1) if kind == "bz2" else zlib.compressobj(1, wbits=GZIP)
    parts = [packer.compress(head), *(packer.compress(block) for _ in range(megabytes))]
    return b"".join([*parts, packer.flush()])


def wrongly_packed(
    rng: random.Random, data: bytes, kinds: Sequence[str], megabytes: int, filled: bytes = b"\0"
) -> bytes:
    """Return data packed in one of some kinds, now and then with a damage, rarely a bomb."""
    kind = rng.choice(kinds)
    if not kind:
        return data
    chance = rng.random()
    if chance < 0.005:
        return bomb(kind, megabytes, filled, data[:5])
    whole = packed(data, kind)
    if chance < 0.03:
        return whole[: rng.randint(0, len(whole))]
    if chance < 0.06:
        at = rng.randrange(len(whole))
        return whole[:at] + rng.randbytes(1) + whole[at + 1 :]
    if chance < 0.08:
        return whole + rng.choice((whole, b"\0\0", b"x"))
    return whole
