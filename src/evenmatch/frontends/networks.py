"""``evenmatch network``: import networks of other programs, show what a network is."""

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from evenmatch.errors import NetworkError
from evenmatch.frontends import console
from evenmatch.network.artifact import SHIPPED, Card, read_card, shipped_path
from evenmatch.network.imported import LEELA

COUNTS = ("games", "positions")  #: fields of a card that say nothing as 0


def bring(source: Path, out: Path, arguments: Sequence[str]) -> None:
    """Import a network; ``arguments`` are the command line's, for the network's card."""
    from evenmatch.network.lc0_graph import import_leela

    if out.exists() and source.exists() and out.samefile(source):
        raise NetworkError(f"{out} is the file to be read; choose another --out")
    try:
        card = import_leela(source, out, shlex.join(["evenmatch", *arguments]))
    except OSError as error:
        reason = error.strerror or error
        raise NetworkError(f"cannot write {out} ({reason}); choose another --out") from None
    size = f"{card.blocks} blocks of {card.channels} channels"
    console.output().print(f"{out}: {card.game}, {size}", markup=False, soft_wrap=True)


def info(name: str, as_json: bool) -> None:
    """Show the card of a file, or of a network that ships."""
    card = asdict(_card(name))
    if as_json:
        console.print_json(card)
        return
    out = console.output()
    table = console.table()
    table.add_column("", style="bold", no_wrap=True)
    table.add_column("", overflow="fold")
    for key, value in card.items():
        if value not in ("", None, {}) and (value or key not in COUNTS):
            table.add_row(key, _written(value))
    table.show_header = False
    out.print(table)


def fit(
    folder: Path, out: Path, net: Path | None, maia: Path | None, arguments: Sequence[str]
) -> None:
    """Fit an estimator and targets to a dataset; ``arguments`` are noted in the estimator."""
    from evenmatch.estimation import fitting
    from evenmatch.frontends.estimates import maia_weights
    from evenmatch.frontends.progress import Line, move_columns

    policies = maia_weights(maia) if maia else []
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise NetworkError(f"cannot write to {out} ({reason}); choose another --out") from None
    with Line("rating moves", *move_columns()) as line:
        files = fitting.fit(
            folder,
            net or shipped_path("chess"),
            out,
            policies=policies,
            command=shlex.join(["evenmatch", *arguments]),
            progress=lambda done, due: line.show(completed=done, total=due),
        )
    for path in files:
        console.output().print(str(path), markup=False, soft_wrap=True)


def _card(name: str) -> Card:
    path = Path(name)
    if name.lower() in SHIPPED and not path.exists():
        path = shipped_path(name.lower())
    if name.endswith(LEELA):
        from evenmatch.network.lc0 import read_leela
        from evenmatch.network.lc0_graph import card_of

        return card_of(read_leela(path), path.name)
    return read_card(path)


def _written(value: object) -> str:
    """Write a field of a card; measured strengths one a line. Brackets are no markup."""
    from rich.markup import escape

    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return escape("\n".join(f"{key}: {entry}" for key, entry in value.items()))
    if isinstance(value, list | tuple):
        return " x ".join(map(str, value))
    return escape(f"{value:,}" if isinstance(value, int) else str(value))
