"""SAN against python-chess: what it writes, what it accepts, what it refuses and why."""

import random
import re

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenmatch.games.chess.moves import MAX_LEGAL, legal_moves
from evenmatch.games.chess.text import board_of
from evenmatch.records.chess.san import START_BOARD, resolve, scratch
from evenmatch.records.chess.tags import packed
from evenmatch.records.record import Reason

FENS = [
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "8/8/1Q1Q1Q2/8/1Q1k1Q2/8/1Q1Q1Q2/7K w - - 0 1",
    "4k3/8/8/2pPp3/8/8/8/4K3 w - c6 0 2",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
]


def resolved(position, text):
    """(Reason, move) of a word in a position, the move by its number and by its choice."""
    word = np.array([packed(text.rstrip("+#").encode())], np.uint64)
    reasons, faults = np.zeros(1, np.uint8), np.zeros(1, np.int32)
    moves, choices = np.zeros(1, np.int16), np.zeros(1, np.uint8)
    first = np.array([0, 1], np.int32)
    board = board_of(position)
    resolve(word, first, 1, board[None], *scratch(), reasons, faults, moves, choices)
    if reasons[0] == 0:
        legal = np.zeros(MAX_LEGAL, np.int16)
        assert choices[0] < legal_moves(board, legal)
        assert legal[choices[0]] == moves[0]
    return Reason(reasons[0]), int(moves[0])


def oracle(position, text):
    try:
        move = position.parse_san(text)
    except chess.InvalidMoveError:
        return Reason.unreadable_move, 0
    except chess.AmbiguousMoveError:
        return Reason.ambiguous_move, 0
    except chess.IllegalMoveError:
        return Reason.illegal_move, 0
    if not move:
        return Reason.null_move, 0
    return Reason.fine, move.from_square | move.to_square << 6 | (move.promotion or 0) << 12


FOREIGN = re.compile(r"[AC-JL-MPS-Z](?P<rest>.*)|(?P<promotes>.*[a-h][1-8]=?)[AC-JL-MPS-Z]")


def is_foreign(text):
    """Whether a word is a move by other letters of the piece, or of what a pawn becomes."""
    match = FOREIGN.fullmatch(text.rstrip("+#"))
    if match is None:
        return False
    written = match["rest"] if match["rest"] is not None else match["promotes"].rstrip("=")
    return chess.SAN_REGEX.match(written) is not None


def agree(position, text):
    ours, theirs = resolved(position, text), oracle(position, text)
    if theirs[0] == Reason.unreadable_move and is_foreign(text):
        theirs = Reason.foreign_piece, 0
    assert ours == theirs, (position.fen(), text)
    return ours[0]


def walked(seed):
    """Positions of a random game from one of the FENS."""
    rng = random.Random(seed)
    position = chess.Board(FENS[seed % len(FENS)])
    for _ in range(25):
        yield position
        moves = list(position.legal_moves)
        if not moves:
            return
        position.push(rng.choice(moves))


@pytest.mark.parametrize("seed", range(10))
def test_every_legal_move_in_every_form(seed):
    for position in walked(seed):
        for move in list(position.legal_moves):
            san, piece = position.san(move), position.piece_at(move.from_square).symbol().upper()
            assert agree(position, san) == Reason.fine
            assert agree(position, move.uci()) == Reason.fine
            if piece != "P" and not san.startswith("O"):
                for sign in ("", "-", "x"):
                    long = f"{piece}{move.uci()[:2]}{sign}{move.uci()[2:]}"
                    assert agree(position, long) == Reason.fine
                agree(position, piece + move.uci()[2:])  # may be ambiguous
                agree(position, piece + move.uci()[1:])
                agree(position, piece + move.uci()[0] + move.uci()[2:])


WORDS = [
    "e4", "exd5", "Nf3", "Nbd2", "N1d2", "Qb6", "Qd4", "Qbd4", "Q6d4", "Qb6d4", "Kg1", "Ke1g1",
    "e1g1", "e1c1", "O-O", "O-O-O", "0-0", "0-0-0", "O-0", "e8=Q", "e8Q", "e8=q", "e8q", "e8",
    "e8=K", "e8=P", "axb8=R", "bxa8=N", "dxc6", "d5c6", "exd3", "e4xd3", "Pe4", "--", "Z0",
    "0000", "@@@@", "Ke9", "i4", "e", "4", "N", "Nx", "=Q", "e4=Q", "x", "-", "1e4", "4e5", "2e4",
    "Nf3g1h5", "bb", "b8b", "a8=b", "O-O-O-O", "oo", "O", "ee5", "e5e", "a8=N", "gxh1=Q", "f1=Q",
]  # fmt: skip


@pytest.mark.parametrize("fen", FENS)
def test_words_with_and_without_sense(fen):
    reasons = {agree(chess.Board(fen), word) for word in WORDS}
    assert Reason.unreadable_move in reasons
    assert Reason.null_move in reasons
    assert Reason.illegal_move in reasons


CASTLING = [
    "e1g1", "e1c1", "e1h1", "e1a1", "e1-h1", "e1xa1", "e8g8", "e8c8", "e8h8", "e8a8", "e8xh8",
    "Ke1g1", "Ke1h1", "Ke1a1", "Kxh1", "Kxa1", "e1h1q", "e1=K", "e1a8", "e1h8", "e8a1", "e8h1",
    "e1f1", "e1b1", "g1e1", "e4h4", "e4a4", "e4-a4",
]  # fmt: skip
NO_KING_ON_E1 = ["4k3/8/8/8/4K3/8/8/R6R w - - 0 1", "4k3/8/8/8/8/8/8/K3R2R w - - 0 1"]


@pytest.mark.parametrize("fen", [*FENS, *NO_KING_ON_E1])
def test_castling_as_a_king_goes(fen):
    """Two squares, or onto its own rook as Chess960 writes it, but not if the king is named."""
    position = chess.Board(fen)
    for position.turn in chess.COLORS:
        for word in CASTLING:
            agree(position, word)


LETTERS = st.text("NBRQKabcdefgh12345678x-=nbrqkO0", max_size=8)
SHAPED = st.tuples(
    st.sampled_from(["", *"NBRQK"]), st.sampled_from(["", *"abcdefgh"]),
    st.sampled_from(["", *"12345678"]), st.sampled_from(["", "x", "-"]),
    st.sampled_from("abcdefgh"), st.sampled_from("12345678"),
    st.sampled_from(["", "", "", "=Q", "n", "=K"]),
).map("".join)  # fmt: skip


@settings(max_examples=200)
@given(word=st.one_of(LETTERS, SHAPED), fen=st.sampled_from(FENS))
def test_any_word(word, fen):
    """Of at most eight bytes: the longest move there is, e7-e8=Q, Qa1-b2=N, has eight."""
    if 0 < len(word) <= 8:
        agree(chess.Board(fen), word)


def test_the_first_fault_ends_a_game():
    words = np.array([packed(w) for w in (b"e4", b"e5", b"Ke3", b"d4", b"d4", b"d5")], np.uint64)
    reasons, faults = np.zeros(2, np.uint8), np.zeros(2, np.int32)
    moves, choices = np.zeros(6, np.int16), np.zeros(6, np.uint8)
    first = np.array([0, 4, 6], np.int32)
    resolve(words, first, 2, START_BOARD[None], *scratch(), reasons, faults, moves, choices)
    assert reasons.tolist() == [Reason.illegal_move, Reason.fine]
    assert faults[0] == 2
    assert moves[4:].tolist() == [11 | 27 << 6, 51 | 35 << 6]
