"""Opponents are values, minds travel with turns, and one engine decides any of them."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from some_turns import first_turns

from evenmatch.errors import NetworkError, StateError
from evenmatch.games import get_game
from evenmatch.games.line import GIVEN, Line
from evenmatch.network.artifact import shipped_path
from evenmatch.opponents import Engine, Mind, Turn, dials, resolve
from evenmatch.opponents import engine as module
from evenmatch.opponents.dials import Curve
from evenmatch.opponents.engine import InGame, game_seed, resolved, states_from_json

CONNECT4 = get_game("connect4")
SMALL = ("random", "mcts:sims=9", "alphazero:sims=9", "even:sims=9", "intra:sims=9")


def one_game(spec, seed=3, undo=False):
    """Nine plies against random moves, or fewer that end it; return the opponent, and the line."""
    engine, opponent, line = Engine(CONNECT4), resolve(spec, CONNECT4), Line(CONNECT4)
    player, rng = InGame(opponent, 1, game_seed(seed)), np.random.default_rng(seed)
    while line.ply < 9 and len(line.legal):
        if line.side == 1:
            turn = player.turn(line)
            (found,) = engine.think([(opponent, turn)])
            player.take(turn, found)
            line.push(found.action)
        else:
            line.push(int(rng.choice(line.legal)))
        if undo and line.ply == 7:
            undo, moves = False, line.actions[3:]
            line.cut(3)
            player.go_to(line)
            for action in moves:
                if line.side == 1:
                    turn = player.turn(line)
                    (found,) = engine.think([(opponent, turn)])
                    player.take(turn, found)
                    assert found.action == action, "the same move after it was taken back"
                line.push(action)
    return engine, player, line


@pytest.mark.parametrize("spec", SMALL)
def test_equal_seeds_give_equal_games_and_undo_takes_the_earlier_mind(spec):
    _, player, line = one_game(spec)
    _, again, same = one_game(spec, undo=True)
    assert line.actions == same.actions
    assert player.states == again.states
    assert one_game(spec, seed=4)[2].actions != line.actions


@pytest.mark.parametrize("spec", SMALL)
def test_a_game_that_was_written_down_goes_on_as_it_would_have(spec):
    engine, player, line = one_game(spec)
    stored = json.loads(
        json.dumps([asdict(player.mind), {str(p): s for p, s in player.states.items()}])
    )
    mind, states = Mind(**stored[0]), states_from_json(stored[1])
    engine.player(player.opponent).check(mind)
    assert (mind, states) == (player.mind, player.states)
    turn = player.turn(line)
    elsewhere = Turn(line, 1, player.seed, mind)
    found = [
        Engine(CONNECT4).think([(player.opponent, one)])[0].action for one in (turn, elsewhere)
    ]
    assert found[0] == found[1]


def test_a_turn_of_another_line_takes_back_what_is_not_on_it():
    _, player, line = one_game("even:sims=9")
    assert sorted(player.states) == [0, 2, 4, 6, 8]
    other = line.first(5)
    other.push(next(action for action in other.legal if action != line.actions[5]))
    player.go_to(other)
    assert sorted(player.states) == [0, 2, 4]
    assert player.is_in(line, 1)
    assert not player.is_in(line, -1)
    elsewhere = Line(CONNECT4)
    elsewhere.push((line.actions[0] + 1) % 7)
    assert not player.is_in(elsewhere, 1)


@pytest.mark.parametrize("damaged", [[], {"x": {}}, {"1": 3}, None])
def test_states_that_are_damaged(damaged):
    with pytest.raises(StateError, match="start without it"):
        states_from_json(damaged)


def test_turns_of_many_opponents_are_decided_in_one_call():
    turns = first_turns(CONNECT4, len(SMALL))
    pairs = [(resolve(spec, CONNECT4), turn) for spec, turn in zip(SMALL, turns, strict=True)]
    together = [found.action for found in Engine(CONNECT4).think(pairs)]
    assert together == [Engine(CONNECT4).think([pair])[0].action for pair in pairs]


def test_given_moves_are_no_replies():
    """An opponent learns from moves that were chosen, not from an opening."""
    engine, opponent = Engine(CONNECT4), resolve("even:sims=9", CONNECT4)
    minds = []
    for mark in ("", GIVEN):
        line = Line(CONNECT4)
        line.push(3, mark)
        minds.append(engine.think([(opponent, Turn(line, -1, 1))])[0].mind)
    assert min(minds[0].game["styles"]) < 0 == min(minds[1].game["styles"])


def test_a_search_reports_its_value_and_root_and_others_do_not():
    engine, (turn,) = Engine(CONNECT4), first_turns(CONNECT4)
    for spec, searches in (("alphazero:sims=9", True), ("random", False)):
        (found,) = engine.think([(resolve(spec, CONNECT4), turn)])
        assert (found.value is not None) == (found.root is not None) == searches
        if found.root is not None:
            best = found.root.means[found.root.best]
            assert found.value == pytest.approx((1 + best) / 2)


def test_a_tree_that_is_kept_goes_along_the_game():
    """With reuse=on the caller holds the tree; without one the same turn is searched anew."""
    engine, opponent = Engine(CONNECT4), resolve("alphazero:sims=30,reuse=on", CONNECT4)
    tree, line = engine.player(opponent).new_tree(), Line(CONNECT4)
    (first,) = engine.think([(opponent, Turn(line, 1, 5, tree=tree))])
    line.push(first.action)
    line.push(3)
    (kept,) = engine.think([(opponent, Turn(line, 1, 5, tree=tree))])
    (anew,) = engine.think([(opponent, Turn(line, 1, 5))])
    assert kept.root.visits.sum() >= 30 == anew.root.visits.sum()
    assert engine.player(resolve("alphazero:sims=30", CONNECT4)).new_tree() is None


# -- opponents are values ------------------------------------------------------------------------


def test_opponents_are_compared_hashed_and_stored():
    one, two = resolve("even:limit=1", CONNECT4), resolve("even:limit=1", CONNECT4)
    assert one == two
    assert len({one, two, resolve("even", CONNECT4)}) == 2
    assert resolved(one.spec, CONNECT4, one.curve) == one, "a saved game keeps these"
    assert one.numbers["limit"] == 1.0


def test_no_folder_decides_what_a_spec_is_unless_that_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("EVENMATCH_STATE", str(tmp_path))
    before = resolve("style:elo=1500", CONNECT4)
    shipped = dials.read_curve(dials.shipped_curve_path("connect4", "style"))
    own = replace(shipped, ratings=tuple(x + 100 for x in shipped.ratings))
    own.save(dials.own_curve_path("connect4", "style"))
    assert resolve("style:elo=1500", CONNECT4) == before
    here = resolve("style:elo=1500", CONNECT4, own=True)
    assert here.curve == own
    assert here != before
    dials.own_curve_path("connect4", "style").unlink()
    stored = Curve.from_json(json.loads(json.dumps(here.curve.to_json())))
    assert resolved(here.spec, CONNECT4, stored) == here, "as it was when it was resolved"
    weaker = Engine(CONNECT4).player(here).controller.style.search
    assert weaker < Engine(CONNECT4).player(before).controller.style.search


def test_a_network_of_another_game_is_refused_with_the_spec():
    opponent = resolve(f"alphazero:net={shipped_path('othello6')}", CONNECT4)
    with pytest.raises(NetworkError, match="alphazero:net="):
        Engine(CONNECT4).player(opponent)


def test_an_engine_keeps_so_many_players(monkeypatch):
    """Visitors of a page may ask for any number of opponents; one that went is made again."""
    monkeypatch.setattr(module, "MOST_PLAYERS", 3)
    engine, (turn,) = Engine(CONNECT4), first_turns(CONNECT4)
    many = [resolve(f"mcts:sims={sims}", CONNECT4) for sims in range(2, 9)]
    pairs = [(opponent, turn) for opponent in many]
    once = [found.action for found in engine.think(pairs)]
    assert len(engine._players) == 3
    assert [found.action for found in engine.think(pairs)] == once
