"""Put a finished training's network into the package, with what it measures on its card.

    python lab/ship_network.py runs/othello [--notes "..."] [--games 100]

Plays the network against MCTS1 (300 playouts) at the paper's number of simulations, half with
each colour, from paired openings of four random plies, and writes ``nets/GAME.onnx`` and
``nets/GAME.md``; the learning curves of a training on recorded games go to docs/results.
"""

import argparse
import json
import shutil
from dataclasses import asdict, replace
from pathlib import Path

from evenmatch.games import get_game
from evenmatch.network import artifact
from evenmatch.network.artifact import SHIPPED, read_card
from evenmatch.network.card import Card
from evenmatch.play.arena import play_match
from evenmatch.workshop.networks.export import write_artifact
from evenmatch.workshop.networks.modules import read_weights

SEED, OPENINGS = 11, 4
RESULTS = Path(__file__).parents[1] / "docs" / "results"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("run", type=Path, help="folder of a finished training")
    parser.add_argument("--games", type=int, default=100, help="0: leave the match out")
    parser.add_argument("--notes", default="")
    arguments = parser.parse_args()
    source = arguments.run / "network.onnx"
    card = read_card(source)
    rows = (arguments.run / "progress.jsonl").read_text().splitlines()
    minutes = json.loads(rows[-1])["seconds"] / 60
    notes = f"{len(rows)} iterations, {minutes:.0f} minutes on 2 shared cores. {arguments.notes}"
    measured = strength(source, card, arguments.games) if arguments.games else {}
    card = replace(card, strength=measured, notes=notes.strip())
    target = Path(artifact.__file__).parents[1] / "nets" / SHIPPED[card.game]
    write_artifact(read_weights(source), card, target)
    target.with_suffix(".md").write_text(page(card))
    curves = arguments.run / "curves.svg"
    if curves.exists():
        shutil.copy(curves, RESULTS / f"training_{card.game}.svg")
    print(page(card))


def strength(network: Path, card: Card, games: int) -> dict:
    """Measure the network against MCTS1."""
    match = play_match(
        f"alphazero:net={network}",
        "mcts1",
        get_game(card.game),
        games,
        seed=SEED,
        openings=OPENINGS,
    )
    score = match.score
    low, high = score.interval()
    return {
        "mcts1": {
            "games": score.games,
            "wins": score.wins,
            "losses": score.losses,
            "draws": score.draws,
            "score": round(score.fraction, 3),
            "score_95": [round(low, 3), round(high, 3)],
            "seed": SEED,
            "openings": OPENINGS,
        }
    }


def page(card: Card) -> str:
    """Write the card for people."""
    title = get_game(card.game).title
    lines = [f"# Network of {title}", "", "| | |", "|---|---|"]
    for key, value in asdict(card).items():
        if key not in ("strength", "notes"):
            lines.append(f"| {key} | {f'`{value}`' if key == 'command' else value} |")
    for opponent, row in card.strength.items():
        low, high = row["score_95"]
        lines.append(
            f"| against {opponent} | won {row['wins']}, lost {row['losses']}, drew {row['draws']} "
            f"of {row['games']}: score {row['score']} (95%: {low} to {high}); seed {row['seed']}, "
            f"openings of {row['openings']} random plies |"
        )
    return "\n".join([*lines, "", card.notes, ""])


if __name__ == "__main__":
    main()
