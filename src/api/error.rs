//! Errors as callers see them: one stable code each (`code.rs`) and one body.

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderMap, HeaderValue};
use actix_web::{HttpResponse, ResponseError};
use serde::Serialize;
use thiserror::Error;
use utoipa::ToSchema;

use crate::api::code::Code;
use crate::api::query::{QueryNames, name_of};
use crate::api::replays::ResultView;
use crate::record::{ResultMismatch, Violation};
use crate::service::{GateShut, Limits, SearchError, SearcherError};
use crate::store::{GameId, StoreError};

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
    /// How the stones ended the game, where a claim contradicts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ResultView>, nullable = false)]
    pub evidence: Option<serde_json::Value>,
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
    /// Moves to choose from or to leave out that may not be played.
    #[error("{} that may not be played", count(.0.len(), "move"))]
    IllegalChoice(Vec<InputError>),
    /// The claimed end of a game is not that of the stones.
    #[error("{0}")]
    ResultMismatch(ResultMismatch, Option<serde_json::Value>),
    /// No such path.
    #[error("there is nothing at this path")]
    RouteNotFound,
    /// No such game.
    #[error("there is no game with this id")]
    GameNotFound,
    /// The game has no such ply.
    #[error("the game has no such ply; its plies are counted from 0 without leading zeros")]
    PositionNotFound,
    /// A request with the same key is being done.
    #[error("a request with this Idempotency-Key is being done; try again in a moment")]
    IdempotencyInProgress,
    /// The key was used for something else.
    #[error(
        "this Idempotency-Key was used for another game within the last 24 hours, or its game is deleted"
    )]
    IdempotencyKeyReused,
    /// The game would become the same as this one.
    #[error("with this change the game would be the same as the game {0}")]
    DuplicateGame(GameId),
    /// The game is not as the caller expects it.
    #[error("the game has changed since; read it again")]
    PreconditionFailed,
    /// The request must say which state it expects.
    #[error("send the game's ETag in If-Match, or * for whatever it is")]
    PreconditionRequired,
    /// No such job.
    #[error("there is no job with this id")]
    JobNotFound,
    /// As many jobs wait as may.
    #[error("too many jobs wait already; try again in a moment")]
    JobsFull,
    /// As many streams of events are open as may.
    #[error("too many streams of events are open; try again in a moment")]
    TooManyStreams,
    /// No such player.
    #[error("no kept game has a player with this name")]
    PlayerNotFound,
    /// No such certificate.
    #[error("no certificate with this id is kept")]
    ProofNotFound,
    /// The path has no such method.
    #[error("this path has the methods {0}")]
    MethodNotAllowed(&'static str),
    /// No representation that the caller accepts.
    #[error("this path answers with {0}")]
    NotAcceptable(String),
    /// The body is longer than the limit, in octets.
    #[error("a body has at most {0} octets here")]
    BodyTooLarge(usize),
    /// Path and query are longer than the limit, in octets.
    #[error("path and query have at most {0} octets together")]
    UriTooLong(usize),
    /// The body is of a type that is not read.
    #[error("send application/json in UTF-8 and without a content encoding")]
    UnsupportedMediaType,
    /// A file of no format that is known, or in a content encoding.
    #[error("{0}")]
    UnsupportedFile(String),
    /// The service failed, for a cause that goes to the log and not to the caller.
    #[error("the service failed; its log tells why under this request id")]
    Internal(String),
    /// The request is not HTTP as it is understood here.
    #[error("{0}")]
    BadRequest(String),
    /// The database cannot take the request now.
    #[error("the database is busy; try again in a moment")]
    DatabaseBusy,
    /// The server of the database has gone.
    #[error("the database cannot be reached; try again in a moment")]
    DatabaseAway,
    /// The database's disk is full.
    #[error("the database cannot be written: its disk is full or failing")]
    DatabaseFull,
    /// As many imports run as may.
    #[error("{0}; try again in a moment")]
    ImportsBusy(#[from] GateShut),
    /// Too many searches wait, or this one has waited too long.
    #[error("{0}; try again in a moment")]
    EngineQueueFull(SearchError),
    /// A search has taken longer than it may.
    #[error("the search took longer than it may and was given up")]
    DeadlineExceeded,
    /// The items of a batch before this one have waited for too long.
    #[error("the items before this one have taken too long")]
    BatchOverdue,
    /// The searches before have taken all the time that is for all of them.
    #[error("the searches before this one have taken all of the budget")]
    BudgetExhausted,
    /// The service is being stopped.
    #[error("the service is being stopped")]
    ShuttingDown,
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
                evidence: None,
            });
        ApiError::IllegalMove(errors.collect())
    }

    /// The error with its places named as in a query instead of a body.
    #[must_use]
    pub fn into_query(mut self, names: QueryNames) -> ApiError {
        if let ApiError::Input(errors)
        | ApiError::IllegalMove(errors)
        | ApiError::IllegalChoice(errors) = &mut self
        {
            for error in errors {
                error.pointer = name_of(&error.pointer, names);
            }
        }
        self
    }

    /// The error with its places told as of a part of a body, which lies at this pointer.
    #[must_use]
    pub fn below(mut self, pointer: &str) -> ApiError {
        if let ApiError::Input(errors)
        | ApiError::IllegalMove(errors)
        | ApiError::IllegalChoice(errors) = &mut self
        {
            for error in errors {
                error.pointer.insert_str(0, pointer);
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
            ApiError::IllegalMove(_) | ApiError::IllegalChoice(_) => Code::IllegalMove,
            ApiError::ResultMismatch(..) => Code::ResultMismatch,
            ApiError::RouteNotFound => Code::RouteNotFound,
            ApiError::GameNotFound => Code::GameNotFound,
            ApiError::PositionNotFound => Code::PositionNotFound,
            ApiError::IdempotencyInProgress => Code::IdempotencyInProgress,
            ApiError::IdempotencyKeyReused => Code::IdempotencyKeyReused,
            ApiError::DuplicateGame(_) => Code::DuplicateGame,
            ApiError::PreconditionFailed => Code::PreconditionFailed,
            ApiError::PreconditionRequired => Code::PreconditionRequired,
            ApiError::JobNotFound => Code::JobNotFound,
            ApiError::TooManyStreams => Code::TooManyStreams,
            ApiError::PlayerNotFound => Code::PlayerNotFound,
            ApiError::ProofNotFound => Code::ProofNotFound,
            ApiError::MethodNotAllowed(_) => Code::MethodNotAllowed,
            ApiError::NotAcceptable(_) => Code::NotAcceptable,
            ApiError::BodyTooLarge(_) => Code::BodyTooLarge,
            ApiError::UriTooLong(_) => Code::UriTooLong,
            ApiError::UnsupportedMediaType | ApiError::UnsupportedFile(_) => {
                Code::UnsupportedMediaType
            }
            ApiError::Internal(_) => Code::InternalError,
            ApiError::BadRequest(_) => Code::BadRequest,
            ApiError::DatabaseBusy
            | ApiError::DatabaseAway
            | ApiError::DatabaseFull
            | ApiError::ImportsBusy(_) => Code::DatabaseBusy,
            ApiError::EngineQueueFull(_) | ApiError::JobsFull => Code::EngineQueueFull,
            ApiError::DeadlineExceeded | ApiError::BatchOverdue => Code::DeadlineExceeded,
            ApiError::BudgetExhausted => Code::EngineBudgetExhausted,
            ApiError::ShuttingDown => Code::ShuttingDown,
        }
    }

    fn errors(&self) -> Vec<InputError> {
        let one = |pointer: &str, code, evidence: &Option<serde_json::Value>| {
            vec![InputError {
                pointer: pointer.into(),
                code,
                detail: self.to_string(),
                evidence: evidence.clone(),
            }]
        };
        match self {
            ApiError::Input(errors)
            | ApiError::IllegalMove(errors)
            | ApiError::IllegalChoice(errors) => errors.clone(),
            ApiError::ResultMismatch(ResultMismatch::Result(_), evidence) => {
                one("/result", Code::ResultMismatch, evidence)
            }
            ApiError::ResultMismatch(_, evidence) => {
                one("/termination", Code::ResultMismatch, evidence)
            }
            _ => Vec::new(),
        }
    }

    /// What the caller is told; the cause of a failure goes to the log.
    pub fn problem(&self, request_id: &str) -> Problem {
        if let ApiError::Internal(cause) = self {
            tracing::error!(request_id, cause, "the service failed");
        }
        let code = self.code();
        Problem {
            kind: format!("/v1/problems/{}", code.name()),
            title: code.title().into(),
            status: code.status().as_u16(),
            detail: self.to_string(),
            code,
            request_id: request_id.into(),
            errors: self.errors(),
        }
    }

    /// The answer to the caller.
    pub fn respond(&self, request_id: &str) -> HttpResponse {
        let problem = self.problem(request_id);
        let mut response = HttpResponse::build(self.status_code())
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
            ApiError::DatabaseBusy
            | ApiError::DatabaseAway
            | ApiError::DatabaseFull
            | ApiError::ImportsBusy(_)
            | ApiError::EngineQueueFull(_)
            | ApiError::JobsFull
            | ApiError::TooManyStreams
            | ApiError::IdempotencyInProgress
            | ApiError::ShuttingDown => {
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

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        match error {
            StoreError::Busy => ApiError::DatabaseBusy,
            StoreError::Away(_) => {
                tracing::error!(%error, "the database does not answer");
                ApiError::DatabaseAway
            }
            StoreError::Full => {
                tracing::error!(%error, "the database cannot be written");
                ApiError::DatabaseFull
            }
            StoreError::Ending => ApiError::ShuttingDown,
            StoreError::Database(_)
            | StoreError::Corrupt(_)
            | StoreError::Migration(_)
            | StoreError::NoGame
            | StoreError::NoText
            | StoreError::Foreign
            | StoreError::Newer
            | StoreError::Unsupported(_)
            | StoreError::UnknownUrl => ApiError::Internal(error.to_string()),
        }
    }
}

impl From<SearchError> for ApiError {
    fn from(error: SearchError) -> ApiError {
        match error {
            SearchError::QueueFull | SearchError::WaitedTooLong | SearchError::GaveWay => {
                ApiError::EngineQueueFull(error)
            }
            SearchError::BudgetSpent => ApiError::BudgetExhausted,
            SearchError::Overran => ApiError::DeadlineExceeded,
            SearchError::Cancelled => ApiError::ShuttingDown,
            SearchError::Failed => ApiError::Internal(error.to_string()),
        }
    }
}

impl From<SearcherError> for ApiError {
    fn from(error: SearcherError) -> ApiError {
        match error {
            SearcherError::Search(error) => error.into(),
            SearcherError::Store(error) => error.into(),
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
