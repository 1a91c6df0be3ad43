"""The tokenizer by hand-written PGN, by torn blocks, and by garbage."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenmatch.records.chess.tags import Tag, value
from evenmatch.records.chess.tokens import MOST_PLIES, allocate, tokenize
from evenmatch.records.record import MATE, NO_CLOCK, NO_EVAL, Reason


def games_in(text, cuts=(), room=1000):
    """What the tokenizer finds in a text that comes in parts, cut at ``cuts``: a list of games."""
    data = text if isinstance(text, bytes) else text.encode()
    out, found, rest, line = allocate(room, len(data) + 10), [], b"", 1
    ends = [*sorted(cuts), len(data)]
    for begin, end in zip([0, *ends], ends, strict=False):
        rest += data[begin:end]
        while True:
            final = end == len(data)
            games, used, line = tokenize(np.frombuffer(rest, np.uint8), line, final, out)
            assert 0 <= used <= len(rest)
            assert games or not used or not rest[used:].strip() or not final
            found += [game_of(rest, out, g) for g in range(games)]
            rest = rest[used:]
            if games < room:
                break
    return found


def game_of(data, out, g):
    words = slice(out.first[g], out.first[g + 1])
    return {
        "words": [int(w).to_bytes(8, "little").rstrip(b"\0").decode("latin-1")
                  for w in out.words[words]],
        "evals": out.evals[words].tolist(),
        "clocks": out.clocks[words].tolist(),
        "aided": out.aided[words].tolist(),
        "reason": Reason(out.reasons[g]),
        "result": int(out.results[g]),
        "line": int(out.lines[g]),
        "tags": {tag.name: value(data, out.spans[g, tag]) for tag in Tag
                 if out.spans[g, tag, 1]},
    }  # fmt: skip


def words_of(text):
    (game,) = games_in(text)
    assert game["reason"] == Reason.fine
    return " ".join(game["words"])


# -- words -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1. e4 e5 2. Nf3 Nc6 *", "e4 e5 Nf3 Nc6"),
        ("1.e4 e5 2.Nf3 Nc6 1-0", "e4 e5 Nf3 Nc6"),
        ("1. e4 1... e5 2.Nf3 2...Nc6 *", "e4 e5 Nf3 Nc6"),
        ("e4 e5\nNf3\r\n\tNc6\n\n*", "e4 e5 Nf3 Nc6"),
        ("1. e4! e5?? 2. Nf3!? $1 Nc6$14 *", "e4 e5 Nf3 Nc6"),
        ("1. e4 {good} e5 ; so (what {\n2. Nf3 *", "e4 e5 Nf3"),
        ("1. e4 e5 (1... c5 2. Nf3 (2. c3 {a) b} d5) 2... d6) 2. Nc3 *", "e4 e5 Nc3"),
        ("1. e4 (1. d4 1-0) e5 *", "e4 e5"),
        ("1. e4 e5\n% a line [of an {editor\n2. Nf3 *", "e4 e5 Nf3"),
        ("{before} 1. e4{a}{b}e5 *", "e4 e5"),
        ('1. e4 { [White "x"]\n[Black } e5 *', "e4 e5"),
        ("1. Qxf7+ Kd8 2. Qf8# 1-0", "Qxf7 Kd8 Qf8"),
        ("1. O-O 0-0 2. O-O-O+ 0-0-0# *", "O-O 0-0 O-O-O 0-0-0"),
        ("1. exd8=Q+ e7-e8=Q *", "exd8=Q e7-e8=Q"),
        ("1. e4 +- e5 = 2. Nf3 ... ) *", "e4 e5 Nf3"),
        ("1. -- Z0 2. 0000 @@@@ *", "-- Z0 0000 @@@@"),
        ("1. e4e5c6d4f3 e5 *", " e5"),  # a word of more than eight bytes is 0
    ],
)
def test_words(text, words):
    assert words_of(text) == words


# -- games -----------------------------------------------------------------------------------------


def test_games_follow_each_other():
    text = (
        '\ufeff[Event "one"]\n[White "A"]\n\n1. e4 e5\n\n[Event "two"]\n\n1. d4 *\n'
        '[Event "three"]\n[Event "four"]\n1. c4\n1-0\n% no game\n\n1. b4 0-1 {late} 1. a4 *'
    )
    found = games_in(text)
    assert [game["tags"].get("Event") for game in found] == [
        "one", "two", "three", "four", None, None,
    ]  # fmt: skip
    assert [game["words"] for game in found] == [
        ["e4", "e5"], ["d4"], [], ["c4"], ["b4"], ["a4"],
    ]  # fmt: skip
    assert [game["line"] for game in found] == [1, 6, 9, 10, 15, 15]
    assert found[2]["reason"] == Reason.no_moves


@pytest.mark.parametrize(
    ("line", "tags"),
    [
        ('[White "Euwe, Max"]', {"White": "Euwe, Max"}),
        ('[White  "a"]  ', {"White": "a"}),
        ('[White\t"a \\"b\\" c"]', {"White": 'a "b" c'}),
        ('[White "a\\\\b\\c"]', {"White": "a\\b\\c"}),
        ('[White "a\\"]', {"White": "a\\"}),
        ('[White "O"Neill"]', {"White": 'O"Neill'}),
        ('[White "a]', {"White": "a"}),
        ("[White]", {}),
        ("[", {}),
        ("[]", {}),
        ('[Whit "a"]', {}),
        ('[WhiteElo "1500"]', {"WhiteElo": "1500"}),
        ('[White "a"]\n[White "b"]', {"White": "b"}),
        ('[Event ""]', {}),
    ],
)
def test_tags(line, tags):
    (game,) = games_in(f"{line}\n\n1. e4 *")
    assert game["tags"] == tags or (tags == {} and not any(game["tags"].values()))
    assert game["words"] == ["e4"]


def test_a_text_in_latin_1_is_read():
    (game,) = games_in('[White "Müller"]\n\n1. e4 *'.encode("latin-1"))
    assert game["tags"]["White"] == "Müller"


def test_unclosed_comments_and_variations():
    text = '[Event "a"]\n\n1. e4 {never\nclosed 1-0\n\n[Event "b"]\n\n1. d4 (1. c4 *\n\n'
    found = games_in(text + '[Event "c"]\n\n1. f4 *\n\n1. g4 {')
    assert [game["reason"] for game in found] == [
        Reason.unclosed, Reason.unclosed, Reason.fine, Reason.unclosed,
    ]  # fmt: skip
    assert found[2]["words"] == ["f4"]


def test_games_without_end():
    (game,) = games_in("Nf3 Nf6 Ng1 Ng8 " * (MOST_PLIES // 4) + "e4 *")
    assert game["reason"] == Reason.too_long


# -- comments --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("comment", "centipawns"),
    [
        ("[%eval 0.25]", 25),
        ("[%eval -1.5]", -150),
        ("[%eval +3]", 300),
        ("[%eval .07]", 7),
        ("[%eval -0.09,18]", -9),
        ("[%eval #4]", MATE - 4),
        ("[%eval #-11]", 11 - MATE),
        ("[%eval 999999999.99]", 30_000),
        ("[%eval -999999999]", -30_000),
        ("[%eval #99999999]", 30_001),
        ("text [%eval 0.5] [%eval 0.7]", 50),
        ("[%eval x] [%eval 0.7]", 70),
        ("[%eval ]", NO_EVAL),
        ("[%eval 1.234]", NO_EVAL),
        ("[%eval 1.2", NO_EVAL),
        ("[%eval", NO_EVAL),
        ("[%evaluation 1.2]", NO_EVAL),
        ("0.25", NO_EVAL),
    ],
)
def test_evals(comment, centipawns):
    (game,) = games_in(f"1. e4 {{{comment}}} e5 *")
    assert game["evals"] == [centipawns, NO_EVAL]


@pytest.mark.parametrize(
    ("comment", "seconds"),
    [
        ("[%clk 0:09:58]", 598),
        ("[%clk 1:00:00.9]", 3600),
        ("[%clk 99:00:00]", NO_CLOCK - 1),
        ("[%eval 0.1] [%clk 0:00:01]", 1),
        ("[%clk 0:09]", NO_CLOCK),
        ("[%clk 9:]", NO_CLOCK),
        ("[%clk ]", NO_CLOCK),
    ],
)
def test_clocks(comment, seconds):
    (game,) = games_in(f"1. e4 {{{comment}}} e5 *")
    assert game["clocks"] == [seconds, NO_CLOCK]


def test_comments_belong_to_the_move_before_them_in_the_game():
    text = (
        "{[%eval 9.0]} 1. e4 (1. d4 {[%eval 8.0]}) {[%eval 0.1]} {[%eval 7.0]} e5 {[%eval 0.2]} *"
    )
    assert games_in(text)[0]["evals"] == [10, 20]


# -- anything --------------------------------------------------------------------------------------

PIECES = [
    "e4", "Nf3", "O-O", "1.", "1...", "1-0", "0-1", "1/2-1/2", "*", "{", "}", "(", ")", ";", "%",
    "[", "]", '"', "[Event ", '[Event "x"]', '[White "y"]', "\n", "\n\n", "\r\n", " ", "$3", "!?",
    "[%eval 0.3]", "[%clk 0:00:10]", "e7e8q", "--", "\ufeff", "é", "12", "+", "#", ".", "\t",
    "{[%evenmatch hint]}", "[%evenmatch",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=60).map(lambda parts: "".join(parts).encode())


@settings(max_examples=200)
@given(data=st.one_of(TEXTS, st.binary(max_size=200)), seed=st.integers(0, 2**32 - 1))
def test_where_a_block_ends_makes_no_difference(data, seed):
    """Nor does how many games there is room for."""
    rng = np.random.default_rng(seed)
    cuts = rng.integers(0, len(data) + 1, rng.integers(0, 6)).tolist()
    whole = games_in(data)
    assert games_in(data, cuts) == whole
    assert games_in(data, cuts, room=1) == whole


@settings(max_examples=200)
@given(data=st.binary(max_size=3000))
def test_garbage_ends(data):
    for game in games_in(data):
        assert len(game["words"]) == len(game["evals"]) == len(game["clocks"])
