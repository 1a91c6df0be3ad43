"""Rules of Go as KataGo names them: what is in force, White's bonus, and inputs of networks."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

from evenmatch.frontends.gtp.protocol import SYNTAX, GtpError
from evenmatch.games.go.katago_planes import POSITIONAL, SIMPLE_KO, SITUATIONAL

BONUSES: dict[str, Callable[[int], int]] = {
    "0": lambda stones: 0,
    "N-1": lambda stones: max(stones - 1, 0),
    "N": lambda stones: stones,
}  #: points that White gets for handicap stones, by KataGo's names
#: What is in force, whatever a program asks for.
PLAYED = {"ko": "POSITIONAL", "suicide": False}
RULES = {"ko": "POSITIONAL", "scoring": "AREA", "tax": "NONE", "suicide": False, "hasButton": False}
BONUS = "whiteHandicapBonus"
KO_RULES = {"SIMPLE": SIMPLE_KO, "POSITIONAL": POSITIONAL, "SITUATIONAL": SITUATIONAL}


class NetworkRules(NamedTuple):
    """The rules that are inputs of networks in ``kata-raw-nn``, whatever is in force."""

    ko: int = POSITIONAL  #: a value of KO_RULES
    suicide: bool = False  #: of several stones
    strict: bool = False  #: two passes end the game, even with dead stones on the board


#: White's bonus and inputs of networks, under rule sets that have names, as KataGo has them.
#: Those that count territory are refused.
NAMED_RULES = {
    "tromp-taylor": ("0", NetworkRules(POSITIONAL, True, True)),
    "chinese": ("N", NetworkRules(SIMPLE_KO)),
    "chinese-ogs": ("N", NetworkRules()),
    "chinese-kgs": ("N", NetworkRules()),
    "aga": ("N-1", NetworkRules(SITUATIONAL)),
    "bga": ("N-1", NetworkRules(SITUATIONAL)),
    "new-zealand": ("0", NetworkRules(SITUATIONAL, True)),
    "new_zealand": ("0", NetworkRules(SITUATIONAL, True)),
}


def write_rules(bonus: str) -> str:
    """Return the rules in force as JSON, with White's bonus, of BONUSES."""
    return json.dumps(RULES | {BONUS: bonus})


def read_rules(text: str) -> tuple[str, NetworkRules]:
    """Return White's bonus and the inputs of networks under rules: a name, or JSON.

    GtpError if such rules are not played here.
    """
    if text.lower() in NAMED_RULES:
        return NAMED_RULES[text.lower()]
    try:
        rules = json.loads(text)
    except (ValueError, RecursionError):
        names = ", ".join(name for name in NAMED_RULES if "_" not in name)  # no second spelling
        raise GtpError(f"no such rules here; choose one of: {names}") from None
    if not isinstance(rules, dict):
        raise GtpError(SYNTAX)
    for key in ("scoring", "tax", "hasButton"):
        if rules.get(key, RULES[key]) != RULES[key]:
            raise GtpError(f"no such rules; {key} is {json.dumps(RULES[key])} here")
    bonus, ko, suicide = (rules.get(k, v) for k, v in {BONUS: "0", **PLAYED}.items())
    if bonus not in [*BONUSES] or ko not in [*KO_RULES] or not isinstance(suicide, bool):
        raise GtpError(SYNTAX)
    return bonus, NetworkRules(KO_RULES[ko], suicide, not rules.get("friendlyPassOk", False))
