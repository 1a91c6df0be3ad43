"""Figures of docs/scale.md: what growing costs, and where it ends, by what was measured."""

from typing import Any

from evenmatch_lab.figures.texts import table
from evenmatch_lab.ours.web_load_page import crowds_of, holds
from evenmatch_lab.runner import Results

NODES, CORES = (10, 100, 1000), 16  #: nodes of so many cores
PASSES = 3.0  #: how often the preset ``fast`` learns from a position
NETWORK = 10e9 / 8  #: bytes a second of a usual network of a cluster
PLIES = 60  #: of a game of Othello, of which nearly all are searched
DAY, YEAR = 86_400, 365.25
MOVES, GAMES = 40, 1_000_000  #: replies of a game of chess, games a day
PEAK = 3.0  #: by how much the busiest hour of a day is supposed to exceed the mean


def scaling(found: dict[str, Any]) -> dict[str, str]:
    """What a part, a worker and a learner cost, and what many nodes would do."""
    one, two = (found["positions_per_second"][count] for count in "12")
    figures = {
        "overhead": f"{found['part_overhead_ms']:.0f}",
        "games.1": f"{found['games_per_second']['1']:.1f}",
        "games.2": f"{found['games_per_second']['2']:.1f}",
        "ratio": f"{found['ratio']:.2f}",
        "ratios": f"{min(found['ratios']):.2f} to {max(found['ratios']):.2f}",
        "positions": f"{one:,.0f}",
        "learned": f"{found['learned_per_second']:,.0f}",
        "network": f"{found['bytes_of_network'] / 1e6:.1f}",
        "game": f"{found['bytes_a_game'] / 1e3:.0f}",
        "state": f"{found['bytes_of_state'] / 1e6:.1f}",
        "machine": found["machine"],
    }
    a_core = min(one, two / 2)
    return figures | {
        "full": f"{fed_by(found) / a_core:.0f}",
        "nodes": table(
            (f"nodes of {CORES} cores", "positions/s played", "learned from/s", "network"),
            [nodes_row(found, nodes, a_core) for nodes in NODES],
        ),
        "paper": table(
            ("nodes", "days for its self-play"), [paper_row(found, n) for n in (1, *NODES)]
        ),
    }


def fed_by(found: dict[str, Any]) -> float:
    """Return how many new positions a second one learner of this machine's speed can take."""
    return found["learned_per_second"] / PASSES


def nodes_row(found: dict[str, Any], nodes: int, a_core: float) -> list[str]:
    """Write how many positions so many nodes play, how fast they must be learned from and sent."""
    played = nodes * CORES * a_core
    bytes_of = found["bytes_a_game"] / PLIES * played
    return [
        f"{nodes:,}",
        f"{played:,.0f}",
        f"{played * PASSES:,.0f}",
        f"{bytes_of / 1e6:,.0f} MB/s, {bytes_of / NETWORK:.1%} of 10 Gbit/s",
    ]


def paper_row(found: dict[str, Any], nodes: int) -> list[str]:
    """Write how long the self-play of Fujita 2022 takes on so many nodes."""
    paper = found["paper"]
    evaluations = paper["games"] * PLIES * paper["simulations"]
    seconds = evaluations / (paper["evaluations_per_second"] * CORES * nodes)
    return [f"{nodes:,}", f"{seconds / DAY:.2g}"]


def serving(rows: Results) -> dict[str, str]:
    """How many machines a million games a day take, by the page's server under load."""
    held = filter(holds, crowds_of(rows)["chess, at 1500"])
    rate = max(row["moves_per_second"] for row in held)
    mean = GAMES * MOVES / DAY
    return {
        "rate": f"{rate:.1f}",
        "mean": f"{mean:,.0f}",
        "peak": f"{PEAK * mean:,.0f}",
        "machines": f"{mean / rate:,.0f}",
        "machines_at_peak": f"{PEAK * mean / rate:,.0f}",
    }
