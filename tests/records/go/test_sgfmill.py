"""Our reader of SGF and sgfmill find the same in games of people, and in trees that were made up.

``python tests/sgfmill_twin.py FILE...`` compares whole files.
"""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sgf_reading import read_sgf, sgf_games
from sgfmill_twin import read
from shared_data import shared_file

from evenmatch.records.streams import Stream

FILES = (
    "aicup-10k-1d", "fox-9d-pro", "kgs", "ogs-human-vs-bot", "ogs-human-vs-bot-other-sizes",
    "ogs-people",
)  # fmt: skip
SAMPLE = 60  #: games of a file


@pytest.mark.parametrize("name", FILES)
def test_games_of_people(tmp_path, name):
    with Stream(shared_file(f"go/{name}.sgfs.zst")) as stream:
        lines = [line for line in stream.read(1 << 30).split(b"\n") if line]
    chosen = random.Random(1).sample(lines, SAMPLE)
    path = tmp_path / "some.sgfs"
    path.write_bytes(b"\n".join(chosen))
    assert list(sgf_games(path)) == [read(line) for line in chosen]


POINT = st.sampled_from(["aa", "bc", "ii", "", "tt", "he"])
NODE = st.tuples(st.sampled_from("BW"), POINT).map(lambda move: f";{move[0]}[{move[1]}]")
TEXT = st.text("ab ]\\:;()[\n", max_size=6).map(
    lambda text: text.replace("\\", "\\\\").replace("]", "\\]")
)
NODES = st.lists(NODE | TEXT.map(lambda text: f"; C [{text}]"), max_size=4).map("\n".join)
TREES = st.recursive(
    NODES,
    lambda inner: st.tuples(NODES, st.lists(inner, min_size=1, max_size=3)).map(
        lambda parts: parts[0] + "".join(f"(;{tree})" for tree in parts[1])
    ),
    max_leaves=8,
)
STONES = st.lists(st.sampled_from(["AB[aa][cc]", "AW[dd:fe]", "AB[ih]", "AW[hi][gi]"]), unique=True)


@given(TREES, STONES, TEXT)
def test_trees(tree, stones, name):
    text = f"(;FF[4]CA[UTF-8]SZ[9]PB[{name}]{''.join(stones)}{tree})"
    (game,) = read_sgf(text)
    wanted = read(text.encode())
    assert (game.moves, game.black, game.white) == (wanted.moves, wanted.black, wanted.white)
    assert game.players[0].split() == wanted.players[0].split()
