"""Doors of networks: our artifacts with their cards, weights of Leela and KataGo."""

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from evenmatch.games import get_game
from evenmatch.network.artifact import CARD_KEY, DIGEST_KEY, read_card
from evenmatch.network.eight_bits import ranges_path, write_ranges
from evenmatch.network.imported import card_of, import_network
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.network.leela import protobuf
from evenmatch.workshop.networks.range_finding import find_ranges
from evenmatch_lab.fuzz.door import Door
from evenmatch_lab.fuzz.mutations import mutated
from evenmatch_lab.fuzz.packing import wrongly_packed
from evenmatch_lab.fuzz.small_networks import chess_network, go_network, katago_file, leela_file

GRAPH, METADATA = 7, 14  #: fields of a model in ONNX
CARD_WORDS = (
    b'"game"', b'"chess"', b'"go"', b'"connect4"', b'"shape"', b"[112, 8, 8]", b"[41, 0, 0]", b"[]",
    b"null", b"{}", b'""', b"true", b"-1", b"NaN", b"1e400", b'"scales"', b'"lichess-rapid"',
    b'"knots"',
    b"[1000, 2000]", b'"ranks"', b'"torch"', b'"strength"', b'"variant"', b'{"komi": 7}', b"[[[]]]",
    b'"\\ud800"', b'"planes"', b'"actions"', b'"blocks"', b'"channels"',
)  # fmt: skip
PART_OF_LAYERS = (
    b"\x1a",
    b"\x20\x05",
    b"\x20\x02",
    b"\x20\x03",
    b"\x20\x04",
    b"\xff" * 9 + b"\x01",
)
WORDS_OF_LAYERS = (b"@BIN@", b"ordinary_block", b"gpool_block", b"8", b"22", b"19", b"1", b"nan")
BOMB = 500  #: MB that a small file of weights may unpack to


def fields_of(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the fields of a model."""
    return protobuf.fields(data)


def sealed(data: bytes, change: Callable[[int, bytes], bytes]) -> bytes:
    """Return an artifact whose graph or metadata is changed, with the digest that it has then.

    ``change`` is given the graph (7), the card (14) and whatever else is there.
    """
    fields, digest = [], ""
    for number, value in fields_of(data):
        if isinstance(value, bytes) and number == GRAPH:
            value = change(GRAPH, value)
            digest = hashlib.sha256(value).hexdigest()
        fields.append((number, value))
    out = []
    for number, value in fields:
        if number == METADATA and isinstance(value, bytes):
            key, told = (dict(protobuf.blobs(value))[n] for n in (1, 2))
            if key.decode() == DIGEST_KEY:
                told = digest.encode()
            elif key.decode() == CARD_KEY:
                told = change(METADATA, told)
            value = protobuf.field(1, key) + protobuf.field(2, told)
        out.append(protobuf.field(number, value))
    return b"".join(out)


def onnx_drawn(rng: random.Random, examples: Sequence[bytes]) -> bytes:
    """Draw a file: mostly one with another card or graph, and the digest of that."""
    chance = rng.random()
    if chance < 0.2:
        return mutated(rng, examples, text=False)
    changed = METADATA if chance < 0.8 else GRAPH

    def change(part: int, data: bytes) -> bytes:
        if part != changed:
            return data
        return mutated(rng, [data], CARD_WORDS, text=part == METADATA)

    return sealed(rng.choice(examples), change)


def onnx(folder: Path) -> Callable[[bytes], bool]:
    """Open the door of artifacts: the card is read, and the network judges a position."""
    path = folder / "drawn.onnx"
    games = [get_game(name) for name in ("chess", "go9")]

    def take(data: bytes) -> bool:
        path.write_bytes(data)
        card = read_card(path)
        game = games[card.game != "chess"]
        network = NetworkEvaluator(path, game, sizes=(1,), threads=1)
        network.evaluate(game.as_roots(game.initial()))
        return True

    return take


def onnx_examples(folder: Path) -> list[bytes]:
    """Return artifacts of chess and Go."""
    return [made(folder).read_bytes() for made in (chess_network, go_network)]


def leela_drawn(rng: random.Random, examples: Sequence[bytes]) -> bytes:
    """Draw weights, mostly gzipped as they are."""
    data = mutated(rng, examples, PART_OF_LAYERS, text=False)
    return wrongly_packed(rng, data, ("gz", "gz", "gz", ""), BOMB)


def katago_drawn(rng: random.Random, examples: Sequence[bytes]) -> bytes:
    """Draw a model file, mostly gzipped as it is."""
    data = mutated(rng, examples, WORDS_OF_LAYERS, text=rng.random() < 0.6)
    return wrongly_packed(rng, data, ("gz", "gz", "gz", ""), BOMB)


def weights(name: str) -> Callable[[Path], Callable[[bytes], bool]]:
    """Return what opens the door of weights: they become an artifact with a card."""

    def opened(folder: Path) -> Callable[[bytes], bool]:
        source, target = folder / name, folder / "made.onnx"

        def take(data: bytes) -> bool:
            source.write_bytes(data)
            card_of(source)
            import_network(source, target)
            read_card(target)
            return True

        return take

    return opened


def ranges(folder: Path) -> Callable[[bytes], bool]:
    """Open the door of ranges beside a network, which judges a position in eight bits."""
    game, path = get_game("chess"), chess_network(folder)

    def take(data: bytes) -> bool:
        ranges_path(path).write_bytes(data)
        network = NetworkEvaluator(path, game, precision="int8", sizes=(1,), threads=1)
        network.evaluate(game.as_roots(game.initial()))
        return True

    return take


def ranges_examples(folder: Path) -> list[bytes]:
    """Return the ranges of that network."""
    path = chess_network(folder)
    found = find_ranges(path, get_game("chess"), get_game("chess").initial())
    return [write_ranges(path, found, {"seed": 0}).read_bytes()]


def ranges_drawn(rng: random.Random, examples: Sequence[bytes]) -> bytes:
    """Draw a file of ranges."""
    return mutated(rng, examples, CARD_WORDS, text=True)


DOORS = [
    Door("onnx", "networks of ours, with their cards", onnx_drawn, onnx_examples, onnx),
    Door(
        "leela", "weights of Leela", leela_drawn,
        lambda folder: [leela_file(), leela_file(False, False)], weights("drawn.pb.gz"),
    ),
    Door(
        "katago", "weights of KataGo", katago_drawn,
        lambda folder: [katago_file()], weights("drawn.bin.gz"),
    ),
    Door(
        "ranges", "ranges of layers, for eight bits", ranges_drawn, ranges_examples, ranges,
    ),
]  # fmt: skip
