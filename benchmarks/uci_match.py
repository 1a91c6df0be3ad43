"""`evenmatch uci` against another engine on the clock, with python-chess's client as the arbiter.

    python benchmarks/uci_match.py [--games 50] [--engine stockfish] [--elo 1400] [--out DIR]

Half the games with each colour, each pair from an opening of its own. The clock is counted here,
around every move, whatever the engines think. Writes uci_match.json and uci_match.md after every
game, and goes on from there. Ends with status 1 if ours lost on time, made an illegal move or died.
"""

import argparse
import contextlib
import json
import shutil
import sys
import threading
import time
from pathlib import Path

import chess
import chess.engine

from evenmatch import __version__
from evenmatch.errors import EvenmatchError
from evenmatch.network.processor import machine
from evenmatch.players.commands import command_of
from evenmatch.players.engine_player import engine_name
from evenmatch.ratings import Score
from evenmatch_lab.experiment import digest
from evenmatch_lab.markdown import wrapped
from evenmatch_lab.provenance import DIGITS, installed_code
from evenmatch_lab.result_files import made_by, write

BASE, INCREMENT = 10.0, 0.1  # seconds
GRACE = 5.0  # seconds after its clock has run out that a move is waited for
OURS = [sys.executable, "-m", "evenmatch", "uci"]

#: Two moves of each side, all of them common, so that games differ.
OPENINGS = (
    "e2e4 e7e5 g1f3 b8c6", "e2e4 c7c5 g1f3 d7d6", "e2e4 e7e6 d2d4 d7d5", "e2e4 c7c6 d2d4 d7d5",
    "e2e4 d7d5 e4d5 d8d5", "e2e4 d7d6 d2d4 g8f6", "e2e4 g7g6 d2d4 f8g7", "e2e4 e7e5 b1c3 g8f6",
    "e2e4 e7e5 f1c4 g8f6", "e2e4 c7c5 b1c3 b8c6", "d2d4 d7d5 c2c4 e7e6", "d2d4 d7d5 c2c4 c7c6",
    "d2d4 g8f6 c2c4 e7e6", "d2d4 g8f6 c2c4 g7g6", "d2d4 d7d5 g1f3 g8f6", "d2d4 f7f5 g2g3 g8f6",
    "d2d4 g8f6 c1g5 d7d5", "d2d4 d7d5 c1f4 g8f6", "c2c4 e7e5 b1c3 g8f6", "c2c4 c7c5 g1f3 g8f6",
    "g1f3 d7d5 g2g3 g8f6", "g1f3 g8f6 c2c4 g7g6", "b2b3 e7e5 c1b2 b8c6", "f2f4 d7d5 g1f3 g8f6",
    "e2e4 e7e5 f2f4 e5f4",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--engine", default="stockfish")
    parser.add_argument("--elo", type=int, default=1400, help="UCI_Elo of the other engine")
    parser.add_argument("--out", type=Path, default=Path("docs/results"))
    asked = parser.parse_args()
    command = command_of(asked.engine)
    if shutil.which(command[0]) is None:
        sys.exit(f"no engine {asked.engine}; install it (Debian: apt install stockfish)")
    path = asked.out / "uci_match.json"
    settings = {
        "command": f"python benchmarks/uci_match.py --games {asked.games} --engine {asked.engine} "
        f"--elo {asked.elo}",
        "engine": engine_name(asked.engine),
        "elo": asked.elo,
        "base": BASE,
        "increment": INCREMENT,
        "version": __version__,
        "network": digest("chess"),
    }
    known = json.loads(path.read_text()) if path.exists() else {}
    rows = known.get("games", []) if known.get("settings") == settings else []
    try:
        while len(rows) < asked.games:
            rows.append(play(len(rows), command, asked.elo))
            code = installed_code().reached_from("evenmatch.frontends.uci.engine", "")
            made = made_by(code, {"chess": settings["network"]})
            known = {"settings": settings, "made": made, "machine": machine(), "games": rows}
            write(path, json.dumps(known, indent=1) + "\n")
            write(path.with_suffix(".md"), page(known))
            print(f"{len(rows)}/{asked.games}  {rows[-1]['result']:+d}  {rows[-1]['end']}")
    except EvenmatchError as error:
        sys.exit(f"error: {error}")
    sys.exit(any(row["end"].startswith("ours") for row in rows))


def play(number: int, command: list[str], elo: int) -> dict:
    """Play one game; the result is ours: 1, 0 or -1."""
    board, ours = chess.Board(), chess.WHITE if number % 2 == 0 else chess.BLACK
    for word in OPENINGS[number // 2 % len(OPENINGS)].split():
        board.push_uci(word)
    clocks, slowest, end = dict.fromkeys(chess.COLORS, BASE), [0.0], None
    with contextlib.ExitStack() as started:
        engines, end = start({ours: OURS, not ours: command}, ours, started)
        if end is None:
            options = {"UCI_LimitStrength": True, "UCI_Elo": elo, "Threads": 1}
            engines[not ours].configure(options)
            for engine in engines.values():
                engine.ping()
        while end is None:
            who = "ours" if board.turn == ours else "theirs"
            spent, fault = move(engines[board.turn], board, clocks)
            if who == "ours":
                slowest.append(spent)
            if fault:
                end = f"{who}: {fault}"
            elif board.is_game_over(claim_draw=True):
                end = board.outcome(claim_draw=True).termination.name.lower()
    return {
        "result": result_of(board, end, ours),
        "end": end,
        "plies": len(board.move_stack),
        "slowest": round(max(slowest), 3),
        "left": round(clocks[ours], 2),
    }


def start(
    commands: dict[chess.Color, list[str]], ours: chess.Color, started: contextlib.ExitStack
) -> tuple[dict[chess.Color, chess.engine.SimpleEngine], str | None]:
    """Start the engines; return them, and whose fault it is if one does not start."""
    engines = {}
    for side, words in commands.items():
        try:
            engines[side] = chess.engine.SimpleEngine.popen_uci(words, timeout=60)
        except (OSError, TimeoutError, chess.engine.EngineError) as error:
            return engines, f"{'ours' if side == ours else 'theirs'}: did not start ({error})"
        started.callback(engines[side].close)
    return engines, None


def move(
    engine: chess.engine.SimpleEngine, board: chess.Board, clocks: dict[chess.Color, float]
) -> tuple[float, str]:
    """Let an engine move on its clock; return the seconds it took, and what was wrong, if so."""
    side = board.turn
    limit = chess.engine.Limit(
        white_clock=clocks[chess.WHITE],
        black_clock=clocks[chess.BLACK],
        white_inc=INCREMENT,
        black_inc=INCREMENT,
    )
    late = threading.Timer(clocks[side] + GRACE, engine.close)
    late.start()
    begun = time.perf_counter()
    try:
        played = engine.play(board, limit).move  # an illegal one is an error
    except chess.engine.EngineError as error:
        spent = time.perf_counter() - begun
        return spent, "hung" if spent > clocks[side] else str(error)
    finally:
        late.cancel()
    spent = time.perf_counter() - begun
    clocks[side] -= spent
    if clocks[side] < 0:
        return spent, "lost on time"
    if played is None:
        return spent, "told no move"
    clocks[side] += INCREMENT
    board.push(played)
    return spent, ""


def result_of(board: chess.Board, end: str, ours: chess.Color) -> int:
    """Return 1, 0 or -1 for us."""
    if end.startswith(("ours", "theirs")):
        return -1 if end.startswith("ours") else 1
    winner = board.outcome(claim_draw=True).winner
    return 0 if winner is None else 1 if winner == ours else -1


def page(known: dict) -> str:
    """Write the result for people."""
    settings, rows = known["settings"], known["games"]
    score = Score.from_outcomes([row["result"] for row in rows])
    low, high = score.interval()
    ours = [row["end"] for row in rows if row["end"].startswith("ours")]
    ends: dict[str, int] = {}
    for row in rows:
        ends[row["end"]] = ends.get(row["end"], 0) + 1
    lines = [
        "# `evenmatch uci` against another engine on the clock",
        "",
        f"Command: `{settings['command']}`.",
        f"Made: {known['made']['date']}; {known['machine']}; network "
        f"`{settings['network'][:DIGITS]}`; code `{known['made']['code']}`.",
        "",
        f"{len(rows)} games against {settings['engine']} at UCI_Elo {settings['elo']}, "
        f"{settings['base']:g} s + {settings['increment']:g} s a move, python-chess's client, "
        "half with each colour, openings of two moves each. Ours at full strength, with the "
        "options it has by default.",
        "",
        f"Illegal moves, crashes and losses on time of ours: **{len(ours)}**"
        + (f" ({'; '.join(ours)})" if ours else "")
        + f". Least time left at the end of a game: {min(row['left'] for row in rows):.2f} s; "
        f"slowest move: {max(row['slowest'] for row in rows):.2f} s.",
        "",
        f"Won {score.wins}, lost {score.losses}, drew {score.draws}: {score.fraction:.1%} "
        f"({low:.0%} to {high:.0%}).",
        "",
        "| how games ended | games |",
        "|---|---:|",
        *(f"| {end.replace('_', ' ')} | {count} |" for end, count in sorted(ends.items())),
    ]
    return "\n".join(wrapped(lines)) + "\n"


if __name__ == "__main__":
    main()
