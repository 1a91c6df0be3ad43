"""Chess records: PGN files, moves as from and to squares, positions by compiled replay."""

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import RecordError
from evenmatch.games.bits import inlined, kernel
from evenmatch.games.chess import Chess
from evenmatch.games.chess.actions import actions_of_moves, move_of_action
from evenmatch.games.chess.history import new_states, step, without_history
from evenmatch.games.chess.moves import legal_moves, make_move
from evenmatch.games.game import States
from evenmatch.records.chess.pgn import SHOWN, PgnReader
from evenmatch.records.chess.san import START_BOARD, scratch
from evenmatch.records.codec import NO_STARTS, FirstGame, RecordCodec, Replayed, Starts
from evenmatch.records.letters import shown
from evenmatch.records.record import Fault, GameRecord, Reason
from evenmatch.records.streams import Source, Text

RANKS = 8


class ChessCodec(RecordCodec):
    """A move is from | to << 6 | promotion << 12; a choice its place among the legal moves."""

    game: Chess
    start_eval = 20.0  #: White's

    def reader(self, source: Source) -> PgnReader:
        """Open PGN; RecordError if it cannot be read."""
        return PgnReader(source)

    def _first(self, text: Text) -> FirstGame:
        """Return the first game of PGN, or a FEN."""
        fen, _, rest = shown(text.data).strip().partition("\n")
        if _is_fen(fen):
            return self._from_position(fen.strip(), rest.strip(), text.name)
        faults: list[Fault] = []
        with PgnReader(text, self.game.read_position) as reader:
            batch = next(reader.batches(faults.append))
            games = batch.reasons != Reason.dropped_text
            game = int(games.argmax())
            reason, start = Reason(batch.reasons[game]), batch.starts.get(game, "")
            if reason == Reason.fine or (reason == Reason.no_moves and start):
                return FirstGame(batch.record(game), int(games.sum()), faults[:game])
        if reason == Reason.no_moves or not (batch.has_tags or batch.has_moves):
            raise RecordError(f"{text.name} has no moves and no position; give PGN or FEN")
        if reason == Reason.unreadable_position:
            raise RecordError(f"{text.name}: {start}")
        raise RecordError(f"{faults[game]}; correct it, or give another game")

    def _from_position(self, fen: str, rest: str, name: str) -> FirstGame:
        """Return a FEN, and the moves that follow it if there are some."""
        if rest:
            pgn = f'[FEN "{self.game.position_text(fen)[0]}"]\n\n{rest}'
            with PgnReader(Text(pgn.encode(), name), self.game.read_position) as reader:
                batch = next(reader.batches())
                if batch.reasons[0] == Reason.fine:
                    return FirstGame(batch.record(0), 1, [])
        left_out = [Fault(name, 2, Reason.dropped_text, rest[:SHOWN])] if rest else []
        moves = np.zeros(0, np.uint16)
        return FirstGame(GameRecord(game="chess", moves=moves, result=None, start=fen), 0, left_out)

    def end_text(self, record: GameRecord) -> str:
        """Return the position at the end of a game as FEN."""
        if not len(record.moves):
            return record.start
        return self.game.to_fen(self.played(record.moves, record.start)[-1])

    def fingerprint(self) -> str:
        """Return a fingerprint of the order of legal moves, which choices depend on."""
        return move_order()

    def replay(
        self,
        games: NDArray[np.int64],
        plies: NDArray[np.int64],
        first: NDArray[np.int64],
        lengths: NDArray[np.int64],
        choices: NDArray[Any],
        starts: Starts = NO_STARTS,
    ) -> tuple[Replayed, int]:
        """Return positions, which remember the game, and moves, in one compiled call."""
        start = _start()
        states, moves = np.empty((len(games), len(start)), np.uint64), np.empty(len(games), "u2")
        damaged = replay(
            np.lexsort((plies, games)), games, plies, first, lengths, choices, start,
            np.empty_like(start), scratch()[1], states, moves,
        )  # fmt: skip
        return Replayed(states, moves), int(damaged)

    def moves(self, choices: NDArray[Any], start: str = "") -> NDArray[np.uint16] | None:
        """Return the moves [plies] of one game's choices; None if they cannot be played."""
        moves = np.empty(len(choices), np.uint16)
        whole = move_numbers(choices, START_BOARD, *scratch(), moves) == len(moves)
        return moves if whole else None

    def played(self, moves: NDArray[np.uint16], start: str = "") -> States:
        """Return the positions [plies + 1, S] of a game of legal ``moves`` [plies]."""
        states = np.empty((len(moves) + 1, len(_start())), np.uint64)
        states[0] = self.game.read_position(start) if start else _start()
        play(moves, states)
        return states

    def actions(self, states: States, moves: NDArray[np.uint16]) -> NDArray[np.int64]:
        """Return the actions [K] that ``moves`` [K] of positions [K, S] are."""
        return actions_of_moves(states, moves)

    def recorded(self, states, actions):
        """Return the moves, [K], by the tables of the rules."""
        pairs = zip(states, actions, strict=True)
        return np.array([move_of_action(state, int(action)) for state, action in pairs], np.uint16)

    def bare(self, states: States) -> States:
        """Return positions [K, S] that remember no game before them."""
        return without_history(states)


def _is_fen(text: str) -> bool:
    """Tell whether a text begins as a position does, not as a game."""
    words = text.strip("\"'` ").split(maxsplit=1)
    named = text.strip("\"'` ").lower().startswith(("startpos", "fen", "position "))
    return named or (bool(words) and words[0].count("/") >= RANKS - 3 and words[0][0] != "[")


def _start() -> NDArray[np.uint64]:
    """Return the state [S] that games begin from."""
    return new_states(START_BOARD[None], np.zeros(1))[0]


CODEC = ChessCodec


FINGERPRINT_PLIES = 400


@inlined
def copy(state, out):  # [S], [S]
    """Copy a board or a state."""
    for word in range(len(out)):
        out[word] = state[word]


@kernel
def replay(order, games, plies, first, lengths, choices, start, state, legal, states, moves):
    """Write the positions before the moves asked for, and the moves; return a damaged game or -1.

    ``order`` [K] sorts the requests ``games`` [K] and ``plies`` [K] by game, then ply. ``first``
    and ``lengths`` [G] are where the ``choices`` [M] of each game begin, and how many they are.
    ``start`` [S] is the state that games begin from. ``states`` [K, S] get the positions, ``moves``
    [K] the moves played, 0 at the end of the game. ``state`` [S] and ``legal`` are room to work in.
    """
    game, ply = np.int64(-1), np.int64(0)
    for at in order:
        if games[at] != game or plies[at] < ply:
            game, ply = games[at], 0
            copy(start, state)
        begin, end = first[game], np.int64(lengths[game])
        while True:
            move = np.int64(0)
            if ply < end:
                count = legal_moves(state, legal)
                if choices[begin + ply] >= count:
                    return game
                move = np.int64(legal[choices[begin + ply]])
            if ply == plies[at]:
                break
            step(state, move, state)
            ply += 1
        copy(state, states[at])
        moves[at] = move
    return -1


@kernel
def move_numbers(choices, start, board, legal, moves):  # [plies], [5], [5], [E], [plies] -> int
    """Write the moves of one game; return how many could be played."""
    copy(start, board)
    for ply in range(len(choices)):
        count = legal_moves(board, legal)
        if choices[ply] >= count:
            return ply
        moves[ply] = legal[choices[ply]]
        make_move(board, np.int64(moves[ply]), board)
    return len(choices)


@kernel
def play(moves, states):  # [plies], [plies + 1, S]
    """Write the states after each of a game's legal moves; the first is there already."""
    for ply in range(len(moves)):
        step(states[ply], np.int64(moves[ply]), states[ply + 1])


def move_order() -> str:
    """Return a fingerprint of the order of legal moves, which choices depend on."""
    board, legal = scratch()
    board[:] = START_BOARD
    digest = hashlib.sha256()
    for ply in range(FINGERPRINT_PLIES):
        count = legal_moves(board, legal)
        digest.update(legal[:count].astype("<i2").tobytes())
        if count == 0:
            board[:] = START_BOARD
        else:
            make_move(board, np.int64(legal[37 * ply % count]), board)
    return digest.hexdigest()[:16]
