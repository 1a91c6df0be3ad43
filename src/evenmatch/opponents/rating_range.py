"""The ratings at which players were measured, so that no level is shown that is a guess.

Calibrations that were measured on this machine count.
"""

import math

from evenmatch.errors import UsageError
from evenmatch.games.catalog import game_info
from evenmatch.opponents.dials import DIALS, curve_of
from evenmatch.opponents.levels import LEVELS
from evenmatch.opponents.rated import RATED, rating_asked
from evenmatch.opponents.table import parse_spec
from evenmatch.ratings.scale import SCALES


def rating_of(game_id: str, spec: str) -> float | None:
    """Return the rating that a spec names, or has by default, as the game writes them.

    None if it has none: the rating that `even` begins with is a guess, and Elo is no rank.
    """
    name, values = parse_spec(spec)
    if name in RATED:
        return rating_asked(game_id, values.get("elo"), values.get("rank"))
    return None if name == "even" or game_info(game_id).written != "elo" else values.get("elo")


def measured_range(
    game_id: str, name: str, calibrated: bool | None = None
) -> tuple[float, float] | None:
    """Return the lowest and the highest rating that a player can play at; None if none is known.

    They are those of its games if it is calibrated, else those of the people it was fitted to.
    ``calibrated`` is what its spec says of that, None if nothing.
    """
    curve = curve_of(game_id, name, asked=bool(calibrated), own=True)
    if curve is not None and calibrated is not False:
        return float(math.ceil(curve.range[0])), float(math.floor(curve.range[1]))
    fitted = LEVELS[game_id].of(name) if game_id in LEVELS else {}
    return (min(fitted), max(fitted)) if fitted else None


def offered(game_id: str) -> tuple[float, float]:
    """Return the lowest and the highest rating that people are offered in a game.

    Those at which its rated player was measured, where it was; else all that a rating can be.
    """
    info = game_info(game_id)
    measured = measured_range(game_id, info.rated) if info.rated else None
    return measured or (info.knots[0], info.knots[-1])


def offered_text(game_id: str) -> str:
    """Say which ratings are `offered`, such as 25k to 9d."""
    return " to ".join(map(SCALES[game_info(game_id).written].write, offered(game_id)))


def at_level(game_id: str, text: str, said: str) -> tuple[str, str]:
    """Return the spec of who plays at a level that was written, and what to tell of it.

    UsageError if it is none, which names it as ``said``.
    """
    info = game_info(game_id)
    try:
        rating = rating_asked(game_id, **{info.level: text})
    except UsageError:
        rating = math.nan
    if not info.knots[0] <= rating <= info.knots[-1]:
        what = "rank" if info.level == "rank" else "rating"
        raise UsageError(f"{said} is no {what}; choose one from {offered_text(game_id)}")
    return as_measured(game_id, f"{info.rated}:{info.level}={text}")


def measured_rating(
    game_id: str, name: str, rating: float, calibrated: bool | None = None
) -> tuple[float, str]:
    """Return the nearest rating to ``rating`` that a player can play, and what to tell of it.

    What is no rating at all stays as it is, for the player to refuse. ``calibrated`` as for
    `measured_range`.
    """
    within, info = measured_range(game_id, name, calibrated), game_info(game_id)
    is_rating = info.knots[0] <= rating <= info.knots[-1]
    if within is None or within[0] <= rating <= within[1] or not is_rating:
        return rating, ""
    low, high = within
    nearest, which = (low, "lowest") if rating < low else (high, "highest")
    write = SCALES[info.written].write
    plays = f"it plays at {write(nearest)}, the {which} measured level."
    return nearest, f"{write(rating)} is not measured; {plays}"


def at_strength(game_id: str, rating: float) -> tuple[str, str]:
    """Return the spec of the game's rated player that has a rating in games, and what to tell.

    Where the player is set by people's mistakes, its curve is asked for. It plays as near to the
    rating as it can.
    """
    info = game_info(game_id)
    curve = curve_of(game_id, info.rated, asked=True, own=True) if info.rated else None
    asks = ",calibrated=on" if curve and DIALS[game_id].people else ""
    rating = min(max(rating, info.knots[0]), info.knots[-1])
    text = SCALES[info.written].write(round(rating))
    return as_measured(game_id, f"{info.rated}:{info.level}={text}{asks}")


def strength_of(game_id: str, spec: str, rating: float) -> float:
    """Return the rating in games of a player that was set to ``rating``, as its curve has it.

    That is ``rating`` itself where it was set by the curve, and of players without one.
    """
    dial, (name, values) = DIALS.get(game_id), parse_spec(spec)
    if dial is None or not dial.people or name != dial.player:
        return rating
    own_numbers = {"lam", "t", "plain", "sims", "net"} & values.keys()
    calibrated = values.get("calibrated")
    set_by_curve = calibrated is not False and curve_of(game_id, dial.player, own=True)
    curve = curve_of(game_id, dial.player, asked=True, own=True)
    if own_numbers or calibrated or set_by_curve or curve is None:
        return rating
    return curve.rating(rating)


def as_measured(game_id: str, spec: str) -> tuple[str, str]:
    """Return a spec at the nearest rating that its player can play, and what to tell of it."""
    name, values = parse_spec(spec)
    info = game_info(game_id)
    if values.get(info.level) is None or name not in (*RATED, info.rated):
        return spec, ""
    asked = rating_asked(game_id, values.get("elo"), values.get("rank"))
    nearest, note = measured_rating(game_id, name, asked, values.get("calibrated"))
    if not note:
        return spec, ""
    written = f"{info.level}={SCALES[info.written].write(nearest)}"
    pairs = [pair for pair in spec.partition(":")[2].split(",") if _key(pair) != info.level]
    return f"{name}:{','.join([written, *filter(None, pairs)])}", note


def _key(pair: str) -> str:
    return pair.partition("=")[0].strip()
