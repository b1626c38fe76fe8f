//! Lists of games, page by page.

use sqlx::{QueryBuilder, Row};

use super::rows::{game_of, micros, plies_of, select_games};
use super::{Connection, Db};
use crate::board::Color;
use crate::record::Opening;
use crate::store::{Direction, Game, GameFilter, Page, Place, Selection, SortKey, StoreError};

/// About as many games as a page has. Where so many of all share the asked facets that a walk through the list meets a
/// page of them sooner than they could be sorted, it is walked: games × games > page × all.
const PAGE: i64 = 50;

/// The time of games without a date: before every other. The index of the migrations has the same number.
const NEVER: i64 = -100_000_000_000_000_000;

/// When a game was played, as the index has it.
fn played_at() -> String {
    format!("COALESCE(games.played_at, {NEVER})")
}

/// The next games of a selection.
pub async fn page(
    db: &mut Connection,
    selection: &Selection,
    most: u32,
) -> Result<Page, StoreError> {
    let facets = match facets_of(db, &selection.filter).await? {
        Facets::None => return Ok(Page::default()),
        facets => facets,
    };
    let list = List {
        selection,
        facets,
        value: match selection.order.key {
            SortKey::Arrival => "games.seq".into(),
            SortKey::PlayedAt => played_at(),
            SortKey::Plies => "games.ply_count".into(),
        },
        // One more than asked for tells whether there is a next page.
        rows: i64::from(most) + 1,
    };
    let mut query = select_games();
    list.push(&mut query)?;
    let rows = query.build().fetch_all(&mut *db).await?;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut places = Vec::with_capacity(rows.len());
    for row in rows.iter().take(most) {
        places.push(game_of(row)?);
    }
    let next = match places.last() {
        Some((seq, last)) if rows.len() > most => Some(place_of(selection, *seq, last)?),
        _ => None,
    };
    let games = places.into_iter().map(|(_, game)| game).collect();
    Ok(Page { games, next })
}

/// Where a game stands in a list.
fn place_of(selection: &Selection, seq: i64, game: &Game) -> Result<Place, StoreError> {
    let value = match selection.order.key {
        SortKey::Arrival => seq,
        SortKey::PlayedAt => match game.game.text.played_at {
            Some(at) => micros(at)?,
            None => NEVER,
        },
        SortKey::Plies => plies_of(&game.game),
    };
    Ok(Place { value, seq })
}

/// The facets that a filter lets through.
enum Facets {
    /// It asks for none of them.
    All,
    /// No game has them.
    None,
    /// These, that few games have.
    Rare(Vec<i64>),
    /// These, that many games have.
    Common(Vec<i64>),
}

async fn facets_of(db: &mut Connection, filter: &GameFilter) -> Result<Facets, StoreError> {
    let mut query = QueryBuilder::<Db>::new("SELECT id, games FROM facets WHERE 1 = 1");
    let texts = [
        (" AND rule = ", filter.rule.map(|rule| rule.name())),
        (" AND opening = ", filter.opening.map(Opening::abbreviation)),
        (" AND result = ", filter.result.map(|result| result.name())),
        (
            " AND termination = ",
            filter.termination.map(|termination| termination.name()),
        ),
    ];
    let mut is_asked = false;
    for (condition, text) in texts {
        if let Some(text) = text {
            is_asked = true;
            query.push(condition).push_bind(text);
        }
    }
    if let Some(size) = filter.size {
        is_asked = true;
        query
            .push(" AND size = ")
            .push_bind(i64::from(size.lines()));
    }
    if !is_asked {
        return Ok(Facets::All);
    }
    let mut ids = Vec::new();
    let mut games = 0;
    for row in query.build().fetch_all(&mut *db).await? {
        ids.push(row.try_get("id")?);
        games += row.try_get::<i64, _>("games")?;
    }
    let all: i64 = sqlx::query_scalar("SELECT CAST(COALESCE(SUM(games), 0) AS BIGINT) FROM facets")
        .fetch_one(&mut *db)
        .await?;
    Ok(match games {
        0 => Facets::None,
        _ if games.saturating_mul(games) <= PAGE.saturating_mul(all) => Facets::Rare(ids),
        _ => Facets::Common(ids),
    })
}

/// The question for a page.
struct List<'a> {
    selection: &'a Selection,
    facets: Facets,
    /// What the list is ordered by.
    value: String,
    rows: i64,
}

impl List<'_> {
    fn push(&self, query: &mut QueryBuilder<Db>) -> Result<(), StoreError> {
        let filter = &self.selection.filter;
        query.push(" WHERE games.seq IN (");
        match &filter.player {
            None => self.push_seqs(query, None)?,
            Some(name) => {
                // Each half follows an index and ends after a page; `OR` would read all of the player's games.
                query.push("SELECT seq FROM (");
                self.push_seqs(query, Some((Color::Black, name)))?;
                query.push(") AS with_black UNION SELECT seq FROM (");
                self.push_seqs(query, Some((Color::White, name)))?;
                query.push(") AS with_white");
            }
        }
        query.push(")");
        self.push_order(query, false);
        Ok(())
    }

    /// The games that fit, by their order of arrival, a page of them.
    fn push_seqs(
        &self,
        query: &mut QueryBuilder<Db>,
        player: Option<(Color, &str)>,
    ) -> Result<(), StoreError> {
        let filter = &self.selection.filter;
        query.push("SELECT games.seq FROM games WHERE 1 = 1");
        if let Some((color, name)) = player {
            push_player(query, color, name);
        }
        for (color, name) in [(Color::Black, &filter.black), (Color::White, &filter.white)] {
            if let Some(name) = name {
                push_player(query, color, name);
            }
        }
        self.push_facets(query);
        push_rest(query, filter)?;
        self.push_place(query);
        self.push_order(query, self.is_found_first());
        Ok(())
    }

    /// Do the conditions leave so few games that these are found first and sorted then?
    const fn is_found_first(&self) -> bool {
        let filter = &self.selection.filter;
        let by_arrival = matches!(self.selection.order.key, SortKey::Arrival);
        matches!(self.facets, Facets::Rare(_))
            || filter.symmetry_key.is_some()
            || (!by_arrival
                && (filter.player.is_some()
                    || filter.black.is_some()
                    || filter.white.is_some()
                    || filter.event.is_some()
                    || filter.tag.is_some()))
    }

    fn push_facets(&self, query: &mut QueryBuilder<Db>) {
        let ids = match &self.facets {
            Facets::All | Facets::None => return,
            Facets::Rare(ids) => {
                query.push(" AND games.facet IN (");
                ids
            }
            Facets::Common(ids) => {
                // The sign keeps the index of facets out of it.
                query.push(" AND +games.facet IN (");
                ids
            }
        };
        let mut list = query.separated(", ");
        for id in ids {
            list.push_bind(*id);
        }
        query.push(")");
    }

    /// The condition to stand behind the place where the page before ended.
    fn push_place(&self, query: &mut QueryBuilder<Db>) {
        let Some(Place { value, seq }) = self.selection.after else {
            return;
        };
        let than = match self.selection.order.direction {
            Direction::Ascending => " > ",
            Direction::Descending => " < ",
        };
        if self.selection.order.key == SortKey::Arrival {
            query.push(" AND games.seq").push(than).push_bind(seq);
            return;
        }
        query
            .push(" AND (")
            .push(&self.value)
            .push(", games.seq)")
            .push(than)
            .push("(")
            .push_bind(value)
            .push(", ")
            .push_bind(seq)
            .push(")");
    }

    /// The order, and the end of the page. A sign keeps the index of the order out of it, so that another is used.
    fn push_order(&self, query: &mut QueryBuilder<Db>, is_found_first: bool) {
        let sign = if is_found_first { "+" } else { "" };
        let way = match self.selection.order.direction {
            Direction::Ascending => " ASC",
            Direction::Descending => " DESC",
        };
        query.push(" ORDER BY ");
        if self.selection.order.key != SortKey::Arrival {
            query.push(sign).push(&self.value).push(way).push(", ");
        }
        query
            .push(sign)
            .push("games.seq")
            .push(way)
            .push(" LIMIT ")
            .push_bind(self.rows);
    }
}

fn push_player(query: &mut QueryBuilder<Db>, color: Color, name: &str) {
    query
        .push(match color {
            Color::Black => " AND games.black = ",
            Color::White => " AND games.white = ",
        })
        .push("(SELECT id FROM players WHERE name = ")
        .push_bind(name.to_owned())
        .push(")");
}

/// The conditions beside players and facets.
fn push_rest(query: &mut QueryBuilder<Db>, filter: &GameFilter) -> Result<(), StoreError> {
    if let Some(event) = &filter.event {
        query.push(" AND games.event = ").push_bind(event.clone());
    }
    if let Some(source) = &filter.source {
        query.push(" AND games.source = ").push_bind(source.clone());
    }
    if let Some(tag) = &filter.tag {
        query
            .push(" AND games.seq IN (SELECT seq FROM game_tags WHERE tag = ")
            .push_bind(tag.clone())
            .push(")");
    }
    if let Some(from) = filter.played_from {
        query
            .push(" AND ")
            .push(played_at())
            .push(" >= ")
            .push_bind(micros(from)?);
    }
    if let Some(before) = filter.played_before {
        query
            .push(" AND games.played_at IS NOT NULL AND ")
            .push(played_at())
            .push(" < ")
            .push_bind(micros(before)?);
    }
    if let Some(least) = filter.min_plies {
        query
            .push(" AND games.ply_count >= ")
            .push_bind(i64::from(least));
    }
    if let Some(most) = filter.max_plies {
        query
            .push(" AND games.ply_count <= ")
            .push_bind(i64::from(most));
    }
    if let Some(key) = filter.symmetry_key {
        query
            .push(" AND games.symmetry_key = ")
            .push_bind(i64::from(key));
    }
    Ok(())
}
