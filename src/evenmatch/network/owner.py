"""The owner of loaded networks: each file is loaded and compiled once in a process.

Every `NetworkEvaluator` gets its device from here, for any user: players, UCI, GTP, estimators,
judges, the page. Evaluators of one file share compiled models, buffers and the lock. What ships
stays loaded for the life of the process, any other network as long as an evaluator of it exists.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from evenmatch.network.backend import Backend, OpenVinoBackend, chosen_precision
from evenmatch.network.card import Card
from evenmatch.network.openvino_graph import ranges_path
from evenmatch.network.processor import Precision

NETS = Path(__file__).parent.parent / "nets"

_loaded: WeakValueDictionary[tuple, Any] = WeakValueDictionary()
_kept: dict[tuple, Backend] = {}  # those that ship
_lock = threading.Lock()
_threads: int | None = None


def threads_in_use() -> int | None:
    """Return how many threads networks loaded from now on use; None: one per core."""
    return _threads


def use_threads(count: int | None) -> None:
    """Let networks loaded from now on use ``count`` threads; None: all cores."""
    global _threads
    _threads = count


def backend_of(
    path: str | Path,
    card: Card,
    shape: tuple[int, int, int],
    device: str,
    precision: Precision,
    threads: int | None,
) -> Backend:
    """Return a network on a device, for planes of ``shape`` [C, H, W], loaded the first time.

    ``threads`` None is as `use_threads` has it. Files that were written again since count as
    others. Raises as `NetworkEvaluator` does.
    """
    threads = threads or _threads
    with _lock:
        chosen = chosen_precision(path, precision) if device == "cpu" else precision
        file = Path(path).resolve()
        key = (_state(file), _state(ranges_path(file)), shape, device, chosen, threads)
        backend = _loaded.get(key)
        if backend is None:
            if device == "cpu":
                backend = OpenVinoBackend(path, replace(card, shape=shape), chosen, threads)
            else:
                from evenmatch.workshop.networks.torch_backend import TorchBackend

                backend = TorchBackend(path, shape, device, precision)
            _loaded[key] = backend
            if file.parent == NETS:
                _kept[key] = backend
        return backend


def _state(file: Path) -> tuple:
    """Return what identifies a file, and its content once it is written again."""
    if not file.exists():
        return (file,)
    found = file.stat()
    return file, found.st_ino, found.st_mtime_ns, found.st_size
