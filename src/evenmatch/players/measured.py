"""The ratings at which players were measured: nobody is shown a level that is a guess."""

from collections.abc import Mapping

from evenmatch.domains import DOMAINS, Domain
from evenmatch.players.spec import Key
from evenmatch.players.table import PLAYERS, parse_spec
from evenmatch.strength.constants import ACE_THETAS, PIKL_LEVELS, SA_Z, SE_C_1

FITTED: dict[str, Mapping[float, object]] = {
    "pikl": PIKL_LEVELS,
    "sa": SA_Z,
    "se": SE_C_1,
    "ace": ACE_THETAS,
}  #: by player, what was fitted to people of each rating


def rated_domain() -> Domain:
    """Return the domain of the one game that players were fitted to ratings of."""
    (only,) = [domain for domain in DOMAINS.values() if domain.rated]
    return only


def measured_range(name: str) -> tuple[float, float] | None:
    """Return the lowest and the highest rating that a player was fitted to; None if to none."""
    return (min(FITTED[name]), max(FITTED[name])) if name in FITTED else None


def measured_rating(name: str, elo: float) -> tuple[float, str]:
    """Return the nearest rating to ``elo`` that a player can play, and what to tell of it.

    What is no rating at all stays as it is, for the player to refuse.
    """
    within = measured_range(name)
    knots = rated_domain().knots
    is_rating = knots[0] <= elo <= knots[-1]
    if within is None or within[0] <= elo <= within[1] or not is_rating:
        return elo, ""
    low, high = within
    nearest, which = (low, "lowest") if elo < low else (high, "highest")
    return nearest, f"{elo:g} is not measured; it plays at {nearest:g}, the {which} measured level."


def as_measured(spec: str) -> tuple[str, str]:
    """Return a spec at the nearest rating that its player can play, and what to tell of it."""
    name, values = parse_spec(spec)
    key = PLAYERS[name].keys.get("elo")
    if not isinstance(key, Key) or values.get("elo") is None:
        return spec, ""
    nearest, note = measured_rating(name, values["elo"])
    if not note:
        return spec, ""
    pairs = [pair for pair in spec.partition(":")[2].split(",") if not _names_elo(pair)]
    return f"{name}:{','.join([f'elo={nearest:g}', *filter(None, pairs)])}", note


def _names_elo(pair: str) -> bool:
    return pair.partition("=")[0].strip() == "elo"
