"""Doors of text: records of games, positions, specs of players."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from evenmatch.games import GAMES, get_game
from evenmatch.games.catalog import game_info
from evenmatch.opponents import Engine, parse_spec, resolve
from evenmatch.records.codec import codec_for
from evenmatch.records.streams import Text
from evenmatch.workshop.datasets.build import build
from evenmatch_lab.fuzz.door import Door
from evenmatch_lab.fuzz.examples import FENS, PGNS, SETUPS, SGFS, SPECS
from evenmatch_lab.fuzz.mutations import mutated
from evenmatch_lab.fuzz.packing import KINDS, wrongly_packed

PGN_WORDS = (
    b"e4", b"Nf3", b"O-O", b"O-O-O", b"exd8=Q+", b"Nbd2", b"e8Q", b"Z0", b"--", b"0000", b"$1",
    b"$999",
    b"1-0", b"0-1", b"1/2-1/2", b"*", b"(", b")", b"{", b"}", b";", b"%", b"1.", b"1...", b"!?",
    b'[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]', b'[SetUp "1"]', b'[Variant "Chess960"]',
    b'[WhiteElo "x"]',
    b'[Event "', b'"]', b"[%clk 0:00:01]", b"[%eval #-3]", b"[%eval 1e9]", b"[%clk 99999:99:99]",
    b'[Date "2024.??.??"]', b'[TimeControl "600+5"]', b"\n\n", b"[", b"]",
)  # fmt: skip
SGF_WORDS = (
    b"(", b")", b"(;", b";B[aa]", b";W[tt]", b";B[]", b"[", b"]", b"\\]", b"SZ[19]", b"SZ[9:13]",
    b"SZ[52]", b"GM[1]", b"GM[2]", b"FF[4]", b"CA[UTF-16]", b"CA[x]", b"CA[Shift_JIS]", b"KM[6.5]",
    b"KM[nan]", b"HA[2]", b"AB[aa:ii]", b"AW[bb]", b"AE[aa]", b"PL[W]", b"RE[B+R]", b"RU[Japanese]",
    b"PB[Ann]", b"WR[9p]", b"BL[1e400]", b"OB[-1]", b"TM[600]", b"DT[2024-01-01,05]", b"C[x]",
)  # fmt: skip
FEN_WORDS = (
    b"w", b"b", b"-", b"KQkq", b"HAha", b"e3", b"e6", b"0", b"1", b"32767", b"99999", b"/", b"8",
    b"pppppppp", b"QQQQQQQQ", b"k", b"K", b"KM[0.5]", b"KM[1e308]", b"HA[9]", b"AB[dd][pp]",
    b"AW[zz]",
    b"PL[W]", b"PL[x]", b"RU[aga]", b"[", b"]", b"moves", b'[FEN "', b"1. e4",
)  # fmt: skip
SPEC_WORDS = (
    b":", b",", b"=", b"elo=", b"net=", b"net=/etc/passwd", b"net=/dev/null", b"net=.", b"cmd=",
    b"sims=", b"z=",
    b"s=", b"rank=8k", b"rank=9d", b"on", b"off", b"seconds=", b"nan", b"1e308", b"constants=",
    b"style", b"even", b"pikl", b"human", b"random", b"mcts", b"alphazero", b"softmax", b"se",
    b"sa",
    b"ace", b"engine", b"minimax",
)  # fmt: skip
BOMB = 40  #: MB that a small file of records may unpack to: more than the longest game
STARTS_PROGRAMS = ("cmd",)  #: keys of specs that name a program: it is not started


def packed_text(
    examples_words: Sequence[bytes], filled: bytes
) -> Callable[[random.Random, Sequence[bytes]], bytes]:
    """Return what draws an input from examples of text, some of them compressed."""

    def draw(rng: random.Random, examples: Sequence[bytes]) -> bytes:
        data = mutated(rng, examples, examples_words)
        return data if rng.random() < 0.7 else wrongly_packed(rng, data, KINDS, BOMB, filled)

    return draw


def plain_text(words: Sequence[bytes]) -> Callable[[random.Random, Sequence[bytes]], bytes]:
    """Return what draws an input from examples of text."""
    return lambda rng, examples: mutated(rng, examples, words)


# -- records ---------------------------------------------------------------------------------------


def records_of(game_id: str, name: str) -> Callable[[Path], Callable[[bytes], bool]]:
    """Return what opens the door of records: games one by one, their text, a dataset of them."""

    def opened(folder: Path) -> Callable[[bytes], bool]:
        codec, path, number = codec_for(game_id), folder / name, iter(range(1 << 40))

        def take(data: bytes) -> bool:
            path.write_bytes(data)
            games = list(codec.games(path))
            for record in games[:3]:
                codec.played(record.moves, record.start)
            if next(number) % 8 == 0 and games:
                build([path], folder / f"built-{next(number)}", game=game_id)
            return bool(games)

        return take

    return opened


def starts_of(folder: Path) -> Callable[[bytes], bool]:
    """Open the door of positions: a text as a start of each game, or a file that tells one."""
    games = [get_game(name) for name in ("chess", "go9", "go", "othello")]
    path = folder / "start.txt"

    def take(data: bytes) -> bool:
        text = data.decode("utf-8", "replace")
        found = refusals(
            [lambda game=game: _begun(game, text) for game in games]  # type: ignore[misc]
        )
        path.write_bytes(data)
        forms = [codec_for(game.id) for game in games]
        return found + refusals([lambda codec=codec: codec.first(path) for codec in forms]) > 0  # type: ignore[misc]

    return take


def refusals(tries: Sequence[Callable[[], object]]) -> int:
    """Return how many of some tries are not refused; each refusal has to be as it should."""
    from evenmatch.errors import EvenmatchError
    from evenmatch_lab.fuzz.door import Wrong, fault_of

    fine = 0
    for attempt in tries:
        try:
            attempt()
            fine += 1
        except EvenmatchError as error:
            if fault := fault_of(str(error)):
                raise Wrong(f"{fault}: {str(error)!r}") from None
    return fine


def _begun(game, text: str) -> None:
    """Read a start, look what can be played there, and write it again."""
    codec = codec_for(game.id)
    start = codec.end_text(codec.first(Text(text.encode())).record)
    state = game.read_position(start)
    for action in game.legal_actions(state[None])[0][:3]:
        game.action_text(state, int(action))
        game.after(state[None], np.array([action]))
    if game.id == "chess":
        game.to_fen(state)


# -- specs -----------------------------------------------------------------------------------------


def specs(folder: Path) -> Callable[[bytes], bool]:
    """Open the door of specs: each is read, and made to a player of some game."""
    games = [
        get_game(name) for name in GAMES if game_info(name).game in ("connect4", "chess", "go9")
    ]
    here = iter(range(1 << 40))

    def take(data: bytes) -> bool:
        text = data.decode("utf-8", "surrogateescape")
        _, values = parse_spec(text)
        if not values.keys() & set(STARTS_PROGRAMS):
            game = games[next(here) % len(games)]
            Engine(game).player(resolve(text, game))
        return True

    return take


DOORS = [
    Door(
        "pgn", "PGN, compressed too; datasets of it", packed_text(PGN_WORDS, b"1. e4 "),
        lambda folder: PGNS, records_of("chess", "games.pgn"),
    ),
    Door(
        "sgf", "SGF, compressed too; datasets of it", packed_text(SGF_WORDS, b";B[aa]  "),
        lambda folder: SGFS, records_of("go9", "games.sgf"),
    ),
    Door(
        "fen", "FEN, starts of Go, files with a start", plain_text(FEN_WORDS),
        lambda folder: [*FENS, *SETUPS, *PGNS, *SGFS], starts_of,
    ),
    Door("spec", "specs of players", plain_text(SPEC_WORDS), lambda folder: SPECS, specs),
]  # fmt: skip
