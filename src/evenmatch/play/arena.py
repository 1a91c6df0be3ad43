"""The arena: many games at once, in lockstep, between any players.

All games advance together: each round, every player moves in all its games at once, so that
one network call serves all of them.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.games.game import Game, States
from evenmatch.games.line import GIVEN, Line
from evenmatch.opponents.controller import State
from evenmatch.opponents.engine import Engine, InGame, Opponent, resolve
from evenmatch.opponents.player import RESIGN, Decision, Player
from evenmatch.opponents.search_player import SearchPlayer
from evenmatch.progress import Progress, ignore
from evenmatch.ratings import Pentanomial, Score
from evenmatch.search.forest import seeds_from

Finished = Callable[["Played"], None]  # is called with each game as it ends
Specs = Sequence["str | Opponent"]  # a spec is resolved by the calibrations that ship
Watch = Callable[[int, list[int], list[Decision], Player], None]
"""Is called after an entrant's moves: entrant, its games numbered from 0, decisions, player."""
Learned = Callable[[int, int, State], None]
"""Is called after a game: entrant, its game numbered from 0, what it remembers."""
Play = Callable[..., "list[Played]"]  # plays as `play` does
Openings = Mapping[int, Sequence[int]] | Sequence[Sequence[int]]  # opening number -> first actions


OPENING_TRIES = 1000  # random games looked at for one opening
OPENING_DRAWS = 100  # openings looked at for one that no other number has


@dataclass(frozen=True)
class Pairing:
    """One game to play: two entrants by number, and the opening it starts from."""

    first: int  #: entrant that moves first
    second: int
    opening: int = 0  #: games of equal opening number start from the same random position


@dataclass(frozen=True)
class Played:
    """A finished game."""

    pairing: Pairing
    result: float  #: 1, 0 or -1 for the entrant that moved first
    actions: tuple[int, ...]  #: the opening's actions included


@dataclass(frozen=True)
class MatchResult:
    """A match between two players, as the first of them sees it."""

    players: tuple[str, str]
    game: str
    seed: int
    games: tuple[Played, ...]
    seconds: float

    @property
    def score(self) -> Score:
        """Wins, losses and draws of the first player."""
        return self._count(self.games)

    @property
    def score_first(self) -> Score:
        """The same for the games in which the first player moved first."""
        return self._count([played for played in self.games if played.pairing.first == 0])

    @property
    def score_second(self) -> Score:
        """The same for the games in which the first player moved second."""
        return self._count([played for played in self.games if played.pairing.first == 1])

    @property
    def pairs(self) -> Pentanomial:
        """Scores of the first player's pairs of games from one opening, with either side."""
        return paired(self.games, 0, 1)

    @property
    def distinct(self) -> int:
        """How many of the games differ from all others."""
        return distinct_games(self.games)

    @staticmethod
    def _count(games: Sequence[Played]) -> Score:
        results = [g.result if g.pairing.first == 0 else -g.result for g in games]
        return Score(wins=results.count(1), losses=results.count(-1), draws=results.count(0))


def distinct_games(played: Iterable[Played]) -> int:
    """Return how many games differ: players that hardly draw lots repeat themselves."""
    return len({(one.pairing.first, one.pairing.second, one.actions) for one in played})


def paired(played: Iterable[Played], player: int, opponent: int) -> Pentanomial:
    """Return ``player``'s scores of pairs: a game from an opening with each side.

    The k-th games from an opening with either side are a pair; a game without its other is left
    out.
    """
    outcomes: dict[tuple[int, bool], list[float]] = defaultdict(list)
    for one in played:
        sides = one.pairing.first, one.pairing.second
        if sides in ((player, opponent), (opponent, player)):
            ahead = sides[0] == player
            outcomes[one.pairing.opening, ahead].append(one.result if ahead else -one.result)
    openings = {opening for opening, _ in outcomes}
    return Pentanomial.from_outcomes(
        pair
        for opening in openings
        for pair in zip(outcomes[opening, True], outcomes[opening, False], strict=False)
    )


def play_match(
    a: str | Opponent,
    b: str | Opponent,
    game: Game,
    games: int,
    *,
    seed: int = 0,
    openings: int = 0,
    progress: Progress = ignore,
    finished: Finished = ignore,
    by: Play | None = None,
) -> MatchResult:
    """Play ``games`` games between two opponents, or specs of such, half with each colour.

    With ``openings`` > 0 each pair of games starts from the same position, reached by that
    many random plies, with colours swapped; pairs start from different positions. ``progress``
    hears (games' worth of plies, all), ``finished`` each game as it ends: what is left of a match
    that is interrupted. ``by`` plays the games, `play` by default.
    """
    if games < 1:
        raise UsageError(f"cannot play {games} games; ask for at least 1")
    start = time.perf_counter()
    pairings = [Pairing(i % 2, 1 - i % 2, i // 2) for i in range(games)]
    played = (by or play)(
        [a, b], pairings, game, seed=seed, openings=openings, progress=progress, finished=finished
    )
    names = tuple(one if isinstance(one, str) else one.spec for one in (a, b))
    seconds = time.perf_counter() - start
    return MatchResult((names[0], names[1]), game.id, seed, tuple(played), seconds)


def round_robin(
    specs: Specs,
    game: Game,
    games: int,
    *,
    seed: int = 0,
    openings: int = 0,
    progress: Progress = ignore,
    by: Play | None = None,
) -> list[Played]:
    """Play ``games`` games between every two specs, half with each colour, by `play` or another."""
    pairings = [
        Pairing(*((i, j) if k % 2 == 0 else (j, i)), k // 2)
        for i in range(len(specs))
        for j in range(i + 1, len(specs))
        for k in range(games)
    ]
    return (by or play)(specs, pairings, game, seed=seed, openings=openings, progress=progress)


def play(
    specs: Specs,
    pairings: Sequence[Pairing],
    game: Game,
    *,
    seed: int = 0,
    openings: int = 0,
    lines: Openings = (),
    progress: Progress = ignore,
    watch: Watch = ignore,
    finished: Finished = ignore,
    at_once: int | None = None,
    most_plies: int | None = None,
    only: Sequence[int] | None = None,
) -> list[Played]:
    """Play all pairings among the entrants ``specs``; results in their order.

    Games begin with as many random plies as ``openings`` says, which lead to a position of its own
    for each opening number, or with the actions of ``lines`` that their opening numbers.
    ``at_once`` run together, all by default: where one ends, the next begins, so that network
    calls stay full and positions evaluated a ply ago are still cached.
    Games end as drawn after ``most_plies``. With ``only`` the pairings of these numbers alone are
    played, each as it would be among all.
    A game depends on its two entrants, its opening and its place among the pairings' seeds,
    not on what is played beside it.
    """
    entrants = _Entrants(specs, game, pairings)
    table = _Games(entrants, pairings, seed, watch, finished, at_once)
    table.most_plies = most_plies or game.max_plies
    table.keep_to(range(len(pairings)) if only is None else only)
    table.play_openings(lines or random_openings(game, openings, seed, pairings))
    return table.play(progress)


def play_series(
    specs: Specs,
    rounds: Sequence[Sequence[Pairing]],
    game: Game,
    *,
    seed: int = 0,
    openings: int = 0,
    progress: Progress = ignore,
    watch: Watch = ignore,
    learned: Learned = ignore,
) -> Iterator[list[Played]]:
    """Play rounds of games one after another; yield each round's results.

    Game i of every round is between the same two entrants, with either side, and the players
    take it as the same opponent again: those that learn from game to game do so here. With
    ``openings`` > 0 games begin as in ``play``; games of two rounds may share an opening.
    """
    opponents = [[{p.first, p.second} for p in pairings] for pairings in rounds]
    if any(pairs != opponents[0] for pairs in opponents):
        raise UsageError("game i of every round must be between the same two entrants; fix rounds")
    entrants = _Entrants(specs, game, rounds[0] if rounds else (), learned)
    due = sum(map(len, rounds))
    done = 0

    def all_progress(more: int, _: int) -> None:
        progress(done + more, due)

    lines = random_openings(game, openings, seed, [p for pairings in rounds for p in pairings])
    for pairings, word in zip(rounds, seeds_from(seed, len(rounds)), strict=True):
        table = _Games(entrants, pairings, int(word), watch)
        table.play_openings(lines)
        yield table.play(all_progress)
        done += len(pairings)


class _Entrants:
    """The opponents of a match, and what each remembers of its games' other side."""

    def __init__(
        self, specs: Specs, game: Game, pairings: Sequence[Pairing], learned: Learned = ignore
    ):
        """Make the players of all entrants that play. Raises as `Engine.player` does."""
        self.engine, self.learned = Engine(game), learned
        self.opponents = [
            spec if isinstance(spec, Opponent) else resolve(spec, game) for spec in specs
        ]
        self.memories: dict[tuple[int, int], State] = {}
        """By entrant and place: the number of a game among the entrant's own."""
        for entrant in sorted({entrant for p in pairings for entrant in (p.first, p.second)}):
            self.player(entrant)

    def player(self, entrant: int) -> Player:
        """Return what decides an entrant's turns."""
        return self.engine.player(self.opponents[entrant])

    def in_game(self, entrant: int, place: int, side: int, seed: int) -> InGame:
        """Return an entrant at the beginning of a game."""
        player = self.player(entrant)
        tree = player.new_tree() if isinstance(player, SearchPlayer) else None
        memory = self.memories.get((entrant, place), {})
        return InGame(self.opponents[entrant], side, seed, memory, tree)


class _Games:
    """Games that are played together: G games, K entrants."""

    def __init__(
        self,
        entrants: _Entrants,
        pairings: Sequence[Pairing],
        seed: int,
        watch: Watch,
        finished: Finished = ignore,
        at_once: int | None = None,
    ):
        self.game = entrants.engine.game
        self.entrants, self.pairings = entrants, pairings
        self.watch, self.finished = watch, finished
        self.lines = [Line(self.game) for _ in pairings]
        self.outcomes = np.zeros(len(pairings))
        self.resigned = np.zeros(len(pairings))  # result for the first if resigned, otherwise 0
        self.due = self.active = np.arange(len(pairings))
        self.at_once = at_once
        self.most_plies = self.game.max_plies
        self.places: list[dict[int, int]] = []  # of each game by entrant
        self.players: list[dict[int, InGame]] = []  # of each game by entrant
        self._begin(seed)

    def _begin(self, seed: int) -> None:
        """Give each entrant in each of its games a number and random numbers of its own."""
        counts = [0] * len(self.entrants.opponents)
        for pairing in self.pairings:
            places = {}
            for entrant in {pairing.first, pairing.second}:
                places[entrant] = counts[entrant]
                counts[entrant] += 1
            self.places.append(places)
        words = seeds_from(seed, len(counts))
        seeds = [seeds_from(int(word), count) for word, count in zip(words, counts, strict=True)]
        for pairing, places in zip(self.pairings, self.places, strict=True):
            self.players.append(
                {
                    entrant: self.entrants.in_game(
                        entrant,
                        place,
                        1 if entrant == pairing.first else -1,
                        int(seeds[entrant][place]),
                    )
                    for entrant, place in places.items()
                }
            )

    def keep_to(self, games: Sequence[int]) -> None:
        """Play these games alone, each as it would be among all."""
        self.due = self.active = np.array(games, np.intp)

    def play(self, progress: Progress) -> list[Played]:
        """Play all games to their ends."""
        while len(self.active):
            self.play_round()
            self.settle()
            progress(self.games_worth(), len(self.due))
        return self.results()

    def play_openings(self, lines: Openings) -> None:
        """Play the line of each opening number in all its games."""
        for line, pairing in zip(self.lines, self.pairings, strict=True):
            for action in lines[pairing.opening]:
                line.push(int(action), GIVEN)

    def play_round(self) -> None:
        """Let every player move once in each game where it is to move."""
        active = self.active[: self.at_once]
        sides = self.game.to_play(self._states(active))
        movers: dict[int, list[int]] = defaultdict(list)
        for game, side in zip(map(int, active), sides, strict=True):
            pairing = self.pairings[game]
            movers[pairing.first if side == 1 else pairing.second].append(game)
        for entrant in sorted(movers):
            self._move(entrant, movers[entrant])

    def _move(self, entrant: int, games: list[int]) -> None:
        """Let an entrant move in games."""
        opponent = self.entrants.opponents[entrant]
        players = [self.players[game][entrant] for game in games]
        lines = [self.lines[game] for game in games]
        turns = [player.turn(line) for player, line in zip(players, lines, strict=True)]
        found = self.entrants.engine.think([(opponent, turn) for turn in turns])
        for game, player, turn, decision in zip(games, players, turns, found, strict=True):
            player.take(turn, decision)
            if decision.action == RESIGN:
                self.resigned[game] = -1 if self.pairings[game].first == entrant else 1
            else:
                self.lines[game].push(decision.action)
        places = [self.places[game][entrant] for game in games]
        self.watch(entrant, places, found, self.entrants.player(entrant))

    def _states(self, games: NDArray[np.intp]) -> States:
        """Return the positions of games [n], [n, S]."""
        return np.array([self.lines[game].state for game in games])

    def games_worth(self) -> int:
        """Return how many games' worth of plies is played, to show progress.

        Games that advance together end together, so finished games alone say little. An
        unfinished game counts as its share of a full board.
        """
        plies = np.array([self.lines[game].ply for game in self.active], float)
        shares = np.minimum(plies / (self.game.height * self.game.width), 1)
        return int(len(self.due) - len(self.active) + shares.sum())

    def settle(self) -> None:
        """Take finished games off the table."""
        states = self._states(self.active)
        ended, values = self.game.outcome(states)
        firsts = np.where(ended, values, 0) * self.game.to_play(states)
        resigned = self.resigned[self.active] != 0
        firsts = np.where(resigned, self.resigned[self.active], firsts)
        plies = np.array([self.lines[game].ply for game in self.active])
        ended |= resigned | (plies >= self.most_plies)
        for game, result in zip(self.active[ended], firsts[ended], strict=True):
            self.outcomes[game] = result
            self._learn(int(game), float(result))
            self.finished(self.played(game))
        self.active = self.active[~ended]

    def _learn(self, game: int, result: float) -> None:
        """Let both sides of a finished game remember what it taught."""
        for entrant, player in self.players[game].items():
            own = result * player.side
            place = self.places[game][entrant]
            memory = self.entrants.engine.learn(player.opponent, player.mind, own)
            self.entrants.memories[entrant, place] = memory
            self.entrants.learned(entrant, place, memory)
        self.players[game] = {}  # their trees are not needed any more

    def results(self) -> list[Played]:
        """Return all games in the order of the pairings."""
        return [self.played(game) for game in map(int, self.due)]

    def played(self, game: int) -> Played:
        """Return a game that is over."""
        actions = tuple(self.lines[game].actions)
        return Played(self.pairings[game], float(self.outcomes[game]), actions)


def random_openings(
    game: Game,
    plies: int,
    seed: int,
    pairings: Iterable[Pairing],
    avoid: Iterable[Sequence[int]] = (),
) -> dict[int, list[int]]:
    """Return ``plies`` random actions for each opening number of the pairings.

    They lead to positions that differ, not by a symmetry of the board alone; where there are
    fewer, some occur again. None is one that the actions of ``avoid`` lead to, up to symmetry.
    UsageError if so many plies end every game, or no other position was found.
    """
    avoided = {_up_to_symmetry(game, _after(game, actions)) for actions in avoid}
    reached = set(avoided)
    openings = {}
    for number in sorted({pairing.opening for pairing in pairings}):
        rng = np.random.default_rng((seed, number))
        for _ in range(OPENING_DRAWS):
            actions, state = random_opening(game, plies, rng)
            position = _up_to_symmetry(game, state)
            if position not in reached or not plies:
                break
        if position in avoided:
            raise UsageError(f"openings={plies} leaves too few positions; ask for more plies")
        reached.add(position)
        openings[number] = actions
    return openings


def random_opening(game: Game, plies: int, rng: np.random.Generator) -> tuple[list[int], States]:
    """Return ``plies`` random actions that do not end the game, and where they lead."""
    for _ in range(OPENING_TRIES):
        state, actions = game.initial(), []
        for _ in range(plies):
            legal = game.legal_actions(state)[0]
            if not len(legal):
                break
            actions.append(int(rng.choice(legal)))
            state = game.after(state, np.array(actions[-1:]))
        if len(actions) == plies and not game.outcome(state)[0][0]:
            return actions, state
    raise UsageError(f"openings={plies} leaves no game of {game.id} to play; ask for fewer plies")


def _after(game: Game, actions: Sequence[int]) -> States:
    """Return where actions lead from the beginning."""
    state = game.initial()
    for action in actions:
        state = game.after(state, np.array([action]))
    return state


def _up_to_symmetry(game: Game, state: States) -> bytes:
    """Return a position as bytes that all its symmetric images share."""
    planes = game.encoded(state)[0].reshape(game.planes, -1)
    return min(planes[:, cells].tobytes() for cells in game.cell_symmetries)
