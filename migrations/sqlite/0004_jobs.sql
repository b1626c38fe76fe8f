-- Long work that is done beside the requests. Times are microseconds since 1970.
CREATE TABLE jobs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of arrival, in which they are begun
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16), -- UUID version 7
    kind TEXT NOT NULL,
    input TEXT NOT NULL, -- JSON; empty once the job has ended
    digest BLOB UNIQUE CHECK (length(digest) = 32), -- of kind and input, while an equal request gets this job
    state TEXT NOT NULL,
    progress TEXT, -- JSON
    checkpoint TEXT, -- what a worker that takes the job over can go on from
    result TEXT, -- JSON
    problem TEXT, -- JSON
    owner BLOB, -- who works on it, until when
    lease_until INTEGER,
    attempts INTEGER NOT NULL,
    cancelled INTEGER NOT NULL, -- 1 when somebody wants no more of it
    last_event INTEGER NOT NULL, -- the number of its last event
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER
) STRICT;
CREATE INDEX jobs_by_state ON jobs (state, seq);
CREATE INDEX jobs_by_end ON jobs (finished_at, seq) WHERE finished_at IS NOT NULL;

-- What is told of a job, in order.
CREATE TABLE job_events (
    job INTEGER NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
    number INTEGER NOT NULL, -- from 1
    type TEXT NOT NULL,
    data TEXT NOT NULL, -- JSON
    PRIMARY KEY (job, number)
) STRICT, WITHOUT ROWID;
