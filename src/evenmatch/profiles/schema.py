"""The tables of a profile, and how a database of an older version becomes one of this.

A game has a ``number`` while it is unfinished, and is called by it: chess-2. What a game was is one
row; its moves and the opponent's snapshots are rows of their own, so that a move is written alone.
Of games that were played elsewhere there is what their records told.
Who plays on the web page has logins, and an account if they chose a name and a passphrase; a guess
is which of two games somebody said is a program's. Times are in seconds since 1970.
"""

VERSION_1 = """
CREATE TABLE person (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    folded TEXT NOT NULL UNIQUE  -- the name in any case
);
CREATE TABLE game (
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- so that no number is another game's later
    kind TEXT NOT NULL,          -- the id of its rules, such as chess
    number INTEGER,              -- NULL once it is finished
    person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
    opponent TEXT NOT NULL,      -- spec
    side INTEGER NOT NULL CHECK (side IN (1, -1)),
    seed INTEGER NOT NULL,
    start TEXT NOT NULL,
    seen INTEGER NOT NULL,
    hints TEXT NOT NULL,         -- JSON, as are clock and snapshots
    forgets INTEGER NOT NULL,
    plays_on INTEGER NOT NULL,
    disputed INTEGER NOT NULL,
    pace REAL,
    clock TEXT NOT NULL,
    begun REAL NOT NULL,
    changed REAL NOT NULL,
    ended REAL,
    result INTEGER,              -- of a finished game, for the person
    ending TEXT,                 -- how it ended, in words
    level REAL,                  -- the rating that the opponent played at
    score REAL,                  -- points by which who moves first leads, at Go
    counts INTEGER,              -- whether the result tells of the person's strength
    imported TEXT,               -- what a game is known by that was played elsewhere; else NULL
    CHECK ((number IS NULL) = (ended IS NOT NULL)),
    UNIQUE (person, imported)
);
CREATE UNIQUE INDEX unfinished ON game (kind, number) WHERE number IS NOT NULL;
CREATE INDEX games_of ON game (person, kind, ended);
CREATE TABLE move (
    game INTEGER NOT NULL REFERENCES game ON DELETE CASCADE,
    ply INTEGER NOT NULL,
    action INTEGER NOT NULL,
    mark TEXT NOT NULL,          -- why it is not its mover's own, or empty
    PRIMARY KEY (game, ply)
) WITHOUT ROWID;
CREATE TABLE snapshot (
    game INTEGER NOT NULL REFERENCES game ON DELETE CASCADE,
    place INTEGER NOT NULL,
    ply INTEGER NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (game, place)
) WITHOUT ROWID;
CREATE TABLE claim (
    person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
    kind TEXT NOT NULL,
    rating REAL NOT NULL,        -- that the person says they have
    PRIMARY KEY (person, kind)
) WITHOUT ROWID;
CREATE TABLE evidence (
    game INTEGER NOT NULL REFERENCES game ON DELETE CASCADE,
    scale TEXT NOT NULL,         -- of ratings, such as lichess-rapid
    method TEXT NOT NULL,        -- the digest of the estimator that judged it
    moves INTEGER NOT NULL,      -- how many were judged
    says BLOB NOT NULL,          -- float64: log-likelihoods of the ratings of the method's grid
    PRIMARY KEY (game, scale)
) WITHOUT ROWID;
CREATE TABLE memory (
    kind TEXT NOT NULL,
    opponent TEXT NOT NULL,
    person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
    state TEXT NOT NULL,         -- JSON: what a player with this spec knows of the person
    PRIMARY KEY (kind, opponent, person)
) WITHOUT ROWID;
"""

VERSION_2 = """
CREATE TABLE account (
    person INTEGER PRIMARY KEY REFERENCES person ON DELETE CASCADE,
    hash TEXT NOT NULL,          -- argon2, of the passphrase
    made REAL NOT NULL
);
CREATE TABLE login (
    token TEXT PRIMARY KEY,      -- the SHA-256 of what the browser has, in hex
    person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
    until REAL NOT NULL,
    used REAL NOT NULL           -- within the hour
) WITHOUT ROWID;
CREATE INDEX logins_of ON login (person);
"""

VERSION_3 = """
CREATE TABLE guess (
    person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
    pair TEXT NOT NULL,          -- id
    said TEXT NOT NULL,          -- the id of the game that is the program's, they say
    sure TEXT NOT NULL,          -- how sure they are, in words
    correct INTEGER NOT NULL CHECK (correct IN (0, 1)),
    made REAL NOT NULL,
    PRIMARY KEY (person, pair)
) WITHOUT ROWID;
"""

VERSION_4 = """
-- In games of Go that White begins, sides of imported games were by who moves first, not by colour,
-- and of others the moves of the wrong player were judged; so were those of chess from a position.
UPDATE game SET side = -side, result = -result
    WHERE imported IS NOT NULL AND kind LIKE 'go%' AND start LIKE '%PL[W]%';
DELETE FROM evidence WHERE game IN (
    SELECT id FROM game
    WHERE imported IS NULL AND (kind = 'chess' AND start != '' OR start LIKE '%PL[W]%'));
"""

VERSION_5 = """
CREATE TABLE told (
    game INTEGER PRIMARY KEY REFERENCES game ON DELETE CASCADE,
    event TEXT NOT NULL,         -- what the record of an imported game told; empty if nothing
    site TEXT NOT NULL,
    date TEXT NOT NULL,
    time_control TEXT NOT NULL,
    first_rating INTEGER,        -- of who moves first by the rules
    second_rating INTEGER,
    evals BLOB NOT NULL,         -- int16 a ply: centipawns for who moves first
    clocks BLOB NOT NULL         -- uint16 a ply: seconds
);
"""

VERSION_6 = """
-- All pairs that anybody saw until now were of chess.
ALTER TABLE guess ADD COLUMN game TEXT NOT NULL DEFAULT 'chess';  -- the id of the pair's game
"""

VERSION_7 = """
CREATE TABLE review (
    game INTEGER PRIMARY KEY REFERENCES game ON DELETE CASCADE,
    method TEXT NOT NULL,        -- the digest of the search that confirmed them
    mistakes TEXT NOT NULL       -- JSON: of each the ply, and what it lost of the chance to win
);
"""

#: The script at place n takes a database of version n to version n + 1; an empty one has version 0.
MIGRATIONS = (VERSION_1, VERSION_2, VERSION_3, VERSION_4, VERSION_5, VERSION_6, VERSION_7)
VERSION = len(MIGRATIONS)
