"""A person's pass is answered by a pass where nobody can gain anything, and nowhere else."""

import numpy as np
import pytest

from evenmatch.games import get_game
from evenmatch.games.go import Go
from evenmatch.opponents import Networks
from evenmatch.play.scoring import is_settled
from evenmatch.play.session import Session

FIVE = Go(5)
SETTLED = 5 * ("..XO.",)
DEAD = ("O.XO.", *SETTLED[1:])  # a white stone that Black need not capture
OPEN = ("..X.O", *SETTLED[1:])  # a neutral point
OWN = np.where(np.arange(25) % 5 < 3, 0.95, -0.95)  # [P] three columns are Black's
NINE = ".X.XO.O.O"  # a row; columns of it all live


def drawn(*rows):
    cells = "".join(rows)
    black, white = ([i for i, c in enumerate(cells) if c == mark] for mark in "XO")
    return FIVE.start(black=black, white=white)


@pytest.mark.parametrize(
    ("rows", "disputed", "settled"),
    [
        (SETTLED, False, True),
        (SETTLED, True, True),
        (DEAD, False, True),
        (DEAD, True, False),  # it counts as alive, unless Black captures it
        (OPEN, False, False),
    ],
)
def test_what_is_settled(rows, disputed, settled):
    assert is_settled(FIVE, drawn(*rows), OWN, disputed) is settled


def test_a_point_whose_owner_is_not_sure_is_open():
    for own in (OWN * 0.9, np.where(np.arange(25) == 3, 0.2, OWN)):
        assert not is_settled(FIVE, drawn(*SETTLED), own, False)


@pytest.mark.parametrize("settled", [True, False])
def test_a_pass_is_answered(settled):
    """The opponent draws its moves, so that it passes hardly ever by itself."""
    game = get_game("go9")
    stones = {mark: [] for mark in "XO"}
    for at, mark in enumerate(9 * NINE if settled else ""):
        stones.get(mark, []).append("abcdefghi"[at % 9] + "abcdefghi"[at // 9])
    black, white = ("".join(f"[{point}]" for point in stones[mark]) for mark in "XO")
    session = Session(game, "random", 1, 0, start=f"AB{black}AW{white}" if settled else "")
    session.push(session.legal[-1])
    session.reply()
    assert session.over is settled
    assert (session.text(1) == "pass") is settled
    if settled:
        assert session.score().text == "W+16"


def test_without_a_network_nothing_is_known(monkeypatch):
    monkeypatch.setattr(Networks, "evaluator", lambda *asked: None)
    session = Session(get_game("go9"), "random", 1, 0)
    session.push(session.legal[-1])
    assert session.reply() != session.game.num_actions - 1
