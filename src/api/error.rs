//! Errors as callers see them: one stable code each, one table from code to status, one body.

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderMap, HeaderValue};
use actix_web::{HttpResponse, ResponseError};
use serde::Serialize;
use thiserror::Error;
use utoipa::ToSchema;

use crate::api::extract::query_name;
use crate::api::position;
use crate::api::text::named;
use crate::record::{Fault, ResultMismatch, Violation};
use crate::service::Limits;
use crate::store::StoreError;

/// The stable name of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// The body is not JSON.
    MalformedJson,
    /// The cursor is not one that this service gave.
    MalformedCursor,
    /// A query name that the endpoint does not know.
    UnknownQueryParameter,
    /// No such path.
    RouteNotFound,
    /// No such game.
    GameNotFound,
    /// The path has no such method.
    MethodNotAllowed,
    /// No representation that the caller accepts.
    NotAcceptable,
    /// The body is longer than the limit.
    BodyTooLarge,
    /// Path and query are longer than the limit.
    UriTooLong,
    /// The body is of a type that is not read.
    UnsupportedMediaType,
    /// A member of the wrong type or with a value that cannot be.
    InvalidField,
    /// A member that the endpoint does not know.
    UnknownField,
    /// A member that is needed is absent.
    MissingField,
    /// A number or a length beyond its limits.
    LimitOutOfRange,
    /// A text that is no move.
    UnreadableNotation,
    /// More than one source of the position.
    AmbiguousSource,
    /// A size that no board has.
    UnsupportedSize,
    /// A rule that is not played here.
    UnsupportedRule,
    /// The record breaks the rules.
    IllegalMove,
    /// A stone off the board.
    OffBoard,
    /// A stone on a stone.
    Occupied,
    /// A ply after the end of the game.
    AfterGameEnd,
    /// A pass where the rule has none.
    PassNotAllowed,
    /// An overline of Black's in renju.
    ForbiddenOverline,
    /// A double four of Black's in renju.
    ForbiddenDoubleFour,
    /// A double three of Black's in renju.
    ForbiddenDoubleThree,
    /// The board cannot be a position.
    IllegalPosition,
    /// The numbers of stones do not fit together.
    StoneCountMismatch,
    /// Both sides have won.
    TwoWinners,
    /// The claimed result is not that of the stones.
    ResultMismatch,
    /// The service failed.
    InternalError,
    /// The database cannot take the request now.
    DatabaseBusy,
}

/// What stands in the table of codes: name, status, title.
type Entry = (&'static str, StatusCode, &'static str);

impl Code {
    /// All of them, by status.
    pub const ALL: [Code; 32] = [
        Code::MalformedJson,
        Code::MalformedCursor,
        Code::UnknownQueryParameter,
        Code::RouteNotFound,
        Code::GameNotFound,
        Code::MethodNotAllowed,
        Code::NotAcceptable,
        Code::BodyTooLarge,
        Code::UriTooLong,
        Code::UnsupportedMediaType,
        Code::InvalidField,
        Code::UnknownField,
        Code::MissingField,
        Code::LimitOutOfRange,
        Code::UnreadableNotation,
        Code::AmbiguousSource,
        Code::UnsupportedSize,
        Code::UnsupportedRule,
        Code::IllegalMove,
        Code::OffBoard,
        Code::Occupied,
        Code::AfterGameEnd,
        Code::PassNotAllowed,
        Code::ForbiddenOverline,
        Code::ForbiddenDoubleFour,
        Code::ForbiddenDoubleThree,
        Code::IllegalPosition,
        Code::StoneCountMismatch,
        Code::TwoWinners,
        Code::ResultMismatch,
        Code::InternalError,
        Code::DatabaseBusy,
    ];

    const fn entry(self) -> Entry {
        use StatusCode as S;
        const UNPROCESSABLE: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;
        match self {
            Code::MalformedJson => (
                "malformed_json",
                S::BAD_REQUEST,
                "The body is not JSON in UTF-8",
            ),
            Code::MalformedCursor => (
                "malformed_cursor",
                S::BAD_REQUEST,
                "The cursor is not one that this service gave",
            ),
            Code::UnknownQueryParameter => (
                "unknown_query_parameter",
                S::BAD_REQUEST,
                "The endpoint does not know this query name",
            ),
            Code::RouteNotFound => (
                "route_not_found",
                S::NOT_FOUND,
                "There is nothing at this path",
            ),
            Code::GameNotFound => (
                "game_not_found",
                S::NOT_FOUND,
                "There is no game with this id",
            ),
            Code::MethodNotAllowed => (
                "method_not_allowed",
                S::METHOD_NOT_ALLOWED,
                "The path does not have this method",
            ),
            Code::NotAcceptable => (
                "not_acceptable",
                S::NOT_ACCEPTABLE,
                "No representation that the caller accepts",
            ),
            Code::BodyTooLarge => (
                "body_too_large",
                S::PAYLOAD_TOO_LARGE,
                "The body is too long",
            ),
            Code::UriTooLong => (
                "uri_too_long",
                S::URI_TOO_LONG,
                "Path and query are too long",
            ),
            Code::UnsupportedMediaType => (
                "unsupported_media_type",
                S::UNSUPPORTED_MEDIA_TYPE,
                "The body is of a type that is not read",
            ),
            Code::InvalidField => (
                "invalid_field",
                UNPROCESSABLE,
                "A member has the wrong type or value",
            ),
            Code::UnknownField => (
                "unknown_field",
                UNPROCESSABLE,
                "The endpoint does not know this member",
            ),
            Code::MissingField => (
                "missing_field",
                UNPROCESSABLE,
                "A member that is needed is absent",
            ),
            Code::LimitOutOfRange => (
                "limit_out_of_range",
                UNPROCESSABLE,
                "A number or length is beyond its limits",
            ),
            Code::UnreadableNotation => ("unreadable_notation", UNPROCESSABLE, "A text is no move"),
            Code::AmbiguousSource => (
                "ambiguous_source",
                UNPROCESSABLE,
                "The position has more than one source",
            ),
            Code::UnsupportedSize => ("unsupported_size", UNPROCESSABLE, "No board has this size"),
            Code::UnsupportedRule => (
                "unsupported_rule",
                UNPROCESSABLE,
                "This rule is not played here",
            ),
            Code::IllegalMove => ("illegal_move", UNPROCESSABLE, "The record breaks the rules"),
            Code::OffBoard => ("off_board", UNPROCESSABLE, "A stone off the board"),
            Code::Occupied => ("occupied", UNPROCESSABLE, "A stone on an occupied cell"),
            Code::AfterGameEnd => (
                "after_game_end",
                UNPROCESSABLE,
                "A ply after the end of the game",
            ),
            Code::PassNotAllowed => (
                "pass_not_allowed",
                UNPROCESSABLE,
                "A pass where the rule has none",
            ),
            Code::ForbiddenOverline => (
                "forbidden_overline",
                UNPROCESSABLE,
                "Black may not make an overline",
            ),
            Code::ForbiddenDoubleFour => (
                "forbidden_double_four",
                UNPROCESSABLE,
                "Black may not make a double four",
            ),
            Code::ForbiddenDoubleThree => (
                "forbidden_double_three",
                UNPROCESSABLE,
                "Black may not make a double three",
            ),
            Code::IllegalPosition => (
                "illegal_position",
                UNPROCESSABLE,
                "The board cannot be a position",
            ),
            Code::StoneCountMismatch => (
                "stone_count_mismatch",
                UNPROCESSABLE,
                "The numbers of stones do not fit together",
            ),
            Code::TwoWinners => (
                "two_winners",
                UNPROCESSABLE,
                "Both sides have a winning line",
            ),
            Code::ResultMismatch => (
                "result_mismatch",
                UNPROCESSABLE,
                "The claimed end of the game is not that of the stones",
            ),
            Code::InternalError => (
                "internal_error",
                S::INTERNAL_SERVER_ERROR,
                "The service failed",
            ),
            Code::DatabaseBusy => (
                "database_busy",
                S::SERVICE_UNAVAILABLE,
                "The database cannot take the request now",
            ),
        }
    }

    /// The name, as `illegal_move`.
    pub const fn name(self) -> &'static str {
        self.entry().0
    }

    /// The HTTP status that goes with it.
    pub const fn status(self) -> StatusCode {
        self.entry().1
    }

    /// What it means, in one line.
    pub const fn title(self) -> &'static str {
        self.entry().2
    }

    /// The code of an answer in which this one comes first.
    const fn heading(self) -> Code {
        match self {
            Code::StoneCountMismatch | Code::TwoWinners => Code::IllegalPosition,
            other => other,
        }
    }

    /// The code of a fault in a record.
    pub const fn of_fault(fault: &Fault) -> Code {
        use crate::rules::forbidden::Kind;
        match fault {
            Fault::OffBoard => Code::OffBoard,
            Fault::Occupied => Code::Occupied,
            Fault::AfterGameEnd => Code::AfterGameEnd,
            Fault::PassNotAllowed => Code::PassNotAllowed,
            Fault::Forbidden(Kind::Overline, _) => Code::ForbiddenOverline,
            Fault::Forbidden(Kind::DoubleFour, _) => Code::ForbiddenDoubleFour,
            Fault::Forbidden(Kind::DoubleThree, _) => Code::ForbiddenDoubleThree,
        }
    }
}

named!(Code, "The stable name of an error.");

/// One fault in a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct InputError {
    /// Where: a JSON pointer into the body, or the name in the query.
    #[schema(example = "/position/moves/3")]
    pub pointer: String,
    /// What.
    pub code: Code,
    /// What, in words.
    pub detail: String,
}

/// An error that ends a request.
#[derive(Debug, Error)]
pub enum ApiError {
    /// The body is not JSON.
    #[error("{0}")]
    MalformedJson(String),
    /// Faults in the members of a body or the names of a query; never empty.
    #[error("{} in the request", count(.0.len(), "fault"))]
    Input(Vec<InputError>),
    /// The record breaks the rules.
    #[error("the record has {}", count(.0.len(), "violation"))]
    IllegalMove(Vec<InputError>),
    /// The claimed end of a game is not that of the stones.
    #[error("{0}")]
    ResultMismatch(ResultMismatch),
    /// No such path.
    #[error("there is nothing at this path")]
    RouteNotFound,
    /// No such game.
    #[error("there is no game with this id")]
    GameNotFound,
    /// The path has no such method.
    #[error("this path has the methods {0}")]
    MethodNotAllowed(&'static str),
    /// No representation that the caller accepts.
    #[error("this path answers with {0}")]
    NotAcceptable(&'static str),
    /// The body is longer than the limit, in octets.
    #[error("a body has at most {0} octets here")]
    BodyTooLarge(usize),
    /// Path and query are longer than the limit, in octets.
    #[error("path and query have at most {0} octets together")]
    UriTooLong(usize),
    /// The body is of a type that is not read.
    #[error("send application/json in UTF-8 and without a content encoding")]
    UnsupportedMediaType,
    /// The service failed; the cause goes to the log, not to the caller.
    #[error("the service failed; its log tells why under this request id")]
    Internal,
    /// The database cannot take the request now.
    #[error("the database is busy; try again in a moment")]
    DatabaseBusy,
}

fn count(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    let bound = if number >= Limits::ERRORS {
        "at least "
    } else {
        ""
    };
    format!("{bound}{number} {noun}{ending}")
}

impl ApiError {
    /// The violations of a record as an error, each at its ply.
    pub fn of_violations(violations: &[Violation], moves_are_listed: bool) -> ApiError {
        let errors = violations
            .iter()
            .take(Limits::ERRORS)
            .map(|violation| InputError {
                pointer: if moves_are_listed {
                    format!("/position/moves/{}", violation.ply - 1)
                } else {
                    "/position/moves".into()
                },
                code: Code::of_fault(&violation.fault),
                detail: format!(
                    "ply {}, {}: {}",
                    violation.ply, violation.played, violation.fault
                ),
            });
        ApiError::IllegalMove(errors.collect())
    }

    /// The error with its places named as in a query instead of a body.
    #[must_use]
    pub fn into_query(mut self) -> ApiError {
        if let ApiError::IllegalMove(errors) = &mut self {
            for error in errors {
                error.pointer = query_name(&error.pointer, &[position::QUERY]);
            }
        }
        self
    }

    /// The code of the whole.
    pub fn code(&self) -> Code {
        match self {
            ApiError::MalformedJson(_) => Code::MalformedJson,
            ApiError::Input(errors) => errors
                .first()
                .map_or(Code::InvalidField, |error| error.code.heading()),
            ApiError::IllegalMove(_) => Code::IllegalMove,
            ApiError::ResultMismatch(_) => Code::ResultMismatch,
            ApiError::RouteNotFound => Code::RouteNotFound,
            ApiError::GameNotFound => Code::GameNotFound,
            ApiError::MethodNotAllowed(_) => Code::MethodNotAllowed,
            ApiError::NotAcceptable(_) => Code::NotAcceptable,
            ApiError::BodyTooLarge(_) => Code::BodyTooLarge,
            ApiError::UriTooLong(_) => Code::UriTooLong,
            ApiError::UnsupportedMediaType => Code::UnsupportedMediaType,
            ApiError::Internal => Code::InternalError,
            ApiError::DatabaseBusy => Code::DatabaseBusy,
        }
    }

    fn errors(&self) -> Vec<InputError> {
        let one = |pointer: &str, code| {
            vec![InputError {
                pointer: pointer.into(),
                code,
                detail: self.to_string(),
            }]
        };
        match self {
            ApiError::Input(errors) | ApiError::IllegalMove(errors) => errors.clone(),
            ApiError::ResultMismatch(ResultMismatch::Result(_)) => {
                one("/result", Code::ResultMismatch)
            }
            ApiError::ResultMismatch(_) => one("/termination", Code::ResultMismatch),
            _ => Vec::new(),
        }
    }

    /// The answer to the caller.
    pub fn respond(&self, request_id: &str) -> HttpResponse {
        let code = self.code();
        let problem = Problem {
            kind: format!("/v1/problems/{}", code.name()),
            title: code.title().into(),
            status: code.status().as_u16(),
            detail: self.to_string(),
            code,
            request_id: request_id.into(),
            errors: self.errors(),
        };
        let mut response = HttpResponse::build(code.status())
            .content_type(Problem::MEDIA_TYPE)
            .body(serde_json::to_vec(&problem).unwrap_or_default());
        self.add_headers(response.headers_mut());
        response
    }

    fn add_headers(&self, headers: &mut HeaderMap) {
        match self {
            ApiError::MethodNotAllowed(allow) => {
                headers.insert(header::ALLOW, HeaderValue::from_static(allow));
            }
            ApiError::DatabaseBusy => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
    }
}

/// Turned into a full answer by the envelope, which knows the request's id.
impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.code().status()
    }

    fn error_response(&self) -> HttpResponse {
        HttpResponse::new(self.status_code())
    }
}

impl From<ResultMismatch> for ApiError {
    fn from(error: ResultMismatch) -> ApiError {
        ApiError::ResultMismatch(error)
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        match error {
            StoreError::Busy => ApiError::DatabaseBusy,
            StoreError::Database(_)
            | StoreError::Corrupt(_)
            | StoreError::Migration(_)
            | StoreError::UnknownUrl => {
                tracing::error!(%error, "the store failed");
                ApiError::Internal
            }
        }
    }
}

/// The body of every error (RFC 9457).
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Problem {
    /// Where the code is explained.
    #[serde(rename = "type")]
    #[schema(format = "uri-reference", example = "/v1/problems/illegal_move")]
    pub kind: String,
    /// What the code means.
    pub title: String,
    /// The HTTP status.
    #[schema(minimum = 400, maximum = 599)]
    pub status: u16,
    /// What happened this time.
    pub detail: String,
    /// The stable name.
    pub code: Code,
    /// The request's id, as in `X-Request-Id`.
    pub request_id: String,
    /// The faults, each at its place; at most twenty.
    #[schema(max_items = 20)]
    pub errors: Vec<InputError>,
}

impl Problem {
    /// The media type of errors.
    pub const MEDIA_TYPE: &'static str = "application/problem+json";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_listed_once_under_its_own_name() {
        let mut names: Vec<_> = Code::ALL.iter().map(|code| code.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
        assert!(
            Code::ALL
                .iter()
                .all(|code| code.status().is_client_error() || code.status().is_server_error())
        );
    }
}
