"""What the torch network tells of itself in training."""

import numpy as np
import pytest
from tiny_networks import make_net

torch = pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")

from evenmatch.games import get_game  # noqa: E402
from evenmatch.network.artifact import SHIPPED, read_card, shipped_path  # noqa: E402
from evenmatch.workshop.networks.modules import read_weights  # noqa: E402
from evenmatch.workshop.networks.resnet import DeadUnits, ResNet, ResNetConfig  # noqa: E402

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


def played(game, games=128, plies=12):
    """Positions after some random moves, those of games that are over left out."""
    states, rng = game.initial(games), np.random.default_rng(1)
    for _ in range(plies):
        legal = game.legal_mask(states)
        states, legal = states[legal.any(1)], legal[legal.any(1)]
        states = game.after(states, (rng.random(legal.shape) * legal).argmax(1))
    return states[game.legal_mask(states).any(1)]


@pytest.mark.parametrize("name", SHIPPED)
def test_networks_that_ship_are_alive(name):
    if not read_card(shipped_path(name)).torch:
        return  # it is another program's, and no module
    card, module = read_card(shipped_path(name)), read_weights(shipped_path(name))
    game = get_game(card.game)
    states = played(game)
    planes = np.empty((len(states), *card.shape), np.float32)
    game.encoder(card.shape[0])(states, planes)
    told = torch.zeros(len(states), max(module.config.conditions, 1))
    told[:, 0] = 1
    with torch.no_grad(), DeadUnits(module) as dead:
        module(torch.from_numpy(planes), None, told if module.config.conditions else None)
    assert dead.share < 0.05
