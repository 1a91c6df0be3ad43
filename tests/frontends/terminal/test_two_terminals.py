"""Two programs on one state folder: no game is lost or played twice, and both teach."""

import json
import multiprocessing
import os
from collections import Counter

import numpy as np

from evenmatch.app.start_game import PlayOptions, start
from evenmatch.errors import StateError
from evenmatch.frontends.terminal import game as terminal
from evenmatch.play.session import Session
from evenmatch.profiles import Profile

GAMES = 12  #: in all
OPPONENT, PERSON = "inter:sims=1", "Ada"
QUITS = 0.15  #: chance to leave the game instead of a move


class Restless:
    """Types random legal moves and sometimes leaves."""

    interactive = live = False

    def __init__(self, game, rng):
        self.game, self.rng = game, rng

    def next(self, prompt):
        session = self.game.session
        if session.begun and self.rng.random() < QUITS:
            return "quit"
        return session.text_of(self.rng.choice(session.legal))


def play_some(folder, number, log, together):
    """Begin games, go on with any, until a share of all is begun and none is left unfinished."""
    os.environ["EVENMATCH_STATE"] = folder
    rng = np.random.default_rng(number)
    seeds = list(range(number, GAMES, 2))
    finished = []
    _let_it_play_by_itself(rng, finished)
    together.wait(120)
    games = Profile().games
    while seeds or any(not games.is_open(one.name) for one in games.unfinished()):
        if seeds and rng.random() < 0.5:
            asked = PlayOptions(game="connect4", opponent=OPPONENT, seed=seeds.pop(), person=PERSON)
        else:
            free = [one.name for one in games.unfinished() if not games.is_open(one.name)]
            name = str(rng.choice(free)) if free and rng.random() < 0.5 else None
            asked = PlayOptions(game=name, resume=True, person=PERSON)
        try:
            begun = start(asked)
            terminal.TerminalGame(
                begun.session, begun.note, profile=begun.profile, kept=begun.kept
            ).run()
        except StateError:  # the other program has it, or has finished it
            continue
    with open(log, "w", encoding="utf-8") as out:
        json.dump(finished, out)


def _let_it_play_by_itself(rng, finished):
    """Let random moves come from a restless person; note which games were finished."""
    begin, finish = terminal.TerminalGame.__init__, Session.finish

    def restless(self, *args, **keys):
        begin(self, *args, **keys, words=Restless(self, rng))

    def noted(self):
        finish(self)
        finished.append(self.seed)

    terminal.TerminalGame.__init__ = restless
    Session.finish = noted
    Session.text_of = lambda self, action: self.game.action_text(self.state, int(action))


def test_games_in_two_terminals(tmp_path, monkeypatch):
    """Begun, left, gone on with by name or as the latest, finished, in random order."""
    state = str(tmp_path / "state")
    logs = [tmp_path / f"{number}.json" for number in range(2)]
    context = multiprocessing.get_context("spawn")
    together = context.Barrier(len(logs))
    children = [
        context.Process(target=play_some, args=(state, number, str(log), together))
        for number, log in enumerate(logs)
    ]
    for child in children:
        child.start()
    for child in children:
        child.join(300)
        child.kill()
    assert [child.exitcode for child in children] == [0, 0]
    finished = [json.loads(log.read_text()) for log in logs]
    monkeypatch.setenv("EVENMATCH_STATE", state)
    assert Counter(finished[0] + finished[1]) == Counter(range(GAMES)), "each once"
    profile = Profile()
    assert not profile.games.names()
    assert profile.memories.games_known("connect4", OPPONENT, PERSON) == GAMES, "all have taught"
    kept = Counter(one.saved.seed for one in profile.games.finished(PERSON))
    assert kept == Counter(range(GAMES)), "all are kept"
