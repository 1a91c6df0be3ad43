"""The z of SA-MCTS that is as strong as SE_inf-MCTS, rank by rank (Chen et al. 2025, table 4).

SA-MCTS of several z meets SE_inf-MCTS of each rank. Its score is taken as logistic in z, with one
slope for all ranks and a height for each; z is where the score is one half. The paper's programs
think 800 simulations.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.experiments.agents import RANKS, SIMULATIONS, duel, only_folder, program, terms
from evenmatch.experiments.opponents import score_of
from evenmatch.experiments.runner import Experiment, Part, Results, figure
from evenmatch.players import parse_spec

SEED = 15
Z = (-1.0, 0.0, 1.0, 2.0)
GAMES = 8  # of each z with each rank
QUICK = 1, 2, 4  # z, games, simulations
RIDGE = 1e-3
Z95 = 1.959964
#: Chen et al. 2025, table 4: Go, eleven ranks from 9 dan to 3-5 kyu.
PAPER = (0.6, 0.5, 0.35, 0.3, 0.2, 0.15, 0.05, -0.1, -0.2, -0.6, -1.0)


class Fit(NamedTuple):
    """The logistic curves."""

    slope: float  #: in nats, of 1 in z
    z: NDArray[np.float64]  # [R] where each is at one half
    errors: NDArray[np.float64]  # [R] standard errors of z


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """One part a rank; ranks are lichess-rapid's."""
    folder = only_folder(data, nets)
    kinds, games, sims = QUICK if quick else (len(Z), GAMES, SIMULATIONS)
    dials = [f"softmax:z={z:g},sims={sims}" for z in Z[-kinds:]]
    return {
        f"rank {rank}": duel(folder, dials, program("SE_inf-MCTS", rank, sims), games, SEED)
        for rank in range(1, 1 + RANKS.count)
    }


def table_of(results: Results) -> NDArray[np.float64]:
    """Return rows of rank, z, points, games and draws, [n, 5]."""
    rows = []
    for key, row in results.items():
        for spec, counts in zip(row["settings"]["players"], row["scores"], strict=False):
            score = score_of(counts)
            z = parse_spec(spec)[1]["z"]
            rows.append((float(key.split()[-1]), z, score.points, score.games, score.draws))
    return np.array(rows)


def fit(rows: NDArray[np.float64]) -> Fit:
    """Fit rows of rank, z, points, games and draws [n, 5] by maximum likelihood.

    Half points count half, and errors are as small as draws make them (sandwich estimator). A ridge
    of ``RIDGE`` keeps heights finite where all was won or lost.
    """
    from scipy.optimize import minimize

    ranks, at = np.unique(rows[:, 0], return_inverse=True)
    x = np.zeros((len(rows), 1 + len(ranks)))
    x[:, 0], x[np.arange(len(rows)), 1 + at] = rows[:, 1], 1
    points, games = rows[:, 2], rows[:, 3]

    def loss(w: NDArray) -> tuple[float, NDArray]:
        nats = x @ w
        chance = 1 / (1 + np.exp(-nats))
        value = (games * np.logaddexp(0, nats) - points * nats).sum() + RIDGE / 2 * w @ w
        return value, x.T @ (games * chance - points) + RIDGE * w

    w = minimize(loss, np.zeros(x.shape[1]), jac=True, method="BFGS").x
    chance = 1 / (1 + np.exp(-(x @ w)))
    bread = np.linalg.inv((x.T * (games * chance * (1 - chance))) @ x + RIDGE * np.eye(len(w)))
    varied = np.maximum(games * chance * (1 - chance) - rows[:, 4] / 4, 0)
    spread = bread @ ((x.T * varied) @ x) @ bread
    z = -w[1:] / w[0]
    by = np.zeros((len(ranks), len(w)))  # of z, by the weights
    by[:, 0], by[np.arange(len(ranks)), 1 + np.arange(len(ranks))] = -z / w[0], -1 / w[0]
    return Fit(float(w[0]), z, np.sqrt(np.einsum("ri,ij,rj->r", by, spread, by)))


def page(results: Results) -> list[str]:
    """Write table 4, and the games behind it."""
    rows = table_of(results)
    found = fit(rows)
    used = sorted(set(rows[:, 1]))
    heads = [f"z = {z:g}" for z in used]
    lines = [
        "z with which SA-MCTS (threshold ratio 0.1) is as strong as SE_inf-MCTS of the rank; "
        f"beside it the points of SA-MCTS in the games ({terms(results)}). In the paper z falls "
        f"from {PAPER[0]:g} to {PAPER[-1]:g} over eleven ranks of Go. Of 1 in z are "
        f"{found.slope * 400 / np.log(10):.0f} Elo here.",
        "",
        f"| rank | z (95%) | {' | '.join(heads)} |",
        "|---|---:|" + "---:|" * len(heads),
    ]
    for rank, z, error in zip(np.unique(rows[:, 0]), found.z, found.errors, strict=True):
        own = {row[1]: row for row in rows if row[0] == rank}
        cells = [f"{own[x][2]:g} of {own[x][3]:g}" for x in used]
        name, half = RANKS.name(int(rank)), Z95 * error
        interval = f"{z:.2f} ({z - half:.2f} to {z + half:.2f})"
        if not used[0] <= z <= used[-1]:
            interval += ", beyond those played"
        lines.append(f"| r_{rank:.0f} ({name}) | {interval} | {' | '.join(cells)} |")
    return lines


def plot(results: Results, path: Path) -> None:
    """Draw z against the rating, with intervals."""
    rows = table_of(results)
    found = fit(rows)
    ratings = RANKS.middle(np.unique(rows[:, 0]))
    for axes in figure(path, 1, width=5.5):
        axes[0].errorbar(ratings, found.z, Z95 * found.errors, fmt="o-", capsize=3)
        axes[0].set(xlabel="rating", ylabel="z as strong as SE_inf-MCTS")
        axes[0].grid(alpha=0.3)


EXPERIMENT = Experiment(
    "sa_fit",
    "z of SA-MCTS as strong as SE_inf-MCTS, by rank (Chen et al. 2025, table 4)",
    parts,
    page,
    plot,
    reads_games=True,
)
