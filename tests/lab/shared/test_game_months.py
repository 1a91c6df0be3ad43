"""The months of a dataset's games."""

from types import SimpleNamespace

import numpy as np
import pytest

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch_lab.shared.game_months import month_of, months_of

PGN = """[Event "a"]
[Date "2022.09.??"]

1. e4 *

[Event "b"]
[Date "????.??.??"]

1. d4 *

[Event "c"]
[UTCDate "2021.01.31"]

1. c4 {[Date "1999.01.01"] is a comment} *
"""


class Games:
    """As much of a dataset as tells where its games begin."""

    def __init__(self, path, game="chess", begins=(1, 6, 11)):
        self.codec = SimpleNamespace(game=get_game(game))
        self.facts = {"sources": [{"file": str(path)}]}
        self.games = np.zeros(len(begins), [("source", "u2"), ("line", "u4")])
        self.games["line"] = begins

    def __len__(self):
        return len(self.games)


def test_each_game_has_the_month_of_its_tags(tmp_path):
    (tmp_path / "games.pgn").write_text(PGN)
    found = months_of(Games(tmp_path / "games.pgn"))
    assert found.tolist() == [12 * 2022 + 9, 0, 12 * 2021 + 1]
    some = months_of(Games(tmp_path / "games.pgn", begins=(11, 1)))
    assert some.tolist() == [12 * 2021 + 1, 12 * 2022 + 9]


def test_a_source_that_is_gone_is_named(tmp_path):
    with pytest.raises(UsageError, match="build it again"):
        months_of(Games(tmp_path / "gone.pgn"))


@pytest.mark.parametrize(
    ("text", "month"), [("2022.09.??", 24273), ("2022-09-30", 24273), ("2022", 0), ("", 0)]
)
def test_months_of_dates(text, month):
    assert month_of(text) == month
