"""The training loop: collect, learn, measure, save; what it learns from is up to its kind.

A run is a folder::

    run.json          what was asked for: preset, seed, command and what it learns from
    checkpoint.pt     weights, optimizer, counts, random states (replaced whole)
    network.onnx      the averaged network so far (replaced whole)
    progress.jsonl    one line of numbers per iteration (replaced whole)

A run that was killed at any moment resumes from its last whole iteration.
"""

import datetime
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.files import replace_file
from evenmatch.games.game import Game
from evenmatch.network.card import Card
from evenmatch.workshop.networks.export import write_artifact
from evenmatch.workshop.networks.fit import FitConfig, Fitter, Losses, Ranked
from evenmatch.workshop.networks.modules import Module
from evenmatch.workshop.training import checkpoints
from evenmatch.workshop.training.human import HumanPreset
from evenmatch.workshop.training.presets import Preset
from evenmatch.workshop.training.runs import Listener, Quiet, cosine, held_command

import torch  # isort: skip  (network.fit explains what to install when it is missing)


class Lesson(NamedTuple):
    """A batch as `Fitter.step` takes it."""

    planes: NDArray
    policies: NDArray  #: [B, A], or actions [B]
    values: NDArray
    ranked: Ranked | None = None
    conditions: NDArray | None = None
    legal: NDArray | None = None


class Training(ABC):
    """One training run in its folder.

    A kind of training draws the batches (`_lessons`), and says how many an iteration has, what
    share of the training is over, and what of its own is measured and kept.
    """

    losses: tuple[str, ...] = Losses._fields  #: that its rows have

    def __init__(
        self,
        game: Game,
        preset: Preset | HumanPreset,
        module: Module,
        out: Path,
        *,
        name: str,
        seed: int,
        command: str,
        device: str,
        listener: Listener | None,
        **fit: Any,
    ):
        """``fit`` are settings of the fitter in place of the preset's."""
        self.game, self.out = game, out
        self.name, self.seed, self.command = name, seed, command
        self.listener = listener or Quiet()
        self.iterations_done, self.steps_done, self.positions_fitted = 0, 0, 0
        self.seconds = 0.0
        self._settings = asdict(preset)
        self._rates = preset.learning_rate, preset.final_learning_rate
        named = (field.name for field in fields(FitConfig) if field.name in self._settings)
        config = {name: self._settings[name] for name in named}
        self._fitter = Fitter(module, device=device, **config | fit)
        self._rows: list[dict[str, Any]] = []

    # -- what a kind of training says ----------------------------------------------------------

    @property
    @abstractmethod
    def iterations(self) -> int:
        """How many iterations the training has."""

    @abstractmethod
    def _share(self, step: int, steps: int) -> float:
        """Return the share of the training that is over before a step of this iteration's."""

    @abstractmethod
    def _steps(self) -> int:
        """Return how many batches this iteration has."""

    @abstractmethod
    def _lessons(self, steps: int) -> Iterator[Lesson]:
        """Draw the batches of this iteration."""

    def _collect(self) -> dict[str, Any]:
        """Gather what this iteration learns from; return numbers for its row."""
        return {}

    @abstractmethod
    def _measure(self) -> dict[str, Any]:
        """Measure the network after an iteration; return numbers for its row.

        NetworkError if it is not worth keeping.
        """

    @abstractmethod
    def _state(self) -> Any:
        """Return what `_restore` needs to draw the same batches from here on."""

    @abstractmethod
    def _restore(self, state: Any) -> None:
        """Go on from a `_state`."""

    @abstractmethod
    def _on_card(self) -> dict[str, Any]:
        """Return fields of the network's card that the loop does not know."""

    # -- the loop ------------------------------------------------------------------------------

    @property
    def network(self) -> Path:
        """The file of the averaged network."""
        return self.out / "network.onnx"

    def run(self) -> Path:
        """Train to the end of the preset and return the network's file.

        NetworkError if training diverges or the network dies; what was written before is kept.
        """
        while self.iterations_done < self.iterations:
            self._iterate()
        return self.network

    def _iterate(self) -> None:
        """Learn for an iteration, measure the network, save."""
        start = time.perf_counter()
        row: dict[str, Any] = {"iteration": self.iterations_done + 1}
        row |= self._collect()
        row |= self._learn()
        self.iterations_done += 1
        self.seconds += time.perf_counter() - start
        row |= self._measure()
        self._rows.append(row | {"seconds": round(self.seconds, 1)})
        self.write_network(self.network)
        self._save()
        self._write_progress()
        self.listener.iteration(self._rows[-1])

    def _learn(self) -> dict[str, Any]:
        """Fit the network to the batches of an iteration."""
        start, steps = time.perf_counter(), self._steps()
        sums = np.zeros(len(Losses._fields))
        for step, lesson in enumerate(self._lessons(steps)):
            self._fitter.set_learning_rate(cosine(*self._rates, self._share(step, steps)))
            torch.manual_seed(dropout_seed(self.seed, self.steps_done + step))
            losses = self._fitter.step(*lesson)
            sums += losses
            self.positions_fitted += len(lesson.values)
            rate = (step + 1) * len(lesson.values) / (time.perf_counter() - start)
            self.listener.phase(
                "learning", step + 1, steps, positions_per_second=rate,
                policy_loss=losses.policy, value_loss=losses.value,
            )  # fmt: skip
        self.steps_done += steps
        means = dict(zip(Losses._fields, (sums / steps).tolist(), strict=True))
        return {
            "step": self.steps_done,
            **{f"{name}_loss": round(means[name], 4) for name in self.losses},
            "learning_seconds": round(time.perf_counter() - start, 1),
        }

    # -- files ---------------------------------------------------------------------------------

    def write_network(self, path: Path) -> None:
        """Write the averaged network with its card."""
        module = self._fitter.averaged()
        shape = module.config.on_card
        every_board = not any(shape["shape"][1:])
        card = Card(
            game=self.game.family if every_board else self.game.id,
            **shape,
            preset=self.name,
            command=self.command,
            seed=self.seed,
            positions=self.positions_fitted,
            date=datetime.date.today().isoformat(),
            **self._on_card(),
        )
        write_artifact(module, card, path)

    def _write_progress(self) -> None:
        lines = "".join(json.dumps(row) + "\n" for row in self._rows)
        replace_file(self.out / "progress.jsonl", lines)

    def _save(self) -> None:
        """Replace the checkpoint, whole."""
        state = {
            "preset": self._settings,
            "iterations_done": self.iterations_done,
            "steps_done": self.steps_done,
            "positions_fitted": self.positions_fitted,
            "seconds": self.seconds,
            "rows": self._rows,
            "fitter": self._fitter.state_dict(),
            "source": self._state(),
        }
        checkpoints.save(self.out / "checkpoint.pt", state)

    def load(self) -> None:
        """Go on from the checkpoint in the run's folder, if it has one."""
        path = self.out / "checkpoint.pt"
        if checkpoints.go_on(path, self._settings, self.name, self._take_up):
            self._write_progress()

    def _take_up(self, state: dict[str, Any]) -> None:
        self._fitter.load_state_dict(state["fitter"])
        self._restore(checkpoints.arrays(state["source"]))
        for name in ("iterations_done", "steps_done", "positions_fitted"):
            setattr(self, name, int(state[name]))
        self.seconds = float(state["seconds"])
        self._rows = list(state["rows"])
        json.dumps(self._rows)  # ValueError or TypeError for what progress.jsonl cannot have


def run_in(
    out: Path,
    settings: dict[str, Any],
    command: str,
    resume: bool,
    make: Callable[..., Training],
) -> Path:
    """Train in a folder, or resume the run it holds; return the network's file.

    ``make`` gets ``command``, the one that started the run. Raises UsageError for a folder that
    cannot be written or already holds a run unless ``resume``, StateError if it holds another one
    or one that cannot be read.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        path = out / "run.json"
        held = held_command(path, settings, resume)
        training = make(command=held or command)
        if held is None:  # not before it is known that this can be trained
            replace_file(path, json.dumps(settings | {"command": command}, indent=1) + "\n")
        training.load()
        training.listener.started()
        return training.run()
    except OSError as error:
        raise UsageError(
            f"cannot write to {out}: {error.strerror}; choose another --out"
        ) from error


def dropout_seed(seed: int, step: int) -> int:
    """Return a seed for one step, of 32 bits: torch's generator on the CPU drops all above them.

    Units dropped alike in every step would distinguish the rows of a batch, and so their ranks.
    """
    return int(np.random.SeedSequence([seed, step]).generate_state(1)[0])
