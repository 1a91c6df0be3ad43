"""Games written as SGF read back the same, by us and by sgfmill."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sgf_reading import read_sgf
from sgfmill_twin import read

from evenmatch.errors import UsageError
from evenmatch.records.go.game_text import SgfGame, result_text, write_sgf

LINE = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]) | st.sampled_from("]\\:;()[ "),
    max_size=12,
).map(str.strip)
LINES = st.lists(LINE, max_size=3).map("\n".join)


@st.composite
def some_games(draw):
    """A game with whatever is in it, legal or not."""
    size = draw(st.integers(1, 26) | st.just(52))
    points = st.integers(0, size * size - 1)
    stones = draw(st.lists(points, unique=True, max_size=6))
    cut = draw(st.integers(0, len(stones)))
    moves = st.tuples(st.sampled_from((1, -1)), st.integers(0, size * size))
    return SgfGame(
        size=size,
        moves=tuple(draw(st.lists(moves, max_size=25))),
        komi=draw(st.none() | st.integers(-99, 99).map(lambda twice: twice / 2)),
        handicap=draw(st.integers(0, 30)),
        black=tuple(sorted(stones[:cut])),
        white=tuple(sorted(stones[cut:])),
        to_play=draw(st.sampled_from((0, 1, -1))),
        players=(draw(LINE), draw(LINE)),
        ranks=(draw(LINE), draw(LINE)),
        rules=draw(LINE),
        result=draw(LINE),
        date=draw(LINE),
        event=draw(LINE),
        place=draw(LINE),
        time=draw(st.sampled_from(("", "600", "1800.5"))),
        overtime=draw(LINE),
        comment=draw(LINES),
    )


@settings(max_examples=50)
@given(some_games())
def test_what_is_written_reads_back(game):
    assert read_sgf(write_sgf(game)) == [game]
    assert read_sgf(write_sgf(game).encode()) == [game]


@settings(max_examples=50)
@given(some_games())
def test_one_line_is_one_line(game):
    """In which the lines of a comment become one."""
    text = write_sgf(game, one_line=True)
    assert text.count("\n") == 1
    (again,) = read_sgf(text)
    assert again.moves == game.moves
    assert again.players == game.players
    assert again.comment.split() == game.comment.split()


def test_sgfmill_reads_it_too():
    game = SgfGame(
        size=9, moves=((-1, 0), (1, 81), (-1, 80)), komi=0.5, handicap=2, black=(20, 60),
        to_play=-1, players=("A]nn \\", "柯洁"), ranks=("5k", "3d"), result="W+R",
        comment="one: ]\n(;two",
    )  # fmt: skip
    assert read(write_sgf(game).encode()) == game


def test_lines_are_short():
    text = write_sgf(SgfGame(moves=tuple((1 - 2 * (k % 2), k) for k in range(200))))
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    "game", [SgfGame(size=9, moves=((1, 82),)), SgfGame(black=(361,)), SgfGame(size=53)]
)
def test_what_cannot_be_written(game):
    with pytest.raises(UsageError):
        write_sgf(game)


def test_results():
    assert [result_text(1, 3.5), result_text(-1, "R"), result_text(0), result_text(1, 12.0)] == [
        "B+3.5", "W+R", "Draw", "B+12",
    ]  # fmt: skip
