"""Raters of moves: the evidence of a finished game's moves for ratings, on the game's scale."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenmatch.estimation import style_likelihood
from evenmatch.estimation.estimator_files import (
    shipped_estimator,
    shipped_file,
    shipped_method,
)
from evenmatch.estimation.level import DRIFT
from evenmatch.estimation.player_games import PlayerGame
from evenmatch.estimation.strength_estimator import Scorer, StrengthEstimator
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.games.line import OWN
from evenmatch.network.artifact import digest_of
from evenmatch.opponents.dials import Curve, curve_of
from evenmatch.opponents.networks import load_evaluator
from evenmatch.profiles.export import names_of
from evenmatch.profiles.saved_game import Finished
from evenmatch.records.codec import codec_for
from evenmatch.records.record import GameRecord

Floats = NDArray[np.float64]
RatedMoves = tuple[int, Floats]  #: how many moves of a game were rated, and their evidence

LADDER = "evenmatch"  #: the scale of games that have no rated people: Elo of its players
DIAL = "style"  #: the player whose ratings those are


class MoveRater(ABC):
    """What moves say in one game."""

    scale: str  #: of the ratings
    grid: Floats  #: of ratings, [S]
    correlation: float  #: how alike moves of two games of one person are beyond the rating
    unlike: float = 0.0  #: deviation of a rating about the one that moves indicate, in Elo
    drift: float  #: variance of ratings per day
    key: str  #: of the method; evidence by another key is not used

    @abstractmethod
    def rated(self, games: Sequence[Finished]) -> list[RatedMoves]:
        """Return what the moves of each game say, as it is to be kept."""

    @abstractmethod
    def on_grid(self, says: Floats) -> Floats:
        """Return log-likelihoods [S] on the grid by what was kept."""


class EstimatorRater(MoveRater):
    """By the estimator of a scale; its networks load with the first game, which takes seconds."""

    def __init__(self, game_id: str, scale: str):
        self.scale = scale
        method = shipped_method(scale)
        self._method = method
        self.grid, self.correlation = method.grid, method.correlation
        self.drift = DRIFT if is_elo(game_id) else 0.0
        self.key = digest_of(shipped_file(scale))

    @cached_property
    def _estimator(self) -> StrengthEstimator:
        return shipped_estimator(self.scale)

    @property
    def scorer(self) -> Scorer:
        """What rates moves."""
        return self._estimator.scorer

    def rated(self, games):
        """Ask the estimator of all games at once."""
        sides = [player_game(game) for game in games]
        moves = self.scorer(sides)
        speeds = [side.record.speed for side in sides]
        evidence = self._method.at_speeds(self._method.evidence(moves), speeds)
        return [(int(count), row[:-1]) for count, row in zip(moves.counts, evidence, strict=True)]

    def on_grid(self, says):
        """They are on the grid as they are."""
        return says


class StyleRater(MoveRater):
    """By the styles that would have made the moves, whose ratings calibration measured."""

    scale = LADDER
    correlation, unlike = style_likelihood.ALIKE, style_likelihood.UNLIKE
    drift = DRIFT  # people's at chess: how fast these ratings move is not known

    def __init__(self, game_id: str, curve: Curve):
        self._game_id, self._curve = game_id, curve
        self.simulations = game_info(game_id).simulations
        self.grid = style_likelihood.grid_of(curve.range)
        facts = (curve.network, curve.settings, self.simulations, style_likelihood.VERSION)
        self.key = hashlib.sha256(repr(facts).encode()).hexdigest()[:32]

    def rated(self, games):
        """Search each own position of all games once."""
        moves = [self._own_moves(game) for game in games]
        joined = style_likelihood.JudgedMoves(
            *(np.concatenate(rows) for rows in zip(*moves, strict=True))
        )
        game = get_game(self._game_id)
        logs = style_likelihood.likelihoods(
            joined, game, load_evaluator(game), self._curve.settings, self.simulations
        )  # fmt: skip
        counts = [len(one.actions) for one in moves]
        parts = np.split(logs, np.cumsum(counts)[:-1])
        return [(count, rows.sum(0)) for count, rows in zip(counts, parts, strict=True)]

    def on_grid(self, says):
        """Interpolate between the styles' ratings."""
        return style_likelihood.on_grid(says, self._curve.ratings, self.grid)

    def _own_moves(self, game: Finished) -> style_likelihood.JudgedMoves:
        """Return the positions in which the person moved without help and had a choice."""
        own, states = own_moves(game), np.asarray(game.line.states[:-1])
        return style_likelihood.JudgedMoves(states[own], np.array(game.saved.actions, np.intp)[own])


def rater_of(game_id: str) -> MoveRater | None:
    """Return the rater of a game's moves, None if the game has no rating scale."""
    scale = scale_of(game_id)
    if scale is None:
        return None
    curve = curve_of(game_id, DIAL, own=True) if scale == LADDER else None
    if curve is None:
        return estimator_rater(game_id, scale, shipped_file(scale))
    return StyleRater(game_id, curve)


@cache
def estimator_rater(game_id: str, scale: str, file: Path) -> EstimatorRater:
    """Return the rater by the estimator in a file, which is read and checked once a process."""
    return EstimatorRater(game_id, scale)


def scale_of(game_id: str) -> str | None:
    """Return the rating scale of levels in a game, None if there is none."""
    info = game_info(game_id)
    sources = [one for one in info.sources if one.ships and not one.on_request]
    if sources:
        return sources[0].name
    ladder = not info.servers and curve_of(game_id, DIAL, own=True) is not None
    return LADDER if ladder else None


def is_elo(game_id: str) -> bool:
    """Return whether a game's ratings predict results, and how fast they move is known.

    Steps of ranks are of no known strength.
    """
    return game_info(game_id).written == "elo"


def own_moves(game: Finished) -> NDArray[np.bool_]:
    """Return at which plies the person moved without help and had a choice, [P]."""
    saved, line = game.saved, game.line
    if not line.ply:
        return np.zeros(0, np.bool_)
    states = np.asarray(line.states[:-1])
    marks = saved.marks or (OWN,) * line.ply
    own = np.array([mark == OWN for mark in marks], np.bool_)
    own &= line.game.to_play(states) == saved.side
    return own & (line.game.legal_mask(states).sum(1) > 1)


def player_game(game: Finished) -> PlayerGame:
    """Return a game as its person played it.

    A person's side is a colour, as the rules have it; a record has who moved first in front.
    """
    saved, line = game.saved, game.line
    first = int(line.game.to_play(line.states[0][None])[0])
    marks = saved.marks or (OWN,) * len(saved.actions)
    black, white = names_of(game)
    record = GameRecord(
        game=saved.game,
        moves=codec_for(saved.game).recorded(line.states[:-1], np.array(saved.actions, np.int64)),
        result=game.outcome.result * saved.side,
        players=(black, white) if first > 0 else (white, black),
        evals=None if game.metadata is None else game.metadata.ply_evals,
        aided=np.array([mark != OWN for mark in marks], np.bool_),
        start=saved.start,
    )
    return PlayerGame(record, saved.side * first)
