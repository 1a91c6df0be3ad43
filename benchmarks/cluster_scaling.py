"""What it costs to grow: parts on a cluster, and self-play by one and by two workers of one core.

    python benchmarks/cluster_scaling.py [--json docs/results/scaling.json] [--quick]

The cluster is Ray's own for tests: a head without cores and two nodes of one core each, all on this
machine. *A part's overhead* is the time of an empty part, begun when the one before has ended.
*Self-play* is that of `train othello --preset fast`: each worker has as many games side by side, so
two workers have twice the work. One and two workers take turns, several times, and the ratio is the
median over the turns. So the load of the machine falls on both alike. Nothing else should run.
"""

import argparse
import json
import os
import pickle
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from evenmatch.files import replace_file
from evenmatch.games import get_game
from evenmatch.network.artifact import shipped_path
from evenmatch.network.card import Card
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.network.processor import machine
from evenmatch.progress import Progress
from evenmatch.search import UniformEvaluator
from evenmatch.workshop.cluster import Executor, Here
from evenmatch.workshop.networks.export import write_artifact
from evenmatch.workshop.networks.fit import Fitter
from evenmatch.workshop.networks.resnet import ResNet
from evenmatch.workshop.training.alphazero import network_config
from evenmatch.workshop.training.presets import Preset, get_preset
from evenmatch.workshop.training.replay_buffer import Batches
from evenmatch.workshop.training.self_play import SelfPlay
from evenmatch.workshop.training.workers import Workers

GAME = "othello"
PLIES = 60  #: of a game of Othello
SETTLES = 3  #: iterations until games are out of step, as they are in a long training


class Size(NamedTuple):
    """How much is measured."""

    parts: int  #: empty ones
    games: int  #: side by side, of each worker
    positions: int  #: of each worker in a turn
    turns: int


FULL, QUICK = Size(300, 128, 6000, 5), Size(10, 8, 50, 2)


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--quick", action="store_true", help="too short to say much; for tests")
    asked = parser.parse_args()
    found = measure(QUICK if asked.quick else FULL)
    text = json.dumps(found, indent=1) + "\n"
    print(text, end="")
    if asked.json:
        replace_file(Path(asked.json), text)


def measure(size: Size) -> dict[str, Any]:
    """Return all figures."""
    with two_nodes() as executor:
        far = overhead(executor, size.parts)
        speeds = self_play(executor, size)
    return {
        "machine": machine(),
        "part_overhead_ms": round(1000 * far, 1),
        "part_overhead_here_ms": round(1000 * overhead(Here, size.parts), 3),
        **speeds,
        "learned_per_second": round(learning(size, get_preset("fast", GAME))),
        "paper": paper(size),
    }


@contextmanager
def two_nodes() -> Iterator[Callable[[], Executor]]:
    """Yield what makes executors on a cluster of two nodes of one core."""
    from ray.cluster_utils import Cluster

    from evenmatch.workshop.cluster.ray_tasks import SETTINGS, RayTasks

    os.environ |= SETTINGS | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    try:
        for _ in range(2):
            cluster.add_node(num_cpus=1)
        kept = RayTasks(cluster.address)  # keeps the connection while others come and go
        yield lambda: RayTasks(cluster.address)
        kept.close()
    finally:
        cluster.shutdown()


def nothing(key: str, progress: Progress) -> dict[str, Any]:
    """Do an empty part."""
    return {}


def overhead(executor: Callable[[], Executor], parts: int) -> float:
    """Return the seconds of an empty part, median over parts that are done one by one."""
    seconds = []
    with executor() as kept:
        for _ in range(parts + 10):  # the first ones start processes
            start = time.perf_counter()
            kept.begin("nothing", nothing, lambda done, due: None)
            while not kept.ended():
                pass
            seconds.append(time.perf_counter() - start)
    return statistics.median(seconds[10:])


def self_play(executor: Callable[[], Executor], size: Size) -> dict[str, Any]:
    """Return games a second of one and two workers, and the bytes that go over the network."""
    network = shipped_path(GAME).read_bytes()
    kept = {count: workers_of(count, executor(), size) for count in (1, 2)}
    rates: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
    for turn in range(SETTLES + size.turns):
        for count in (1, 2) if turn % 2 else (2, 1):
            start, games = time.perf_counter(), kept[count].games_finished
            found = kept[count].play(network, turn)
            seconds = time.perf_counter() - start
            positions = sum(len(one.samples.states) for one in found)
            games = kept[count].games_finished - games
            if turn >= SETTLES:
                rates[count].append((games / seconds, positions / seconds))
    samples = found[0].samples
    bytes_of = sum(field.nbytes for field in samples) / len(samples.states)
    ratios = [two[1] / one[1] for one, two in zip(rates[1], rates[2], strict=True)]
    return {
        "game": GAME,
        "games_side_by_side": size.games,
        "games_per_second": {str(n): round(median(rates[n], 0), 2) for n in (1, 2)},
        "positions_per_second": {str(n): round(median(rates[n], 1)) for n in (1, 2)},
        "ratio": round(statistics.median(ratios), 3),
        "ratios": [round(one, 3) for one in ratios],
        "positions_a_part": size.positions,
        "bytes_of_network": len(network),
        "bytes_a_game": round(bytes_of * median(rates[2], 1) / median(rates[2], 0)),
        "bytes_of_state": len(pickle.dumps(kept[1].state_dict()["workers"][0])),
    }


def learning(size: Size, preset: Preset) -> float:
    """Return the positions a second that the learner learns from, on all cores of this machine."""
    game = get_game(GAME)
    playing = SelfPlay(game, replace(preset, games=32, positions=256, simulations=2), 1)
    batches = Batches(game, playing.play(UniformEvaluator(game)), preset.search_value, 1)
    fitter = Fitter(
        ResNet(network_config(game, preset)), optimizer=preset.optimizer, ema=preset.ema,
        learning_rate=1e-3, momentum=preset.momentum, weight_decay=preset.weight_decay,
    )  # fmt: skip
    seconds = []
    for _ in range(2 + size.turns):
        start = time.perf_counter()
        fitter.step(*batches.draw(preset.batch))
        seconds.append(time.perf_counter() - start)
    return preset.batch / statistics.median(seconds[2:])


def paper(size: Size) -> dict[str, Any]:
    """Return what the training of Fujita 2022 takes: evaluations and samples, and how many a core
    does, of positions of ten games at once and of one game.
    """
    game, preset = get_game(GAME), get_preset("paper", GAME)
    network = ResNet(network_config(game, preset))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "network.onnx"
        card = Card(
            game=game.id, planes="", shape=(game.planes, game.height, game.width),
            actions=game.num_actions, blocks=preset.blocks, channels=preset.channels,
        )  # fmt: skip
        write_artifact(network.eval(), card, path)
        evaluator = NetworkEvaluator(path, game, threads=1)
        rates = {n: evaluated_by(evaluator, n, 5 + 20 * size.turns) for n in (preset.games, 1)}
    iteration = preset.positions or preset.games * PLIES
    window = min(preset.window or iteration, preset.iterations * iteration)
    drawn = window * len(game.cell_symmetries) if preset.whole_window else iteration
    return {
        "games": preset.iterations * preset.games,
        "games_at_once": preset.games,
        "simulations": preset.simulations,
        "samples": round(preset.iterations * preset.passes * drawn),
        "evaluations_per_second": round(rates[preset.games]),
        "evaluations_per_second_of_one_game": round(rates[1]),
        "learned_per_second": round(learning(size, preset), 1),
    }


def evaluated_by(evaluator: NetworkEvaluator, batch: int, times: int) -> float:
    """Return the positions a second that a network judges by so many at once."""
    states, seconds = evaluator.game.initial(batch), []
    for _ in range(times):
        start = time.perf_counter()
        evaluator.evaluate(states)
        seconds.append(time.perf_counter() - start)
    return batch / statistics.median(seconds[5:])


def workers_of(count: int, executor: Executor, size: Size) -> Workers:
    """Return so many workers of equal size."""
    preset: Preset = replace(
        get_preset("fast", GAME), games=count * size.games, positions=count * size.positions
    )
    return Workers(get_game(GAME), preset, 1, count=count, executor=executor)


def median(rates: list[tuple[float, float]], at: int) -> float:
    """Return the median of a column."""
    return float(np.median([rate[at] for rate in rates]))


if __name__ == "__main__":
    main()
