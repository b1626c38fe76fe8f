//! Successful answers.

use actix_web::HttpResponse;
use serde::Serialize;

use crate::api::error::ApiError;

/// A computed answer with status 200.
pub fn ok(value: &impl Serialize) -> HttpResponse {
    // One allocation for nearly all answers; a replay of 40 stones takes about 900 octets.
    let mut body = Vec::with_capacity(1024);
    match serde_json::to_writer(&mut body, value) {
        Ok(()) => HttpResponse::Ok()
            .content_type("application/json")
            .body(body),
        Err(error) => HttpResponse::from_error(ApiError::Internal(error.to_string())),
    }
}
