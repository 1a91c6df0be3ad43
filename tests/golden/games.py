"""Recordings of what every player does: its moves in short games, and what a learner remembers.

Seed s of a game begins with OPENINGS[s // 2 % 10] random plies, so that short games see the middle
of long ones. In an even seed two opponents of the spec meet, in an odd one random legal moves
answer. Each opponent moves by itself, so that every network is asked for one game at a time.
"""

from __future__ import annotations

import json
from itertools import count

import adapter

PLIES = 10
OPENINGS = (0, 2, 4, 1, 6, 9, 3, 13, 18, 24)
LATER = {"connect4": 0.5, "othello6": 0.7, "chess": 1.5, "go": 2}  #: times as many; otherwise as is

#: How many seeds are recorded; fewer where a move costs more.
SEEDS = {"connect4": 20, "othello6": 20, "othello": 20, "chess": 20, "go9": 10, "go13": 4, "go": 4}
FEW = 4  #: seeds of specs with the player's own number of simulations, which is high
DEAR = {
    "alphadda1",
    "style:elo=1500",
    "style:elo=1200",
    "even",
    "even:elo=1200,unsure=100,moves=0.5,ahead=0,steer=0,give=0.3",
    "pikl:elo=800",
    "pikl:elo=1500",
}

_SEARCHES = """
random
mcts:sims=30
mcts:sims=25,c=1.5,open=2
alphazero:sims=16
alphazero:sims=16,reuse=on
alphazero:sims=16,leaves=4
alphazero:sims=16,c_puct=3
alphazero:sims=16,random_root=0.3
alphazero:sims=16,dropout=0.3
alphazero:sims=16,solve=on
alphazero:sims=16,solve=off
softmax:sims=16
softmax:sims=16,z=1.5
softmax:sims=16,z=-1
softmax:sims=16,z=1,top=3
softmax:sims=16,r_th=0.4
inter:sims=16
inter:sims=16,delta=1,r=0.5,floor=0.2
intra:sims=16
intra:sims=16,delta=0.6,epsilon=0.02,cool=12
style:s=0,sims=16
style:s=3,sims=16
style:s=6.5,sims=16
mctsdda:nmax=40
"""
_ALPHADDA = """
alphadda1
alphadda1:nmax=30
alphadda1:nh=3,a=2,x0=-0.5,nmax=24,quirks=off
alphadda1:nmax=30,quirks=on
alphadda2:sims=16
alphadda2:sims=16,pmax=0.7,x0=0.3,quirks=off
alphadda3:sims=16
alphadda3:sims=16,c=2,nh=1,quirks=on
"""
_PAPER = """
alphadda1:constants=paper,nmax=40
alphadda2:constants=paper,sims=16
alphadda3:constants=paper,sims=16
minimax1
minimax2
minimax1:depth=2,quirks=on
minimaxdda:depth=3
style:elo=1500
style:elo=1200
"""
_EVEN = """
even:sims=12
even:sims=12,elo=1200,unsure=200,steer=2,give=1,reserve=0
even:sims=12,elo=1900,course=0.5,ahead=0,rare=0.5,limit=0.5,reserve=0
"""
_CHESS = """
even
even:elo=1900,sims=8
even:elo=1200,unsure=100,moves=0.5,ahead=0,steer=0,give=0.3
human
human:elo=1100,temperature=0.5
human:elo=2200,temperature=0
human:elo=1500,scale=fide
pikl:elo=800
pikl:elo=1500
pikl:elo=1900,sims=12
pikl:elo=1500,lam=0.1,t=1.2,sims=12
pikl:elo=1500,lam=0.1,t=1.2,sims=12,plain=on
se:elo=1100,sims=12
se:elo=1900,sims=12
se:elo=1500,sims=12,told=on,cap=2.5
se:elo=1500,sims=12,plain=on,c_1=1,weaker=0.5
se:elo=1600,sims=12,scale=fide
se:elo=1500,sims=12,net=maia-1500
sa:elo=1000,sims=12
sa:elo=1900,sims=12,r_th=0.1
ace:elo=1100,sims=12
ace:elo=1900,sims=12
ace:elo=1500,sims=12,told=off
ace:elo=1500,sims=12,tau=0.5,t=2,c_puct=2
alphazero:sims=16,net=maia-1900
"""
_GO = """
even:sims=4
even:sims=4,rank=2d,unsure=200,moves=0.8,ahead=0,give=1
human
human:rank=15k,temperature=0.5
human:rank=3d,temperature=0
human:rank=5k,scale=kgs
pikl:rank=12k,sims=6
pikl:rank=2d,sims=6
pikl:rank=5k,lam=0.1,t=1.2,sims=6
se:rank=10k,sims=6
se:rank=1d,sims=6,cap=2.5,c_1=1
se:rank=5k,sims=6,scale=kgs,plain=on
sa:rank=10k,sims=6
sa:rank=1d,sims=6
"""
_DISCS = (_SEARCHES, _ALPHADDA, _PAPER, _EVEN)
_TABLE = {
    "connect4": _DISCS,
    "othello6": _DISCS,
    "othello": _DISCS,
    "chess": (_SEARCHES, _CHESS),
    **dict.fromkeys(("go9", "go13", "go"), (_SEARCHES, _ALPHADDA, _GO)),
}
SPECS = {game: [*"\n".join(parts).split()] for game, parts in _TABLE.items()}

_OF_DISCS = (
    "even:sims=12",
    "even:sims=12,unsure=300,fade=0.5",
    "inter:sims=16",
    "intra:sims=16",
    "alphadda1:nmax=30",
    "alphazero:sims=16,reuse=on",
)
_OF_PEOPLE = ("inter:sims=12", "intra:sims=12")
#: Players in series of three games against one person, and how many seeds.
LEARNERS = {
    "connect4": (10, _OF_DISCS),
    "othello6": (10, _OF_DISCS),
    "othello": (6, _OF_DISCS),
    "chess": (6, ("even:sims=8", "even:elo=1900,fade=0.5", "pikl:elo=1200,sims=8", *_OF_PEOPLE)),
    "go9": (3, ("even:sims=4", "human", *_OF_PEOPLE)),
    "go13": (2, ("even:sims=4", "inter:sims=8")),
    "go": (2, ("even:sims=4", "inter:sims=8")),
}
RESULTS = (1, -1, 0, 0.5, None, -1)  #: for the opponent: game g of seed s has number (s + g) % 6


def record(game: str) -> dict[str, list[str]]:
    """Return the actions of each seed's game by spec, those of the opening included."""
    return {
        spec: [
            written(short_game(game, spec, seed))
            for seed in range(FEW if spec in DEAR else SEEDS[game])
        ]
        for spec in SPECS[game]
        if adapter.known(spec)
    }


def record_learners(game: str) -> dict[str, list[str]]:
    """Return the actions of three games in a series for each seed, by spec."""
    seeds, specs = LEARNERS[game]
    return {spec: [series(game, spec, seed) for seed in range(seeds)] for spec in specs}


def written(actions: list[int]) -> str:
    """Write actions in a line."""
    return " ".join(map(str, actions))


# -- one game ------------------------------------------------------------------------------------


def short_game(game: str, spec: str, seed: int) -> list[int]:
    """Return the actions of a game: an opening, and PLIES plies that begin with the opponent's."""
    answers = Chance(1000 + seed)
    plies = round(OPENINGS[seed // 2 % 10] * LATER.get(game, 1))
    actions: list[int] = []
    while len(actions) < plies and (choices := adapter.legal(game, actions)):
        actions.append(answers.one_of(choices))
    while not adapter.legal(game, actions):  # some random games end so early
        actions.pop()
    given, first = list(actions), to_move(game, actions)
    one = adapter.Opponent(game, spec, given, first, 2 * seed + 1)
    other = adapter.Opponent(game, spec, given, -first, 2 * seed + 2) if seed % 2 == 0 else None
    for _ in range(PLIES):
        choices = adapter.legal(game, actions)
        if not choices:
            break
        mover = one if to_move(game, actions) == first else other
        actions.append(answers.one_of(choices) if mover is None else mover.choose(actions))
    return actions


def to_move(game: str, actions: list[int]) -> int:
    """Return the side to move, which alternates in all games here, passes included."""
    return 1 if len(actions) % 2 == 0 else -1


# -- a series ------------------------------------------------------------------------------------


def series(game: str, spec: str, seed: int) -> str:
    """Return the actions of three games against one person, whose sides alternate, as text.

    In the second game the person takes back a move, in the third the game is saved and resumed.
    """
    chance, memory, games = Chance(2000 + seed), None, []
    for number, end in zip(range(3), (_straight, _undone, _resumed), strict=True):
        side = 1 if (seed + number) % 2 == 0 else -1
        played = adapter.Played(game, spec, side, 10 * seed + number, memory)
        _advance(game, played, side, chance, PLIES // 2)
        played = end(game, played, side, chance)
        _advance(game, played, side, chance, PLIES)
        games.append(played.actions)
        memory = played.finish(RESULTS[(seed + number) % len(RESULTS)])
        memory = json.loads(json.dumps(memory))
    return " / ".join(map(written, games))


def _advance(game: str, played: adapter.Played, side: int, chance: Chance, plies: int) -> None:
    while len(played.actions) < plies and (choices := adapter.legal(game, played.actions)):
        if played.side == side:
            played.move(chance.one_of(choices))
        else:
            played.reply()


def _straight(game: str, played: adapter.Played, side: int, chance: Chance) -> adapter.Played:
    return played


def _undone(game: str, played: adapter.Played, side: int, chance: Chance) -> adapter.Played:
    played.undo()
    return played


def _resumed(game: str, played: adapter.Played, side: int, chance: Chance) -> adapter.Played:
    return adapter.Played.resumed(played.saved())


class Chance:
    """Random choices (splitmix64) that depend on neither numpy nor evenmatch."""

    def __init__(self, seed: int):
        self._words = (_mixed(seed * 0x2545F4914F6CDD1D + number) for number in count(1))

    def one_of(self, choices: list[int]) -> int:
        """Return one of the choices."""
        return choices[(next(self._words) >> 33) % len(choices)]


def _mixed(number: int) -> int:
    mask = 2**64 - 1
    word = number * 0x9E3779B97F4A7C15 & mask
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 & mask
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB & mask
    return word ^ (word >> 31)
