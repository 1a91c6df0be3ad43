"""Recorded games of Go: read by the rules, stored, replayed, described."""

import shutil
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shared_data import shared_file

from evenmatch.errors import RecordError
from evenmatch.games import get_game
from evenmatch.ratings.scale import RANKS
from evenmatch.records.codec import codec_for
from evenmatch.records.go import games as games_of_go
from evenmatch.records.go.game_text import SgfGame, write_sgf
from evenmatch.records.go.sgf import SgfBatch
from evenmatch.records.record import Reason
from evenmatch.records.streams import Text
from evenmatch.workshop.datasets.build import build
from evenmatch.workshop.datasets.dataset import Dataset

GO = get_game("go9")
PASS = GO.num_actions - 1
RESULTS = {1: "B+3.5", -1: "W+R", 0: "Draw", None: "?"}


def random_game(seed, **told):
    """A random game of Go from a start that varies: an SgfGame."""
    rng = np.random.default_rng(seed)
    stones = tuple(sorted(rng.choice(80, int(rng.integers(2, 5)), replace=False).tolist()))
    given = seed % 3 == 0
    start = {"komi": float(rng.integers(-10, 20)) / 2, "black": stones if given else ()}
    state = GO.start(**start, to_play=-1 if given else 1)[None]
    moves = []
    for _ in range(int(rng.integers(10, 120))):
        legal = GO.legal_actions(state)[0]
        if not len(legal):
            break
        action = int(rng.choice(legal))
        moves.append((int(GO.to_play(state)[0]), action))
        state = GO.after(state, [action])
    return SgfGame(
        size=9,
        **start,
        handicap=len(stones) if given else 0,
        moves=tuple(moves),
        players=(f"p{seed % 7}", f"q{seed % 5}"),
        ranks=(f"{1 + seed % 30}k", f"{1 + seed % 9}d"),
        result=RESULTS[(1, -1, 0, None)[seed % 4]],
        date=f"{1990 + seed % 20}-01-02",
        **told,
    )


@pytest.fixture(scope="module")
def games():
    return [random_game(seed) for seed in range(45)]


@pytest.fixture(scope="module")
def folder(games, tmp_path_factory):
    path = tmp_path_factory.mktemp("go") / "games.sgfs"
    path.write_text("".join(write_sgf(game, one_line=True) for game in games))
    return path.parent


@pytest.fixture(scope="module")
def dataset(folder):
    return build([folder / "games.sgfs"], folder / "kgs", game="go9", shares=(1, 1, 1, 3))


def starts_of(game):
    return GO.start(komi=game.komi, black=game.black, to_play=game.to_move)


def replayed(game):
    """The positions [plies + 1, S] of a game, played by the rules one move at a time."""
    states = [starts_of(game)]
    for _, action in game.moves:
        states.append(GO.after(states[-1][None], [action])[0])
    return np.array(states)


def test_games_come_back_as_they_were_played(dataset, games):
    assert len(dataset) == len(games)
    for number, game in enumerate(games):
        record = dataset.record(number)
        assert record.game == "go9"
        assert record.moves.tolist() == [action for _, action in game.moves]
        order = slice(None, None, game.to_move)  # who moved first is in front
        assert record.players == game.players[order]
        assert record.ratings == tuple(RANKS.read(rank) for rank in game.ranks)[order]
        assert RESULTS[record.result] == game.result
        assert record.year == int(game.date[:4])
        assert record.line == number + 1


def test_positions_are_those_of_the_game(dataset, games):
    """Asked for in no order, some twice, some at the end; of the form that searches use."""
    rng = np.random.default_rng(2)
    chosen = rng.integers(0, len(games), 300)
    plies = rng.integers(0, dataset.games["plies"][chosen].astype(int) + 1)
    states, moves = dataset.states(chosen, plies)
    assert states.shape == (300, GO.search_words)
    for game, ply, state, move in zip(chosen, plies, states, moves, strict=True):
        assert (state == GO.as_roots(replayed(games[game])[[ply]])[0]).all()
        line = games[game].moves
        assert move == (line[ply][1] if ply < len(line) else 0)


def test_turns_are_those_of_each_side(dataset, games):
    """Also where White moves first: the first side is who does."""
    for name, side in (("p3", 0), ("q2", 1)):
        chosen = dataset.select(player=name)
        numbers, plies = dataset.turns(chosen)
        states = dataset.states(numbers, plies).states
        wanted = [1 - 2 * side] * len(states)
        assert GO.to_play(states).tolist() == wanted
        assert len(states) == sum(
            sum(mover == 1 - 2 * side for mover, _ in game.moves)
            for game in games
            if game.players[side] == name
        )


def test_played_positions_are_those_of_a_record(dataset, games):
    for number in (0, 1):  # one with stones, one without
        record = dataset.record(number)
        states = codec_for("go9").played(record.moves, record.start)
        assert (states == GO.as_roots(replayed(games[number]))).all()
    with pytest.raises(RecordError, match="not legal"):
        codec_for("go9").played(np.zeros(2, np.uint16))


def test_starts_are_kept_once(folder, tmp_path):
    path = tmp_path / "a.sgfs"
    path.write_text("(;SZ[9]KM[6.5];B[aa])\n" * 50 + "(;SZ[9]KM[0.5]HA[2]AB[cc][gg];W[aa])\n" * 50)
    made = build([path], tmp_path / "out", game="go9")
    assert made.starts == ["KM[6.5]", "KM[0.5]HA[2]AB[cc][gg]PL[W]"]
    assert (made.start(0), made.start(99)) == tuple(made.starts)


def read(tmp_path, *lines, game="go9"):
    """The records of a file of these lines, and (line, reason) of what was left out."""
    path, faults = tmp_path / "some.sgfs", []
    path.write_text("\n".join(lines))
    games = list(codec_for(game).games(path, faults.append))
    return games, [(fault.line, fault.reason) for fault in faults]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(;SZ[9])", Reason.no_moves),
        ("(;SZ[13];B[aa])", Reason.other_size),
        ("(;B[aa])", Reason.other_size),  # 19x19 if it does not say
        ("(;SZ[21];B[aa])", Reason.other_size),
        ("(;SZ[9];B[aa];W[aa])", Reason.illegal_move),
        ("(;SZ[9]AB[ba][ab];W[aa])", Reason.illegal_move),  # suicide
        ("(;SZ[9]AB[ba][ab][bc]AW[ca][db][cc][bb];B[cb];W[bb])", Reason.illegal_move),  # ko
        ("(;SZ[9]HA[3];W[aa])", Reason.no_stones),
        ("(;SZ[9]HA[3];B[aa];W[bb])", Reason.no_stones),
        ("(;SZ[9]AB[aa]AW[ab][ba];B[ee])", Reason.unreadable_property),  # no liberty
    ],
)
def test_games_that_are_left_out(tmp_path, text, reason):
    good = "(;SZ[9];B[aa];W[bb])"
    records, faults = read(tmp_path, good, text, good)
    assert len(records) == 2
    assert faults == [(2, reason)]


@pytest.mark.parametrize(
    ("text", "start", "moves"),
    [
        ("(;SZ[9];B[aa];W[];B[tt];W[bb];B[cc])", "", [0, PASS, PASS]),  # ends by two passes
        ("(;SZ[9]HA[2]RU[Chinese];B[cc];B[gg];W[aa])", "KM[0.5]RU[chinese]HA[2]AB[cc][gg]PL[W]",
         [0]),
        ("(;SZ[9]KM[375];B[gg];B[cc];B[ee];W[aa])", "KM[7.5]HA[3]AB[cc][ee][gg]PL[W]", [0]),
        ("(;SZ[9]HA[1]KM[0.5];B[cc];W[aa])", "KM[0.5]", [20, 0]),
        ("(;SZ[9]HA[1]KM[0.5]RU[chinese];B[cc];W[aa])", "KM[0.5]RU[chinese]HA[1]", [20, 0]),
        ("(;SZ[9]AB[cc]AW[gg]PL[W];B[aa])", "AB[cc]AW[gg]PL[B]", [0]),
        ("(;SZ[9];W[aa];B[bb])", "PL[W]", [0, 10]),
        ("(;SZ[9]KM[3又3/4子]HA[互先];B[aa])", "KM[7.5]", [0]),
        ("(;SZ[9]HA[让2子]AB[cc][gg];W[aa])", "KM[0.5]HA[2]AB[cc][gg]PL[W]", [0]),
        # two moves of a side in a row
        ("(;SZ[9];B[aa];W[bb];W[cc])", "", [0, 10, PASS, 20]),
        ("(;SZ[9];B[aa];W[bb];B[cc];B[dd];W[ee])", "", [0, 10, 20, PASS, 30, 40]),
        ("(;SZ[9];B[aa];W[];W[bb];B[cc])", "", [0, 10, 20]),
        ("(;SZ[9];B[aa];W[];W[];W[bb];W[cc])", "", [0, 10, PASS, 20]),
        ("(;SZ[9];B[];B[aa];W[bb])", "", [0, 10]),
        ("(;SZ[9];B[aa];W[bb];W[];B[cc])", "", [0, 10, 20]),
        ("(;SZ[9];B[aa];W[bb];W[];W[];B[];B[cc])", "", [0, 10, 20]),
        ("(;SZ[9];B[aa];W[bb];B[];B[];W[])", "", [0, 10, PASS, PASS]),
        ("(;SZ[9];B[aa];W[bb];B[cc];B[])", "", [0, 10, 20]),
        ("(;SZ[9]HA[2]AB[cc][gg];B[ee];W[aa])", "KM[0.5]HA[2]AB[cc][gg]PL[B]", [40, 0]),
        ("(;SZ[9]AW[aa];B[ba];B[ab];W[ee])", "AW[aa]", [1, PASS, 9, 40]),  # White is captured
    ],
)  # fmt: skip
def test_how_games_begin_and_end(tmp_path, text, start, moves):
    (record,), faults = read(tmp_path, text)
    assert (record.start, record.moves.tolist(), faults) == (start, moves, [])
    state = codec_for("go9").played(record.moves[:0], record.start)
    assert GO.to_play(state)[0] == (-1 if "PL[W]" in start else 1)


@pytest.mark.parametrize(
    ("root", "start", "word"),
    [
        ("KM[lots]", "", "KM[lots]"),
        ("KM[6.3]", "", "KM[6.3]"),
        ("HA[柯洁的两子]", "", "HA[柯洁的两子]"),
        ("HA[x]AB[cc][gg]PL[B]", "AB[cc][gg]PL[B]", "HA[x]"),
        ("PL[me]", "", "PL[me]"),
    ],
)
def test_what_cannot_be_read_of_a_game_is_dropped_with_a_note(tmp_path, root, start, word):
    path, faults = tmp_path / "a.sgf", []
    path.write_text(f"(;SZ[9]\n{root};B[aa])")
    (record,) = codec_for("go9").games(path, faults.append)
    assert (record.start, record.moves.tolist()) == (start, [0])
    (fault,) = faults
    assert (fault.line, fault.reason, fault.word) == (2, Reason.dropped_property, word)
    assert fault.keeps_game
    assert codec_for("go9").first(path).faults == faults


def test_komi_of_a_start():
    states = codec_for("go9").start("KM[0.5]RU[chinese]HA[3]AB[cc][gg][ee]PL[W]")
    assert GO.komi_of(states[None])[0] == 3.5  # three points for three stones
    states = codec_for("go9").start("KM[0.5]RU[chinese]HA[1]")
    assert GO.komi_of(states[None])[0] == 1.5  # OGS counts Black's first move as a stone
    assert GO.komi_of(codec_for("go9").start("")[None])[0] == GO.komi


def sides_of(record):
    return list(zip(record.players, record.ratings, strict=True))


def test_whose_moves_count(tmp_path):
    """A bot's, and those of nobody known, have neither name nor rating."""
    told = "PB[Ann]BR[5k]PW[Bob]WR[1d]"
    records, _ = read(
        tmp_path,
        f"(;SZ[9]{told};B[aa])",
        f"(;SZ[9]{told}GC[human:B];B[aa])",
        f"(;SZ[9]{told}GC[human:W ranked];B[aa])",
        "(;SZ[9]WR[10k]GC[target:W truncated];B[aa])",
        "(;SZ[9]BR[10k]WR[9k];B[aa])",
        "(;SZ[9];B[aa])",
        f"(;SZ[9]{told}GC[human:W]AB[cc][gg];W[aa])",
    )
    ann, bob, nobody = ("Ann", 2600), ("Bob", 3100), ("", None)
    assert [sides_of(record) for record in records] == [
        [ann, bob],
        [ann, nobody],
        [nobody, bob],
        [nobody, ("some.sgfs:4", 2100)],
        [("some.sgfs:5", 2100), ("some.sgfs:5", 2200)],
        [nobody, nobody],
        [bob, nobody],  # who moved first is in front
    ]


def test_ranks_that_cannot_be(tmp_path):
    path = tmp_path / "a.sgf"
    path.write_text("(;SZ[9]PB[a]BR[40k]PW[b]WR[-];B[aa])")
    made = build([path], tmp_path / "out", game="go9")
    assert made.facts["sources"][0]["bad_ratings"] == 1
    assert made.record(0).ratings == (None, None)


def test_choices_have_two_bytes_on_a_large_board_alone():
    sizes = {name: codec_for(name).choices.itemsize for name in ("go9", "go13", "go")}
    assert sizes == {"go9": 1, "go13": 1, "go": 2}


@pytest.mark.parametrize("name", ["moves", "starts"])
def test_a_damaged_dataset_says_so(dataset, tmp_path, name):
    copied = tmp_path / "copied"
    shutil.copytree(dataset.folder, copied)
    path = copied / f"{name}.bin"
    path.write_bytes(b"\xff" * path.stat().st_size)
    with pytest.raises(RecordError, match="is damaged"):
        Dataset.open(copied).states([0], [3])


def test_a_folder_is_one_source(games, tmp_path):
    for number, game in enumerate(games[:5]):
        (tmp_path / f"{number}.sgf").write_text(write_sgf(game))
    (tmp_path / "5.sgf").write_text("(;SZ[9];B[aa]")
    made = build([tmp_path], tmp_path / "out", game="go9")
    assert len(made) == 5
    assert made.facts["skipped"] == {"unclosed": 1}
    assert [source["file"] for source in made.facts["sources"]] == [str(tmp_path)]


@settings(max_examples=75, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 20), st.lists(st.tuples(st.integers(0, 999), st.binary(max_size=3))))
def test_damaged_games_raise_our_errors_alone(tmp_path, games, seed, damage):
    """And what is read in spite of the damage is legal."""
    data = bytearray(write_sgf(games[seed], one_line=True).encode())
    for place, by in damage:
        at = place % len(data)
        data[at : at + 2] = by
    path = tmp_path / "damaged.sgf"
    path.write_bytes(bytes(data) or b"x")
    codec, records = codec_for("go9"), []
    with suppress(RecordError):
        records += codec.games(path)
    with suppress(RecordError):
        records.append(codec.first_of(path).record)
        codec.end_text(records[-1])
    for record in records:
        states = codec.played(record.moves, record.start)
        legal = GO.legal_mask(states[:-1])
        assert legal[np.arange(len(record.moves)), record.moves].all()


def test_the_first_game_is_the_one_that_is_read_of_all(tmp_path, games):
    """Handicap stones and players are the same, too."""
    path, codec = tmp_path / "a.sgf", codec_for("go9")
    free = "(;SZ[9]HA[3]PB[p]PW[q];B[gg];B[cc];B[ee];W[aa];B[bb];B[dd])"
    for text in [free, *(write_sgf(game) for game in games[:40])]:
        path.write_text(text)
        (record,), found = codec.games(path), codec.first(path).record
        assert (record.start, record.players, record.line) == (
            found.start, found.players, found.line,
        )  # fmt: skip
        assert record.moves.tolist() == found.moves.tolist()


# -- games of people -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "game", "good", "skipped"),
    [
        ("ogs-people", "go", 794, {"illegal_move": 1}),
        ("ogs-human-vs-bot-other-sizes", "go", 347, {"other_size": 79}),
        ("ogs-human-vs-bot-other-sizes", "go9", 47, {"other_size": 379}),
        ("ogs-human-vs-bot-other-sizes", "go13", 32, {"other_size": 394}),
        ("ogs-human-vs-bot", "go", 3865, {"illegal_move": 5}),
    ],
)
def test_games_of_people(tmp_path, name, game, good, skipped):
    """The illegal moves repeat a position: people played them, by other rules."""
    made = build([shared_file(f"go/{name}.sgfs.zst")], tmp_path / name, game=game)
    assert (len(made), made.facts["skipped"]) == (good, skipped)


def test_games_are_read_in_time_that_grows_with_their_number(tmp_path, monkeypatch):
    """Each property is read once for all games together, not once for each."""
    path, calls = tmp_path / "games.sgf", []
    texts = SgfBatch.texts
    monkeypatch.setattr(SgfBatch, "texts", lambda *given: calls.append(1) or texts(*given))
    counts = []
    for games in (1, 50):
        path.write_text("(;GM[1]SZ[9]PB[a]PW[b]PC[Oslo];B[ee])\n" * games)
        calls.clear()
        assert [one.site for one in codec_for("go9").games(path)] == ["Oslo"] * games
        counts.append(len(calls))
    assert counts[0] == counts[1] > 0


def test_a_game_that_repeats_positions_is_played_in_time_that_grows_with_its_moves(monkeypatch):
    """Moves are copied once, and each is played once."""
    calls, resolve = [], games_of_go.resolve
    monkeypatch.setattr(
        games_of_go, "resolve", lambda *given: calls.append(given) or resolve(*given)
    )
    root = "(;SZ[9]AB[ba][ab][bc]AW[ca][db][cc][bb]"
    found = codec_for("go9").first(Text(f"{root}{';B[cb];W[bb]' * 50})".encode()))
    assert (found.record.start, found.record.moves.tolist()) == (
        "AB[ba][ab][cb][bc]AW[ca][db][cc]PL[W]",
        [10],
    )
    assert len(calls) == 100
    assert len({id(actions) for _, _, _, _, actions, *_ in calls}) == 1
