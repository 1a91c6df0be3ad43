"""SGF files: main lines, what is wrong with them, torn blocks, folders, encodings, garbage."""

import gzip
import io
import re
import sys
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sgf_reading import read_sgf, sgf_games

from evenmatch.errors import RecordError
from evenmatch.records.go import sgf
from evenmatch.records.go.game_text import write_sgf
from evenmatch.records.record import Reason
from evenmatch.records.streams import Sources, Text


def line_of(text):
    """The main line of a text of one game: B44 is Black's point 44, W-1 its pass."""
    (game,) = read_sgf(text)
    points = [-1 if action == game.size**2 else action for _, action in game.moves]
    return " ".join(
        f"{'B' if side > 0 else 'W'}{point}"
        for (side, _), point in zip(game.moves, points, strict=True)
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("(;SZ[9];B[aa];W[ba])", "B0 W1"),
        ("(;SZ[9];B[aa](;W[ba];B[ca])(;W[ab]))", "B0 W1 B2"),
        ("(;SZ[9];B[aa](;W[ba](;B[ca];W[da])(;B[cc]))(;W[ab];B[ii]))", "B0 W1 B2 W3"),
        ("(;SZ[9](;B[aa];W[ii])(;B[bb]))", "B0 W80"),
        ("(;SZ[9];B[];W[tt];B[aa])", "B-1 W-1 B0"),
        ("(;SZ[19];B[tt])", "B-1"),
        ("(;SZ[21];B[tt];W[])", "B418 W-1"),
        ("(;SZ[52];B[zA];W[ZZ])", "B1377 W2703"),
        ("(;SZ[9]C[a ( ; \\] ) B[aa\\]];B[ab]C[(;W[aa\\])])", "B9"),
        (" text before ( \n ; SZ [9] ; B\n[aa]\r\n;  W [ba] )text behind", "B0 W1"),
        ("(;SiZe[9];Black[aa];W[ba])", "B0 W1"),
        ("(;SZ[9]B[aa];W[ba])", "B0 W1"),
        ("(;SZ[9];C[no move];B[aa];;W[ba]LB[aa:x][bb:y])", "B0 W1"),
        ("(;SZ[9];KO[]B[aa];MN[5]W[aa])", "B0 W0"),
        ("(;SZ[9])", ""),
    ],
)
def test_main_lines(text, line):
    assert line_of(text) == line


def test_the_root_tells():
    (game,) = read_sgf(
        "(;FF[4]GM[1]SZ[13]KM[0.5]HA[2]RU[Chinese]RE[W+R]PB[A\\]nn]PW[Bob\nB]BR[5k]WR[3d?]"
        "DT[2020-01-02]EV[Cup]PC[Here]TM[600]OT[5x30 byo-yomi]GC[one\ntwo]PL[W]AB[dd][jj]AW[aa]"
        "PB[second]C[no];W[cc]KM[7.5])"
    )
    assert (game.size, game.komi, game.handicap, game.rules) == (13, 0.5, 2, "Chinese")
    assert (game.players, game.ranks) == (("A]nn", "Bob B"), ("5k", "3d?"))
    assert (game.result, game.date, game.event, game.place) == ("W+R", "2020-01-02", "Cup", "Here")
    assert (game.time, game.overtime, game.comment) == ("600", "5x30 byo-yomi", "one\ntwo")
    assert (game.to_play, game.black, game.white) == (-1, (3 * 13 + 3, 9 * 13 + 9), (0,))
    assert game.to_move == -1


def test_setup():
    (game,) = read_sgf("(;SZ[9]AB[aa:cb]AB[]AE[bb]AW[ca]AW[ii];AB[hh]AE[ ];B[dd])")
    assert game.black == (0, 1, 9, 11, 70)
    assert game.white == (2, 80)
    (turned,) = read_sgf("(;SZ[9]AB[cb:aa])")
    assert turned.black == (0, 1, 2, 9, 10, 11)


FAULTS = [
    ("(;SZ[9];B[aa]", Reason.unclosed),
    ("(;SZ[9];B[aa", Reason.unclosed),
    ("(;SZ[9]C[a\\])", Reason.unclosed),
    ("(;SZ[9];B[aj])", Reason.unreadable_move),
    ("(;SZ[9];B[a])", Reason.unreadable_move),
    ("(;SZ[9];B[a1])", Reason.unreadable_move),
    ("(;SZ[9];B[aa]W[bb])", Reason.ambiguous_move),
    ("(;SZ[9];B[aa][bb])", Reason.ambiguous_move),
    ("(;SZ[9];B[aa];AB[bb];W[cc])", Reason.late_setup),
    ("(;SZ[9];B[aa];AE[];W[cc])", None),
    ("(;SZ[9];B[aa];PL[W];W[cc])", None),
    ("(;SZ[9];B[aa];AB[zz];W[cc])", Reason.unreadable_property),
    ("(;SZ[9]AB[zz];W[cc])", Reason.unreadable_property),
    ("(;SZ[9]AB[a];W[cc])", Reason.unreadable_property),
    ("(;SZ[9];B;W[cc])", Reason.unreadable_property),
    ("(;SZ[9];[aa];W[cc])", Reason.unreadable_property),
    ("(;SZ[9]!;W[cc])", Reason.unreadable_property),
    ("(;SZ[nine];W[cc])", Reason.unreadable_property),
    ("(;SZ[19:9];W[cc])", Reason.unreadable_property),
    ("(;GM[2];W[cc])", Reason.variant),
    ("(;CA[klingon]PB[\xfc];W[cc])", Reason.unknown_encoding),
    ("(;CA[klingon]PB[ascii]C[\xfc];W[cc])", None),
]


@pytest.mark.parametrize(("text", "reason"), FAULTS)
@pytest.mark.parametrize("name", ["games.sgf", "games.sgfs"])
def test_a_game_with_a_fault_between_two_without(tmp_path, text, reason, name):
    path, faults = tmp_path / name, []
    good = "(;FF[4]SZ[9];B[aa];W[bb])"
    path.write_bytes(f"{good}\n{text}\n{good}\n".encode("latin-1"))
    games = list(sgf_games(path, faults.append))
    whole = read_sgf(good)[0]
    assert [game == whole for game in games] == [True, *([False] if reason is None else []), True]
    assert [(fault.line, fault.reason) for fault in faults] == ([(2, reason)] if reason else [])
    assert all(str(path) in str(fault) for fault in faults)


def test_faults_name_the_word(tmp_path):
    path, faults = tmp_path / "a.sgf", []
    path.write_text("(;SZ[9]\n;B[aa]\n;W[xy])")
    assert list(sgf_games(path, faults.append)) == []
    assert str(faults[0]) == f"{path}:3: a word that is no move: xy"


def test_lines_without_a_game(tmp_path):
    path, faults = tmp_path / "a.sgfs", []
    path.write_text("(;SZ[9];B[aa])\n\n  \nnot a game\n(;SZ[9];B[bb])\n;B[cc])")
    assert [game.moves for game in sgf_games(path, faults.append)] == [((1, 0),), ((1, 10),)]
    assert [(fault.line, fault.reason) for fault in faults] == [
        (4, Reason.no_game), (6, Reason.no_game),
    ]  # fmt: skip


def test_a_game_that_is_not_closed_does_not_swallow_the_next(tmp_path):
    """Even within a value, where its bracket is missing; a game in a comment is none."""
    path, faults = tmp_path / "a.sgf", []
    path.write_text(
        "(;FF[4]SZ[9]GC[open\n(;FF[4]SZ[9];B[aa](;W[bb]\n(;FF[4]SZ[9];B[cc]"
        "C[\n(;B[dd\\]\n];W[ee](;B[ff])\n(;B[gg]))"
    )
    assert [game.moves for game in sgf_games(path, faults.append)] == [
        ((1, 20), (-1, 40), (1, 50)),
    ]  # fmt: skip
    assert [(fault.line, fault.reason) for fault in faults] == [
        (1, Reason.unclosed), (2, Reason.unclosed),
    ]  # fmt: skip


def test_a_folder(tmp_path):
    """Damaged files in it are left out, and the others are read."""
    (tmp_path / "below").mkdir()
    (tmp_path / "b.sgf").write_text("(;SZ[9];B[bb])")
    (tmp_path / "below" / "a.SGF").write_text("(;SZ[9];B[aa])")
    (tmp_path / "c.sgf").write_text("nothing")
    (tmp_path / "d.sgf.gz").write_bytes(gzip.compress(b"(;SZ[9];B[dd])")[:-9])
    (tmp_path / "e.sgf").write_bytes(b"")
    (tmp_path / "readme.txt").write_text("(;SZ[9];B[cc])")
    faults = []
    games = list(sgf_games(tmp_path, faults.append))
    assert [game.moves for game in games] == [((1, 10),), ((1, 0),)]
    assert [fault.reason for fault in faults] == [Reason.unreadable_file] * 3
    assert [fault.source.rsplit("/", 1)[1] for fault in faults] == ["c.sgf", "d.sgf.gz", "e.sgf"]


def test_standard_input(monkeypatch):
    data = io.TextIOWrapper(io.BytesIO(b"(;SZ[9];B[aa])(;SZ[9];B[bb])"))
    monkeypatch.setattr(sys, "stdin", data)
    assert len(list(sgf_games("-"))) == 2


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.sgf", b"", "is empty"),
        ("a.sgf", b"1. e4 e5", "has no SGF game in it"),
        ("a.sgfs", b"1. e4 e5\n", "has no SGF game in it"),
        ("a.sgf", b"(;SZ[9]\0;B[aa])", "zero bytes"),
        ("a.sgf.gz", b"(;SZ[9];B[aa])", "is no .gz file"),
    ],
)
def test_files_that_are_none(tmp_path, name, data, message):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(RecordError, match=message):
        list(sgf_games(path))


def test_folders_and_files_that_are_not_there(tmp_path):
    with pytest.raises(RecordError, match="has no SGF file in it"):
        list(sgf_games(tmp_path))
    with pytest.raises(RecordError, match="no file"):
        list(sgf_games(tmp_path / "none.sgf"))
    with pytest.raises(RecordError, match="no SGF game"):
        list(sgf_games(Text(b"nothing")))


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("gb18030", ("黑棋甲", "白棋乙")), ("gb18030", ("柯洁", "朱镕基")),
        ("gb18030", ("古力", "常昊")), ("big5", ("周俊勳", "黑嘉嘉")),
        ("big5", ("圍棋高手", "許皓鋐")), ("cp932", ("井山裕太", "髙尾")),
        ("cp932", ("ヒカル", "あきら")), ("cp949", ("이창호", "이세돌")),
        ("cp949", ("바둑", "홍길동")), ("cp1252", ("Müller", "José Peña")),
        ("cp1252", ("Größe", "René Hélène")), ("cp1251", ("Иванов", "Шикшин")),
        ("euc_jp", ("あきら", "ヒカル")),
    ],
)  # fmt: skip
def test_an_encoding_that_no_file_names_is_guessed(tmp_path, encoding, names):
    """With a note, one for each file; the names have 4 to 10 bytes."""
    path, faults = tmp_path / "a.sgf", []
    text = f"(;FF[4]SZ[9]\nPB[{names[0]}]PW[{names[1]}];B[aa])\n"
    path.write_bytes((text * 3).encode(encoding))
    assert [game.players for game in sgf_games(path, faults.append)] == [names] * 3
    assert [(one.line, one.reason, one.keeps_game) for one in faults] == [
        (2, Reason.guessed_encoding, True)
    ]


@pytest.mark.parametrize(
    ("named", "encoding", "guessed"),
    [("UTF-8", "gbk", True), ("gb2312", "utf-8", False), ("UTF-16", "utf-16", False)],
)
def test_an_encoding_that_is_named_and_is_another(tmp_path, named, encoding, guessed):
    path, faults = tmp_path / "a.sgf", []
    path.write_bytes(f"(;CA[{named}]SZ[9]PB[黑棋甲]PW[白棋乙];B[aa])".encode(encoding))
    (game,) = sgf_games(path, faults.append)
    assert game.players == ("黑棋甲", "白棋乙")
    assert [one.reason for one in faults] == [Reason.guessed_encoding] * guessed


GAMES = {
    "UTF-8": "(;SZ[9]CA[UTF-8]PB[李世石]PW[柯洁];B[aa])\n",
    "GB18030": "(;CA[GB18030]SZ[9]PB[古力]PW[常昊];B[bb])\n",
    "Shift_JIS": "(;FF[4]CA[Shift_JIS]PB[ソ十表]PW[井山];SZ[9];B[cc](;W[dd])(;W[ee]))\n",
    "Big5": "(;CA[big5]PB[許功蓋]PW[周俊勳]SZ[9];B[dd])\n",
    "windows-1251": "(;CA[windows-1251]SZ[9]PB[Иванов]PW[Шикшин];B[ee])\n",
    "ISO-8859-1": "(;CA[ISO-8859-1]SZ[9]PB[Müller]PW[Peña];B[ff])\n",
    "ascii": "(;SZ[9]PB[a]PW[b];B[gg])\n",
}  #: a game in each encoding that it names


@pytest.mark.parametrize("first", GAMES)
@pytest.mark.parametrize("second", GAMES)
@pytest.mark.parametrize(("block", "name"), [(1 << 20, "a.sgf"), (7, "a.sgf"), (7, "a.sgfs")])
def test_each_game_is_read_in_the_encoding_that_it_names(
    tmp_path, monkeypatch, first, second, block, name
):
    monkeypatch.setattr(sgf, "BLOCK", block)
    path, faults, alone = tmp_path / name, [], {}
    for encoding in (first, second):
        (alone[encoding],) = read_sgf(re.sub(r"CA\[.*?\]", "", GAMES[encoding]))
    order = [first, second, second, first]
    path.write_bytes(b"".join(GAMES[encoding].encode(encoding) for encoding in order))
    assert list(sgf_games(path, faults.append)) == [alone[encoding] for encoding in order]
    assert faults == []


def test_games_that_name_a_wrong_encoding_are_guessed_alone(tmp_path):
    path, faults = tmp_path / "a.sgf", []
    game = "(;SZ[9]CA[{}]PB[黑棋甲]PW[白棋乙];B[aa])\n"
    path.write_bytes((game.format("GB18030") + game.format("UTF-8")).encode("gb18030"))
    assert [one.players for one in sgf_games(path, faults.append)] == [("黑棋甲", "白棋乙")] * 2
    assert [str(one) for one in faults] == [
        f"{path}:2: the encoding is not named, or not the one that is named (CA property); "
        "it was guessed: gb18030"
    ]


def test_of_many_guesses_the_last_are_as_those_before(tmp_path, monkeypatch):
    """A file that changes its encoding at each game is not guessed at each."""
    monkeypatch.setattr(sgf, "LOOK", 200)
    seen = []
    monkeypatch.setattr(sgf, "guessed_codec", lambda texts: seen.append(texts) or "gb18030")
    path = tmp_path / "a.sgf"
    games = [f"(;CA[{name}]SZ[9]PB[黑棋甲]PW[白棋乙];B[aa])\n" for name in ("UTF-8", "GBK") * 50]
    path.write_bytes("".join(games).encode("gb18030"))
    assert [one.players for one in sgf_games(path)] == [("黑棋甲", "白棋乙")] * 100
    assert 0 < len(seen) < 10


def test_a_damaged_name_changes_no_encoding(tmp_path):
    path, faults = tmp_path / "a.sgf", []
    good = "(;CA[UTF-8]SZ[9]PB[柯洁]PW[Müller];B[aa])\n".encode()
    path.write_bytes(good * 2 + good.replace("洁".encode(), b"\xe6\xb4") + good)
    players = [game.players for game in sgf_games(path, faults.append)]
    assert [players[0], players[1], players[3]] == [("柯洁", "Müller")] * 3
    assert faults == []


@pytest.mark.parametrize(("encoding", "named"), [("utf-8", ""), ("gbk", "CA[gbk]")])
def test_faults_show_words_in_their_letters(tmp_path, encoding, named):
    path, faults = tmp_path / "a.sgf", []
    path.write_bytes(f"(;{named}PB[柯洁]\n;B[星位])(;{named}SZ[很大];B[aa])".encode(encoding))
    assert list(sgf_games(path, faults.append)) == []
    assert [(fault.line, fault.word) for fault in faults] == [(2, "B[星位"), (2, "很大")]


def test_a_game_that_is_too_long(tmp_path, monkeypatch):
    monkeypatch.setattr(sgf, "LONGEST_GAME", 4000)
    monkeypatch.setattr(sgf, "BLOCK", 1000)
    monkeypatch.setattr(sgf, "LOOK", 1000)
    good = "(;FF[4]SZ[9];B[aa])"
    for name in ("a.sgf", "a.sgfs"):
        path, faults = tmp_path / name, []
        path.write_text(f"{good}\n(;FF[4]SZ[9]C[{'x' * 9000}];B[bb])\n{good}\n")
        moves = [game.moves for game in sgf_games(path, faults.append)]
        assert moves == [((1, 0),)] * 2
        assert {fault.reason for fault in faults} <= {Reason.too_long, Reason.no_game}
        assert (faults[0].line, faults[0].reason) == (2, Reason.too_long)


TREE = st.recursive(
    st.lists(st.sampled_from([";B[aa]", ";W[bb]", ";", ";C[x\\]y\n(;]", ";B[]W[]", ";B[zz]"])).map(
        "".join
    ),
    lambda inner: st.lists(inner, min_size=1, max_size=3).map(
        lambda parts: "".join(f"(;{part})" for part in parts)
    ),
    max_leaves=6,
)
TEXT = st.lists(TREE.map(lambda tree: f"(;FF[4]SZ[9]PB[a]{tree})\n"), max_size=6).map("".join)
SOME = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@SOME
@given(TEXT, st.integers(1, 40), st.sampled_from(["t.sgf", "t.sgfs"]))
def test_blocks_change_nothing(tmp_path, monkeypatch, text, block, name):
    """However the bytes come, the games and faults are the same."""
    path = tmp_path / name
    path.write_text(text or "(;)")
    found = []
    for size in (1 << 20, block):
        monkeypatch.setattr(sgf, "BLOCK", size)
        faults = []
        games = [(game.size, game.moves, game.players) for game in sgf_games(path, faults.append)]
        found.append((games, faults))
    assert found[0] == found[1]


GARBAGE = st.lists(
    st.sampled_from(
        ["(", ")", ";", "[", "]", "\\", "\n", "B", "W", "AB", "SZ[9]", "FF[4]", "[aa]", "[]", "x",
         "[aa:cc]", "KM[", "HA[2]", "\x80", "CA[utf-8]", "\r\n", "(;FF[4]"]
    ),
    max_size=40,
).map("".join)  # fmt: skip


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200) | GARBAGE.map(str.encode), st.booleans(), st.integers(1, 300))
@example(b"(;B[aa", False, 1)
@example(b"\xff\xfe(\x00", False, 2)
def test_garbage_raises_our_errors_alone(tmp_path, monkeypatch, data, lined, block):
    monkeypatch.setattr(sgf, "BLOCK", block)
    path = tmp_path / ("g.sgfs" if lined else "g.sgf")
    path.write_bytes(data)
    with suppress(RecordError):
        for game in sgf_games(path):
            assert read_sgf(write_sgf(game)) == [game]


def test_memory_does_not_grow_with_the_file(tmp_path):
    """Moves of 1 MB are read at a time; 30 MB of file would be 100 MB of games at once."""
    import tracemalloc

    path = tmp_path / "many.sgfs"
    game = "(;FF[4]SZ[19]" + ";B[aa];W[bb]" * 100 + ")\n"
    path.write_text(game)
    assert len(list(sgf_games(path))) == 1  # imports and kernels
    path.write_text(game * 25_000)
    tracemalloc.start()
    with Sources(path) as sources:
        count = sum(int(np.sum(batch.reasons == 0)) for batch in sgf.sgf_batches(sources))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 25_000
    assert peak < 40_000_000
