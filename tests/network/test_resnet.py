"""What the torch network tells of itself in training."""

import pytest
from tiny import make_net

torch = pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")

from evenmatch.network.resnet import DeadUnits, ResNet, ResNetConfig  # noqa: E402

PLANES = torch.linspace(0, 1, 6 * 2 * 4 * 5).reshape(6, 2, 4, 5)


def test_dead_units_are_those_never_above_zero():
    net = make_net(normed=False)
    with torch.no_grad():
        for block in net.blocks:
            block.first[0].bias.fill_(100.0)
        net.blocks[1].first[0].bias[:4] = -100.0
        with DeadUnits(net) as dead:
            net(PLANES)
    assert dead.share == pytest.approx(4 / 32)


def test_a_unit_awake_in_one_batch_is_alive():
    net = make_net(normed=False)
    dead = DeadUnits(net)
    with torch.no_grad():
        for bias in (-100.0, 100.0, -100.0):
            for block in net.blocks:
                block.first[0].bias.fill_(bias)
            with dead:
                net(PLANES)
    assert dead.share == 0


def test_nothing_is_looked_at_afterwards():
    net = make_net()
    with torch.no_grad():
        with DeadUnits(net) as dead:
            pass
        net(PLANES)
    assert dead.share == 1


def test_a_network_without_blocks_has_no_dead_units():
    sizes = {"planes": 2, "height": 4, "width": 5, "actions": 7}
    net = ResNet(ResNetConfig(blocks=0, channels=4, **sizes))
    assert DeadUnits(net).share == 0
