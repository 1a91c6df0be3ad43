"""Records of Othello and Connect Four: transcripts, one game a line, and GGF.

A line has the moves of a game in a row, ``f5d6c3`` or ``4444422``, or five words, as the games of
the WTHOR tournament collection are often shared: the year, Black's name, White's, the discs at the
end such as 34-30 (Black's in front), and the moves. A line continues the game before it if it
begins with a move number above 1, or if it is one move, or no game of its own. GGF, the format of
the GGS server and NBoard, has games of Othello in parentheses:
``(;GM[Othello]PB[..]PW[..]TY[8]BO[..]B[F5//2.4]W[D6];)``. Lines that begin with # and empty lines
are comments.

Forced passes may be written (``--``, ``PS``, ``PA``, ``pass``) or left out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import MoveError, RecordError, UsageError, printable
from evenmatch.games.game import PASS, Game
from evenmatch.games.transcripts import position
from evenmatch.records.codec import FirstGame, GameBatch, OnFault, Reader, RecordCodec, ignored
from evenmatch.records.letters import plain, shown
from evenmatch.records.record import (
    LEAST_RATING,
    MOST_RATING,
    NO_CLOCK,
    NO_EVAL,
    UNKNOWN_RESULT,
    Fault,
    GameRecord,
    Reason,
    date_of,
)
from evenmatch.records.streams import Source, Stream, Text

BLOCK = 1 << 20  #: bytes read at once
LONGEST = 1 << 16  #: bytes of a game, beyond which the file is no such text
SHOWN = 20  #: letters of a word that a fault repeats
WORDS = 5  #: of a line of WTHOR
SQUARES = re.compile(rb"([A-Ha-h][1-8])+")
DISCS = re.compile(r"(\d{1,2})-(\d{1,2})")
LATER = re.compile(r"\s*(\d{1,2})[.):]*\s*[a-hA-H]")  #: a move number at a line's beginning
GGF = re.compile(rb"\(;\s*GM\[")
GGF_END = b";)"
PROPERTY = re.compile(r"([A-Z]{1,2})\[([^\[\]]*)\]")
SHORT = 20  #: moves of a line that may go on with another that begins as a game does
NONE = -1  #: in lists of actions, behind the last


@dataclass
class Written:
    """A game as a text has it."""

    line: int
    actions: NDArray[np.int64]
    names: tuple[str, str] = ("", "")
    result: int = UNKNOWN_RESULT
    date: str = ""
    ratings: tuple[int, int] = (0, 0)
    site: str = ""
    time_control: str = ""
    reason: Reason = Reason.fine
    word: str = ""  #: what could not be read


class TextGames(GameBatch):
    """Some games of a text as arrays. G games, M moves."""

    def __init__(
        self,
        source: str,
        game: Game,
        games: list[Written],
        reasons: NDArray[np.uint8],
        choices: NDArray[np.uint8],
        actions: NDArray[np.uint16],
        plies: NDArray[np.int64],
    ):
        self.source, self.game_id, self.games, self.reasons = source, game.id, games, reasons
        self.choices, self.actions = choices, actions  #: [M]
        self.first = np.append(0, np.cumsum(plies)).astype(np.int32)
        self.lines = np.array([game.line for game in games], np.int64)
        self.results = np.array([game.result for game in games], np.int8)
        self.years = np.array([int(game.date[:4] or 0) for game in games], np.int16)
        self.ratings = np.array([game.ratings for game in games], np.int16).reshape(-1, 2)
        self.evals = np.full(len(choices), NO_EVAL, np.int16)
        self.clocks = np.full(len(choices), NO_CLOCK, np.uint16)

    def text(self, field: str, game: int) -> str:
        """Return a field of a game; empty where the format has none."""
        written = self.games[game]
        return {
            "first": written.names[0],
            "second": written.names[1],
            "time_control": written.time_control,
            "site": written.site,
        }.get(field, "")

    def date(self, game: int) -> str:
        """Return a game's date; a year alone is none."""
        date = self.games[game].date
        return date if len(date) > 4 else ""

    def moves_of(self, game: int) -> NDArray[np.uint16]:
        """Return a game's actions, [plies]."""
        return self.actions[self.first[game] : self.first[game + 1]].copy()

    def faults(self) -> Iterator[Fault]:
        """Yield the games that are to be left out."""
        for game in np.flatnonzero(self.reasons).tolist():
            written = self.games[game]
            yield Fault(self.source, written.line, Reason(self.reasons[game]), written.word)


class TextReader(Reader):
    """Reads a text of games, batch after batch; a rating that cannot be one is none."""

    def __init__(self, source: Source, game: Game):
        """Open a file, standard input or a text. RecordError if it cannot be read."""
        self.stream = Stream(source)
        self.source = self.stream.name
        self._game = game
        self._openings = set(game.legal_actions(game.initial())[0].tolist())

    def batches(self, on_fault: OnFault = ignored) -> Iterator[TextGames]:
        """Yield all games; ``on_fault`` is called for those to be left out. RecordError."""
        rest, line, final = b"", 1, False
        foreign, seen = None, False
        games: list[Written] = []
        while not final:
            block = self.stream.read(BLOCK)
            final = len(block) < BLOCK
            rest += block
            used = self._read(rest, line, final, games)
            line += rest.count(b"\n", 0, used)
            rest = rest[used:]
            games, last = (games, []) if final else (games[:-1], games[-1:])
            if not games:
                games = last  # which the next line may go on with
                continue
            batch = self.counted(self._played(games))
            faults = list(batch.faults())
            foreign = foreign or next(iter(faults), None)
            seen |= any(len(game.actions) for game in games)
            for fault in faults:
                on_fault(fault)
            yield batch
            games = last
        if not seen:
            raise self.foreign(foreign)

    def foreign(self, fault: Fault | None) -> RecordError:
        """Return the error that says that a text is none of games."""
        example = "4444422" if self._game.id == "connect4" else "f5d6c3"
        why = f" ({fault.reason.text}: {printable(fault.word)})" if fault and fault.word else ""
        return RecordError(
            f"{self.source} has no game of {self._game.title} in it{why}; write the moves of one "
            f"game a line, such as {example}"
        )

    def _read(self, data: bytes, line: int, final: bool, games: list[Written]) -> int:
        """Add the games that are whole in some bytes; return how many bytes they take."""
        at = close = 0
        while at < len(data):
            end = _line_end(data, at)
            start = GGF.search(data, at, end)
            if start:
                if 0 <= close < start.end():
                    close = data.find(GGF_END, start.end())
                if close < 0 and not final and len(data) - at <= LONGEST:
                    return at
                if 0 <= close <= start.end() + LONGEST:
                    end = close + len(GGF_END)
                games.append(self._ggf(shown(data[start.start() : end]), line))
            elif end - at > LONGEST:
                raise RecordError(
                    f"{self.source} has a line of over {LONGEST:,} bytes: line {line}; write one "
                    "game a line"
                )
            elif end == len(data) and not final:
                return at
            else:
                self._line(data[at:end], line, games)
                end += 1
            line += data.count(b"\n", at, end)
            at = end
        return len(data)

    def _line(self, raw: bytes, line: int, games: list[Written]) -> None:
        """Add the game of a line, if it has one."""
        text = plain(shown(raw)).strip()
        if not text or text.startswith("#"):
            return
        words = text.split()
        if len(words) >= WORDS - 1 and DISCS.fullmatch(words[WORDS - 2]):
            games.append(self._tournament(words, line))
            return
        game = self._moves(text, line)
        if games and self._goes_on(text, game, games[-1]):
            games[-1].actions = np.concatenate([games[-1].actions, game.actions])
        else:
            games.append(game)

    def _goes_on(self, text: str, game: Written, before: Written) -> bool:
        """Tell whether a line's game is more of the one before it.

        It is if it begins with a move number above 1, or if it is one move or no game of its own,
        and the one before it can continue so.
        """
        if not (game.reason == before.reason == Reason.fine and len(game.actions)):
            return False
        number = LATER.match(text)
        if number:
            return int(number[1]) > 1
        moves = game.actions.tolist()
        opens = len(moves) > 1 and moves[0] in self._openings
        if opens and (len(moves) > SHORT or self._can_be_played(moves)):
            return False
        return self._can_be_played([*before.actions.tolist(), *moves])

    def _can_be_played(self, moves: list[int]) -> bool:
        try:
            position(self._game, moves)
        except UsageError:
            return False
        return True

    def _moves(self, text: str, line: int) -> Written:
        """Return a game that is nothing but moves."""
        raw = text.encode()
        if self._game.width == 8 and SQUARES.fullmatch(raw):
            return Written(line, _squares(raw))
        try:
            return Written(line, np.array(self._game.read_moves(text), np.int64))
        except MoveError:
            return Written(line, _no_moves(), reason=Reason.unreadable_move, word=text[:SHOWN])

    def _tournament(self, words: Sequence[str], line: int) -> Written:
        """Return the game of a line of WTHOR."""
        discs = DISCS.fullmatch(words[WORDS - 2])
        game = self._moves("".join(words[WORDS - 1 :]), line)
        if len(words) > WORDS:
            game.reason, game.word = Reason.unreadable_move, words[WORDS][:SHOWN]
        lead = int(discs[1]) - int(discs[2]) if discs else 0
        game.names = words[1], words[2]
        game.date = words[0] if words[0].isdigit() and len(words[0]) == 4 else ""
        game.result = (lead > 0) - (lead < 0)
        return game

    def _ggf(self, text: str, line: int) -> Written:
        """Return a game of GGF."""
        said: dict[str, str] = {}
        moves = []
        for name, value in PROPERTY.findall(text):
            if name in ("B", "W"):
                moves.append(value.partition("/")[0].strip())
            else:
                said.setdefault(name, value.strip())
        game = self._moves(" ".join(moves), line)
        size = re.match(r"\d*", said.get("TY", ""))
        if said.get("GM", "").lower() != "othello" or "a" in said.get("TY", "").lower():
            game.reason, game.word = Reason.variant, said.get("GM", "")[:SHOWN]
        elif size and size[0] and int(size[0]) != self._game.width:
            game.reason, game.word = Reason.other_size, size[0]
        elif "BO" in said and not self._is_start(said["BO"]):
            game.reason = Reason.other_start
        elif not text.endswith(GGF_END.decode()):
            game.reason = Reason.unclosed
        game.names = said.get("PB", ""), said.get("PW", "")
        game.date = (
            date_of(said.get("DT", "")) or (re.match(r"(\d{4})?", said.get("DT", "")) or "")[0]
        )
        game.ratings = _rating(said.get("RB", "")), _rating(said.get("RW", ""))
        game.site, game.time_control = said.get("PC", ""), said.get("TI", "")
        lead = re.match(r"[+-]?\d+(\.\d+)?", said.get("RE", ""))
        if lead:
            game.result = (float(lead[0]) > 0) - (float(lead[0]) < 0)
        return game

    def _is_start(self, text: str) -> bool:
        """Return whether a board of GGF is the ordinary start: its size, cells and side to move."""
        cells = "".join(text.split())
        board = self._game.board(self._game.initial())[0].ravel()
        start = "".join("-*O"[int(cell)] for cell in board)
        return cells == f"{self._game.width}{start}*"

    def _played(self, games: list[Written]) -> TextGames:
        """Return games as arrays, the moves played."""
        reasons = np.array([game.reason for game in games], np.uint8)
        fine = reasons == Reason.fine
        lengths = np.array([len(game.actions) for game in games])
        reasons[fine & (lengths == 0)] = Reason.no_moves
        reasons[fine & (lengths > self._game.max_plies)] = Reason.too_long
        lengths[reasons > 0] = 0
        actions = np.full((len(games), int(lengths.max(initial=0))), NONE, np.int64)
        for row, game, length in zip(actions, games, lengths, strict=True):
            row[:length] = game.actions[:length]
        choices, played, plies = played_out(self._game, actions)
        reasons[(reasons == 0) & (plies < 0)] = Reason.illegal_move
        plies[reasons > 0] = 0
        kept = np.arange(choices.shape[1]) < plies[:, None]
        return TextGames(
            self.source, self._game, games, reasons, choices[kept], played[kept], plies
        )


def _line_end(data: bytes, at: int) -> int:
    end = data.find(b"\n", at)
    return len(data) if end < 0 else end


def _no_moves() -> NDArray[np.int64]:
    return np.zeros(0, np.int64)


def _squares(raw: bytes) -> NDArray[np.int64]:
    """Return the squares of a text such as f5d6 as actions of the board of 8x8."""
    letters = np.frombuffer(raw.lower(), np.uint8).astype(np.int64)
    return 8 * (letters[1::2] - ord("1")) + letters[::2] - ord("a")


def _rating(text: str) -> int:
    """Return a rating such as 1720.5 as a whole number, 0 for none and for what cannot be one."""
    match = re.match(r"\d{3,4}(?=\.|$)", text)
    rating = int(match[0]) if match else 0
    return rating if LEAST_RATING <= rating <= MOST_RATING else 0


def played_out(
    game: Game, actions: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.uint16], NDArray[np.int64]]:
    """Play the ``actions`` [G, n] of games side by side, passing where that is forced.

    Returns each move's place among the legal actions [G, plies], the moves with those passes
    [G, plies], and how many plies each game has: -1 for a game with a move that is not legal.
    """
    count, last = len(actions), game.num_actions - 1
    passing = last if game.action_text(game.initial()[0], last) == PASS else NONE
    states, used = game.initial(count), np.zeros(count, np.int64)
    due = (actions != NONE).sum(1)
    plies = np.zeros(count, np.int64)
    room = 2 * actions.shape[1]  # a pass is never followed by another
    choices, played = np.zeros((count, room), np.uint8), np.zeros((count, room), np.uint16)
    ply, going = 0, np.flatnonzero(due > 0)
    while len(going):
        legal, counts, _ = game.examine(states[going])
        wanted = actions[going, used[going]]
        forced = (counts == 1) & (legal[:, 0] == passing) & (wanted != passing)
        wanted = np.where(forced, passing, wanted)
        matches = (legal == wanted[:, None]) & (np.arange(legal.shape[1]) < counts[:, None])
        is_legal = matches.any(1)
        plies[going[~is_legal]] = -1
        choices[going, ply], played[going, ply] = matches.argmax(1), wanted
        going, wanted, forced = going[is_legal], wanted[is_legal], forced[is_legal]
        states[going] = game.after(states[going], wanted)
        used[going] += ~forced
        plies[going] += 1
        ply += 1
        going = going[used[going] < due[going]]
    return choices, played, plies


class TranscriptCodec(RecordCodec):
    """Moves are actions; a position is the transcript that leads to it."""

    def reader(self, source: Source) -> TextReader:
        """Open a text of games; RecordError if it cannot be read."""
        return TextReader(source, self.game)

    def _first(self, text: Text) -> FirstGame:
        """Return the first game of a text."""
        faults: list[Fault] = []
        with self.reader(text) as reader:
            batch = next(reader.batches(faults.append))
            if batch.reasons[0] == Reason.fine:
                return FirstGame(batch.record(0), len(batch.games), [])
        if not len(batch.games[0].actions):
            raise reader.foreign(faults[0])
        raise RecordError(f"{faults[0]}; correct it, or give another game")

    def words(self, text: str) -> list[str]:
        """Return the moves of a transcript one by one; MoveError names what is not one."""
        state = self.game.initial()[0]  # these games write moves alike in all positions
        return [
            self.game.action_text(state, action) for action in self.game.read_moves(plain(text))
        ]

    def end_text(self, record: GameRecord) -> str:
        """Return a game as the transcript that leads to its end."""
        return transcript(self.game, record.moves)


def transcript(game: Game, actions: NDArray) -> str:
    """Return a game as its moves in a row, without passes, as `Game.read_moves` reads it."""
    state = game.initial()
    words = (game.action_text(state[0], int(action)) for action in actions)
    return "".join(word for word in words if word != PASS)


CODEC = TranscriptCodec
