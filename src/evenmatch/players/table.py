"""``PLAYERS``, the one table of players, from which command line, docs and tests derive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeVar

from evenmatch.errors import EvenmatchError, UsageError, printable
from evenmatch.games.catalog import CATALOG, game_info
from evenmatch.games.game import Game
from evenmatch.players.common_keys import NET, PER_GAME, SIMS, settings_of
from evenmatch.players.evaluators import Networks
from evenmatch.players.even import EVEN
from evenmatch.players.mcts import mcts_kind
from evenmatch.players.player import Player, RandomPlayer
from evenmatch.players.rated import RATED
from evenmatch.players.search_player import SearchPlayer
from evenmatch.players.spec import Key, PlayerKind, one_of, parse, switch
from evenmatch.players.style import STYLE
from evenmatch.search import Plan, Solve
from evenmatch.strength import (
    CONSTANTS,
    WITH_QUIRKS,
    AlphaDDA1,
    AlphaDDA2,
    AlphaDDA3,
    Controller,
    Fixed,
    InterGame,
    IntraGame,
    VisitSoftmax,
    cool_down_plies,
)

T = TypeVar("T")

GROUP = "evenmatch.players"  #: of entry points, by which packages add players

# -- full strength ---------------------------------------------------------------------------


def _alphazero(
    game, games, networks, *, sims, c_puct, random_root, dropout, solve, net, leaves, reuse, seconds
) -> Player:
    plan = Plan(
        simulations=sims,
        c_puct=c_puct,
        random_root=random_root,
        head_dropout=dropout,
        solve=Solve.SETTLE if solve else Solve.NEVER,
    )
    return SearchPlayer(
        game,
        games,
        networks.evaluator(net),
        partial(Fixed, plan),
        leaves=leaves,
        reuse=reuse,
        seconds=seconds,
    )


_ALPHAZERO = PlayerKind(
    "as strong as it can: a neural network and a tree search",
    _alphazero,
    {
        "sims": SIMS,
        "c_puct": Key(
            float, 1.25, "how readily the search tries other moves than the best so far (C_puct)"
        ),
        "random_root": Key(
            float, 0.0, "share of the search spent on random moves, 0 to 1 (epsilon)"
        ),
        "dropout": Key(
            float, 0.0, "how much of its network is switched off, 0 to below 1: more is weaker"
        ),
        "solve": Key(
            switch,
            {game: info.solves for game, info in CATALOG.items()},
            "on: it plays what is proven to win, and nothing that is proven to lose",
        ),
        "net": NET,
        "leaves": Key(
            int, 1, "positions the network sees at once: more is faster and a little weaker"
        ),
        "reuse": Key(switch, False, "on: it goes on from what it thought about before your move"),
        "seconds": Key(float, None, "most seconds for a move", "no limit"),
    },
)


# -- AlphaDDA ----------------------------------------------------------------------------------

_NAMES = {"nh": "n_h", "a": "a", "x0": "x0", "nmax": "n_max", "pmax": "p_max", "c": "c"}
_QUIRKS = Key(
    switch, None, "on: the oddities of the paper's program too", "as the numbers were fitted"
)
_CONSTANTS = Key(
    one_of(*CONSTANTS),
    "fitted",
    "its numbers: fitted to the networks here, or paper for the paper's",
)


def _constants(name: str, game: Game, constants: str, given: dict[str, Any]) -> Any:
    """Return a controller's constants for a game, with those given in the spec in their place."""
    changed = {_NAMES[key]: value for key, value in given.items() if value is not None}
    return replace(settings_of(game, CONSTANTS[constants][name]), **changed)


def _alphadda(name: str, kind: Callable[..., Controller]):
    def build(game, games, networks, *, constants, quirks, net, **rest) -> Player:
        plan = Plan(simulations=rest.pop("sims", 1))
        config = _constants(name, game, constants, rest)
        odd = name in WITH_QUIRKS[constants] if quirks is None else quirks
        make = partial(kind, config, plan, odd)
        return SearchPlayer(game, games, networks.evaluator(net), make)

    return build


def _dda_keys(**own: Key) -> dict[str, Key]:
    shared = {"constants": _CONSTANTS, "quirks": _QUIRKS, "net": NET}
    return {
        "nh": Key(
            int, None, "how many of its latest positions it judges the game by (N_h)", PER_GAME
        ),
        **own,
        **shared,
    }


_ALPHADDA = {
    "alphadda1": PlayerKind(
        "the better it stands, the less it thinks ahead (AlphaDDA1)",
        _alphadda("alphadda1", AlphaDDA1),
        _dda_keys(
            a=Key(float, None, "how sharply it thinks less when ahead (A_sim)", PER_GAME),
            x0=Key(float, None, "how far ahead it must be to think less (B_sim0)", PER_GAME),
            nmax=Key(int, None, "how many positions it looks at when behind (N_max)", PER_GAME),
        ),
    ),
    "alphadda2": PlayerKind(
        "the better it stands, the more of its network it switches off (AlphaDDA2)",
        _alphadda("alphadda2", AlphaDDA2),
        _dda_keys(
            a=Key(float, None, "how sharply it switches off more when ahead (A_drop)", PER_GAME),
            x0=Key(float, None, "how much is off in an even game (P_drop0)", PER_GAME),
            pmax=Key(float, None, "the most it switches off, 0 to below 1 (P_max)", PER_GAME),
            sims=SIMS,
        ),
    ),
    "alphadda3": PlayerKind(
        "looks for moves that even the game out (AlphaDDA3)",
        _alphadda("alphadda3", AlphaDDA3),
        _dda_keys(
            c=Key(
                float,
                None,
                "how readily it tries other moves than the most even so far (C)",
                PER_GAME,
            ),
            sims=SIMS,
        ),
    ),
}


# -- visit-count softmax -------------------------------------------------------------------------

_DIAL = {
    "r_th": Key(
        float,
        0.1,
        "moves it thought about less than this share of the best are never played (R_th)",
    ),
    "top": Key(int, 0, "it plays one of so many best moves; 0: of all (Sephton)"),
    "sims": SIMS,
    "net": NET,
}


def _dial(z: float, *, r_th, top, sims) -> VisitSoftmax:
    return VisitSoftmax(z, r_th, top, Plan(simulations=sims))


def _softmax(game, games, networks, *, z, net, **dial) -> Player:
    _dial(z, **dial)  # refuses bad values now
    return SearchPlayer(game, games, networks.evaluator(net), partial(_dial, z, **dial))


def _inter(game, games, networks, *, delta, r, floor, net, **dial) -> Player:
    def make() -> Controller:
        return InterGame(_dial(0.0, **dial), delta, r, floor)

    make()
    return SearchPlayer(game, games, networks.evaluator(net), make)


def _intra(game, games, networks, *, delta, epsilon, cool, net, **dial) -> Player:
    plies = cool or cool_down_plies(game.height * game.width)

    def make() -> Controller:
        return IntraGame(_dial(0.0, **dial), plies, delta, epsilon)

    make()
    return SearchPlayer(game, games, networks.evaluator(net), make)


# -- baselines -----------------------------------------------------------------------------------


def _engine(game, games, networks, *, cmd, seconds, **limits) -> Player:
    if game_info(game.id).protocol == "uci":
        from evenmatch.players.engine_player import EnginePlayer

        return EnginePlayer(game, games, cmd=cmd, seconds=seconds, **limits)
    from evenmatch.players.gtp_player import GtpPlayer

    for name, value in limits.items():
        if value is not None:
            shown = f"{value:g}" if isinstance(value, int | float) else "..."
            raise UsageError(f"{name}={shown} cannot be set by GTP; write it into the command")
    return GtpPlayer(game, games, cmd=cmd, seconds=seconds)


_ENGINE = PlayerKind(
    "a program of yours: at chess one that speaks UCI, such as Stockfish, else GTP, such as GNU Go",
    _engine,
    {
        "cmd": Key(
            str,
            None,
            "the command that starts it, such as stockfish or gnugo --mode gtp",
            "must be given",
        ),
        "elo": Key(
            float, None, "at chess: the rating it plays at (UCI_Elo)", "as strong as it can"
        ),
        "seconds": Key(float, None, "seconds for a move", "0.1 at chess if nothing else limits it"),
        "nodes": Key(int, None, "at chess: most positions it looks at for a move", "no limit"),
        "depth": Key(int, None, "at chess: most moves it looks ahead", "no limit"),
        "option": Key(
            str,
            None,
            "at chess: any of its UCI options, as in option.Threads=1,option.Skill Level=3",
            "as the program has them",
            named=True,
        ),
    },
)


def _random(game, games, networks) -> Player:
    return RandomPlayer(game, games)


PLAYERS: dict[str, PlayerKind] = {
    **_ALPHADDA,
    **RATED,
    "alphazero": _ALPHAZERO,
    "engine": _ENGINE,
    "even": EVEN,
    "inter": PlayerKind(
        "gets stronger after each loss to you and weaker after each win (Wu et al.)",
        _inter,
        {
            "delta": Key(
                float, 0.375, "how much stronger or weaker it gets after the first game (in z)"
            ),
            "r": Key(float, 0.95, "each next step is this times the one before (r)"),
            "floor": Key(float, 0.03, "the least such step"),
            **_DIAL,
        },
    ),
    "intra": PlayerKind(
        "gets stronger when behind and weaker when ahead, within a game (Wu et al.)",
        _intra,
        {
            "delta": Key(float, 0.2, "the most it changes with one move (in z)"),
            "epsilon": Key(float, 0.1, "chances this near to 50% change it less (epsilon)"),
            "cool": Key(
                int, None, "the move from which it changes no more", "65% of the board's squares"
            ),
            **_DIAL,
        },
    ),
    "mcts": mcts_kind(
        300, "plays random games in its head and takes the move that won most (MCTS)"
    ),
    "random": PlayerKind("a random legal move", _random),
    "softmax": PlayerKind(
        "a dial of strength: high z plays the best moves, low z the others too (Wu et al.)",
        _softmax,
        {"z": Key(float, 0.0, "its strength: 2 is strong, 0 any sensible move, -2 weak"), **_DIAL},
    ),
    "style": STYLE,
}


def plugged_in() -> dict[str, PlayerKind]:
    """Return the players of packages that name such a table as an entry point in GROUP."""
    players: dict[str, PlayerKind] = {}
    for entry in entry_points(group=GROUP):
        players |= entry.load()
    return players


PLAYERS |= plugged_in()


def make_player(
    spec: str, game: Game, games: int = 1, networks: Networks | None = None, /, **others: Any
) -> Player:
    """Return the player a spec names, ready for ``games`` games at once.

    Players that are given the same ``networks`` share what these judge. ``others`` are values of
    keys that the spec does not give.

    Raises SpecError for an unknown name, key or value, NetworkError for a bad network file.
    """
    name, values = parse_spec(spec)
    values = others | values
    kind = PLAYERS[name]
    filled = {key: values.get(key, entry.default_for(game)) for key, entry in kind.keys.items()}
    try:
        return kind.build(game, games, networks or Networks(game), **filled)
    except EvenmatchError as error:
        raise type(error)(printable(f"{spec}: {error}")) from error


def parse_spec(spec: str) -> tuple[str, dict[str, Any]]:
    """Split ``name:key=value,...`` into the name and the values given; SpecError if wrong."""
    return parse(spec, PLAYERS)


def player_name(spec: str) -> str:
    """Return the name of the player of a spec; of another program, that of its file."""
    return program_name(spec) or parse_spec(spec)[0]


def program_name(spec: str) -> str:
    """Return the name of the program that a spec runs, empty if it runs none."""
    words = str(parse_spec(spec)[1].get("cmd", "")).split()
    return Path(words[0]).name if words else ""
