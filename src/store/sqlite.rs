//! A file of SQLite: one connection that writes, some that read.

use std::fs::File;
use std::path::Path;
use std::str::FromStr;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sqlx::migrate::{AppliedMigration, Migrate, Migration, Migrator};
use sqlx::pool::PoolConnection;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{ConnectOptions, Connection as _, Row, Sqlite};
use tokio::time::sleep;

use crate::store::{Absent, PATIENCE, StoreError, first_version};

#[expect(
    clippy::duplicate_mod,
    reason = "both databases understand these statements, but sqlx has types of its own for each"
)]
#[path = "queries/mod.rs"]
pub(super) mod queries;

type Db = Sqlite;
type DbRow = sqlx::sqlite::SqliteRow;
type Connection = sqlx::SqliteConnection;
type Pools = SqliteStore;

/// Keeps rows that are read from other writers; here there are none.
const LOCKING: &str = "";
/// The same, passing over rows that others keep.
const LOCKING_FREE: &str = "";

/// The games in a file of SQLite.
#[derive(Clone, Debug)]
pub struct SqliteStore {
    options: SqliteConnectOptions,
    writer: SqlitePool,
    readers: SqlitePool,
}

static MIGRATIONS: Migrator = sqlx::migrate!("migrations/sqlite");

const READERS: u32 = 4;
/// How long a program waits before it tries again to open a file that others are opening.
const PAUSE: Duration = Duration::from_millis(50);
/// How much of the file the writer remembers, in KiB (told by a negative number). An import touches the explorer's
/// index all over.
const WRITER_CACHE: &str = "-65536";
/// Begins a transaction that reads; its first statement says which moment it sees.
const SNAPSHOT: &str = "BEGIN";
/// What the second migration writes into the file's head.
const APPLICATION_ID: i64 = 0x546e_676e;

impl SqliteStore {
    /// Opens a file and brings its schema up to date.
    pub async fn open(url: &str, absent: Absent) -> Result<SqliteStore, StoreError> {
        let began = Instant::now();
        loop {
            match SqliteStore::open_once(url, absent).await {
                // Where programs start together, SQLite does not wait for the one that changes how the file is kept.
                Err(StoreError::Busy) if began.elapsed() < PATIENCE => sleep(PAUSE).await,
                opened => return opened,
            }
        }
    }

    async fn open_once(url: &str, absent: Absent) -> Result<SqliteStore, StoreError> {
        let options = SqliteConnectOptions::from_str(url)?
            .create_if_missing(absent == Absent::Make)
            .busy_timeout(PATIENCE)
            .foreign_keys(true)
            .pragma("trusted_schema", "OFF")
            .pragma("journal_size_limit", "67108864");
        let is_up_to_date = is_up_to_date(&options).await?;
        let options = options
            .journal_mode(SqliteJournalMode::Wal)
            // An acknowledged game survives a loss of power.
            .synchronous(SqliteSynchronous::Full);
        // SQLite has one writer at a time: more connections would only wait for each other.
        let writer = pool(1)
            .connect_with(
                options
                    .clone()
                    .pragma("cache_size", WRITER_CACHE)
                    .optimize_on_close(true, None),
            )
            .await?;
        let readers = pool(READERS)
            .connect_with(options.clone().read_only(true))
            .await?;
        let store = SqliteStore {
            options,
            writer,
            readers,
        };
        // Who has nothing to change starts even though another holds the file or the disk is full.
        if !is_up_to_date {
            store.write(|db| migrate(db).boxed()).await?;
        }
        Ok(store)
    }

    /// A connection that reads.
    async fn reader(&self) -> Result<PoolConnection<Sqlite>, StoreError> {
        Ok(self.readers.acquire().await?)
    }

    /// Does some work in one transaction, with the right to write. It is done to its end though the caller leaves.
    pub(super) async fn write<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: for<'c> FnOnce(&'c mut Connection) -> BoxFuture<'c, Result<T, StoreError>>
            + Send
            + 'static,
    {
        let writer = self.writer.clone();
        let done = tokio::spawn(async move {
            let mut connection = writer.acquire().await?;
            // A transaction that begins by reading could not wait for its turn to write.
            let transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
            let answer = queries::finish(transaction, work).await;
            if answer.is_err() {
                // On a full disk SQLite takes the transaction back by itself. sqlx, which then cannot, would count
                // it as open for ever, and the connection could begin no other.
                connection.close_on_drop();
            }
            answer
        });
        done.await
            .unwrap_or_else(|error| StoreError::of_task(error))
    }

    /// Does some work on jobs in one transaction. Nobody else writes meanwhile.
    async fn write_job<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: for<'c> FnOnce(&'c mut Connection) -> BoxFuture<'c, Result<T, StoreError>>
            + Send
            + 'static,
    {
        self.write(work).await
    }

    /// Writes the database as it is now into a new file.
    async fn copy_to(&self, file: &Path) -> Result<(), StoreError> {
        let io = |error| StoreError::Database(sqlx::Error::Io(error));
        // What is there under the name of a backup is a whole backup.
        let mut part = file.as_os_str().to_owned();
        part.push(".part");
        let part = Path::new(&part);
        if file.exists() {
            return Err(StoreError::Unsupported(
                "the file of the backup exists already",
            ));
        }
        if part.exists() {
            std::fs::remove_file(part).map_err(io)?;
        }
        let name = part
            .to_str()
            .ok_or(StoreError::Unsupported("the name of the file is not UTF-8"))?;
        // A connection of its own: the writer goes on.
        let mut db = self.options.connect().await?;
        sqlx::query("VACUUM INTO ?")
            .bind(name)
            .execute(&mut db)
            .await?;
        db.close().await?;
        File::open(part)
            .and_then(|file| file.sync_all())
            .map_err(io)?;
        std::fs::rename(part, file).map_err(io)
    }

    /// Closes all connections; what was written ahead goes into the database file.
    async fn end(&self) {
        self.readers.close().await;
        let _ = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
            .execute(&self.writer)
            .await;
        self.writer.close().await;
    }
}

/// Brings the schema up to date and the games into it, in the one transaction that the caller has begun: of
/// programs that start together one does it, and none sees it half done.
async fn migrate(db: &mut Connection) -> Result<(), StoreError> {
    MIGRATIONS.run_direct(None, db, false).await?;
    first_version::move_games(db).await
}

/// Is the schema of a file that of this program? Refuses a file of another program or a newer version, before
/// anything is written into it.
async fn is_up_to_date(options: &SqliteConnectOptions) -> Result<bool, StoreError> {
    // SQLite takes a file of one octet for an empty one and would write over it.
    if std::fs::metadata(options.get_filename()).is_ok_and(|file| file.len() == 1) {
        return Err(StoreError::Foreign);
    }
    let mut db = options.connect().await?;
    let applied = applied_migrations(&mut db).await;
    // A connection that is only dropped may leave files of its own beside that of another program.
    db.close().await?;
    let applied = applied?;
    let is_applied = |ours: &&Migration| {
        let mut applied = applied.iter();
        applied.any(|done| (done.version, &done.checksum) == (ours.version, &ours.checksum))
    };
    let ours = MIGRATIONS.iter().filter(is_applied).count();
    let is_up_to_date = ours == MIGRATIONS.iter().count();
    match applied.len() - ours {
        0 => Ok(is_up_to_date),
        // A newer version has done all that this one would do.
        _ if is_up_to_date => Err(StoreError::Newer),
        _ => Err(StoreError::Foreign),
    }
}

/// What was done to the schema of a file, if it is one of this program or empty.
async fn applied_migrations(db: &mut Connection) -> Result<Vec<AppliedMigration>, StoreError> {
    let row = sqlx::query(
        "SELECT (SELECT application_id FROM pragma_application_id) AS owner, \
         EXISTS (SELECT 1 FROM sqlite_master WHERE name = '_sqlx_migrations') AS is_migrated, \
         EXISTS (SELECT 1 FROM sqlite_master) AS is_used",
    )
    .fetch_one(&mut *db)
    .await?;
    let owner: i64 = row.try_get("owner")?;
    let is_migrated: bool = row.try_get("is_migrated")?;
    let is_used: bool = row.try_get("is_used")?;
    if !matches!(owner, 0 | APPLICATION_ID) || (is_used && !is_migrated) {
        return Err(StoreError::Foreign);
    }
    if !is_migrated {
        return Ok(Vec::new());
    }
    Ok(db.list_applied_migrations(&MIGRATIONS.table_name).await?)
}

fn pool(connections: u32) -> SqlitePoolOptions {
    queries::pool(connections)
        // A local file's connections do not go stale.
        .idle_timeout(None)
        .max_lifetime(None)
}
