//! All games in numbers.

use sqlx::Row;

use super::rows::{count_of, named};
use super::{Connection, Db};
use crate::board::BoardSize;
use crate::store::{Facet, Statistics, StoreError};

/// All games in numbers.
pub async fn statistics(db: &mut Connection) -> Result<Statistics, StoreError> {
    let mut statistics = Statistics::default();
    let facets = sqlx::query::<Db>(
        "SELECT rule, size, opening, result, termination, games FROM facets \
         ORDER BY rule, size, opening, result, termination",
    );
    for row in facets.fetch_all(&mut *db).await? {
        let facet = Facet {
            rule: named(&row, "rule")?,
            size: BoardSize::try_from(row.try_get::<i64, _>("size")?)
                .map_err(|_| StoreError::Corrupt("size"))?,
            opening: match row.try_get::<&str, _>("opening")? {
                "" => None,
                _ => Some(named(&row, "opening")?),
            },
            result: named(&row, "result")?,
            termination: named(&row, "termination")?,
        };
        statistics.facets.push((facet, count_of(&row, "games")?));
    }
    let lengths = sqlx::query::<Db>("SELECT rule, plies, games FROM lengths ORDER BY rule, plies");
    for row in lengths.fetch_all(&mut *db).await? {
        let rule = named(&row, "rule")?;
        let plies = u16::try_from(row.try_get::<i64, _>("plies")?)
            .map_err(|_| StoreError::Corrupt("plies"))?;
        let games = count_of(&row, "games")?;
        statistics.lengths.push((rule, plies, games));
    }
    let players = sqlx::query::<Db>("SELECT COUNT(*) AS players FROM players");
    let row = players.fetch_one(&mut *db).await?;
    statistics.players = count_of(&row, "players")?;
    Ok(statistics)
}
