"""Tables 3 and 4 and figure 5 of Wu et al. 2019: z adjusted between and within games, Othello 8x8.

Opponents are the same player with fixed z = 2, 1, 0, -1, -2. Inter-game adjustment plays 100
games in a row against each, five times over; intra-game adjustment 100 games for each first step.
"""

from functools import partial
from pathlib import Path

import numpy as np

from evenmatch.arena import Pairing, play, play_series
from evenmatch.games import get_game
from evenmatch.players import Player
from evenmatch.progress import Progress
from evenmatch_lab.runner import Experiment, Part, Results, digest, figure
from evenmatch_lab.shared.opponents import counted, score_of

GAME, SIMULATIONS, ROUNDS, REPEATS, SEED = "othello", 100, 100, 5, 6
OPPONENTS = (2.0, 1.0, 0.0, -1.0, -2.0)
STEPS = (0.2, 0.1)

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


def parts(quick: bool) -> dict[str, Part]:
    """The series, then one part a first step."""
    simulations, rounds, repeats = (8, 4, 1) if quick else (SIMULATIONS, ROUNDS, REPEATS)
    shared = {"simulations": simulations, "seed": SEED, "network": digest(GAME)}
    by_key = {
        "inter-game": Part(
            shared | {"rounds": rounds, "repeats": repeats},
            partial(measure_inter, simulations, rounds, repeats),
        )
    }
    for step in STEPS:
        by_key[f"intra-game, {step}"] = Part(
            shared | {"games": rounds, "delta": step},
            partial(measure_intra, simulations, rounds, step),
        )
    return by_key


def rivals(simulations: int) -> list[str]:
    """Return the opponents' specs."""
    return [f"softmax:z={z},sims={simulations}" for z in OPPONENTS]


def measure_inter(
    simulations: int, rounds: int, repeats: int, progress: Progress, done: Results
) -> dict:
    """Play all series side by side; keep z after every game."""
    entrants = [f"inter:sims={simulations}", *rivals(simulations)]
    tables = [(o, r) for o in range(1, len(entrants)) for r in range(repeats)]
    schedule = [
        [Pairing(*((0, o) if (k + r) % 2 == 0 else (o, 0))) for o, r in tables]
        for k in range(rounds)
    ]
    player: list[Player] = []

    def watch(entrant, turns, mover):
        if entrant == 0:
            player[:] = [mover]

    results: list[list[float]] = [[] for _ in tables]
    z: list[list[float]] = [[] for _ in tables]
    series = play_series(
        entrants, schedule, get_game(GAME), seed=SEED, progress=progress, watch=watch
    )
    for played in series:
        for table, game in enumerate(played):
            results[table].append(game.result if game.pairing.first == 0 else -game.result)
            z[table].append(round((player[0].remember(table) or {})["z"], 4))
    return {
        "opponents": {
            str(OPPONENTS[o - 1]): {
                "score": counted(
                    [x for t, (p, _) in enumerate(tables) if p == o for x in results[t]]
                ),
                "z": [z[t] for t, (p, _) in enumerate(tables) if p == o],  # [repeat][game]
            }
            for o in range(1, len(entrants))
        }
    }


def measure_intra(
    simulations: int, games: int, step: float, progress: Progress, done: Results
) -> dict:
    """Play all games at once; keep z at each game's end."""
    entrants = [f"intra:sims={simulations},delta={step}", *rivals(simulations)]
    pairings = [
        Pairing(*((0, o) if k % 2 == 0 else (o, 0)))
        for o in range(1, len(entrants))
        for k in range(games)
    ]
    z = np.zeros(len(pairings))

    def watch(entrant, turns, mover):
        if entrant == 0:
            for game in turns.games:
                z[game] = mover.controller(int(game)).dial.z

    played = play(entrants, pairings, get_game(GAME), seed=SEED, progress=progress, watch=watch)
    rows = {}
    for o, opponent in enumerate(OPPONENTS):
        mine = slice(o * games, (o + 1) * games)
        results = [g.result if g.pairing.first == 0 else -g.result for g in played[mine]]
        rows[str(opponent)] = {
            "score": counted(results),
            "z": float(z[mine].mean()),
            "std": float(z[mine].std(ddof=1)),
        }
    return {"opponents": rows}


def plot(results: dict, path: Path) -> None:
    """Draw figure 5: z by game, the mean of the repeats."""
    for axes in figure(path, 1, width=6.5):
        for opponent, row in results["inter-game"]["opponents"].items():
            mean = np.mean(row["z"], 0)
            (line,) = axes[0].plot(range(1, len(mean) + 1), mean, label=f"z = {float(opponent):g}")
            axes[0].axhline(float(opponent), color=line.get_color(), lw=0.6, ls=":")
        axes[0].set(title="figure 5: z by game, each opponent's dotted", xlabel="game", ylabel="z")
        axes[0].legend(frameon=False, fontsize=8)
        axes[0].grid(alpha=0.3)


def page(results: dict) -> list[str]:
    """Write tables 3 and 4."""
    inter = results["inter-game"]
    settings = inter["settings"]
    lines = [
        f"Othello 8x8 in place of Go, {settings['simulations']} simulations a move. Rates count "
        "draws half. 95% intervals treat games as independent, though games of a series are not "
        "quite. Without adjustment ours would score as z = 0 does in z_dial. Intra-game steps "
        "fade out by ply 42 here, by move 150 in the paper: a player has about 20 steps to find "
        "the opponent's z instead of 75, of the same first size, and gets half as far.",
        "",
        f"## Table 3: inter-game, {settings['repeats']} series of {settings['rounds']} games each",
        "",
        "| opponent | win rate, paper | win rate, ours | average z, paper | average z, ours "
        "| ... from game 21 |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for i, (opponent, row) in enumerate(inter["opponents"].items()):
        z = np.array(row["z"])
        late = f"{z[:, 20:].mean():.2f}" if z.shape[1] > 20 else "-"
        lines.append(
            f"| z = {float(opponent):g} | {PAPER_INTER['rate'][i]}% | {rate(row['score'])} | "
            f"{PAPER_INTER['z'][i]} | {z.mean():.2f} | {late} |"
        )
    for step in STEPS:
        part = results[f"intra-game, {step}"]
        lines += [
            "",
            f"## Table 4: intra-game, first step {step}, {part['settings']['games']} games each",
            "",
            "| opponent | fixed z = 0, paper | win rate, paper | win rate, ours "
            "| z at the end, paper | z at the end, ours | std, paper | std, ours |",
            "|---|---:|---:|---:|---:|---:|---:|---:|",
        ]
        published = PAPER_INTRA[step]
        for i, (opponent, row) in enumerate(part["opponents"].items()):
            lines.append(
                f"| z = {float(opponent):g} | {PAPER_FIXED[i]}% | {published['rate'][i]}% | "
                f"{rate(row['score'])} | {published['z'][i]} | {row['z']:.2f} | "
                f"{published['std'][i]} | {row['std']:.2f} |"
            )
    return lines


def rate(score: list[int]) -> str:
    """Write a score with its interval."""
    low, high = score_of(score).interval()
    return f"{score_of(score).fraction:.1%} ({low:.1%} to {high:.1%})"


EXPERIMENT = Experiment(
    "dynamic_z",
    "Inter-game and intra-game adjustment of z (Wu et al. 2019, tables 3-4, figure 5)",
    parts,
    page,
    plot,
)
