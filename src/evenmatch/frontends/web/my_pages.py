"""The pages *You*: each is answered at once, and what it does not know yet is found meanwhile."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from typing import Any, TypeVar

from evenmatch.frontends.web.my_page import Page, Parts, my_page, parts_of
from evenmatch.frontends.web.service import Service

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
