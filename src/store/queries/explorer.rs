//! What was played from a position.

use std::collections::BTreeMap;

use sqlx::{QueryBuilder, Row};
use time::OffsetDateTime;

use super::counts::{Change, ROWS_AT_ONCE};
use super::rows::{count_of, game_of, named, select_games};
use super::{Connection, Db};
use crate::board::Color;
use crate::record::GameResult;
use crate::store::explorer::{FoldedMove, Trace};
use crate::store::{Explored, ExplorerQuery, Game, Month, PlayedMove, StoreError, Tally};

/// Of so many of the newest games from a position those with the highest ratings are named.
const TOP_OF: i64 = 1_000;
/// So many of a player's newest games are looked at.
const GAMES_OF_PLAYER: i64 = 20_000;

/// The month in which a game counts.
fn month_of(played_at: Option<OffsetDateTime>) -> Month {
    played_at
        .and_then(|at| Month::new(u16::try_from(at.year()).ok()?, at.month().into()))
        .unwrap_or(Month::UNKNOWN)
}

/// Counts what games played in (`by` 1) or out (-1).
pub async fn count(db: &mut Connection, changes: &[Change<'_>], by: i64) -> Result<(), StoreError> {
    let mut counts = BTreeMap::<(i64, i64, FoldedMove), [i64; 3]>::new();
    for Change { game, trace } in changes {
        let Month(month) = month_of(game.text.played_at);
        let column = match game.result {
            GameResult::Win(Color::Black) => 0,
            GameResult::Win(Color::White) => 1,
            GameResult::Draw => 2,
        };
        for (position, step) in &trace.steps {
            counts.entry((*position, month, *step)).or_default()[column] += by;
        }
    }
    let counts: Vec<_> = counts.into_iter().collect();
    for some in counts.chunks(ROWS_AT_ONCE) {
        let mut query = QueryBuilder::<Db>::new(
            "INSERT INTO explorer_moves (position, month, move, black, white, draw) ",
        );
        query
            .push_values(some, |mut row, ((position, month, step), [black, white, draw])| {
                row.push_bind(*position)
                    .push_bind(*month)
                    .push_bind(i64::from(step.0))
                    .push_bind(*black)
                    .push_bind(*white)
                    .push_bind(*draw);
            })
            .push(
                " ON CONFLICT (position, month, move) DO UPDATE SET black = explorer_moves.black + excluded.black, \
                 white = explorer_moves.white + excluded.white, draw = explorer_moves.draw + excluded.draw",
            );
        query.build().execute(&mut *db).await?;
    }
    Ok(())
}

/// Remembers through which positions games went.
pub async fn remember<'a>(
    db: &mut Connection,
    games: impl Iterator<Item = (i64, &'a Trace)>,
) -> Result<(), StoreError> {
    let mut rows: Vec<_> = games
        .flat_map(|(seq, trace)| {
            trace
                .steps
                .iter()
                .map(move |(key, step)| (*key, seq, step.0))
        })
        .collect();
    // Neighbours in the table are written together.
    rows.sort_unstable();
    for some in rows.chunks(ROWS_AT_ONCE) {
        let mut query =
            QueryBuilder::<Db>::new("INSERT INTO explorer_games (position, seq, move) ");
        query.push_values(some, |mut row, (position, seq, step)| {
            row.push_bind(*position)
                .push_bind(*seq)
                .push_bind(i64::from(*step));
        });
        query.build().execute(&mut *db).await?;
    }
    Ok(())
}

/// Forgets through which positions a game went.
pub async fn forget(db: &mut Connection, seq: i64, trace: &Trace) -> Result<(), StoreError> {
    let mut query = QueryBuilder::<Db>::new("DELETE FROM explorer_games WHERE seq = ");
    query.push_bind(seq);
    push_positions(&mut query, trace);
    query.build().execute(&mut *db).await?;
    Ok(())
}

/// Takes away the moves that nobody has played any more.
pub async fn tidy(db: &mut Connection, trace: &Trace) -> Result<(), StoreError> {
    let mut query = QueryBuilder::<Db>::new(
        "DELETE FROM explorer_moves WHERE black = 0 AND white = 0 AND draw = 0",
    );
    push_positions(&mut query, trace);
    query.build().execute(&mut *db).await?;
    Ok(())
}

fn push_positions(query: &mut QueryBuilder<Db>, trace: &Trace) {
    query.push(" AND position IN (");
    let mut list = query.separated(", ");
    for (position, _) in &trace.steps {
        list.push_bind(*position);
    }
    if trace.steps.is_empty() {
        // A list must not be empty; no key is absent.
        query.push("NULL");
    }
    query.push(")");
}

/// What was played from a position.
pub async fn explore(db: &mut Connection, asked: &ExplorerQuery) -> Result<Explored, StoreError> {
    let (counts, seqs, is_cut) = match &asked.player {
        None => {
            let counts = counted(db, asked).await?;
            let seqs = newest(db, asked).await?;
            (counts, seqs, false)
        }
        Some(name) => of_player(db, asked, name).await?,
    };
    let mut moves: Vec<PlayedMove> = counts
        .into_iter()
        .map(|(step, tally)| PlayedMove {
            plies: asked.position.unfold(step),
            tally: tally.only(asked.result),
        })
        .filter(|played| !played.plies.is_empty() && played.tally.games() > 0)
        .collect();
    moves.sort_by_key(|played| std::cmp::Reverse(played.tally.games()));
    let most = usize::try_from(asked.games).unwrap_or(0);
    let recent: Vec<i64> = seqs.iter().take(most).copied().collect();
    let top = highest_rated(db, &seqs, asked.games).await?;
    Ok(Explored {
        moves,
        recent: games_of(db, &recent).await?,
        top: games_of(db, &top).await?,
        is_cut,
    })
}

type Counts = BTreeMap<FoldedMove, Tally>;

fn step_of(number: i64) -> Result<FoldedMove, StoreError> {
    let number = u16::try_from(number).map_err(|_| StoreError::Corrupt("move"))?;
    Ok(FoldedMove(number))
}

/// The kept counts of a position.
async fn counted(db: &mut Connection, asked: &ExplorerQuery) -> Result<Counts, StoreError> {
    let mut query = QueryBuilder::<Db>::new(
        "SELECT move, CAST(SUM(black) AS BIGINT) AS black, CAST(SUM(white) AS BIGINT) AS white, \
         CAST(SUM(draw) AS BIGINT) AS draw FROM explorer_moves WHERE position = ",
    );
    query.push_bind(asked.position.key);
    if let Some(Month(since)) = asked.since.or(asked.until.map(|_| Month(1))) {
        query.push(" AND month >= ").push_bind(since);
    }
    if let Some(Month(until)) = asked.until {
        query.push(" AND month <= ").push_bind(until);
    }
    query.push(" GROUP BY move");
    let mut counts = Counts::new();
    for row in query.build().fetch_all(&mut *db).await? {
        let tally = Tally {
            black: count_of(&row, "black")?,
            white: count_of(&row, "white")?,
            draw: count_of(&row, "draw")?,
        };
        counts.insert(step_of(row.try_get("move")?)?, tally);
    }
    Ok(counts)
}

/// The newest games from a position, as far as they fit, by their order of arrival.
async fn newest(db: &mut Connection, asked: &ExplorerQuery) -> Result<Vec<i64>, StoreError> {
    if asked.games == 0 {
        return Ok(Vec::new());
    }
    let mut query = QueryBuilder::<Db>::new(
        "SELECT recent.seq FROM (SELECT seq FROM explorer_games WHERE position = ",
    );
    query
        .push_bind(asked.position.key)
        .push(" ORDER BY seq DESC LIMIT ")
        .push_bind(TOP_OF)
        .push(") AS recent JOIN games ON games.seq = recent.seq JOIN facets ON facets.id = games.facet WHERE 1 = 1");
    if let Some(result) = asked.result {
        query.push(" AND facets.result = ").push_bind(result.name());
    }
    push_months(&mut query, asked)?;
    query.push(" ORDER BY recent.seq DESC");
    let rows = query.build().fetch_all(&mut *db).await?;
    rows.iter()
        .map(|row| row.try_get("seq").map_err(StoreError::from))
        .collect()
}

/// The condition that a game was played in the months that are asked for.
fn push_months(query: &mut QueryBuilder<Db>, asked: &ExplorerQuery) -> Result<(), StoreError> {
    if let Some(since) = asked.since {
        query
            .push(" AND games.played_at >= ")
            .push_bind(begin_of(since)?);
    }
    if let Some(Month(until)) = asked.until {
        query
            .push(" AND games.played_at < ")
            .push_bind(begin_of(Month(until + 1))?);
    }
    Ok(())
}

/// When a month begins, as times are kept.
fn begin_of(Month(number): Month) -> Result<i64, StoreError> {
    let out = StoreError::Corrupt("month");
    let (Ok(year), Ok(month)) = (
        i32::try_from((number - 1) / 12),
        u8::try_from((number - 1) % 12 + 1),
    ) else {
        return Err(out);
    };
    // The month behind the last of year 9999 has no date of its own.
    let Ok(month) = time::Month::try_from(month) else {
        return Err(out);
    };
    match time::Date::from_calendar_date(year, month, 1) {
        Ok(date) => super::rows::micros(date.midnight().assume_utc()),
        Err(_) => Ok(i64::MAX),
    }
}

/// A player's games from a position, counted one by one.
async fn of_player(
    db: &mut Connection,
    asked: &ExplorerQuery,
    name: &str,
) -> Result<(Counts, Vec<i64>, bool), StoreError> {
    let mut query =
        QueryBuilder::<Db>::new("SELECT mine.seq, explorer_games.move, facets.result FROM (");
    let colors: &[(Color, &str)] = match asked.color {
        Some(Color::Black) => &[(Color::Black, "black")],
        Some(Color::White) => &[(Color::White, "white")],
        None => &[(Color::Black, "black"), (Color::White, "white")],
    };
    for (index, (_, column)) in colors.iter().enumerate() {
        if index > 0 {
            query.push(" UNION ");
        }
        query
            .push("SELECT seq FROM (SELECT seq FROM games WHERE ")
            .push(column)
            .push(" = (SELECT id FROM players WHERE name = ")
            .push_bind(name.to_owned())
            .push(") ORDER BY seq DESC LIMIT ")
            .push_bind(GAMES_OF_PLAYER)
            .push(") AS ")
            .push(column)
            .push("_games");
    }
    query
        .push(
            ") AS mine JOIN explorer_games ON explorer_games.seq = mine.seq AND explorer_games.position = ",
        )
        .push_bind(asked.position.key)
        .push(" JOIN games ON games.seq = mine.seq JOIN facets ON facets.id = games.facet WHERE 1 = 1");
    if let Some(result) = asked.result {
        query.push(" AND facets.result = ").push_bind(result.name());
    }
    push_months(&mut query, asked)?;
    query.push(" ORDER BY mine.seq DESC");
    let mut counts = Counts::new();
    let mut seqs = Vec::new();
    for row in query.build().fetch_all(&mut *db).await? {
        let result: GameResult = named(&row, "result")?;
        let one = Tally {
            black: 1,
            white: 1,
            draw: 1,
        };
        counts
            .entry(step_of(row.try_get("move")?)?)
            .or_default()
            .add(one.only(Some(result)));
        seqs.push(row.try_get("seq")?);
    }
    let is_cut = has_more(db, name).await?;
    Ok((counts, seqs, is_cut))
}

/// Has a player more games than are looked at?
async fn has_more(db: &mut Connection, name: &str) -> Result<bool, StoreError> {
    let mut query = QueryBuilder::<Db>::new("SELECT games FROM players WHERE name = ");
    let row = query
        .push_bind(name.to_owned())
        .build()
        .fetch_optional(&mut *db)
        .await?;
    let games = row.map(|row| row.try_get::<i64, _>("games")).transpose()?;
    Ok(games.is_some_and(|games| games > GAMES_OF_PLAYER))
}

/// Of some games those whose players are rated highest together, the highest first.
async fn highest_rated(
    db: &mut Connection,
    seqs: &[i64],
    most: u32,
) -> Result<Vec<i64>, StoreError> {
    let newest = usize::try_from(TOP_OF).unwrap_or(0);
    let seqs = &seqs[..seqs.len().min(newest)];
    if seqs.is_empty() || most == 0 {
        return Ok(Vec::new());
    }
    let mut query = QueryBuilder::<Db>::new(
        "SELECT games.seq FROM games JOIN players AS black ON black.id = games.black \
         JOIN players AS white ON white.id = games.white \
         WHERE black.rating IS NOT NULL AND white.rating IS NOT NULL AND games.seq IN (",
    );
    push_seqs(&mut query, seqs);
    query
        .push(") ORDER BY black.rating + white.rating DESC, games.seq DESC LIMIT ")
        .push_bind(i64::from(most));
    let rows = query.build().fetch_all(&mut *db).await?;
    rows.iter()
        .map(|row| row.try_get("seq").map_err(StoreError::from))
        .collect()
}

fn push_seqs(query: &mut QueryBuilder<Db>, seqs: &[i64]) {
    let mut list = query.separated(", ");
    for seq in seqs {
        list.push_bind(*seq);
    }
}

/// Games by their order of arrival, as they are asked for.
async fn games_of(db: &mut Connection, seqs: &[i64]) -> Result<Vec<Game>, StoreError> {
    if seqs.is_empty() {
        return Ok(Vec::new());
    }
    let mut query = select_games();
    query.push(" WHERE games.seq IN (");
    push_seqs(&mut query, seqs);
    query.push(")");
    let mut games = BTreeMap::new();
    for row in query.build().fetch_all(&mut *db).await? {
        let (seq, game) = game_of(&row)?;
        games.insert(seq, game);
    }
    Ok(seqs.iter().filter_map(|seq| games.remove(seq)).collect())
}
