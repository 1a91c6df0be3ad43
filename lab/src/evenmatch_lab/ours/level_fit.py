"""What players of a rating are set to: they are to lose as much by their moves as its people do.

On people's moves of split tune, rank by rank; what people lose is known from their games' evals,
for far more moves than are judged here. SA-MCTS has one number for it, z (Chen et al. 2025, table
4, who play games to find it), and SE_inf-MCTS another, c_1, with which it is taken never to lose
less: games show it where these moves are too few. ``pikl`` has two, and so it is to meet a second
condition: by the policy its moves are to be as likely as people's, on average. Moves that are more
likely are what distinguishes a player from people. Where no pair meets both, it searches more; of
pairs that lose as much as people do the one is taken whose moves come nearest to as likely, and
where none does, of those that come nearest to it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.games import get_game
from evenmatch.network.artifact import human_policy_path
from evenmatch.network.conditions import RatingCondition, rating_condition
from evenmatch.network.inference import network_of
from evenmatch.opponents.controller import Root
from evenmatch.opponents.fitted import CHESS
from evenmatch.opponents.networks import load_evaluator
from evenmatch.opponents.pikl import corrected, plan_of
from evenmatch.opponents.search_player import root_rows
from evenmatch.opponents.visit_softmax import candidates, probabilities
from evenmatch.progress import Progress
from evenmatch.search import Plan, Request, Search
from evenmatch.search.forest import seeds_from
from evenmatch.workshop.datasets.dataset import Dataset
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results
from evenmatch_lab.shared.agents import RANKS, SIMULATIONS, networks, only_folder
from evenmatch_lab.shared.engine_losses import (
    Judge,
    Lost,
    estimate,
    judge_settings,
    people,
    percent,
)
from evenmatch_lab.shared.positions import DrawnMoves, chosen, drawn_moves

SEED = 21
AT_ONCE = 100  # positions searched side by side
Z = np.arange(-2, 6.01, 0.25)
C_1 = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
T = np.geomspace(0.1, 4, 34)
LAMBDAS = np.geomspace(0.01, 3, 24)
NEAR = 0.05  # nats: as likely
ALIKE = 0.0005  # chances of chess: lost as well as equally
SHARE, VISITS = 0.01, 3  # of the policy, and of a search, with which a move is judged

Floats = NDArray[np.float64]
FITTED = (1, 2, 4, 6, 8)  # ranks; in between the numbers are interpolated
LOWER = (9, 10)  #: bands below the ranks, from 800 and from 600 on, for ``pikl`` alone
"""With 100 simulations. At 700 no pair meets both conditions, with 400 and 800 neither: its moves
are rarer by 0.54, 0.54 and 0.53 nats, people's by 0.39."""
POSITIONS, PEOPLE = 600, 20_000  # moves of a rank judged here, and judged in the records
PIKL_SIMULATIONS = (SIMULATIONS, 400, 800)  # tried in turn; the others have the first
LONGEST = 1600  #: tried besides for the first rank, to play above the second
"""And what is tried first is left out there: 100 meet both conditions, with a lambda so small and a
t so great (0.03 and 2.0) that people's moves cost 2.9 nats."""
QUICK = 1, 6, 50, (4, 8)  # ranks, then as above
TRIED_Z = {"z": [Z[0], Z[-1], len(Z)], "r_th": CHESS.sa_r_th}  #: of which a number is found
TRIED_PAIRS = {  #: of which pairs are
    "t": [T[0], T[-1], len(T)],
    "lambda": [LAMBDAS[0], LAMBDAS[-1], len(LAMBDAS)],
    "near": [NEAR, ALIKE],
    "formula": "arcsin(Q), t^(1 - v^2), unvisited as the position",
}
#: Chen et al. 2025, table 4: Go, eleven ranks from 9 dan to 3-5 kyu.


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """A part for each rank and player."""
    folder = only_folder(data, nets)
    ranks, positions, most, sims = (
        QUICK if quick else (len(FITTED), POSITIONS, PEOPLE, PIKL_SIMULATIONS)
    )
    settings = {
        "dataset": Dataset.open(folder).identity,
        "positions": positions,
        "people": most,
        "judge": judge_settings(),
        "seed": SEED,
    }
    by_key = {}
    for rank in FITTED[-ranks:]:
        drawn = partial(Drawn.of, folder, rank, positions, most)
        counts = (*sims[1:], LONGEST) if rank == 1 else sims
        players: dict[str, tuple[Callable[..., dict[str, Any]], Any, Any]] = {
            "sa": (fit_sa, TRIED_Z, sims[0]),
            "se": (fit_se, {"c_1": C_1}, sims[0]),
            "pikl": (fit_pikl, TRIED_PAIRS, counts),
        }
        for player, (fit, tried, simulations) in players.items():
            its = {
                "networks": networks(player),
                "rank": rank,
                "tried": tried,
                "simulations": simulations,
            }
            by_key[f"rank {rank}, {player}"] = Part(
                settings | its, partial(fit, drawn, rank, simulations)
            )
    for rank in () if quick else LOWER:
        drawn = partial(Drawn.of, folder, rank, positions, most)
        its = {
            "networks": networks("pikl"),
            "rank": rank,
            "tried": TRIED_PAIRS,
            "simulations": sims[:1],
        }
        fit = partial(fit_pikl, drawn, rank, sims[:1])
        by_key[f"rank {rank}, pikl"] = Part(settings | its, fit)
    return by_key


def name_of(rank: int) -> str:
    """Return the ratings of a rank, or of a band below all."""
    if rank <= RANKS.count:
        return RANKS.name(rank)
    low = int(RANKS.middle(rank) - RANKS.width / 2)
    return f"{low}-{low + RANKS.width - 1}"


class Drawn(NamedTuple):
    """People's moves of a rank."""

    lost: Lost  #: by the games' evals
    many: DrawnMoves  #: whose likelihood is looked at
    few: DrawnMoves  #: that are searched and judged

    @classmethod
    def of(cls, folder: Path, rank: int, positions: int, most: int) -> "Drawn":
        """Draw as many of a dataset."""
        dataset, elo = Dataset.open(folder), float(RANKS.middle(rank))
        band = elo - RANKS.width / 2, elo + RANKS.width / 2
        return cls(
            people(dataset, "tune", band, most, SEED),
            drawn_moves(dataset, "tune", band, most, SEED),
            drawn_moves(dataset, "tune", band, positions, SEED),
        )


def fit_sa(
    drawn: Callable[[], Drawn], rank: int, sims: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Find z of a rank."""
    lost, _, moves = drawn()
    roots = search(moves, Plan(simulations=sims), progress)
    with Judge() as judge:
        seen = Seen(moves, roots, judged(judge, moves, roots, progress))
    return {
        "people": estimate(*lost),
        "moves": len(lost.losses),
        "people_here": seen.estimate(seen.of(moves.actions)),
        "sa": sa_level(seen, float(lost.losses.mean()), CHESS.sa_r_th),
    }


def fit_se(
    drawn: Callable[[], Drawn], rank: int, sims: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Find c_1 of a rank."""
    lost, _, moves = drawn()
    players = {c_1: f"se:elo={RANKS.middle(rank):g},c_1={c_1:g},sims={sims}" for c_1 in C_1}
    answers = {c_1: chosen(se, moves, AT_ONCE, SEED, progress) for c_1, se in players.items()}
    played = np.zeros((len(moves.states), get_game("chess").num_actions), np.bool_)
    for actions in answers.values():
        played[np.arange(len(played)), actions] = True
    with Judge() as judge:
        before = judge.worth(moves.states)
        seen = Seen(moves, [], losses_of(played, judge, moves, before, progress))
    return {"people": estimate(*lost), "se": se_level(seen, answers, float(lost.losses.mean()))}


def fit_pikl(
    drawn: Callable[[], Drawn], rank: int, sims: Sequence[int], progress: Progress, done: Results
) -> dict[str, Any]:
    """Find lambda, t and simulations of a rank."""
    lost, many, moves = drawn()
    card = network_of(get_game("chess")).card
    condition = rating_condition(float(RANKS.middle(rank)), None, card)
    target, rarer = float(lost.losses.mean()), rarity(many, condition, progress)
    levels: list[dict[str, Any]] = []
    with Judge() as judge:
        for count in sims:
            roots = search(moves, replace(plan_of(count), **condition._asdict()), progress)
            seen = Seen(moves, roots, judged(judge, moves, roots, progress))
            levels.append({"simulations": count, **pikl_level(seen, target, rarer.mean())})
            if levels[-1]["reached"] and abs(levels[-1]["rarer"] - rarer.mean()) < NEAR:
                break
    policy = seen.expected([corrected(root, np.inf, 1) for root in seen.roots])
    return {
        "people": estimate(*lost),
        "people_rarer": estimate(rarer, many.people),
        "policy": estimate(policy, moves.people),
        "pikl": best(levels, target, rarer.mean()),
        "tried": levels,
    }


# -- the numbers ---------------------------------------------------------------------------------


class Seen(NamedTuple):
    """Positions as searches and a judge have them."""

    moves: DrawnMoves
    roots: list[Root]  #: as searched
    losses: Floats  #: [n, A], 0 for what is not legal

    def expected(self, pis: Sequence[Floats]) -> Floats:
        """Return what moves drawn from distributions [n] of [A] lose, [n]."""
        return np.array([pi @ lost for pi, lost in zip(pis, self.losses, strict=True)])

    def of(self, actions: NDArray) -> Floats:
        """Return what actions [n] lose."""
        return self.losses[np.arange(len(actions)), actions]

    def estimate(self, lost: Floats) -> list[float]:
        """Return the mean of losses [n] in the positions, and half its interval."""
        return estimate(lost, self.moves.people)


def search(moves: DrawnMoves, plan: Plan, progress: Progress) -> list[Root]:
    """Search the positions, at the plan's rating if it has one."""
    game, roots, nodes = moves.game, [], plan.simulations + 8
    judge = load_evaluator(game, human_policy_path(game.id))
    for at in range(0, len(moves.states), AT_ONCE):
        states = moves.states[at : at + AT_ONCE]
        trees = Search(game, judge, trees=len(states), nodes=nodes)
        trees.plant(np.arange(len(states)), states, seeds_from(SEED, len(states)))
        roots += root_rows(trees.run(np.arange(len(states)), [plan] * len(states)))
        progress(len(roots), len(moves.states))
    return roots


def rarity(moves: DrawnMoves, condition: RatingCondition, progress: Progress) -> Floats:
    """Return how many nats less likely moves are than draws of the policy on average, [n]."""
    game, gaps = moves.game, []
    policy = load_evaluator(game, human_policy_path(game.id))
    for at in range(0, len(moves.states), AT_ONCE):
        states, actions = moves.states[at : at + AT_ONCE], moves.actions[at : at + AT_ONCE]
        rows = np.full(len(states), condition.rating), np.full(len(states), condition.scale)
        said = policy.evaluate(states, Request(ratings=rows[0], scales=rows[1]))
        logits = np.where(game.legal_mask(states), said.logits, -np.inf)
        priors = np.exp(logits - logits.max(1, keepdims=True))
        priors /= priors.sum(1, keepdims=True)
        logs = logs_of(priors)
        gaps.append((priors * logs).sum(1) - logs[np.arange(len(logs)), actions])
        progress(at + len(states), len(moves.states))
    return np.concatenate(gaps)


def judged(
    judge: Judge,
    moves: DrawnMoves,
    roots: Sequence[Root],
    progress: Progress,
) -> Floats:
    """Return what moves lose [n, A]; people's are judged whatever the roots say."""
    legal = np.stack([root.legal for root in roots])
    worth = np.stack([(r.priors > SHARE) | (r.visits >= VISITS) for r in roots]) & legal
    worth[np.arange(len(worth)), moves.actions] = True
    rest = legal & ~worth
    stand_in = np.zeros_like(worth)
    some = np.flatnonzero(rest.any(1))
    stand_in[some, one_of(rest, np.stack([root.priors for root in roots]))[some]] = True
    before = judge.worth(moves.states)
    losses = losses_of(worth, judge, moves, before, progress)
    theirs = losses_of(stand_in, judge, moves, before, progress).sum(1, keepdims=True)
    return losses + np.where(rest, theirs, 0)


def losses_of(
    worth: NDArray[np.bool_],
    judge: Judge,
    moves: DrawnMoves,
    before: Floats,
    progress: Progress,
) -> Floats:
    """Return what some moves lose [n, A], 0 for the others; ``before`` is the positions' worth."""
    rows, actions = np.nonzero(worth)
    losses = np.zeros(worth.shape)
    losses[rows, actions] = judge.losses(moves.states[rows], before[rows], actions, progress)
    return losses


def one_of(allowed: NDArray[np.bool_], priors: NDArray) -> NDArray[np.intp]:
    """Draw an allowed action of each row [n, A] by its priors; any where none is allowed."""
    weights = np.where(allowed, np.maximum(priors.astype(float), 1e-9), 0).cumsum(1)
    points = np.random.default_rng(SEED).random(len(weights))[:, None] * weights[:, -1:]
    return (weights > points).argmax(1)


def sa_level(seen: Seen, target: float, r_th: float) -> dict[str, Any]:
    """Find z."""

    def at(z: float) -> Floats:
        pis = [
            probabilities(root.visits, candidates(root.visits, root.legal, r_th), z)
            for root in seen.roots
        ]
        return seen.expected(pis)

    z, reached = crossing(Z, np.array([at(z).mean() for z in Z]), target)
    return {"z": round(z, 3), "reached": reached, "loses": seen.estimate(at(z))}


def se_level(seen: Seen, answers: Mapping[float, NDArray], target: float) -> dict[str, Any]:
    """Find c_1, between those with whose answers [n] are given.

    What is lost is taken not to fall from one to the next, and so where all of them lose more than
    the target it is the first.
    """
    from scipy.optimize import isotonic_regression

    lost = isotonic_regression([seen.of(actions).mean() for actions in answers.values()]).x
    at, reached = crossing(np.log(list(answers)), lost, target)
    return {
        "c_1": round(float(np.exp(at)), 3),
        "reached": reached,
        "tried": [[c_1, seen.estimate(seen.of(actions))] for c_1, actions in answers.items()],
        "alike": [float((a == seen.moves.actions).mean()) for a in answers.values()],
    }


def pikl_level(seen: Seen, target: float, rarer: float, alike: float = ALIKE) -> dict[str, Any]:
    """Find lambda and t: to lose ``target``, by moves ``rarer`` nats less likely than the policy's.

    (As ``rarity`` has it.) In exponential families that are fitted by likelihood, as this would be
    without the first condition, likelihood is the mean that is met by itself.
    """
    priors = [corrected(root, np.inf, 1) for root in seen.roots]
    logs = logs_of(np.array(priors))

    def nats(pis: Sequence[Floats]) -> float:
        """What people's moves cost."""
        rows = np.arange(len(pis))
        return round(float(-logs_of(np.array(pis))[rows, seen.moves.actions].mean()), 4)

    tried: list[dict[str, Any]] = []
    for t in T:
        losses = np.array(
            [
                seen.expected([corrected(root, lam, t) for root in seen.roots]).mean()
                for lam in LAMBDAS
            ]
        )
        least = losses.argmin()  # below it chance decides which Q is the highest
        at, reached = crossing(np.log(LAMBDAS[least:]), losses[least:], target)
        lam = float(np.exp(at))
        pis = [corrected(root, lam, t) for root in seen.roots]
        tried.append(
            {
                "lam": round(lam, 4),
                "t": round(float(t), 3),
                "reached": reached,
                "loses": seen.estimate(seen.expected(pis)),
                "rarer": round(float(((np.array(priors) - pis) * logs).sum(1).mean()), 4),
                "nats": nats(pis),
            }
        )
    return {**best(tried, target, rarer, alike), "policy_nats": nats(priors)}


def best(
    levels: Sequence[dict[str, Any]], target: float, rarer: float, alike: float = ALIKE
) -> dict[str, Any]:
    """Return the level that loses as people do, or nearly the nearest to it, by moves as likely."""
    fitting = [level for level in levels if level["reached"]]
    if not fitting:
        off = [abs(level["loses"][0] - target) for level in levels]
        fitting = [level for level, gap in zip(levels, off, strict=True) if gap <= min(off) + alike]
    return min(fitting, key=lambda level: abs(level["rarer"] - rarer))


def logs_of(shares: NDArray) -> Floats:
    """Return logarithms, of what is next to nothing finite ones."""
    return np.log(np.maximum(shares, 1e-9))


def crossing(x: NDArray, lost: NDArray, target: float) -> tuple[float, bool]:
    """Return where ``lost`` [n], read at ``x`` [n], crosses the target, and whether it does.

    Among several crossings the one nearest to the least loss; without any, the x nearest to it.
    """
    k = np.flatnonzero((lost[:-1] - target) * (lost[1:] - target) <= 0)
    if not len(k):
        return float(x[np.abs(lost - target).argmin()]), False
    k = k[np.abs(k - lost.argmin()).argmin()]
    share = (target - lost[k]) / (lost[k + 1] - lost[k]) if lost[k + 1] != lost[k] else 0.0
    return float(x[k] + share * (x[k + 1] - x[k])), True


# -- the page ------------------------------------------------------------------------------------


def page(results: Results) -> list[str]:
    """Write a table for each player."""
    by_z, by_c_1, pairs = (
        [result for result in results.values() if player in result]
        for player in ("sa", "se", "pikl")
    )
    heads = ["people", "moves", "people here", "z of SA-MCTS", "loses"]
    lines = [table(["rank", *heads], [[rank_of(one), *of_z(one)] for one in by_z]), ""]
    heads = ["people lose", "are rare by", "policy loses", "cost", "simulations", "lambda", "t"]
    rows = [
        [rank_of(one), *of_pikl(one, number)]
        for one in pairs
        for number in range(len(one["tried"]))
    ]
    lines += ["`pikl`:", "", table(["rank", *heads, "loses", "rare by", "cost"], rows), ""]
    rows = [[rank_of(one), *of_c_1(one)] for one in by_c_1]
    heads = ["c_1", *(f"{c:g}" for c in C_1)]
    return [*lines, "SE_inf-MCTS, by c_1:", "", table(["rank", *heads], rows)]


def rank_of(result: dict[str, Any]) -> str:
    """Write the rank of a result."""
    rank = result["settings"]["rank"]
    return f"r_{rank} ({name_of(rank)})"


def of_z(result: dict[str, Any]) -> list[str]:
    """Write what people lose, and SA-MCTS."""
    sa = result["sa"]
    return [
        percent(result["people"]),
        str(result["moves"]),
        percent(result["people_here"]),
        f"{sa['z']:.2f}{star(sa)}",
        percent(sa["loses"]),
    ]


def of_pikl(result: dict[str, Any], number: int) -> list[str]:
    """Write the pair found with the ``number``-th count of simulations."""
    level, rarer = result["tried"][number], result["people_rarer"]
    chosen = level["simulations"] == result["pikl"]["simulations"]
    cells = [
        f"{level['simulations']}{star(level)}",
        f"{level['lam']:.4f}",
        f"{level['t']:.2f}",
        percent(level["loses"]),
        f"{level['rarer']:.2f}",
        f"{level['nats']:.2f}",
    ]
    return [
        percent(result["people"]),
        f"{rarer[0]:.2f} +- {rarer[1]:.2f}",
        percent(result["policy"]),
        f"{level['policy_nats']:.2f}",
        *(f"**{cell}**" if chosen else cell for cell in cells),
    ]


def of_c_1(result: dict[str, Any]) -> list[str]:
    """Write the c_1 found, and what SE_inf-MCTS does with each."""
    se = result["se"]
    pairs = zip(se["tried"], se["alike"], strict=True)
    cells = [f"{percent(lost)}, {alike:.0%}" for (_, lost), alike in pairs]
    return [f"{se['c_1']:.2f}{star(se)}", *cells]


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
