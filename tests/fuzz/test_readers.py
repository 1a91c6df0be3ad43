"""Readers of what others wrote: they accept an input, or refuse it in one line.

Hypothesis damages valid examples; ``corpus`` keeps what was found: each a traceback or worse.
10,000 inputs per reader: ``EVENMATCH_FUZZ=10000 python -m pytest tests/fuzz/test_readers.py``.
"""

import bz2
import gzip
import os
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenmatch.errors import EvenmatchError
from evenmatch.games import get_game
from evenmatch.opponents import Engine, parse_spec, resolve
from evenmatch.records.codec import codec_for
from evenmatch.records.streams import Text

CORPUS = Path(__file__).parent / "corpus"
INPUTS = int(os.environ.get("EVENMATCH_FUZZ", "25"))  #: per reader
MOST_LETTERS = 10_000  #: of a refusal, which may name a spec and a file
PGN = (
    b'[Event "Rated rapid game"]\n[White "Ann"]\n[Black "?"]\n[WhiteElo "1500"]\n'
    b'[Date "2024.??.??"]\n[TimeControl "600+5"]\n\n1. e4 { [%eval 0.17] [%clk 0:10:00] } e5 '
    b"2. Nf3 (2. f4 $1) Nc6 3. Bb5 a6!? 4. Bxc6 1-0\n\n",
    b'[FEN "8/P7/8/8/8/8/8/K1k5 w - - 0 1"]\n[SetUp "1"]\n\n1. a8=Q ; so\n% no\n1/2-1/2\n',
)
SGF = (
    b"(;FF[4]GM[1]SZ[9]CA[UTF-8]KM[6.5]HA[2]AB[cc][gg]PL[W]PB[Ann]WR[9p]RE[B+R]DT[2024-01-01]"
    b"RU[Japanese]C[a \\] b];W[ee];B[ed](;W[dd];B[])(;W[tt]))",
    b"(;SZ[9:9]AW[aa:cc]AE[bb];B[fe];W[ff]BL[1e9]OB[-1])\n(;GM[2])",
)
FEN = (
    b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    b"KM[0.5]HA[2]AB[dd][pp]PL[W]RU[aga]",
    b"startpos moves e2e4 e7e5",
)
SPECS = (
    b"pikl:elo=1500",
    b"even",
    b"mcts:sims=10,c=1.5",
    b"softmax:z=-1",
    b"alphadda1:constants=x",
)
OTHELLO = (b"f5d6c3d3c4\n", b"f5 d6 c3 1.d3 pass\n", b"F5D6C4 : +12\n")


def records(game_id, name):
    """Return a reader of a file of games, which also plays some of them."""

    def take(data, folder):
        codec, path = codec_for(game_id), folder / name
        path.write_bytes(data)
        for record in list(codec.games(path))[:3]:
            codec.played(record.moves, record.start)

    return take


def starts(data, folder):
    """Read a text as the start of a game of each kind; play on from there; write it."""
    text, last = data.decode("utf-8", "replace"), None
    for game in map(get_game, ("chess", "go9", "go", "othello")):
        try:
            codec = codec_for(game.id)
            state = game.read_position(codec.end_text(codec.first(Text(text.encode())).record))
            for action in game.legal_actions(state[None])[0][:3]:
                game.action_text(state, int(action))
                game.after(state[None], np.array([action]))
        except (EvenmatchError, NotImplementedError) as error:
            last = error if isinstance(error, EvenmatchError) else last
    if last:
        raise last


def specs(data, folder):
    """Read a spec, and make the player of it; no program is started."""
    text = data.decode("utf-8", "surrogateescape")
    _, values = parse_spec(text)
    if "cmd" not in values:
        for game in ("connect4", "go9"):
            Engine(get_game(game)).player(resolve(text, get_game(game)))


READERS = {
    "pgn": (records("chess", "games.pgn"), PGN),
    "sgf": (records("go9", "games.sgf"), SGF),
    "othello": (records("othello", "games.txt"), OTHELLO),
    "fen": (starts, (*FEN, *PGN, *SGF)),
    "spec": (specs, SPECS),
}
FOUND = sorted(path for name in READERS for path in (CORPUS / name).glob("*"))


def refused_in_one_line(take, data, folder):
    """Read an input; a refusal has to be one line that can be written."""
    try:
        take(data, folder)
    except EvenmatchError as error:
        text = str(error)
        assert 0 < len(text.strip()) <= len(text) <= MOST_LETTERS
        assert len(text.splitlines()) == 1
        assert not any(ord(letter) < 32 or ord(letter) == 127 for letter in text)
        text.encode()


@st.composite
def damaged(draw, examples):
    """Draw an example with parts cut, repeated or replaced, compressed now and then."""
    data = draw(st.sampled_from(examples))
    for _ in range(draw(st.integers(0, 4))):
        other = draw(st.sampled_from(examples))
        begin, end = sorted(draw(st.integers(0, len(data))) for _ in range(2))
        first, last = sorted(draw(st.integers(0, len(other))) for _ in range(2))
        junk = draw(st.one_of(st.just(other[first:last]), st.binary(max_size=8)))
        data = data[:begin] + junk * draw(st.sampled_from((1, 1, 1, 50))) + data[end:]
    pack = draw(st.sampled_from((bytes, bytes, bytes, gzip.compress, bz2.compress, _zstd)))
    packed = pack(data)
    return packed if draw(st.booleans()) else packed[: draw(st.integers(0, len(packed)))]


def _zstd(data):
    return zstandard.ZstdCompressor(1).compress(data)


@pytest.mark.parametrize("name", READERS)
def test_damaged_inputs_are_read_or_refused(name, tmp_path_factory):
    take, examples = READERS[name]
    folder = tmp_path_factory.mktemp(name)

    @settings(
        max_examples=INPUTS, deadline=None, derandomize=INPUTS < 100, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(damaged(examples))
    def check(data):
        refused_in_one_line(take, data, folder)

    check()


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}-{path.stem[:30]}")
def test_what_was_found_stays_mended(path, tmp_path):
    data = path.read_bytes()
    refused_in_one_line(
        READERS[path.parent.name][0],
        gzip.decompress(data) if path.suffix == ".gz" else data,
        tmp_path,
    )
