"""What is known of a game besides its rules: plain data that the rooms above look up.

A domain imports no other room. What needs code, such as how records are read, is named by the
module that holds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Look:
    """How a game's board is drawn. Colours are rich's: names or #rrggbb."""

    fields: tuple[str, str] = ("#1f7a4d", "#23834f")  #: the ground of odd and even cells
    discs: tuple[str, str] = ("#15181a", "#f4f1e6")  #: pieces of the first and second player
    hole: str | None = None  #: the colour of an empty cell's hole, if cells have holes
    dot: str | None = "#9fdcb4"  #: a legal move; None: moves are not shown
    lines: str | None = None  #: the colour of lines whose crossings the cells are; None: fields
    mark: str = "#ff5a4f"  #: the latest move, a winning line; the ground below a figurine
    letters: tuple[str, str] = ("X", "O")  #: the players' kinds of piece without colour
    figures: str = ""  #: the kinds of piece in colour, none if they are discs
    numbered: bool = False  #: columns are numbers, rows have no label
    columns: str = "abcdefghijklmnopqrstuvwxyz"  #: names of the columns
    upward: bool = False  #: rows are numbered from the bottom
    turned: bool = False  #: the second player sees the board turned
    counts: bool = True  #: the number of discs matters
    paired: bool = False  #: a move is one of each side's, when moves are counted

    def moves(self, plies: int) -> int:
        """Return how many moves that many plies are; one begun counts."""
        return (plies + 1) // 2 if self.paired else plies

    def letter(self, piece: int) -> str:
        """Return the letter of a piece: 1, 2, ... of the first player, negative of the second."""
        return self.letters[0 if piece > 0 else 1][abs(piece) - 1]

    def token(self, side: int) -> tuple[str, str]:
        """Return what stands for a side (1 or -1): in colour, and a letter."""
        return self.figures[-1:] or "●", self.letters[0 if side == 1 else 1][-1]


@dataclass(frozen=True, kw_only=True)
class RatingSource:
    """A kind of games that people's ratings come from, and that estimates are given on."""

    name: str  #: of the rating scale: that of a dataset's folder
    speed: str = ""  #: the name of a `records.record.Speed`; empty: any
    servers: tuple[str, ...] = ()  #: whose ratings are of this scale, as sites name them
    written: str = "elo"  #: how its ratings are written, a key of `ratings.scale.SCALES`
    ships: bool = False  #: whether an estimator comes with evenmatch
    listening: bool = False  #: whether one comes that hears other networks too
    on_request: bool = False  #: whether estimates are told on it only where it is asked for
    ranks: tuple[int, int, int] | None = None
    """The ranks to estimate: where the weakest begins, their width, how many; None: those of the
    network's strength head."""
    below: int = 0
    """How many ranks below those of ``ranks`` the estimator tells too, for weaker people."""
    phases: bool = False  #: whether estimators of opening, middle game and ending come with it
    shifts: Mapping[str, float] = field(default_factory=dict)
    """Elo that is taken off games of a speed, by the speed's name, where they look stronger than
    their ratings (`evenmatch experiment game_speeds`)."""
    bands: tuple[int, ...] = ()
    """The bands of ratings that tables are of: where they begin, and the end; empty: the ranks."""
    asked_as: str = ""
    """The scale that a network is asked about where it does not know this one; empty: none."""


@dataclass(frozen=True, kw_only=True)
class Domain:
    """One game in all the rooms. The defaults serve a game that has rules and nothing else."""

    game: str  #: id in GAMES
    look: Look = field(default_factory=Look)
    opponent: str = "even"  #: the spec of the player that a person meets by default
    rated: str | None = None  #: the name of the player that plays at a rating; None: nobody does
    branching: float = 10  #: legal actions of a usual position
    simulations: int = 400  #: of a full search by default
    rated_simulations: int = 100  #: of a player of a rating by default, with which it is fitted
    solves: bool = False
    """Whether a search at full strength proves what is certain (`search.solver`). It is for games
    whose ends are sudden; the tables of the others were made without."""
    network: str | None = None  #: the file of the network that ships, in ``nets``
    architecture: str = "resnet"
    """Of networks that learn from records: resnet, of one board, or katago, of every square one."""
    move_policy: bool = False  #: whether a resnet has Leela's policy head
    knots: tuple[int, ...] = tuple(range(600, 2801, 200))
    """The ratings that a condition lies between; a network keeps its own on its card."""
    ranks: Mapping[str, Any] = field(default_factory=dict)
    """What the strength head tells apart, fields of `ratings.ranks.Ranks`; its own by default."""
    people: str | None = None
    """The file of the network that learned from people, in ``nets``; None: ``network`` did."""
    heard: tuple[str, ...] = ()
    """Networks of others, in ``nets``, that an estimator may ask besides: names without ending."""
    mixture: str | None = None
    """A network of several, in ``nets``, that foretells people's moves best: a name without
    ending. It takes as long as all of them."""
    evaluator: str = ""
    """The command of an engine that evaluates games for an estimate, if it is installed. It is to
    evaluate as those games were that the estimator learned from. Empty: none."""
    evaluator_nodes: int = 0  #: of its search of one position
    sources: tuple[RatingSource, ...] = ()  #: rating scales of people, the default in front
    judged_whole: int | None = None
    """Games of one person of which an estimate judges every move, of later ones every second; None:
    all. It is for games whose networks take long."""
    phases: tuple[int, int] | None = None
    """The own moves, from 0, that the middle game and the ending begin with; None: no phases."""
    bands: tuple[int, ...] = ()  #: of a scale that is not in ``sources``, as `RatingSource.bands`
    notation: str = ""  #: of files of finished games: pgn, sgf, or empty if there is none
    servers: tuple[tuple[str, str], ...] = ()  #: sites of records, and their names for people
    written: str = "elo"  #: how ratings in its records are written, a key of `ratings.scale.SCALES`
    endings: tuple[str, ...] = ()  #: of names of files of its records, before one of compression
    protocol: str = "gtp"  #: by which programs speak to each other of this game: gtp or uci
    gtp_form: str = ""  #: how it is spoken by GTP, a key of ``FORMS`` there; empty: as any game
    fair_handicap: int = 9  #: stones beyond which the network gives up at once
    form: str = "evenmatch.records.form"  #: the module whose ``FORM`` reads and replays records

    @property
    def scales(self) -> tuple[str, ...]:
        """The names of the rating scales, the default in front."""
        return tuple(source.name for source in self.sources)

    @property
    def level(self) -> str:
        """What a level is called, in specs and options: elo or rank."""
        return "elo" if self.written == "elo" else "rank"

    def scale_of(self, rating: float) -> str | None:
        """Return the scale that a rating is of where none is named; None if there are none.

        The first whose bands hold it; the first below all bands, and the last above.
        """
        ends = {x.name: x.bands[-1] for x in self.sources if x.bands}
        default = next(reversed(ends), None) if ends else next(iter(self.scales), None)
        return next((name for name, end in ends.items() if rating < end), default)

    def source(self, scale: str) -> RatingSource:
        """Return what is known of a rating scale, which may be one of nobody's but the user's."""
        own = RatingSource(name=scale, written=self.written, bands=self.bands)
        return next((source for source in self.sources if source.name == scale), own)
