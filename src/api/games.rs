//! `POST /v1/games`: finished games kept.

use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::api::code::Code;
use crate::api::error::ApiError;
use crate::api::extract::{Body, Input};
use crate::api::faults::Faults;
use crate::api::game_text::{checked, checked_tags, moment};
use crate::api::game_view::GameView;
use crate::api::negotiate::{VARIES, etag};
use crate::api::position::{self, RawPosition, Source};
use crate::api::query::QueryNames;
use crate::api::replays::result_for;
use crate::api::text::{Text, object, present};
use crate::board::ByColor;
use crate::record::{GameResult, GameText, Record, Termination};
use crate::service::{InFlight, Limits};
use crate::store::{Added, AddedOnce, Game, GameId, NewGame, NotAGame, Once, Store};

/// A finished game to keep.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = GameRequest)]
pub struct RawGame {
    /// The game's moves; a board without history is no game.
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = RawPosition, required = true)]
    position: Option<RawPosition>,
    /// Who played.
    #[serde(default, deserialize_with = "object")]
    #[schema(nullable = false)]
    players: Option<RawPlayers>,
    /// Who won; needed only where the stones do not tell.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<GameResult>, nullable = false)]
    result: Option<Text<GameResult>>,
    /// What ended the game; needed only where the stones do not tell.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Termination>, nullable = false)]
    termination: Option<Text<Termination>>,
    /// The tournament or match.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false, min_length = 1, max_length = 200)]
    event: Option<String>,
    /// Where it was played.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false, min_length = 1, max_length = 200)]
    site: Option<String>,
    /// The round of the event.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false, min_length = 1, max_length = 200)]
    round: Option<String>,
    /// When it was played (RFC 3339).
    #[serde(default, deserialize_with = "present")]
    #[schema(
        nullable = false,
        format = "date-time",
        example = "2026-11-30T18:00:00Z"
    )]
    played_at: Option<String>,
    /// Where the record comes from.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false, min_length = 1, max_length = 200)]
    source: Option<String>,
    /// Words to find it by.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false, max_items = 20)]
    tags: Option<Vec<Option<String>>>,
}

/// The players' names.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlayersRequest)]
pub struct RawPlayers {
    /// Who had the black stones.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false, min_length = 1, max_length = 200)]
    black: Option<String>,
    /// Who had the white stones.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false, min_length = 1, max_length = 200)]
    white: Option<String>,
}

impl RawPlayers {
    /// The names that are given; pointers begin with `/players`.
    pub fn validate(raw: Option<RawPlayers>, faults: &mut Faults) -> ByColor<Option<String>> {
        let (black, white) = raw.map_or((None, None), |players| (players.black, players.white));
        ByColor {
            black: checked(black, "/players/black", faults),
            white: checked(white, "/players/white", faults),
        }
    }
}

/// A request to keep a game, before the rules have seen it.
pub struct GameRequest {
    record: Record,
    is_listed: bool,
    result: Option<GameResult>,
    termination: Option<Termination>,
    text: GameText,
}

/// The results, for who sends another.
pub const RESULTS: &str = "black, white, draw";
/// The terminations, for who sends another.
pub const TERMINATIONS: &str =
    "five, overline, forbidden, board_full, passes, resignation, timeout, agreement, other";

impl Input for RawGame {
    type Valid = GameRequest;

    const QUERY: QueryNames = &[];

    fn validate(self, _: &Limits, faults: &mut Faults) -> Option<GameRequest> {
        let result = faults.choose(self.result, "/result", Code::InvalidField, RESULTS);
        let termination = faults.choose(
            self.termination,
            "/termination",
            Code::InvalidField,
            TERMINATIONS,
        );
        let text = GameText {
            players: RawPlayers::validate(self.players, faults),
            event: checked(self.event, "/event", faults),
            site: checked(self.site, "/site", faults),
            round: checked(self.round, "/round", faults),
            played_at: self
                .played_at
                .and_then(|text| moment(&text, "/played_at", faults)),
            source: checked(self.source, "/source", faults),
            tags: checked_tags(self.tags.unwrap_or_default(), faults),
        };
        match position::required(self.position, faults)? {
            Source::Record { record, is_listed } => Some(GameRequest {
                record,
                is_listed,
                result,
                termination,
                text,
            }),
            Source::Position(_) => {
                faults.note(
                    "/position/moves",
                    Code::MissingField,
                    "a game is kept by its moves, not as a board",
                );
                None
            }
        }
    }
}

impl GameRequest {
    /// The game with the end that the stones and the caller tell together.
    fn judge(self) -> Result<NewGame, ApiError> {
        let (is_listed, record) = (self.is_listed, self.record.clone());
        NewGame::judge(self.record, self.result, self.termination, self.text)
            .map_err(|fault| refusal(fault, is_listed, &record))
    }
}

fn refusal(fault: NotAGame, is_listed: bool, record: &Record) -> ApiError {
    match fault {
        NotAGame::Violations(violations) => ApiError::of_violations(&violations, is_listed),
        NotAGame::Mismatch(mismatch) => {
            let evidence = serde_json::to_value(result_for(record)).ok();
            ApiError::ResultMismatch(mismatch, evidence)
        }
        NotAGame::Open {
            no_result,
            no_termination,
        } => {
            let mut faults = Faults::default();
            let absent = [("/result", no_result), ("/termination", no_termination)];
            for (pointer, _) in absent.into_iter().filter(|(_, is_absent)| *is_absent) {
                faults.note(pointer, Code::MissingField, fault.to_string());
            }
            ApiError::from(faults)
        }
    }
}

/// Keeps a finished game.
///
/// The game is replayed first: its end must be that of the stones. Where the stones leave the game open, a
/// resignation, a loss on time, an agreement or another end off the board is believed. A game that is
/// kept already keeps its name.
#[utoipa::path(
    post, path = "/v1/games", tag = "games",
    params(("Idempotency-Key" = Option<String>, Header, description = "A name for this request, of 1 to 255 visible characters. Sent again within 24 hours it is not done again: the first answer comes again, with `Idempotency-Replayed: true`.")),
    request_body(content = RawGame, examples(
        ("won" = (summary = "A game that ended on the board", value = json!({"position": {"rule": "freestyle", "moves": "h8a1h9c1h10e1h12g1h11"}, "players": {"black": "Ada", "white": "Grace"}, "result": "black", "termination": "five"}))),
        ("resigned" = (summary = "A game that White resigned", value = json!({"position": {"rule": "renju", "moves": ["h8", "i9", "j7", "g9"]}, "players": {"black": "Ada", "white": "Grace"}, "result": "black", "termination": "resignation", "event": "Club evening", "round": "3", "played_at": "2026-11-30T18:00:00Z", "tags": ["club"]}))),
    )),
    responses(
        (status = 201, description = "The game is kept.", body = GameView<'_>, headers(("Location" = String, description = "The game's path."), ("ETag" = String, description = "The game's entity tag.")), example = json!({"id": "019357a4-6c00-7000-8000-000000000000", "position": {"rule": "freestyle", "size": 15, "moves": ["h8", "a1", "h9", "c1", "h10", "e1", "h12", "g1", "h11"]}, "plies": 9, "players": {"black": "Ada", "white": "Grace"}, "result": "black", "termination": "five", "tags": [], "created_at": "2026-11-30T18:00:00Z", "updated_at": "2026-11-30T18:00:00Z"})),
        (status = 200, description = "The same game was kept before; here it is.", body = GameView<'_>, headers(("ETag" = String, description = "The game's entity tag."))),
    )
)]
pub async fn create_game(
    http: HttpRequest,
    store: web::Data<dyn Store>,
    in_flight: web::Data<InFlight>,
    request: Body<RawGame>,
) -> Result<HttpResponse, ApiError> {
    let game = request.0.judge()?;
    let now = OffsetDateTime::now_utc();
    let Some(key) = idempotency_key(&http)? else {
        return Ok(match store.add(vec![game], now).await?.pop() {
            Some(Added::New(game)) => created(&game),
            Some(Added::Known(game)) => known(&game),
            None => return Err(ApiError::Internal("no game came back".into())),
        });
    };
    let _turn = in_flight
        .enter(&key)
        .ok_or(ApiError::IdempotencyInProgress)?;
    let digest = game.digest()?;
    match store.add_once(Once { key, digest }, game, now).await? {
        AddedOnce::Done(Added::New(game)) => Ok(created(&game)),
        AddedOnce::Done(Added::Known(game)) => Ok(known(&game)),
        AddedOnce::Repeated(game) => {
            let mut response = created(&game);
            response.headers_mut().insert(REPLAYED.0, REPLAYED.1);
            Ok(response)
        }
        AddedOnce::OtherRequest | AddedOnce::Deleted => Err(ApiError::IdempotencyKeyReused),
    }
}

const REPLAYED: (HeaderName, HeaderValue) = (
    HeaderName::from_static("idempotency-replayed"),
    HeaderValue::from_static("true"),
);

/// The caller's name for a request that is to be done only once.
fn idempotency_key(request: &HttpRequest) -> Result<Option<String>, ApiError> {
    let Some(value) = request.headers().get("idempotency-key") else {
        return Ok(None);
    };
    match value.to_str() {
        Ok(key) if (1..=Limits::KEY_CHARS).contains(&key.len()) => Ok(Some(key.to_owned())),
        _ => {
            let mut faults = Faults::default();
            let detail = format!("a key has 1 to {} visible characters", Limits::KEY_CHARS);
            faults.note("Idempotency-Key", Code::InvalidField, detail);
            Err(faults.into())
        }
    }
}

fn created(game: &Game) -> HttpResponse {
    HttpResponse::Created()
        .insert_header((header::LOCATION, path_of(game.id)))
        .insert_header((header::ETAG, tag_of(game)))
        .insert_header(VARIES)
        .json(GameView::of(game))
}

fn known(game: &Game) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((header::CONTENT_LOCATION, path_of(game.id)))
        .insert_header((header::ETAG, tag_of(game)))
        .insert_header(VARIES)
        .json(GameView::of(game))
}

fn path_of(id: GameId) -> String {
    format!("/v1/games/{id}")
}

/// The tag of a game in JSON: its moves never change, so its name and how often the rest has changed are enough.
pub fn tag_of(game: &Game) -> String {
    etag(&["game", &game.id.to_string(), &game.revision.to_string()])
}

/// The game that a path names.
///
/// # Errors
///
/// When there is none, or the database fails.
pub async fn find(store: &dyn Store, id: &str) -> Result<Game, ApiError> {
    let id = id.parse().map_err(|_| ApiError::GameNotFound)?;
    store.game(id).await?.ok_or(ApiError::GameNotFound)
}
