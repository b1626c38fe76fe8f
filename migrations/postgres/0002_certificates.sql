-- Certificates of forced wins. They never change: the name is the SHA-256 of the text.
CREATE TABLE certificates (
    id BYTEA PRIMARY KEY CHECK (length(id) = 32),
    octets BIGINT NOT NULL, -- the length of the text
    created_at BIGINT NOT NULL,
    text TEXT COLLATE "C" NOT NULL -- JSON, see docs/analysis.md
);
