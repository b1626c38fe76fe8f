-- Certificates of forced wins. They never change: the name is the SHA-256 of the text.
CREATE TABLE certificates (
    id BLOB PRIMARY KEY CHECK (length(id) = 32),
    octets INTEGER NOT NULL, -- the length of the text
    created_at INTEGER NOT NULL,
    text TEXT NOT NULL -- JSON, see docs/analysis.md
) STRICT;
