//! `GET /v1/games`: kept games found again, page by page.

use std::str::FromStr;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Serialize};
use time::macros::format_description;
use time::{Date, Duration, OffsetDateTime};
use utoipa::{IntoParams, ToSchema};

use crate::api::code::Code;
use crate::api::error::ApiError;
use crate::api::extract::{Input, Query};
use crate::api::faults::Faults;
use crate::api::game_stream;
use crate::api::game_text::{checked, moment};
use crate::api::game_view::GameView;
use crate::api::games::{RESULTS, TERMINATIONS};
use crate::api::negotiate::VARIES_BY_FORM;
use crate::api::paging::{Cursor, answer_page, page_size};
use crate::api::query::{QueryName, QueryNames};
use crate::api::text::{Text, Whole, present};
use crate::board::Key;
use crate::record::{GameResult, Opening, Record, Termination};
use crate::rules::Rule;
use crate::service::Limits;
use crate::store::{Direction, GameFilter, Order, Place, Selection, SortKey, Store};

/// A page of games.
#[derive(Serialize, ToSchema)]
#[schema(as = GameList)]
pub struct GameListView<'a> {
    games: Vec<GameView<'a>>,
    /// Where the next page begins; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<&'a str>,
}

/// Which games are asked for.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RawGameQuery {
    /// Played under this rule.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<Rule>, nullable = false)]
    rule: Option<Text<Rule>>,
    /// On a board of this size.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<u8>, nullable = false, minimum = 5, maximum = 25)]
    size: Option<Whole>,
    /// By this player, with either colour; the whole name.
    #[serde(default, deserialize_with = "present")]
    #[param(nullable = false, min_length = 1, max_length = 200)]
    player: Option<String>,
    /// By this player with the black stones.
    #[serde(default, deserialize_with = "present")]
    #[param(nullable = false, min_length = 1, max_length = 200)]
    black: Option<String>,
    /// By this player with the white stones.
    #[serde(default, deserialize_with = "present")]
    #[param(nullable = false, min_length = 1, max_length = 200)]
    white: Option<String>,
    /// With this result.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<GameResult>, nullable = false)]
    result: Option<Text<GameResult>>,
    /// Ended so.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<Termination>, nullable = false)]
    termination: Option<Text<Termination>>,
    /// In this event; the whole text.
    #[serde(default, deserialize_with = "present")]
    #[param(nullable = false, min_length = 1, max_length = 200)]
    event: Option<String>,
    /// From this source; the whole text.
    #[serde(default, deserialize_with = "present")]
    #[param(nullable = false, min_length = 1, max_length = 200)]
    source: Option<String>,
    /// With this tag.
    #[serde(default, deserialize_with = "present")]
    #[param(nullable = false, min_length = 1, max_length = 200)]
    tag: Option<String>,
    /// Played at this time (RFC 3339) or on this day, in UTC, or later.
    #[serde(default, deserialize_with = "present")]
    #[param(nullable = false, example = "2026-11-01")]
    played_from: Option<String>,
    /// Played at this time (RFC 3339) or on this day, in UTC, or earlier.
    #[serde(default, deserialize_with = "present")]
    #[param(nullable = false, example = "2026-11-30T18:00:00Z")]
    played_to: Option<String>,
    /// With at least so many plies.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<u16>, nullable = false, minimum = 0, maximum = 1250)]
    min_plies: Option<Whole>,
    /// With at most so many plies.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<u16>, nullable = false, minimum = 0, maximum = 1250)]
    max_plies: Option<Whole>,
    /// With this opening, by its abbreviation.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<String>, nullable = false, pattern = "^[DI]([1-9]|1[0-3])$")]
    opening: Option<Text<Opening>>,
    /// That end with this position in any orientation: the `symmetry_key` of a replay.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<Key>, nullable = false)]
    symmetry_key: Option<Text<Key>>,
    /// What the list is ordered by; a minus puts the greatest first. `-created_at` when absent.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<Sort>, nullable = false)]
    sort: Option<Text<Sort>>,
    /// The most games on a page; 50 when absent.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<u32>, nullable = false, minimum = 1, maximum = 200)]
    limit: Option<Whole>,
    /// Where the page begins: `next_cursor` of the page before, with the same `sort`.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<String>, nullable = false)]
    cursor: Option<Text<Cursor>>,
}

/// The orders of a list by their names, and the number of each in a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToSchema)]
pub enum Sort {
    /// The games that came first.
    #[schema(rename = "created_at")]
    FirstKept,
    /// The games that came last.
    #[schema(rename = "-created_at")]
    LastKept,
    /// The games that were played first; without a date they come before all others.
    #[schema(rename = "played_at")]
    FirstPlayed,
    /// The games that were played last.
    #[schema(rename = "-played_at")]
    LastPlayed,
    /// The shortest games.
    #[schema(rename = "plies")]
    Shortest,
    /// The longest games.
    #[schema(rename = "-plies")]
    Longest,
}

const SORTS: &str = "created_at, -created_at, played_at, -played_at, plies, -plies";

impl FromStr for Sort {
    type Err = ();

    fn from_str(text: &str) -> Result<Sort, ()> {
        Ok(match text {
            "created_at" => Sort::FirstKept,
            "-created_at" => Sort::LastKept,
            "played_at" => Sort::FirstPlayed,
            "-played_at" => Sort::LastPlayed,
            "plies" => Sort::Shortest,
            "-plies" => Sort::Longest,
            _ => return Err(()),
        })
    }
}

impl Sort {
    /// The name of the list, for its cursors.
    const fn list(self) -> &'static str {
        match self {
            Sort::FirstKept => "games created_at",
            Sort::LastKept => "games -created_at",
            Sort::FirstPlayed => "games played_at",
            Sort::LastPlayed => "games -played_at",
            Sort::Shortest => "games plies",
            Sort::Longest => "games -plies",
        }
    }

    const fn order(self) -> Order {
        let (key, direction) = match self {
            Sort::FirstKept => (SortKey::Arrival, Direction::Ascending),
            Sort::LastKept => (SortKey::Arrival, Direction::Descending),
            Sort::FirstPlayed => (SortKey::PlayedAt, Direction::Ascending),
            Sort::LastPlayed => (SortKey::PlayedAt, Direction::Descending),
            Sort::Shortest => (SortKey::Plies, Direction::Ascending),
            Sort::Longest => (SortKey::Plies, Direction::Descending),
        };
        Order { key, direction }
    }
}

/// A valid request for a page of games.
pub struct GameQuery {
    selection: Selection,
    sort: Sort,
    most: u32,
}

/// The octets of a place: the value that the list is ordered by, and the order of arrival.
fn octets_of(Place { value, seq }: Place) -> Vec<u8> {
    [value.to_be_bytes(), seq.to_be_bytes()].concat()
}

fn place_of(octets: &[u8]) -> Option<Place> {
    let (value, seq) = octets.split_first_chunk()?;
    Some(Place {
        value: i64::from_be_bytes(*value),
        seq: i64::from_be_bytes(seq.try_into().ok()?),
    })
}

impl Input for RawGameQuery {
    type Valid = GameQuery;

    const ANSWERS: &'static [&'static str] = &game_stream::ANSWERS;

    const QUERY: QueryNames = &[&[
        QueryName::text("rule", "/rule"),
        QueryName::number("size", "/size"),
        QueryName::text("player", "/player"),
        QueryName::text("black", "/black"),
        QueryName::text("white", "/white"),
        QueryName::text("result", "/result"),
        QueryName::text("termination", "/termination"),
        QueryName::text("event", "/event"),
        QueryName::text("source", "/source"),
        QueryName::text("tag", "/tag"),
        QueryName::text("played_from", "/played_from"),
        QueryName::text("played_to", "/played_to"),
        QueryName::number("min_plies", "/min_plies"),
        QueryName::number("max_plies", "/max_plies"),
        QueryName::text("opening", "/opening"),
        QueryName::text("symmetry_key", "/symmetry_key"),
        QueryName::text("sort", "/sort"),
        QueryName::number("limit", "/limit"),
        QueryName::text("cursor", "/cursor"),
    ]];

    fn validate(self, limits: &Limits, faults: &mut Faults) -> Option<GameQuery> {
        let openings = "D1 to D13, I1 to I13";
        let keys = "the keys, sixteen hexadecimal digits in lower case";
        let filter = GameFilter {
            rule: faults.rule(self.rule, "/rule"),
            size: faults.size(self.size, "/size"),
            player: checked(self.player, "/player", faults),
            black: checked(self.black, "/black", faults),
            white: checked(self.white, "/white", faults),
            result: faults.choose(self.result, "/result", Code::InvalidField, RESULTS),
            termination: faults.choose(
                self.termination,
                "/termination",
                Code::InvalidField,
                TERMINATIONS,
            ),
            event: checked(self.event, "/event", faults),
            source: checked(self.source, "/source", faults),
            tag: checked(self.tag, "/tag", faults),
            played_from: bound(self.played_from, "/played_from", faults).map(|(from, _)| from),
            played_before: bound(self.played_to, "/played_to", faults).map(|(_, behind)| behind),
            min_plies: plies(self.min_plies, "/min_plies", faults),
            max_plies: plies(self.max_plies, "/max_plies", faults),
            opening: faults.choose(self.opening, "/opening", Code::InvalidField, openings),
            symmetry_key: faults.choose(
                self.symmetry_key,
                "/symmetry_key",
                Code::InvalidField,
                keys,
            ),
        };
        let sort = faults
            .choose(self.sort, "/sort", Code::InvalidField, SORTS)
            .unwrap_or(Sort::LastKept);
        let most = page_size(self.limit, limits, faults);
        let after = match self.cursor {
            None => None,
            Some(Text(cursor)) => {
                let place = cursor.ok().and_then(|cursor| {
                    let place = cursor.place_in(sort.list())?;
                    place_of(place)
                });
                if place.is_none() {
                    faults.note(
                        "/cursor",
                        Code::MalformedCursor,
                        "the cursor is not one that this service gave for a list in this order",
                    );
                }
                place
            }
        };
        let order = sort.order();
        Some(GameQuery {
            selection: Selection {
                filter,
                order,
                after,
            },
            sort,
            most,
        })
    }
}

fn plies(raw: Option<Whole>, pointer: &str, faults: &mut Faults) -> Option<u16> {
    let most = i64::try_from(Record::MOST_PLIES).unwrap_or(i64::MAX);
    let plies = faults.within(raw, pointer, 0..=most)?;
    u16::try_from(plies).ok()
}

/// A time or a day: when it begins, and when the next one does.
fn bound(
    raw: Option<String>,
    pointer: &str,
    faults: &mut Faults,
) -> Option<(OffsetDateTime, OffsetDateTime)> {
    let raw = raw?;
    let (begin, length) = match Date::parse(&raw, format_description!("[year]-[month]-[day]")) {
        Ok(day) if (0..=9999).contains(&day.year()) => {
            (day.midnight().assume_utc(), Duration::days(1))
        }
        // Times are kept to the microsecond.
        _ => (moment(&raw, pointer, faults)?, Duration::microseconds(1)),
    };
    let behind = begin.checked_add(length).unwrap_or(begin);
    Some((begin, behind))
}

/// Lists kept games.
///
/// As JSON they come page by page. As `application/x-ndjson`, `application/x-go-sgf`, `application/x-piskvork` or `text/plain` (plain
/// moves) all of them come in one stream, a file of that format, from `cursor` on and, with `limit`, at most so many. Lines of
/// JSON hold all that is told of a game and can be imported again; what the other formats cannot say is left out.
/// A stream that breaks off before its last chunk has failed.
#[utoipa::path(
    get, path = "/v1/games", tag = "games",
    params(RawGameQuery),
    responses((status = 200, description = "A page of games, or a file of all of them.", headers(("Link" = Option<String>, description = "The next page, as `rel=\"next\"`, if there is one.")), content(
        (GameListView<'_> = "application/json"),
        (String = "application/x-ndjson"),
        (String = "application/x-go-sgf"),
        (String = "application/x-piskvork"),
        (String = "text/plain"),
    )))
)]
pub async fn list_games(
    request: HttpRequest,
    store: web::Data<dyn Store>,
    query: Query<RawGameQuery>,
) -> Result<HttpResponse, ApiError> {
    let GameQuery {
        selection,
        sort,
        most,
    } = query.0;
    if let Some(format) = game_stream::format_for(&request)? {
        return game_stream::stream(&request, store, selection, format, most).await;
    }
    let page = store.page(&selection, most).await?;
    let next_cursor = page
        .next
        .map(|place| Cursor::new(sort.list(), octets_of(place)).to_string());
    let list = GameListView {
        games: page.games.iter().map(GameView::of).collect(),
        next_cursor: next_cursor.as_deref(),
    };
    let mut response = answer_page(&request, &list, list.next_cursor);
    let (name, value) = VARIES_BY_FORM;
    response.headers_mut().insert(name, value);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_reads_back_and_other_octets_are_none() {
        for (value, seq) in [
            (258, 258),
            (-100_000_000_000_000_000, 1),
            (i64::MAX, i64::MIN),
        ] {
            let place = Place { value, seq };
            assert_eq!(place_of(&octets_of(place)), Some(place));
        }
        for octets in [&[][..], &[0; 8], &[0; 15], &[0; 17]] {
            assert_eq!(place_of(octets), None, "{octets:?}");
        }
    }

    #[test]
    fn a_day_lasts_until_the_next_and_a_time_a_microsecond() {
        let read = |text: &str| {
            let mut faults = Faults::default();
            bound(Some(text.into()), "/played_to", &mut faults)
        };
        let (begin, behind) = read("2026-11-30").expect("a day");
        assert_eq!(behind - begin, Duration::days(1));
        let (begin, behind) = read("2026-11-30T18:00:00+01:00").expect("a time");
        assert_eq!(behind - begin, Duration::microseconds(1));
        assert_eq!(begin.hour(), 17);
        for text in ["", "2026", "2026-13-01", "2026-11-31", "yesterday"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
