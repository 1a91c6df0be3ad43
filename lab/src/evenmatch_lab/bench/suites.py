"""What is measured: one generator of rows per benchmark, and the table of them."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenmatch.domains import domain_of
from evenmatch.errors import NetworkError, UsageError
from evenmatch.games import GAMES, get_game, random_positions
from evenmatch.games.game import Game, States
from evenmatch.games.go import Go
from evenmatch.network.artifact import shipped_path
from evenmatch.network.eight_bits import ranges_path
from evenmatch.network.imported import as_artifact
from evenmatch.network.precision import Precision
from evenmatch.players import Turns, make_player
from evenmatch.search import CachedEvaluator, Evaluator, Plan, Search, Solve, UniformEvaluator
from evenmatch.search.forest import seeds_from
from evenmatch.training.presets import Preset, get_preset
from evenmatch.training.self_play import SelfPlay
from evenmatch_lab.bench.go_rivals import Rival, openspiel_positions, playout_rivals
from evenmatch_lab.bench.memory_use import forest_bytes
from evenmatch_lab.bench.peers import INSTALL, Peer, mctx_peer, openspiel_peer
from evenmatch_lab.bench.rows import FULL, QUICK, Row, Size, row
from evenmatch_lab.bench.sgf import PLIES, game_lines, reading, sgfmill_reading
from evenmatch_lab.bench.timing import MeteredNetwork, TimedTask, compare, measure, timed

BARE = "bare network"
ROOTS = 16  # at least so many positions are searched, one batch of trees after another
PLAYOUTS = 256  # of one call
PRECISIONS_BENCHED: tuple[Precision, ...] = ("int8", "bf16")
ROUNDS = 100  # through the rules
QUICK_GAMES = "connect4", "othello6", "chess", "go9"
LEFT_OUT_OF_QUICK = "memory", "precision", "proofs"  # too small to be seen; slow to prepare
ROOT_PLIES = 6  # roots are positions after so many random plies: varied, none of them over yet


class Bench:
    """What the benchmarks share: how much to measure, and each game's network."""

    def __init__(self, size: Size, nets: Mapping[str, str | Path], games: Sequence[Game]):
        self.size = size
        self.nets = nets
        self.games = games

    def size_for(self, game: Game) -> Size:
        """Return how much is measured of a game: less of Go, whose network is slow."""
        return self.size.lighter if game.family == "go" else self.size

    @cached_property
    def _networks(self) -> dict[str, MeteredNetwork]:
        return {}

    def net(self, game: Game) -> Path | None:
        """Return the game's network file, None if there is none."""
        if game.id in self.nets:
            return as_artifact(Path(self.nets[game.id]))
        try:
            return shipped_path(game.id)
        except NetworkError:
            return None

    def network(self, game: Game) -> MeteredNetwork | None:
        """Return the game's network, None if there is none."""
        path = self.net(game)
        if path is not None and game.id not in self._networks:
            self._networks[game.id] = MeteredNetwork(path, game)
        return self._networks.get(game.id)


def run(
    quick: bool = False,
    progress: Callable[[str], None] | None = None,
    *,
    nets: Mapping[str, str | Path] | None = None,
    only: Iterable[str] | None = None,
    games: Sequence[str] = (),
) -> list[Row]:
    """Run the benchmarks, or ``only`` some of ``SUITES``, and return their rows.

    ``quick`` measures too little to say much, in seconds. ``nets`` maps game ids to network
    files to use instead of the shipped ones. ``games`` are those measured where it is games that
    are compared: by default all, but one of each kind where all benchmarks are ``quick``.
    ``progress`` hears a line per row.
    """
    usual = [name for name in SUITES if not (quick and name in LEFT_OUT_OF_QUICK)]
    names = usual if only is None else list(only)
    for name in names:
        if name not in SUITES:
            raise UsageError(f"unknown benchmark {name!r}; choose from: {', '.join(SUITES)}")
    known = {get_game(name).id: path for name, path in (nets or {}).items()}
    usual_games = QUICK_GAMES if quick and only is None else GAMES
    chosen = [get_game(name) for name in games or usual_games]
    bench = Bench(QUICK if quick else FULL, known, chosen)
    rows = []
    for name in names:
        for line in SUITES[name](bench):
            rows.append(line)
            if progress:
                progress(described(line))
    return rows


def described(line: Row) -> str:
    """Return a row as a line of text."""
    numbers = []
    if line["evaluations_per_second"]:
        numbers.append(f"{line['evaluations_per_second']:,.0f}/s")
    if line["network_share"] is not None:
        numbers.append(f"{line['network_share']:.1%} in the network")
    if line["ratio"] is not None:
        numbers.append(f"{line['ratio']:.3g} x {line['peer']}")
    text = "; ".join(filter(None, (", ".join(numbers), line["note"])))
    return f"{line['benchmark']}, {line['game']}, batch {line['batch']}: {text}"


# -- the network in a search, and in self-play -----------------------------------------------


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
        return row(name, game.id, trees, note=_no_network(game))
    batch = trees * leaves
    network.warm(batch)
    plan = Plan(simulations=size.simulations)
    states = roots(game, max(trees, ROOTS))
    ours = network.metered(_search(game, network, states, plan, trees=trees, leaves=leaves))
    result = compare(ours, network.bare(roots(game, batch)), size.repetitions, size.seconds)
    note = f"{size.simulations} simulations"
    if game.id in bench.nets:
        note = f"{Path(bench.nets[game.id]).name.partition('.')[0]}, {note}"
    if leaves > 1:
        note += f", {leaves} leaves a step by virtual loss; against the network at batch {batch}"
    return row(name, game.id, trees, result.rate, share=result.share, ratio=result.ratio,
               peer=BARE, peer_rate=result.peer_rate, note=note)  # fmt: skip


def _no_network(game: Game) -> str:
    return f"skipped: no network of {game.id} here; train one with `evenmatch train {game.id}`"


def roots(game: Game, batch: int) -> States:
    """Return positions [B, S] after some random plies."""
    return next(itertools.islice(random_positions(game, batch, seed=1), ROOT_PLIES, None))


def _search(
    game: Game,
    evaluator: Evaluator,
    states: States,
    plan: Plan,
    *,
    trees: int | None = None,
    leaves: int = 1,
) -> Callable[[], object]:
    """Return work: searches of ``states`` [n, S] from scratch, ``trees`` (or all) at once."""
    trees = trees or len(states)
    slots, seeds = np.arange(trees), seeds_from(1, trees)
    search = Search(game, evaluator, trees=trees, nodes=plan.simulations + 2, leaves=leaves)

    def work() -> None:
        for start in range(0, len(states), trees):
            search.plant(slots, states[start : start + trees], seeds)
            search.run(slots, plan)

    return work


def self_play_rows(bench: Bench) -> Iterator[Row]:
    """Self-play as in training with the ``fast`` preset, against the networks alone."""
    for game in bench.games:
        size = bench.size_for(game)
        preset = _preset(game, size)
        network = bench.network(game)
        if network is None:
            yield row("self-play", game.id, preset.games, note=_no_network(game))
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
    note = f"preset fast: {preset.games} games, {preset.simulations} simulations a move"
    return row("self-play", game.id, preset.games, result.rate, share=result.share,
               ratio=result.ratio, peer=BARE, peer_rate=result.peer_rate, note=note)  # fmt: skip


def remembered_rows(bench: Bench) -> Iterator[Row]:
    """Games of the network with itself, every move searched anew, with and without memory."""
    for game in bench.games:
        network = bench.network(game)
        if network is None:
            yield row("remembered positions", game.id, 1, note=_no_network(game))
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
    new = memories[0].judged / memories[0].asked
    note = f"simulations/s; {plies} moves of each game, {size.simulations} simulations a move; "
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


# -- ratings -----------------------------------------------------------------------------------

SERVED = 64  # games of one forest


def ratings_rows(bench: Bench) -> Iterator[Row]:
    """One forest of games at as many ratings, beside one of games at the same rating."""
    for game in bench.games:
        network = bench.network(game)
        if network is not None and network.card.scales:
            yield _ratings_row(bench.size, game, network)


def _ratings_row(size: Size, game: Game, network: MeteredNetwork) -> Row:
    trees = min(SERVED, size.largest)
    network.warm(trees)
    states, knots = roots(game, trees), domain_of(game.id).knots
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


# -- kinds of number, and proofs --------------------------------------------------------------


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
        if network is None or not domain_of(game.id).solves:
            continue
        size = bench.size_for(game)
        for trees in size.batches[:3]:
            network.warm(trees)
            states = middles(game, max(trees, ROOTS))
            plain = Plan(simulations=size.simulations)
            proving, plainly = (
                timed(
                    _search(game, network, states, plan, trees=trees),
                    len(states) * size.simulations,
                )
                for plan in (replace(plain, solve=Solve.SETTLE), plain)
            )
            result = compare(proving, plainly, size.repetitions, size.seconds)
            yield row("search with proofs", game.id, trees, result.rate, ratio=result.ratio,
                      peer="the same without", peer_rate=result.peer_rate,
                      note=f"simulations/s; {size.simulations} simulations")  # fmt: skip


# -- search and rules alone ------------------------------------------------------------------


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
    ours = timed(_search(game, UniformEvaluator(game), states, plan), count)
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


def middles(game: Game, batch: int) -> States:
    """Return positions [B, S] to judge rules by: of Go after a third of its points are played."""
    if not isinstance(game, Go):
        return roots(game, batch)
    plies = random_positions(game, batch, seed=1)
    return game.as_roots(next(itertools.islice(plies, game.points // 3, None)))


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


MCTS_PLAYOUTS = 300  #: a move of MCTS1 in the paper


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
    games = np.arange(len(states))
    player = make_player(f"mcts1:sims={MCTS_PLAYOUTS}", game, len(states))
    player.begin(games, np.ones(len(states), np.int8), 1)
    turns = Turns(
        games, np.zeros_like(games), states[:, None], np.zeros((len(states), 0), np.int32)
    )
    return lambda: player.choose(turns)


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


SUITES: dict[str, Callable[[Bench], Iterator[Row]]] = {
    "search": search_rows,
    "self-play": self_play_rows,
    "remembered": remembered_rows,
    "ratings": ratings_rows,
    "precision": precision_rows,
    "proofs": proof_rows,
    "constant": constant_rows,
    "memory": memory_rows,
    "rules": rules_rows,
    "encode": encode_rows,
    "playouts": playout_rows,
    "mcts": mcts_rows,
    "sgf": sgf_rows,
}
