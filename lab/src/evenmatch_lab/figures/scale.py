"""Figures of docs/scale.md: what growing costs, and where it ends, by what was measured."""

from typing import Any

from evenmatch_lab.figures.texts import table
from evenmatch_lab.ours.web_load_page import crowds_of, holds
from evenmatch_lab.runner import Results

NODES, CORES = (10, 100, 1000), 16  #: nodes of so many cores
PASSES = 3.0  #: how often the preset ``fast`` learns from a position
NETWORK = 10e9 / 8  #: bytes a second of a usual network of a cluster
PLIES = 60  #: of a game of Othello, of which nearly all are searched
DAY = 86_400
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
        "part": f"{found['positions_a_part']:,}",
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
            ("cores that play", "days of self-play", "days of learning", "days in all"),
            [paper_row(found["paper"], cores) for cores in (1, found["paper"]["games_at_once"])],
        ),
    }


def fed_by(found: dict[str, Any]) -> float:
    """Return how many new positions a second one learner of this machine's speed can take."""
    return found["learned_per_second"] / PASSES


def bytes_a_position(found: dict[str, Any]) -> float:
    """Return what a position costs on the network: itself, and its share of a worker's state.

    A state comes with every part, and goes out with the next.
    """
    a_game = found["positions_per_second"]["2"] / found["games_per_second"]["2"]
    return found["bytes_a_game"] / a_game + 2 * found["bytes_of_state"] / found["positions_a_part"]


def nodes_row(found: dict[str, Any], nodes: int, a_core: float) -> list[str]:
    """Write how many positions so many nodes play, how fast they must be learned from and sent."""
    played = nodes * CORES * a_core
    sent = bytes_a_position(found) * played
    return [
        f"{nodes:,}",
        f"{played:,.0f}",
        f"{played * PASSES:,.0f}",
        f"{sent / 1e6:,.0f} MB/s, {sent / NETWORK:.1%} of 10 Gbit/s",
    ]


def paper_row(paper: dict[str, Any], cores: int) -> list[str]:
    """Write how long the training of Fujita 2022 takes, played by so many cores.

    One plays all games of an iteration at once; as many as there are games play one each.
    """
    rate = paper["evaluations_per_second" + ("_of_one_game" if cores > 1 else "")]
    play = paper["games"] * PLIES * paper["simulations"] / (rate * cores) / DAY
    learn = paper["samples"] / paper["learned_per_second"] / DAY
    return [f"{cores}", f"{play:.1f}", f"{learn:.1f}", f"{play + learn:.1f}"]


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
