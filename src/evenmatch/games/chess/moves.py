"""Chess moves on one board: legal moves, making a move, checks.

A board is five words [5]. Bit ``8 * rank + file`` is a square, a1 is bit 0. The first three
words hold the binary digits of the piece on each square, 1 pawn, 2 knight, 3 bishop, 4 rook,
5 queen, 6 king as python-chess numbers them; the fourth has White's pieces. The fifth holds,
from bit 0: 1 if Black is to move (1 bit), the castling rights K Q k q (4 bits), the en passant
square (6 bits) and the half-moves since a capture or pawn move (10 bits). The en passant square
is kept only while an en passant capture is legal, and is 0 otherwise.

A move is ``from | to << 6 | promotion << 12``, the promotion a piece number or 0. Castling is
the king's move by two squares. Rules that look back, such as repetition, are in ``chess.py``.
"""

import numpy as np

from evenmatch.games.bits import byteswap, inlined, kernel, leading_zeros, trailing_zeros

ONE = np.uint64(1)
EVERY = np.uint64(0xFFFFFFFFFFFFFFFF)
KNIGHT_STEPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
KING_STEPS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
PAWN_STEPS = (((1, -1), (1, 1)), ((-1, -1), (-1, 1)))  # White's captures, Black's
LINES = ((0, 1), (1, 0), (1, 1), (1, -1))  # (ranks, files) a step upwards: rank, file, diagonals
RANK, FILE, RISING, FALLING = np.arange(4)  # no Python numbers, nor these: see games/bits.py
C1, G1 = np.int64(2), np.int64(6)


def _walk(square: int, step: tuple[int, int], most: int = 7) -> list[int]:
    """Return the squares met from ``square`` by ``step`` before the edge, at most ``most``."""
    squares, (rank, file) = [], divmod(square, 8)
    for _ in range(most):
        rank, file = rank + step[0], file + step[1]
        if not (0 <= rank < 8 and 0 <= file < 8):
            break
        squares.append(8 * rank + file)
    return squares


def _word(squares: list[int]) -> int:
    return sum(1 << square for square in squares)


def _jumps(steps: tuple[tuple[int, int], ...]) -> np.ndarray:
    """Return the squares that one step leads to from each square, [64]."""
    words = [sum(_word(_walk(square, step, 1)) for step in steps) for square in range(64)]
    return np.array(words, np.uint64)


def _rays(sign: int) -> np.ndarray:
    """Return the squares along each line above (1) or below (-1) each square, [64, 4]."""
    steps = [(sign * rank, sign * file) for rank, file in LINES]
    words = [[_word(_walk(square, step)) for step in steps] for square in range(64)]
    return np.array(words, np.uint64)


def _pairs() -> tuple[np.ndarray, np.ndarray]:
    """Return the squares between two squares and the whole line through them, [64, 64] each."""
    between, line = np.zeros((2, 64, 64), np.uint64)
    for square in range(64):
        for step in KING_STEPS:
            ray = _walk(square, step)
            back = _walk(square, (-step[0], -step[1]))
            for i, other in enumerate(ray):
                between[square, other] = _word(ray[:i])
                line[square, other] = _word([square, *ray, *back])
    return between, line


KNIGHT = _jumps(KNIGHT_STEPS)  # [64]
KING = _jumps(KING_STEPS)  # [64]
PAWN = np.stack([_jumps(steps) for steps in PAWN_STEPS])  # [2, 64] what a colour's pawn attacks
ABOVE, BELOW = _rays(1), _rays(-1)  # [64, 4] squares of greater and of smaller number
BETWEEN, LINE = _pairs()  # [64, 64] both ends excluded; included; 0 off all lines


@inlined
def bit(square):
    """Return the word of one square."""
    return ONE << np.uint64(square)


@inlined
def line_attacks(square, line, occupied):
    """Return what a slider attacks along one of the four ``LINES``."""
    above, below = ABOVE[square, line], BELOW[square, line]
    blockers = above & occupied
    nearest = np.uint64(1 << 63) >> leading_zeros((below & occupied) | ONE)
    return (blockers ^ (blockers - nearest)) & (above | below)


@inlined
def straight_attacks(square, occupied):
    """Return what a rook attacks."""
    return line_attacks(square, RANK, occupied) | line_attacks(square, FILE, occupied)


@inlined
def diagonal_attacks(square, occupied):
    """Return what a bishop attacks."""
    return line_attacks(square, RISING, occupied) | line_attacks(square, FALLING, occupied)


BOARD_WORDS = 5
MAX_LEGAL = 218  #: most legal moves of any position that a game can reach
PAWN_, KNIGHT_, BISHOP_, ROOK_, QUEEN_, KING_ = range(1, 7)
SIDE = np.uint64(1)
RIGHTS = np.uint64(0b11110)
EN_PASSANT, CLOCK = np.uint64(5), np.uint64(11)  # where these fields of the fifth word begin
SQUARE, MOST_CLOCK = np.uint64(63), np.uint64(1023)
RANK_2, RANK_7 = np.uint64(0xFF << 8), np.uint64(0xFF << 48)
SHORT_GAP, LONG_GAP = np.uint64(0x60), np.uint64(0x0E)  # empty for castling, seen by the mover


def _rights_lost() -> np.ndarray:
    """Return the castling rights that end when a piece leaves or enters a square, [64]."""
    lost = np.zeros(64, np.uint64)
    lost[[7, 0, 63, 56]] = [0b00010, 0b00100, 0b01000, 0b10000]
    lost[[4, 60]] = [0b00110, 0b11000]
    return lost


RIGHTS_LOST = _rights_lost()


# -- one board, seen by the side to move: its pawns go up ------------------------------------------


@inlined
def mover_view(board):  # [5]
    """Return (three digits, own pieces, the other's, own castling rights, en passant square)."""
    p, q, r, white, rules = board[0], board[1], board[2], board[3], board[4]
    own, other = white, (p | q | r) & ~white
    rights = (rules >> ONE) & np.uint64(3)
    passing = (rules >> EN_PASSANT) & SQUARE
    if rules & SIDE:
        p, q, r = byteswap(p), byteswap(q), byteswap(r)
        own, other = byteswap(other), byteswap(own)
        rights = (rules >> np.uint64(3)) & np.uint64(3)
        if passing:
            passing ^= np.uint64(56)
    return p, q, r, own, other, rights, passing


@inlined
def attackers(square, occupied, theirs, p, q, r, colour):
    """Return the pieces of ``theirs`` that attack a square held by ``colour`` (0 White).

    p, q, r are the three digits of the pieces; ``occupied`` may differ from them, to ask what
    would be attacked.
    """
    pawns, knights, kings = p & ~q & ~r, q & ~p & ~r, q & r
    straight, diagonal = r & ~q, p & (q ^ r)  # rooks and queens, bishops and queens
    pieces = (PAWN[colour, square] & pawns) | (KNIGHT[square] & knights) | (KING[square] & kings)
    pieces |= straight_attacks(square, occupied) & straight
    pieces |= diagonal_attacks(square, occupied) & diagonal
    return pieces & theirs


@inlined
def passes_legally(start, target, king, occupied, theirs, p, q, r, colour):
    """Tell whether an en passant capture leaves the own king (a square) unattacked.

    Both pawns leave their squares at once, so that lines no single piece blocks may open.
    """
    taken = bit(target ^ 8)
    after = (occupied ^ bit(start) ^ taken) | bit(target)
    return attackers(king, after, theirs & ~taken, p, q, r, colour) == 0


@inlined
def threats_to(king, own, other, p, q, r):
    """Return (pieces that give check, own pieces that are pinned)."""
    straight, diagonal = r & ~q & other, p & (q ^ r) & other
    checkers = (PAWN[0, king] & p & ~q & ~r) | (KNIGHT[king] & q & ~p & ~r)
    checkers &= other
    pinned = np.uint64(0)
    snipers = straight_attacks(king, other) & straight
    snipers |= diagonal_attacks(king, other) & diagonal
    while snipers:
        sniper = trailing_zeros(snipers)
        snipers &= snipers - ONE
        shields = BETWEEN[king, sniper] & own
        if shields == 0:
            checkers |= bit(sniper)
        elif shields & (shields - ONE) == 0:
            pinned |= shields
    return checkers, pinned


@inlined
def king_targets(king, own, other, p, q, r, rights, checked):
    """Return where the king may go, castling included."""
    occupied, targets = own | other, np.uint64(0)
    without = occupied & ~bit(king)
    steps = KING[king] & ~own
    while steps:
        target = trailing_zeros(steps)
        steps &= steps - ONE
        if attackers(target, without, other, p, q, r, 0) == 0:
            targets |= bit(target)
    if rights and not checked:  # the square the king passes is one of its steps
        short = rights & ONE and targets & bit(5) and not occupied & SHORT_GAP
        if short and attackers(G1, occupied, other, p, q, r, 0) == 0:
            targets |= bit(6)
        long = rights & np.uint64(2) and targets & bit(3) and not occupied & LONG_GAP
        if long and attackers(C1, occupied, other, p, q, r, 0) == 0:
            targets |= bit(2)
    return targets


@inlined
def pawn_targets(square, occupied, other):
    """Return where a pawn may push and capture, en passant apart."""
    pawn = bit(square)
    pushes = (pawn << np.uint64(8)) & ~occupied
    if pawn & RANK_2:
        pushes |= (pushes << np.uint64(8)) & ~occupied
    return pushes | (PAWN[0, square] & other)


@inlined
def piece_targets(square, occupied, p, q, r):
    """Return what the knight, bishop, rook or queen on a square attacks."""
    here = bit(square)
    if not r & here and not p & here:
        return KNIGHT[square]
    targets = np.uint64(0)
    if r & here:
        targets |= straight_attacks(square, occupied)
    if p & here:
        targets |= diagonal_attacks(square, occupied)
    return targets


@kernel
def mover_moves(board, moves):  # [5], [>= MAX_LEGAL] int16 -> int
    """Write the legal moves as the mover sees them, ranks counted from its side; return how many.

    They are in increasing order of from-square, then target, each promotion as a knight's;
    the promotions to queen, rook and bishop follow at the end in the same order.
    """
    p, q, r, own, other, rights, passing = mover_view(board)
    occupied, pawns, count = own | other, p & ~q & ~r, 0
    king = trailing_zeros(q & r & own)
    checkers, pinned = threats_to(king, own, other, p, q, r)
    allowed = EVERY
    if checkers:
        checker = trailing_zeros(checkers)
        allowed = BETWEEN[king, checker] | bit(checker)
    pieces = own
    if checkers & (checkers - ONE):
        pieces = bit(king)
    while pieces:
        square = trailing_zeros(pieces)
        pieces &= pieces - ONE
        here = bit(square)
        if square == king:
            targets = king_targets(king, own, other, p, q, r, rights, checkers != 0)
        else:
            if pawns & here:
                targets = pawn_targets(square, occupied, other)
            else:
                targets = piece_targets(square, occupied, p, q, r) & ~own
            targets &= allowed
            if pinned & here:
                targets &= LINE[king, square]
            if passing and pawns & here and PAWN[0, square] & bit(passing):
                target = np.int64(passing)
                if passes_legally(square, target, king, occupied, other, p, q, r, 0):
                    targets |= bit(target)
        promotion = KNIGHT_ << 12 if pawns & here & RANK_7 else 0
        while targets:
            target = trailing_zeros(targets)
            targets &= targets - ONE
            moves[count] = square | target << 6 | promotion
            count += 1
    if pawns & own & RANK_7:
        count = add_promotions(moves, count)
    return count


@inlined
def add_promotions(moves, count):  # [>= MAX_LEGAL] int16, int -> int
    """Add the promotions to queen, rook and bishop that go with those to a knight."""
    total = count
    for i in range(count):
        if moves[i] >> 12 == KNIGHT_:
            for piece in (QUEEN_, ROOK_, BISHOP_):
                moves[total] = (moves[i] & 0xFFF) | piece << 12
                total += 1
    return total


# -- one board, squares as they are ----------------------------------------------------------------


@kernel
def legal_moves(board, moves):  # [5], [>= MAX_LEGAL] int16 -> int
    """Write the legal moves ``from | to << 6 | promotion << 12``; return how many.

    The order is that of :func:`mover_moves`.
    """
    count = mover_moves(board, moves)
    if board[4] & SIDE:
        for i in range(count):
            moves[i] ^= 56 | 56 << 6
    return count


@kernel
def is_attacked(board, square, by_black):  # [5], int, 0 or 1 -> bool
    """Tell whether a side attacks a square."""
    p, q, r, white = board[0], board[1], board[2], board[3]
    occupied = p | q | r
    theirs = occupied & ~white if by_black else white
    return attackers(square, occupied, theirs, p, q, r, 0 if by_black else 1) != 0


@kernel
def in_check(board):  # [5] -> bool
    """Tell whether the king of the side to move is attacked."""
    p, q, r, own, other, _, _ = mover_view(board)
    king = trailing_zeros(q & r & own)
    return attackers(king, own | other, other, p, q, r, 0) != 0


@inlined
def piece_on(board, square):  # [5], int -> int
    """Return the number of the piece on a square, 0 if it is empty."""
    at = np.uint64(square)
    digits = ((board[2] >> at) & ONE) << ONE | ((board[1] >> at) & ONE)
    return np.int64(digits << ONE | ((board[0] >> at) & ONE))


@inlined
def put(board, square, piece, white):  # [5], int, int, bool
    """Put a piece on an empty square."""
    here, number = bit(square), np.uint64(piece)
    board[0] |= here * (number & ONE)
    board[1] |= here * ((number >> ONE) & ONE)
    board[2] |= here * (number >> np.uint64(2))
    board[3] |= here * np.uint64(white)


@inlined
def clear(board, squares):  # [5], word
    """Take the pieces off some squares."""
    for word in range(4):
        board[word] &= ~squares


@kernel
def make_move(board, move, out):  # [5], int, [5] -> bool
    """Write the board after a legal move to ``out``, which may be ``board`` itself.

    Returns whether the move is irreversible: no later position can be as one before it.
    """
    start, target, promotion = move & 63, (move >> 6) & 63, move >> 12
    piece, taken, rules = piece_on(board, start), piece_on(board, target), board[4]
    black = rules & SIDE
    white = black == 0
    passing = np.int64((rules >> EN_PASSANT) & SQUARE)
    for word in range(4):
        out[word] = board[word]
    clear(out, bit(start) | bit(target))
    put(out, target, promotion if promotion else piece, white)
    if piece == PAWN_ and passing and target == passing:
        clear(out, bit(target ^ 8))
    if piece == KING_ and abs(target - start) == 2:
        corner = start + 3 if target > start else start - 4
        clear(out, bit(corner))
        put(out, (start + target) // 2, ROOK_, white)
    rights = rules & RIGHTS & ~(RIGHTS_LOST[start] | RIGHTS_LOST[target])
    clock = min(((rules >> CLOCK) & MOST_CLOCK) + ONE, MOST_CLOCK)
    if piece == PAWN_ or taken:
        clock = np.uint64(0)
    out[4] = (black ^ ONE) | rights | clock << CLOCK
    if piece == PAWN_ and abs(target - start) == 16:
        out[4] |= passing_square(out, (start + target) // 2) << EN_PASSANT
    return clock == 0 or rights != rules & RIGHTS or passing != 0


@inlined
def passing_square(board, square):  # [5], int -> word
    """Return the square a pawn has just passed if a capture there is legal, 0 if not."""
    p, q, r, white, colour = board[0], board[1], board[2], board[3], np.int64(board[4] & SIDE)
    occupied = p | q | r
    own = occupied & ~white if colour else white
    king = trailing_zeros(q & r & own)
    takers = PAWN[1 - colour, square] & p & ~q & ~r & own
    while takers:
        taker = trailing_zeros(takers)
        takers &= takers - ONE
        if passes_legally(taker, square, king, occupied, occupied & ~own, p, q, r, colour):
            return np.uint64(square)
    return np.uint64(0)


@kernel
def perft(board, depth, scratch, moves):  # [5], int, [depth, 5], [depth, MAX_LEGAL] -> int
    """Count the move sequences of exactly ``depth`` plies, the rules that look back apart."""
    count = legal_moves(board, moves[0])
    if depth <= 1:
        return count if depth == 1 else 1
    total = 0
    for i in range(count):
        make_move(board, moves[0, i], scratch[0])
        total += perft(scratch[0], depth - 1, scratch[1:], moves[1:])
    return total
