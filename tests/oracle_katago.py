"""A slow and obvious twin for KataGo's networks: model files of random weights, and what they say.

The forward pass is in double precision, with nothing folded and every norm where it stands.
"""

import gzip

import numpy as np

EPSILON = 0.001


class RandomNet:
    """A network with random weights, written in the order of a model file of version 8."""

    def __init__(self, seed=1, kinds=("ordinary_block", "gpool_block"), channels=6, version=8):
        self._rng = np.random.default_rng(seed)
        self._parts = [f"random\n{version}\n22\n19\n".encode()]
        self.kinds, self.layers = kinds, {}
        middle, pooled, few, hidden = 4, 3, 5, 7
        self._words("trunk", len(kinds), channels, channels, middle, pooled, pooled)
        self._conv("stem", 5, 22, channels)
        self._dense("told", 19, channels)
        for i, kind in enumerate(kinds):
            self._words(kind, f"block{i}")
            self._block(f"block{i}", kind, channels, middle, pooled)
        self._norm("tip", channels)
        self._words("policyhead")
        self._conv("p1", 1, channels, few)
        self._conv("g1", 1, channels, pooled)
        self._norm("g1_norm", pooled)
        self._dense("g1_added", 3 * pooled, few)
        self._norm("p1_norm", few)
        self._conv("p2", 1, few, 1)
        self._dense("passing", 3 * pooled, 1)
        self._words("valuehead")
        self._conv("v1", 1, channels, few)
        self._norm("v1_norm", few)
        self._dense("v2", 3 * few, hidden, bias=True)
        self._words("v2_act")
        self._dense("v3", hidden, 3, bias=True)
        self._dense("score", hidden, 4, bias=True)
        self._conv("owner", 1, few, 1)

    def packed(self):
        """Return the gzipped file."""
        return gzip.compress(b"".join(self._parts), mtime=0)

    def _words(self, *words):
        self._parts.append("".join(f"{word}\n" for word in words).encode())

    def _numbers(self, array):
        self._parts.append(b"@BIN@" + array.astype("<f4").tobytes() + b"\n")

    def _draw(self, *shape):
        return self._rng.normal(size=shape).astype(np.float32).astype(float)

    def _conv(self, name, size, inputs, outputs):
        weight = self._draw(size, size, inputs, outputs) / np.sqrt(size * size * inputs)
        self._words(name, size, size, inputs, outputs, 1, 1)
        self._numbers(weight)
        self.layers[name] = weight

    def _dense(self, name, inputs, outputs, bias=False):
        self.layers[name] = self._draw(inputs, outputs) / np.sqrt(inputs)
        self._words(name, inputs, outputs)
        self._numbers(self.layers[name])
        if bias:
            self.layers[f"{name}_bias"] = self._draw(outputs)
            self._words(f"{name}_bias", outputs)
            self._numbers(self.layers[f"{name}_bias"])

    def _norm(self, name, channels):
        """A norm with its scale, but for every other one; and the activation after it."""
        scaled = len(self.layers) % 2
        mean, variance = self._draw(channels), 0.5 + self._draw(channels) ** 2
        rows = [mean, variance, *self._draw(1 + scaled, channels)]
        self._words(name, channels, EPSILON, scaled, 1)
        for row in rows:
            self._numbers(row)
        self._words(f"{name}_act")
        scale = rows[2] if scaled else np.ones(channels)
        self.layers[name] = (mean, variance, scale, rows[-1])

    def _block(self, name, kind, channels, middle, pooled):
        self._norm(f"{name}_pre", channels)
        self._conv(f"{name}_first", 3, channels, middle)
        if kind == "gpool_block":
            self._conv(f"{name}_g", 3, channels, pooled)
            self._norm(f"{name}_g_norm", pooled)
            self._dense(f"{name}_added", 3 * pooled, middle)
        self._norm(f"{name}_mid", middle)
        self._conv(f"{name}_second", 3, middle, channels)

    # -- the forward pass ------------------------------------------------------------------------

    def forward(self, planes, masks=None):
        """Return policy, win/none/loss, lead and ownership for planes [n, 41, H, W].

        `masks` are keep-masks [n, F] before the policy's last layer and the value's dense layers.
        """
        n, size = len(planes), planes.shape[-1]
        told = planes[:, 22:, 0, 0]
        keep = masks or (1.0, 1.0, 1.0)
        x = self.conv("stem", planes[:, :22]) + (told @ self.layers["told"])[:, :, None, None]
        for i, kind in enumerate(self.kinds):
            x = x + self.block(f"block{i}", kind, x)
        x = self.norm("tip", x)
        g = pooled(self.norm("g1_norm", self.conv("g1", x)))
        p = self.conv("p1", x) + (g @ self.layers["g1_added"])[:, :, None, None]
        p = self.norm("p1_norm", p) * np.reshape(keep[0], (*np.shape(keep[0]), 1, 1))
        points = self.conv("p2", p).reshape(n, size * size)
        policy = np.concatenate([points, g @ self.layers["passing"]], 1)
        v = self.norm("v1_norm", self.conv("v1", x))
        owner = np.tanh(self.conv("owner", v)).reshape(n, size * size)
        hidden = np.maximum(self.dense("v2", pooled(v, value=True) * keep[1]), 0) * keep[2]
        outcome = self.dense("v3", hidden)
        outcome[:, 2] -= 1e9 * ((told[:, 6] == 1) & (told[:, 9] == 0))
        chances = np.exp(outcome - outcome.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        lead = 20 * self.dense("score", hidden)[:, 2] * (1 - chances[:, 2])
        return policy, chances[:, [0, 2, 1]], lead, owner

    def block(self, name, kind, x):
        """Return what a block adds."""
        y = self.norm(f"{name}_pre", x)
        z = self.conv(f"{name}_first", y)
        if kind == "gpool_block":
            g = pooled(self.norm(f"{name}_g_norm", self.conv(f"{name}_g", y)))
            z = z + (g @ self.layers[f"{name}_added"])[:, :, None, None]
        return self.conv(f"{name}_second", self.norm(f"{name}_mid", z))

    def conv(self, name, x):
        """Return a convolution of x [n, C, H, W], zeros around the board."""
        weight = self.layers[name]
        reach = len(weight) // 2
        wide = np.pad(x, ((0, 0), (0, 0), (reach, reach), (reach, reach)))
        height, width = x.shape[2:]
        return sum(
            np.einsum("nchw,co->nohw", wide[:, :, r : r + height, c : c + width], weight[r, c])
            for r in range(len(weight))
            for c in range(len(weight))
        )

    def norm(self, name, x):
        """Return the rectified norm of x."""
        mean, variance, scale, bias = (row[:, None, None] for row in self.layers[name])
        return np.maximum((x - mean) / np.sqrt(variance + EPSILON) * scale + bias, 0)

    def dense(self, name, x):
        """Return a dense layer with bias."""
        return x @ self.layers[name] + self.layers[f"{name}_bias"]


def pooled(x, value=False):
    """Return means, means by the board's width, and maxima, or means by its square."""
    mean, width = x.mean((2, 3)), (np.sqrt(x.shape[2] * x.shape[3]) - 14) / 10
    last = mean * (width**2 - 0.1) if value else x.max((2, 3))
    return np.concatenate([mean, mean * width, last], 1)
