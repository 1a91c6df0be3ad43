import pytest

from evenmatch.errors import UsageError
from evenmatch.games.catalog import game_info
from evenmatch.network.conditions import condition_count, conditions, scale_number

KNOTS = game_info("chess").knots


def test_a_rating_lies_between_two_knots():
    row = conditions([1250], scale=0, scales=1, knots=KNOTS)[0]
    first = 1 + list(KNOTS).index(1200)
    assert row[first] == pytest.approx(0.75)
    assert row[first + 1] == pytest.approx(0.25)
    assert row.sum() == 1


@pytest.mark.parametrize(("rating", "knot"), [(100, KNOTS[0]), (600, KNOTS[0]), (3900, KNOTS[-1])])
def test_ratings_beyond_the_knots_count_as_the_last(rating, knot):
    row = conditions([rating], 0, 1, KNOTS)[0]
    assert row[1 + list(KNOTS).index(knot)] == 1
    assert row.sum() == 1


def test_scales_have_knots_of_their_own():
    one, two = (conditions([1500, 0], scale, 2, KNOTS) for scale in (0, 1))
    assert one.shape == (2, condition_count(2, KNOTS))
    assert not (one[0] * two[0]).any()
    assert one[1].tolist() == two[1].tolist() == [1, *[0] * (2 * len(KNOTS))]
    assert (one[0, 1 : 1 + len(KNOTS)] == two[0, 1 + len(KNOTS) :]).all()


def test_no_scales_no_conditions():
    assert condition_count(0, KNOTS) == 0
    assert conditions([0], 0, 0, KNOTS).shape == (1, 0)


def test_scale_names():
    assert scale_number(None, ["lichess", "fide"]) == 0
    assert scale_number("fide", ["lichess", "fide"]) == 1
    with pytest.raises(UsageError, match="this network knows: lichess, fide"):
        scale_number("icc", ["lichess", "fide"])
    with pytest.raises(UsageError, match="knows no ratings"):
        scale_number(None, [])
