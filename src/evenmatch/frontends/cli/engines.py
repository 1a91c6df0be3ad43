"""``evenmatch uci`` and ``evenmatch gtp``: what other programs play through."""

from pathlib import Path
from typing import Annotated

import typer

from evenmatch.frontends.cli.program import PLAY, SEEDS, command, whole
from evenmatch.games.catalog import games_by


@command(PLAY)
def uci(
    elo: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Play at a rating, 450 to 2450, unless the program sets another."
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How: pikl (default), human, se, sa or ace; see `evenmatch players`.",
        ),
    ] = None,
    weights: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Another network, such as maia-1500 or a .pb.gz file; at a rating se and sa take "
            "any, human one that knows ratings.",
        ),
    ] = None,
    print_config: Annotated[
        str | None,
        typer.Option(
            metavar="PROGRAM",
            help="Print the entry of this engine for a program's own file: arena, cutechess, "
            "en-croissant, lichess-bot or nibbler.",
        ),
    ] = None,
) -> None:
    """Play in a chess program: talk to it by the Universal Chess Interface.

    Your chess program starts this. It can override these settings by UCI options.
    `evenmatch-uci` is the same, for programs that ask for a file.
    """
    network = _file(weights)
    given = {"UCI_Elo": elo, "Method": method, "WeightsFile": network}
    options: dict[str, bool | int | str] = {}
    if elo is not None or method is not None:
        options["UCI_LimitStrength"] = True
    options |= {name: value for name, value in given.items() if value is not None}
    if print_config is None:
        from evenmatch.frontends.uci import serve

        serve(options)
        return
    from evenmatch.frontends import console
    from evenmatch.frontends.uci.program_configs import config_of

    text, place = config_of(print_config, options)
    print(text)
    console.tell(f"{place}.")


@command(PLAY)
def gtp(
    game: Annotated[
        str,
        typer.Option(
            "--game",
            "-g",
            metavar="GAME",
            help=f"One of {', '.join(games_by('gtp'))}; at Go the program may choose another size.",
        ),
    ] = "go",
    player: Annotated[
        str | None,
        typer.Option(
            "--player",
            metavar="SPEC",
            help="The player; see `evenmatch players`. [dim]\\[default: a search at full "
            "strength][/dim]",
        ),
    ] = None,
    rank: Annotated[
        str | None,
        typer.Option(
            metavar="RANK",
            help="Play Go as people of a rank do, such as 8k or 2d.",
        ),
    ] = None,
    weights: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Another network, such as one of KataGo's .bin.gz."),
    ] = None,
    human_net: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Another network of people's moves, such as KataGo's human one: whose moves "
            "--rank plays, and what kata-raw-human-nn shows.",
        ),
    ] = None,
    visits: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=whole(1, 10**7),
            help="Positions it looks at for a move at full strength. [dim]\\[default: as the "
            "clock says, without one as many as `alphazero`][/dim]",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", "-s", metavar="N", parser=SEEDS, help="Equal seeds, equal moves."),
    ] = None,
    play_on: Annotated[bool, typer.Option("--play-on", help="It never resigns.")] = False,
) -> None:
    """Play in a Go program: talk to it by the Go Text Protocol (GTP, version 2).

    Your Go program starts this. It also analyses, and plays Othello and Connect Four.
    """
    from evenmatch.app.match_level import ranked
    from evenmatch.frontends.gtp import serve

    if rank is not None:
        player, note = ranked(player, rank, game)
        if note:
            from evenmatch.frontends import console

            console.note(note)
    given = {"maxVisits": visits, "searchRandSeed": seed, "allowResignation": not play_on}
    known = {name: value for name, value in given.items() if value is not None}
    serve(game, player=player, weights=_file(weights), people=_file(human_net), **known)


def _file(weights: Path | None) -> str | None:
    """Return the file of a network that is given by its path, or by the name of one that ships."""
    from evenmatch.network.artifact import named_path

    if weights is None:
        return None
    return str(named_path(weights) or weights.resolve())
