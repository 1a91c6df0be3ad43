"""Rule sets by their names in SGF files, and what White gets for handicap stones under them."""

from functools import lru_cache

RULES = {
    "japanese": "japanese", "jp": "japanese", "日本": "japanese", "korean": "korean",
    "chinese": "chinese", "cn": "chinese", "中国": "chinese", "aga": "aga", "bga": "aga",
    "french": "aga", "nz": "new-zealand", "new zealand": "new-zealand", "ing": "ing",
    "goe": "ing", "tromp-taylor": "tromp-taylor", "tromp taylor": "tromp-taylor",
}  # fmt: skip


@lru_cache(maxsize=1000)
def rules_of(text: str) -> str:
    """Return the name of the rules, empty if they are not known."""
    return RULES.get(text.strip().lower().removesuffix(" rules"), "")


def bonus_of(rules: str, stones: int) -> int:
    """Return the points that White gets for so many handicap stones, by the rules' name.

    OGS writes a handicap of one where Black plays first with a komi of 0.5; by its Chinese rules
    White gets a point for that too, as the results of its games show.
    """
    return {"chinese": stones, "aga": max(stones - 1, 0)}.get(rules, 0)
