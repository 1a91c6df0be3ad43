"""Teach a fitted estimator games whose evaluations an engine made here.

An engine with few nodes says other things of positions than the records' evaluations do, so games
that it evaluated are judged by models of their own.
"""

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.estimation.estimator_files import ALONE, WITH_EXTRA, Fitted, load
from evenmatch.estimation.move_features import EVALS, MADE, MoveFeatures
from evenmatch.estimation.player_games import Evaluate, as_recorded
from evenmatch.files import replacing
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.progress import Progress
from evenmatch.workshop.datasets.dataset import Dataset, Sides
from evenmatch.workshop.fitting.fitting import Networks, facts_of, learned_from
from evenmatch.workshop.fitting.pooled_fit import learn_made, save, torch_module
from evenmatch.workshop.fitting.samples import evals_of

SIDES = {"tune": 600, "candidate": 300}  #: of each rank, that are learned from
CACHE = "evaluations.npz"  #: what the engine said so far, beside the estimator
BATCH = 64  #: games between two writings of it


def fit_evaluated(
    folder: Path,
    network: Path,
    out: Path,
    *,
    evaluate: Evaluate,
    engine: str,
    policies: Sequence[Path] = (),
    command: str = "",
    judging: Progress,
    evaluating: Progress,
) -> list[Path]:
    """Teach the estimator in the folder ``out`` games that ``evaluate`` evaluates; return its file.

    ``engine`` names the engine and its settings. Its evaluations are written to ``out`` as they
    come, so that the same command resumes there. ``judging`` gets the progress of moves judged,
    ``evaluating`` of moves evaluated. NetworkError if no estimator is there, or one of another
    network; UsageError names a rank with too few games.
    """
    torch_module()
    dataset, scale = Dataset.open(folder), folder.resolve().name
    game = dataset.codec.game
    path = out / (WITH_EXTRA if policies else ALONE).format(game.id, scale)
    method, facts = Fitted(out, network).method(scale, game.id, bool(policies)), load(path)[1]
    networks = Networks(network, NetworkEvaluator(network, game), tuple(policies))
    rated = learned_from(dataset, networks, scale, SIDES, judging, None, lambda *_: None)
    known = Evaluations(out / CACHE, {"dataset": dataset.identity, "engine": engine})
    known.make(dataset, np.unique(rated.sides.games), evaluate, evaluating)
    moves = with_made(dataset, rated.sides, rated.moves, known.of_game)
    learn_made(method, moves, rated.ratings, rated.players)
    made = {"made": facts_of(rated, command) | {"engine": engine}}
    own = ("command", "games", "players", "date")
    kept = {key: facts[key] for key in own if key in facts}
    save(method, network, facts["scales"], path, policies, **kept | made)
    return [path]


def with_made(
    dataset: Dataset,
    sides: Sides,
    moves: MoveFeatures,
    of_game: dict[int, NDArray[np.int16]],
) -> MoveFeatures:
    """Return moves with evaluations that were made here, by the numbers of games."""
    evals = evals_of(dataset, sides, moves.counts, of_game.get)
    made = {EVALS: evals, MADE: np.ones((len(evals), 1), np.float32)}
    return moves._replace(columns=moves.columns | made)


class Evaluations:
    """What an engine said of games of a dataset, kept in a file."""

    def __init__(self, path: Path, facts: dict[str, Any]):
        """``facts`` name dataset and engine; evaluations of others in the file are dropped."""
        self._path, self._facts = path, json.dumps(facts)
        self.of_game: dict[int, NDArray[np.int16]] = self._read()

    def make(
        self, dataset: Dataset, games: NDArray[np.int64], evaluate: Evaluate, progress: Progress
    ) -> None:
        """Let ``evaluate`` say what is not known yet of some games."""
        due = [int(game) for game in games if int(game) not in self.of_game]
        plies = dataset.games["plies"]
        done, total = int(plies[games].sum() - plies[due].sum()), int(plies[games].sum())
        for at in range(0, len(due), BATCH):
            some = due[at : at + BATCH]
            records = [dataset.record(game) for game in some]
            states = [dataset.codec.played(one.moves, one.start)[1:] for one in records]
            self.of_game |= dict(zip(some, map(as_recorded, evaluate(states)), strict=True))
            self._write()
            done += int(plies[some].sum())
            progress(done, total)

    def _read(self) -> dict[int, NDArray[np.int16]]:
        try:
            with np.load(self._path) as file:
                if str(file["facts"]) != self._facts:
                    return {}
                ends = np.cumsum(file["plies"])[:-1]
                parts = np.split(file["evals"], ends) if len(file["games"]) else []
                return dict(zip(file["games"].tolist(), parts, strict=True))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, zipfile.BadZipFile):
            raise UsageError(f"{self._path} is damaged; delete it to begin again") from None

    def _write(self) -> None:
        rows = [np.zeros(0, np.int16), *self.of_game.values()]
        with replacing(self._path) as partial, partial.open("wb") as file:
            np.savez_compressed(
                file,
                facts=np.array(self._facts),
                games=np.array(list(self.of_game), np.int64),
                plies=np.array([len(row) for row in rows[1:]], np.int64),
                evals=np.concatenate(rows),
            )
