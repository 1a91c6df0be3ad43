"""How games of Go ended, and who won them by whom."""

import pytest

from evenmatch.games import get_game
from evenmatch.opponents.gtp_program import command_of
from evenmatch.play.arena import Pairing, Played
from evenmatch_lab.shared import scored_ends

GO9 = get_game("go9")
PASS = GO9.num_actions - 1
CENTRE = 40
GNU_GO = "gnugo --mode gtp --chinese-rules"


class Told:
    """A program that notes what it is asked, and says that White has won."""

    def __init__(self):
        self.asked = []

    def ask(self, command):
        self.asked.append(command)
        return " W+7.0"


def test_a_program_hears_the_whole_game_before_it_tells_the_score():
    """One stone owns the board by area: 81 points less 7 of komi."""
    program = Told()
    board, network, told = scored_ends.scores(GO9, [CENTRE, PASS, PASS], program)
    assert program.asked == [
        "boardsize 9", "clear_board", "komi 7", "play b E5", "play w pass", "play b pass",
        "final_score",
    ]  # fmt: skip
    assert (board, told) == ("B+74", "W+7.0")
    assert network[0] in "BW"


def test_ends_against_a_program_that_tells_scores():
    """Black owns all that there is, by whichever count; one game was resigned."""
    try:
        known = scored_ends.program(GNU_GO)
    except Exception:  # whatever an absent program leads to
        pytest.skip(f"no {command_of(GNU_GO)[0]}")
    assert known.startswith("GNU Go")
    wall = [row * 9 + 4 for row in range(9)]  # Black's; White's are in the corner, dead
    corner = [0, 8, 72, 80, 1, 7, 73, 79, 9]
    line = [action for pair in zip(wall, corner, strict=True) for action in pair]
    played = [
        Played(Pairing(0, 1), 1.0, (*line, PASS, PASS)),
        Played(Pairing(0, 1), -1.0, (CENTRE,)),
    ]
    ends = scored_ends.ends_of(GO9, played, GNU_GO)
    assert (ends["plies"], ends["resigned"]) == (10.5, 1)
    assert ends["agreed"] + len(ends["disputed"]) == 1
