"""AlphaDDA1-3 on a network as strong as the paper's, beside the one that ships (6x6 Othello).

AlphaDDA evens out by what the network says of the position, so the paper's constants belong to a
network of the paper's strength. In the paper AlphaZero is 279 Elo above MCTS1 by its sequential Elo
(table 4). The networks of `evenmatch train othello6 --preset early --seed 1`, one an iteration,
pass that gap between the fourth (120) and the sixth; the fifth (266, `gates/00005.onnx` of that
run) lies beside this module. It plays the paper's tables with the paper's constants, and so does
the one that ships. The preset ``paper`` itself takes eight core-hours on a CPU: 600 iterations of
50 s.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np

from evenmatch.games import get_game
from evenmatch.network.artifact import digest_of
from evenmatch.progress import Progress
from evenmatch_lab.fujita2022 import elo_table
from evenmatch_lab.fujita2022.dda_tables import (
    METHODS,
    mean_by_side,
    mean_imbalance,
    method_lines,
    paper_rows,
    player,
)
from evenmatch_lab.runner import Experiment, Part, Results, digest
from evenmatch_lab.shared import opponents
from evenmatch_lab.shared.opponents import OPENING_PLIES, Row, meet

GAME, GAMES_EACH, SEED = "othello6", 100, 9
PAPER_GAP = elo_table.PAPER[GAME][0] - elo_table.PAPER[GAME][1]
NETS = {"ours": None, "as strong as the paper's": Path(__file__).parent / "othello6-paper.onnx"}


def parts(quick: bool) -> dict[str, Part]:
    """For each network its Elo gap, then the tables with the paper's constants."""
    by_key = {}
    for name, net in NETS.items():
        known = {
            "network": digest(GAME) if net is None else digest_of(net),
            "openings": OPENING_PLIES[GAME],
        }
        agents = opponents.specs(opponents.TUNING, quick)
        agents["AlphaZero"] = with_net(agents["AlphaZero"], net)
        tournaments = 2 if quick else elo_table.TOURNAMENTS
        by_key[f"gap, {name}"] = Part(
            known | {"tournaments": tournaments, "seed": elo_table.SEED},
            partial(elo_table.measure, GAME, agents, tournaments),
        )
        players = [with_net(player(method, "paper", quick), net) for method in METHODS]
        rivals = opponents.specs(quick=quick)
        rivals["AlphaZero"] = agents["AlphaZero"]
        games = 2 if quick else GAMES_EACH
        by_key[f"tables, {name}"] = Part(
            known | {"games": games, "seed": SEED},
            partial(measure, players, rivals, games),
        )
    return by_key


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
        "| network | AlphaZero above MCTS1, sequential Elo | by likelihood (95%) |",
        "|---|---:|---:|",
        f"| the paper's | {PAPER_GAP:.0f} | - |",
    ]
    for name in known:
        row = results[f"gap, {name}"]
        gap, low, high = row["gap"]
        ours = row["sequential"]["AlphaZero"] - row["sequential"]["MCTS1"]
        lines.append(f"| {name} | {ours:.0f} | {gap:.0f} ({low:.0f} to {high:.0f}) |")
    lines += [
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
        lines += ["", *verdict(results, known)]
    for name in known:
        for method, table in results[f"tables, {name}"]["tables"].items():
            lines += ["", f"**{method}, network: {name}**", "", *method_lines(GAME, method, table)]
    return lines


def verdict(results: Results, known: list[str]) -> list[str]:
    """Say whether strength explains why the paper's constants are not even with our networks."""
    paper = np.array([mean_imbalance(paper_rows(GAME, method)) for method in METHODS])
    ours, alike = (
        np.array([mean_imbalance(results[f"tables, {name}"]["tables"][m]) for m in METHODS])
        for name in known
    )
    gained = float((ours - alike).mean() / (ours - paper).mean())
    words = (
        f"closes {gained:.0%} of the distance to the paper"
        if gained > 0
        else "is no nearer to the paper"
    )
    cause = "Strength explains most of it" if gained > 0.5 else "Strength alone does not explain it"
    return [
        "What agrees, what does not, and why: on the mean of the three methods the weaker network "
        f"{words}. {cause}. "
        "The constants turn values into simulations and dropout, and two networks of equal "
        "strength may spread their values differently; how the paper's did, it does not report. "
        "[grid_search](grid_search.md) fits constants to our network.",
    ]


def line(name: str, tables: Mapping[str, Mapping[str, Row]], mean=mean_imbalance) -> str:
    """Write how even each method is."""
    return f"| {name} | {' | '.join(f'{mean(tables[method]):.2f}' for method in METHODS)} |"


EXPERIMENT = Experiment(
    "dda_strength",
    "AlphaDDA1-3 on a network as strong as the paper's (Fujita 2022, tables 8-10)",
    parts,
    page,
)
