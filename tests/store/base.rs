//! Databases of a test's own: a file of SQLite, or a database on the server of PostgreSQL that
//! `TENGEN_TEST_POSTGRES_URL` names.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, PgConnection, SqliteConnection};

/// A database that is empty at first and gone at the end.
pub struct Base {
    pub url: String,
    kind: Kind,
}

enum Kind {
    Sqlite(PathBuf),
    Postgres { server: String, name: String },
}

/// A name that no other test has, of this process or another.
fn new_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("tengen_test_{}_{number}", std::process::id())
}

/// The server of PostgreSQL, if there is one. Says so if there is none, past what captures a test's output.
pub fn postgres_server() -> Option<String> {
    let server = std::env::var("TENGEN_TEST_POSTGRES_URL").ok();
    if server.is_none() {
        let test = std::thread::current();
        let _ = writeln!(
            io::stderr(),
            "skipped, for TENGEN_TEST_POSTGRES_URL names no server: {}",
            test.name().unwrap_or("a test on PostgreSQL")
        );
    }
    server
}

impl Base {
    pub fn sqlite() -> Base {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(new_name());
        fs::create_dir_all(&directory).unwrap();
        let url = format!("sqlite://{}/games.db", directory.display());
        let kind = Kind::Sqlite(directory);
        Base { url, kind }
    }

    pub async fn postgres(server: String) -> Base {
        let name = new_name();
        let mut db = PgConnection::connect(&server).await.unwrap();
        let make = AssertSqlSafe(format!("CREATE DATABASE {name}"));
        db.execute(make).await.unwrap();
        db.close().await.unwrap();
        let options = PgConnectOptions::from_str(&server).unwrap();
        let url = options.database(&name).to_url_lossy().to_string();
        let kind = Kind::Postgres { server, name };
        Base { url, kind }
    }

    pub fn is_postgres(&self) -> bool {
        matches!(self.kind, Kind::Postgres { .. })
    }

    /// The directory of a file of SQLite.
    pub fn directory(&self) -> &Path {
        match &self.kind {
            Kind::Sqlite(directory) => directory,
            Kind::Postgres { .. } => panic!("a server has no directory"),
        }
    }

    /// Does to the database what the store would not.
    pub async fn execute(&self, statement: &'static str) {
        match &self.kind {
            Kind::Sqlite(_) => {
                let mut db = self.connect_sqlite().await;
                db.execute(statement).await.unwrap();
                db.close().await.unwrap();
            }
            Kind::Postgres { .. } => {
                let mut db = PgConnection::connect(&self.url).await.unwrap();
                db.execute(statement).await.unwrap();
                db.close().await.unwrap();
            }
        }
    }

    /// The texts that a statement finds, sorted.
    pub async fn texts(&self, statement: &'static str) -> Vec<String> {
        let mut texts: Vec<String> = match &self.kind {
            Kind::Sqlite(_) => {
                let mut db = self.connect_sqlite().await;
                let texts = sqlx::query_scalar(statement).fetch_all(&mut db).await;
                db.close().await.unwrap();
                texts.unwrap()
            }
            Kind::Postgres { .. } => {
                let mut db = PgConnection::connect(&self.url).await.unwrap();
                let texts = sqlx::query_scalar(statement).fetch_all(&mut db).await;
                db.close().await.unwrap();
                texts.unwrap()
            }
        };
        texts.sort_unstable();
        texts
    }

    /// A connection to a file of SQLite, beside those of the store.
    pub async fn connect_sqlite(&self) -> SqliteConnection {
        let options = SqliteConnectOptions::from_str(&self.url).unwrap();
        let options = options.busy_timeout(Duration::from_secs(20));
        options.connect().await.unwrap()
    }

    /// All that is counted of the games, by names and not by numbers, so that two databases can be compared.
    pub async fn counts(&self) -> Vec<String> {
        let mut counts = Vec::new();
        for statement in [
            "SELECT 'facet ' || rule || ' ' || CAST(size AS TEXT) || ' ' || opening || ' ' || result || ' ' || \
             termination || ': ' || CAST(games AS TEXT) FROM facets",
            "SELECT 'length ' || rule || ' ' || CAST(plies AS TEXT) || ': ' || CAST(games AS TEXT) FROM lengths",
            "SELECT 'player ' || name || ': ' || CAST(games AS TEXT) || ' ' || \
             COALESCE(CAST(first_played AS TEXT), '-') || ' ' || COALESCE(CAST(last_played AS TEXT), '-') FROM players",
            "SELECT 'score ' || name || ' ' || rule || ' ' || color || ': ' || CAST(wins AS TEXT) || ' ' || \
             CAST(losses AS TEXT) || ' ' || CAST(draws AS TEXT) FROM player_tallies \
             JOIN players ON players.id = player_tallies.player",
            "SELECT 'move ' || CAST(position AS TEXT) || ' ' || CAST(month AS TEXT) || ' ' || CAST(move AS TEXT) || \
             ': ' || CAST(black AS TEXT) || ' ' || CAST(white AS TEXT) || ' ' || CAST(draw AS TEXT) FROM explorer_moves",
            "SELECT 'step ' || CAST(position AS TEXT) || ' ' || CAST(games.fingerprint AS TEXT) || ' ' || \
             CAST(move AS TEXT) FROM explorer_games JOIN games ON games.seq = explorer_games.seq",
            "SELECT 'tag ' || tag || ' ' || games.tags FROM game_tags JOIN games ON games.seq = game_tags.seq",
            "SELECT 'row ' || CAST(games.fingerprint AS TEXT) || ' ' || rule || ' ' || CAST(size AS TEXT) || ' ' || \
             opening || ': ' || CAST(ply_count AS TEXT) || ' ' || CAST(symmetry_key AS TEXT) \
             FROM games JOIN facets ON facets.id = games.facet",
            "SELECT 'lost ' || CAST(seq AS TEXT) FROM explorer_games WHERE seq NOT IN (SELECT seq FROM games)",
        ] {
            // A fingerprint is octets, which the databases spell each in its own way.
            let statement = if self.is_postgres() {
                statement.replace(
                    "CAST(games.fingerprint AS TEXT)",
                    "encode(games.fingerprint, 'hex')",
                )
            } else {
                statement.replace(
                    "CAST(games.fingerprint AS TEXT)",
                    "lower(hex(games.fingerprint))",
                )
            };
            counts.extend(self.texts(statement.leak()).await);
        }
        counts
    }

    /// Takes the database away. A test that fails leaves it for who looks into it.
    pub async fn remove(self) {
        match self.kind {
            Kind::Sqlite(directory) => fs::remove_dir_all(directory).unwrap(),
            Kind::Postgres { server, name } => {
                let mut db = PgConnection::connect(&server).await.unwrap();
                let drop = AssertSqlSafe(format!("DROP DATABASE {name} WITH (FORCE)"));
                db.execute(drop).await.unwrap();
                db.close().await.unwrap();
            }
        }
    }
}
