"""Small random chess networks."""

from pathlib import Path

import pytest


def random_network(path: Path, scales=(), strength=0, seed=0, preset="") -> Path:
    """Write a network of one block of 8 channels; with rating scales it is told ratings."""
    torch = pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")
    from evenmatch.domains import domain_of
    from evenmatch.network.artifact import write_artifact
    from evenmatch.network.card import Card
    from evenmatch.network.conditions import condition_count
    from evenmatch.network.resnet import ResNet, ResNetConfig

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    shape = {"planes": 112, "height": 8, "width": 8, "actions": 1858, "blocks": 1, "channels": 8}
    told = condition_count(len(scales), domain_of("chess").knots)
    net = ResNet(ResNetConfig(**shape, chess_policy=True, strength=strength, conditions=told))
    for module in net.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_var.fill_(0.05)
    if told:
        torch.nn.init.normal_(net.policy_block.scale.weight)
    card = Card(
        game="chess", shape=(112, 8, 8), planes="", actions=1858, blocks=1, channels=8,
        preset=preset,
        scales=list(scales), ranks={"lowest": 1000, "width": 200, "count": 8} if strength else {},
    )  # fmt: skip
    write_artifact(net.eval(), card, path)
    return path
