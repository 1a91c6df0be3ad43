"""The inputs of KataGo's networks, version 7: 22 planes, and 19 numbers of the whole board.

They are seen by the side to move. Each number fills a plane of its own, so that all planes turn
with the board, 41 in all.

| plane | ones on |
|---|---|
| 0 | all points |
| 1, 2 | own stones, the opponent's |
| 3, 4, 5 | stones of chains with 1, 2, 3 liberties |
| 6 | points that ko or superko bans |
| 9-13 | the latest five moves, the latest first, as far as sides took turns |
| 14, 15, 16 | stones caught by ladders: now, one and two moves ago |
| 17 | moves that catch a chain of two liberties of the opponent's by a ladder |
| 18, 19 | the own area, the opponent's; without territory in seki where that is taxed |

| number | what |
|---|---|
| 0-4 | 1 if that move of the latest five was a pass |
| 5 | komi of the side to move / 20, what rules add for handicap stones included |
| 6, 7 | ko rule: 0, 0 simple; 1, 0.5 positional superko; 1, -0.5 situational superko |
| 8 | 1 if suicide is legal |
| 9 | 1 if territory is scored |
| 10, 11 | tax: 0, 0 none; 1, 0 no points in seki; 1, 1 and two for each group |
| 14 | 1 if a pass ends the game |
| 17 | 1 if the first pass gets half a point (button) |
| 18 | area scoring: how much the next half point of komi matters, a wave of period 2 |

Left 0 are planes 7, 8, 20, 21 and numbers 12, 13 of a phase after the game in some rules, and
numbers 15, 16 of games in which one side searches more.

Source: lightvector/KataGo, cpp/neuralnet/nninputs.cpp, fillRowV7.
"""

import numpy as np

from evenmatch.games.bits import inlined, kernel
from evenmatch.games.go.ladders import mark_ladders
from evenmatch.games.go.linked_board import (
    COLOUR,
    EMPTY,
    KO,
    OTHER,
    OWN,
    cell,
    is_lone_ko,
    liberties_of,
    link,
)
from evenmatch.games.go.pass_alive import leave_stones_and_life, mark_area

SPATIAL, NUMBERS = 22, 19
PLANES = SPATIAL + NUMBERS
FORMAT = (
    "KataGo's inputs, version 7: 22 planes (board, stones, liberties, ko, five moves, ladders, "
    "area), and 19 that are the inputs of the whole board (passes, komi, rules)"
)
LADDERS = (14, 15, 16, 17)  #: now, one and two moves ago; moves that begin to capture
BOARDS, MOVES = 3, 5  #: positions and moves of the past that inputs tell of
KO_RULE, SCORING, TAX, SUICIDE, PASS_ENDS, BUTTON = range(6)  #: places of a game's rules
AREA_ONLY = 2  #: a bit of the place of suicide: planes of area alone are as if it were legal
SIMPLE_KO, POSITIONAL, SITUATIONAL = range(3)  #: ko rules
AREA, TERRITORY = range(2)  #: scoring rules
NO_TAX, SEKI_TAX, GROUP_TAX = range(3)  #: tax rules


@kernel
def write_planes(size, boards, moves, captured, banned, komi, rules, work, out):
    """Write the inputs of one position to ``out`` [41, H, W].

    boards [3, P]: colours EMPTY, OWN (of the side to move) and OTHER, of now, one and two moves
    ago. moves [5]: points of the latest moves, P for a pass, -1 where there is none or the same
    side had moved before. captured [3]: the point of the only stone that the move to each board
    captured, -1 where it captured none or more. banned [P]: what superko and ko ban. komi of the
    side to move. rules [6]: see KO_RULE. Boards that moves do not lead to are not read.
    """
    points = size * size
    planes = out.reshape(PLANES, points)
    planes[:] = 0
    known = 0
    for back in range(BOARDS - 1, -1, -1):  # the present one last, which work.board is to hold
        known = back
        while known > 0 and moves[known - 1] < 0:
            known -= 1
        set_up(size, boards[known], moves[known], captured[known], work)
        mark_ladders(size, work, planes[14 + back], planes[17], back == 0)
    write_stones(size, work.board, banned, planes)
    write_area(size, rules, work, planes)
    write_moves(points, moves, planes)
    write_numbers(size, komi, rules, planes[SPATIAL:, 0])
    for plane in planes[SPATIAL:]:
        if plane[0] != 0:
            plane[:] = plane[0]


@inlined
def set_up(size, stones, move, captured, work):
    """Put a position on ``work.board``, with the ko that its latest move left."""
    board = work.board
    link(board, stones, size)
    if captured >= 0 and 0 <= move < size * size and is_lone_ko(board, cell(move, size)):
        board[KO, 0] = cell(captured, size)


@inlined
def write_stones(size, board, banned, planes):
    """Write the planes of stones, liberties and bans."""
    for point in range(size * size):
        at = cell(point, size)
        planes[0, point] = 1
        colour = board[COLOUR, at]
        if colour != EMPTY:
            planes[1 if colour == OWN else 2, point] = 1
            liberties = liberties_of(board, at)
            if liberties <= 3:
                planes[2 + liberties, point] = 1
        if banned[point]:
            planes[6, point] = 1


@inlined
def write_area(size, rules, work, planes):
    """Write whose the points are; nothing under territory scoring, whose games end otherwise."""
    if rules[SCORING] == TERRITORY:
        return
    mark_area(size, rules[SUICIDE] != 0, work)
    if rules[TAX] != NO_TAX:
        leave_stones_and_life(size, work)
    for point in range(size * size):
        owner = work.area[cell(point, size)]
        if owner == OWN:
            planes[18, point] = 1
        elif owner == OTHER:
            planes[19, point] = 1


@inlined
def write_moves(points, moves, planes):
    """Write the latest moves, passes as numbers of the board."""
    for back in range(MOVES):
        if moves[back] < 0:
            return
        if moves[back] < points:
            planes[9 + back, moves[back]] = 1
        else:
            planes[SPATIAL + back, 0] = 1


@inlined
def write_numbers(size, komi, rules, numbers):  # int, float, [6], [19]
    """Write the other numbers of the whole board."""
    most = size * size + 20.0
    komi = min(max(komi, -most), most)
    numbers[5] = komi / 20.0
    if rules[KO_RULE] != SIMPLE_KO:
        numbers[6] = 1
        numbers[7] = 0.5 if rules[KO_RULE] == POSITIONAL else -0.5
    numbers[8] = rules[SUICIDE] & 1
    numbers[9] = rules[SCORING]
    numbers[10] = rules[TAX] != NO_TAX
    numbers[11] = rules[TAX] == GROUP_TAX
    numbers[14] = rules[PASS_ENDS]
    numbers[17] = rules[BUTTON]
    if rules[SCORING] == AREA:
        numbers[18] = wave(komi, size)


@inlined
def wave(komi, size):
    """Return how much more komi is worth than half of it: up around komis that allow draws.

    Those are as even as the number of points. Only there does half a point more win games, so the
    wave rises for half a point about them and falls in between.
    """
    start = np.float64(size % 2)
    above = (komi - start) - 2.0 * np.floor((komi - start) / 2.0)
    if above < 0.5:
        return above
    return 1.0 - above if above < 1.5 else above - 2.0
