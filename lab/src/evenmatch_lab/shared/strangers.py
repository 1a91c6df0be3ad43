"""Strangers: players of many strengths and kinds, whom `even` is fitted on or judged by.

Numbers may be fitted on the families of TUNING alone; what is reported is against those of
HELD_OUT. The families were named before anything was fitted.
"""

import re
import shutil
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from evenmatch.games.catalog import game_info
from evenmatch.opponents.dials import curve_of
from evenmatch.opponents.gtp_program import ENGINES
from evenmatch.opponents.rating_range import gnugo, supported_range
from evenmatch.ratings.scale import SCALES
from evenmatch_lab.shared.opponents import FEW

#: Families that numbers may be fitted on, and why: cheap, and from random to strong.
TUNING = {
    "random": "the lower end",
    "style": "the dial of boards: a level kept through the game",
    "mcts": "random games in place of a network; a style of its own, of any strength",
    "softmax": "the network's search with moves drawn by visits, as in Wu et al.",
    "people": "moves of people of a rating, without a search",
    "pikl": "the dial of chess and Go: moves of people, checked by a search",
    "Stockfish": "an engine's moves, by nodes and by its rating",
}
#: Families that only judge, and what they have that none of TUNING has.
HELD_OUT = {
    "minimax": "no network and no chance: sees all of a few plies, judges by a rule; some slips",
    "early networks": "judges wrongly, and always in the same way",
    "damaged network": "a strong network with parts of it switched off",
    "blunders": "a strong player whose moves are random now and then",
    "changing": "another strength from a ply on",
    "program": "an engine of other authors: GNU Go, Rhino, Debian's chess engines",
    "blundering program": "the same with random moves now and then",
    "Maia": "the usual move of people of a rating, always",
    "base network": "at Go, the network that the dial does not use, with little search",
}


class Stranger(NamedTuple):
    """A player that nobody knows."""

    name: str
    family: str
    spec: str


def _noisy(spec: str, share: float) -> str:
    return f"noisy:of={within(spec)},share={share:g}"


def _changing(first: str, then: str, ply: int) -> str:
    return f"changing:first={within(first)},then={within(then)},ply={ply}"


def within(spec: str) -> str:
    """Return a spec as the value of a key of another one."""
    return spec.replace(",", ";")


def _named(family: str, specs: Iterable[str | tuple[str, str]]) -> tuple[Stranger, ...]:
    """Return strangers of a family by their specs, or (name, spec)."""
    pairs = ((one, one) if isinstance(one, str) else one for one in specs)
    return tuple(Stranger(name, family, spec) for name, spec in pairs)


# -- boards --------------------------------------------------------------------------------------

MINIMAX = {  #: depths with and without random moves, by game
    "connect4": ((1, 0.3), (1, 0.1), (2, 0.2), (3, 0.3), (3, 0), (4, 0.1), (5, 0), (6, 0.05)),
    "othello6": ((1, 0.3), (1, 0), (2, 0.2), (3, 0.3), (3, 0), (4, 0.1), (5, 0), (6, 0.05)),
    "othello": ((1, 0.3), (1, 0), (2, 0.4), (2, 0.1), (3, 0.2), (3, 0), (4, 0.1), (4, 0)),
}
EARLY = ((1, 5), (1, 50), (4, 20), (4, 100), (9, 5), (9, 50))  #: iteration, simulations
PLY = {"connect4": 14, "othello6": 16, "othello": 26}  #: in which players change
RHINO = "engine:cmd=gtp-rhino,seconds=1"
STRONG = "alphazero:sims=50"  #: nearly full strength
SHARES = (0.08, 0.2, 0.35, 0.55)  #: of random moves in between


def _on_board(game_id: str) -> tuple[Stranger, ...]:
    ply = PLY[game_id]
    minimax = [
        (f"{kind} {depth}, {share:.0%} random", _noisy(f"{kind}:depth={depth}", share))
        if share
        else (f"{kind} {depth}", f"{kind}:depth={depth}")
        for kind, (depth, share) in zip(("minimax1", "minimax2") * 4, MINIMAX[game_id], strict=True)
    ]
    early = [
        (f"iteration {iteration}, {sims} simulations", f"early:iteration={iteration},sims={sims}")
        for iteration, sims in EARLY
    ]
    damaged = [(f"{off:.0%} off", f"alphazero:dropout={off:g},sims=50") for off in (0.5, 0.8, 0.95)]
    blunders = [
        (f"AlphaZero, {share:.0%} random", _noisy(STRONG, share))
        for share in (0.08, 0.2, 0.35, 0.55)
    ]
    changing = [
        ("minimax1 1, then AlphaZero", _changing("minimax1:depth=1", STRONG, ply)),
        ("AlphaZero, then random", _changing(STRONG, "random", ply)),
        ("random, then minimax2 3", _changing("random", "minimax2:depth=3", ply)),
        ("AlphaZero, then minimax1 2", _changing(STRONG, "minimax1:depth=2", ply)),
        ("iteration 9, then 1", _changing("early:iteration=9", "early:iteration=1", ply)),
    ]
    rhino = [("Rhino", RHINO)] if game_id == "othello" else []
    slips = [(f"Rhino, {share:.0%} random", _noisy(RHINO, share)) for share in (0.2, 0.5)]
    return (
        *_named("random", ["random"]),
        *_named("style", [(f"style {s:g}", f"style:s={s:g}") for s in (1, 2, 3, 4, 5, 6, 7)]),
        *_named("mcts", [(f"MCTS {n}", f"mcts:sims={n}") for n in (10, 30, 100, 300, 1000)]),
        *_named("softmax", [(f"z = {z:g}", f"softmax:z={z:g},sims=50") for z in (-1, 0, 1)]),
        *_named("minimax", minimax),
        *_named("early networks", early),
        *_named("damaged network", damaged),
        *_named("blunders", blunders),
        *_named("changing", changing),
        *_named("program", rhino),
        *_named("blundering program", slips if rhino else []),
    )


# -- Go --------------------------------------------------------------------------------------------

GNU_GO = (0, 1, 3, 5, 8, 10)  #: levels


def _on_go() -> tuple[Stranger, ...]:
    ranks = ("20k", "15k", "10k", "5k", "1d", "5d")
    strong = gnugo(10)
    return (
        *_named("random", ["random"]),
        *_named("mcts", [(f"MCTS {n}", f"mcts:sims={n}") for n in (100, 300, 1000)]),
        *_named("people", [(f"people {rank}", f"human:rank={rank}") for rank in ranks]),
        *_named("pikl", [(f"pikl {rank}", f"pikl:rank={rank}") for rank in ranks]),
        *_named("program", [(f"GNU Go {level}", gnugo(level)) for level in GNU_GO]),
        *_named(
            "blundering program",
            [
                (f"GNU Go {level}, {share:.0%} random", _noisy(gnugo(level), share))
                for level, share in ((10, 0.05), (10, 0.15), (5, 0.3), (0, 0.1), (0, 0.5))
            ],
        ),
        *_named(
            "base network",
            [
                (f"{n} looks" if n > 1 else "1 look", f"alphazero:sims={n},solve=off")
                for n in (1, 4, 16)
            ],
        ),
        *_named(
            "blunders",
            [
                (f"16 simulations, {share:.0%} random", _noisy("alphazero:sims=16", share))
                for share in (0.05, 0.15, 0.3, 0.5)
            ],
        ),
        *_named(
            "changing",
            [
                ("random, then 16 simulations", _changing("random", "alphazero:sims=16", 14)),
                ("16 simulations, then random", _changing("alphazero:sims=16", "random", 24)),
                ("GNU Go 10, then random", _changing(strong, "random", 30)),
                ("GNU Go 0, then 16 simulations", _changing(gnugo(0), "alphazero:sims=16", 24)),
                ("1 simulation, then GNU Go 0", _changing("alphazero:sims=1", gnugo(0), 24)),
            ],
        ),
    )


# -- chess -----------------------------------------------------------------------------------------

STOCKFISH = "engine:cmd=stockfish,option.Threads=1,option.Hash=4"
OFF = "option.OwnBook=false"
#: Debian's chess engines by name: their specs without limits. Books are off, but for HoiChess
#: and Fairy-Max; without a home Sjeng keeps nothing of its games.
PROGRAMS = {
    "Toga": f"engine:cmd=toga2,{OFF},option.Hash=4",
    "Ethereal": "engine:cmd=ethereal-chess,option.Hash=4",
    "Glaurung": f"engine:cmd=glaurung,{OFF}",
    "GNU Chess": f"engine:cmd=gnuchess --uci,{OFF}",
    "Fairy-Max": "engine:cmd=fairymax,protocol=xboard",
    "HoiChess": "engine:cmd=hoichess,protocol=xboard",
    "Sjeng": "engine:cmd=env HOME=/dev/null sjeng,protocol=xboard",
}
LIMITS = (  #: depth by program; the same depth means other strengths
    ("Fairy-Max", 1), ("Fairy-Max", 3), ("Fairy-Max", 5), ("HoiChess", 1), ("HoiChess", 4),
    ("Sjeng", 1), ("Sjeng", 3), ("Sjeng", 5), ("GNU Chess", 1), ("GNU Chess", 4),
    ("Toga", 1), ("Toga", 4), ("Glaurung", 2), ("Glaurung", 5), ("Ethereal", 1), ("Ethereal", 6),
)  # fmt: skip
PHALANX = "engine:cmd=phalanx -b- -l- -z {slips},protocol=xboard,seconds=0.1"


def _program(name: str, depth: int) -> str:
    return f"{PROGRAMS[name]},depth={depth}"


def _maia(rating: int) -> str:
    """Return the spec of Maia by its first choice: one look is at the most likely move."""
    return f"alphazero:net=maia-{rating},sims=1,solve=off"


def _on_chess() -> tuple[Stranger, ...]:
    ratings = (1000, 1400, 1800, 2200)
    maias = (1100, 1500, 1900)
    return (
        *_named("random", ["random"]),
        *_named("people", [(f"people {elo}", f"human:elo={elo}") for elo in ratings]),
        *_named("pikl", [(f"pikl {elo}", f"pikl:s={elo}") for elo in (700, *ratings, 2500)]),
        *_named(
            "Stockfish",
            [
                *((f"Stockfish, {n} nodes", f"{STOCKFISH},nodes={n}") for n in (10, 100, 1000)),
                *(
                    (f"Stockfish {elo}", f"{STOCKFISH},elo={elo},nodes=10000")
                    for elo in (1350, 1650, 1950)
                ),
            ],
        ),
        *_named("Maia", [(f"Maia {one}", _maia(one)) for one in maias]),
        *_named("program", [(f"{name}, depth {d}", _program(name, d)) for name, d in LIMITS]),
        *_named(
            "program",
            [(f"Phalanx, {z} centipawns off", PHALANX.format(slips=z)) for z in (0, 100, 400)],
        ),
        *_named(
            "blundering program",
            [
                (f"{name}, depth {d}, {share:.0%} random", _noisy(_program(name, d), share))
                for name, d, share in (
                    ("Toga", 5, 0.05),
                    ("Toga", 5, 0.15),
                    ("Glaurung", 5, 0.3),
                    ("Sjeng", 4, 0.1),
                    ("Fairy-Max", 4, 0.5),
                )
            ],
        ),
        *_named(
            "blunders",
            [
                (f"Maia {elo}, {share:.0%} random", _noisy(_maia(elo), share))
                for elo, share in ((1900, 0.1), (1500, 0.3))
            ],
        ),
        *_named(
            "changing",
            [
                ("Maia 1100, then Toga", _changing(_maia(1100), _program("Toga", 5), 30)),
                ("Toga, then Maia 1100", _changing(_program("Toga", 5), _maia(1100), 30)),
                ("random, then Sjeng", _changing("random", _program("Sjeng", 4), 12)),
                ("Maia 1900, then HoiChess 1", _changing(_maia(1900), _program("HoiChess", 1), 40)),
            ],
        ),
    )


EVERYBODY = {
    **{game_id: _on_board(game_id) for game_id in PLY},
    "go9": _on_go(),
    "chess": _on_chess(),
}


def programs_of(spec: str) -> tuple[str, ...]:
    """Return the files of the programs that a spec runs, with those of specs within it."""
    return tuple(re.findall(r"\bcmd=(?:env \S+ )?([^\s,;]+)", spec))


def is_installed(program: str) -> bool:
    """Return whether a program is in the PATH or among Debian's games."""
    return bool(shutil.which(program) or shutil.which(program, path=ENGINES))


def strangers(game_id: str, held_out: bool, quick: bool = False) -> tuple[Stranger, ...]:
    """Return the strangers of a game who can play on this machine, of HELD_OUT or of TUNING.

    If ``quick`` the first of each family that needs no program.
    """
    families = HELD_OUT if held_out else TUNING
    some = [one for one in EVERYBODY[game_id] if one.family in families]
    if quick:
        firsts = {one.family: one for one in reversed(some) if not programs_of(one.spec)}
        return tuple(one for one in some if firsts.get(one.family) is one)
    return tuple(one for one in some if all(map(is_installed, programs_of(one.spec))))


# -- populations ---------------------------------------------------------------------------------

#: Weights of families of TUNING: at chess, at Go, and on the other boards.
POPULATIONS = {
    "chess": {"random": 1, "pikl": 4, "people": 4, "Stockfish": 3},
    "go": {"random": 1, "pikl": 4, "people": 4, "mcts": 3},
    "board": {"random": 1, "style": 4, "mcts": 4, "softmax": 3},
}


def population(game_id: str, size: int, seed: int, quick: bool = False) -> list[Stranger]:
    """Draw strangers whom numbers may be fitted on: families by weight, strengths at random.

    If ``quick`` they search little.
    """
    kind = game_id if game_id in POPULATIONS else "go" if game_id.startswith("go") else "board"
    names, weights = zip(*POPULATIONS[kind].items(), strict=True)
    rng, ends = np.random.default_rng(seed), np.cumsum(weights) / sum(weights)
    at = rng.permutation((np.arange(size) + rng.random()) / size)
    families = [names[k] for k in np.searchsorted(ends, at, side="right")]
    specs = [_drawn(game_id, family, rng, quick) for family in families]
    pairs = zip(families, specs, strict=True)
    return [Stranger(f"{k}: {spec}", family, spec) for k, (family, spec) in enumerate(pairs)]


def _drawn(game_id: str, family: str, rng: np.random.Generator, quick: bool) -> str:
    """Return the spec of a player of a family."""
    info, curve = game_info(game_id), curve_of(game_id, family)
    sims = FEW if quick else info.rated_simulations
    if curve:  # the game's dial, at strengths that are uniform
        setting = curve.setting(rng.uniform(*curve.range))
        return f"{family}:s={setting:.4g}" + f",sims={sims}" * (family == "style")
    if family == "mcts":
        least = 100 if info.level == "rank" and not quick else 10
        return f"mcts:sims={_log_uniform(rng, least, 10 * FEW if quick else 1000)}"
    if family == "softmax":
        return f"softmax:z={rng.uniform(-2, 2):.2f},sims={_log_uniform(rng, FEW, sims)}"
    if family == "Stockfish":
        if rng.random() < 0.5:
            return f"{STOCKFISH},nodes={_log_uniform(rng, 10, 1000)}"
        return f"{STOCKFISH},elo={rng.uniform(1350, 2000):.0f},nodes=10000"
    if family == "random":
        return "random"
    ratings = supported_range(game_id) if info.level == "rank" else (800, 2300)
    rating = SCALES[info.written].write(rng.uniform(*ratings))
    return f"{'human' if family == 'people' else family}:{info.level}={rating}"


def _log_uniform(rng: np.random.Generator, low: float, high: float) -> int:
    return round(np.exp(rng.uniform(np.log(low), np.log(high))))
