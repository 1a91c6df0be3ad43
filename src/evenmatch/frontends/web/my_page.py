"""What a person's own page tells: levels, scores, and what a finished game's moves gave up."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from evenmatch.errors import NetworkError
from evenmatch.estimation.review import chances
from evenmatch.frontends.commands.my_losses import MyLosses
from evenmatch.frontends.web import facts
from evenmatch.games import GAMES, get_game
from evenmatch.players.evaluators import load_evaluator
from evenmatch.profiles import Finished, Profile
from evenmatch.profiles.texts import line_of
from evenmatch.sessions.saved import YOU

LATEST = 30  #: finished games in the list


def name_shown(person: str) -> str:
    """Return how a person is called on the page."""
    return "You" if person == YOU else person


def my_page(profile: Profile, person: str) -> dict[str, Any]:
    """Return a person's games by kind, with their level after each that is judged."""
    played = profile.games.finished(person)
    kinds = [kind for kind in GAMES if any(game.saved.game == kind for game in played)]
    return {
        "name": name_shown(person),
        "guest": profile.accounts.is_guest(person),
        "games": [_of_kind(profile, person, kind, played) for kind in kinds],
        "finished": [facts.of_finished(game) for game in played[: -LATEST - 1 : -1]],
    }


def _of_kind(profile: Profile, person: str, kind: str, played: list[Finished]) -> dict[str, Any]:
    games = [game for game in played if game.saved.game == kind]
    history = profile.levels.history(person, kind, judging=0)
    now = profile.levels.now(person, kind, judging=0) if history else None
    try:
        parts = MyLosses(games, now).parts_text()
    except NetworkError:
        parts = ""
    return {
        "id": kind,
        "title": get_game(kind).title,
        "level": now and facts.of_level(kind, now),
        "history": [facts.of_level(kind, level) for level in history],
        "scores": _scores(games),
        "parts": parts,
    }


def _scores(games: list[Finished]) -> list[dict[str, Any]]:
    """Return the score against each opponent, those met most in front."""
    met: dict[str, Counter[int]] = {}
    for game in games:
        met.setdefault(facts.against(game), Counter())[game.outcome.result] += 1
    return [
        {"against": name, "games": c.total(), "won": c[1], "drawn": c[0], "lost": c[-1]}
        for name, c in sorted(met.items(), key=lambda item: -item[1].total())
    ]


def reviewed(profile: Profile, person: str, game: Finished) -> dict[str, Any]:
    """Return the chances of the person after each ply, and what the moves gave up."""
    rules = get_game(game.saved.game)
    level = profile.levels.now(person, game.saved.game, judging=0)
    try:
        told = chances(load_evaluator(rules), rules, line_of(game).states, game.saved.side)
        losses = MyLosses([game], level).latest()
    except NetworkError:
        return {"chances": [], "losses": []}
    return {
        "chances": [round(float(chance), 4) for chance in told],
        "losses": [
            {
                "ply": loss.ply + 1,  # of the position after it
                "move": loss.move,
                "lost": loss.lost,
                "played": None if math.isnan(loss.played) else loss.played,
                "likely": [one._asdict() for one in loss.likely],
            }
            for loss in losses
        ],
    }
