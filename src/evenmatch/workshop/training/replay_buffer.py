"""The replay buffer: one file of positions per iteration, the most recent of them in memory."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import StateError
from evenmatch.files import replacing
from evenmatch.games.game import Game
from evenmatch.workshop.training.self_play import Samples


class Replay:
    """Positions to learn from. Files are written once, whole, and never changed."""

    def __init__(self, game: Game, folder: Path, window: int, share: float):
        """Keep the last ``window`` positions, at most ``share`` of all there ever were."""
        self.game = game
        self.folder = folder
        self.window = window
        self.share = share
        self.total = 0
        self._most = 1
        self._shards: list[Samples] = []
        folder.mkdir(parents=True, exist_ok=True)

    def __len__(self) -> int:
        """Positions in memory: the window and the rest of its oldest file."""
        return sum(len(shard.states) for shard in self._shards)

    @property
    def newest(self) -> int:
        """How many positions the last iteration brought."""
        return len(self._shards[-1].states)

    @property
    def learned_from(self) -> int:
        """How many positions the window has."""
        return min(len(self), self._most)

    def append(self, iteration: int, samples: Samples) -> None:
        """Add an iteration's positions and write their file."""
        path = self.folder / f"{iteration:05d}.npz"
        with replacing(path) as partial:
            np.savez_compressed(partial, **samples._asdict())
        self._add(samples)

    def load(self, iterations: int) -> None:
        """Read back the files of the first ``iterations``; files of later ones are removed.

        StateError if one cannot be read.
        """
        for path in sorted(self.folder.glob("[0-9][0-9][0-9][0-9][0-9].npz")):
            if int(path.stem) >= iterations:
                path.unlink()
                continue
            self._add(self._read(path))

    def _read(self, path: Path) -> Samples:
        try:
            with np.load(path) as shard:
                samples = Samples(**{name: shard[name] for name in Samples._fields})
            count = len(samples.states)
            actions, words = self.game.num_actions, self.game.initial().shape[1]
            shapes = {"states": (count, words), "policies": (count, actions)}
            for name, array in samples._asdict().items():
                if array.shape != shapes.get(name, (count,)) or not np.isfinite(array).all():
                    raise ValueError(name)
        except Exception as error:  # numpy, zipfile and zlib raise all kinds of them
            raise StateError(f"{path} cannot be read; start again with another --out") from error
        return samples

    def _add(self, samples: Samples) -> None:
        self._shards.append(samples)
        self.total += len(samples.states)
        self._most = max(min(self.window, int(self.share * self.total)), 1)
        while len(self) - len(self._shards[0].states) >= self._most:
            del self._shards[0]

    def gather(self) -> Samples:
        """Return the window, its oldest positions first, as one set of arrays."""
        fields = (np.concatenate(field) for field in zip(*self._shards, strict=True))
        return Samples(*(field[-self._most :] for field in fields))


class Batches:
    """Draws batches for the network from a set of samples, each in a random symmetry."""

    def __init__(self, game: Game, samples: Samples, search_value: float, seed: int):
        self.game = game
        self.samples = samples
        self.search_value = search_value
        self._rng = np.random.default_rng(seed)

    def draw(
        self, size: int
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """Return planes [size, C, H, W], policies [size, A] and values [size]."""
        samples, game = self.samples, self.game
        rows = self._rng.integers(0, len(samples.states), size)
        planes = game.encoded(samples.states[rows])
        policies = samples.policies[rows].astype(np.float32)
        values = samples.outcomes[rows] * (1 - self.search_value)
        values += samples.searched[rows] * self.search_value
        kinds = self._rng.integers(0, len(game.cell_symmetries), size)
        cells, actions = game.cell_symmetries[kinds], game.action_symmetries[kinds]
        flat = planes.reshape(size, game.planes, -1)
        turned = np.take_along_axis(flat, cells[:, None, :], axis=2).reshape(planes.shape)
        policies = np.take_along_axis(policies, actions, axis=1)
        return turned, policies / policies.sum(1, keepdims=True), values
