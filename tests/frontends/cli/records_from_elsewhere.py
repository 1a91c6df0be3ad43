"""Records of games as other programs write them, and the moves of a game that is won here."""

WON = "4 4 4 4"  # against random with seed 2, connect4


GAMES = 24  #: in the file that commands estimate
PGN = """[Event "Rated rapid game"]
[Site "https://lichess.org/abcdefgh"]
[Date "2022.05.??"]
[White "Ann"]
[Black "Bob"]
[WhiteElo "1450"]
[BlackElo "1490"]
[TimeControl "600+0"]
[Result "{result}"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 {result}

"""


SGF = """(;GM[1]SZ[19]KM[0.5]HA[2]AB[dd][pp]PB[Ann]BR[5k]PW[Bob]WR[3k]RE[W+R]DT[2022-03-14]
EV[Club];W[pd];B[dp];W[cf];B[fd])"""


JUDGED = """[Event "Rated rapid game"]
[Site "https://lichess.org/abcdefgh"]
[Date "2022.05.17"]
[White "Ann"]
[Black "Bob"]
[WhiteElo "1450"]
[BlackElo "1490"]
[TimeControl "600+5"]
[Result "1-0"]

1. e4 {[%eval 0.3] [%clk 0:10:00]} 1... e5 {[%eval 0.25] [%clk 0:09:58]}
2. Nf3 {[%eval 0.31] [%clk 0:09:57]} 2... f6 {[%eval 1.4] [%clk 0:09:40]}
3. Nxe5 {[%eval 1.3]} 3... fxe5 {[%eval 3.2]} 4. Qh5+ {[%eval 3.3]} 4... Ke7 {[%eval #5]}
5. Qxe5+ {[%eval #4]} 5... Kf7 {[%eval #4]} 6. Bc4+ {[%eval #3]} 1-0

"""
