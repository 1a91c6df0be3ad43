"""The readers under test: each takes bytes that someone else wrote; and valid examples for each.

A reader is a function of (bytes, an empty folder). It returns, or raises an EvenmatchError.
"""

import hashlib
import io
import json
import sqlite3
import zipfile
from contextlib import chdir, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import oracle_lc0
import oracle_maia
import torch
from oracle_katago import RandomNet
from protobuf_writer import field

from evenmatch.errors import EvenmatchError
from evenmatch.estimation import estimator_files
from evenmatch.estimation.estimator_files import Targets
from evenmatch.games import get_game
from evenmatch.network import protobuf
from evenmatch.network.artifact import CARD_KEY, DIGEST_KEY, digest_of, read_card
from evenmatch.network.imported import card_of, import_network
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.network.openvino_graph import ranges_path, write_ranges
from evenmatch.opponents import Engine, Mind, parse_spec, resolve
from evenmatch.opponents.dials import DIALS, read_curve, shipped_curve_path
from evenmatch.opponents.rating_range import Anchor
from evenmatch.play.saved import Saved
from evenmatch.play.session import Session
from evenmatch.profiles import Outcome, Profile
from evenmatch.profiles.export import as_dict, text_of
from evenmatch.records.codec import codec_for
from evenmatch.records.streams import Text
from evenmatch.workshop.calibration import Calibration
from evenmatch.workshop.datasets.build import build
from evenmatch.workshop.datasets.dataset import Dataset
from evenmatch.workshop.networks.range_finding import find_ranges
from evenmatch.workshop.training.replay_buffer import Replay
from evenmatch.workshop.training.runs import held_command
from evenmatch.workshop.training.self_play import Samples

PGN = (
    b'[Event "Rated rapid game"]\n[White "Ann"]\n[Black "?"]\n[WhiteElo "1500"]\n'
    b'[Date "2024.??.??"]\n[TimeControl "600+5"]\n\n1. e4 { [%eval 0.17] [%clk 0:10:00] } e5 '
    b"2. Nf3 (2. f4 $1) Nc6 3. Bb5 a6!? 4. Bxc6 1-0\n\n",
    b'[FEN "8/P7/8/8/8/8/8/K1k5 w - - 0 1"]\n[SetUp "1"]\n\n1. a8=Q ; so\n% no\n1/2-1/2\n',
)
SGF = (
    b"(;FF[4]GM[1]SZ[9]CA[UTF-8]KM[6.5]HA[2]AB[cc][gg]PL[W]PB[Ann]WR[9p]RE[B+R]DT[2024-01-01]"
    b"RU[Japanese]C[a \\] b];W[ee];B[ed](;W[dd];B[])(;W[tt]))",
    b"(;SZ[9:9]AW[aa:cc]AE[bb];B[fe];W[ff]BL[1e9]OB[-1])\n(;GM[2])",
)
FEN = (
    b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    b"KM[0.5]HA[2]AB[dd][pp]PL[W]RU[aga]",
    b"startpos moves e2e4 e7e5",
)
SPECS = (
    b"pikl:elo=1500",
    b"even",
    b"mcts:sims=10,c=1.5",
    b"softmax:z=-1",
    b"alphadda1:constants=x",
)
OTHELLO = (b"f5d6c3d3c4\n", b"f5 d6 c3 1.d3 pass\n", b"F5D6C4 : +12\n")
UCI = (
    b"uci\nisready\nposition startpos moves e2e4 e7e5\ngo nodes 4\nstop\n",
    b"setoption name MultiPV value 3\nposition fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves e1g1"
    b"\ngo depth 1 searchmoves e8d8\nsetoption name UCI_LimitStrength value true\n",
    b"go ponder wtime 10 btime 10\nponderhit\nstop\ngo infinite\nstop\ngo mate 2\nstop\nquit\n",
)
GTP = (
    b"1 boardsize 9\nkomi 6.5\nplay b E5\ngenmove w\nundo\nfinal_score\nshowboard\n",
    b"fixed_handicap 2\nkata-set-rules chinese\ntime_settings 60 10 5\ntime_left b 20 0\n"
    b"kata-get-rules\nprintsgf\nset_free_handicap C3 G7 E5\nkgs-time_settings byoyomi 30 5 3\n",
    b"kata-analyze b 10 ownership true\nlz-genmove_analyze b 10 avoid w C3,D4 2\ngg-undo 2\n"
    b"gogui-play_sequence b d4 w k10\nevenmatch-policy\nloadsgf a.sgf 3\nquit\n",
)


# -- text ------------------------------------------------------------------------------------------


def records(game_id, name):
    """Return a reader of a file of games, which also plays some of them."""

    def take(data, folder):
        codec, path = codec_for(game_id), folder / name
        path.write_bytes(data)
        for record in list(codec.games(path))[:3]:
            codec.played(record.moves, record.start)

    return take


def starts(data, folder):
    """Read a text as the start of a game of each kind; play on from there; write it."""
    text, last = data.decode("utf-8", "replace"), None
    for game in map(get_game, ("chess", "go9", "go", "othello")):
        try:
            codec = codec_for(game.id)
            state = game.read_position(codec.end_text(codec.first(Text(text.encode())).record))
            for action in game.legal_actions(state[None])[0][:3]:
                game.action_text(state, int(action))
                game.after(state[None], np.array([action]))
        except (EvenmatchError, NotImplementedError) as error:
            last = error if isinstance(error, EvenmatchError) else last
    if last:
        raise last


def specs(data, folder):
    """Read a spec, and make the player of it; no program is started."""
    text = data.decode("utf-8", "surrogateescape")
    _, values = parse_spec(text)
    if "cmd" not in values:
        for game in ("connect4", "go9"):
            Engine(get_game(game)).player(resolve(text, get_game(game)))


# -- conversations ---------------------------------------------------------------------------------


def uci(data, folder):
    """Send lines to the UCI engine, with a very small network and tree."""
    from evenmatch.frontends.uci.engine import Engine as UciEngine

    answers: list[str] = []
    engine = UciEngine(answers.append, {"WeightsFile": str(chess_network())})
    _conversation(engine.handle, data, banned=("Hash", "Threads"))
    engine.handle("quit\n")
    _no_traceback(answers)


def gtp(data, folder):
    """Send lines to the GTP engine, which thinks for three playouts."""
    from evenmatch.frontends.gtp.commands import converse

    answers: list[str] = []
    (folder / "a.sgf").write_bytes(SGF[0])
    given = {"maxVisits": 3, "searchRandSeed": 1}
    engine = converse(answers.append, "go9", weights=str(go_network()), given=given)
    seconds_for = engine.seconds_for
    engine.seconds_for = lambda side: min(seconds_for(side), 0.01)
    with chdir(folder):
        _conversation(engine.handle, data, banned=("printsgf",))
        engine.close()
    _no_traceback(answers)


def _conversation(handle, data, banned):
    lines = data.decode("utf-8", "surrogateescape").replace("\r", "\n").split("\n")
    for line in lines[:30]:
        if not any(word in line for word in banned) and not handle(f"{line}\n"):
            return


def _no_traceback(answers):
    for text in answers:
        text.encode("utf-8", "surrogateescape")
        assert "Traceback" not in text, text
        assert "please report it" not in text, text


# -- networks --------------------------------------------------------------------------------------


@cache
def _networks() -> Path:
    """Return a folder of small networks: chess.onnx, go.onnx, what they were made of, Maia's."""
    folder = Path(mkdtemp())
    (folder / "chess.pb").write_bytes(
        oracle_lc0.random_net(channels=2, blocks=1, squeezed=1).SerializeToString()
    )
    (folder / "go.bin.gz").write_bytes(RandomNet(channels=2).packed())
    maia3 = oracle_maia.maia3_state(width=2, hidden=1, heads=1, codes=1, inner=1, blocks=1)
    maia2 = oracle_maia.maia2_state(channels=1, tokens=1, width=1, size=1, residual=1, blocks=1)
    for name, state_dict in (("maia3.pt", maia3), ("maia2.pt", maia2)):
        torch.save({key: torch.tensor(x) for key, x in state_dict.items()}, folder / name)
    import_network(folder / "chess.pb", folder / "chess.onnx")
    import_network(folder / "go.bin.gz", folder / "go.onnx")
    return folder


def chess_network() -> Path:
    return _networks() / "chess.onnx"


def go_network() -> Path:
    return _networks() / "go.onnx"


def network(data, folder):
    """Read an artifact's card, and evaluate a position."""
    path = folder / "drawn.onnx"
    path.write_bytes(data)
    game = get_game("chess" if read_card(path).game == "chess" else "go9")
    evaluator = NetworkEvaluator(path, game, sizes=(1,), threads=1)
    evaluator.evaluate(game.as_roots(game.initial()))


def card(data, folder):
    """Read an artifact with this text for its card."""
    network(with_part(chess_network().read_bytes(), 14, CARD_KEY, data), folder)


def with_part(data, part, key, value):
    """Return an artifact with another metadata value under ``key``, and all else as it is."""
    out = []
    for number, held in protobuf.fields(data):
        if number == part and dict(protobuf.blobs(held))[1].decode() == key:
            held = field(1, key) + field(2, value)
        out.append(field(number, held))
    return b"".join(out)


def graph(data, folder):
    """Read an artifact with this graph, whose digest is right."""
    fields = [
        (number, data if number == 7 else held)
        for number, held in protobuf.fields(chess_network().read_bytes())
    ]
    whole = b"".join(field(number, held) for number, held in fields)
    network(with_part(whole, 14, DIGEST_KEY, hashlib.sha256(data).hexdigest().encode()), folder)


def graph_example():
    return next(
        held for number, held in protobuf.fields(chess_network().read_bytes()) if number == 7
    )


def card_example():
    parts = [
        dict(protobuf.blobs(held))
        for number, held in protobuf.fields(chess_network().read_bytes())
        if number == 14
    ]
    return next(part[2] for part in parts if part[1].decode() == CARD_KEY)


def weights(name):
    """Return a reader of the weights of Leela, KataGo or Maia: they become an artifact."""

    def take(data, folder):
        source, target = folder / name, folder / "made.onnx"
        source.write_bytes(data)
        card_of(source)
        import_network(source, target)
        read_card(target)

    return take


def checkpoints() -> tuple[bytes, ...]:
    return tuple((_networks() / name).read_bytes() for name in ("maia3.pt", "maia2.pt"))


def pickled(data, folder):
    """Read a checkpoint of Maia-3 with this pickle, and all else as it is."""
    out, whole = io.BytesIO(), io.BytesIO(checkpoints()[0])
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, data if name.endswith("data.pkl") else old.read(name))
    weights("net.pt")(out.getvalue(), folder)


def pickles() -> tuple[bytes, ...]:
    with zipfile.ZipFile(io.BytesIO(checkpoints()[0])) as archive:
        return tuple(archive.read(name) for name in archive.namelist() if "data.pkl" in name)


def ranges(data, folder):
    """Read the ranges beside a network, and evaluate a position in int8."""
    game, path = get_game("chess"), folder / "net.onnx"
    path.write_bytes(chess_network().read_bytes())
    ranges_path(path).write_bytes(data)
    evaluator = NetworkEvaluator(path, game, precision="int8", sizes=(1,), threads=1)
    evaluator.evaluate(game.as_roots(game.initial()))


def ranges_example():
    game, path = get_game("chess"), Path(mkdtemp()) / "net.onnx"
    path.write_bytes(chess_network().read_bytes())
    return write_ranges(path, find_ranges(path, game, game.initial()), {"seed": 0}).read_bytes()


# -- folders: an input is the name of a file in a line, and then what is in it ---------------------


def named(path: Path, name: str = "") -> bytes:
    return (name or path.name).encode() + b"\n" + path.read_bytes()


def parts(data: bytes) -> tuple[str, bytes]:
    name, _, held = data.partition(b"\n")
    return name.decode("utf-8", "replace"), held


@cache
def _datasets() -> dict[str, Path]:
    """Return a dataset of chess and one of Go."""
    folder = Path(mkdtemp())
    for game, texts in (("chess", PGN), ("go9", SGF)):
        (folder / f"{game}.txt").write_bytes(b"".join(texts))
        with chdir(folder):  # where it is must not be in it
            build([f"{game}.txt"], game, game=game)
    return {game: folder / game for game in ("chess", "go9")}


def dataset(data, folder):
    """Open a dataset of which this is one file; read all that it can be asked for."""
    name, held = parts(data)
    game, _, file = name.partition("/")
    for path in _datasets().get(game, _datasets()["chess"]).iterdir():
        (folder / path.name).write_bytes(held if path.name == file else path.read_bytes())
    found = Dataset.open(folder)
    games = np.arange(len(found))
    for chosen in (found.select(), found.select(split="train", both=True)):
        found.turns_at(*found.turns(chosen))
    for name in found.names[:3]:
        found.select(player=name, speed="rapid", band=1400)
    for game in games.tolist():
        found.record(game)
    found.evals_after(games, np.zeros(len(games), np.int64))
    _ = found.identity, found.bytes_on_disk, found.events, found.time_controls


def dataset_examples():
    return [
        named(path, f"{game}/{path.name}")
        for game, folder in _datasets().items()
        for path in sorted(folder.iterdir())
    ]


# -- the state folder ------------------------------------------------------------------------------

PERSON = "Ada"
RUN = {"game": "connect4", "preset": "fast", "seed": 0}  #: of the run that run.json is of
SAVED = (
    Saved(
        game="connect4", opponent="random", side=-1, seed=7, actions=(3, 3, 0), person=PERSON,
        marks=("given", "", "hint"), hints=((3, 3, 0), (3, 3, 1)), clock=(60.0, 1.0, 50.5, 3.25),
        seen=3, pace=0.5, states={"2": {}},
    ),
    Saved(game="chess", opponent="random", side=1, seed=1, actions=(), person=PERSON),
    Saved(
        game="go9", opponent="random", side=1, seed=2, actions=(40, 41), person=PERSON,
        start="KM[0.5]",
    ),
)  # fmt: skip


def state(data, folder):
    """Read a file of the state folder as the program reads it."""
    name, held = parts(data)
    if name in STATE:
        (folder / name).write_bytes(held)
        STATE[name](folder / name)


def _profile(path):
    """Ask a profile for all that it keeps; each refusal is one of ours."""
    profile, refused = Profile(path.parent), []
    games = profile.games

    def attempt(function):
        try:
            return function()
        except EvenmatchError as error:
            refused.append(error)
        except OSError:  # the command line turns it into one line
            pass

    try:
        attempt(games.unfinished)
        attempt(lambda: [one.name for one in games.unfinished(PERSON)])
        attempt(lambda: [text_of(one) for one in games.finished(PERSON)])
        attempt(lambda: [as_dict(one) for one in games.latest(PERSON, 5)])
        attempt(lambda: games.tallies(PERSON))
        attempt(lambda: profile.memories.games_known("connect4", "even", PERSON))
        attempt(lambda: _recalled(profile))
        attempt(lambda: profile.levels.claimed(PERSON, "chess"))
        attempt(profile.people.names)
        for name in attempt(games.names) or ():
            attempt(lambda name=name: _resumed(profile, name))
    finally:
        profile.close()
    if refused:
        raise refused[0]


def _even():
    game = get_game("connect4")
    return Engine(game).player(resolve("even", game))


def _learned(memory):
    return _even().learn(Mind(memory), 1.0)


def _recalled(profile):
    _even().check(Mind(profile.memories.recall("connect4", "even", PERSON)))
    profile.memories.learn("connect4", "even", PERSON, _learned)


def _resumed(profile, name):
    """Resume an unfinished game, and save it again."""
    place, saved = profile.games.resume(name)
    try:
        place.save(Session.resumed(saved, profile.memories).saved)
    finally:
        place.leave()


def _calibration(path):
    return Calibration(DIALS["connect4"], [Anchor("mcts", "mcts:sims=50")], path)


def _training(folder):
    from evenmatch.workshop.training.alphazero import SelfPlayTraining
    from evenmatch.workshop.training.presets import get_preset

    preset = replace(get_preset("fast", "connect4"), blocks=1, channels=4, games=2, window=50)
    return SelfPlayTraining(get_game("connect4"), preset, folder, name="fast", seed=0, device="cpu")


def _samples(path):
    replay = Replay(get_game("connect4"), path.parent, 10, 1.0)
    replay.load(1)
    replay.gather()


def _targets(path):
    Targets.load(path, digest_of(estimator_files.shipped_fitted("chess").network)).at(1500.0)


STATE = {
    "profile.sqlite": _profile,
    "tally.json": lambda path: _calibration(path).standing,
    "curve.json": read_curve,
    "run.json": lambda path: held_command(path, RUN, True),
    "checkpoint.pt": lambda path: _training(path.parent).load(),
    "estimator.npz": estimator_files.load,
    "targets.npz": _targets,
    "00000.npz": _samples,
}


def state_examples():
    """Return a valid file of each kind."""
    folder = Path(mkdtemp())
    profile = Profile(folder / "profile")
    for saved in (*SAVED, *SAVED):
        place = profile.games.take(saved.game)
        place.save(saved)
        place.leave()
    place, saved = profile.games.resume("connect4-2")
    profile.games.end(place.row, saved, Outcome(1, "resignation", 1500.0, None))
    place.leave()
    profile.memories.learn("connect4", "even", PERSON, _learned)
    profile.levels.claim(PERSON, "chess", 1500.0)
    profile.close()
    with sqlite3.connect(folder / "profile" / "profile.sqlite") as connection:
        (folder / "profile.sqlite").write_bytes(connection.serialize())
    calibration = _calibration(folder / "tally.json")
    calibration.points[0, 1] = calibration.points[1, 0] = 12.0
    calibration.seconds[0, 1] = calibration.seconds[1, 0] = 5.0
    calibration._write()
    training = _training(folder)
    training._save()
    game = get_game("connect4")
    count, policies = np.zeros(3, np.float32), np.full((3, 7), 1 / 7, np.float16)
    Replay(game, folder, 10, 1.0).append(0, Samples(game.initial(3), policies, count, count))
    (folder / "run.json").write_text(json.dumps(RUN | {"command": "evenmatch train connect4"}))
    fitted = estimator_files.nets()
    return [
        *(named(folder / name) for name in STATE if (folder / name).exists()),
        named(shipped_curve_path("connect4", "style"), "curve.json"),
        named(fitted / "chess-fide.npz", "estimator.npz"),
        named(fitted / "chess-fide-targets.npz", "targets.npz"),
    ]


def with_cell(data: bytes, table: str, column: str, value: object) -> bytes:
    """Return a database in which one column of a table has another value."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.deserialize(data[:18] + b"\1\1" + data[20:])  # in memory there is no log beside it
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("PRAGMA ignore_check_constraints = ON")
    with suppress(sqlite3.Error, OverflowError):
        connection.execute(f"UPDATE {table} SET {column} = ?", (value,))
    try:
        return connection.serialize()
    finally:
        connection.close()


def columns_of(data: bytes) -> list[tuple[str, str]]:
    """Return the tables and columns of a database."""
    connection = sqlite3.connect(":memory:")
    connection.deserialize(data[:18] + b"\1\1" + data[20:])
    try:
        return connection.execute(
            "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c "
            "WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'"
        ).fetchall()
    finally:
        connection.close()


READERS = {
    "pgn": (records("chess", "games.pgn"), lambda: PGN),
    "sgf": (records("go9", "games.sgf"), lambda: SGF),
    "othello": (records("othello", "games.txt"), lambda: OTHELLO),
    "fen": (starts, lambda: (*FEN, *PGN, *SGF)),
    "spec": (specs, lambda: SPECS),
    "uci": (uci, lambda: UCI),
    "gtp": (gtp, lambda: GTP),
    "onnx": (network, lambda: (chess_network().read_bytes(), go_network().read_bytes())),
    "card": (card, lambda: (card_example(),)),
    "graph": (graph, lambda: (graph_example(),)),
    "leela": (weights("net.pb.gz"), lambda: ((_networks() / "chess.pb").read_bytes(),)),
    "katago": (weights("net.bin.gz"), lambda: ((_networks() / "go.bin.gz").read_bytes(),)),
    "torch": (weights("net.pt"), checkpoints),
    "pickle": (pickled, pickles),
    "ranges": (ranges, lambda: (ranges_example(),)),
    "dataset": (dataset, dataset_examples),
    "state": (state, state_examples),
}
"""By name: the reader, and what returns valid examples."""
