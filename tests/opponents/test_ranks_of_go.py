"""Players at a rank of Go, with a random network that knows two servers."""

from dataclasses import replace

import numpy as np
import pytest
from random_networks import random_network
from some_turns import EARLY, first_turns, player_of

from evenmatch.app.match_level import level_option, player_at, ranked
from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.games.catalog import CATALOG, game_info
from evenmatch.games.line import Line
from evenmatch.network.card import Card
from evenmatch.network.conditions import rating_condition
from evenmatch.network.inference import network_of
from evenmatch.opponents import Engine, Turn, rated, resolve
from evenmatch.opponents.controller import NEW
from evenmatch.opponents.fitted import CHESS, LEVELS
from evenmatch.opponents.networks import LEAST_CHANCE, Networks, opens_handicap
from evenmatch.opponents.pikl import PiklParams
from evenmatch.opponents.rating_range import clamp_spec, measured_range, rating_of
from evenmatch.search.forest import seeds_from

GO9 = get_game("go9")
SCALES = ("kgs", "ogs")


@pytest.fixture(scope="module")
def net(tmp_path_factory):
    return str(random_network(tmp_path_factory.mktemp("n") / "n.onnx", SCALES, game="go9"))


@pytest.fixture
def fitted(monkeypatch):
    """Let `pikl` be fitted to ranks from 15k to 1d."""
    monkeypatch.setitem(CATALOG, "go9", replace(CATALOG["go9"], rated="pikl"))
    levels = {1600: PiklParams(2.0, 1.0, 20), 3100: PiklParams(0.5, 1.0, 20)}
    monkeypatch.setitem(LEVELS, "go9", replace(CHESS, pikl=levels))


@pytest.mark.parametrize(
    ("rank", "scale"), [("25k", "ogs"), ("8k", "ogs"), ("5d", "ogs"), ("6d", "kgs"), ("9d", "kgs")]
)
def test_a_rank_is_of_the_first_server_that_has_it(rank, scale):
    card = Card(game="go", shape=(41, 0, 0), planes="", actions=0, blocks=1, channels=8)
    card = replace(card, scales=list(SCALES))
    asked = rating_condition(rating_of("go9", f"human:rank={rank}"), None, card)
    assert card.scales[asked.scale] == scale
    assert game_info("chess").scale_of(1500) == "lichess-rapid"
    assert game_info("othello").scale_of(1500) is None


def test_professionals_are_of_fox():
    assert game_info("go").scale_of(rating_of("go", "human:rank=7p")) == "fox"


def test_people_of_two_ranks_play_otherwise(net):
    """100 moves of each from the start by the same seeds; the policies alone differ."""
    moves = {}
    for rank in ("20k", "3d", "20K"):
        opponent = resolve(f"human:rank={rank},net={net}", GO9)
        turns = [(opponent, turn) for turn in first_turns(GO9, 100)]
        moves[rank] = np.array([one.action for one in Engine(GO9).think(turns)])
    assert (moves["20k"] != moves["3d"]).any()
    assert (moves["20k"] == moves["20K"]).all()


def test_a_rank_in_between_has_numbers_in_between(net, fitted, monkeypatch):
    """The logarithms lie on a line: 8k is 7/15 of the way from 2 to 0.5."""
    monkeypatch.setattr(rated, "human_policy_path", lambda _: net)
    controller = player_of("pikl:rank=8k", GO9).controller
    plan = controller.plan(EARLY, NEW)
    assert (plan.rating, plan.simulations) == (2300, 20)
    assert controller.temperature == pytest.approx(2 * 0.25 ** (7 / 15))
    assert measured_range("go9", "pikl") == (1600, 3100)


def test_ranks_beyond_what_is_measured(fitted):
    assert clamp_spec("go9", "pikl:rank=8k") == ("pikl:rank=8k", "")
    spec, note = clamp_spec("go9", "pikl:rank=25k,sims=9")
    assert spec == "pikl:rank=15k,sims=9"
    assert note == "25k is not measured; it plays at 15k, the lowest measured level."
    assert player_at(level_option(None, "3d"), game_info("go9"))[0] == "pikl:rank=1d"
    assert ranked(None, "2k", "go9")[0] == "pikl:rank=2k"


@pytest.mark.parametrize(
    ("game", "spec", "message"),
    [
        ("go9", "human:elo=1500", "elo is not for go9; write rank=5k, for example"),
        ("chess", "human:rank=5k", "rank is not for chess; write elo=1500, for example"),
        ("go9", "human:rank=31k", "'31k' is not a rank; write one such as 8k or 2d"),
        ("go9", "human:rank=strong", "'strong' is not a rank"),
    ],
)
def test_what_is_no_level_of_the_game(net, game, spec, message):
    with pytest.raises(UsageError, match=message):
        player_of(spec, get_game(game), net=net)


def test_options_that_are_no_level_of_the_game(fitted):
    go9 = game_info("go9")
    with pytest.raises(UsageError, match="--elo and --rank both say the level"):
        level_option(1500, "5k")
    with pytest.raises(UsageError, match="--elo is not for go9; write --rank 5k"):
        player_at(level_option(1500, None), go9)
    with pytest.raises(UsageError, match="--rank is not for chess; write --elo 1500"):
        player_at(level_option(None, "5k"), game_info("chess"))
    with pytest.raises(UsageError, match="--rank is not for othello; write --elo 1500"):
        player_at(level_option(None, "5k"), game_info("othello"))
    with pytest.raises(UsageError, match="--rank and --player both say who plays"):
        ranked("even", "5k", "go9")


GO = get_game("go")


ROUNDING = 2e-4  #: of a chance near 1%: batches of another size round their sums otherwise


def after_stones(stones):
    """The start [S] of 19x19 after handicap stones, White to move."""
    return GO.read_position(GO.beginning(handicap=stones))


def base_chances(states, actions):
    """How likely the base network has moves to be, [n]."""
    logits = np.where(GO.legal_mask(states), network_of(GO).evaluate(states).logits, -np.inf)
    weights = np.exp(logits.astype(float) - logits.max(1, keepdims=True))
    return (weights / weights.sum(1, keepdims=True))[np.arange(len(states)), actions]


@pytest.mark.parametrize(("spec", "games"), [("pikl:rank=8k", 4), ("human:rank=3d", 8)])
def test_players_of_a_rank_open_handicap_games_as_somebody_would(spec, games):
    """White's first two moves after four stones are none that the base network hardly gives."""
    engine, opponent = Engine(GO), resolve(spec, GO)
    lines, seeds = [Line(GO, after_stones(4)) for _ in range(games)], seeds_from(1, games)
    for ply in range(3):
        if ply == 1:
            moves = np.array([line.legal[0] for line in lines])
        else:
            turns = [
                (opponent, Turn(line, -1, int(seed)))
                for line, seed in zip(lines, seeds, strict=True)
            ]
            moves = np.array([found.action for found in engine.think(turns)])
            states = np.array([line.state for line in lines])
            assert base_chances(states, moves).min() >= LEAST_CHANCE - ROUNDING
        for line, move in zip(lines, moves, strict=True):
            line.push(int(move))
    assert len({line.actions[0] for line in lines}) > 2, "they do not all play one move"


def test_positions_that_open_handicap_games():
    """White's first two moves; not Black's, nor any of a game without stones."""
    state, seen = after_stones(4)[None], []
    for point in (41, 60, 300, 320, 45):
        seen.append(bool(opens_handicap(GO, state)[0]))
        state = GO.after(state, np.array([point]))
    assert seen == [True, False, True, False, False]
    state = GO.initial()
    for point in (41, 60, 300, 320, 45):
        assert not opens_handicap(GO, state)[0]
        state = GO.after(state, np.array([point]))
    assert opens_handicap(GO9, GO9.read_position(GO9.beginning(handicap=2))[None])[0]


def test_openings_of_even_games_are_as_the_network_has_them():
    """Also where positions of handicap games are asked about at the same time."""
    even = GO.after(GO.initial(), np.array([60]))
    states = np.concatenate([GO.initial(), after_stones(2)[None], even])
    network = network_of(GO, rated.human_policy_path("go"))
    usual = network.evaluate(states).logits.copy()
    opened = Networks(GO).of_people().evaluate(states).logits
    assert np.array_equal(opened[[0, 2]], usual[[0, 2]])
    assert not np.array_equal(opened[1], usual[1])


@pytest.mark.filterwarnings("error")
def test_a_game_that_is_over_is_judged_as_any():
    """A search asks about positions that have no move, also of handicap games."""
    over = after_stones(4)[None]
    over = GO.after(over, np.array([GO.points]))  # White passes
    over = GO.after(over, np.array([GO.points]))
    assert not GO.legal_mask(over).any()
    assert np.isfinite(Networks(GO).of_people().evaluate(over).logits).all()
