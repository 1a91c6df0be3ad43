"""Numbers of players of a rating that lose as much by their moves as people do.

Moves drawn by chance are judged by expectation. All that policy or search find worth a thought is
judged, and of the others in a position one, drawn by the policy, for all of them: also for what
SA-MCTS plays of moves visited once or twice.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from evenmatch.network.artifact import human_policy_path
from evenmatch.network.conditions import RatingCondition
from evenmatch.opponents.controller import Root
from evenmatch.opponents.networks import load_evaluator
from evenmatch.opponents.pikl import corrected
from evenmatch.opponents.search_player import root_rows
from evenmatch.opponents.visit_softmax import candidates, probabilities
from evenmatch.progress import Progress
from evenmatch.search import Plan, Request, Search
from evenmatch.search.forest import seeds_from
from evenmatch_lab.shared.engine_losses import estimate
from evenmatch_lab.shared.positions import DrawnMoves

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


class MoveJudge(Protocol):
    """Says what positions are worth and what moves lose, in a unit of its own."""

    def worth(self, states: NDArray[np.uint64]) -> Floats:
        """Return what positions [n, S] are worth to the side to move."""

    def losses(
        self,
        states: NDArray[np.uint64],
        before: Floats,
        actions: NDArray[np.int64],
        progress: Progress,
    ) -> Floats:
        """Return what actions [n] lose in states [n, S], whose worth ``before`` [n] is known."""


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
    judge: MoveJudge,
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
    judge: MoveJudge,
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
    priors = [regularized_of(root, np.inf, 1) for root in seen.roots]
    logs = logs_of(np.array(priors))

    def nats(pis: Sequence[Floats]) -> float:
        """What people's moves cost."""
        rows = np.arange(len(pis))
        return round(float(-logs_of(np.array(pis))[rows, seen.moves.actions].mean()), 4)

    tried: list[dict[str, Any]] = []
    for t in T:
        losses = np.array(
            [
                seen.expected([regularized_of(root, lam, t) for root in seen.roots]).mean()
                for lam in LAMBDAS
            ]
        )
        least = losses.argmin()  # below it chance decides which Q is the highest
        at, reached = crossing(np.log(LAMBDAS[least:]), losses[least:], target)
        lam = float(np.exp(at))
        pis = [regularized_of(root, lam, t) for root in seen.roots]
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


def regularized_of(root: Root, lam: float, t: float) -> Floats:
    """Return the distribution of ``pikl`` at a root."""
    return corrected(root, lam, t)


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
