"""One reader a format: what people and programs write is read alike behind every door.

A *kind* is a way of writing that some program or person has. Each is a small game here, with the
moves that it has to have at every door: records one by one (estimates, imports), a dataset, a file
to play from, and a text that is pasted into the page.
"""

import io

import chess.pgn
import pytest
from shared_data import shared_file

from evenmatch.errors import RecordError, UsageError
from evenmatch.frontends.commands.start_position import from_file
from evenmatch.games import get_game
from evenmatch.records.build import build
from evenmatch.records.form import form_of
from evenmatch.records.record import Reason
from evenmatch.records.streams import Text

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
    "*": None, "1 - 0": 1, "0 – 1": -1, "1 : 0": 1, "½ - ½": 0, "1/2 - 1/2": 0,
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
    "a column that is none": ("connect4", "4440", "a word that is no move"),
    "a column that is full": ("connect4", "4444444", "an illegal move"),
}


def raw(text):
    return text if isinstance(text, bytes) else text.encode()


def texts(game, record):
    """The moves of a record as people write them."""
    form = form_of(game.id)
    states = form.played(record.moves, record.start)
    actions = form.actions(states[:-1], record.moves).tolist()
    return [game.action_text(*pair) for pair in zip(states[:-1], actions, strict=True)]


def first_of(path, game):
    faults = []
    for record in form_of(game.id).games(path, faults.append):
        return record
    raise RecordError(str(faults[0]))


def of_dataset(path, game):
    return build([path], path.parent / "built", game=game.id).record(0)


def from_text(path, game):
    return form_of(game.id).first(Text(path.read_bytes())).record


def end_of(game_id, text):
    """The position that the page begins from where a text is pasted."""
    form = form_of(game_id)
    return form.end_text(form.first(Text(text.encode())).record)


DOORS = {"games": first_of, "dataset": of_dataset, "text": from_text}


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
    record = DOORS[door](written(text), get_game("chess"))
    assert texts(get_game("chess"), record) == list(moves)
    if "[" in str(text) and "\\x00" not in str(text):
        assert record.players == (("ann", "bob") if "small letters" in kind and "names" in kind
                                  else ("Ann", "Bob"))  # fmt: skip
        assert record.result == 1


@pytest.mark.parametrize("kind", PGN)
def test_pgn_to_play_from(kind, written):
    """The terminal goes on from the moves, the page from the position behind them."""
    text, moves = PGN[kind]
    path, game = written(text), get_game("chess")
    assert from_file(game, path)[:2] == ("", list(moves))
    board = chess.Board()
    for move in moves:
        board.push_san(move)
    pasted = path.read_bytes().decode("utf-8", "surrogateescape")
    if pasted.isprintable() or pasted.replace("\n", "").isprintable():
        assert end_of("chess", pasted) == board.fen()


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("where", ["{tag}\n\n{moves} *", "{moves} {result}", "{tag}\n\n{moves}"])
def test_results(result, where, written):
    tag = f'[Result "{result}"]'
    text = where.format(tag=tag, moves=PLAIN, result=result)
    (record,) = form_of("chess").games(written(f"{text}\n"))
    assert (record.result, len(record.moves)) == (RESULTS[result], len(MOVES))


@pytest.mark.parametrize("kind", REFUSED)
def test_pgn_that_is_refused_alike_at_every_door(kind, written):
    text, reason, word = REFUSED[kind]
    path, game = written(f"{text}\n"), get_game("chess")
    faults = []
    assert list(form_of("chess").games(path, faults.append)) == []
    assert [(fault.reason, fault.word) for fault in faults] == [(reason, word)]
    for door in (from_text, lambda path, game: from_file(game, path)):
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
    except UnicodeDecodeError:
        assert kind in NOT_UTF_8
        return
    theirs = [] if game is None else [node.san() for node in game.mainline()]
    assert (theirs == list(moves)) == (kind not in DIFFERENT), theirs


NOT_UTF_8 = ("UTF-16", "UTF-16, big end first", "UTF-32", "Windows-1252")
#: Kinds of which python-chess reads other moves, and what it takes them for.
DIFFERENT = {
    "tags and moves on one line": "one tag, no moves",
    "tags without blanks between": "one tag, no moves",
    "indented tags": "no moves",
    "carriage returns": "one line",
    "UTF-16 without a mark": "no moves",
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
    if door == "games" and "several lines" in kind:
        text = text.replace("\n", " ")
    game = get_game(game_id)
    record = DOORS[door](written(f"{text}\n"), game)
    assert texts(game, record) == moves.split()
    if kind in ("GGF", "Othello of the WTHOR games"):
        assert (record.players, record.result) == (("Ann", "Bob"), 1)
    if kind == "GGF":
        assert record.ratings == (1720, None)


@pytest.mark.parametrize("kind", TRANSCRIPTS)
def test_transcripts_to_play_from(kind, written):
    game_id, text, moves = TRANSCRIPTS[kind]
    game = get_game(game_id)
    assert from_file(game, written(text))[1] == moves.split()
    start = end_of(game_id, text)
    state = game.initial()[0]
    for word in moves.split():
        state = game.after(state[None], [game.read_action(state, word)])[0]
    assert (game.read_position(start) == state).all()


@pytest.mark.parametrize("kind", REFUSED_TRANSCRIPTS)
def test_transcripts_that_are_refused(kind, written):
    game_id, text, why = REFUSED_TRANSCRIPTS[kind]
    path, game = written(text), get_game(game_id)
    for door in (first_of, from_text, lambda path, game: from_file(game, path)):
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
    records = list(form_of(game.id).games(path, faults.append))
    assert tuple(len(record.moves) for record in records) == ODDITIES[name]
    assert faults == []
    assert len(build([path], tmp_path / "built", game=game.id)) == len(records)
    first = form_of(game.id).first(path).record
    assert first.moves.tolist() == records[0].moves.tolist()
    assert from_file(game, path)[1] == texts(game, records[0])
