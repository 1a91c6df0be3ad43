-- The tables of a profile. Times are in seconds since 1970; JSON is written by `saved_game.py`.

CREATE TABLE person (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    folded TEXT NOT NULL UNIQUE  -- the name, casefolded
);
CREATE TABLE game (
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again for another game
    game_id TEXT NOT NULL,       -- the id of its rules, such as chess
    number INTEGER,              -- of an unfinished game, which is called chess-2; NULL once it is over
    person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
    side INTEGER NOT NULL CHECK (side IN (1, -1)),
    saved TEXT NOT NULL,         -- JSON: the game, its moves and the opponent's state
    begun REAL NOT NULL,
    changed REAL NOT NULL,
    ended REAL,
    outcome TEXT,                -- JSON: how it ended
    imported TEXT,               -- the key of a game that was played elsewhere; NULL for others
    metadata TEXT,               -- JSON: what the record of an imported game has besides its moves
    CHECK ((number IS NULL) = (ended IS NOT NULL) AND (ended IS NULL) = (outcome IS NULL)),
    UNIQUE (person, imported)
);
CREATE UNIQUE INDEX unfinished ON game (game_id, number) WHERE number IS NOT NULL;
CREATE INDEX games_of ON game (person, game_id, ended);
CREATE TABLE evidence (
    game INTEGER NOT NULL REFERENCES game ON DELETE CASCADE,
    scale TEXT NOT NULL,         -- of ratings, such as lichess-rapid
    method TEXT NOT NULL,        -- the digest of the estimator that rated its moves
    moves INTEGER NOT NULL,      -- how many were rated
    says BLOB NOT NULL,          -- float64: log-likelihoods of the ratings of the method's grid
    PRIMARY KEY (game, scale)
) WITHOUT ROWID;
CREATE TABLE review (
    game INTEGER PRIMARY KEY REFERENCES game ON DELETE CASCADE,
    method TEXT NOT NULL,        -- the digest of the search that confirmed them
    mistakes TEXT NOT NULL       -- JSON: of each the ply, and the loss of expected score
);
CREATE TABLE claim (
    person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
    game_id TEXT NOT NULL,
    rating REAL NOT NULL,        -- that the person reports
    PRIMARY KEY (person, game_id)
) WITHOUT ROWID;
CREATE TABLE memory (
    game_id TEXT NOT NULL,
    opponent TEXT NOT NULL,
    person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
    state TEXT NOT NULL,         -- JSON: what an opponent with this spec knows of the person
    PRIMARY KEY (game_id, opponent, person)
) WITHOUT ROWID;
CREATE TABLE account (
    person INTEGER PRIMARY KEY REFERENCES person ON DELETE CASCADE,
    hash TEXT NOT NULL,          -- argon2, of the passphrase
    made REAL NOT NULL
);
CREATE TABLE login (
    token TEXT PRIMARY KEY,      -- the SHA-256 of the browser's token, in hex
    person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
    until REAL NOT NULL,
    used REAL NOT NULL           -- within the hour
) WITHOUT ROWID;
CREATE INDEX logins_of ON login (person);
CREATE TABLE guess (
    person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
    pair TEXT NOT NULL,          -- id
    game TEXT NOT NULL,          -- the id of the pair's rules
    said TEXT NOT NULL,          -- the id of the game that the person took for the program's
    sure TEXT NOT NULL,          -- how sure they are, in words
    correct INTEGER NOT NULL CHECK (correct IN (0, 1)),
    made REAL NOT NULL,
    PRIMARY KEY (person, pair)
) WITHOUT ROWID;
