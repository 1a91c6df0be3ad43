"""Values as chess programs show them."""

import numpy as np
import pytest

from evenmatch.frontends.uci.centipawns import EVEN_DRAWS, ValueScore

VALUES = np.linspace(-1, 1, 41)


def test_centipawns_are_those_of_the_formula():
    assert ValueScore(0.0).centipawns == 0
    assert ValueScore(0.5).centipawns == -ValueScore(-0.5).centipawns == 89
    assert ValueScore(1.0).centipawns == 12780
    scores = [ValueScore(float(v)).centipawns for v in VALUES]
    assert scores == sorted(scores)


@pytest.mark.parametrize("draw", [None, 0.0, 0.3, 1.0])
def test_chances_are_of_a_thousand_and_mean_the_value(draw):
    for value in VALUES:
        chances = ValueScore(float(value), draw).wdl
        assert sum(chances) == 1000
        assert min(chances) >= 0
        assert abs((chances[0] - chances[2]) / 1000 - value) < 0.002


def test_draws_shrink_as_the_value_leaves_zero():
    even = ValueScore(0.0, 0.4)
    assert even.moved(0.5).draw == pytest.approx(0.3)
    assert even.moved(1.0).draw == 0
    assert ValueScore(0.0).wdl[1] == 1000 * EVEN_DRAWS


def test_text():
    assert ValueScore(0.0).text(False) == "cp 0"
    assert ValueScore(0.0, 0.5).text(True) == "cp 0 wdl 250 500 250"
    assert ValueScore(0.3, 0.5).text(False, mate=1) == "mate 1"
    assert ValueScore(0.3, 0.5).text(True, mate=1) == "mate 1 wdl 1000 0 0"
    assert ValueScore(0.0).text(False, bound=True) == "cp 0 lowerbound"
    assert ValueScore(0.0, 0.5).text(True, bound=True) == "cp 0 lowerbound wdl 250 500 250"
