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

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evenmatch.games import get_game
from evenmatch.network.conditions import rating_condition
from evenmatch.network.inference import network_of
from evenmatch.opponents.fitted import CHESS
from evenmatch.opponents.pikl import plan_of
from evenmatch.progress import Progress
from evenmatch.search import Plan
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
from evenmatch_lab.shared.level_numbers import (
    ALIKE,
    AT_ONCE,
    C_1,
    LAMBDAS,
    NEAR,
    SEED,
    Seen,
    T,
    Z,
    best,
    judged,
    losses_of,
    pikl_level,
    rarity,
    regularized_of,
    sa_level,
    se_level,
    search,
)
from evenmatch_lab.shared.positions import DrawnMoves, chosen, drawn_moves

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
    policy = seen.expected([regularized_of(root, np.inf, 1) for root in seen.roots])
    return {
        "people": estimate(*lost),
        "people_rarer": estimate(rarer, many.people),
        "policy": estimate(policy, moves.people),
        "pikl": best(levels, target, rarer.mean()),
        "tried": levels,
    }


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
