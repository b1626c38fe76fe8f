//! The conditions of a list, each of which an index can answer.

use sqlx::{QueryBuilder, Row};

use super::rows::micros;
use super::{Connection, Db};
use crate::record::Opening;
use crate::store::{GameFilter, StoreError};

/// The time of games without a date: before every other.
pub const NO_TIME: i64 = -100_000_000_000_000_000;
/// A game's time, as the index has it.
pub const NEVER: &str = "COALESCE(games.played_at, -100000000000000000)";

/// How a condition is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// The games are found by its index.
    Index,
    /// They are found otherwise, and tested: it is written so that its index cannot be used.
    Test,
}

/// What games must meet.
#[derive(Debug)]
pub enum Condition<'a> {
    /// To have one of these facets, that so many games have.
    Facets { ids: Vec<i64>, games: i64 },
    /// To be played by a player with either colour.
    Player(Named),
    /// To be played by a player with the black stones.
    Black(Named),
    /// To be played by a player with the white stones.
    White(Named),
    /// To be of an event.
    Event(&'a str),
    /// To be of a source.
    Source(&'a str),
    /// To have a tag.
    Tag(&'a str),
    /// To be played at a time or later, and before another.
    Played {
        from: Option<i64>,
        before: Option<i64>,
    },
    /// To have at least so many plies, and at most so many.
    Plies {
        least: Option<u16>,
        most: Option<u16>,
    },
    /// To end with this symmetry key.
    SymmetryKey(i64),
}

/// A player with games.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    id: i64,
    games: i64,
}

/// What is asked of a player.
type Part<'a> = fn(Named) -> Condition<'a>;

/// The conditions of a filter; none where it is clear that no game meets them.
pub async fn conditions_of<'a>(
    db: &mut Connection,
    filter: &'a GameFilter,
) -> Result<Option<Vec<Condition<'a>>>, StoreError> {
    let mut all = Vec::new();
    if let Some(facets) = facets_of(db, filter).await? {
        all.push(facets);
    }
    let players: [(&Option<String>, Part<'a>); 3] = [
        (&filter.player, Condition::Player),
        (&filter.black, Condition::Black),
        (&filter.white, Condition::White),
    ];
    for (name, condition) in players {
        let Some(name) = name else { continue };
        match named(db, name).await? {
            Some(player) => all.push(condition(player)),
            None => return Ok(None),
        }
    }
    all.extend(filter.event.as_deref().map(Condition::Event));
    all.extend(filter.source.as_deref().map(Condition::Source));
    all.extend(filter.tag.as_deref().map(Condition::Tag));
    if filter.played_from.is_some() || filter.played_before.is_some() {
        all.push(Condition::Played {
            from: filter.played_from.map(micros).transpose()?,
            before: filter.played_before.map(micros).transpose()?,
        });
    }
    if filter.min_plies.is_some() || filter.max_plies.is_some() {
        all.push(Condition::Plies {
            least: filter.min_plies,
            most: filter.max_plies,
        });
    }
    let key = filter.symmetry_key.map(i64::from);
    all.extend(key.map(Condition::SymmetryKey));
    let is_idle =
        |condition: &Condition<'_>| matches!(condition, Condition::Facets { games: 0, .. });
    Ok((!all.iter().any(is_idle)).then_some(all))
}

async fn facets_of<'a>(
    db: &mut Connection,
    filter: &GameFilter,
) -> Result<Option<Condition<'a>>, StoreError> {
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
    let is_asked = filter.size.is_some() || texts.iter().any(|(_, text)| text.is_some());
    if !is_asked {
        return Ok(None);
    }
    for (condition, text) in texts {
        if let Some(text) = text {
            query.push(condition).push_bind(text);
        }
    }
    if let Some(size) = filter.size {
        query
            .push(" AND size = ")
            .push_bind(i64::from(size.lines()));
    }
    let (mut ids, mut games) = (Vec::new(), 0);
    for row in query.build().fetch_all(&mut *db).await? {
        ids.push(row.try_get("id")?);
        games += row.try_get::<i64, _>("games")?;
    }
    Ok(Some(Condition::Facets { ids, games }))
}

async fn named(db: &mut Connection, name: &str) -> Result<Option<Named>, StoreError> {
    let row = sqlx::query("SELECT id, games FROM players WHERE name = $1")
        .bind(name.to_owned())
        .fetch_optional(&mut *db)
        .await?;
    row.map(|row| {
        Ok(Named {
            id: row.try_get("id")?,
            games: row.try_get("games")?,
        })
    })
    .transpose()
}

impl Condition<'_> {
    /// How many games meet it; no more than so many are counted.
    pub async fn count(&self, db: &mut Connection, most: i64) -> Result<i64, StoreError> {
        let mut query = QueryBuilder::<Db>::new("SELECT COUNT(*) FROM (SELECT 1 FROM ");
        match self {
            Condition::Facets { games, .. } => return Ok(*games),
            Condition::Player(player) | Condition::Black(player) | Condition::White(player) => {
                return Ok(player.games);
            }
            Condition::Tag(tag) => {
                query
                    .push("game_tags WHERE tag = ")
                    .push_bind((*tag).to_owned());
            }
            _ => {
                query.push("games WHERE 1 = 1");
                self.push(&mut query, Use::Index)?;
            }
        }
        query.push(" LIMIT ").push_bind(most).push(") AS counted");
        Ok(query.build_query_scalar().fetch_one(&mut *db).await?)
    }

    /// Writes it behind others.
    pub fn push(&self, query: &mut QueryBuilder<Db>, used: Use) -> Result<(), StoreError> {
        // Neither changes a value, and an index knows nothing of either.
        let (sign, tail) = match used {
            Use::Index => ("", ""),
            Use::Test => ("+", " || ''"),
        };
        query.push(" AND ");
        match self {
            Condition::Facets { ids, .. } => {
                query.push(sign).push("games.facet IN (");
                push_all(query, ids);
                query.push(")");
            }
            Condition::Player(player) => match used {
                Use::Index => {
                    query.push("games.seq IN (SELECT seq FROM games WHERE black = ");
                    query.push_bind(player.id);
                    query.push(" UNION SELECT seq FROM games WHERE white = ");
                    query.push_bind(player.id).push(")");
                }
                Use::Test => {
                    query.push("(+games.black = ").push_bind(player.id);
                    query
                        .push(" OR +games.white = ")
                        .push_bind(player.id)
                        .push(")");
                }
            },
            Condition::Black(player) => {
                query.push(sign).push("games.black = ").push_bind(player.id);
            }
            Condition::White(player) => {
                query.push(sign).push("games.white = ").push_bind(player.id);
            }
            Condition::Event(event) => {
                query
                    .push("games.event")
                    .push(tail)
                    .push(" = ")
                    .push_bind((*event).to_owned());
            }
            Condition::Source(source) => {
                query
                    .push("games.source")
                    .push(tail)
                    .push(" = ")
                    .push_bind((*source).to_owned());
            }
            Condition::Tag(tag) => {
                query.push(match used {
                    Use::Index => "games.seq IN (SELECT seq FROM game_tags WHERE tag = ",
                    Use::Test => {
                        "EXISTS (SELECT 1 FROM game_tags WHERE game_tags.seq = games.seq AND tag = "
                    }
                });
                query.push_bind((*tag).to_owned()).push(")");
            }
            Condition::Played { from, before } => {
                // Games without a date stand at the very beginning, and are never played before anything.
                let from = from.unwrap_or(NO_TIME + 1);
                query.push(sign).push(NEVER).push(" >= ").push_bind(from);
                if let Some(before) = before {
                    query
                        .push(" AND ")
                        .push(sign)
                        .push(NEVER)
                        .push(" < ")
                        .push_bind(*before);
                }
            }
            Condition::Plies { least, most } => {
                let (least, most) = (least.unwrap_or(0), most.unwrap_or(u16::MAX));
                query
                    .push(sign)
                    .push("games.ply_count >= ")
                    .push_bind(i64::from(least));
                query
                    .push(" AND ")
                    .push(sign)
                    .push("games.ply_count <= ")
                    .push_bind(i64::from(most));
            }
            Condition::SymmetryKey(key) => {
                query
                    .push(sign)
                    .push("games.symmetry_key = ")
                    .push_bind(*key);
            }
        }
        Ok(())
    }
}

/// Numbers with commas between them.
pub fn push_all(query: &mut QueryBuilder<Db>, numbers: &[i64]) {
    let mut list = query.separated(", ");
    for number in numbers {
        list.push_bind(*number);
    }
}
