"""A network as one file: an ONNX graph with its card (what it is, how it was made) in the metadata.

The file is read with numpy-free standard-library code, and its graph checked before any program
runs it: a file from elsewhere may be made to harm, by names of other files to be read or tensors
that fill the memory. Only what our own writers use is let through. `workshop.networks.export`
writes the artifact of a torch module.

Graph inputs:  planes [B, C, H, W], keep_policy / keep_value / keep_hidden [B, F], and conditions
[B, K] if the policy is conditioned on the mover's rating, or on both players' (`conditions`), all
float32.
Graph outputs: policy [B, A] logits, value [B] for the side to move, beta [B] and strength [B, n],
beta first, if there is a strength head, wdl [B, 3], chances of a win, draw and loss for the side to
move, if the value is made of them, and of games with a score lead [B], points that the side to
move will be ahead, and ownership [B, H*W], 1 a point of its own and -1 of the opponent's. KataGo's
have two more: optimistic [B, A], logits of a policy that hopes for the better outcome, and details
[B, 5], mean and mean square of the final score (0 without result), the variance of the time left,
and the errors that value and score are expected to have, -1 where a network has none.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from evenmatch.errors import NetworkError
from evenmatch.files import read_bounded, replacing
from evenmatch.games.catalog import CATALOG, game_info
from evenmatch.network import protobuf
from evenmatch.network.card import Card
from evenmatch.network.protobuf import Message, fields

if TYPE_CHECKING:
    from onnx import GraphProto

KEEP_NAMES = ("keep_policy", "keep_value", "keep_hidden")
CONDITIONS = "conditions"
OPTIMISTIC, DETAILS = "optimistic", "details"  #: outputs that no search asks for
CARD_KEY, CONFIG_KEY, DIGEST_KEY = "evenmatch.card", "evenmatch.config", "evenmatch.graph_sha256"

SHIPPED: dict[str, str] = {info.game: info.network for info in CATALOG.values() if info.network}
"""Game id -> file name under `evenmatch/nets/`."""


def shipped_path(game_id: str, family: str = "") -> Path:
    """The network file that comes with evenmatch for a game. Raises NetworkError if none.

    A game without one may use that of its ``family``: a board of another size, of a network that
    serves every size.
    """
    game_id = game_id if game_id in SHIPPED or family not in SHIPPED else family
    if game_id not in SHIPPED:
        raise NetworkError(
            f"no network ships for {game_id!r} (shipped: {', '.join(SHIPPED)}); "
            "train one with `evenmatch train` (for chess, `evenmatch network import` brings one) "
            "and name it: net=FILE"
        )
    path = Path(__file__).parent.parent / "nets" / SHIPPED[game_id]
    if not path.is_file():
        raise NetworkError(f"shipped network {path} is missing; reinstall evenmatch to restore it")
    return path


def human_policy_path(game_id: str) -> str | None:
    """Return the file of the network of people's moves, where it is not the game's own."""
    people = game_info(game_id).people_network
    return str(Path(__file__).parent.parent / "nets" / people) if people else None


def rated_policy_path(game_id: str) -> str | None:
    """Return the network file that predicts people's moves best; None: the game's own."""
    mixture = game_info(game_id).mixture_network
    if mixture is None:
        return human_policy_path(game_id)
    return str(Path(__file__).parent.parent / "nets" / f"{mixture}.onnx")


def named_path(path: Path) -> Path | None:
    """Return the network that ships under this name, such as maia-1500; not a game's own.

    None if none does, or if a file of that name is here.
    """
    known = any(str(path) in (*x.extra_networks, x.mixture_network) for x in CATALOG.values())
    if not known or path.exists():
        return None
    return Path(__file__).parent.parent / "nets" / f"{path}.onnx"


def digest_of(path: str | Path) -> str:
    """Return half of the SHA-256 of a network's file: what was found belongs to one network."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:32]


def graph_digest(path: str | Path) -> str:
    """Return half of the SHA-256 of a network alone, without its card. NetworkError."""
    return metadata(Path(path))[DIGEST_KEY][:32]


def metadata(path: Path) -> dict[str, str]:
    """`metadata_props` of an ONNX file, checked against the graph's digest. Raises NetworkError.

    The graph is one that may be run: see `graph_check`.
    """
    props: dict[str, str] = {}
    digest, graph = "", b""
    try:
        for number, payload in protobuf.blobs(read_bounded(path, LARGEST)):
            if number == 7:  # ModelProto.graph
                digest, graph = hashlib.sha256(payload).hexdigest(), payload
            elif number in (20, 25):  # ModelProto.training_info, functions
                raise ValueError
            elif number == 14:  # ModelProto.metadata_props: key = 1, value = 2
                entry = dict(protobuf.blobs(payload))
                props[entry[1].decode()] = entry.get(2, b"").decode()
    except FileNotFoundError:
        raise NetworkError(f"no network file {path}; check the path") from None
    except OSError as error:
        reason = error.strerror or error
        raise NetworkError(f"cannot read network {path} ({reason}); check the path") from None
    except (ValueError, KeyError):
        makers = {".pb.gz": "Leela", ".bin.gz": "KataGo", ".pt": "torch"}
        maker = next((makers[end] for end in makers if path.name.endswith(end)), None)
        if maker:
            raise NetworkError(
                f"{path} is in {maker}'s format; `evenmatch network import` makes a network of it"
            ) from None
        raise NetworkError(
            f"{path} is not a network, or is damaged; check the path, or download it again"
        ) from None
    if CARD_KEY not in props:
        raise NetworkError(
            f"{path} has no evenmatch card; make networks by `evenmatch train` or `network import`"
        )
    if props.get(DIGEST_KEY) != digest:
        raise NetworkError(f"network {path} is corrupt; download or export it again")
    try:
        check_graph(graph)
    except ValueError as error:
        raise NetworkError(
            f"network {path} is refused because it has {error}; make networks by `evenmatch "
            "train` or `network import`"
        ) from None
    return props


def read_card(path: str | Path) -> Card:
    """The card of an artifact; needs neither onnx nor torch.

    Raises NetworkError if the file is missing, corrupt (its SHA-256 is checked) or not ours.
    """
    try:
        return Card.from_json(metadata(Path(path))[CARD_KEY])
    except ValueError:
        raise NetworkError(f"the card of {path} cannot be read; export the network again") from None


def read_graph(path: str | Path) -> GraphProto:
    """Return the graph of an artifact, which is one that may be run. NetworkError."""
    import onnx

    metadata(Path(path))  # refuses damaged and foreign files
    return onnx.load(path, load_external_data=False).graph


def write_graph(
    graph: GraphProto, card: Card, path: str | Path, extra: Mapping[str, str] | None = None
) -> None:
    """Write a graph with its card and `extra` metadata, as `write_artifact` does."""
    from evenmatch.network import onnx_graph

    path, digest = Path(path), hashlib.sha256(graph.SerializeToString()).hexdigest()
    described = asdict(card)
    if not card.both_ratings:
        del described[
            "both_ratings"
        ]  # results name artifacts by their bytes, which so stay the same
    properties = {CARD_KEY: json.dumps(described), DIGEST_KEY: digest, **(extra or {})}
    data = onnx_graph.model(graph, properties)
    with replacing(path) as partial:
        partial.write_bytes(data)


LARGEST = 1 << 30  #: bytes of a file; the largest networks of Go have a third of it
SIZES = {1: 4, 3: 1, 7: 8, 10: 2}  #: bytes by TensorProto.DataType: float32, int8, int64, float16
OPERATORS = {
    "Add", "Cast", "Concat", "Conv", "Cos", "Div", "Erf", "Flatten", "Gather", "Gemm",
    "GlobalAveragePool", "GlobalMaxPool", "Identity", "LayerNormalization", "MatMul", "Mul",
    "ReduceMean", "ReduceProd", "Relu", "Reshape", "Shape", "Sigmoid", "Sin", "Slice", "Softmax",
    "Softplus", "Sqrt",
    "Squeeze", "Sub", "Tanh", "Transpose", "Unsqueeze",
}  # fmt: skip
NODE, CONSTANT, SPARSE, QUANTIZED = 1, 5, 15, 14  #: fields of GraphProto
TENSOR_FIELDS = {1, 2, 8, 9}  #: dims, data_type, name, raw_data
ATTRIBUTE, DOMAIN = 5, 7  #: fields of NodeProto
TENSORS_WITHIN = {5, 6, 10, 11, 22, 23}  #: fields of AttributeProto with tensors or graphs


def check_graph(graph: bytes) -> None:
    """Raise ValueError, which says what is wrong, unless a serialized graph is like ours."""
    for number, value in fields(graph):
        if number in (SPARSE, QUANTIZED):
            raise ValueError("constants of another kind")
        if number in (NODE, CONSTANT):
            if not isinstance(value, bytes):
                raise ValueError("no graph")
            (_check_node if number == NODE else _check_constant)(value)


def _check_constant(tensor: bytes) -> None:
    message = Message(tensor)
    if not set(message) <= TENSOR_FIELDS:
        raise ValueError("weights that are not in it")
    size = SIZES.get(message.integer(2))
    if size is None:
        raise ValueError("weights of another type")
    if size * math.prod(message.integers(1)) != len(message.raw(9)):
        raise ValueError("weights of another size than it says")


def _check_node(node: bytes) -> None:
    message = Message(node)
    operator = message.raw(4).decode()
    if operator not in OPERATORS or DOMAIN in message:
        raise ValueError(f"the operator {operator[:20]!r}")
    if any(TENSORS_WITHIN & set(one) for one in message.messages(ATTRIBUTE)):
        raise ValueError("an operator with tensors of its own")
