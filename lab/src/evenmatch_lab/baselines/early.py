"""Networks of the first iterations of a training, which play as beginners of many strengths do.

`python -m evenmatch_lab.baselines.early GAME FOLDER` trains them again and keeps those of
ITERATIONS beside this module, in ``early/``.
"""

import shutil
import sys
from dataclasses import replace
from pathlib import Path

ITERATIONS = (1, 4, 9)  #: whose networks are kept
GAME_IDS = ("connect4", "othello6", "othello")
FOLDER = Path(__file__).parent / "early"


def network_path(game_id: str, iteration: int) -> str:
    """Return the file of a game's network after an iteration."""
    return str(FOLDER / f"{game_id}-{iteration}.onnx")


def train(game_id: str, out: Path) -> None:
    """Train a network in ``out`` and keep its early ones; it takes minutes."""
    from evenmatch.games import get_game
    from evenmatch.workshop.training.alphazero import SelfPlayTraining
    from evenmatch.workshop.training.presets import get_preset

    preset = replace(
        get_preset("fast", game_id),
        blocks=2, channels=16, policy_channels=2, value_channels=1,
        iterations=12, games=64, positions=2000, simulations=16, considered=4,
        batch=256, ema=0.9, gate_every=1, gate_games=2, gate_simulations=8,
    )  # fmt: skip
    out.mkdir(parents=True, exist_ok=True)
    training = SelfPlayTraining(get_game(game_id), preset, out, name="early")
    training.load()  # continues a run that was ended
    training.run()
    FOLDER.mkdir(exist_ok=True)
    for iteration in ITERATIONS:
        shutil.copy(out / "gates" / f"{iteration:05}.onnx", network_path(game_id, iteration))


if __name__ == "__main__":
    train(sys.argv[1], Path(sys.argv[2]))
