"""The page *You*: a person's report as the page shows it, and the review of a finished game.

It is answered at once; games that were not rated yet are rated meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import OrderedDict
from typing import Any

from evenmatch.app.game_words import no_level_yet, results_hint
from evenmatch.app.move_review import MyLosses
from evenmatch.app.report import GameReport, met, reports
from evenmatch.errors import NetworkError
from evenmatch.frontends.web import serialize
from evenmatch.frontends.web.service import Service
from evenmatch.games import get_game
from evenmatch.profiles import Finished, Profile
from evenmatch.profiles.games import Tally
from evenmatch.profiles.raters import scale_of

LOG = logging.getLogger("evenmatch.web")
LATEST = 30  #: finished games in the list
MOST_TEXTS = 2000  #: texts on parts of games that are kept in memory


class MyPages:
    """The pages of all people, and the work on those that lack something."""

    def __init__(self, service: Service):
        self._service, self._profile = service, service.profile
        #: what moves lost by part of the game, by folded person and game, and by which games
        self._texts: OrderedDict[tuple[str, str], tuple[Tally, str]] = OrderedDict()
        self._working: dict[str, asyncio.Task[None]] = {}
        self._failed: dict[str, Exception] = {}

    async def page(self, person: str) -> dict[str, Any]:
        """Return a person's page as far as it is known, and begin to find what it lacks.

        Raises the error of the latest attempt to find it.
        """
        key = person.casefold()
        if error := self._failed.pop(key, None):
            raise error
        page = await self._service.run(self._page, person)
        if page["waiting"] and key not in self._working:
            self._working[key] = asyncio.create_task(self._work(person, key))
        return page

    def _page(self, person: str) -> dict[str, Any]:
        profile, tallies = self._profile, self._profile.games.tallies(person)
        due = sum(profile.levels.count_unrated(person, kind) for kind in tallies)
        texts = {kind: self._text(person, kind, tally) for kind, tally in tallies.items()}
        found = reports(profile, person, max_new=0)
        games = sorted((game for one in found for game in one.games), key=_when)
        forms = {serialize.notation_of(one.kind) for one in found}
        if found or profile.guesses.of(person):
            forms.add("json")
        return {
            "name": serialize.name_shown(person),
            "guest": profile.accounts.is_guest(person),
            "games": [_of_game(one, texts.get(one.kind) or "") for one in found],
            "finished": [serialize.of_finished(game) for game in games[: -LATEST - 1 : -1]],
            "exports": [form for form in serialize.MEDIA if form in forms],
            "judging": due,
            "waiting": bool(due) or None in texts.values(),
        }

    def _text(self, person: str, kind: str, tally: Tally) -> str | None:
        """Return what is known of the parts of these games, None if nothing."""
        known = self._texts.get((person.casefold(), kind))
        return known[1] if known and known[0] == tally else None

    async def _work(self, person: str, key: str) -> None:
        try:
            await self._service.judge_all(person)
            for kind, tally in (
                await self._service.run(self._profile.games.tallies, person)
            ).items():
                if self._text(person, kind, tally) is None:
                    text = await self._service.judge(
                        person, parts_text, self._profile, person, kind
                    )
                    self._texts[key, kind] = tally, text
                    self._texts.move_to_end((key, kind))
            while len(self._texts) > MOST_TEXTS:
                self._texts.popitem(last=False)
        except Exception as error:  # the next request says so
            LOG.warning("games cannot be judged: %s", error)
            self._failed[key] = error
        finally:
            if self._working.get(key) is asyncio.current_task():
                del self._working[key]

    def forget(self, person: str) -> None:
        """Drop what is known of a person."""
        key = person.casefold()
        if task := self._working.pop(key, None):
            task.cancel()  # or what it finds of deleted games would be kept
        self._failed.pop(key, None)
        for one in [one for one in self._texts if one[0] == key]:
            del self._texts[one]

    def close(self) -> None:
        """Begin nothing more."""
        for task in self._working.values():
            task.cancel()


def _when(game: Finished) -> tuple[float, int]:
    return game.ended, game.row


def _of_game(one: GameReport, parts: str) -> dict[str, Any]:
    level = one.now if one.now and one.now.games else None  # not what they said of themselves
    return {
        "id": one.kind,
        "title": get_game(one.kind).title,
        "scale": scale_of(one.kind),
        "level": serialize.of_level(one.kind, level),
        "no_level_yet": no_level_yet(level) if level else "",
        "hint": results_hint(level) if level and not level.missing else "",
        "history": [serialize.of_level(one.kind, level) for level in one.history],
        "scores": [
            {"against": name, "games": c.total(), "won": c[1], "drawn": c[0], "lost": c[-1]}
            for name, c in met(one.games)
        ],
        "parts": parts,
    }


def parts_text(profile: Profile, person: str, kind: str) -> str:
    """Say what a person's moves lost in each part of a game; empty if that cannot be judged."""
    try:
        games = profile.games.finished(person, kind)
        return MyLosses(games, None).parts_text() if games else ""
    except NetworkError:
        return ""


def reviewed(profile: Profile, person: str, game: Finished) -> dict[str, Any]:
    """Return the chances of the person after each ply, and what the moves gave up."""
    level = profile.levels.now(person, game.saved.game, max_new=0)
    review = MyLosses([game], None if level is None or level.missing else level, profile.games)
    try:
        chances, losses = review.chances[0], review.latest
    except NetworkError:
        return {"chances": [], "losses": []}
    return {
        "chances": [round(float(chance), 4) for chance in chances],
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
