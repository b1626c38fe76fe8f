//! Keeps finished games, and what can be told of them together, and certificates of forced wins. What is
//! acknowledged is on the disk.
//!
//! It knows records and results, nothing of HTTP. Begin reading with [`Store`]; [`open`] gives one. SQLite
//! and PostgreSQL answer the same questions by the same statements (`queries/`), which are compiled once for
//! each; how they are opened and how they take turns in writing is in `sqlite.rs` and `postgres.rs`.

mod encoding;
mod explorer;
mod filter;
mod first_version;
mod game;
mod job;
mod player;
mod postgres;
mod rating;
mod sqlite;
mod statistics;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use thiserror::Error;
use time::OffsetDateTime;

use crate::proof::{CertificateId, CertificateText};
use crate::record::GameText;

pub use explorer::{Explored, ExplorerQuery, Folded, INDEXED_PLIES, Month, PlayedMove, Tally};
pub use filter::{Direction, GameFilter, Order, Page, Place, Selection, SortKey};
pub use game::{Added, Game, GameId, NewGame, NotAGame, ParseGameIdError, Revision};
pub use job::{
    Cancelling, Claim, Claimed, End, Ending, Hold, Job, JobEvent, JobId, JobState, Jobs, NewEvent,
    NewJob, ParseJobIdError, PutJob, Telling,
};
pub use player::{Player, PlayerOrder, PlayerPage, PlayerPlace, PlayerSelection, Rating, Score};
pub use statistics::{Facet, Statistics};

/// How long a call waits for a connection, for a lock or for another process before the database counts as busy.
const PATIENCE: Duration = Duration::from_secs(5);

/// A database of games. What one call changes, it changes wholly or not at all: counts, explorer and
/// players agree with the games at any moment, and what one call tells of them is of one moment.
///
/// # Errors
///
/// All calls fail with [`StoreError`] when the database is busy or broken. A game with the character U+0000 in a text is
/// not kept, and so none is found by such a text.
#[async_trait]
pub trait Store: Jobs {
    /// Can the games be read?
    async fn ping(&self) -> Result<(), StoreError>;

    /// Keeps games, unless the same games are kept already, and tells of each what became of it. When
    /// this returns, they are on the disk.
    async fn add(&self, games: Vec<NewGame>, at: OffsetDateTime) -> Result<Vec<Added>, StoreError>;

    /// Keeps a game once for each key: a second call with the same key and digest gives the same game.
    async fn add_once(
        &self,
        once: Once,
        game: NewGame,
        at: OffsetDateTime,
    ) -> Result<AddedOnce, StoreError>;

    /// Which of these games are kept already, in their order?
    async fn known(&self, games: &[NewGame]) -> Result<Vec<bool>, StoreError>;

    /// The game of a name, if there is one.
    async fn game(&self, id: GameId) -> Result<Option<Game>, StoreError>;

    /// The next games of a selection, at most so many.
    async fn page(&self, selection: &Selection, most: u32) -> Result<Page, StoreError>;

    /// Changes what is told of a game, if it is still at the expected revision.
    async fn describe(
        &self,
        id: GameId,
        expected: Revision,
        text: GameText,
        at: OffsetDateTime,
    ) -> Result<Changed, StoreError>;

    /// Forgets a game, if it is still at the expected revision; any will do when none is given.
    async fn delete(&self, id: GameId, expected: Option<Revision>) -> Result<Changed, StoreError>;

    /// What was played from a position.
    async fn explore(&self, query: &ExplorerQuery) -> Result<Explored, StoreError>;

    /// The next players of a selection, at most so many.
    async fn players(
        &self,
        selection: &PlayerSelection,
        most: u32,
    ) -> Result<PlayerPage, StoreError>;

    /// The player of a name, if there is one.
    async fn player(&self, name: &str) -> Result<Option<Player>, StoreError>;

    /// All games in numbers.
    async fn statistics(&self) -> Result<Statistics, StoreError>;

    /// Keeps certificates of forced wins, those that are kept already as they are. When this returns, they are on
    /// the disk.
    async fn keep_certificates(
        &self,
        certificates: &[Arc<CertificateText>],
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// The text of a certificate, if it is kept.
    async fn certificate(&self, id: CertificateId) -> Result<Option<String>, StoreError>;

    /// Rates all players anew if games have changed since they were rated; tells whether it did.
    async fn rate(&self) -> Result<bool, StoreError>;

    /// Makes anew what follows from the games: what explorer, players and statistics tell, and by what games are found
    /// in lists. Gives the number of games.
    async fn recount(&self) -> Result<u64, StoreError>;

    /// Writes all of the database as it is now into a new file, while others go on.
    async fn back_up(&self, file: &Path) -> Result<(), StoreError>;

    /// Closes all connections.
    async fn close(&self);
}

/// Opens a database, which is made if there is none, and brings its schema up to date.
///
/// # Errors
///
/// When the URL is of no database that is known, the database cannot be opened or written, or its schema is a
/// newer or another one.
pub async fn open(url: &str) -> Result<Arc<dyn Store>, StoreError> {
    open_or(url, Absent::Make).await
}

/// Opens a database that is there already, and brings its schema up to date.
///
/// # Errors
///
/// As [`open`], and when there is none.
pub async fn open_existing(url: &str) -> Result<Arc<dyn Store>, StoreError> {
    open_or(url, Absent::Refuse).await
}

/// What to do where there is no database; one of PostgreSQL must be there in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Absent {
    Make,
    Refuse,
}

async fn open_or(url: &str, absent: Absent) -> Result<Arc<dyn Store>, StoreError> {
    if url.starts_with("sqlite:") {
        Ok(Arc::new(sqlite::SqliteStore::open(url, absent).await?))
    } else if url.starts_with("postgres:") || url.starts_with("postgresql:") {
        Ok(Arc::new(postgres::PostgresStore::open(url).await?))
    } else {
        Err(StoreError::UnknownUrl)
    }
}

/// A request that must be done only once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Once {
    /// The caller's name for the request.
    pub key: String,
    /// A digest of what is asked for.
    pub digest: [u8; 32],
}

/// What became of a game that must be kept only once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddedOnce {
    /// Done now.
    Done(Added),
    /// Done before; here is the game as it is now.
    Repeated(Game),
    /// The key was used for something else.
    OtherRequest,
    /// The key was used for a game that is deleted now.
    Deleted,
}

/// What became of a change to a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// Done; here is the game as it is now, or as it was.
    Done(Box<Game>),
    /// There is no such game.
    NoSuchGame,
    /// It is at another revision.
    OtherRevision(Revision),
    /// Another game is the same as what this one would become.
    SameAs(GameId),
}

/// Why the store could not do what it was asked.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Another process holds the database, or the pool is used up; trying again may help.
    #[error("the database is busy")]
    Busy,
    /// The server of the database does not answer, or has ended the connection; once it is back all is well.
    #[error("the database cannot be reached: {0}")]
    Away(sqlx::Error),
    /// The disk is full, or refuses to be written.
    #[error("the database cannot grow: the disk is full or failing")]
    Full,
    /// The URL is of no database that is known here.
    #[error("its URL does not begin with sqlite: or postgres:")]
    UnknownUrl,
    /// The database cannot be opened, read or written.
    #[error("{0}")]
    Database(sqlx::Error),
    /// The file is a database of another program, or none at all.
    #[error("it is not a database of Tengen")]
    Foreign,
    /// The database was made by a newer version.
    #[error("it was made by a newer version of Tengen")]
    Newer,
    /// The schema cannot be brought up to date.
    #[error("its schema does not fit: {0}")]
    Migration(sqlx::migrate::MigrateError),
    /// What was handed in is no game that can be kept.
    #[error("the record holds a place that no board has")]
    NoGame,
    /// A text holds U+0000, which PostgreSQL does not keep, and SQLite here no more than that.
    #[error("a text holds the character U+0000, which is not kept")]
    NoText,
    /// A row does not say what it should.
    #[error("a stored game is damaged: {0}")]
    Corrupt(&'static str),
    /// This kind of database has tools of its own for that.
    #[error("{0}")]
    Unsupported(&'static str),
    /// The work was given up because the program is ending.
    #[error("the program is ending")]
    Ending,
}

impl StoreError {
    /// What the end of a task means that has not told an answer. A panic goes on in who waits for it.
    fn of_task<T>(error: tokio::task::JoinError) -> Result<T, StoreError> {
        match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(StoreError::Ending),
        }
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> StoreError {
        match &error {
            sqlx::Error::PoolTimedOut => StoreError::Busy,
            sqlx::Error::PoolClosed => StoreError::Ending,
            sqlx::Error::Io(_) => StoreError::Away(error),
            sqlx::Error::Database(database) => match database.code().as_deref() {
                Some(code) if is_away(code) => StoreError::Away(error),
                Some(code) => code_means(code).unwrap_or(StoreError::Database(error)),
                None => StoreError::Database(error),
            },
            _ => StoreError::Database(error),
        }
    }
}

/// Does an error code of PostgreSQL say that its server, or the way to it, has gone? None of SQLite's does.
fn is_away(code: &str) -> bool {
    // Stopping, crashed, starting, and the class of connection exceptions.
    matches!(code, "57P01" | "57P02" | "57P03") || (code.len() == 5 && code.starts_with("08"))
}

/// What an error code of a database means here, if it is one of those that are told apart.
fn code_means(code: &str) -> Option<StoreError> {
    // PostgreSQL's codes have five characters (its manual, appendix A), SQLite's are short numbers.
    match code {
        // Serialization failure, deadlock, lock not available, too many connections.
        "40001" | "40P01" | "55P03" | "53300" => Some(StoreError::Busy),
        "53100" => Some(StoreError::Full),
        _ if code.len() == 5 => None,
        // SQLITE_IOERR_WRITE, _FSYNC and _SHMSIZE: the system refused to make a file longer.
        "778" | "1034" | "4874" => Some(StoreError::Full),
        // Extended codes keep the primary one in the low octet: busy, locked, full, not a database.
        _ => match code.parse::<u32>().ok()? & 0xff {
            5 | 6 => Some(StoreError::Busy),
            13 => Some(StoreError::Full),
            26 => Some(StoreError::Foreign),
            _ => None,
        },
    }
}

impl From<sqlx::migrate::MigrateError> for StoreError {
    fn from(error: sqlx::migrate::MigrateError) -> StoreError {
        match error {
            sqlx::migrate::MigrateError::VersionMissing(_) => StoreError::Newer,
            sqlx::migrate::MigrateError::VersionMismatch(_) => StoreError::Foreign,
            sqlx::migrate::MigrateError::Execute(error)
            | sqlx::migrate::MigrateError::ExecuteMigration(error, _) => StoreError::from(error),
            other => StoreError::Migration(other),
        }
    }
}
