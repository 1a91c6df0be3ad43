"""The network in a search, in self-play and at many ratings; its kinds of number; proofs."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.catalog import game_info
from evenmatch.games.game import Game
from evenmatch.games.go import Go
from evenmatch.network.openvino_graph import ranges_path
from evenmatch.network.processor import Precision
from evenmatch.search import CachedEvaluator, Evaluator, Plan, Search, Solve, UniformEvaluator
from evenmatch.search.forest import seeds_from
from evenmatch.workshop.training.presets import Preset, get_preset
from evenmatch.workshop.training.self_play import SelfPlay
from evenmatch_lab.bench.bench import BARE, ROOTS, Bench, middles, no_network, roots, searching
from evenmatch_lab.bench.rows import Row, Size, row
from evenmatch_lab.bench.timing import MeteredNetwork, TimedTask, compare, timed

PRECISIONS_BENCHED: tuple[Precision, ...] = ("int8", "bf16")
SERVED = 64  # games of one forest


def search_rows(bench: Bench) -> Iterator[Row]:
    """Tree search with the shipped networks, against the networks alone."""
    for game in bench.games:
        for batch in bench.size_for(game).batches:
            yield _search_row(bench, game, batch, 1)
        yield _search_row(bench, game, 1, 8)


def _search_row(bench: Bench, game: Game, trees: int, leaves: int) -> Row:
    name = "search" if leaves == 1 else f"search, {leaves} leaves at once"
    network, size = bench.network(game), bench.size_for(game)
    if network is None:
        return row(name, game.id, trees, note=no_network(game))
    batch = trees * leaves
    network.warm(batch)
    plan = Plan(simulations=size.simulations)
    states = roots(game, max(trees, ROOTS))
    ours = network.metered(searching(game, network, states, plan, trees=trees, leaves=leaves))
    result = compare(ours, network.bare(roots(game, batch)), size.repetitions, size.seconds)
    note = f"{size.simulations} simulations"
    if game.id in bench.nets:
        note = f"{Path(bench.nets[game.id]).name.partition('.')[0]}, {note}"
    if leaves > 1:
        note += f", {leaves} leaves a step by virtual loss; against the network at batch {batch}"
    return row(name, game.id, trees, result.rate, share=result.share, ratio=result.ratio,
               peer=BARE, peer_rate=result.peer_rate, note=note)  # fmt: skip


def self_play_rows(bench: Bench) -> Iterator[Row]:
    """Self-play as in training with the ``fast`` preset, against the networks alone."""
    for game in bench.games:
        size = bench.size_for(game)
        preset = _preset(game, size)
        network = bench.network(game)
        if network is None:
            yield row("self-play", game.id, preset.games, note=no_network(game))
            continue
        if isinstance(game, Go) and game.points > size.points:
            yield row("self-play", game.id, preset.games, note="skipped: its games are long")
            continue
        yield _self_play_row(size, game, preset, network)


def _preset(game: Game, size: Size) -> Preset:
    """Return the ``fast`` preset, cut to some plies of each game for a repetition."""
    preset = get_preset("fast", game.id)
    if size.games is not None:
        preset = replace(preset, games=size.games, simulations=size.simulations, considered=4)
    return replace(preset, positions=size.plies * preset.games)


def _self_play_row(size: Size, game: Game, preset: Preset, network: MeteredNetwork) -> Row:
    play = SelfPlay(game, preset, seed=1)
    for _ in range(8):  # brings the games out of step, as they are in a long training
        play.play(UniformEvaluator(game))
    network.warm(preset.games)
    network.kept = []
    play.play(network)
    ours = network.metered(lambda: play.play(network))
    bare = network.bare(network.draw_kept(preset.games))
    result = compare(ours, bare, size.repetitions, size.seconds)
    note = f"preset fast: {preset.games} games, {preset.simulations} simulations per move"
    return row("self-play", game.id, preset.games, result.rate, share=result.share,
               ratio=result.ratio, peer=BARE, peer_rate=result.peer_rate, note=note)  # fmt: skip


def remembered_rows(bench: Bench) -> Iterator[Row]:
    """Games of the network with itself, every move searched again, with and without memory."""
    for game in bench.games:
        network = bench.network(game)
        if network is None:
            yield row("remembered positions", game.id, 1, note=no_network(game))
        else:
            yield _remembered_row(bench.size_for(game), game, network)


def _remembered_row(size: Size, game: Game, network: MeteredNetwork) -> Row:
    batch, plies = min(64, size.largest), 2 * size.plies
    network.warm(batch)
    memories: list[CachedEvaluator] = []

    def with_memory() -> None:
        memories[:] = [CachedEvaluator(network, game)]
        _games(game, memories[0], batch, plies, size.simulations)

    count = batch * plies * size.simulations
    ours = timed(with_memory, count)
    bare = timed(lambda: _games(game, network, batch, plies, size.simulations), count)
    result = compare(ours, bare, size.repetitions, size.seconds)
    new = memories[0].judged / memories[0].requested
    note = f"simulations/s; {plies} moves of each game, {size.simulations} simulations per move; "
    note += f"{new:.1%} of the positions asked for were new"
    return row("remembered positions", game.id, batch, result.rate, ratio=result.ratio,
               peer="the same without memory", peer_rate=result.peer_rate, note=note)  # fmt: skip


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


def ratings_rows(bench: Bench) -> Iterator[Row]:
    """One forest of games at as many ratings, beside one of games at the same rating."""
    for game in bench.games:
        network = bench.network(game)
        if network is not None and network.card.scales:
            yield _ratings_row(bench.size, game, network)


def _ratings_row(size: Size, game: Game, network: MeteredNetwork) -> Row:
    trees = min(SERVED, size.largest)
    network.warm(trees)
    states, knots = roots(game, trees), game_info(game.id).knots
    many = np.linspace(knots[0], knots[-1], trees)

    def task(ratings: NDArray) -> TimedTask:
        plans = [Plan(simulations=size.simulations, rating=float(x)) for x in ratings]

        def work() -> None:
            evaluator = CachedEvaluator(network, game)
            search = Search(game, evaluator, trees=trees, nodes=size.simulations + 2)
            search.plant(np.arange(trees), states, seeds_from(1, trees))
            search.run(np.arange(trees), plans)

        return network.metered(work)

    result = compare(task(many), task(np.full(trees, 1500.0)), size.repetitions, size.seconds)
    note = f"evaluations/s; one memory of positions for all, {size.simulations} simulations each"
    return row("ratings in one forest", game.id, trees, result.rate, share=result.share,
               ratio=result.ratio, peer="as many games of one rating",
               peer_rate=result.peer_rate, note=note)  # fmt: skip


def precision_rows(bench: Bench) -> Iterator[Row]:
    """Networks that are prepared for eight bits, alone, in each kind of number against float32."""
    for game in bench.games:
        path = bench.net(game)
        if path is None or not ranges_path(path).exists():
            continue
        exact = MeteredNetwork(path, game, "f32")
        others = {kind: MeteredNetwork(path, game, kind) for kind in PRECISIONS_BENCHED}
        for batch in bench.size_for(game).batches[:3]:
            for kind, network in others.items():
                yield _precision_row(bench.size_for(game), game, batch, kind, network, exact)


def _precision_row(
    size: Size, game: Game, batch: int, kind: str, network: MeteredNetwork, exact: MeteredNetwork
) -> Row:
    states = roots(game, batch)
    for one in (network, exact):
        one.warm(batch)
    result = compare(network.bare(states), exact.bare(states), size.repetitions, size.seconds)
    return row(f"network in {kind}", game.id, batch, result.rate, ratio=result.ratio,
               peer="the same in float32", peer_rate=result.peer_rate)  # fmt: skip


def proof_rows(bench: Bench) -> Iterator[Row]:
    """Search that proves outcomes, against the same search without proofs."""
    for game in bench.games:
        network = bench.network(game)
        if network is None or not game_info(game.id).solves:
            continue
        size = bench.size_for(game)
        for trees in size.batches[:3]:
            network.warm(trees)
            states = middles(game, max(trees, ROOTS))
            plain = Plan(simulations=size.simulations)
            proving, plainly = (
                timed(
                    searching(game, network, states, plan, trees=trees),
                    len(states) * size.simulations,
                )
                for plan in (replace(plain, solve=Solve.SETTLE), plain)
            )
            result = compare(proving, plainly, size.repetitions, size.seconds)
            yield row("search with proofs", game.id, trees, result.rate, ratio=result.ratio,
                      peer="the same without", peer_rate=result.peer_rate,
                      note=f"simulations/s; {size.simulations} simulations")  # fmt: skip
