"""Pairs of games that people distinguish: ``turing_people``'s counterpart of ``turing``'s games.

    python -m evenmatch_lab.ace2019.turing_pairs runs/data/lichess-rapid

In each class a number of pairs for each player. One game is the player's with itself, one of those
that ``turing`` judged, which must be up to date in docs/results. The other is of two people whose
ratings are both of the class, one of them of split query, as there. All are cut after the same
plies, and the people's are different in all pairs. Ids are drawn, so that they reveal nothing.
"""

import argparse
import random
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from evenmatch.errors import UsageError
from evenmatch.records.pairs import SHIPPED, Pair, PairedGame, as_text
from evenmatch.workshop.datasets.dataset import Dataset, scale_names
from evenmatch_lab.ace2019 import turing
from evenmatch_lab.runner import ResultFile, Results, is_done
from evenmatch_lab.shared.agents import CLASSES, WIDTH, still_open

SEED = 31
RESULTS = Path("docs") / "results"  #: where experiments leave results by themselves
PLAYERS = ("human", "pikl", "ace", "sa")
EACH = 7  #: pairs of a class and player: there are 28 games of two people of class Grandmaster
PLIES = turing.COMPARED
ID_BITS = 48


def main() -> None:
    """Write the pairs into the package."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("dataset", type=Path, help="folder of the dataset that turing was run on")
    folder = parser.parse_args().dataset
    rows = judged_games(folder)
    SHIPPED.write_text(shipped_text(folder, rows), encoding="utf-8")


def judged_games(folder: Path) -> Results:
    """Return the parts in which the players' games are; UsageError if one is out of date."""
    kept = ResultFile.read(RESULTS / f"{turing.EXPERIMENT.name}.json")
    parts = turing.parts(False, [folder], [])
    (scale,) = scale_names([Dataset.open(folder)])
    keys = [part_of(scale, label, player) for label in CLASSES for player in PLAYERS]
    if not all(key in parts and is_done(key, parts, kept.rows) for key in keys):
        raise UsageError(
            "the players' games are not up to date; run: "
            f"evenmatch experiment {turing.EXPERIMENT.name} --data {folder}"
        )
    return {key: kept.rows[key] for key in keys}


def part_of(scale: str, label: str, player: str) -> str:
    """Return the name of the part of ``turing`` that has a player's games."""
    return f"{scale}, {label}: {player}"


def shipped_text(folder: Path, rows: Results) -> str:
    """Return the text of the file."""
    dataset = Dataset.open(folder)
    (scale,) = scale_names([dataset])
    settings = [row["settings"] for row in rows.values()]
    made = {
        "game": dataset.codec.game.id,
        "scale": scale,
        "people": "of the Lichess database, https://database.lichess.org, CC0-1.0",
        "programs": "played by evenmatch with itself",
        "command": f"python -m {__spec__.name} {folder.name}",
        "seed": SEED,
        "plies": PLIES,
        "dataset": dataset.identity,
        "played": sorted({row["date"] for row in rows.values()}),
        "code": sorted({row["code"] for row in rows.values()}),
        "networks": sorted({name for one in settings for name in one["networks"]}),
    }
    return as_text(made, pairs(dataset, scale, rows))


def pairs(dataset: Dataset, scale: str, rows: Results) -> list[Pair]:
    """Return the pairs, in an order that was drawn."""
    lots = random.Random(SEED)
    found = []
    for label, lowest in CLASSES.items():
        theirs = iter(people_games(dataset, lowest, len(PLAYERS) * EACH))
        for player in PLAYERS:
            row = rows[part_of(scale, label, player)]
            games = lots.sample(long_games(row["games"]), EACH)
            spec = row["settings"]["agent"]
            for game in games:
                both = PairedGame(_id(lots), next(theirs)), PairedGame(_id(lots), game)
                found.append(Pair(_id(lots), label, lowest, WIDTH, spec, *both))
    lots.shuffle(found)
    return found


def _id(lots: random.Random) -> str:
    return f"{lots.getrandbits(ID_BITS):0{ID_BITS // 4}x}"


def long_games(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the moves of the games that are as long as is shown, cut there."""
    games = [tuple(text.split()) for text in texts]
    return [moves[:PLIES] for moves in games if len(moves) >= PLIES]


def people_games(dataset: Dataset, lowest: int, most: int) -> list[tuple[str, ...]]:
    """Draw the moves of games of two people of a class; UsageError if there are too few."""
    sides, _ = turing.draw(dataset, "query", lowest, len(dataset.games))
    rows = dataset.games[sides.games]
    of_class = ((rows["ratings"] >= lowest) & (rows["ratings"] < lowest + WIDTH)).all(axis=1)
    fits = np.unique(sides.games[of_class & (rows["plies"] >= PLIES)])
    drawn = np.random.default_rng(SEED).permutation(fits).tolist()
    found = list(islice(filter(None, (_moves(dataset, game) for game in drawn)), most))
    if len(found) < most:
        raise UsageError(f"{most} games of two people rated {lowest} are needed; add games of some")
    return found


def _moves(dataset: Dataset, game: int) -> tuple[str, ...]:
    """Return the moves that are shown of a game; none if it was a draw by then and continued."""
    shown = dataset.states(np.full(PLIES, game), np.arange(PLIES))
    if not still_open(shown.states, dataset.codec.game).all():
        return ()
    return tuple(turing.words_of(dataset.codec.game, dataset.codec.actions(*shown).tolist()))


if __name__ == "__main__":
    main()
