"""``PLAYERS``, the one table of players, from which command line, docs and tests derive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, TypeVar

import numpy as np

from evenmatch.errors import EvenmatchError, SpecError, quoted
from evenmatch.games.game import Game
from evenmatch.players.evaluators import load_evaluator
from evenmatch.players.player import MinimaxPlayer, Player, RandomPlayer
from evenmatch.players.rated import NET, RATED
from evenmatch.players.search_player import DepthPlayer, SearchPlayer
from evenmatch.players.spec import Key, PlayerKind, one_of, parse, switch
from evenmatch.search import Plan, RolloutEvaluator, Rule, Search
from evenmatch.search.minimax import Minimax
from evenmatch.strength import (
    ANSWERS,
    CONSTANTS,
    SEEN,
    STRONGEST,
    STYLES,
    WITH_QUIRKS,
    AlphaDDA1,
    AlphaDDA1Config,
    AlphaDDA2,
    AlphaDDA3,
    Controller,
    DepthByValue,
    Even,
    EvenConfig,
    Fixed,
    InterGame,
    IntraGame,
    VisitSoftmax,
    cool_down_plies,
)

T = TypeVar("T")

# -- full strength ---------------------------------------------------------------------------

_SIMS = {"connect4": 200, "othello6": 200, "othello": 400, "chess": 400}
_SIMS_KEY = Key(int, _SIMS, "simulations per move")


def _alphazero(
    game, games, *, sims, c_puct, random_root, dropout, net, leaves, reuse, seconds
) -> Player:
    plan = Plan(simulations=sims, c_puct=c_puct, random_root=random_root, head_dropout=dropout)
    return SearchPlayer(
        game,
        games,
        load_evaluator(game, net),
        partial(Fixed, plan),
        leaves=leaves,
        reuse=reuse,
        seconds=seconds,
    )


_ALPHAZERO = PlayerKind(
    "full strength: network and tree search",
    _alphazero,
    {
        "sims": _SIMS_KEY,
        "c_puct": Key(float, 1.25, "exploration rate"),
        "random_root": Key(float, 0.0, "share of simulations from a random action, epsilon"),
        "dropout": Key(float, 0.0, "share of the network's head units to ignore"),
        "net": NET,
        "leaves": Key(int, 1, "leaves evaluated per call, by virtual loss"),
        "reuse": Key(switch, False, "on: keep the tree from move to move"),
        "seconds": Key(float, None, "time limit per move"),
    },
)


# -- AlphaDDA ----------------------------------------------------------------------------------

_NAMES = {"nh": "n_h", "a": "a", "x0": "x0", "nmax": "n_max", "pmax": "p_max", "c": "c"}
_QUIRKS = Key(switch, None, "on: as the authors' code did (default: as the constants were fitted)")
_CONSTANTS = Key(one_of(*CONSTANTS), "fitted", "fitted to our networks, or the paper's")


def settings_of(game: Game, table: Mapping[str, T]) -> T:
    """Return what a table by game id holds for a game; SpecError if nothing."""
    if game.id not in table:
        raise SpecError(f"this player has no settings for {game.id}; it plays {', '.join(table)}")
    return table[game.id]


def _constants(name: str, game: Game, constants: str, given: dict[str, Any]) -> Any:
    """Return a controller's constants for a game, with those given in the spec in their place."""
    changed = {_NAMES[key]: value for key, value in given.items() if value is not None}
    return replace(settings_of(game, CONSTANTS[constants][name]), **changed)


def _alphadda(name: str, kind: Callable[..., Controller]):
    def build(game, games, *, constants, quirks, net, **rest) -> Player:
        plan = Plan(simulations=rest.pop("sims", 1))
        config = _constants(name, game, constants, rest)
        odd = name in WITH_QUIRKS[constants] if quirks is None else quirks
        make = partial(kind, config, plan, odd)
        return SearchPlayer(game, games, load_evaluator(game, net), make)

    return build


def _dda_keys(**own: Key) -> dict[str, Key]:
    shared = {"constants": _CONSTANTS, "quirks": _QUIRKS, "net": NET}
    return {"nh": Key(int, None, "positions averaged, N_h (per game)"), **own, **shared}


_ALPHADDA = {
    "alphadda1": PlayerKind(
        "the better it stands, the less it thinks (AlphaDDA1)",
        _alphadda("alphadda1", AlphaDDA1),
        _dda_keys(
            a=Key(float, None, "A_sim (per game)"),
            x0=Key(float, None, "B_sim0 (per game)"),
            nmax=Key(int, None, "most simulations, N_max (per game)"),
        ),
    ),
    "alphadda2": PlayerKind(
        "the better it stands, the more its network is damaged (AlphaDDA2)",
        _alphadda("alphadda2", AlphaDDA2),
        _dda_keys(
            a=Key(float, None, "A_drop (per game)"),
            x0=Key(float, None, "P_drop0 (per game)"),
            pmax=Key(float, None, "most dropout, P_max"),
            sims=_SIMS_KEY,
        ),
    ),
    "alphadda3": PlayerKind(
        "searches for the opposite of how it stands (AlphaDDA3)",
        _alphadda("alphadda3", AlphaDDA3),
        _dda_keys(c=Key(float, None, "exploration rate C (per game)"), sims=_SIMS_KEY),
    ),
}


def _mctsdda(game, games, *, nh, a, x0, nmax, c, open, net) -> Player:
    config = AlphaDDA1Config(n_h=nh, a=a, x0=x0, n_max=nmax)
    plan = Plan(rule=Rule.UCT, c_puct=c, open_at=open)
    make = partial(AlphaDDA1, config, plan)
    judge = load_evaluator(game, net)
    return SearchPlayer(game, games, RolloutEvaluator(game), make, judge=judge)


def _minimaxdda(game, games, *, nh, a, x0, depth, variant, net) -> Player:
    make = partial(DepthByValue, nh, a, x0, depth)
    make(), Minimax(game, variant, depth)  # refuse bad values, and other games, now
    return DepthPlayer(game, games, variant, load_evaluator(game, net), make)


# -- visit-count softmax -------------------------------------------------------------------------

_DIAL = {
    "r_th": Key(float, 0.1, "threshold ratio: fewest visits, as a share of the most"),
    "top": Key(int, 0, "how many moves to choose among; 0 is all (Sephton)"),
    "sims": _SIMS_KEY,
    "net": NET,
}


def _dial(z: float, *, r_th, top, sims) -> VisitSoftmax:
    return VisitSoftmax(z, r_th, top, Plan(simulations=sims))


def _softmax(game, games, *, z, net, **dial) -> Player:
    _dial(z, **dial)  # refuses bad values now
    return SearchPlayer(game, games, load_evaluator(game, net), partial(_dial, z, **dial))


def _inter(game, games, *, delta, r, floor, net, **dial) -> Player:
    def make() -> Controller:
        return InterGame(_dial(0.0, **dial), delta, r, floor)

    make()
    return SearchPlayer(game, games, load_evaluator(game, net), make)


def _intra(game, games, *, delta, epsilon, cool, net, **dial) -> Player:
    plies = cool or cool_down_plies(game.height * game.width)

    def make() -> Controller:
        return IntraGame(_dial(0.0, **dial), plies, delta, epsilon)

    make()
    return SearchPlayer(game, games, load_evaluator(game, net), make)


# -- even ---------------------------------------------------------------------------------------

STARTS_LOOKS = 400  # simulations of each style's look at the start position


@lru_cache(maxsize=8)
def start_worths(game: Game, net: str | None = None) -> tuple[float, ...]:
    """Return what the start is worth to the first player between two players of each style."""
    styles = np.arange(len(STYLES))
    search = Search(game, load_evaluator(game, net), trees=len(STYLES), nodes=STARTS_LOOKS)
    search.plant(styles, game.initial(len(STYLES)), 1 + styles)
    stats = search.run(styles, [style.plan(STARTS_LOOKS) for style in STYLES])
    return tuple(float(worth) for worth in (stats.priors * stats.means).sum(1))


def _even(game, games, *, sims, net, answers, **numbers) -> Player:
    given = {key: value for key, value in numbers.items() if value is not None}
    config = EvenConfig(**given)
    base = Plan(simulations=sims, random_root=0.1)
    used = settings_of(game, ANSWERS) if answers is None else _answers(answers)
    make = partial(Even, config, used, base, start_worths(game, net))
    return SearchPlayer(game, games, load_evaluator(game, net), make)


def _answers(text: str) -> tuple[float, ...]:
    """Read one style for each level, such as 0/0/1/2/2.5/3/4/6/7/7; SpecError if it is not."""
    try:
        styles = tuple(float(word) for word in text.split("/"))
    except ValueError:
        styles = ()
    if len(styles) != len(SEEN) or not all(0 <= style <= STRONGEST for style in styles):
        raise SpecError(
            f"answers={quoted(text)} is not {len(SEEN)} numbers from 0 to {STRONGEST} separated "
            "by /"
        )
    return styles


# -- baselines -----------------------------------------------------------------------------------


def _mcts(game, games, *, sims, c, open_at) -> Player:
    plan = Plan(simulations=sims, rule=Rule.UCT, c_puct=c, open_at=open_at)
    return SearchPlayer(game, games, RolloutEvaluator(game), partial(Fixed, plan))


#: The authors' code has sqrt(2 ln N / n) where eq. 12 has sqrt(ln N / n), both with C = 0.5; the
#: published ratings come from the code. It decides: on 6x6, 100 games, openings of 2 random
#: plies, seed 0, mcts1 scored 56.5% of its games against minimax1 with it, 36% with 0.5 in eq. 12.
PUBLISHED_C = 0.5 * 2**0.5
_C = Key(float, PUBLISHED_C, "exploration rate C of eq. 12")
_OPEN = Key(int, 5, "visits at which a node gets children, N_open")


def _mcts_kind(sims: int, summary: str) -> PlayerKind:
    return PlayerKind(
        summary,
        lambda game, games, sims, c, open: _mcts(game, games, sims=sims, c=c, open_at=open),
        {"sims": Key(int, sims, "playouts per move"), "c": _C, "open": _OPEN},
    )


def _engine(game, games, **settings) -> Player:
    from evenmatch.players.engine_player import EnginePlayer

    return EnginePlayer(game, games, **settings)


_ENGINE = PlayerKind(
    "a chess engine of yours, such as Stockfish, that speaks UCI",
    _engine,
    {
        "cmd": Key(str, None, "its command, such as stockfish"),
        "elo": Key(float, None, "the rating it is to play at, by UCI_Elo"),
        "seconds": Key(float, None, "time per move (0.1 if nothing else limits it)"),
        "nodes": Key(int, None, "most nodes per move"),
        "depth": Key(int, None, "most plies deep"),
    },
)


def _minimax_kind(variant: str) -> PlayerKind:
    keys = {
        "depth": Key(int, 3, "plies searched"),
        "quirks": Key(switch, False, "on: back up the worst leaf, as the authors' code did"),
    }
    return PlayerKind(
        f"minimax with the paper's evaluation {variant[-1]}",
        lambda game, games, depth, quirks: MinimaxPlayer(game, variant, depth, quirks),
        keys,
    )


PLAYERS: dict[str, PlayerKind] = {
    **_ALPHADDA,
    **RATED,
    "alphazero": _ALPHAZERO,
    "engine": _ENGINE,
    "even": PlayerKind(
        "the closest match against anyone (ours)",
        _even,
        {
            "limit": Key(float, None, "most worth that one move may give up"),
            "pull": Key(float, None, "share of the way back to even when behind"),
            "looks": Key(int, None, "simulations per move of the look at what it is worth"),
            "prior": Key(float, None, "log odds of each level over the one below"),
            "lift": Key(float, None, "styles to play above the opponent, before any result"),
            "fade": Key(float, None, "share of the level's odds kept for the next game"),
            "step": Key(float, None, "styles up after a loss, down after a win; 0: never learn"),
            "floor": Key(float, None, "the step's least size"),
            "answers": Key(str, None, "style for each level seen, ten numbers separated by /"),
            "sims": _SIMS_KEY,
            "net": NET,
        },
    ),
    "inter": PlayerKind(
        "softmax, turned from game to game by the results",
        _inter,
        {
            "delta": Key(float, 0.375, "first step of z"),
            "r": Key(float, 0.95, "factor of the step from game to game"),
            "floor": Key(float, 0.03, "smallest step"),
            **_DIAL,
        },
    ),
    "intra": PlayerKind(
        "softmax, turned from move to move by how it stands",
        _intra,
        {
            "delta": Key(float, 0.2, "largest step of z"),
            "epsilon": Key(float, 0.1, "win rates this near 50% make smaller steps"),
            "cool": Key(int, None, "ply by which the steps are 0 (65% of the cells)"),
            **_DIAL,
        },
    ),
    "mcts": _mcts_kind(300, "plain Monte Carlo tree search"),
    "mcts1": _mcts_kind(300, "MCTS with 300 playouts (MCTS1)"),
    "mcts2": _mcts_kind(100, "MCTS with 100 playouts (MCTS2)"),
    "mcts3": _mcts_kind(200, "MCTS with 200 playouts (MCTS3)"),
    "mcts4": _mcts_kind(50, "MCTS with 50 playouts (MCTS4)"),
    "mctsdda": PlayerKind(
        "plain MCTS: the better it stands, the fewer playouts",
        _mctsdda,
        {
            "nh": Key(int, 2, "positions averaged, N_h"),
            "a": Key(float, 2.0, "how steeply playouts fall, as A_sim"),
            "x0": Key(float, -1.0, "offset, as B_sim0"),
            "nmax": Key(int, 1000, "most playouts"),
            "c": _C,
            "open": _OPEN,
            "net": NET,
        },
    ),
    "minimax1": _minimax_kind("minimax1"),
    "minimax2": _minimax_kind("minimax2"),
    "minimaxdda": PlayerKind(
        "minimax: the better it stands, the fewer plies",
        _minimaxdda,
        {
            "nh": Key(int, 2, "positions averaged, N_h"),
            "a": Key(float, 3.0, "plies lost per unit of value"),
            "x0": Key(float, -1.0, "offset of the value"),
            "depth": Key(int, 5, "most plies searched"),
            "variant": Key(one_of("minimax1", "minimax2"), "minimax1", "the static evaluation"),
            "net": NET,
        },
    ),
    "random": PlayerKind("a random legal move", RandomPlayer),
    "softmax": PlayerKind(
        "draws its moves by visits to the power of z: a dial of strength",
        _softmax,
        {"z": Key(float, 0.0, "strength index, from -inf to inf"), **_DIAL},
    ),
}


def make_player(spec: str, game: Game, games: int = 1, **others: Any) -> Player:
    """Return the player a spec names, ready for ``games`` games at once.

    ``others`` are values of keys that the spec does not give.

    Raises SpecError for an unknown name, key or value, NetworkError for a bad network file.
    """
    name, values = parse_spec(spec)
    values = others | values
    kind = PLAYERS[name]
    filled = {key: values.get(key, entry.default_for(game)) for key, entry in kind.keys.items()}
    try:
        return kind.build(game, games, **filled)
    except EvenmatchError as error:
        raise type(error)(f"{spec}: {error}") from error


def parse_spec(spec: str) -> tuple[str, dict[str, Any]]:
    """Split ``name:key=value,...`` into the name and the values given; SpecError if wrong."""
    return parse(spec, PLAYERS)
