"""How often programs of each rank win against SE_inf-MCTS of the fifth (Chen et al. 2025, fig. 7).

Twice. At 100 simulations the one they meet is ``se`` of that rank, with c_1 fitted, which all ranks
of its kind have; SE_inf-MCTS and SE-MCTS have the paper's c_1 also, once with capped distances
(see ``se_spread``), SA-MCTS has z fitted. As published, SE and SE_inf with the paper's c_1 and its
800 simulations meet SE_inf-MCTS of the fifth rank with the same. Half of the games with each side,
two from each opening of a candidate's game.

As published only the outer ranks and the fifth are played, 40 games per point: 20 games take two to
five minutes of a core. Theirs has 250 games per point, at eleven ranks (on Go).
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from evenmatch.opponents.se_mcts import PAPER_PLAN
from evenmatch_lab.pages import table as table_of
from evenmatch_lab.runner import Experiment, Part, Results, figure
from evenmatch_lab.shared.agents import (
    BATCH,
    CAPPED,
    FITTED_SE,
    RANKS,
    SIMULATIONS,
    Tally,
    duels,
    only_folder,
    program,
    tallies,
    terms,
)

SEED, BATCHES, GAMES, BASELINE = 16, 1, 50, 5
ITSELF = FITTED_SE, BASELINE  # never draws lots, so it would play both sides alike
ASIDE = 0.07  # of a rank, between the points of two programs
MORE = 5  # batches of those with c_1 fitted: 250 games, as the paper's points have
QUICK = 2, 1, 2, 4  # ranks, batches, games, simulations
RANKED = (FITTED_SE, "SE_inf-MCTS", "SE-MCTS", "SA-MCTS")  # MCTS has no ranks
CAPPED_RANKS = (1, 8, 3, 5)

PUBLISHED = "as published: "  #: in the names of parts
PUBLISHED_PROGRAMS = ("SE_inf-MCTS", "SE-MCTS")
PUBLISHED_ITSELF = "SE_inf-MCTS", BASELINE
PUBLISHED_RANKS = (1, 8, 5)  #: in the order they are played
PUBLISHED_BATCHES, PUBLISHED_GAMES = 2, 20


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
    if not quick:
        by_key = duels(folder, dial, MORE, games, SEED) | by_key
    capped = {
        f"{CAPPED} {rank}": (program(CAPPED, rank, sims), baseline)
        for rank in CAPPED_RANKS
        if rank <= ranks
    }
    by_key |= duels(folder, capped, batches, games, SEED)
    return by_key | published_parts(folder, quick)


def published_parts(folder: Path, quick: bool) -> dict[str, Part]:
    """Batches of SE and SE_inf with the paper's c_1 and simulations, breadth first."""
    ranks, batches, games, sims = QUICK if quick else (
        RANKS.count, PUBLISHED_BATCHES, PUBLISHED_GAMES, PAPER_PLAN.simulations
    )  # fmt: skip
    baseline = program(*PUBLISHED_ITSELF, sims)
    pairs = {
        f"{PUBLISHED}{name} {rank}": (program(name, rank, sims), baseline)
        for rank in PUBLISHED_RANKS
        for name in PUBLISHED_PROGRAMS
        if (name, rank) != PUBLISHED_ITSELF and rank <= ranks
    }
    return duels(folder, pairs, batches, games, SEED)


def of_arm(results: Results, published: bool) -> Results:
    """Return the parts that were played as published, or the others."""
    return {key: row for key, row in results.items() if key.startswith(PUBLISHED) == published}


def by_program(results: Results) -> dict[str, dict[int, Tally]]:
    """Return what each program that has ranks scored at each rank that was played."""
    found = {
        key.partition(BATCH)[0].removeprefix(PUBLISHED): tally
        for key, tally in tallies(results).items()
    }
    by_name = {
        name: {r: found[f"{name} {r}"] for r in _ranks() if f"{name} {r}" in found}
        for name in (*RANKED, CAPPED)
    }
    return {name: ranks for name, ranks in by_name.items() if ranks}


def _ranks() -> range:
    return range(1, 1 + RANKS.count)


def falls(itself: tuple[str, int], name: str, scores: Mapping[int, Any]) -> bool:
    """Return whether a program's score falls from each rank to the next that was played.

    By the estimates, whatever their intervals.
    """
    shares = {rank: score.fraction for rank, score in scores.items()}
    if name == itself[0]:
        shares[itself[1]] = 0.5
    return all(shares[a] > shares[b] for a, b in pairwise(sorted(shares)))


def whole(itself: tuple[str, int], name: str, scores: Mapping[int, Any]) -> bool:
    """Return whether every rank of a program was played, but for the one all others meet."""
    return all(rank in scores or (name, rank) == itself for rank in _ranks())


def plot(results: Results, path: Path) -> None:
    """Draw the win rates by rank, with intervals; as published beside them."""
    arms = [arm for arm in (of_arm(results, False), of_arm(results, True)) if arm]
    for axes in figure(path, len(arms), width=1 + 6 * len(arms), height=4.5):
        for axis, arm in zip(axes, arms, strict=True):
            draw(axis, arm)


def draw(axis: Any, arm: Results) -> None:
    """Draw one arm's win rates."""
    programs = by_program(arm)
    for number, (name, scores) in enumerate(programs.items()):
        ranks = sorted(scores)
        beside = [rank + ASIDE * (number - len(programs) // 2) for rank in ranks]
        rates = [scores[rank].fraction for rank in ranks]
        ends = [scores[rank].interval() for rank in ranks]
        below = [x - low for x, (low, _) in zip(rates, ends, strict=True)]
        above = [high - x for x, (_, high) in zip(rates, ends, strict=True)]
        axis.errorbar(beside, rates, (below, above), fmt="o-", capsize=3, label=name)
    if mcts := tallies(arm).get("MCTS"):
        axis.axhline(mcts.fraction, color="0.6", ls="--", label="MCTS")
    (itself, _), sims = _met(arm)
    axis.set(
        title=f"{sims} simulations", xlabel="rank, 1 the strongest", ylim=(-0.02, 1.02),
        ylabel=f"win rate against rank {BASELINE} of {itself}",
    )  # fmt: skip
    axis.grid(alpha=0.3)
    axis.legend(frameon=False, fontsize=7)


def _met(arm: Results) -> tuple[tuple[str, int], int]:
    """Return which program all of an arm meet, and how many simulations they have."""
    key, row = next(iter(arm.items()))
    spec = row["settings"]["players"][1]
    itself = PUBLISHED_ITSELF if key.startswith(PUBLISHED) else ITSELF
    return itself, int(spec.rpartition("sims=")[2])


def page(results: Results) -> list[str]:
    """Write the win rates, beside ``se`` as it ships and as published."""
    lines = []
    for published, title in ((False, "Beside `se` as it ships"), (True, "As published")):
        arm = of_arm(results, published)
        if arm:
            lines += [f"## {title}", "", *table(arm), ""]
    return lines[:-1]


def table(arm: Results) -> list[str]:
    """Write one arm's win rates."""
    programs, (itself, sims) = by_program(arm), _met(arm)
    every = [score for scores in programs.values() for score in scores.values()]
    mixed = len({score.by_pairs for score in every}) > 1
    rows = []
    for rank in sorted({rank for scores in programs.values() for rank in scores} | {BASELINE}):
        cells = [
            "50% (itself)" if (name, rank) == itself else share(scores.get(rank), mixed)
            for name, scores in programs.items()
        ]
        rows.append([f"r_{rank} ({RANKS.name(rank)})", *cells])
    steady = [
        ("yes" if falls(itself, name, scores) else "no")
        if whole(itself, name, scores)
        else "not all played"
        for name, scores in programs.items()
    ]
    rows.append(["falls from every rank to the next", *steady])
    rows.append(["first minus last, points", *map(span, programs.values())])
    if mcts := tallies(arm).get("MCTS"):
        rows.append(["MCTS, without ranks", share(mcts, mixed), *[""] * (len(programs) - 1)])
    caption = f"{itself[0]} at rank {itself[1]}, {sims} simulations, {terms(arm)}"
    return [f"Win rate against {caption}:", "", table_of(["rank", *programs], rows)]


def span(scores: Mapping[int, Any]) -> str:
    """Write by how much a score falls from the first rank to the last."""
    if not {1, RANKS.count} <= scores.keys():
        return ""
    first, last = scores[1], scores[RANKS.count]
    apart = "apart" if first.interval()[0] > last.interval()[1] else "intervals overlap"
    return f"{100 * (first.fraction - last.fraction):.0f} ({apart})"


def share(score: Any, mixed: bool = False) -> str:
    """Write a score as a share with its interval; marked where that is by games among others."""
    if score is None:
        return "not played yet"
    low, high = score.interval()
    mark = "*" if mixed and not score.by_pairs else ""
    return f"{score.fraction:.1%} ({low:.1%} to {high:.1%}){mark}"


EXPERIMENT = Experiment(
    "rank_strength",
    "Strength by rank (Chen et al. 2025, figure 7)",
    parts,
    page,
    plot,
    reads_games=True,
)
