"""Players at ranks of Go: which games are due, and what the page says of made-up ones."""

import pytest

from evenmatch.ratings import Pentanomial
from evenmatch_lab.ours import rank_games

OURS = rank_games.OURS


def part(rating, won, pairs=50):
    """A part of pairs won or lost as a whole."""
    counts = [pairs - won, 0, 0, 0, won]
    row = {"first": [won, pairs - won, 0], "second": [won, pairs - won, 0]}
    settings = {"rating": rating, "game": "go9", "openings": 4, "seed": 1}
    return {"settings": settings, "row": row | {"pairs": counts, "distinct": 2 * pairs}}


def test_each_rank_meets_the_next():
    """A quarter of the games is 191 Elo; five ranks are between."""
    specs = rank_games.against_next((1100, 1600, 2100))
    assert specs[f"{OURS} 20k and 15k"] == [f"{OURS}:rank=20k", f"{OURS}:rank=15k"]
    assert len(specs) == 2
    results = {key: part(0, 250, 1000) for key in specs}
    for key, players in specs.items():
        results[key]["settings"]["players"] = players
    first, second = rank_games.steps_of(results)
    assert (first.low, first.high, second.low) == (1100, 1600, 1600)
    assert first.elo == pytest.approx(191, abs=0.5)
    assert first.ranks == 5
    assert rank_games.span_text([first, second]).startswith("From 20k to 10k it is 38")
    assert rank_games.unbroken([first, second]) == [first, second]
    assert rank_games.unbroken([first, second._replace(low=1700)]) == [first]
    assert "| 20k | 15k | 25.0% " in rank_games.step_table([first])


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
    assert rank_games.rises_of(apart) == ["1", "1 (9d)", "1 (9d)"]
    assert rank_games.rises_of(together) == ["1", "1 (9d)", "0 (none)"]
