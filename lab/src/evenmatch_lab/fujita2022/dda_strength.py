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
    method_table,
    paper_rows,
    player,
)
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, digest
from evenmatch_lab.shared import opponents
from evenmatch_lab.shared.imbalances import (
    drawn_mean,
    mean_by_side,
    mean_imbalance,
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
    rows = [["the paper's", f"{PAPER_GAP:.0f}", "-"]]
    for name in known:
        gaps = results.get(f"gap, {name}", {})
        rows.append(
            [name, *(elo_text(gaps[k]) if gaps else "-" for k in ("sequential_gap", "gap"))]
        )
    heads = ["network", "AlphaZero above MCTS1, sequential Elo (95%)", "by likelihood (95%)"]
    lines = [table(heads, rows)]
    paper = {method: paper_rows(GAME, method) for method in METHODS}
    tables = {"the paper": paper} | {name: results[f"tables, {name}"]["tables"] for name in known}
    for head, mean in (
        ("mean abs(W - L), 8 opponents", mean_imbalance),
        ("by side", mean_by_side),
    ):
        rows = [[x, *(f"{mean(of[method]):.2f}" for method in METHODS)] for x, of in tables.items()]
        lines += ["", table([head, *METHODS], rows)]
    if len(known) == len(NETS):
        heads = ["method", "nearer to the paper than ours is, by (95%)", ""]
        lines += ["", table(heads, nearer(tables[OURS], tables[ALIKE]))]
    for name in known:
        for method, own in tables[name].items():
            lines += ["", f"**{method}, network: {name}**", "", method_table(GAME, method, own)]
    return lines


def nearer(ours: Tables, alike: Tables) -> list[list[str]]:
    """Return by how much the weaker network's mean of abs(W - L) is nearer to the paper's.

    The intervals are from pairs drawn with replacement, of the paper's tables games.
    """
    rows = []
    for method in METHODS:
        # each table has draws of its own
        at = [
            drawn_mean(rows, seed)
            for seed, rows in enumerate((paper_rows(GAME, method), ours[method], alike[method]))
        ]
        gain = abs(at[1] - at[0]) - abs(at[2] - at[0])
        words = {1: "nearer", -1: "**farther**", 0: "undecided"}[gain.sign]
        rows.append([method, gain.text("+.2f"), words])
    return rows


EXPERIMENT = Experiment(
    "dda_strength",
    "AlphaDDA1-3 on a weaker network (Fujita 2022, tables 8-10)",
    parts,
    page,
)
