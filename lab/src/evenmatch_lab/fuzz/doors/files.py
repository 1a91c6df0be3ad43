"""An input that is one file of several: its name in a line, then what is in it."""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from evenmatch_lab.fuzz.mutations import mutated

TEXTS = (".json", ".txt", ".tsv", ".jsonl")  #: endings of files of text


def named(name: str, data: bytes) -> bytes:
    """Return a file as an input."""
    return name.encode() + b"\n" + data


def parts(data: bytes) -> tuple[str, bytes]:
    """Return the name of an input's file, and what is in it."""
    name, _, held = data.partition(b"\n")
    return name.decode("utf-8", "replace"), held


def folder_as_inputs(folder: Path) -> list[bytes]:
    """Return each file of a folder as an input."""
    return [named(path.name, path.read_bytes()) for path in sorted(folder.iterdir())]


def file_drawn(
    rng: random.Random, examples: Sequence[bytes], words: Mapping[str, Sequence[bytes]]
) -> bytes:
    """Draw one of the files that examples are, changed; ``words`` by the ending of its name."""
    name, held = parts(rng.choice(examples))
    ending = Path(name).suffix
    others = [data for other, data in map(parts, examples) if Path(other).suffix == ending]
    among = [held] * 9 + others
    return named(name, mutated(rng, among, words.get(ending, ()), text=ending in TEXTS))
