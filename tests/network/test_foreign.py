"""Networks of other programs: found by name; files unpacked whole, and no more than weights are."""

import gzip
import zlib
from pathlib import Path

import pytest

from evenmatch.network import foreign
from evenmatch.network.artifact import read_card
from evenmatch.network.foreign import unpacked
from evenmatch.network.imported import as_artifact


def test_members_follow_each_other_and_zeros_the_last():
    whole = gzip.compress(b"first ") + gzip.compress(b"second") + bytes(5)
    assert unpacked(whole) == gzip.decompress(whole) == b"first second"
    assert unpacked(b"as it is") == b"as it is"


@pytest.mark.parametrize("end", [5, 15, -9, -1])
def test_files_that_end_early(end):
    with pytest.raises(EOFError):
        unpacked(gzip.compress(b"first second")[:end])


@pytest.mark.parametrize("more", [b"x", b"\x1f\x8b"])
def test_what_follows_is_a_member_too(more):
    with pytest.raises((zlib.error, EOFError, OSError)):
        unpacked(gzip.compress(b"first") + more)


def test_files_that_unpack_to_far_more_than_weights_do(monkeypatch):
    monkeypatch.setattr(foreign, "LEAST_ROOM", 1000)
    assert len(unpacked(gzip.compress(bytes(1000)))) == 1000
    with pytest.raises(ValueError, match="does not fit"):
        unpacked(gzip.compress(bytes(10_000_000)) + gzip.compress(b"x"))


def test_networks_of_others_that_ship_are_known_by_name(tmp_path, monkeypatch):
    """Unless a file of that name is here."""
    monkeypatch.chdir(tmp_path)
    assert read_card(as_artifact(Path("maia-1500"))).game == "chess"
    assert as_artifact(Path("maia-1450")) == Path("maia-1450")
    assert as_artifact(Path("elsewhere/maia-1500")) == Path("elsewhere/maia-1500")
    Path("maia-1500").touch()
    assert as_artifact(Path("maia-1500")) == Path("maia-1500")
