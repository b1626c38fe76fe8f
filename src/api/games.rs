//! `/v1/games`: finished games, stored and found again.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Serialize};
use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};
use utoipa::ToSchema;

use crate::api::answer;
use crate::api::code::Code;
use crate::api::error::ApiError;
use crate::api::extract::{Body, Input, NoQuery};
use crate::api::faults::Faults;
use crate::api::negotiate::{VARIES, accept, etag, tagged};
use crate::api::position::{self, PositionEcho, RawPosition, Source, echo_of};
use crate::api::query::QueryNames;
use crate::api::text::{Text, object, present};
use crate::board::{ByColor, Color};
use crate::record::{Fault, GameResult, GameText, Record, Replay, Termination};
use crate::service::Limits;
use crate::store::{Added, Game, GameId, NewGame, Store};

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
const TERMINATIONS: &str =
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
            played_at: self.played_at.and_then(|text| moment(&text, faults)),
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

/// A line of text without control characters, not blank, of a bounded length; outer blanks are dropped.
pub fn checked(raw: Option<String>, pointer: &str, faults: &mut Faults) -> Option<String> {
    let text = raw?.trim().to_owned();
    let most = Limits::TEXT_CHARS;
    if text.is_empty() || text.chars().any(char::is_control) {
        faults.note(
            pointer,
            Code::InvalidField,
            "a text is one line and not blank",
        );
        None
    } else if text.chars().count() > most {
        faults.note(
            pointer,
            Code::LimitOutOfRange,
            format!("a text has at most {most} characters"),
        );
        None
    } else {
        Some(text)
    }
}

fn checked_tags(raw: Vec<Option<String>>, faults: &mut Faults) -> Vec<String> {
    let most = Limits::TAGS;
    if raw.len() > most {
        faults.note(
            "/tags",
            Code::LimitOutOfRange,
            format!("a game has at most {most} tags"),
        );
        return Vec::new();
    }
    let mut tags = Vec::with_capacity(raw.len());
    for (index, tag) in raw.into_iter().enumerate() {
        let pointer = format!("/tags/{index}");
        if tag.is_none() {
            faults.note(pointer, Code::InvalidField, "null is not a tag");
        } else if let Some(tag) = checked(tag, &pointer, faults) {
            tags.push(tag);
        }
    }
    tags
}

fn moment(text: &str, faults: &mut Faults) -> Option<OffsetDateTime> {
    let read = OffsetDateTime::parse(text, &Rfc3339)
        .ok()
        .and_then(|at| at.checked_to_offset(UtcOffset::UTC))
        .filter(|at| (0..=9999).contains(&at.year()));
    if read.is_none() {
        faults.note(
            "/played_at",
            Code::InvalidField,
            "a time is written as 2026-11-30T18:00:00Z (RFC 3339)",
        );
    }
    read
}

impl GameRequest {
    /// The game with the end that the stones and the caller tell together.
    fn judge(self) -> Result<NewGame, ApiError> {
        let replay = self.record.replay();
        if !is_playable(&replay, self.record.plies().len()) {
            return Err(ApiError::of_violations(replay.violations(), self.is_listed));
        }
        let ending = replay.ending();
        let result = self.result.or(ending.map(|(result, _)| result));
        let termination = self
            .termination
            .or(ending.map(|(_, termination)| termination));
        let mut faults = Faults::default();
        let reason = "the stones leave the game open; say how it ended";
        if result.is_none() {
            faults.note("/result", Code::MissingField, reason);
        }
        if termination.is_none() {
            faults.note("/termination", Code::MissingField, reason);
        }
        let (result, termination) = faults.settle(result.zip(termination))?;
        replay.check_claim(result, termination)?;
        Ok(NewGame {
            record: self.record,
            result,
            termination,
            text: self.text,
        })
    }
}

/// Is a record legal to its end? A forbidden stone may be the last: it loses, and is a game's end.
fn is_playable(replay: &Replay, plies: usize) -> bool {
    match replay.violations() {
        [] => true,
        [only] => only.ply == plies && matches!(only.fault, Fault::Forbidden(..)),
        _ => false,
    }
}

/// A kept game.
#[derive(Serialize, ToSchema)]
#[schema(as = Game)]
pub struct GameView<'a> {
    /// Its name.
    #[schema(value_type = String, format = "uuid", example = "019357a4-6c00-7000-8000-000000000000")]
    id: String,
    /// Its moves.
    position: PositionEcho<'a>,
    /// The number of plies.
    plies: usize,
    players: PlayersView<'a>,
    result: GameResult,
    termination: Termination,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    event: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    site: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    round: Option<&'a str>,
    /// When it was played, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = "date-time")]
    played_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    source: Option<&'a str>,
    tags: &'a [String],
    /// When it was first kept, in UTC.
    #[schema(format = "date-time")]
    created_at: String,
}

/// The players' names.
#[derive(Serialize, ToSchema)]
#[schema(as = Players)]
struct PlayersView<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    black: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    white: Option<&'a str>,
}

impl<'a> GameView<'a> {
    /// The game as it is written.
    pub fn of(kept: &'a Game) -> GameView<'a> {
        let Game {
            id,
            game,
            created_at,
        } = kept;
        let text = &game.text;
        let name = |color: Color| text.players[color].as_deref();
        GameView {
            id: id.to_string(),
            position: echo_of(&game.record),
            plies: game.record.plies().len(),
            players: PlayersView {
                black: name(Color::Black),
                white: name(Color::White),
            },
            result: game.result,
            termination: game.termination,
            event: text.event.as_deref(),
            site: text.site.as_deref(),
            round: text.round.as_deref(),
            played_at: text.played_at.map(written),
            source: text.source.as_deref(),
            tags: &text.tags,
            created_at: written(*created_at),
        }
    }
}

fn written(at: OffsetDateTime) -> String {
    // Only times of four-digit years come in.
    at.format(&Rfc3339).unwrap_or_default()
}

/// Keeps a finished game.
///
/// The game is replayed first: its end must be that of the stones. Where the stones leave the game open, a
/// resignation, a loss on time, an agreement or another end off the board is believed. A game that is
/// kept already keeps its name.
#[utoipa::path(
    post, path = "/v1/games", tag = "games",
    request_body(content = RawGame, examples(
        ("won" = (summary = "A game that ended on the board", value = json!({"position": {"rule": "freestyle", "moves": "h8a1h9c1h10e1h12g1h11"}, "players": {"black": "Ada", "white": "Grace"}, "result": "black", "termination": "five"}))),
        ("resigned" = (summary = "A game that White resigned", value = json!({"position": {"rule": "renju", "moves": ["h8", "i9", "j7", "g9"]}, "players": {"black": "Ada", "white": "Grace"}, "result": "black", "termination": "resignation", "event": "Club evening", "round": "3", "played_at": "2026-11-30T18:00:00Z", "tags": ["club"]}))),
    )),
    responses(
        (status = 201, description = "The game is kept.", body = GameView<'_>, headers(("Location" = String, description = "The game's path."), ("ETag" = String, description = "The game's entity tag.")), example = json!({"id": "019357a4-6c00-7000-8000-000000000000", "position": {"rule": "freestyle", "size": 15, "moves": ["h8", "a1", "h9", "c1", "h10", "e1", "h12", "g1", "h11"]}, "plies": 9, "players": {"black": "Ada", "white": "Grace"}, "result": "black", "termination": "five", "tags": [], "created_at": "2026-11-30T18:00:00Z"})),
        (status = 200, description = "The same game was kept before; here it is.", body = GameView<'_>, headers(("ETag" = String, description = "The game's entity tag."))),
    )
)]
pub async fn create_game(
    store: web::Data<Store>,
    request: Body<RawGame>,
) -> Result<HttpResponse, ApiError> {
    let game = request.0.judge()?;
    Ok(
        match store
            .add(GameId::new(), game, OffsetDateTime::now_utc())
            .await?
        {
            Added::New(game) => HttpResponse::Created()
                .insert_header((header::LOCATION, path_of(game.id)))
                .insert_header((header::ETAG, tag_of(&game)))
                .insert_header(VARIES)
                .json(GameView::of(&game)),
            Added::Known(game) => HttpResponse::Ok()
                .insert_header((header::CONTENT_LOCATION, path_of(game.id)))
                .insert_header((header::ETAG, tag_of(&game)))
                .insert_header(VARIES)
                .json(GameView::of(&game)),
        },
    )
}

/// A kept game.
#[utoipa::path(
    get, path = "/v1/games/{id}", tag = "games",
    params(("id" = String, Path, description = "The game's name.", format = "uuid", example = "019357a4-6c00-7000-8000-000000000000")),
    responses((status = 200, description = "The game.", body = GameView<'_>, headers(("ETag" = String, description = "The game's entity tag."))))
)]
pub async fn get_game(
    request: HttpRequest,
    store: web::Data<Store>,
    id: web::Path<String>,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    accept(&request, "application/json")?;
    let id = id.parse().map_err(|_| ApiError::GameNotFound)?;
    let game = store.game(id).await?.ok_or(ApiError::GameNotFound)?;
    tagged(&request, &tag_of(&game), async {
        Ok(answer::ok(&GameView::of(&game)))
    })
    .await
}

fn path_of(id: GameId) -> String {
    format!("/v1/games/{id}")
}

/// A game does not change once it is kept, so its name and the form of the answer are enough.
fn tag_of(game: &Game) -> String {
    etag(&["game", &game.id.to_string()])
}
