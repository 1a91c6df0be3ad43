"""Networks of other programs where one of ours is expected: imported once, in the user's cache."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from evenmatch.errors import NetworkError
from evenmatch.network.artifact import digest_of, named_path, read_card

if TYPE_CHECKING:
    from evenmatch.network.card import Card

LEELA = (".pb.gz", ".pb")  #: how the names of Leela's weights end
KATAGO = (".bin.gz", ".bin")  #: how the names of KataGo's model files end
TORCH = (".pt", ".pth")  #: how the names of torch's checkpoints end, such as Maia-2's and Maia-3's


def as_artifact(path: Path) -> Path:
    """Return a network's artifact; one is made of weights of Leela, KataGo, Maia-2 or Maia-3.

    A name alone, such as maia-1500, may be that of a network that ships. NetworkError if it cannot
    be.
    """
    if not path.name.endswith(LEELA + KATAGO + TORCH):
        return named_path(path) or path
    from platformdirs import user_cache_path

    try:
        target = user_cache_path("evenmatch") / "networks" / f"{digest_of(path)}.onnx"
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            import_network(path, target)
    except OSError as error:
        raise NetworkError(
            f"cannot use {path} ({error.strerror or error}); check the path"
        ) from None
    return target


def import_network(source: Path, target: Path, half: bool = False) -> Card:
    """Write the artifact of another program's weights; return its card.

    KataGo's and torch's checkpoints are known by their names; any other file is taken for Leela's.

    With `half` weights become float16. The same weights give the same bytes, wherever the files
    lie, so that results that name an artifact's digest hold for every copy. NetworkError as the
    readers raise it, OSError if `target` cannot be written.
    """
    command = _command(source.name, half)
    if source.name.endswith(KATAGO):
        from evenmatch.network.katago.graph import import_katago

        return import_katago(source, target, command, half)
    if source.name.endswith(TORCH):
        from evenmatch.network.maia.checkpoint import import_maia

        return import_maia(source, target, command, half)
    from evenmatch.network.leela.graph import import_leela

    return import_leela(source, target, command, half)


def described(path: Path) -> str:
    """Return a sentence about a network of KataGo's: version, blocks, channels, encoder of people.

    Empty for other networks. NetworkError if the file cannot be used.
    """
    architecture = read_card(as_artifact(path)).architecture
    return f"{path.name} is of {architecture}." if architecture else ""


def _command(name: str, half: bool) -> str:
    """Return the command for a card, with names of files alone."""
    stem = name.removesuffix(".gz").rpartition(".")[0]
    words = ["evenmatch", "network", "import", name, "--out", f"{stem}.onnx"]
    return shlex.join([*words, *["--half"][:half]])


def card_of(path: Path) -> Card:
    """Return the card of an artifact, or of another program's weights. NetworkError."""
    if path.name.endswith(KATAGO):
        from evenmatch.network.katago import graph as katago
        from evenmatch.network.katago.weights import read_katago

        return katago.card_of(read_katago(path), path.name)
    if path.name.endswith(TORCH):
        from evenmatch.network.maia import checkpoint

        return checkpoint.card_of(checkpoint.read_maia(path), path.name)
    if path.name.endswith(LEELA):
        from evenmatch.network.leela import graph as leela
        from evenmatch.network.leela.weights import read_leela

        return leela.card_of(read_leela(path), path.name)
    return read_card(path)
