"""Drills of network files: of other games, halves, garbage, and those made to fill the memory."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from evenmatch.network.artifact import (
    CARD_KEY,
    DIGEST_KEY,
    metadata,
    read_card,
    shipped_path,
    write_graph,
)
from evenmatch.network.leela.protobuf import field, fields
from evenmatch_lab.drills import programs
from evenmatch_lab.drills.drill import Outcome, Task

GAME = "connect4"
MOST = 250.0  #: megabytes that a refusal may need beyond what a match without networks needs
GIGABYTES = 64  #: of tensors that are not there
LEELA = b"\x0d" + (0x1C0).to_bytes(4, "little")  #: how weights of Leela begin

Writer = Callable[[Path], None]

#: Runs a command and tells the most memory that was resident. What ``getrusage`` tells begins with
#: the memory of the process that started this one.
MEASURED = """
import os
from evenmatch.frontends.cli import main
from evenmatch_lab.shared.process_memory import peak_of
try:
    main()
finally:
    print("peak", peak_of(os.getpid()) or 0, flush=True)
"""


def files(task: Task) -> Outcome:
    """Let a match and `evenmatch network info` read files that are no networks of the game."""
    outcome = Outcome()
    usual = _run(["match", "random", "random", "--game", GAME, "-n", "2"], task.folder)
    outcome.check(usual.fine, f"a match without networks: {usual}")
    for name, write in _cases(task).items():
        path = task.folder / name
        write(path)
        for words in _readers(path):
            ended = _run(words, task.folder)
            grown = ended.megabytes - usual.megabytes
            outcome.runs += 1
            outcome.seen["refused in one line"] += ended.refused
            outcome.seen["most megabytes more"] = max(
                outcome.seen["most megabytes more"], round(grown)
            )
            told = ended.refused or (words[0] == "network" and ended.fine)
            outcome.check(told, f"{' '.join(words[:2])} {name}: {ended}")
            outcome.check(grown < MOST, f"{' '.join(words[:2])} {name}: {grown:.0f} MB more")
        path.unlink()
    return outcome


def _readers(path: Path) -> list[list[str]]:
    spec = f"alphazero:sims=2,net={path}"
    match = ["match", spec, "random", "--game", GAME, "-n", "2"]
    if path.suffix == ".onnx":
        return [match]
    return [match, ["network", "import", str(path), "--out", str(path.with_suffix(".out"))]]


def _run(words: list[str], folder: Path) -> programs.Ended:
    import sys

    ended = programs.run([sys.executable, "-c", MEASURED, *words], folder)
    lines = ended.out.splitlines()
    peaks = [float(line.split()[1]) for line in lines if line.startswith("peak ")]
    ended.megabytes = peaks[-1] if peaks else 0.0
    return ended


def _cases(task: Task) -> dict[str, Writer]:
    real, rng = shipped_path(GAME), task.rng
    data = real.read_bytes()
    graph = next(value for number, value in fields(data) if number == 7)
    assert isinstance(graph, bytes), "a graph is a message"
    hostile = {
        "external.onnx": graph + _tensor((4,), more=field(14, 1) + field(13, _pair("/etc/passwd"))),
        "tensor.onnx": graph + _tensor((GIGABYTES << 28,)),
        "dimensions.onnx": graph + _tensor((1 << 20, 1 << 20, 1 << 20)),
        "filled.onnx": _filled(),
        "broadcast.onnx": _broadcast(),
        "nothing.onnx": b"",
        "sparse.onnx": graph + field(15, b""),
    }
    cases: dict[str, Writer] = {
        name: partial(_with_card, real=real, graph=made) for name, made in hostile.items()
    }
    cases |= {
        "other.onnx": partial(_copy, source=shipped_path("othello6")),
        "half.onnx": partial(_write, data=data[: len(data) // 2]),
        "cut.onnx": partial(_write, data=data[: rng.randrange(len(data))]),
        "changed.onnx": partial(_write, data=_changed(data, rng)),
        "garbage.onnx": partial(_write, data=rng.randbytes(100_000)),
        "empty.onnx": partial(_write, data=b""),
        "huge.onnx": partial(_holes, size=3 << 30),
        "card.onnx": partial(_other_card, data=data),
        "bomb.pb.gz": partial(_write, data=gzip.compress(LEELA + bytes(1 << 29), 1)),
        "bomb.bin.gz": partial(_write, data=gzip.compress(b"g170 8 22 19 " + bytes(1 << 29), 1)),
        "garbage.pb.gz": partial(_write, data=rng.randbytes(10_000)),
        "half.bin.gz": partial(_write, data=gzip.compress(rng.randbytes(50_000))[:20_000]),
    }
    names = list(cases)
    if task.quick:
        names = ["external.onnx", "broadcast.onnx"]
    return {name: cases[name] for name in names}


def _tensor(dims: tuple[int, ...], more: bytes = b"", raw: bytes = b"") -> bytes:
    sizes = b"".join(field(1, size) for size in dims)
    return field(5, sizes + field(2, 1) + field(8, "unused") + field(9, raw) + more)


def _pair(location: str) -> bytes:
    return field(1, "location") + field(2, location)


def _filled() -> bytes:
    """Return a graph whose one operator makes a tensor of many gigabytes."""
    shape = np.array([GIGABYTES << 28], np.int64).tobytes()
    tensor = field(1, 1) + field(2, 7) + field(8, "shape") + field(9, shape)
    node = field(1, "shape") + field(2, "policy") + field(4, "ConstantOfShape")
    return field(1, node) + field(2, "filled") + field(5, tensor)


def _broadcast() -> bytes:
    """Return a graph of our operators whose layers grow from a small file to many gigabytes."""
    from evenmatch.games import get_game
    from evenmatch.network.onnx_graph import Graph

    g, rules, size = Graph(), get_game(GAME), 1 << 17
    tall = g.constant(np.zeros((size, 1), np.float32), "tall")
    wide = g.constant(np.zeros((1, size), np.float32), "wide")
    g.node("ReduceProd", g.node("Add", tall, wide, name="all"), name="policy", keepdims=0)
    inputs = {"planes": (rules.planes, rules.height, rules.width)}
    return g.serialize("broadcast", inputs, {"policy": (rules.num_actions,), "value": ()})


def _with_card(path: Path, real: Path, graph: bytes) -> None:
    """Write a graph with the card of a real network, and the digest that it has to have."""
    write_graph(graph, read_card(real), path)


def _other_card(path: Path, data: bytes) -> None:
    """Write a real network with a card whose fields are of other types."""
    known = metadata(shipped_path(GAME))
    entries = {CARD_KEY: known[CARD_KEY].replace('"blocks": ', '"blocks": "a", "x": ')}
    entries[DIGEST_KEY] = known[DIGEST_KEY]
    graph = next(value for number, value in fields(data) if number == 7)
    more = [field(14, field(1, key) + field(2, value)) for key, value in entries.items()]
    path.write_bytes(field(7, graph) + b"".join(more))


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def _copy(path: Path, source: Path) -> None:
    shutil.copy(source, path)


def _holes(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.truncate(size)


def _changed(data: bytes, rng) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 255]) + data[at + 1 :]
