"""Supervised training on recorded games: policy, value and strength together.

The folder of such a run (`Training`) also has::

    curves.svg        progress.jsonl as learning curves

Every dataset is a rating scale, named as its folder. Source: Chen et al. 2025, section 3.2 and
appendix A.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch import plots
from evenmatch.errors import NetworkError, UsageError
from evenmatch.games.catalog import game_info
from evenmatch.games.game import Game
from evenmatch.network.artifact import digest_of, graph_digest
from evenmatch.ratings.ranks import Ranks
from evenmatch.workshop.datasets.dataset import Dataset, scale_names
from evenmatch.workshop.networks.fit import (
    NEVER,
    NOBODY,
    Losses,
    Ranked,
    human_rows,
    losses_of,
    pick_device,
)
from evenmatch.workshop.networks.resnet import DeadUnits, ResNet, calibrate
from evenmatch.workshop.training.human import HumanPreset, get_human_preset
from evenmatch.workshop.training.loop import Lesson, Training, run_in
from evenmatch.workshop.training.networks import new_module, planes_of
from evenmatch.workshop.training.ranked import MixedPositions
from evenmatch.workshop.training.recorded_positions import Batch
from evenmatch.workshop.training.runs import Listener
from evenmatch.workshop.training.teachers import Teachers, with_moves

import torch  # isort: skip  (network.fit explains what to install when it is missing)

AHEAD = 16  #: batches that teachers are asked about at once
SHOWN = 64  #: batches by which teachers are chosen
DEAD = 0.25  #: share of dead units that ends a training: what it would write is not worth having


class SupervisedTraining(Training):
    """Learns from recorded games; a run's folder also has learning curves."""

    def __init__(
        self,
        datasets: Sequence[Dataset],
        preset: HumanPreset,
        out: Path,
        *,
        name: str,
        ranks: Ranks | None = None,
        seed: int = 0,
        command: str = "",
        device: str = "auto",
        init: Path | None = None,
        teachers: Sequence[Path] = (),
        listener: Listener | None = None,
    ):
        """``init`` is a network whose weights it begins with, as far as both have them.

        ``teachers`` are networks to learn from beside the moves, weighted as the preset says.
        """
        game = game_of(datasets)
        self.preset, self.planes = preset, planes_of(preset, game)
        self.scales = scale_names(datasets)
        self.ranks = ranks or Ranks(**game_info(game.id).ranks)
        torch.manual_seed(seed)
        self._rng = np.random.default_rng(seed)
        self._ranks_moves = preset.ranked
        self._positions, held_out = (
            MixedPositions(
                datasets,
                game,
                split=split,
                samples=preset.samples,
                replies=preset.replies,
                ranks=self.ranks,
                only=preset.ranks,
                moves=preset.moves,
                random_rank=preset.ranking_weight > 0,
                planes=self.planes,
                unknown=unknown,
                bare=bare,
                judged=preset.judged,
                compared=preset.compared,
                fewest=preset.fewest if split == "train" else 1,
                strangers=preset.strangers,
                conditioned=preset.conditioned,
                turned=preset.turned,
            )
            for split, unknown, bare in (
                ("train", preset.unknown, preset.bare),
                ("tune", float(preset.unknown == 1), 0.0),
            )
        )
        module = new_module(preset, game, len(datasets), self.ranks, init)
        if init is not None and isinstance(module, ResNet):
            batch = self._positions.draw(np.random.default_rng(seed + 3))
            planes, condition = torch.from_numpy(batch.planes), torch.from_numpy(batch.conditions)
            calibrate(module, planes, condition)  # statistics that batch normalisation lacks
        super().__init__(
            game, preset, module, out, name=name, seed=seed, command=command, device=device,
            listener=listener, **({"kept_weight": 0.0} if init is None else {}),
        )  # fmt: skip
        self._teachers = None
        if teachers:
            self._teachers = Teachers(teachers, game)
            rng = np.random.default_rng(seed + 2)
            self._teachers.choose([self._positions.draw(rng) for _ in range(SHOWN)])
        judge = np.random.default_rng(seed + 1)
        self._held_out = [held_out.draw(judge) for _ in range(preset.validation)]

    @property
    def iterations(self) -> int:
        """How many intervals the preset has."""
        return self.preset.intervals

    def _steps(self) -> int:
        return min(self.preset.interval, self.preset.steps - self.steps_done)

    def _share(self, step: int, steps: int) -> float:
        return (self.steps_done + step) / self.preset.steps

    def _lessons(self, steps: int) -> Iterator[Lesson]:
        """Draw batches; with teachers the policy target is in part theirs."""
        for step, (batch, taught) in enumerate(self._batches(steps)):
            moves: NDArray = batch.actions
            if taught is not None:
                share = self.preset.taught * (1 - self._share(step, steps))
                moves = with_moves(taught, moves, share)
            yield Lesson(
                batch.planes, moves, batch.values, self._ranked(batch), batch.conditions,
                batch.legal,
            )  # fmt: skip

    def _batches(self, count: int) -> Iterator[tuple[Batch, NDArray[np.float32] | None]]:
        """Draw so many batches, each with the policy of its teachers, if there are any."""
        if self._teachers is None:
            for _ in range(count):
                yield self._positions.draw(self._rng), None
            return
        for first in range(0, count, AHEAD):
            some = range(first, min(first + AHEAD, count))
            drawn = [self._positions.draw(self._rng) for _ in some]
            yield from zip(drawn, self._teachers.policies(drawn), strict=True)

    def _ranked(self, batch: Batch) -> Ranked | None:
        """Return how the positions are ranked, None if that is not learned."""
        return batch.ranked if self._ranks_moves else None

    @torch.no_grad()
    def _measure(self) -> dict[str, Any]:
        """Return losses and the move prediction accuracy on positions of held-out players.

        NetworkError if the units of its blocks die.
        """
        module = self._fitter.averaged()
        sums, hits, moves = np.zeros(len(self.losses)), 0, 0
        dead = DeadUnits(module)
        for batch in self._held_out:
            planes = torch.from_numpy(batch.planes)
            with dead:
                output = module(planes, None, torch.from_numpy(batch.conditions))
            actions, values = torch.from_numpy(batch.actions), torch.from_numpy(batch.values)
            legal, ranked = torch.from_numpy(batch.legal), self._ranked(batch)
            kind, first = self.preset.value_loss, self._fitter.reference(planes)
            losses = losses_of(output, actions, values, ranked, legal, kind, first)
            sums += [x.item() for x in losses]
            human = human_rows(ranked, len(actions))
            likeliest = output.logits.masked_fill(~legal, NEVER).argmax(1)
            played = actions[human]
            right = (likeliest[human] == played)[played != NOBODY]
            hits, moves = hits + int(right.sum()), moves + len(right)
        if dead.share > DEAD:
            raise NetworkError(
                f"{dead.share:.0%} of the residual blocks' units have died by step "
                f"{self.steps_done}; train with a lower learning rate or batch normalisation"
            )
        means = zip(self.losses, sums / len(self._held_out), strict=True)
        return {
            **{f"held_out_{name}": round(x, 4) for name, x in means},
            "held_out_accuracy": round(hits / moves, 4),
            "dead_units": round(dead.share, 4),
        }

    def _write_progress(self) -> None:
        super()._write_progress()
        draw_curves(self._rows, self.out / "curves.svg")

    def _state(self) -> Any:
        return self._rng.bit_generator.state

    def _restore(self, state: Any) -> None:
        self._rng.bit_generator.state = state

    def _on_card(self) -> dict[str, Any]:
        return {
            "planes": self.game.plane_formats.get(self.planes, "the game's own"),
            "games": self._positions.games,
            "scales": self.scales,
            "knots": list(game_info(self.game.id).knots),
            "ranks": self.ranks.numbers if self.preset.ranked else {},
        }


def game_of(datasets: Sequence[Dataset]) -> Game:
    """Return the game of some datasets; UsageError if they are of several."""
    ids = sorted({dataset.codec.game.id for dataset in datasets})
    if len(ids) > 1:
        raise UsageError(f"the datasets are of {' and '.join(ids)}; give those of one game")
    return datasets[0].codec.game


def draw_curves(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw the losses on training and held-out positions by step, as an SVG file."""
    steps = [row["step"] for row in rows]
    with plots.axes(path, 1 + len(Losses._fields), size=(18, 3)) as axes:
        for axis, name in zip(axes, Losses._fields, strict=False):
            axis.plot(steps, [row[f"{name}_loss"] for row in rows], label="training")
            axis.plot(steps, [row[f"held_out_{name}"] for row in rows], label="held-out players")
            axis.set(title=f"{name} loss", xlabel="step")
        axes[0].legend(frameon=False)
        axes[-1].plot(steps, [row["held_out_accuracy"] for row in rows])
        axes[-1].set(title="moves predicted, held-out players", xlabel="step")


def train_on_games(
    folders: Sequence[Path],
    preset_name: str,
    out: Path,
    *,
    seed: int = 0,
    resume: bool = False,
    command: str = "",
    device: str = "auto",
    init: Path | None = None,
    teachers: Sequence[Path] = (),
    listener: Listener | None = None,
) -> Path:
    """Train on datasets, or resume a run; return the network's file.

    Raises as ``alphazero.train`` does, and RecordError for a folder that is not a dataset.
    """
    datasets = [Dataset.open(x) for x in folders]
    preset = get_human_preset(preset_name, game_info(game_of(datasets).id).architecture)
    pick_device(device)
    if teachers and not preset.taught:
        raise UsageError(f"preset {preset_name} has no use for teachers; leave out --teacher")
    settings = {
        "datasets": [str(x) for x in folders],
        "contents": [dataset.identity for dataset in datasets],
        "preset": preset_name,
        "seed": seed,
        "init": None if init is None else digest_of(init),
        "teachers": [graph_digest(path) for path in teachers] or None,
    }
    make = partial(
        SupervisedTraining,
        datasets,
        preset,
        out,
        name=preset_name,
        seed=seed,
        device=device,
        init=init,
        teachers=teachers,
        listener=listener,
    )
    return run_in(out, settings, command, resume, make)
