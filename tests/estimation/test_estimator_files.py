"""Fitted methods written and read back."""

import shutil

import numpy as np
import pytest
from test_pooled import RANKS, games

from evenmatch.errors import NetworkError, UsageError
from evenmatch.estimation import PooledFeatures
from evenmatch.estimation.estimator_files import (
    extra_networks,
    load,
    shipped_estimator,
    shipped_method,
)
from evenmatch.network.artifact import digest_of, read_card
from evenmatch.workshop.fitting import pooled_fit
from evenmatch.workshop.fitting.pooled_fit import learn, save


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A method, the games that it learned from, and the folder where it is written."""
    folder = tmp_path_factory.mktemp("kept")
    network = folder / "net.onnx"
    network.write_bytes(b"some network")
    rng = np.random.default_rng(0)
    moves, ratings = games(rng, 100, column=lambda rng, rating, n: rng.normal(rating / 100, size=n))
    method = PooledFeatures(0, RANKS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pooled_fit, "EPOCHS", 4)
        learn(method, moves, ratings, np.full(len(ratings), -1))
    method.centres[0] += 90
    save(method, network, ["there", "elsewhere"], folder / "m.npz", games=900)
    return method, moves, folder


@pytest.fixture
def written(kept, tmp_path):
    """The same in a folder of the test's own."""
    method, moves, folder = kept
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    return method, moves, tmp_path


def test_what_is_read_back_says_the_same(written):
    method, moves, folder = written
    again, facts = load(folder / "m.npz")
    assert again.ranks == RANKS
    assert facts["games"] == 900
    assert facts["scale"] == "there"
    assert facts["network"] == digest_of(folder / "net.onnx")
    one, two = (m.decide(m.evidence(moves)) for m in (method, again))
    assert (one.ranks == two.ranks).mean() > 0.99, "but for rounding"
    again.centres[0] -= 90
    assert (again.decide(again.evidence(moves)).ranks != one.ranks).mean() > 0.01
    assert one.ratings == pytest.approx(two.ratings, abs=1)
    assert one.intervals == pytest.approx(two.intervals, abs=1)


def test_files_that_are_none(tmp_path, written):
    with pytest.raises(NetworkError, match=r"no estimator .*other\.npz"):
        load(tmp_path / "other.npz")
    whole = (tmp_path / "m.npz").read_bytes()
    flipped = bytearray(whole)
    for at in range(0, len(whole), 97):  # many places: in headers, names, compressed data
        flipped[at] ^= 0x10
    for text in (b"", b"not a file of arrays", whole[: len(whole) // 2], bytes(flipped)):
        (tmp_path / "m.npz").write_bytes(text)
        with pytest.raises(NetworkError, match="corrupt"):
            load(tmp_path / "m.npz")


def test_no_damaged_file_escapes(tmp_path, written):
    """One flipped bit anywhere: it is read all the same, or refused in one line."""
    whole = (tmp_path / "m.npz").read_bytes()
    rng, refused = np.random.default_rng(1), 0
    for _ in range(60):
        flipped = bytearray(whole)
        flipped[rng.integers(len(whole))] ^= 1 << rng.integers(8)
        (tmp_path / "m.npz").write_bytes(bytes(flipped))
        try:
            load(tmp_path / "m.npz")
        except NetworkError:
            refused += 1
    assert refused > 30


def test_scales_are_listed():
    with pytest.raises(UsageError, match="no rating scale 'fido'; choose one of: lichess-rapid"):
        shipped_estimator("fido")


def test_extra_networks_ship_with_their_licence():
    for path in extra_networks("chess"):
        card = read_card(path)
        assert (card.game, card.licence) == ("chess", "GPL-3.0")
        assert path.stem.replace("maia", "Maia") in card.notes


def test_shifts_of_speeds_are_those_of_the_scale():
    assert shipped_method("chess.com").shifts == {"blitz": 160}
    assert not shipped_method("lichess-rapid").shifts
