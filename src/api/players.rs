//! `/v1/players`: who played the kept games, with what success.

use std::str::FromStr;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api::answer;
use crate::api::code::Code;
use crate::api::error::ApiError;
use crate::api::extract::{Input, NoQuery, Query};
use crate::api::faults::Faults;
use crate::api::game_text::checked;
use crate::api::negotiate::accept;
use crate::api::paging::{Cursor, answer_page, page_size};
use crate::api::query::{QueryName, QueryNames};
use crate::api::tally::share;
use crate::api::text::{Text, Whole, named, present, written};
use crate::board::{ByColor, Color};
use crate::rules::Rule;
use crate::service::Limits;
use crate::store::{Player, PlayerOrder, PlayerPlace, PlayerSelection, Rating, Score, Store};

/// A page of players.
#[derive(Serialize, ToSchema)]
pub struct PlayerList<'a> {
    players: Vec<PlayerView<'a>>,
    /// Where the next page begins; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<&'a str>,
}

/// A player of kept games.
#[derive(Serialize, ToSchema)]
#[schema(as = Player)]
struct PlayerView<'a> {
    /// The name; it may be shared by several people.
    name: &'a str,
    #[serde(flatten)]
    total: ScoreView,
    /// The part of the games that were won, from 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    win_rate: f64,
    /// The games by the player's colour.
    by_color: ScoresView,
    /// The games by rule and the player's colour; what was not played is absent.
    by_rule: Vec<RuleScore>,
    /// When the first of the games with a date was played, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = "date-time")]
    first_played: Option<String>,
    /// When the last of the games with a date was played, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = "date-time")]
    last_played: Option<String>,
    /// The strength, once a game against another player is rated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    rating: Option<RatingView>,
}

/// How a player's games came out. A game against oneself counts twice, once with each colour: as a win and a loss, or as two
/// draws. `sort=games` goes by the same numbers; in a list of games it stands once.
#[derive(Serialize, ToSchema)]
#[schema(as = Score)]
struct ScoreView {
    games: u64,
    wins: u64,
    losses: u64,
    draws: u64,
}

/// How a player's games came out, by the player's colour.
#[derive(Serialize, ToSchema)]
#[schema(as = ScoresByColor)]
struct ScoresView {
    black: ScoreView,
    white: ScoreView,
}

/// How a player's games under a rule and with a colour came out.
#[derive(Serialize, ToSchema)]
struct RuleScore {
    rule: Rule,
    color: Color,
    wins: u64,
    losses: u64,
    draws: u64,
}

/// A strength by Glicko-2, from all games between two different players, thirty days a rating period; a game without
/// a date counts when it was kept. It is renewed soon after games have changed, at most every ten seconds. Both
/// numbers are rounded to hundredths.
#[derive(Serialize, ToSchema)]
#[schema(as = Rating)]
struct RatingView {
    /// The rating; 1500 is where everybody begins.
    value: f64,
    /// The rating deviation: the true strength lies within two of them with 95 %.
    #[schema(minimum = 0)]
    deviation: f64,
}

impl From<Score> for ScoreView {
    fn from(score: Score) -> ScoreView {
        ScoreView {
            games: score.games(),
            wins: score.wins,
            losses: score.losses,
            draws: score.draws,
        }
    }
}

impl From<Rating> for RatingView {
    fn from(rating: Rating) -> RatingView {
        let rounded = |number: f64| (number * 100.0).round() / 100.0;
        RatingView {
            value: rounded(rating.value),
            deviation: rounded(rating.deviation),
        }
    }
}

impl<'a> PlayerView<'a> {
    fn of(player: &'a Player) -> PlayerView<'a> {
        let total = player.total();
        let ByColor { black, white } = player.by_color();
        let rules = player.scores.iter().map(|(rule, color, score)| RuleScore {
            rule: *rule,
            color: *color,
            wins: score.wins,
            losses: score.losses,
            draws: score.draws,
        });
        let (first, last) = player.seen.unzip();
        PlayerView {
            name: &player.name,
            win_rate: share(total.wins, total.games()),
            total: total.into(),
            by_color: ScoresView {
                black: black.into(),
                white: white.into(),
            },
            by_rule: rules.collect(),
            first_played: first.map(written),
            last_played: last.map(written),
            rating: player.rating.map(RatingView::from),
        }
    }
}

/// An order that players can be listed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sort(PlayerOrder);

impl Sort {
    const ALL: [Sort; 3] = [
        Sort(PlayerOrder::Games),
        Sort(PlayerOrder::Rating),
        Sort(PlayerOrder::Name),
    ];

    const fn name(self) -> &'static str {
        match self.0 {
            PlayerOrder::Games => "games",
            PlayerOrder::Rating => "rating",
            PlayerOrder::Name => "name",
        }
    }

    /// The list, as cursors know it.
    const fn list(self) -> &'static str {
        match self.0 {
            PlayerOrder::Games => "players by games",
            PlayerOrder::Rating => "players by rating",
            PlayerOrder::Name => "players by name",
        }
    }
}

named!(Sort as "PlayerSort", "What players are listed by.");

impl FromStr for Sort {
    type Err = ();

    fn from_str(text: &str) -> Result<Sort, ()> {
        let mut all = Sort::ALL.into_iter();
        all.find(|sort| sort.name() == text).ok_or(())
    }
}

fn cursor_of(place: &PlayerPlace, sort: Sort) -> Cursor {
    let pair = |value: [u8; 8], id: i64| [value, id.to_be_bytes()].concat();
    let place = match place {
        PlayerPlace::Games(games, id) => pair(games.to_be_bytes(), *id),
        PlayerPlace::Rating(rating, id) => pair(rating.to_be_bytes(), *id),
        PlayerPlace::Name(name) => name.clone().into_bytes(),
    };
    Cursor::new(sort.list(), place)
}

/// The place that a cursor of this list stands for.
fn place_of(cursor: &Cursor, sort: Sort) -> Option<PlayerPlace> {
    let place = cursor.place_in(sort.list())?;
    let pair = || {
        let (value, id) = place.split_first_chunk::<8>()?;
        Some((*value, i64::from_be_bytes(id.try_into().ok()?)))
    };
    match sort.0 {
        PlayerOrder::Games => {
            let (games, id) = pair()?;
            Some(PlayerPlace::Games(i64::from_be_bytes(games), id))
        }
        PlayerOrder::Rating => {
            let (rating, id) = pair()?;
            Some(PlayerPlace::Rating(f64::from_be_bytes(rating), id))
        }
        PlayerOrder::Name => {
            let name = str::from_utf8(place).ok()?;
            let is_name = !name.chars().any(char::is_control);
            is_name.then(|| PlayerPlace::Name(name.to_owned()))
        }
    }
}

/// Which players are asked for.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RawPlayers {
    /// How the names begin.
    #[serde(default, deserialize_with = "present")]
    #[param(nullable = false, min_length = 1, max_length = 200)]
    prefix: Option<String>,
    /// The order: who has the most `games` first, as when absent; the highest `rating` first, who has none being left
    /// out; or by `name`, in the order of Unicode.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<Sort>, nullable = false, inline)]
    sort: Option<Text<Sort>>,
    /// The most players on a page; 50 when absent.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<u32>, nullable = false, minimum = 1, maximum = 200)]
    limit: Option<Whole>,
    /// Where the page begins: `next_cursor` of the page before, with the same `sort`.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<String>, nullable = false)]
    cursor: Option<Text<Cursor>>,
}

/// A valid request for a page of players.
pub struct PlayersRequest {
    selection: PlayerSelection,
    sort: Sort,
    most: u32,
}

impl Input for RawPlayers {
    type Valid = PlayersRequest;

    const QUERY: QueryNames = &[&[
        QueryName::text("prefix", "/prefix"),
        QueryName::text("sort", "/sort"),
        QueryName::number("limit", "/limit"),
        QueryName::text("cursor", "/cursor"),
    ]];

    fn validate(self, limits: &Limits, faults: &mut Faults) -> Option<PlayersRequest> {
        let prefix = prefix(self.prefix, faults);
        let sort = match self.sort {
            None => Some(Sort(PlayerOrder::default())),
            raw => faults.choose(raw, "/sort", Code::InvalidField, "games, rating, name"),
        };
        let most = page_size(self.limit, limits, faults);
        let after = match (self.cursor, sort) {
            (None, _) => None,
            // Whether it is of this list cannot be told.
            (Some(Text(Ok(_))), None) => None,
            (Some(Text(cursor)), sort) => {
                let place = cursor
                    .ok()
                    .zip(sort)
                    .and_then(|(it, sort)| place_of(&it, sort));
                if place.is_none() {
                    faults.note(
                        "/cursor",
                        Code::MalformedCursor,
                        "the cursor is not one that this service gave for this list",
                    );
                }
                place
            }
        };
        let sort = sort?;
        Some(PlayersRequest {
            selection: PlayerSelection {
                prefix,
                order: sort.0,
                after,
            },
            sort,
            most,
        })
    }
}

/// The beginning of a name. Names have no outer blanks, but their beginnings may end with one.
fn prefix(raw: Option<String>, faults: &mut Faults) -> Option<String> {
    let begin = raw.as_ref().map(|text| text.trim_start().to_owned());
    checked(raw, "/prefix", faults).and(begin)
}

/// Lists the players of kept games.
///
/// By name, pages neither skip nor repeat a player. In the other orders a player whose games or rating change while
/// the pages are read may be missed or come twice.
#[utoipa::path(
    get, path = "/v1/players", tag = "collection",
    params(RawPlayers),
    responses((status = 200, description = "A page of players.", body = PlayerList<'_>, headers(("Link" = Option<String>, description = "The next page, as `rel=\"next\"`, if there is one."))))
)]
pub async fn list_players(
    request: HttpRequest,
    store: web::Data<dyn Store>,
    query: Query<RawPlayers>,
) -> Result<HttpResponse, ApiError> {
    let PlayersRequest {
        selection,
        sort,
        most,
    } = query.0;
    let page = store.players(&selection, most).await?;
    let next_cursor = page.next.map(|place| cursor_of(&place, sort).to_string());
    let list = PlayerList {
        players: page.players.iter().map(PlayerView::of).collect(),
        next_cursor: next_cursor.as_deref(),
    };
    Ok(answer_page(&request, &list, list.next_cursor))
}

/// A player of kept games.
#[utoipa::path(
    get, path = "/v1/players/{name}", tag = "collection",
    params(("name" = String, Path, description = "The whole name, percent-encoded.", example = "Ada")),
    responses((status = 200, description = "The player.", body = PlayerView<'_>, example = json!({
        "name": "Ada", "games": 4, "wins": 2, "losses": 1, "draws": 1, "win_rate": 0.5,
        "by_color": {
            "black": {"games": 2, "wins": 2, "losses": 0, "draws": 0},
            "white": {"games": 2, "wins": 0, "losses": 1, "draws": 1},
        },
        "by_rule": [
            {"rule": "freestyle", "color": "black", "wins": 1, "losses": 0, "draws": 0},
            {"rule": "freestyle", "color": "white", "wins": 0, "losses": 1, "draws": 1},
            {"rule": "renju", "color": "black", "wins": 1, "losses": 0, "draws": 0},
        ],
        "first_played": "2026-11-05T18:00:00Z", "last_played": "2026-11-30T18:00:00Z",
        "rating": {"value": 1583.76, "deviation": 208.56},
    })))
)]
pub async fn get_player(
    request: HttpRequest,
    store: web::Data<dyn Store>,
    name: web::Path<String>,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    accept(&request, "application/json")?;
    // Names have no control characters, and not every database takes them.
    if name.chars().any(char::is_control) {
        return Err(ApiError::PlayerNotFound);
    }
    let player = store.player(&name).await?.ok_or(ApiError::PlayerNotFound)?;
    Ok(answer::ok(&PlayerView::of(&player)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_behind_what_is_no_name_is_none() {
        for name in ["\0", "Ada\0", "a\nb"] {
            let place = PlayerPlace::Name(name.into());
            let sort = Sort(PlayerOrder::Name);
            assert_eq!(place_of(&cursor_of(&place, sort), sort), None, "{name:?}");
        }
    }

    #[test]
    fn a_place_reads_back_from_its_cursor_in_its_order_alone() {
        let places = [
            PlayerPlace::Games(7, 12),
            PlayerPlace::Rating(1623.25, 12),
            PlayerPlace::Name("Ada / Ö".into()),
        ];
        for (place, sort) in places.iter().zip(Sort::ALL) {
            let cursor: Cursor = cursor_of(place, sort).to_string().parse().unwrap();
            for other in Sort::ALL {
                let expected = (other == sort).then_some(place);
                assert_eq!(place_of(&cursor, other).as_ref(), expected);
            }
        }
    }
}
