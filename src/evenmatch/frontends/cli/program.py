"""What commands share: the program, its errors, the types of options, options of several."""

import errno
import inspect
import logging
import math
import re
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Annotated

import typer
from typer.core import TyperGroup

from evenmatch import __version__
from evenmatch.errors import EvenmatchError
from evenmatch.frontends.console import InterruptReported, drop_output, print_error, tell


class Commands(TyperGroup):
    """All commands; the one place that turns errors into a line and an exit code."""

    def invoke(self, ctx):
        """Run a command: 2 after an error of ours or of usage, 130 after Ctrl-C."""
        try:
            return super().invoke(ctx)
        except EvenmatchError as error:
            message = str(error)
        except KeyboardInterrupt as stop:
            if not isinstance(stop, InterruptReported):
                tell("Interrupted.")
            raise typer.Exit(130) from None
        except MemoryError:
            message = "there is not enough memory; ask for fewer simulations, games or jobs"
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
    if logging.lastResort is not None:  # where no server logs: a line on standard error
        logging.lastResort.setFormatter(logging.Formatter("warning: %(message)s"))
    signal.signal(signal.SIGTERM, _terminated)
    try:
        _run_and_flush()
    except OSError as error:
        drop_output()
        if error.errno == errno.EPIPE:
            raise SystemExit(1) from None
        print_error(_of_files(error))
        raise SystemExit(2) from None


def uci_main() -> None:
    """Run ``evenmatch uci`` as a command of its own, for chess programs that take but a file."""
    sys.argv.insert(1, "uci")
    main()


def _terminated(number: int, frame: FrameType | None) -> None:
    """End the engines that were started, then as the signal asks."""
    programs = sys.modules.get("evenmatch.opponents.gtp_program")
    if programs is not None:
        programs.end_programs()
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)


def _run_and_flush() -> None:
    """Run, and write out what is buffered: at the interpreter's exit a failure is a traceback."""
    try:
        app(prog_name="evenmatch")
    finally:
        if sys.stdout is not None:
            sys.stdout.flush()


def command(
    panel: str, group: typer.Typer = app, name: str | None = None
) -> Callable[[Callable], Callable]:
    """Register a command in a panel of --help, by its docstring; ``name`` if not the function's."""

    def register(function: Callable) -> Callable:
        return group.command(name, rich_help_panel=panel, help=flowing(function.__doc__))(function)

    return register


def whole(low: int, high: int) -> Callable[[str], int]:
    """Return a reader of whole numbers from ``low`` to ``high``.

    Typer's own ``min`` and ``max`` write a range of 19 digits into every --help.
    """

    def read(text: str) -> int:
        if not re.fullmatch(r"[+-]?[0-9]{1,30}", str(text)):  # a default is a number already
            raise typer.BadParameter("write a whole number")
        if not low <= int(text) <= high:
            raise typer.BadParameter(f"{text} is outside {low} to {high}")
        return int(text)

    return read


def number(text: str) -> float:
    """Read a number, whole or not."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise typer.BadParameter("write a number")
    return found


def flowing(docstring: str | None) -> str:
    """Return a docstring whose paragraphs are one line each, for the terminal to break."""
    paragraphs = inspect.cleandoc(docstring or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


SEEDS, GAMES = whole(0, 2**63 - 1), whole(1, 1_000_000)
PLAY, MEASURE, LOOK, LEARN = "Play", "Measure", "Look up", "Train and set up"

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
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        metavar="N",
        help="Parts at once, each with its share of the cores. [dim]\\[default: 1; on a cluster "
        "as many as it has cores][/dim]",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Do parts on many machines by Ray: [cyan]auto[/cyan], the cluster that this machine "
        "is of, [cyan]local[/cyan], this machine alone, or HOST:PORT.",
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
    """Options of all commands together, and the one variable that many of them read."""
    from evenmatch.network.processor import precision

    precision()  # refuses one that there is not, before anything loads
