"""Players with ratings among people, against the chess dial: what its scale is on a server.

The networks of Maia play their most likely move, as the bots of that name do on Lichess, where they
have had published ratings. They meet three settings of the dial; their Elo is by maximum
likelihood, with the dial's ratings taken as they are. The offset is what has to be added to the
dial's scale to get a server's.
"""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from evenmatch.games import get_game
from evenmatch.network.artifact import digest_of, shipped_path
from evenmatch.opponents.dials import DIALS, curve_of
from evenmatch.play.arena import Pairing, distinct_games, paired, play
from evenmatch.progress import Progress
from evenmatch.ratings import BradleyTerry, PairingScore, Score
from evenmatch.ratings.pentanomial import SCORES
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Part, Results, digest
from evenmatch_lab.shared.agents import fitted

GAME, SEED, RESAMPLES = "chess", 1903, 1_000
OPENING_PLIES = 2  #: random ones, since these players repeat moves
GAMES = 20  #: against each setting, two from an opening
SETTINGS = (700.0, 1500.0, 2100.0)  #: of the dial
NETS = shipped_path(GAME).parent
PREFIX = f"{GAME}, anchor, "


class Rated(NamedTuple):
    """A player that people have met on Lichess."""

    network: str  #: name of a network that ships
    published: Mapping[str, float]  #: its rating there by speed, at the time noted below


#: maia1: rapid in October 2021, blitz in December 2022; maia5: rapid in November 2025; maia9: blitz
#: in April 2024.
ANCHORED = {
    "Maia 1100": Rated("maia-1100", {"rapid": 1603, "blitz": 1397}),
    "Maia 1500": Rated("maia-1500", {"rapid": 1618}),
    "Maia 1900": Rated("maia-1900", {"blitz": 1481}),
}


def parts(quick: bool) -> dict[str, Part]:
    """One part for each anchor and setting."""
    dial, by_key = DIALS[GAME], {}
    for name, anchor in list(ANCHORED.items())[: 1 if quick else None]:
        for setting in SETTINGS[: 1 if quick else None]:
            spec = dial.spec(setting) + (",sims=4" if quick else "")
            settings = {
                "players": [f"alphazero:net={anchor.network},sims=1,solve=off", spec],
                "games": 2 if quick else GAMES,
                "openings": OPENING_PLIES,
                "fitted": fitted(spec),
                "networks": [digest(GAME), digest_of(NETS / f"{anchor.network}.onnx")],
                "seed": SEED,
            }
            by_key[f"{PREFIX}{name}, s = {setting:g}"] = Part(settings, partial(measure, settings))
    return by_key


def measure(settings: dict, progress: Progress, done: Results) -> dict:
    """Play an anchor against a setting; return the pairs of games from one opening by points."""
    pairings = [
        Pairing(*((0, 1) if k % 2 == 0 else (1, 0)), k // 2) for k in range(settings["games"])
    ]
    played = play(
        settings["players"], pairings, get_game(GAME),
        seed=SEED, openings=settings["openings"], progress=progress,
    )  # fmt: skip
    return {"pairs": list(paired(played, 0, 1).counts), "distinct": distinct_games(played)}


def page(results: Results) -> list[str]:
    """Write each anchor's Elo on the dial's scale, and the offsets to its published ratings."""
    rows, offsets = [], []
    for name, anchor in ANCHORED.items():
        own = {
            float(key.rpartition(" = ")[2]): row
            for key, row in results.items()
            if key.startswith(f"{PREFIX}{name}, ")
        }
        if not own:
            continue
        elo, drawn = rated(own), rated_again(own)
        low, high = np.quantile(drawn, (0.025, 0.975))
        games = 2 * sum(sum(row["pairs"]) for row in own.values())
        for speed, rating in anchor.published.items():
            offsets.append((speed, rating - elo, rating - drawn))
            interval = f"{rating - elo:+.0f} ({rating - high:+.0f} to {rating - low:+.0f})"
            rows.append(
                [name, str(games), f"{elo:.0f} ({low:.0f} to {high:.0f})", speed, rating, interval]
            )
    if not rows:
        return []
    heads = ["player", "games", "Elo on the dial's scale (95%)", "Lichess", "published", "offset"]
    means = []
    for speed in dict.fromkeys(speed for speed, _, _ in offsets):
        some, again = zip(*[(x, drawn) for of, x, drawn in offsets if of == speed], strict=True)
        low, high = np.quantile(np.mean(again, axis=0), (0.025, 0.975))
        means.append(f"{speed} {np.mean(some):+.0f} ({low:+.0f} to {high:+.0f})")
    return [
        *("", "## Anchors among people: chess", ""),
        *(table(heads, rows), ""),
        f"Mean offset to Lichess, Elo (95%, for the games alone): {', '.join(means)}.",
    ]


def rated(rows: Mapping[float, dict], rng: np.random.Generator | None = None) -> float:
    """Return an anchor's Elo by its games against settings; with ``rng`` pairs are drawn again."""
    curve = curve_of(GAME, DIALS[GAME].player)
    assert curve is not None, "it ships"
    scores = []
    for setting, row in rows.items():
        counts = np.array(row["pairs"])
        drawn = counts if rng is None else rng.multinomial(counts.sum(), counts / counts.sum())
        scores.append(PairingScore(first="anchor", second=f"{setting:g}", score=score_of(drawn)))
    anchors = {f"{setting:g}": curve.rating(setting) for setting in rows}
    return float(BradleyTerry(anchors=anchors).fit(scores)["anchor"].elo)


def rated_again(rows: Mapping[float, dict]) -> np.ndarray:
    """Return an anchor's Elo by pairs of games drawn with replacement."""
    rng = np.random.default_rng(SEED)
    return np.array([rated(rows, rng) for _ in range(RESAMPLES)])


def score_of(counts) -> Score:
    """Return a score with as many points as pairs of games gave; odd halves are draws."""
    points = round(4 * float(np.array(counts) @ SCORES)) / 2  # of two games a pair
    games = 2 * int(np.sum(counts))
    draws = int(2 * points) % 2
    wins = int(points - draws / 2)
    return Score(wins=wins, losses=games - wins - draws, draws=draws)
