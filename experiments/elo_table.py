"""Table 4 of Fujita 2022: Elo of AlphaZero and four baselines, beside the paper's.

    python experiments/elo_table.py             50 tournaments per game, as in the paper
    python experiments/elo_table.py --quick     2 tournaments with small searches
    python experiments/elo_table.py --report    rewrite the page from the results on disk

Every tournament has two games of each pair, one with each colour. The paper's Elo is
sequential with K = 8 from 1500 (eq. 17), updated after each tournament; beside it stands the
maximum-likelihood Elo with 95% intervals. Games that are done are not played again.
"""

import argparse
import json
import time
from pathlib import Path

from evenmatch.arena import Played, round_robin
from evenmatch.games import GAMES, get_game
from evenmatch.ratings import BradleyTerry, Pairing, Score, SequentialElo

TOURNAMENTS, SEED = 50, 1
RESULTS = Path(__file__).parents[1] / "docs" / "results"

#: The paper's five agents, as its code plays them, and what its table says.
AGENTS = {
    "AlphaZero": "alphazero:random_root=0.2",
    "MCTS1": "mcts1",
    "MCTS2": "mcts2",
    "Minimax1": "minimax1:quirks=on",
    "Random": "random",
}
PAPER = {
    "connect4": (1978, 1731, 1506, 1355, 930.6),
    "othello6": (1960, 1681, 1455, 1425, 979.5),
    "othello": (1970, 1618, 1534, 1422, 953.6),
}
QUICK = {
    "AlphaZero": "alphazero:sims=16,random_root=0.2",
    "MCTS1": "mcts1:sims=30",
    "MCTS2": "mcts2:sims=10",
    "Minimax1": "minimax1:depth=1,quirks=on",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="2 tournaments, small searches")
    parser.add_argument("--report", action="store_true", help="only rewrite the page")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    path = arguments.out / ("elo_table_quick.json" if arguments.quick else "elo_table.json")
    results = json.loads(path.read_text()) if path.exists() else {}
    for game_id in () if arguments.report else GAMES:
        if game_id not in results:
            results[game_id] = measure(game_id, arguments.quick)
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".partial")
            partial.write_text(json.dumps(results, indent=1) + "\n")
            partial.replace(path)
    path.with_suffix(".md").write_text(page(results))
    print(page(results))


def measure(game_id: str, quick: bool) -> dict:
    """Play one game's tournaments and rate the agents."""
    agents = AGENTS | QUICK if quick else AGENTS
    tournaments = 2 if quick else TOURNAMENTS
    start = time.perf_counter()

    def progress(done: int, due: int) -> None:
        rate = done / (time.perf_counter() - start)
        print(
            f"\r{game_id}: {done}/{due} games, {rate:.1f}/s, {(due - done) / rate:.0f} s left ",
            end="",
            flush=True,
        )

    played = round_robin(
        list(agents.values()), get_game(game_id), 2 * tournaments, seed=SEED, progress=progress
    )
    print()
    return rate(list(agents), played, tournaments) | {
        "agents": agents,
        "seed": SEED,
        "tournaments": tournaments,
        "games": len(played),
        "seconds": round(time.perf_counter() - start, 1),
    }


def rate(names: list[str], played: list[Played], tournaments: int) -> dict:
    """Return both kinds of Elo and every pair's score."""
    rounds: list[list[Pairing]] = [[] for _ in range(tournaments)]
    for game in played:
        first, second = names[game.pairing.first], names[game.pairing.second]
        score = Score.from_outcomes([game.result])
        rounds[game.pairing.opening].append(Pairing(first=first, second=second, score=score))
    sequential = SequentialElo().run(rounds)[-1]
    table = BradleyTerry().fit([pairing for games in rounds for pairing in games])
    scores: dict[str, Score] = {}
    for pairing in (pairing for games in rounds for pairing in games):
        ahead = names.index(pairing.first) < names.index(pairing.second)
        pair = (pairing.first, pairing.second) if ahead else (pairing.second, pairing.first)
        key = " - ".join(pair)
        scores[key] = scores.get(key, Score()) + (pairing.score if ahead else -pairing.score)
    return {
        "sequential": {name: round(sequential[name], 1) for name in names},
        "likelihood": {name: interval(table[name]) for name in names},
        "pairs": {key: [s.wins, s.losses, s.draws] for key, s in scores.items()},
    }


def interval(rating) -> list[float | None]:
    """Return Elo and the ends of its interval; None for an end the games do not bound."""
    numbers = (rating.elo, rating.low, rating.high)
    return [round(x, 1) if abs(x) < 1e6 else None for x in numbers]


def page(results: dict) -> str:
    """Write the page that sets the paper's table beside ours."""
    lines = [
        "# Elo of AlphaZero and the baselines (Fujita 2022, table 4)",
        "",
        "Command: `python experiments/elo_table.py`. "
        "Sequential Elo is the paper's (K = 8, from 1500); beside it the maximum-likelihood Elo "
        "with its 95% interval, relative to a mean of 1500. An open end (`?`) is one the games do "
        "not bound: a player that won or lost everything.",
    ]
    for game_id, row in results.items():
        lines += ["", f"## {get_game(game_id).title}", ""]
        lines += [
            f"{row['games']} games ({row['tournaments']} tournaments), seed {row['seed']}, "
            f"{row['seconds']:.0f} s on 2 cores. Agents: "
            + ", ".join(f"{name} = `{spec}`" for name, spec in row["agents"].items())
            + ".",
            "",
            "| agent | paper | ours, sequential | ours, likelihood (95%) |",
            "|---|---:|---:|---:|",
        ]
        for name, paper in zip(AGENTS, PAPER[game_id], strict=True):
            elo, low, high = ("?" if x is None else f"{x:.0f}" for x in row["likelihood"][name])
            ours = f"{row['sequential'][name]:.0f}"
            lines.append(f"| {name} | {paper:.0f} | {ours} | {elo} ({low} to {high}) |")
        lines += ["", *gap_lines(game_id, row), ""]
        lines += ["| pair | won | lost | drawn |", "|---|---:|---:|---:|"]
        lines += [f"| {pair} | {w} | {lost} | {d} |" for pair, (w, lost, d) in row["pairs"].items()]
    return "\n".join(lines) + "\n"


def gap_lines(game_id: str, row: dict) -> list[str]:
    """Say whether the gap and the order are the paper's."""
    names = list(AGENTS)
    paper = PAPER[game_id][0] - PAPER[game_id][1]
    ours = row["sequential"]["AlphaZero"] - row["sequential"]["MCTS1"]
    likelihood = row["likelihood"]["AlphaZero"][0] - row["likelihood"]["MCTS1"][0]
    orders = {
        "likelihood": sorted(names, key=lambda name: -row["likelihood"][name][0]),
        "sequential": sorted(names, key=lambda name: -row["sequential"][name]),
    }
    lines = [
        f"AlphaZero above MCTS1: paper {paper:.0f}, ours {ours:.0f} sequential, "
        f"{likelihood:.0f} by likelihood.",
    ]
    for kind, order in orders.items():
        verdict = "the paper's" if order == names else "**not** the paper's"
        lines.append(f"Order by {kind}: {' > '.join(order)} ({verdict}).")
    return lines


if __name__ == "__main__":
    main()
