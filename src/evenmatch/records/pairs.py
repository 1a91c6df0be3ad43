"""Pairs of games to distinguish: one of two people, one of a player of their rating with itself.

They ship in ``pairs.json``, with what made them in front. Nothing in them shows who played or when.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

SHIPPED = Path(__file__).with_name("pairs.json")


@dataclass(frozen=True)
class PairedGame:
    """A game as far as it is shown."""

    id: str
    moves: tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    """A game of people of a class, and one of a player."""

    id: str
    label: str  #: of the class, such as B
    lowest: int  #: rating of the class ...
    width: int  #: ... and how many follow
    player: str  #: spec
    people: PairedGame
    program: PairedGame

    @property
    def games(self) -> tuple[PairedGame, PairedGame]:
        """Both games."""
        return self.people, self.program


@dataclass(frozen=True)
class Pairs:
    """All pairs that ship."""

    game: str  #: its id
    scale: str  #: of the ratings, such as lichess-rapid
    networks: tuple[str, ...]  #: digests of those that the players used
    by_id: dict[str, Pair]

    @classmethod
    def read(cls, path: Path) -> "Pairs":
        """Return the pairs of a file."""
        found = json.loads(path.read_text(encoding="utf-8"))
        pairs = [_pair(one) for one in found["pairs"]]
        by_id, networks = {pair.id: pair for pair in pairs}, tuple(found["networks"])
        return cls(found["game"], found["scale"], networks, by_id)


@cache
def shipped_pairs() -> Pairs:
    """Return the pairs that ship."""
    return Pairs.read(SHIPPED)


def as_text(made: dict[str, Any], pairs: list[Pair]) -> str:
    """Return the text of a file of pairs, a line each; ``made`` says what they are."""
    head = json.dumps(made, indent=1)[:-2]
    rows = ",\n".join(json.dumps(_row(pair)) for pair in pairs)
    return f'{head},\n "pairs": [\n{rows}\n]}}\n'


def _row(pair: Pair) -> dict[str, Any]:
    return vars(pair) | {"people": _game_row(pair.people), "program": _game_row(pair.program)}


def _game_row(game: PairedGame) -> dict[str, str]:
    return {"id": game.id, "moves": " ".join(game.moves)}


def _pair(row: dict[str, Any]) -> Pair:
    return Pair(**row | {"people": _game(row["people"]), "program": _game(row["program"])})


def _game(row: dict[str, str]) -> PairedGame:
    return PairedGame(row["id"], tuple(row["moves"].split()))
