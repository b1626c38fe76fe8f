//! `/v1/boards.svg`, `/v1/boards.png` and `/v1/boards.txt`: a picture of a position.

use actix_web::http::header::{CONTENT_SECURITY_POLICY, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;

use crate::api::desk::Desk;
use crate::api::drawing::{self, Drawing, Form, RawDrawing};
use crate::api::error::ApiError;
use crate::api::extract::{Body, Input, Query};
use crate::api::faults::Faults;
use crate::api::negotiate::kept;
use crate::api::position;
use crate::api::query::QueryNames;
use crate::picture::{draw_png, draw_svg, write_text};
use crate::service::Limits;

/// A picture asked for as SVG.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct RawSvg(RawDrawing);

impl Input for RawSvg {
    type Valid = Drawing;

    const QUERY: QueryNames = &[position::QUERY, drawing::QUERY, drawing::COLORED_QUERY];
    const ANSWERS: &'static [&'static str] = &["image/svg+xml"];

    fn validate(self, _: &Limits, faults: &mut Faults) -> Option<Drawing> {
        self.0.validate(Form::Svg, faults)
    }
}

/// A picture asked for as PNG.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct RawPng(RawDrawing);

impl Input for RawPng {
    type Valid = Drawing;

    const QUERY: QueryNames = &[
        position::QUERY,
        drawing::QUERY,
        drawing::COLORED_QUERY,
        drawing::PIXELS_QUERY,
    ];
    const ANSWERS: &'static [&'static str] = &["image/png"];

    fn validate(self, _: &Limits, faults: &mut Faults) -> Option<Drawing> {
        self.0.validate(Form::Png, faults)
    }
}

/// A picture asked for as text.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct RawText(RawDrawing);

impl Input for RawText {
    type Valid = Drawing;

    const QUERY: QueryNames = &[position::QUERY, drawing::QUERY];
    const ANSWERS: &'static [&'static str] = &["text/plain"];

    fn validate(self, _: &Limits, faults: &mut Faults) -> Option<Drawing> {
        self.0.validate(Form::Text, faults)
    }
}

/// An answer that no browser takes for anything but what it says it is.
fn respond(media_type: &'static str, octets: impl Into<web::Bytes>) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(media_type)
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .body(octets.into())
}

/// What an SVG may do that is opened by itself, as a document: nothing. It is drawn by the service, but names in it come
/// from callers.
const NOTHING: HeaderValue =
    HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'");

/// The picture as SVG.
///
/// # Errors
///
/// When the picture cannot be made.
pub fn svg(drawing: &Drawing) -> Result<HttpResponse, ApiError> {
    Ok(answer_svg(draw_svg(&drawing.picture()?, drawing.look)))
}

/// An SVG as an answer.
pub fn answer_svg(svg: String) -> HttpResponse {
    let mut response = respond("image/svg+xml", svg);
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, NOTHING);
    response
}

/// The picture as text.
///
/// # Errors
///
/// When the picture cannot be made.
pub fn text(drawing: &Drawing) -> Result<HttpResponse, ApiError> {
    let text = write_text(&drawing.picture()?, drawing.look);
    Ok(respond("text/plain; charset=utf-8", text))
}

/// The picture as PNG, drawn off the threads that answer requests.
async fn png(drawing: &Drawing, desk: &Desk) -> Result<HttpResponse, ApiError> {
    let (picture, look, pixels) = (drawing.picture()?, drawing.look, drawing.pixels);
    let drawn = desk.work(move || draw_png(&picture, look, pixels)).await?;
    let octets = drawn.map_err(|error| ApiError::Internal(error.to_string()))?;
    Ok(respond("image/png", octets))
}

/// Draws a position as SVG.
///
/// The picture has no size of its own: it fills the place it is shown in. It names nothing outside itself and runs
/// nothing; what is seen it also tells in words, in `title` and `desc`.
#[utoipa::path(
    post, path = "/v1/boards.svg", tag = "pictures",
    request_body(content = RawDrawing, examples(
        ("won" = (summary = "A won game with the numbers of its moves", value = json!({"position": {"moves": "h8a1h9c1h10e1h12g1h11"}, "numbers": true, "players": {"black": "Ada", "white": "Grace"}}))),
        ("marked" = (summary = "Forbidden cells and hints on a dark page", value = json!({"position": {"rule": "renju", "moves": "h7a1h9c1g8e1i8g1"}, "theme": "dark", "forbidden": true, "marks": [{"cell": "h6", "kind": "hint", "rank": 1}, {"cell": "f8", "kind": "threat", "by": "black", "letter": "F"}]}))),
    )),
    responses((status = 200, description = "The picture.", body = String, content_type = "image/svg+xml"))
)]
pub async fn create_svg(request: Body<RawSvg>) -> Result<HttpResponse, ApiError> {
    svg(&request.0)
}

/// Draws a position as SVG: the linkable twin of the POST.
#[utoipa::path(
    get, path = "/v1/boards.svg", tag = "pictures",
    responses((status = 200, description = "The picture.", body = String, content_type = "image/svg+xml"))
)]
pub async fn get_svg(request: HttpRequest, query: Query<RawSvg>) -> Result<HttpResponse, ApiError> {
    let tag = query.0.etag(request.path());
    let compute = async { svg(&query.0).map_err(|error| error.into_query(RawSvg::QUERY)) };
    kept(&request, &tag, compute).await
}

/// Draws a position as a square PNG.
///
/// The picture is that of `/v1/boards.svg`, but for the title, whose letters need a font.
#[utoipa::path(
    post, path = "/v1/boards.png", tag = "pictures",
    request_body(content = RawDrawing, examples(
        ("small" = (summary = "A small picture", value = json!({"position": {"rule": "caro", "size": 19, "moves": "j10k11k10"}, "pixels": 320}))),
    )),
    responses((status = 200, description = "The picture.", body = Vec<u8>, content_type = "image/png"))
)]
pub async fn create_png(
    request: Body<RawPng>,
    desk: web::Data<Desk>,
) -> Result<HttpResponse, ApiError> {
    png(&request.0, &desk).await
}

/// Draws a position as a square PNG: the linkable twin of the POST.
#[utoipa::path(
    get, path = "/v1/boards.png", tag = "pictures",
    responses((status = 200, description = "The picture.", body = Vec<u8>, content_type = "image/png"))
)]
pub async fn get_png(
    request: HttpRequest,
    query: Query<RawPng>,
    desk: web::Data<Desk>,
) -> Result<HttpResponse, ApiError> {
    let tag = query.0.etag(request.path());
    let compute = async {
        let drawn = png(&query.0, &desk).await;
        drawn.map_err(|error| error.into_query(RawPng::QUERY))
    };
    kept(&request, &tag, compute).await
}

/// Writes a position as text.
///
/// Stones are `x` and `o`, in capitals where a row has won, and the last one stands in brackets. On empty cells `!` is
/// forbidden, a digit the rank of a hint (`+` beyond 9), a letter a threat. The same is told in words below.
#[utoipa::path(
    post, path = "/v1/boards.txt", tag = "pictures",
    request_body(content = RawDrawing, examples(
        ("won" = (summary = "A won game", value = json!({"position": {"size": 9, "moves": "e5a1e6c1e7a3e4a5e3"}, "title": "A short game"}))),
        ("board" = (summary = "A board with its last stone and a hint", value = json!({"position": {"size": 5, "board": [".....", ".xo..", "..x..", "...o.", "....."]}, "last_move": "d2", "marks": "b2:1", "coordinates": false}))),
    )),
    responses((status = 200, description = "The board and, below it, what is marked on it.", body = String, content_type = "text/plain"))
)]
pub async fn create_text(request: Body<RawText>) -> Result<HttpResponse, ApiError> {
    text(&request.0)
}

/// Writes a position as text: the linkable twin of the POST.
#[utoipa::path(
    get, path = "/v1/boards.txt", tag = "pictures",
    responses((status = 200, description = "The board and, below it, what is marked on it.", body = String, content_type = "text/plain"))
)]
pub async fn get_text(
    request: HttpRequest,
    query: Query<RawText>,
) -> Result<HttpResponse, ApiError> {
    let tag = query.0.etag(request.path());
    let compute = async { text(&query.0).map_err(|error| error.into_query(RawText::QUERY)) };
    kept(&request, &tag, compute).await
}
