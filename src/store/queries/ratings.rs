//! Players rated by all their games.

use futures_util::TryStreamExt;
use sqlx::{QueryBuilder, Row};

use super::rows::named;
use super::{Connection, Db};
use crate::store::StoreError;
use crate::store::rating::{Meeting, Ratings};

/// How many ratings one statement carries.
const ROWS_AT_ONCE: usize = 2_000;
/// The length of a rating period, in microseconds.
const PERIOD: i64 = 30 * 24 * 3_600 * 1_000_000;

/// How often the games have changed, if not all changes are rated yet.
pub async fn unrated_changes(db: &mut Connection) -> Result<Option<i64>, StoreError> {
    let row = sqlx::query::<Db>("SELECT changes, rated_changes FROM state")
        .fetch_one(&mut *db)
        .await?;
    let changes: i64 = row.try_get("changes")?;
    Ok((changes != row.try_get::<i64, _>("rated_changes")?).then_some(changes))
}

/// Reads all games between two players and rates these.
pub async fn rate(db: &mut Connection) -> Result<Ratings, StoreError> {
    let mut ratings = Ratings::default();
    let mut period = Vec::new();
    let mut now = i64::MIN;
    let mut rows = sqlx::query::<Db>(
        "SELECT games.black, games.white, facets.result, COALESCE(games.played_at, games.created_at) AS at \
         FROM games JOIN facets ON facets.id = games.facet \
         WHERE games.black IS NOT NULL AND games.white IS NOT NULL AND games.black <> games.white \
         ORDER BY at, games.seq",
    )
    .fetch(&mut *db);
    while let Some(row) = rows.try_next().await? {
        let begun = row.try_get::<i64, _>("at")?.div_euclid(PERIOD);
        if begun != now && !period.is_empty() {
            ratings.rate(&period);
            period.clear();
        }
        now = begun;
        period.push(Meeting {
            black: row.try_get("black")?,
            white: row.try_get("white")?,
            result: named(&row, "result")?,
        });
    }
    if !period.is_empty() {
        ratings.rate(&period);
    }
    Ok(ratings)
}

/// Keeps ratings that know of so many changes. The caller holds the right to write.
pub async fn keep(db: &mut Connection, ratings: &Ratings, changes: i64) -> Result<(), StoreError> {
    sqlx::query("UPDATE players SET rating = NULL, deviation = NULL WHERE rating IS NOT NULL")
        .execute(&mut *db)
        .await?;
    let rated: Vec<_> = ratings.now().collect();
    for some in rated.chunks(ROWS_AT_ONCE) {
        let mut query = QueryBuilder::<Db>::new("WITH rated (id, rating, deviation) AS (");
        query
            .push_values(some, |mut row, (player, rating)| {
                row.push_bind(*player)
                    .push_bind(rating.value)
                    .push_bind(rating.deviation);
            })
            .push(
                ") UPDATE players SET rating = rated.rating, deviation = rated.deviation \
                 FROM rated WHERE players.id = rated.id",
            );
        query.build().execute(&mut *db).await?;
    }
    let mut query = QueryBuilder::<Db>::new("UPDATE state SET rated_changes = ");
    query.push_bind(changes).build().execute(&mut *db).await?;
    Ok(())
}
