"""Networks that are sent to another process, as the bytes of their files."""

from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from weakref import finalize

from evenmatch.games import get_game
from evenmatch.network.inference import DeviceName, NetworkEvaluator


@lru_cache(maxsize=8)
def evaluator_from_bytes(
    network: bytes, game_id: str, device: DeviceName = "auto"
) -> NetworkEvaluator:
    """Return the evaluator of a network's file; a process keeps the latest ones.

    Raises what `NetworkEvaluator` raises.
    """
    folder = TemporaryDirectory()
    path = Path(folder.name) / "network.onnx"
    path.write_bytes(network)
    evaluator = NetworkEvaluator(path, get_game(game_id), device=device)
    finalize(evaluator, folder.cleanup)  # it reads the file again for each size of batch
    return evaluator
