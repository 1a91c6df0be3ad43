"""One reader a format: what people and programs write is read alike behind every door.

A *kind* is a way of writing that some program or person has. Each is a small game here, with the
moves that it has to have at every door: records one by one (estimates, imports), a dataset, a file
to play from, and a text that is pasted into the page.
"""

import contextlib
import io

import chess.pgn
import pytest
from shared_data import shared_file

from evenmatch.app.start_game import from_file
from evenmatch.errors import RecordError, UsageError
from evenmatch.frontends.web.new_game_request import _position
from evenmatch.games import get_game
from evenmatch.records import transcripts
from evenmatch.records.codec import codec_for
from evenmatch.records.record import Reason
from evenmatch.workshop.datasets.build import build

TAGS = '[Event "Club"]\n[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n'
MOVES = ("e4", "e5", "Nf3", "Nc6", "Bb5")
PLAIN = "1. e4 e5 2. Nf3 Nc6 3. Bb5"
EN_PASSANT = ("e4", "a6", "e5", "d5", "exd6", "cxd6")
PROMOTION = ("h4", "g5", "hxg5", "h5", "g6", "h4", "g7", "h3", "gxh8=Q")
CASTLING = ("e4", "e5", "Nf3", "Nc6", "Bc4", "Bc5", "O-O")

#: Kinds of PGN: the bytes of a file, and the moves of its first game.
PGN = {
    "plain": (f"{TAGS}{PLAIN} 1-0", MOVES),
    "tags on one line": (TAGS.replace("]\n[", "] [") + f"{PLAIN} 1-0", MOVES),
    "tags and moves on one line": (TAGS.replace("\n", " ") + f"{PLAIN} 1-0", MOVES),
    "tags without blanks between": (TAGS.replace("\n", "") + f"{PLAIN} 1-0", MOVES),
    "indented tags": ("\n".join(f"\t  {row}" for row in f"{TAGS}{PLAIN} 1-0".split("\n")), MOVES),
    "carriage returns": (f"{TAGS}{PLAIN} 1-0\n\n{TAGS}1. d4 1-0".replace("\n", "\r"), MOVES),
    "no blank line between tags and moves": (TAGS.replace("\n\n", "\n") + f"{PLAIN} 1-0", MOVES),
    "no blank line between games": (f"{TAGS}{PLAIN} 1-0\n{TAGS}1. d4 1-0\n", MOVES),
    "no line between games": (f"{TAGS}{PLAIN} 1-0 {TAGS}1. d4 1-0\n", MOVES),
    "no result between games": (f"{TAGS}{PLAIN}\n{TAGS}1. d4 1-0\n", MOVES),
    "no result and no line between games": (f"{TAGS}{PLAIN} {TAGS}1. d4 1-0\n", MOVES),
    "values without quotes": (TAGS.replace('"', "") + f"{PLAIN} 1-0", MOVES),
    "typographic quotes": (TAGS.replace(' "', " “").replace('"]', "”]") + f"{PLAIN} 1-0", MOVES),
    "names of tags in small letters": (TAGS.lower() + f"{PLAIN} 1-0", MOVES),
    "a tag in a comment": (f'{TAGS}1. e4 {{as in\n[Event "x"]\n}} e5 2. Nf3 Nc6 3. Bb5 1-0', MOVES),
    "a game in a comment": (f"{TAGS}1. e4 {{as in\n{TAGS}1. d4}} e5 2. Nf3 Nc6 3. Bb5 1-0", MOVES),
    "byte-order mark": (f"\ufeff{TAGS}{PLAIN} 1-0", MOVES),
    "two byte-order marks": (f"\ufeff\ufeff{TAGS}{PLAIN} 1-0", MOVES),
    "UTF-16": (f"{TAGS}{PLAIN} 1-0".encode("utf-16"), MOVES),
    "UTF-16, big end first": (f"\ufeff{TAGS}{PLAIN} 1-0".encode("utf-16-be"), MOVES),
    "UTF-16 without a mark": (f"{TAGS}{PLAIN} 1-0".encode("utf-16-le"), MOVES),
    "UTF-32": (f"{TAGS}{PLAIN} 1-0".encode("utf-32"), MOVES),
    "en passant": (f"{TAGS}1. e4 a6 2. e5 d5 3. exd6 e.p. cxd6 1-0", EN_PASSANT),
    "en passant, attached": (f"{TAGS}1. e4 a6 2. e5 d5 3. exd6e.p. cxd6 1-0", EN_PASSANT),
    "en passant, short": (f"{TAGS}1. e4 a6 2. e5 d5 3. e5xd6ep! cxd6 1-0", EN_PASSANT),
    "an ellipsis": (f"{TAGS}1. e4 {{x}} 1… e5 2. Nf3 {{x}} 2…Nc6 3. Bb5 1-0", MOVES),
    "an ellipsis alone": (f"{TAGS}1. e4 … e5 2. Nf3 ... Nc6 3. Bb5 1-0", MOVES),
    "no-break spaces": (f"{TAGS}{PLAIN} 1-0".replace(". ", ".\u00a0").replace("e4 ", "e4\u202f"),
                        MOVES),
    "zero-width spaces": (f"{TAGS}1. e4 e5\u200b 2. \u200bNf3 Nc6\ufeff 3. B\u2060b5 1-0", MOVES),
    "a novelty": (f"{TAGS}1. e4 e5 2. Nf3 N Nc6 3. Bb5 TN 1-0", MOVES),
    "signs of evaluation": (f"{TAGS}1. e4 = e5 +- 2. Nf3 ± Nc6∓ 3. Bb5⩲ 1-0", MOVES),
    "figurines apart": (f"{TAGS}1. e4 e5 2. ♘ f3 ♞ c6 3.♗ b5 1-0", MOVES),
    "a novelty before a pawn's move": (f"{TAGS}1. e4 N 1... e5 2. Nf3 TN Nc6 3. Bb5 1-0", MOVES),
    "castling with two zeros": (f"{TAGS}1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 00 1-0", CASTLING),
    "a tag among the moves": (
        f'{TAGS}1. e4 e5\n[WhiteClock "0:10:00"]\n2. Nf3 Nc6 3. Bb5 1-0', MOVES),
    "tags with no-break spaces": (TAGS.replace(' "', '\u00a0"') + f"{PLAIN} 1-0", MOVES),
    "tags with colons": (TAGS.replace(' "', ': "') + f"{PLAIN} 1-0", MOVES),
    "tags with equals signs": (TAGS.replace(' "', '="') + f"{PLAIN} 1-0", MOVES),
    "tags with apostrophes": (TAGS.replace('"', "'") + f"{PLAIN} 1-0", MOVES),
    "tags without the second quote": (TAGS.replace('"]', "]") + f"{PLAIN} 1-0", MOVES),
    "a colon to take": (f"{TAGS}1. e4 a6 2. e5 d5 3. e:d6 c:d6 1-0", EN_PASSANT),
    "evaluations in numbers": (f"{TAGS}1. e4 +0.35/20 e5 -0.1 2. Nf3 0.00 Nc6 3. Bb5 1-0", MOVES),
    "a result with a full stop": (f"{TAGS}{PLAIN} 1-0.", MOVES),
    "an open comment before a game without an event": (
        f'{TAGS}{PLAIN} 1-0\n\n[White "Cy"]\n\n1. d4 {{so\n\n[White "Di"]\n\n1. c4 1-0', MOVES),
    "signs of evaluation apart": (f"{TAGS}1. e4 + - e5 - - 2. Nf3 = + Nc6 1 - 5 3. Bb5 1-0", MOVES),
    "en passant with a blank": (f"{TAGS}1. e4 a6 2. e5 d5 3. exd6 e. p. cxd6 1-0", EN_PASSANT),
    "checks in words": (f"{TAGS}1. e4 dis. ch. e5 2. Nf3 Nc6 ch 3. Bb5 1-0", MOVES),
    "a standard variant with a blank": (
        TAGS.replace("\n\n", '\n[Variant "Standard "]\n\n') + f"{PLAIN} 1-0", MOVES),
    "a variant in a comment": (
        TAGS.replace("\n\n", '\n[Comment "plays bughouse"]\n\n') + f"{PLAIN} 1-0", MOVES),
    "addresses in a comment": (
        f"{TAGS}1. e4 {{https://a.b/c/d and https://e.f/g/h/i}} e5 2. Nf3 Nc6 3. Bb5 1-0", MOVES),
    "addresses in a comment, no tags": (
        "1. e4 {https://a.b/c/d and https://e.f/g/h/i} e5 2. Nf3 Nc6 3. Bb5", MOVES),
    "signs of evaluation, attached": (f"{TAGS}1. e4+= e5-+ 2. Nf3+/- Nc6=+ 3. Bb5∞ 1-0", MOVES),
    "attacks and ideas": (f"{TAGS}1. e4 → e5 □ 2. Nf3!! △ Nc6 ⊕ 3. Bb5 ⌓ ♦ 1-0", MOVES),
    "figurines": (f"{TAGS}1. e4 e5 2. ♘f3 ♞c6 3. ♗b5 1-0", MOVES),
    "figurines of pawns": (f"{TAGS}1. ♙e4 ♟e5 2. ♘f3 ♞c6 3. ♗b5 1-0", MOVES),
    "figurines as pictures": (f"{TAGS}1. e4 e5 2. ♘\ufe0ef3 ♞\ufe0fc6 3. ♗b5 1-0", MOVES),
    "a figurine becomes a queen": (
        f"{TAGS}1. h4 g5 2. hxg5 h5 3. g6 h4 4. g7 h3 5. gxh8=♕ 1-0", PROMOTION),
    "a cross to take": (f"{TAGS}1. e4 a6 2. e5 d5 3. e×d6 c×d6 1-0", EN_PASSANT),
    "words between games": (f"Hello! {TAGS}{PLAIN} 1-0 Black resigns\n\n{TAGS}1. d4 1-0", MOVES),
    "a slash to promote": (
        f"{TAGS}1. h4 g5 2. hxg5 h5 3. g6 h4 4. g7 h3 5. gxh8/Q 1-0", PROMOTION),
    "castling with dashes": (f"{TAGS}1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O–O 1-0", CASTLING),
    "castling with zeros": (f"{TAGS}1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0‑0 1-0", CASTLING),
    "castling in small letters": (f"{TAGS}1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. o-o 1-0", CASTLING),
    "long moves with dashes": (
        f"{TAGS}1. e2–e4 e7–e5 2. Ng1–f3 Nb8–c6 3. Bf1–b5 1-0", MOVES),
    "full width": (f"{TAGS}１．ｅ４ ｅ５ ２．Ｎｆ３ Ｎｃ６ ３．Ｂｂ５ 1-0", MOVES),
    "Windows-1252": (f"{TAGS}1. e4 e5 {{Grüße}} 2. Nf3\xa0Nc6 3. Bb5 1-0".encode("cp1252"), MOVES),
    "no tags": (PLAIN, MOVES),
    "no move numbers": (f"{TAGS}e4 e5 Nf3 Nc6 Bb5 1-0", MOVES),
    "a date and a clock in a comment": (f"{TAGS}1. e4 {{[%clk 0:01:00]}} e5 {{1-0?}} 2. Nf3 Nc6 "
                                        "3. Bb5 1-0", MOVES),
}  # fmt: skip

#: Results as people write them, in the tag and behind the moves.
RESULTS = {
    "1-0": 1, "1–0": 1, "1—0": 1, "1−0": 1, "1‑0": 1, "1:0": 1, "0-1": -1, "0–1": -1, "0:1": -1,
    "1/2-1/2": 0, "½-½": 0, "½–½": 0, "1/2–1/2": 0, "½": 0, "1/2": 0, "½:½": 0, "0.5-0.5": 0,
    "0.5:0.5": 0, "0,5-0,5": 0, "*": None, "1 - 0": 1, "0 – 1": -1, "1 : 0": 1, "½ - ½": 0,
    "1/2 - 1/2": 0,
}  # fmt: skip

#: Kinds of PGN that are refused, and why.
REFUSED = {
    "German": ("1. e4 e5 2. Sf3 Sc6", Reason.foreign_piece, "Sf3"),
    "French": ("1. e4 e5 2. Cf3 Cc6", Reason.foreign_piece, "Cf3"),
    "Dutch": ("1. e4 e5 2. Pf3 Pc6", Reason.foreign_piece, "Pf3"),
    "Russian": ("1. e4 e5 2. Кf3 Кc6", Reason.foreign_piece, "Кf3"),
    "Russian king": ("1. e4 e5 2. Крe2", Reason.foreign_piece, "Крe2"),
    "a German queen": ("1. h4 g5 2. hxg5 h5 3. g6 h4 4. g7 h3 5. gxh8=D", Reason.foreign_piece,
                       "gxh8=D"),
    "a knight apart": ("1. e4 e5 2. N f3", Reason.unreadable_move, "N"),
    "a German queen apart": ("1. e4 e5 2. D h5", Reason.unreadable_move, "D"),
    "castling by zeros apart": (
        "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0 - 0", Reason.unreadable_move, "0"),
    "a variant of FICS": ('[Event "FICS rated wild/fr game"]\n\n1. e4 e5', Reason.variant, ""),
    "a variant in an arena": ('[Event "Hourly Atomic Arena"]\n\n1. e4 e5', Reason.variant, ""),
    "a variant on the site": ('[Site "FICS Chess960"]\n\n1. e4 e5', Reason.variant, ""),
    "a variant in a tag of another name": (
        '[VariantFamily "atomic"]\n\n1. e4 e5', Reason.variant, ""),
    "a word in Greek": ("1. e4 λάθος", Reason.unreadable_move, "λάθος"),
    "a word": ("1. e4 e5 2. Nf3 resigns", Reason.unreadable_move, "resigns"),
    "an illegal move": ("1. e4 e5 2. Ke3", Reason.illegal_move, "Ke3"),
    "an open comment": (f"{TAGS}1. e4 e5 {{so", Reason.unclosed, ""),
    "Chess960": ('[Variant "Chess960"]\n\n1. e4 e5', Reason.variant, ""),
    "a variant behind other tags": (
        '[White "Ann"] [Black "Bob"] [Variant "Crazyhouse"] 1. e4 e5', Reason.variant, ""),
    "a variant in small letters": ('[variant "atomic"]\n\n1. e4 e5', Reason.variant, ""),
    "a variant without quotes": ("[Variant King of the Hill]\n\n1. e4 e5", Reason.variant, ""),
    "a variant, then the standard": (
        '[GameType "Horde"]\n[Variant "Standard"]\n\n1. e4 e5', Reason.variant, ""),
    "a variant in the event": (
        '[Event "Rated Racing Kings game"]\n\n1. e4 e5', Reason.variant, ""),
    "a variant in the rules": ('[Rules "Three-check"]\n\n1. e4 e5', Reason.variant, ""),
}  # fmt: skip

PASSED = "e4 e5 c2 b4 e6 f6 a4 d6 pass e3"
#: Transcripts of Othello and Connect Four: the game, the text, the moves.
TRANSCRIPTS = {
    "Othello": ("othello", "f5d6c3d3c4f4f6f3", "f5 d6 c3 d3 c4 f4 f6 f3"),
    "Othello, capitals": ("othello", "F5D6C3D3", "f5 d6 c3 d3"),
    "Othello, numbered": ("othello", "1. f5 d6 2. c3 d3", "f5 d6 c3 d3"),
    "Othello, numbered without dots": ("othello", "1 f5 2 d6 3 c3 4 d3", "f5 d6 c3 d3"),
    "Othello, hyphens": ("othello", "f5-d6-c3-d3", "f5 d6 c3 d3"),
    "Othello, several lines": ("othello", "1. f5 d6\n2. c3 d3", "f5 d6 c3 d3"),
    "Othello, a move a line": ("othello", "# mine\nf5\nd6\n\nc3\nd3", "f5 d6 c3 d3"),
    "Othello, two games": ("othello", "d3c3\nf5f6", "d3 c3"),
    "Othello, a game that another follows": ("othello", "f5d6c3\nd3c4", "f5 d6 c3 d3 c4"),
    "Othello, a pass by dashes": ("othello6", "e4e5c2b4e6f6a4d6 -- e3", PASSED),
    "Othello, a pass by PS": ("othello6", "e4e5c2b4e6f6a4d6PSe3", PASSED),
    "Othello, a pass by a word": ("othello6", PASSED, PASSED),
    "Othello, no word of the pass": ("othello6", "e4e5c2b4e6f6a4d6e3", PASSED),
    "Othello of the WTHOR games": ("othello", "1977 Ann Bob 34-30 f5d6c3d3", "f5 d6 c3 d3"),
    "GGF": (
        "othello",
        "(;GM[Othello]PC[GGS]PB[Ann]PW[Bob]RB[1720.1]RE[+2.000]TI[5:00]TY[8]"
        "BO[8 ---------------------------O*------*O--------------------------- *]"
        "B[F5//2.4]W[D6/-0.50]B[C3//1.2]W[D3];)",
        "f5 d6 c3 d3",
    ),
    "Connect Four, digits": ("connect4", "4444422", "4 4 4 4 4 2 2"),
    "Connect Four, a move a line": ("connect4", "4\n3", "4 3"),
    "Connect Four, letters": ("connect4", "dddDDbb", "4 4 4 4 4 2 2"),
    "Connect Four, blanks": ("connect4", "4 4 4, 4, 4 2 2", "4 4 4 4 4 2 2"),
    "Connect Four, numbered": ("connect4", "1. 4 4 2. 4 4 3. 4 2 4. 2", "4 4 4 4 4 2 2"),
}

REFUSED_TRANSCRIPTS = {
    "a square that is taken": ("othello", "f5f5", "an illegal move"),
    "a pass where a disc can be placed": ("othello", "f5 -- d6", "an illegal move"),
    "a square off the board": ("othello6", "h8", "a word that is no move"),
    "a position with its score": ("connect4", "2252576253462244111 -1", "a word that is no move"),
    "a position with a score above 0": ("connect4", "44 12", "a word that is no move"),
    "columns by letters and digits": ("connect4", "d1d2d3b1", "a word that is no move"),
    "another kind of Othello": (
        "othello",
        "(;GM[Othello]TY[8a]B[F5]W[D6];)",
        "another game, or another variant",
    ),
    "a column that is none": ("connect4", "4440", "a word that is no move"),
    "a column that is full": ("connect4", "4444444", "an illegal move"),
}


def raw(text):
    return text if isinstance(text, bytes) else text.encode()


def texts(game, record):
    """The moves of a record as people write them."""
    codec = codec_for(game.id)
    states = codec.played(record.moves, record.start)
    actions = codec.actions(states[:-1], record.moves).tolist()
    return [game.action_text(*pair) for pair in zip(states[:-1], actions, strict=True)]


def first_of(path, game):
    faults = []
    for record in codec_for(game.id).games(path, faults.append):
        return record
    raise RecordError(str(faults[0]))


def of_dataset(path, game):
    return build([path], path.parent / "built", game=game.id).record(0)


def of_terminal(path, game):
    """The moves that `play --from` goes on from."""
    start, moves, _ = from_file(game, path)
    assert start == ""
    return moves


def of_page(path, game):
    """The position behind the moves, which the page begins from where a text is pasted."""
    raw_text = path.read_bytes()
    start, _ = _position(game, raw_text.decode("utf-8", "surrogateescape"))
    return game.read_position(start)


DOORS = {"games": first_of, "dataset": of_dataset, "terminal": of_terminal, "page": of_page}
NOT_PASTED = ("UTF-16", "UTF-16, big end first", "UTF-16 without a mark", "UTF-32", "Windows-1252")
"""Kinds of bytes: what is pasted is letters already."""


def position_after(game, moves):
    state = game.initial()
    for word in moves:
        state = game.after(state, [game.read_action(state[0], word)])
    return state[0]


def check(door, kind, path, game, moves):
    """Check that a door reads the moves; return the record if it gives one."""
    if door == "page":
        if kind not in NOT_PASTED:
            wanted, found = position_after(game, moves), of_page(path, game)
            board = 5 if game.id == "chess" else len(wanted)  # a FEN knows no history
            assert (found[:board] == wanted[:board]).all()
        return None
    found = DOORS[door](path, game)
    if door == "terminal":
        assert found == list(moves)
        return None
    assert texts(game, found) == list(moves)
    return found


@pytest.fixture
def written(tmp_path):
    """A file of what a kind has."""

    def write(text):
        path = tmp_path / "games.txt"
        path.write_bytes(raw(text))
        return path

    return write


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", PGN)
def test_pgn(kind, door, written):
    text, moves = PGN[kind]
    record = check(door, kind, written(text), get_game("chess"), moves)
    if record and "[" in str(text) and "\\x00" not in str(text):
        assert record.players == (("ann", "bob") if "small letters" in kind and "names" in kind
                                  else ("Ann", "Bob"))  # fmt: skip
        assert record.result == 1


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("where", ["{tag}\n\n{moves} *", "{moves} {result}", "{tag}\n\n{moves}"])
def test_results(result, where, written):
    tag = f'[Result "{result}"]'
    text = where.format(tag=tag, moves=PLAIN, result=result)
    (record,) = codec_for("chess").games(written(f"{text}\n"))
    assert (record.result, len(record.moves)) == (RESULTS[result], len(MOVES))


@pytest.mark.parametrize("kind", REFUSED)
def test_pgn_that_is_refused_alike_at_every_door(kind, written):
    text, reason, word = REFUSED[kind]
    path, game = written(f"{text}\n"), get_game("chess")
    faults = []
    assert list(codec_for("chess").games(path, faults.append)) == []
    assert [(fault.reason, fault.word) for fault in faults] == [(reason, word)]
    for door in (of_terminal, of_page):
        with pytest.raises(UsageError) as refused:
            door(path, game)
        assert f"{reason.text}{': ' + word if word else ''}; " in str(refused.value)
    with pytest.raises(RecordError, match="no game is left"):
        build([path], path.parent / "built", game="chess")


@pytest.mark.parametrize("kind", PGN)
def test_python_chess_agrees_or_the_difference_is_named(kind):
    """Where python-chess reads other moves than ours, it is named here what it takes them for."""
    text, moves = PGN[kind]
    try:
        game = chess.pgn.read_game(io.StringIO(raw(text).decode()))
        theirs = [] if game is None else [node.san() for node in game.mainline()]
    except UnicodeDecodeError:
        assert kind in NOT_UTF_8
        return
    except ValueError:  # it knows no such variant
        theirs = []
    assert (theirs == list(moves)) == (kind not in DIFFERENT), theirs


NOT_UTF_8 = ("UTF-16", "UTF-16, big end first", "UTF-32", "Windows-1252")
#: Kinds of which python-chess reads other moves, and what it takes them for.
DIFFERENT = {
    "tags and moves on one line": "one tag, no moves",
    "tags without blanks between": "one tag, no moves",
    "indented tags": "no moves",
    "carriage returns": "one line",
    "UTF-16 without a mark": "no moves",
    "figurines apart": "moves of pawns",
    "castling with two zeros": "no move",
    "a colon to take": "no move",
    "a standard variant with a blank": "an unknown variant",
    "zero-width spaces": "a pawn's move to b5",
    "figurines": "moves of pawns",
    "figurines of pawns": "moves of pawns",
    "figurines as pictures": "moves of pawns",
    "a figurine becomes a queen": "a promotion to nothing",
    "a cross to take": "a move to d6 that takes nothing",
    "words between games": (f"Hello! {TAGS}{PLAIN} 1-0 Black resigns\n\n{TAGS}1. d4 1-0", MOVES),
    "a slash to promote": (f"{TAGS}1. h4 g5 2. hxg5 h5 3. g6 h4 4. g7 h3 5. gxh8/Q 1-0", PROMOTION),
    "castling with dashes": "no move",
    "castling with zeros": "no move",
    "castling in small letters": "no move",
    "long moves with dashes": "a move to e2",
    "full width": "no moves",
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", TRANSCRIPTS)
def test_transcripts(kind, door, written):
    game_id, text, moves = TRANSCRIPTS[kind]
    game = get_game(game_id)
    record = check(door, kind, written(f"{text}\n"), game, moves.split())
    if record and kind in ("GGF", "Othello of the WTHOR games"):
        assert (record.players, record.result) == (("Ann", "Bob"), 1)
    if record and kind == "GGF":
        assert record.ratings == (1720, None)


@pytest.mark.parametrize("kind", REFUSED_TRANSCRIPTS)
def test_transcripts_that_are_refused(kind, written):
    game_id, text, why = REFUSED_TRANSCRIPTS[kind]
    path, game = written(text), get_game(game_id)
    for door in (first_of, of_terminal, of_page):
        with pytest.raises(UsageError, match=why):
            door(path, game)


#: The shared inputs, and the plies of the games that they have to have.
ODDITIES = {
    "pgn-cr.pgn": (18, 18), "pgn-ellipsis.pgn": (8, 18), "pgn-ep.pgn": (10, 18),
    "pgn-event-in-comment.pgn": (10, 18), "pgn-figurine-short.txt": (4,),
    "pgn-half-sign.pgn": (18, 18), "pgn-indent.pgn": (18, 18), "pgn-nbsp.pgn": (6, 18),
    "pgn-novelty.pgn": (10, 18), "pgn-tags-moves-line.pgn": (18,), "pgn-tags-one-line.pgn": (18,),
    "pgn-unquoted.pgn": (18,), "pgn-utf16.pgn": (18,), "oth-transcript.txt": (8,),
    "oth-ggf.txt": (4,), "c4-digits.txt": (7,),
}  # fmt: skip


@pytest.mark.parametrize("name", ODDITIES)
def test_oddities(name, tmp_path):
    path = shared_file(f"oddities/{name}")
    game = get_game({"pgn": "chess", "oth": "othello", "c4-": "connect4"}[name[:3]])
    faults = []
    records = list(codec_for(game.id).games(path, faults.append))
    assert tuple(len(record.moves) for record in records) == ODDITIES[name]
    assert faults == []
    assert len(build([path], tmp_path / "built", game=game.id)) == len(records)
    first = codec_for(game.id).first(path).record
    assert first.moves.tolist() == records[0].moves.tolist()
    assert from_file(game, path)[1] == texts(game, records[0])


FEN = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"


@pytest.mark.parametrize(
    ("text", "moves", "left_out"),
    [
        (FEN, [], []),
        (f"{FEN}\n\n1. e4 Ke7", ["e4", "Ke7"], []),
        (f"{FEN}\n{FEN}", [], [FEN[:20]]),
        (f'"{FEN}"', [], []),
        ("startpos", [], []),
    ],
)
def test_a_position_and_what_follows_it(text, moves, left_out, written):
    start, found, faults = from_file(get_game("chess"), written(text))
    assert get_game("chess").position_text(start)[0] in (FEN, chess.STARTING_FEN)
    assert found == moves
    assert [fault.word for fault in faults] == left_out


def test_a_game_may_go_on_in_another_block(monkeypatch, written):
    """A game of 8 plies on two lines, many times; blocks end anywhere."""
    monkeypatch.setattr(transcripts, "BLOCK", 256)
    path = written("1. f5 d6 2. c3 d3\n3. c4 f4 4. f6 f3\n" * 50)
    assert [len(record.moves) for record in codec_for("othello").games(path)] == [8] * 50


HOSTILE = {
    "othello": ("(;GM[Othello]" + "A[" * 50_000 + ";)", "(;GM[\n" * 30_000, "f5\n" * 30_000),
    "chess": ('[A "b"]' * 60_000, '[A "b"]1. e4 ' * 30_000, "{[Event " * 30_000),
}


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("game", HOSTILE)
def test_long_nonsense_is_read_in_one_pass(game, number, written):
    """Each of them took half a minute or more where a reader looks at the rest again and again."""
    path, faults = written(HOSTILE[game][number]), []
    with contextlib.suppress(RecordError):
        list(codec_for(game).games(path, faults.append))
