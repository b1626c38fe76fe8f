//! `GET /v1/games` as a file: all games of a selection in one stream, however many they are.

use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use actix_web::{HttpRequest, HttpResponse, web};
use futures_util::stream::{self, Stream, StreamExt, TryStreamExt};

use crate::api::envelope::request_id;
use crate::api::error::ApiError;
use crate::api::negotiate::{VARIES_BY_FORM, choose};
use crate::api::query::decode;
use crate::formats::Format;
use crate::service::Export;
use crate::store::{Selection, Store, StoreError};

const JSON: &str = "application/json";

/// The media types of lists: a page first, then the files.
pub const ANSWERS: [&str; 5] = [
    JSON,
    Format::Ndjson.media_type(),
    Format::Sgf.media_type(),
    Format::Psq.media_type(),
    Format::Moves.media_type(),
];

/// The format of the file that the caller wants; none when it wants a page.
///
/// # Errors
///
/// [`ApiError::NotAcceptable`] when it wants neither.
pub fn format_for(request: &HttpRequest) -> Result<Option<Format>, ApiError> {
    let chosen = choose(request, &ANSWERS)?;
    Ok(Format::ALL
        .into_iter()
        .find(|format| format.media_type() == chosen))
}

/// Answers with the games of a selection as a file; at most so many, if the query names a limit. The caller sets the
/// pace: games are read when those before them have been taken, and no longer than it listens.
///
/// # Errors
///
/// When the first games cannot be read. If others cannot, the stream breaks off.
pub async fn stream(
    request: &HttpRequest,
    store: web::Data<dyn Store>,
    selection: Selection,
    format: Format,
    most: u32,
) -> Result<HttpResponse, ApiError> {
    let most = if has_limit(request) {
        u64::from(most)
    } else {
        u64::MAX
    };
    let mut export = Export::of(store.into_inner(), selection, format, most)
        .map_err(|error| ApiError::Internal(error.to_string()))?;
    // Read before the head is sent, so that a database that fails is told as an error.
    let first = export.next().await?;
    let name = format!("inline; filename=\"games.{}\"", format.extension());
    let media_type = format!("{}; charset=utf-8", format.media_type());
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, media_type))
        .insert_header((CONTENT_DISPOSITION, name))
        .insert_header(VARIES_BY_FORM)
        .streaming(pieces(first, export, request_id(request))))
}

/// The pieces of a file. The last may be a failure, which ends the connection in the middle of the answer.
fn pieces(
    first: Option<String>,
    export: Export,
    request_id: String,
) -> impl Stream<Item = Result<web::Bytes, StoreError>> {
    let rest = stream::try_unfold(export, |mut export| async move {
        let piece = export.next().await?;
        Ok(piece.map(|piece| (piece, export)))
    });
    stream::iter(first.map(Ok))
        .chain(rest)
        .map_ok(web::Bytes::from)
        .inspect_err(
            move |error| tracing::error!(request_id, %error, "a stream of games breaks off"),
        )
}

/// Does the query name a limit, however the name is encoded?
fn has_limit(request: &HttpRequest) -> bool {
    let mut names = request
        .query_string()
        .split('&')
        .map(|pair| pair.split('=').next().unwrap_or(pair));
    names.any(|name| decode(name).is_some_and(|name| name == "limit"))
}
