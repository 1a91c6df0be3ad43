"""Boards of any size for networks of KataGo's architecture, and planes for them."""

from pathlib import Path

import numpy as np

from evenmatch.errors import UsageError
from evenmatch.network import artifact

SHIPPED_FILE = Path(artifact.__file__).parents[1] / "nets" / "go.onnx"  # for all three boards


class Board:
    """Stands for Go: what an evaluator asks of the game, but for the encoding."""

    family = "go"
    planes = 41

    def __init__(self, size, family="go"):
        self.id, self.family = f"{family}{size}", family
        self.height = self.width = size
        self.num_actions = size * size + 1

    def encoder(self, planes):
        if planes != self.planes:
            raise UsageError("other planes")
        return lambda rows, out: np.copyto(out, rows)


def random_planes(n, size, seed=5):
    rng = np.random.default_rng(seed)
    planes = (rng.random((n, 41, size, size)) < 0.2).astype(np.float32)
    planes[:, 0] = 1
    planes[:, 22:] = planes[:, 22:, :1, :1]
    planes[:, 27] = rng.normal(size=(n, 1, 1))
    return planes
