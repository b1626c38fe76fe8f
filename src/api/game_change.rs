//! `PATCH` and `DELETE /v1/games/{id}`: what is told of a game changed, a game forgotten.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Deserializer};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::api::error::ApiError;
use crate::api::extract::{Body, Input, NoQuery};
use crate::api::faults::Faults;
use crate::api::game_text::{checked, checked_tags, moment};
use crate::api::game_view::GameView;
use crate::api::games::{find, tag_of};
use crate::api::negotiate::VARIES;
use crate::api::query::QueryNames;
use crate::api::text::{object, present};
use crate::record::GameText;
use crate::service::Limits;
use crate::store::{Changed, Game, Store};

/// What is to be told of a game: a member that is absent stays as it is, `null` takes it away (RFC 7396).
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = GameChange)]
pub struct RawGameChange {
    /// Who played.
    #[serde(default, deserialize_with = "object")]
    #[schema(nullable = false)]
    players: Option<RawPlayersChange>,
    /// The tournament or match.
    #[serde(default, deserialize_with = "told")]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 200)]
    event: Told,
    /// Where it was played.
    #[serde(default, deserialize_with = "told")]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 200)]
    site: Told,
    /// The round of the event.
    #[serde(default, deserialize_with = "told")]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 200)]
    round: Told,
    /// When it was played (RFC 3339).
    #[serde(default, deserialize_with = "told")]
    #[schema(value_type = Option<String>, format = "date-time")]
    played_at: Told,
    /// Where the record comes from.
    #[serde(default, deserialize_with = "told")]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 200)]
    source: Told,
    /// Words to find it by, in place of those it has.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false, max_items = 20)]
    tags: Option<Vec<Option<String>>>,
}

/// The players' names.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlayersChange)]
struct RawPlayersChange {
    /// Who had the black stones.
    #[serde(default, deserialize_with = "told")]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 200)]
    black: Told,
    /// Who had the white stones.
    #[serde(default, deserialize_with = "told")]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 200)]
    white: Told,
}

/// Absent, `null`, or a text.
type Told = Option<Option<String>>;

fn told<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Told, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// A valid change of what is told.
pub struct GameChange {
    black: Told,
    white: Told,
    event: Told,
    site: Told,
    round: Told,
    played_at: Option<Option<OffsetDateTime>>,
    source: Told,
    tags: Option<Vec<String>>,
}

impl Input for RawGameChange {
    type Valid = GameChange;

    const QUERY: QueryNames = &[];

    fn validate(self, _: &Limits, faults: &mut Faults) -> Option<GameChange> {
        let (black, white) = self
            .players
            .map_or((None, None), |players| (players.black, players.white));
        let mut line = |told: Told, pointer| told.map(|text| checked(text, pointer, faults));
        Some(GameChange {
            black: line(black, "/players/black"),
            white: line(white, "/players/white"),
            event: line(self.event, "/event"),
            site: line(self.site, "/site"),
            round: line(self.round, "/round"),
            source: line(self.source, "/source"),
            played_at: self
                .played_at
                .map(|text| moment(&text?, "/played_at", faults)),
            tags: self.tags.map(|tags| checked_tags(tags, faults)),
        })
    }
}

impl GameChange {
    /// What is told of a game after the change.
    fn applied_to(self, text: &GameText) -> GameText {
        let mut text = text.clone();
        let members = [
            (&mut text.players.black, self.black),
            (&mut text.players.white, self.white),
            (&mut text.event, self.event),
            (&mut text.site, self.site),
            (&mut text.round, self.round),
            (&mut text.source, self.source),
        ];
        for (member, told) in members {
            if let Some(told) = told {
                *member = told;
            }
        }
        if let Some(played_at) = self.played_at {
            text.played_at = played_at;
        }
        if let Some(tags) = self.tags {
            text.tags = tags;
        }
        text
    }
}

/// Changes what is told of a game.
///
/// The moves and how they ended never change. `If-Match` names the tag of the game as the caller knows it, so that
/// nobody's change is lost.
#[utoipa::path(
    patch, path = "/v1/games/{id}", tag = "games",
    params(
        ("id" = String, Path, description = "The game's name.", format = "uuid", example = "019357a4-6c00-7000-8000-000000000000"),
        ("If-Match" = Option<String>, Header, description = "The entity tag of the game as the caller knows it, or `*`. Without it: 428."),
    ),
    request_body(content = RawGameChange, example = json!({"players": {"black": "Ada Lovelace"}, "event": null, "tags": ["club", "final"]})),
    responses((status = 200, description = "The game as it is now.", body = GameView<'_>, headers(("ETag" = String, description = "The game's new entity tag."))))
)]
pub async fn change_game(
    request: HttpRequest,
    store: web::Data<dyn Store>,
    id: web::Path<String>,
    change: Body<RawGameChange>,
) -> Result<HttpResponse, ApiError> {
    let game = find(store.get_ref(), &id).await?;
    match is_expected(&request, &game) {
        None => return Err(ApiError::PreconditionRequired),
        Some(false) => return Err(ApiError::PreconditionFailed),
        Some(true) => {}
    }
    let text = change.0.applied_to(&game.game.text);
    let now = OffsetDateTime::now_utc();
    match store.describe(game.id, game.revision, text, now).await? {
        Changed::Done(game) => Ok(HttpResponse::Ok()
            .insert_header((header::ETAG, tag_of(&game)))
            .insert_header(VARIES)
            .json(GameView::of(&game))),
        Changed::NoSuchGame => Err(ApiError::GameNotFound),
        Changed::OtherRevision(_) => Err(ApiError::PreconditionFailed),
        Changed::SameAs(other) => Err(ApiError::DuplicateGame(other)),
    }
}

/// Forgets a game.
///
/// With `If-Match` only if it is still as the caller knows it.
#[utoipa::path(
    delete, path = "/v1/games/{id}", tag = "games",
    params(
        ("id" = String, Path, description = "The game's name.", format = "uuid", example = "019357a4-6c00-7000-8000-000000000000"),
        ("If-Match" = Option<String>, Header, description = "The entity tag of the game as the caller knows it, or `*`."),
    ),
    responses((status = 204, description = "The game is forgotten."))
)]
pub async fn delete_game(
    request: HttpRequest,
    store: web::Data<dyn Store>,
    id: web::Path<String>,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let game = find(store.get_ref(), &id).await?;
    let expected = match is_expected(&request, &game) {
        None => None,
        Some(true) => Some(game.revision),
        Some(false) => return Err(ApiError::PreconditionFailed),
    };
    match store.delete(game.id, expected).await? {
        Changed::Done(_) => Ok(HttpResponse::NoContent().finish()),
        Changed::OtherRevision(_) => Err(ApiError::PreconditionFailed),
        Changed::NoSuchGame | Changed::SameAs(_) => Err(ApiError::GameNotFound),
    }
}

/// Does `If-Match` name the game as it is? Nothing when the caller does not say. Tags are compared strongly
/// (RFC 9110, 13.1.1): a weak one never fits.
fn is_expected(request: &HttpRequest, game: &Game) -> Option<bool> {
    let mut values = request.headers().get_all(header::IF_MATCH).peekable();
    values.peek()?;
    let tag = tag_of(game);
    Some(
        values
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(str::trim)
            .any(|named| named == "*" || named == tag),
    )
}
