"""A person's own page: levels, scores, and what a finished game's moves gave up.

It is answered at once; evidence that is missing is found meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import Counter, OrderedDict
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from evenmatch.app.game_words import against, no_level_yet, results_hint
from evenmatch.app.move_review import MyLosses
from evenmatch.errors import NetworkError
from evenmatch.frontends.web import serialize
from evenmatch.frontends.web.http_json import MEDIA
from evenmatch.frontends.web.service import Service
from evenmatch.games import GAMES, get_game
from evenmatch.play.saved import YOU
from evenmatch.profiles import Finished, Profile
from evenmatch.profiles.games import Tally
from evenmatch.profiles.raters import scale_of

LATEST = 30  #: finished games in the list


def name_shown(person: str) -> str:
    """Return how a person is called on the page."""
    return "You" if person == YOU else person


class PartsText(NamedTuple):
    """What games of a kind lost by part, in words, and by which games that is."""

    tally: Tally
    text: str


Parts = dict[str, PartsText]  #: by kind of game
ByKind = dict[str, list[Finished]]


class State(NamedTuple):
    """What a page depends on; equal states give equal pages. It is found without the games."""

    tallies: dict[str, Tally]  #: by kind
    due: dict[str, int]  #: games by kind that are not judged yet
    claimed: dict[str, float | None]  #: ratings by kind
    parts: Parts


class Page(NamedTuple):
    """A person's page, and what it was made of."""

    state: State
    games: ByKind
    told: dict[str, Any]


def my_page(profile: Profile, person: str, parts: Parts, last: Page | None = None) -> Page:
    """Return a person's games by kind, with their level after each that is judged.

    Nothing is judged for it: ``judging`` tells how many games are still to be. ``waiting`` is
    whether anything is missing by then; ``parts`` are those that are known. Of the page as it was
    made ``last`` all is taken that has not changed.
    """
    state = _state(profile, person, parts)
    if last is not None and last.state == state:
        return last
    same = last is not None and last.state.tallies == state.tallies
    games = last.games if last is not None and same else _by_kind(profile, person)
    return Page(state, games, _told(profile, person, state, games))


def _state(profile: Profile, person: str, parts: Parts) -> State:
    tallies, levels = profile.games.tallies(person), profile.levels
    due = {kind: levels.count_unrated(person, kind) for kind in tallies}
    return State(tallies, due, {kind: levels.claimed(person, kind) for kind in tallies}, parts)


def _told(profile: Profile, person: str, state: State, by_kind: ByKind) -> dict[str, Any]:
    parts, due = state.parts, sum(state.due.values())
    known = _still_known(parts, state.tallies).keys() == state.tallies.keys()
    latest = sorted(chain(*by_kind.values()), key=lambda one: (one.ended, one.row))[-LATEST:]
    return {
        "name": name_shown(person),
        "guest": profile.accounts.is_guest(person),
        "games": [_of_kind(profile, person, games, parts) for games in by_kind.values()],
        "finished": [serialize.of_finished(game) for game in reversed(latest)],
        "exports": _exports(profile, person, by_kind),
        "judging": due,
        "waiting": bool(due) or not known,
    }


def _exports(profile: Profile, person: str, by_kind: ByKind) -> list[str]:
    """Return the forms in which there is something to download."""
    forms = {serialize.notation_of(kind) for kind in by_kind}
    if by_kind or profile.guesses.of(person):
        forms.add("json")
    return [form for form in MEDIA if form in forms]


def _by_kind(profile: Profile, person: str) -> ByKind:
    """Return a person's finished games by kind, in order."""
    found: ByKind = {kind: [] for kind in GAMES}
    for game in profile.games.finished(person):
        found[game.saved.game].append(game)
    return {kind: games for kind, games in found.items() if games}


def _of_kind(profile: Profile, person: str, games: list[Finished], parts: Parts) -> dict[str, Any]:
    kind = games[0].saved.game
    history = profile.levels.history(person, kind, max_new=0, games=games)
    now = profile.levels.now(person, kind, max_new=0, games=games) if history else None
    shown = [serialize.of_level(kind, level) for level in history if not level.missing]
    return {
        "id": kind,
        "title": get_game(kind).title,
        "scale": scale_of(kind),
        "level": serialize.of_level(kind, now),
        "no_level_yet": no_level_yet(now) if now else "",
        "hint": results_hint(now) if now and not now.missing else "",
        "history": shown,
        "scores": _scores(games),
        "parts": parts[kind].text if kind in parts else "",
    }


def parts_of(profile: Profile, person: str, known: Parts) -> Parts:
    """Return what a person's games lost by part; what is known of the same games is not redone."""
    tallies = profile.games.tallies(person)
    found = _still_known(known, tallies)
    for kind in tallies.keys() - found.keys():
        if games := profile.games.finished(person, kind):
            found[kind] = PartsText(tallies[kind], _parts_text(games))
    return found


def _still_known(parts: Parts, tallies: dict[str, Tally]) -> Parts:
    """Return those parts that are of the games of these tallies."""
    return {kind: one for kind, one in parts.items() if one.tally == tallies.get(kind)}


def _parts_text(games: list[Finished]) -> str:
    try:
        return MyLosses(games, None).parts_text()
    except NetworkError:
        return ""


def _scores(games: list[Finished]) -> list[dict[str, Any]]:
    """Return the score against each opponent, those met most in front."""
    met: dict[str, Counter[int]] = {}
    for game in games:
        met.setdefault(against(game), Counter())[game.outcome.result] += 1
    return [
        {"against": name, "games": c.total(), "won": c[1], "drawn": c[0], "lost": c[-1]}
        for name, c in sorted(met.items(), key=lambda item: -item[1].total())
    ]


def reviewed(profile: Profile, person: str, game: Finished) -> dict[str, Any]:
    """Return the chances of the person after each ply, and what the moves gave up."""
    level = profile.levels.now(person, game.saved.game, max_new=0)
    level = None if level is None or level.missing else level
    judged = MyLosses([game], level, profile.games)
    try:
        told, losses = judged.chances[0], judged.latest
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


T = TypeVar("T")
LOG = logging.getLogger("evenmatch.web")
MOST_REMEMBERED = 1000  #: people of whom is remembered what their games lost by part
MOST_PAGES = 32  #: people whose games are held in memory while they are judged


class MyPages:
    """What is known of people, and who has their games judged now."""

    def __init__(self, service: Service):
        self._service = service
        self._parts: OrderedDict[str, Parts] = OrderedDict()
        self._working: dict[str, asyncio.Task[None]] = {}
        self._failed: dict[str, Exception] = {}
        # of those who have games judged, and ask again; who asked last is last
        self._pages: OrderedDict[str, Page] = OrderedDict()

    async def page(self, person: str) -> dict[str, Any]:
        """Return a person's page as it is known, and begin to find what it lacks.

        Raises what went wrong when that was tried last.
        """
        key = person.casefold()
        if error := self._failed.pop(key, None):
            raise error
        known, last = self._parts.get(key, {}), self._pages.get(key)
        page = await self._service.run(my_page, self._service.profile, person, known, last)
        if page.told["waiting"]:
            _remember(self._pages, key, page, MOST_PAGES)
            if key not in self._working:
                self._working[key] = asyncio.create_task(self._work(person, key))
        return page.told

    async def _work(self, person: str, key: str) -> None:
        try:
            await self._service.judge_all(person)
            known, profile = self._parts.get(key, {}), self._service.profile
            found = await self._service.judge(person, parts_of, profile, person, known)
            _remember(self._parts, key, found, MOST_REMEMBERED)
        except Exception as error:  # told to who asks again
            LOG.warning("games cannot be judged: %s", error)
            self._failed[key] = error
        finally:
            if self._working.get(key) is asyncio.current_task():
                del self._working[key]
                self._pages.pop(key, None)

    def forget(self, person: str) -> None:
        """Let go of what is known of a person."""
        key = person.casefold()
        if task := self._working.pop(key, None):
            task.cancel()  # or what it finds of deleted games would be kept
        self._parts.pop(key, None)
        self._pages.pop(key, None)
        self._failed.pop(key, None)

    def close(self) -> None:
        """Begin nothing more."""
        for task in self._working.values():
            task.cancel()


def _remember(known: OrderedDict[str, T], key: str, one: T, most: int) -> None:
    """Keep what is known of a person; beyond `most`, forget who asked longest ago."""
    known[key] = one
    known.move_to_end(key)
    if len(known) > most:
        known.popitem(last=False)
