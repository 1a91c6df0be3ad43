"""Go by area scoring, on square boards of 2x2 to 19x19.

A move puts a stone on an empty point or passes. Chains without liberties are captured, suicide is
illegal, no position may repeat (positional superko), and two passes end the game. The larger area
wins, komi counted: Tromp-Taylor rules with suicide forbidden. Dead stones are not taken off;
to remove them, capture them.

What a search does not see: below its root a repetition more than eight plies back
(``games/go/state.py``). A game of three plies a point ends and is scored as it stands.
"""

from collections.abc import Iterable
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import MoveError, UsageError, quoted
from evenmatch.games.game import AreaGame, States, dihedral
from evenmatch.games.go import encoding, playouts, rules, state, text
from evenmatch.games.go.chains import Room, neighbours_of, new_room
from evenmatch.games.go.katago_planes import FORMAT, LADDERS, PLANES
from evenmatch.games.go.text import HANDICAP_KOMI, read_setup, setup_text

KOMI = {9: 7.0}  #: by size; 7.5 on others
MOST_KOMI = 400.0


class Go(AreaGame):
    """Go on a square board; an action is a point, the last one is pass."""

    family = "go"
    players = ("Black", "White")
    planes = PLANES  #: KataGo's 22 planes, and its 19 inputs of the whole board
    plane_formats = MappingProxyType({PLANES: FORMAT})
    searched_planes = LADDERS
    search_words = 0  #: of each size its own

    def __init__(self, size: int = 19):
        if not 2 <= size <= state.MOST_SIZE:
            raise UsageError(f"no Go board has size {size}; choose one from 2 to 19")
        self.size = size
        self.id = "go" if size == state.MOST_SIZE else f"go{size}"
        self.title = "Go" if size == state.MOST_SIZE else f"{size}x{size} Go"
        self.height = self.width = size
        self.points = size * size
        self.num_actions = self.max_legal = self.points + 1
        self.max_plies = state.PLIES_PER_POINT * self.points
        self.search_words = state.search_words(self.points)
        self.state_words = self.search_words + self.max_plies + 1
        self.komi = KOMI.get(size, 7.5)
        self.variant = {"size": size, "komi": self.komi}
        spots = text.star_points(size)
        self.stars = spots if size >= 13 else spots[:4] + spots[8:]
        self.cell_symmetries, self.action_symmetries = dihedral(size, 1)
        self.near = neighbours_of(size)  #: of each point [P, 4], -1 where there is none
        self._words = state.words_of(self.points)

    # -- positions -------------------------------------------------------------------------

    def initial(self, batch=1):
        """Return ``batch`` empty boards, [B, S], Black to move."""
        return np.tile(self.start(), (batch, 1))

    def start(
        self,
        *,
        komi: float | None = None,
        black: Iterable[int] = (),
        white: Iterable[int] = (),
        to_play: int = 1,
        bonus: int = 0,
    ) -> NDArray[np.uint64]:
        """Return a position [S] to begin from, such as one with handicap stones.

        ``black`` and ``white`` are the points of their stones, ``to_play`` is 1 or -1, ``bonus``
        the points that White gets for handicap stones beyond komi. Raises UsageError for a komi
        that is not half a whole number, for more bonus than there are points, and for stones that
        have no liberty or share a point.
        """
        if not 0 <= bonus <= self.points:
            raise UsageError(f"White cannot get {bonus} points for handicap stones")
        begun = np.zeros((1, self.state_words), np.uint64)
        for side, stones in enumerate((black, white)):
            for point in stones:
                self._set_stone(begun[0], side, point)
        set_komi(begun, self.points, self.komi if komi is None else komi)
        state.write_field(begun, self.points, "handicap", bonus)
        state.write_field(begun, self.points, "ko", state.POSITIONAL)
        state.write_field(begun, self.points, "side", int(to_play < 0))
        self._check_breathing(begun)
        recent = state.search_words(self.points) - state.RECENT
        begun[0, self.search_words] = begun[0, recent]
        return begun[0]

    def beginning(self, komi=None, handicap=None):
        """Return the text of a start; handicap stones lie as in GTP, White moves first then."""
        stones: tuple[int, ...] = ()
        if handicap is not None:
            try:
                stones = text.fixed_handicap(self.size, handicap)
            except ValueError as error:
                raise UsageError(
                    f"{self.id} has no handicap of {handicap} stones; choose {error}"
                ) from None
        if komi is None:
            komi = HANDICAP_KOMI if stones else self.komi
        if not stones and komi == self.komi:
            return ""
        to_play = -1 if stones else 0
        begun = setup_text(
            self.size, komi=komi, handicap=len(stones), black=stones, to_play=to_play
        )
        self.read_position(begun)  # refuses a komi that is none
        return begun

    def read_position(self, text):
        """Return the start [S] that properties of SGF stand for, such as KM[0.5]AB[dd][pp]PL[W]."""
        return self.start(**read_setup(text, self.size))

    def _set_stone(self, begun: NDArray[np.uint64], side: int, point: int) -> None:
        """Put a stone on an empty point of a position [S]."""
        if not 0 <= point < self.points or self.stones(begun[None])[0, point]:
            raise UsageError(f"cannot set a stone at {text.point_text(point, self.size)}")
        begun[side * self._words + point // 64] |= np.uint64(1 << point % 64)
        begun[self.search_words - state.RECENT] ^= state.ZOBRIST[side, point]

    def _check_breathing(self, begun: States) -> None:
        """Raise UsageError if a stone of the position [1, S] has no liberty."""
        stifled = np.flatnonzero((self.stones(begun)[0] != 0) & ~self._breathing(begun))
        if len(stifled):
            where = text.point_text(int(stifled[0]), self.size)
            raise UsageError(f"the stone at {where} has no liberty; leave it out")

    def _breathing(self, states: States) -> NDArray[np.bool_]:
        """Return which points of a position [1, S] have a stone of a chain with liberties, [P]."""
        free = np.zeros((1, self.points), np.bool_)
        rules.breathing(states, self.near, self.room(), free)
        return free[0]

    def as_roots(self, states):
        """Return positions [B, S'] of the search form, with what superko bans in them."""
        if states.shape[1] == self.search_words:
            return states
        out = np.empty((len(states), self.search_words), np.uint64)
        rules.to_search_form(states, self.near, self.room(), out)
        return out

    # -- kernels ---------------------------------------------------------------------------

    def advance(self, states, actions, out):
        """Write the positions after ``actions`` [B] to ``out`` [B, S]."""
        rules.advance(states, actions, self.near, self.room(), out)

    def generate(self, states, actions, counts, values):
        """Write legal actions [B, E], their counts [B] and outcomes [B]."""
        rules.generate(states, self.near, self.room(), actions, counts, values)

    def encode(self, states, out):
        """Write KataGo's inputs [B, 41, H, W], seen by the side to move."""
        encoding.encode(states, self.size, self.near, encoding.new_shown(self.size), out)

    def encode_with_suicide(self, states, out):
        """Write inputs as `encode` does, the planes of area as if suicide were legal."""
        marked = states.copy()
        state.write_field(marked, self.points, "suicide_area", 1)
        self.encode(marked, out)

    def playout(self, states, seeds, values):
        """Write outcomes [B] of random playouts; ``seeds`` [B] advance."""
        board = playouts.new_mailbox(self.size)
        playouts.playout(states, self.size, self.near, self.room(), board, seeds, values)

    def room(self) -> Room:
        """Return room for the floods of one call; threads must not share it."""
        return new_room(self.points)

    # -- what a position says --------------------------------------------------------------

    def stones(self, states: States) -> NDArray[np.int8]:
        """Return the stones [B, P]: 1 Black's, -1 White's, 0 none."""
        points = np.arange(self.points)
        bits = states[:, : 2 * self._words].reshape(len(states), 2, self._words)
        shown = bits[:, :, points // 64] >> (points % 64).astype(np.uint64) & np.uint64(1)
        return shown[:, 0].astype(np.int8) - shown[:, 1].astype(np.int8)

    def board(self, states):
        """Return boards [B, H, W]: 1 Black, -1 White, 0 empty; row 0 is the top."""
        return self.stones(states).reshape(-1, self.size, self.size)

    def to_play(self, states):
        """Return the side to move, [B]: 1 Black, -1 White."""
        return (1 - 2 * state.read_field(states, self.points, "side")).astype(np.int8)

    def owners(self, states: States) -> NDArray[np.int8]:
        """Return whose area each point is, [B, P]: 1 Black's, -1 White's, 0 neither's."""
        out = np.zeros((len(states), self.points), np.int8)
        state.owners(states, self.near, self.room(), out)
        return out

    def without(self, states, points):
        """Return positions [B, S] with the stones on some points taken off, to count area."""
        bare = states.copy()
        for point in points:
            for word in (point // 64, self._words + point // 64):
                bare[:, word] &= ~np.uint64(1 << int(point) % 64)
        return bare

    def lead(self, states: States) -> NDArray[np.float64]:
        """Return Black's area minus White's and komi, [B]."""
        return self.owners(states).sum(1, dtype=np.int64) - self.komi_of(states)

    def komi_of(self, states: States) -> NDArray[np.float64]:
        """Return the points that White gets, for handicap stones too, [B]."""
        twice = state.read_field(states, self.points, "komi")
        bonus = state.read_field(states, self.points, "handicap")
        return np.where(twice < 1 << 15, twice, twice - (1 << 16)) / 2 + bonus

    def with_komi(self, states: States, komi: float) -> States:
        """Return positions [B, S] that are played on with another komi; UsageError as `start`."""
        changed = states.copy()
        set_komi(changed, self.points, komi)
        return changed

    def captures(self, states: States) -> NDArray[np.int64]:
        """Return how many stones Black and White have captured, [B, 2]."""
        names = "taken_by_black", "taken_by_white"
        return np.stack([state.read_field(states, self.points, name) for name in names], 1)

    # -- for people ------------------------------------------------------------------------

    def action_text(self, state, action):
        """Write a point as players do: D4, columns without I, rows from the bottom; or pass."""
        return text.point_text(int(action), self.size)

    def read_action(self, state, words):
        """Read a point such as D4, or pass; MoveError says why a move is not legal."""
        action = text.read_point(words, self.size)
        if action in self.legal_actions(state[None])[0]:
            return action
        raise MoveError(f"{quoted(words.strip())} is not legal here: {self._why(state, action)}")

    def _why(self, state: NDArray[np.uint64], action: int) -> str:
        """Say why an action is not legal in ``state`` [S]."""
        if self.outcome(state[None])[0][0]:
            return "the game is over"
        if self.stones(state[None])[0, action]:
            return "there is a stone"
        if self._is_suicide(state, action):
            return "the stone would have no liberty (suicide)"
        return "the position would repeat an earlier one (ko)"

    def suicides(self, state: NDArray[np.uint64]) -> list[int]:
        """Return the points where the side to move would give up several stones, in state [S]."""
        stones = self.stones(state[None])[0]
        own = stones == int(self.to_play(state[None])[0])
        near = (own[self.near] & (self.near >= 0)).any(1)
        points = np.flatnonzero((stones == 0) & near).tolist()
        return [point for point in points if self._is_suicide(state, point)]

    def _is_suicide(self, state: NDArray[np.uint64], point: int) -> bool:
        """Tell whether a stone on an empty point would lie without liberty and capture nothing."""
        side = int(self.to_play(state[None])[0])
        after = state[None].copy()
        after[0, (side < 0) * self._words + point // 64] |= np.uint64(1 << point % 64)
        free = self._breathing(after)
        captures = (self.stones(after)[0] == -side) & ~free
        return not free[point] and not captures.any()

    def action_cell(self, state, action):
        """Return the point of an action, None for pass."""
        return None if action == self.points else int(action)

    def ending(self, state):
        """Say why the game is over in ``state`` [S]."""
        if not self.outcome(state[None])[0][0]:
            return ""
        return "two passes" if self.passed_out(state) else f"the limit of {self.max_plies} plies"

    def alarm(self, state):
        """Tell that a pass would end the game."""
        return "a pass ends the game" if self._passes(state) == 1 else ""

    def passed_out(self, state):
        """Tell whether two passes ended the game."""
        return self._passes(state) == 2

    def _passes(self, position: NDArray[np.uint64]) -> int:
        return int(state.read_field(position[None], self.points, "passes")[0])


def set_komi(states: States, points: int, komi: float) -> None:
    """Set the komi of positions [B, S]; UsageError unless it is a multiple of a half."""
    if not abs(komi) <= MOST_KOMI or 2 * komi != int(2 * komi):
        raise UsageError(
            f"komi {komi:g} is not possible; choose a whole or half number, such as 7.5, "
            f"{MOST_KOMI:g} at most"
        )
    state.write_field(states, points, "komi", int(2 * komi))
