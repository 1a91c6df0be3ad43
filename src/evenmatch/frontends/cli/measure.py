"""Commands that measure: match, tournament, bench, experiment."""

from pathlib import Path
from typing import Annotated

import typer

from evenmatch.frontends.cli.program import (
    GAMES,
    MEASURE,
    Cluster,
    GameOption,
    Jobs,
    Json,
    Openings,
    Seed,
    command,
)


@command(MEASURE)
def match(
    a: Annotated[str, typer.Argument(metavar="A", help="Spec of a player, `evenmatch players`.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Spec of the other.")],
    game: GameOption,
    games: Annotated[
        int,
        typer.Option("--games", "-n", metavar="N", parser=GAMES, help="Games, half per side."),
    ] = 100,
    seed: Seed = 0,
    openings: Openings = 0,
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(
            "--sprt",
            metavar="ELO0 ELO1",
            help="Stop early, once it is clear whether A is ELO1 or only ELO0 above B (5% errors; "
            "takes games as independent, those from one opening too).",
        ),
    ] = None,
    jobs: Jobs = None,
    cluster: Cluster = None,
    json: Json = False,
    record: Annotated[
        Path | None,
        typer.Option(
            "--record",
            metavar="FILE",
            help="Write the games to a new file: chess as PGN, Go as SGF, other games as one JSON "
            "object a line; these too if the name ends in .json or .jsonl.",
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Let --record replace a file that exists.")
    ] = False,
) -> None:
    """Let two players play many games and compare them.

    The JSON object tells the score and the Elo difference of A with 95% intervals; an Elo that
    is infinite, as after a clean sweep, is null.
    """
    from evenmatch.frontends.commands import matches

    matches.match(a, b, game, games, seed, openings, sprt, json, record, overwrite, jobs, cluster)


@command(MEASURE)
def tournament(
    specs: Annotated[list[str], typer.Argument(metavar="SPEC SPEC...", help="The players.")],
    game: GameOption,
    games: Annotated[
        int,
        typer.Option("--games", "-n", metavar="N", parser=GAMES, help="Games of each pair."),
    ] = 20,
    seed: Seed = 0,
    openings: Openings = 0,
    anchor: Annotated[
        list[str] | None,
        typer.Option("--anchor", metavar="SPEC=ELO", help="Fix the Elo of a player; repeatable."),
    ] = None,
    jobs: Jobs = None,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Let every two of several players meet; print an Elo table with 95% intervals."""
    from evenmatch.frontends.commands import tournaments

    tournaments.tournament(specs, game, games, seed, openings, anchor or [], json, jobs, cluster)


@command(MEASURE)
def bench(
    json: Json = False,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer and shorter measurements.")] = False,
) -> None:
    """Measure how fast search and networks run on this machine."""
    from evenmatch.frontends.commands import lab

    lab.bench(json, quick)


@command(MEASURE)
def experiment(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Which; leave out to list them.")
    ] = None,
    game: Annotated[
        str | None,
        typer.Option("--game", "-g", metavar="GAME", help="Another game than usual, such as go9."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small run that shows that everything works.")
    ] = False,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder of results, page and plot.")
    ] = Path("docs/results"),
    data: Annotated[
        list[Path],
        typer.Option("--data", metavar="DIR", help="A dataset it shall read; may be given again."),
    ] = [],  # noqa: B006
    net: Annotated[
        list[Path],
        typer.Option(
            "--net", metavar="FILE", help="A network to compare with; may be given again."
        ),
    ] = [],  # noqa: B006
    jobs: Jobs = None,
    cluster: Cluster = None,
    minutes: Annotated[
        float | None,
        typer.Option("--minutes", metavar="N", min=0, help="Begin no part after N minutes."),
    ] = None,
    status: Annotated[
        bool,
        typer.Option("--status", help="Run nothing; say what there is, and what is out of date."),
    ] = False,
    pages: Annotated[
        bool, typer.Option("--pages", help="Run nothing; write pages anew from the results.")
    ] = False,
    json: Json = False,
) -> None:
    """Reproduce a table or figure of a paper, beside the paper's numbers.

    Parts that are done are kept: an interrupted experiment goes on where it stopped.
    """
    from evenmatch.frontends.commands import lab

    if status:
        lab.status(name, game, out, json)
    elif pages:
        lab.pages(name, game, quick, out)
    else:
        lab.experiment(name, game, quick, out, data, net, jobs, cluster, minutes)
