"""AlphaDDA1-3 on a weaker network, beside the one that ships (6x6 Othello).

AlphaDDA evens out by what the network says of the position, so the paper's constants belong to a
network of the paper's strength. In the paper AlphaZero is 279 Elo above MCTS1 by its sequential Elo
(table 4). The networks of `evenmatch train othello6 --preset early --seed 1`, one an iteration,
pass that gap between the fourth (120) and the sixth. The fifth (`gates/00005.onnx` of that run,
`othello6-early5.onnx` beside this module) was chosen by its gap in the tournaments of elo_table,
266. So that the gap reported is no selected one, both networks' gaps are measured here in
tournaments of another seed; there the chosen one has less than the paper's. Both play the paper's
tables with the paper's constants. The preset ``paper`` itself was not run: its first two iterations
took 50 s each on one core, and it has 600.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from evenmatch.games import get_game
from evenmatch.network.artifact import digest_of
from evenmatch.progress import Progress
from evenmatch_lab.fujita2022 import elo_table
from evenmatch_lab.fujita2022.dda_tables import (
    METHODS,
    constants_of,
    method_lines,
    paper_rows,
    player,
)
from evenmatch_lab.runner import Experiment, Part, Results, digest
from evenmatch_lab.shared import opponents
from evenmatch_lab.shared.imbalances import (
    compared,
    drawn_mean,
    mean_by_side,
    mean_imbalance,
    overall,
)
from evenmatch_lab.shared.opponents import OPENING_PLIES, Row, elo_text, meet

Tables = Mapping[str, Mapping[str, Row]]  #: method -> opponent -> row

GAME, GAMES_EACH, SEED = "othello6", 100, 9
GAP_SEED = 10  #: not elo_table's, by which a network was chosen
PAPER_GAP = elo_table.PAPER[GAME][0] - elo_table.PAPER[GAME][1]
OURS, ALIKE = "ours", "a weaker one"
NETS = {OURS: None, ALIKE: Path(__file__).parent / "othello6-early5.onnx"}


def parts(quick: bool) -> dict[str, Part]:
    """For each network its Elo gap, then the tables with the paper's constants."""
    agents = opponents.specs(opponents.TUNING, quick)
    rivals = opponents.specs(quick=quick)
    players = [player(method, "paper", quick) for method in METHODS]
    (tournaments, resamples), games = elo_table.size(quick), 2 if quick else GAMES_EACH
    by_key = {}
    for name, net in NETS.items():
        known = {
            "network": digest(GAME) if net is None else digest_of(net),
            "openings": OPENING_PLIES[GAME],
        }
        gap = {"tournaments": tournaments, "seed": GAP_SEED, "resamples": resamples}
        by_key[f"gap, {name}"] = Part(
            known | gap | {"agents": agents},
            partial(
                elo_table.measure,
                GAME,
                of_net(agents, net),
                tournaments,
                resamples,
                seed=GAP_SEED,
            ),
        )
        specs = {
            "players": players,
            "opponents": rivals,
            "constants": [constants_of(method, "paper", GAME) for method in METHODS],
        }
        with_nets = [with_net(spec, net) for spec in players]
        by_key[f"tables, {name}"] = Part(
            known | {"games": games, "seed": SEED} | specs,
            partial(measure, with_nets, of_net(rivals, net), games),
        )
    return by_key


def of_net(agents: dict[str, str], net: Path | None) -> dict[str, str]:
    """Return the agents, AlphaZero with a network of its own."""
    return agents | {"AlphaZero": with_net(agents["AlphaZero"], net)}


def with_net(spec: str, net: Path | None) -> str:
    """Return a spec with a network of its own."""
    if net is None:
        return spec
    return f"{spec}{',' if ':' in spec else ':'}net={net}"


def measure(
    players: list[str],
    rivals: dict[str, str],
    games: int,
    progress: Progress,
    done: Results,
) -> dict:
    """Play all methods against all opponents."""
    tables = meet(players, rivals, get_game(GAME), games, SEED, progress)
    return {"tables": dict(zip(METHODS, tables, strict=True))}


def page(results: Results) -> list[str]:
    """Set both networks beside the paper."""
    known = [name for name in NETS if f"tables, {name}" in results]
    lines = [
        f"{get_game(GAME).title}, the paper's constants and the quirks of its code, "
        f"{results[f'tables, {known[0]}']['settings']['games']} games with each of eight "
        f"opponents, in pairs from the same {OPENING_PLIES[GAME]} random plies (the paper has no "
        f"openings), seed {SEED}.",
        "",
        "| network | AlphaZero above MCTS1, sequential Elo (95%) | by likelihood (95%) |",
        "|---|---:|---:|",
        f"| the paper's | {PAPER_GAP:.0f} | - |",
        *(gap_line(name, results.get(f"gap, {name}")) for name in known),
        "",
        f"| mean abs(W - L), 8 opponents | {' | '.join(METHODS)} |",
        f"|---|{'---:|' * len(METHODS)}",
        line("the paper", {method: paper_rows(GAME, method) for method in METHODS}),
        *(line(name, results[f"tables, {name}"]["tables"]) for name in known),
        "",
        f"| by side | {' | '.join(METHODS)} |",
        f"|---|{'---:|' * len(METHODS)}",
        line("the paper", {m: paper_rows(GAME, m) for m in METHODS}, mean_by_side),
        *(line(name, results[f"tables, {name}"]["tables"], mean_by_side) for name in known),
    ]
    if len(known) == len(NETS):
        ours, alike = (results[f"tables, {name}"]["tables"] for name in (OURS, ALIKE))
        lines += ["", *verdict(ours, alike), "", *strength_lines(results)]
    for name in known:
        for method, table in results[f"tables, {name}"]["tables"].items():
            lines += ["", f"**{method}, network: {name}**", "", *method_lines(GAME, method, table)]
    return lines


def gap_line(name: str, row: dict | None) -> str:
    """Write a network's gap, if it is measured."""
    if row is None:
        return f"| {name} | not yet measured | - |"
    return f"| {name} | {elo_text(row['sequential_gap'])} | {elo_text(row['gap'])} |"


def verdict(ours: Tables, alike: Tables) -> list[str]:
    """Say method by method whether the weaker network is nearer to the paper."""
    lines = [
        "What agrees, what does not, and why: how much nearer to the paper the weaker "
        "network is than the one that ships, by the distance of the mean of abs(W - L) from "
        "the paper's. The intervals (95%) are from pairs drawn with replacement, of the paper's "
        "tables games.",
        "",
    ]
    for method in METHODS:
        # each table has draws of its own
        at = [
            drawn_mean(rows, seed)
            for seed, rows in enumerate((paper_rows(GAME, method), ours[method], alike[method]))
        ]
        nearer = abs(at[1] - at[0]) - abs(at[2] - at[0])
        words = {1: "nearer", -1: "**farther**", 0: "undecided"}[nearer.sign]
        lines.append(f"- {method}: {nearer.text('+.2f')}, {words}.")
    return [
        *lines,
        "",
        "The constants turn values into simulations and dropout, and two networks of equal "
        "strength may spread their values differently; how the paper's did, it does not report. "
        "[grid_search](grid_search.md) fits constants to our network.",
    ]


def strength_lines(results: Results) -> list[str]:
    """Say which network has the paper's gap, so whether strength explains the difference."""
    gaps = {name: results[f"gap, {name}"]["sequential_gap"] for name in NETS}
    alike = [name for name, (_, low, high) in gaps.items() if low <= PAPER_GAP <= high]
    if OURS not in alike:
        return ["The network that ships has another sequential Elo than the paper's."]
    ours = results[f"tables, {OURS}"]["tables"]
    signs = {method: compared(ours[method], paper_rows(GAME, method), overall) for method in ours}
    less = [method for method, sign in signs.items() if sign > 0]
    found = f"{', '.join(less)} are less even than there" if less else "no method is less even"
    so = " So strength alone does not explain it." if less else ""
    return [
        "By sequential Elo, the one measure of strength that the paper gives, the network that "
        f"ships is not told from the paper's: the interval of its gap holds {PAPER_GAP:.0f}. With "
        f"it {found}.{so}",
    ]


def line(name: str, tables: Tables, mean=mean_imbalance) -> str:
    """Write how even each method is."""
    return f"| {name} | {' | '.join(f'{mean(tables[method]):.2f}' for method in METHODS)} |"


EXPERIMENT = Experiment(
    "dda_strength",
    "AlphaDDA1-3 on a weaker network (Fujita 2022, tables 8-10)",
    parts,
    page,
)
