use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::time::Duration;

use crate::engine::Solve;

/// How a service is started.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// How many threads answer requests.
    pub workers: NonZeroUsize,
    /// The database, as `sqlite://tengen.db`.
    pub database_url: String,
    /// What callers may ask for.
    pub limits: Limits,
    /// What searches may use.
    pub search: SearchConfig,
    /// How jobs are worked on.
    pub jobs: JobConfig,
}

impl Config {
    /// What callers may ask for in a job.
    pub fn job_limits(&self) -> Limits {
        Limits {
            analysis_time: self.jobs.analysis_time,
            review_time: self.jobs.review_time,
            ..self.limits
        }
    }
}

/// How jobs are worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobConfig {
    /// How many are worked on at once by this service; with none it leaves them to others.
    pub workers: usize,
    /// How long a job stays with a worker that is not heard of. A server's clock may differ from another's by much less.
    pub lease: Duration,
    /// How many may wait.
    pub waiting: u32,
    /// How many are kept that have ended.
    pub kept: u32,
    /// How long those are kept.
    pub kept_for: Duration,
    /// The longest time an analysis may be asked to take.
    pub analysis_time: Duration,
    /// The longest time that all searches of a review may take together.
    pub review_time: Duration,
}

impl Default for JobConfig {
    fn default() -> JobConfig {
        JobConfig {
            workers: 1,
            lease: Duration::from_secs(30),
            waiting: 100,
            kept: 1_000,
            kept_for: Duration::from_secs(7 * 24 * 3_600),
            analysis_time: Duration::from_secs(600),
            review_time: Duration::from_secs(1_800),
        }
    }
}

/// What the searches of a service may use together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchConfig {
    /// How many searches run at once.
    pub threads: NonZeroUsize,
    /// How many threads one search takes for itself, unless nodes or depth bound it: then one, so that equal
    /// questions get equal answers.
    pub threads_each: NonZeroUsize,
    /// How many hints may wait for a thread, and as many analyses.
    pub queue: usize,
    /// How long a search may wait for a thread.
    pub wait: Duration,
    /// How much longer than its time a search may take until it is given up. None should ever take longer.
    pub grace: Duration,
    /// The memory of each search, in MiB; all of it is taken at the start.
    pub memory_mib: usize,
}

/// The number of cores that this process may use.
pub fn cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

impl Default for SearchConfig {
    fn default() -> SearchConfig {
        SearchConfig {
            threads: cores(),
            threads_each: NonZeroUsize::MIN,
            queue: 64,
            wait: Duration::from_secs(10),
            grace: Duration::from_secs(5),
            memory_mib: 64,
        }
    }
}

/// The bounds on what a caller may send or ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest request body, in octets.
    pub body_bytes: usize,
    /// The largest file of an import, in octets.
    pub import_bytes: usize,
    /// How long an import over HTTP goes on reading records.
    pub import_time: Duration,
    /// The longest path and query of a request, in octets.
    pub url_bytes: usize,
    /// The most items on a page of a list.
    pub page_items: u32,
    /// The longest time a hint may be asked to take.
    pub hint_time: Duration,
    /// The longest time an analysis may be asked to take.
    pub analysis_time: Duration,
    /// The longest time that all searches of a review may take together.
    pub review_time: Duration,
    /// The longest time that all searches of a batch may take together.
    pub batch_time: Duration,
}

impl Limits {
    /// The most moves a hint can name.
    pub const HINT_COUNT: i64 = 10;
    /// The most lines of an analysis.
    pub const ANALYSIS_LINES: i64 = 20;
    /// The time of a search when the caller sets no limit at all, unless the longest is shorter.
    pub const SEARCH_TIME_DEFAULT: Duration = Duration::from_millis(500);
    /// The same for each search of a review, unless its share of the longest is shorter.
    pub const REVIEW_PLY_TIME_DEFAULT: Duration = Duration::from_millis(100);
    /// The same for all searches of a batch, unless the longest is shorter.
    pub const BATCH_TIME_DEFAULT: Duration = Duration::from_secs(10);
    /// The most computations of a batch.
    pub const BATCH_ITEMS: usize = 100;
    /// How many times as long as another body that of a batch may be.
    pub const BATCH_BODIES: usize = 16;
    /// The most positions a search may be asked to look at.
    pub const SEARCH_NODES: i64 = 1_000_000_000;
    /// The most stones a search may be asked to look ahead.
    pub const SEARCH_DEPTH: i64 = 100;
    /// The largest seed: beyond it not every reader of JSON keeps whole numbers exactly.
    pub const SEED: i64 = (1 << 53) - 1;
    /// The most positions that a check of a certificate over HTTP looks at: as many as went into the check of
    /// any win that is told.
    pub const PROOF_CHECK_POSITIONS: u64 = Solve::CHECK_POSITIONS;
    /// How long such a check may take; its positions are few enough for less.
    pub const PROOF_CHECK_TIME: Duration = Duration::from_secs(30);
    /// The most octets of the certificates that one answer about defences makes.
    pub const DEFENCE_BYTES: usize = 8 << 20;
    /// The most faults told in one answer.
    pub const ERRORS: usize = 20;
    /// The longest name of a player, event, site, round, source or tag, in characters.
    pub const TEXT_CHARS: usize = 200;
    /// The longest `Idempotency-Key`, in characters.
    pub const KEY_CHARS: usize = 255;
    /// The most tags of a game.
    pub const TAGS: usize = 20;
    /// The most marks on a picture: as many as the largest board has cells.
    pub const PICTURE_MARKS: usize = 625;
    /// The worst rank that a mark can tell: two digits are read at a glance.
    pub const MARK_RANK: i64 = 99;
    /// The most games, good or bad, in a text that is converted.
    pub const CONVERSION_GAMES: usize = 100;
    /// The most records of a file that an import over HTTP reads: a tree of few octets can have very many lines.
    pub const IMPORT_RECORDS: usize = 100_000;
    /// The most records that the report of an import lists.
    pub const IMPORT_LISTED: usize = 1_000;
    /// The most streams of the events of jobs at once.
    pub const JOB_STREAMS: usize = 200;
    /// How many imports over HTTP run at once.
    pub const IMPORTS_AT_ONCE: usize = 2;
    /// The number of items on a page when the caller does not say.
    pub const PAGE_DEFAULT: u32 = 50;
    /// The most games of each kind that the explorer names.
    pub const EXPLORER_GAMES: u32 = 20;
    /// The number of games of each kind that the explorer names when the caller does not say.
    pub const EXPLORER_GAMES_DEFAULT: u32 = 5;
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            body_bytes: 64 * 1024,
            import_bytes: 8 * 1024 * 1024,
            import_time: Duration::from_secs(60),
            url_bytes: 8_000,
            page_items: 200,
            hint_time: Duration::from_secs(10),
            analysis_time: Duration::from_secs(30),
            review_time: Duration::from_secs(60),
            batch_time: Duration::from_secs(60),
        }
    }
}
