"""Memory that a forest really takes: growth of a fresh process's resident memory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from evenmatch.games import get_game
from evenmatch.games.game import Game
from evenmatch.search import Evaluator, Plan, Search, UniformEvaluator
from evenmatch.search.forest import seeds_from


def forest_bytes(game: Game, trees: int, nodes: int, net: Path | None) -> dict[str, int]:
    """Return (as a dict) the bytes a forest has ``resident`` after a search, and ``reserved``."""
    command = [sys.executable, "-c", f"from {__name__} import main; main()"]
    command += [game.id, str(trees), str(nodes), *([str(net)] if net else [])]
    environment = os.environ | {"MALLOC_MMAP_THRESHOLD_": "131072"}  # arrays in pages of their own
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return json.loads(done.stdout)


def _resident() -> int:
    """Return the resident bytes of this process; its peak where only that is known."""
    if os.path.exists("/proc/self/statm"):
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _searched(game: Game, evaluator: Evaluator, trees: int, nodes: int) -> Search:
    """Return a search whose trees have been filled up to ``nodes`` nodes."""
    search = Search(game, evaluator, trees=trees, nodes=nodes)
    slots = np.arange(trees)
    search.plant(slots, game.initial(trees), seeds_from(0, trees))
    search.run(slots, Plan(simulations=nodes - 2, noise_fraction=0.25))
    return search


def _evaluator(game: Game, net: str | None) -> Evaluator:
    """Return the evaluator, ready for every batch."""
    if net is None:
        return UniformEvaluator(game)
    from evenmatch.network.backend import CPU_SIZES
    from evenmatch.network.inference import NetworkEvaluator

    evaluator = NetworkEvaluator(net, game)
    for size in range(1, CPU_SIZES[-1] + 1):
        evaluator.evaluate(game.initial(size))
    return evaluator


def main() -> None:
    """Measure in this process and print JSON; ``sys.argv`` is GAME TREES NODES [NETWORK]."""
    game, trees, nodes = get_game(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    evaluator = _evaluator(game, sys.argv[4] if len(sys.argv) > 4 else None)
    _searched(game, evaluator, trees, 4)  # loads kernels
    before = _resident()
    search = _searched(game, evaluator, trees, nodes)
    used = max(0, _resident() - before)
    reserved = sum(array.nbytes for array in search.forest)
    print(json.dumps({"resident": used, "reserved": reserved}))
