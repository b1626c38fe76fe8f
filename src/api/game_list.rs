//! `GET /v1/games`: kept games found again, page by page.

use actix_web::http::header::LINK;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api::code::Code;
use crate::api::error::ApiError;
use crate::api::extract::{Input, Query};
use crate::api::faults::Faults;
use crate::api::game_stream;
use crate::api::games::{GameView, RESULTS, checked};
use crate::api::negotiate::VARIES_BY_FORM;
use crate::api::query::{QueryKind, QueryName, QueryNames, decode};
use crate::api::text::{Text, Whole, present};
use crate::record::GameResult;
use crate::rules::Rule;
use crate::service::Limits;
use crate::store::{GameFilter, Place, Selection, Store};

/// A page of games, the newest first.
#[derive(Serialize, ToSchema)]
#[schema(as = GameList)]
pub struct GameListView<'a> {
    games: Vec<GameView<'a>>,
    /// Where the next page begins; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
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
    /// With this result.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<GameResult>, nullable = false)]
    result: Option<Text<GameResult>>,
    /// The most games on a page; 50 when absent.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<u32>, nullable = false, minimum = 1, maximum = 200)]
    limit: Option<Whole>,
    /// Where the page begins: `next_cursor` of the page before.
    #[serde(default, deserialize_with = "present")]
    #[param(value_type = Option<String>, nullable = false)]
    cursor: Option<Text<Cursor>>,
}

/// A place in the list of games, written in hexadecimal digits so that nobody counts on its meaning.
struct Cursor(i64);

impl std::str::FromStr for Cursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Cursor, ()> {
        let is_cursor = text.len() == 16
            && text
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let seq = is_cursor
            .then(|| i64::from_str_radix(text, 16).ok())
            .flatten();
        seq.filter(|seq| *seq > 0).map(Cursor).ok_or(())
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A valid request for a page of games.
pub struct GameQuery {
    filter: GameFilter,
    from: Option<i64>,
    most: u32,
}

impl Input for RawGameQuery {
    type Valid = GameQuery;

    const ANSWERS: &'static [&'static str] = &game_stream::ANSWERS;

    const QUERY: QueryNames = &[&[
        QueryName {
            name: "rule",
            pointer: "/rule",
            kind: QueryKind::Text,
        },
        QueryName {
            name: "size",
            pointer: "/size",
            kind: QueryKind::Number,
        },
        QueryName {
            name: "player",
            pointer: "/player",
            kind: QueryKind::Text,
        },
        QueryName {
            name: "result",
            pointer: "/result",
            kind: QueryKind::Text,
        },
        QueryName {
            name: "limit",
            pointer: "/limit",
            kind: QueryKind::Number,
        },
        QueryName {
            name: "cursor",
            pointer: "/cursor",
            kind: QueryKind::Text,
        },
    ]];

    fn validate(self, limits: &Limits, faults: &mut Faults) -> Option<GameQuery> {
        let filter = GameFilter {
            rule: faults.rule(self.rule, "/rule"),
            size: faults.size(self.size, "/size"),
            player: checked(self.player, "/player", faults),
            result: faults.choose(self.result, "/result", Code::InvalidField, RESULTS),
            ..GameFilter::default()
        };
        let most = faults
            .within(self.limit, "/limit", 1..=i64::from(limits.page_items))
            .and_then(|most| u32::try_from(most).ok())
            .unwrap_or(Limits::PAGE_DEFAULT.min(limits.page_items));
        let from = match self.cursor {
            None => None,
            Some(Text(Ok(Cursor(seq)))) => Some(seq),
            Some(Text(Err(_))) => {
                faults.note(
                    "/cursor",
                    Code::MalformedCursor,
                    "the cursor is not one that this service gave",
                );
                None
            }
        };
        Some(GameQuery { filter, from, most })
    }
}

/// Lists kept games, the newest first.
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
    let GameQuery { filter, from, most } = query.0;
    let selection = Selection {
        filter,
        after: from.map(|seq| Place { value: seq, seq }),
        ..Selection::default()
    };
    if let Some(format) = game_stream::format_for(&request)? {
        return game_stream::stream(&request, store, selection, format, most).await;
    }
    let page = store.page(&selection, most).await?;
    let next_cursor = page.next.map(|place| Cursor(place.seq).to_string());
    let mut response = HttpResponse::Ok();
    response.insert_header(VARIES_BY_FORM);
    if let Some(cursor) = &next_cursor {
        let link = format!("<{}>; rel=\"next\"", next_page(&request, cursor));
        response.insert_header((LINK, link));
    }
    let games = page.games.iter().map(GameView::of).collect();
    Ok(response.json(GameListView { games, next_cursor }))
}

/// Is this the cursor's part of a query, however its name is encoded?
fn names_cursor(pair: &str) -> bool {
    let name = pair.split('=').next().and_then(decode);
    name.is_some_and(|name| name == "cursor")
}

/// This list's path with the cursor of the next page.
fn next_page(request: &HttpRequest, cursor: &str) -> String {
    let others: String = request
        .query_string()
        .split('&')
        .filter(|pair| !pair.is_empty() && !names_cursor(pair))
        .map(|pair| format!("{pair}&"))
        .collect();
    format!("{}?{others}cursor={cursor}", request.path())
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn the_next_page_has_the_same_filters_and_one_cursor() {
        for (query, expected) in [
            ("", "/v1/games?cursor=7"),
            (
                "rule=renju&cursor=1&limit=2",
                "/v1/games?rule=renju&limit=2&cursor=7",
            ),
            ("c%75rsor=1&player=a%20b", "/v1/games?player=a%20b&cursor=7"),
        ] {
            let request = TestRequest::with_uri(&format!("/v1/games?{query}")).to_http_request();
            assert_eq!(next_page(&request, "7"), expected);
        }
    }

    #[test]
    fn a_cursor_reads_back_and_nothing_else_is_one() {
        assert_eq!(
            Cursor(258)
                .to_string()
                .parse::<Cursor>()
                .map(|Cursor(seq)| seq),
            Ok(258)
        );
        for text in [
            "",
            "1",
            "0000000000000000",
            "ffffffffffffffff",
            "000000000000000G",
            "+000000000000001",
        ] {
            assert!(text.parse::<Cursor>().is_err(), "{text}");
        }
    }
}
