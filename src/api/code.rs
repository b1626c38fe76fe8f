//! The stable codes of errors, and the one table from code to status.

use actix_web::http::StatusCode;

use crate::api::text::named;
use crate::record::Fault;
use crate::rules::PlayError;
use crate::rules::forbidden::Kind;

/// The stable name of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// The body is not JSON.
    MalformedJson,
    /// The request is not HTTP as it is understood here.
    BadRequest,
    /// The cursor is not one that this service gave.
    MalformedCursor,
    /// A query name that the endpoint does not know.
    UnknownQueryParameter,
    /// No such path.
    RouteNotFound,
    /// No such game.
    GameNotFound,
    /// The game has no such ply.
    PositionNotFound,
    /// No such player.
    PlayerNotFound,
    /// No such certificate.
    ProofNotFound,
    /// No such job.
    JobNotFound,
    /// The path has no such method.
    MethodNotAllowed,
    /// No representation that the caller accepts.
    NotAcceptable,
    /// A request with the same key is being done.
    IdempotencyInProgress,
    /// The game would become the same as another one.
    DuplicateGame,
    /// The game is not as the caller expects it.
    PreconditionFailed,
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
    /// A move that the rules do not allow.
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
    /// More work than one answer waits for.
    UseJob,
    /// The key was used for another request.
    IdempotencyKeyReused,
    /// The request must say which state it expects.
    PreconditionRequired,
    /// The searches have taken all the time that is for them together.
    EngineBudgetExhausted,
    /// As many streams of events are open as may.
    TooManyStreams,
    /// The service failed.
    InternalError,
    /// Too many searches wait.
    EngineQueueFull,
    /// The database cannot take the request now.
    DatabaseBusy,
    /// The service is being stopped.
    ShuttingDown,
    /// A search has taken longer than it may.
    DeadlineExceeded,
}

/// What stands in the table of codes: name, status, title.
type Entry = (&'static str, StatusCode, &'static str);

impl Code {
    /// All of them, by status.
    pub const ALL: [Code; 48] = [
        Code::MalformedJson,
        Code::BadRequest,
        Code::MalformedCursor,
        Code::UnknownQueryParameter,
        Code::RouteNotFound,
        Code::GameNotFound,
        Code::PositionNotFound,
        Code::PlayerNotFound,
        Code::ProofNotFound,
        Code::JobNotFound,
        Code::MethodNotAllowed,
        Code::NotAcceptable,
        Code::IdempotencyInProgress,
        Code::DuplicateGame,
        Code::PreconditionFailed,
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
        Code::UseJob,
        Code::IdempotencyKeyReused,
        Code::PreconditionRequired,
        Code::EngineBudgetExhausted,
        Code::TooManyStreams,
        Code::InternalError,
        Code::EngineQueueFull,
        Code::DatabaseBusy,
        Code::ShuttingDown,
        Code::DeadlineExceeded,
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
            Code::BadRequest => (
                "bad_request",
                S::BAD_REQUEST,
                "The request is not HTTP as it is understood here",
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
            Code::PositionNotFound => (
                "position_not_found",
                S::NOT_FOUND,
                "The game has no such ply",
            ),
            Code::PlayerNotFound => (
                "player_not_found",
                S::NOT_FOUND,
                "There is no player with this name",
            ),
            Code::ProofNotFound => (
                "proof_not_found",
                S::NOT_FOUND,
                "There is no certificate with this id",
            ),
            Code::JobNotFound => (
                "job_not_found",
                S::NOT_FOUND,
                "There is no job with this id",
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
            Code::IdempotencyInProgress => (
                "idempotency_in_progress",
                S::CONFLICT,
                "A request with this Idempotency-Key is being done",
            ),
            Code::DuplicateGame => (
                "duplicate_game",
                S::CONFLICT,
                "The game would become the same as another one",
            ),
            Code::PreconditionFailed => (
                "precondition_failed",
                S::PRECONDITION_FAILED,
                "The game is not as If-Match expects it",
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
            Code::IllegalMove => (
                "illegal_move",
                UNPROCESSABLE,
                "A move that the rules do not allow",
            ),
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
            Code::UseJob => (
                "use_job",
                UNPROCESSABLE,
                "This is more work than one answer waits for",
            ),
            Code::IdempotencyKeyReused => (
                "idempotency_key_reused",
                UNPROCESSABLE,
                "The Idempotency-Key was used for another request",
            ),
            Code::PreconditionRequired => (
                "precondition_required",
                S::PRECONDITION_REQUIRED,
                "A change must say by If-Match which state it expects",
            ),
            Code::EngineBudgetExhausted => (
                "engine_budget_exhausted",
                S::TOO_MANY_REQUESTS,
                "The searches have taken all the time that is for them together",
            ),
            Code::TooManyStreams => (
                "too_many_streams",
                S::TOO_MANY_REQUESTS,
                "As many streams of events are open as may",
            ),
            Code::InternalError => (
                "internal_error",
                S::INTERNAL_SERVER_ERROR,
                "The service failed",
            ),
            Code::EngineQueueFull => (
                "engine_queue_full",
                S::SERVICE_UNAVAILABLE,
                "Too many searches or jobs wait",
            ),
            Code::DatabaseBusy => (
                "database_busy",
                S::SERVICE_UNAVAILABLE,
                "The database cannot take the request now",
            ),
            Code::ShuttingDown => (
                "shutting_down",
                S::SERVICE_UNAVAILABLE,
                "The service is being stopped",
            ),
            Code::DeadlineExceeded => (
                "deadline_exceeded",
                S::GATEWAY_TIMEOUT,
                "A search has taken longer than it may",
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
    pub const fn heading(self) -> Code {
        match self {
            Code::StoneCountMismatch | Code::TwoWinners => Code::IllegalPosition,
            other => other,
        }
    }

    /// The code of a fault in a record.
    pub const fn of_fault(fault: &Fault) -> Code {
        match fault {
            Fault::OffBoard => Code::OffBoard,
            Fault::Occupied => Code::Occupied,
            Fault::AfterGameEnd => Code::AfterGameEnd,
            Fault::PassNotAllowed => Code::PassNotAllowed,
            Fault::Forbidden(kind, _) => Code::of_kind(*kind),
        }
    }

    /// The code of what may not be played in a position.
    pub const fn of_refusal(error: PlayError) -> Code {
        match error {
            PlayError::OffBoard => Code::OffBoard,
            PlayError::Occupied => Code::Occupied,
            PlayError::GameOver => Code::AfterGameEnd,
            PlayError::PassNotAllowed => Code::PassNotAllowed,
            PlayError::Forbidden(kind) => Code::of_kind(kind),
        }
    }

    const fn of_kind(kind: Kind) -> Code {
        match kind {
            Kind::Overline => Code::ForbiddenOverline,
            Kind::DoubleFour => Code::ForbiddenDoubleFour,
            Kind::DoubleThree => Code::ForbiddenDoubleThree,
        }
    }
}

named!(Code, "The stable name of an error.");

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
