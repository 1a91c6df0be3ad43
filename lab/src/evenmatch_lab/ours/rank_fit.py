"""What players of a rank of Go are set to, so that they play as its people do.

On people's moves of split tune, rank by rank. lambda and t of ``pikl`` are those by which people's
moves are likeliest. That meets two conditions at once, as likelihood does in exponential families:
draws of the player are worth what people's moves are worth, by its own search, and are as rare as
those by the policy, which is told the rank. (Nearly: t depends a little on the position's value.)
z of SA-MCTS meets the first of them, by what the search of ``pikl`` says of moves.

Chess has `level_fit` for this, where a judge says what moves lose. At Go such a judge takes a
hundred times as long, and searches short enough to be paid for told people apart too little
(docs/notes/archive/points.md). `rank_points` is the test of what comes out, by points.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
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
from evenmatch.strength import Root
from evenmatch.strength.regularized import plan_of, values
from evenmatch.strength.visit_softmax import candidates, probabilities
from evenmatch_lab.runner import Experiment, Part, Results
from evenmatch_lab.shared.engine_losses import estimate
from evenmatch_lab.shared.level_numbers import (
    SEED,
    Floats,
    Z,
    crossing,
    logs_of,
    regularized_of,
    search,
)
from evenmatch_lab.shared.positions import DrawnMoves, drawn_moves

RATINGS: dict[str, tuple[int, ...]] = {
    "ogs": (1100, 2100, 3000, 1600, 2600, 3200),  # 20k, 10k, 1k, 15k, 5k, 2d
    "kgs": (3900, 3700),  # 9d, 7d
}  #: of players, by the server whose people they are to be like
HALF = 150  #: people up to so far from a rating: three ranks
MOVES = 300  #: of a rating
R_TH = 0.03  #: of SA-MCTS, as at chess
LAMBDAS, T = (0.01, 30.0), (0.1, 10.0)  #: between which the numbers are sought
GROUPS = 10  #: of people, each left out once for the intervals
QUICK = 1, 4, 4  #: ratings a server, moves, simulations


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
    usual = None, MOVES, domain_of("go").rated_simulations
    ratings, most, sims = QUICK if quick else usual
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
                "moves": most,
                "simulations": sims,
                "r_th": R_TH,
                "seed": SEED,
                "people": digest_of(people),
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
    card = network_of(moves.game, people_path(moves.game.id)).card
    told = asked_rating(people.rating, scale, card)
    plan = replace(plan_of(sims), **told._asdict())
    roots = search(moves, plan, lambda at, of: progress(at, 2 * count))
    untold = search(moves, Plan(simulations=sims), lambda at, of: progress(count + at, 2 * count))
    return {
        "movers": len(np.unique(moves.people)),
        "moves": count,
        "pikl": pikl_level(roots, moves),
        "sa": sa_level(roots, untold, moves),
    }


# -- pikl ----------------------------------------------------------------------------------------


def pikl_level(roots: Sequence[Root], moves: DrawnMoves) -> dict[str, Any]:
    """Return lambda and t, their intervals by people, and what people's moves cost in nats."""
    assert moves.people is not None
    level = likeliest(roots, moves.actions)
    ends = jackknifed(
        lambda rows: np.log(likeliest([roots[row] for row in rows], moves.actions[rows])),
        np.log(level),
        moves.people,
    )
    costs = {
        "nats": nats(roots, moves.actions, *level),
        "policy_nats": nats(roots, moves.actions, np.inf, 1.0),
    }
    saved = costs["policy_nats"] - costs["nats"]
    return {
        "lam": round(level[0], 4),
        "t": round(level[1], 3),
        "between": [[round(float(x), 4) for x in np.exp(pair)] for pair in ends],
        "at_edge": any(
            not low * 1.01 < x < high / 1.01 for x, (low, high) in zip(level, BOUNDS, strict=True)
        ),
        "saves": estimate(saved, moves.people),
        **{name: round(float(each.mean()), 4) for name, each in costs.items()},
    }


BOUNDS = (LAMBDAS, T)


def likeliest(roots: Sequence[Root], actions: np.ndarray) -> tuple[float, float]:
    """Return the (lambda, t) by which people's actions [n] are likeliest."""
    from scipy.optimize import minimize

    def cost(logs: Floats) -> float:
        return float(nats(roots, actions, *np.exp(logs)).mean())

    found = minimize(
        cost,
        np.log([0.3, 1.2]),
        method="Nelder-Mead",
        bounds=[tuple(np.log(ends)) for ends in BOUNDS],
        options={"xatol": 0.01, "fatol": 1e-5, "maxiter": 200},
    )
    lam, t = np.exp(found.x)
    return float(lam), float(t)


def nats(roots: Sequence[Root], actions: np.ndarray, lam: float, t: float) -> Floats:
    """Return minus the log of how likely actions [n] are to ``pikl``, [n]."""
    pis = [
        regularized_of(root, lam, t)[action] for root, action in zip(roots, actions, strict=True)
    ]
    return -logs_of(np.array(pis))


def jackknifed(
    found: Callable[[np.ndarray], Floats], whole: Floats, people: np.ndarray
) -> list[tuple[float, float]]:
    """Return 95% intervals of numbers [k], by leaving out groups of people in turn.

    ``found(rows)`` returns the numbers by some of the moves, ``whole`` are those by all.
    """
    from scipy.stats import t as student

    _, who = np.unique(people, return_inverse=True)
    group = who % min(GROUPS, who.max() + 1)
    count = group.max() + 1
    if count < 2:
        return [(-np.inf, np.inf)] * len(whole)
    left = np.array([found(np.flatnonzero(group != k)) for k in range(count)])
    error = np.sqrt((count - 1) / count * ((left - left.mean(0)) ** 2).sum(0))
    half = student.ppf(0.975, count - 1) * error
    return list(zip(whole - half, whole + half, strict=True))


# -- sa ------------------------------------------------------------------------------------------


def sa_level(roots: Sequence[Root], untold: Sequence[Root], moves: DrawnMoves) -> dict[str, Any]:
    """Return z by which draws of SA-MCTS are worth what people's moves are.

    By the search of ``pikl``; as angles, by which a lost game does not hide what a move loses.
    """
    worth = [np.arcsin(np.clip(values(root), -1, 1)) for root in roots]
    theirs = np.array([own[action] for own, action in zip(worth, moves.actions, strict=True)])

    def draws(z: float) -> Floats:
        pis = [probabilities(r.visits, candidates(r.visits, r.legal, R_TH), z) for r in untold]
        return np.array([pi @ own for pi, own in zip(pis, worth, strict=True)])

    gaps = np.array([(theirs - draws(z)).mean() for z in Z])
    z, reached = crossing(Z, gaps, 0.0)
    return {
        "z": round(z, 3),
        "reached": reached,
        "worth_less": estimate(theirs - draws(z), moves.people),
    }


# -- the page ------------------------------------------------------------------------------------


def page(results: Results) -> list[str]:
    """Write a table of the numbers by rank."""
    settings = next(iter(results.values()))["settings"]
    by_rank = dict(sorted(results.items(), key=lambda item: item[1]["settings"]["rating"]))
    return [
        f"Moves of people within {HALF / 100:g} ranks, split tune; searches of "
        f"{settings['simulations']} simulations, told the rank for `pikl`. In brackets 95% "
        f"intervals, by leaving out each of up to {GROUPS} groups of people once. Cost: nats of "
        "people's moves, by `pikl` and by the policy alone, on the moves that were fitted to; "
        "*saved* is the difference, by people. *: at the edge of what was sought.",
        "",
        "| rank | people | moves | lambda | t | cost | policy's cost | saved | z of SA-MCTS |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
        *(line(name, row) for name, row in by_rank.items()),
        "",
        f"R_th of SA-MCTS is {R_TH:g}.",
        "",
        "## What agrees, what does not, and why",
        "",
        *findings(by_rank),
    ]


def line(name: str, row: dict[str, Any]) -> str:
    """Write a rank."""
    pikl, sa = row["pikl"], row["sa"]
    star = "*" if pikl["at_edge"] else ""
    cells = [
        name,
        str(row["movers"]),
        str(row["moves"]),
        f"{pikl['lam']:.3f}{star} ({between(pikl['between'][0])})",
        f"{pikl['t']:.2f} ({between(pikl['between'][1])})",
        f"{pikl['nats']:.2f}",
        f"{pikl['policy_nats']:.2f}",
        points(pikl["saves"]),
        f"{sa['z']:.2f}{'' if sa['reached'] else '*'}",
    ]
    return f"| {' | '.join(cells)} |"


def between(ends: Sequence[float]) -> str:
    """Write an interval."""
    return f"{ends[0]:.2f} to {ends[1]:.2f}"


def findings(by_rank: Results) -> list[str]:
    """Say whether the search decides more from rank to rank, and how z goes beside the paper's."""
    rows = list(by_rank.values())
    pairs = list(pairwise(rows))
    less = sum(b["pikl"]["lam"] < a["pikl"]["lam"] for a, b in pairs)
    more = sum(b["sa"]["z"] > a["sa"]["z"] for a, b in pairs)
    return [
        f"- At {less} of {len(pairs)} steps to the next stronger rank lambda is smaller: the "
        "search decides more.",
        f"- At {more} of {len(pairs)} steps z is larger. In table 4 of Chen et al. 2025 z rises "
        "at every step, from -0.6 at 1-2 kyu to 0.6 at 9 dan. There it was set so that SA-MCTS and "
        "SE_inf-MCTS score alike in games, with 800 simulations.",
    ]


def points(estimated: Sequence[float]) -> str:
    """Write a mean and half its interval."""
    return f"{estimated[0]:.2f} ± {estimated[1]:.2f}"


EXPERIMENT = Experiment(
    "rank_fit",
    "Players of a rank of Go set to play as its people do (and Chen et al. 2025, table 4)",
    parts,
    page,
    reads_games=True,
)
