//! Games kept, changed and forgotten.

use std::collections::HashMap;

use sqlx::{QueryBuilder, Row};
use time::OffsetDateTime;
use uuid::Uuid;

use super::counts::{Change, Refs, count, tidy};
use super::rows::{game_of, micros, plies_of, select_games};
use super::{Connection, Db, explorer};
use crate::record::GameText;
use crate::store::explorer::Trace;
use crate::store::filter::is_keepable;
use crate::store::game::{as_kept, to_micros};
use crate::store::{Added, Changed, Game, GameId, NewGame, Revision, StoreError, encoding};

/// How many rows one statement carries: below the least bound on the values of a statement, SQLite's 32,766.
const ROWS_AT_ONCE: usize = 1_000;

/// A game with its name and time, to be kept.
#[derive(Clone, Debug)]
pub struct Arrival {
    pub id: GameId,
    pub game: NewGame,
    pub revision: Revision,
    pub created_at: OffsetDateTime,
    pub updated_at: OffsetDateTime,
}

impl Arrival {
    pub fn new(game: NewGame, at: OffsetDateTime) -> Arrival {
        let at = to_micros(at);
        Arrival {
            id: GameId::new(),
            game: NewGame {
                text: as_kept(game.text),
                ..game
            },
            revision: Revision::FIRST,
            created_at: at,
            updated_at: at,
        }
    }

    fn game(&self) -> Game {
        Game {
            id: self.id,
            game: self.game.clone(),
            revision: self.revision,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

/// What is computed of a game beside what is told of it.
pub struct Prepared {
    pub fingerprint: [u8; 32],
    pub plies: Vec<u8>,
    pub trace: Trace,
}

impl Prepared {
    pub fn of(game: &NewGame) -> Result<Prepared, StoreError> {
        if !game.text.texts().all(is_keepable) {
            return Err(StoreError::NoText);
        }
        Ok(Prepared {
            fingerprint: game.fingerprint()?,
            plies: encoding::encode(game.record.plies()).ok_or(StoreError::NoGame)?,
            trace: Trace::of(&game.record),
        })
    }
}

/// The games with these fingerprints, as far as they are kept.
pub async fn known(
    db: &mut Connection,
    fingerprints: &[[u8; 32]],
) -> Result<HashMap<[u8; 32], i64>, StoreError> {
    let mut known = HashMap::new();
    for some in fingerprints.chunks(ROWS_AT_ONCE) {
        let mut query =
            QueryBuilder::<Db>::new("SELECT fingerprint, seq FROM games WHERE fingerprint IN (");
        let mut list = query.separated(", ");
        for fingerprint in some {
            list.push_bind(fingerprint.to_vec());
        }
        query.push(")");
        for row in query.build().fetch_all(&mut *db).await? {
            let octets = row.try_get::<Vec<u8>, _>("fingerprint")?;
            let fingerprint =
                <[u8; 32]>::try_from(octets).map_err(|_| StoreError::Corrupt("fingerprint"))?;
            known.insert(fingerprint, row.try_get("seq")?);
        }
    }
    Ok(known)
}

/// Keeps games that are not kept yet and tells of each what became of it. The caller holds the right to write.
pub async fn add(db: &mut Connection, arrivals: Vec<Arrival>) -> Result<Vec<Added>, StoreError> {
    let prepared = arrivals
        .iter()
        .map(|arrival| Prepared::of(&arrival.game))
        .collect::<Result<Vec<_>, _>>()?;
    let fingerprints: Vec<_> = prepared.iter().map(|game| game.fingerprint).collect();
    let mut seen: HashMap<_, _> = known(db, &fingerprints)
        .await?
        .into_iter()
        .map(|(fingerprint, seq)| (fingerprint, Fate::Before(seq)))
        .collect();
    let mut fates = Vec::with_capacity(arrivals.len());
    let mut new = Vec::new();
    for (arrival, prepared) in arrivals.into_iter().zip(prepared) {
        if let Some(fate) = seen.get(&prepared.fingerprint) {
            fates.push(*fate);
        } else {
            seen.insert(prepared.fingerprint, Fate::Twice(new.len()));
            fates.push(Fate::New(new.len()));
            new.push((arrival, prepared));
        }
    }
    keep(db, &new).await?;
    let mut added = Vec::with_capacity(fates.len());
    for fate in fates {
        added.push(match fate {
            Fate::New(number) => Added::New(new[number].0.game()),
            Fate::Twice(number) => Added::Known(new[number].0.game()),
            Fate::Before(seq) => Added::Known(by_seq(db, seq).await?),
        });
    }
    Ok(added)
}

/// What becomes of a game in a list: it is new, as so manieth of the new ones, or came before.
#[derive(Clone, Copy)]
enum Fate {
    New(usize),
    Twice(usize),
    Before(i64),
}

/// Keeps games of which none is kept yet. The caller holds the right to write.
pub async fn keep(db: &mut Connection, games: &[(Arrival, Prepared)]) -> Result<(), StoreError> {
    if games.is_empty() {
        return Ok(());
    }
    let first = take_seqs(db, games.len()).await?;
    let changes: Vec<_> = games
        .iter()
        .map(|(arrival, prepared)| Change {
            game: &arrival.game,
            trace: &prepared.trace,
        })
        .collect();
    let refs = count(db, &changes, 1).await?;
    let mut rows = Vec::with_capacity(games.len());
    for ((seq, (arrival, prepared)), refs) in (first..).zip(games).zip(refs) {
        rows.push(NewRow::of(seq, arrival, prepared, refs)?);
    }
    for rows in rows.chunks(ROWS_AT_ONCE) {
        insert(db, rows).await?;
    }
    let tagged = rows.iter().map(|row| (row.seq, &row.arrival.game));
    insert_tags(db, tagged).await?;
    let traces = rows.iter().map(|row| (row.seq, &row.prepared.trace));
    explorer::remember(db, traces).await
}

/// The numbers of so many games that are to come: the first of them.
async fn take_seqs(db: &mut Connection, games: usize) -> Result<i64, StoreError> {
    let games = i64::try_from(games).map_err(|_| StoreError::Corrupt("count"))?;
    let row =
        QueryBuilder::<Db>::new("UPDATE state SET changes = changes + 1, last_seq = last_seq + ")
            .push_bind(games)
            .push(" RETURNING last_seq")
            .build()
            .fetch_one(&mut *db)
            .await?;
    Ok(row.try_get::<i64, _>("last_seq")? - games + 1)
}

/// A game about to become a row.
struct NewRow<'a> {
    seq: i64,
    arrival: &'a Arrival,
    prepared: &'a Prepared,
    refs: Refs,
    played_at: Option<i64>,
    created_at: i64,
    updated_at: i64,
    tags: String,
}

impl<'a> NewRow<'a> {
    fn of(
        seq: i64,
        arrival: &'a Arrival,
        prepared: &'a Prepared,
        refs: Refs,
    ) -> Result<NewRow<'a>, StoreError> {
        Ok(NewRow {
            seq,
            arrival,
            prepared,
            refs,
            played_at: arrival.game.text.played_at.map(micros).transpose()?,
            created_at: micros(arrival.created_at)?,
            updated_at: micros(arrival.updated_at)?,
            tags: tags_of(&arrival.game)?,
        })
    }
}

async fn insert(db: &mut Connection, rows: &[NewRow<'_>]) -> Result<(), StoreError> {
    let mut query = QueryBuilder::<Db>::new(
        "INSERT INTO games (seq, id, fingerprint, facet, plies, ply_count, symmetry_key, black, white, \
         event, site, round, played_at, source, tags, created_at, updated_at, revision) ",
    );
    query.push_values(rows, |mut values, row| {
        let text = &row.arrival.game.text;
        values
            .push_bind(row.seq)
            .push_bind(row.arrival.id.0)
            .push_bind(row.prepared.fingerprint.to_vec())
            .push_bind(row.refs.facet)
            .push_bind(row.prepared.plies.clone())
            .push_bind(plies_of(&row.arrival.game))
            .push_bind(row.prepared.trace.symmetry_key)
            .push_bind(row.refs.black)
            .push_bind(row.refs.white)
            .push_bind(text.event.clone())
            .push_bind(text.site.clone())
            .push_bind(text.round.clone())
            .push_bind(row.played_at)
            .push_bind(text.source.clone())
            .push_bind(row.tags.clone())
            .push_bind(row.created_at)
            .push_bind(row.updated_at)
            .push_bind(row.arrival.revision.0);
    });
    query.build().execute(&mut *db).await?;
    Ok(())
}

fn tags_of(game: &NewGame) -> Result<String, StoreError> {
    serde_json::to_string(&game.text.tags).map_err(|_| StoreError::Corrupt("tags"))
}

/// Notes which games, given by their order of arrival, have which tags.
pub async fn insert_tags<'a>(
    db: &mut Connection,
    games: impl Iterator<Item = (i64, &'a NewGame)>,
) -> Result<(), StoreError> {
    let mut tags: Vec<_> = games
        .flat_map(|(seq, game)| game.text.tags.iter().map(move |tag| (tag, seq)))
        .collect();
    // Neighbours in the table are written together, and a game has a tag once.
    tags.sort_unstable();
    tags.dedup();
    for some in tags.chunks(ROWS_AT_ONCE) {
        let mut query = QueryBuilder::<Db>::new("INSERT INTO game_tags (tag, seq) ");
        query.push_values(some, |mut row, (tag, seq)| {
            row.push_bind((*tag).clone()).push_bind(*seq);
        });
        query.build().execute(&mut *db).await?;
    }
    Ok(())
}

async fn delete_tags(db: &mut Connection, seq: i64) -> Result<(), StoreError> {
    let mut query = QueryBuilder::<Db>::new("DELETE FROM game_tags WHERE seq = ");
    query.push_bind(seq).build().execute(&mut *db).await?;
    Ok(())
}

/// The game of a name.
pub async fn by_id(db: &mut Connection, id: Uuid) -> Result<Option<(i64, Game)>, StoreError> {
    let mut query = select_games();
    query.push(" WHERE games.id = ").push_bind(id);
    let row = query.build().fetch_optional(&mut *db).await?;
    row.as_ref().map(game_of).transpose()
}

async fn by_seq(db: &mut Connection, seq: i64) -> Result<Game, StoreError> {
    let mut query = select_games();
    query.push(" WHERE games.seq = ").push_bind(seq);
    let row = query.build().fetch_one(&mut *db).await?;
    Ok(game_of(&row)?.1)
}

/// Changes what is told of a game. The caller holds the right to write.
pub async fn describe(
    db: &mut Connection,
    id: GameId,
    expected: Revision,
    text: GameText,
    at: OffsetDateTime,
) -> Result<Changed, StoreError> {
    let Some((seq, before)) = by_id(db, id.0).await? else {
        return Ok(Changed::NoSuchGame);
    };
    if before.revision != expected {
        return Ok(Changed::OtherRevision(before.revision));
    }
    let text = as_kept(text);
    if before.game.text == text {
        return Ok(Changed::Done(Box::new(before)));
    }
    let after = Game {
        game: NewGame {
            text,
            ..before.game.clone()
        },
        revision: Revision(before.revision.0 + 1),
        updated_at: to_micros(at),
        ..before.clone()
    };
    let prepared = Prepared::of(&after.game)?;
    if let Some(other) = known(db, &[prepared.fingerprint])
        .await?
        .get(&prepared.fingerprint)
        .filter(|other| **other != seq)
    {
        return Ok(Changed::SameAs(by_seq(db, *other).await?.id));
    }
    count_change(db).await?;
    let change = |game| Change {
        game,
        trace: &prepared.trace,
    };
    let old = count(db, &[change(&before.game)], -1).await?;
    let new = count(db, &[change(&after.game)], 1).await?;
    update(db, seq, &after, &prepared, new[0]).await?;
    tidy(db, old[0], &prepared.trace).await?;
    Ok(Changed::Done(Box::new(after)))
}

async fn update(
    db: &mut Connection,
    seq: i64,
    game: &Game,
    prepared: &Prepared,
    refs: Refs,
) -> Result<(), StoreError> {
    let text = &game.game.text;
    let mut query = QueryBuilder::<Db>::new("UPDATE games SET ");
    query
        .push("fingerprint = ")
        .push_bind(prepared.fingerprint.to_vec())
        .push(", facet = ")
        .push_bind(refs.facet)
        .push(", black = ")
        .push_bind(refs.black)
        .push(", white = ")
        .push_bind(refs.white)
        .push(", event = ")
        .push_bind(text.event.clone())
        .push(", site = ")
        .push_bind(text.site.clone())
        .push(", round = ")
        .push_bind(text.round.clone())
        .push(", played_at = ")
        .push_bind(text.played_at.map(micros).transpose()?)
        .push(", source = ")
        .push_bind(text.source.clone())
        .push(", tags = ")
        .push_bind(tags_of(&game.game)?)
        .push(", updated_at = ")
        .push_bind(micros(game.updated_at)?)
        .push(", revision = ")
        .push_bind(game.revision.0)
        .push(" WHERE seq = ")
        .push_bind(seq);
    query.build().execute(&mut *db).await?;
    delete_tags(db, seq).await?;
    insert_tags(db, std::iter::once((seq, &game.game))).await
}

/// Forgets a game. The caller holds the right to write.
pub async fn delete(
    db: &mut Connection,
    id: GameId,
    expected: Option<Revision>,
) -> Result<Changed, StoreError> {
    let Some((seq, game)) = by_id(db, id.0).await? else {
        return Ok(Changed::NoSuchGame);
    };
    if expected.is_some_and(|expected| expected != game.revision) {
        return Ok(Changed::OtherRevision(game.revision));
    }
    count_change(db).await?;
    let trace = Trace::of(&game.game.record);
    let change = Change {
        game: &game.game,
        trace: &trace,
    };
    let refs = count(db, &[change], -1).await?;
    explorer::forget(db, seq, &trace).await?;
    delete_tags(db, seq).await?;
    let mut query = QueryBuilder::<Db>::new("DELETE FROM games WHERE seq = ");
    query.push_bind(seq).build().execute(&mut *db).await?;
    tidy(db, refs[0], &trace).await?;
    Ok(Changed::Done(Box::new(game)))
}

async fn count_change(db: &mut Connection) -> Result<(), StoreError> {
    sqlx::query("UPDATE state SET changes = changes + 1")
        .execute(&mut *db)
        .await?;
    Ok(())
}
