"""Puzzles solved by players that know the answers, or some of them."""

from evenmatch.games import get_game
from evenmatch.records.puzzles import Puzzle

CHESS = get_game("chess")
LADDER = Puzzle("7k/8/8/8/8/8/R7/1R4K1 b - - 0 40", ("h8h7", "a2a7", "h7h6", "b1b6"), 600)
BACK_RANK = Puzzle("6k1/5ppp/8/8/8/8/4rPPP/R5K1 b - - 0 30", ("e2b2", "a1a8", "b2b8", "a8b8"), 500)
