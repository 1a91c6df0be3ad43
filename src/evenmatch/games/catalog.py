"""The catalog of games: all that is known of a game stands in one row of ``CATALOG``.

Plain data. Other rooms (records, training, estimation, players, front ends) know no game; they
look up here which network, opponent, rating scales and board a game has. What needs code, such as
the rules or the reader of records, is named by its module, so that a look-up loads nothing.
Numbers that were fitted to a method, such as those of `pikl`, stand with the method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True)
class BoardStyle:
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
    extra_networks: bool = False  #: whether one comes that asks `GameInfo.extra_networks` too
    on_request: bool = False  #: whether estimates are told on it only where it is asked for
    ranks: tuple[int, int, int] | None = None
    """The ranks to estimate: where the weakest begins, their width, how many; None: those of the
    network's strength head."""
    below: int = 0
    """How many ranks below those of ``ranks`` the estimator has too, for weaker people."""
    phases: bool = False  #: whether estimators of opening, middle game and ending come with it
    shifts: Mapping[str, float] = field(default_factory=dict)
    """Elo that is taken off games of a speed, by the speed's name, where they look stronger than
    their ratings (`evenmatch experiment game_speeds`)."""
    bands: tuple[int, ...] = ()
    """The bands of ratings that tables are of: where they begin, and the end; empty: the ranks."""
    conditioned_as: str = ""
    """The scale that a network is asked about where it does not know this one; empty: none."""


@dataclass(frozen=True, kw_only=True)
class GameInfo:
    """One game. The defaults serve a game that has rules and nothing else."""

    game: str  #: its id
    rules: str = ""  #: module in ``evenmatch.games`` and class of its rules: "go:Go"
    size: int | None = None  #: of the board, where the class takes one
    board_style: BoardStyle = field(default_factory=BoardStyle)
    opponent: str = "mcts"  #: the spec of the player that strangers meet by default
    rated: str | None = None  #: the name of the player that plays at a rating; None: nobody does
    branching: float = 10  #: legal actions of a usual position
    simulations: int = 400  #: of a full search by default
    rated_simulations: int = 100  #: of a player of a rating by default, with which it is fitted
    solves: bool = False
    """Whether a search at full strength proves what is certain (`search.solver`). It is for games
    whose ends are sudden; the tables of the others were made without."""
    network: str | None = None  #: the file of the network that ships, in ``nets``
    architecture: str = "resnet"
    """The architecture of networks that learn from records: ``resnet``, of one board, or
    ``katago``, of every square one."""
    move_policy: bool = False  #: whether a resnet has Leela's policy head
    knots: tuple[int, ...] = tuple(range(600, 2801, 200))
    """The ratings that a condition lies between; a network keeps its own on its card."""
    ranks: Mapping[str, Any] = field(default_factory=dict)
    """The ranks of the strength head, as fields of `ratings.ranks.Ranks`; its own by default."""
    people_network: str | None = None
    """The file of the network that learned from people, in ``nets``; None: ``network`` did."""
    extra_networks: tuple[str, ...] = ()
    """Networks of other projects, in ``nets``, that an estimator may use: names without ending."""
    mixture_network: str | None = None
    """A network of several, in ``nets``, that predicts people's moves best: a name without
    ending. It takes as long as all of them."""
    evaluator: str = ""
    """The command of an engine that evaluates games for an estimate, if it is installed. It is to
    evaluate as those games were that the estimator learned from. Empty: none."""
    evaluator_nodes: int = 0  #: of its search of one position
    sources: tuple[RatingSource, ...] = ()  #: rating scales of people, the default in front
    all_moves_games: int | None = None
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
    fair_handicap: int = 9  #: stones beyond which the network gives up at once
    codec: str = "evenmatch.records.codec"  #: the module whose ``CODEC`` reads and replays records

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


CONNECT4 = GameInfo(
    game="connect4",
    rules="connect4:Connect4",
    opponent="even",
    board_style=BoardStyle(
        fields=("#2457b5", "#2457b5"),
        discs=("#e5484d", "#ffd43b"),
        hole="#122a5c",
        dot="#5c86d6",
        mark="#23304f",
        numbered=True,
        letters=("R", "Y"),
    ),
    simulations=200,
    rated="style",
    phases=(5, 12),
    network="connect4.onnx",
    codec="evenmatch.records.transcripts",
)

OTHELLO = GameInfo(
    game="othello",
    rules="othello:Othello",
    size=8,
    opponent="even",
    rated="style",
    phases=(10, 20),
    network="othello.onnx",
    simulations=400,
    codec="evenmatch.records.transcripts",
)
OTHELLO6 = GameInfo(
    game="othello6",
    rules="othello:Othello",
    size=6,
    opponent="even",
    rated="style",
    phases=(5, 11),
    network="othello6.onnx",
    simulations=200,
    codec="evenmatch.records.transcripts",
)

CHESS = GameInfo(
    game="chess",
    rules="chess:Chess",
    board_style=BoardStyle(
        fields=("#8b9fae", "#5c7284"),
        discs=("#ffffff", "#0b0d0e"),
        dot=None,
        mark="#b0983a",
        letters=("PNBRQK", "pnbrqk"),
        figures="♟♞♝♜♛♚",
        upward=True,
        turned=True,
        paired=True,
    ),
    opponent="even",
    rated="pikl",
    branching=35,
    simulations=400,
    solves=True,
    network="chess.onnx",
    move_policy=True,
    extra_networks=("maia-1100", "maia-1500", "maia-1900"),
    mixture_network="chess-people",
    evaluator="stockfish",
    evaluator_nodes=1_500,
    sources=(
        RatingSource(
            name="lichess-rapid",
            speed="rapid",
            servers=("Lichess", "evenmatch"),
            ships=True,
            extra_networks=True,
            below=1,
            phases=True,
        ),
        RatingSource(name="fide", ships=True, on_request=True),
        RatingSource(
            name="chess.com",
            servers=("Chess.com",),
            ships=True,
            on_request=True,
            ranks=(200, 200, 7),
            shifts={"blitz": 160},
            conditioned_as="lichess-rapid",
        ),
    ),
    phases=(10, 25),
    notation="pgn",
    servers=(("lichess.org", "Lichess"), ("lichess", "Lichess"), ("chess.com", "Chess.com")),
    endings=(".pgn",),
    protocol="uci",
    codec="evenmatch.records.chess.codec",
)

_GO_BOARD = BoardStyle(
    fields=("#c9a063", "#c9a063"),
    discs=("#101112", "#f6f3ea"),
    dot=None,
    mark="#d8452e",
    lines="#6f5327",
    letters=("X", "O"),
    columns="ABCDEFGHJKLMNOPQRST",
    upward=True,
)
_GO_SERVERS = (
    ("gokgs", "KGS"),
    ("kgs", "KGS"),
    ("online-go", "OGS"),
    ("ogs", "OGS"),
    ("fox", "Fox"),
)

# Numbers of ranks as records have them: 30k is 100, 1k 3000, 1d 3100, 9d 3900, 1p 4000, 9p 4080.
# A band begins half a rank below its first.
_OGS_BANDS = (50, 1550, 2150, 2650, 3050, 3550)  #: 30k-16k, 15k-10k, 9k-5k, 4k-1k, 1d-5d
_DANS = tuple(range(3050, 3951, 100))  #: each dan
_GO_SOURCES = (
    RatingSource(
        name="ogs",
        servers=("OGS",),
        written="kyu",
        ships=True,
        ranks=(850, 400, 7),
        bands=_OGS_BANDS,
    ),
    RatingSource(
        name="kgs",
        servers=("KGS",),
        written="kyu",
        ships=True,
        on_request=True,
        ranks=(3050, 100, 9),
        bands=_DANS,
    ),
    RatingSource(
        name="fox",
        servers=("Fox",),
        written="kyu",
        ranks=(3850, 100, 3),
        bands=(3850, 3950, 4100),  # 9d, professionals
    ),
)
_GO_BANDS = (*_OGS_BANDS, 3950, 4100)  #: of another server: 6d-9d and professionals, too

GO9, GO13, GO = (
    GameInfo(
        game=game,
        rules="go:Go",
        size=size,
        opponent="even",
        board_style=_GO_BOARD,
        branching=branching,
        phases=phases,
        simulations=200,
        rated_simulations=32,
        network="go.onnx",
        people_network="go-people.onnx",
        rated="pikl",
        architecture="katago",
        ranks={"lowest": 1000, "width": 200, "count": 16},  # 21k-20k to 8d-9d, professionals
        knots=tuple(range(100, 4101, 400)),
        servers=_GO_SERVERS,
        codec="evenmatch.records.go.codec",
        written="kyu",
        sources=_GO_SOURCES if size == 19 else (),
        bands=_GO_BANDS,
        all_moves_games=5,
        notation="sgf",
        fair_handicap=5 if size == 9 else 9,
        endings=(".sgf", ".sgfs") if size == 19 else (),  # 19x19, unless another is asked for
    )
    for game, size, branching, phases in (
        ("go9", 9, 50, (8, 20)),
        ("go13", 13, 120, (15, 45)),
        ("go", 19, 250, (25, 75)),
    )
)

CATALOG: dict[str, GameInfo] = {
    info.game: info for info in (CONNECT4, OTHELLO6, OTHELLO, CHESS, GO9, GO13, GO)
}
SOURCES: dict[str, tuple[GameInfo, RatingSource]] = {
    source.name: (info, source) for info in CATALOG.values() for source in info.sources
}  #: by the name of the rating scale, which belongs to one game


def game_info(game_id: str) -> GameInfo:
    """Return the row of a game; a game without one gets the defaults."""
    return CATALOG.get(game_id) or GameInfo(game=game_id)


def games_by(protocol: str) -> tuple[str, ...]:
    """Return the games that are played by a protocol: gtp or uci."""
    return tuple(info.game for info in CATALOG.values() if info.protocol == protocol)


def game_of_files(files: Sequence[Path]) -> str | None:
    """Return the game of the first file, or of those in that folder, by the ending of its name."""
    for path in files[:1]:
        paths = sorted(path.rglob("*")) if path.is_dir() else [path]
        for info in CATALOG.values():
            if any(ending in _endings(file) for file in paths for ending in info.endings):
                return info.game
    return None


def _endings(path: Path) -> list[str]:
    """Return the last two endings of a name, of which one may be that of a compressed file."""
    return [ending.lower() for ending in path.suffixes[-2:]]
