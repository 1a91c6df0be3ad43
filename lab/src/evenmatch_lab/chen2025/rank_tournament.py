"""A round robin of ten programs, two of each of five ranks (Chen et al. 2025, table 5, on Go).

Whether ranks keep their order whoever the opponent is. z and c_1 are fitted by what moves lose. In
the paper z is set so that both programs of a rank score alike, c_1 is one for all, and they think
800 simulations.
"""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from evenmatch.ratings import BradleyTerry, PairingScore, Score
from evenmatch_lab.chen2025.rank_strength import share
from evenmatch_lab.runner import Experiment, Part, Results
from evenmatch_lab.shared.agents import (
    FITTED_SE,
    RANKS,
    SIMULATIONS,
    duels,
    only_folder,
    program,
    scores_of,
    terms,
)
from evenmatch_lab.shared.opponents import interval

SEED, BATCHES, GAMES = 17, 1, 10  # theirs had 250 games of a pair
NAMES = {"SA": "SA-MCTS", "SE_inf": FITTED_SE}
RANKS_MET = (1, 2, 4, 6, 8)
QUICK = 1, 1, 2, 4  # ranks, batches, games, simulations


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """Parts of each pair."""
    folder = only_folder(data, nets)
    ranks, batches, games, sims = QUICK if quick else (len(RANKS_MET), BATCHES, GAMES, SIMULATIONS)
    entrants = {
        f"{short}-r{rank}": program(name, rank, sims)
        for short, name in NAMES.items()
        for rank in RANKS_MET[:ranks]
    }
    pairs = {f"{a} - {b}": (entrants[a], entrants[b]) for a, b in combinations(entrants, 2)}
    return duels(folder, pairs, batches, games, SEED)


def both_ways(results: Results) -> dict[tuple[str, str], Score]:
    """Return each entrant's score against each other."""
    scores = {}
    for key, score in scores_of(results).items():
        a, _, b = key.partition(" - ")
        scores[a, b] = score
        scores[b, a] = -scores[a, b]
    return scores


def page(results: Results) -> list[str]:
    """Write the table: rows against columns, and Elo by maximum likelihood."""
    scores = both_ways(results)
    names = list(dict.fromkeys(a for a, _ in scores))
    fitted = BradleyTerry().fit(
        [PairingScore(first=a, second=b, score=scores[a, b]) for a, b in combinations(names, 2)]
    )
    lines = [
        f"Win rates (draws half) of rows against columns, {terms(results)}, with 95% intervals; "
        "Elo by maximum likelihood around a mean of 1500; z and c_1 are fitted to the rank. "
        f"Ranks are of {RANKS.width} Elo, r1 from {RANKS.highest - RANKS.width}.",
        "",
        f"| | {' | '.join(names)} | Elo (95%) |",
        "|---|" + "---:|" * (1 + len(names)),
    ]
    for a in names:
        cells = ["-" if a == b else share(scores[a, b]) for b in names]
        elo, low, high = ("?" if x is None else f"{x:.0f}" for x in interval(fitted[a]))
        lines.append(f"| {a} | {' | '.join(cells)} | {elo} ({low} to {high}) |")
    return lines


EXPERIMENT = Experiment(
    "rank_tournament",
    "Ranks against each other (Chen et al. 2025, table 5)",
    parts,
    page,
    reads_games=True,
)
