"""Why the paper's c_1 hardly weakens SE_inf-MCTS here, and what does (ours; Chen et al. 2025, 3.3).

SE-MCTS takes c_1 times delta^ from a move's prior: how far its subtree's mean score is from the
target of a rank, rescaled to 0 to 1 by the least and greatest distance in the whole tree. So what
c_1 does hangs on how much of that range the moves take among which one would choose. Positions of
people of split tune, from all ranks, are searched with the target of the first rank and with that
of the last, by either head, as published and with one thing changed at a time.

A move's loss is judged by the network itself: the chance to win that a plain search finds after the
move, less than after the move that a plain search plays. Positions are of different people, but for
a few; intervals are by the jackknife over people.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.estimation.estimator_files import shipped_targets
from evenmatch.games import get_game
from evenmatch.network.strength_head import BETA, BETA_PLAIN
from evenmatch.players.evaluators import Networks
from evenmatch.progress import Progress
from evenmatch.records.dataset import Dataset
from evenmatch.search import Plan, Scaling, Search
from evenmatch.search.forest import seeds_from
from evenmatch.strength import View
from evenmatch.strength.se_mcts import PAPER_PLAN, StrengthSearch
from evenmatch_lab.runner import Experiment, Part, Results, figure
from evenmatch_lab.shared.agents import CAP, RANKS, SIMULATIONS, networks, only_folder
from evenmatch_lab.shared.engine_losses import estimate, percent
from evenmatch_lab.shared.positions import DrawnMoves, drawn_moves, joined

SEED, POSITIONS = 32, 25  # of each rank
QUICK = 1, 8  # positions of each rank, simulations
ENDS = 1, RANKS.count  #: whose targets are asked for
HEADS = {"SE_inf": BETA, "SE": BETA_PLAIN}
LIKELIEST = 5  #: moves by the priors, among which one would choose
FARTHEST = 0.05  #: share of a tree's nodes that are taken to be outliers
PLAIN = "plain search"
PUBLISHED = "as published"
CAPPED_IDEA = f"distances capped at {CAP:g}"

#: What is changed in the paper's search, one thing at a time.
IDEAS: dict[str, dict[str, Any]] = {
    PUBLISHED: {},
    "too weak counts half (their code)": {"weaker": 0.5},
    "rescaled among the moves of a position": {"scaling": Scaling.SIBLINGS},
    "the mover's own actions alone": {"own_actions": 1},
    CAPPED_IDEA: {"cap": CAP},
    f"capped at {CAP:g}, own actions alone": {"cap": CAP, "own_actions": 1},
    "four times the paper's c_1": {"c_1": 4 * PAPER_PLAN.c_1},
}


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """A part of plain search, then one for each head and idea."""
    folder = only_folder(data, nets)
    each, sims = QUICK if quick else (POSITIONS, SIMULATIONS)
    shared = {
        "dataset": Dataset.open(folder).identity,
        "networks": networks("se:elo=1500"),
        "positions": each,
        "simulations": sims,
        "seed": SEED,
    }
    by_key = {PLAIN: Part(shared, partial(search_plainly, folder, each, sims))}
    for head in HEADS:
        for idea, changed in IDEAS.items():
            settings = shared | {"changed": changed, "head": head}
            work = partial(search_by_rank, folder, each, sims, head, changed)
            by_key[f"{head}: {idea}"] = Part(settings, work, (PLAIN,))
    return by_key


def drawn(folder: Path, each: int) -> DrawnMoves:
    """Draw people's moves of every rank."""
    dataset, half = Dataset.open(folder), RANKS.width / 2
    middles = [float(RANKS.middle(rank)) for rank in range(1, 1 + RANKS.count)]
    moves = [drawn_moves(dataset, "tune", (x - half, x + half), each, SEED) for x in middles]
    return joined(moves)


class Bench:
    """Some positions, and the network that searches them."""

    def __init__(self, moves: DrawnMoves):
        self.moves, self.game = moves, get_game("chess")
        self.evaluator = Networks(self.game).evaluator()

    def search(self, states: NDArray[np.uint64], plans: Plan | list[Plan]) -> Search:
        """Search positions [n, S], one tree each."""
        trees = np.arange(len(states))
        search = Search(self.game, self.evaluator, trees=len(states))
        search.plant(trees, states, seeds_from(SEED, len(states)))
        search.run(trees, plans)
        return search

    def best(self, search: Search) -> NDArray[np.intp]:
        """Return the most visited actions, [n]."""
        return search.read(np.arange(search.trees)).best()

    def chances_after(self, actions: NDArray[np.intp], sims: int) -> NDArray[np.float64]:
        """Return the mover's chance to win after actions [n], as plain search judges, [n]."""
        after = self.game.after(self.moves.states, actions)
        ended, results = self.game.outcome(after)
        values = np.where(ended, results, 0.0).astype(float)
        going = np.flatnonzero(~ended)
        if len(going):
            plan = replace(PAPER_PLAN, simulations=sims)
            stats = self.search(after[going], plan).read(np.arange(len(going)))
            values[going] = (stats.means * stats.visits).sum(1) / stats.visits.sum(1)
        return (1 - values) / 2


def search_plainly(
    folder: Path, each: int, sims: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Return what a search without targets plays, and what the heads say of random moves."""
    bench = Bench(drawn(folder, each))
    moves, game = bench.moves, bench.game
    chosen = bench.best(bench.search(moves.states, replace(PAPER_PLAN, simulations=sims)))
    rng = np.random.default_rng(SEED)
    chance = np.array([rng.choice(game.legal_actions(x[None])[0]) for x in moves.states])
    said = [scores_after(bench, actions) for actions in (moves.actions, chance)]
    targets = shipped_targets("lichess-rapid")
    gaps = [
        [float(curve[min(ply, len(curve) - 1)]) for ply in moves.plies]
        for plain in (False, True)
        for curve in [targets.at(_elo(1), plain) - targets.at(_elo(RANKS.count), plain)]
    ]
    assert moves.people is not None
    return {
        "moves": chosen.tolist(),
        "chances": rounded(bench.chances_after(chosen, sims)),
        "people": moves.people.tolist(),
        "random_below": [rounded(x) for x in (said[0] - said[1]).T],
        "target_gap": [rounded(np.array(x)) for x in gaps],
    }


def scores_after(bench: Bench, actions: NDArray) -> NDArray[np.float64]:
    """Return beta of both heads for actions [n], [n, 2]."""
    after = bench.game.as_roots(bench.game.after(bench.moves.states, actions))
    scores = bench.evaluator.evaluate(after).scores
    assert scores is not None, "the network that ships has a strength head"
    return scores[:, [BETA, BETA_PLAIN]].astype(float)


def search_by_rank(
    folder: Path,
    each: int,
    sims: int,
    head: str,
    changed: dict[str, Any],
    progress: Progress,
    done: Results,
) -> dict[str, Any]:
    """Return what SE-MCTS plays with the outer ranks' targets, and how its distances spread."""
    bench, plain = Bench(drawn(folder, each)), done[PLAIN]
    base = replace(PAPER_PLAN, simulations=sims, score=HEADS[head], **changed)
    found: dict[str, Any] = {"moves": [], "losses": [], "spread": []}
    for number, rank in enumerate(ENDS):
        curve = shipped_targets("lichess-rapid").at(_elo(rank), HEADS[head] == BETA_PLAIN)
        controller = StrengthSearch(curve, base)
        nothing = np.zeros(0, np.float32)
        plans = [controller.plan(View(int(ply), 1, nothing)) for ply in bench.moves.plies]
        search = bench.search(bench.moves.states, plans)
        chosen = bench.best(search)
        lost = np.array(plain["chances"]) - bench.chances_after(chosen, sims)
        lost[chosen == np.array(plain["moves"])] = 0
        found["moves"].append(chosen.tolist())
        found["losses"].append(rounded(lost))
        found["spread"].append([spread(search, t, plan) for t, plan in enumerate(plans)])
        progress(1 + number, len(ENDS))
    return found


def spread(search: Search, t: int, plan: Plan) -> list[float | None]:
    """Return how distances to the target spread in tree ``t``, before any cap.

    The range of all nodes', the share of it that the farthest take, and the range of delta^ among
    the root's likeliest moves that were visited; None where fewer than two were.
    """
    used = int(search.forest.trees["nodes"][t]) - 1  # the last node has not been weighed yet
    nodes, strengths = search.forest.nodes[t, :used], search.forest.strengths[t, :used]
    judged = np.flatnonzero(strengths["count"][1:] > 0) + 1
    if len(judged) < 2:
        return [None, None, None]
    wanted = np.array(plan.targets)
    depths = np.minimum(strengths["depth"][judged], len(wanted)) - 1
    off = np.abs(strengths["total"][judged] / strengths["count"][judged] - wanted[depths])
    whole = float(np.ptp(off))
    most = 1 - (np.quantile(off, 1 - FARTHEST) - off.min()) / whole if whole else 0.0
    root = nodes[0]
    edges = search.forest.edges[t, root["first_edge"] : root["first_edge"] + root["edge_count"]]
    likely = edges[np.argsort(-edges["prior"])[:LIKELIEST]]["child"]
    likely = likely[(likely >= 0) & (likely < used)]
    among = float(np.ptp(nodes["distance"][likely])) if len(likely) > 1 else None
    return [round(whole, 3), round(float(most), 4), None if among is None else round(among, 4)]


def _elo(rank: int) -> float:
    return float(RANKS.middle(rank))


def rounded(values: NDArray) -> list[float]:
    """Return numbers to five places."""
    return [round(float(x), 5) for x in values]


# -- the page --------------------------------------------------------------------------------------


def column(row: dict[str, Any], rank: int, number: int, people: NDArray) -> list[float]:
    """Return the mean of one of ``spread``'s numbers, and half its interval."""
    values = np.array([x[number] for x in row["spread"][rank]], float)
    known = ~np.isnan(values)
    return estimate(values[known], people[known])


def changed_share(row: dict[str, Any], people: NDArray) -> list[float]:
    """Return how often the outer ranks' targets lead to different moves."""
    first, last = np.array(row["moves"])
    return estimate((first != last).astype(float), people)


def more_changed(row: dict[str, Any], other: dict[str, Any], people: NDArray) -> list[float]:
    """Return in how many more positions than in another row the outer ranks' moves differ."""
    own, known = (np.not_equal(*np.array(x["moves"])).astype(float) for x in (row, other))
    return estimate(own - known, people)


def loss_gap(row: dict[str, Any], people: NDArray) -> list[float]:
    """Return how much more is lost with the last rank's target than with the first's."""
    first, last = np.array(row["losses"])
    return estimate(last - first, people)


def of_head(results: Results, head: str) -> Results:
    """Return a head's rows by idea."""
    mark = f"{head}: "
    return {key.removeprefix(mark): row for key, row in results.items() if key.startswith(mark)}


def plot(results: Results, path: Path) -> None:
    """Draw what is lost with the outer ranks' targets, by idea."""
    if PLAIN not in results:
        return
    people = np.array(results[PLAIN]["people"])
    for axes in figure(path, len(HEADS), width=13, height=3.6):
        for axis, head in zip(axes, HEADS, strict=True):
            rows = of_head(results, head)
            at = np.arange(len(rows))
            for number, rank in enumerate(ENDS):
                ends = [estimate(np.array(row["losses"][number]), people) for row in rows.values()]
                means, halves = np.array(ends).reshape(-1, 2).T
                axis.barh(at + 0.2 * (2 * number - 1), means, 0.4, xerr=halves, label=f"r_{rank}")
            axis.set(title=f"{head}", xlabel="chances lost by a move, by the network's judgement")
            axis.set_yticks(at, list(rows))
            axis.invert_yaxis()
            axis.grid(alpha=0.3, axis="x")
            axis.legend(frameon=False, fontsize=8)


def page(results: Results) -> list[str]:
    """Write what was measured, by head and idea, and what follows."""
    if PLAIN not in results:
        return ["Nothing is measured yet."]
    plain, people = results[PLAIN], np.array(results[PLAIN]["people"])
    settings = plain["settings"]
    lines = [
        f"{len(people)} positions of {len(np.unique(people))} people of split tune, "
        f"{settings['positions']} of each rank at most, {settings['simulations']} simulations, "
        f"c_1 = {PAPER_PLAN.c_1:g} where nothing else is said, seed {SEED}. ± are 95% intervals by "
        "the jackknife over people. The cap was chosen on other positions of split tune.",
        "",
        "## How the distances spread, as published",
        "",
        f"| | {' | '.join(HEADS)} |",
        "|---|" + "---:|" * len(HEADS),
        *(f"| {name} | {' | '.join(cells)} |" for name, cells in facts(results, people)),
        "",
        "## What is played with the targets of the first rank and the last",
        "",
        "| head | changed | other moves | r_1 loses | r_8 loses | r_8 less r_1 | as plain: r_1 "
        "| r_8 |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for head in HEADS:
        for idea, row in of_head(results, head).items():
            losses = [share(estimate(np.array(x), people), 1) for x in row["losses"]]
            same = np.array(row["moves"]) == np.array(plain["moves"])
            cells = [
                share(changed_share(row, people)),
                *losses,
                share(loss_gap(row, people), 1),
                *(f"{x.mean():.0%}" for x in same),
            ]
            lines.append(f"| {head} | {idea} | {' | '.join(cells)} |")
    return [*lines, "", "## What agrees, what does not, and why", "", *verdict(results, people)]


def facts(results: Results, people: NDArray) -> list[tuple[str, list[str]]]:
    """Return rows of the first table: a name, and a cell of each head."""
    plain = results[PLAIN]

    def of_plain(name: str) -> list[str]:
        found = [estimate(np.array(x), people) for x in plain[name]]
        return [f"{mean:.2f} ± {half:.2f}" for mean, half in found]

    rows = [
        ("the targets of the outer ranks are apart by", of_plain("target_gap")),
        ("a random move is rated below the one played by", of_plain("random_below")),
    ]
    names = (
        "range of the distances in a tree",
        f"... of which the farthest {FARTHEST:.0%} of nodes take",
        f"range of delta^ among the {LIKELIEST} likeliest moves",
    )
    for number, name in enumerate(names):
        cells = []
        for head in HEADS:
            row = of_head(results, head).get(PUBLISHED)
            told = "-, -"
            if row is not None:
                ends = [column(row, rank, number, people) for rank in range(len(ENDS))]
                told = ", ".join(
                    share(x) if number == 1 else f"{x[0]:.2f} ± {x[1]:.2f}" for x in ends
                )
            cells.append(told)
        rows.append((f"{name}, target of r_{ENDS[0]}, of r_{ENDS[1]}", cells))
    return rows


def share(estimated: list[float], digits: int = 0) -> str:
    """Write a mean and half its interval with the sign of percent."""
    return f"{percent(estimated, digits=digits)}%"


def verdict(results: Results, people: NDArray) -> list[str]:
    """Say which change makes SE_inf's moves hang on the target, and which does not."""
    rows = of_head(results, "SE_inf")
    if PUBLISHED not in rows:
        return ["Not all is measured yet."]
    before = changed_share(rows[PUBLISHED], people)
    lines = [
        f"As published, SE_inf's targets of the outer ranks lead to different moves in "
        f"{share(before)} of positions, and the last rank's loses "
        f"{share(loss_gap(rows[PUBLISHED], people), 1)} more than the first's. Differences to "
        "that, in the same positions:",
        "",
    ]
    for idea, row in rows.items():
        if idea == PUBLISHED:
            continue
        more = more_changed(row, rows[PUBLISHED], people)
        lost, known = (np.subtract(*np.array(x["losses"])[::-1]) for x in (row, rows[PUBLISHED]))
        dial = estimate(lost - known, people)
        sure = "" if abs(dial[0]) > dial[1] else " (not significant)"
        lines.append(
            f"- {idea}: positions with different moves {percent(more, '+', 0)} points; what is "
            f"lost between first and last rank {percent(dial, '+', 1)} points{sure}."
        )
    return [*lines, "", *cause(results, people)]


def cause(results: Results, people: NDArray) -> list[str]:
    """Say how far below the moves played the heads rate random ones, beside the ranks' distance.

    Nothing is said before both heads' searches as published are there, and SE_inf's with a cap.
    """
    if not {f"SE: {PUBLISHED}", f"SE_inf: {CAPPED_IDEA}"} <= results.keys():
        return ["Why that is so is not measured yet."]
    below, gaps = (
        [estimate(np.array(x), people) for x in results[PLAIN][name]]
        for name in ("random_below", "target_gap")
    )
    told = [
        f"{head} rates a random move {random[0]:.1f} ± {random[1]:.1f} below the one played, where "
        f"the targets of the outer ranks are {gap[0]:.1f} apart"
        for head, random, gap in zip(HEADS, below, gaps, strict=True)
    ]
    stretched = (
        below[0][0] - below[0][1] > gaps[0][0] and below[1][0] + below[1][1] < gaps[1][0]
    ) and capping_helps(results, people)
    so = (
        "With distances capped, SE_inf's moves depend on the target more. One reading: random "
        "moves, which SE_inf has learned to rate lowest, stretch the range that distances are "
        "rescaled by, so that little of it is left for the moves one would choose among. Other "
        "causes were not ruled out."
        if stretched
        else "That random moves stretch SE_inf's range, and not SE's, is not shown by this."
    )
    return [
        f"{'; '.join(told)}. {so}",
        "",
        "The paper does not report how distances spread.",
    ]


def capping_helps(results: Results, people: NDArray) -> bool:
    """Return whether with a cap SE_inf's targets of the outer ranks change more moves, for sure."""
    rows = of_head(results, "SE_inf")
    mean, half = more_changed(rows[CAPPED_IDEA], rows[PUBLISHED], people)
    return mean > half


EXPERIMENT = Experiment(
    "se_spread",
    "What the distances to a target are (SE-MCTS of Chen et al. 2025)",
    parts,
    page,
    plot,
    reads_games=True,
)
