"""Do players of a rating score as their ratings say? Games that no calibration knew.

On each game whose dial has a curve (`evenmatch calibrate`), players at ratings spread over its
range meet their next two neighbours; those nearest to it meet the player that makes the scale.
Games begin two plies later than those of the calibration, so that none begins as one of those did;
at chess, whose players draw lots, all begin at the usual start.
Measured Elo is by maximum likelihood, on the scale of that player.

A part is a batch of openings in which all of them meet; one more part for each game rates them.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from evenmatch.games import get_game
from evenmatch.opponents.dials import DIALS, Dial, curve_of
from evenmatch.opponents.rating_range import ANCHORS
from evenmatch.play.arena import Pairing, distinct_games, paired, play
from evenmatch.progress import Progress
from evenmatch.ratings import BradleyTerry, PairingScore, Score, expected_score
from evenmatch.ratings.pentanomial import SCORES
from evenmatch.workshop.calibration import OPENING_PLIES as CALIBRATED
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, digest, figure

SEED, PLAYERS, RESAMPLES = 1031, 8, 2_000
BATCH = 10  #: games of each two in a part, two from an opening
BATCHES = {"connect4": 16, "othello6": 16}  #: what a game has of them
BATCHES_ELSEWHERE = 8  #: where games take longer
LATER = 2  #: random plies more than in the calibration
CHANCES = 100  #: tables of games that are drawn to see what chance does
NEAREST = 4  #: players that meet the one that makes the scale
QUICK = 2, 2, 3  # batches, games of each two in one, players
NEIGHBOURS = 2
RATINGS = "ratings"  #: part of a game that rates its players
AIM = 50  #: Elo that ratings may be off on average


def parts(quick: bool) -> dict[str, Part]:
    """One part a batch of openings, of each game that has a curve."""
    by_key = {}
    for game_id, dial in DIALS.items():
        curve = curve_of(game_id, dial.player, calibrated=True)
        if curve is None:
            continue
        batches = BATCHES.get(game_id, BATCHES_ELSEWHERE)
        batches, games, count = QUICK if quick else (batches, BATCH, PLAYERS)
        low, high = curve.range
        asked = [float(round(x)) for x in np.linspace(low + 1, high - 1, count)]
        more = (",sims=4" if quick else ",calibrated=on") if dial.people else ""
        standard, rating = standard_of(dial)
        settings = {
            "players": [f"{dial.player}:elo={rating:g}{more}" for rating in asked],
            "asked": asked,
            "standard": [standard, rating],
            "games": games,
            "openings": openings_of(game_id),
            "curve": list(curve.ratings),
            "network": digest(game_id),
            "seed": SEED,
        }
        for batch in range(batches):
            one = settings | {"batch": batch}
            by_key[f"{game_id}, batch {batch + 1}"] = Part(one, partial(measure, game_id, one))
        needs = tuple(f"{game_id}, batch {batch + 1}" for batch in range(batches))
        draws = {"draws": RESAMPLES, "chances": CHANCES, "seed": SEED}
        by_key[f"{game_id}, {RATINGS}"] = Part(draws, rate, needs)
    return by_key


def measure(game_id: str, settings: dict, progress: Progress, done: Results) -> dict:
    """Play each two neighbours; return the pairs of games from one opening by their points."""
    (standard, rating), games, batch = (settings[key] for key in ("standard", "games", "batch"))
    met = meetings(settings["asked"], rating)
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


def rate(progress: Progress, done: Results) -> dict:
    """Rate the players of a game by all its batches; lists are by player, all numbers are Elo."""
    row = together(list(done.values()))
    asked, found, drawn = np.array(row["settings"]["asked"]), measured(row), drawn_again(row)
    errors = [np.abs(found - asked).mean(), *quantiles(np.abs(drawn - asked).mean(1))]
    low, high = quantiles(drawn)
    numbers = {"measured": found, "low": low, "high": high, "error": np.array(errors)}
    rounded = {name: np.round(of, 2).tolist() for name, of in numbers.items()}
    return rounded | {"by_chance": round(by_chance(row), 2)}


def quantiles(drawn: np.ndarray) -> np.ndarray:
    """Return the ends of the 95% interval along the first axis."""
    return np.quantile(drawn, (0.025, 0.975), 0)


def by_game(results: Results) -> Results:
    """Return one row for each game that is rated: its batches' games together, and its ratings."""
    batches = defaultdict(list)
    for key, row in results.items():
        if not key.endswith(RATINGS):
            batches[key.partition(",")[0]].append(row)
    rated = {game_id: results.get(f"{game_id}, {RATINGS}") for game_id in batches}
    return {
        game_id: together(rows) | {RATINGS: rated[game_id]}
        for game_id, rows in batches.items()
        if rated[game_id]
    }


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


def openings_of(game_id: str) -> int:
    """Return how many random plies games begin with."""
    plies = CALIBRATED.get(game_id, 0)
    return plies + LATER if plies else 0


def meetings(asked: Sequence[float], rating: float) -> list[tuple[int, int]]:
    """Return which players meet, by number; that of the scale, of this rating, is the last."""
    count = len(asked)
    nearest = sorted(np.argsort(np.abs(np.array(asked) - rating))[:NEAREST].tolist())
    return [*neighbours(count), *((i, count) for i in nearest)]


def neighbours(count: int) -> list[tuple[int, int]]:
    """Return which players meet, by number."""
    return [(i, j) for i in range(count) for j in range(i + 1, min(i + 1 + NEIGHBOURS, count))]


def measured(row: dict, rng: np.random.Generator | None = None) -> np.ndarray:
    """Return each player's Elo on the standard's scale; with ``rng`` pairs are drawn again."""
    asked = row["settings"]["asked"]
    scores = []
    for key, counts in row["pairs"].items():
        first, _, second = key.partition(" - ")
        total = sum(counts)
        drawn = counts if rng is None else rng.multinomial(total, np.array(counts) / total)
        scores.append(PairingScore(first=first, second=second, score=score_of(drawn)))
    anchors = {str(len(asked)): row["settings"]["standard"][1]}
    table = BradleyTerry(anchors=anchors).fit(scores)
    return np.array([table[str(i)].elo for i in range(len(asked))])


def score_of(counts) -> Score:
    """Return a score with as many points as pairs of games gave; odd halves are draws."""
    points = round(4 * float(np.array(counts) @ SCORES)) / 2  # of two games a pair
    games = 2 * int(np.sum(counts))
    draws = int(2 * points) % 2
    wins = int(points - draws / 2)
    return Score(wins=wins, losses=games - wins - draws, draws=draws)


def page(results: Results) -> list[str]:
    """Write what was asked for beside what was measured."""
    lines, errors = [], []
    for game_id, row in by_game(results).items():
        settings, rated = row["settings"], row[RATINGS]
        found, title = rated["measured"], get_game(game_id).title
        rows = [
            [f"{asked:.0f}", f"{elo:.0f} ({low:.0f} to {high:.0f})", f"{elo - asked:+.0f}"]
            for asked, elo, low, high in zip(
                settings["asked"], found, rated["low"], rated["high"], strict=True
            )
        ]
        games, (standard, rating) = 2 * sum(map(sum, row["pairs"].values())), settings["standard"]
        lines += [
            *("", f"## {title}", ""),
            f"{games} games ({row['distinct']} distinct), seed {settings['seed']}; "
            f"`{standard}` has {rating:.0f}",
            *("", table(["asked for", "measured (95%)", "off"], rows, left=())),
        ]
        error, least, most = rated["error"]
        verdict = "yes" if most < AIM else "no" if least >= AIM else "undecided"
        interval = f"{error:.0f} ({least:.0f} to {most:.0f})"
        falls = f"{int((np.diff(found) <= 0).sum())} of {len(found) - 1}"
        errors.append([title, interval, f"{rated['by_chance']:.0f}", verdict, falls])
    heads = ["mean error, Elo (95%)", "by chance alone", f"under {AIM}", "steps out of order"]
    return [table(["game", *heads], errors), *lines]


def drawn_again(row: dict) -> np.ndarray:
    """Return the Elo [RESAMPLES, players] of pairs of games drawn with replacement."""
    rng = np.random.default_rng(SEED)
    return np.array([measured(row, rng) for _ in range(RESAMPLES)])


def by_chance(row: dict) -> float:
    """Return the mean error that players show who are exactly as asked, in as many games, in Elo.

    Games are independent and without draws.
    """
    rng, settings = np.random.default_rng(SEED), row["settings"]
    every = [*settings["asked"], settings["standard"][1]]
    errors = []
    for _ in range(CHANCES):
        pairs = {}
        for key, counts in row["pairs"].items():
            i, j = map(int, key.split(" - "))
            wins = rng.binomial(2, expected_score(every[i] - every[j]), sum(counts))
            pairs[key] = np.bincount(2 * wins, minlength=len(SCORES)).tolist()
        off = measured(row | {"pairs": pairs}) - settings["asked"]
        errors.append(float(np.abs(off).mean()))
    return float(np.mean(errors))


def plot(results: Results, path: Path) -> None:
    """Draw measured against asked, a panel a game."""
    games = by_game(results)
    if not games:
        return
    for axes in figure(path, len(games), width=4.5 * len(games), height=4):
        for axis, (game_id, row) in zip(axes, games.items(), strict=True):
            asked, dial = np.array(row["settings"]["asked"]), DIALS[game_id]
            rated = row[RATINGS]
            axis.plot(asked, asked, "--", color="0.6", label="as asked")
            if dial.fixed is not None:  # its settings are ratings
                axis.plot(dial.settings, row["settings"]["curve"], "s:C1", label="not calibrated")
            axis.plot(asked, rated["measured"], "o-C0", label="measured")
            axis.fill_between(asked, rated["low"], rated["high"], color="C0", alpha=0.2)
            axis.set(title=get_game(game_id).title, xlabel="rating asked for", ylabel="Elo")
            axis.legend()


EXPERIMENT = Experiment(
    "true_ratings", "Players of a rating, in games that no calibration knew", parts, page, plot
)
