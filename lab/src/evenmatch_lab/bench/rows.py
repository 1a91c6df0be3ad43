"""Rows of results, and how much is measured for them."""

import platform
from dataclasses import dataclass, replace
from typing import Any

from evenmatch.network.processor import machine

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much is measured."""

    batches: tuple[int, ...]  #: trees searched side by side
    simulations: int  #: per tree
    many_simulations: int  #: per tree, in a second comparison with mctx
    repetitions: int  #: medians are taken over these
    seconds: float  #: each repetition takes at least this long
    memory: tuple[int, int]  #: trees and nodes of the forest whose memory is measured
    games: int | None = None  #: games of self-play side by side; None: those of the preset
    plies: int = 4  #: plies of all games in a repetition of self-play
    points: int = 361  #: of the largest board of Go whose self-play is measured
    roots: int = 16  #: positions searched at least, one batch of trees after another
    mixed: int = 8  #: rounds of self-play before it is measured
    rounds: int = 100  #: through the rules, in a call
    gnugo_games: int = 10_000  #: of a move of GNU Go's
    sgf_games: int = 300  #: games of Go that another reader of SGF reads; ours reads ten times more

    @property
    def largest(self) -> int:
        """The largest batch."""
        return self.batches[-1]

    @property
    def lighter(self) -> "Size":
        """As much for a network that is twenty times slower: fewer simulations, trees and games."""
        return replace(
            self,
            batches=tuple(batch for batch in self.batches if batch <= 64),
            simulations=max(8, self.simulations // 10),
            games=min(self.games or 32, 32),
            plies=1,
        )


FULL = Size(
    batches=(1, 8, 64, 256),
    simulations=200,
    many_simulations=800,
    repetitions=5,
    seconds=0.5,
    memory=(256, 400),
)
QUICK = Size(
    batches=(1, 8),
    simulations=8,
    many_simulations=16,
    repetitions=1,
    seconds=0.01,
    memory=(8, 50),
    games=8,
    plies=1,
    points=81,
    roots=1,
    mixed=1,
    rounds=2,
    gnugo_games=100,
    sgf_games=5,
)


def row(
    benchmark: str,
    game: str,
    batch: int,
    rate: float | None = None,
    *,
    share: float | None = None,
    ratio: float | None = None,
    peer: str | None = None,
    peer_rate: float | None = None,
    note: str = "",
    **more: Any,
) -> Row:
    """Return one row; None stands for what was not, or could not be, measured."""
    return {
        "benchmark": benchmark,
        "game": game,
        "batch": batch,
        "evaluations_per_second": significant(rate),
        "network_share": significant(share),
        "ratio": significant(ratio),
        "peer": peer,
        "peer_evaluations_per_second": significant(peer_rate),
        "note": note,
        "machine": f"{machine()}, Python {platform.python_version()}",
        **more,
    }


HEADS = ("benchmark", "game", "batch", "per second", "network", "ratio", "to", "note")
NUMBERS = HEADS[2:6]  #: set to the right


def cells(line: Row) -> list[str]:
    """Return a row as texts for people, one for each of ``HEADS``."""
    rate, share, ratio = (line[k] for k in ("evaluations_per_second", "network_share", "ratio"))
    peer = line["peer"] or ""
    if line["peer_evaluations_per_second"] is not None:
        peer += f" ({line['peer_evaluations_per_second']:,.0f})"
    return [
        line["benchmark"],
        line["game"],
        str(line["batch"]),
        f"{line['bytes'] / 1e6:.1f} MB" if "bytes" in line else written(rate, ",.0f"),
        written(share, ".1%"),
        written(ratio, ".3g"),
        peer,
        line["note"],
    ]


def written(number: float | None, style: str) -> str:
    """Return a number in a format, nothing for None."""
    return "" if number is None else format(number, style)


def significant(number: float | None, digits: int = 4) -> float | None:
    """Round to significant digits."""
    return None if number is None else float(f"{number:.{digits}g}")
