//! Lists of games, page by page.
//!
//! A page is found in one of two ways: the list is walked in its order until the page is full, which is soon where many
//! games fit; or the games of one condition, which are few, are found by its index and sorted.

use sqlx::{QueryBuilder, Row};

use super::conditions::{Condition, NEVER, NO_TIME, Use, conditions_of, push_all};
use super::rows::{game_of, micros, plies_of, select_games};
use super::{Connection, Db};
use crate::store::{Direction, Game, Page, Place, Selection, SortKey, StoreError};

/// How many games are counted of each condition: where every one leaves more, none is worth sorting.
const MANY: i64 = 10_000;
/// How many steps of a walk take as long as reading one of the games that are to be sorted. All that a walk tests stands
/// in the index of its order; a game is read by itself.
const STEPS_A_READING: i64 = 10;
/// How many times as far as expected a list is walked at most.
const TOO_FAR: i64 = 10;

/// The next games of a selection.
pub async fn page(
    db: &mut Connection,
    selection: &Selection,
    most: u32,
) -> Result<Page, StoreError> {
    let Some(conditions) = conditions_of(db, &selection.filter).await? else {
        return Ok(Page::default());
    };
    let list = List {
        selection,
        conditions,
        // One more than asked for tells whether there is a next page.
        rows: i64::from(most) + 1,
    };
    let mut seqs = list.find(db).await?;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let has_more = seqs.len() > most;
    seqs.truncate(most);
    if seqs.is_empty() {
        return Ok(Page::default());
    }
    let mut query = select_games();
    query.push(" WHERE games.seq IN (");
    push_all(&mut query, &seqs);
    query.push(")");
    list.push_order(&mut query, "");
    let mut games = Vec::with_capacity(seqs.len());
    let mut last = None;
    for row in query.build().fetch_all(&mut *db).await? {
        let (seq, game) = game_of(&row)?;
        last = Some(place_of(selection, seq, &game)?);
        games.push(game);
    }
    let next = last.filter(|_| has_more);
    Ok(Page { games, next })
}

/// Where a game stands in a list.
fn place_of(selection: &Selection, seq: i64, game: &Game) -> Result<Place, StoreError> {
    let value = match selection.order.key {
        SortKey::Arrival => seq,
        SortKey::PlayedAt => match game.game.text.played_at {
            Some(at) => micros(at)?,
            None => NO_TIME,
        },
        SortKey::Plies => plies_of(&game.game),
    };
    Ok(Place { value, seq })
}

/// The question for a page.
struct List<'a> {
    selection: &'a Selection,
    conditions: Vec<Condition<'a>>,
    rows: i64,
}

/// How the games of a page are looked for.
#[derive(Clone, Copy)]
enum Way {
    /// In the order of the list, to this place at most.
    Walk(Option<Place>),
    /// By the index of the condition of this number.
    Sort(usize),
}

/// What the ways to a page probably cost, in steps of a walk.
#[derive(Clone, Copy)]
struct Costs {
    /// The condition that leaves the fewest games, unless these are too many.
    rarest: Option<usize>,
    /// To sort these games.
    sorting: i64,
    /// To walk until the page is full, or the list has ended.
    walking: i64,
}

impl List<'_> {
    /// The games of the page, in order.
    async fn find(&self, db: &mut Connection) -> Result<Vec<i64>, StoreError> {
        let costs = self.costs(db).await?;
        if let Some(rarest) = costs.rarest.filter(|_| costs.sorting <= costs.walking) {
            return self.look(db, Way::Sort(rarest)).await;
        }
        if costs.walking <= self.rows {
            return self.look(db, Way::Walk(None)).await;
        }
        // Conditions may exclude each other: a walk that meets too few games by far is given up.
        let steps = costs.walking.saturating_mul(TOO_FAR).min(costs.sorting);
        let end = self.end_of_steps(db, steps).await?;
        let met = self.look(db, Way::Walk(end)).await?;
        if end.is_none() || i64::try_from(met.len()).unwrap_or(i64::MAX) >= self.rows {
            return Ok(met);
        }
        let way = costs.rarest.map_or(Way::Walk(None), Way::Sort);
        self.look(db, way).await
    }

    /// What each way probably costs if the conditions have nothing to do with each other.
    async fn costs(&self, db: &mut Connection) -> Result<Costs, StoreError> {
        let all: i64 = sqlx::query_scalar("SELECT last_seq FROM state")
            .fetch_one(&mut *db)
            .await?;
        let (mut rarest, mut fewest) = (None, MANY);
        let mut length = all.max(1);
        // One game of so many fits what the walk tests.
        let mut rarity = 1.0;
        for (number, condition) in self.conditions.iter().enumerate() {
            let games = condition.count(db, MANY).await?;
            if games < fewest {
                (rarest, fewest) = (Some(number), games);
            }
            if self.is_own(condition) && games < MANY {
                length = length.min(games);
            } else if !self.is_own(condition) {
                rarity *= (all as f64 / games.max(1) as f64).max(1.0);
            }
        }
        Ok(Costs {
            rarest,
            sorting: fewest.saturating_mul(STEPS_A_READING),
            // A number that is too large for it becomes the largest.
            walking: length.min((self.rows as f64 * rarity) as i64),
        })
    }

    /// The place so many games further on in the list, if there is one.
    async fn end_of_steps(
        &self,
        db: &mut Connection,
        steps: i64,
    ) -> Result<Option<Place>, StoreError> {
        let mut query = QueryBuilder::<Db>::new("SELECT CAST(");
        query
            .push(self.value())
            .push(" AS BIGINT) AS place, games.seq FROM games WHERE 1 = 1");
        self.push_own(&mut query)?;
        self.push_after(&mut query);
        self.push_order(&mut query, "");
        query.push(" LIMIT 1 OFFSET ").push_bind(steps);
        let row = query.build().fetch_optional(&mut *db).await?;
        row.map(|row| {
            Ok(Place {
                value: row.try_get("place")?,
                seq: row.try_get("seq")?,
            })
        })
        .transpose()
    }

    async fn look(&self, db: &mut Connection, way: Way) -> Result<Vec<i64>, StoreError> {
        let mut query = QueryBuilder::<Db>::new("SELECT games.seq FROM games WHERE 1 = 1");
        for (number, condition) in self.conditions.iter().enumerate() {
            let is_index = match way {
                Way::Walk(_) => self.is_own(condition),
                Way::Sort(chosen) => number == chosen,
            };
            condition.push(&mut query, if is_index { Use::Index } else { Use::Test })?;
        }
        self.push_after(&mut query);
        match way {
            Way::Walk(end) => {
                if let Some(end) = end {
                    self.push_place(&mut query, end, ["<=", ">="]);
                }
                self.push_order(&mut query, "");
            }
            Way::Sort(_) => self.push_order(&mut query, "+"),
        }
        query.push(" LIMIT ").push_bind(self.rows);
        let rows = query.build().fetch_all(&mut *db).await?;
        rows.iter().map(|row| Ok(row.try_get("seq")?)).collect()
    }

    /// What the list is ordered by.
    const fn value(&self) -> &'static str {
        match self.selection.order.key {
            SortKey::Arrival => "games.seq",
            SortKey::PlayedAt => NEVER,
            SortKey::Plies => "games.ply_count",
        }
    }

    /// Is a condition on what the list is ordered by?
    const fn is_own(&self, condition: &Condition<'_>) -> bool {
        matches!(
            (self.selection.order.key, condition),
            (SortKey::PlayedAt, Condition::Played { .. })
                | (SortKey::Plies, Condition::Plies { .. })
        )
    }

    fn push_own(&self, query: &mut QueryBuilder<Db>) -> Result<(), StoreError> {
        let mut own = self
            .conditions
            .iter()
            .filter(|condition| self.is_own(condition));
        own.try_for_each(|condition| condition.push(query, Use::Index))
    }

    /// The condition to stand behind the place where the page before ended.
    fn push_after(&self, query: &mut QueryBuilder<Db>) {
        if let Some(after) = self.selection.after {
            self.push_place(query, after, [">", "<"]);
        }
    }

    /// The condition to stand so to a place, in an ascending list and in a descending one.
    fn push_place(
        &self,
        query: &mut QueryBuilder<Db>,
        place: Place,
        [ascending, descending]: [&str; 2],
    ) {
        let than = match self.selection.order.direction {
            Direction::Ascending => ascending,
            Direction::Descending => descending,
        };
        query.push(" AND ");
        if self.selection.order.key == SortKey::Arrival {
            query.push("games.seq ").push(than).push_bind(place.seq);
            return;
        }
        query.push("(").push(self.value()).push(", games.seq) ");
        query.push(than).push(" (").push_bind(place.value);
        query.push(", ").push_bind(place.seq).push(")");
    }

    /// The order. A sign keeps the index of the order out of it, so that another is used.
    fn push_order(&self, query: &mut QueryBuilder<Db>, sign: &str) {
        let way = match self.selection.order.direction {
            Direction::Ascending => " ASC",
            Direction::Descending => " DESC",
        };
        query.push(" ORDER BY ");
        if self.selection.order.key != SortKey::Arrival {
            query.push(sign).push(self.value()).push(way).push(", ");
        }
        query.push(sign).push("games.seq").push(way);
    }
}
