//! All that follows from the games, made anew from what the games tell: plies, players, dates, tags and result.

use std::collections::HashMap;

use sqlx::{QueryBuilder, Row};
use uuid::Uuid;

use super::counts::{self, Change};
use super::games::{self, Prepared};
use super::rows::{game_of, plies_of, select_games};
use super::{Connection, Db, explorer};
use crate::store::{Game, StoreError};

/// How many games are read at once.
const GAMES_AT_ONCE: i64 = 1_000;

/// Makes anew what follows from the games, and gives their number. The caller holds the right to write.
pub async fn recount(db: &mut Connection) -> Result<u64, StoreError> {
    for statement in [
        "DELETE FROM explorer_moves",
        "DELETE FROM explorer_games",
        "DELETE FROM game_tags",
        "DELETE FROM player_tallies",
        "DELETE FROM lengths",
        "UPDATE facets SET games = 0",
        "UPDATE players SET games = 0, first_played = NULL, last_played = NULL",
        // Ratings follow from the games too.
        "UPDATE state SET changes = changes + 1",
        "UPDATE state SET last_seq = (SELECT MAX(seq) FROM games) WHERE last_seq < (SELECT MAX(seq) FROM games)",
    ] {
        sqlx::query(statement).execute(&mut *db).await?;
    }
    let (mut games, mut last, mut wrong) = (0, 0, Vec::new());
    loop {
        let some = games_after(db, last).await?;
        let Some((seq, _)) = some.last() else { break };
        last = *seq;
        games += u64::try_from(some.len()).unwrap_or(0);
        wrong.extend(recount_some(db, &some).await?);
    }
    // A right one may have stood at another game until all were looked at.
    for (seq, fingerprint) in wrong {
        set_fingerprint(db, seq, fingerprint.to_vec()).await?;
    }
    for statement in [
        "DELETE FROM players WHERE games = 0",
        "DELETE FROM facets WHERE games = 0",
    ] {
        sqlx::query(statement).execute(&mut *db).await?;
    }
    Ok(games)
}

/// A game by its order of arrival, and its fingerprint.
type Fingerprint = (i64, [u8; 32]);

/// Makes anew what follows from some games, but for fingerprints that are wrong: these are taken away, and told as
/// they should be.
async fn recount_some(
    db: &mut Connection,
    games: &[(i64, Game)],
) -> Result<Vec<Fingerprint>, StoreError> {
    let prepared = games
        .iter()
        .map(|(_, game)| Prepared::of(&game.game))
        .collect::<Result<Vec<_>, _>>()?;
    let changes: Vec<_> = games
        .iter()
        .zip(&prepared)
        .map(|((_, game), prepared)| Change {
            game: &game.game,
            trace: &prepared.trace,
        })
        .collect();
    let refs = counts::count(db, &changes, 1).await?;
    let seqs = games.iter().map(|(seq, _)| *seq);
    let traces = prepared.iter().map(|prepared| &prepared.trace);
    explorer::remember(db, seqs.clone().zip(traces)).await?;
    let tagged = games.iter().map(|(seq, game)| (*seq, &game.game));
    games::insert_tags(db, tagged).await?;
    let rows = seqs.clone().zip(&changes).zip(&refs);
    let rows: Vec<_> = rows
        .map(|((seq, change), refs)| Derived {
            seq,
            facet: refs.facet,
            ply_count: plies_of(change.game),
            symmetry_key: change.trace.symmetry_key,
        })
        .collect();
    derive(db, &rows).await?;
    let fingerprints = prepared.iter().map(|prepared| prepared.fingerprint);
    take_wrong_ones(db, &seqs.zip(fingerprints).collect()).await
}

async fn games_after(db: &mut Connection, seq: i64) -> Result<Vec<(i64, Game)>, StoreError> {
    let mut query = select_games();
    query
        .push(" WHERE games.seq > ")
        .push_bind(seq)
        .push(" ORDER BY games.seq LIMIT ")
        .push_bind(GAMES_AT_ONCE);
    let rows = query.build().fetch_all(&mut *db).await?;
    rows.iter().map(game_of).collect()
}

/// What of a game's row follows from the rest of it. A facet changes also when an opening gets a name.
struct Derived {
    seq: i64,
    facet: i64,
    ply_count: i64,
    symmetry_key: i64,
}

/// Writes these into the rows where others stand.
async fn derive(db: &mut Connection, rows: &[Derived]) -> Result<(), StoreError> {
    let mut query = QueryBuilder::<Db>::new("WITH ours (seq, facet, ply_count, symmetry_key) AS (");
    query
        .push_values(rows, |mut values, row| {
            values
                .push_bind(row.seq)
                .push_bind(row.facet)
                .push_bind(row.ply_count)
                .push_bind(row.symmetry_key);
        })
        .push(
            ") UPDATE games SET facet = ours.facet, ply_count = ours.ply_count, symmetry_key = ours.symmetry_key \
             FROM ours WHERE games.seq = ours.seq AND (games.facet <> ours.facet \
             OR games.ply_count <> ours.ply_count OR games.symmetry_key <> ours.symmetry_key)",
        );
    query.build().execute(&mut *db).await?;
    Ok(())
}

/// Takes wrong fingerprints away, so that they are in no other game's way, and tells the right ones. None may be
/// absent: what stands in their place is the game's own name, twice.
async fn take_wrong_ones(
    db: &mut Connection,
    right: &HashMap<i64, [u8; 32]>,
) -> Result<Vec<Fingerprint>, StoreError> {
    let mut query = QueryBuilder::<Db>::new("WITH ours (seq, fingerprint) AS (");
    query
        .push_values(right, |mut values, (seq, fingerprint)| {
            values.push_bind(*seq).push_bind(fingerprint.to_vec());
        })
        .push(
            ") SELECT games.seq, games.id FROM games JOIN ours ON ours.seq = games.seq \
             WHERE games.fingerprint <> ours.fingerprint",
        );
    let mut wrong = Vec::new();
    for row in query.build().fetch_all(&mut *db).await? {
        let seq = row.try_get("seq")?;
        let id = row.try_get::<Uuid, _>("id")?;
        set_fingerprint(db, seq, [*id.as_bytes(); 2].concat()).await?;
        wrong.extend(right.get(&seq).map(|fingerprint| (seq, *fingerprint)));
    }
    Ok(wrong)
}

async fn set_fingerprint(
    db: &mut Connection,
    seq: i64,
    fingerprint: Vec<u8>,
) -> Result<(), StoreError> {
    let mut query = QueryBuilder::<Db>::new("UPDATE games SET fingerprint = ");
    query
        .push_bind(fingerprint)
        .push(" WHERE seq = ")
        .push_bind(seq);
    query.build().execute(&mut *db).await?;
    Ok(())
}
