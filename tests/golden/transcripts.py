"""Recordings of conversations with ``evenmatch``: UCI, GTP, the terminal, estimates, a profile.

Each starts processes with a state folder of their own, commands of people at a given time. What
depends on how fast the machine is gets masked, and of a search's reports the last ones are kept.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

COMMAND = [sys.executable, "-m", "evenmatch"]
HERE = Path(__file__).parent
DATA, DATED = HERE / "data", HERE / "dated.py"
NOON = 1_775_131_200  #: of 2 April 2026 by UTC, before the first command


COMPILES = re.compile("[Cc]ompiling .*: this takes|compiling .*; this takes")  #: once a machine


def _environment(state: str | Path) -> dict[str, str]:
    """Return the environment of a process: no program is found, such as Stockfish."""
    given = {
        "EVENMATCH_STATE": str(state),
        "EVENMATCH_PRECISION": "f32",
        "COLUMNS": "100",
        "PYTHONUNBUFFERED": "1",
        "PATH": "",
        "TZ": "UTC",
    }
    return os.environ | given


def _masked(text: str, masks: dict[str, str]) -> str:
    for pattern, kept in masks.items():
        text = re.sub(pattern, kept, text)
    return text


class _Talk:
    """A process that is spoken to line by line."""

    def __init__(self, *arguments: str, state: str):
        self._process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env=_environment(state),
        )

    def say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def until(self, last: Callable[[str], bool]) -> list[str]:
        """Return the lines up to one for which ``last`` is true, that included."""
        assert self._process.stdout is not None
        lines = []
        for line in self._process.stdout:
            lines.append(line.rstrip("\n"))
            if last(lines[-1]):
                break
        return lines

    def close(self) -> list[str]:
        """Return what is said after nothing more is heard, and the exit status."""
        rest, _ = self._process.communicate()
        return [*rest.splitlines(), f"exit {self._process.returncode}"]


@contextmanager
def _state() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        yield folder


# -- UCI -----------------------------------------------------------------------------------------

UCI_MASKS = {
    r" time \d+": " time T",
    r" nps \d+": " nps N",
    r"(name Threads .* default) \d+": r"\1 N",
    r"^id name evenmatch .*": "id name evenmatch V",
}
ITALIAN = "e2e4 e7e5 g1f3 b8c6 f1c4"
UCI: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "full strength": (
        (),
        (
            "uci",
            "setoption name Seed value 7",
            "ucinewgame",
            "position startpos",
            "go nodes 40",
            "position startpos moves e2e4",
            "go nodes 60",
            "position startpos moves e2e4 e7e5",
            "go nodes 60",
            f"position startpos moves {ITALIAN}",
            "go depth 3",
            "setoption name UCI_ShowWDL value true",
            f"position startpos moves {ITALIAN} g8f6",
            "go nodes 80 searchmoves e1g1 d2d3",
            "setoption name MultiPV value 3",
            "go nodes 100",
            "position fen r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
            "go mate 1",
            "position fen 8/8/8/8/8/5k2/7p/7K w - - 0 1",
            "go nodes 10",
            "position fen 8/8/8/8/4k3/8/4P3/4K3 w - - 0 1",
            "go nodes 30",
        ),
    ),
    "ratings": (
        (),
        (
            "setoption name Seed value 3",
            "setoption name UCI_LimitStrength value true",
            "setoption name UCI_Elo value 1100",
            "position startpos",
            "go nodes 1",
            "position startpos moves e2e4 e7e5",
            "go nodes 1",
            "setoption name UCI_Elo value 1900",
            f"position startpos moves {ITALIAN}",
            "go nodes 1",
            "setoption name Method value human",
            f"position startpos moves {ITALIAN} g8f6",
            "go nodes 1",
            "ucinewgame",
            "position startpos moves d2d4",
            "go nodes 1",
            "setoption name Method value ace",
            "position startpos moves d2d4 d7d5 c2c4",
            "go nodes 1",
            "setoption name Method value sa",
            "position startpos moves d2d4 d7d5 c2c4 e7e6",
            "go nodes 1",
            "setoption name Method value se",
            "setoption name MultiPV value 2",
            "position startpos moves d2d4 d7d5 c2c4 e7e6 b1c3",
            "go nodes 1",
        ),
    ),
    "given options": (
        ("--elo", "1500", "--method", "human"),
        (
            "uci",
            "setoption name Seed value 5",
            "position startpos moves g1f3",
            "go nodes 1",
            "position startpos moves g1f3 d7d5 d2d4",
            "go nodes 1",
        ),
    ),
    "bad input": (
        (),
        (
            "hello there",
            "setoption name Nonsense value 3",
            "setoption name UCI_Elo value many",
            "setoption name UCI_Elo value 9999",
            "setoption name Method value chance",
            "setoption name MultiPV value 0",
            "setoption",
            "position",
            "position fen nonsense",
            "position startpos moves e2e5",
            "go nodes 5",
            "position startpos moves e2e4 e7e5 xx",
            "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
            "go nodes 5",
            "setoption name WeightsFile value nowhere.onnx",
            "position startpos",
            "go nodes 5",
            "setoption name WeightsFile value <empty>",
            "go nodes 5 joho depth x",
            "joho uci",
        ),
    ),
}


def uci(name: str) -> list[str]:
    """Return a conversation by UCI: what is said to the engine after ``> ``, and its answers."""
    arguments, script = UCI[name]
    with _state() as state:
        talk, heard = _Talk("uci", *arguments, state=state), []
        for line in script:
            heard.append(f"> {line}")
            talk.say(line)
            if line.startswith("go"):
                heard += _last_reports(talk.until(lambda said: said.startswith("bestmove")))
                continue
            talk.say("isready")
            heard += talk.until(lambda said: said == "readyok")[:-1]
        talk.say("quit")
        heard += talk.close()
    return [_masked(line, UCI_MASKS) for line in heard if not COMPILES.search(line)]


def _last_reports(lines: list[str]) -> list[str]:
    """Return lines without the reports of a search that later ones of the same rank replace."""
    kept, seen = [], set()
    for line in reversed(lines):
        if line.startswith("info depth"):
            rank = re.findall(r" multipv (\d+)", line)
            if (key := tuple(rank)) in seen:
                continue
            seen.add(key)
        kept.append(line)
    return kept[::-1]


# -- GTP -----------------------------------------------------------------------------------------

GTP_MASKS = {r"(evenmatch) \d\S*": r"\1 V"}
GTP: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "9x9": (
        ("--game", "go9", "--visits", "24", "--seed", "4"),
        (
            "protocol_version",
            "name",
            "version",
            "known_command genmove",
            "boardsize 9",
            "clear_board",
            "komi 7",
            "genmove b",
            "genmove w",
            "play b C3",
            "genmove w",
            "showboard",
            "undo",
            "undo",
            "genmove b",
            "reg_genmove w",
            "kata-genmove_analyze w maxmoves 3",
            "lz-genmove_analyze b maxmoves 2",
            "kata-genmove_analyze w maxmoves 1 rootInfo true pvVisits true",
            "kata-get-param maxVisits",
            "kata-set-param maxVisits 8",
            "genmove b",
            "kata-get-rules",
            "final_score",
            "final_status_list dead",
            "printsgf",
            "kata-analyze b 1 maxmoves 2",
            "lz-analyze b 1",
        ),
    ),
    "people": (
        ("--game", "go", "--rank", "8k", "--seed", "2"),
        (
            "clear_board",
            "fixed_handicap 3",
            "genmove w",
            "genmove b",
            "play w Q10",
            "genmove b",
            "undo",
            "genmove b",
            "place_free_handicap 2",
            "boardsize 13",
            "place_free_handicap 2",
            "genmove w",
            "boardsize 9",
            "genmove b",
            "set_free_handicap C3 G7",
        ),
    ),
    "a finished game": (
        ("--game", "go9", "--visits", "12", "--seed", "1", "--play-on"),
        (
            "loadsgf game.sgf",
            "showboard",
            "final_score",
            "final_status_list alive",
            "final_status C3",
            "loadsgf game.sgf 6",
            "genmove b",
            "loadsgf nowhere.sgf",
            "kata-set-rules japanese",
            "kata-set-rules chinese",
            "kata-get-rules",
            "play b pass",
            "play w pass",
            "final_score",
        ),
    ),
    "players": (
        ("--game", "othello", "--player", "style:s=4,sims=16", "--seed", "3"),
        (
            "boardsize 8",
            "clear_board",
            "play b d3",
            "genmove w",
            "genmove b",
            "undo",
            "genmove b",
            "showboard",
            "kata-get-param player",
            "kata-set-param player alphadda3:sims=12",
            "genmove w",
            "final_score",
        ),
    ),
    "bad input": (
        ("--game", "go9", "--visits", "4", "--seed", "1"),
        (
            "nonsense",
            "play",
            "play b Z99",
            "play x C3",
            "play b C3",
            "play b C3",
            "undo",
            "undo",
            "genmove",
            "genmove green",
            "boardsize 99",
            "komi much",
            "time_settings 1",
            "kata-set-param nonsense 3",
            "kata-set-param maxVisits many",
            "kata-genmove_analyze b nonsense 3",
            "kata-analyze b avoid w C3 2",
            "fixed_handicap 77",
            "final_status Q1",
            "known_command nonsense",
            "final_score",
        ),
    ),
}


def gtp(name: str) -> list[str]:
    """Return a conversation by GTP: commands after ``> ``, and the answers to them.

    Of an analysis that goes on until the next command, only the first words are kept.
    """
    arguments, script = GTP[name]
    with _state() as state:
        talk, heard = _Talk("gtp", *arguments, state=state), []
        for line in script:
            heard.append(f"> {line}")
            talk.say(line.replace("game.sgf", str(DATA / "game.sgf")))
            if "-analyze" in line:
                first = talk.until(lambda said: said.startswith(("info", "?")))
                heard += [_masked(said, {r"^(info move) .*": r"\1 ..."}) for said in first]
                talk.say("name")
                talk.until(lambda said: said == "= evenmatch")
            heard += talk.until(lambda said: not said)[:-1]
        talk.say("quit")
        heard += talk.close()
    return [_masked(line, GTP_MASKS).replace(str(DATA), "DATA") for line in heard]


# -- the terminal --------------------------------------------------------------------------------


class _Commands:
    """Commands that share a state folder."""

    def __init__(self, state: str):
        self._state, self._heard, self._now = state, [], NOON

    @property
    def heard(self) -> list[str]:
        """The commands after ``$ `` and what they wrote, without the state folder's name."""
        return [line.replace(self._state, "STATE") for line in self._heard]

    def run(self, *arguments: str, lines: str = "") -> str:
        """Run a command, an hour after the one before; return its standard output."""
        self._now += 3600
        done = subprocess.run(
            [sys.executable, str(DATED), str(self._now), *arguments],
            input=lines,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=_environment(self._state),
            cwd=DATA,
            check=False,
        )
        entered = f" < {lines.strip()}" if lines else ""
        self._heard += [f"$ {' '.join(arguments)}{entered}", *_lines(done.stdout)]
        notes = [f"! {line}" for line in done.stderr.splitlines()]
        self._heard += [line for line in notes if not COMPILES.search(line)]
        if done.returncode:
            self._heard.append(f"exit {done.returncode}")
        return done.stdout


def _lines(text: str) -> list[str]:
    """Return the lines of a text, and of a JSON value the value in one line."""
    if text.startswith(("{\n", "[\n")):
        return [json.dumps(_rounded(json.loads(text)), ensure_ascii=False)]
    return text.splitlines()


TERMINAL: dict[str, tuple[tuple[tuple[str, ...], str], ...]] = {
    "othello": (
        (("play", "othello", "--seed", "1"), "d3\nhint\nundo\nf5\nhelp\nnonsense\n"),
        (("play", "--resume"), "hint\nresign\n"),
    ),
    "connect4": (
        (
            ("play", "connect4", "--seed", "2", "--name", "Ada", "-o", "even:sims=12"),
            "4 4 3 5 2 6 1 7 4 3 2 1 5 6 7 1 2 3 4 5 6 7 resign\n",
        ),
        (
            ("play", "connect4", "--seed", "3", "--name", "Ada", "-o", "even:sims=12"),
            "4 5\n",
        ),
        (("play", "--resume", "--name", "Ada"), "undo\n3 resign\n"),
        (("play", "connect4", "-o", "nobody"), ""),
        (("play", "connect4", "--as", "second", "--seed", "5", "-o", "random"), "1 2 3\n"),
        (("play", "--saved"), ""),
        (("play", "--delete", "connect4-1"), ""),
        (("play", "--saved"), ""),
        (("play", "--resume"), ""),
    ),
    "chess": (
        (
            ("play", "chess", "--elo", "1200", "--seed", "3"),
            "e4\nNf3\nhint\nundo\nd4\ndraw\nresign\n",
        ),
        (("play", "chess", "--moves", "e4 e5 Nf3", "--seed", "4", "--elo", "1900"), "Bc4\n"),
        (("play", "--resume"), "Nc3 resign\n"),
        (("play", "chess", "--fen", "nonsense"), ""),
        (("play", "chess", "--fen", "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "--seed", "1"), "Qf8\n"),
    ),
    "go": (
        (
            ("play", "go9", "--rank", "10k", "--seed", "6"),
            "e5\nc3\nundo\ng7\nhint\npass\nresign\n",
        ),
        (("play", "go", "--rank", "8k", "--handicap", "3", "--seed", "6"), "r14\nresign\n"),
        (("play", "go9", "--sgf", "game.sgf", "--at", "8", "--seed", "1"), "resign\n"),
    ),
}


def terminal(name: str) -> list[str]:
    """Return what commands that play print, and the commands after ``$ ``."""
    with _state() as state:
        commands = _Commands(state)
        for arguments, lines in TERMINAL[name]:
            commands.run(*arguments, lines=lines)
    return commands.heard


# -- estimates and a profile ---------------------------------------------------------------------

ESTIMATES = {
    "chess": ("games.pgn", "--no-engine"),
    "chess, fast": ("games.pgn", "--no-engine", "--fast", "--scale", "fide"),
    "chess, one player": ("evaluated.pgn", "--no-engine", "--phases", "--player", "Ada"),
    "go": ("games.sgfs", "--all-moves"),
    "go, kgs": ("games.sgfs", "--scale", "kgs"),
}


def estimates(name: str) -> Any:
    """Return the estimates of a file, numbers rounded to four digits."""
    with _state() as state:
        text = _Commands(state).run("estimate", "--json", *ESTIMATES[name])
    return _rounded(json.loads(text))


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return value


def profile() -> list[str]:
    """Return what ``me`` says of a profile of games that were played and imported."""
    with _state() as state:
        commands = _Commands(state)
        play = ("play", "--seed", "1")
        commands.run(*play, "connect4", "-o", "even:sims=12", lines="4 4 3 resign\n")
        commands.run(*play, "chess", "--elo", "1200", lines="e4 Nf3 Bc4 d3 O-O resign\n")
        commands.run(*play, "go9", "--rank", "12k", lines="e5 c3 g7 resign\n")
        commands.run("me")
        commands.run("me", "import", "games.pgn", "--player", "Ada")
        commands.run("me", "import", "games.sgfs", "--player", "Ada")
        commands.run("me", "import", "games.pgn", "--player", "Ada")
        commands.run("me", "import", "games.pgn", "--player", "Nobody")
        commands.run("me")
        commands.run("me", "--json")
        commands.run("me", "--json", "--game", "chess")
        commands.run("me", "export")
        commands.run(*play, "chess", lines="e4 resign\n")
        commands.run("me", "rename", "Bob")
        commands.run("me", "--name", "Bob", "--game", "chess")
        commands.run("me", "delete", "--name", "Bob", lines="y\n")
        commands.run("me", "--name", "Bob")
    return commands.heard
