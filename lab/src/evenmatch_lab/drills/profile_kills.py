"""A drill: two programs play on one profile, and are killed at random moments.

Each plays Connect Four against `random` by itself: begins games, goes on with any that are left,
finishes them. Before and after every move it writes a line to a log. Kills come at random moments
after it has begun to play, so that a slow machine does not spend the drill on starting programs.
After each kill the other one plays on, and a new one begins. At the end the database is compared
with the logs: it opens, every finished game is there once, no move that was written is missing or
doubled, and what the opponent was taught is as many games.
"""

import contextlib
import json
import multiprocessing
import os
import random
import signal
import sqlite3
import time
from collections import Counter
from pathlib import Path

import numpy as np

from evenmatch.errors import StateError
from evenmatch.frontends.terminal.saving import Keeper
from evenmatch.games import get_game
from evenmatch.profiles import Profile
from evenmatch.profiles.database import NAME
from evenmatch.sessions.saved import Saved
from evenmatch.sessions.session import Session

GAME, OPPONENT, PERSON = "connect4", "inter:sims=100", "Ada"
SHORTEST, LONGEST = 0.1, 1.0  #: seconds from one kill to the next
MINUTES = 30.0  #: for all games


def drill(games: int, seed: int, where: Path, minutes: float = MINUTES) -> dict[str, int]:
    """Play so many games in two programs and kill these; return what was seen."""
    context = multiprocessing.get_context("spawn")
    rng, number, kills = random.Random(seed), 0, 0
    folder = where / "state"
    children: list[multiprocessing.process.BaseProcess | None] = [None, None]
    logs = [where, where]
    play_on(where / "before", where / "before.txt", 1, 0)  # compiles what all need
    by = time.monotonic() + 60 * minutes
    while len(Profile(folder).games.finished(PERSON)) < games and time.monotonic() < by:
        for i, child in enumerate(children):
            if child is None or not child.is_alive():
                logs[i] = where / f"{number}.log"
                new = context.Process(target=play_on, args=(folder, logs[i], games, number))
                new.start()
                children[i], number = new, number + 1
        time.sleep(rng.uniform(SHORTEST, LONGEST))
        victim, log = rng.choice(list(zip(children, logs, strict=True)))
        if victim is not None and victim.is_alive() and log.exists():
            os.kill(victim.pid, signal.SIGKILL)  # type: ignore[arg-type]
            victim.join()
            kills += 1
    for child in filter(None, children):
        child.kill()
        child.join()
    return {"kills": kills} | compared(folder, sorted(where.glob("*.log")), games)


def play_on(folder: Path, log: Path, games: int, number: int) -> None:
    """Begin games and go on with those that are left, until so many are finished."""
    rng = np.random.default_rng(number)
    with log.open("a", encoding="utf-8") as out:
        while True:
            profile = Profile(folder)
            if len(profile.games.finished(PERSON)) >= games:
                return
            _play_one(profile, rng, out)
            profile.close()


def _play_one(profile: Profile, rng: np.random.Generator, out) -> None:
    place = None
    saved = Saved(
        game=GAME, opponent=OPPONENT, side=1, seed=int(rng.integers(1 << 30)), person=PERSON
    )
    with contextlib.suppress(StateError):
        place, saved = profile.games.resume(None)
    session, keeper = Session.resumed(saved, profile.memories), Keeper(profile, place)
    while not session.over:
        if session.yours:
            session.move(int(rng.choice(session.legal)))
        else:
            session.reply()
        keeper.keep(session)
        if keeper.problem:
            raise RuntimeError(keeper.problem)
        _say(out, "played", session)
    keeper.finish(session)
    _say(out, "finished", session)


def _say(out, what: str, session: Session) -> None:
    """Write a line that is in the file before anything else happens."""
    out.write(json.dumps([what, session.seed, session.actions]) + "\n")
    out.flush()


def compared(folder: Path, logs: list[Path], games: int) -> dict[str, int]:
    """Compare the database with the logs; count what is wrong."""
    with contextlib.closing(sqlite3.connect(folder / NAME)) as connection:
        sound = connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    profile = Profile(folder)
    kept = profile.games.finished(PERSON)
    played = {one.saved.seed: one.saved.actions for one in kept}
    played |= {one.saved.seed: one.saved.actions for one in profile.games.unfinished()}
    lines = [json.loads(line) for log in logs for line in log.read_text().splitlines() if line]
    ended = Counter(seed for what, seed, _ in lines if what == "finished")
    known = profile.memories.games_known(GAME, OPPONENT, PERSON)
    return {
        "finished games": len(kept),
        "of these distinct": len({one.saved.seed for one in kept}),
        "games wanted": games,
        "database damaged": int(not sound),
        "finished games that are missing": sum(
            seed not in {one.saved.seed for one in kept} for seed in ended
        ),
        "games finished twice": sum(count > 1 for count in ended.values()),
        "moves that are missing": sum(
            list(played.get(seed, ()))[: len(actions)] != actions for _, seed, actions in lines
        ),
        "games that are not by the rules": sum(not _is_whole(one.saved.actions) for one in kept),
        "games that taught nothing, or twice": abs(len(kept) - (known or 0)),
    }


def _is_whole(actions: tuple[int, ...]) -> bool:
    """Tell whether moves are a game from its beginning to its end."""
    game = get_game(GAME)
    state = game.initial()
    for action in actions:
        if action not in game.legal_actions(state)[0]:
            return False
        state = game.after(state, np.array([action]))
    return bool(game.outcome(state)[0][0])


WRONG = (
    "database damaged",
    "finished games that are missing",
    "games finished twice",
    "moves that are missing",
    "games that are not by the rules",
    "games that taught nothing, or twice",
)


def passed(seen: dict[str, int]) -> bool:
    """Tell whether the drill went well."""
    enough = seen["finished games"] >= seen["games wanted"]
    once = seen["finished games"] == seen["of these distinct"]
    return enough and once and not any(seen[name] for name in WRONG)
