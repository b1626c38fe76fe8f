//! Games of the first version, whose table knew nothing of explorer and players, moved into today's tables.

use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use uuid::Uuid;

use crate::record::GameText;
use crate::store::sqlite::queries::games::{self, Arrival};
use crate::store::sqlite::queries::rows::{named, record_of, timeless_of};
use crate::store::{GameId, NewGame, Revision, StoreError};

/// How many games are moved at once.
const GAMES_AT_ONCE: i64 = 1_000;

/// Moves the games, if there are any, in their order of arrival. The caller holds the right to write.
pub async fn move_games(db: &mut SqliteConnection) -> Result<(), StoreError> {
    let has_games = sqlx::query("SELECT 1 FROM sqlite_master WHERE name = 'games_to_move'")
        .fetch_optional(&mut *db)
        .await?;
    if has_games.is_none() {
        return Ok(());
    }
    let mut last = 0;
    loop {
        let rows = sqlx::query("SELECT * FROM games_to_move WHERE seq > ? ORDER BY seq LIMIT ?")
            .bind(last)
            .bind(GAMES_AT_ONCE)
            .fetch_all(&mut *db)
            .await?;
        let Some(row) = rows.last() else { break };
        last = row.try_get("seq")?;
        let arrivals = rows.iter().map(arrival_of).collect::<Result<_, _>>()?;
        games::add(db, arrivals).await?;
    }
    sqlx::query("DROP TABLE games_to_move")
        .execute(&mut *db)
        .await?;
    Ok(())
}

fn arrival_of(row: &SqliteRow) -> Result<Arrival, StoreError> {
    let time = |text: String| {
        OffsetDateTime::parse(&text, &Rfc3339).map_err(|_| StoreError::Corrupt("time"))
    };
    let played_at = row.try_get::<Option<String>, _>("played_at")?;
    let told = GameText {
        played_at: played_at.map(time).transpose()?,
        ..timeless_of(row, ["black", "white"])?
    };
    let result = Some(named(row, "result")?);
    let termination = Some(named(row, "termination")?);
    let game = NewGame::judge(record_of(row)?, result, termination, told)
        .map_err(|_| StoreError::Corrupt("game"))?;
    let created_at = time(row.try_get("created_at")?)?;
    Ok(Arrival {
        id: GameId(row.try_get::<Uuid, _>("id")?),
        game,
        revision: Revision::FIRST,
        created_at,
        updated_at: created_at,
    })
}
