"""Names of rule sets, and White's points for handicap stones."""

from hypothesis import given
from hypothesis import strategies as st

from evenmatch.games.go.text import RULES, bonus_of, rules_of


def test_names():
    told = [rules_of(text) for text in ("Japanese", " aga rules ", "NZ", "house rules")]
    assert told == ["japanese", "aga", "new-zealand", ""]


def test_white_s_points_for_handicap_stones():
    assert [bonus_of("chinese", 4), bonus_of("aga", 4), bonus_of("japanese", 4)] == [4, 3, 0]
    assert [bonus_of("chinese", 1), bonus_of("aga", 1), bonus_of("aga", 0)] == [1, 0, 0]


@given(st.text(max_size=12))
def test_any_text_is_read(text):
    assert rules_of(text) in {"", *RULES.values()}
