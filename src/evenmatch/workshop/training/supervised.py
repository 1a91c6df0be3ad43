"""Supervised training on recorded games: policy, value and strength together; resumable.

A run is a folder::

    run.json          what was asked for: datasets, preset, seed, command
    checkpoint.pt     weights, optimizer, step, random state (replaced whole)
    network.onnx      the averaged network so far (replaced whole)
    progress.jsonl    one line of numbers per interval (replaced whole)
    curves.svg        the same as learning curves

A run that was killed at any moment resumes from its last interval. Every dataset is a rating
scale, named as its folder. Source: Chen et al. 2025, section 3.2 and appendix A.
"""

import datetime
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch import plots
from evenmatch.errors import NetworkError, UsageError
from evenmatch.files import replace_file
from evenmatch.games.catalog import game_info
from evenmatch.games.game import Game
from evenmatch.network.artifact import digest_of, graph_digest
from evenmatch.network.card import Card
from evenmatch.ratings.ranks import Ranks
from evenmatch.workshop.datasets.dataset import Dataset, scale_names
from evenmatch.workshop.networks.export import write_artifact
from evenmatch.workshop.networks.fit import (
    NEVER,
    NOBODY,
    Fitter,
    Ranked,
    human_rows,
    losses_of,
    pick_device,
)
from evenmatch.workshop.networks.resnet import DeadUnits, ResNet, calibrate
from evenmatch.workshop.training import checkpoints
from evenmatch.workshop.training.human import HumanPreset, get_human_preset
from evenmatch.workshop.training.networks import new_module, planes_of
from evenmatch.workshop.training.ranked import MixedPositions
from evenmatch.workshop.training.recorded_positions import Batch
from evenmatch.workshop.training.runs import Listener, Quiet, cosine, run_in
from evenmatch.workshop.training.teachers import Teachers, with_moves

import torch  # isort: skip  (network.fit explains what to install when it is missing)

AHEAD = 16  #: batches that teachers are asked about at once
SHOWN = 64  #: batches by which teachers are chosen
DEAD = 0.25  #: share of dead units that ends a training: what it would write is not worth having
LOSSES = ("policy", "value", "ranking", "plain", "classes", "kept")  #: as in fit.Losses


class SupervisedTraining:
    """One training run in its folder."""

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
        self.game = game_of(datasets)
        self.planes = planes_of(preset, self.game)
        self.preset, self.out, self.name = preset, out, name
        self.seed, self.command = seed, command
        self.scales = scale_names(datasets)
        self.ranks = ranks or Ranks(**game_info(self.game.id).ranks)
        self.listener = listener or Quiet()
        self.steps_done, self.seconds = 0, 0.0
        self._rows: list[dict[str, Any]] = []
        torch.manual_seed(seed)
        self._rng = np.random.default_rng(seed)
        self._ranks_moves = preset.ranked
        self._positions, held_out = (
            MixedPositions(
                datasets,
                self.game,
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
        module = new_module(preset, self.game, len(datasets), self.ranks, init)
        if init is not None and isinstance(module, ResNet):
            self._settle(module)
        self._fitter = Fitter(
            module,
            device=device,
            learning_rate=preset.learning_rate,
            momentum=preset.momentum,
            weight_decay=preset.weight_decay,
            optimizer=preset.optimizer,
            own_rate=preset.own_rate,
            ema=preset.ema,
            value_weight=preset.value_weight,
            kept_weight=0.0 if init is None else preset.kept_weight,
            kept_every=preset.kept_every,
            ranking_weight=preset.ranking_weight,
            class_weight=preset.class_weight,
            value_loss=preset.value_loss,
        )
        self._teachers = None
        if teachers:
            self._teachers = Teachers(teachers, self.game)
            rng = np.random.default_rng(seed + 2)
            self._teachers.choose([self._positions.draw(rng) for _ in range(SHOWN)])
        judge = np.random.default_rng(seed + 1)
        self._held_out = [held_out.draw(judge) for _ in range(preset.validation)]

    def _settle(self, module: ResNet) -> None:
        """Give weights from a file the statistics that batch normalisation needs to train on."""
        batch = self._positions.draw(np.random.default_rng(self.seed + 3))
        planes, condition = torch.from_numpy(batch.planes), torch.from_numpy(batch.conditions)
        calibrate(module, planes, condition)

    @property
    def network(self) -> Path:
        """The file of the averaged network."""
        return self.out / "network.onnx"

    def run(self) -> Path:
        """Train to the end of the preset and return the network's file.

        NetworkError if the units of its blocks die; what was written before is kept.
        """
        while self.steps_done < self.preset.steps:
            self._interval()
        return self.network

    def _interval(self) -> None:
        """Fit some batches, judge the network, save."""
        start, preset = time.perf_counter(), self.preset
        due = min(preset.interval, preset.steps - self.steps_done)
        sums = np.zeros(len(LOSSES))
        for step, (batch, taught) in enumerate(self._batches(due)):
            share = (self.steps_done + step) / preset.steps
            high, low = preset.learning_rate, preset.final_learning_rate
            self._fitter.set_learning_rate(cosine(high, low, share))
            torch.manual_seed(dropout_seed(self.seed, self.steps_done + step))
            moves: NDArray = batch.actions
            if taught is not None:
                moves = with_moves(taught, moves, preset.taught * (1 - share))
            losses = self._fitter.step(
                batch.planes, moves, batch.values, self._ranked(batch), batch.conditions,
                batch.legal,
            )  # fmt: skip
            sums += losses
            done = time.perf_counter() - start
            rate = (step + 1) * len(batch.values) / done
            self.listener.phase("learning", step + 1, due, positions_per_second=rate)
        self.steps_done += due
        self.seconds += time.perf_counter() - start
        row = {
            "iteration": -(-self.steps_done // preset.interval),
            "step": self.steps_done,
            **{f"{name}_loss": round(x, 4) for name, x in zip(LOSSES, sums / due, strict=True)},
            **self._judged(),
            "seconds": round(self.seconds, 1),
        }
        if row["dead_units"] > DEAD:
            raise NetworkError(
                f"{row['dead_units']:.0%} of the residual blocks' units have died by step "
                f"{self.steps_done}; train with a lower learning rate or batch normalisation"
            )
        self._rows.append(row)
        self._save()
        self.listener.iteration(row)

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
    def _judged(self) -> dict[str, float]:
        """Return losses and the move prediction accuracy on positions of held-out players."""
        module = self._fitter.averaged()
        sums, hits, moves = np.zeros(len(LOSSES)), 0, 0
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
        means = zip(LOSSES, sums / len(self._held_out), strict=True)
        return {
            **{f"held_out_{name}": round(x, 4) for name, x in means},
            "held_out_accuracy": round(hits / moves, 4),
            "dead_units": round(dead.share, 4),
        }

    # -- files -------------------------------------------------------------------------------

    def _save(self) -> None:
        """Write the network, the curves and the checkpoint, each whole."""
        self._write_network()
        lines = "".join(json.dumps(row) + "\n" for row in self._rows)
        replace_file(self.out / "progress.jsonl", lines)
        draw_curves(self._rows, self.out / "curves.svg")
        state = {
            "preset": asdict(self.preset),
            "steps_done": self.steps_done,
            "seconds": self.seconds,
            "rows": self._rows,
            "fitter": self._fitter.state_dict(),
            "rng": self._rng.bit_generator.state,
        }
        checkpoints.save(self.out / "checkpoint.pt", state)

    def load(self) -> None:
        """Go on from the checkpoint in the run's folder, if it has one."""
        path = self.out / "checkpoint.pt"
        checkpoints.go_on(path, asdict(self.preset), self.name, self._restore)

    def _restore(self, state: dict[str, Any]) -> None:
        self._fitter.load_state_dict(state["fitter"])
        self._rng.bit_generator.state = state["rng"]
        self.steps_done, self.seconds = state["steps_done"], state["seconds"]
        self._rows = state["rows"]

    def _write_network(self) -> None:
        module = self._fitter.averaged()
        shape = module.config.on_card
        every_board = not any(shape["shape"][1:])
        card = Card(
            game=self.game.family if every_board else self.game.id,
            **shape,
            planes=self.game.plane_formats.get(self.planes, "the game's own"),
            preset=self.name,
            command=self.command,
            seed=self.seed,
            games=self._positions.games,
            positions=self.steps_done * len(self._held_out[0].values),
            date=datetime.date.today().isoformat(),
            scales=self.scales,
            knots=list(game_info(self.game.id).knots),
            ranks=self.ranks.numbers if self.preset.ranked else {},
        )
        write_artifact(module, card, self.network)


def dropout_seed(seed: int, step: int) -> int:
    """Return a seed for one step, of 32 bits: torch's generator on the CPU drops all above them.

    Units dropped alike in every step would distinguish the rows of a batch, and so their ranks.
    """
    return int(np.random.SeedSequence([seed, step]).generate_state(1)[0])


def game_of(datasets: Sequence[Dataset]) -> Game:
    """Return the game of some datasets; UsageError if they are of several."""
    ids = sorted({dataset.codec.game.id for dataset in datasets})
    if len(ids) > 1:
        raise UsageError(f"the datasets are of {' and '.join(ids)}; give those of one game")
    return datasets[0].codec.game


def draw_curves(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw the losses on training and held-out positions by step, as an SVG file."""
    steps = [row["step"] for row in rows]
    with plots.axes(path, 1 + len(LOSSES), size=(18, 3)) as axes:
        for axis, name in zip(axes, LOSSES, strict=False):
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
    return run_in(out, settings, command, resume, lambda command: make(command=command))
