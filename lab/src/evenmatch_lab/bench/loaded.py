"""What loaded networks cost: memory of UCI at a rating, and of a level after a finished game.

``python -m evenmatch_lab.bench.loaded`` prints JSON: the resident megabytes of ``evenmatch uci`` at
1500 after its first move, and of three judgements of one game in one process (a new judge each, as
after every finished game) the seconds and how many models were compiled.
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


def judged(times: int = 3) -> list[dict[str, float]]:
    """Return seconds and compiled models of judging a finished game, each time by a new judge."""
    import numpy as np
    import openvino

    from evenmatch.games import get_game
    from evenmatch.profiles.judges import judge_of
    from evenmatch.profiles.played import Finished, Outcome
    from evenmatch.sessions.saved import Saved

    game = get_game("chess")
    states, actions = game.initial(), []
    for word in MOVES.split():
        actions.append(game.read_action(states[0], word))
        states = game.after(states, np.array(actions[-1:]))
    saved = Saved(game="chess", opponent="pikl:elo=1500", side=1, seed=1, actions=tuple(actions))
    finished = Finished(saved=saved, outcome=Outcome(1, "resignation"), begun=0.0, ended=0.0)
    compiled: list[int] = []
    compile_model = openvino.Core.compile_model

    def counted(*args):
        compiled.append(1)
        return compile_model(*args)

    openvino.Core.compile_model = counted
    found = []
    for _ in range(times):
        begun, before = time.perf_counter(), len(compiled)
        judge = judge_of("chess")
        assert judge is not None
        judge.judged([finished])
        seconds = round(time.perf_counter() - begun, 2)
        found.append({"seconds": seconds, "compiled": len(compiled) - before})
    return found


if __name__ == "__main__":
    print(json.dumps({"uci_mb": uci_megabytes(), "levels": judged()}, indent=1))
