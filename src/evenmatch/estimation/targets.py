"""The strength score that people of each rank show, ply by ply: what SE-MCTS is to keep to.

Chen et al. 2025, section 4.3: beta hangs on how far the game is (openings look alike in all
ranks), so the target of the d-th action is the mean of the rank's candidates at the d-th action.
"""

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenmatch.errors import NetworkError
from evenmatch.estimation.move_features import STRENGTH, MoveFeatures
from evenmatch.files import replacing
from evenmatch.ratings.ranks import Ranks

PLIES = 200  #: as many have a target of their own
NEAR = 8  #: plies on either side that count too, the less the farther away
LEAST = 100  #: moves a ply's mean needs, those near it included; later plies are as the last


def target_curves(
    moves: MoveFeatures, sides: NDArray, labels: NDArray, column: int, ranks: Ranks
) -> NDArray[np.float64]:
    """Return the mean beta of each rank at each ply [R, PLIES], smoothed.

    ``sides`` [G] of the players judged are 0 for who moved first, ``labels`` [G] their ranks,
    ``column`` is BETA (SE_inf) or BETA_PLAIN (SE).
    """
    plies = 2 * moves.places + np.repeat(sides, moves.counts)
    rank = np.repeat(labels, moves.counts)
    kept = (plies < PLIES) & (rank > 0)
    cell = (rank[kept] - 1) * PLIES + plies[kept]
    shape = ranks.count, PLIES
    size = ranks.count * PLIES
    counts = np.bincount(cell, minlength=size).reshape(shape)
    betas = moves.columns[STRENGTH][kept, column]
    sums = np.bincount(cell, weights=betas, minlength=size).reshape(shape)
    return np.array([_smooth(*row) for row in zip(sums, counts, strict=True)])


def _smooth(sums: NDArray, counts: NDArray) -> NDArray[np.float64]:
    """Return means [P] over the plies near each, triangular weights."""
    weights = NEAR + 1 - np.abs(np.arange(-NEAR, NEAR + 1))
    near = np.convolve(counts, weights > 0, "same")
    wide = np.convolve(counts, weights, "same")
    means = np.convolve(sums, weights, "same") / np.maximum(wide, 1)
    few = NEAR + np.flatnonzero(near[NEAR:] < LEAST)  # the first plies have fewer near them
    if len(few):
        means[few[0] :] = means[few[0] - 1]
    return means


def _curves(read: NDArray, count: int) -> NDArray[np.float64]:
    """Return curves [R, P] of so many ranks; ValueError if these are none."""
    if read.ndim != 2 or len(read) != count or count < 2 or not np.isfinite(read).all():
        raise ValueError("no curves")
    return read.astype(np.float64)


class Targets:
    """Target curves of the ranks, and between them those of any rating.

    Both are [R, P], the strongest rank first: ``beta`` of SE_inf, ``plain`` of SE.
    """

    def __init__(self, beta: ArrayLike, plain: ArrayLike, ranks: Ranks):
        self.beta, self.plain = np.asarray(beta, np.float64), np.asarray(plain, np.float64)
        self.ranks = ranks

    def at(self, rating: float, plain: bool = False) -> NDArray[np.float64]:
        """Return the curve [P] of a rating: between the middles of ranks, the last ones beyond."""
        middles = self.ranks.middle(np.arange(self.ranks.count, 0, -1))
        place = np.interp(rating, middles, np.arange(self.ranks.count))
        low = min(int(place), self.ranks.count - 2)
        rows = (self.plain if plain else self.beta)[::-1]  # the weakest first, as the middles
        return rows[low] + (place - low) * (rows[low + 1] - rows[low])

    def save(self, path: Path, network: str) -> None:
        """Write them, whole; ``network`` is the digest of the network that gave the betas."""
        with replacing(path) as partial, partial.open("wb") as file:
            np.savez_compressed(
                file,
                beta=self.beta.astype(np.float32),
                plain=self.plain.astype(np.float32),
                ranks=np.array([self.ranks.lowest, self.ranks.width, self.ranks.count]),
                written=np.array(self.ranks.written),
                network=np.array(network),
            )

    @classmethod
    def load(cls, path: Path, network: str) -> "Targets":
        """Read them. NetworkError if the file is missing, corrupt or of another network."""
        try:
            with np.load(path) as file:
                lowest, width, count = map(int, file["ranks"])
                written = str(file["written"]) if "written" in file else "elo"  # older files
                ranks = Ranks(lowest=lowest, width=width, count=count, written=written)
                beta, plain = (_curves(file[name], count) for name in ("beta", "plain"))
                targets = cls(beta, plain, ranks)
                same = str(file["network"]) == network
        except FileNotFoundError:
            raise NetworkError(f"no targets {path}; reinstall evenmatch to restore them") from None
        except Exception:
            raise NetworkError(f"targets {path} are corrupt; reinstall evenmatch") from None
        if not same:
            raise NetworkError(f"targets {path} are of another network; use the one that ships")
        return targets
