"""AlphaZero: self-play, learning, and now and then a match.

The folder of such a run (`Training`) also has::

    gates/            earlier networks, for matches
    replay/           positions, one file per iteration

and its checkpoint has the games in progress.
"""

import math
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from evenmatch.games import get_game
from evenmatch.games.game import Game
from evenmatch.network.inference import DeviceName
from evenmatch.play.arena import play_match
from evenmatch.workshop.networks.fit import pick_device
from evenmatch.workshop.networks.resnet import ResNet, ResNetConfig
from evenmatch.workshop.tasks import Executor
from evenmatch.workshop.training.loop import Lesson, Training, run_in
from evenmatch.workshop.training.presets import Preset, get_preset
from evenmatch.workshop.training.replay_buffer import Batches, Replay
from evenmatch.workshop.training.runs import Listener
from evenmatch.workshop.training.workers import Workers, joined

import torch  # isort: skip  (network.fit explains what to install when it is missing)


class SelfPlayTraining(Training):
    """Alternates self-play and learning; a run's folder also has positions and gates."""

    losses = ("policy", "value")

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
        torch.manual_seed(seed)
        module = ResNet(network_config(game, preset))
        super().__init__(
            game, preset, module, out, name=name, seed=seed, command=command, device=device,
            listener=listener,
        )  # fmt: skip
        self.preset = preset
        self._workers = Workers(
            game, preset, seed + 1, count=workers, free=free, device=device, executor=executor
        )
        self._free, self._taken = free, time.perf_counter()
        self._replay = Replay(game, out / "replay", preset.window, preset.window_share)

    @property
    def iterations(self) -> int:
        """How many iterations the preset has."""
        return self.preset.iterations

    def run(self) -> Path:
        """Train to the end of the preset and return the network's file."""
        with self._workers:
            return super().run()

    def _collect(self) -> dict[str, Any]:
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

    def _steps(self) -> int:
        """Return how many batches the new positions, or the whole window, are drawn in."""
        preset, replay = self.preset, self._replay
        symmetries = len(self.game.cell_symmetries)
        drawn = replay.learned_from * symmetries if preset.whole_window else replay.newest
        return max(1, round(preset.passes * drawn / preset.batch))

    def _share(self, step: int, steps: int) -> float:
        return (self.iterations_done + step / steps) / self.preset.iterations

    def _lessons(self, steps: int) -> Iterator[Lesson]:
        """Draw batches from the window; between two of them look at the workers."""
        preset, seed = self.preset, self.seed + 2 + self.iterations_done
        batches = Batches(self.game, self._replay.gather(), preset.search_value, seed)
        for _ in range(steps):
            yield Lesson(*batches.draw(preset.batch))
            self._workers.look()

    def _measure(self) -> dict[str, Any]:
        """Count games and positions; now and then match the network with the last gate and MCTS1.

        It is the new gate then.
        """
        row: dict[str, Any] = {
            "games_total": self._workers.games_finished,
            "positions_total": self._replay.total,
        }
        if self.iterations_done % self.preset.gate_every:
            return row
        folder = self.out / "gates"
        folder.mkdir(exist_ok=True)
        gate = folder / f"{self.iterations_done:05d}.onnx"
        self.write_network(gate)
        player = "alphazero:sims={},net={}".format
        simulations = self.preset.gate_simulations
        opponents = {"mcts1": "mcts:sims=300"}
        earlier = sorted(folder.glob("*.onnx"))[:-1]
        if earlier:
            opponents["gate"] = player(simulations, earlier[-1])
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

    def _on_card(self) -> dict[str, Any]:
        return {
            "planes": (self.game.encode.__doc__ or "").partition("\n")[0],
            "games": self._workers.games_finished,
        }

    def _state(self) -> dict[str, Any]:
        return self._workers.state_dict()

    def _restore(self, state: dict[str, Any]) -> None:
        self._workers.load_state_dict(state)

    def load(self) -> None:
        """Go on from the checkpoint, if there is one; write the network that plays."""
        super().load()
        self._replay.load(self.iterations_done)
        self.write_network(self.network)


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
        SelfPlayTraining, game, preset, out, name=preset_name, seed=seed, device=device,
        listener=listener, workers=workers, free=free, executor=executor,
    )  # fmt: skip
    return run_in(out, settings, command, resume, make)
