"""What a search at full strength tells: nodes, lines, scores, the move."""

import random

import chess
import chess.engine
import pytest
from random_networks import random_network
from talk import Talk

from evenmatch.frontends.uci import thinking


def test_nodes_are_those_of_one_search(talk):
    """Though the second goes on from the first one's tree."""
    talk.hear("position startpos", "go nodes 200")
    talk.engine.close()
    reply = talk.best()[0][1:]
    talk.said.clear()
    talk.hear(f"position startpos moves {reply[0]} {reply[2]}", "go nodes 50")
    talk.engine.close()
    counts = [int(words[words.index("nodes") + 1]) for words in map(str.split, talk.said)
              if "nodes" in words]  # fmt: skip
    assert counts[-1] == 50
    assert counts == sorted(counts)


def score(words):
    """Centipawns of a line; a mate is worth more than any of them to the side that gives it."""
    if "cp" in words:
        return int(words[words.index("cp") + 1])
    moves = int(words[words.index("mate") + 1])
    return 10**6 - moves if moves > 0 else -(10**6) - moves


@pytest.mark.parametrize("seed", range(4))
def test_lines_are_in_the_order_of_their_scores(talk, seed):
    """In random positions; the move that is played is the first line's."""
    rng, board = random.Random(seed), chess.Board()
    for _ in range(rng.randrange(30)):
        board.push(rng.choice(list(board.legal_moves)))
        if board.legal_moves.count() < 2:
            board.pop()  # there must be two lines to put in order
            break
    words = " ".join(move.uci() for move in board.move_stack)
    talk.hear(f"setoption name MultiPV value {rng.choice([2, 5, 50])}")
    talk.hear(f"position startpos moves {words}", f"go nodes {rng.randrange(1, 300)}")
    talk.engine.close()
    said = [line.split() for line in talk.said if line.startswith("info depth")]
    last = said[-int(said[-1][said[-1].index("multipv") + 1]) :]
    moves = [line[line.index("pv") + 1] for line in last]
    scores = [score(line) for line in last]
    assert scores == sorted(scores, reverse=True)
    assert len(set(moves)) == len(moves) > 1
    assert all(chess.Move.from_uci(move) in board.legal_moves for move in moves)
    assert talk.best()[0][1] == moves[0]


def test_other_weights_count_from_the_next_move_on(talk, tmp_path):
    """As if the conversation had begun with them."""
    other = random_network(tmp_path / "other.onnx", scales=("lichess",), seed=9)
    lines = ("position startpos moves e2e4", "go nodes 40")
    talk.answer("position startpos", "go nodes 8")
    talk.hear(f"setoption name WeightsFile value {other}", *lines)
    talk.engine.close()
    after = talk.told("cp")
    fresh = Talk(other)
    fresh.hear(*lines)
    fresh.engine.close()
    assert fresh.told("cp") == after


@pytest.mark.parametrize("method", [None, "pikl"])
def test_mates_are_told_as_such(talk, method):
    if method:
        talk.rated(method)
    talk.hear("setoption name MultiPV value 50")
    talk.hear("position fen 7k/8/6K1/8/8/8/8/5R2 w - - 0 1", "go nodes 60")
    talk.engine.close()
    told = [line for line in talk.said if " score " in line]
    assert all((" pv f1f8" in line) == (" mate 1 " in line) for line in told)
    assert method or any(" mate 1 " in line for line in told)


def test_proven_mates_are_told_with_their_moves(talk):
    """An ending that is known, for either side, and a mate in two."""
    talk.hear("setoption name MultiPV value 3")
    for fen, mate in [
        ("8/8/8/3k4/8/8/8/K6R w - - 0 1", 15),
        ("7k/R7/8/8/8/8/8/1R4K1 b - - 0 40", -1),
        ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 40", 2),
    ]:
        talk.said.clear()
        talk.hear(f"position fen {fen}", "go nodes 40")
        talk.engine.close()
        for told in (line for line in talk.said if " score mate " in line):
            mates = int(told.partition(" score mate ")[2].split()[0])
            line = told.partition(" pv ")[2].split()
            assert len(line) == (2 * mates - 1 if mates > 0 else -2 * mates)
            assert checkmate_after(fen, line)
        first = next(line for line in talk.said if " multipv 1 " in line)
        assert f" score mate {mate} " in first


def checkmate_after(fen, line):
    """Whether moves lead to checkmate, by python-chess."""
    board = chess.Board(fen)
    for move in line:
        board.push_uci(move)
    return board.is_checkmate()


def depths_told(talk):
    return [int(line.split()[2]) for line in talk.said if line.startswith("info depth")]


@pytest.mark.parametrize(("depth", "lines"), [(1, 1), (3, 3), (8, 1)])
def test_a_search_to_a_depth_ends_when_it_says_so(talk, depth, lines):
    talk.hear(f"setoption name MultiPV value {lines}")
    for position in ("startpos", "startpos moves e2e4", "startpos moves e2e4 e7e5 g1f3"):
        talk.said.clear()
        talk.hear(f"position {position}", f"go depth {depth}")
        talk.engine.close()
        told = depths_told(talk)
        assert told[-1] == depth
        assert told == sorted(told)


@pytest.mark.parametrize(
    ("fen", "depth", "lines"),
    [
        ("8/8/8/3k4/8/8/8/K6R w - - 0 1", 29, 1),  # a known ending
        ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 40", 3, 3),  # a mate in two
        ("8/8/3rk3/8/8/4K3/4R3/8 w - - 98 100", 2, 1),  # fifty moves are nearly over
        ("8/8/4k3/8/8/4K3/8/8 w - - 0 1", 1, 3),
    ],
)
def test_a_depth_that_no_line_has_ends_a_search_too(talk, fen, depth, lines):
    talk.hear(f"setoption name MultiPV value {lines}", f"position fen {fen}", "go depth 90")
    talk.engine.close()
    assert depths_told(talk)[-1] == depth
    assert len(talk.best()) == 1


def test_a_search_for_a_mate_says_what_it_left_out(talk, monkeypatch):
    monkeypatch.setattr(thinking, "MATE_POSITIONS", 1000)
    monkeypatch.setattr(thinking, "MATE_NODES", 30)
    talk.hear("position startpos moves e2e4 e7e5", "go mate 3")
    talk.engine.close()
    (note,) = (line for line in talk.said if line.startswith("info string"))
    assert "no mate in 2: all moves were searched; in 3 there may be one" in note
    assert talk.told("nodes") == 30


@pytest.mark.parametrize("nodes", [1, 2, 5, 11])
def test_the_move_played_is_the_first_of_the_line_told(talk, nodes):
    talk.hear("position startpos moves e2e4", f"go nodes {nodes}")
    talk.engine.close()
    line = [text for text in talk.said if " pv " in text][-1].partition(" pv ")[2].split()
    ((_, best, *answer),) = talk.best()
    assert best == line[0]
    assert answer[1:] == line[1:2]
