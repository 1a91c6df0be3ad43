"""``doors()``, the table of all doors; each module here has some."""

from functools import cache

from evenmatch.errors import UsageError
from evenmatch_lab.fuzz.door import Door

NAMES = (
    "uci", "gtp", "pgn", "sgf", "fen", "spec", "onnx", "leela", "katago",
    "ranges", "dataset", "state",
)  # fmt: skip


@cache
def doors() -> dict[str, Door]:
    """Return the doors by name."""
    from evenmatch_lab.fuzz.doors import chats, datasets, state, texts, weights

    parts = (chats.DOORS, texts.DOORS, weights.DOORS, datasets.DOORS, state.DOORS)
    return {door.name: door for part in parts for door in part}


def door_named(name: str) -> Door:
    """Return the door of that name; UsageError lists them."""
    if name not in doors():
        raise UsageError(f"no door {name!r}; choose some of: {', '.join(doors())}")
    return doors()[name]
