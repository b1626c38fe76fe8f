//! Successful answers.

use actix_web::HttpResponse;
use serde::Serialize;

/// A computed answer with status 200. It says what status it has: none can fail to be written, since
/// all are made of texts, numbers and lists.
pub fn ok(value: &impl Serialize) -> HttpResponse {
    // One allocation for nearly all answers; a replay of 40 stones takes about 900 octets.
    let mut body = Vec::with_capacity(1024);
    match serde_json::to_writer(&mut body, value) {
        Ok(()) => HttpResponse::Ok()
            .content_type("application/json")
            .body(body),
        Err(error) => {
            tracing::error!(%error, "an answer could not be written");
            HttpResponse::InternalServerError().finish()
        }
    }
}
