"""What loaded networks cost: memory of UCI at a rating, time of a level after a game.

``python -m evenmatch_lab.bench.loaded`` prints JSON: the resident megabytes of ``evenmatch uci`` at
1500 after its first move, and of three estimates of one game in one process (a new estimator each,
as after every finished game) the seconds and how many models were compiled.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

MOVES = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Na5 Bc2 c5 d4 Qc7"
ASKED = (
    "uci",
    "setoption name UCI_LimitStrength value true",
    "setoption name UCI_Elo value 1500",
    "isready",
    "position startpos",
    "go nodes 100",
)


def uci_megabytes() -> int:
    """Return the resident megabytes of a UCI engine at a rating, after its first move."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "evenmatch", "uci"]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        print(*ASKED, sep="\n", file=engine.stdin, flush=True)
        while not engine.stdout.readline().startswith("bestmove"):
            assert engine.poll() is None, "the engine ended"
        status = Path(f"/proc/{engine.pid}/status").read_text()
        print("quit", file=engine.stdin, flush=True)
    kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))
    return round(int(kilobytes) / 1024)


def rated(times: int = 3) -> list[dict[str, float]]:
    """Return seconds and compiled models of rating one game, each time by a new estimator."""
    import numpy as np
    import openvino

    from evenmatch.estimation import PlayerGame, shipped_estimator
    from evenmatch.games import get_game
    from evenmatch.records.codec import codec_for
    from evenmatch.records.record import GameRecord

    game = get_game("chess")
    lines, actions = [game.initial()], []
    for word in MOVES.split():
        actions.append(game.read_action(lines[-1][0], word))
        lines.append(game.after(lines[-1], np.array(actions[-1:])))
    moves = codec_for("chess").recorded(np.concatenate(lines[:-1]), np.array(actions, np.int64))
    finished = PlayerGame(GameRecord(game="chess", moves=moves, result=1), 1)
    compiled: list[int] = []
    compile_model = openvino.Core.compile_model

    def counted(*args):
        compiled.append(1)
        return compile_model(*args)

    openvino.Core.compile_model = counted
    found = []
    for _ in range(times):
        begun, before = time.perf_counter(), len(compiled)
        shipped_estimator().scorer([finished])
        seconds = round(time.perf_counter() - begun, 2)
        found.append({"seconds": seconds, "compiled": len(compiled) - before})
    return found


if __name__ == "__main__":
    print(json.dumps({"uci_mb": uci_megabytes(), "levels": rated()}, indent=1))
