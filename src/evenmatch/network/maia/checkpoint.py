"""Make a network artifact, ONNX with a card, of a checkpoint of Maia-2 or Maia-3 (.pt).

Neither torch nor Maia's packages are needed. No code that a checkpoint names is run.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

from onnx import GraphProto

from evenmatch.errors import NetworkError
from evenmatch.games.chess.planes import MAIA2_PLANES, MAIA3_PLANES
from evenmatch.network.artifact import write_graph
from evenmatch.network.card import Card
from evenmatch.network.foreign import expect, read_file
from evenmatch.network.leela.policy_planes import MOVES
from evenmatch.network.maia import maia2, maia3
from evenmatch.network.torch_file import read_weights

UNKNOWN = "unknown; see where the file comes from"
#: SHA-256 of Maia-2's files as the package maia2 0.11.0 names them (MIT), by the games' speed.
MAIA2 = {
    "rapid": "65aae8465eed5e65df66a24ea7370715579f9e5435098d06fe18bdb1e267e997",
    "blitz": "5090d5d0d49dc29787c08d13febbed5b2da81a18c2ddcd8a90070cd3b43c44b2",
}
PLANES3 = (
    "8 positions, the latest first, each seen by the side that was to move, of 12 planes (own P N "
    "B R Q K, theirs)"
)
PLANES2 = "own P N B R Q K, theirs; ones; castling own short and long, theirs; en passant"


class Checkpoint(NamedTuple):
    """What a file holds."""

    net: maia2.Maia2 | maia3.Maia3
    parameters: int  #: how many its network has
    digest: str  #: SHA-256 of the file, hexadecimal


def import_maia(
    source: str | Path, target: str | Path, command: str = "", half: bool = False
) -> Card:
    """Write the artifact of a checkpoint of Maia-2 or Maia-3; return its card.

    Weights stay float32, or become float16 in half the space. `command` is noted in the card.
    Raises NetworkError as `read_maia` does, OSError if `target` cannot be written.
    """
    found = read_maia(source)
    card = card_of(found, Path(source).name, command)
    write_graph(_graph_of(found.net, half), card, target)
    return card


def _graph_of(net: maia2.Maia2 | maia3.Maia3, half: bool) -> GraphProto:
    if isinstance(net, maia3.Maia3):
        return maia3.graph_of(net, half)
    return maia2.graph_of(net, half)


def read_maia(path: str | Path) -> Checkpoint:
    """Read a checkpoint.

    NetworkError if the file is missing, damaged, names code, or holds another network.
    """
    data = read_file(Path(path))
    weights = read_weights(data, Path(path))
    known = maia3.MARK in weights or maia2.MARK in weights
    net: maia2.Maia2 | maia3.Maia3
    try:
        expect(known)
        net = maia3.read_maia3(weights) if maia3.MARK in weights else maia2.read_maia2(weights)
    except (ValueError, LookupError, ArithmeticError):
        what = "has other layers than theirs" if known else "is not of Maia-2 or Maia-3"
        raise NetworkError(
            f"the network in {path} {what}; give Maia-3 of 3M to 79M, as the package maia3-runtime "
            "0.1.0 loads it, or Maia-2, as maia2 0.11.0 does"
        ) from None
    shared = [x for name, x in weights.items() if not name.endswith("self_attn.gab_weight")]
    count = sum(x.size for x in shared)
    return Checkpoint(net, count, hashlib.sha256(data).hexdigest())


def card_of(found: Checkpoint, name: str, command: str = "") -> Card:
    """Return the card of a network read from a file of that name."""
    net, millions = found.net, f"{found.parameters / 1e6:.0f} million parameters"
    speed = next((x for x, digest in MAIA2.items() if digest == found.digest), None)
    if isinstance(net, maia3.Maia3):
        told, scale, licence = f"Maia-3 of {millions} (Monroe et al. 2026)", "rapid", UNKNOWN
        planes, shape, knots = PLANES3, MAIA3_PLANES, maia3.KNOTS
        blocks, channels = len(net.blocks), len(net.tokens)
    else:
        scale = speed or ("blitz" if "blitz" in name.lower() else "rapid")
        told, licence = f"Maia-2 of {millions} (Tang et al. 2024)", "MIT" if speed else UNKNOWN
        planes, shape, knots = PLANES2, MAIA2_PLANES, maia2.KNOTS
        blocks, channels = len(net.residual) + len(net.blocks), len(net.stem.bias)
    return Card(
        game="chess",
        shape=(shape, 8, 8),
        planes=planes,
        actions=MOVES,
        blocks=blocks,
        channels=channels,
        command=command,
        licence=licence,
        scales=[f"lichess-{scale}"],
        knots=list(knots),
        both_ratings=True,
        notes=f"imported from {name} (SHA-256 {found.digest}), {told}",
        torch=False,
    )
