"""How often programs of each rank win against SE_inf-MCTS of the fifth (Chen et al. 2025, fig. 7).

Half of the games with each side, two from each opening of a candidate's game. The paper's programs
think 800 simulations.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from evenmatch.experiments.agents import RANKS, SIMULATIONS, duel, only_folder, program, terms
from evenmatch.experiments.opponents import score_of
from evenmatch.experiments.runner import Experiment, Part, Results, figure
from evenmatch.ratings import Score

SEED, GAMES, BASELINE = 16, 250, 5
ITSELF = "SE_inf-MCTS", BASELINE  # never draws lots, so it would play both sides alike
QUICK = 2, 2, 4  # ranks, games, simulations
RANKED = ("SE_inf-MCTS", "SE-MCTS", "SA-MCTS")  # the fourth program has no ranks


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """One part for each program and rank, SE_inf-MCTS first."""
    folder = only_folder(data, nets)
    ranks, games, sims = QUICK if quick else (RANKS.count, GAMES, SIMULATIONS)
    baseline = program("SE_inf-MCTS", BASELINE, sims)
    points = [(name, rank) for name in RANKED for rank in range(1, 1 + ranks)]
    points = [point for point in points if point != ITSELF]
    found = {
        f"{name} {rank}": duel(folder, [program(name, rank, sims)], baseline, games, SEED)
        for name, rank in points
    }
    found["MCTS"] = duel(folder, [program("MCTS", BASELINE, sims)], baseline, games, SEED)
    return found


def by_program(results: Results) -> dict[str, dict[int, Score]]:
    """Return the score at each rank of each program that has ranks."""
    found: dict[str, dict[int, Score]] = {}
    for key, row in results.items():
        name, _, rank = key.partition(" ")
        if rank:
            found.setdefault(name, {})[int(rank)] = score_of(row["scores"][0])
    return found


def falls(scores: dict[int, Score]) -> bool:
    """Return whether the score falls from each rank to the next that was played."""
    shares = [scores[rank].fraction for rank in sorted(scores)]
    return all(a > b for a, b in pairwise(shares))


def plot(results: Results, path: Path) -> None:
    """Draw the win rates by rank, with intervals."""
    for axes in figure(path, 1, width=6.5):
        for name, scores in by_program(results).items():
            ranks = sorted(scores)
            rates = [scores[rank].fraction for rank in ranks]
            ends = [scores[rank].interval() for rank in ranks]
            below = [x - low for x, (low, _) in zip(rates, ends, strict=True)]
            above = [high - x for x, (_, high) in zip(rates, ends, strict=True)]
            axes[0].errorbar(ranks, rates, (below, above), fmt="o-", capsize=3, label=name)
        mcts = score_of(results["MCTS"]["scores"][0]).fraction
        axes[0].axhline(mcts, color="0.6", ls="--", label="MCTS")
        axes[0].set(xlabel="rank, 1 the strongest", ylabel=f"win rate against rank {BASELINE}")
        axes[0].grid(alpha=0.3)
        axes[0].legend(frameon=False, fontsize=8)


def page(results: Results) -> list[str]:
    """Write the win rates."""
    programs = by_program(results)
    lines = [
        f"Win rate (draws half) against SE_inf-MCTS of rank {BASELINE}, {terms(results)}, with 95% "
        "intervals.",
        "",
        f"| rank | {' | '.join(programs)} |",
        "|---|" + "---:|" * len(programs),
    ]
    for rank in sorted(programs[RANKED[-1]]):
        cells = [
            "50% (itself)" if (name, rank) == ITSELF else share(scores[rank])
            for name, scores in programs.items()
        ]
        lines.append(f"| r_{rank} ({RANKS.name(rank)}) | {' | '.join(cells)} |")
    steady = ["yes" if falls(scores) else "no" for scores in programs.values()]
    lines.append(f"| falls from every rank to the next | {' | '.join(steady)} |")
    return [
        *lines,
        "",
        f"MCTS, which has no ranks: {share(score_of(results['MCTS']['scores'][0]))}.",
    ]


def share(score: Score) -> str:
    """Write a score as a share with its interval."""
    low, high = score.interval()
    return f"{score.fraction:.1%} ({low:.1%} to {high:.1%})"


EXPERIMENT = Experiment(
    "rank_strength",
    "Strength by rank (Chen et al. 2025, figure 7)",
    parts,
    page,
    plot,
    reads_games=True,
)
