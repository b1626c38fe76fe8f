//! `GET /v1/games/{id}` in the forms that a caller may ask for, and the positions of a game.

use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use actix_web::{HttpRequest, HttpResponse, web};

use crate::api::answer;
use crate::api::boards::answer_svg;
use crate::api::error::ApiError;
use crate::api::extract::NoQuery;
use crate::api::game_view::GameView;
use crate::api::games::{find, tag_of};
use crate::api::negotiate::{VARIES_BY_FORM, choose, etag, tagged};
use crate::api::replays::{ReplayAnswer, answer_for};
use crate::formats::{self, Format};
use crate::picture::{Look, Picture, Title, draw_svg};
use crate::store::{Game, Store};

const JSON: &str = "application/json";
const SVG: &str = "image/svg+xml";

/// A kept game: as JSON, as a file of a format, or as a picture of its last position.
#[utoipa::path(
    get, path = "/v1/games/{id}", tag = "games",
    params(("id" = String, Path, description = "The game's name.", format = "uuid", example = "019357a4-6c00-7000-8000-000000000000")),
    responses((status = 200, description = "The game, in the form that `Accept` asks for.", headers(("ETag" = String, description = "The entity tag of this form of the game.")), content(
        (GameView<'_> = "application/json"),
        (String = "application/x-go-sgf"),
        (String = "application/x-piskvork"),
        (String = "application/x-ndjson"),
        (String = "text/plain"),
        (String = "image/svg+xml"),
    )))
)]
pub async fn get_game(
    request: HttpRequest,
    store: web::Data<dyn Store>,
    id: web::Path<String>,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let written = Format::ALL.into_iter().filter(|format| format.is_written());
    let offers: Vec<&'static str> = [JSON]
        .into_iter()
        .chain(written.map(Format::media_type))
        .chain([SVG])
        .collect();
    let form = choose(&request, &offers)?;
    let game = find(store.get_ref(), &id).await?;
    let tag = match form {
        JSON => tag_of(&game),
        other => etag(&[&tag_of(&game), other]),
    };
    let mut response = tagged(&request, &tag, async { in_form(&game, form) }).await?;
    response
        .headers_mut()
        .insert(VARIES_BY_FORM.0, VARIES_BY_FORM.1);
    Ok(response)
}

fn in_form(game: &Game, form: &'static str) -> Result<HttpResponse, ApiError> {
    let of_form = |format: &Format| format.is_written() && format.media_type() == form;
    match Format::ALL.into_iter().find(of_form) {
        Some(format) => in_format(game, format),
        None if form == SVG => Ok(drawn(game)),
        None => Ok(answer::ok(&GameView::of(game))),
    }
}

fn in_format(game: &Game, format: Format) -> Result<HttpResponse, ApiError> {
    let mut text = String::new();
    format
        .write(&formats::Game::from(&game.game), &mut text)
        .map_err(|error| ApiError::Internal(error.to_string()))?;
    let name = format!("inline; filename=\"{}.{}\"", game.id, format.extension());
    let media_type = format!("{}; charset=utf-8", format.media_type());
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, media_type))
        .insert_header((CONTENT_DISPOSITION, name))
        .body(text))
}

/// The last position with the players' names above it.
fn drawn(game: &Game) -> HttpResponse {
    let record = &game.game.record;
    let picture = Picture::of_replay(record, &record.replay())
        .with_title(Title::of_players(&game.game.text.players));
    answer_svg(draw_svg(&picture, Look::default()))
}

/// A kept game after so many plies, as a replay tells it.
#[utoipa::path(
    get, path = "/v1/games/{id}/positions/{ply}", tag = "games",
    params(
        ("id" = String, Path, description = "The game's name.", format = "uuid", example = "019357a4-6c00-7000-8000-000000000000"),
        ("ply" = u16, Path, description = "How many plies are played; 0 is the empty board.", minimum = 0, maximum = 1250, example = 3),
    ),
    responses((status = 200, description = "What the rules say of the first plies of the game.", body = ReplayAnswer<'_>, headers(("ETag" = String, description = "The answer's entity tag."))))
)]
pub async fn get_position(
    request: HttpRequest,
    store: web::Data<dyn Store>,
    path: web::Path<(String, String)>,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    choose(&request, &[JSON])?;
    let (id, ply) = path.into_inner();
    let game = find(store.get_ref(), &id).await?;
    let record = game.game.record;
    // One spelling of a number: no sign, no zeros before it.
    let ply = ply
        .parse::<usize>()
        .ok()
        .filter(|number| number.to_string() == ply && *number <= record.plies().len())
        .ok_or(ApiError::PositionNotFound)?;
    let tag = etag(&["position", &game.id.to_string(), &ply.to_string()]);
    tagged(&request, &tag, async { Ok(answer_for(record.prefix(ply))) }).await
}
