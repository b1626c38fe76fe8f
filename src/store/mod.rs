//! Keeps finished games. An acknowledged game is on the disk.
//!
//! It knows records and results, nothing of HTTP. Begin reading with [`Store`].

mod encoding;
mod filter;
mod game;
mod sqlite;

use thiserror::Error;

pub use filter::{GameFilter, Page};
pub use game::{Added, Game, GameId, NewGame, ParseGameIdError};
pub use sqlite::Store;

/// Why the store could not do what it was asked.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Another process holds the database, or the pool is used up; trying again may help.
    #[error("the database is busy")]
    Busy,
    /// The URL is of no database that is known here.
    #[error("its URL does not begin with sqlite:")]
    UnknownUrl,
    /// The database cannot be opened, read or written.
    #[error("{0}")]
    Database(sqlx::Error),
    /// The database was made by a newer or another program, or its schema cannot be brought up to date.
    #[error("the database's schema does not fit: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// What was handed in is no game that can be kept.
    #[error("the record holds a place that no board has")]
    NoGame,
    /// A row does not say what it should.
    #[error("a stored game is damaged: {0}")]
    Corrupt(&'static str),
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> StoreError {
        match &error {
            sqlx::Error::PoolTimedOut => StoreError::Busy,
            // SQLite's primary result codes 5 (busy) and 6 (locked); extended codes keep them in the low byte.
            sqlx::Error::Database(database)
                if database
                    .code()
                    .and_then(|code| code.parse::<u32>().ok())
                    .is_some_and(|code| matches!(code & 0xff, 5 | 6)) =>
            {
                StoreError::Busy
            }
            _ => StoreError::Database(error),
        }
    }
}
