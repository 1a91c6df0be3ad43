"""Rooms: seats come and go, and their moves are found together as they would be alone."""

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import sleep

import numpy as np
import pytest

from evenmatch.errors import SpecError, UsageError
from evenmatch.games import get_game
from evenmatch.players import make_player
from evenmatch.search import UniformEvaluator
from evenmatch.sessions import GameLine, Room, Seat
from evenmatch.sessions import room as module
from evenmatch.sessions.room import _next_of, _Pending

CONNECT4, CHESS = get_game("connect4"), get_game("chess")


@pytest.fixture
def room():
    with Room(CONNECT4) as room:
        yield room


def random_line(plies: int, seed: int, game=CONNECT4) -> GameLine:
    rng, line = np.random.default_rng(seed), GameLine(game)
    for _ in range(plies):
        line.push(int(rng.choice(line.legal)))
    return line


def alone(spec: str, line: GameLine, side: int, seed: int) -> int:
    seat = Seat(make_player(spec, line.game))
    seat.begin(line, side, seed)
    return seat.choose(line)


def asked_at_once(room, places, lines):
    """Ask for all moves while the room cannot answer, so that they are found together."""
    with room._lock:
        futures = [place.move(line) for place, line in zip(places, lines, strict=True)]
    return [future.result(60) for future in futures]


@pytest.mark.parametrize("spec", ["mcts:sims=30", "random"])
def test_moves_are_those_of_a_player_alone(room, spec):
    """16 games side by side, in at most two calls: one may have begun before the rest came."""
    lines = [random_line(2 * (seed % 5), seed) for seed in range(16)]
    places = [room.open(spec, 1, seed) for seed in range(16)]
    found = asked_at_once(room, places, lines)
    wanted = [alone(spec, line, 1, seed) for seed, line in enumerate(lines)]
    assert found == wanted
    assert room.figures.calls <= 2


def test_players_of_all_ratings_share_one_forest():
    ratings = range(1100, 2501, 200)
    with Room(CHESS) as room:
        places = [room.open(f"pikl:elo={elo},sims=4,lam=1,t=1", 1, 5) for elo in ratings]
        assert len({id(place.seat.player) for place in places}) == 1
        lines = [GameLine(CHESS) for _ in places]
        found = asked_at_once(room, places, lines)
        assert room.figures.calls <= 2
    assert all(action in lines[0].legal for action in found)


def test_games_are_played_to_the_end_side_by_side(room):
    places = {seed: room.open("mcts:sims=10", -1, seed) for seed in range(6)}
    lines = {seed: GameLine(CONNECT4) for seed in places}
    rng = np.random.default_rng(3)
    while going := {seed: line for seed, line in lines.items() if line.legal}:
        for line in going.values():
            line.push(int(rng.choice(line.legal)))
        asked = {seed: line for seed, line in going.items() if line.legal}
        futures = {seed: places[seed].move(line) for seed, line in asked.items()}
        for seed, future in futures.items():
            lines[seed].push(future.result(60))
    assert all(line.ply >= 7 for line in lines.values())


def test_a_seat_that_is_closed_is_free_for_others(room):
    first = room.open("random", 1, 1)
    first.close()
    with pytest.raises(UsageError, match="this seat is closed; open another"):
        first.move(GameLine(CONNECT4))
    first.close()  # once is enough
    second, third = room.open("random", 1, 2), room.open("random", 1, 3)
    assert second.seat.number == first.seat.number
    assert third.seat.number != second.seat.number


def test_a_seat_taken_by_another_player_plays_as_that(room):
    """Its controller is of the spec that opened it, not of who sat there before."""
    staying = room.open("mcts:sims=1", 1, 1)  # keeps the forest
    weak = room.open("mcts:sims=1", 1, 4)
    line = random_line(6, 9)
    assert weak.move(line).result(60) == alone("mcts:sims=1", line, 1, 4)
    weak.close()
    strong = room.open("mcts:sims=200", 1, 4)
    assert strong.seat.player is weak.seat.player is staying.seat.player
    assert strong.seat.number == weak.seat.number
    assert strong.move(line).result(60) == alone("mcts:sims=200", line, 1, 4)


def test_an_error_is_told_to_whom_it_belongs(room):
    """A game that is over has no move; the others have theirs."""
    over = GameLine(CONNECT4)
    for column in (0, 1, 0, 1, 0, 1, 0):
        over.push(column)
    assert not over.legal
    good = random_line(4, 1)
    places = [room.open("mcts:sims=10", side, 1) for side in (-1, 1)]
    with room._lock:
        futures = [place.move(line) for place, line in zip(places, (over, good), strict=True)]
    assert futures[1].result(60) == alone("mcts:sims=10", good, 1, 1)
    with pytest.raises(UsageError, match="the game is over"):
        futures[0].result(60)


def test_a_call_that_fails_is_made_again_for_each_game(room, monkeypatch):
    places = [room.open("mcts:sims=10", 1, seed) for seed in range(3)]
    player, lines = places[0].seat.player, [random_line(4, seed) for seed in range(3)]
    choose = player.choose

    def fails(turns):
        if len(turns.games) > 1 or turns.games[0] == places[1].seat.number:
            raise RuntimeError("broken")
        return choose(turns)

    monkeypatch.setattr(player, "choose", fails)
    with room._lock:
        futures = [place.move(line) for place, line in zip(places, lines, strict=True)]
    assert str(futures[1].exception(60)) == "broken"
    for seed in (0, 2):
        assert futures[seed].result(60) == alone("mcts:sims=10", lines[seed], 1, seed)


def test_a_turn_that_failed_is_as_if_it_had_not_been(room, monkeypatch):
    """The search fails after the controller has made its plan; asked again, it is as new."""
    spec, line = "even:sims=8,looks=1", random_line(5, 2)
    place = room.open(spec, -1, 1)
    search = place.seat.player._search
    run = search.run
    monkeypatch.setattr(search, "run", lambda *args, **kwargs: 1 / 0)
    assert isinstance(place.move(line).exception(60), ZeroDivisionError)
    monkeypatch.setattr(search, "run", run)
    assert place.move(line).result(60) == alone(spec, line, -1, 1)
    seat = Seat(make_player(spec, CONNECT4))
    seat.begin(line, -1, 1)
    seat.choose(line)
    assert place.seat.snapshots == seat.snapshots


def test_an_error_outside_the_search_leaves_the_thread_alive(room, monkeypatch):
    place = room.open("mcts:sims=10", 1, 1)
    monkeypatch.setattr(place.seat, "end_turn", lambda at: 1 / 0)
    line = random_line(4, 1)
    other = room.open("mcts:sims=10", 1, 2)
    with room._lock:  # both are found together
        futures = [place.move(GameLine(CONNECT4)), other.move(line)]
    assert isinstance(futures[0].exception(60), ZeroDivisionError)
    assert futures[1].result(60) == alone("mcts:sims=10", line, 1, 2)


def test_a_move_that_is_cancelled_is_not_looked_for(room):
    places = [room.open("mcts:sims=10", 1, seed) for seed in range(2)]
    line = random_line(4, 1)
    with room._lock:
        futures = [place.move(line) for place in places]
        assert futures[0].cancel()
    assert futures[1].result(60) == alone("mcts:sims=10", line, 1, 1)
    assert futures[0].cancelled()
    assert places[0].move(line).result(60) == alone("mcts:sims=10", line, 1, 0)


def test_a_line_may_go_on_while_its_move_is_pending(room):
    place, line = room.open("mcts:sims=10", 1, 1), random_line(4, 1)
    wanted = alone("mcts:sims=10", line, 1, 1)
    with room._lock:
        future = place.move(line)
        line.push(line.legal[0])
    assert future.result(60) == wanted


def test_a_seat_closed_while_its_move_is_pending_is_free_only_afterwards(room):
    """Else two games would have one number, and the players of both would be mixed up."""
    line = random_line(4, 1)
    leaving, staying = room.open("random", 1, 1), room.open("random", 1, 2)
    with room._lock:
        future = leaving.move(line)
        leaving.close()
        assert leaving.seat.number not in leaving.seat.player._free
    assert future.result(60) == alone("random", line, 1, 1)
    staying.move(line).result(60)  # by now the thread has freed the other
    assert room.open("random", 1, 3).seat.number == leaving.seat.number


def test_another_game_begins_when_told_so(room):
    """With the first game's first moves: only ``begin`` says that it is another."""
    place, line = room.open("random", 1, 1), GameLine(CONNECT4)
    first = place.move(line).result(60)
    assert first == alone("random", line, 1, 1)
    place.finish(1.0).result(60)
    for seed in range(2, 6):
        place.begin(1, seed)
        assert place.move(line).result(60) == alone("random", line, 1, seed)


def test_players_learn_from_game_to_game_in_a_room(room):
    place = room.open("inter:sims=2", 1, 1)
    assert place.remember().result(60) is None
    place.move(GameLine(CONNECT4)).result(60)
    place.finish(-1.0).result(60)
    learned = place.remember().result(60)
    assert learned["z"] > 0
    another = room.open("inter:sims=2", 1, 1)
    another.recall(learned).result(60)
    another.move(GameLine(CONNECT4)).result(60)
    assert another.seat.player.controller(another.seat.number).dial.z == learned["z"]


def test_what_a_seat_is_asked_happens_in_order(room):
    place, line = room.open("random", 1, 1), GameLine(CONNECT4)
    with room._lock:
        futures = [place.move(line), place.begin(1, 7), place.move(line), place.begin(1, 8)]
        futures.append(place.move(line))
    found = [future.result(60) for future in futures]
    assert found == [alone("random", line, 1, 1), None, alone("random", line, 1, 7), None,
                     alone("random", line, 1, 8)]  # fmt: skip


def test_a_callback_may_open_a_seat_and_close_the_room():
    room = Room(CONNECT4)
    opened = []
    future = room.open("random", 1, 1).move(GameLine(CONNECT4))

    def callback(_):
        opened.append(room.open("random", -1, 2))
        room.close()

    future.add_done_callback(callback)
    future.result(60)
    room._thread.join(60)
    assert not room._thread.is_alive()
    assert len(opened) == 1


def test_seats_opened_at_once_share_a_forest(room):
    with ThreadPoolExecutor(8) as threads:
        specs = [f"softmax:z={z},sims=4" for z in range(8)]
        places = list(threads.map(lambda spec: room.open(spec, 1, 1), specs))
    assert len({id(place.seat.player) for place in places}) == 1
    assert len({place.seat.number for place in places}) == 8


def test_a_player_leaves_with_its_last_seat(room):
    places = [room.open(spec, 1, 1) for spec in ("random", "random", "mcts:sims=3")]
    assert len(room._hosts) == 2
    for place in places:
        place.close()
    assert not room._hosts
    assert room.open("random", 1, 1).move(GameLine(CONNECT4)).result(60) in range(7)


def test_a_player_without_a_search_is_made_once(room, monkeypatch):
    made = []

    def make(*arguments):
        made.append(arguments)
        return make_player(*arguments)

    monkeypatch.setattr("evenmatch.sessions.room.make_player", make)
    for _ in range(3):
        room.open("random", 1, 1)
    assert len(made) == 1


def test_a_closed_room_refuses_moves():
    with Room(CONNECT4) as room:
        place = room.open("random", 1, 1)
    with pytest.raises(UsageError, match="this room is closed; open another"):
        place.move(GameLine(CONNECT4))
    with pytest.raises(UsageError, match="this room is closed; open another"):
        room.open("random", 1, 1)


def test_what_is_no_player_is_refused_at_once(room):
    with pytest.raises(SpecError, match="unknown player"):
        room.open("nobody", 1, 1)


def test_the_same_seat_asked_twice_answers_twice(room):
    place, line = room.open("mcts:sims=10", 1, 1), random_line(4, 1)
    one, two = asked_at_once(room, [place, place], [line, line])
    assert one == two


def test_pending_moves_are_found_before_a_room_closes():
    with Room(CONNECT4) as room:
        future = room.open("mcts:sims=50", 1, 1).move(GameLine(CONNECT4))
    assert future.done()


def test_a_forest_grows_with_its_trees():
    from evenmatch.search import Plan, Search

    search = Search(CONNECT4, UniformEvaluator(CONNECT4), trees=2)
    search.plant([0, 1], CONNECT4.initial(2), [1, 2])
    before = search.run([0, 1], Plan(simulations=40))
    search.resize(5)
    after = search.read([0, 1])
    assert (before.visits == after.visits).all()
    search.plant([4], CONNECT4.initial(), [1])
    grown = search.run([4], Plan(simulations=40))
    assert (grown.visits[0] == before.visits[0]).all()


def test_who_has_waited_longest_comes_first_in_bounded_batches(room, monkeypatch):
    """Two kinds of player ask in turns; three moves at most are found together."""
    monkeypatch.setattr(module, "MOST_TOGETHER", 3)
    places = [room.open(spec, 1, 1) for spec in ["mcts:sims=4", "random"] * 4]
    waiting = deque(_Pending(place, line=GameLine(CONNECT4)) for place in places)
    quick = _Pending(room.open("random", 1, 1), work=lambda: None, quick=True)
    quick.place.waiting = 1
    waiting.append(quick)
    batches = []
    while waiting:
        batches.append(
            [places.index(one.place) if one.line else "quick" for one in _next_of(waiting)]
        )
    assert batches == [["quick"], [0, 2, 4], [1, 3, 5], [6], [7]]
    quick.place.waiting = 0


def test_what_a_place_is_asked_for_stays_in_order(room):
    """Work that takes no search does not overtake the same place's move."""
    place = room.open("random", 1, 1)
    place.waiting = 2
    waiting = deque(
        [_Pending(place, line=GameLine(CONNECT4)), _Pending(place, work=int, quick=True)]
    )
    assert [one.line is None for one in _next_of(waiting)] == [False, True]
    place.waiting = 0


def test_who_waits_is_told_how_long(room):
    assert room.wait() == 0  # nothing is known yet
    place = room.open("mcts:sims=50", 1, 1)
    place.move(GameLine(CONNECT4)).result(60)
    assert room.figures.moves == room.figures.calls == 1
    assert 0 < room.figures.a_move == room.figures.seconds < 60
    places = [room.open("mcts:sims=50", 1, seed) for seed in range(8)]
    with room._lock:
        futures = [one.move(GameLine(CONNECT4)) for one in places]
        assert room.waiting == 8
        assert room.wait() == 9 * room.figures.a_move
    for future in futures:
        future.result(60)
    assert room.figures.moves == 9


def test_figures_tell_how_many_moves_were_found_together(room):
    places = [room.open("random", 1, seed) for seed in range(3)]
    room._lock.acquire()
    futures = [place.move(GameLine(CONNECT4)) for place in places]
    room._lock.release()
    for future in futures:
        future.result(60)
    figures = room.figures
    assert sum(size * calls for size, calls in figures.together.items()) == figures.moves == 3
    assert figures.together.total() == figures.calls
    assert figures.waited > 0


def test_who_sits_down_waits_for_one_search_at_most(room, monkeypatch):
    """Eight open seats while moves are being found: no other search begins before they sit."""
    place, line = room.open("mcts:sims=10", 1, 1), random_line(4, 1)
    player, begun, go_on, sitting = place.seat.player, Event(), Event(), []
    choose = player.choose

    def slow(turns):
        sitting.append(host.seats)
        begun.set()
        assert go_on.wait(60)
        return choose(turns)

    host = place._host
    monkeypatch.setattr(player, "choose", slow)
    first = place.move(line)
    assert begun.wait(60)
    with ThreadPoolExecutor(8) as threads:
        seats = [threads.submit(room.open, "mcts:sims=10", 1, seed) for seed in range(8)]
        for _ in range(60_000):
            if room._entering == 8:
                break
            sleep(0.001)
        second = place.move(line)
        go_on.set()
        assert {seat.result(60).seat.player is player for seat in seats} == {True}
    assert first.result(60) == second.result(60)
    assert sitting == [1, 9]


def test_who_comes_while_others_sit_down_waits_for_the_next_search(room, monkeypatch):
    """A stream of people who come keeps nobody from a move."""
    place, line = room.open("mcts:sims=10", 1, 1), random_line(4, 1)
    player, sitting, made, go_on, order = place.seat.player, Event(), Event(), Event(), []
    let_decide, choose = player.let_decide, player.choose

    def sit(*asked):
        order.append("seat")
        sitting.set()
        assert go_on.wait(60)
        let_decide(*asked)

    def make(*asked):
        made.set()
        return make_player(*asked)

    monkeypatch.setattr(player, "let_decide", sit)
    monkeypatch.setattr(player, "choose", lambda turns: order.append("move") or choose(turns))
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(room.open, "mcts:sims=10", 1, 2)
        assert sitting.wait(60)
        move = place.move(line)
        for _ in range(60_000):
            if room._answering:
                break
            sleep(0.001)
        monkeypatch.setattr(module, "make_player", make)
        second = threads.submit(room.open, "mcts:sims=10", 1, 3)
        assert made.wait(60)
        with room._opening:  # the second is about to come
            go_on.set()
        for future in (move, first, second):
            future.result(60)
    assert order == ["seat", "move", "seat"]
