-- The games of the first version wait here until the program has moved them into the tables below: what
-- is told of positions cannot be computed by SQL.
ALTER TABLE games RENAME TO games_to_move;
DROP INDEX games_by_black;
DROP INDEX games_by_white;
DROP INDEX games_by_rule;
DROP INDEX games_by_size;
DROP INDEX games_by_rule_and_size;
DROP INDEX games_by_result;

-- "Tngn": tells this database from that of another program.
PRAGMA application_id = 0x546e676e;

-- One row: the last number given to a game, and how often the games have changed.
CREATE TABLE state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    last_seq INTEGER NOT NULL,
    changes INTEGER NOT NULL,
    rated_changes INTEGER NOT NULL -- of which the ratings know
) STRICT;
INSERT INTO state VALUES (1, 0, 0, 0);

CREATE TABLE players (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: who has read one may be about to ask for it
    name TEXT NOT NULL UNIQUE,
    games INTEGER NOT NULL,
    first_played INTEGER, -- the first and the last date of the games that have one
    last_played INTEGER,
    rating REAL, -- Glicko-2, absent until a game against another player is rated
    deviation REAL
) STRICT;
CREATE INDEX players_by_games ON players (games, id);
CREATE INDEX players_by_rating ON players (rating, id) WHERE rating IS NOT NULL;

-- How a player's games came out, by rule and colour.
CREATE TABLE player_tallies (
    player INTEGER NOT NULL REFERENCES players (id),
    rule TEXT NOT NULL,
    color TEXT NOT NULL,
    wins INTEGER NOT NULL,
    losses INTEGER NOT NULL,
    draws INTEGER NOT NULL,
    PRIMARY KEY (player, rule, color)
) STRICT, WITHOUT ROWID;

-- What many games have in common; the counts are the statistics.
CREATE TABLE facets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    rule TEXT NOT NULL,
    size INTEGER NOT NULL,
    opening TEXT NOT NULL, -- the abbreviation, or '' for none
    result TEXT NOT NULL,
    termination TEXT NOT NULL,
    games INTEGER NOT NULL,
    UNIQUE (rule, size, opening, result, termination)
) STRICT;

-- How long games last.
CREATE TABLE lengths (
    rule TEXT NOT NULL,
    plies INTEGER NOT NULL,
    games INTEGER NOT NULL,
    PRIMARY KEY (rule, plies)
) STRICT, WITHOUT ROWID;

-- A finished game, as its players and the rules left it. Moves never change. Times are microseconds since 1970.
CREATE TABLE games (
    seq INTEGER PRIMARY KEY, -- the order of arrival; lists page by it
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16), -- UUID version 7
    fingerprint BLOB NOT NULL UNIQUE CHECK (length(fingerprint) = 32), -- SHA-256 of what makes the game itself
    facet INTEGER NOT NULL REFERENCES facets (id),
    plies BLOB NOT NULL, -- two octets a ply, see src/store/encoding.rs
    ply_count INTEGER NOT NULL,
    symmetry_key INTEGER NOT NULL, -- of the last position
    black INTEGER REFERENCES players (id),
    white INTEGER REFERENCES players (id),
    event TEXT,
    site TEXT,
    round TEXT,
    played_at INTEGER,
    source TEXT,
    tags TEXT NOT NULL, -- a JSON list of texts
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL -- how often what is told of it has changed, from 1
) STRICT;
CREATE INDEX games_by_facet ON games (facet);
CREATE INDEX games_by_ply_count ON games (ply_count);
CREATE INDEX games_by_symmetry_key ON games (symmetry_key);
CREATE INDEX games_by_black ON games (black) WHERE black IS NOT NULL;
CREATE INDEX games_by_white ON games (white) WHERE white IS NOT NULL;
CREATE INDEX games_by_event ON games (event) WHERE event IS NOT NULL;
CREATE INDEX games_by_source ON games (source) WHERE source IS NOT NULL;
-- A game without a date counts as older than every other; the number stands in src/store/filter.rs too.
CREATE INDEX games_by_played_at ON games (COALESCE(played_at, -100000000000000000));

CREATE TABLE game_tags (
    tag TEXT NOT NULL,
    seq INTEGER NOT NULL REFERENCES games (seq),
    PRIMARY KEY (tag, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX game_tags_by_game ON game_tags (seq);

-- What was played from a position, by month: the first plies of every game. See src/store/explorer.rs.
CREATE TABLE explorer_moves (
    position INTEGER NOT NULL,
    month INTEGER NOT NULL,
    move INTEGER NOT NULL,
    black INTEGER NOT NULL,
    white INTEGER NOT NULL,
    draw INTEGER NOT NULL,
    PRIMARY KEY (position, month, move)
) STRICT, WITHOUT ROWID;

-- Which games went through a position.
CREATE TABLE explorer_games (
    position INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    move INTEGER NOT NULL,
    PRIMARY KEY (position, seq)
) STRICT, WITHOUT ROWID;

-- Requests that must be done only once, and the games they made.
CREATE TABLE idempotency_keys (
    key TEXT PRIMARY KEY,
    digest BLOB NOT NULL,
    game BLOB NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
