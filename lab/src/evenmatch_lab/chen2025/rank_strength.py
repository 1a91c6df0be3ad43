"""How often programs of each rank win against SE_inf-MCTS of the fifth (Chen et al. 2025, fig. 7).

The one they meet is ``se`` of that rank, with c_1 fitted, which all ranks of its kind have.
SE_inf-MCTS and SE-MCTS have the paper's c_1 besides, SA-MCTS has z fitted. Half of the games with
each side, two from each opening of a candidate's game. Theirs think 800 simulations.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from evenmatch.ratings import Score
from evenmatch_lab.runner import Experiment, Part, Results, figure
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

SEED, BATCHES, GAMES, BASELINE = 16, 1, 50, 5
ITSELF = FITTED_SE, BASELINE  # never draws lots, so it would play both sides alike
ASIDE = 0.07  # of a rank, between the points of two programs
MORE = 5  # batches of those with c_1 fitted: 250 games, as the paper's points have
QUICK = 2, 1, 2, 4  # ranks, batches, games, simulations
RANKED = (FITTED_SE, "SE_inf-MCTS", "SE-MCTS", "SA-MCTS")  # MCTS has no ranks


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """A batch for each program and rank; before them more of those with c_1 fitted."""
    folder = only_folder(data, nets)
    ranks, batches, games, sims = QUICK if quick else (RANKS.count, BATCHES, GAMES, SIMULATIONS)
    baseline = program(*ITSELF, sims)
    pairs = {
        f"{name} {rank}": (program(name, rank, sims), baseline)
        for name in RANKED
        for rank in range(1, 1 + ranks)
        if (name, rank) != ITSELF
    }
    pairs["MCTS"] = program("MCTS", BASELINE, sims), baseline
    dial = {key: pair for key, pair in pairs.items() if key.startswith(FITTED_SE)}
    by_key = duels(folder, pairs, batches, games, SEED)
    return by_key if quick else duels(folder, dial, MORE, games, SEED) | by_key


def by_program(results: Results) -> dict[str, dict[int, Score]]:
    """Return the score at each rank that was played of each program that has ranks."""
    scores = scores_of(results)
    by_program: dict[str, dict[int, Score]] = {name: {} for name in RANKED}
    for name in RANKED:
        for rank in range(1, 1 + RANKS.count):
            key = f"{name} {rank}"
            if key in scores:
                by_program[name][rank] = scores[key]
    return {name: ranks for name, ranks in by_program.items() if ranks}


def falls(name: str, scores: dict[int, Score]) -> bool:
    """Return whether a program's score falls from each rank to the next that was played."""
    shares = {rank: score.fraction for rank, score in scores.items()}
    if name == ITSELF[0]:
        shares[BASELINE] = 0.5
    return all(shares[a] > shares[b] for a, b in pairwise(sorted(shares)))


def whole(name: str, scores: dict[int, Score]) -> bool:
    """Return whether every rank of a program was played, but for the one all others meet."""
    ranks = range(1, 1 + RANKS.count)
    return all(rank in scores or (name, rank) == ITSELF for rank in ranks)


def plot(results: Results, path: Path) -> None:
    """Draw the win rates by rank, with intervals."""
    for axes in figure(path, 1, width=9):
        for number, (name, scores) in enumerate(by_program(results).items()):
            ranks = sorted(scores)
            beside = [rank + ASIDE * (number - len(RANKED) // 2) for rank in ranks]
            rates = [scores[rank].fraction for rank in ranks]
            ends = [scores[rank].interval() for rank in ranks]
            below = [x - low for x, (low, _) in zip(rates, ends, strict=True)]
            above = [high - x for x, (_, high) in zip(rates, ends, strict=True)]
            axes[0].errorbar(beside, rates, (below, above), fmt="o-", capsize=3, label=name)
        if mcts := scores_of(results).get("MCTS"):
            axes[0].axhline(mcts.fraction, color="0.6", ls="--", label="MCTS")
        axes[0].set(xlabel="rank, 1 the strongest", ylabel=f"win rate against rank {BASELINE}")
        axes[0].grid(alpha=0.3)
        axes[0].legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))


def page(results: Results) -> list[str]:
    """Write the win rates."""
    programs = by_program(results)
    lines = [
        f"Win rate (draws half) against {ITSELF[0]} to rank {BASELINE}, {terms(results)}, with 95% "
        "intervals.",
        "",
        f"| rank | {' | '.join(programs)} |",
        "|---|" + "---:|" * len(programs),
    ]
    for rank in sorted({rank for scores in programs.values() for rank in scores} | {BASELINE}):
        cells = [
            "50% (itself)" if (name, rank) == ITSELF else share(scores.get(rank))
            for name, scores in programs.items()
        ]
        lines.append(f"| r_{rank} ({RANKS.name(rank)}) | {' | '.join(cells)} |")
    steady = [
        ("yes" if falls(name, scores) else "no") if whole(name, scores) else "not all played yet"
        for name, scores in programs.items()
    ]
    lines.append(f"| falls from every rank to the next | {' | '.join(steady)} |")
    return [
        *lines,
        "",
        f"MCTS, which has no ranks: {share(scores_of(results).get('MCTS'))}.",
    ]


def share(score: Score | None) -> str:
    """Write a score as a share with its interval."""
    if score is None:
        return "not played yet"
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
