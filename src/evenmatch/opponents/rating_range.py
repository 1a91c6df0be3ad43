"""The ratings that players can play at, and the anchors that dials were measured against.

A rating is a strength in games. Calibrations that were measured on this machine count.
"""

from __future__ import annotations

import math
import shutil
from dataclasses import dataclass

from evenmatch.errors import UsageError
from evenmatch.games.catalog import game_info
from evenmatch.network.katago.profiles import YEAR_SCALE
from evenmatch.opponents.dials import OF_PEOPLE, curve_of
from evenmatch.opponents.even import AMONG_PEOPLE, EvenConfig
from evenmatch.opponents.fitted import LEVELS
from evenmatch.opponents.rated import OWN_NUMBERS, RATED, requested_rating
from evenmatch.opponents.table import parse_spec, player_name
from evenmatch.ratings.scale import SCALES

EVEN = "even"  #: the player that follows the other side's strength
RANDOM = "random"  #: the spec of random moves
OURS = "Evenmatch"  #: what people call it, and the player of a rating
LEAST_UNSURE = 50.0  #: standard deviation, Elo, of the surest first guess of ``EVEN``
NEAR = 75.0  #: Elo that players are apart who are called about as strong


@dataclass(frozen=True)
class Anchor:
    """A player that a dial's settings meet."""

    name: str
    spec: str
    rating: float | None = None  #: on the dial's scale; None: estimated from its games
    deviation: float = 30.0
    """Standard deviation of that rating. Only one that is sure makes a dial's scale: the others
    are rated by their games with the dial."""
    words: str = ""  #: who it is, for people

    @property
    def installed(self) -> bool:
        """Whether it can play on this machine."""
        command = parse_spec(self.spec)[1].get("cmd")
        return command is None or shutil.which(command.split()[0]) is not None


def _ladder(random: float, mcts2: float, mcts1: float, alphazero: float) -> tuple[Anchor, ...]:
    """Return the players of `evenmatch experiment elo_table` that come with evenmatch.

    MCTS1's rating makes the scale. Those of the ends won or lost nearly all of their games there,
    so they are less surely known.
    """
    return (
        Anchor("Random", RANDOM, random, 80.0, "random moves"),
        Anchor("MCTS2", "mcts:sims=100", mcts2, 30.0, "MCTS with 100 playouts"),
        Anchor("MCTS1", "mcts:sims=300", mcts1, 1.0, "MCTS with 300 playouts"),
        Anchor("AlphaZero", "alphazero:random_root=0.2", alphazero, 80.0, "AlphaZero"),
        Anchor("full strength", "alphazero"),
    )


def _stockfish(elo: int) -> Anchor:
    """Return Stockfish at a UCI_Elo, by positions, so that a busy machine changes nothing."""
    return Anchor(f"Stockfish {elo}", f"engine:cmd=stockfish,elo={elo},nodes=20000")


def gnugo(level: int) -> str:
    """Return the spec of GNU Go 3.8 at a level (0 to 10), by the rules here.

    It captures dead stones before it passes, for all that stand on the board count.
    """
    rules = "--chinese-rules --positional-superko --capture-all-dead"
    return f"engine:cmd=gnugo --mode gtp --level {level} {rules}"


def _gnugo(level: int, rating: float | None = None) -> Anchor:
    return Anchor(f"GNU Go {level}", gnugo(level), rating, 1.0)


#: At Go one program has a rating by convention, as on servers of programs.
_AT_GO = (Anchor("Random", RANDOM), _gnugo(0), _gnugo(10, 1800.0))

#: By game. Elo of Connect Four and Othello is that of docs/results/elo_table.md, by likelihood.
ANCHORS: dict[str, tuple[Anchor, ...]] = {
    "connect4": _ladder(721, 1535, 1719, 2039),
    "othello6": _ladder(822, 1541, 1643, 2119),
    "othello": _ladder(821, 1447, 1662, 2300),
    "chess": (*map(_stockfish, (1350, 1700, 2100, 2500)), Anchor("full strength", "alphazero")),
    "go9": _AT_GO,
    "go13": _AT_GO,
    "go": _AT_GO,
}


def anchors_of(game: str) -> tuple[Anchor, ...]:
    """Return the anchors of a game that can play on this machine."""
    return tuple(anchor for anchor in ANCHORS.get(game, ()) if anchor.installed)


def rating_of_anchor(game: str, spec: str) -> float | None:
    """Return the rating of an anchor, None if the spec is of none or its rating is not known.

    That of random moves is the dial's lowest, which plays them, as it is among the dial's players:
    the table of anchors has it by games with much stronger ones, nearly all of which it lost.
    """
    anchor = next((one for one in ANCHORS.get(game, ()) if one.spec == spec), None)
    if anchor is None or anchor.rating is None:
        return None
    if spec != RANDOM:
        return anchor.rating
    curve = curve_of(game, game_info(game).rated or "", own=True)
    return anchor.rating if curve is None else curve.range[0]


def likened(game: str, rating: float) -> str:
    """Say how strong a rating is by the known players of a game; empty if there are none."""
    known = sorted(
        (of, one.words)
        for one in ANCHORS.get(game, ())
        if one.words and (of := rating_of_anchor(game, one.spec)) is not None
    )
    if not known:
        return ""
    off, words = min((abs(rating - of), words) for of, words in known)
    if off <= NEAR:
        return f"about {words}"
    below = [words for of, words in known if of < rating]
    above = [words for of, words in known if of > rating]
    if not below or not above:
        return f"weaker than {above[0]}" if above else f"stronger than {below[-1]}"
    return f"between {below[-1]} and {above[0]}"


def rating_of(game_id: str, spec: str) -> float | None:
    """Return the rating that a spec names, or has by default, as the game writes them.

    None if it has none: the rating that `even` begins with is a guess, Elo is not a rank, and a
    dial has one only with the numbers that were fitted, between the ends that were measured. With
    another network it is that of the people whose moves the network expects.
    """
    name, values = parse_spec(spec)
    curve = curve_of(game_id, name, own=True)
    own, setting = OWN_NUMBERS & values.keys(), values.get("s")
    if curve is not None and own - {"net", "search_net"}:
        return None
    if setting is not None:
        if curve is None or own or not curve.settings[0] <= setting <= curve.settings[-1]:
            return None
        return curve.rating(setting)
    if values.get("scale") == YEAR_SCALE:
        return None
    if name in RATED:
        return requested_rating(game_id, values.get("elo"), values.get("rank"))
    return None if name == EVEN or game_info(game_id).written != "elo" else values.get("elo")


def title_of(game_id: str, spec: str) -> str:
    """Name a player for people, with its level if it has one: Evenmatch at 1500."""
    return at_level(game_id, called(game_id, spec), rating_of(game_id, spec))


def called(game_id: str, spec: str) -> str:
    """Return what people call a player; that of a level is the program itself."""
    name = player_name(spec)
    return OURS if name in (EVEN, game_info(game_id).rated) else name


def at_level(game_id: str, name: str, rating: float | None) -> str:
    """Return a name with a level, if there is one."""
    if rating is None:
        return name
    return f"{name} at {SCALES[game_info(game_id).written].write(rating)}"


def measured_range(game_id: str, name: str) -> tuple[float, float] | None:
    """Return the lowest and the highest rating that a player can play at; None if none is known.

    They are those of its curve if it has a dial, otherwise those of the people whose moves it was
    fitted to.
    """
    curve = curve_of(game_id, name, own=True)
    if curve is not None:
        return float(math.ceil(curve.range[0])), float(math.floor(curve.range[1]))
    fitted = LEVELS[game_id].of(name) if game_id in LEVELS else {}
    return (min(fitted), max(fitted)) if fitted else None


def supported_range(game_id: str) -> tuple[float, float]:
    """Return the lowest and the highest rating that people are offered in a game.

    Those at which its rated player was measured, if it was; otherwise the whole scale.
    """
    info = game_info(game_id)
    measured = measured_range(game_id, info.rated) if info.rated else None
    return measured or (info.knots[0], info.knots[-1])


def supported_text(game_id: str) -> str:
    """Say which ratings are `supported_range`, such as 25k to 9d."""
    return " to ".join(map(SCALES[game_info(game_id).written].write, supported_range(game_id)))


def spec_at_rating(game_id: str, text: str, said: str, keys: str = "") -> tuple[str, str]:
    """Return the spec of the rated player at the level ``text``, and a note on it.

    ``keys`` are others of the spec. UsageError, quoting ``said``, if ``text`` is not a level.
    """
    info = game_info(game_id)
    try:
        rating = requested_rating(game_id, **{info.level: text})
    except UsageError:
        rating = math.nan
    if not is_rating(game_id, rating):
        raise UsageError(
            f"no opponent plays at {said}; choose a level from {supported_text(game_id)}"
        )
    return clamp_spec(game_id, f"{info.rated}:{info.level}={text}{keys}")


def measured_rating(game_id: str, name: str, rating: float) -> tuple[float, str]:
    """Return (rating, note): the rating nearest to ``rating`` that a player can play.

    A value that is not a rating is returned unchanged; the player refuses it.
    """
    return _nearest(game_id, name, rating) if is_rating(game_id, rating) else (rating, "")


def _nearest(game_id: str, name: str, rating: float) -> tuple[float, str]:
    within = measured_range(game_id, name)
    if within is None or within[0] <= rating <= within[1]:
        return rating, ""
    low, high = within
    nearest, which = (low, "lowest") if rating < low else (high, "highest")
    write = SCALES[game_info(game_id).written].write
    plays = f"it plays at {write(nearest)}, the {which} measured level."
    return nearest, f"{write(rating)} is not measured; {plays}"


def is_rating(game_id: str, rating: float) -> bool:
    """Return whether a number can be a rating: one that people have, or that a player plays at."""
    low, high = known_range(game_id)
    return low <= rating <= high


def known_range(game_id: str) -> tuple[float, float]:
    """Return the lowest and the highest number that is a rating in a game: `is_rating`."""
    knots = game_info(game_id).knots
    low, high = supported_range(game_id)
    return min(low, knots[0]), max(high, knots[-1])


def spec_of_strength(game_id: str, rating: float) -> tuple[str, str]:
    """Return (spec, note) of the game's rated player at a rating, or as near as it can play."""
    info = game_info(game_id)
    nearest, note = _nearest(game_id, info.rated or "", round(rating))
    return f"{info.rated}:{info.level}={SCALES[info.written].write(nearest)}", note


def spec_of_belief(
    game_id: str, rating: float, deviation: float, games: int = 0
) -> tuple[str, str]:
    """Return (spec, note) of `even` whose first guess is a normal belief over ratings, in Elo.

    At Go both numbers are of ranks. The belief is by ``games``: what makes a person stronger than
    their moves look like does so in all of them, so the moves of one more are that share of all.
    The note says if the rating is beyond what can be played.
    """
    info = game_info(game_id)
    low, high = known_range(game_id)
    first = SCALES[info.written].write(min(max(round(rating), low), high))
    nearest, beyond = _nearest(game_id, info.rated or "", round(rating))
    weaker, write = "weaker" if nearest > rating else "stronger", SCALES[info.written].write
    note = f"{OURS} cannot play {weaker} than {write(nearest)}." if beyond else ""
    spec = f"{EVEN}:{info.level}={first},unsure={max(deviation, LEAST_UNSURE):.0f}"
    if games:
        usual = AMONG_PEOPLE["moves"] if info.rated in OF_PEOPLE else EvenConfig().moves
        spec += f",moves={usual / (1 + games):.2g}"
    return spec, note


def clamp_spec(game_id: str, spec: str) -> tuple[str, str]:
    """Return (spec, note): the spec at the nearest rating that its player can play."""
    name, values = parse_spec(spec)
    info = game_info(game_id)
    if values.get(info.level) is None or name not in (*RATED, info.rated):
        return spec, ""
    if values.get("scale") == YEAR_SCALE:
        return spec, ""
    rating = requested_rating(game_id, values.get("elo"), values.get("rank"))
    nearest, note = measured_rating(game_id, name, rating)
    dialled = curve_of(game_id, name, own=True) is not None
    if not note or (dialled and OWN_NUMBERS & values.keys()):
        return spec, ""
    written = f"{info.level}={SCALES[info.written].write(nearest)}"
    pairs = [pair for pair in spec.partition(":")[2].split(",") if _key(pair) != info.level]
    return f"{name}:{','.join([written, *filter(None, pairs)])}", note


def _key(pair: str) -> str:
    return pair.partition("=")[0].strip()
