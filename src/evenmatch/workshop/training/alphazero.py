"""The AlphaZero loop: self-play, learning, and now and then a match; resumable at any moment.

A run is a folder::

    run.json          what was asked for: game, preset, seed, command
    checkpoint.pt     weights, optimizer, games in progress, random states (replaced whole)
    network.onnx      the network that plays now (replaced whole)
    gates/            earlier networks, for matches
    replay/           positions, one file per iteration
    progress.jsonl    one line of numbers per iteration (replaced whole)

A run that was killed at any moment resumes from its last whole iteration.
"""

import datetime
import json
import math
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from evenmatch.files import replace_file
from evenmatch.games import get_game
from evenmatch.games.game import Game
from evenmatch.network.card import Card
from evenmatch.network.inference import DeviceName
from evenmatch.play.arena import play_match
from evenmatch.workshop.networks.export import write_artifact
from evenmatch.workshop.networks.fit import Fitter, pick_device
from evenmatch.workshop.networks.resnet import ResNet, ResNetConfig
from evenmatch.workshop.tasks import Executor
from evenmatch.workshop.training import checkpoints
from evenmatch.workshop.training.presets import Preset, get_preset
from evenmatch.workshop.training.replay_buffer import Batches, Replay
from evenmatch.workshop.training.runs import Listener, Quiet, cosine, run_in
from evenmatch.workshop.training.workers import Workers, joined

import torch  # isort: skip  (network.fit explains what to install when it is missing)


class Training:
    """One training run in its folder."""

    def __init__(
        self,
        game: Game,
        preset: Preset,
        out: Path,
        *,
        name: str,
        seed: int = 0,
        command: str = "",
        device: DeviceName = "auto",
        listener: Listener | None = None,
        workers: int = 1,
        free: bool = False,
        executor: Executor | None = None,
    ):
        self.game, self.preset, self.out = game, preset, out
        self.name, self.seed, self.command = name, seed, command
        self.device = device
        self.listener = listener or Quiet()
        self.iterations_done = 0
        self.seconds = 0.0
        self.samples_fitted = 0
        torch.manual_seed(seed)
        self._fitter = Fitter(
            ResNet(network_config(game, preset)),
            device=device,
            learning_rate=preset.learning_rate,
            momentum=preset.momentum,
            weight_decay=preset.weight_decay,
            optimizer=preset.optimizer,
            ema=preset.ema,
        )
        self._workers = Workers(
            game, preset, seed + 1, count=workers, free=free, device=device, executor=executor
        )
        self._free, self._taken = free, time.perf_counter()
        self._rows: list[dict[str, Any]] = []
        self._replay = Replay(game, out / "replay", preset.window, preset.window_share)

    @property
    def network(self) -> Path:
        """The file of the network that plays now."""
        return self.out / "network.onnx"

    def run(self) -> Path:
        """Train to the end of the preset and return the network's file."""
        if not self.network.exists():
            self._write_network()
        with self._workers:
            while self.iterations_done < self.preset.iterations:
                self._iterate()
        return self.network

    # -- one iteration -----------------------------------------------------------------------

    def _iterate(self) -> None:
        start = time.perf_counter()
        row: dict[str, Any] = {"iteration": self.iterations_done + 1}
        row |= self._play()
        row |= self._learn()
        self._write_network()
        self.iterations_done += 1
        self.seconds += time.perf_counter() - start
        if self.iterations_done % self.preset.gate_every == 0:
            row |= self._gate()
        row |= {"seconds": round(self.seconds, 1), "games_total": self._workers.games_finished}
        row |= {"positions_total": self._replay.total}
        self._rows.append(row)
        self._save()
        self._write_progress()
        self.listener.iteration(row)

    def _play(self) -> dict[str, Any]:
        """Let the workers play new games, and add them to the replay buffer."""
        start, workers = time.perf_counter(), self._workers
        lost = workers.lost

        def hears(done: int, due: int, rate: float) -> None:
            self.listener.phase("self-play", done, due, positions_per_second=rate)

        found = workers.play(self.network.read_bytes(), self.iterations_done, hears)
        samples = joined([one.samples for one in found])
        self._replay.append(self.iterations_done, samples)
        now, positions = time.perf_counter(), len(samples.states)
        waited, seconds = now - start, now - (self._taken if self._free else start)
        self._taken = now  # those who play freely play while the network learns, too
        games, evaluations = sum(one.games for one in found), sum(one.evaluations for one in found)
        older = sum(len(x.samples.states) * (self.iterations_done - x.iteration) for x in found)
        rare = {"networks_old": round(older / positions, 2), "parts_lost": workers.lost - lost}
        return {
            "games_per_second": round(games / seconds, 2),
            "evaluations_per_second": round(evaluations / seconds),
            "plies_per_game": round(positions / games, 1) if games else None,
            "self_play_seconds": round(waited, 1),
            "positions": positions,
        } | {name: number for name, number in rare.items() if number}

    def _learn(self) -> dict[str, Any]:
        """Fit the network to positions drawn from the window."""
        start = time.perf_counter()
        preset = self.preset
        window = self._replay.gather()
        batches = Batches(
            self.game, window, preset.search_value, self.seed + 2 + self.iterations_done
        )
        symmetries = len(self.game.cell_symmetries)
        drawn = len(window.states) * symmetries if preset.whole_window else self._replay.newest
        steps = max(1, round(preset.passes * drawn / preset.batch))
        policy = value = 0.0
        for step in range(steps):
            share = (self.iterations_done + step / steps) / preset.iterations
            rate = cosine(preset.learning_rate, preset.final_learning_rate, share)
            self._fitter.set_learning_rate(rate)
            losses = self._fitter.step(*batches.draw(preset.batch))
            policy += losses.policy
            value += losses.value
            self._workers.look()
            self.listener.phase(
                "learning", step + 1, steps, policy_loss=losses.policy, value_loss=losses.value
            )
        self.samples_fitted += steps * preset.batch
        return {
            "policy_loss": round(policy / steps, 4),
            "value_loss": round(value / steps, 4),
            "learning_seconds": round(time.perf_counter() - start, 1),
        }

    def _gate(self) -> dict[str, Any]:
        """Match the network with the last gate and with MCTS1, then make it the new gate."""
        folder = self.out / "gates"
        folder.mkdir(exist_ok=True)
        gate = folder / f"{self.iterations_done:05d}.onnx"
        gate.write_bytes(self.network.read_bytes())
        player = "alphazero:sims={},net={}".format
        simulations = self.preset.gate_simulations
        opponents = {"mcts1": "mcts:sims=300"}
        earlier = sorted(folder.glob("*.onnx"))[:-1]
        if earlier:
            opponents["gate"] = player(simulations, earlier[-1])
        row: dict[str, Any] = {}
        for label, opponent in opponents.items():
            progress = partial(self.listener.phase, label)
            score = play_match(
                player(simulations, gate),
                opponent,
                self.game,
                self.preset.gate_games,
                seed=self.iterations_done,
                openings=4,
                progress=progress,
            ).score
            row |= {f"elo_{label}": elo_or_none(score.elo), f"score_{label}": score.fraction}
        return row

    # -- files -------------------------------------------------------------------------------

    def _write_network(self) -> None:
        game, preset = self.game, self.preset
        card = Card(
            game=game.id,
            shape=(game.planes, game.height, game.width),
            planes=(game.encode.__doc__ or "").partition("\n")[0],
            actions=game.num_actions,
            blocks=preset.blocks,
            channels=preset.channels,
            preset=self.name,
            command=self.command,
            seed=self.seed,
            games=self._workers.games_finished,
            positions=self.samples_fitted,
            date=datetime.date.today().isoformat(),
        )
        write_artifact(self._fitter.averaged(), card, self.network)

    def _write_progress(self) -> None:
        lines = "".join(json.dumps(row) + "\n" for row in self._rows)
        replace_file(self.out / "progress.jsonl", lines)

    def _save(self) -> None:
        """Replace the checkpoint, whole."""
        state = {
            "preset": asdict(self.preset),
            "iterations_done": self.iterations_done,
            "seconds": self.seconds,
            "samples_fitted": self.samples_fitted,
            "rows": self._rows,
            "fitter": self._fitter.state_dict(),
            "self_play": self._workers.state_dict(),
        }
        checkpoints.save(self.out / "checkpoint.pt", state)

    def load(self) -> None:
        """Go on from the checkpoint in the run's folder, if it has one."""
        path = self.out / "checkpoint.pt"
        if checkpoints.go_on(path, asdict(self.preset), self.name, self._restore):
            self._write_progress()
        self._replay.load(self.iterations_done)
        self._write_network()

    def _restore(self, state: dict[str, Any]) -> None:
        self._fitter.load_state_dict(state["fitter"])
        self._workers.load_state_dict(checkpoints.arrays(state["self_play"]))
        self.iterations_done = int(state["iterations_done"])
        self.seconds = float(state["seconds"])
        self.samples_fitted = int(state["samples_fitted"])
        self._rows = list(state["rows"])
        json.dumps(self._rows)  # ValueError or TypeError for what progress.jsonl cannot have


def elo_or_none(elo: float) -> float | None:
    """Return a finite Elo difference rounded, None for one without bound (JSON has none)."""
    return round(elo, 1) if math.isfinite(elo) else None


def network_config(game: Game, preset: Preset) -> ResNetConfig:
    """Return the network a preset trains for a game."""
    return ResNetConfig(
        planes=game.planes,
        height=game.height,
        width=game.width,
        actions=game.num_actions,
        blocks=preset.blocks,
        channels=preset.channels,
        policy_channels=preset.policy_channels,
        value_channels=preset.value_channels,
    )


def train(
    game_id: str,
    preset_name: str,
    out: Path,
    *,
    seed: int = 0,
    resume: bool = False,
    command: str = "",
    device: DeviceName = "auto",
    listener: Listener | None = None,
    workers: int = 1,
    free: bool = False,
    executor: Executor | None = None,
) -> Path:
    """Train a network for a game, or resume a run; return the network's file.

    ``workers`` play, each with its own games, as ``executor`` runs them: in this process by
    default. The run ends in the same bytes whichever that is, unless they play ``free``.

    Raises UsageError for a folder that cannot be written or already holds a run unless
    ``resume``, StateError if it holds another one or one that cannot be read.
    """
    game, preset = get_game(game_id), get_preset(preset_name, get_game(game_id).id)
    pick_device(device)  # a missing device should not leave a folder that looks like a run
    settings = {"game": game.id, "preset": preset_name, "seed": seed, "workers": workers}
    make = partial(
        Training, game, preset, out, name=preset_name, seed=seed, device=device, listener=listener,
        workers=workers, free=free, executor=executor,
    )  # fmt: skip
    return run_in(out, settings, command, resume, lambda command: make(command=command))
