"""What messages quote stays one readable line."""

from evenmatch.errors import LONGEST, quoted


def test_what_was_pasted_is_one_line():
    assert quoted('[Event "Club"]\n[Site "?"]') == """'[Event "Club"] [Site "?"]'"""
    assert len(quoted("x\n" * 5000)) == LONGEST + 2
    assert quoted("a\tb") == r"'a\tb'", "what else cannot be seen is escaped"
