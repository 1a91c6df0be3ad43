"""``PLAYERS``, the one table of players, from which command line, docs and tests derive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from evenmatch.errors import UsageError
from evenmatch.games.catalog import CATALOG, game_info
from evenmatch.games.game import Game
from evenmatch.opponents.alphadda import AlphaDDA1, AlphaDDA2, AlphaDDA3
from evenmatch.opponents.controller import Controller, Fixed
from evenmatch.opponents.dials import Curve, setting_at
from evenmatch.opponents.even_row import EVEN
from evenmatch.opponents.fitted import CONSTANTS, WITH_QUIRKS
from evenmatch.opponents.player import Player, RandomPlayer
from evenmatch.opponents.rated import RATED
from evenmatch.opponents.search_player import SearchPlayer
from evenmatch.opponents.spec import (
    NET,
    PER_GAME,
    SIMS,
    SIMULATIONS,
    Key,
    PlayerKind,
    one_of,
    parse,
    settings_of,
    switch,
)  # fmt: skip
from evenmatch.opponents.styled import Styled
from evenmatch.opponents.visit_softmax import InterGame, IntraGame, VisitSoftmax, cool_down_plies
from evenmatch.search import Plan, Rule, Solve
from evenmatch.search.styles import STRONGEST

GROUP = "evenmatch.players"  #: of entry points, by which packages add players

# -- full strength ---------------------------------------------------------------------------


def _alphazero(
    game, networks, *, sims, c_puct, random_root, dropout, solve, net, leaves, reuse, seconds
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
        networks.evaluator(net),
        Fixed(plan),
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
        "reuse": Key(switch, False, "on: it continues the search from before your move"),
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
    def build(game, networks, *, constants, quirks, net, **rest) -> Player:
        plan = Plan(simulations=rest.pop("sims", 1))
        config = _constants(name, game, constants, rest)
        odd = name in WITH_QUIRKS[constants] if quirks is None else quirks
        return SearchPlayer(game, networks.evaluator(net), kind(config, plan, odd))

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

_SOFTMAX = {
    "r_th": Key(
        float,
        0.1,
        "moves it thought about less than this share of the best are never played (R_th)",
    ),
    "top": Key(int, 0, "it plays one of so many best moves; 0: of all (Sephton)"),
    "sims": SIMS,
    "net": NET,
}


def _softmax(game, networks, *, z, net, r_th, top, sims) -> Player:
    controller = VisitSoftmax(z, r_th, top, Plan(simulations=sims))
    return SearchPlayer(game, networks.evaluator(net), controller)


def _inter(game, networks, *, delta, r, floor, net, r_th, top, sims) -> Player:
    plan = Plan(simulations=sims)
    controller = InterGame(delta, r, floor, r_th=r_th, top=top, base=plan)
    return SearchPlayer(game, networks.evaluator(net), controller)


def _intra(game, networks, *, delta, epsilon, cool, net, r_th, top, sims) -> Player:
    plies, plan = cool or cool_down_plies(game.height * game.width), Plan(simulations=sims)
    controller = IntraGame(plies, delta, epsilon, r_th=r_th, top=top, base=plan)
    return SearchPlayer(game, networks.evaluator(net), controller)


# -- styles --------------------------------------------------------------------------------------


def _style(game, networks, *, s, elo, sims, net, curve) -> Player:
    changed = net is not None or sims != SIMULATIONS.get(game.id)
    number = _number_of_style(game, s, elo, changed, curve)
    return SearchPlayer(game, networks.evaluator(net), Styled(number, Plan(simulations=sims)))


def _style_curve(game_id: str, values: Mapping[str, Any]) -> str:
    return "style" if "elo" in values else ""


def _number_of_style(
    game: Game, s: float | None, elo: float | None, changed: bool, curve: Curve | None
) -> float:
    """Return the style that plays at a rating; ``changed``: it is not the player that was rated."""
    if elo is None:
        return float(STRONGEST) if s is None else s
    if s is not None or changed:
        raise UsageError("elo sets the style; leave out s, sims and net")
    return setting_at(game.id, "style", elo, curve)


# -- Monte Carlo tree search by random games (Fujita 2022, section 4.3.1) --------------------------

#: The authors' code has sqrt(2 ln N / n) where eq. 12 has sqrt(ln N / n), both with C = 0.5; the
#: published ratings come from the code. It decides: on 6x6, 100 games, openings of 2 random
#: plies, seed 0, mcts1 scored 56.5% of its games against minimax1 with it, 36% with 0.5 in eq. 12.
PUBLISHED_C = 0.5 * 2**0.5
C = Key(float, PUBLISHED_C, "how readily the search tries other moves (C)")
OPEN = Key(int, 5, "looks at a position before its replies are looked at (N_open)")


EACH = 6  #: random games for each move of a usual position, if they are more than usual


def mcts_kind(least: int, summary: str) -> PlayerKind:
    """Return the player of so many random games for a move, or more at games of many moves."""
    usual = f"{least}, or {EACH} for each move of a usual position where that is more"

    def make(game, networks, *, sims, c, open) -> Player:
        if sims is None:  # enough to try every move: untried ones come in the order of numbers
            sims = max(least, round(EACH * game_info(game.id).branching))
        plan = Plan(simulations=sims, rule=Rule.UCT, c_puct=c, open_at=open)
        return SearchPlayer(game, networks.rollouts, Fixed(plan))

    return PlayerKind(
        summary,
        make,
        {
            "sims": Key(int, None, "random games it plays in its head for a move", usual),
            "c": C,
            "open": OPEN,
        },
    )


# -- baselines -----------------------------------------------------------------------------------


def _program(game, networks, *, cmd, seconds, **limits) -> Player:
    if game_info(game.id).protocol == "uci":
        from evenmatch.opponents.uci_program import UciProgram

        return UciProgram(game, cmd=cmd, seconds=seconds, **limits)
    from evenmatch.opponents.gtp_program import GtpProgram

    for name, value in limits.items():
        if value is not None:
            shown = f"{value:g}" if isinstance(value, int | float) else "..."
            raise UsageError(f"{name}={shown} cannot be set by GTP; write it into the command")
    return GtpProgram(game, cmd=cmd, seconds=seconds)


_ENGINE = PlayerKind(
    "your own program: at chess one with UCI or XBoard, such as Stockfish, otherwise GTP",
    _program,
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
        "protocol": Key(
            one_of("uci", "xboard"),
            None,
            "at chess: what it speaks; xboard is for older ones",
            "uci",
        ),
    },
)


def _random(game, networks) -> Player:
    return RandomPlayer(game)


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
            **_SOFTMAX,
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
            **_SOFTMAX,
        },
    ),
    "mcts": mcts_kind(
        300, "plays random games in its head and takes the move that won most (MCTS)"
    ),
    "random": PlayerKind("a random legal move", _random),
    "softmax": PlayerKind(
        "a dial of strength: high z plays the best moves, low z the others too (Wu et al.)",
        _softmax,
        {
            "z": Key(float, 0.0, "its strength: 2 is strong, 0 any sensible move, -2 weak"),
            **_SOFTMAX,
        },
    ),
    "style": PlayerKind(
        "always equally strong, from random to full strength, by its rating in games (ours)",
        _style,
        {
            "elo": Key(
                float,
                None,
                "the rating it plays at, as `evenmatch calibrate` measured it",
                "none; s decides",
            ),
            "s": Key(
                float,
                None,
                f"its strength in steps: 0 is random, {STRONGEST} the most",
                str(STRONGEST),
            ),
            "sims": SIMS,
            "net": NET,
        },
        _style_curve,
    ),
}


def plugged_in() -> dict[str, PlayerKind]:
    """Return the players of packages that name such a table as an entry point in GROUP."""
    players: dict[str, PlayerKind] = {}
    for entry in entry_points(group=GROUP):
        players |= entry.load()
    return players


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
