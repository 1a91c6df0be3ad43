"""``evenmatch calibrate``: makes a dial's number mean what it says, by games on this machine."""

import math
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from evenmatch import plots
from evenmatch.errors import StateError, UsageError
from evenmatch.frontends import console
from evenmatch.frontends.commands.lost_parts import games_by
from evenmatch.frontends.console import InterruptReported
from evenmatch.frontends.progress_bars import Line
from evenmatch.games import get_game
from evenmatch.opponents.anchors import ANCHORS, Anchor, anchors_of
from evenmatch.opponents.dials import (
    DIALS,
    Curve,
    Dial,
    curve_of,
    own_curve_path,
    read_curve,
)
from evenmatch.profiles.database import WRITABLE
from evenmatch.ratings.gaussian import Ratings
from evenmatch.workshop.calibration import Calibration, Standing

TALLY = ".games.json"  #: in place of .json, the file of a calibration's games


@dataclass(frozen=True, kw_only=True)
class CalibrateOptions:
    """What was asked for."""

    game: str
    within: float  #: Elo, half of a 95% interval
    minutes: float
    seed: int
    out: Path | None  #: of the curve; None: the state folder
    plot: Path | None
    again: bool
    as_json: bool
    command: str
    jobs: int | None = None
    cluster: str | None = None


def calibrate(asked: CalibrateOptions) -> None:
    """Play games until the dial is known well enough or the time is up; write its curve."""
    check(asked)
    dial = dial_of(asked.game)
    out = asked.out or own_curve_path(dial.game, dial.player)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(out.with_suffix(".lock"), timeout=0):
            _calibrate(asked, dial, out)
    except Timeout:
        raise UsageError(
            f"{dial.game}: another evenmatch calibrates it now; wait until that has ended"
        ) from None
    except OSError as error:
        fix = WRITABLE if asked.out is None else "choose another --out"
        raise UsageError(f"cannot write {out} ({error.strerror or error}); {fix}") from None


def _calibrate(asked: CalibrateOptions, dial: Dial, out: Path) -> None:
    tally = out.with_suffix(TALLY)
    if asked.again:
        tally.unlink(missing_ok=True)
    calibration = Calibration(dial, anchors_with_scale(dial), tally, asked.seed)
    before = _before(dial)
    with games_by(asked.jobs, asked.cluster) as calibration.by:
        standing = _play(calibration, asked)
    curve, ratings = calibration.curve(asked.command), calibration.rated()
    if not standing.games:
        raise UsageError("there was no time for a game; give more --minutes")
    used = asked.out is not None or standing.widest <= max(asked.within, _width(before))
    if used:
        curve.save(out)
    if asked.plot is not None:
        draw(asked.plot, calibration, curve, ratings, before)
        console.note(f"The curve is drawn in {asked.plot}.")
    if asked.as_json:
        console.print_json(_as_json(calibration, curve, ratings, standing))
        return
    _show(calibration, curve, ratings, standing, asked.within)
    _tell_where(out, asked, used)


def check(asked: CalibrateOptions) -> None:
    """Refuse numbers that make no sense. Raises UsageError."""
    if not 0 < asked.within < math.inf:
        raise UsageError(f"--within {asked.within:g} is no width; give some Elo, such as 80")
    if asked.out is not None and not asked.out.name:
        raise UsageError("--out names no file; write one, such as curve.json")
    if asked.out is not None:
        check_replaced(asked.out)
    if asked.plot is not None and asked.plot.suffix != ".svg":
        raise UsageError("--plot is drawn as SVG; write a name that says so, such as curve.svg")
    if not 0 < asked.minutes < math.inf:
        raise UsageError(f"--minutes {asked.minutes:g} is no time; give some, such as 60")


def check_replaced(out: Path) -> None:
    """Refuse to replace what is no curve. Raises UsageError."""
    if out.is_dir():
        raise UsageError(f"{out} is a folder; name a file, such as curve.json")
    try:
        read_curve(out)
    except StateError:
        raise UsageError(f"{out} is another file; choose another --out, or delete it") from None


def anchors_with_scale(dial: Dial) -> tuple[Anchor, ...]:
    """Return the anchors that are installed; UsageError if none of them gives the dial a scale."""
    anchors = anchors_of(dial.game)
    if dial.fixed is None and all(anchor.rating is None for anchor in anchors):
        known = next(one for one in ANCHORS[dial.game] if one.rating is not None)
        raise UsageError(f"{dial.game} has no player of known rating here; install {known.name}")
    return anchors


def _before(dial: Dial) -> Curve | None:
    """Return the curve that players use now; None if there is none, or it cannot be read."""
    try:
        return curve_of(dial.game, dial.player, own=True)
    except StateError as error:
        console.note(str(error))
        return None


def _width(curve: Curve | None) -> float:
    """Return half of a curve's widest interval, infinite without one."""
    if curve is None:
        return math.inf
    return max((high - low) / 2 for low, high in zip(curve.low, curve.high, strict=True))


def dial_of(game: str) -> Dial:
    """Return the dial of a game; UsageError if it has none."""
    game_id = get_game(game).id
    if game_id not in DIALS:
        raise UsageError(f"{game_id} has no dial to calibrate; choose one of: {', '.join(DIALS)}")
    return DIALS[game_id]


def _play(calibration: Calibration, asked: CalibrateOptions) -> Standing:
    """Play until it is enough; tell how far it is, and after Ctrl-C that nothing is lost."""
    limit = _Limit(asked.minutes * 60)
    title = TextColumn("{task.description}", markup=False)
    note = TextColumn("{task.fields[note]}", markup=False)
    standing = calibration.standing
    with Line(
        f"calibrating {asked.game}", SpinnerColumn(), title, note, TimeElapsedColumn()
    ) as line:
        try:
            for standing in calibration.steps(asked.within, limit.is_up):
                line.show(note=progress_note(standing, asked.within, limit.left))
        except KeyboardInterrupt:
            games = console.counted(calibration.standing.games, "game")
            console.tell(f"Interrupted. {games} are kept; the same command goes on from there.")
            raise InterruptReported from None
    return standing


@dataclass
class _Limit:
    """So much time from now on."""

    seconds: float
    _began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float:
        """Seconds left, 0 or more."""
        return max(self.seconds - (time.monotonic() - self._began), 0.0)

    def is_up(self, standing: Standing) -> bool:
        """Whether no time is left."""
        return self.left <= 0


def progress_note(standing: Standing, within: float, left: float) -> str:
    """Say how far a calibration is, and how long it goes on: bands narrow as 1 / sqrt(games)."""
    if not standing.games:
        return "first games"
    due = standing.seconds * max((standing.widest / within) ** 2 - 1, 0.0)
    minutes = max(round(min(due, left) / 60), 1)
    games = console.counted(standing.games, "game")
    return f"{games}, ±{standing.widest:.0f} Elo (aim ±{within:g}), about {minutes} min left"


def _show(
    calibration: Calibration, curve: Curve, ratings: Ratings, standing: Standing, within: float
) -> None:
    out, dial = console.output(), calibration.dial
    table = console.table(f"{get_game(dial.game).title}: {dial.player}, {standing.games:,} games")
    for heading in (dial.key, "plays at", "95% interval"):
        table.add_column(heading, justify="right")
    rows = zip(curve.settings, curve.ratings, curve.low, curve.high, strict=True)
    for setting, rating, low, high in rows:
        table.add_row(f"{setting:g}", f"{rating:.0f}", f"{low:.0f} to {high:.0f}")
    out.print(table)
    for name, rating, deviation, games in met_anchors(calibration, ratings):
        far = f"±{1.96 * deviation:.0f}"
        out.print(f"{name}: {rating:.0f} {far} ({console.counted(games, 'game')})", markup=False)
    if standing.widest > within:
        console.note(
            f"the widest interval is ±{standing.widest:.0f} Elo, not ±{within:g}; the same "
            "command goes on from here"
        )


def met_anchors(calibration: Calibration, ratings: Ratings) -> list[tuple[str, float, float, int]]:
    """Return name, rating, standard deviation and games of each anchor that has played."""
    count = len(calibration.dial.settings)
    games = calibration.games.sum(1)
    return [
        (one.name, float(ratings.mean[i]), float(ratings.deviations[i]), round(games[i]))
        for i, one in enumerate(calibration.entrants)
        if i >= count and games[i]
    ]


def _tell_where(out: Path, asked: CalibrateOptions, used: bool) -> None:
    if asked.out is not None:
        console.tell(f"Written to {out}. Players go on as before.")
    elif used:
        console.tell(f"Kept in {out}. Players use it from now on.")
    else:
        console.tell("The curve that players use is narrower, so they go on with it.")


def _as_json(
    calibration: Calibration, curve: Curve, ratings: Ratings, standing: Standing
) -> dict[str, Any]:
    return {
        "game": curve.game,
        "player": curve.player,
        "games": standing.games,
        "seconds": round(standing.seconds, 1),
        "widest": round(standing.widest, 1),
        "settings": [
            {"setting": setting, "elo": elo, "elo_low": low, "elo_high": high}
            for setting, elo, low, high in zip(
                curve.settings, curve.ratings, curve.low, curve.high, strict=True
            )
        ],
        "anchors": [
            {"name": name, "elo": round(elo, 1), "deviation": round(deviation, 1), "games": games}
            for name, elo, deviation, games in met_anchors(calibration, ratings)
        ],
    }


def draw(
    path: Path, calibration: Calibration, curve: Curve, ratings: Ratings, before: Curve | None
) -> None:
    """Draw what each setting plays at, with its band; before too, if it was known."""
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
                axis.text(np.max(curve.settings), rating, name, ha="right", va="bottom", size=8)
            axis.set(xlabel=f"{dial.player}: {dial.key}", ylabel="Elo", title=f"{dial.game}")
            axis.legend(loc="upper left")
    except OSError as error:
        raise UsageError(
            f"cannot write {path} ({error.strerror or error}); choose another --plot"
        ) from None
