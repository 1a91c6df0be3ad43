import pytest

from evenmatch.app.start_game import from_file
from evenmatch.errors import UsageError
from evenmatch.games import GAMES, get_game

FEN = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 12"
PGN = """[White "A"]
[Result "*"]

1. e4 {good} e5 (1... c5 2. Nf3) 2. Nf3 *

[White "B"]

1. d4 *
"""


@pytest.mark.parametrize(
    ("game", "text", "found"),
    [
        ("chess", FEN, (FEN, [])),
        ("chess", f"{FEN}\nmore", (FEN, [])),
        ("chess", PGN, ("", ["e4", "e5", "Nf3"])),
        ("chess", f'[SetUp "1"]\n[FEN "{FEN}"]\n\n12... Kd7 *', (FEN, ["Kd7"])),
        ("othello", "d3 c5\nd6", ("", ["d3", "c5", "d6"])),
        ("othello", "F5D6C3\n", ("", ["f5", "d6", "c3"])),
        ("connect4", "dddd", ("", ["4", "4", "4", "4"])),
        ("go9", "D4 pass", ("", ["D4", "pass"])),
        ("go9", "(;SZ[9]KM[7];B[dd];W[](;B[aa])(;B[bb]))", ("KM[7]", ["D6", "pass", "A9"])),
        ("go9", "(;SZ[9]KM[7]AB[cc]AW[ee]PL[W])", ("KM[7]AB[cc]AW[ee]PL[W]", [])),
        ("go9", "(;SZ[9]HA[2]AB[cc][gg])", ("KM[0.5]HA[2]AB[cc][gg]PL[W]", [])),
        ("go9", "(;SZ[9]AB[cc][gg])", ("AB[cc][gg]PL[B]", [])),
        ("go9", "(;SZ[9];B[cc];B[gg];W[ee])", ("KM[0.5]HA[2]AB[cc][gg]PL[W]", ["E5"])),
    ],
)
def test_files(tmp_path, game, text, found):
    path = tmp_path / "start"
    path.write_text(text)
    assert from_file(GAMES[game], path)[:2] == found


@pytest.mark.parametrize("text", ["", "  ", "hello", "1. e4 e5 2. Ke5 *", "\x00\xff"])
def test_files_of_nothing(tmp_path, text):
    path = tmp_path / "start"
    path.write_text(text)
    with pytest.raises(UsageError):
        from_file(GAMES["chess"], path)


GOOD, ILLEGAL, LARGE = "(;SZ[9]KM[7];B[dd])", "(;SZ[9];B[dd];W[dd])", "(;SZ[19];B[dd])"


@pytest.mark.parametrize("text", [GOOD + LARGE, LARGE + GOOD, GOOD + ILLEGAL, GOOD + "(;SZ[9]"])
def test_the_first_game_of_the_size_is_gone_on_from(tmp_path, text):
    path = tmp_path / "games.sgf"
    path.write_text(text)
    assert from_file(GAMES["go9"], path)[:2] == ("KM[7]", ["D6"])


@pytest.mark.parametrize(
    "text", [LARGE, ILLEGAL, "(;SZ[9]", ILLEGAL + GOOD, LARGE + ILLEGAL + GOOD]
)
def test_no_game_of_go(tmp_path, text):
    path = tmp_path / "start"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"choose the other game|give another game"):
        from_file(GAMES["go9"], path)


def test_a_game_from_a_position(run):
    result = run("play", "chess", "-o", "random", "--fen", FEN, lines="Kd7 resign")
    assert result.exit_code == 0, result.output
    assert "k You (Black)" in result.stdout, "who is to move is the person, unless told otherwise"
    assert "You play Kd7" in result.stdout


def test_what_a_position_cannot_mean_is_told(run, refused):
    """By its FEN, or by a file with one; what is kept is the position as it is played."""
    stray = "4k3/8/8/8/8/8/4P3/4K3 b KQkq -"
    told = "Castling rights KQkq are dropped: king or rook is not where it begins."
    fen = run("play", "chess", "-o", "random", "--fen", stray, lines="Kd7 quit")
    assert told in " ".join(fen.stdout.split())
    path = run.state / "start.fen"
    path.write_text(f'"{stray}"\n')
    begun = run("play", "chess", "-o", "random", "--from", str(path), lines="Kd7 resign")
    assert told in " ".join(begun.stdout.split())
    assert '[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"]' in (run.state / "games.pgn").read_text()
    other = "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w KQkq - 0 1"
    assert "Chess960 is not supported" in refused("play", "chess", "--fen", other)


def test_a_position_is_kept_with_an_unfinished_game(run):
    run("play", "chess", "-o", "random", "--fen", FEN, lines="Kd7 quit")
    again = run("play", "chess-1", lines="undo Kd8 resign")
    assert "You play Kd8" in again.stdout
    assert f'[FEN "{FEN}"]' in (run.state / "games.pgn").read_text()


def test_a_game_goes_on_from_sgf(run, refused, tmp_path):
    """--sgf is --from."""
    path = tmp_path / "a.sgf"
    path.write_text("(;SZ[9]KM[3.5];B[dd])")
    begin = ("play", "go9", "-o", "random", "--sgf", str(path))
    output = run(*begin, lines="E5 resign").stdout
    assert "komi 3.5" in output
    assert "--from and --komi both say" in refused(*begin, "--komi", "7")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("chess", "--fen", "nonsense"), "nonsense"),
        (("othello", "--fen", FEN), "as a move; give squares a1 to h8"),
        (("connect4", "--moves", "4440"), "cannot read '0' as a move; give columns 1 to 7"),
        (("chess", "--from", "none.pgn"), "no file none.pgn; check the path"),
        (("chess", "--from", "x", "--moves", "e4"), "--from and --moves both say where to begin"),
    ],
)
def test_bad_beginnings(refused, options, why):
    assert why in refused("play", *options)


def test_a_file_without_moves_is_named(tmp_path):
    path, go9 = tmp_path / "text.sgf", get_game("go9")
    path.write_text("hello this is not sgf")
    with pytest.raises(UsageError, match=r"text\.sgf has no game of 9x9 Go: cannot read 'hello'"):
        from_file(go9, path)[:2]
    path.write_text("1. D4 E5")
    assert from_file(go9, path)[:2] == ("", ["D4", "E5"])


@pytest.mark.parametrize(
    ("stones", "words"),
    [
        ("", "\nkomi 7, area scoring"),
        ("AB[cc][gg]", "\n2 handicap stones, komi"),
        ("AB[cc][gg]AW[ee]", "\nfrom a position that was set up, komi"),
    ],
)
def test_a_position_that_was_set_up_is_no_handicap(run, stones, words):
    assert words in run("play", "go9", "-o", "random", "--fen", f"KM[7]{stones}", lines="q").stdout
