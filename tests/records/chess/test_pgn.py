"""PGN files against python-chess, real and random; what is wrong with files and games."""

import io
import itertools
import logging
import tracemalloc

import chess
import chess.pgn
import pytest
import zstandard
from recorded_games import codes, random_game, tagged
from shared_data import shared_file

from evenmatch.errors import RecordError
from evenmatch.records.chess.pgn import LONGEST_GAME, PgnReader
from evenmatch.records.codec import codec_for
from evenmatch.records.record import MATE, MOST_EVAL, NO_CLOCK, NO_EVAL, Reason, Speed

REAL_GAMES = 60  #: of each file: python-chess reads few a second


def read(path):
    """The games and the faults of a file."""
    faults = []
    return list(codec_for("chess").games(path, faults.append)), faults


def centipawns(node):
    """The eval that python-chess reads behind a move, as GameRecord has it."""
    score = node.eval()
    if score is None:
        return NO_EVAL
    white = score.white()
    if white.is_mate():
        return MATE - white.mate() if white.mate() > 0 else -MATE - white.mate()
    return max(-MOST_EVAL, min(MOST_EVAL, white.score()))


def assert_same(record, game):
    tags = game.headers
    assert record.moves.tolist() == codes(game)
    assert record.players == (tags["White"], tags["Black"])
    ratings = [int(tags[name]) if name in tags else None for name in ("WhiteElo", "BlackElo")]
    assert list(record.ratings) == ratings
    assert record.result == {"1-0": 1, "0-1": -1, "1/2-1/2": 0, "*": None}[tags["Result"]]
    assert record.event == tags["Event"]
    assert record.time_control == tags.get("TimeControl", "")
    assert record.year == (int(tags["Date"][:4]) if tags["Date"][:4].isdigit() else None)
    nodes = list(game.mainline())
    evals = [centipawns(node) for node in nodes]
    clocks = [NO_CLOCK if (left := node.clock()) is None else int(left) for node in nodes]
    has_evals, has_clocks = set(evals) != {NO_EVAL}, set(clocks) != {NO_CLOCK}
    assert (record.evals is not None, record.clocks is not None) == (has_evals, has_clocks)
    assert record.evals is None or record.evals.tolist() == evals
    assert record.clocks is None or record.clocks.tolist() == clocks


def theirs(stream):
    """The games that python-chess reads without an error."""
    logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)
    while (game := chess.pgn.read_game(stream)) is not None:
        if not game.errors and "--" not in map(chess.Move.uci, game.mainline_moves()):
            yield game


# -- against python-chess --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fide", "lichess-rapid"])
def test_real_games(name):
    path = shared_file(f"chess/{name}.pgn.zst")
    with path.open("rb") as packed:
        text = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(packed))
        ours = codec_for("chess").games(path)
        pairs = zip(ours, itertools.islice(theirs(text), REAL_GAMES), strict=False)
        count = 0
        for record, game in pairs:
            assert_same(record, game)
            count += 1
    assert count == REAL_GAMES


def test_random_games(pgn):
    games = [random_game(seed) for seed in range(20)]
    records, faults = read(pgn("\n\n".join(map(str, games))))
    assert not faults
    assert len(records) == 20
    for record, game in zip(records, games, strict=True):
        assert_same(record, game)


def test_annotated_game(pgn):
    """Clocks, evals, NAGs, variations and comments, as python-chess writes them."""
    game = random_game(3)
    for number, node in enumerate(game.mainline()):
        node.set_clock(600 - number + 0.5)
        if number % 3:
            score = chess.engine.Cp(7 * number - 100) if number % 5 else chess.engine.Mate(-number)
            node.set_eval(chess.engine.PovScore(score, chess.WHITE), 20)
        node.comment += " a comment (with [brackets])"
        node.nags.add(number % 7 + 1)
        if number % 4 == 1:
            for move in list(node.parent.board().legal_moves)[:2]:
                node.parent.add_variation(move, comment="[%eval 9.99]")
    (record,), faults = read(pgn(str(game)))
    assert not faults
    assert_same(record, game)
    assert record.evals is not None
    assert record.clocks is not None


@pytest.mark.parametrize(
    ("dates", "year"),
    [
        ({"Date": "2013.12.31", "UTCDate": "2014.01.01"}, 2013),
        ({"UTCDate": "2014.01.01", "Date": "2013.12.31"}, 2013),
        ({"Date": "????.??.??", "UTCDate": "2014.01.01"}, 2014),
        ({"UTCDate": "2014.??.??"}, 2014),
        ({"Date": "201"}, None),
        ({}, None),
    ],
)
def test_the_year_is_of_the_date_and_where_that_is_unknown_of_the_utc_date(pgn, dates, year):
    (record,), _ = read(pgn(tagged("1. e4 1-0", **dates)))
    assert record.year == year


@pytest.mark.parametrize(
    ("tag", "end", "result"), [("0-1", "1-0", -1), ("*", "1-0", 1), ("?", "1/2-1/2", 0)]
)
def test_the_tag_counts_more_than_the_movetext(tag, end, result, pgn):
    (record,), _ = read(pgn(tagged(f"1. e4 {end}", Result=tag)))
    assert (record.result, record.ratings) == (result, (None, None))


def test_where_a_game_stands(pgn):
    path = pgn("\n" * 4 + tagged("1. e4 1-0") + tagged("1. d4 d5 0-1", Result="0-1", Event="x"))
    first, second = codec_for("chess").games(path)
    assert (first.source, first.line, second.line) == (str(path), 5, 12)
    assert (first.speed, second.speed) == (Speed.rapid, Speed.unknown)
    assert (first.result, second.result) == (1, -1)


# -- games that are left out -----------------------------------------------------------------------

CHESS960 = "bqnbrnkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBRNKR w KQkq - 0 1"
LATER = "8/8/8/8/8/8/4k3/4K2R w K - 0 1"
BAD = {
    "variant": (tagged("1. e4 1-0", Variant="Chess960", FEN=CHESS960), Reason.variant, 1, ""),
    "crazyhouse": (tagged("1. e4 1-0", Variant="Crazyhouse"), Reason.variant, 1, ""),
    "start": (tagged("1. Rh2+ 1-0", FEN=LATER, SetUp="1"), Reason.other_start, 1, ""),
    "none": (tagged("1-0"), Reason.no_moves, 1, ""),
    "illegal": (tagged("1. e4 e5\n2. Ke3 1-0"), Reason.illegal_move, 7, "Ke3"),
    "ambiguous": (
        tagged("1. Nf3 e5 2. d4 d5 3. Nd2 1-0"), Reason.ambiguous_move, 6, "Nd2",
    ),
    "null": (tagged("1. e4 -- 1-0"), Reason.null_move, 6, "--"),
    "word": (tagged("1. e4 resigns 1-0"), Reason.unreadable_move, 6, "resigns"),
    "bytes": (tagged("1. e4 \x01\x02é 1-0"), Reason.unreadable_move, 6, "é"),
    "unclosed": (tagged("1. e4 {hm 1-0"), Reason.unclosed, 6, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_game_between_good_ones(name, pgn):
    text, reason, line, word = BAD[name]
    good = tagged("1. d4 d5 1-0")
    records, faults = read(pgn(good + text + good))
    assert [record.moves.tolist() for record in records] == [[1739, 2291]] * 2
    (fault,) = faults
    assert (fault.reason, fault.line, fault.word) == (reason, line + good.count("\n"), word)


def test_a_start_that_is_spelled_out_is_no_other(pgn):
    for variant in ("Standard", "STANDARD", "chess", "From Position", ""):
        text = tagged("1. e4 1-0", FEN=chess.STARTING_FEN, Variant=variant, SetUp="1")
        assert len(read(pgn(text))[0]) == 1


@pytest.mark.parametrize(
    ("written", "rating", "bad"),
    [
        ("1500", 1500, 0), ("100", 100, 0), ("4000", 4000, 0), ("", None, 0), ("?", None, 0),
        ("-", None, 0), ("0", None, 0), ("-50", None, 1), ("99", None, 1), ("4001", None, 1),
        ("99999999999999999999999", None, 1), ("1500?", 1500, 0), ("strong", None, 1),
        ("1e3", None, 1), (" 1500 ", 1500, 0),
    ],
)  # fmt: skip
def test_ratings(written, rating, bad, pgn):
    with PgnReader(pgn(tagged("1. e4 1-0", WhiteElo=written, BlackElo="2000"))) as reader:
        records = [batch.record(0) for batch in reader.batches()]
        assert [record.ratings for record in records] == [(rating, 2000)]
        assert reader.bad_ratings == bad


# -- files that are none ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty; export or download it again"),
        (b"\n\n  \n", "has no PGN game in it; name a file of PGN games"),
        (b"\n(;SZ[19];B[dd];W[pp])\n", "it looks like SGF; for games of Go add --game go"),
        (b"<html><body><h1>404 not found</h1></body></html>", "has no PGN game in it"),
        (bytes(range(256)) * 100, "is no PGN text"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is no PGN text"),
        (b"PK\3\4\0\0[Event", "is no PGN text .*export it as UTF-8"),
    ],
)
def test_no_pgn(data, message, pgn):
    with pytest.raises(RecordError, match=message):
        list(codec_for("chess").games(pgn(data)))


def test_a_truncated_file_gives_its_games_and_then_the_error(pgn):
    text = tagged("1. e4 e5 1-0") * 30_000
    path, games = pgn(zstandard.compress(text.encode())[:-10], "cut.pgn.zst"), []
    with pytest.raises(RecordError, match=r"cut.pgn.zst ends early; download it again"):
        games.extend(codec_for("chess").games(path))
    assert games


LINE = "1. e4 {" + "x" * 10_000_000
LONG = {
    "of letters": "x" * 10_000_000,
    "of blanks": " " * 10_000_000,
    "of moves": "Nf3 Nf6 Ng1 Ng8 " * 700_000,
    "of a comment": LINE,
    "of an escape": "%" + "x" * 10_000_000,
    "of a tag": '[White "' + "x" * 10_000_000,
    "of brackets": "(" * 10_000_000,
}


@pytest.mark.parametrize("name", LONG)
def test_a_line_of_ten_million_bytes(name, pgn):
    good = tagged("1. d4 d5 1-0")
    records, faults = read(pgn(f"{good}{LONG[name]}\n\n{good}"))
    assert len(records) == 2
    assert records[1].line == good.count("\n") + 3
    assert [fault.reason for fault in faults] == ([] if name == "of blanks" else [Reason.too_long])


def test_a_long_game_is_read_a_longer_one_is_not(pgn):
    def game(size):
        return tagged("1. e4 {" + "x" * size + "} 1-0")

    assert len(read(pgn(game(LONGEST_GAME - 1000)))[0]) == 1
    records, faults = read(pgn(game(4 * LONGEST_GAME) + game(10)))
    assert len(records) == 1
    assert [(fault.reason, fault.line) for fault in faults] == [(Reason.too_long, 1)]


# -- memory ----------------------------------------------------------------------------------------


def test_memory_does_not_grow_with_the_file(pgn):
    """12 MB of text more must not take 4 MB more.

    Each frame holds about a megabyte, because a thousand bytes of text that repeats itself would
    hold ten.
    """
    text = "".join(str(random_game(seed)) + "\n\n" for seed in range(2)).encode()
    copies = 1_000_000 // len(text)
    frame, peaks = zstandard.compress(text * copies), []
    tracemalloc.start()
    for frames in (1, 4, 16):  # the first reading compiles
        path = pgn(frame * frames, "many.pgn.zst")
        tracemalloc.reset_peak()
        with PgnReader(path) as reader:
            assert sum(batch.count for batch in reader.batches()) == 2 * copies * frames
        peaks.append(tracemalloc.get_traced_memory()[1])
    tracemalloc.stop()
    assert peaks[2] - peaks[1] < 4_000_000
