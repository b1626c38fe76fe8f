//! Kept games as rows.

use std::str::FromStr;

use sqlx::{QueryBuilder, Row};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Db, DbRow};
use crate::board::{BoardSize, ByColor};
use crate::record::{GameText, Record};
use crate::store::{Game, GameId, NewGame, Revision, StoreError, encoding};

/// All of a game, its names joined to it. A condition or an order follows.
const GAMES: &str = "SELECT games.seq, games.id, games.plies, games.event, games.site, games.round, \
     games.played_at, games.source, games.tags, games.created_at, games.updated_at, games.revision, \
     facets.rule, facets.size, facets.result, facets.termination, \
     black.name AS black_name, white.name AS white_name \
     FROM games JOIN facets ON facets.id = games.facet \
     LEFT JOIN players AS black ON black.id = games.black \
     LEFT JOIN players AS white ON white.id = games.white";

/// A question for games, to be completed by a condition.
pub fn select_games() -> QueryBuilder<Db> {
    QueryBuilder::new(GAMES)
}

/// A game with its place in the order of arrival.
pub fn game_of(row: &DbRow) -> Result<(i64, Game), StoreError> {
    let played_at = row.try_get::<Option<i64>, _>("played_at")?;
    let game = NewGame {
        record: record_of(row)?,
        result: named(row, "result")?,
        termination: named(row, "termination")?,
        text: GameText {
            played_at: played_at.map(time_of).transpose()?,
            ..timeless_of(row, ["black_name", "white_name"])?
        },
    };
    let kept = Game {
        id: GameId(row.try_get::<Uuid, _>("id")?),
        game,
        revision: Revision(row.try_get("revision")?),
        created_at: time_of(row.try_get("created_at")?)?,
        updated_at: time_of(row.try_get("updated_at")?)?,
    };
    Ok((row.try_get("seq")?, kept))
}

/// The moves of a game.
pub fn record_of(row: &DbRow) -> Result<Record, StoreError> {
    let size = BoardSize::try_from(row.try_get::<i64, _>("size")?)
        .map_err(|_| StoreError::Corrupt("size"))?;
    let plies = encoding::decode(&row.try_get::<Vec<u8>, _>("plies")?)
        .ok_or(StoreError::Corrupt("plies"))?;
    Ok(Record::new(named(row, "rule")?, size, plies))
}

/// What is told of a game but for its time; the players' names are in these columns, Black's first.
pub fn timeless_of(row: &DbRow, players: [&str; 2]) -> Result<GameText, StoreError> {
    let optional = |name| row.try_get::<Option<String>, _>(name);
    let tags = row.try_get::<String, _>("tags")?;
    Ok(GameText {
        players: ByColor {
            black: optional(players[0])?,
            white: optional(players[1])?,
        },
        event: optional("event")?,
        site: optional("site")?,
        round: optional("round")?,
        played_at: None,
        source: optional("source")?,
        tags: serde_json::from_str(&tags).map_err(|_| StoreError::Corrupt("tags"))?,
    })
}

/// What a text in a row names.
pub fn named<T: FromStr>(row: &DbRow, column: &'static str) -> Result<T, StoreError> {
    let name = row.try_get::<String, _>(column)?;
    name.parse().map_err(|_| StoreError::Corrupt(column))
}

/// The number of plies, as it is kept; records are bounded far below.
pub fn plies_of(game: &NewGame) -> i64 {
    i64::try_from(game.record.plies().len()).unwrap_or(i64::MAX)
}

/// A time as it is kept.
pub fn micros(at: OffsetDateTime) -> Result<i64, StoreError> {
    i64::try_from(at.unix_timestamp_nanos().div_euclid(1_000))
        .map_err(|_| StoreError::Corrupt("time"))
}

/// A kept time.
pub fn time_of(micros: i64) -> Result<OffsetDateTime, StoreError> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(micros) * 1_000)
        .map_err(|_| StoreError::Corrupt("time"))
}

/// A count that a database tells.
pub fn count_of(row: &DbRow, name: &str) -> Result<u64, StoreError> {
    u64::try_from(row.try_get::<i64, _>(name)?).map_err(|_| StoreError::Corrupt("count"))
}
