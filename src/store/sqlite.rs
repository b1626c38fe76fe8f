use std::str::FromStr;
use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteRow,
    SqliteSynchronous,
};
use sqlx::{QueryBuilder, Row, Sqlite};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use uuid::Uuid;

use crate::board::{BoardSize, ByColor};
use crate::record::{GameText, Record};
use crate::store::{Added, Game, GameFilter, GameId, NewGame, Page, StoreError, encoding};

/// The games in an SQLite database: one connection that writes, some that read.
#[derive(Clone, Debug)]
pub struct Store {
    writer: SqlitePool,
    readers: SqlitePool,
}

static MIGRATIONS: Migrator = sqlx::migrate!();

/// How long a statement waits for another process before the database counts as busy.
const PATIENCE: Duration = Duration::from_secs(5);
const READERS: u32 = 4;

const COLUMNS: &str = "SELECT seq, id, rule, size, plies, result, termination, black, white, \
     event, site, round, played_at, source, tags, created_at FROM games";

impl Store {
    /// Opens a database, which is made if there is none, and brings its schema up to date.
    ///
    /// # Errors
    ///
    /// When the database cannot be opened or written, or its schema is a newer one.
    pub async fn open(url: &str) -> Result<Store, StoreError> {
        if !url.starts_with("sqlite:") {
            return Err(StoreError::UnknownUrl);
        }
        let options = SqliteConnectOptions::from_str(url)?
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            // An acknowledged game survives a loss of power.
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(PATIENCE)
            .pragma("trusted_schema", "OFF")
            .pragma("journal_size_limit", "67108864");
        // SQLite has one writer at a time: more connections would only wait for each other.
        let writer = pool(1)
            .connect_with(options.clone().optimize_on_close(true, None))
            .await?;
        MIGRATIONS.run(&writer).await?;
        let readers = pool(READERS).connect_with(options.read_only(true)).await?;
        Ok(Store { writer, readers })
    }

    /// Can the games be read?
    ///
    /// # Errors
    ///
    /// When they cannot.
    pub async fn ping(&self) -> Result<(), StoreError> {
        sqlx::query("SELECT 1 FROM games LIMIT 1")
            .execute(&self.readers)
            .await?;
        Ok(())
    }

    /// Keeps a game, unless the same game is kept already. When this returns, it is on the disk.
    ///
    /// # Errors
    ///
    /// When the database is busy or fails; then nothing is kept.
    pub async fn add(
        &self,
        id: GameId,
        game: NewGame,
        at: OffsetDateTime,
    ) -> Result<Added, StoreError> {
        let fingerprint = game.fingerprint()?;
        let plies = encoding::encode(game.record.plies()).ok_or(StoreError::NoGame)?;
        // One statement is one transaction; it takes the write lock at once.
        let inserted = sqlx::query(
            "INSERT INTO games (id, fingerprint, rule, size, plies, result, termination, black, white, \
             event, site, round, played_at, source, tags, created_at) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (fingerprint) DO NOTHING",
        )
        .bind(id.0)
        .bind(&fingerprint[..])
        .bind(game.record.rule().name())
        .bind(i64::from(game.record.size().lines()))
        .bind(plies)
        .bind(game.result.name())
        .bind(game.termination.name())
        .bind(&game.text.players.black)
        .bind(&game.text.players.white)
        .bind(&game.text.event)
        .bind(&game.text.site)
        .bind(&game.text.round)
        .bind(game.text.played_at.map(written).transpose()?)
        .bind(&game.text.source)
        .bind(serde_json::to_string(&game.text.tags).map_err(|_| StoreError::Corrupt("tags"))?)
        .bind(written(at)?)
        .execute(&self.writer)
        .await?;
        if inserted.rows_affected() == 1 {
            return Ok(Added::New(Game {
                id,
                game,
                created_at: at,
            }));
        }
        let known = QueryBuilder::<Sqlite>::new(COLUMNS)
            .push(" WHERE fingerprint = ")
            .push_bind(fingerprint.to_vec())
            .build()
            .fetch_one(&self.writer)
            .await?;
        Ok(Added::Known(game_of(&known)?))
    }

    /// The game of a name, if there is one.
    ///
    /// # Errors
    ///
    /// When the database is busy or fails.
    pub async fn game(&self, id: GameId) -> Result<Option<Game>, StoreError> {
        let row = QueryBuilder::<Sqlite>::new(COLUMNS)
            .push(" WHERE id = ")
            .push_bind(id.0)
            .build()
            .fetch_optional(&self.readers)
            .await?;
        row.as_ref().map(game_of).transpose()
    }

    /// The games that fit a filter, the newest first, from where a page before told the next begins.
    ///
    /// # Errors
    ///
    /// When the database is busy or fails.
    pub async fn games(
        &self,
        filter: &GameFilter,
        from: Option<i64>,
        most: u32,
    ) -> Result<Page, StoreError> {
        // One more than asked for tells whether there is a next page and where it begins.
        let window = Window {
            filter,
            from: from.unwrap_or(i64::MAX),
            rows: i64::from(most) + 1,
        };
        let mut query = QueryBuilder::<Sqlite>::new(COLUMNS);
        match &filter.player {
            None => window.push(&mut query, None),
            Some(name) => {
                // Each half ends after a page and follows an index; `OR` would sort all games of the player.
                query.push(" WHERE seq IN (SELECT seq FROM (SELECT seq FROM games");
                window.push(&mut query, Some(("black", name)));
                query.push(") UNION SELECT seq FROM (SELECT seq FROM games");
                window.push(&mut query, Some(("white", name)));
                query
                    .push(")) ORDER BY seq DESC LIMIT ")
                    .push_bind(window.rows);
            }
        }
        let rows = query.build().fetch_all(&self.readers).await?;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let next = rows.get(most).map(|row| row.try_get("seq")).transpose()?;
        let games = rows
            .iter()
            .take(most)
            .map(game_of)
            .collect::<Result<_, _>>()?;
        Ok(Page { games, next })
    }

    /// Closes all connections; what was written ahead goes into the database file.
    pub async fn close(&self) {
        self.readers.close().await;
        let _ = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
            .execute(&self.writer)
            .await;
        self.writer.close().await;
    }
}

/// The newest games that fit a filter, from some place in the list on.
struct Window<'a> {
    filter: &'a GameFilter,
    from: i64,
    rows: i64,
}

impl Window<'_> {
    /// Writes the conditions, with a player's name in one of the two columns if there is one.
    fn push(&self, query: &mut QueryBuilder<Sqlite>, player: Option<(&'static str, &str)>) {
        query.push(" WHERE seq <= ").push_bind(self.from);
        if let Some((column, name)) = player {
            query
                .push(" AND ")
                .push(column)
                .push(" = ")
                .push_bind(name.to_owned());
        }
        if let Some(rule) = self.filter.rule {
            query.push(" AND rule = ").push_bind(rule.name());
        }
        if let Some(size) = self.filter.size {
            query
                .push(" AND size = ")
                .push_bind(i64::from(size.lines()));
        }
        if let Some(result) = self.filter.result {
            query.push(" AND result = ").push_bind(result.name());
        }
        query.push(" ORDER BY seq DESC LIMIT ").push_bind(self.rows);
    }
}

fn pool(connections: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(PATIENCE)
        // A local file's connections do not go stale.
        .idle_timeout(None)
        .max_lifetime(None)
}

fn written(at: OffsetDateTime) -> Result<String, StoreError> {
    at.format(&Rfc3339)
        .map_err(|_| StoreError::Corrupt("a time beyond year 9999"))
}

fn game_of(row: &SqliteRow) -> Result<Game, StoreError> {
    let text = |name| row.try_get::<String, _>(name);
    let optional = |name| row.try_get::<Option<String>, _>(name);
    let time = |text: String| {
        OffsetDateTime::parse(&text, &Rfc3339).map_err(|_| StoreError::Corrupt("time"))
    };
    let size = BoardSize::try_from(row.try_get::<i64, _>("size")?)
        .map_err(|_| StoreError::Corrupt("size"))?;
    let rule = text("rule")?
        .parse()
        .map_err(|_| StoreError::Corrupt("rule"))?;
    let plies = encoding::decode(&row.try_get::<Vec<u8>, _>("plies")?)
        .ok_or(StoreError::Corrupt("plies"))?;
    let game = NewGame {
        record: Record::new(rule, size, plies),
        result: text("result")?
            .parse()
            .map_err(|_| StoreError::Corrupt("result"))?,
        termination: text("termination")?
            .parse()
            .map_err(|_| StoreError::Corrupt("termination"))?,
        text: GameText {
            players: ByColor {
                black: optional("black")?,
                white: optional("white")?,
            },
            event: optional("event")?,
            site: optional("site")?,
            round: optional("round")?,
            played_at: optional("played_at")?.map(time).transpose()?,
            source: optional("source")?,
            tags: serde_json::from_str(&text("tags")?).map_err(|_| StoreError::Corrupt("tags"))?,
        },
    };
    Ok(Game {
        id: GameId(row.try_get::<Uuid, _>("id")?),
        game,
        created_at: time(text("created_at")?)?,
    })
}
