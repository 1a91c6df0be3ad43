"""The command line. Commands import what they need when they run, so that --help is quick."""

import errno
import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperGroup

from evenmatch import __version__
from evenmatch.errors import EvenmatchError
from evenmatch.frontends.interrupts import Told
from evenmatch.frontends.options import flowing, whole


class Commands(TyperGroup):
    """All commands; the one place that turns errors into a line and an exit code."""

    def invoke(self, ctx):
        """Run a command: 2 after an error of ours or of usage, 130 after Ctrl-C."""
        try:
            return super().invoke(ctx)
        except EvenmatchError as error:
            message = str(error)
        except KeyboardInterrupt as stop:
            if not isinstance(stop, Told):
                from evenmatch.frontends.console import tell

                tell("Interrupted.")
            raise typer.Exit(130) from None
        except OSError as error:
            if error.errno == errno.EPIPE:  # `| head` has read enough; typer leaves quietly
                raise
            message = _of_files(error)
        except Exception as error:
            if not hasattr(error, "format_message"):  # click's, whose module typer may hide
                raise
            if not error.format_message():  # the help of a group, which is printed already
                raise typer.Exit(2) from None
            message = f"{error.format_message().rstrip('.')}; see {_where(error, ctx)} --help"
        from evenmatch.frontends.console import print_error

        print_error(message)
        raise typer.Exit(2)


def _where(error: Exception, ctx: typer.Context) -> str:
    """Return the command that was misused; the parser's own errors do not know theirs."""
    known = getattr(error, "ctx", None)
    if known:
        return known.command_path
    return " ".join(filter(None, (ctx.command_path, ctx.invoked_subcommand)))


def _of_files(error: OSError) -> str:
    """Say what is wrong with a file; an error that names none is of the output."""
    why = error.strerror or str(error)
    if error.filename is not None:
        return f"cannot use {error.filename} ({why}); choose another path"
    from evenmatch.frontends.console import drop_output

    drop_output()
    return f"cannot write the output ({why})"


app = typer.Typer(
    cls=Commands,
    help="A board-game opponent of [bold]your strength[/bold]: play, measure, train.",
    epilog="Start with [bold]evenmatch play othello[/bold].",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line; 2 as well if the last of its output cannot be written."""
    try:
        _run_and_flush()
    except OSError as error:
        from evenmatch.frontends.console import drop_output, print_error

        drop_output()
        if error.errno == errno.EPIPE:
            raise SystemExit(1) from None
        print_error(_of_files(error))
        raise SystemExit(2) from None


def _run_and_flush() -> None:
    """Run, and write out what is buffered: at the interpreter's exit a failure is a traceback."""
    try:
        app(prog_name="evenmatch")
    finally:
        if sys.stdout is not None:
            sys.stdout.flush()


def command(panel: str, group: typer.Typer = app) -> Callable[[Callable], Callable]:
    """Register a command in a panel of --help, by its docstring."""

    def register(function: Callable) -> Callable:
        return group.command(rich_help_panel=panel, help=flowing(function.__doc__))(function)

    return register


class Place(StrEnum):
    """Whether the person moves first."""

    first = "first"
    second = "second"


class Device(StrEnum):
    """Where a training computes."""

    auto = "auto"
    cpu = "cpu"
    cuda = "cuda"
    mps = "mps"


dataset = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
SEEDS, GAMES = whole(0, 2**63 - 1), whole(1, 1_000_000)
PLAY, MEASURE, LOOK, LEARN = "Play", "Measure", "Look up", "Train and set up"

app.add_typer(
    dataset,
    name="dataset",
    help="Make compact datasets of recorded games, to train and judge by.",
    rich_help_panel=LEARN,
)

GameName = Annotated[
    str, typer.Argument(metavar="GAME", help="Such as [cyan]othello[/cyan]; see `evenmatch games`.")
]
GameOption = Annotated[
    str, typer.Option("--game", "-g", metavar="GAME", help="The game; see `evenmatch games`.")
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON value on standard output, nothing else.")
]
Seed = Annotated[
    int,
    typer.Option("--seed", "-s", metavar="N", parser=SEEDS, help="Equal seeds give equal games."),
]
Openings = Annotated[
    int,
    typer.Option(
        "--openings",
        metavar="PLIES",
        parser=whole(0, 1000),
        help="Start each pair of games (sides swapped) after this many random plies.",
    ),
]


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"evenmatch {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Options of all commands together."""


@command(PLAY)
def play(
    game: GameName,
    opponent: Annotated[
        str | None,
        typer.Option(
            "--opponent",
            "-o",
            metavar="SPEC",
            help="Who plays against you; see `evenmatch players`. [dim]\\[default: even, "
            "which evens out][/dim]",
        ),
    ] = None,
    place: Annotated[
        Place | None,
        typer.Option("--as", help="Whether you move first. [dim]\\[default: first][/dim]"),
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
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the unfinished game.")
    ] = False,
    moves: Annotated[
        str | None,
        typer.Option("--moves", metavar="MOVES", help="Start after these moves, such as 'd3 c5'."),
    ] = None,
    person: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Who you are, to opponents that learn."),
    ] = None,
    forget: Annotated[
        bool, typer.Option("--forget", help="Let the opponent forget your earlier games.")
    ] = False,
) -> None:
    """Play a game in the terminal.

    Type moves, or [cyan]help[/cyan] for what else can be typed. The game is saved after every
    move: [cyan]--resume[/cyan] goes on with it.

    Moves are read from a pipe too: [cyan]echo "d3 resign" | evenmatch play othello[/cyan]
    """
    from evenmatch.frontends.play import start

    start(game, opponent, place and place.value, seed, resume, moves, person, forget)


@command(PLAY)
def uci() -> None:
    """Play in a chess program: talk to it by the Universal Chess Interface.

    Chess programs start this themselves; `UCI_LimitStrength` and `UCI_Elo` set a rating.
    """
    from evenmatch.frontends.uci import serve

    serve()


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
            help="Stop early, once it is clear whether A is ELO1 or only ELO0 above B (5% errors).",
        ),
    ] = None,
    json: Json = False,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE", help="Write the games, one JSON object a line."),
    ] = None,
) -> None:
    """Let two players play many games and compare them.

    The JSON object tells the score and the Elo difference of A with 95% intervals; an Elo that
    is infinite, as after a clean sweep, is null.
    """
    from evenmatch.frontends import matches

    matches.match(a, b, game, games, seed, openings, sprt, json, record)


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
    from evenmatch.frontends import tournaments

    tournaments.tournament(specs, game, games, seed, openings, anchor or [], json)


@command(MEASURE)
def bench(
    json: Json = False,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer and shorter measurements.")] = False,
) -> None:
    """Measure how fast search and networks run on this machine."""
    from evenmatch.frontends import tables

    tables.bench(json, quick)


@command(MEASURE)
def experiment(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Which; leave out to list them.")
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
) -> None:
    """Reproduce a table or figure of a paper, beside the paper's numbers.

    Parts that are done are kept: an interrupted experiment goes on where it stopped.
    """
    from evenmatch.frontends import experimenter

    experimenter.experiment(name, quick, out, data, net)


@command(MEASURE)
def estimate(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="PGN files: .pgn, .pgn.zst, .pgn.gz, .pgn.bz2"),
    ],
    player: Annotated[
        str | None,
        typer.Option(
            "--player",
            "-p",
            metavar="NAME",
            help="Rate this player alone. [dim]\\[default: everybody][/dim]",
        ),
    ] = None,
    scale: Annotated[
        str,
        typer.Option(
            metavar="SCALE",
            help="Whose ratings: [cyan]lichess-rapid[/cyan].",
        ),
    ] = "lichess-rapid",
    json: Json = False,
) -> None:
    """Tell how strong chess players are, by their moves in recorded games.

    Evaluations in the games, as Lichess writes them, are used where there are some.
    """
    from evenmatch.frontends import estimates

    estimates.estimate(files, player, scale, json)


@command(MEASURE)
def perft(
    game: GameName,
    depth: Annotated[
        int,
        typer.Option("--depth", "-d", metavar="N", parser=whole(1, 100), help="Plies to count."),
    ],
) -> None:
    """Count the move sequences from the start; the count comes last, alone on standard output."""
    from evenmatch.frontends import tables

    tables.perft(game, depth)


@command(LOOK)
def games(json: Json = False) -> None:
    """List the games."""
    from evenmatch.frontends import tables

    tables.games(json)


@command(LOOK)
def players(json: Json = False) -> None:
    """List the players, and the keys of their specs: [cyan]name:key=value,...[/cyan]"""
    from evenmatch.frontends import tables

    tables.players(json)


@command(LEARN)
def train(
    game: GameName,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the run.")],
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset",
            "-p",
            help="[cyan]fast[/cyan] (ours), [cyan]paper[/cyan] or [cyan]tiny[/cyan]; with --data "
            "[cyan]small[/cyan] (ours), [cyan]paper[/cyan], [cyan]short[/cyan], "
            "[cyan]two-ranks[/cyan], [cyan]three-ranks[/cyan] or [cyan]tiny[/cyan].",
            show_default="fast, with --data small",
        ),
    ] = None,
    data: Annotated[
        list[Path],
        typer.Option(
            "--data",
            metavar="DIR",
            help="Learn from a dataset of recorded games; may be given again, for games of other "
            "ratings.",
        ),
    ] = [],  # noqa: B006
    seed: Seed = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in DIR.")] = False,
    device: Annotated[Device, typer.Option(help="Where to compute.")] = Device.auto,
) -> None:
    """Train a network by self-play, or on recorded games; needs the [cyan]train[/cyan] extra.

    It can be interrupted at any moment: [cyan]--resume[/cyan] goes on from the last iteration.
    """
    from evenmatch.frontends import trainer

    trainer.train(game, preset, data, out, seed, resume, device.value, sys.argv[1:])


networks = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
app.add_typer(
    networks,
    name="network",
    rich_help_panel=LEARN,
    help="Import a network of another program, or show what a network is.",
)


def _import(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Weights of Leela Chess Zero or Maia, [cyan].pb.gz[/cyan]."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where to write it, .onnx.")],
) -> None:
    """Import a chess network, for players that take a network ([cyan]net=FILE[/cyan])."""
    from evenmatch.frontends import networks as commands

    commands.bring(file, out, sys.argv[1:])


def _info(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A network, or a game: the one that comes with it."),
    ],
    json: Json = False,
) -> None:
    """Show what a network is and how it was made."""
    from evenmatch.frontends import networks as commands

    commands.info(file, json)


networks.command("import", help=flowing(_import.__doc__))(_import)
networks.command("info", help=flowing(_info.__doc__))(_info)


@command(LEARN, dataset)
def build(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="PGN files: .pgn, .pgn.zst, .pgn.gz, .pgn.bz2"),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="A folder yet to be made.")],
    split: Annotated[
        str,
        typer.Option(
            "--split", metavar="SHARES", help="Players to train, tune, candidate and query."
        ),
    ] = "75/5/10/10",
    salt: Annotated[
        str, typer.Option("--salt", metavar="TEXT", help="Another text draws another split.")
    ] = "evenmatch",
) -> None:
    """Build a dataset of the games of PGN files.

    Broken games, and those that are not standard chess, are left out and listed in
    DIR/skipped.tsv. The folder appears when it is whole.
    """
    from evenmatch.frontends import datasets

    datasets.build(files, out, split, salt)


@command(LEARN, dataset)
def info(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a dataset.")],
    json: Json = False,
) -> None:
    """Tell what is in a dataset."""
    from evenmatch.frontends import datasets

    datasets.info(folder, json)


@command(LEARN)
def warmup(
    clear: Annotated[
        bool, typer.Option("--clear", help="Throw away what was compiled before.")
    ] = False,
) -> None:
    """Compile everything now, so that later starts are quick."""
    from evenmatch.frontends import warm

    warm.warmup(clear)
