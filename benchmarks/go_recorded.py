"""Recorded games of Go: which are legal, what is wrong with the others, and their scores.

What is wrong with a move, and the area that is compared, comes from the board of gtp_match.py,
which shares no code with evenmatch.
"""

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from connect4_optimal import Share
from go_beside import GNUGO
from gtp_match import Go as PlainGo

from evenmatch.games import get_game
from evenmatch.games.go import Go
from evenmatch.games.go.rule_sets import rules_of
from evenmatch.games.go.text import point_text
from evenmatch.network.artifact import shipped_path
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.players.commands import command_of
from evenmatch.records.go.codec import CODEC
from evenmatch.records.go.game_text import SgfGame
from evenmatch.records.go.games import GoGames
from evenmatch.records.record import Reason
from evenmatch.sessions.scoring import ownership_of, score_of

AREA_RULES = ("chinese", "aga", "tromp-taylor", "new-zealand")
GAMES = {19: "go", 13: "go13", 9: "go9"}
TWINS = 2000  # final positions whose area is counted twice


def files(folder: Path) -> list[Path]:
    """Return the shared files of games."""
    return sorted(folder.glob("*.sgfs.zst"))


def batches(path: Path, size: int) -> Iterator[GoGames]:
    """Yield the games of a file, played on boards of one size."""
    with CODEC(get_game(GAMES[size])).reader(path) as reader:
        yield from reader.batches(lambda fault: None)


# -- legality ----------------------------------------------------------------------------------


def legality(path: Path) -> dict[str, Any]:
    """Return how many games of a file are kept, why others are not, and the illegal moves."""
    counts: Counter[str] = Counter()
    illegal, kept, plies = [], 0, 0
    for size in GAMES:
        for batch in batches(path, size):
            mine = batch.text.sizes == size
            counts.update(Reason(reason).name for reason in batch.reasons[mine].tolist())
            plies += len(batch.choices)
            for game in np.flatnonzero(batch.reasons == Reason.illegal_move).tolist():
                told = batch.text.game(game)
                illegal.append({"line": int(batch.lines[game]), **fault_of(told)})
    kept = counts.pop(Reason.fine.name, 0)
    return {
        "file": path.name,
        "games": kept + counts.total(),
        "kept": kept,
        "plies": plies,
        "left_out": dict(counts),
        "illegal": illegal,
    }


def fault_of(game: SgfGame) -> dict[str, Any]:
    """Return the first illegal move of a game by the plain board, and what is wrong with it."""
    board = PlainGo(game.size)
    board.stones = {place(point, game.size): True for point in game.black}
    board.stones |= {place(point, game.size): False for point in game.white}
    board.seen = {frozenset(board.stones.items())}
    boards = list(board.seen)
    for number, (_, action) in enumerate(game.moves, 1):
        word = point_text(action, game.size)
        if board.over:
            break
        board.black = game.moves[number - 1][0] == 1
        why = "" if board.play(word) else wrong(board, word, boards)
        if why:
            return {"move": number, "point": word, "wrong": why}
        boards.append(frozenset(board.stones.items()))
    return {"move": 0, "point": "", "wrong": "nothing, by the plain board"}


def wrong(board: PlainGo, word: str, boards: list[frozenset]) -> str:
    """Say what is wrong with a move that the plain board refuses, after so many boards."""
    point = board.point(word)
    if point in board.stones:
        return "a stone is there"
    board.seen = set()
    stones = board.after(point)
    if stones is None:
        return "suicide"
    back = boards[::-1].index(frozenset(stones.items())) + 1
    return "ko" if back == 2 else f"superko, a position {back} plies back"


def place(point: int, size: int) -> tuple[int, int]:
    """Return column and row from the bottom, as the plain board has them."""
    return point % size, size - 1 - point // size


# -- area --------------------------------------------------------------------------------------


class Ended(NamedTuple):
    """A game without a fault, at its end."""

    told: SgfGame
    line: int
    final: np.ndarray  # [S]


def ended(path: Path, size: int, wanted=lambda told: True, every: int = 1) -> Iterator[Ended]:
    """Yield the kept games of a file that are wanted, or one of so many of them."""
    codec, seen = CODEC(get_game(GAMES[size])), 0
    for batch in batches(path, size):
        for game in np.flatnonzero(batch.reasons == 0).tolist():
            told = batch.text.game(game)
            if wanted(told):
                seen += 1
                if seen % every == 0:
                    record = batch.record(game)
                    final = codec.played(record.moves, record.start)[-1]
                    yield Ended(told, int(batch.lines[game]), final)


def area_twins(folder: Path) -> dict[str, Any]:
    """Compare the area of final positions, stones as they stand, with the plain board's."""
    compared, differ = Counter[str](), []
    paths = [(path, size) for path in files(folder) for size in GAMES]
    for path, size in paths:
        every = 1 if "other-sizes" in path.name else max(1, 100_000 // TWINS)
        game = get_game(GAMES[size])
        for end in ended(path, size, every=every):
            compared[path.name] += 1
            if game.lead(end.final[None])[0] != plain_score(game, end.final):
                differ.append(f"{path.name}:{end.line}")
    return {"positions": dict(compared), "differ": differ}


def plain_score(game: Go, state: np.ndarray) -> float:
    """Return Black's lead in a position [S] by the plain board."""
    board = PlainGo(game.size)
    stones = game.stones(state[None])[0]
    where = np.flatnonzero(stones).tolist()
    board.stones = {place(point, game.size): bool(stones[point] > 0) for point in where}
    board.komi = float(game.komi_of(state[None])[0])
    return board.score()


def has_area_score(told: SgfGame) -> bool:
    """Whether a game was counted by area, and its result says by how much."""
    return rules_of(told.rules) in AREA_RULES and lead_of(told.result) is not None


def lead_of(result: str) -> float | None:
    """Return Black's lead by a result such as W+3.5; None if it tells no points."""
    side, _, points = result.strip().upper().partition("+")
    try:
        return (1 if side == "B" else -1) * float(points) if side in ("B", "W") else None
    except ValueError:
        return None


def results(folder: Path) -> dict[str, Any]:
    """Compare scores of area, dead stones by the shipped network, with those of the records."""
    rows = []
    for path in files(folder):
        for size in GAMES:
            rows += list(scored(path, size))
    return {"games": rows}


def scored(path: Path, size: int) -> Iterator[dict[str, Any]]:
    """Yield what a file's games of one size say of their score, and what ours is."""
    game = get_game(GAMES[size])
    network = NetworkEvaluator(shipped_path(game.id), game)
    for told, line, final in ended(path, size, has_area_score):
        score = score_of(game, final, ownership_of(network, game, final))
        differs = bool(game.passed_out(final)) and score.lead != lead_of(told.result)
        yield {
            "file": path.name,
            "line": line,
            "passed": bool(game.passed_out(final)),
            "komi": score.komi,
            "told": lead_of(told.result),
            "ours": score.lead,
            "all_alive": float(game.lead(final[None])[0]),
            "neither": int((score.owners == 0).sum()),
            "dead": len(score.dead),
            "gnugo": lead_of(gnugo_score(told, score.komi)) if differs else None,
        }


def gnugo_score(game: SgfGame, komi: float) -> str:
    """Return the result by GNU Go, which judges itself what is dead; empty if it is not here."""
    words = command_of(GNUGO)
    if shutil.which(words[0]) is None:
        return ""
    stones = [("black", point) for point in game.black] + [("white", p) for p in game.white]
    stones += [("black" if side > 0 else "white", action) for side, action in game.moves]
    commands = [f"boardsize {game.size}", "clear_board", f"komi {komi}"]
    commands += [f"play {colour} {point_text(action, game.size)}" for colour, action in stones]
    text = "\n".join([*commands, "final_score", "quit\n"])
    told = subprocess.run(words, input=text, capture_output=True, text=True).stdout
    return told.split("\n\n")[len(commands)].strip("= ")


def agreement(rows: list[dict[str, Any]]) -> tuple[Share, Share]:
    """Return how many scores are equal, and how many winners."""
    equal = sum(row["told"] == row["ours"] for row in rows)
    winners = sum((row["told"] > 0) == (row["ours"] > 0) for row in rows)
    return Share(equal, len(rows)), Share(winners, len(rows))
