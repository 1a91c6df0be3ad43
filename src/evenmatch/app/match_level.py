"""Opponents of a rating: the one that options ask for, or the one at a person's level."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple

from evenmatch.app.game_words import no_level_yet, shown_level
from evenmatch.errors import EvenmatchError, UsageError, counted, quoted
from evenmatch.games import get_game
from evenmatch.games.catalog import CATALOG, GameInfo, game_info
from evenmatch.opponents.rated import USUAL
from evenmatch.opponents.rating_range import (
    EVEN,
    is_rating,
    known_range,
    spec_at_rating,
    supported_range,
)
from evenmatch.opponents.table import player_name
from evenmatch.play.saved import Saved
from evenmatch.profiles import Profile
from evenmatch.profiles.levels import EVEN_SCORE, matched
from evenmatch.progress import Progress, no_progress
from evenmatch.ratings.scale import SCALES

TELLING = 50.0  #: Elo between level and results from which the difference is reported
LEAST_TARGET, MOST_TARGET = 0.05, 0.95

#: What people may call themselves: ratings by how a game's are written. They are round numbers.
WORDS = {
    "elo": {"beginner": "1000", "casual player": "1300", "club player": "1700"},
    "kyu": {"beginner": "25k", "casual player": "15k", "club player": "5k"},
}


@dataclass(frozen=True)
class YourLevel:
    """Chooses opponents at a person's level in a game."""

    profile: Profile
    person: str
    game: str
    target: float = EVEN_SCORE  #: the score that the person is to expect
    judging: Callable[[], AbstractContextManager[Progress]] = no_progress
    #: entered while games are judged; shows how far that is

    @property
    def known(self) -> bool:
        """Whether the person's games or word show a level."""
        return self.profile.levels.now(self.person, self.game) is not None

    def opponent(self) -> tuple[str, str] | None:
        """Return the spec of the next opponent, and a note; None if no level is known."""
        with self.judging() as progress:
            found = matched(self.profile.levels, self.person, self.game, self.target, progress)
        if found is None:
            return None
        spec, note, level, beyond = found
        write = SCALES[game_info(self.game).written].write
        claimed = self.profile.levels.claimed(self.person, self.game)
        games = counted(level.games, "game") if level.games else ""
        by = " and ".join(filter(None, ["" if claimed is None else "your word", games]))
        ends = f"{write(level.low)} to {write(level.high)}"
        shown = shown_level(self.game, level)
        words = [no_level_yet(level) or f"Your level: {shown} ({ends}) by {by}."]
        if level.missing and claimed is not None:
            words.append(f"Your word counts: {write(claimed)}.")
        if abs(beyond) >= TELLING and not level.missing:
            words.append(f"Your results here are those of {self._shown(level.rating + beyond)}.")
        return spec, " ".join(filter(None, [*words, note]))

    def _shown(self, rating: float) -> str:
        """Write a rating by results; beyond the range of opponents, that it is beyond."""
        write = SCALES[game_info(self.game).written].write
        low, high = supported_range(self.game)
        if low <= rating <= high:
            return write(rating)
        return f"less than {write(low)}" if rating < low else f"more than {write(high)}"

    def message(self) -> str:
        """Return the present level in a sentence, empty if it is unknown."""
        try:
            found = self.opponent()
        except EvenmatchError as error:
            return f"Your level cannot be estimated: {error}."
        return "" if found is None else found[1]


def stays_matched(saved: Saved) -> bool:
    """Return whether the game after one that was put aside is at the person's level again."""
    return saved.by_profile and player_name(saved.opponent) == EVEN


def has_levels(game: str) -> bool:
    """Return whether a game has levels of people, and opponents at them."""
    from evenmatch.profiles.raters import scale_of

    return game_info(game).rated is not None and scale_of(game) is not None


def checked_target(target: float | None, info: GameInfo) -> float:
    """Return the share of points that a person is to expect; UsageError if it cannot be."""
    if target is None:
        return EVEN_SCORE
    if not LEAST_TARGET <= target <= MOST_TARGET:
        raise UsageError(
            f"--target {target:g} is not a share of points; choose one from {LEAST_TARGET:g} to "
            f"{MOST_TARGET:g}"
        )
    if info.written != "elo" and target != EVEN_SCORE:
        raise UsageError(f"--target is for Elo, such as at chess; leave it out at {info.game}")
    return target


def rating_said(text: str, info: GameInfo, option: str = "") -> float:
    """Return the claimed rating of a person: a number, a rank or one of WORDS.

    UsageError for another text; it names the ``option`` that contained it.
    """
    words, scale = WORDS[info.written], SCALES[info.written]
    word = text.strip().lower()
    meant = (rating for name, rating in words.items() if word and name.startswith(word))
    known = next(meant, word)
    try:
        rating = scale.read(known)
    except UsageError:
        rating = -1.0
    if not is_rating(info.game, rating):
        example = next(iter(words.values()))
        low, high = map(scale.write, known_range(info.game))
        raise UsageError(
            f"{quoted(text)} is not a level; write {f'{option} {example}'.strip()}, or one of: "
            f"{', '.join(words)} (levels go from {low} to {high})"
        )
    return rating


# -- a level that an option names -------------------------------------------------------------


class LevelOption(NamedTuple):
    """The level that an option names."""

    option: str  #: --elo or --rank
    text: str  #: what was written after it


def level_option(elo: float | None, rank: str | None) -> LevelOption | None:
    """Return the level that the options name, None if they name none. UsageError for two."""
    if elo is not None and rank is not None:
        raise UsageError("--elo and --rank both say the level; keep one of them")
    if rank is not None:
        return LevelOption("--rank", rank)
    return None if elo is None else LevelOption("--elo", f"{elo:g}")


def player_at(level: LevelOption, info: GameInfo, keys: str = "") -> tuple[str, str]:
    """Return the spec of the player at a level, and a note on it; UsageError if there is none.

    ``keys`` are others of the spec, such as ",net=FILE".
    """
    option = f"--{info.level}"
    if info.rated is None:
        rated = [x.game for x in CATALOG.values() if x.rated and f"--{x.level}" == level.option]
        known = ", ".join(rated) or "no game yet"
        raise UsageError(f"{level.option} is for {known}; leave it out in {info.game}")
    if level.option != option:
        right = f"{option} {USUAL[info.written]}"
        raise UsageError(f"{level.option} is not for {info.game}; write {right}, for example")
    return spec_at_rating(info.game, level.text, f"{option} {level.text}", keys)


def ranked(player: str | None, rank: str, game: str) -> tuple[str, str]:
    """Return the spec of the player of a rank, and a note on it; UsageError beside --player."""
    if player is not None:
        raise UsageError("--rank and --player both say who plays; keep one of them")
    return player_at(LevelOption("--rank", rank), game_info(get_game(game).id))
