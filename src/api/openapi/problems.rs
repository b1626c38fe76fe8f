//! What holds for every operation: its headers, and what can be wrong with a request.

use std::collections::BTreeMap;

use serde_json::json;
use utoipa::Modify;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::{HttpMethod, Operation};
use utoipa::openapi::{ContentBuilder, ObjectBuilder, Ref, RefOr, Response, ResponseBuilder, Type};

use crate::api::code::Code;
use crate::api::error::Problem;

/// Adds to every operation what holds for all: the headers of each answer, the 304 of those with an entity
/// tag, and the errors.
pub(super) struct Problems;

/// What can be wrong with any request.
const ANY: &[Code] = &[
    Code::UnknownQueryParameter,
    Code::RouteNotFound,
    Code::NotAcceptable,
    Code::UriTooLong,
    Code::InternalError,
    Code::BadRequest,
];
/// What can be wrong with any body.
const BODY: &[Code] = &[
    Code::MalformedJson,
    Code::BodyTooLarge,
    Code::UnsupportedMediaType,
    Code::UnknownField,
];
/// What can be wrong with how a position or a record is written.
const WRITING: &[Code] = &[
    Code::InvalidField,
    Code::MissingField,
    Code::LimitOutOfRange,
    Code::UnreadableNotation,
    Code::AmbiguousSource,
    Code::UnsupportedSize,
    Code::UnsupportedRule,
];
/// What can be wrong with a position besides.
const POSITION: &[Code] = &[Code::IllegalPosition];
/// What can be wrong with a record that must be legal.
const RECORD: &[Code] = &[Code::IllegalMove];
const STORE: &[Code] = &[Code::DatabaseBusy];
const SEARCH: &[Code] = &[
    Code::EngineQueueFull,
    Code::ShuttingDown,
    Code::DeadlineExceeded,
];

impl Modify for Problems {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        for (name, meaning) in HEADERS {
            components
                .headers
                .insert((*name).into(), header(meaning).into());
        }
        for code in Code::ALL {
            let example = ExampleBuilder::new()
                .summary(code.title())
                .value(Some(example_problem(code)));
            components
                .examples
                .insert(code.name().into(), example.build().into());
        }
        for (path, item) in &mut document.paths.paths {
            for (method, operation) in [
                (HttpMethod::Get, &mut item.get),
                (HttpMethod::Post, &mut item.post),
                (HttpMethod::Patch, &mut item.patch),
                (HttpMethod::Delete, &mut item.delete),
            ] {
                if let Some(operation) = operation {
                    let has_body = matches!(method, HttpMethod::Post | HttpMethod::Patch);
                    let has_tag = method == HttpMethod::Get && TAGGED.contains(&path.as_str());
                    add_problems(operation, &codes_of(path, &method, has_body));
                    if has_tag {
                        add_not_modified(operation);
                    }
                    add_headers(operation, has_tag);
                }
            }
        }
    }
}

fn codes_of(path: &str, method: &HttpMethod, has_body: bool) -> Vec<Code> {
    let own: &[&[Code]] = match path {
        "/v1/replays" => &[WRITING, POSITION],
        "/v1/legal-moves" | "/v1/threats" | "/v1/boards.svg" | "/v1/boards.png"
        | "/v1/boards.txt" => &[WRITING, POSITION, RECORD],
        "/v1/conversions" => &[WRITING],
        "/v1/hints" | "/v1/analyses" | "/v1/proofs" | "/v1/defences" => {
            &[WRITING, POSITION, RECORD, SEARCH, STORE]
        }
        "/v1/reviews" => &[WRITING, POSITION, RECORD, SEARCH, STORE, &[Code::UseJob]],
        "/v1/proofs/{sha256}" => &[&[Code::ProofNotFound], STORE],
        "/v1/proof-checks" => &[&[Code::InvalidField, Code::LimitOutOfRange], SEARCH],
        "/v1/batches" => &[&[
            Code::InvalidField,
            Code::MissingField,
            Code::LimitOutOfRange,
        ]],
        "/v1/jobs" => &[
            WRITING,
            POSITION,
            RECORD,
            &[Code::UseJob, Code::EngineQueueFull],
            STORE,
        ],
        "/v1/jobs/{id}" | "/v1/jobs/{id}/cancellation" => &[&[Code::JobNotFound], STORE],
        "/v1/jobs/{id}/events" => &[
            &[Code::JobNotFound, Code::InvalidField, Code::TooManyStreams],
            STORE,
        ],
        "/v1/games/{id}/review" => &[
            &[
                Code::GameNotFound,
                Code::InvalidField,
                Code::LimitOutOfRange,
                Code::UseJob,
            ],
            STORE,
            SEARCH,
        ],
        "/v1/games" if has_body => &[
            WRITING,
            POSITION,
            RECORD,
            &[
                Code::ResultMismatch,
                Code::IdempotencyInProgress,
                Code::IdempotencyKeyReused,
            ],
            STORE,
        ],
        "/v1/games" => &[
            &[
                Code::MalformedCursor,
                Code::InvalidField,
                Code::LimitOutOfRange,
                Code::UnsupportedSize,
                Code::UnsupportedRule,
            ],
            STORE,
        ],
        "/v1/games/{id}" if has_body => &[
            &[
                Code::GameNotFound,
                Code::InvalidField,
                Code::LimitOutOfRange,
                Code::DuplicateGame,
                Code::PreconditionFailed,
                Code::PreconditionRequired,
            ],
            STORE,
        ],
        "/v1/games/{id}" if *method == HttpMethod::Delete => {
            &[&[Code::GameNotFound, Code::PreconditionFailed], STORE]
        }
        "/v1/games/{id}" => &[&[Code::GameNotFound], STORE],
        "/v1/games/{id}/positions/{ply}" => &[&[Code::GameNotFound, Code::PositionNotFound], STORE],
        "/v1/game-imports" => &[
            &[
                Code::InvalidField,
                Code::UnsupportedSize,
                Code::UnsupportedRule,
                Code::BodyTooLarge,
                Code::UnsupportedMediaType,
            ],
            STORE,
        ],
        "/v1/explorer" => &[WRITING, POSITION, RECORD, STORE],
        "/v1/players" => &[
            &[
                Code::MalformedCursor,
                Code::InvalidField,
                Code::LimitOutOfRange,
            ],
            STORE,
        ],
        "/v1/players/{name}" => &[&[Code::PlayerNotFound], STORE],
        "/v1/statistics" => &[STORE],
        "/v1/problems/{code}" => &[&[Code::RouteNotFound]],
        "/readyz" => &[STORE],
        _ => &[],
    };
    // A file is no JSON, and to cancel a job takes no words.
    let is_json = has_body && !["/v1/game-imports", "/v1/jobs/{id}/cancellation"].contains(&path);
    let body = if is_json { BODY } else { &[] };
    own.iter()
        .copied()
        .chain([ANY, body])
        .flatten()
        .copied()
        .collect()
}

fn add_problems(operation: &mut Operation, codes: &[Code]) {
    let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in codes {
        by_status
            .entry(code.status().as_u16())
            .or_default()
            .push(*code);
    }
    for (status, mut codes) in by_status {
        codes.sort();
        codes.dedup();
        let names: Vec<_> = codes
            .iter()
            .map(|code| format!("`{}`", code.name()))
            .collect();
        let titles: Vec<_> = codes.iter().map(|code| code.title()).collect();
        let examples = codes.iter().map(|code| {
            (
                code.name(),
                RefOr::Ref(Ref::new(format!("#/components/examples/{}", code.name()))),
            )
        });
        let content = ContentBuilder::new()
            .schema(Some(Ref::from_schema_name("Problem")))
            .examples_from_iter(examples)
            .build();
        let response = ResponseBuilder::new()
            .description(format!("{}: {}.", names.join(", "), titles.join("; ")))
            .content(Problem::MEDIA_TYPE, content)
            .build();
        operation
            .responses
            .responses
            .insert(status.to_string(), RefOr::T(response));
    }
}

fn header(meaning: &str) -> Header {
    HeaderBuilder::new()
        .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
        .description(Some(meaning))
        .build()
}

fn example_problem(code: Code) -> serde_json::Value {
    json!({
        "type": format!("/v1/problems/{}", code.name()),
        "title": code.title(),
        "status": code.status().as_u16(),
        "detail": code.title(),
        "code": code,
        "request_id": "019357a4-6c00-7000-8000-000000000000",
        "errors": [],
    })
}

/// The paths whose GET has an entity tag.
const TAGGED: &[&str] = &[
    "/v1/replays",
    "/v1/legal-moves",
    "/v1/threats",
    "/v1/hints",
    "/v1/analyses",
    "/v1/proofs",
    "/v1/proofs/{sha256}",
    "/v1/defences",
    "/v1/boards.svg",
    "/v1/boards.png",
    "/v1/boards.txt",
    "/v1/jobs/{id}",
    "/v1/games/{id}",
    "/v1/games/{id}/positions/{ply}",
    "/v1/games/{id}/review",
    "/v1/rules",
    "/v1/meta",
    "/v1/problems/{code}",
    "/openapi.json",
    "/openapi.yaml",
];

/// Headers that many answers have, by their names, with what they say.
const HEADERS: &[(&str, &str)] = &[
    (
        "X-Request-Id",
        "The request's id: the caller's own, its trace's, or a new one.",
    ),
    (
        "ETag",
        "The answer's strong entity tag, to be sent back in `If-None-Match`.",
    ),
    ("Retry-After", "After how many seconds to try again."),
];

fn add_not_modified(operation: &mut Operation) {
    let response = ResponseBuilder::new().description("The caller has this answer already.");
    let responses = &mut operation.responses.responses;
    responses.insert("304".into(), RefOr::T(response.build()));
}

fn add_headers(operation: &mut Operation, has_tag: bool) {
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(Response { headers, .. }) = response else {
            continue;
        };
        let mut add = |name: &str| {
            let header = RefOr::Ref(Ref::new(format!("#/components/headers/{name}")));
            headers.insert(name.into(), header);
        };
        add("X-Request-Id");
        if has_tag && matches!(status.as_str(), "200" | "304") {
            add("ETag");
        }
        if matches!(status.as_str(), "429" | "503") {
            add("Retry-After");
        }
    }
}
