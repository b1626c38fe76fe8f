//! A database of PostgreSQL, which several processes may use at once.

use std::path::Path;
use std::str::FromStr;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sqlx::Postgres;
use sqlx::migrate::Migrator;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPool};

use crate::store::{PATIENCE, StoreError};

#[expect(
    clippy::duplicate_mod,
    reason = "both databases understand these statements, but sqlx has types of its own for each"
)]
#[path = "queries/mod.rs"]
mod queries;

type Db = Postgres;
type DbRow = sqlx::postgres::PgRow;
type Connection = sqlx::PgConnection;
type Pools = PostgresStore;

/// Keeps rows that are read from other writers.
const LOCKING: &str = " FOR UPDATE";
/// The same, passing over rows that others keep.
const LOCKING_FREE: &str = " FOR UPDATE SKIP LOCKED";

/// The games in a database of PostgreSQL.
#[derive(Clone, Debug)]
pub struct PostgresStore {
    writer: PgPool,
    readers: PgPool,
    /// For jobs: what is written of one changes nothing of another, nor of the games, and waits for no turn.
    jobs: PgPool,
}

static MIGRATIONS: Migrator = sqlx::migrate!("migrations/postgres");

const READERS: u32 = 8;
/// Begins a transaction that reads; its first statement says which moment it sees.
const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";
const JOBS: u32 = 2;
/// The lock that gives the right to write: "Tngn". Nearly every write changes the same few counts, so writers
/// would wait for each other anyway; taking turns, they cannot block each other crosswise.
const WRITERS: i64 = 0x546e_676e;

impl PostgresStore {
    /// Opens a database and brings its schema up to date.
    pub async fn open(url: &str) -> Result<PostgresStore, StoreError> {
        let options = PgConnectOptions::from_str(url)?
            .application_name("tengen")
            .options([("lock_timeout", PATIENCE.as_millis().to_string())]);
        // Those that wait for their turn to write must not use up the connections of those that read.
        let writer = queries::pool(1).connect_with(options.clone()).await?;
        MIGRATIONS.run(&writer).await?;
        let readers = queries::pool(READERS).connect_with(options.clone()).await?;
        let jobs = queries::pool(JOBS).connect_lazy_with(options);
        Ok(PostgresStore {
            writer,
            readers,
            jobs,
        })
    }

    /// A connection that reads.
    async fn reader(&self) -> Result<PoolConnection<Postgres>, StoreError> {
        Ok(self.readers.acquire().await?)
    }

    /// Does some work in one transaction, with the right to write.
    async fn write<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: for<'c> FnOnce(&'c mut Connection) -> BoxFuture<'c, Result<T, StoreError>>
            + Send
            + 'static,
    {
        self.transact(&self.writer, |db| {
            async move {
                sqlx::query("SELECT pg_advisory_xact_lock($1)")
                    .bind(WRITERS)
                    .execute(&mut *db)
                    .await?;
                work(db).await
            }
            .boxed()
        })
        .await
    }

    /// Does some work on jobs in one transaction. Others may write meanwhile: what is read to be changed must be locked.
    async fn write_job<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: for<'c> FnOnce(&'c mut Connection) -> BoxFuture<'c, Result<T, StoreError>>
            + Send
            + 'static,
    {
        self.transact(&self.jobs, work).await
    }

    /// Does some work in one transaction. It is done to its end though the caller leaves: a transaction that is dropped
    /// while it begins would spoil its connection.
    async fn transact<T, W>(&self, pool: &PgPool, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: for<'c> FnOnce(&'c mut Connection) -> BoxFuture<'c, Result<T, StoreError>>
            + Send
            + 'static,
    {
        let pool = pool.clone();
        let done = tokio::spawn(async move { queries::finish(pool.begin().await?, work).await });
        done.await
            .unwrap_or_else(|error| StoreError::of_task(error))
    }

    /// PostgreSQL's own program makes backups.
    async fn copy_to(&self, _: &Path) -> Result<(), StoreError> {
        Err(StoreError::Unsupported(
            "a database of PostgreSQL is backed up by pg_dump",
        ))
    }

    /// Closes all connections.
    async fn end(&self) {
        self.readers.close().await;
        self.jobs.close().await;
        self.writer.close().await;
    }
}
