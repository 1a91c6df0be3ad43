"""Texts of games as the starts of others: the main line alone, of a game of some length."""

import pytest

from evenmatch.errors import UsageError
from evenmatch.records.chess.position import MOST_PLIES, end_text, read_game


def test_variations_are_passed_over():
    text = "1. e4 e5 (1... c5 2. Nf3 (2. c3 d5) 2... d6) 2. Nc3 {or} (2. d4) 2... Nf6 *\n\n"
    moves = [move.uci() for move in read_game(text, "it").mainline_moves()]
    assert moves == ["e2e4", "e7e5", "b1c3", "g8f6"]
    assert end_text(text).startswith("rnbqkb1r/pppp1ppp/5n2/4p3/4P3/2N5/PPPP1PPP/R1BQKBNR w KQkq")


@pytest.mark.parametrize("plies", [MOST_PLIES, MOST_PLIES + 1])
def test_games_have_a_longest_length(plies):
    shuffle = ("Nf3", "Nf6", "Ng1", "Ng8")
    text = " ".join(shuffle[ply % 4] for ply in range(plies))
    if plies <= MOST_PLIES:
        assert len(list(read_game(text, "it").mainline_moves())) == plies
        return
    with pytest.raises(UsageError, match=r"it has more than 4,096 moves; give a shorter game"):
        read_game(text, "it")
