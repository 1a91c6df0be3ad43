"""A tiny fake game and a tiny network for the network tests."""

import numpy as np
import pytest

from evenmatch.errors import UsageError


class TinyGame:
    """A 4x5 board of 20 bits per colour; state = [own, other] bit masks."""

    id, family = "tiny", ""
    planes, height, width, num_actions = 2, 4, 5, 7

    def encoder(self, planes):
        if planes != self.planes:
            raise UsageError("other planes")
        return self.encode

    def encode(self, states, out):
        cells = np.arange(20, dtype=np.uint64)
        out[:] = ((states[:, :, None] >> cells) & np.uint64(1)).reshape(-1, 2, 4, 5)


class TinyChess:
    """Chess's shapes, of states that are 3 planes of 64 bits."""

    id = "chess"
    planes, height, width, num_actions = 3, 8, 8, 1858

    def encoder(self, planes):
        return self.encode

    def encode(self, states, out):
        cells = np.arange(64, dtype=np.uint64)
        out[:] = ((states[:, :, None] >> cells) & np.uint64(1)).reshape(-1, 3, 8, 8)


def make_net(strength=1, seed=0, **shape):
    """A random net whose batch norms have random statistics, in evaluation mode."""
    torch = pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")
    from evenmatch.workshop.networks.resnet import ResNet, ResNetConfig

    torch.set_num_threads(1)  # tiny nets: a second thread only waits, most of all under xdist
    torch.manual_seed(seed)
    sizes = {"planes": 2, "height": 4, "width": 5, "actions": 7, "value_hidden": 24}
    net = ResNet(ResNetConfig(blocks=2, channels=16, strength=int(strength), **{**sizes, **shape}))
    for module in net.modules():
        if isinstance(module, torch.nn.BatchNorm1d | torch.nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.3)
            module.running_var.uniform_(0.5, 2)
            module.weight.data.uniform_(0.5, 1.5)
            module.bias.data.normal_(0, 0.3)
    return net.eval()


def make_card(game="tiny", **changes):
    from evenmatch.network.artifact import Card

    fields = {"game": game, "shape": (2, 4, 5), "planes": "own, other", "actions": 7}
    return Card(**{**fields, "blocks": 2, "channels": 16, "seed": 3, **changes})
