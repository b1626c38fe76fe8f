//! Requests that are done only once.

use sqlx::{QueryBuilder, Row};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::games::{self, Arrival};
use super::rows::micros;
use super::{Connection, Db};
use crate::store::{Added, AddedOnce, NewGame, Once, StoreError};

/// How long a key is remembered.
const REMEMBERED: Duration = Duration::hours(24);

/// Keeps a game, unless its key was used. The caller holds the right to write.
pub async fn add_once(
    db: &mut Connection,
    once: Once,
    game: NewGame,
    at: OffsetDateTime,
) -> Result<AddedOnce, StoreError> {
    let mut forget = QueryBuilder::<Db>::new("DELETE FROM idempotency_keys WHERE created_at < ");
    forget.push_bind(micros(at - REMEMBERED)?);
    forget.build().execute(&mut *db).await?;
    let mut query =
        QueryBuilder::<Db>::new("SELECT digest, game FROM idempotency_keys WHERE key = ");
    query.push_bind(once.key.clone());
    if let Some(row) = query.build().fetch_optional(&mut *db).await? {
        if row.try_get::<Vec<u8>, _>("digest")? != once.digest {
            return Ok(AddedOnce::OtherRequest);
        }
        let game = games::by_id(db, row.try_get::<Uuid, _>("game")?).await?;
        return Ok(game.map_or(AddedOnce::Deleted, |(_, game)| AddedOnce::Repeated(game)));
    }
    let added = games::add(db, vec![Arrival::new(game, at)]).await?;
    let Some(added) = added.into_iter().next() else {
        return Err(StoreError::Corrupt("count"));
    };
    let (Added::New(kept) | Added::Known(kept)) = &added;
    let mut query = QueryBuilder::<Db>::new(
        "INSERT INTO idempotency_keys (key, digest, game, created_at) VALUES (",
    );
    let mut values = query.separated(", ");
    values
        .push_bind(once.key)
        .push_bind(once.digest.to_vec())
        .push_bind(kept.id.0)
        .push_bind(micros(at)?);
    query.push(")");
    query.build().execute(&mut *db).await?;
    Ok(AddedOnce::Done(added))
}
