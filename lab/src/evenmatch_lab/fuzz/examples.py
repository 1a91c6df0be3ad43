"""Valid examples, small and of real shape, all of them made for this."""

PGNS = [
    b"""[Event "Rated Rapid game"]
[Site "https://example.org/abc"]
[Date "2024.01.31"]
[White "Ann"]
[Black "Bob"]
[Result "1-0"]
[WhiteElo "1512"]
[BlackElo "1487"]
[TimeControl "600+5"]
[Termination "Normal"]

1. e4 { [%eval 0.25] [%clk 0:10:00] } 1... e5 { [%eval 0.3] [%clk 0:09:58] } 2. Qh5 Nc6 3. Bc4
$2 (3. Nf3 g6) 3... Nf6 {a slip} 4. Qxf7# 1-0

""",
    b"""[Event "casual blitz"]
[White "player 1"]
[Black "player 8"]
[Result "1/2-1/2"]
[UTCDate "2023.12.01"]

1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. cxd5 exd5 5. Bg5 Be7 6. e3 O-O 7. Bd3 Nbd7 8. Qc2 Re8
9. Nge2 Nf8 10. O-O-O Ng6 1/2-1/2

[Event "casual blitz"]
[White "player 8"]
[Black "player 1"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1
""",
    b"""[Event "?"]
[SetUp "1"]
[FEN "8/P6k/8/8/8/8/7K/8 w - - 0 1"]
[Result "*"]

1. a8=Q Kg7 2. Qb7+ Kf8 3. Qc7 Ke8 *
""",
]
SGFS = [
    b"(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[7]RU[Chinese]PB[Ann]PW[Bob]BR[5k]WR[3d]RE[W+3.5]DT[2024-02-03]TM[600]"
    b"OT[5x30 byo-yomi];B[ee]C[good \\] move];W[cc];B[gc](;W[cg];B[gg])(;W[gg]);W[tt];B[])\n",
    b"(;FF[4]GM[1]SZ[9]HA[2]KM[0.5]AB[gc][cg]PL[W]PB[x]PW[y]RE[B+R];W[ee];B[cc];W[gg])\n"
    b"(;GM[1]SZ[9]PB[y]PW[x]RE[0];B[aa];W[ab];B[ba])\n",
    b"(;GM[1]FF[3]SZ[19]PB[Ann]PW[Bob]KM[6.5];B[pd];W[dp];B[pp];W[dd])\n",
]
FENS = [
    b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    b"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    b"rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
    b"8/P6k/8/8/8/8/7K/8 b - - 99 32767",
]
SETUPS = [b"KM[6.5]AB[dd][gg]PL[W]", b"KM[0.5]RU[aga]HA[2]AB[gc][cg]", b"AW[aa]AB[bb]"]
SPECS = [
    b"random", b"mcts:sims=4", b"softmax:z=0.5", b"alphazero:sims=2", b"style:s=3", b"even",
    b"alphadda1:constants=ours,quirks=off", b"pikl:elo=1500", b"human:elo=1100", b"se:elo=1500",
    b"engine:cmd=true,seconds=0.1", b"minimax:depth=1", b"inter:delta=0.5", b"ace:elo=900",
]  # fmt: skip
UCI = [
    b"uci\nisready\nucinewgame\nposition startpos moves e2e4 e7e5\ngo nodes 8\nstop\n",
    b"setoption name Hash value 16\nsetoption name MultiPV value 3\n"
    b"setoption name UCI_ShowWDL value"
    b" true\nposition fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves e1g1\ngo depth 2\nisready\n",
    b"setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 1500\n"
    b"setoption name "
    b"Method value human\nposition startpos\ngo wtime 1000 btime 1000 winc 0 binc 0\nstop\n",
    b"position startpos moves d2d4\ngo ponder wtime 100 btime 100\nponderhit\nstop\n"
    b"go infinite\nstop\n"
    b"go movetime 5 searchmoves d7d5 g8f6\nsetoption name Clear Hash\ngo mate 2\nstop\nquit\n",
    b"setoption name Threads value 2\nsetoption name Seed value 7\n"
    b"position fen 7k/5Q2/6K1/8/8/8/8/8 b"
    b" - - 0 1\ngo nodes 4\ndebug on\nregister later\n",
]
UCI.append(
    b"setoption name UCI_LimitStrength value true\n"
    + b"".join(
        b"setoption name Method value " + name + b"\nposition startpos moves e2e4\ngo nodes 2\n"
        for name in (b"pikl", b"se", b"sa", b"ace")
    )
)
GTP = [
    b"1 protocol_version\n2 list_commands\nboardsize 9\nclear_board\nkomi 6.5\nplay b E5\n"
    b"play w C3\n"
    b"genmove b\nshowboard\nundo\nfinal_score\n",
    b"fixed_handicap 2\nkata-set-rules chinese\ntime_settings 60 10 5\ntime_left b 20 0\n"
    b"reg_genmove w\n"
    b"final_status_list dead\nevenmatch-ownership\nkata-get-rules\nprintsgf\n",
    b"kata-analyze b 10 ownership true\nstop\nlz-analyze b 5\nlz-genmove_analyze b 10\n"
    b"kata-genmove_analyze w interval 5 maxmoves 3 avoid w C3,D4 2\n",
    b"set_free_handicap C3 G7 E5\nplace_free_handicap 3\nkgs-time_settings byoyomi 30 5 3\n"
    b"kgs-rules japanese\nkata-set-param maxVisits 4\nkata-get-param maxTime\nkata-get-params\n",
    b"boardsize 13\ngogui-play_sequence b d4 w k10\ngogui-rules_legal_moves\ngogui-rules_board\n"
    b"evenmatch-policy\nevenmatch-chance\nevenmatch-param maxVisits 2\ngg-undo 2\nloadsgf a.sgf 3\n"
    b"printsgf b.sgf\nknown_command quit\ncputime\nquit\n",
]
