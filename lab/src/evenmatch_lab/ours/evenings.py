"""Evenings: a new person's games in a row, through the real front ends, from the first one.

In the place of the person a player of the table reads the moves that the program shows, and answers
them (`shared/front_ends.py`). What is kept is what ``evenmatch me --json`` shows after the evening,
and what the program said of levels after each game.

The opponent's seeds are those that the program draws, so another run has other games.
"""

import os
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evenmatch.app.report import facts_of, reports
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.profiles import Profile
from evenmatch.progress import Progress
from evenmatch.ratings.scale import SCALES
from evenmatch_lab.ours.evenness import FIRST, VERSIONS
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, figure
from evenmatch_lab.shared.agents import networks
from evenmatch_lab.shared.clusters import ratio_mean
from evenmatch_lab.shared.front_ends import FRONT_ENDS, NAME, FrontEnd, Person
from evenmatch_lab.shared.intervals import wilson
from evenmatch_lab.shared.opponents import seed_of
from evenmatch_lab.shared.strangers import EVERYBODY

GAMES = ("connect4", "othello6", "othello", "go9", "chess")  #: on the first one if none is named
SEED, ROUNDS, QUICK_ROUNDS = 59, 20, 2
KINDS = ("beginner", "casual player", "club player", "strong player", "improving player")
_ON_BOARDS = (
    ("minimax1 1, 30% random",), ("AlphaZero, 35% random",), ("MCTS 300",),
    ("AlphaZero, 8% random",), ("style 1", "style 2"),
)  # fmt: skip
PEOPLE = {
    **dict.fromkeys(GAMES[:3], _ON_BOARDS),
    "go9": (("people 20k",), ("people 10k",), ("people 5k",), ("people 1d",),
            ("people 15k", "people 5k")),
    "chess": (("people 1000",), ("people 1400",), ("people 1800",), ("people 2200",),
              ("people 1000", "people 1800")),
}  # fmt: skip
"""The names of strangers who play as each of KINDS, by game; of two the second plays later."""


def parts(quick: bool, game_id: str = GAMES[0]) -> dict[str, Part]:
    """One part an evening: a kind of person and a front end."""
    found = {}
    specs = {one.name: one.spec for one in EVERYBODY[game_id]} | {"people 15k": "human:rank=15k"}
    for kind, names in list(zip(KINDS, PEOPLE[game_id], strict=True))[: 1 if quick else None]:
        for front_end, play in FRONT_ENDS.items():
            settings = {
                "game": game_id,
                "persons": list(names),
                "players": [specs[name] for name in names],
                "games": QUICK_ROUNDS if quick else ROUNDS,
                "seed": seed_of(SEED, f"{kind} | {front_end}"),
                "networks": networks("even", *(specs[name] for name in names), game_id=game_id),
                "version": VERSIONS[game_id],
            }
            found[f"{kind} | {front_end}"] = Part(settings, partial(evening, settings, play))
    return found


def evening(
    settings: Mapping[str, Any], play: FrontEnd, progress: Progress, done: Results
) -> dict[str, Any]:
    """Play an evening from an empty profile; return a row a game."""
    game = get_game(settings["game"])
    person = Person(game, settings["players"], settings["seed"])
    with tempfile.TemporaryDirectory() as folder:
        told = []
        for said in play(person, settings["games"], os.environ | {"EVENMATCH_STATE": folder}):
            told.append(said)
            progress(len(told), settings["games"])
        profile = Profile(Path(folder))
        facts = facts_of(*reports(profile, NAME, game.id))
        profile.close()
    return {"rows": rows_of(facts, told)}


def rows_of(facts: Mapping[str, Any], told: Sequence[str]) -> list[dict[str, Any]]:
    """Return a row a game, by what `evenmatch me --json` says of it and what the program said."""
    after = {level["games"]: level for level in facts["history"]}
    rows = []
    for number, (one, said) in enumerate(zip(facts["played"], told, strict=True), 1):
        side, level = 1 if one["first"] == NAME else -1, after.get(number)
        rows.append({
            "points": (1 + side * one["result"]) / 2,
            "played_at": one["level"],
            "opponent": one["opponent"],
            "shown": level and [level[key] for key in ("rating", "low", "high")],
            "plies": len(one["moves"]),
            "said": said,
        })  # fmt: skip
    return rows


# -- the page of results ---------------------------------------------------------------------------


class Evening(NamedTuple):
    """The games of an evening."""

    kind: str
    front_end: str
    game: str
    people: str
    rows: list[dict[str, Any]]

    @classmethod
    def all_of(cls, results: Results) -> list["Evening"]:
        """Return the evenings of results, those of a kind after one another."""
        found = []
        for key, one in results.items():
            (kind, front_end), of = key.split(" | "), one["settings"]
            found.append(
                cls(kind, front_end, of["game"], ", then ".join(of["persons"]), one["rows"])
            )
        return found

    @property
    def points(self) -> np.ndarray:
        """1, 0.5 or 0 for each game."""
        return np.array([row["points"] for row in self.rows])

    @property
    def played_at(self) -> np.ndarray:
        """The mean level of the opponent in each game, nan for none."""
        return np.array([row["played_at"] for row in self.rows], float)

    @property
    def shown(self) -> np.ndarray:
        """The level after each game with both ends of its interval, nan for none: [games, 3]."""
        return np.array([row["shown"] or [np.nan] * 3 for row in self.rows], float)


SLICES = {f"games 1 to {FIRST}": slice(FIRST), f"games {FIRST + 1} on": slice(FIRST, None)}


def page(results: Results) -> list[str]:
    """Write the scores by kind of person, and a row an evening."""
    known = Evening.all_of(results)
    kinds = [list(some) for _, some in groupby(known, key=lambda one: one.kind)]
    by_kind = [
        [some[0].kind, some[0].people, *(_score(some, part) for part in SLICES.values())]
        for some in kinds
    ]
    means = [_over_evenings([one.points[part] for one in known]) for part in SLICES.values()]
    heads = ("evening", *(f"score, {name}" for name in SLICES), "won, drawn, lost",
             "opponent's level, game 1", f"mean, {list(SLICES)[1]}", "level shown after the last",
             "opponent of the last")  # fmt: skip
    return [
        table(("person", "played by", *SLICES), [*by_kind, ["all", "-", *means]], left=(0, 1)),
        "",
        table(heads, map(_evening_cells, known)),
    ]


def _score(evenings: Sequence[Evening], part: slice) -> str:
    """Write the mean score with Wilson's interval, games as independent."""
    points = np.concatenate([one.points[part] for one in evenings])
    if not len(points):
        return "-"
    low, high = wilson(float(points.mean()), len(points))
    return f"{points.mean():.2f} ({low:.2f} to {high:.2f})"


def _over_evenings(points: Sequence[np.ndarray]) -> str:
    """Write the mean score with Student's interval, evenings as independent."""
    if not all(map(len, points)):
        return "-"
    mean = ratio_mean(np.array([one.sum() for one in points]), np.array(list(map(len, points))))
    return "{:.2f} ({:.2f} to {:.2f})".format(mean.mean, *mean.interval)


def _evening_cells(one: Evening) -> list[str]:
    write = SCALES[game_info(one.game).written].write
    later, (level, low, high) = one.played_at[FIRST:], one.shown[-1]
    return [
        f"{one.kind}, {one.front_end}",
        *(_score([one], part) for part in SLICES.values()),
        ", ".join(str(int((one.points == result).sum())) for result in (1, 0.5, 0)),
        "-" if np.isnan(one.played_at[0]) else write(one.played_at[0]),
        "-" if not len(later) or np.isnan(later).any() else write(later.mean()),
        "-" if np.isnan(level) else f"{write(level)} ({write(low)} to {write(high)})",
        f"`{one.rows[-1]['opponent']}`",
    ]


def plot(results: Results, path: Path) -> None:
    """Draw levels and the mean score so far over the games, a panel a kind of person."""
    known = Evening.all_of(results)
    kinds = [list(some) for _, some in groupby(known, key=lambda one: one.kind)]
    levels = np.concatenate([np.r_[one.played_at, one.shown[:, 0]] for one in known])
    for axes in figure(path, len(kinds), height=4.2, width=max(5.5, 3.2 * len(kinds))):
        for axis, some in zip(axes, kinds, strict=True):
            scores = axis.twinx()
            for one, colour in zip(some, ("C0", "C1"), strict=False):
                games = np.arange(1, len(one.rows) + 1)
                axis.plot(games, one.played_at, "-", color=colour, label=one.front_end)
                axis.plot(games, one.shown[:, 0], "--", color=colour)
                scores.plot(games, one.points.cumsum() / games, ":", color=colour)
            scores.axhline(0.5, color="0.8", lw=0.8, zorder=0)
            scores.set(ylim=(0, 1))
            axis.set(title=f"{some[0].kind}\n{some[0].people}", xlabel="game")
            axis.set(ylim=(np.nanmin(levels) - 50, np.nanmax(levels) + 50))
            axis.xaxis.get_major_locator().set_params(integer=True)
        axes[0].set(ylabel="level: of the opponent (solid), shown (dashed)")
        axes[0].legend(frameon=False, fontsize=8)
        scores.set(ylabel="mean score so far (dotted)")


EXPERIMENT = Experiment(
    "evenings",
    "Twenty games of a new person, in the terminal and on the page",
    parts,
    page,
    plot,
    games=GAMES[1:],
)
