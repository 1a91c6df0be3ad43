"""Small random networks."""

from pathlib import Path

import pytest


def random_network(path: Path, scales=(), strength=0, seed=0, preset="", game="chess") -> Path:
    """Write a network of one block of 8 channels; with rating scales it is told ratings.

    That of chess has Leela's planes and policy head. A strength head has 8 ranks.
    """
    torch = pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")
    from evenmatch.games import get_game
    from evenmatch.games.catalog import game_info
    from evenmatch.network.card import Card
    from evenmatch.network.conditions import condition_count
    from evenmatch.workshop.networks.export import write_artifact
    from evenmatch.workshop.networks.resnet import ResNet, ResNetConfig

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    rules, info = get_game(game), game_info(game)
    planes = 112 if info.move_policy else rules.planes
    board = planes, rules.height, rules.width
    shape = dict(zip(("planes", "height", "width"), board, strict=True))
    told = condition_count(len(scales), info.knots)
    net = ResNet(
        ResNetConfig(
            **shape, actions=rules.num_actions, blocks=1, channels=8, strength=strength,
            chess_policy=info.move_policy, conditions=told,
        )
    )  # fmt: skip
    for module in net.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_var.fill_(0.05)
    if told:
        torch.nn.init.normal_(net.policy_block.scale.weight)
    card = Card(
        game=game, shape=board, planes="", actions=rules.num_actions, blocks=1, channels=8,
        preset=preset,
        scales=list(scales), ranks={"lowest": 1000, "width": 200, "count": 8} if strength else {},
    )  # fmt: skip
    write_artifact(net.eval(), card, path)
    return path
