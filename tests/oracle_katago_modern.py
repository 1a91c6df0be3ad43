"""A slow and obvious twin for KataGo's networks of version 17: bottlenecks, transformers, profiles.

Written and computed as `oracle_katago` does, part by part as the format has them, in double
precision.
"""

import numpy as np
from oracle_katago import RandomNet, pooled

EPSILON = 1e-6  #: of norms by the root of the mean square
ACTS = {
    "MISH": lambda x: x * np.tanh(np.log1p(np.exp(x))),
    "SILU": lambda x: x / (1 + np.exp(-x)),
    "RELU": lambda x: np.maximum(x, 0),
    "IDENTITY": lambda x: x,
}


class ModernNet(RandomNet):
    """A network of version 17 with random weights.

    `blocks` are kinds of the trunk: res, pool, attention, ffn, or a tuple of those, nested.
    """

    def __init__(
        self, blocks, act="MISH", encoder=False, rms=None, rope="learned", heads=(4, 2), seed=1
    ):  # fmt: skip
        self._rng, self._parts, self.layers = np.random.default_rng(seed), [], {}
        self._act, self.rms, self.rope, self.heads, self.blocks = act, rms, rope, heads, blocks
        self.encoder, channels, policy, pooled_, few, hidden = encoder, 6, 4, 3, 5, 7
        factors = (20.0, 20.0, 20.0, 20.0, 40.0, 0.25, 150.0)
        self._words("random", 17, 22, 19, *factors, int(encoder), *[0] * 7)
        self._words("trunk", len(blocks), channels, 4, 3, 3, 3, int(rms is not None), *[0] * 5)
        self._conv("stem", 3, 22, channels)
        self._dense("told", 19, channels)
        if encoder:
            self._words("encoder", 192)
            self._dense("e1", 192, 8, bias=True)
            self._activation("e1_act")
            self._dense("e2", 8, 8, bias=True)
            self._activation("e2_act")
            self._dense("e3", 8, channels)
        for i, kind in enumerate(blocks):
            self._write(f"b{i}", kind, channels)
        if rms is None:
            self._norm("tip", channels)
        else:
            self._words("tip", channels, EPSILON, int(rms == "whole"), 0)
            self._numbers_of("tip", 2, channels)
            self._activation("tip_act")
        self._words("policyhead", 2, 0, 0, 0)
        self._conv("p1", 1, channels, policy)
        self._conv("g1", 1, channels, pooled_)
        self._norm("g1_norm", pooled_)
        self._dense("g1_added", 3 * pooled_, policy)
        self._norm("p1_norm", policy)
        self._conv("p2", 1, policy, 2)
        self._dense("pass1", 3 * pooled_, policy, bias=True)
        self._activation("pass_act")
        self._dense("pass2", policy, 2)
        self._words("valuehead", 0, 0, 0)
        self._conv("v1", 1, channels, few)
        self._norm("v1_norm", few)
        self._dense("v2", 3 * few, hidden, bias=True)
        self._activation("v2_act")
        self._dense("v3", hidden, 3, bias=True)
        self._dense("score", hidden, 6, bias=True)
        self._conv("owner", 1, few, 1)

    def _activation(self, name):
        self._words(name, f"ACTIVATION_{self._act}")

    def _norm(self, name, channels):
        super()._norm(name, channels)
        self._words(f"ACTIVATION_{self._act}")

    def _numbers_of(self, name, rows, channels):
        self.layers[name] = [self._draw(channels) for _ in range(rows)]
        for row in self.layers[name]:
            self._numbers(row)

    def _write(self, name, kind, channels):
        """Write a block."""
        if isinstance(kind, tuple):
            self._words("nested_bottleneck_block", name, len(kind))
            self._norm(f"{name}_pre", channels)
            self._conv(f"{name}_first", 1, channels, 4)
            for i, inner in enumerate(kind):
                self._write(f"{name}.{i}", inner, 4)
            self._norm(f"{name}_post", 4)
            self._conv(f"{name}_last", 1, 4, channels)
        elif kind == "attention":
            (heads, shared), size, value = self.heads, 4, 3
            turned = (int(self.rope is not None), int(self.rope == "learned"))
            self._words("transformer_attention_block", name, heads, shared, size, value, *turned)
            self._words(f"{name}_norm", channels, EPSILON)
            self._numbers_of(f"{name}_norm", 1, channels)
            self._dense(f"{name}_q", channels, heads * size)
            self._dense(f"{name}_k", channels, shared * size)
            self._dense(f"{name}_v", channels, shared * value)
            self._dense(f"{name}_out", heads * value, channels)
            if self.rope == "learned":
                self._words(f"{name}_freqs", shared, size // 2, 2)
                self._numbers_of(f"{name}_freqs", 1, shared * size)
            elif self.rope:
                self._words(f"{name}_theta", 100.0)
        elif kind == "ffn":
            self._words("transformer_ffn_block", name, channels, 8, 1)
            self._words(f"{name}_norm", channels, EPSILON)
            self._numbers_of(f"{name}_norm", 1, channels)
            self._dense(f"{name}_1", channels, 8)
            self._dense(f"{name}_gate", channels, 8)
            self._dense(f"{name}_2", 8, channels)
        else:
            kind = {"res": "ordinary_block", "pool": "gpool_block"}[kind]
            self._words(kind, name)
            self._block(name, kind, channels, 4, 3)

    # -- the forward pass ------------------------------------------------------------------------

    def forward(self, planes, profiles=None):
        """Return policy, win/none/loss, lead and ownership for planes [n, 41, H, W]."""
        act, n = ACTS[self._act], len(planes)
        told = planes[:, 22:, 0, 0].astype(float)
        added = told @ self.layers["told"]
        if self.encoder:
            e = act(self.dense("e2", act(self.dense("e1", profiles))))
            added = added + e @ self.layers["e3"]
        x = self.conv("stem", planes[:, :22]) + added[:, :, None, None]
        for i, kind in enumerate(self.blocks):
            x = x + self.added(f"b{i}", kind, x)
        x = act(self.by_root_mean("tip", x, self.rms)) if self.rms else self.norm("tip", x)
        g = pooled(self.norm("g1_norm", self.conv("g1", x)))
        p = self.conv("p1", x) + (g @ self.layers["g1_added"])[:, :, None, None]
        points = self.conv("p2", self.norm("p1_norm", p))[:, 0].reshape(n, -1)
        passing = act(self.dense("pass1", g)) @ self.layers["pass2"]
        v = self.norm("v1_norm", self.conv("v1", x))
        owner = np.tanh(self.conv("owner", v)).reshape(n, -1)
        hidden = act(self.dense("v2", pooled(v, value=True)))
        outcome = self.dense("v3", hidden)
        outcome[:, 2] -= 1e9 * ((told[:, 6] == 1) & (told[:, 9] == 0))
        chances = np.exp(outcome - outcome.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        lead = 20 * self.dense("score", hidden)[:, 2] * (1 - chances[:, 2])
        return np.hstack([points, passing[:, :1]]), chances[:, [0, 2, 1]], lead, owner

    def norm(self, name, x):
        """Return the norm of x and its activation."""
        mean, variance, scale, bias = (row[:, None, None] for row in self.layers[name])
        return ACTS[self._act]((x - mean) / np.sqrt(variance + 1e-3) * scale + bias)

    def by_root_mean(self, name, x, kind="point"):
        """Return x by the root of its mean square, scaled."""
        axes = (1, 2, 3) if kind == "whole" else 1
        y = x / np.sqrt((x**2).mean(axes, keepdims=True) + EPSILON)
        scale, *bias = (row[:, None, None] for row in self.layers[name])
        return y * scale + (bias[0] if bias else 0)

    def added(self, name, kind, x):
        """Return what a block adds."""
        if isinstance(kind, tuple):
            y = self.conv(f"{name}_first", self.norm(f"{name}_pre", x))
            for i, inner in enumerate(kind):
                y = y + self.added(f"{name}.{i}", inner, y)
            return self.conv(f"{name}_last", self.norm(f"{name}_post", y))
        if kind in ("res", "pool"):
            return self.block(name, {"res": "", "pool": "gpool_block"}[kind], x)
        n, channels, height, width = x.shape
        y = self.by_root_mean(f"{name}_norm", x).reshape(n, channels, -1).swapaxes(1, 2)
        if kind == "ffn":
            z = ACTS["SILU"](y @ self.layers[f"{name}_1"]) * (y @ self.layers[f"{name}_gate"])
            out = z @ self.layers[f"{name}_2"]
        else:
            out = np.stack([self.attention(name, one, width) for one in y])
        return out.swapaxes(1, 2).reshape(n, channels, height, width)

    def attention(self, name, y, width):
        """Return what attention adds to the points of one board, [P, C]."""
        heads, shared = self.heads
        q, k, v = (y @ self.layers[f"{name}_{part}"] for part in "qkv")
        seen = []
        for head in range(heads):
            of = head // (heads // shared)
            mine, other = q[:, 4 * head :][:, :4], k[:, 4 * of :][:, :4]
            mine, other = (self.turned(name, of, x, width) for x in (mine, other))
            shares = np.exp(mine @ other.T / 2)
            seen.append(shares / shares.sum(1, keepdims=True) @ v[:, 3 * of :][:, :3])
        return np.hstack(seen) @ self.layers[f"{name}_out"]

    def turned(self, name, head, x, width):
        """Return x [P, 4], each pair turned by the place of its point."""
        if self.rope is None:
            return x
        out = np.empty_like(x)
        for point in range(len(x)):
            row, column = divmod(point, width)
            for pair in range(2):
                angle = (row, column)[pair]  # theta to the power 0
                if self.rope == "learned":
                    along, down = self.layers[f"{name}_freqs"][0].reshape(-1, 2, 2)[head, pair]
                    angle = column * along + row * down
                a, b = x[point, 2 * pair : 2 * pair + 2]
                out[point, 2 * pair] = a * np.cos(angle) - b * np.sin(angle)
                out[point, 2 * pair + 1] = a * np.sin(angle) + b * np.cos(angle)
        return out
