"""What players of a rating are set to: they are to lose as much by their moves as its people do.

On people's moves of split tune, rank by rank; what people lose is known from their games' evals,
for far more moves than are judged here. SA-MCTS has one number for it, z (Chen et al. 2025, table
4, who play games to find it), and SE_inf-MCTS another, c_1. ``pikl`` has two; of the pairs that
lose as much as people the one is taken that foresees people's moves best. Where no pair loses as
little as people, it searches more, and where nothing does, what loses least is taken: stronger
than that the network is not.

Moves drawn by chance are judged by expectation. All that policy or search find worth a thought is
judged, and of the others in a position one, drawn by the policy, for all of them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.experiments.agents import RANKS, SIMULATIONS, networks, only_folder
from evenmatch.experiments.losses import Judge, estimate, judge_settings, people, percent
from evenmatch.experiments.positions import Moves, chosen, drawn_moves
from evenmatch.experiments.runner import Experiment, Part, Progress, Results
from evenmatch.games import get_game
from evenmatch.network.conditions import told_rating
from evenmatch.players.evaluators import load_evaluator, network_of
from evenmatch.players.search_player import root_rows
from evenmatch.records.dataset import Dataset
from evenmatch.search import Plan, Search
from evenmatch.search.forest import seeds_from
from evenmatch.strength import Root
from evenmatch.strength.regularized import regularized, values
from evenmatch.strength.se_mcts import PAPER_PLAN
from evenmatch.strength.visit_softmax import candidates, probabilities

SEED = 21
FITTED = (2, 4, 6, 8)  # ranks; in between the numbers are interpolated
POSITIONS, PEOPLE = 300, 20_000  # moves of a rank judged here, and judged in the records
PIKL_SIMULATIONS = (SIMULATIONS, 400, 800)  # tried in turn; the others have the first
QUICK = 1, 6, 50, (4, 8)  # ranks, then as above
AT_ONCE = 100  # positions searched side by side
Z = np.arange(-2, 6.01, 0.25)
R_TH = 0.1
C_1 = (1.0, 2.0, 4.0, 8.0, 16.0)
T = (1.0, 0.85, 0.7, 0.55, 0.4, 0.3, 0.2, 0.1)
LAMBDAS = np.geomspace(0.01, 3, 24)
SHARE, VISITS = 0.01, 3  # of the policy, and of a search, with which a move is judged
#: Chen et al. 2025, table 4: Go, eleven ranks from 9 dan to 3-5 kyu.
PAPER = (0.6, 0.5, 0.35, 0.3, 0.2, 0.15, 0.05, -0.1, -0.2, -0.6, -1.0)

Floats = NDArray[np.float64]


class Seen(NamedTuple):
    """Positions as searches and a judge have them."""

    moves: Moves
    roots: list[Root]  #: as searched
    losses: Floats  #: [n, A], 0 for what is not legal

    def expected(self, pis: Sequence[Floats]) -> Floats:
        """Return what moves drawn from distributions [n] of [A] lose, [n]."""
        return np.array([pi @ lost for pi, lost in zip(pis, self.losses, strict=True)])

    def of(self, actions: NDArray) -> Floats:
        """Return what actions [n] lose."""
        return self.losses[np.arange(len(actions)), actions]


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """One part for each rank."""
    folder = only_folder(data, nets)
    ranks, positions, most, sims = (
        QUICK if quick else (len(FITTED), POSITIONS, PEOPLE, PIKL_SIMULATIONS)
    )
    settings = {
        "dataset": Dataset.open(folder).identity,
        "networks": networks(),
        "positions": positions,
        "people": most,
        "simulations": sims,
        "judge": judge_settings(),
        "seed": SEED,
    }
    return {
        f"rank {rank}": Part(
            {**settings, "rank": rank}, partial(fit, folder, rank, positions, most, sims)
        )
        for rank in FITTED[-ranks:]
    }


def fit(
    folder: Path,
    rank: int,
    positions: int,
    most: int,
    sims: Sequence[int],
    progress: Progress,
    done: Results,
) -> dict[str, Any]:
    """Find the numbers of a rank."""
    dataset, elo = Dataset.open(folder), float(RANKS.middle(rank))
    band = elo - RANKS.width / 2, elo + RANKS.width / 2
    target = people(dataset, "tune", band, most, SEED)
    moves = drawn_moves(dataset, "tune", band, positions, SEED)
    told = told_rating(elo, None, network_of(get_game("chess")).card.scales)
    with Judge() as judge:

        def searched(sims: int, told: NDArray | None, answers: Sequence[NDArray] = ()) -> Seen:
            roots = search(moves, sims, told, progress)
            return Seen(moves, roots, judged(judge, moves, roots, answers, progress))

        answers = {
            c_1: chosen(
                f"se:elo={elo:g},c_1={c_1:g},sims={sims[0]}", moves, AT_ONCE, SEED, progress
            )
            for c_1 in C_1
        }
        untold = searched(sims[0], None, list(answers.values()))
        levels: list[dict[str, Any]] = []
        for count in sims:
            seen = searched(count, told)
            levels.append({"simulations": count, **pikl_level(seen, target.mean())})
            if levels[-1]["reached"]:
                break
    policy = seen.expected([regularized_of(root, np.inf, 1) for root in seen.roots])
    return {
        "people": estimate(target),
        "people_here": estimate(untold.of(moves.actions)),
        "policy": estimate(policy),
        "sa": sa_level(untold, target.mean()),
        "se": se_level(untold, answers, target.mean()),
        "pikl": min(levels, key=lambda level: (not level["reached"], level["loses"][0])),
        "tried": [[level["simulations"], level["loses"]] for level in levels],
    }


def search(moves: Moves, sims: int, told: NDArray | None, progress: Progress) -> list[Root]:
    """Search the positions; ``told`` are conditions for the policy."""
    game, roots = get_game("chess"), []
    plan = PAPER_PLAN if told is None else Plan()
    for at in range(0, len(moves.states), AT_ONCE):
        states = moves.states[at : at + AT_ONCE]
        trees = Search(game, load_evaluator(game, None, told), trees=len(states), nodes=sims + 8)
        trees.plant(np.arange(len(states)), states, seeds_from(SEED, len(states)))
        plans = [replace(plan, simulations=sims)] * len(states)
        roots += root_rows(trees.run(np.arange(len(states)), plans))
        progress(len(roots), len(moves.states))
    return roots


def judged(
    judge: Judge,
    moves: Moves,
    roots: Sequence[Root],
    answers: Sequence[NDArray],
    progress: Progress,
) -> Floats:
    """Return what moves lose [n, A]; ``answers`` are judged whatever the roots say."""
    legal = np.stack([root.legal for root in roots])
    worth = np.stack([(r.priors > SHARE) | (r.visits >= VISITS) for r in roots]) & legal
    for actions in (moves.actions, *answers):
        worth[np.arange(len(worth)), actions] = True
    rest = legal & ~worth
    drawn = one_of(rest, np.stack([root.priors for root in roots]))
    before = judge.chances(moves.states)

    def lost(rows: NDArray[np.intp], actions: NDArray[np.intp]) -> Floats:
        return judge.losses(moves.states[rows], before[rows], actions, progress)

    losses, some = np.zeros(worth.shape), np.flatnonzero(rest.any(1))
    losses[worth] = lost(*np.nonzero(worth))
    losses[some] += np.where(rest[some], lost(some, drawn[some])[:, None], 0)
    return losses


def one_of(allowed: NDArray[np.bool_], priors: NDArray) -> NDArray[np.intp]:
    """Draw an allowed action of each row [n, A] by its priors; any where none is allowed."""
    weights = np.where(allowed, np.maximum(priors.astype(float), 1e-9), 0).cumsum(1)
    points = np.random.default_rng(SEED).random(len(weights))[:, None] * weights[:, -1:]
    return (weights > points).argmax(1)


# -- the numbers ---------------------------------------------------------------------------------


def sa_level(seen: Seen, target: float) -> dict[str, Any]:
    """Find z."""

    def at(z: float) -> Floats:
        pis = [
            probabilities(root.visits, candidates(root.visits, root.legal, R_TH), z)
            for root in seen.roots
        ]
        return seen.expected(pis)

    z, reached = crossing(Z, np.array([at(z).mean() for z in Z]), target)
    return {"z": round(z, 3), "reached": reached, "loses": estimate(at(z))}


def se_level(seen: Seen, answers: Mapping[float, NDArray], target: float) -> dict[str, Any]:
    """Find c_1, between those with whose answers [n] are given."""
    lost = np.array([seen.of(actions).mean() for actions in answers.values()])
    log, reached = crossing(np.log(list(answers)), lost, target)
    return {
        "c_1": round(float(np.exp(log)), 3),
        "reached": reached,
        "tried": [[c_1, estimate(seen.of(actions))] for c_1, actions in answers.items()],
        "alike": [float((a == seen.moves.actions).mean()) for a in answers.values()],
    }


def pikl_level(seen: Seen, target: float) -> dict[str, Any]:
    """Find lambda and t."""

    def nats(pis: Sequence[Floats]) -> Floats:
        likely = np.array([pi[a] for pi, a in zip(pis, seen.moves.actions, strict=True)])
        return -np.log(np.maximum(likely, 1e-9))

    found: list[tuple[bool, float, float, float, list[float], float]] = []
    for t in T:
        means = [
            seen.expected([regularized_of(root, lam, t) for root in seen.roots]).mean()
            for lam in LAMBDAS
        ]
        log, reached = crossing(np.log(LAMBDAS), np.array(means), target)
        lam = float(np.exp(log))
        pis = [regularized_of(root, lam, t) for root in seen.roots]
        loses, cost = seen.expected(pis), float(nats(pis).mean())
        order = cost if reached else float(loses.mean())
        found.append((not reached, order, lam, t, estimate(loses), cost))
    missed, _, lam, t, lost, cost = min(found)
    plain = nats([regularized_of(root, np.inf, 1.0) for root in seen.roots]).mean()
    return {
        "lam": round(lam, 4),
        "t": t,
        "reached": not missed,
        "loses": lost,
        "nats": round(float(cost), 4),
        "policy_nats": round(float(plain), 4),
    }


def regularized_of(root: Root, lam: float, t: float) -> Floats:
    """Return the distribution of ``pikl`` at a root."""
    return regularized(root.priors, values(root), root.legal, lam, t)


def crossing(x: NDArray, lost: NDArray, target: float) -> tuple[float, bool]:
    """Return where ``lost`` [n], read at ``x`` [n], crosses the target, and whether it does.

    Of several crossings the one nearest to the least loss; without any, the x nearest to it.
    """
    k = np.flatnonzero((lost[:-1] - target) * (lost[1:] - target) <= 0)
    if not len(k):
        return float(x[np.abs(lost - target).argmin()]), False
    k = k[np.abs(k - lost.argmin()).argmin()]
    share = (target - lost[k]) / (lost[k + 1] - lost[k]) if lost[k + 1] != lost[k] else 0.0
    return float(x[k] + share * (x[k + 1] - x[k])), True


# -- the page ------------------------------------------------------------------------------------

Cells = Callable[[dict[str, Any]], list[str]]


def page(results: Results) -> list[str]:
    """Write a table for people and one for the players."""
    settings = next(iter(results.values()))["settings"]
    lines = [
        "Chances that a move loses, in percent, with 95% intervals: of people by their games' "
        f"evals ({settings['people']} moves of a rank, drawn from split tune), and on "
        f"{settings['positions']} of such moves' positions by {settings['judge'][0]} "
        f"({settings['judge'][1]} nodes); {settings['simulations'][0]} simulations where nothing "
        "else is said. *: of the numbers tried none loses what people lose.",
        "",
        "| rank | people | people here | policy told the rating | z of SA-MCTS | loses | c_1 of "
        "SE_inf-MCTS | lambda, t, simulations of pikl | loses | with fewer | nats a move: policy "
        "| pikl |",
        "|---|" + "---:|" * 11,
    ]
    for row in results.values():
        rank, sa, se, pikl = row["settings"]["rank"], row["sa"], row["se"], row["pikl"]
        cells = [
            f"r_{rank} ({RANKS.name(rank)})",
            *(percent(row[key]) for key in ("people", "people_here", "policy")),
            f"{sa['z']:.2f}{star(sa)}",
            percent(sa["loses"]),
            f"{se['c_1']:.2f}{star(se)}",
            f"{pikl['lam']:.3f}, {pikl['t']:.2f}, {pikl['simulations']}{star(pikl)}",
            percent(pikl["loses"]),
            ", ".join(f"{count}: {percent(lost)}" for count, lost in row["tried"][:-1]),
            f"{pikl['policy_nats']:.3f}",
            f"{pikl['nats']:.3f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "SE_inf-MCTS by c_1: what it loses, and how many moves are people's.", ""]
    tried = sorted({c_1 for row in results.values() for c_1, _ in row["se"]["tried"]})
    lines += [f"| rank | {' | '.join(f'{c:g}' for c in tried)} |", "|---|" + "---:|" * len(tried)]
    for row in results.values():
        found = {
            c_1: f"{percent(lost)}, {alike:.0%}"
            for (c_1, lost), alike in zip(row["se"]["tried"], row["se"]["alike"], strict=True)
        }
        cells = [found.get(c_1, "") for c_1 in tried]
        lines.append(f"| r_{row['settings']['rank']} | {' | '.join(cells)} |")
    low, high = PAPER[-1], PAPER[0]
    lines += ["", f"In the paper z falls from {high:g} to {low:g} over eleven ranks of Go."]
    return lines


def star(level: dict[str, Any]) -> str:
    """Mark what does not lose what people do, whatever its number."""
    return "" if level["reached"] else "*"


EXPERIMENT = Experiment(
    "level_fit",
    "Players of a rating that lose as much as its people (and Chen et al. 2025, table 4)",
    parts,
    page,
    reads_games=True,
)
