"""What players of a rank of Go are set to, so that they play as its people do.

On people's moves of splits tune and candidate, rank by rank; few of them are one person's. lambda
and t of ``pikl`` are those by which people's moves are most likely. That meets two conditions at
once, as likelihood does in exponential families: draws of the player are worth what people's moves
are worth, by its own search, and are as rare as those by the policy, which is conditioned on the
rank. (Nearly: t depends a little on the position's value.) z of SA-MCTS meets the first of them, by
what the search of ``pikl`` says of moves.

The moves of one rank say little of its numbers. So what ships is a line through all ranks: the
logarithms of lambda and t are linear in the rating. It meets the conditions over all ranks together
only. z is found and reported, but what ships is the paper's.

Chess has `level_fit` for this, where a judge says what moves lose. At Go such a judge takes a
hundred times as long, and searches short enough to be paid for distinguished people too little
(docs/notes/archive/points.md). `rank_points` is the test of what comes out, by points.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.games.catalog import game_info
from evenmatch.games.go.go import Go
from evenmatch.network.artifact import digest_of, human_policy_path
from evenmatch.network.conditions import rating_condition
from evenmatch.network.inference import network_of
from evenmatch.opponents.controller import Root
from evenmatch.opponents.pikl import corrected, plan_of, values
from evenmatch.opponents.visit_softmax import candidates, probabilities
from evenmatch.progress import Progress
from evenmatch.ratings.scale import RANKS
from evenmatch.search import Plan
from evenmatch.workshop.datasets.dataset import Dataset, scale_names
from evenmatch_lab.ours.level_fit import SEED, Floats, Z, logs_of, search
from evenmatch_lab.ours.rank_lines import (
    ALL,
    GROUPS,
    LAMBDAS_TRIED,
    T_TRIED,
    Lines,
    Rank,
    in_effect,
    jackknifed,
    likeliest,
    lines_of,
    smooth,
)
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results
from evenmatch_lab.shared.positions import DrawnMoves, drawn_moves

RATINGS: dict[str, tuple[int, ...]] = {
    "ogs": (1100, 2100, 2900, 1600, 2600, 3200),  # 20k, 10k, 2k, 15k, 5k, 2d
    "kgs": (3900, 3600),  # 9d, 6d
}  #: of players, by the server whose people they are to be like
HALF = 150  #: people up to so far from a rating: three ranks
SPLITS = "tune", "candidate"
MOVES = 320  #: of a rating
OF_ONE = 20  #: moves of a rating that may be one person's
R_TH = 0.03  #: of SA-MCTS, as at chess
QUICK = 1, 4, 4  #: ratings a server, moves, simulations


class People(NamedTuple):
    """Whose moves players are fitted to, or compared with."""

    folder: Path
    rating: int
    splits: tuple[str, ...] = SPLITS
    of_one: int = OF_ONE  #: moves that may be one person's

    def moves(self, most: int) -> DrawnMoves:
        """Draw up to ``most`` moves; passes are left out."""
        band, dataset = (self.rating - HALF, self.rating + HALF), Dataset.open(self.folder)
        drawn = drawn_moves(dataset, self.splits, band, most, SEED, of_one=self.of_one)
        placed = drawn.actions != drawn.game.num_actions - 1
        assert drawn.people is not None
        states, plies, actions = drawn.states[placed], drawn.plies[placed], drawn.actions[placed]
        return DrawnMoves(states, plies, actions, drawn.people[placed], drawn.game_id)


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """A part for each rating."""
    if nets:
        raise UsageError("the network that ships is fitted; leave out --net")
    usual = None, MOVES, game_info("go").rated_simulations
    ratings, most, sims = QUICK if quick else usual
    by_key, opened = {}, [Dataset.open(folder) for folder in data]
    for folder, dataset, name in zip(data, opened, scale_names(opened), strict=True):
        game = dataset.codec.game
        if not isinstance(game, Go) or name not in RATINGS:
            known = " and ".join(RATINGS)
            raise UsageError(f"{folder} is not of these servers: give datasets of {known}")
        people = human_policy_path(game.id)
        if people is None:
            raise UsageError("no network of people ships for Go; train one")
        for rating in RATINGS[name][:ratings]:
            settings = {
                "dataset": dataset.identity,
                "rating": rating,
                "half": HALF,
                "splits": SPLITS,
                "moves": most,
                "of one": OF_ONE,
                "simulations": sims,
                "r_th": R_TH,
                "seed": SEED,
                "network": digest_of(people),
            }
            run = partial(fit, People(folder, rating), name, most, sims)
            by_key[f"{name}, {RANKS.write(rating)}"] = Part(settings, run)
    return by_key


def fit(
    people: People, scale: str, most: int, sims: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Find the numbers of a rating."""
    moves = people.moves(most)
    assert moves.people is not None
    count = len(moves.actions)
    card = network_of(moves.game, human_policy_path(moves.game.id)).card
    told = rating_condition(people.rating, scale, card)
    plan = replace(plan_of(sims), **told._asdict())
    roots = search(moves, plan, lambda at, of: progress(at, 2 * count))
    untold = search(moves, Plan(simulations=sims), lambda at, of: progress(count + at, 2 * count))
    return {
        "movers": len(np.unique(moves.people)),
        "moves": count,
        "grouped": np.bincount(grouped(moves), minlength=GROUPS).tolist(),
        "costs": pikl_costs(roots, moves),
        "policy": round(float(nats(roots, moves.actions, np.inf, 1.0).mean()), 4),
        "gaps": sa_gaps(roots, untold, moves),
    }


# -- pikl ----------------------------------------------------------------------------------------


def pikl_costs(roots: Sequence[Root], moves: DrawnMoves) -> list[Any]:
    """Return what people's moves cost by group of people, lambda and t: sums of nats [G, L, T]."""
    group, costs = grouped(moves), np.zeros((GROUPS, len(LAMBDAS_TRIED), len(T_TRIED)))
    for i, lam in enumerate(LAMBDAS_TRIED):
        for j, t in enumerate(T_TRIED):
            each = nats(roots, moves.actions, lam, t)
            costs[:, i, j] = np.bincount(group, each, GROUPS)
    return costs.round(3).tolist()


def grouped(moves: DrawnMoves) -> NDArray[np.intp]:
    """Return the group of people [n] that moves are of, who are in the same at every rating."""
    assert moves.people is not None
    return moves.people % GROUPS


def nats(roots: Sequence[Root], actions: NDArray, lam: float, t: float) -> Floats:
    """Return minus the log of how likely actions [n] are to ``pikl``, [n]."""
    chances = [corrected(r, lam, t)[a] for r, a in zip(roots, actions, strict=True)]
    return -logs_of(np.array(chances))


# -- sa ------------------------------------------------------------------------------------------


def sa_gaps(roots: Sequence[Root], untold: Sequence[Root], moves: DrawnMoves) -> list[Any]:
    """Return by how much more people's moves are worth than draws of SA-MCTS: sums [G, Z].

    By the search of ``pikl``; as angles, by which a lost game does not hide what a move loses.
    """
    worth = [np.arcsin(np.clip(values(root), -1, 1)) for root in roots]
    theirs = np.array([own[action] for own, action in zip(worth, moves.actions, strict=True)])
    group, gaps = grouped(moves), np.zeros((GROUPS, len(Z)))
    for i, z in enumerate(Z):
        pis = [probabilities(r.visits, candidates(r.visits, r.legal, R_TH), z) for r in untold]
        draws = np.array([pi @ own for pi, own in zip(pis, worth, strict=True)])
        gaps[:, i] = np.bincount(group, theirs - draws, GROUPS)
    return gaps.round(4).tolist()


# -- the page ------------------------------------------------------------------------------------


def page(results: Results) -> list[str]:
    """Write a table of the numbers by rank, of its own and by the lines."""
    ranks = sorted((Rank.of(*item) for item in results.items()), key=lambda rank: rank.rating)
    lines, groups = lines_of(ranks), in_effect(ranks)
    by_group = {without: lines_of(ranks, without) for without in (ALL, *range(GROUPS))}
    shipped = []
    for rank in ranks:
        ends = jackknifed(lambda group, x=rank.x: by_group[group].logs(x), groups)  # type: ignore[misc]
        cells = [
            "{:.3f} ({:.3f} to {:.3f})".format(*np.exp([value, *pair]))
            for value, pair in zip(by_group[ALL].logs(rank.x), ends, strict=True)
        ]
        shipped.append([RANKS.write(rank.rating), *cells])
    ((low, high),) = jackknifed(lambda group: by_group[group].log_lam[1:], groups)
    slope = f"{lines.log_lam[1]:+.2f} ({low:+.2f} to {high:+.2f})"
    pairs = list(pairwise(ranks))
    more = sum(b.z(ALL)[0] > a.z(ALL)[0] for a, b in pairs)
    worse = [rank for rank in ranks if line_cost(rank, lines) > rank.policy]
    heads = ["rank", "people", "moves", "lambda", "t", "z of SA-MCTS", "policy's cost", "own cost"]
    return [
        table([*heads, "the lines'"], [own_cells(rank, lines) for rank in ranks]),
        "",
        "## The lines that ship",
        "",
        table(["rank", "lambda (95%)", "t (95%)"], shipped),
        "",
        table(
            ["", ""],
            [
                ["groups of people in effect", f"{groups:.1f} of {GROUPS}"],
                ["slope of the logarithm of lambda in ten ranks (95%)", slope],
                ["steps to the next stronger rank at which z is larger", f"{more} of {len(pairs)}"],
                [
                    "people's moves less likely than by the policy alone at",
                    ", ".join(RANKS.write(rank.rating) for rank in worse) or "no rank",
                ],
            ],
        ),
    ]


def own_cells(rank: Rank, lines: Lines) -> list[str]:
    """Return what was found of a rank by its own moves."""
    own, (z, reached) = likeliest(rank), rank.z(ALL)
    return [
        rank.name,
        str(rank.people),
        str(rank.moves),
        f"{own.lam:.2f}" if own.lam < LAMBDAS_TRIED[-1] else f"{LAMBDAS_TRIED[-1]:g} or more",
        f"{own.t:.2f}",
        f"{z:.2f}" + ("" if reached else " (not reached)"),
        f"{rank.policy:.3f}",
        f"{own.cost:.3f}",
        f"{line_cost(rank, lines):.3f}",
    ]


def line_cost(rank: Rank, lines: Lines) -> float:
    """Return nats of people's moves of a rank by the numbers of the lines."""
    return smooth(rank.mean_costs(ALL))(lines.logs(rank.x))


EXPERIMENT = Experiment(
    "rank_fit",
    "Players of a rank of Go set to play as its people do (and Chen et al. 2025, table 4)",
    parts,
    page,
    reads_games=True,
)
