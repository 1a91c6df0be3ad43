"""`evenmatch gtp` against another program on the clock, with a client and boards of their own.

    python benchmarks/gtp_match.py [--game go9] [--games 20] [--engine "gnugo --mode gtp"]

Nothing here comes from evenmatch but how results are kept: the client, the clock, the rules of Go
(positional superko, suicide illegal, scored by area) and of Othello are written anew, the plain
way. Half the games with each colour; openings of four random plies, the same for both games of a
pair. Writes gtp_match_GAME.json after every game and goes on from there, then a page. Ends with
status 1 if ours lost on time, made an illegal move, or died.

GoGui's twogtp would do the same; Debian has no package of it any more.
"""

import argparse
import json
import queue
import random
import shlex
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

from evenmatch import __version__
from evenmatch.network.processor import machine
from evenmatch_lab.experiment import digest
from evenmatch_lab.markdown import wrapped
from evenmatch_lab.provenance import installed_code
from evenmatch_lab.result_files import made_by, write

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
OPENING = 4  # random plies
GRACE = 10.0  # seconds after its clock has run out that a move is waited for
KOMI = {9: 7.0}  # by size; 7.5 on others
SIZES = {"go9": 9, "go13": 13, "go": 19, "othello": 8}
USUAL = "gnugo --mode gtp --level 10 --chinese-rules --capture-all-dead"
FAULTS = ("illegal move", "lost on time", "no answer", "died", "refused")


# -- rules ---------------------------------------------------------------------------------------


class Go:
    """A board as a dictionary of stones; True is Black."""

    def __init__(self, size: int):
        self.size, self.komi = size, KOMI.get(size, 7.5)
        self.stones: dict[tuple[int, int], bool] = {}
        self.seen = {frozenset()}
        self.black, self.passes, self.plies = True, 0, 0

    def near(self, point):
        """The points beside one."""
        column, row = point
        around = ((column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1))
        return [(c, r) for c, r in around if 0 <= c < self.size and 0 <= r < self.size]

    def chain(self, stones, first):
        """The chain of a stone, and whether it has a liberty."""
        found, free = [first], False
        for point in found:
            for other in self.near(point):
                free |= other not in stones
                if stones.get(other) == stones[first] and other not in found:
                    found.append(other)
        return found, free

    def after(self, point):
        """The stones after a move of the side to move; None if it is illegal."""
        if point in self.stones:
            return None
        stones = self.stones | {point: self.black}
        for other in self.near(point):
            if stones.get(other) == (not self.black):
                chain, free = self.chain(stones, other)
                if not free:
                    stones = {at: side for at, side in stones.items() if at not in chain}
        illegal = not self.chain(stones, point)[1] or frozenset(stones.items()) in self.seen
        return None if illegal else stones

    def play(self, word: str) -> bool:
        """Play a move of the side to move; tell whether it is legal."""
        if word.lower() == "pass":
            self.passes += 1
        else:
            point = self.point(word)
            stones = self.after(point) if point else None
            if stones is None:
                return False
            self.stones, self.passes = stones, 0
            self.seen.add(frozenset(stones.items()))
        self.black, self.plies = not self.black, self.plies + 1
        return True

    def point(self, word: str):
        """The point of a word, None if it is none."""
        column, row = LETTERS.find(word[:1].upper()), word[1:]
        if 0 <= column < self.size and row.isdigit() and 1 <= int(row) <= self.size:
            return column, int(row) - 1
        return None

    def moves(self) -> list[str]:
        """The legal moves but for the pass."""
        points = [(c, r) for c in range(self.size) for r in range(self.size)]
        return [f"{LETTERS[c]}{r + 1}" for c, r in points if self.after((c, r)) is not None]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.passes == 2

    def score(self) -> float:
        """Black's area minus White's and komi, with all stones as they stand."""
        lead, seen = -self.komi, set()
        for first in [(c, r) for c in range(self.size) for r in range(self.size)]:
            if first in self.stones:
                lead += 1 if self.stones[first] else -1
            elif first not in seen:
                region, meets = [first], set()
                for point in region:
                    for other in self.near(point):
                        if other in self.stones:
                            meets.add(self.stones[other])
                        elif other not in region:
                            region.append(other)
                seen |= set(region)
                lead += len(region) * ((meets == {True}) - (meets == {False}))
        return lead


class Othello:
    """A board of 8x8 as a dictionary of discs; True is Black. Rows are numbered from the top."""

    size, komi = 8, 0.0

    def __init__(self, size: int):
        self.stones = {(3, 3): False, (4, 4): False, (4, 3): True, (3, 4): True}
        self.black, self.plies = True, 0

    def turned(self, place, black):
        """The discs that a disc turns over."""
        found = []
        for step in [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]:
            run, at = [], (place[0] + step[0], place[1] + step[1])
            while self.stones.get(at) == (not black):
                run.append(at)
                at = (at[0] + step[0], at[1] + step[1])
            found += run if self.stones.get(at) == black else []
        return found

    def places(self, black):
        """Where a side can put a disc."""
        cells = [(c, r) for c in range(8) for r in range(8) if (c, r) not in self.stones]
        return [cell for cell in cells if self.turned(cell, black)]

    def play(self, word: str) -> bool:
        """Play a move of the side to move; tell whether it is legal."""
        legal = self.places(self.black)
        if word.lower() == "pass":
            if legal:
                return False
        else:
            place = ("ABCDEFGH".find(word[:1].upper()), int(word[1:]) - 1)
            if place not in legal:
                return False
            turned = self.turned(place, self.black)
            self.stones |= dict.fromkeys([place, *turned], self.black)
        self.black, self.plies = not self.black, self.plies + 1
        return True

    def moves(self) -> list[str]:
        """The legal moves."""
        return [f"{'ABCDEFGH'[c]}{r + 1}" for c, r in self.places(self.black)]

    @property
    def over(self) -> bool:
        """Whether neither side can move."""
        return not self.places(True) and not self.places(False)

    def score(self) -> float:
        """Black's discs minus White's."""
        return float(sum(1 if black else -1 for black in self.stones.values()))


# -- programs --------------------------------------------------------------------------------------


class Program:
    """A process that speaks GTP."""

    def __init__(self, command: list[str]):
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))

    def ask(self, command: str, seconds: float = 120.0) -> str:
        """The answer; ValueError with one of FAULTS if there is none."""
        deadline = time.monotonic() + seconds
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        except OSError:
            raise ValueError("died") from None
        answer: list[str] = []
        while not answer or answer[-1]:
            try:
                line = self.lines.get(timeout=max(deadline - time.monotonic(), 0.001))
            except queue.Empty:
                dead = self.process.poll() is not None
                raise ValueError("died" if dead else "no answer") from None
            if answer or line.startswith(("=", "?")):
                answer.append(line.strip())
        if answer[0].startswith("?"):
            raise ValueError(f"refused {command}: {answer[0][1:].strip()}")
        return "\n".join(answer)[1:].strip()

    def end(self) -> None:
        """Let it quit."""
        try:
            self.ask("quit", 2.0)
            self.process.wait(2.0)
        except (ValueError, subprocess.TimeoutExpired):
            self.process.kill()


class Clock:
    """A side's time: main time, then ``stones`` moves in every ``period`` seconds, if any."""

    def __init__(self, main: float, period: float, stones: int):
        self.left, self.period, self.stones = main, period, stones
        self.count = 0  # of stones to play in this period; 0: main time

    def spend(self, seconds: float) -> bool:
        """Take the time of a move; tell whether it was there."""
        self.left -= seconds
        if self.left < 0 and not self.count and self.stones:
            self.left, self.count = self.left + self.period, self.stones
        if self.left < 0:
            return False
        if self.count:
            self.count -= 1
            if not self.count:
                self.left, self.count = self.period, self.stones
        return True


# -- games -----------------------------------------------------------------------------------------


def play(number: int, game: str, commands: dict[bool, list[str]], control, seed: int) -> dict:
    """Play one game; the keys of ``commands`` are True for ours."""
    size, ours = SIZES[game], number % 2 == 0  # whether ours is Black
    programs = {black: Program(commands[black == ours]) for black in (True, False)}
    board = Othello(size) if game == "othello" else Go(size)
    try:
        end, slowest, clocks = play_out(board, programs, control, ours, (seed, number // 2))
        scores = [told_score(programs[black]) for black in (ours, not ours)]
    finally:
        for program in programs.values():
            program.end()
    lead = board.score() if board.over else None
    return {
        "ours": "black" if ours else "white",
        "end": end,
        "result": result_of(end, ours, scores, lead),
        "plies": board.plies,
        "scores": scores,
        "area": lead,
        "left": round(clocks[ours].left, 2),
        "slowest": round(slowest, 3),
    }


def play_out(board, programs, control, ours, seed):
    """Play to the end; return how it ended, our slowest move, and the clocks."""
    clocks = {black: Clock(*control) for black in (True, False)}
    for program in programs.values():
        set_up(program, board, control)
    opening = random.Random(repr(seed))
    slowest, at = 0.0, True
    try:
        while not board.over:
            at = board.black
            if board.plies < OPENING:
                word = opening.choice(board.moves())
                hears = (True, False)
            else:
                word, seconds = ask_move(programs[at], at, clocks)
                slowest = max(slowest, seconds if at == ours else 0.0)
                if not clocks[at].spend(seconds):
                    return f"{who(at, ours)}: lost on time", slowest, clocks
                if word.lower() == "resign":
                    return f"{who(at, ours)}: resigned", slowest, clocks
                hears = (not at,)
            if not board.play(word):
                return f"{who(at, ours)}: illegal move {word}", slowest, clocks
            for other in hears:
                tell_move(programs[other], at, word, board)
    except ValueError as error:
        return f"{who(at, ours)}: {error}", slowest, clocks
    return "played out", slowest, clocks


def set_up(program: Program, board, control) -> None:
    """Begin a game; a program is waited for until all of it is loaded."""
    main, period, stones = control
    program.ask(f"boardsize {board.size}")
    program.ask("clear_board")
    program.ask(f"komi {board.komi}")
    program.ask("genmove b")
    program.ask("clear_board")
    program.ask(f"time_settings {main:g} {period:g} {stones}")


def ask_move(program: Program, black: bool, clocks) -> tuple[str, float]:
    """The move of a program, and the seconds that it took."""
    clock, colour = clocks[black], "b" if black else "w"
    program.ask(f"time_left {colour} {int(clock.left)} {clock.count}")
    begun = time.monotonic()
    word = program.ask(f"genmove {colour}", clock.left + clock.period + GRACE)
    return word, time.monotonic() - begun


def tell_move(program: Program, black: bool, word: str, board) -> None:
    """Tell a move; programs for Othello may pass by themselves."""
    try:
        program.ask(f"play {'b' if black else 'w'} {word}")
    except ValueError:
        if not (isinstance(board, Othello) and word.lower() == "pass"):
            raise


def told_score(program: Program) -> str:
    """The score that a program tells at the end; empty if it does not."""
    try:
        return program.ask("final_score")
    except ValueError:
        return ""


def who(black: bool, ours: bool) -> str:
    """Whose side it is."""
    return "ours" if black == ours else "theirs"


def result_of(end: str, ours: bool, scores: list[str], lead: float | None) -> int:
    """1, 0 or -1 for us: by the board's own score where the game was played out."""
    if lead is None:
        return -1 if end.startswith("ours") else 1
    return ((lead > 0) - (lead < 0)) * (1 if ours else -1)


def agreed(row: dict) -> bool:
    """Whether both sides tell the same score."""
    ours, theirs = (same(text) for text in row["scores"])
    return ours == theirs and ours != ""


def same(text: str) -> str:
    """A score as it can be compared: B+3 for B+3.0."""
    winner, plus, points = text.strip().upper().partition("+")
    try:
        return f"{winner}{plus}{float(points):g}"
    except ValueError:
        return text.strip().upper()


# -- the results -----------------------------------------------------------------------------------


def page(known: dict) -> str:
    """Write the result for people."""
    settings, rows = known["settings"], known["games"]
    faults = [row["end"] for row in rows if is_fault(row["end"])]
    finished = [row for row in rows if row["end"] == "played out"]
    wins, losses = (sum(row["result"] == won for row in rows) for won in (1, -1))
    lines = [
        f"# `evenmatch gtp` against another program on the clock: {settings['game']}",
        "",
        f"Command: `{settings['command']}`.",
        f"Made: {known['made']['date']}; {known['machine']}; code `{known['made']['code']}`.",
        "",
        f"{len(rows)} games against {settings['engine']}, {settings['time']} (main time, then "
        "seconds and stones of Canadian overtime), half with each colour, openings of "
        f"{OPENING} random plies, the client and its board in `benchmarks/gtp_match.py`.",
        "",
        f"Illegal moves, losses on time and crashes of ours: "
        f"**{sum(end.startswith('ours') for end in faults)}**, of theirs: "
        f"{sum(end.startswith('theirs') for end in faults)}"
        + (f" ({'; '.join(faults)})" if faults else "")
        + f". Least time left at the end: {min(row['left'] for row in rows):.2f} s; slowest move: "
        f"{max(row['slowest'] for row in rows):.2f} s.",
        "",
        f"Both sides told the same score in {sum(map(agreed, finished))} of the {len(finished)} "
        f"games that were played out; {len(rows) - len(finished) - len(faults)} were resigned.",
        "",
        f"Won {wins}, lost {losses}, drew {len(rows) - wins - losses}.",
    ]
    return "\n".join(wrapped(lines)) + "\n"


def is_fault(end: str) -> bool:
    """Whether a game ended by what no program should do."""
    return any(fault in end for fault in FAULTS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--game", choices=SIZES, default="go9")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--engine", default=USUAL)
    parser.add_argument("--ours", default="", help="more options of `evenmatch gtp`")
    parser.add_argument("--time", default="60/0/0", help="main seconds/period/stones")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("docs/results"))
    asked = parser.parse_args()
    main_time, period, stones = asked.time.split("/")
    control = float(main_time), float(period), int(stones)
    theirs = shlex.split(asked.engine)
    theirs[0] = shutil.which(theirs[0]) or shutil.which(theirs[0], path="/usr/games") or ""
    if not theirs[0]:
        sys.exit(f"no program {asked.engine}; install it (Debian: gnugo, grhino)")
    command = [sys.executable, "-m", "evenmatch", "gtp", "--game", asked.game]
    commands = {True: command + shlex.split(asked.ours), False: theirs}
    program = Program(theirs)
    settings = {
        "command": f"python {shlex.join(sys.argv)}",
        "game": asked.game,
        "engine": f"{program.ask('name')} {program.ask('version')}",
        "time": asked.time,
        "version": __version__,
        "network": digest(asked.game),
    }
    program.end()
    path = asked.out / f"gtp_match_{asked.game}.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    rows = known.get("games", []) if known.get("settings") == settings else []
    while len(rows) < asked.games:
        rows.append(play(len(rows), asked.game, commands, control, asked.seed))
        code = installed_code().reached_from("evenmatch.frontends.gtp.engine", "")
        made = made_by(code, {asked.game: settings["network"]})
        known = {"settings": settings, "made": made, "machine": machine(), "games": rows}
        write(path, json.dumps(known, indent=1) + "\n")
        write(path.with_suffix(".md"), page(known))
        row = rows[-1]
        print(f"{len(rows)}/{asked.games}  {row['result']:+d}  {row['end']}  {row['scores']}")
    sys.exit(any(is_fault(row["end"]) and row["end"].startswith("ours") for row in rows))


if __name__ == "__main__":
    main()
