from dataclasses import replace

import numpy as np
import pytest
from random_networks import random_network

from evenmatch.arena import play, play_match
from evenmatch.errors import NetworkError, SpecError, UsageError
from evenmatch.games import GAMES
from evenmatch.network.artifact import shipped_path
from evenmatch.network.card import BETA, BETA_PLAIN
from evenmatch.players import (
    PLAYERS,
    SearchPlayer,
    Turns,
    make_player,
    parse_spec,
    rated,
    turn_seeds,
)
from evenmatch.players.evaluators import network_of
from evenmatch.players.rated import RATED
from evenmatch.search import Request
from evenmatch.strength import View
from evenmatch.strength.levels import CHESS, LEVELS

CONNECT4 = GAMES["connect4"]
MINIMAX = {"minimax1", "minimax2", "minimaxdda"}
#: Players that need constants or an evaluation that chess does not have.
NOT_FOR_CHESS = {"alphadda1", "alphadda2", "alphadda3"} | MINIMAX


def cannot_play(name, game):
    """Whether a player has nothing to play a game with."""
    if game.id == "chess":
        return name in NOT_FOR_CHESS
    if game.id.startswith("go"):
        return name in MINIMAX or name == "ace"
    return name in RATED


def turns_at_start(game, games=1):
    history = np.repeat(game.initial(games)[:, None], game.max_plies + 1, axis=1)
    actions = np.full((games, game.max_plies), -1, np.int32)
    return Turns(np.arange(games), np.zeros(games, int), history, actions)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@pytest.mark.parametrize("name", PLAYERS)
def test_every_player_moves_legally(name, game):
    if name == "engine":
        with pytest.raises(UsageError, match=r"engines play chess|no engine; name its command"):
            make_player(name, game, 3)
        return
    if cannot_play(name, game):
        reason = game.id
        with pytest.raises((UsageError, SpecError), match=reason):
            make_player(name, game, 3)
        return
    games = 1 if game.id == "go" else 3  # to think about 19x19 takes seconds
    small = ":sims=8" if game.family == "go" and "sims" in PLAYERS[name].keys else ""
    player = make_player(name + small, game, games)
    player.begin(np.arange(games), np.ones(games, np.int8), seed=1)
    turns = turns_at_start(game, games)
    actions = player.choose(turns)
    assert game.legal_mask(turns.states)[np.arange(games), actions].all()


@pytest.mark.parametrize("name", [name for name in PLAYERS if name != "engine"])
def test_games_side_by_side_are_as_alone(name):
    """A player moves in the first of five games as it would in that game alone."""
    boards, game = [], GAMES["chess"] if name in RATED else CONNECT4
    for games in (1, 5):
        player = make_player(name, game, games)
        player.begin(np.arange(games), np.ones(games, np.int8), seed=7)
        boards.append(int(player.choose(turns_at_start(game, games))[0]))
    assert boards[0] == boards[1]


def test_people_play_as_the_policy_says():
    """1200 first moves: each comes up as often as the policy told the rating has it.

    Each of 20 counts is within 5 of its standard deviations but with a chance of 1e-5.
    """
    from evenmatch.network.inference import NetworkEvaluator

    chess, games = GAMES["chess"], 1200
    player = make_player("human:elo=1200", chess, games)
    player.begin(np.arange(games), np.ones(games, np.int8), seed=3)
    counts = np.bincount(player.choose(turns_at_start(chess, games)), minlength=1858)
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
        make_player(spec, GAMES["chess"])


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
        make_player(spec, CONNECT4)


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
def test_time_limits_out_of_range(seconds):
    spec = f"alphazero:seconds={seconds}"
    with pytest.raises(UsageError, match=rf"{spec}: seconds=.* is outside \(0, inf\)"):
        make_player(spec, CONNECT4)


def test_a_player_that_is_stopped_plays_by_what_it_has_searched():
    player = make_player("alphazero:sims=50", CONNECT4)
    assert isinstance(player, SearchPlayer)
    for stopped, simulations in ((iter([False, False, True]).__next__, 3), (None, 50)):
        player.stopped = stopped
        player.begin(np.array([0]), np.array([1], np.int8), 1)
        assert player.choose(turns_at_start(CONNECT4))[0] in range(7)
        assert player.last.visits.sum() == simulations


def test_network_of_another_game_is_refused():

    path = shipped_path("othello6")
    with pytest.raises(NetworkError):
        make_player(f"alphazero:net={path}", CONNECT4)


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
    player = make_player("random", CONNECT4, 7000)
    player.begin(np.arange(7000), np.ones(7000, np.int8), seed=11)
    counts = np.bincount(player.choose(turns_at_start(CONNECT4, 7000)), minlength=7)
    assert ((counts - 1000) ** 2 / 1000).sum() < 39.9


def test_unused_entrants_cost_nothing():
    assert play(["random", "alphazero"], [], CONNECT4) == []


def test_a_network_of_ones_own_needs_parameters_of_its_own(tmp_path):
    path = random_network(tmp_path / "net.onnx")
    with pytest.raises(UsageError, match="give tau, t and c_puct, which `evenmatch experiment"):
        make_player(f"ace:net={path},tau=1,t=1", GAMES["chess"])
    make_player(f"ace:net={path},tau=1,t=1,c_puct=2", GAMES["chess"])


def test_ace_that_is_told_no_rating_has_numbers_of_its_own():
    """It looks at the same policy at every rating; what differs is fitted to that."""
    plans = {}
    for spec in ("ace:elo=1250", "ace:elo=1250,told=off", "ace:elo=2150,told=off"):
        player = make_player(spec, GAMES["chess"])
        assert isinstance(player, SearchPlayer)
        plans[spec] = player.make_controller().plan(View(0, 1, np.zeros(0, np.float32)))
    told, low, high = plans.values()
    assert (told.rating, low.rating, high.rating) == (1250, 0, 0)
    assert low.c_puct == CHESS.ace_untold[1250].c_puct != told.c_puct
    assert high.c_puct == CHESS.ace_untold[2150].c_puct != low.c_puct
    with pytest.raises(UsageError, match=r"elo=9000 is outside"):
        make_player("ace:elo=9000,told=off", GAMES["chess"])


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ("se:elo=1100", 7.0),
        ("se:elo=1100,c_1=3", 3.0),
        ("se:elo=1100,told=on", 2.0),
        ("se:elo=1100,plain=on", 2.0),
        ("se:elo=1100,scale=fide", 2.0),
    ],
)
def test_a_fitted_c_1_holds_for_what_it_was_fitted_to(spec, wanted, monkeypatch):
    monkeypatch.setitem(LEVELS, "chess", replace(CHESS, se={1100: 7.0}))
    plans = []
    monkeypatch.setattr(rated, "StrengthSearch", lambda targets, plan: plans.append(plan))
    make_player(spec, GAMES["chess"], 1).begin(np.arange(1), np.ones(1, np.int8), 1)
    assert {plan.c_1 for plan in plans} == {wanted}


@pytest.mark.parametrize("plain", [False, True])
def test_se_goes_by_the_score_it_is_named_for(plain, tmp_path, monkeypatch):
    """Its own network's; that of the network that ships where policy and value are another's."""
    chess, seen = GAMES["chess"], []
    monkeypatch.setattr(rated, "SearchPlayer", lambda *parts: seen.append(parts[2:]))
    other = random_network(tmp_path / "net.onnx", seed=3)
    spec = f"se:plain={'on' if plain else 'off'}"
    for net in ("", f",net={other}"):
        make_player(spec + net, chess)
    states, network = chess.initial(2), network_of(chess)
    wanted = network.evaluate(states).scores.copy()
    ours, theirs = (judge.evaluate(states) for judge, _ in seen)
    assert np.array_equal(ours.scores, wanted)
    assert np.array_equal(theirs.scores, wanted)
    plans = [make().plan(View(0, 1, np.zeros(0, np.float32))) for _, make in seen]
    assert [plan.score for plan in plans] == [BETA_PLAIN if plain else BETA] * 2
    assert np.array_equal(theirs.logits, network_of(chess, str(other)).evaluate(states).logits)
    assert not np.array_equal(ours.logits, theirs.logits)


def test_plain_pikl_has_no_fitted_numbers():
    with pytest.raises(UsageError, match="not fitted with plain on; give both"):
        make_player("pikl:plain=on,lam=0.1", GAMES["chess"], 1)
    make_player("pikl:plain=on,lam=0.1,t=1", GAMES["chess"], 1)


def test_pikl_wants_both_numbers_with_a_network_of_one_s_own(tmp_path):
    net = random_network(tmp_path / "some.onnx")
    with pytest.raises(UsageError, match="give both"):
        make_player(f"pikl:lam=0.1,net={net}", GAMES["chess"], 1)


@pytest.mark.parametrize("spec", ["random", "mcts:sims=4", "alphazero:sims=2"])
def test_games_are_opened_and_closed(spec):
    """Room grows as games are opened; those that go on move as before, and numbers come again."""
    player, alone = make_player(spec, CONNECT4), make_player(spec, CONNECT4)
    first = player.open()
    for one in (player, alone):
        one.begin(np.array([0]), np.array([1], np.int8), 5)
    numbers = [first, *(player.open() for _ in range(6))]
    assert sorted(numbers) == list(range(7))
    assert player.games == 8
    turns = turns_at_start(CONNECT4)
    assert player.choose(turns) == alone.choose(turns)
    player.close(numbers[3])
    assert player.open() == numbers[3]
