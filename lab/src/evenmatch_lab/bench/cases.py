"""The cases: the network in search, self-play and at many ratings; rules, playouts, records."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.games.game import Game, States
from evenmatch.games.go import Go
from evenmatch.games.line import Line
from evenmatch.network.openvino_graph import ranges_path
from evenmatch.network.processor import Precision
from evenmatch.opponents import Engine, Turn, resolve
from evenmatch.search import CachedEvaluator, Evaluator, Plan, Search, Solve, UniformEvaluator
from evenmatch.search.forest import seeds_from
from evenmatch.workshop.training.presets import Preset, get_preset
from evenmatch.workshop.training.self_play import SelfPlay
from evenmatch_lab.bench.bench import (
    BARE,
    Bench,
    Case,
    Rival,
    middles,
    no_network,
    roots,
    searching,
)
from evenmatch_lab.bench.go_rivals import openspiel_positions, playout_rivals
from evenmatch_lab.bench.memory_use import forest_bytes
from evenmatch_lab.bench.peers import INSTALL, mctx_peer, openspiel_peer
from evenmatch_lab.bench.rows import Row, Size
from evenmatch_lab.bench.sgf import PLIES, game_lines, reading, sgfmill_reading
from evenmatch_lab.bench.timing import MeteredNetwork, timed

PRECISIONS_BENCHED: tuple[Precision, ...] = ("int8", "bf16")
SERVED = 64  # games of one forest
PLAYOUTS = 256  # of one call
MCTS_PLAYOUTS = 300  #: a move of MCTS1 in the paper


# -- with a network ------------------------------------------------------------------------------


def search_cases(bench: Bench) -> Iterator[Case]:
    """Tree search with the shipped networks, against the networks alone."""
    for game in bench.games:
        size, network = bench.size_for(game), bench.network(game)
        for trees, leaves in (*((batch, 1) for batch in size.batches), (1, 8)):
            name = "search" if leaves == 1 else f"search, {leaves} leaves at once"
            if network is None:
                yield Case(name, game, trees, note=no_network(game))
                continue
            batch = trees * leaves
            network.warm(batch)
            note = f"{size.simulations} simulations"
            if game.id in bench.nets:
                note = f"{Path(bench.nets[game.id]).name.partition('.')[0]}, {note}"
            if leaves > 1:
                note += f", {leaves} leaves a step by virtual loss; "
                note += f"against the network at batch {batch}"
            states, plan = roots(game, max(trees, size.roots)), Plan(simulations=size.simulations)
            work = searching(game, network, states, plan, trees=trees, leaves=leaves)
            bare = Rival(BARE, network.bare(roots(game, batch)))
            yield Case(name, game, trees, network.metered(work), bare, note, metered=True)


def self_play_cases(bench: Bench) -> Iterator[Case]:
    """Self-play as in training with the ``fast`` preset, against the networks alone."""
    for game in bench.games:
        size, network = bench.size_for(game), bench.network(game)
        preset = _preset(game, size)
        case = partial(Case, "self-play", game, preset.games)
        if network is None:
            yield case(note=no_network(game))
            continue
        if isinstance(game, Go) and game.points > size.points:
            yield case(note="skipped: its games are long")
            continue
        play = SelfPlay(game, preset, seed=1)
        for _ in range(size.mixed):  # brings the games out of step, as they are in a long training
            play.play(UniformEvaluator(game))
        network.warm(preset.games)
        network.kept = []
        play.play(network)
        ours = network.metered(partial(play.play, network))
        bare = Rival(BARE, network.bare(network.draw_kept(preset.games)))
        note = f"preset fast: {preset.games} games, {preset.simulations} simulations per move"
        yield case(ours, bare, note, metered=True)


def _preset(game: Game, size: Size) -> Preset:
    """Return the ``fast`` preset, cut to some plies of each game for a repetition."""
    preset = get_preset("fast", game.id)
    if size.games is not None:
        preset = replace(preset, games=size.games, simulations=size.simulations, considered=4)
    return replace(preset, positions=size.plies * preset.games)


def remembered_cases(bench: Bench) -> Iterator[Case]:
    """Games of the network with itself, every move searched again, with and without memory."""
    for game in bench.games:
        network = bench.network(game)
        if network is None:
            yield Case("remembered positions", game, 1, note=no_network(game))
        else:
            yield _remembered(bench.size_for(game), game, network)


def _remembered(size: Size, game: Game, network: MeteredNetwork) -> Case:
    batch, plies = min(64, size.largest), 2 * size.plies
    network.warm(batch)
    memories: list[CachedEvaluator] = []

    def with_memory() -> None:
        memories[:] = [CachedEvaluator(network, game)]
        _games(game, memories[0], batch, plies, size.simulations)

    def more(_: float) -> Row:
        new = memories[0].judged / memories[0].requested
        note = f"simulations/s; {plies} moves of each game, {size.simulations} simulations per "
        return {"note": f"{note}move; {new:.1%} of the positions requested were new"}

    count = batch * plies * size.simulations
    bare = partial(_games, game, network, batch, plies, size.simulations)
    rival = Rival("the same without memory", timed(bare, count))
    return Case("remembered positions", game, batch, timed(with_memory, count), rival, more=more)


def _games(game: Game, evaluator: Evaluator, batch: int, plies: int, simulations: int) -> None:
    """Play some plies of ``batch`` games from different positions, a fresh search a move."""
    states, trees = roots(game, batch), np.arange(batch)
    search = Search(game, evaluator, trees=batch, nodes=simulations + 2)
    for ply in range(plies):
        search.plant(trees, states, seeds_from(1 + ply, batch))
        best = search.run(trees, Plan(simulations=simulations)).best()
        after = game.after(states, best)
        over = game.examine(after)[1] == 0
        states = np.where(over[:, None], roots(game, batch), after)  # another game begins


def ratings_cases(bench: Bench) -> Iterator[Case]:
    """One forest of games at as many ratings, beside one of games at the same rating."""
    for game in bench.games:
        network, size = bench.network(game), bench.size
        if network is None or not network.card.scales:
            continue
        trees = min(SERVED, size.largest)
        network.warm(trees)
        knots = game_info(game.id).knots
        many, same = np.linspace(knots[0], knots[-1], trees), np.full(trees, 1500.0)
        ours, theirs = (
            network.metered(partial(_at_ratings, game, network, ratings, size.simulations))
            for ratings in (many, same)
        )
        note = "evaluations/s; one memory of positions for all, "
        note += f"{size.simulations} simulations each"
        peer = Rival("as many games of one rating", theirs)
        yield Case("ratings in one forest", game, trees, ours, peer, note, metered=True)


def _at_ratings(game: Game, network: Evaluator, ratings: NDArray, simulations: int) -> None:
    """Search a game at each rating, in one forest."""
    trees = np.arange(len(ratings))
    plans = [Plan(simulations=simulations, rating=float(x)) for x in ratings]
    evaluator = CachedEvaluator(network, game)
    search = Search(game, evaluator, trees=len(trees), nodes=simulations + 2)
    search.plant(trees, roots(game, len(trees)), seeds_from(1, len(trees)))
    search.run(trees, plans)


def precision_cases(bench: Bench) -> Iterator[Case]:
    """Networks that are prepared for eight bits, alone, in each kind of number against float32."""
    for game in bench.games:
        path = bench.net(game)
        if path is None or not ranges_path(path).exists():
            continue
        exact, *others = (bench.open(path, game, x) for x in ("f32", *PRECISIONS_BENCHED))
        for batch in bench.size_for(game).batches[:3]:
            states = roots(game, batch)
            for kind, network in zip(PRECISIONS_BENCHED, others, strict=True):
                for one in (network, exact):
                    one.warm(batch)
                peer = Rival("the same in float32", exact.bare(states))
                yield Case(f"network in {kind}", game, batch, network.bare(states), peer)


def proof_cases(bench: Bench) -> Iterator[Case]:
    """Search that proves outcomes, against the same search without proofs."""
    for game in bench.games:
        network = bench.network(game)
        if network is None or not game_info(game.id).solves:
            continue
        size = bench.size_for(game)
        for trees in size.batches[:3]:
            network.warm(trees)
            states, plain = (
                middles(game, max(trees, size.roots)),
                Plan(simulations=size.simulations),
            )
            proving, plainly = (
                timed(
                    searching(game, network, states, plan, trees=trees),
                    len(states) * size.simulations,
                )
                for plan in (replace(plain, solve=Solve.SETTLE), plain)
            )
            note = f"simulations/s; {size.simulations} simulations"
            peer = Rival("the same without", plainly)
            yield Case("search with proofs", game, trees, proving, peer, note)


# -- without a network ---------------------------------------------------------------------------


def constant_cases(bench: Bench) -> Iterator[Case]:
    """Connect Four search with a constant evaluator, against the searches of others."""
    size, game = bench.size, get_game("connect4")
    states, actions = roots(game, size.largest), game.num_actions
    plain = Plan(simulations=size.simulations)
    gumbel = replace(plain, considered=actions)
    many = Plan(simulations=size.many_simulations)
    for starts, plan, peer in (
        (states, plain, mctx_peer(states, plain.simulations)),
        (states, many, mctx_peer(states, many.simulations)),
        (states, gumbel, mctx_peer(states, gumbel.simulations, actions)),
        (game.initial(), plain, openspiel_peer(plain.simulations)),
    ):
        count = len(starts) * plan.simulations
        benchmark = f"constant evaluator, {plan.simulations} simulations"
        benchmark += ", Gumbel root" if plan.considered else ""
        note = "simulations/s of the search and the rules alone"
        note += f"; to compare: {INSTALL}" if peer is None else ""
        rival = None if peer is None else Rival(peer.name, timed(peer.search, count))
        work = searching(game, UniformEvaluator(game), starts, plan)
        yield Case(benchmark, game, len(starts), timed(work, count), rival, note)


def rules_cases(bench: Bench) -> Iterator[Case]:
    """What a simulation asks of the rules: one advance, generate and encode a position."""
    for game in bench.games:
        size = bench.size_for(game)
        states = middles(game, size.largest)
        for planes in (True, False) if isinstance(game, Go) else (True,):
            name = "rules" if planes else "rules, no planes"
            kernels = "advance, generate and encode" if planes else "advance and generate"
            work, count = _rules(game, states, planes, size.rounds), len(states) * size.rounds
            peer = openspiel_positions(game.size, planes) if isinstance(game, Go) else None
            note = f"positions/s through {kernels}, one core"
            yield Case(name, game, len(states), timed(work, count), peer, note)


def _rules(game: Game, states: States, encodes: bool, rounds: int) -> Callable[[], None]:
    """Return work: every position advanced, its children's moves listed and planes made."""
    actions, counts, values = game.examine(states)
    played, after, legal = actions[:, 0].astype(np.int32), states.copy(), actions.copy()
    planes = game.encoded(states)

    def work() -> None:
        for _ in range(rounds):
            game.advance(states, played, after)
            game.generate(after, legal, counts, values)
            if encodes:
                game.encode(after, planes)

    return work


def encode_cases(bench: Bench) -> Iterator[Case]:
    """A network's inputs, ladders and all, beside the network itself."""
    for game in bench.games:
        states, network = middles(game, bench.size_for(game).largest), bench.network(game)
        peer = None
        if network is not None:
            network.warm(len(states))
            peer = Rival(BARE, network.bare(states))
        task = timed(partial(game.encode, states, game.encoded(states)), len(states))
        note = "positions/s whose planes are made, one core"
        yield Case("encode", game, len(states), task, peer, note)


def playout_cases(bench: Bench) -> Iterator[Case]:
    """Random games to the end, from the first position."""
    for game in bench.games:
        seeds, values = seeds_from(1, PLAYOUTS), np.empty(PLAYOUTS, np.float32)
        task = timed(partial(game.playout, game.initial(PLAYOUTS), seeds, values), PLAYOUTS)
        peers: list[Rival | None] = []
        if isinstance(game, Go):
            peers += playout_rivals(game.size, bench.size.gnugo_games)
        for peer in peers or [None]:
            yield Case("playouts", game, PLAYOUTS, task, peer, "playouts/s, one core")


def mcts_cases(bench: Bench) -> Iterator[Case]:
    """The paper's MCTS1; by itself it takes more playouts where there are many moves."""
    for game in bench.games:
        for batch in (1, bench.size_for(game).largest):
            task = timed(_mcts(game, roots(game, batch)), batch * MCTS_PLAYOUTS)
            yield Case("MCTS1", game, batch, task, more=_moves_of)


def _moves_of(playouts: float) -> Row:
    """Return what a row says of moves, by playouts a second."""
    rate = playouts / MCTS_PLAYOUTS
    note = f"playouts/s; {rate:,.0f} moves/s of {MCTS_PLAYOUTS} playouts"
    return {"note": note, "moves_per_second": round(rate, 2)}


def _mcts(game: Game, states: States) -> Callable[[], object]:
    """Return work: MCTS1 chooses an action in each position."""
    engine, opponent = Engine(game), resolve(f"mcts1:sims={MCTS_PLAYOUTS}", game)
    turns = [
        (opponent, Turn(Line(game, state), 1, int(seed)))
        for state, seed in zip(states, seeds_from(1, len(states)), strict=True)
    ]
    return lambda: engine.think(turns)


def sgf_cases(bench: Bench) -> Iterator[Case]:
    """SGF files of Go, beside sgfmill."""
    if (game := get_game("go")) not in bench.games:
        return
    few = bench.size.sgf_games
    lines = game_lines(10 * few)
    ours, peer = timed(reading(lines), len(lines)), sgfmill_reading(lines[:few])
    note = f"games/s: main line, setup and properties of games of {PLIES} moves, one core"
    note += f"; to compare: {INSTALL}" if peer is None else ""
    rival = None if peer is None else Rival(peer[0], timed(peer[1], few))
    yield Case("SGF", game, 1, ours, rival, note)


def memory_cases(bench: Bench) -> Iterator[Case]:
    """Resident memory of a forest after a search; nothing is timed."""
    trees, nodes = bench.size.memory
    for game in bench.games:
        net = None if game.family == "go" else bench.net(game)
        used = forest_bytes(game, trees, nodes, net)
        note = f"{used['resident'] / 1e6:.1f} MB resident after a search of {nodes} nodes a tree"
        note += f" ({used['reserved'] / 1e6:.0f} MB reserved)"
        note += "" if net else ", uniform priors"
        yield Case("memory of a forest", game, trees, note=note, extra={"bytes": used["resident"]})
