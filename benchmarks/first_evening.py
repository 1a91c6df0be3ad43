"""A first evening: five games each of chess, Go on 9x9 and Othello, as people play them.

    python benchmarks/first_evening.py [--games N] [--only chess othello] [--out FILE]

A stand-in of fixed strength, which evenmatch does not know, types the moves into `evenmatch play
GAME --name Ann`, a new process for each game, on a state folder of its own. Nothing else is told.
What is written down is what stood on the screen: whom it met, how games ended, what `evenmatch me`
says after each, and the screens at the end. Stand-ins: Stockfish at UCI_Elo 1500 and GNU Go at
level 1, in no human style, and MCTS with 100 playouts.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from evenmatch.app.game_words import title_of
from evenmatch.files import replace_file
from evenmatch.games import get_game
from evenmatch.games.game import Game
from evenmatch.players import make_player
from evenmatch.players.anchors import gnugo
from evenmatch.sessions.game_line import GameLine
from evenmatch.sessions.seat import Seat

PERSON = "Ann"
STAND_INS = {
    "chess": "engine:cmd=stockfish,elo=1500,nodes=10000",
    "go9": gnugo(1),
    "othello": "mcts:sims=100",
}
NAMES = {
    "chess": "Stockfish at UCI_Elo 1500, 10,000 nodes a move",
    "go9": "GNU Go at level 1",
    "othello": "MCTS with 100 playouts",
}
REPLY = re.compile(r"^(?!You )(.+) (?:plays (\S+)|passes)$")
PROGRAM = [sys.executable, "-m", "evenmatch"]


class Evening(NamedTuple):
    """One game of an evening."""

    opponent: str
    result: str  #: for the person: won, drawn or lost
    moves: int
    seconds: float
    level: str  #: what `evenmatch me` says after it
    screen: str  #: the last one


def play(game: Game, stand_in: Seat, side: int, seed: int, state: dict[str, str]) -> Evening:
    """Play one game of the program against a stand-in."""
    place = "first" if side == 1 else "second"
    command = [*PROGRAM, "play", game.id, "--name", PERSON, "--as", place, "--seed", str(seed)]
    begun, line, said = time.monotonic(), GameLine(game), []
    stand_in.begin(line, side, seed)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=state, bufsize=1
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        while line.legal:
            if (forced := only_pass(game, line)) is not None:
                line.push(forced)
            elif line.side == side:
                action = stand_in.choose(line)
                process.stdin.write(f"{game.action_text(line.state, action)}\n")
                process.stdin.flush()
                line.push(action)
            elif (reply := hear(process.stdout, said)) is not None:
                line.push(game.read_action(line.state, reply))
            else:
                break  # it has ended off the board
        process.stdin.close()
        said += process.stdout.read().splitlines()
    if process.returncode:
        raise SystemExit("\n".join(["the game failed:", *said[-5:]]))
    facts = me(game.id, state)
    last = facts["played"][-1]
    result = last["result"] * side
    return Evening(
        opponent=title_of(game.id, last["opponent"]),
        result={1: "won", 0: "drawn", -1: "lost"}[result],
        moves=len(last["moves"]),
        seconds=time.monotonic() - begun,
        level=level_of(facts),
        screen=last_screen(said).replace(state["EVENMATCH_STATE"], "your state folder"),
    )


def only_pass(game: Game, line: GameLine) -> int | None:
    """Return the pass where nothing else is legal: the program plays it by itself."""
    legal = line.legal
    alone = len(legal) == 1 and game.action_text(line.state, legal[0]) == "pass"
    return legal[0] if alone else None


def hear(out, said: list[str]) -> str | None:
    """Read until the opponent's move; None if the program ends."""
    for row in out:
        said.append(row.rstrip())
        if found := REPLY.match(said[-1]):
            return found[2] or "pass"
    return None


def me(game_id: str, state: dict[str, str]) -> dict:
    """Return what the profile knows of a game."""
    command = [*PROGRAM, "me", "--name", PERSON, "--json"]
    told = json.loads(subprocess.run(command, capture_output=True, env=state, check=True).stdout)
    return next(one for one in told["games"] if one["game"] == game_id)


def level_of(facts: dict) -> str:
    """Write a level with its interval; - where there is none."""
    level = facts["level"]
    if level is None:
        return "-"
    return f"{level['rating']:.0f} ({level['low']:.0f} to {level['high']:.0f})"


def last_screen(said: list[str]) -> str:
    """Return the lines of the last board and what stands below it."""
    boards = [at for at, row in enumerate(said) if re.match(r"^ +(a b|A B|1 2)", row)]
    starts = [at for at in boards if at + 1 < len(said) and re.match(r"^ *\d", said[at + 1])]
    return "\n".join(said[starts[-1] :]) if starts else "\n".join(said[-20:])


def written(found: dict[str, list[Evening]], screens: dict[str, str], seconds: float) -> str:
    """Return the page."""
    games = max(map(len, found.values()))
    lines = [
        "# A first evening",
        "",
        f"What {games} games of each kind look like to somebody whom evenmatch does not know. A",
        "program of fixed strength typed the moves, as a new user would, and said nothing else:",
        f"`evenmatch play GAME --name {PERSON}`. All of this page is what stood on the screen.",
        "",
        f"Command: `python benchmarks/first_evening.py` ({seconds / 60:.0f} minutes).",
    ]
    for game_id, evening in found.items():
        lines += [
            "",
            f"## {get_game(game_id).title}",
            "",
            f"Played by {NAMES[game_id]}.",
            "",
            "| game | opponent | result | moves of both | level after it (95%) |",
            "|---:|---|---|---:|---|",
            *(
                f"| {k} | {one.opponent} | {one.result} | {one.moves} | {one.level} |"
                for k, one in enumerate(evening, start=1)
            ),
            "",
            f"In all {counted(evening)}. The end of the last game:",
            "",
            "```text",
            evening[-1].screen,
            "```",
            "",
            f"`evenmatch me --name {PERSON}` after it:",
            "",
            "```text",
            screens[game_id].rstrip(),
            "```",
        ]
    return "\n".join([*lines, ""])


def counted(evening: list[Evening]) -> str:
    """Write how many games were won, drawn and lost."""
    results = [one.result for one in evening]
    return ", ".join(f"{results.count(word)} {word}" for word in ("won", "drawn", "lost"))


def main() -> None:
    """Play the evening and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=STAND_INS, default=list(STAND_INS))
    parser.add_argument("--out", type=Path, default=Path("docs/start/first-evening.md"))
    asked = parser.parse_args()
    begun = time.monotonic()
    found: dict[str, list[Evening]] = {}
    screens: dict[str, str] = {}
    for game_id in asked.only:
        with tempfile.TemporaryDirectory() as folder:
            state = os.environ | {"EVENMATCH_STATE": folder, "NO_COLOR": "1", "COLUMNS": "80"}
            game = get_game(game_id)
            stand_in = Seat(make_player(STAND_INS[game_id], game))
            for k in range(asked.games):
                one = play(game, stand_in, 1 if k % 2 == 0 else -1, k, state)
                found.setdefault(game_id, []).append(one)
                print(f"{game_id} {k + 1}: {one[:5]}", file=sys.stderr)
            command = [*PROGRAM, "me", "--name", PERSON, "--game", game_id]
            done = subprocess.run(command, capture_output=True, env=state, text=True, check=True)
            screens[game_id] = done.stdout
    replace_file(asked.out, written(found, screens, time.monotonic() - begun))


if __name__ == "__main__":
    main()
