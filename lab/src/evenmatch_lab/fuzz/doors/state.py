"""The door of what is kept for a user: profile, memories, older files, calibrations, training."""

import json
import random
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from evenmatch.errors import StateError
from evenmatch.estimation import estimator_files
from evenmatch.estimation.targets import Targets
from evenmatch.games import get_game
from evenmatch.network.artifact import digest_of
from evenmatch.opponents import Engine, Mind, resolve
from evenmatch.opponents.anchors import Anchor
from evenmatch.opponents.dials import DIALS, read_curve, shipped_curve_path
from evenmatch.play.saved import Saved
from evenmatch.play.session import Session
from evenmatch.profiles import Outcome, Profile
from evenmatch.profiles.export import as_dict, text_of
from evenmatch.workshop.calibration import Calibration
from evenmatch.workshop.training.replay_buffer import Replay
from evenmatch.workshop.training.runs import held_command
from evenmatch.workshop.training.self_play import Samples
from evenmatch_lab.fuzz.door import Door
from evenmatch_lab.fuzz.doors.files import file_drawn, named, parts
from evenmatch_lab.fuzz.doors.texts import refusals
from evenmatch_lab.fuzz.mutations import HUGE, ODD, mutated

PERSON = "Ada"
TALLY, CURVE, RUN, CHECKPOINT = "tally.json", "curve.json", "run.json", "checkpoint.pt"
DATABASE = "profile.sqlite"
ESTIMATOR, TARGETS, SAMPLES = "estimator.npz", "targets.npz", "00000.npz"
ASKED = {"game": "connect4", "preset": "fast", "seed": 0}  #: of the run that run.json tells of
GAMES = (
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
    Saved(game="othello", opponent="random", side=-1, seed=2, actions=(19,), person=PERSON),
)  # fmt: skip
TIME = 1.7e9  #: when the games were played, in seconds since 1970
OPPONENT = "even"  #: who remembers people
CELLS: Sequence[Any] = (
    None, 0, -1, 1, 2, 2**40, -(2**62), 1e308, float("inf"), "", "x", "é\u202e\x00", b"",
    b"\xff\xfe", "[]",
    "{}", "null", "[1]", "[[1]]", '{"a":1}', '"x"', "[" * 3000, "1e999", "NaN", "chess",
    "connect4", "go9",
    "random", "even", "engine:cmd=true", "-", "x" * 70_000, "KM[nan]", "AB[zz]", '["a"]',
    '{"games":"x"}',
)  # fmt: skip
WORDS = {
    ".json": (
        b"null", b"[]", b"{}", b'""', b"true", b"-1", b"0", b"NaN", b"1e999", b'"x"', b"[[1]]",
    b'{"a":1}',
        b'"version"', b'"game"', b'"actions"', b'"chess"', b'"\\ud800"', b'"met"', b'"settings"',
    ),
}  # fmt: skip


# -- examples --------------------------------------------------------------------------------------


def examples(folder: Path) -> list[bytes]:
    """Return what is kept, each file as an input."""
    made = folder / "examples"
    if not made.exists():
        made.mkdir()
        _profile(made)
        _calibration(made)
        _training(made)
    return [
        named(path.name, path.read_bytes()) for path in sorted(made.iterdir()) if path.is_file()
    ]


def _profile(folder: Path) -> None:
    where = folder / "profile"
    profile = Profile(where)
    for saved in (*GAMES, *GAMES):
        place = profile.games.take(saved.game)
        place.save(saved)
        place.leave()
    place, _ = profile.games.resume("connect4-2")
    profile.games.end(place.row, saved, Outcome(1, "resignation", 1500.0, None))
    place.leave()
    profile.memories.learn("connect4", OPPONENT, PERSON, _learned)
    profile.levels.claim(PERSON, "chess", 1500.0)
    with profile.together() as connection:  # at times of no clock, so that examples are the same
        connection.execute("UPDATE game SET begun = ?, changed = ? + id", (TIME, TIME))
        connection.execute("UPDATE game SET ended = ? WHERE ended IS NOT NULL", (TIME,))
    with profile._database.reading() as connection:
        (folder / DATABASE).write_bytes(connection.serialize())
    profile.close()
    shutil.rmtree(where)


def _learned(memory):
    game = get_game("connect4")
    return Engine(game).player(resolve(OPPONENT, game)).learn(Mind(memory), 1.0)


def _calibration(folder: Path) -> None:
    calibration = _calibration_of(folder / TALLY)
    calibration.points[0, 1] = calibration.points[1, 0] = 12.0
    calibration.seconds[0, 1] = calibration.seconds[1, 0] = 5.0
    calibration._write()
    shutil.copyfile(shipped_curve_path("connect4", "style"), folder / CURVE)
    fitted = estimator_files.nets()
    shutil.copyfile(fitted / "chess-fide.npz", folder / ESTIMATOR)
    shutil.copyfile(fitted / "chess-fide-targets.npz", folder / TARGETS)


def _calibration_of(path: Path) -> Calibration:
    return Calibration(DIALS["connect4"], [Anchor("mcts", "mcts:sims=50")], path)


def _training(folder: Path) -> None:
    where = folder / "run"
    training = _training_in(where)
    training._save()
    import torch  # after what says how to install it

    held = BytesIO()  # a file has its name in it, which is another each time
    torch.save(torch.load(where / CHECKPOINT, weights_only=True), held)
    (folder / CHECKPOINT).write_bytes(held.getvalue())
    game = get_game("connect4")
    states, count = game.initial(3), np.zeros(3, np.float32)
    policies = np.full((3, game.num_actions), 1 / game.num_actions, np.float16)
    samples = Samples(states, policies, count, count)
    Replay(game, folder, 10, 1.0).append(0, samples)
    with (
        zipfile.ZipFile(BytesIO((folder / SAMPLES).read_bytes())) as old,
        zipfile.ZipFile(folder / SAMPLES, "w") as new,
    ):
        for name in old.namelist():
            new.writestr(zipfile.ZipInfo(name), old.read(name))  # without the time
    shutil.rmtree(where)
    (folder / RUN).write_text(json.dumps(ASKED | {"command": "evenmatch train connect4"}))


def _training_in(folder: Path):
    """Return a training of a very small network in a folder."""
    from dataclasses import replace

    from evenmatch.workshop.training.alphazero import Training
    from evenmatch.workshop.training.presets import get_preset

    preset = replace(get_preset("fast", "connect4"), blocks=1, channels=4, games=2, window=50)
    folder.mkdir(parents=True, exist_ok=True)
    return Training(get_game("connect4"), preset, folder, name="fast", seed=0, device="cpu")


# -- inputs ----------------------------------------------------------------------------------------


def drawn(rng: random.Random, seen: Sequence[bytes]) -> bytes:
    """Draw a file: mostly bytes or words of one are changed, or cells of tables, or arrays."""
    data = rng.choice(seen)
    name, held = parts(data)
    if rng.random() < 0.3:
        return file_drawn(rng, [data], WORDS)
    if name == DATABASE:
        return named(name, cells_changed(rng, held))
    if name.endswith((".npz", ".pt")):
        return named(name, members_changed(rng, held))
    return file_drawn(rng, [data], WORDS)


def cells_changed(rng: random.Random, data: bytes) -> bytes:
    """Return a database in which some cells have other values."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.deserialize(data[:18] + b"\1\1" + data[20:])  # in memory there is no log beside it
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("PRAGMA ignore_check_constraints = ON")
    named_so = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    tables = [row[0] for row in connection.execute(named_so)]
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        table = rng.choice(tables)
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        if not columns:  # it was dropped
            continue
        column, value = rng.choice(columns), rng.choice(CELLS)
        try:
            connection.execute(f"UPDATE {table} SET {column} = ?", (value,))
        except (sqlite3.Error, OverflowError):
            connection.execute(rng.choice((f"DELETE FROM {table}", f"DROP TABLE {table}")))
    whole = connection.serialize()
    connection.close()
    return whole


def members_changed(rng: random.Random, data: bytes) -> bytes:
    """Return an archive in which a member is another, with sums that fit."""
    out = BytesIO()
    try:
        with zipfile.ZipFile(BytesIO(data)) as held, zipfile.ZipFile(out, "w") as file:
            members = [(info.filename, held.read(info)) for info in held.infolist()]
            at = rng.randrange(len(members))
            name, member = members[at]
            text = name.endswith(("facts.npy", ".pkl"))
            members[at] = name, mutated(rng, [member], (*HUGE, *ODD), text=text)
            if rng.random() < 0.1:
                del members[at]
            for name, member in members:
                file.writestr(zipfile.ZipInfo(name), member)
    except (zipfile.BadZipFile, OSError, ValueError):
        return mutated(rng, [data], text=False)
    return out.getvalue()


# -- the door --------------------------------------------------------------------------------------


def opened(folder: Path) -> Callable[[bytes], bool]:
    """Open the door: what a file holds is read as the program reads it."""
    number = iter(range(1 << 40))

    def take(data: bytes) -> bool:
        name, held = parts(data)
        where = folder / f"state-{next(number)}"
        where.mkdir()
        try:
            reader = READERS.get(name)
            return reader is not None and reader(where, held)
        finally:
            shutil.rmtree(where, ignore_errors=True)

    return take


def _database(where: Path, data: bytes) -> bool:
    (where / DATABASE).write_bytes(data)
    return _all_of(Profile(where))


def _all_of(profile: Profile) -> bool:
    """Ask a profile for all that it keeps; tell whether nothing is refused."""
    games, person = profile.games, PERSON
    tries: list[Callable[[], object]] = [
        lambda: games.unfinished(),
        lambda: [one.name for one in games.unfinished(person)],
        lambda: [text_of(one) for one in games.finished(person)],
        lambda: [as_dict(one) for one in games.latest(person, 5)],
        lambda: games.tallies(person),
        lambda: profile.memories.games_known("connect4", OPPONENT, person),
        lambda: _recalled(profile),
        lambda: profile.levels.claimed(person, "chess"),
        lambda: profile.people.names(),
    ]
    with suppress(OSError, StateError):  # it is told by others of these
        tries += [lambda name=name: _resumed(profile, name) for name in games.names()]  # type: ignore[misc]
    try:
        return refusals([lambda one=one: _told(one) for one in tries]) == len(tries)  # type: ignore[misc]
    finally:
        profile.close()


def _told(attempt: Callable[[], object]) -> object:
    """Do something with files; what the system refuses the program tells in a line."""
    try:
        return attempt()
    except OSError as error:
        raise StateError(f"cannot use the profile ({error.strerror or error})") from None


def _recalled(profile: Profile) -> None:
    memory = profile.memories.recall("connect4", OPPONENT, PERSON)
    game = get_game("connect4")
    Engine(game).player(resolve(OPPONENT, game)).check(Mind(memory))
    profile.memories.learn("connect4", OPPONENT, PERSON, _learned)


def _resumed(profile: Profile, kind: str) -> None:
    """Go on with an unfinished game, and write it again."""
    place, saved = profile.games.resume(kind)
    try:
        session = Session.resumed(saved, profile.memories)
        place.save(session.saved)
    finally:
        place.leave()


def _written(name: str, read: Callable[[Path], object]) -> Callable[[Path, bytes], bool]:
    """Return what writes an input to a file of that name and lets it be read."""

    def reader(where: Path, data: bytes) -> bool:
        path = where / name
        path.write_bytes(data)
        read(path)
        return True

    return reader


def _checkpoint(where: Path, data: bytes) -> bool:
    training = _training_in(where)
    (where / CHECKPOINT).write_bytes(data)
    training.load()
    return True


def _samples(path: Path) -> None:
    replay = Replay(get_game("connect4"), path.parent, 10, 1.0)
    replay.load(1)
    replay.gather()


def _targets(path: Path) -> None:
    own = digest_of(estimator_files.shipped_fitted("chess").network)
    Targets.load(path, own).at(1500.0)


READERS: dict[str, Callable[[Path, bytes], bool]] = {
    DATABASE: _database,
    TALLY: _written(TALLY, lambda path: _calibration_of(path).standing),
    CURVE: _written(CURVE, read_curve),
    RUN: _written(RUN, lambda path: held_command(path, ASKED, True)),
    CHECKPOINT: _checkpoint,
    ESTIMATOR: _written(ESTIMATOR, estimator_files.load),
    SAMPLES: _written(SAMPLES, _samples),
    TARGETS: _written(TARGETS, _targets),
}
DOORS = [
    Door(
        "state",
        "profile, memories, saved games, calibrations, checkpoints",
        drawn,
        examples,
        opened,
    ),
]
