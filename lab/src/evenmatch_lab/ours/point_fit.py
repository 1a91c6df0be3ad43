"""What players of a rank of Go are set to: they are to lose as many points as its people do.

On people's moves of split tune, rank by rank. As `level_fit` has it for chess, but that people's
losses are judged in the same positions as the players', for no game of Go was recorded with points.
z of SA-MCTS has one condition to meet. lambda and t of ``pikl`` have a second: by the policy, which
is told the rank, its moves are to be as likely as people's. Where no pair meets both, it searches
more.

The judge's searches are short, so that what one of them says of a move strays, and all losses may
be too low. Players and people are judged alike, and it is their difference that is fitted.
`rank_points` judges other people's moves and the players' by longer searches.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evenmatch.domains import domain_of
from evenmatch.errors import UsageError
from evenmatch.games.go.go import Go
from evenmatch.network.artifact import digest_of, people_path
from evenmatch.network.conditions import asked_rating
from evenmatch.players.evaluators import network_of
from evenmatch.progress import Progress
from evenmatch.ratings.scale import RANKS
from evenmatch.records.dataset import Dataset, scale_names
from evenmatch.search import Plan
from evenmatch.strength.regularized import plan_of
from evenmatch_lab.runner import Experiment, Part, Results
from evenmatch_lab.shared.level_numbers import (
    NEAR,
    SEED,
    Floats,
    Seen,
    best,
    judged,
    pikl_level,
    rarity,
    regularized_of,
    sa_level,
    search,
)
from evenmatch_lab.shared.point_losses import PointJudge, judge_settings
from evenmatch_lab.shared.positions import DrawnMoves, drawn_moves

RATINGS: dict[str, tuple[int, ...]] = {
    "ogs": (1100, 2100, 3000, 1600, 2600, 3200),  # 20k, 10k, 1k, 15k, 5k, 2d
    "kgs": (3900, 3700),  # 9d, 7d
}  #: of players, by the server whose people they are to be like
HALF = 150  #: people up to so far from a rating: three ranks
POSITIONS, MANY = 80, 2_000  #: moves of a rating that are judged; whose likelihood is looked at
VISITS = 25  #: of the judge's searches
SHARE = 0.02  #: of the policy, with which a move is judged itself
PIKL_SIMULATIONS = (domain_of("go").rated_simulations, 100)  #: tried in turn
R_TH = 0.03  #: of SA-MCTS, as at chess
ALIKE = 0.02  #: points: lost as well as equally
QUICK = 1, 4, 8, 2, (4,)  #: ratings a server, then as above


class People(NamedTuple):
    """Whose moves players are fitted to, or compared with."""

    folder: Path
    rating: int
    split: str = "tune"

    def moves(self, most: int) -> DrawnMoves:
        """Draw up to ``most`` moves; passes are left out."""
        band = self.rating - HALF, self.rating + HALF
        drawn = drawn_moves(Dataset.open(self.folder), self.split, band, most, SEED)
        placed = drawn.actions != drawn.game.num_actions - 1
        assert drawn.people is not None
        states, plies, actions = drawn.states[placed], drawn.plies[placed], drawn.actions[placed]
        return DrawnMoves(states, plies, actions, drawn.people[placed], drawn.game_id)


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """A part for each rating."""
    if nets:
        raise UsageError("the network that ships is fitted; leave out --net")
    ratings, positions, many, visits, sims = (
        QUICK if quick else (None, POSITIONS, MANY, VISITS, PIKL_SIMULATIONS)
    )
    by_key, opened = {}, [Dataset.open(folder) for folder in data]
    for folder, dataset, name in zip(data, opened, scale_names(opened), strict=True):
        game = dataset.form.game
        if not isinstance(game, Go) or name not in RATINGS:
            known = " and ".join(RATINGS)
            raise UsageError(f"{folder} is not of these servers: give datasets of {known}")
        people = people_path(game.id)
        if people is None:
            raise UsageError("no network of people ships for Go; train one")
        for rating in RATINGS[name][:ratings]:
            settings = {
                "dataset": dataset.identity,
                "rating": rating,
                "half": HALF,
                "positions": positions,
                "many": many,
                "simulations": sims,
                "share": SHARE,
                "r_th": R_TH,
                "seed": SEED,
                "people": digest_of(people),
                "judge": judge_settings(game.id, visits),
            }
            run = partial(fit, People(folder, rating), name, positions, many, visits, sims)
            by_key[f"{name}, {RANKS.write(rating)}"] = Part(settings, run)
    return by_key


def fit(
    people: People,
    scale: str,
    positions: int,
    many: int,
    visits: int,
    sims: Sequence[int],
    progress: Progress,
    done: Results,
) -> dict[str, Any]:
    """Find the numbers of a rating."""
    moves, game = people.moves(positions), people.moves(1).game
    assert isinstance(game, Go)
    assert moves.people is not None
    judge = PointJudge(game, visits)
    roots = search(moves, Plan(simulations=sims[0]), progress)
    seen = Seen(moves, roots, judged(judge, moves, roots, progress, SHARE))
    theirs = seen.of(moves.actions)
    target, told = float(theirs.mean()), asked_rating(people.rating, scale, card_of(game))
    drawn = people.moves(many)
    rarer = rarity(drawn, told, progress)
    levels: list[dict[str, Any]] = []
    for count in sims:
        plan = replace(plan_of(count), **told._asdict())
        roots = search(moves, plan, progress)
        own = Seen(moves, roots, judged(judge, moves, roots, progress, SHARE))
        level = pikl_level(own, target, float(rarer.mean()), ALIKE)
        levels.append({"simulations": count, **level})
        if level["reached"] and abs(level["rarer"] - rarer.mean()) < NEAR:
            break
    policy = own.expected([regularized_of(root, np.inf, 1) for root in own.roots])
    return {
        "people": seen.estimate(theirs),
        "movers": len(np.unique(moves.people)),
        "moves": len(theirs),
        "people_rarer": estimate_of(rarer, drawn),
        "policy": own.estimate(policy),
        "sa": sa_level(seen, target, R_TH),
        "pikl": best(levels, target, float(rarer.mean()), ALIKE),
        "tried": levels,
    }


def card_of(game: Go):
    """Return the card of the network of people."""
    return network_of(game, people_path(game.id)).card


def estimate_of(each: Floats, moves: DrawnMoves) -> list[float]:
    """Return the mean of numbers of moves [n], and half its interval."""
    return Seen(moves, [], np.zeros((0, 0))).estimate(each)


# -- the page ------------------------------------------------------------------------------------


def page(results: Results) -> list[str]:
    """Write a table for each player."""
    settings = next(iter(results.values()))["settings"]
    domain = domain_of("go")
    by_rank = dict(sorted(results.items(), key=lambda item: item[1]["settings"]["rating"]))
    return [
        f"Points that a move loses, with 95% intervals (by the jackknife over people), on moves of "
        f"people within {HALF / 100:g} ranks of split tune, by searches of "
        f"{settings['judge']['visits']} visits of {domain.network}. *: none of the numbers tried "
        "loses what people lose; the one that comes nearest to it is taken.",
        "",
        "| rank | people | moves | people lose | the policy loses | z of SA-MCTS | it loses |",
        "|---|---:|---:|---:|---:|---:|---:|",
        *(sa_line(name, row) for name, row in by_rank.items()),
        "",
        f"R_th of SA-MCTS is {R_TH:g}, it has {settings['simulations'][0]} simulations.",
        "",
        "`pikl`, by simulations. Rare: how many nats less likely than draws of the policy moves "
        "are by it. Cost: nats of people's moves, by `pikl` and by the policy.",
        "",
        "| rank | people are rare by | simulations | lambda | t | loses | rare by | cost "
        "| policy's cost |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
        *(line for name, row in by_rank.items() for line in pikl_lines(name, row)),
    ]


def sa_line(name: str, row: dict[str, Any]) -> str:
    """Write what people lose, and SA-MCTS."""
    sa = row["sa"]
    cells = [
        name,
        str(row["movers"]),
        str(row["moves"]),
        points(row["people"]),
        points(row["policy"]),
        f"{sa['z']:.2f}{star(sa)}",
        points(sa["loses"]),
    ]
    return f"| {' | '.join(cells)} |"


def pikl_lines(name: str, row: dict[str, Any]) -> list[str]:
    """Write the pairs that were found, the one taken in bold."""
    lines = []
    for level in row["tried"]:
        cells = [
            f"{level['simulations']}{star(level)}",
            f"{level['lam']:.4f}",
            f"{level['t']:.2f}",
            points(level["loses"]),
            f"{level['rarer']:.2f}",
            f"{level['nats']:.2f}",
        ]
        if level["simulations"] == row["pikl"]["simulations"]:
            cells = [f"**{cell}**" for cell in cells]
        rare = points(row["people_rarer"])
        lines.append(f"| {name} | {rare} | {' | '.join(cells)} | {level['policy_nats']:.2f} |")
    return lines


def points(estimated: Sequence[float]) -> str:
    """Write a mean and half its interval."""
    return f"{estimated[0]:.2f} ± {estimated[1]:.2f}"


def star(level: dict[str, Any]) -> str:
    """Mark what does not lose what people do."""
    return "" if level["reached"] else "*"


EXPERIMENT = Experiment(
    "point_fit",
    "Players of a rank of Go that lose points as its people do (and Chen et al. 2025, table 4)",
    parts,
    page,
    reads_games=True,
)
