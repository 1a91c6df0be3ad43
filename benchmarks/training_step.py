"""Steps of supervised training compiled and not: positions a second, and whether losses agree.

    python benchmarks/training_step.py [PRESET]

The batch is of random planes. Machine, ratio and losses are printed; nothing is written.
"""

import sys
import time

import numpy as np

from evenmatch.estimation import Ranks
from evenmatch.experiments.runner import machine
from evenmatch.network.conditions import condition_count
from evenmatch.network.fit import Fitter, Ranked
from evenmatch.network.resnet import ResNet
from evenmatch.training.human import HumanPreset, get_human_preset
from evenmatch.training.supervised import network_config

import torch  # isort: skip

STEPS, SCALES = 20, 2


def main(name: str = "small") -> None:
    preset, ranks = get_human_preset(name), Ranks()
    print(f"{name}: {machine()}, torch {torch.__version__}")
    rates, losses = [], []
    for compiled in (False, True):
        rate, loss = measured(preset, ranks, compiled)
        rates.append(rate)
        losses.append(loss)
        print(
            f"compiled {compiled!s:5}  {rate:7,.0f} positions/s  loss of the third step {loss:.4f}"
        )
    print(f"ratio {rates[1] / rates[0]:.2f}, losses differ by {abs(losses[0] - losses[1]):.4f}")


def measured(preset: HumanPreset, ranks: Ranks, compiled: bool) -> tuple[float, float]:
    """Return positions a second and the policy loss of the third step."""
    torch.manual_seed(0)
    fitter = Fitter(
        ResNet(network_config(preset, SCALES, ranks)), device="cpu", optimizer=preset.optimizer,
        learning_rate=1e-3, ema=preset.ema, compile=compiled,
    )  # fmt: skip
    rng = np.random.default_rng(0)
    rows = preset.samples * (ranks.count + 1) * preset.moves
    batch = (
        (rng.random((rows, preset.planes, 8, 8)) < 0.1).astype(np.float32),
        rng.integers(0, 1858, rows),
        rng.choice([-1.0, 1.0], rows).astype(np.float32),
        Ranked(ranks.count + 1, preset.moves, True, np.zeros(preset.samples, np.int64)),
        np.eye(condition_count(SCALES), dtype=np.float32)[rng.integers(0, 20, rows)],
    )
    loss = [fitter.step(*batch).policy for _ in range(3)][-1]
    start = time.perf_counter()
    for _ in range(STEPS):
        fitter.step(*batch)
    return STEPS * rows / (time.perf_counter() - start), loss


if __name__ == "__main__":
    main(*sys.argv[1:])
