"""Players at ranks of Go: which games are due, and what the page says of made-up ones."""

import pytest

from evenmatch.ratings import Pentanomial
from evenmatch_lab.ours import rank_games

GNU, OURS = "GNU Go 10", rank_games.OURS


def part(rating, won, pairs=50):
    """A part of pairs won or lost as a whole."""
    counts = [pairs - won, 0, 0, 0, won]
    row = {"first": [won, pairs - won, 0], "second": [won, pairs - won, 0]}
    settings = {"rating": rating, "game": "go9", "openings": 4, "seed": 1}
    return {"settings": settings, "row": row | {"pairs": counts, "distinct": 2 * pairs}}


def test_games_that_were_played_again_are_added():
    results = {f"{OURS} 9d": part(3900, 30, 50), f"{OURS} 9d again": part(3900, 60, 75)}
    assert rank_games.by_opponent(results)[OURS] == {3900: Pentanomial((35, 0, 0, 0, 90))}


def test_a_rank_that_won_all_moves_the_line_too():
    """18 of 40 at 15k, all at 9d: half is scored a little above 15k; one rank gives no line."""
    rows = {1600: Pentanomial((11, 0, 0, 0, 9)), 3900: Pentanomial((0, 0, 0, 0, 20))}
    rating = rank_games.half_scored(rows, {r: pairs.fraction for r, pairs in rows.items()})
    assert 1600 < rating < 1800
    assert rank_games.half_scored({1600: rows[1600]}, {1600: 0.45}) is None


def test_half_is_scored_where_the_line_of_elo_crosses_0():
    """25% at 15k and 75% at 5k are as far from half: the line crosses at 10k, in the middle."""
    rows = {1600: Pentanomial((15, 0, 0, 0, 5)), 2600: Pentanomial((5, 0, 0, 0, 15))}
    assert rank_games.half_scored(rows, {1600: 0.25, 2600: 0.75}) == pytest.approx(2100)
    drawn = {1600: Pentanomial((0, 20, 0, 0, 0)), 2600: Pentanomial((0, 0, 0, 20, 0))}
    assert rank_games.half_scored(drawn, {1600: 0.25, 2600: 0.75}) == pytest.approx(2100)


def test_where_every_game_is_won_there_is_no_line():
    rows = dict.fromkeys((1600, 3900), Pentanomial((0, 0, 0, 0, 20)))
    assert rank_games.half_scored(rows, {1600: 1.0, 3900: 1.0}) is None
    assert rank_games.half_text(rows) == "no line rises through the ranks that played"


def test_a_rise_counts_as_sure_by_the_intervals_of_pairs():
    """Pairs are the unit: twenty games that were ten openings decided twice are ten results."""
    apart = {1600: Pentanomial((0, 10, 10, 0, 0)), 3900: Pentanomial((0, 0, 10, 10, 0))}
    together = {1600: Pentanomial((13, 0, 0, 0, 7)), 3900: Pentanomial((7, 0, 0, 0, 13))}
    assert rank_games.rises_of("human", apart) == ["1", "1 (9d)", "1 (9d)"]
    assert rank_games.rises_of("human", together) == ["1", "1 (9d)", "0 (none)"]
