"""Make a network artifact, ONNX with a card, of a network in Leela's format."""

from __future__ import annotations

from pathlib import Path

from onnx import GraphProto

from evenmatch.network.artifact import KEEP_NAMES, write_graph
from evenmatch.network.card import Card
from evenmatch.network.foreign import Affine
from evenmatch.network.leela.policy_planes import MOVES, gather_indices
from evenmatch.network.leela.weights import (
    INPUT_PLANES,
    SQUARES,
    Block,
    LeelaNet,
    read_leela,
)
from evenmatch.network.onnx_graph import Graph

UNKNOWN = "unknown; see where the file comes from"
#: SHA-256 of the files of Maia-1 (McIlroy-Young et al. 2020), https://github.com/CSSLab/maia-chess,
#: by the rating of the people whose moves each learned. Their project has them under GPL-3.0.
MAIA = {
    1100: "e1cf1cd0c96b8a4fa6a275f4b9fd54ed1ffebf9fe44641b9fceded310e9619c4",
    1200: "ead4ba953f233ae732999ebc1e2b675378148527ebcfad2f0acbc5e4c224d98e",
    1300: "36195f87bf4761834baa0bf87472b18509a7261a9d7d6f1a8443261369a733f2",
    1400: "d5353ea6766356dad2d28920c6692f37a5f30963767f1a3105d33b4d0af011e8",
    1500: "35ab6f20421d59e1df3b17c5a5016947af4c6761368ef84044a9a9c7619a9a00",
    1600: "d2c9e5948581acf4b9fc0b1e720c5dc0fe64ce80cfc4a239d3f8a42e1176c876",
    1700: "d277eacd792d340a30abb464dc65127254e65cac57abca17facc469889b96478",
    1800: "0031ad7c4256b1fd09fbebd28418d644d68b26cd2a45df4967ccf5c7ec9c4965",
    1900: "e2f565f42d7cd9f122557e6dc4eb84e5bbaedceda1d404dc485d3611c7c97a12",
}
PLANES = (
    "8 positions, the latest first, of 13 planes (own P N B R Q K, theirs, repeated); castling own "
    "queenside and kingside, theirs; black to move; plies without progress; zeros; ones"
)


def import_leela(
    source: str | Path, target: str | Path, command: str = "", half: bool = False
) -> Card:
    """Write the artifact of a Leela weights file; return its card.

    Weights stay float32: evaluated in float32, logits are the format's to about 3e-5; or they
    become float16 in half the space. `command` is noted in the card. Raises NetworkError as
    `read_leela` does, OSError if `target` cannot be written.
    """
    net = read_leela(source)
    card = card_of(net, Path(source).name, command)
    write_graph(graph_of(net, half), card, target)
    return card


def card_of(net: LeelaNet, name: str, command: str = "") -> Card:
    """Return the card of a network read from a file of that name."""
    licence, parts = net.licence, [f"imported from {name} (SHA-256 {net.digest})"]
    for rating, digest in MAIA.items():
        if net.digest == digest:
            licence = "GPL-3.0"
            parts.append(f"Maia-{rating} of McIlroy-Young et al. 2020")
    parts += [f"{net.steps} training steps"] if net.steps else []
    return Card(
        game="chess",
        shape=(INPUT_PLANES, 8, 8),
        planes=PLANES,
        actions=MOVES,
        blocks=len(net.blocks),
        channels=len(net.stem.bias),
        command=command,
        licence=licence or UNKNOWN,
        notes="; ".join(parts),
        torch=False,
    )


def graph_of(net: LeelaNet, half: bool = False) -> GraphProto:
    """Return the ONNX graph: inputs and outputs as in `artifact`."""
    g = Graph(half)
    x = g.relu(g.affine("planes", *net.stem, "stem"))
    for i, block in enumerate(net.blocks):
        x = _block(g, x, block, f"blocks.{i}")
    keep = (_policy_head(g, x, net), *_value_head(g, x, net))
    inputs: dict[str, tuple[int | str, ...]] = {"planes": (INPUT_PLANES, 8, 8)}
    inputs |= {name: (size,) for name, size in zip(KEEP_NAMES, keep, strict=True)}
    outputs: dict[str, tuple[int | str, ...]] = {"policy": (MOVES,), "value": ()}
    outputs |= {"wdl": (3,)} if len(net.value_out.bias) == 3 else {}
    return g.serialize("evenmatch-chess", inputs, outputs)


def _block(g: Graph, x: str, block: Block, name: str) -> str:
    y = g.relu(g.affine(x, *block.first, f"{name}.first"))
    y = g.affine(y, *block.second, f"{name}.second")
    if block.excitation:
        y = g.excited(y, excitation_layers(*block.excitation), name)
    return g.relu(g.node("Add", x, y, name=name))


def excitation_layers(squeeze: Affine, expand: Affine) -> dict[str, Affine]:
    """The three layers of an excitation; Leela keeps scale and shift as one."""
    half = len(expand.bias) // 2
    scale = Affine(expand.weight[:half], expand.bias[:half])
    return {
        "squeeze": squeeze,
        "scale": scale,
        "shift": Affine(expand.weight[half:], expand.bias[half:]),
    }


def _policy_head(g: Graph, x: str, net: LeelaNet) -> int:
    """Add the policy; return F of its keep-mask, which stands before the last layer."""
    first, last = net.policy
    p = g.flat(g.relu(g.affine(x, *first, "policy_conv")))
    p = g.node("Mul", p, "keep_policy", name="policy_kept")
    if last.weight.ndim == 2:
        g.node("Identity", g.affine(p, *last, "policy_out"), name="policy")
    else:
        p = g.affine(g.on_board(p, len(first.bias), "policy_board"), *last, "policy_out")
        g.chess_moves(p, gather_indices(), "policy")
    return len(first.bias) * SQUARES


def _value_head(g: Graph, x: str, net: LeelaNet) -> tuple[int, int]:
    """Add the value; return F of its two keep-masks, which stand before the dense layers."""
    v = g.flat(g.relu(g.affine(x, *net.value, "value_conv")))
    v = g.node("Mul", v, "keep_value", name="value_kept")
    v = g.relu(g.affine(v, *net.value_hidden, "value_hidden"))
    v = g.node("Mul", v, "keep_hidden", name="hidden_kept")
    v = g.affine(v, *net.value_out, "value_out")
    if len(net.value_out.bias) == 3:
        wdl = g.node("Softmax", v, name="wdl", axis=1)
        win, loss = g.column(wdl, 0, "win"), g.column(wdl, 2, "loss")
        g.node("Sub", win, loss, name="value")  # not a MatMul, which would round both to bfloat16
    else:
        g.node("Tanh", g.column(v, 0, "value_column"), name="value")
    return net.value_hidden.weight.shape[1], len(net.value_hidden.bias)
