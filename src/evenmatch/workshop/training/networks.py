"""The torch networks that presets train: new ones, or begun from the weights of others."""

from dataclasses import replace
from pathlib import Path

from evenmatch.errors import NetworkError
from evenmatch.games.catalog import game_info
from evenmatch.games.game import Game
from evenmatch.network.artifact import read_card
from evenmatch.network.card import strength_outputs
from evenmatch.network.conditions import condition_count
from evenmatch.network.imported import LEELA
from evenmatch.ratings.ranks import Ranks
from evenmatch.workshop.networks.export import load_arrays
from evenmatch.workshop.networks.katago_module import BoardNet, BoardNetConfig, katago_module
from evenmatch.workshop.networks.modules import Module, read_weights
from evenmatch.workshop.networks.resnet import ResNet, ResNetConfig
from evenmatch.workshop.networks.resnet_weights import leela_module
from evenmatch.workshop.training.human import HumanPreset

from torch import nn  # isort: skip  (network.fit explains what to install when it is missing)

POOLED_EVERY, POOLED_SHARE = 2, 3  #: from the third on, blocks and channels as in g170-b6c96


def new_module(
    preset: HumanPreset, game: Game, scales: int, ranks: Ranks, init: Path | None = None
) -> Module:
    """Return the network that a preset trains for a game, with the weights of ``init``, if given.

    NetworkError if these do not fit.
    """
    if game_info(game.id).architecture == "katago":
        return board_net(preset, game, scales, ranks, init)
    module = ResNet(network_config(preset, game, scales, ranks))
    if init is not None:
        take_over(module, init)
    return module


def board_net(
    preset: HumanPreset, game: Game, scales: int, ranks: Ranks, init: Path | None
) -> BoardNet:
    """Return a network of every board, of the shape and with the weights of ``init``, if given.

    Conditions of other scales or knots and strength heads of other ranks are initialised.
    """
    other = None if init is None else katago_module(init)
    shape = board_config(preset) if other is None else other.config
    module = BoardNet(
        replace(
            shape,
            conditions=condition_count(scales, game_info(game.id).knots),
            strength=strength_of(preset, scales, ranks),
            strength_channels=preset.strength_channels,
            strength_dropout=preset.strength_dropout,
        )
    )
    if other is not None:
        own = {name: weight.shape for name, weight in module.named_parameters()}
        both = {n: w for n, w in other.named_parameters() if own.get(n) == w.shape}
        load_arrays(module, {name: weight.detach().numpy() for name, weight in both.items()})
    return module


def board_config(preset: HumanPreset) -> BoardNetConfig:
    """Return the shape of a network that begins with no other's weights."""
    pooled = [
        preset.channels // POOLED_SHARE if i >= POOLED_EVERY and i % POOLED_EVERY == 0 else 0
        for i in range(preset.blocks)
    ]
    return BoardNetConfig(
        channels=preset.channels,
        inner=tuple(preset.channels - some for some in pooled),
        pooled=tuple(pooled),
    )


def strength_of(preset: HumanPreset, scales: int, ranks: Ranks) -> int:
    """Return how many outputs the strength head of a preset's network has."""
    return strength_outputs(scales, len(preset.ranks) or ranks.count) if preset.ranked else 0


def planes_of(preset: HumanPreset, game: Game) -> int:
    """Return how many planes a network of a game has: the preset's where the game has those."""
    return preset.planes if preset.planes in game.plane_formats else game.planes


def network_config(preset: HumanPreset, game: Game, scales: int, ranks: Ranks) -> ResNetConfig:
    """Return the network a preset trains for a game."""
    info = game_info(game.id)
    return ResNetConfig(
        planes=planes_of(preset, game),
        height=game.height,
        width=game.width,
        actions=game.num_actions,
        blocks=preset.blocks,
        channels=preset.channels,
        normed=preset.normed,
        value_channels=preset.value_channels,
        value_hidden=preset.value_hidden,
        squeezed=preset.squeezed,
        chess_policy=info.move_policy,
        conditions=condition_count(scales, info.knots),
        strength=strength_of(preset, scales, ranks),
        strength_channels=preset.strength_channels,
        strength_dropout=preset.strength_dropout,
    )


def take_over(module: ResNet, path: Path) -> None:
    """Give a network the weights of another, an artifact or Leela's; parts that it lacks are left.

    Blocks among these begin as the identity. NetworkError if the other has blocks or layers that
    do not fit.
    """
    leela = path.name.endswith(LEELA)
    if not leela and not read_card(path).torch:
        raise NetworkError(f"{path} was imported; give the file that it is from to --init (.pb.gz)")
    other = leela_module(path) if leela else read_weights(path)
    if not isinstance(other, ResNet):
        raise NetworkError(f"{path} is of another kind of network; give others to --init")
    own, theirs = module.state_dict(), other.state_dict()
    both = {name: theirs[name] for name in own if name in theirs}
    fits = other.config.normed == module.config.normed
    if len(other.blocks):
        fits &= other.config.squeezed == module.config.squeezed
        fits &= len(other.blocks) <= len(module.blocks)
    if not fits or any(own[name].shape != weight.shape for name, weight in both.items()):
        raise NetworkError(f"the weights of {path} are of another shape; give others to --init")
    module.load_state_dict(both, strict=False)
    for name, norm in module.named_modules():
        if name.endswith(".second.1") and module.config.normed and f"{name}.weight" not in both:
            nn.init.zeros_(norm.weight)
