-- A finished game, as its players and the rules left it. Moves never change.
CREATE TABLE games (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of arrival; lists page by it
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16), -- UUID version 7
    fingerprint BLOB NOT NULL UNIQUE CHECK (length(fingerprint) = 32), -- SHA-256 of what makes the game itself
    rule TEXT NOT NULL,
    size INTEGER NOT NULL,
    plies BLOB NOT NULL, -- two octets a ply, see src/store/encoding.rs
    result TEXT NOT NULL,
    termination TEXT NOT NULL,
    black TEXT,
    white TEXT,
    event TEXT,
    site TEXT,
    round TEXT,
    played_at TEXT, -- RFC 3339 in UTC
    source TEXT,
    tags TEXT NOT NULL, -- a JSON list of texts
    created_at TEXT NOT NULL -- RFC 3339 in UTC
) STRICT;

-- Lists come newest first, so each filter's index ends with the order of arrival.
CREATE INDEX games_by_black ON games (black, seq) WHERE black IS NOT NULL;
CREATE INDEX games_by_white ON games (white, seq) WHERE white IS NOT NULL;
CREATE INDEX games_by_rule ON games (rule, seq);
CREATE INDEX games_by_size ON games (size, seq);
CREATE INDEX games_by_rule_and_size ON games (rule, size, seq);
CREATE INDEX games_by_result ON games (result, seq);
