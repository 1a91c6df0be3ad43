"""How even games are, by designs of an opponent, against strangers that nothing was fitted to.

Each design meets every stranger in one or more ways (`shared/even_games.py`): as *strangers*, in
*series*, and through a *profile*, which is what ``evenmatch play GAME`` does. Beside them stand
*equals*, a stranger with itself: how long such games stay open, and how many are drawn; and a
*coin*, tossed before each game between full strength and random moves: its mean score is 1/2, but
its games are decided early.

The measure is the root mean square over strangers of (score - 1/2), without what chance adds to it
(`shared/debiased.py`). W - L is 2 (score - 1/2); aims that were once stated as a mean of abs(W - L)
are read as that root mean square. Strangers against which full strength scores less than 0.4 are
listed apart: nothing here can be even with them.

The strangers are of families that nothing is fitted to (`strangers` with ``held_out``). Seeds are
by way and stranger: all designs meet from the same openings.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from evenmatch.games import get_game
from evenmatch.opponents import resolve
from evenmatch.opponents.even_row import first_guess
from evenmatch.opponents.fitted import CONSTANTS
from evenmatch.opponents.rating_range import spec_of_strength
from evenmatch.progress import Progress
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, figure
from evenmatch_lab.shared.agents import networks
from evenmatch_lab.shared.even_games import (
    FULL,
    OPENINGS,
    WEAKEST,
    Evenness,
    meet_by_coin,
    meet_by_profile,
    meet_in_series,
    meet_itself,
    meet_strangers,
    score_of_row,
    score_rows,
)
from evenmatch_lab.shared.opponents import FEW, Row, seed_of
from evenmatch_lab.shared.strangers import (
    EVERYBODY,
    HELD_OUT,
    Stranger,
    is_installed,
    programs_of,
    strangers,
)


class Size(NamedTuple):
    """How much is played with each stranger."""

    games: int  #: each on its own
    rounds: int = 20  #: games of a series
    series: int = 5
    every: int = 1  #: of so many strangers, in their order, one meets it in series
    equals: int = 20  #: games of a stranger with itself
    full: int = 20  #: games of full strength


SIZES = {
    "connect4": Size(40),
    "othello6": Size(40),
    "othello": Size(40, every=3),
    "go9": Size(20, every=3, equals=10),
    "chess": Size(12, every=3, equals=6, full=6),
}  #: by game; where one takes longer there are fewer
GAMES = tuple(SIZES)
QUICK = Size(4, 2, 2, equals=2, full=2)
SEED = 59
REACH = 0.4  #: least score of full strength against a stranger that counts
FIRST = 5  #: games of a series that are reported apart
AIMS = {"strangers": 0.10, "series": 0.05, "profile": 0.05}  #: of the root mean square
AIM_AT_GO = 0.15  #: with strangers on 9x9
EQUALS, STRENGTH, PLAY = "equals", "full strength", "evenmatch play"
COIN = "coin"
#: Of ``even`` on a game, its numbers and its dial: raise one and its games are played again.
VERSIONS = dict.fromkeys(GAMES, 2) | {"chess": 3}


def designs(game_id: str, quick: bool = False) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return the designs that are measured: by name the spec, and the ways in which they meet.

    ``quick``: few of them, all ways on the first game alone. A design whose code is of an earlier
    commit has an empty spec: its results are shown where they are there.
    """
    few = f"sims={FEW}"
    known: dict[str, tuple[str, tuple[str, ...]]] = {
        "even": ("even", ("strangers", "series")),
        PLAY: (PLAY, ("profile",)),
        COIN: (FULL, ("strangers",)),
        "fixed level": (fixed_level(game_id), ("strangers",)),
        "intra": ("intra", ("strangers",)),
        "inter": ("inter", ("series",)),
    }
    if game_id in CONSTANTS["fitted"].get("alphadda1", {}):
        known["alphadda1"] = ("alphadda1", ("strangers",))
    if quick:
        quick_specs = {"even": f"even:{few}", COIN: f"{FULL}:{few}", "inter": f"inter:{few}"}
        if game_id not in GAMES[:1]:
            known = {name: (known[name][0], ("strangers",)) for name in ("even", COIN)}
        kept = {name: known[name] for name in ("even", PLAY, COIN, "inter") if name in known}
        return {name: (quick_specs.get(name, spec), ways) for name, (spec, ways) in kept.items()}
    return known | {name: ("", ways) for name, ways in EARLIER.items()}


def fixed_level(game_id: str) -> str:
    """Return the player of a rating at the strength that a stranger is taken to have."""
    return spec_of_strength(game_id, first_guess(game_id))[0]


#: Designs of earlier commits, by the names that their results have: how they met strangers.
EARLIER: dict[str, tuple[str, ...]] = {"even at 8939ec84": ("strangers", "series")}


def parts(quick: bool, *game_ids: str) -> dict[str, Part]:
    """One part a game, design, way and stranger; those that say most are in front."""
    by_key: dict[str, Part] = {}
    for game_id in game_ids or (GAMES[:1] if quick else GAMES):
        met = everybody(game_id, quick)
        size = QUICK if quick else SIZES[game_id]
        full = f"{FULL}:sims={FEW}" if quick else FULL
        known = designs(game_id, quick).items()
        work = [(name, spec, way) for name, (spec, ways) in known for way in ways]
        work[1:1] = [(STRENGTH, full, "strangers")]
        work[3:3] = [(EQUALS, "", EQUALS)]
        for name, spec, way in work:
            few = size._replace(games=size.full) if name == STRENGTH else size
            by_key |= _parts(game_id, name, spec, way, met, few)
    return by_key


def everybody(game_id: str, quick: bool = False) -> tuple[Stranger, ...]:
    """Return the strangers whose families are held out, also those whose program is not here."""
    if quick:
        return strangers(game_id, True, quick)[:1]
    return tuple(one for one in EVERYBODY[game_id] if one.family in HELD_OUT)


def _parts(
    game_id: str, design: str, spec: str, way: str, met: Sequence[Stranger], size: Size
) -> dict[str, Part]:
    """Return the parts in which a design meets all strangers in a way.

    Those of a design, or of a program, that is not here have only results from elsewhere.
    """
    sizes = {
        "strangers": {"games": size.games},
        EQUALS: {"games": size.equals},
        "series": {"series": size.series, "games": size.rounds},
        "profile": {"series": size.series, "games": size.rounds},
    }
    found = {}
    for one in met[:: size.every] if "series" in sizes[way] else met:
        key = key_of(game_id, design, way, one.name)
        seed = seed_of(SEED, f"{way}: {one.name}")
        settings: dict[str, Any] = {"player": spec, "stranger": one.spec, "family": one.family}
        settings |= sizes[way] | {"seed": seed}
        if way != "profile":
            settings["openings"] = OPENINGS[game_id]
        specs = [one.spec] if spec in ("", PLAY) else [spec, one.spec]
        settings["networks"] = networks(*specs, game_id=game_id)
        if spec and spec != PLAY:
            values = resolve(spec, get_game(game_id)).values
            settings["numbers"] = str(tuple(x for x in values if x[1] is not None))
        if design in ("even", PLAY):
            settings["version"] = VERSIONS[game_id]
        here = all(map(is_installed, programs_of(one.spec))) and (spec or way == EQUALS)
        work = partial(measure, game_id, design, spec, way, one, size, seed)
        found[key] = Part(settings, work if here else None)
    return found


def key_of(game_id: str, design: str, way: str, stranger: str) -> str:
    """Return the name of a part."""
    return f"{game_id} | {design} | {way} | {stranger}"


def measure(
    game_id: str,
    design: str,
    spec: str,
    way: str,
    stranger: Stranger,
    size: Size,
    seed: int,
    progress: Progress,
    done: Results,
) -> dict[str, Any]:
    """Let a design meet a stranger in a way."""
    game, met = get_game(game_id), {stranger.name: stranger.spec}
    if way == EQUALS:
        row = meet_itself(game, stranger.spec, size.equals, seed, progress)
    elif way == "profile":
        row = meet_by_profile(game, stranger.spec, size.series, size.rounds, seed, progress)
    elif way == "series":
        rows = meet_in_series(game, spec, met, size.series, size.rounds, seed, progress)
        row = rows[stranger.name]
    elif design == COIN:
        coin = (spec, WEAKEST)
        row = meet_by_coin(game, coin, met, size.games, seed, progress)[stranger.name]
    else:
        row = meet_strangers(game, spec, met, size.games, seed, progress)[stranger.name]
    return {"row": row}


# -- the page ------------------------------------------------------------------------------------


class Table(NamedTuple):
    """The rows of one game by design and way, each by stranger."""

    rows: dict[tuple[str, str], dict[str, Row]]
    families: dict[str, str]  #: of strangers
    beyond: tuple[str, ...]  #: strangers beyond full strength

    @classmethod
    def of(cls, results: Results) -> "Table":
        """Return the table of the parts of one game."""
        rows: dict[tuple[str, str], dict[str, Row]] = {}
        families = {}
        for key, part in results.items():
            _, design, way, name = key.split(" | ")
            rows.setdefault((design, way), {})[name] = part["row"]
            families[name] = part["settings"]["family"]
        full = rows.get((STRENGTH, "strangers"), {})
        beyond = tuple(name for name, row in full.items() if score_of_row(row)[0] < REACH)
        return cls(rows, families, beyond)

    def within(self, design: str, way: str) -> dict[str, Row]:
        """Return the rows of strangers within reach."""
        rows = self.rows.get((design, way), {})
        return {name: row for name, row in rows.items() if name not in self.beyond}

    def past(self, design: str, way: str) -> dict[str, Row]:
        """Return the rows of strangers beyond full strength."""
        rows = self.rows.get((design, way), {})
        return {name: row for name, row in rows.items() if name in self.beyond}

    @property
    def measured(self) -> list[tuple[str, str]]:
        """The designs and ways, in their order."""
        return [key for key in self.rows if key[0] not in (EQUALS, STRENGTH)]


def tables(results: Results) -> dict[str, Table]:
    """Return the table of each game."""
    by_game = groupby(results.items(), key=lambda pair: pair[0].partition(" | ")[0])
    return {game_id: Table.of(dict(some)) for game_id, some in by_game}


#: What of a series is reported apart, by name; of ways without series everything.
SLICES = {f"games 1 to {FIRST}": slice(0, FIRST), f"games {FIRST + 1} on": slice(FIRST, None)}


def slices_of(way: str, rows: Mapping[str, Row]) -> dict[str, slice]:
    """Return the slices of a way's units that are reported, by what they are called."""
    if way not in ("series", "profile"):
        return {way: slice(None)}
    rounds = min(len(row["results"][0]) for row in rows.values())
    return {f"{way}, {name}": some for name, some in SLICES.items() if (some.start or 0) < rounds}


def aim_of(game_id: str, way: str, some: slice) -> float | None:
    """Return the aim of the root mean square in a way to meet; None in first games of series."""
    if way != "strangers" and not some.start:
        return None
    return AIM_AT_GO if (game_id, way) == ("go9", "strangers") else AIMS[way]


def page(results: Results) -> list[str]:
    """Write for each game a table of designs, one of strangers, and those beyond full strength."""
    lines = [
        "RMS: root mean square over strangers of (score - 1/2), less what chance adds; a square "
        "below 0 is shown beside the 0 that it counts as. W - L = 2 (score - 1/2).",
    ]
    for game_id, one in tables(results).items():
        title = get_game(game_id).title
        lines += ["", f"## {title}", "", design_table(game_id, one)]
        lines += ["", f"### {title}, by stranger", "", stranger_table(one, within=True)]
        absent = [x.name for x in everybody(game_id) if x.name not in one.families]
        if absent:
            lines += ["", f"Not met here: {'; '.join(absent)}."]
        if one.beyond:
            lines += ["", f"### {title}, beyond full strength", "", stranger_table(one, False)]
    return lines


HEADS = (
    "design",
    "games",
    "strangers",
    "games with each",
    "RMS of score - 1/2 (95%)",
    "95% over strangers",
    "aim",
    "chance stays below",
    "mean abs(W - L)",
    "equals show",
    "RMS, each side apart",
    "mean score",
    "drawn",
    "decided after plies",
    "of equals'",
    "share of the game",
    "distinct games",
)


def design_table(game_id: str, one: Table) -> str:
    """Write how even the games of each design were, with strangers within reach."""
    lines = []
    equal = one.within(EQUALS, EQUALS)
    for design, way in one.measured:
        rows = one.within(design, way)
        if not rows:
            continue
        shared = {name: equal[name] for name in rows if name in equal}
        beside = score_rows(shared) if shared else None
        for name, some in slices_of(way, rows).items():
            cells = evenness_cells(score_rows(rows, some), aim_of(game_id, way, some), beside)
            lines.append([design, name, *cells])
    if equal:
        own = score_rows(equal)
        shown = ["-"] * (len(HEADS) - 2)
        shown[:2] = [str(own.opponents), str(own.games)]
        shown[10:] = [f"{own.drawn:.0%}", f"{own.open_plies:.1f}", "100%", f"{own.open:.0%}",
                      f"{own.distinct} of {own.total}"]  # fmt: skip
        lines.append([EQUALS, "a stranger with itself", *shown])
    return table(HEADS, lines, left=(0, 1))


def evenness_cells(one: Evenness, aim: float | None, equal: Evenness | None) -> list[str]:
    """Write the cells of a design, beside equals' games."""
    low, high = one.rms.over_opponents
    return [
        str(one.opponents),
        str(one.games),
        one.rms.text(),
        f"{low:.2f} to {high:.2f}" if one.opponents > 1 else "-",
        "-" if aim is None else f"{aim:.2f}",
        f"{one.chance:.2f}",
        f"{one.imbalance:.2f}",
        f"{one.equal_imbalance:.2f}",
        f"{one.by_side.value:.2f}",
        f"{one.score:.2f}",
        f"{one.drawn:.0%}",
        f"{one.open_plies:.1f}",
        f"{one.open_plies / equal.open_plies:.0%}" if equal and equal.open_plies else "-",
        f"{one.open:.0%}",
        f"{one.distinct} of {one.total}",
    ]


def stranger_table(one: Table, within: bool) -> str:
    """Write the score against each stranger, draws in brackets."""
    rows_of = one.within if within else one.past
    columns: list[tuple[str, dict[str, Row], slice]] = []
    full, equal = rows_of(STRENGTH, "strangers"), rows_of(EQUALS, EQUALS)
    for design, way in one.measured:
        if rows := rows_of(design, way):
            some = slices_of(way, rows)
            columns += [(f"{design}, {name}", rows, games) for name, games in some.items()]
    names = [x for x in one.families if (x in one.beyond) != within]
    heads = ["stranger", "family", "full strength", *(name for name, _, _ in columns)]
    lines = [
        [
            name,
            one.families[name],
            score_text(full, name),
            *(score_text(rows, name, some) for _, rows, some in columns),
            f"{score_of_row(equal[name])[1]:.0%}" if name in equal else "-",
        ]
        for name in names
    ]
    return table([*heads, "equals draw"], lines, left=(0, 1))


def score_text(rows: Mapping[str, Row], name: str, games: slice = slice(None)) -> str:
    """Write a score with its share of draws."""
    if name not in rows:
        return "-"
    score, drawn = score_of_row(rows[name], games)
    return f"{score:.2f} ({drawn:.0%})"


def plot(results: Results, path: Path) -> None:
    """Draw the score against each stranger, a panel a game: of ``even`` and of what is played."""
    known = tables(results)
    for axes in figure(path, len(known), height=5.0, width=max(5.5, 11 / 3 * len(known))):
        for axis, (game_id, one) in zip(axes, known.items(), strict=True):
            for design, way in (("even", "strangers"), ("even", "series"), (PLAY, "profile")):
                rows = one.rows.get((design, way), {})
                scores = [score_of_row(row)[0] for row in rows.values()]
                axis.plot(scores, list(rows), "o", label=way)
            axis.axvline(0.5, color="0.6", lw=0.8)
            axis.set(title=get_game(game_id).title, xlim=(-0.02, 1.02), xlabel="score")
            axis.tick_params(axis="y", labelsize=6)
            axis.invert_yaxis()
        axes[0].legend(frameon=False, fontsize=8)


EXPERIMENT = Experiment(
    "evenness",
    "How even games are, by designs, against strangers that nothing was fitted to",
    parts,
    page,
    plot,
    games=GAMES,
)
