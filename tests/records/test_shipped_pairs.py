"""The pairs of games that ship: whole, alike but for the moves, and about nobody."""

import json
from collections import Counter

import numpy as np
import pytest
from some_turns import player_of

from evenmatch.games import get_game
from evenmatch.records.pairs import SHIPPED, Pairs, as_text, shipped_pairs

PAIRS = shipped_pairs()
ALL = list(PAIRS.by_id.values())
MADE = json.loads(SHIPPED.read_text(encoding="utf-8"))


def test_every_class_and_player_has_as_many():
    counts = Counter((pair.label, pair.player.partition(":")[0]) for pair in ALL)
    assert len(counts) == 16
    assert set(counts.values()) == {7}


def test_players_are_set_to_the_middle_of_the_class():
    for pair in ALL:
        name, middle = pair.player.partition(":")[0], pair.lowest + pair.width // 2
        assert f"{'s' if name == 'pikl' else 'elo'}={middle}" in pair.player
        player_of(pair.player, get_game(PAIRS.game))


def test_no_game_is_there_twice_and_ids_are_unique():
    games = [game for pair in ALL for game in pair.games]
    assert len({game.moves for game in games}) == len(games)
    ids = [*(pair.id for pair in ALL), *(game.id for game in games)]
    assert len(set(ids)) == len(ids)
    assert {len(one) for one in ids} == {12}


def test_all_games_are_as_long_and_legal():
    """Played by the rules, none is over before its end."""
    game = get_game(PAIRS.game)
    for pair in ALL:
        for one in pair.games:
            assert len(one.moves) == MADE["plies"]
            state = game.initial()
            for move in one.moves:
                assert not game.outcome(state)[0][0]
                action = game.read_action(state[0], move)
                state = game.after(state, np.array([action]))


def test_nothing_tells_of_people_or_days():
    """A pair has these fields and no more; days are those on which our players played."""
    assert all(
        set(row) == {"id", "label", "lowest", "width", "player", "people", "program"}
        and set(row["people"]) == set(row["program"]) == {"id", "moves"}
        for row in MADE["pairs"]
    )
    assert "CC0" in MADE["people"]
    assert MADE["seed"] == 31
    assert SHIPPED.stat().st_size < 300_000


def test_ids_do_not_tell_the_answer():
    """Which id is the lower one is a toss of a coin: 112 of them, four deviations from half."""
    lower = sum(pair.program.id < pair.people.id for pair in ALL)
    assert abs(lower - len(ALL) / 2) < 4 * (len(ALL) / 4) ** 0.5


@pytest.mark.parametrize("count", [1, 3])
def test_pairs_are_read_as_they_were_written(tmp_path, count):
    path = tmp_path / "pairs.json"
    made = {"game": "chess", "scale": "fide", "networks": ["a", "b"]}
    path.write_text(as_text(made, ALL[:count]), encoding="utf-8")
    read = Pairs.read(path)
    assert (read.game, read.scale, read.networks) == ("chess", "fide", ("a", "b"))
    assert list(read.by_id.values()) == ALL[:count]
