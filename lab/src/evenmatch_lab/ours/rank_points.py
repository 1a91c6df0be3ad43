"""Whether players at ranks of Go lose as many points per move as people of the rank do.

On moves of people of split query, whom nothing was fitted to. Every player is asked what it would
do in the same positions; a search judges its moves and theirs. A rank is true where the difference
is equivalent to 0 within ``BOUND`` (``shared/equivalence.py``). The bound and the number of
positions were set before any player was judged.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.games.catalog import game_info
from evenmatch.games.go.go import Go
from evenmatch.network.artifact import digest_of, human_policy_path
from evenmatch.progress import Progress
from evenmatch.ratings.scale import RANKS
from evenmatch.workshop.datasets.dataset import Dataset, scale_names
from evenmatch_lab.ours.rank_fit import People
from evenmatch_lab.runner import Experiment, Part, Results, figure
from evenmatch_lab.shared.agents import fitted
from evenmatch_lab.shared.clusters import cluster_mean
from evenmatch_lab.shared.equivalence import Equivalence, compared, in_words
from evenmatch_lab.shared.level_tables import PEOPLE, table
from evenmatch_lab.shared.point_losses import VISITS, PointJudge, judge_settings
from evenmatch_lab.shared.positions import chosen

BOUND = 0.5  #: points a move
SEED = 33
RATINGS: dict[str, tuple[int, ...]] = {
    "ogs": (1600, 2100, 2600, 3000),  # 15k, 10k, 5k, 1k
    "kgs": (3700,),  # 7d
}  #: five ranks, by server
POSITIONS = 100  #: of a rank
OF_ONE = 10  #: positions of a rank that may be one person's
AT_ONCE = 50  #: positions a player thinks about side by side
QUICK = 1, 6, 2, 4  #: ratings a server, positions, visits, simulations
AGENTS = {
    "pikl": "pikl:rank={rank},sims={sims}",
    "sa": "sa:rank={rank},sims={sims}",
    "human": "human:rank={rank}",
    "alphazero": "alphazero:sims={sims}",
}
FULL = {"pikl": "pikl:rank={rank}", "sa": "sa:rank={rank}"}  #: with the simulations of their own


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """For each rank a part for people and one for each player, those of `pikl` in front."""
    if nets:
        raise UsageError("the players that ship are judged; leave out --net")
    ratings, positions, visits, sims = (
        QUICK if quick else (None, POSITIONS, VISITS, game_info("go").rated_simulations)
    )
    templates = AGENTS if quick else AGENTS | FULL
    by_key, opened = {}, [Dataset.open(folder) for folder in data]
    for folder, dataset, name in zip(data, opened, scale_names(opened), strict=True):
        game = dataset.codec.game
        if not isinstance(game, Go) or name not in RATINGS:
            raise UsageError(f"{folder} is of none of the servers {' and '.join(RATINGS)}")
        net = human_policy_path(game.id)
        for rating in RATINGS[name][:ratings]:
            some, rank = People(folder, rating, ("query",), OF_ONE), RANKS.write(rating)
            settings = {
                "dataset": dataset.identity,
                "rating": rating,
                "positions": positions,
                "of one": OF_ONE,
                "seed": SEED,
                "judge": judge_settings(game.id, visits),
            }
            base = f"{name} {rank}: {PEOPLE}"
            by_key[base] = Part(settings, partial(judge_people, some, positions, visits))
            for agent, template in templates.items():
                spec = template.format(rank=rank, sims=sims)
                own = {
                    "agent": spec,
                    "people": digest_of(net) if net else None,
                    "fitted": fitted(spec, game_id=game.id),
                }
                work = partial(judge_agent, some, positions, visits, spec, base)
                by_key[f"{name} {rank}: {agent}"] = Part(settings | own, work, needs=(base,))
    first = (PEOPLE, "pikl")
    return dict(sorted(by_key.items(), key=lambda item: item[0].partition(": ")[2] not in first))


def judge_people(
    people: People, positions: int, visits: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Return what people's moves lose, and all leads before them."""
    moves = people.moves(positions)
    assert isinstance(moves.game, Go)
    assert moves.people is not None
    judge = PointJudge(moves.game, visits)
    before = judge.worth(moves.states, progress)
    losses = judge.losses(moves.states, before, moves.actions, progress)
    return {
        "movers": moves.people.tolist(),
        "before": [round(x, 3) for x in before.tolist()],
        "losses": [round(x, 3) for x in losses.tolist()],
    }


def judge_agent(
    people: People,
    positions: int,
    visits: int,
    spec: str,
    base: str,
    progress: Progress,
    done: Results,
) -> dict[str, Any]:
    """Return what a player's moves lose in the same positions."""
    moves = people.moves(positions)
    assert isinstance(moves.game, Go)
    actions = chosen(spec, moves, AT_ONCE, SEED, progress)
    before = np.array(done[base]["before"])
    losses = PointJudge(moves.game, visits).losses(moves.states, before, actions, progress)
    return {
        "losses": [round(x, 3) for x in losses.tolist()],
        "alike": int((actions == moves.actions).sum()),
    }


# -- the page ------------------------------------------------------------------------------------


class Judged(NamedTuple):
    """Moves of a player in the positions of a rank."""

    losses: NDArray[np.float64]  #: [n]
    theirs: NDArray[np.float64]  #: [n] what people's moves lose there
    movers: NDArray[np.int64]  #: [n] who these people are
    alike: int  #: moves that are people's

    @property
    def mean(self) -> tuple[float, float]:
        """What a move loses, and half the 95% interval."""
        found = cluster_mean(self.losses, self.movers)
        return found.mean, float(np.ptp(found.interval)) / 2

    @property
    def against_people(self) -> Equivalence:
        """How what it loses more than people stands to ``BOUND``."""
        return compared(self.losses - self.theirs, self.movers, BOUND)


def by_rank(results: Results) -> dict[str, dict[str, Judged]]:
    """Return what is judged by rank and player, people in front."""
    found: dict[str, dict[str, Judged]] = {}
    for key, row in results.items():
        rank, _, name = key.partition(": ")
        base = results[f"{rank}: {PEOPLE}"]
        found.setdefault(rank, {})[name] = Judged(
            np.array(row["losses"]),
            np.array(base["losses"]),
            np.array(base["movers"]),
            row.get("alike", len(row["losses"])),
        )
    return found


def page(results: Results) -> list[str]:
    """Write what players lose beside people, and whether that is what people do."""
    found = by_rank(results)
    names = list(dict.fromkeys(name for rows in found.values() for name in rows))
    players = [name for name in names if name != PEOPLE]
    return [
        *table(found, names, cell),
        "",
        "## Is it what people lose?",
        "",
        *table(found, players, verdict),
    ]


def cell(name: str, own: Judged) -> str:
    """Write what a player loses, and how many of its moves are people's."""
    return points(own.mean) + ("" if name == PEOPLE else f" ({own.alike / len(own.losses):.0%})")


def points(estimated: Sequence[float]) -> str:
    """Write a mean and half its interval."""
    return f"{estimated[0]:.2f} ± {estimated[1]:.2f}"


def verdict(name: str, own: Judged) -> str:
    """Write how far from people's a player's loss is, and what that shows."""
    found = own.against_people
    words = in_words(found, f"{BOUND:g} points", "positions")
    return f"{found.mean:+.2f} ± {found.half:.2f}: {words}"


def plot(results: Results, path: Path) -> None:
    """Draw what players lose by rank, people's line thick."""
    found = by_rank(results)
    for axes in figure(path, 1, width=6.5):
        for name in dict.fromkeys(name for rows in found.values() for name in rows):
            own = {rank: rows[name].mean for rank, rows in found.items() if name in rows}
            means, halves = np.array(list(own.values())).T
            style = {"lw": 3, "color": "black"} if name == PEOPLE else {"lw": 1.2}
            axes[0].errorbar(list(own), means, halves, fmt="o-", capsize=3, label=name, **style)
        axes[0].set(ylabel="points lost per move")
        axes[0].grid(alpha=0.3)
        axes[0].legend(frameon=False, fontsize=8)


EXPERIMENT = Experiment(
    "rank_points",
    "How many points players at ranks of Go lose by their moves, beside its people",
    parts,
    page,
    plot,
    reads_games=True,
)
