"""Tables 3 and 4 and figure 5 of Wu et al. 2019: z adjusted between and within games.

Opponents are the same player with fixed z = 2, 1, 0, -1, -2. On Othello 8x8 inter-game adjustment
plays 200 games in a row against each, six times over, and is read off after 100, as in the paper,
and after all; intra-game adjustment plays 100 games for each first step, as does z = 0 without any.
Go is played by ``SIZES``.
"""

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evenmatch.games import get_game
from evenmatch.opponents.visit_softmax import PAPER_COOL_DOWN, cool_down_plies
from evenmatch.play.arena import Pairing, play, play_series
from evenmatch.progress import Progress
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, digest, figure
from evenmatch_lab.shared.clusters import cluster_mean
from evenmatch_lab.shared.opponents import (
    FEW,
    OPENING_PLIES,
    Row,
    distinct_share,
    either_side,
    pairs_of,
    row_of,
)
from evenmatch_lab.wu2019.dial_games import GAME, game_of, named

SEED = 6
PAPER_ROUNDS = 100  # games of a series in the paper
R_TH = 0.1
#: Inter-game steps as in the paper: the first, the factor of each next, and the least.
FIRST, FACTOR, FLOOR = 0.375, 0.95, 0.03
LATE = math.ceil(math.log(FLOOR / FIRST, FACTOR))  # games until steps have come down to the least
OPPONENTS = (2.0, 1.0, 0.0, -1.0, -2.0)
EPSILON = 0.1  # win rates as near to 50% make smaller steps
PAPER_STEPS = (0.2, 0.1)  # the first ones within games


class Size(NamedTuple):
    """How much is played on a game."""

    simulations: int  #: a move
    rounds: int  #: games of a series
    repeats: int  #: series against each opponent
    games: int  #: single ones against each opponent
    steps: tuple[float, ...]  #: first ones within games
    opponents: tuple[float, ...] = OPPONENTS  #: that series are played with


#: By game. In shorter games than the paper's one more first step lets z go as far as its 0.2.
#: Games of Go are few, with short searches, for two cores have to play them all.
SIZES = {
    GAME: Size(100, 200, 6, 100, (*PAPER_STEPS, 0.9)),
    "go9": Size(20, 60, 3, 12, (*PAPER_STEPS, 0.65), OPPONENTS[::2]),
    "go": Size(16, 10, 2, 4, PAPER_STEPS[:1], OPPONENTS[::4]),
}

#: Wu et al. 2019, tables 3 and 4: win rate in percent, average z, its standard deviation.
PAPER_FIXED = (5.6, 8.8, 50.0, 78.4, 87.6)
PAPER_INTER = {"rate": (43.4, 46.6, 52.0, 50.0, 54.8), "z": (1.93, 0.88, -0.04, -1.06, -1.73)}
PAPER_INTRA = {
    0.2: {
        "rate": (29, 38, 43, 64, 71),
        "z": (1.85, 0.92, -0.10, -1.39, -1.57),
        "std": (1.82, 1.81, 1.41, 1.73, 1.56),
    },
    0.1: {
        "rate": (15, 32, 49, 73, 72),
        "z": (1.02, 0.75, -0.21, -0.66, -0.96),
        "std": (0.94, 0.90, 0.81, 0.84, 0.85),
    },
}


def parts(quick: bool, game_id: str = GAME) -> dict[str, Part]:
    """What is short first, then the series, a part an opponent: a series cannot be cut."""
    size = SIZES[game_id]
    if quick:
        size = Size(FEW, 2, 2, 2, size.steps, OPPONENTS[::4])
    simulations, rounds, repeats, games, steps, opponents = size
    shared = named(game_id) | {
        "simulations": simulations,
        "openings": OPENING_PLIES[game_id],
        "seed": SEED,
        "network": digest(game_id),
    }
    rivals = [rival(z, simulations) for z in OPPONENTS]
    single = {step: intra(game_id, step, simulations) for step in steps}
    by_key = {
        "without": Part(
            shared | {"games": games, "player": rival(0.0, simulations), "opponents": rivals},
            partial(measure_without, game_id, simulations, games),
        )
    }
    for step, spec in single.items():
        by_key[f"intra-game, {step}"] = Part(
            shared | {"games": games, "player": spec, "opponents": rivals},
            partial(measure_intra, game_id, simulations, games, step),
        )
    for z in opponents:
        met = {"player": inter(simulations), "opponent": rival(z, simulations), "z": z}
        by_key[f"inter-game, {z}"] = Part(
            shared | {"rounds": rounds, "repeats": repeats} | met,
            partial(measure_inter, game_id, z, simulations, rounds, repeats),
        )
    return by_key


def rival(z: float, simulations: int) -> str:
    """Return an opponent's spec."""
    return f"softmax:z={z},r_th={R_TH},sims={simulations}"


def inter(simulations: int) -> str:
    """Return the spec of the player that is adjusted between games."""
    return f"inter:delta={FIRST},r={FACTOR},floor={FLOOR},r_th={R_TH},sims={simulations}"


def intra(game_id: str, step: float, simulations: int) -> str:
    """Return the spec of the player that is adjusted within a game."""
    cool = cool_down(game_id)
    return f"intra:delta={step},epsilon={EPSILON},cool={cool},r_th={R_TH},sims={simulations}"


def cool_down(game_id: str) -> int:
    """Return the ply from which intra-game steps are 0: the paper's, or less on smaller boards."""
    game = get_game(game_id)
    return cool_down_plies(game.height * game.width)


def measure_inter(
    game_id: str,
    opponent: float,
    simulations: int,
    rounds: int,
    repeats: int,
    progress: Progress,
    done: Results,
) -> dict:
    """Play the series against an opponent side by side; keep every result, and z after it.

    Consecutive games of a series share an opening, with either side.
    """
    schedule = [
        [
            Pairing(*((0, 1) if (k + lane) % 2 == 0 else (1, 0)), opening=lane * rounds + k // 2)
            for lane in range(repeats)
        ]
        for k in range(rounds)
    ]
    memories: dict[int, dict] = {}  # of inter, by lane

    def learned(entrant: int, lane: int, memory: dict) -> None:
        if entrant == 0:
            memories[lane] = memory

    series = play_series(
        [inter(simulations), rival(opponent, simulations)], schedule, get_game(game_id),
        seed=SEED, openings=OPENING_PLIES[game_id], progress=progress, learned=learned,
    )  # fmt: skip
    games = []
    z: list[list[float]] = [[] for _ in range(repeats)]
    points: list[list[float]] = [[] for _ in range(repeats)]
    for played in series:
        games += played
        for lane, one in enumerate(played):
            mine = one.result if one.pairing.first == 0 else -one.result
            points[lane].append((1 + mine) / 2)
            z[lane].append(round(memories[lane]["z"], 3))
    return {
        "after": {
            str(count): row_of(games[: count * repeats], 0, 1)
            for count in (min(PAPER_ROUNDS, rounds), rounds)
        },
        "points": points,  # [series][game]
        "z": z,  # [series][game]
    }


def measure_without(
    game_id: str, simulations: int, games: int, progress: Progress, done: Results
) -> dict:
    """Let z = 0 play all opponents."""
    played = play_all(game_id, rival(0.0, simulations), simulations, games, progress)
    rows = {str(z): row_of(played, 0, o) for o, z in enumerate(OPPONENTS, start=1)}
    return {"opponents": rows}


def measure_intra(
    game_id: str, simulations: int, games: int, step: float, progress: Progress, done: Results
) -> dict:
    """Play all games at once; keep z at each game's end."""
    z = np.zeros(len(OPPONENTS) * games)

    def watch(entrant, games, decisions, player):
        if entrant == 0:
            for at, decision in zip(games, decisions, strict=True):
                z[at] = decision.mind.game["z"]

    spec = intra(game_id, step, simulations)
    played = play_all(game_id, spec, simulations, games, progress, watch)
    openings = np.arange(games) // 2
    rows = {}
    for o, opponent in enumerate(OPPONENTS):
        mine = z[o * games : (o + 1) * games]
        mean = cluster_mean(mine, openings)
        rows[str(opponent)] = row_of(played, 0, o + 1) | {
            "z": round(mean.mean, 4),
            "z_interval": [round(end, 4) for end in mean.interval],
            "std": round(float(mine.std(ddof=1)), 4),
        }
    return {"opponents": rows}


def play_all(
    game_id: str, player: str, simulations: int, games: int, progress: Progress, watch=None
):
    """Let a player meet all opponents, from the same openings with either side."""
    entrants = [player, *(rival(z, simulations) for z in OPPONENTS)]
    pairings = [pairing for o in range(1, len(entrants)) for pairing in either_side(0, o, games)]
    return play(
        entrants, pairings, get_game(game_id), seed=SEED, openings=OPENING_PLIES[game_id],
        progress=progress, **({"watch": watch} if watch else {}),
    )  # fmt: skip


def inter_rows(results: Results) -> dict[float, dict[str, Any]]:
    """Return the series by the opponent's z, those that are done."""
    return {
        row["settings"]["z"]: row for key, row in results.items() if key.startswith("inter-game")
    }


def plot(results: Results, path: Path) -> None:
    """Draw figure 5: z by game, the mean of the series and what holds it with 95%."""
    for axes in figure(path, 1, width=8):
        for opponent, row in inter_rows(results).items():
            z = np.array(row["z"])
            ends = np.array([series_mean(z[:, k : k + 1])[1] for k in range(z.shape[1])])
            at = range(1, z.shape[1] + 1)
            (line,) = axes[0].plot(at, z.mean(0), lw=1, label=f"z = {opponent:g}")
            axes[0].fill_between(at, *ends.T, color=line.get_color(), alpha=0.15, lw=0)
            axes[0].axhline(opponent, color=line.get_color(), lw=0.6, ls=":")
        axes[0].set(title="figure 5: z by game, each opponent's dotted", xlabel="game", ylabel="z")
        axes[0].set_ylim(-3.5, 3.5)
        axes[0].legend(frameon=False, fontsize=8, ncols=5, loc="lower center")
        axes[0].grid(alpha=0.3)


def series_mean(values: np.ndarray) -> tuple[float, tuple[float, float]]:
    """Return the mean of values [series, games] and its 95% interval, a series as the unit."""
    series = np.repeat(np.arange(len(values)), values.shape[1])
    mean = cluster_mean(values.ravel(), series)
    return mean.mean, mean.interval


def page(results: Results) -> list[str]:
    """Write tables 3 and 4."""
    settings, found = next(iter(results.values()))["settings"], inter_rows(results)
    rows = [[name, settings[name]] for name in ("simulations", "openings", "seed")]
    lines = [table(["", game_of(settings)], rows)]
    if found:
        lines += ["", *inter_tables(found)]
    steps = [
        step for step in steps_of(results) if {"without", f"intra-game, {step}"} <= set(results)
    ]
    for step in steps:
        lines += ["", *intra_table(step, results)]
    return [*lines, "", reach_table(game_of(settings), steps)] if steps else lines


def inter_tables(inter: dict[float, dict[str, Any]]) -> list[str]:
    """Write table 3 after as many games as the paper's, and after all."""
    counts = [int(count) for count in next(iter(inter.values()))["after"]]
    repeats = next(iter(inter.values()))["settings"]["repeats"]
    heads = ["opponent", "win rate, paper", "win rate, ours", "average z, paper"]
    heads += ["average z, ours", f"... from game {LATE + 1}", "nearer to 0 than from then on"]
    lines = [f"## Table 3: inter-game, {repeats} series"]
    for count in counts:
        rows = [inter_cells(opponent, row, count) for opponent, row in inter.items()]
        lines += ["", f"{count} games:", "", table([*heads, "distinct games"], rows)]
    return lines


def inter_cells(opponent: float, row: dict[str, Any], count: int) -> list[str]:
    """Return an opponent's cells of table 3."""
    at = OPPONENTS.index(opponent)
    z = np.array(row["z"])[:, :count]
    late, nearer = "-", "-"
    if count > LATE:
        late = z_text(*series_mean(z[:, LATE:]))
        off = (z[:, LATE:].mean(1) - z.mean(1)) * np.sign(opponent)  # of each series
        low, high = series_mean(off[:, None])[1]
        nearer = "yes" if low > 0 else "farther" if high < 0 else "undecided"
    return [
        f"z = {opponent:g}",
        f"{PAPER_INTER['rate'][at]}%",
        rate_text(*series_mean(np.array(row["points"])[:, :count])),
        str(PAPER_INTER["z"][at]),
        z_text(*series_mean(z)),
        late,
        nearer if opponent else "-",
        distinct_share([row["after"][str(count)]]),
    ]


def intra_table(step: float, results: Results) -> list[str]:
    """Write table 4 of a first step."""
    part, without = results[f"intra-game, {step}"], results["without"]["opponents"]
    rows = []
    for i, (opponent, row) in enumerate(part["opponents"].items()):
        paper = {key: column[i] for key, column in PAPER_INTRA.get(step, {}).items()}
        cells = [f"{PAPER_FIXED[i]}%", pairs_rate(without[opponent])]
        cells += [f"{paper['rate']}%" if paper else "-", pairs_rate(row), str(paper.get("z", "-"))]
        cells += [
            z_text(row["z"], row["z_interval"]),
            str(paper.get("std", "-")),
            f"{row['std']:.2f}",
        ]
        distinct = distinct_share([row]), distinct_share([without[opponent]])
        rows.append([f"z = {float(opponent):g}", *cells, *distinct])
    heads = ["opponent", "fixed z = 0, paper", "fixed z = 0, ours", "win rate, paper"]
    heads += ["win rate, ours", "z at the end, paper", "z at the end, ours", "std, paper"]
    heads += ["std, ours", "distinct games", "... of fixed z = 0"]
    title = f"## Table 4: intra-game, first step {step}, {part['settings']['games']} games each"
    return [title, "", table(heads, rows)]


def reach_table(game_id: str, steps: Sequence[float]) -> str:
    """Write how far steps within a game can go at most: the first player's, added up."""
    cool, most = cool_down(game_id), PAPER_STEPS[0]
    here, there = warmths(OPENING_PLIES[game_id], cool), warmths(0, PAPER_COOL_DOWN)
    rows = [["the paper", PAPER_COOL_DOWN, len(there), f"{most * sum(there):.1f} with {most}"]]
    reach = ", ".join(f"{step * sum(here):.1f} with {step}" for step in steps)
    rows.append(["ours", cool, len(here), reach])
    return table(["", "steps are 0 from ply", "steps of the first player", "sum at most"], rows)


def steps_of(results: Results) -> list[float]:
    """Return the first steps within games whose parts are done."""
    start = "intra-game, "
    return [float(key.removeprefix(start)) for key in results if key.startswith(start)]


def warmths(first: int, last: int) -> list[float]:
    """Return the factors of a player's steps from ply ``first`` to ``last``, where it is 0."""
    return [1 - ply / last for ply in range(first, last, 2)]


def z_text(mean: float, interval) -> str:
    """Write an average z with its interval."""
    low, high = interval
    return f"{mean:.2f} ({low:.2f} to {high:.2f})"


def rate_text(mean: float, interval: tuple[float, float]) -> str:
    """Write a score with its interval."""
    low, high = interval
    return f"{mean:.1%} ({low:.1%} to {high:.1%})"


def pairs_rate(row: Row) -> str:
    """Write the score of single games with its interval, by pairs."""
    return rate_text(pairs_of(row).fraction, pairs_of(row).interval())


EXPERIMENT = Experiment(
    "dynamic_z",
    "Inter-game and intra-game adjustment of z (Wu et al. 2019, tables 3-4, figure 5)",
    parts,
    page,
    plot,
    games=("go9", "go"),
)
