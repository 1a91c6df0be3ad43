"""What loaded networks cost: memory of UCI and the page at a rating, time of a level after a game.

``python -m evenmatch_lab.bench.loaded`` prints JSON: the resident megabytes of ``evenmatch uci`` at
1500 after its first move; those of ``evenmatch web --people`` once the page was opened, and after a
move of one and of two people in a game of chess at 1500 each; and of three estimates of one game in
one process (a new estimator each,
as after every finished game) the seconds and how many models were compiled.
"""

import json
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
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
        found = resident(engine.pid)
        print("quit", file=engine.stdin, flush=True)
    return found


def resident(process: int) -> int:
    """Return the resident megabytes of a process."""
    rows = Path(f"/proc/{process}/status").read_text().splitlines()
    return round(int(next(row.split()[1] for row in rows if row.startswith("VmRSS"))) / 1024)


def page_megabytes() -> dict[str, int]:
    """Return the resident megabytes of the page's server: opened, with one game, and with two."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as state:
        command = [sys.executable, "-m", "evenmatch", "web", "--people", "--game", "chess"]
        command += ["--port", str(port), "--state", state]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
            assert server.stderr is not None
            while not server.stderr.readline().startswith("Open http"):
                assert server.poll() is None, "the server ended"
            ask(port, "/")
            found = {"opened": resident(server.pid)}
            for people in ("one", "two"):
                play_move(port)
                found[people] = resident(server.pid)
            server.terminate()
    return found


def ask(port: int, path: str, cookie: str = "", body: bytes | None = None) -> tuple[str, bytes]:
    """Return the cookie and the body of an answer of the page's server."""
    headers = {"x-evenmatch": "1", "cookie": cookie}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body, headers)
    with urllib.request.urlopen(request) as answer:
        return answer.headers.get("set-cookie", "").partition(";")[0], answer.read()


def play_move(port: int) -> None:
    """Become a guest, and play a move of chess against an opponent at 1500."""
    from websockets.sync.client import connect

    cookie, _ = ask(port, "/api/start")
    new = {"game": "chess", "opponent": {"level": "1500"}, "side": "first"}
    row = json.loads(ask(port, "/api/tables", cookie, json.dumps(new).encode())[1])["id"]
    url = f"ws://127.0.0.1:{port}/api/tables/{row}/socket"
    headers = {"origin": f"http://127.0.0.1:{port}", "cookie": cookie}
    with connect(url, additional_headers=headers, max_size=None) as game:
        state = json.loads(game.recv())
        game.send(json.dumps({"do": "move", "seq": state["seq"], "move": "e4"}))
        while len(state["moves"]) < 2:
            state = json.loads(game.recv())


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
    megabytes = {"uci_mb": uci_megabytes(), "page_mb": page_megabytes()}
    print(json.dumps(megabytes | {"levels": rated()}, indent=1))
