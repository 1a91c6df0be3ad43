"""The table of players: every row plays, and bad specs say the fix."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from random_networks import random_network
from some_turns import EARLY, first_turns, player_of

from evenmatch.errors import NetworkError, SpecError, UsageError
from evenmatch.games import GAMES
from evenmatch.network.artifact import shipped_path
from evenmatch.network.card import BETA, BETA_PLAIN
from evenmatch.network.inference import network_of
from evenmatch.opponents import PLAYERS, Engine, parse_spec, resolve
from evenmatch.opponents.controller import NEW
from evenmatch.opponents.fitted import CHESS, LEVELS
from evenmatch.opponents.player import turn_seeds
from evenmatch.opponents.rated import RATED
from evenmatch.play.arena import play, play_match
from evenmatch.search import Request

CONNECT4 = GAMES["connect4"]
#: Players of the laboratory that know only the games of Fujita 2022.
OF_FUJITA = {"minimax1", "minimax2", "minimaxdda", "early"}
#: Players that need constants or an evaluation that chess does not have.
NOT_FOR_CHESS = {"alphadda1", "alphadda2", "alphadda3"} | OF_FUJITA


def cannot_play(name, game):
    """Whether a player has nothing to play a game with."""
    if game.id == "chess":
        return name in NOT_FOR_CHESS
    if game.id.startswith("go"):
        return name in OF_FUJITA or name == "ace"
    return name in RATED


def decided(spec, game, count, seed=1):
    """The first actions of ``count`` games, decided in one call."""
    engine, opponent = Engine(game), resolve(spec, game)
    turns = [(opponent, turn) for turn in first_turns(game, count, seed)]
    return np.array([found.action for found in engine.think(turns)])


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@pytest.mark.parametrize("name", PLAYERS)
def test_every_player_moves_legally(name, game):
    if name == "engine":
        with pytest.raises(UsageError, match=r"engines play chess|no engine; name its command"):
            player_of(name, game)
        return
    if cannot_play(name, game):
        reason = game.id
        with pytest.raises((UsageError, SpecError), match=reason):
            player_of(name, game)
        return
    games = 1 if game.id == "go" else 3  # to think about 19x19 takes seconds
    small = ":sims=8" if game.family == "go" and "sims" in PLAYERS[name].keys else ""
    actions = decided(name + small, game, games)
    assert game.legal_mask(game.initial(games))[np.arange(games), actions].all()


@pytest.mark.parametrize("name", [name for name in PLAYERS if name != "engine"])
def test_games_side_by_side_are_as_alone(name):
    """A player moves in the first of five games as it would in that game alone."""
    game = GAMES["chess"] if name in RATED else CONNECT4
    turns = first_turns(game, 5, seed=7)
    alone, together = (
        Engine(game).think([(resolve(name, game), turn) for turn in some])
        for some in (turns[:1], turns)
    )
    assert alone[0].action == together[0].action


def test_people_play_as_the_policy_says():
    """1200 first moves: each comes up as often as the policy of the rating has it.

    Each of 20 counts is within 5 of its standard deviations but with a chance of 1e-5.
    """
    from evenmatch.network.inference import NetworkEvaluator

    chess, games = GAMES["chess"], 1200
    counts = np.bincount(decided("human:elo=1200", chess, games, seed=3), minlength=1858)
    net = NetworkEvaluator(shipped_path("chess"), chess)
    request = Request(ratings=np.array([1200.0]))
    logits = net.evaluate(chess.initial(), request).logits[0].astype(float)
    shares = np.where(chess.legal_mask(chess.initial())[0], np.exp(logits), 0)
    wanted = games * shares / shares.sum()
    assert (np.abs(counts - wanted) <= 5 * np.sqrt(wanted) + 1).all()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("human:elo=400", r"elo=400 is outside \[600, 2800\]"),
        ("human:scale=fido", "no rating scale 'fido'; this network knows: lichess-rapid, fide"),
        ("human:temperature=-1", r"temperature=-1 is outside \[0, 10\]"),
        ("se:elo=400", r"elo=400 is outside \[600, 2800\]"),
        ("sa:elo=400", r"elo=400 is outside \[600, 2800\]"),
        ("sa:r_th=2", r"r_th=2.0 is outside \[0, 1\]"),
        ("ace:elo=9000", r"elo=9000 is outside \[600, 2800\]"),
        ("ace:tau=0", r"tau=0.0 is outside \[0.02, 50\]"),
        ("se:scale=fido", "no rating scale 'fido'; this network knows: lichess-rapid, fide"),
        ("se:c_1=-1", "c_1=-1"),
    ],
)
def test_people_who_are_not_known(spec, message):
    with pytest.raises(UsageError, match=message):
        player_of(spec, GAMES["chess"])


def test_specs_are_read():
    assert parse_spec("mcts1") == ("mcts1", {})
    assert parse_spec("alphazero:sims=20,reuse=on") == ("alphazero", {"sims": 20, "reuse": True})


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nobody", "unknown player 'nobody'; choose one of: alphadda1"),
        ("mcts1:depth=3", "its keys are: sims, c, open"),
        ("random:a=1", "its keys are: none"),
        ("mcts:sims", "has no value; write sims=VALUE"),
        ("mcts:sims=many", "'many' is no value for sims of player mcts; write a whole number"),
        ("mcts:sims=1_0", "'1_0' is no value for sims of player mcts; write a whole number"),
        ("mcts:sims=١٠", "write a whole number"),
        ("mcts:c=1_0", "write a number"),
        (f"mcts:sims={'9' * 3000}", "'9{39}…' is no value"),
        ("x" * 3000, "unknown player 'x{39}…'"),
        ("alphazero:reuse=yes", "write on or off"),
    ],
)
def test_bad_specs_say_the_fix(spec, message):
    with pytest.raises(SpecError, match=message):
        parse_spec(spec)


@pytest.mark.parametrize("spec", ["mcts:sims=0", "mcts:sims=-3", "minimax1:depth=0", "mcts:c=nan"])
def test_values_out_of_range(spec):
    with pytest.raises(UsageError, match=spec):
        player_of(spec, CONNECT4)


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
def test_time_limits_out_of_range(seconds):
    spec = f"alphazero:seconds={seconds}"
    with pytest.raises(UsageError, match=rf"{spec}: seconds=.* is outside \(0, inf\)"):
        player_of(spec, CONNECT4)


def test_a_player_that_is_stopped_plays_by_what_it_has_searched():
    engine, opponent = Engine(CONNECT4), resolve("alphazero:sims=50", CONNECT4)
    (turn,) = first_turns(CONNECT4)
    for stopped, simulations in ((iter([False, False, True]).__next__, 3), (None, 50)):
        (found,) = engine.think([(opponent, turn)], stopped=stopped)
        assert found.action in range(7)
        assert found.root.visits.sum() == simulations


def test_network_of_another_game_is_refused():

    path = shipped_path("othello6")
    with pytest.raises(NetworkError):
        player_of(f"alphazero:net={path}", CONNECT4)


def test_turn_seeds_differ_and_are_not_zero():
    seeds = np.repeat(np.arange(100, dtype=np.uint64), 100)
    words = turn_seeds(seeds, np.tile(np.arange(100), 100))
    assert (words != 0).all()
    assert len(np.unique(words)) > 9990  # 10,000 draws of 2^63 words: a repeat is a defect


def test_games_with_reuse_end():  # that the tree is kept: search/test_forest.py
    match = play_match("alphazero:sims=30,reuse=on", "random", CONNECT4, 4, seed=3)
    assert match.score.games == 4


def test_random_player_is_uniform():
    """Chi-square over 7 columns, 7000 draws; false alarm 1e-6 (threshold of 6 degrees: 39.9)."""
    counts = np.bincount(decided("random", CONNECT4, 7000, seed=11), minlength=7)
    assert ((counts - 1000) ** 2 / 1000).sum() < 39.9


def test_unused_entrants_cost_nothing():
    assert play(["random", "alphazero"], [], CONNECT4) == []


def test_a_network_of_ones_own_needs_parameters_of_its_own(tmp_path):
    path = random_network(tmp_path / "net.onnx")
    with pytest.raises(UsageError, match="give tau, t and c_puct, which `evenmatch experiment"):
        player_of(f"ace:net={path},tau=1,t=1", GAMES["chess"])
    player_of(f"ace:net={path},tau=1,t=1,c_puct=2", GAMES["chess"])


def test_ace_that_is_told_no_rating_has_numbers_of_its_own():
    """It looks at the same policy at every rating; what differs is fitted to that."""
    plans = {}
    for spec in ("ace:elo=1250", "ace:elo=1250,conditioned=off", "ace:elo=2150,conditioned=off"):
        plans[spec] = player_of(spec, GAMES["chess"]).controller.plan(EARLY, NEW)
    conditioned, low, high = plans.values()
    assert (conditioned.rating, low.rating, high.rating) == (1250, 0, 0)
    assert low.c_puct == CHESS.ace_untold[1250].c_puct != conditioned.c_puct
    assert high.c_puct == CHESS.ace_untold[2150].c_puct != low.c_puct
    with pytest.raises(UsageError, match=r"elo=9000 is outside"):
        player_of("ace:elo=9000,conditioned=off", GAMES["chess"])


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ("se:elo=1100", 7.0),
        ("se:elo=1100,c_1=3", 3.0),
        ("se:elo=1100,conditioned=on", 2.0),
        ("se:elo=1100,plain=on", 2.0),
        ("se:elo=1100,scale=fide", 2.0),
    ],
)
def test_a_fitted_c_1_holds_for_what_it_was_fitted_to(spec, wanted, monkeypatch):
    monkeypatch.setitem(LEVELS, "chess", replace(CHESS, se={1100: 7.0}))
    assert player_of(spec, GAMES["chess"]).controller.plan(EARLY, NEW).c_1 == wanted


@pytest.mark.parametrize("plain", [False, True])
def test_se_goes_by_the_score_it_is_named_for(plain, tmp_path):
    """Its own network's; that of the network that ships where policy and value are another's."""
    chess = GAMES["chess"]
    other = random_network(tmp_path / "net.onnx", seed=3)
    spec = f"se:plain={'on' if plain else 'off'}"
    players = [player_of(spec + net, chess) for net in ("", f",net={other}")]
    states, network = chess.initial(2), network_of(chess)
    wanted = network.evaluate(states).scores.copy()
    ours, theirs = (player.judge.evaluate(states) for player in players)
    assert np.array_equal(ours.scores, wanted)
    assert np.array_equal(theirs.scores, wanted)
    plans = [player.controller.plan(EARLY, NEW) for player in players]
    assert [plan.score for plan in plans] == [BETA_PLAIN if plain else BETA] * 2
    assert np.array_equal(theirs.logits, network_of(chess, str(other)).evaluate(states).logits)
    assert not np.array_equal(ours.logits, theirs.logits)


def test_plain_pikl_has_no_fitted_numbers():
    with pytest.raises(UsageError, match="not fitted with plain on; give both"):
        player_of("pikl:plain=on,lam=0.1", GAMES["chess"])
    player_of("pikl:plain=on,lam=0.1,t=1", GAMES["chess"])


def test_pikl_and_even_want_a_network_that_knows_ratings(tmp_path):
    net = random_network(tmp_path / "some.onnx")
    for name in ("pikl", "even"):
        with pytest.raises(UsageError, match="this network knows no ratings; use one trained on"):
            player_of(f"{name}:net={net}", GAMES["chess"])
        rated = random_network(tmp_path / f"{name}.onnx", scales=["lichess-rapid"])
        player_of(f"{name}:net={rated}", GAMES["chess"])
    with pytest.raises(UsageError, match="at connect4 even goes by no network of people"):
        player_of(f"even:net={net}", GAMES["connect4"])
    with pytest.raises(UsageError, match="knows one rating, the mover's; remove opponent"):
        player_of("human:opponent=1700", GAMES["chess"])


@pytest.mark.parametrize(
    ("game", "sims"), [("connect4", 300), ("chess", 300), ("go9", 300), ("go13", 720), ("go", 1500)]
)
def test_large_boards_have_more_random_games(game, sims):
    for spec, wanted in (("mcts", sims), ("mcts:sims=7", 7)):
        controller = player_of(spec, GAMES[game]).controller
        assert controller.plan(EARLY, NEW).simulations == wanted


def test_a_package_adds_players(tmp_path):
    """Its module may use any name of evenmatch, which is being imported when it is loaded."""
    info = tmp_path / "mine-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: mine\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[evenmatch.players]\nmine = mine:PLAYERS\n")
    (tmp_path / "mine.py").write_text(
        "import evenmatch\n"
        "class First(evenmatch.Player):\n"
        "    def decide(self, turns):\n"
        "        return [evenmatch.Decision(turn.line.legal[0], turn.mind) for turn in turns]\n"
        "PLAYERS = {'first': evenmatch.PlayerKind('first move', lambda game, networks: First())}\n"
    )
    code = "import evenmatch; print(evenmatch.PLAYERS['first'].summary)"
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert run.stdout == "first move\n", run.stderr
