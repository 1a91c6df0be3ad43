"""The usual way: a chess program as a process of its own for each game."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import count

import chess

from evenmatch.errors import StateError
from evenmatch_lab.shared.crowd import Thinker, Window
from evenmatch_lab.shared.process_memory import share_of

QUITTING = 10.0  #: seconds that a program may take to end
EVENMATCH = [sys.executable, "-m", "evenmatch", "uci"]


class UciProgram:
    """A chess program that runs."""

    def __init__(self, process: asyncio.subprocess.Process):
        self._process = process

    @property
    def memory(self) -> float | None:
        """Its memory in MB, of what programs share its share."""
        return share_of(self._process.pid)

    async def until(self, word: str, *said: str) -> str:
        """Say some lines; return the line that begins with a word."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("".join(f"{line}\n" for line in said).encode())
        while row := (await self._process.stdout.readline()).decode():
            if row.split()[:1] == [word]:
                return row
        raise StateError(f"a chess program ended before it said {word}")

    async def quit(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()  # which tells it
        try:
            await asyncio.wait_for(self._process.wait(), QUITTING)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()


@asynccontextmanager
async def programs() -> AsyncIterator[list[UciProgram]]:
    """Yield a list of programs, those of which are ended that are in it at the end."""
    running: list[UciProgram] = []
    try:
        yield running
    finally:
        await asyncio.gather(*(program.quit() for program in running))


async def started(command: Sequence[str], options: dict[str, str]) -> UciProgram:
    """Start a program, and set its options."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL
    )
    program = UciProgram(process)
    told = [f"setoption name {name} value {value}" for name, value in options.items()]
    await program.until("uciok", "uci")
    await program.until("readyok", *told, "isready")
    return program


class UciPlayer(Thinker):
    """Somebody who plays one game after another against a program."""

    def __init__(self, program: UciProgram, go: str, window: Window, *seeds: int):
        super().__init__(window, *seeds)
        self._program, self._go = program, go

    async def play(self) -> None:
        """Play until the window ends."""
        await self.arrive()
        for played in count():
            asked = time.monotonic()
            board = chess.Board()
            await self._program.until("readyok", "ucinewgame", "isready")
            self.window.sit(asked, first=played == 0)
            while not board.is_game_over(claim_draw=True):
                if not await self.think():
                    return
                board.push(self.choose(list(board.legal_moves), board.is_capture))
                if not board.is_game_over(claim_draw=True):
                    await self._answered(board)

    async def _answered(self, board: chess.Board) -> None:
        moves = " ".join(move.uci() for move in board.move_stack)
        position = f"position startpos moves {moves}"
        told = self._program.until("bestmove", position, self._go)
        board.push_uci((await self.reply(time.monotonic(), told)).split()[1])
