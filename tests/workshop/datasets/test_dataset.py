"""Datasets: what is built is what was read; choosing sides against plain loops; damage."""

import json
import os
import shutil

import chess
import numpy as np
import pytest
import zstandard
from recorded_games import random_game, tagged

from evenmatch.errors import RecordError, UsageError
from evenmatch.games.chess import Chess
from evenmatch.games.chess.text import board_of, code_of, move_of
from evenmatch.records.codec import codec_for
from evenmatch.records.record import NO_EVAL, Speed
from evenmatch.workshop.datasets import writer
from evenmatch.workshop.datasets.build import build
from evenmatch.workshop.datasets.dataset import Dataset
from evenmatch.workshop.datasets.splits import SPLITS, split_of

GAMES = 150


def annotated(seed):
    """A random game, every third with evals, every fourth with clocks."""
    game = random_game(seed, most=seed % 90)
    game.headers["Date"] = f"{1990 + seed % 30}.??.??" if seed % 6 else "????.??.??"
    if seed % 9 == 0:
        del game.headers["WhiteElo"]
    if seed % 11 == 0:
        game.headers["Black"] = "?"
    for number, node in enumerate(game.mainline()):
        if seed % 3 == 0 and number % 5:
            node.comment += f"[%eval {(number * 31 % 500 - 250) / 100}]"
        if seed % 4 == 0:
            node.set_clock(600 - number)
    return game


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("games")
    games = [str(annotated(seed)) for seed in range(1, GAMES + 1)]
    games.insert(20, tagged("1. e4 e4 1-0"))
    games.insert(70, tagged("1. e4 1-0", Variant="Atomic"))
    first, second = folder / "a.pgn", folder / "b.pgn.zst"
    first.write_text("\n\n".join(games[:60]))
    second.write_bytes(zstandard.compress("\n\n".join(games[60:]).encode()))
    return [first, second]


@pytest.fixture(scope="module")
def records(files):
    return [record for file in files for record in codec_for("chess").games(file)]


@pytest.fixture(scope="module")
def dataset(files, tmp_path_factory):
    """Built in small slices, so that the indexes are put together from several."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "AT_ONCE", 17)
        return build(files, tmp_path_factory.mktemp("datasets") / "all")


def plain(record):
    """A record as data that can be compared."""
    facts = dict(vars(record))
    for name in ("moves", "evals", "clocks"):
        facts[name] = None if facts[name] is None else facts[name].tolist()
    del facts["site"], facts["aided"]  # which datasets do not keep
    facts["players"] = tuple("" if name == "?" else name for name in facts["players"])
    return facts


def test_records_come_back(dataset, records):
    assert len(dataset) == len(records) > GAMES - 5
    for number, record in enumerate(records):
        assert plain(dataset.record(number)) == plain(record)
    assert any(record.evals is not None for record in records)
    assert any(record.clocks is not None for record in records)
    assert any(record.evals is None and record.clocks is None for record in records)


def test_evals_of_many_moves_at_once(dataset, records):
    games = np.repeat(np.arange(len(records)), 3)
    plies = np.tile([-1, 2, 7], len(records))
    wanted = []
    for game, ply in zip(games, plies, strict=True):
        evals = records[game].evals
        there = evals is not None and 0 <= ply < len(evals)
        wanted.append(int(evals[ply]) if there else NO_EVAL)
    found = dataset.evals_after(games, plies).tolist()
    assert found == wanted
    assert len(set(found)) > 2


def test_what_was_left_out_is_told(dataset, files):
    skipped = dataset.facts["skipped"]
    assert skipped["illegal_move"] == skipped["variant"] == 1
    lines = [line.split("\t") for line in (dataset.folder / "skipped.tsv").read_text().splitlines()]
    assert len(lines) == sum(skipped.values())
    (illegal,) = [line for line in lines if line[2] == "illegal_move"]
    text = files[0].read_text().splitlines()
    assert illegal[0] == str(files[0])
    assert text[int(illegal[1]) - 1] == "1. e4 e4 1-0"
    assert illegal[3] == "e4"
    counted = [source["games"] for source in dataset.facts["sources"]]
    assert sum(counted) == len(dataset)


def test_a_move_is_a_byte(dataset, records):
    moves = sum(len(record.moves) for record in records)
    assert dataset.bytes_on_disk["moves.bin"] == moves
    with_evals = sum(len(r.moves) for r in records if r.evals is not None)
    assert dataset.bytes_on_disk["evals.bin"] == 2 * with_evals


# -- choosing --------------------------------------------------------------------------------------


def sides_of(records, fits):
    """The sides for which ``fits(record, side)``, as a set."""
    return {(g, side) for g, r in enumerate(records) for side in (0, 1) if fits(r, side)}


def chosen(dataset, **wanted):
    sides = dataset.select(**wanted)
    pairs = list(zip(sides.games.tolist(), sides.sides.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    return set(pairs)


def test_everything(dataset, records):
    assert chosen(dataset) == sides_of(records, lambda r, side: True)


@pytest.mark.parametrize("speed", ["rapid", "blitz", "classical", Speed.bullet])
def test_speed(dataset, records, speed):
    wanted = Speed[speed] if isinstance(speed, str) else speed
    assert chosen(dataset, speed=speed) == sides_of(records, lambda r, side: r.speed == wanted)


@pytest.mark.parametrize(
    "band", [0, 1000, 1100, 1800, (1200, 2000), (1250, 1850), (1, 90), (0, 4200)]
)
def test_band(dataset, records, band):
    low, high = (band, band + 200) if isinstance(band, int) else band
    wanted = sides_of(records, lambda r, side: low <= (r.ratings[side] or 0) < high)
    assert chosen(dataset, band=band) == wanted


def test_player(dataset, records):
    for name in dataset.names:
        wanted = sides_of(records, lambda r, side, name=name: r.players[side] == name)
        assert chosen(dataset, player=name) == wanted
        both = {(g, s) for g, s in wanted if records[g].speed == Speed.rapid}
        assert chosen(dataset, player=name, speed="rapid") == both


def in_split(record, side, split):
    name = record.players[side]
    return name != "?" and SPLITS[split_of(name)] == split


@pytest.mark.parametrize("split", SPLITS)
def test_split(dataset, records, split):
    wanted = sides_of(records, lambda r, side: in_split(r, side, split))
    assert chosen(dataset, split=split) == wanted
    within = {(g, s) for g, s in wanted if in_split(records[g], 1 - s, split)}
    assert chosen(dataset, split=split, both=True) == within
    fast = {(g, s) for g, s in wanted if records[g].speed == Speed.blitz}
    assert chosen(dataset, split=split, speed="blitz") == fast


def test_no_player_is_in_two_splits(files, tmp_path):
    dataset = build(files, tmp_path / "d", shares=(1, 1, 1, 1), salt="pepper")
    seen = {}
    for split in SPLITS:
        sides = dataset.select(split=split)
        players = dataset.games["players"][sides.games, sides.sides]
        seen[split] = {dataset.names[player] for player in players}
        assert all(SPLITS[split_of(n, (1, 1, 1, 1), "pepper")] == split for n in seen[split])
    assert sum(map(len, seen.values())) == len(set.union(*seen.values())) == len(dataset.names)
    assert all(seen.values())


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"split": "test"}, "no split 'test'; choose one of: train, tune, candidate, query"),
        ({"speed": "slow"}, "no speed 'slow'; choose one of: unknown, bullet"),
        ({"band": 4100}, "no ratings from 4100 up to 4300"),
        ({"band": (1200, 1000)}, "no ratings from 1200"),
        ({"band": -200}, "no ratings from -200"),
        ({"player": "Nobody"}, "no player 'Nobody'"),
        ({"both": True}, "asks for a split"),
    ],
)
def test_choices_there_are_not(dataset, wanted, message):
    with pytest.raises(UsageError, match=message):
        dataset.select(**wanted)


# -- playing again ---------------------------------------------------------------------------------


def test_turns_are_those_of_the_chosen_sides(dataset):
    sides = dataset.select(speed="rapid", band=(1000, 2000))
    games, plies = dataset.turns(sides)
    wanted = [
        (game, ply)
        for game, side in zip(sides.games, sides.sides, strict=True)
        for ply in range(side, dataset.games["plies"][game], 2)
    ]
    assert list(zip(games, plies, strict=True)) == wanted


def requests(dataset, count, seed):
    rng = np.random.default_rng(seed)
    games = rng.integers(0, len(dataset), count)
    return games, rng.integers(0, dataset.games["plies"][games].astype(int) + 1)


def test_boards_are_those_of_python_chess(dataset, records):
    games, plies = requests(dataset, 300, seed=5)  # in no order, some twice, some at the end
    states, moves = dataset.states(games, plies)
    for game, ply, board, move in zip(games, plies, states[:, :5], moves, strict=True):
        position, played = chess.Board(), records[game].moves
        for code in played[:ply]:
            position.push(move_of(int(code)))
        assert (board == board_of(position)).all()
        assert move == (played[ply] if ply < len(played) else 0)
        assert move == 0 or code_of(move_of(int(move))) == move


def test_states_are_those_of_the_game(dataset, records):
    """They remember: repetitions, earlier boards."""
    game, rules = int(np.argmax(dataset.games["plies"])), Chess()
    plies = np.arange(dataset.games["plies"][game] + 1)
    states, moves = dataset.states(np.full(len(plies), game), plies)
    assert moves[:-1].tolist() == records[game].moves.tolist()
    state = rules.initial()
    for ply in plies[:-1]:
        assert (states[ply] == state[0]).all()
        san = move_of(int(moves[ply])).uci()
        state = rules.after(state, [rules.read_action(state[0], san)])
    assert (states[-1] == state[0]).all()


def test_nothing_asked_for(dataset):
    assert dataset.states([], []).states.shape == (0, 32)


@pytest.mark.parametrize(
    ("games", "plies", "message"),
    [
        ([10**6], [0], "there are games 0 to"),
        ([-1], [0], "there are games 0 to"),
        ([0], [-1], "outside its game"),
        ([0], [10_000], "outside its game"),
        ([0, 1], [0], "the same length"),
    ],
)
def test_positions_there_are_not(dataset, games, plies, message):
    with pytest.raises(UsageError, match=message):
        dataset.states(games, plies)


# -- building --------------------------------------------------------------------------------------


def test_equal_files_give_equal_datasets(files, dataset, tmp_path):
    again = build(files, tmp_path / "again")
    for name in dataset.bytes_on_disk:
        assert (again.folder / name).read_bytes() == (dataset.folder / name).read_bytes()


def test_nothing_is_left_of_what_fails(files, tmp_path, pgn):
    cut = pgn(files[1].read_bytes()[:-20], "cut.pgn.zst")
    html = pgn("<html>none</html>", "a.html")
    missing = [files[0], tmp_path / "x"]
    for bad, message in (([cut], "ends early"), ([html], "no PGN game"), (missing, "no file")):
        before = sorted(os.listdir(tmp_path))
        with pytest.raises(RecordError, match=message):
            build(bad, tmp_path / "out")
        assert sorted(os.listdir(tmp_path)) == before


def test_a_damaged_file_among_others_is_skipped(files, tmp_path, pgn):
    html = pgn("<html>none</html>", "a.html")
    alone = build(files[:1], tmp_path / "alone")
    both = build([html, files[0]], tmp_path / "both")
    assert len(both) == len(alone)
    junk = pgn(b"no zstd at all", "junk.pgn.zst")
    assert len(build([junk, files[0]], tmp_path / "junk")) == len(alone)
    skipped = (tmp_path / "junk" / "skipped.tsv").read_text()
    assert "unreadable_file" in skipped
    assert "is no .zst file" in skipped
    skipped = (tmp_path / "both" / "skipped.tsv").read_text()
    assert f"{html}\t1\tunreadable_file\t{html} has no PGN game" in skipped


def test_nothing_is_left_after_an_interrupt(files, tmp_path):
    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(files, tmp_path / "out", listener=interrupt)
    assert os.listdir(tmp_path) == []


def test_no_game_left(tmp_path, pgn):
    with pytest.raises(
        RecordError,
        match=r"these files \(skipped: another game, or another variant of it 1\); name",
    ):
        build([pgn(tagged("1. e4 1-0", Variant="Atomic"))], tmp_path / "out")


def test_a_folder_that_is_there(files, tmp_path):
    (tmp_path / "empty").mkdir()
    assert len(build(files[:1], tmp_path / "empty")) > 0
    with pytest.raises(RecordError, match="exists already; delete it or choose another"):
        build(files[:1], tmp_path / "empty")
    (tmp_path / "file").touch()
    with pytest.raises(RecordError, match="exists already"):
        build(files[:1], tmp_path / "file")
    with pytest.raises(RecordError, match="cannot write"):
        build(files[:1], tmp_path / "file" / "out")


def test_games_without_names_ratings_or_tags(tmp_path, pgn):
    dataset = build([pgn("1. e4 e5 1-0\n\n1. d4 *\n")], tmp_path / "out")
    assert dataset.games["result"].tolist() == [1, 2]
    assert dataset.record(1).result is None
    assert (dataset.games["players"] == -1).all()
    assert len(dataset.names) == 0
    assert [len(dataset.select(split=split).games) for split in SPLITS] == [0, 0, 0, 0]
    assert len(dataset.select().games) == 4


def test_progress_is_told(files, tmp_path):
    told = []
    dataset = build(files, tmp_path / "out", listener=lambda *numbers: told.append(numbers))
    size = sum(file.stat().st_size for file in files)
    assert told[-1] == (size, size, len(dataset), sum(dataset.facts["skipped"].values()))


# -- damage ----------------------------------------------------------------------------------------


@pytest.fixture
def copied(dataset, tmp_path):
    return shutil.copytree(dataset.folder, tmp_path / "copy")


def test_no_dataset(tmp_path, pgn):
    for path in (tmp_path, tmp_path / "none", pgn("x")):
        with pytest.raises(RecordError, match="is not a dataset; build one with"):
            Dataset.open(path)


@pytest.mark.parametrize("name", ["players", "events", "time_controls"])
def test_names_that_are_gone(name, copied):
    (copied / f"{name}.txt").unlink()
    with pytest.raises(RecordError, match="is damaged; build it again"):
        Dataset.open(copied)


@pytest.mark.parametrize("name", ["games", "moves", "evals", "by_cell", "players"])
def test_a_file_cut_short(name, copied):
    path = copied / f"{name}.bin"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(RecordError, match="is damaged; build it again"):
        Dataset.open(copied)
    path.unlink()
    with pytest.raises(RecordError, match="is damaged; build it again"):
        Dataset.open(copied)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 99}, "has version .99., this evenmatch reads 1; build it again"),
        ({"move_order": "x"}, "orders the legal moves in another way; build it again"),
        ({"sizes": {}}, "is damaged"),
        ({"sizes": None}, "is damaged"),
        ({"cells": [1]}, "is damaged"),
    ],
)
def test_facts_that_do_not_fit(change, message, copied):
    path = copied / "dataset.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(RecordError, match=message):
        Dataset.open(copied)


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 100_000])
def test_facts_that_cannot_be_read(text, copied):
    (copied / "dataset.json").write_text(text)
    with pytest.raises(RecordError, match="is damaged"):
        Dataset.open(copied)


def test_choices_that_no_position_has(copied):
    path = copied / "moves.bin"
    path.write_bytes(b"\xff" * path.stat().st_size)
    dataset = Dataset.open(copied)
    game = int(np.argmax(dataset.games["plies"]))
    with pytest.raises(RecordError, match="is damaged"):
        dataset.states([game], [3])
    with pytest.raises(RecordError, match="is damaged"):
        dataset.record(game)
