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
from evenmatch.players import Networks, Player, Turns, make_player
from evenmatch.players.player import RESIGN
from evenmatch.progress import Progress, ignore
from evenmatch.ratings import Pentanomial, Score
from evenmatch.search.forest import seeds_from

Finished = Callable[["Played"], None]  # hears each game as it ends
Watch = Callable[[int, Turns, Player], None]  # hears who has just moved: entrant, turns, player
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
    a: str,
    b: str,
    game: Game,
    games: int,
    *,
    seed: int = 0,
    openings: int = 0,
    progress: Progress = ignore,
    finished: Finished = ignore,
    by: Play | None = None,
) -> MatchResult:
    """Play ``games`` games between two specs, half with each colour.

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
    return MatchResult((a, b), game.id, seed, tuple(played), time.perf_counter() - start)


def round_robin(
    specs: Sequence[str],
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
    specs: Sequence[str],
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
    ``at_once`` go on together, all by default: where one ends, the next begins, so that network
    calls stay full and what was judged a ply ago is remembered yet.
    What has ``most_plies`` is broken off, as drawn. Of all pairings ``only`` these are played, by
    number, each as it would be among all.
    A game depends on its two entrants, its opening and its place among the pairings' seeds,
    not on what is played beside it.
    """
    table = _Games(game, seat(specs, game, pairings), pairings, seed, watch, finished, at_once)
    table.most_plies = most_plies or game.max_plies
    table.keep_to(range(len(pairings)) if only is None else only)
    table.play_openings(lines or random_openings(game, openings, seed, pairings))
    return table.play(progress)


def play_series(
    specs: Sequence[str],
    rounds: Sequence[Sequence[Pairing]],
    game: Game,
    *,
    seed: int = 0,
    openings: int = 0,
    progress: Progress = ignore,
    watch: Watch = ignore,
) -> Iterator[list[Played]]:
    """Play rounds of games one after another; yield each round's results.

    Game i of every round is between the same two entrants, with either side, and the players
    take it as the same opponent again: those that learn from game to game do so here. With
    ``openings`` > 0 games begin as in ``play``; games of two rounds may share an opening.
    """
    opponents = [[{p.first, p.second} for p in pairings] for pairings in rounds]
    if any(pairs != opponents[0] for pairs in opponents):
        raise UsageError("game i of every round must be between the same two entrants; mend rounds")
    players = seat(specs, game, rounds[0] if rounds else ())
    due = sum(map(len, rounds))
    done = 0

    def all_progress(more: int, _: int) -> None:
        progress(done + more, due)

    lines = random_openings(game, openings, seed, [p for pairings in rounds for p in pairings])
    for pairings, word in zip(rounds, seeds_from(seed, len(rounds)), strict=True):
        table = _Games(game, players, pairings, int(word), watch)
        table.play_openings(lines)
        yield table.play(all_progress)
        done += len(pairings)


def seat(specs: Sequence[str], game: Game, pairings: Sequence[Pairing]) -> list[Player | None]:
    """Make the players of the entrants, each for as many games as it plays; None for none."""
    counts = [
        sum(entrant in (p.first, p.second) for p in pairings) for entrant in range(len(specs))
    ]
    networks = Networks(game)
    return [
        make_player(spec, game, count, networks) if count else None
        for spec, count in zip(specs, counts, strict=True)
    ]


class _Games:
    """Games that are played together.

    Shapes: G games, P plies, S words of a state, K entrants.
    """

    def __init__(
        self,
        game: Game,
        players: list[Player | None],
        pairings: Sequence[Pairing],
        seed: int,
        watch: Watch,
        finished: Finished = ignore,
        at_once: int | None = None,
    ):
        self.game = game
        self.players = players
        self.watch = watch
        self.finished = finished
        self.pairings = pairings
        count = len(pairings)
        self.history = np.zeros((count, game.max_plies + 1, game.state_words), np.uint64)
        self.actions = np.full((count, game.max_plies), -1, np.int32)
        self.plies = np.zeros(count, np.intp)
        self.entrants = np.array([(p.first, p.second) for p in pairings], int).reshape(-1, 2)
        self.outcomes = np.zeros(count)
        self.resigned = np.zeros(count)  # result for the first of a game given up, else 0
        self.due = self.active = np.arange(count)
        self.at_once = at_once
        self.most_plies = game.max_plies
        self.history[:, 0] = game.initial(count)
        self.places = self._places(len(players))
        self._begin(seed)

    def _places(self, entrants: int) -> NDArray[np.intp]:
        """Number each entrant's games from 0, [G, K]; -1 where it does not play."""
        places = np.full((len(self.pairings), entrants), -1)
        for entrant in range(entrants):
            mine = (self.entrants == entrant).any(1)
            places[mine, entrant] = np.arange(mine.sum())
        return places

    def _begin(self, seed: int) -> None:
        """Tell all players of their games."""
        seeds = seeds_from(seed, len(self.players))
        for entrant, player in enumerate(self.players):
            if player is not None:
                mine = np.nonzero(self.places[:, entrant] >= 0)[0]
                sides = np.where(self.entrants[mine, 0] == entrant, 1, -1).astype(np.int8)
                player.begin(np.arange(len(mine)), sides, int(seeds[entrant]))

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
        numbers = np.array([pairing.opening for pairing in self.pairings])
        for number in np.unique(numbers):
            games = np.nonzero(numbers == number)[0]
            for ply, action in enumerate(lines[number]):
                self._advance(games, np.full(len(games), action))
                assert (self.plies[games] == ply + 1).all()

    def play_round(self) -> None:
        """Let every player move once in each game where it is to move."""
        active = self.active[: self.at_once]
        states = self.history[active, self.plies[active]]
        seats = np.where(self.game.to_play(states) == 1, 0, 1)
        movers = self.entrants[active, seats]
        for entrant in np.unique(movers):
            games = active[movers == entrant]
            own = self.places[:, entrant]
            mine = np.nonzero(own >= 0)[0]
            player = self.players[entrant]
            assert player is not None
            turns = Turns(own[games], self.plies[games], self.history[mine], self.actions[mine])
            chosen = player.choose(turns)
            plays = chosen != RESIGN
            self._give_up(games[~plays], entrant)
            self._advance(games[plays], chosen[plays])
            self.watch(int(entrant), turns, player)

    def _give_up(self, games: NDArray[np.intp], entrant: int) -> None:
        """Note that an entrant has resigned."""
        self.resigned[games] = np.where(self.entrants[games, 0] == entrant, -1, 1)

    def _advance(self, games: NDArray[np.intp], actions: NDArray[np.intp]) -> None:
        plies = self.plies[games]
        self.actions[games, plies] = actions
        self.history[games, plies + 1] = self.game.after(self.history[games, plies], actions)
        self.plies[games] += 1

    def games_worth(self) -> int:
        """Return how many games' worth of plies is played, for those who wait.

        Games that advance together end together, so finished games alone say little. A
        game that goes on counts as its share of a full board.
        """
        shares = np.minimum(self.plies[self.active] / (self.game.height * self.game.width), 1)
        return int(len(self.due) - len(self.active) + shares.sum())

    def settle(self) -> None:
        """Take finished games off the table."""
        states = self.history[self.active, self.plies[self.active]]
        ended, values = self.game.outcome(states)
        firsts = np.where(ended, values, 0) * self.game.to_play(states)
        given_up = self.resigned[self.active] != 0
        firsts = np.where(given_up, self.resigned[self.active], firsts)
        ended |= given_up
        ended |= self.plies[self.active] >= self.most_plies
        for game, result in zip(self.active[ended], firsts[ended], strict=True):
            self.outcomes[game] = result
            for entrant, own in zip(self.entrants[game], (result, -result), strict=True):
                player = self.players[entrant]
                assert player is not None
                player.finish(int(self.places[game, entrant]), float(own))
            self.finished(self.played(game))
        self.active = self.active[~ended]

    def results(self) -> list[Played]:
        """Return all games in the order of the pairings."""
        return [self.played(game) for game in map(int, self.due)]

    def played(self, game: int) -> Played:
        """Return a game that is over."""
        actions = tuple(map(int, self.actions[game, : self.plies[game]]))
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
