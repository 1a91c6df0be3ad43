"""Search with a constant evaluator, rules, planes, playouts, records and memory."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from evenmatch.games import get_game
from evenmatch.games.game import Game, States
from evenmatch.games.go import Go
from evenmatch.games.line import Line
from evenmatch.opponents import Engine, Turn, resolve
from evenmatch.search import Plan, UniformEvaluator
from evenmatch.search.forest import seeds_from
from evenmatch_lab.bench.bench import BARE, Bench, middles, roots, searching
from evenmatch_lab.bench.go_rivals import Rival, openspiel_positions, playout_rivals
from evenmatch_lab.bench.memory_use import forest_bytes
from evenmatch_lab.bench.peers import INSTALL, Peer, mctx_peer, openspiel_peer
from evenmatch_lab.bench.rows import Row, Size, row
from evenmatch_lab.bench.sgf import PLIES, game_lines, reading, sgfmill_reading
from evenmatch_lab.bench.timing import TimedTask, compare, measure, timed

PLAYOUTS = 256  # of one call
ROUNDS = 100  # through the rules
MCTS_PLAYOUTS = 300  #: a move of MCTS1 in the paper


def constant_rows(bench: Bench) -> Iterator[Row]:
    """Connect Four search with a constant evaluator, against the searches of others."""
    size, game = bench.size, get_game("connect4")
    states, actions = roots(game, size.largest), game.num_actions
    plain = Plan(simulations=size.simulations)
    gumbel = replace(plain, considered=actions)
    many = Plan(simulations=size.many_simulations)
    yield _constant_row(size, states, plain, mctx_peer(states, plain.simulations))
    yield _constant_row(size, states, many, mctx_peer(states, many.simulations))
    yield _constant_row(size, states, gumbel, mctx_peer(states, gumbel.simulations, actions))
    yield _constant_row(size, game.initial(), plain, openspiel_peer(plain.simulations))


def _constant_row(size: Size, states: States, plan: Plan, peer: Peer | None) -> Row:
    game, batch = get_game("connect4"), len(states)
    count = batch * plan.simulations
    ours = timed(searching(game, UniformEvaluator(game), states, plan), count)
    note = "simulations/s of the search and the rules alone"
    benchmark = f"constant evaluator, {plan.simulations} simulations"
    benchmark += ", Gumbel root" if plan.considered else ""
    if peer is None:
        rate = measure(ours, size.repetitions, size.seconds).rate
        return row(benchmark, game.id, batch, rate, note=f"{note}; to compare: {INSTALL}")
    result = compare(ours, timed(peer.search, count), size.repetitions, size.seconds)
    return row(benchmark, game.id, batch, result.rate, ratio=result.ratio, peer=peer.name,
               peer_rate=result.peer_rate, note=note)  # fmt: skip


def rules_rows(bench: Bench) -> Iterator[Row]:
    """What a simulation asks of the rules: one advance, generate and encode a position."""
    for game in bench.games:
        size = bench.size_for(game)
        states = middles(game, size.largest)
        note = "positions/s through advance, generate and encode, one core"
        yield _rules_row(game, states, size, note, planes=True)
        if isinstance(game, Go):
            note = "positions/s through advance and generate, one core"
            yield _rules_row(game, states, size, note, planes=False)


def _rules_row(game: Game, states: States, size: Size, note: str, *, planes: bool) -> Row:
    task = timed(_rules(game, states, planes), len(states) * ROUNDS)
    peer = openspiel_positions(game.size, planes) if isinstance(game, Go) else None
    name = "rules" if planes else "rules, no planes"
    return _beside(name, game, len(states), task, peer, size, note)


def _beside(
    benchmark: str, game: Game, batch: int, task: TimedTask, peer: Rival | None, size: Size,
    note: str,
) -> Row:  # fmt: skip
    """Return a row of something that needs no network, beside another program if there is one."""
    if peer is None:
        rate = measure(task, size.repetitions, size.seconds).rate
        return row(benchmark, game.id, batch, rate, note=note)
    theirs = timed(peer.work, peer.done)
    result = compare(task, theirs, size.repetitions, size.seconds)
    note = f"{note}; theirs: {peer.note}"
    return row(benchmark, game.id, batch, result.rate, ratio=result.ratio, peer=peer.name,
               peer_rate=result.peer_rate, note=note)  # fmt: skip


def _rules(game: Game, states: States, encodes: bool) -> Callable[[], None]:
    """Return work: every position advanced, its children's moves listed and planes made."""
    actions, counts, values = game.examine(states)
    played, after, legal = actions[:, 0].astype(np.int32), states.copy(), actions.copy()
    planes = game.encoded(states)

    def work() -> None:
        for _ in range(ROUNDS):
            game.advance(states, played, after)
            game.generate(after, legal, counts, values)
            if encodes:
                game.encode(after, planes)

    return work


def encode_rows(bench: Bench) -> Iterator[Row]:
    """A network's inputs, ladders and all, beside the network itself."""
    for game in bench.games:
        size, network = bench.size_for(game), bench.network(game)
        states = middles(game, size.largest)
        task = timed(partial(game.encode, states, game.encoded(states)), len(states))
        note = "positions/s whose planes are made, one core"
        if network is None:
            yield _beside("encode", game, len(states), task, None, size, note)
            continue
        network.warm(len(states))
        result = compare(task, network.bare(states), size.repetitions, size.seconds)
        yield row("encode", game.id, len(states), result.rate, ratio=result.ratio, peer=BARE,
                  peer_rate=result.peer_rate, note=note)  # fmt: skip


def playout_rows(bench: Bench) -> Iterator[Row]:
    """Random games to the end, from the first position."""
    for game in bench.games:
        seeds, values = seeds_from(1, PLAYOUTS), np.empty(PLAYOUTS, np.float32)
        task = timed(partial(game.playout, game.initial(PLAYOUTS), seeds, values), PLAYOUTS)
        peers: list[Rival | None] = [None]
        if isinstance(game, Go):
            peers = list(playout_rivals(game.size)) or [None]
        for peer in peers:
            yield _beside("playouts", game, PLAYOUTS, task, peer, bench.size_for(game),
                          "playouts/s, one core")  # fmt: skip


def mcts_rows(bench: Bench) -> Iterator[Row]:
    """The paper's MCTS1; by itself it takes more playouts where there are many moves."""
    for game in bench.games:
        size = bench.size_for(game)
        for batch in (1, size.largest):
            task = timed(_mcts(game, roots(game, batch)), batch)
            rate = measure(task, size.repetitions, size.seconds).rate
            note = f"playouts/s; {rate:,.0f} moves/s of {MCTS_PLAYOUTS} playouts"
            playouts = rate * MCTS_PLAYOUTS
            yield row("MCTS1", game.id, batch, playouts, moves_per_second=round(rate, 2), note=note)


def _mcts(game: Game, states: States) -> Callable[[], object]:
    """Return work: MCTS1 chooses an action in each position."""
    engine, opponent = Engine(game), resolve(f"mcts1:sims={MCTS_PLAYOUTS}", game)
    turns = [
        (opponent, Turn(Line(game, state), 1, int(seed)))
        for state, seed in zip(states, seeds_from(1, len(states)), strict=True)
    ]
    return lambda: engine.think(turns)


def sgf_rows(bench: Bench) -> Iterator[Row]:
    """SGF files of Go, beside sgfmill."""
    size = bench.size
    if get_game("go") not in bench.games:
        return
    lines, few = game_lines(10 * size.sgf_games), size.sgf_games
    ours, peer = timed(reading(lines), len(lines)), sgfmill_reading(lines[:few])
    note = f"games/s: main line, setup and properties of games of {PLIES} moves, one core"
    if peer is None:
        rate = measure(ours, size.repetitions, size.seconds).rate
        yield row("SGF", "go", 1, rate, note=f"{note}; to compare: {INSTALL}")
        return
    name, work = peer
    result = compare(ours, timed(work, few), size.repetitions, size.seconds)
    yield row("SGF", "go", 1, result.rate, ratio=result.ratio, peer=name,
              peer_rate=result.peer_rate, note=note)  # fmt: skip


def memory_rows(bench: Bench) -> Iterator[Row]:
    """Resident memory of a forest after a search."""
    trees, nodes = bench.size.memory
    for game in bench.games:
        net = None if game.family == "go" else bench.net(game)
        used = forest_bytes(game, trees, nodes, net)
        note = f"{used['resident'] / 1e6:.1f} MB resident after a search of {nodes} nodes a tree"
        note += f" ({used['reserved'] / 1e6:.0f} MB reserved)"
        note += "" if net else ", uniform priors"
        yield row("memory of a forest", game.id, trees, note=note, bytes=used["resident"])
