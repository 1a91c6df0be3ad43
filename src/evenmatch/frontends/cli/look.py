"""Commands that look up: games, players."""

from typing import Annotated

import typer

from evenmatch.frontends.cli.program import LOOK, Json, command


@command(LOOK)
def games(json: Json = False) -> None:
    """List the games."""
    from evenmatch.frontends.commands import tables

    tables.games(json)


@command(LOOK)
def players(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Players whose keys to list.", show_default=False),
    ] = None,
    json: Json = False,
) -> None:
    """List the players, or the keys of their specs: [cyan]name:key=value,...[/cyan]"""
    from evenmatch.frontends.commands import tables

    tables.players(names or [], json)
