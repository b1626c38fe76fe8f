//! Players and how their games came out.

use std::collections::HashMap;

use sqlx::{QueryBuilder, Row};

use super::rows::{count_of, named, time_of};
use super::{Connection, Db, DbRow};
use crate::board::Color;
use crate::store::{
    Player, PlayerOrder, PlayerPage, PlayerPlace, PlayerSelection, Rating, Score, StoreError,
};

/// A player. A condition or an order follows.
const PLAYERS: &str =
    "SELECT id, name, games, first_played, last_played, rating, deviation FROM players WHERE 1 = 1";

/// The player of a name.
pub async fn player(db: &mut Connection, name: &str) -> Result<Option<Player>, StoreError> {
    let mut query = QueryBuilder::<Db>::new(PLAYERS);
    query.push(" AND name = ").push_bind(name.to_owned());
    let row = query.build().fetch_optional(&mut *db).await?;
    let players = complete(db, row.as_slice()).await?;
    Ok(players.into_iter().next())
}

/// The next players of a selection.
pub async fn page(
    db: &mut Connection,
    selection: &PlayerSelection,
    most: u32,
) -> Result<PlayerPage, StoreError> {
    let mut query = QueryBuilder::<Db>::new(PLAYERS);
    if let Some(prefix) = &selection.prefix {
        query
            .push(" AND name >= ")
            .push_bind(prefix.clone())
            .push(" AND name < ")
            // Names sort by their octets, and no name holds the last character.
            .push_bind(format!("{prefix}{}", char::MAX));
    }
    match &selection.after {
        None => {}
        Some(PlayerPlace::Games(games, id)) => push_below(&mut query, "games", *games, *id),
        Some(PlayerPlace::Rating(rating, id)) => push_below(&mut query, "rating", *rating, *id),
        Some(PlayerPlace::Name(name)) => {
            query.push(" AND name > ").push_bind(name.clone());
        }
    }
    query.push(match selection.order {
        PlayerOrder::Games => " ORDER BY games DESC, id DESC LIMIT ",
        PlayerOrder::Rating => " AND rating IS NOT NULL ORDER BY rating DESC, id DESC LIMIT ",
        PlayerOrder::Name => " ORDER BY name LIMIT ",
    });
    query.push_bind(i64::from(most) + 1);
    let rows = query.build().fetch_all(&mut *db).await?;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let shown = &rows[..rows.len().min(most)];
    let next = match shown.last() {
        Some(last) if rows.len() > most => Some(match selection.order {
            PlayerOrder::Games => PlayerPlace::Games(last.try_get("games")?, last.try_get("id")?),
            PlayerOrder::Rating => {
                PlayerPlace::Rating(last.try_get("rating")?, last.try_get("id")?)
            }
            PlayerOrder::Name => PlayerPlace::Name(last.try_get("name")?),
        }),
        _ => None,
    };
    let players = complete(db, shown).await?;
    Ok(PlayerPage { players, next })
}

fn push_below<T>(query: &mut QueryBuilder<Db>, column: &str, value: T, id: i64)
where
    T: for<'q> sqlx::Encode<'q, Db> + sqlx::Type<Db> + Send + 'static,
{
    query
        .push(" AND (")
        .push(column)
        .push(", id) < (")
        .push_bind(value)
        .push(", ")
        .push_bind(id)
        .push(")");
}

/// Rows of players with their scores.
async fn complete(db: &mut Connection, rows: &[DbRow]) -> Result<Vec<Player>, StoreError> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let mut query = QueryBuilder::<Db>::new(
        "SELECT player, rule, color, wins, losses, draws FROM player_tallies WHERE player IN (",
    );
    let mut list = query.separated(", ");
    for row in rows {
        list.push_bind(row.try_get::<i64, _>("id")?);
    }
    query.push(") ORDER BY player, rule, color");
    let mut scores = HashMap::<i64, Vec<_>>::new();
    for row in query.build().fetch_all(&mut *db).await? {
        let rule = named(&row, "rule")?;
        let color = named(&row, "color")?;
        let score = Score {
            wins: count_of(&row, "wins")?,
            losses: count_of(&row, "losses")?,
            draws: count_of(&row, "draws")?,
        };
        if score.games() > 0 {
            let player = scores.entry(row.try_get("player")?).or_default();
            player.push((rule, color, score));
        }
    }
    rows.iter()
        .map(|row| {
            let scores = scores.remove(&row.try_get("id")?).unwrap_or_default();
            player_of(row, scores)
        })
        .collect()
}

fn player_of(
    row: &DbRow,
    scores: Vec<(crate::rules::Rule, Color, Score)>,
) -> Result<Player, StoreError> {
    let first = row.try_get::<Option<i64>, _>("first_played")?;
    let last = row.try_get::<Option<i64>, _>("last_played")?;
    let rating = row.try_get::<Option<f64>, _>("rating")?;
    let deviation = row.try_get::<Option<f64>, _>("deviation")?;
    Ok(Player {
        name: row.try_get("name")?,
        scores,
        seen: match first.zip(last) {
            Some((first, last)) => Some((time_of(first)?, time_of(last)?)),
            None => None,
        },
        rating: rating
            .zip(deviation)
            .map(|(value, deviation)| Rating { value, deviation }),
    })
}
