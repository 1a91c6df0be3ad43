"""Person or program? ACE's experiment 3 with people who judge pairs of games on the web page.

A pair is a game of two people of a class and one of a player set to its middle, which plays itself
(``turing_pairs``). A judge sees both as far, says which is the program's and how sure they are,
and sees the answer. Each sees a pair once, in a random order and on random sides; 50% is guessing.

The guesses are those of the profile, in the state folder. A person is kept here only as a
number. Where docs/results has the classifier's figures (``turing``), they stand beside.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.network.artifact import digest_of
from evenmatch.opponents.table import player_name
from evenmatch.profiles import Profile
from evenmatch.profiles.people import SURE, Guesser
from evenmatch.progress import Progress
from evenmatch.records.pairs import SHIPPED, Pairs, shipped_pairs
from evenmatch_lab.ace2019 import turing
from evenmatch_lab.ace2019.turing_pairs import PLAYERS, RESULTS, part_of
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, ResultFile, Results, fingerprint
from evenmatch_lab.shared.agents import CLASSES, RATINGS
from evenmatch_lab.shared.clusters import cluster_mean
from evenmatch_lab.shared.intervals import share_text, wilson

PART = "guesses"


class Judged(NamedTuple):
    """A guess, with what was judged."""

    judge: int
    label: str  #: of the class
    player: str
    sure: str
    right: bool


def parts(quick: bool) -> dict[str, Part]:
    """One part, which is as up to date as the guesses that it has."""
    pairs, profile = shipped_pairs(), Profile()
    judges = profile.guesses.guessers()
    profile.close()
    found = judged(judges, pairs)
    result = {
        "pairs": len(pairs.by_id),
        "people": len({one.judge for one in found}),
        "guesses": [list(one) for one in found],
        "left_out": sum(len(judge.guesses) for judge in judges) - len(found),
        "classifier": classifier(pairs.scale),
    }
    settings = {
        "pairs": digest_of(SHIPPED),
        "networks": list(pairs.networks),
        "told": fingerprint([result]),
    }
    return {PART: Part(settings, partial(_told, result))}


def _told(result: dict[str, Any], progress: Progress, done: Results) -> dict[str, Any]:
    return result


def judged(judges: Sequence[Guesser], pairs: Pairs) -> list[Judged]:
    """Return what people said of the pairs that ship."""
    return [
        Judged(judge.number, pair.label, player_name(pair.player), guess.sure, guess.right)
        for judge in judges
        for guess in judge.guesses
        if (pair := pairs.by_id.get(guess.pair))
    ]


def classifier(scale: str) -> dict[str, list[float]]:
    """Return accuracy and half its interval by class and player; empty without results."""
    rows = ResultFile.read(RESULTS / f"{turing.EXPERIMENT.name}.json").parts
    found = {}
    for label in CLASSES:
        for player in PLAYERS:
            row = rows.get(part_of(scale, label, player) + turing.TOLD, {})
            if row.get("told_right"):
                found[cell(label, player)] = row["told_right"]
    return found


def cell(label: str, player: str) -> str:
    """Return what a class and a player are called together."""
    return f"{label}: {player}"


def page(results: Results) -> list[str]:
    """Write the shares of right guesses: by class and player, and by how sure people were."""
    row = results[PART]
    found, classified = [Judged(*one) for one in row["guesses"]], row["classifier"]
    counts = [row["people"], len(found), row["pairs"], row["left_out"]]
    rows = []
    for label, rating in zip(CLASSES, RATINGS, strict=True):
        of_class, shown = [one for one in found if one.label == label], f"{label} ({rating})"
        for player in PLAYERS:
            own = accuracy(classified.get(cell(label, player)))
            rows.append([shown, f"`{player}`", *shares(of_class, player=player), own])
        rows.append([shown, "all", *shares(of_class), ""])
    rows += [["all", f"`{player}`", *shares(found, player=player), ""] for player in PLAYERS]
    rows.append(["all", "all", *shares(found), ""])
    right = ["right (95%)", "guesses (people)"]
    return [
        table(["people", "guesses", "pairs", "guesses of pairs that do not ship"], [counts], ()),
        "",
        table(["class (rating)", "player", *right, "classifier"], rows, left=(0, 1)),
        "",
        table(["sure", *right], [[x, *shares(found, sure=x)] for x in SURE]),
    ]


def shares(found: Sequence[Judged], player: str = "", sure: str = "") -> tuple[str, str]:
    """Return the share that is right, of those of a player or so sure, and how many guesses."""
    fitting = [x for x in found if player in ("", x.player) and sure in ("", x.sure)]
    if not fitting:
        return "-", "0 (0)"
    judges = np.array([one.judge for one in fitting])
    right = np.array([one.right for one in fitting], float)
    counts = f"{len(fitting)} ({len(np.unique(judges))})"
    if len(np.unique(judges)) == 1:
        return f"{right.mean():.1%}", counts
    return share_text(float(right.mean()), interval(right, judges)), counts


def interval(right: NDArray[np.float64], judges: NDArray[np.int64]) -> tuple[float, float]:
    """Return the 95% interval of a share of two people or more."""
    found = cluster_mean(right, judges)
    if found.variance > 0:
        return found.interval
    return wilson(found.mean, len(np.unique(judges)))


def accuracy(told: list[float] | None) -> str:
    """Write the classifier's accuracy, if it is known."""
    if told is None:
        return "-"
    middle, half = told
    return share_text(middle, (middle - half, middle + half))


EXPERIMENT = Experiment(
    "turing_people",
    "Person or program? People judge games of players of a rating (ACE, experiment 3)",
    parts,
    page,
)
