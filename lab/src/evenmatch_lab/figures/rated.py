"""Figures of chess players of a rating: what their moves lose, and games between them."""

from collections.abc import Sequence

import numpy as np

from evenmatch_lab.ace2019.class_tournament import METHODS as TOURNAMENTS
from evenmatch_lab.ace2019.class_tournament import Tournament, findings
from evenmatch_lab.chen2025.rank_strength import ITSELF, RANKED, by_program, of_arm
from evenmatch_lab.chen2025.rank_tournament import both_ways
from evenmatch_lab.chen2025.rank_tournament import rated as rated_by_games
from evenmatch_lab.chen2025.se_spread import CAPPED_IDEA, PLAIN, PUBLISHED, changed_share
from evenmatch_lab.figures.texts import rounded, span, table
from evenmatch_lab.ours.level_fit import name_of
from evenmatch_lab.ours.move_loss import (
    AGENTS,
    BOUND,
    PEOPLE,
    POSITIONS,
    by_class,
    known_before,
    tested,
)
from evenmatch_lab.ours.piece_drops import POINTS, STATES, pooled
from evenmatch_lab.ours.puzzle_ratings import orders
from evenmatch_lab.result_files import Results
from evenmatch_lab.shared.agents import CLASSES, RANKS, RATINGS, WIDTH, scores_of
from evenmatch_lab.shared.engine_losses import estimate, percent
from evenmatch_lab.shared.equivalence import DIFFERENT, EQUIVALENT

NAMED = dict(zip(CLASSES, RATINGS, strict=True))  #: the middle of each class


def move_loss(rows: Results) -> dict[str, str]:
    """What players' moves lose in percent, beside people's in the same positions."""
    found, figures, lines, halves = by_class(rows), {}, [], []
    shown = ("pikl", "sa", "se", "ace", "human", "alphazero")
    for label, lowest in CLASSES.items():
        judged = found[label]
        own = f"{100 * judged[PEOPLE].losses.mean():.1f}"
        cells = [f"{label} ({lowest}-{lowest + WIDTH - 1})", own]
        for agent in shown:
            one = judged[agent]
            gap, half = estimate(one.losses - one.theirs, one.movers)
            lost = f"{100 * one.losses.mean():.1f}"
            if agent == "pikl":
                figures[f"pikl.{label}"] = f"{lost}% ({100 * one.theirs.mean():.1f})"
                levels = rows[f"{label}: pikl"]["settings"]["fitted"]
                figures[f"pikl.{label}.simulations"] = str(max(level[-1] for level in levels))
                lost += f" ({rounded(100 * gap, 1)} ± {100 * half:.1f})"
            if agent in ("pikl", "sa", "se"):
                halves.append(100 * half)
            cells.append(lost)
        alike = [judged[agent] for agent in ("pikl", "alphazero")]
        lines.append([*cells, *(f"{one.alike / len(one.losses):.0%}" for one in alike)])
    heads = ["class (rating)", "people", *(f"`{agent}`" for agent in shown[:-1])]
    heads += ["`alphazero` (no rating)", "`pikl`'s are people's", "`alphazero`'s"]
    counts = sorted({len(found[label]["pikl"].losses) for label in CLASSES})
    return figures | {
        "table": table(heads, lines),
        "counts": " or ".join(map(str, counts)),
        "positions": str(counts[-1]),
        "half": span(halves, ".1f"),
        **_equivalence(rows),
    }


def _equivalence(rows: Results) -> dict[str, str]:
    """Return whether players lose what people lose, by class.

    By the test on new positions if it is done for every player of the first, else by the first
    positions, which were known when the bound was set.
    """
    figures, lines = {}, []
    found, first = tested(rows), known_before(rows)
    new = all(first[label].keys() <= found.get(label, {}).keys() for label in CLASSES)
    found = found if new else first
    judged = [agent for agent in AGENTS if all(agent in found[label] for label in CLASSES)]
    for agent in judged:
        verdicts = {label: found[label][agent].against_people for label in CLASSES}
        cells = []
        for label, one in verdicts.items():
            off = f"{rounded(100 * one.mean, 1, '+')} ± {100 * one.half:.1f}"
            within = one.verdict == EQUIVALENT
            cells.append(f"{off}, {'**within**' if within else one.verdict}")
            figures[f"{agent}.{label}.off"] = off
            figures[f"{agent}.{label}.verdict"] = "within" if within else one.verdict
            figures[f"{agent}.{label}.needed"] = f"{round(one.needed, -2):,.0f}"
        lines.append([f"`{agent}`", *cells])
        shown = [label for label, one in verdicts.items() if one.verdict == EQUIVALENT]
        figures[f"{agent}.within"] = _classes(shown)
        apart = [label for label, one in verdicts.items() if one.verdict == DIFFERENT]
        figures[f"{agent}.different"] = _classes(apart)
        rest = [label for label in verdicts if label not in (*shown, *apart)]
        figures[f"{agent}.claim"] = _claim(shown, apart, rest, new)
    counts = span((len(found[label][PEOPLE].losses) for label in CLASSES), "d")
    basis = (
        f"by the test on {counts} new positions a class, judged after the bound was set, each "
        "class tested alone at 5%, and partly of the same people"
        if new
        else f"by the first {counts} positions a class, which were known when the bound was set; "
        "the test on new positions is still to be run"
    )
    bound = f"less people's, points (90%; within {100 * BOUND:g})"
    return figures | {"equivalence": table([bound, *CLASSES], lines), "basis": basis}


def _claim(shown: Sequence[str], apart: Sequence[str], rest: Sequence[str], new: bool) -> str:
    """Say where a player's loss is within the bound of people's, and where it is another.

    In the ``rest`` of the classes neither is shown.

    That is by new positions, or by those that were known when the bound was set.
    """
    bound = f"within {100 * BOUND:g} percentage point"
    classes = _classes(shown)
    if new:
        other = f"; in {_classes(apart)} it is shown to differ" if apart else ""
        verb = "is" if len(rest) == 1 else "are"
        other += f"; {_classes(rest)} {verb} undecided" if rest else ""
        return (
            f"the chance to win that an average move gives up is {bound} of people's in "
            f"{classes}{other}"
        )
    return (
        f"by the first {POSITIONS} positions a class, which were known when the bound was set, the "
        f"90% interval of what its average move loses more than people's lies {bound} in "
        f"{classes}; the test on new positions is still to be run"
    )


def level_fit(rows: Results) -> dict[str, str]:
    """What the players that are fitted lose by rank, beside people, and the numbers found."""
    lines, levels, halves, people = [], [], [], []
    order = sorted({row["settings"]["rank"] for row in rows.values()}, reverse=True)
    for rank in order:
        pikl = rows[f"rank {rank}, pikl"]
        level, others = pikl["pikl"], ["-", "-"]
        if f"rank {rank}, sa" in rows:  # below the ranks there is `pikl` alone
            dial, c_1 = rows[f"rank {rank}, sa"]["sa"], rows[f"rank {rank}, se"]["se"]["c_1"]
            others = [f"{_percent(dial['loses'])} ({dial['z']:.1f})", f"{c_1:.1f}"]
            halves.append(dial["loses"][1])
        numbers = f"{level['lam']:.3f}", f"{level['t']:.2f}", str(level["simulations"])
        levels.append([f"{RANKS.middle(rank):.0f}", *numbers])
        halves.append(level["loses"][1])
        people.append(pikl["people"][1])
        lines.append(
            [
                name_of(rank),
                _percent(pikl["people"]),
                _percent(pikl["policy"]),
                f"{_percent(level['loses'])} ({', '.join(numbers)})",
                *others,
            ]
        )
    lowest = max(rank for rank in order if f"rank {rank}, sa" in rows)
    heads = ["rating", "people", "`human`", "`pikl` (lambda, t, simulations)", "`sa` (z)"]
    return {
        "table": table([*heads, "c_1 of `se`"], lines),
        "pikl": table(["rating", "λ", "t", "simulations"], levels, left=()),
        "half": span((100 * half for half in halves), ".1f"),
        "people.half": span((100 * half for half in people), ".1f"),
        "lowest.people": _with_half(rows[f"rank {lowest}, sa"]["people_here"]),
        "lowest.policy": _with_half(rows[f"rank {lowest}, pikl"]["policy"]),
    }


def piece_drops(rows: Results) -> dict[str, str]:
    """How often moves drop the most points, in percent, by state, all classes together."""
    names = {
        "people": "people",
        "pikl": "`pikl`",
        "pikl before": "`pikl` before it minded lost and won positions",
        "human": "`human`",
    }
    points, labels, lines, counts = POINTS[0], list(CLASSES), [], []
    figures = {}
    for name, called in names.items():
        cells = [called]
        for state in STATES:
            fell, movers = pooled(rows, labels, name, state, points)
            theirs, _ = pooled(rows, labels, PEOPLE, state, points)
            text = f"{100 * fell.mean():.2f}"
            if name == PEOPLE:
                counts.append(len(fell))
            else:
                gap, half = estimate(fell - theirs, movers)
                figures[f"{name}.{state}"] = f"{100 * gap:+.2f} ± {100 * half:.2f}"
                text += f" ({figures[f'{name}.{state}']})"
            cells.append(text)
        lines.append(cells)
    heads = ["in percent", "lost (below 10%)", "worse (10-35%)", "level", "better (65-90%)"]
    return figures | {
        "table": table([*heads, "won (over 90%)"], lines),
        "positions": span(counts, ",d"),
    }


def class_tournament(rows: Results) -> dict[str, str]:
    """Points of the first of each pair of classes, and Elo by them."""
    short = {"Grandmaster": "GM"}
    figures: dict[str, str] = {}
    said: dict[str, str] = {}
    lines: list[list[str]] = []
    heads: list[str] = []
    for method in TOURNAMENTS:
        start = f"{method}: "
        own = {
            key.removeprefix(start): row
            for key, row in rows.items()
            if key.startswith(start) and "pairs" in row  # by which p is found
        }
        if not own:
            raise LookupError(f"no games of {method}")
        games = Tournament(own)
        elo = {name: games.fitted[name].elo - 1500 + np.mean(RATINGS) for name in CLASSES}
        halves = [(games.fitted[name].high - games.fitted[name].low) / 2 for name in CLASSES]
        lows = {name: games.fitted[name].low - 1500 + np.mean(RATINGS) for name in CLASSES}
        shown = {name: f"{x:.0f}" for name, x in elo.items()}
        if games.unbounded:
            shown[games.unbounded] = f"above {lows[games.unbounded]:.0f}"
        if not lines:
            heads = [" - ".join(short.get(name, name) for name in pair) for pair in games.scores]
            cells = [_share(share) for share in games.expected]
            lines.append(["by the ratings", *cells, ", ".join(map(str, RATINGS)), ""])
        p = f"{games.p:.2f}" if games.p >= 0.001 else _small(games.p)
        lines.append(
            [
                f"`{method}`",
                *(f"{score.fraction:.0%}" for score in games.scores.values()),
                f"{', '.join(shown.values())} (±{span(filter(np.isfinite, halves), '.0f')})",
                f"{games.seen:,.1f} ({p})",
            ]
        )
        said[method] = findings({method: games})[0]
        figures |= {f"{method}.{name}": text for name, text in shown.items()}
        figures[f"{method}.order"] = (
            "in order" if all(x > 0 for x in games.gaps) else "not in order"
        )
        figures[f"{method}.span"] = f"{round(max(elo.values()) - min(elo.values()), -1):.0f}"
        figures[f"{method}.p"] = p
        figures["games"] = str(next(iter(games.scores.values())).games)
    heads = ["", *heads, ", ".join(CLASSES), "chi-square (p if the ratings were true)"]
    return figures | {
        "table": table(heads, lines, left=(0, len(heads) - 2)),
        "said": "\n".join(said.values()),
    }


def rank_strength(rows: Results) -> dict[str, str]:
    """Games won against the fifth rank of ``se``, by program and rank."""
    called = {
        RANKED[0]: "`se`: won of games with its fifth rank (draws half)",
        "SE_inf-MCTS": "SE_inf-MCTS with the paper's c_1, 2 for all",
        "SE-MCTS": "SE-MCTS with the paper's c_1",
        "SA-MCTS": "SA-MCTS (`sa`)",
    }
    programs, lines = by_program(of_arm(rows, published=False)), []
    ranks, figures = range(1, 1 + RANKS.count), {}
    for name, found in by_program(of_arm(rows, published=True)).items():
        ends = [found[rank] for rank in (1, RANKS.count) if rank in found]
        short = name.removesuffix("-MCTS").lower()
        figures[f"published.{short}"] = " and ".join(f"{score.fraction:.0%}" for score in ends)
        figures[f"published.{short}.ends"] = " and ".join(
            "{:.0%} to {:.0%}".format(*score.interval()) for score in ends
        )
        figures["published.games"] = str(ends[0].score.games)
    for name, text in called.items():
        shares = {rank: f"{score.fraction:.0%}" for rank, score in programs[name].items()}
        cells = [
            "50% (itself)" if (name, rank) == ITSELF else shares.get(rank, "") for rank in ranks
        ]
        lines.append([text, *cells])
    return figures | {
        "table": table(["rank", *map(str, ranks)], lines),
        "mcts": f"{scores_of(rows)['MCTS'].fraction:.0%}",
        "games": str(programs[RANKED[0]][1].score.games),
        "others": str(programs["SA-MCTS"][1].score.games),
    }


def rank_tournament(rows: Results) -> dict[str, str]:
    """Elo of both programs that ship, at some ranks, by their games with each other."""
    met = both_ways(rows)
    names = list(dict.fromkeys(a for a, _ in met))
    fitted = rated_by_games(met, names)
    figures, lines, heads = {}, [], ["rank"]
    for begin, called in (("SA-r", "`sa`"), ("SE_inf-r", "`se`")):
        own = [name for name in names if name.startswith(begin)]
        elo = [fitted[name].elo for name in own]
        lines.append([called, *(f"{x:.0f}" for x in elo)])
        figures[f"{begin[:2].lower()}.span"] = f"{round(elo[0] - elo[-1], -1):.0f}"
        heads = ["rank", *(name.removeprefix(begin) for name in own)]
    halves = [(fitted[name].high - fitted[name].low) / 2 for name in names]
    return figures | {
        "table": table(heads, lines),
        "half": span(halves, ".0f"),
        "games": str(met[names[0], names[1]].score.games),
    }


def se_spread(rows: Results) -> dict[str, str]:
    """In how many positions the outer ranks' targets of SE-MCTS lead to different moves."""
    people = np.array(rows[PLAIN]["people"])
    arms = {
        "SE_inf": f"SE_inf: {PUBLISHED}",
        "SE": f"SE: {PUBLISHED}",
        "capped": f"SE_inf: {CAPPED_IDEA}",
    }
    shares = {name: changed_share(rows[key], people) for name, key in arms.items()}
    return {name: f"{percent(share, digits=0)}%" for name, share in shares.items()}


ALPHAZERO = "alphazero:sims=100"


def puzzle_ratings(rows: Results) -> dict[str, str]:
    """Puzzle ratings and points of the test suite, by player and class."""
    files: dict[str, Results] = {}
    for key, row in rows.items():
        name, _, player = key.partition(": ")
        files.setdefault(name, {})[player] = row
    puzzles, suite = files["puzzles"], next(x for name, x in files.items() if name != "puzzles")
    reached = {
        player: f"{row['rating'][0]}, {suite[player]['points']}" for player, row in puzzles.items()
    }
    correlations: list[dict[str, float]] = [_orders(found) for found in (puzzles, suite)]
    figures, lines, spans = {}, [], {}
    for method in ("pikl", "sa", "se", "ace", "human"):
        cells = [reached[f"{method}:elo={rating}"] for rating in RATINGS]
        orders = [f"{found[method]:.1f}" for found in correlations]
        whole = [f"**{text}**" if text == "1.0" else text for text in orders]
        lines.append([f"`{method}`", *cells, ", ".join(whole)])
        ratings = [puzzles[f"{method}:elo={rating}"]["rating"][0] for rating in RATINGS]
        spans[method] = round(max(ratings) - min(ratings), -1)
        for label, rating in zip(CLASSES, ratings, strict=True):
            figures[f"{method}.{label}"] = str(rating)
    for name, spec in (("without proofs", f"{ALPHAZERO},solve=off"), ("with proofs", ALPHAZERO)):
        lines.append([f"`alphazero`, {name}", reached[spec], *[""] * len(RATINGS)])
    heads = ["puzzle rating, STS", *(f"{label} ({NAMED[label]})" for label in CLASSES)]
    halves = [(high - low) / 2 for _, low, high in (row["rating"] for row in puzzles.values())]
    return figures | {
        "table": table([*heads, "rank correlations"], lines),
        "pikl.span": str(spans["pikl"]),
        "others.span": span((spans[method] for method in ("sa", "se", "ace")), "d"),
        "half": span(halves, ".0f"),
    }


def _orders(found: Results) -> dict[str, float]:
    """Return rank correlations by method, as the experiment's page has them."""
    texts = [text.strip().split() for text in orders(found)]
    return {words[3].removesuffix("'s"): float(words[-1].rstrip(".")) for words in texts}


def _small(p: float) -> str:
    """Write a power of ten without leading zeros: 1e-5."""
    digits, _, exponent = f"{p:.0e}".partition("e")
    return f"{digits}e{int(exponent)}"


def _classes(labels: Sequence[str]) -> str:
    """Write in which classes something is so."""
    *most, last = labels or ("none",)
    if len(labels) == len(CLASSES):
        return "all four classes"
    return (
        f"classes {', '.join(most)} and {last}" if most else f"class {last}" if labels else "none"
    )


def _with_half(estimated: Sequence[float]) -> str:
    return "{:.1f} ± {:.1f}".format(*(100 * x for x in estimated))


def _percent(estimated: Sequence[float]) -> str:
    return f"{100 * estimated[0]:.1f}"


def _share(share: float) -> str:
    return f"{share:.0%}" if share >= 0.02 else f"{share:.1%}"
