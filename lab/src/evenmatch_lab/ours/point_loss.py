"""What people of Go lose by their moves in points, by server and rank.

On moves of split query. It is the scale by which players of a rank are set, as chances of winning
are at chess. Ranks of different servers can be compared on it: moves that lose equally much are
equally strong, as far as the judge sees.
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.estimation.rating_scales import bands_of
from evenmatch.games.catalog import game_info
from evenmatch.games.go.go import Go
from evenmatch.progress import Progress
from evenmatch.ratings.ranks import Bands
from evenmatch.workshop.datasets.dataset import Dataset, scale_names
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, figure
from evenmatch_lab.shared.clusters import ClusterMean, cluster_mean
from evenmatch_lab.shared.moves_by_rank import SEED, MovesByRank
from evenmatch_lab.shared.point_losses import VISITS, PointJudge, judge_settings

MOVES = 150  #: of a band of ranks
QUICK = 4, 2  #: of the same, and visits
LARGE = 5.0  #: points that a blunder loses
PHASES = {"moves 1-60": (0, 60), "61-150": (60, 150), "151 on": (150, 10_000)}


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """A part for each dataset."""
    if nets:
        raise UsageError("the judge is the network that ships; leave out --net")
    most, visits = QUICK if quick else (MOVES, VISITS)
    by_key, opened = {}, [Dataset.open(folder) for folder in data]
    for folder, dataset, name in zip(data, opened, scale_names(opened), strict=True):
        game = dataset.codec.game
        if not isinstance(game, Go):
            raise UsageError(f"points are of Go, and {folder} is of {game.id}; give games of Go")
        settings = {
            "dataset": dataset.identity,
            "moves": most,
            "seed": SEED,
            "bands": list(bands_of(name, game_info(game.id)).edges),
            **judge_settings(game.id, visits),
        }
        by_key[name] = Part(settings, partial(judge, folder, most, visits))
    return by_key


def judge(
    folder: Path, most: int, visits: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Return what people's moves lose; passes are left out."""
    sample = MovesByRank(folder, most)
    game = sample.game
    assert isinstance(game, Go)
    placed = np.flatnonzero(sample.actions != game.num_actions - 1)
    states, actions = sample.states[placed], sample.actions[placed]
    judge, half = PointJudge(game, visits), len(placed)
    before = judge.worth(states, lambda n, of: progress(n, 2 * half))
    losses = judge.losses(states, before, actions, lambda n, of: progress(half + n, 2 * half))
    return {
        "losses": [round(x, 2) for x in losses.tolist()],
        "leads": [round(x, 2) for x in before.tolist()],
        "bands_of": sample.labels[placed].tolist(),
        "people": sample.people[placed].tolist(),
        "plies": sample.plies[placed].tolist(),
        "written": sample.bands.written,
    }


# -- the page ------------------------------------------------------------------------------------


class Judged(NamedTuple):
    """The moves of one band of ranks."""

    losses: NDArray[np.float64]
    people: NDArray[np.int64]
    plies: NDArray[np.int64]

    def mean(self, chosen: NDArray[np.bool_] | None = None) -> ClusterMean:
        """Return the mean of all, or of those that are chosen [n]."""
        rows = slice(None) if chosen is None else chosen
        return cluster_mean(self.losses[rows], self.people[rows])

    @property
    def large(self) -> ClusterMean:
        """The share of moves that lose `LARGE` points or more."""
        return cluster_mean((self.losses >= LARGE).astype(float), self.people)


def by_band(row: dict[str, Any]) -> dict[str, tuple[float, Judged]]:
    """Return the moves of each band, the weakest in front, with the middle of its ratings."""
    bands = Bands(tuple(row["settings"]["bands"]), row["written"])
    labels = np.array(row["bands_of"])
    columns = [np.array(row[name]) for name in ("losses", "people", "plies")]
    return {
        bands.name(number): (
            float(bands.middles[number - 1]),
            Judged(*(column[labels == number] for column in columns)),
        )
        for number in range(bands.count, 0, -1)
        if (labels == number).any()
    }


def page(results: Results) -> list[str]:
    """Write a table a server, and what falls with rank."""
    rows = []
    for name, row in results.items():
        means = {label: one.mean() for label, (_, one) in by_band(row).items()}
        pairs = list(pairwise(means.items()))
        less = [b for (_, x), (b, y) in pairs if y.mean < x.mean]
        surely = [b for (_, x), (b, y) in pairs if y.interval[1] < x.interval[0]]
        cells = [f"{len(some)} ({', '.join(some) or 'none'})" for some in (less, surely)]
        rows.append([name, str(len(pairs)), *cells])
    heads = ["server", "steps to the next stronger band", "lose less", "intervals do not meet"]
    lines = [table(heads, rows, left=(0, 2, 3))]
    heads = ["rank", "people", "points per move (moves)", f"lose {LARGE:g} or more", *PHASES]
    for name, row in results.items():
        own = [cells_of(label, one) for label, (_, one) in by_band(row).items()]
        lines += ["", f"## {name}", "", table(heads, own)]
    return lines


def cells_of(label: str, one: Judged) -> list[str]:
    """Write a row of the table."""
    phases = [
        points(one.mean(inside)) if (inside := (one.plies >= a) & (one.plies < b)).any() else ""
        for a, b in PHASES.values()
    ]
    share = one.large
    half = (share.interval[1] - share.interval[0]) / 2
    return [
        label,
        str(len(np.unique(one.people))),
        f"{points(one.mean())} ({len(one.losses)})",
        f"{share.mean:.1%} ± {half:.1%}",
        *phases,
    ]


def points(mean: ClusterMean) -> str:
    """Write a mean with half its interval, which the moves of one person do not show."""
    low, high = mean.interval
    return f"{mean.mean:.2f} ± {(high - low) / 2:.2f}" if mean.variance else f"{mean.mean:.2f}"


def plot(results: Results, path: Path) -> None:
    """Draw points lost by rank, a line a server."""
    for axes in figure(path, 1, width=6.5):
        for name, row in results.items():
            found = by_band(row).values()
            middles = [middle for middle, _ in found]
            means = [one.mean() for _, one in found]
            ends = np.array([mean.interval for mean in means])
            halves = np.ptp(ends, axis=1) / 2
            values = [mean.mean for mean in means]
            axes[0].errorbar(middles, values, halves, fmt="o-", capsize=3, label=name)
        axes[0].axhline(0, color="0.8", lw=1)
        axes[0].set(xlabel="rank (3000: 1k, 3100: 1d)", ylabel="points lost per move")
        axes[0].grid(alpha=0.3)
        axes[0].legend(frameon=False, fontsize=8)


EXPERIMENT = Experiment(
    "point_loss",
    "What people of Go lose by their moves in points, by server and rank",
    parts,
    page,
    plot,
    reads_games=True,
)
