"""The command line. Commands import what they need when they run, so that --help is quick."""

from pathlib import Path
from typing import Annotated

import typer

from evenmatch.domains import SOURCES, games_by
from evenmatch.frontends.app import (
    GAMES,
    LOOK,
    MEASURE,
    PLAY,
    SEEDS,
    Cluster,
    GameName,
    GameOption,
    Jobs,
    Json,
    Openings,
    Seed,
    app,
    command,
    main,
)
from evenmatch.frontends.option_types import number, whole


@command(PLAY)
def play(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME",
            help="Such as [cyan]othello[/cyan], see `evenmatch games`; or an unfinished game, such "
            "as [cyan]othello-1[/cyan], see --saved.",
            show_default=False,
        ),
    ] = None,
    opponent: Annotated[
        str | None,
        typer.Option(
            "--opponent",
            "-o",
            metavar="SPEC",
            help="Who plays against you; see `evenmatch players`. [dim]\\[default: even, "
            "which evens out; at chess, and at Go once it is known, at your level][/dim]",
        ),
    ] = None,
    elo: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            parser=number,
            help="A rating to play against: 700 to 2500 at chess; at Connect Four and Othello as "
            "`evenmatch calibrate` measured it.",
        ),
    ] = None,
    rank: Annotated[
        str | None,
        typer.Option(
            metavar="RANK",
            help="At Go: a rank to play against, such as 8k or 2d.",
        ),
    ] = None,
    i_am: Annotated[
        str | None,
        typer.Option(
            "--i-am",
            metavar="LEVEL",
            help="How strong you are, until your games tell: 1200, 8k, beginner, club.",
        ),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            parser=number,
            help="The share of points to expect; not at Go. [dim]\\[default: 0.5][/dim]",
        ),
    ] = None,
    place: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="SIDE",
            help="Your side: first or second, or its colour. [dim]\\[default: first, or who is to "
            "move in a position][/dim]",
        ),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(
            metavar="M+S", help="Play by a clock: minutes, and seconds added for a move, as 5+3."
        ),
    ] = None,
    pace: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            parser=number,
            help="How long the opponent takes for a move, on average; 0 for no longer than it "
            "needs. [dim]\\[default: 3 at a rating in a terminal, else 0][/dim]",
        ),
    ] = None,
    play_on: Annotated[bool, typer.Option("--play-on", help="The opponent never resigns.")] = False,
    handicap: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=whole(0, 1000),
            help="At Go: Black begins with N stones, 2 to 9; you are Black.",
        ),
    ] = None,
    komi: Annotated[
        float | None,
        typer.Option(
            metavar="K",
            parser=number,
            help="At Go: points that White gets. [dim]\\[default: 7 on 9x9, else 7.5; 0.5 with "
            "--handicap][/dim]",
        ),
    ] = None,
    moves: Annotated[
        str | None,
        typer.Option("--moves", metavar="MOVES", help="Start after these moves, such as 'd3 c5'."),
    ] = None,
    fen: Annotated[
        str | None, typer.Option(metavar="FEN", help="At chess and Go: start from this position.")
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from",
            "--sgf",
            metavar="FILE",
            help="Start after the moves of a file's first game: PGN or FEN at chess, SGF at Go, "
            "moves at any.",
        ),
    ] = None,
    at: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=whole(0, 10**6),
            help="Start after so many of these moves. [dim]\\[default: all][/dim]",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            "-s",
            metavar="N",
            parser=SEEDS,
            help="Seed of the opponent. [dim]\\[default: any][/dim]",
        ),
    ] = None,
    person: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Who you are, to opponents that learn."),
    ] = None,
    forget: Annotated[
        bool,
        typer.Option(
            "--forget", help="The opponent forgets your earlier games when you make a move."
        ),
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with your latest unfinished game.")
    ] = False,
    saved: Annotated[bool, typer.Option("--saved", help="List your unfinished games.")] = False,
    delete: Annotated[
        str | None, typer.Option(metavar="NAME", help="Delete an unfinished game.")
    ] = None,
) -> None:
    """Play a game in the terminal.

    Type moves, or [cyan]help[/cyan] for what else can be typed. The game is saved after every
    move: [cyan]evenmatch play --resume[/cyan] goes on with it.

    Moves are read from a pipe too: [cyan]echo "d3 resign" | evenmatch play othello[/cyan]
    """
    if saved or delete is not None:
        from evenmatch.frontends.commands import saved_games

        saved_games.show() if delete is None else saved_games.delete(delete)
        return
    from evenmatch.frontends.commands.play import PlayOptions, start

    start(
        PlayOptions(
            game=game, opponent=opponent, elo=elo, rank=rank, place=place, seed=seed, resume=resume,
            moves=moves, fen=fen, source=source, at=at, person=person, forget=forget, time=time,
            pace=pace, play_on=play_on, handicap=handicap, komi=komi, target=target, i_am=i_am,
        )
    )  # fmt: skip


@command(PLAY)
def uci(
    elo: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Play at a rating, 700 to 2500, unless the program says otherwise."
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
            help="Another network, such as a Maia's .pb.gz; at a rating se and sa take any, human "
            "one that knows ratings.",
        ),
    ] = None,
) -> None:
    """Play in a chess program: talk to it by the Universal Chess Interface.

    Chess programs start this themselves. What is given here they can change by options.
    """
    from evenmatch.frontends.uci import serve

    given = {"UCI_Elo": elo, "Method": method, "WeightsFile": weights and weights.resolve()}
    limited = {} if elo is None and method is None else {"UCI_LimitStrength": "true"}
    serve(limited | {name: str(value) for name, value in given.items() if value is not None})


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
            help="Who plays; see `evenmatch players`. [dim]\\[default: a search at full "
            "strength][/dim]",
        ),
    ] = None,
    rank: Annotated[
        str | None,
        typer.Option(
            metavar="RANK",
            help="Go as people of a rank play it, such as 8k or 2d.",
        ),
    ] = None,
    weights: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Another network, such as one of KataGo's .bin.gz."),
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

    Go programs start this themselves. It analyses too, and plays Othello and Connect Four.
    """
    from evenmatch.frontends.gtp import Settings, serve
    from evenmatch.frontends.levels import ranked

    if rank is not None:
        player = ranked(player, rank, game)
    serve(
        Settings(
            game=game,
            player=player,
            weights=None if weights is None else str(weights.resolve()),
            max_visits=visits or 0,
            seed=seed or 0,
            resigns=not play_on,
        )
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

    matches.match(a, b, game, games, seed, openings, sprt, json, record, overwrite)


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
    json: Json = False,
) -> None:
    """Let every two of several players meet; print an Elo table with 95% intervals."""
    from evenmatch.frontends.commands import tournaments

    tournaments.tournament(specs, game, games, seed, openings, anchor or [], json)


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


@command(MEASURE)
def estimate(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Files of chess, .pgn, or of Go, .sgf, .sgfs or a folder of them; compressed ones "
            "end in .zst, .gz or .bz2; - is standard input.",
        ),
    ],
    player: Annotated[
        str | None,
        typer.Option(
            "--player",
            "-p",
            metavar="NAME",
            help="Rate this player alone; case and spaces do not matter. "
            "[dim]\\[default: everybody][/dim]",
        ),
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option(
            metavar="SCALE",
            help=f"Whose ratings: {', '.join(SOURCES)}. "
            "[dim]\\[default: lichess-rapid; of Go all][/dim]",
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(
            "--game",
            "-g",
            metavar="GAME",
            help="The game, where the names of the files do not tell it.",
        ),
    ] = None,
    maia: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of maia-1100, maia-1500 and maia-1900.pb.gz, which tell more of chess.",
        ),
    ] = None,
    fitted: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Estimators of your own: the folder of `evenmatch network fit`."
        ),
    ] = None,
    net: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --fitted: the network they were fitted to."),
    ] = None,
    json: Json = False,
) -> None:
    """Tell how strong people are at chess or Go, by their moves in recorded games.

    Evaluations in the games, as Lichess writes them, are used where there are some. Moves that
    are marked as not chosen alone (hints, moves given or taken back) are left out.
    """
    from evenmatch.frontends.commands import estimates

    asked = estimates.Asked(
        player=player, scale=scale, game=game, maia=maia, fitted=fitted, net=net
    )
    estimates.estimate(files, asked, json)


@command(MEASURE)
def perft(
    game: GameName,
    depth: Annotated[
        int,
        typer.Option("--depth", "-d", metavar="N", parser=whole(1, 100), help="Plies to count."),
    ],
) -> None:
    """Count the move sequences from the start; the count comes last, alone on standard output."""
    from evenmatch.frontends.commands import tables

    tables.perft(game, depth)


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


from evenmatch.frontends import cli_learn, cli_me, cli_web  # noqa: E402  panels in this order

__all__ = ["app", "cli_learn", "cli_me", "cli_web", "main"]
