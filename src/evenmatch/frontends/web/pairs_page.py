"""Person or program? Pairs of games to distinguish, and the answer to a guess."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from evenmatch.errors import UsageError
from evenmatch.frontends.web import serialize
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.games.line import Line
from evenmatch.opponents.rating_range import title_of
from evenmatch.profiles import Profile
from evenmatch.profiles.people import SURE, Guess
from evenmatch.ratings.scale import SCALES
from evenmatch.records.pairs import Pair, PairedGame, shipped_pairs


class GuessRequest(Struct):
    """The body of a request with a guess: a pair, one of its games, and how sure the person is."""

    id: str
    said: str = ""
    sure: str = ""


def next_pair(profile: Profile, person: str) -> dict[str, Any]:
    """Return the pair that a person judges next, None after the last, and their score so far.

    Nothing in it says which of the two games is the program's.
    """
    judged = profile.guesses.of(person)
    return {"pair": _shown(person, judged), "score": _score(judged)}


def judged(profile: Profile, person: str, body: GuessRequest) -> dict[str, Any] | None:
    """Keep a guess; return whether it is right, None if the person had guessed before."""
    pairs = shipped_pairs()
    pair = pairs.by_id.get(body.id)
    if pair is None:
        raise UsageError("there is no such pair of games; reload the page")
    if body.said not in (pair.people.id, pair.program.id):
        raise UsageError("say which of the two games is the program's")
    if body.sure not in SURE:
        raise UsageError(f"say how sure you are: {', '.join(SURE[:-1])} or {SURE[-1]}")
    right = body.said == pair.program.id
    guess = Guess(pair.id, body.said, body.sure, right, time.time(), pairs.game)
    if not profile.guesses.add(person, guess):
        return None
    return {
        "right": right,
        "program": pair.program.id,
        "player": title_of(pairs.game, pair.player),
        "score": _score(profile.guesses.of(person)),
    }


def _shown(person: str, judged: Iterable[Guess]) -> dict[str, Any] | None:
    pairs, known = shipped_pairs(), {guess.pair for guess in judged}
    due = next((one for one in _order(person, pairs.by_id) if one not in known), None)
    if due is None:
        return None
    pair = pairs.by_id[due]
    return {
        "id": pair.id,
        "game": pairs.game,
        "scale": pairs.scale,
        "label": pair.label,
        "ratings": _ratings(pairs.game, pair),
        "sure": SURE,
        "games": [_game(pairs.game, one) for one in _sides(person, pair)],
    }


def _order(person: str, ids: Iterable[str]) -> list[str]:
    """Return the pairs in the order in which a person sees them."""
    return _lots(person).sample(sorted(ids), len(shipped_pairs().by_id))


def _sides(person: str, pair: Pair) -> list[PairedGame]:
    """Return both games, the left one first."""
    return _lots(person, pair.id).sample(pair.games, 2)


def _lots(*seeds: str) -> random.Random:
    """Return a series of lots that is the same whenever a person comes back."""
    text = "\n".join(seed.casefold() for seed in seeds)
    return random.Random(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())


def _ratings(game_id: str, pair: Pair) -> str:
    write = SCALES[game_info(game_id).written].write
    return f"{write(pair.lowest)} to {write(pair.lowest + pair.width - 1)}"


def _game(game_id: str, shown: PairedGame) -> dict[str, Any]:
    """Return a game as the page replays it."""
    line = Line(get_game(game_id))
    for move in shown.moves:
        line.push(line.game.read_action(line.state, move))
    return {"id": shown.id, **serialize.of_position(line, []), "boards": serialize.boards_of(line)}


def _score(judged: list[Guess]) -> dict[str, int]:
    left = len(shipped_pairs().by_id.keys() - {guess.pair for guess in judged})
    return {"right": sum(guess.right for guess in judged), "judged": len(judged), "left": left}
