//! What is counted over all games: facets, lengths, players and the explorer's moves.
//!
//! Counts change in the transaction that changes the games. Rows are sorted, so that equal lists write in equal
//! order.

use std::collections::{BTreeMap, HashMap};

use sqlx::{QueryBuilder, Row};

use super::rows::{micros, plies_of};
use super::{Connection, Db, explorer};
use crate::board::Color;
use crate::record::{GameResult, Opening};
use crate::store::explorer::Trace;
use crate::store::{NewGame, StoreError};

/// A game that comes or goes.
#[derive(Clone, Copy)]
pub struct Change<'a> {
    pub game: &'a NewGame,
    pub trace: &'a Trace,
}

/// The numbers under which a game's facet and players are kept.
#[derive(Clone, Copy, Debug)]
pub struct Refs {
    pub facet: i64,
    pub black: Option<i64>,
    pub white: Option<i64>,
}

/// Rule, size, opening, result and termination, as they are kept.
type FacetKey = (&'static str, i64, &'static str, &'static str, &'static str);

/// How many rows one statement carries.
pub const ROWS_AT_ONCE: usize = 2_000;

/// Counts games in (`by` 1) or out (-1) and tells under which numbers their facets and players are kept.
pub async fn count(
    db: &mut Connection,
    changes: &[Change<'_>],
    by: i64,
) -> Result<Vec<Refs>, StoreError> {
    let facets = count_facets(db, changes, by).await?;
    let players = count_players(db, changes, by).await?;
    count_lengths(db, changes, by).await?;
    explorer::count(db, changes, by).await?;
    let refs: Vec<Refs> = changes
        .iter()
        .map(|Change { game, .. }| {
            let player = |color| {
                let name: Option<&String> = game.text.players[color].as_ref();
                name.and_then(|name| players.get(name).copied())
            };
            Refs {
                facet: facets[&facet_of(game)],
                black: player(Color::Black),
                white: player(Color::White),
            }
        })
        .collect();
    count_scores(db, changes, &refs, by).await?;
    Ok(refs)
}

fn facet_of(game: &NewGame) -> FacetKey {
    (
        game.record.rule().name(),
        i64::from(game.record.size().lines()),
        Opening::of(&game.record).map_or("", Opening::abbreviation),
        game.result.name(),
        game.termination.name(),
    )
}

async fn count_facets(
    db: &mut Connection,
    changes: &[Change<'_>],
    by: i64,
) -> Result<HashMap<FacetKey, i64>, StoreError> {
    let mut counts = BTreeMap::<FacetKey, i64>::new();
    for change in changes {
        *counts.entry(facet_of(change.game)).or_default() += by;
    }
    let mut numbers = HashMap::with_capacity(counts.len());
    for (facet, games) in counts {
        let (rule, size, opening, result, termination) = facet;
        let row = sqlx::query_scalar::<Db, i64>(
            "INSERT INTO facets (rule, size, opening, result, termination, games) VALUES ($1, $2, $3, $4, $5, $6) \
             ON CONFLICT (rule, size, opening, result, termination) \
             DO UPDATE SET games = facets.games + excluded.games RETURNING id",
        )
        .bind(rule)
        .bind(size)
        .bind(opening)
        .bind(result)
        .bind(termination)
        .bind(games)
        .fetch_one(&mut *db)
        .await?;
        numbers.insert(facet, row);
    }
    Ok(numbers)
}

/// How many games a player has, and the first and the last date among them.
#[derive(Clone, Copy, Default)]
struct Career {
    games: i64,
    first: Option<i64>,
    last: Option<i64>,
}

async fn count_players(
    db: &mut Connection,
    changes: &[Change<'_>],
    by: i64,
) -> Result<HashMap<String, i64>, StoreError> {
    let mut careers = BTreeMap::<&str, Career>::new();
    for Change { game, .. } in changes {
        let players = &game.text.players;
        let played_at = game.text.played_at.map(micros).transpose()?;
        // Who plays against himself has a game with each colour.
        for name in [&players.black, &players.white].into_iter().flatten() {
            let career = careers.entry(name).or_default();
            career.games += by;
            career.first = career.first.into_iter().chain(played_at).min();
            career.last = career.last.max(played_at);
        }
    }
    let careers: Vec<_> = careers.into_iter().collect();
    let mut numbers = HashMap::with_capacity(careers.len());
    for some in careers.chunks(ROWS_AT_ONCE) {
        let mut query = QueryBuilder::<Db>::new(
            "INSERT INTO players (name, games, first_played, last_played) ",
        );
        query
            .push_values(some, |mut row, (name, career)| {
                row.push_bind((*name).to_owned())
                    .push_bind(career.games)
                    .push_bind(career.first)
                    .push_bind(career.last);
            })
            .push(
                " ON CONFLICT (name) DO UPDATE SET games = players.games + excluded.games, \
                 first_played = CASE WHEN players.first_played <= excluded.first_played \
                 THEN players.first_played ELSE COALESCE(excluded.first_played, players.first_played) END, \
                 last_played = CASE WHEN players.last_played >= excluded.last_played \
                 THEN players.last_played ELSE COALESCE(excluded.last_played, players.last_played) END \
                 RETURNING id, name",
            );
        for row in query.build().fetch_all(&mut *db).await? {
            numbers.insert(row.try_get("name")?, row.try_get("id")?);
        }
    }
    Ok(numbers)
}

/// Wins, losses and draws of one side.
fn score_of(result: GameResult, color: Color) -> [i64; 3] {
    match result {
        GameResult::Draw => [0, 0, 1],
        GameResult::Win(winner) if winner == color => [1, 0, 0],
        GameResult::Win(_) => [0, 1, 0],
    }
}

async fn count_scores(
    db: &mut Connection,
    changes: &[Change<'_>],
    refs: &[Refs],
    by: i64,
) -> Result<(), StoreError> {
    let mut counts = BTreeMap::<(i64, &str, &str), [i64; 3]>::new();
    for (Change { game, .. }, refs) in changes.iter().zip(refs) {
        for (color, player) in [(Color::Black, refs.black), (Color::White, refs.white)] {
            let Some(player) = player else { continue };
            let key = (player, game.record.rule().name(), color.name());
            let counted = counts.entry(key).or_default();
            for (sum, one) in counted.iter_mut().zip(score_of(game.result, color)) {
                *sum += by * one;
            }
        }
    }
    let counts: Vec<_> = counts.into_iter().collect();
    for some in counts.chunks(ROWS_AT_ONCE) {
        let mut query = QueryBuilder::<Db>::new(
            "INSERT INTO player_tallies (player, rule, color, wins, losses, draws) ",
        );
        query
            .push_values(some, |mut row, ((player, rule, color), [wins, losses, draws])| {
                row.push_bind(*player)
                    .push_bind(*rule)
                    .push_bind(*color)
                    .push_bind(*wins)
                    .push_bind(*losses)
                    .push_bind(*draws);
            })
            .push(
                " ON CONFLICT (player, rule, color) DO UPDATE SET wins = player_tallies.wins + excluded.wins, \
                 losses = player_tallies.losses + excluded.losses, draws = player_tallies.draws + excluded.draws",
            );
        query.build().execute(&mut *db).await?;
    }
    Ok(())
}

async fn count_lengths(
    db: &mut Connection,
    changes: &[Change<'_>],
    by: i64,
) -> Result<(), StoreError> {
    let mut counts = BTreeMap::<(&str, i64), i64>::new();
    for Change { game, .. } in changes {
        *counts
            .entry((game.record.rule().name(), plies_of(game)))
            .or_default() += by;
    }
    let counts: Vec<_> = counts.into_iter().collect();
    for some in counts.chunks(ROWS_AT_ONCE) {
        let mut query = QueryBuilder::<Db>::new("INSERT INTO lengths (rule, plies, games) ");
        query
            .push_values(some, |mut row, ((rule, plies), games)| {
                row.push_bind(*rule).push_bind(*plies).push_bind(*games);
            })
            .push(
                " ON CONFLICT (rule, plies) DO UPDATE SET games = lengths.games + excluded.games",
            );
        query.build().execute(&mut *db).await?;
    }
    Ok(())
}

/// Takes away the rows that count nothing after a game has gone.
pub async fn tidy(db: &mut Connection, gone: Refs, trace: &Trace) -> Result<(), StoreError> {
    explorer::tidy(db, trace).await?;
    for player in [gone.black, gone.white].into_iter().flatten() {
        let mut query = QueryBuilder::<Db>::new("DELETE FROM player_tallies WHERE player = ");
        query
            .push_bind(player)
            .push(" AND wins = 0 AND losses = 0 AND draws = 0");
        query.build().execute(&mut *db).await?;
        date(db, player).await?;
    }
    for statement in [
        "DELETE FROM players WHERE games = 0",
        "DELETE FROM facets WHERE games = 0",
        "DELETE FROM lengths WHERE games = 0",
    ] {
        sqlx::query(statement).execute(&mut *db).await?;
    }
    Ok(())
}

/// Looks up the first and the last date of a player's games again.
async fn date(db: &mut Connection, player: i64) -> Result<(), StoreError> {
    let mut query = QueryBuilder::<Db>::new(
        "UPDATE players SET first_played = dates.first, last_played = dates.last FROM (SELECT MIN(played_at) AS first, MAX(played_at) AS last FROM games WHERE black = ",
    );
    query
        .push_bind(player)
        .push(" OR white = ")
        .push_bind(player)
        .push(") AS dates WHERE players.id = ")
        .push_bind(player);
    query.build().execute(&mut *db).await?;
    Ok(())
}
