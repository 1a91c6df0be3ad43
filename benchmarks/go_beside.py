"""The rules of Go beside GNU Go's and OpenSpiel's, position by position."""

import random
import shutil
import subprocess
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evenmatch.games.go import Go
from evenmatch.games.go.state import words_of
from evenmatch.games.go.text import point_text
from evenmatch.players.commands import command_of
from evenmatch.records.go.codec import CODEC

GNUGO = "gnugo --mode gtp --chinese-rules --positional-superko --forbid-suicide"
SIZES = (5, 7, 9, 13, 19)  # of the boards of random games
RECORDED = 40  # games of each file of 19x19
RANDOM = 60  # games of each size
LONGEST = 480  # plies; GNU Go remembers 500 positions
TOGETHER = 20  # games of one process
PASSING = 0.02  # chance that a random game passes


class Line(NamedTuple):
    """A game to compare."""

    size: int
    actions: list[int]


class Position(NamedTuple):
    """What we say of a position."""

    told: list[Any]  #: black stones, white stones, captures of both, legal points
    banned: int  #: points that ko and superko ban


# -- GNU Go ------------------------------------------------------------------------------------


def lines(folder: Path, seed: int) -> list[Line]:
    """Return recorded games from the empty board of 19x19, then random ones of all sizes."""
    rng = random.Random(seed)
    found = []
    for path in sorted(folder.glob("*.sgfs.zst")):
        if "other-sizes" not in path.name:
            games = CODEC(Go(19)).games(path)
            plain = (game for game in games if not {"AB", "PL"} & set(game.start.split("[")))
            found += [Line(19, game.moves.tolist()[:LONGEST]) for game in islice(plain, RECORDED)]
    return found + [Line(size, random_game(Go(size), rng)) for size in SIZES for _ in range(RANDOM)]


def random_game(game: Go, rng: random.Random) -> list[int]:
    """Return the actions of a random game; it seldom passes."""
    state, actions = game.initial(), []
    while len(actions) < LONGEST and len(legal := game.legal_actions(state)[0]):
        actions.append(random_action(legal.tolist(), rng))
        state = game.after(state, actions[-1:])
    return actions


def random_action(legal: list[int], rng: random.Random) -> int:
    """Draw a point, or seldom the pass."""
    points = legal[:-1]
    return rng.choice(points) if points and rng.random() >= PASSING else legal[-1]


def gnugo_version() -> str:
    """Return the name and version of GNU Go; empty if it is not installed."""
    words = command_of(GNUGO)
    if shutil.which(words[0]) is None:
        return ""
    told = subprocess.run([words[0], "--version"], capture_output=True, text=True, check=True)
    return told.stdout.splitlines()[0]


def beside_gnugo(games: list[Line]) -> Iterator[dict[str, Any]]:
    """Yield for each game how many positions were compared, and what differs in them."""
    commands = [command for line in games for command in asked(line)]
    ended = subprocess.run(
        command_of(GNUGO), input="\n".join([*commands, "quit\n"]), capture_output=True, text=True
    )
    answers = iter(ended.stdout.split("\n\n"))
    for line in games:
        next(answers), next(answers)
        differ, banned, positions = [], 0, told_by_us(line)
        for ply, ours in enumerate(positions):
            banned += ours.banned
            theirs = [answer_of(next(answers)) for _ in ours.told]
            if theirs != ours.told:
                differ.append({"ply": ply, "ours": str(ours.told), "theirs": str(theirs)})
            if ply < len(line.actions):
                next(answers)
        moves = " ".join(point_text(action, line.size) for action in line.actions)
        yield {
            "size": line.size,
            "positions": len(positions),
            "captured": sum(positions[-1].told[2:]),
            "banned": banned,
            "differ": differ[:3],
            "moves": moves if differ else "",
        }


def asked(line: Line) -> Iterator[str]:
    """Yield the commands of a game: what is asked of each position, and the moves between."""
    yield f"boardsize {line.size}"
    yield "clear_board"
    for ply in range(len(line.actions) + 1):
        side = "black" if ply % 2 == 0 else "white"
        for question in ("list_stones", "captures"):
            for colour in ("black", "white"):
                yield f"{question} {colour}"
        if ply < len(line.actions):
            yield f"all_legal {side}"
            yield f"play {side} {point_text(line.actions[ply], line.size)}"


def answer_of(text: str) -> set[str] | int | str:
    """Return what an answer says: points as a set, a number, or the error."""
    words = text.strip().split()
    if words[:1] != ["="]:
        return text.strip()
    if len(words) == 2 and words[1].isdigit():
        return int(words[1])
    return set(words[1:])


def told_by_us(line: Line) -> list[Position]:
    """Return all positions of a game; at the last one no legal moves are asked for."""
    game = Go(line.size)
    names = [point_text(point, line.size) for point in range(game.points)]
    state, told = game.initial(), []
    for ply in range(len(line.actions) + 1):
        stones = game.stones(state)[0]
        position = [{names[p] for p in np.flatnonzero(stones == side)} for side in (1, -1)]
        position += game.captures(state)[0].tolist()
        if ply < len(line.actions):
            legal = game.legal_actions(state)[0].tolist()
            position.append({names[action] for action in legal if action < game.points})
        told.append(Position(position, int(ban_count(game, state))))
        if ply < len(line.actions):
            state = game.after(state, [line.actions[ply]])
    return told


def ban_count(game: Go, state: np.ndarray) -> int:
    """Return how many points ko and superko ban in a position [1, S]."""
    words = words_of(game.points)
    return int(np.bitwise_count(game.as_roots(state)[:, 4 * words : 5 * words]).sum())


# -- OpenSpiel ---------------------------------------------------------------------------------


def beside_openspiel(size: int, positions: int, seed: int) -> dict[str, Any]:
    """Compare legal moves, ends and winners of random games with OpenSpiel's.

    Its games end where a position repeats; ours forbid that move.
    """
    import pyspiel

    game, rng = Go(size), random.Random(seed)
    spiel = pyspiel.load_game(f"go(board_size={size},komi=7.5,max_game_length={game.max_plies})")
    flip = np.append(np.arange(size * size).reshape(size, size)[::-1].ravel(), size * size)
    compared, games, repeating, differ = 0, 0, 0, []
    while compared < positions and not differ:
        games += 1
        theirs, state = spiel.new_initial_state(), game.start(komi=7.5)[None]
        while not differ:
            ours = game.legal_actions(state)[0].tolist()
            if theirs.is_terminal():
                winner = float(np.sign(game.lead(state)[0]))
                if ours or winner != theirs.returns()[0]:
                    differ.append(f"end of game {games}: {theirs}")
                break
            compared += 1
            legal = {int(flip[action]) for action in theirs.legal_actions()}
            banned = legal - set(ours)
            repeating += len(banned)
            known = all(theirs.child(int(flip[action])).is_terminal() for action in banned)
            if not (legal >= set(ours) and known):
                differ.append(f"game {games}: {theirs}")
                break
            action = random_action(ours, rng)
            theirs.apply_action(int(flip[action]))
            state = game.after(state, [action])
    return {
        "size": size, "positions": compared, "games": games, "repeating": repeating,
        "differ": differ,
    }  # fmt: skip
