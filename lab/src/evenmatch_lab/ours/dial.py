"""Does a rating mean a strength in games? The dials' curves, by games that they do not know.

On each game players at fixed settings of the dial (`opponents/dials.py`) meet their next two
neighbours; those nearest to it meet the player that makes the scale. Games begin as those of the
calibration. Batches with an odd number belong to the fit of the curve that ships; the even ones are
held out. Measured Elo of these is by maximum likelihood, and is compared with what the curve says
of the setting, and with what it said before.

A part is a batch of openings in which all of them meet; one more part for each game rates them.
Players with ratings among people are in `dial_anchors`.

``python -m evenmatch_lab.ours.dial GAME`` fits the curve that ships to the batches for the fit.
"""

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from evenmatch.files import replace_file
from evenmatch.games import get_game
from evenmatch.opponents.dials import DIALS, Curve, Dial, curve_of, shipped_curve_path
from evenmatch.opponents.rating_range import ANCHORS
from evenmatch.play.arena import Pairing, distinct_games, paired, play
from evenmatch.progress import Progress
from evenmatch.ratings import BradleyTerry, PairingScore, expected_score
from evenmatch.ratings.pentanomial import SCORES
from evenmatch.workshop.calibration import OPENING_PLIES, Calibration
from evenmatch_lab.ours import dial_anchors
from evenmatch_lab.ours.dial_anchors import score_of
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, ResultFile, Results, digest, figure
from evenmatch_lab.shared.agents import fitted

SEED, RESAMPLES = 1031, 2_000
#: The settings that play, and the rating that the curve before gave each: even steps on that.
PLAYERS: dict[str, tuple[tuple[float, float], ...]] = {
    "chess": (
        (700.589, 1026), (1361.4, 1440), (1627.84, 1647), (1876.06, 1853), (2157.78, 2060),
        (2373.56, 2267),
    ),
    "connect4": (
        (0.00440252, 812), (0.555755, 1006), (0.854479, 1201), (1.19760, 1395), (1.5802, 1590),
        (1.93967, 1785), (3.52836, 1979), (6.65, 2174),
    ),
    "othello6": (
        (0.00561798, 996), (0.781004, 1142), (1.19167, 1287), (1.5435, 1432), (1.90228, 1577),
        (2.58852, 1722), (4.32990, 1868), (6.913, 2013),
    ),
    "othello": (
        (0.00774336, 890), (0.927609, 1106), (1.36823, 1322), (1.81661, 1538), (2.32056, 1755),
        (3.30367, 1971), (4.39640, 2187), (6.65, 2404),
    ),
}  # fmt: skip
BATCH = 10  #: games of each two in a part, two from an opening
BATCHES = {"connect4": 16, "othello6": 16}  #: what a game has of them
BATCHES_ELSEWHERE = 8  #: where games take longer
CHANCES = 100  #: tables of games that are drawn to see what chance does
NEAREST = 4  #: players that meet the one that makes the scale
QUICK = 2, 2, 3  # batches, games of each two in one, players
NEIGHBOURS = 2
RATINGS = "ratings"  #: part of a game that rates its players
AIM = 30  #: Elo that ratings may be off on average


def parts(quick: bool) -> dict[str, Part]:
    """One part a batch of openings, of each game that has a curve, and one that rates."""
    by_key = {}
    for game_id, players in PLAYERS.items():
        dial = DIALS[game_id]
        curve = curve_of(game_id, dial.player)
        assert curve is not None, "it ships"
        batches = BATCHES.get(game_id, BATCHES_ELSEWHERE)
        batches, games, count = QUICK if quick else (batches, BATCH, len(players))
        played, before = map(list, zip(*players[:count], strict=True))
        specs = [dial.spec(x) + (",sims=4" if quick else "") for x in played]
        standard, rating = standard_of(dial)
        settings = {
            "players": specs,
            "standard": [standard, rating],
            "games": games,
            "openings": OPENING_PLIES.get(game_id, 0),
            "network": digest(game_id),
            "seed": SEED,
        }
        if dial.player == "pikl":
            settings["fitted"] = fitted(*specs, standard)
        for batch in range(batches):
            one = settings | {"batch": batch}
            by_key[key(game_id, batch)] = Part(one, partial(measure, game_id, before, one))
        needs = tuple(key(game_id, batch) for batch in range(1, batches, 2))
        said = {
            "before": before,
            "set": [round(curve.rating(x), 1) for x in played],
            "draws": RESAMPLES,
            "chances": CHANCES,
            "seed": SEED,
        }
        by_key[f"{game_id}, {RATINGS}"] = Part(said, partial(rate, said), needs)
    return by_key | dial_anchors.parts(quick)


def key(game_id: str, batch: int) -> str:
    """Return the name of a batch of a game; those that are held out have even numbers."""
    return f"{game_id}, {'held out' if batch % 2 else 'fit'}, batch {batch + 1}"


def measure(
    game_id: str, guess: list[float], settings: dict, progress: Progress, done: Results
) -> dict:
    """Play each two neighbours; return the pairs of games from one opening by their points."""
    (standard, rating), games, batch = (settings[name] for name in ("standard", "games", "batch"))
    met = meetings(guess, rating)
    pairings = [  # those of the batches before first, so that a batch is the same among more
        Pairing(*((i, j) if k % 2 == 0 else (j, i)), k // 2)
        for k in range(games * (batch + 1))
        for i, j in met
    ]
    played = play(
        [*settings["players"], standard], pairings, get_game(game_id),
        seed=SEED, openings=settings["openings"], progress=progress,
        only=range(games * batch * len(met), len(pairings)),
    )  # fmt: skip
    return {
        "pairs": {f"{i} - {j}": list(paired(played, i, j).counts) for i, j in met},
        "distinct": distinct_games(played),
    }


def rate(said: dict, progress: Progress, done: Results) -> dict:
    """Rate the players of a game by its held-out batches; lists are by player, in Elo.

    Errors are means with their intervals, of the curve and of that before. ``step`` is how many Elo
    of games 100 Elo of the dial are, by least squares.
    """
    row = together(list(done.values()))
    found, drawn = measured(row), drawn_again(row)
    low, high = quantiles(drawn)
    numbers = {"measured": found, "low": low, "high": high}
    for name in ("set", "before"):
        of = np.array(said[name])
        numbers[f"error, {name}"] = np.array(
            [np.abs(found - of).mean(), *quantiles(np.abs(drawn - of).mean(1))]
        )
        slopes = [100 * np.polyfit(of, one, 1)[0] for one in (found, *drawn)]
        numbers[f"step, {name}"] = np.array([slopes[0], *quantiles(np.array(slopes[1:]))])
    rounded = {name: np.round(of, 2).tolist() for name, of in numbers.items()}
    return rounded | {"by_chance": round(by_chance(row, said["set"]), 2)}


def quantiles(drawn: np.ndarray) -> np.ndarray:
    """Return the ends of the 95% interval along the first axis."""
    return np.quantile(drawn, (0.025, 0.975), 0)


def by_game(results: Results) -> Results:
    """Return one row for each game that is rated: its held-out games together, and its ratings."""
    batches = defaultdict(list)
    for name, row in results.items():
        if ", held out, " in name:
            batches[name.partition(",")[0]].append(row)
    rated = {game_id: results.get(f"{game_id}, {RATINGS}") for game_id in batches}
    return {
        game_id: together(rows) | {RATINGS: rated[game_id]}
        for game_id, rows in batches.items()
        if rated[game_id]
    }


def fitted_curve(game_id: str, rows: Sequence[dict]) -> Curve:
    """Return the curve of a game's dial by batches of its games.

    The tally is that of `evenmatch calibrate`, whose fit it is; the player that makes the scale is
    its only anchor.
    """
    dial, row = DIALS[game_id], together(rows)
    standard, _ = row["settings"]["standard"]
    anchors = [one for one in ANCHORS[game_id] if one.spec == standard]
    specs = [*row["settings"]["players"], standard]
    met = []
    for names, counts in row["pairs"].items():
        first, second = (specs[int(number)] for number in names.split(" - "))
        points = 2 * float(np.dot(counts, SCORES))
        met.append([first, second, points, 2 * sum(counts) - points, 0.0])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tally.json"
        tally = Calibration(dial, anchors, path)
        replace_file(path, json.dumps({**tally.identity(), "batches": len(rows), "met": met}))
        return Calibration(dial, anchors, path).curve(f"python -m {__spec__.name} {game_id}")


def together(rows: Sequence[dict]) -> dict:
    """Return the games of several batches of a game as one row."""
    pairs = {
        met: np.sum([row["pairs"][met] for row in rows], 0).tolist() for met in rows[0]["pairs"]
    }
    return rows[0] | {"pairs": pairs, "distinct": sum(row["distinct"] for row in rows)}


def standard_of(dial: Dial) -> tuple[str, float]:
    """Return the spec of the player that makes a dial's scale, and its rating."""
    if dial.fixed is not None:
        return dial.spec(dial.fixed), dial.fixed
    known = [one for one in ANCHORS[dial.game] if one.rating is not None]
    surest = min(known, key=lambda one: one.deviation)
    return surest.spec, float(surest.rating or 0.0)


def meetings(ratings: Sequence[float], rating: float) -> list[tuple[int, int]]:
    """Return which players meet, by number; that of the scale, of this rating, is the last."""
    count = len(ratings)
    nearest = sorted(np.argsort(np.abs(np.array(ratings) - rating))[:NEAREST].tolist())
    return [*neighbours(count), *((i, count) for i in nearest)]


def neighbours(count: int) -> list[tuple[int, int]]:
    """Return which players meet, by number."""
    return [(i, j) for i in range(count) for j in range(i + 1, min(i + 1 + NEIGHBOURS, count))]


def measured(row: dict, rng: np.random.Generator | None = None) -> np.ndarray:
    """Return each player's Elo on the standard's scale; with ``rng`` pairs are drawn again."""
    count = len(row["settings"]["players"])
    scores = []
    for met, counts in row["pairs"].items():
        first, _, second = met.partition(" - ")
        total = sum(counts)
        drawn = counts if rng is None else rng.multinomial(total, np.array(counts) / total)
        scores.append(PairingScore(first=first, second=second, score=score_of(drawn)))
    anchors = {str(count): row["settings"]["standard"][1]}
    table = BradleyTerry(anchors=anchors).fit(scores)
    return np.array([table[str(i)].elo for i in range(count)])


def page(results: Results) -> list[str]:
    """Write what the dial was set to beside what was measured, and how far it is off."""
    lines, errors = [], []
    for game_id, row in by_game(results).items():
        settings, rated = row["settings"], row[RATINGS]
        said, title = rated["settings"], get_game(game_id).title
        rows = [
            [spec.partition("=")[2], f"{before:.0f}", f"{now:.0f}",
             f"{elo:.0f} ({low:.0f} to {high:.0f})", f"{elo - now:+.0f}"]
            for spec, before, now, elo, low, high in zip(
                settings["players"], said["before"], said["set"], rated["measured"], rated["low"],
                rated["high"], strict=True,
            )
        ]  # fmt: skip
        games, (standard, rating) = 2 * sum(map(sum, row["pairs"].values())), settings["standard"]
        heads = ["setting", "rating before", "rating", "measured (95%)", "off"]
        lines += [
            *("", f"## {title}", ""),
            f"{games} held-out games ({row['distinct']} distinct), seed {settings['seed']}; "
            f"`{standard}` has {rating:.0f}",
            *("", table(heads, rows, left=())),
        ]
        cells = [
            f"{mean:.0f} ({low:.0f} to {high:.0f})"
            for mean, low, high in (
                rated[name] for name in ("error, before", "error, set", "step, before", "step, set")
            )
        ]
        errors.append([title, *cells[:2], f"{rated['by_chance']:.0f}", *cells[2:]])
    heads = [
        "mean error before, Elo (95%)",
        "mean error",
        "by chance alone",
        "100 Elo of the dial before",
        "100 Elo of the dial",
    ]
    return [table(["game", *heads], errors), *lines, *dial_anchors.page(results)]


def drawn_again(row: dict) -> np.ndarray:
    """Return the Elo [RESAMPLES, players] of pairs of games drawn with replacement."""
    rng = np.random.default_rng(SEED)
    return np.array([measured(row, rng) for _ in range(RESAMPLES)])


def by_chance(row: dict, ratings: Sequence[float]) -> float:
    """Return the mean error in Elo of players of exactly these ratings, in as many games.

    Games are independent and without draws.
    """
    rng, settings = np.random.default_rng(SEED), row["settings"]
    every = [*ratings, settings["standard"][1]]
    errors = []
    for _ in range(CHANCES):
        pairs = {}
        for met, counts in row["pairs"].items():
            i, j = map(int, met.split(" - "))
            wins = rng.binomial(2, expected_score(every[i] - every[j]), sum(counts))
            pairs[met] = np.bincount(2 * wins, minlength=len(SCORES)).tolist()
        off = measured(row | {"pairs": pairs}) - ratings
        errors.append(float(np.abs(off).mean()))
    return float(np.mean(errors))


def plot(results: Results, path: Path) -> None:
    """Draw the measured ratings against those set, a panel per game."""
    games = by_game(results)
    if not games:
        return
    for axes in figure(path, len(games), width=4.5 * len(games), height=4):
        for axis, (game_id, row) in zip(axes, games.items(), strict=True):
            rated = row[RATINGS]
            now, before = (np.array(rated["settings"][name]) for name in ("set", "before"))
            axis.plot(now, now, "--", color="0.6", label="as set")
            axis.plot(before, rated["measured"], "s:C1", label="measured, by the curve before")
            axis.plot(now, rated["measured"], "o-C0", label="measured")
            axis.fill_between(now, rated["low"], rated["high"], color="C0", alpha=0.2)
            axis.set(title=get_game(game_id).title, xlabel="rating set", ylabel="Elo")
            axis.legend()


EXPERIMENT = Experiment(
    "dial", "The dial in games that its calibration does not know", parts, page, plot
)


def main() -> None:
    """Write the curve of the board that is named, by the results in docs/results."""
    boards = [game_id for game_id in PLAYERS if DIALS[game_id].player == "style"]
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("game", choices=boards)
    game_id = parser.parse_args().game
    rows = ResultFile.read(Path("docs/results/dial.json")).parts
    some = [row for name, row in rows.items() if name.startswith(f"{game_id}, fit, ")]
    if not some:
        parser.error("docs/results/dial.json has no games of it; run this at the top of a checkout")
    curve = fitted_curve(game_id, some)
    curve.save(shipped_curve_path(game_id, curve.player))


if __name__ == "__main__":
    main()
