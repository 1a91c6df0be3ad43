import pytest

from evenmatch.opponents.dials import curve_of
from evenmatch.opponents.rating_range import ANCHORS, anchors_of, likened, rating_of_anchor
from evenmatch.opponents.table import parse_spec


def test_anchors_are_players():
    for anchors in ANCHORS.values():
        for anchor in anchors:
            parse_spec(anchor.spec)


def test_anchors_that_are_not_installed_stay_away(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert [anchor.name for anchor in anchors_of("chess")] == ["full strength"]
    assert [anchor.name for anchor in anchors_of("go9")] == ["Random"]
    assert len(anchors_of("othello")) == 5
    assert anchors_of("nothing") == ()


def test_rating_of_an_anchor():
    assert rating_of_anchor("connect4", "mcts:sims=300") == 1719
    assert rating_of_anchor("connect4", "mcts:sims=301") is None
    lowest = curve_of("connect4", "style", own=True).range[0]
    assert rating_of_anchor("connect4", "random") == lowest, "that level plays random moves"
    assert rating_of_anchor("go9", "random") is None
    assert rating_of_anchor("nothing", "random") is None


@pytest.mark.parametrize(
    ("rating", "words"),
    [
        (1500, "about MCTS with 100 playouts"),
        (1650, "about MCTS with 300 playouts"),
        (1627, "between MCTS with 100 playouts and MCTS with 300 playouts"),
        (1200, "between random moves and MCTS with 100 playouts"),
        (500, "weaker than random moves"),
        (2300, "stronger than AlphaZero"),
    ],
)
def test_likened(rating, words):
    assert likened("connect4", rating) == words


def test_nobody_to_be_likened_to():
    assert likened("chess", 1500) == ""
