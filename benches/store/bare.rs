//! The rows of a database written again by plain batches of inserts, in the order in which an import made them.

use std::collections::HashMap;
use std::path::Path;
use std::str::FromStr;
use std::time::{Duration, Instant};

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{
    ConnectOptions, Connection, QueryBuilder, Row, Sqlite, SqliteConnection, TypeInfo, ValueRef,
};

/// The tables that games fill, each with what tells when its rows came: a condition on the games of a batch, or none.
const TABLES: [&str; 8] = [
    "facets",
    "lengths",
    "players",
    "player_tallies",
    "games",
    "game_tags",
    "explorer_moves",
    "explorer_games",
];

/// A value of a column, as SQLite has it.
#[derive(Clone)]
enum Value {
    Null,
    Whole(i64),
    Text(String),
    Octets(Vec<u8>),
}

async fn connect(file: &Path) -> Result<SqliteConnection, sqlx::Error> {
    SqliteConnectOptions::from_str(&format!("sqlite://{}", file.display()))?
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .connect()
        .await
}

/// How many rows the games fill.
pub async fn rows(file: &Path) -> Result<u64, sqlx::Error> {
    let mut db = connect(file).await?;
    let mut rows = 0;
    for table in TABLES {
        let count: i64 = QueryBuilder::<Sqlite>::new("SELECT COUNT(*) FROM ")
            .push(table)
            .build_query_scalar()
            .fetch_one(&mut db)
            .await?;
        rows += u64::try_from(count).unwrap_or(0);
    }
    db.close().await?;
    Ok(rows)
}

/// Writes all rows of a database into a new one of the same schema, so many games in a transaction, and tells how long
/// the writing took.
pub async fn copy(from: &Path, to: &Path, at_once: usize) -> Result<Duration, sqlx::Error> {
    let mut source = connect(from).await?;
    let mut target = connect(to).await?;
    let schema =
        sqlx::query("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type = 'index'")
            .fetch_all(&mut source)
            .await?;
    for row in schema {
        let statement: String = row.try_get("sql")?;
        QueryBuilder::<Sqlite>::new(statement)
            .build()
            .execute(&mut target)
            .await?;
    }
    let batches = batches(&mut source, i64::try_from(at_once).unwrap_or(1)).await?;
    source.close().await?;
    let begun = Instant::now();
    for tables in &batches {
        let mut transaction = target.begin().await?;
        for (table, rows) in TABLES.iter().zip(tables) {
            insert(&mut transaction, table, rows).await?;
        }
        transaction.commit().await?;
    }
    let taken = begun.elapsed();
    target.close().await?;
    Ok(taken)
}

type Rows = Vec<Vec<Value>>;

/// The rows of each table by the batch of games with which they came.
async fn batches(
    source: &mut SqliteConnection,
    at_once: i64,
) -> Result<Vec<Vec<Rows>>, sqlx::Error> {
    // A move of the explorer came with the first game that played it.
    let first = sqlx::query(
        "SELECT position, move, MIN(seq) AS seq FROM explorer_games GROUP BY position, move",
    )
    .fetch_all(&mut *source)
    .await?;
    let mut came = HashMap::new();
    for row in first {
        let key: (i64, i64) = (row.try_get("position")?, row.try_get("move")?);
        came.insert(key, row.try_get::<i64, _>("seq")?);
    }
    let mut batches: Vec<Vec<Rows>> = Vec::new();
    for (number, table) in TABLES.iter().enumerate() {
        let rows = QueryBuilder::<Sqlite>::new("SELECT * FROM ")
            .push(*table)
            .build()
            .fetch_all(&mut *source)
            .await?;
        for row in rows {
            let seq = match *table {
                "games" | "game_tags" | "explorer_games" => row.try_get("seq")?,
                "explorer_moves" => came[&(row.try_get("position")?, row.try_get("move")?)],
                _ => 1,
            };
            let batch = usize::try_from((seq - 1) / at_once).unwrap_or(0);
            if batches.len() <= batch {
                batches.resize(batch + 1, vec![Rows::new(); TABLES.len()]);
            }
            batches[batch][number].push(values_of(&row)?);
        }
    }
    Ok(batches)
}

fn values_of(row: &sqlx::sqlite::SqliteRow) -> Result<Vec<Value>, sqlx::Error> {
    (0..row.len())
        .map(|column| {
            let raw = row.try_get_raw(column)?;
            if raw.is_null() {
                return Ok(Value::Null);
            }
            Ok(match raw.type_info().name() {
                "INTEGER" => Value::Whole(row.try_get(column)?),
                "TEXT" => Value::Text(row.try_get(column)?),
                _ => Value::Octets(row.try_get_unchecked(column)?),
            })
        })
        .collect()
}

async fn insert(db: &mut SqliteConnection, table: &str, rows: &Rows) -> Result<(), sqlx::Error> {
    let Some(columns) = rows.first().map(Vec::len) else {
        return Ok(());
    };
    for rows in rows.chunks(30_000 / columns) {
        let mut query = QueryBuilder::<Sqlite>::new("INSERT INTO ");
        query.push(table).push(" ");
        query.push_values(rows, |mut values, row| {
            for value in row {
                match value.clone() {
                    Value::Null => values.push_bind(None::<i64>),
                    Value::Whole(number) => values.push_bind(number),
                    Value::Text(text) => values.push_bind(text),
                    Value::Octets(octets) => values.push_bind(octets),
                };
            }
        });
        query.build().execute(&mut *db).await?;
    }
    Ok(())
}
