"""Which means over moves come nearer to made-up games."""

import numpy as np
from parts_of_a_dial import dial as made
from parts_of_a_dial import e_norm, expected, row

from evenmatch_lab.wu2019.dial_games import INF, LINEAR, Z
from evenmatch_lab.wu2019.dial_page import mean_rows
from evenmatch_lab.wu2019.prediction import powered


def bent(power):
    """Return a dial of pairs won or lost whose Elo has the shape of the power mean of R_i."""
    made_up = made(dict.fromkeys(Z, 0.5))
    for part_ in made_up.parts.values():
        for k, means in part_["roots"]["powers"].items():
            for z in (*LINEAR, -INF):  # the shape of E_norm to the power of three for this k alone
                share = -(e_norm(z) ** (3 if float(k) == power else 1))
                means[str(z)] = float(np.exp(float(k) * share))
    shape = powered(made_up, power) | {INF: 0.0, -INF: 1.0}
    for z, point in made_up.points.items():
        fraction = 1 / (1 + 10 ** (-900 * (shape[0.0] - shape[z]) / 400))
        point |= row(fraction, 2000)
    return made_up


def verdicts(dial):
    """Return the last word on each mean."""
    return {
        name.rpartition(" ")[2]: change.rpartition(" ")[2] for name, _, change in mean_rows(dial)
    }


def test_a_mean_is_nearer_only_if_its_interval_says_so():
    found = verdicts(bent(-2.0))
    assert found["R_i^-2"] == "nearer"
    assert found["R_i^1"] == "undecided"  # it is eq. 3's: the difference is 0


def test_a_mean_is_not_nearer_where_eq_3_holds():
    assert "nearer" not in verdicts(made({z: expected(z) for z in Z})).values()
