"""Table 4 of Fujita 2022: Elo of AlphaZero and four baselines, beside the paper's.

    python experiments/elo_table.py             50 tournaments per game, as in the paper
    python experiments/elo_table.py --quick     2 tournaments with small searches
    python experiments/elo_table.py --report    rewrite the page from the results on disk

Every tournament has two games of each pair, one with each colour, from the same opening of
four random plies. (The paper has no openings. Without them AlphaZero and Minimax1, which do not
choose at random, repeat the same two games: fifty tournaments are then a sample of two.) The
paper's Elo is sequential with K = 8 from 1500 (eq. 17), updated after each tournament; beside
it stands the maximum-likelihood Elo with 95% intervals. Games that are done with the same
networks are not played again.
"""

import argparse
import hashlib
import json
import time
from pathlib import Path

from evenmatch.arena import Played, round_robin
from evenmatch.games import GAMES, get_game
from evenmatch.network.artifact import shipped_path
from evenmatch.ratings import BradleyTerry, Pairing, Score, SequentialElo

TOURNAMENTS, SEED, OPENINGS = 50, 1, 4
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
        if results.get(game_id, {}).get("network") != digest(game_id):
            results[game_id] = measure(game_id, arguments.quick)
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".partial")
            partial.write_text(json.dumps(results, indent=1) + "\n")
            partial.replace(path)
    path.with_suffix(".md").write_text(page(results, f"{path.stem}.svg"))
    plot(results, path.with_suffix(".svg"))
    print(page(results, f"{path.stem}.svg"))


def digest(game_id: str) -> str:
    """Return the first half of the shipped network's SHA-256: results belong to a network."""
    return hashlib.sha256(shipped_path(game_id).read_bytes()).hexdigest()[:32]


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
        list(agents.values()),
        get_game(game_id),
        2 * tournaments,
        seed=SEED,
        openings=OPENINGS,
        progress=progress,
    )
    print()
    return rate(list(agents), played, tournaments) | {
        "agents": agents,
        "network": digest(game_id),
        "openings": OPENINGS,
        "distinct": len(
            {(game.pairing.first, game.pairing.second, game.actions) for game in played}
        ),
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
        "gap": interval(table.difference(names[0], names[1])),
        "pairs": {key: [s.wins, s.losses, s.draws] for key, s in scores.items()},
    }


def interval(rating) -> list[float | None]:
    """Return Elo and the ends of its interval; None for an end the games do not bound."""
    numbers = (rating.elo, rating.low, rating.high)
    return [round(x, 1) if abs(x) < 1e6 else None for x in numbers]


def plot(results: dict, path: Path) -> None:
    """Draw each agent's Elo beside the paper's, one panel a game."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = path.stem  # equal results give an equal file
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(results), figsize=(11, 3.6), sharey=True)
    names = list(AGENTS)
    for axis, (game_id, row) in zip(axes, results.items(), strict=True):
        axis.plot(names, PAPER[game_id], "D", color="0.5", label="paper, sequential")
        axis.plot(names, [row["sequential"][n] for n in names], "o", label="ours, sequential")
        elo, low, high = zip(*(row["likelihood"][n] for n in names), strict=True)
        below = [0 if x is None else e - x for e, x in zip(elo, low, strict=True)]
        above = [0 if x is None else x - e for e, x in zip(elo, high, strict=True)]
        axis.errorbar(names, elo, (below, above), fmt="_", label="ours, likelihood, 95%")
        axis.set_title(get_game(game_id).title)
        axis.tick_params(axis="x", rotation=30)
        axis.grid(axis="y", alpha=0.3)
    axes[0].set_ylabel("Elo")
    axes[-1].legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def page(results: dict, picture: str) -> str:
    """Write the page that sets the paper's table beside ours."""
    lines = [
        "# Elo of AlphaZero and the baselines (Fujita 2022, table 4)",
        "",
        "Command: `python experiments/elo_table.py`. "
        "Sequential Elo is the paper's (K = 8, from 1500); beside it the maximum-likelihood Elo "
        "with its 95% interval, relative to a mean of 1500. An open end (`?`) is one the games do "
        "not bound: a player that won or lost everything.",
        "",
        f"![Elo of the agents, paper and ours]({picture})",
    ]
    for game_id, row in results.items():
        lines += ["", f"## {get_game(game_id).title}", ""]
        lines += [
            f"{row['games']} games ({row['tournaments']} tournaments, {row['distinct']} games "
            f"differ), openings of {row['openings']} random plies, seed {row['seed']}, "
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
    gap, low, high = ("?" if x is None else f"{x:.0f}" for x in row["gap"])
    orders = {
        "likelihood": sorted(names, key=lambda name: -row["likelihood"][name][0]),
        "sequential": sorted(names, key=lambda name: -row["sequential"][name]),
    }
    lines = [
        f"AlphaZero above MCTS1: paper {paper:.0f}, ours {ours:.0f} sequential, "
        f"{gap} ({low} to {high}) by likelihood.",
    ]
    for kind, order in orders.items():
        verdict = "the paper's" if order == names else "**not** the paper's"
        lines.append(f"Order by {kind}: {' > '.join(order)} ({verdict}).")
    return lines


if __name__ == "__main__":
    main()
