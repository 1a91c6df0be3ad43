"""``evenmatch calibrate``: measure how strong players of a rating are, in games played here."""

import math
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from evenmatch.errors import StateError, UsageError
from evenmatch.frontends import console
from evenmatch.frontends.cli.program import (
    LEARN,
    SEEDS,
    Cluster,
    GameName,
    Jobs,
    Json,
    command,
    number,
)
from evenmatch.frontends.progress_bars import Line

if TYPE_CHECKING:
    from evenmatch.opponents.dials import Curve, Dial
    from evenmatch.opponents.rating_range import Anchor
    from evenmatch.ratings.gaussian import Ratings
    from evenmatch.workshop.calibration import Calibration, Standing

TALLY = ".games.json"  #: in place of .json, the file of a calibration's games


@command(LEARN)
def calibrate(
    game: GameName,
    within: Annotated[
        float,
        typer.Option(
            metavar="ELO",
            parser=number,
            help="Stop when every 95% interval is at most this wide to either side.",
        ),
    ] = 80,
    minutes: Annotated[
        float, typer.Option(metavar="N", parser=number, help="Begin no games after N minutes.")
    ] = 60,
    seed: Annotated[
        int,
        typer.Option(
            "--seed", "-s", metavar="N", parser=SEEDS, help="Seed of the games and their openings."
        ),
    ] = 0,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also draw the curve, as an SVG file.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the curve to this JSON file, and leave the players as they are.",
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Start again; delete the games that were kept.")
    ] = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Make ratings true: measure in games how strong players of a rating are on this machine.

    In chess that is [cyan]pikl[/cyan], in other games [cyan]style[/cyan]. Its settings play one
    another and programs that are installed: Stockfish, GNU Go. The most informative games are
    played first.

    That player plays at ratings by the result from then on. You can interrupt it at any time. The
    same command continues.
    """
    from filelock import FileLock, Timeout

    from evenmatch.frontends.cli import parts
    from evenmatch.games import get_game
    from evenmatch.opponents.dials import DIALS, own_curve_path
    from evenmatch.profiles.database import WRITABLE
    from evenmatch.workshop.calibration import Calibration

    check(within, minutes, out, plot)
    game_id = get_game(game).id
    if game_id not in DIALS:
        raise UsageError(f"{game_id} cannot be calibrated; choose one of: {', '.join(DIALS)}")
    dial = DIALS[game_id]
    path = out or own_curve_path(dial.game, dial.player)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_suffix(".lock"), timeout=0):
            tally = path.with_suffix(TALLY)
            if again:
                tally.unlink(missing_ok=True)
            calibration = Calibration(dial, anchors_with_scale(dial), tally, seed)
            before = _before(dial)
            with parts.arena(jobs, cluster) as calibration.by:
                standing = _play(calibration, within, minutes)
            if not standing.games:
                raise UsageError("there was no time for a game; give more --minutes")
            curve = calibration.curve(shlex.join(["evenmatch", *sys.argv[1:]]))
            used = out is not None or standing.widest <= max(within, _width(before))
            if used:
                curve.save(path)
    except Timeout:
        raise UsageError(
            f"{dial.game}: another evenmatch is calibrating it; wait until that ends"
        ) from None
    except OSError as error:
        fix = WRITABLE if out is None else "choose another --out"
        raise UsageError(f"cannot write {path} ({error.strerror or error}); {fix}") from None
    ratings = calibration.rated()
    if plot is not None:
        draw(plot, calibration, curve, ratings, before)
        console.note(f"The curve is drawn in {plot}.")
    if json:
        console.print_json(_as_json(calibration, curve, ratings, standing))
        return
    _show(calibration, curve, ratings, standing, within)
    if out is not None:
        console.tell(f"Written to {path}. Players stay as they are.")
    elif used:
        console.tell(f"Kept in {path}. Players use it from now on.")
    else:
        console.tell("The curve that players use is narrower, so they keep it.")


def check(within: float, minutes: float, out: Path | None, plot: Path | None) -> None:
    """Refuse options that cannot be used, before any game is played. UsageError."""
    from evenmatch import plots
    from evenmatch.opponents.dials import read_curve

    if not 0 < within < math.inf:
        raise UsageError(f"--within {within:g} is not a width; give some Elo, such as 80")
    if not 0 < minutes < math.inf:
        raise UsageError(f"--minutes {minutes:g} is not a time; give some, such as 60")
    if plot is not None and plot.suffix != ".svg":
        raise UsageError("--plot is drawn as SVG; write a name that says so, such as curve.svg")
    if plot is not None:
        plots.pyplot()
    if out is None:
        return
    if not out.name:
        raise UsageError("--out names no file; write one, such as curve.json")
    if out.is_dir():
        raise UsageError(f"{out} is a folder; name a file, such as curve.json")
    try:
        read_curve(out)
    except StateError:
        raise UsageError(f"{out} is another file; choose another --out, or delete it") from None


def anchors_with_scale(dial: "Dial") -> "tuple[Anchor, ...]":
    """Return the anchors that are installed; UsageError if none of them gives the dial a scale."""
    from evenmatch.opponents.rating_range import ANCHORS, anchors_of

    anchors = anchors_of(dial.game)
    if dial.fixed is None and all(anchor.rating is None for anchor in anchors):
        known = next(one for one in ANCHORS[dial.game] if one.rating is not None)
        program = known.name.rstrip(" 0123456789")  # Stockfish 1400, GNU Go 10: with the setting
        raise UsageError(f"no program of known rating at {dial.game} is here; install {program}")
    return anchors


def _before(dial: "Dial") -> "Curve | None":
    """Return the curve that players use now; None if there is none, or it cannot be read."""
    from evenmatch.opponents.dials import curve_of

    try:
        return curve_of(dial.game, dial.player, own=True)
    except StateError as error:
        console.note(str(error))
        return None


def _width(curve: "Curve | None") -> float:
    """Return half of a curve's widest interval, infinite without one."""
    if curve is None:
        return math.inf
    return max((high - low) / 2 for low, high in zip(curve.low, curve.high, strict=True))


def _play(calibration: "Calibration", within: float, minutes: float) -> "Standing":
    """Play until the dial is known well enough or the time is up, and show how far it is."""
    end = time.monotonic() + 60 * minutes
    standing = calibration.standing
    columns = (
        TextColumn(f"{{task.{field}}}", markup=False) for field in ("description", "fields[note]")
    )
    with Line(
        f"calibrating {calibration.dial.game}", SpinnerColumn(), *columns, TimeElapsedColumn()
    ) as line:
        try:
            for standing in calibration.steps(within, lambda _: time.monotonic() >= end):
                left = max(end - time.monotonic(), 0.0)
                line.show(note=progress_note(standing, within, left))
        except KeyboardInterrupt:
            games = console.counted(calibration.standing.games, "game")
            console.tell(f"Interrupted. {games} are kept; the same command continues from there.")
            raise console.InterruptReported from None
    return standing


def progress_note(standing: "Standing", within: float, left: float) -> str:
    """Write how far a calibration is, and the time left: bands narrow as 1 / sqrt(games)."""
    if not standing.games:
        return "first games"
    due = standing.seconds * max((standing.widest / within) ** 2 - 1, 0.0)
    minutes = max(round(min(due, left) / 60), 1)
    games = console.counted(standing.games, "game")
    return f"{games}, ±{standing.widest:.0f} Elo (aim ±{within:g}), about {minutes} min left"


def _show(
    calibration: "Calibration",
    curve: "Curve",
    ratings: "Ratings",
    standing: "Standing",
    within: float,
) -> None:
    from evenmatch.games import get_game

    out, dial = console.output(), calibration.dial
    table = console.table(f"{get_game(dial.game).title}: {dial.player}, {standing.games:,} games")
    for heading in ("s", "plays at", "95% interval"):
        table.add_column(heading, justify="right")
    for setting, rating, low, high in _rows(curve):
        table.add_row(f"{setting:g}", f"{rating:.0f}", f"{low:.0f} to {high:.0f}")
    out.print(table)
    for name, rating, deviation, games in met_anchors(calibration, ratings):
        far = f"±{1.96 * deviation:.0f}"
        out.print(f"{name}: {rating:.0f} {far} ({console.counted(games, 'game')})", markup=False)
    if standing.widest > within:
        console.note(
            f"the widest interval is ±{standing.widest:.0f} Elo, not ±{within:g}; the same "
            "command continues from here"
        )


def _rows(curve: "Curve") -> list[tuple[float, float, float, float]]:
    """Return setting, rating and the ends of the interval of each setting."""
    return list(zip(curve.settings, curve.ratings, curve.low, curve.high, strict=True))


def met_anchors(
    calibration: "Calibration", ratings: "Ratings"
) -> list[tuple[str, float, float, int]]:
    """Return name, rating, standard deviation and games of each anchor that has played."""
    count = len(calibration.dial.settings)
    games = calibration.games.sum(1)
    return [
        (one.name, float(ratings.mean[i]), float(ratings.deviations[i]), round(games[i]))
        for i, one in enumerate(calibration.entrants)
        if i >= count and games[i]
    ]


def _as_json(
    calibration: "Calibration", curve: "Curve", ratings: "Ratings", standing: "Standing"
) -> dict[str, Any]:
    return {
        "game": curve.game,
        "player": curve.player,
        "games": standing.games,
        "seconds": round(standing.seconds, 1),
        "widest": round(standing.widest, 1),
        "settings": [
            {"setting": setting, "elo": elo, "elo_low": low, "elo_high": high}
            for setting, elo, low, high in _rows(curve)
        ],
        "anchors": [
            {"name": name, "elo": round(elo, 1), "deviation": round(deviation, 1), "games": games}
            for name, elo, deviation, games in met_anchors(calibration, ratings)
        ],
    }


def draw(
    path: Path,
    calibration: "Calibration",
    curve: "Curve",
    ratings: "Ratings",
    before: "Curve | None",
) -> None:
    """Draw what each setting plays at, with its interval; and the curve before, if there was one.

    UsageError if the file cannot be written.
    """
    from evenmatch import plots

    dial = calibration.dial
    try:
        with plots.axes(path, 1, size=(7, 5)) as (axis,):
            axis.fill_between(curve.settings, curve.low, curve.high, alpha=0.25)
            axis.plot(curve.settings, curve.ratings, "o-", label="measured in games")
            if dial.fixed is not None:
                axis.plot(curve.settings, curve.settings, "--", color="0.5", label="as written")
            if before is not None:
                axis.plot(before.settings, before.ratings, ":", label="measured before")
            for name, rating, _, _ in met_anchors(calibration, ratings):
                axis.axhline(rating, color="0.8", lw=0.8, zorder=0)
                axis.text(max(curve.settings), rating, name, ha="right", va="bottom", size=8)
            axis.set(xlabel=f"{dial.player}: s", ylabel="Elo", title=f"{dial.game}")
            axis.legend(loc="upper left")
    except OSError as error:
        raise UsageError(
            f"cannot write {path} ({error.strerror or error}); choose another --plot"
        ) from None
