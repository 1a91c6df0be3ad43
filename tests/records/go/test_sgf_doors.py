"""One reading of SGF behind every door, which sgfmill and GNU Go share.

The doors: a file read for estimates, a dataset, `play --from`, what is pasted into the page, and
`loadsgf`.
"""

import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from sgfmill import boards, sgf
from shared_data import FOLDER, needs

from evenmatch.errors import EvenmatchError, RecordError
from evenmatch.frontends.gtp.go import GoGame, board_of, load_sgf
from evenmatch.frontends.gtp.protocol import GtpError
from evenmatch.games.go.text import point_letters
from evenmatch.records.codec import codec_for
from evenmatch.records.record import Reason
from evenmatch.records.streams import Text
from evenmatch.workshop.datasets.build import build

GNUGO = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")
DOORS = ("estimate", "dataset", "from", "page", "loadsgf")
COMPOSED = DOORS[2:]  #: those that take a game of which some was put up, or repeated
#: A text on 9x9, and what is right: the stones, whose turn it is, komi, and the doors
KINDS = {
    "plain": ("(;SZ[9];B[aa];W[bb])", "aa", "bb", "B", 7, DOORS),
    "nothing": ("(;SZ[9]KM[5.5])", "", "", "B", 5.5, COMPOSED),
    "empty lists": ("(;SZ[9]HA[0]AB[]AW[];B[aa];AE[];W[bb])", "aa", "bb", "B", 7, DOORS),
    "komi in words": ("(;SZ[9]KM[贴3又3/4子];B[aa])", "aa", "", "W", 7.5, DOORS),
    "no komi": ("(;SZ[9]KM[who knows];B[aa])", "aa", "", "W", 7, DOORS),
    "even in words": ("(;SZ[9]HA[分先]KM[6.5目];B[aa])", "aa", "", "W", 6.5, DOORS),
    "handicap": ("(;SZ[9]HA[让2子]AB[aa][bb];W[cc])", "aa bb", "cc", "B", 0.5, DOORS),
    "free handicap": ("(;SZ[9]HA[2];B[aa];B[bb];W[cc])", "aa bb", "cc", "B", 0.5, DOORS),
    "a bonus": ("(;SZ[9]HA[2]RU[Chinese]AB[aa][bb];W[cc])", "aa bb", "cc", "B", 2.5, DOORS),
    "Black first": ("(;SZ[9]HA[2]AB[aa][bb];B[cc];W[dd])", "aa bb cc", "dd", "B", 0.5, DOORS),
    "White again": ("(;SZ[9];B[aa];W[bb];W[cc])", "aa", "bb cc", "B", 7, DOORS),
    "Black again": ("(;SZ[9];B[aa];W[bb];B[cc];B[dd])", "aa cc dd", "bb", "W", 7, DOORS),
    "a pass, again": ("(;SZ[9];B[aa];W[];W[bb];B[cc])", "aa cc", "bb", "W", 7, DOORS),
    "passes, again": ("(;SZ[9];B[aa];W[bb];W[];W[];B[cc])", "aa cc", "bb", "W", 7, DOORS),
    "again, a pass": ("(;SZ[9];B[aa];W[bb];B[cc];B[];W[dd])", "aa cc", "bb dd", "B", 7, DOORS),
    "two passes": ("(;SZ[9];B[aa];W[];B[])", "aa", "", "W", 7, DOORS),
    "resumed": ("(;SZ[9];B[aa];W[];B[];W[bb])", "aa", "bb", "B", 7, COMPOSED),
    "put up late": (
        "(;SZ[9];B[aa];W[bb];AB[cc:dc]AW[ee]AE[aa];W[ff])", "cc dc", "bb ee ff", "B", 7, COMPOSED
    ),
    "put up last": ("(;SZ[9];B[aa];W[bb];AB[cc]PL[W])", "aa cc", "bb", "W", 7, COMPOSED),
    "put up twice": (
        "(;SZ[9]KM[0.5];B[aa];AW[bb];W[cc];AB[dd];B[ee])", "aa dd ee", "bb cc", "W", 0.5, COMPOSED
    ),
    "a ko taken back": (
        "(;SZ[9]AB[ba][ab][bc]AW[ca][db][cc][bb];B[cb];W[bb])",
        "ab ba bc", "bb ca cc db", "B", 7, COMPOSED,
    ),
}  # fmt: skip


def told(game, state):
    """The stones, whose turn it is, and komi."""
    board = game.stones(state[None])[0]
    stones = [
        " ".join(sorted(point_letters(int(p), game.size) for p in np.flatnonzero(board == side)))
        for side in (1, -1)
    ]
    return (
        *stones,
        "BW"[int(game.to_play(state[None])[0] < 0)],
        float(game.komi_of(state[None])[0]),
    )


def read(door, path, game="go9"):
    """What a door makes of a file."""
    codec = codec_for(game)
    if door == "dataset":
        with TemporaryDirectory() as folder:
            dataset = build([path], Path(folder) / "dataset", game=game)
            states, _ = dataset.states(np.zeros(1, int), dataset.games["plies"][:1].astype(int))
        return told(codec.game, states[0])
    if door == "loadsgf":
        line = load_sgf(GoGame(board_of(codec.game.size)), path).line
        return told(line.game, line.state)
    if door == "page":
        pasted = path.read_bytes().decode("utf-8", "replace")
        start = codec.end_text(codec.first(Text(pasted.encode())).record)
        return told(codec.game, codec.game.read_position(start))
    found = codec.first(path).record if door == "from" else next(codec.games(path))
    return told(codec.game, codec.played(found.moves, found.start)[-1])


def of_sgfmill(data):
    """The stones as sgfmill has them."""
    game = sgf.Sgf_game.from_bytes(data)
    board = boards.Board(game.get_size())
    for node in game.get_main_sequence():
        if node.has_setup_stones():
            board.apply_setup(*node.get_setup_stones())
        colour, point = node.get_move()
        if point is not None:
            board.play(*point, colour)
    size = board.side
    found = {"b": [], "w": []}
    for colour, (row, column) in board.list_occupied_points():
        found[colour].append(point_letters((size - 1 - row) * size + column, size))
    return tuple(" ".join(sorted(found[colour])) for colour in "bw")


def of_gnugo(path):
    """The stones, whose turn it is, and komi as GNU Go has them."""
    asked = (
        f"loadsgf {path}\nlist_stones black\nlist_stones white\nget_komi\nquery_boardsize\nquit\n"
    )
    out = subprocess.run(
        [GNUGO, "--mode", "gtp"], input=asked, capture_output=True, text=True, check=True
    ).stdout
    turn, black, white, komi, size, _ = (
        one.removeprefix("=").strip() for one in out.split("\n\n", 5)
    )
    go = board_of(int(size))
    stones = [
        " ".join(
            sorted(point_letters(go.read_action(go.initial()[0], p), go.size) for p in x.split())
        )
        for x in (black, white)
    ]
    return (*stones, turn[0].upper(), float(komi))


#: What GNU Go has otherwise: its komi is 5.5 where none is written, it reads no words and counts
#: no bonus for handicap stones, and it takes off no stones in the middle of a game.
OF_GNUGO = {
    "komi in words": {"komi": 0},
    "no komi": {"komi": 0},
    "handicap": {"komi": 5.5},
    "a bonus": {"komi": 0.5},
    "put up late": {"black": "aa cc dc", "komi": 5.5},
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_door_reads_the_same(tmp_path, kind, door):
    text, *right, doors = KINDS[kind]
    path = tmp_path / "a.sgf"
    path.write_text(text)
    if door in doors:
        assert read(door, path) == tuple(right)
    elif kind == "resumed":
        assert read(door, path) == ("aa", "", "W", 7)  # the game ended at the passes
    elif door == "estimate":
        assert list(codec_for("go9").games(path)) == []
    else:
        with pytest.raises(RecordError, match="no game"):
            read(door, path)


@pytest.mark.parametrize("kind", KINDS)
def test_sgfmill_has_the_same_stones(kind):
    text, black, white, *_ = KINDS[kind]
    assert of_sgfmill(text.encode()) == (black, white)


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed")
@pytest.mark.parametrize("kind", KINDS)
def test_gnugo_has_the_same_game(tmp_path, kind):
    text, black, white, turn, komi, _ = KINDS[kind]
    path = tmp_path / "a.sgf"
    path.write_text(text)
    ours = {"black": black, "white": white, "turn": turn, "komi": komi}
    if "KM[" not in text and "HA[2" not in text:
        ours["komi"] = 5.5
    assert of_gnugo(path) == tuple((ours | OF_GNUGO.get(kind, {})).values())


NOWHERE = "handicap stones that the file does not place (HA property): 2"


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("moves", ["", ";W[aa]", ";B[aa];W[bb]"])
def test_no_door_takes_handicap_stones_that_are_nowhere(tmp_path, door, moves):
    path, faults = tmp_path / "a.sgf", []
    path.write_text(f"(;SZ[9]HA[2]{moves})")
    if door == "estimate":
        assert list(codec_for("go9").games(path, faults.append)) == []
        error = str(faults[0])
    else:
        with pytest.raises((EvenmatchError, GtpError), match="handicap") as refused:
            read(door, path)
        error = str(refused.value)
    assert (NOWHERE.removesuffix(": 2") if door == "dataset" else NOWHERE) in error


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(;SZ[9];B[aa];W[aa])", "an illegal move: aa"),
        ("(;SZ[9];B[zz])", "a word that is no move: zz"),
        ("(;SZ[9];B[aa]", "not closed"),
        ("(;SZ[9]GM[2];B[aa])", "another game"),
        ("(;SZ[9]AB[aa]AW[ab][ba])", "the stone at A9 has no liberty"),
        ("(;SZ[9];B[aa];AB[zz])", "a property that cannot be read"),
    ],
)
@pytest.mark.parametrize("door", COMPOSED)
def test_no_door_takes_what_is_no_game(tmp_path, door, text, why):
    path = tmp_path / "a.sgf"
    path.write_text(text)
    with pytest.raises((EvenmatchError, GtpError), match=why):
        read(door, path)


def test_the_first_game_says_how_many_there_are_and_what_was_passed_over(tmp_path):
    path = tmp_path / "a.sgf"
    path.write_text(
        "(;SZ[19];B[aa])\n(;SZ[9]KM[?!];B[bb])\n(;SZ[9]KM[?!];B[cc])\n(;SZ[9];B[zz])\n(;SZ[9"
    )
    found = codec_for("go9").first(path)
    assert (found.record.moves.tolist(), found.games) == ([10], 5)
    assert [(fault.line, fault.reason) for fault in found.faults] == [
        (1, Reason.other_size),
        (2, Reason.dropped_property),
    ]


@pytest.mark.parametrize("door", DOORS)
def test_every_door_reads_a_game_with_a_long_comment(tmp_path, door):
    path = tmp_path / "a.sgf"
    path.write_text(f"(;SZ[9];B[aa]C[{'x' * (3 << 20)}];W[bb])")
    assert read(door, path) == ("aa", "bb", "B", 7)


def test_a_text_that_is_a_start_is_a_game_without_moves():
    codec = codec_for("go9")
    found = codec.first(Text(b" KM[0.5]AB[dd]PL[W] "))
    assert (found.record.start, found.record.moves.tolist()) == ("KM[0.5]AB[dd]PL[W]", [])
    assert (found.games, found.faults) == (0, [])
    with pytest.raises(RecordError, match="has no point"):
        codec.first(Text(b"AB[zz]"))


ODD = {
    "sgf-ha-no-ab": "GNU Go puts up stones of its own",
    "sgf-empty-ab": "sgfmill does not read AB[]",
    "sgf-windows-31j": "sgfmill does not know the encoding",
}  #: files of the folder that other programs read otherwise


@needs("oddities")
@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("oddities/sgf-*.sgf")))
def test_oddities(name):
    path = FOLDER / "oddities" / f"{name}.sgf"
    if name == "sgf-ha-no-ab":
        for door in COMPOSED:
            with pytest.raises((EvenmatchError, GtpError), match=re.escape(NOWHERE)):
                read(door, path, "go")
        return
    ours = read("from", path, "go")
    assert {read(door, path, "go") for door in DOORS} == {ours}
    komi = float(match[1]) if (match := re.search(rb"KM\[([\d.]+)\]", path.read_bytes())) else None
    assert ours[3] == (komi or 7.5)
    if name not in ODD:
        assert of_sgfmill(path.read_bytes()) == ours[:2]
    if GNUGO:
        assert of_gnugo(path)[:3] == ours[:3]
