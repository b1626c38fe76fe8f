//! The OpenAPI document, made from the code, and the pages that show it.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use actix_web::body::MessageBody;
use actix_web::http::header::{ContentEncoding, LOCATION};
use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::{HttpMethod, Operation, ParameterBuilder, ParameterIn};
use utoipa::openapi::{
    ContentBuilder, ObjectBuilder, Ref, RefOr, Required, Response, ResponseBuilder, Schema, Type,
};
use utoipa::{Modify, OpenApi, PartialSchema};
use utoipa_swagger_ui::Config as DocsConfig;

use crate::api::error::{ApiError, Code, Problem};
use crate::api::extract::{Input, NoQuery, QueryKind, QueryName, QueryNames, read_body};
use crate::api::hints::RawHints;
use crate::api::legal_moves::RawLegalMoves;
use crate::api::negotiate::{accept, unchanging};
use crate::api::replays::{Include, RawReplay};
use crate::api::{about, game_list, games, health, hints, legal_moves, replays};
use crate::board::{BoardSize, Color};
use crate::record::Record;
use crate::rules::Rule;
use crate::service::Limits;

const JSON: &str = "application/json";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Tengen",
        description = "Five-in-a-row over HTTP: replay a record under the rules of freestyle, standard, renju or caro, \
            list the legal and the forbidden cells, ask for a move, keep finished games and find them again.\n\n\
            Cells are text: a letter for the column from the left (`i` is used) and a number for the row from the bottom. \
            Every error is `application/problem+json` with a stable `code`.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    tags(
        (name = "positions", description = "What the rules say. Computed, nothing is kept."),
        (name = "analysis", description = "What the engine says. Computed, nothing is kept."),
        (name = "games", description = "Finished games, kept."),
        (name = "service", description = "What this service is and how it is."),
    ),
    paths(
        replays::create_replay, replays::get_replay,
        legal_moves::create_legal_moves, legal_moves::get_legal_moves,
        hints::create_hint, hints::get_hint,
        games::create_game, game_list::list_games, games::get_game,
        about::get_rules, about::get_meta, about::get_problem,
        get_openapi_json, get_openapi_yaml,
        health::get_healthz, health::get_readyz, health::get_metrics,
    ),
    components(schemas(Problem)),
    modifiers(&Twins, &Answers, &Problems)
)]
struct Document;

/// The OpenAPI document of this version.
pub fn document() -> utoipa::openapi::OpenApi {
    Document::openapi()
}

static AS_JSON: LazyLock<String> = LazyLock::new(|| {
    document()
        .to_pretty_json()
        .expect("the document is made of texts and numbers")
});
static AS_YAML: LazyLock<String> = LazyLock::new(|| {
    document()
        .to_yaml()
        .expect("the document is made of texts and numbers")
});

/// This document in JSON.
#[utoipa::path(
    get, path = "/openapi.json", tag = "service",
    responses((status = 200, description = "This document.", body = Object, content_type = "application/json"))
)]
pub async fn get_openapi_json(request: HttpRequest, _: NoQuery) -> Result<HttpResponse, ApiError> {
    accept(&request, "application/json")?;
    unchanging(&request, || {
        Ok(HttpResponse::Ok()
            .content_type("application/json")
            .body(AS_JSON.as_str()))
    })
}

/// This document in YAML.
#[utoipa::path(
    get, path = "/openapi.yaml", tag = "service",
    responses((status = 200, description = "This document.", body = String, content_type = "application/yaml"))
)]
pub async fn get_openapi_yaml(request: HttpRequest, _: NoQuery) -> Result<HttpResponse, ApiError> {
    accept(&request, "application/yaml")?;
    unchanging(&request, || {
        Ok(HttpResponse::Ok()
            .content_type("application/yaml")
            .body(AS_YAML.as_str()))
    })
}

/// The way to the pages that show this document.
pub async fn get_docs() -> HttpResponse {
    HttpResponse::PermanentRedirect()
        .insert_header((LOCATION, "/docs/"))
        .finish()
}

static DOCS: LazyLock<Arc<DocsConfig<'static>>> =
    LazyLock::new(|| Arc::new(DocsConfig::new(["/openapi.json"]).validator_url("none")));

/// A file of the pages that show this document; all are part of the program.
pub async fn get_docs_file(
    request: HttpRequest,
    file: web::Path<String>,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let file = utoipa_swagger_ui::serve(&file, DOCS.clone())
        .map_err(|_| ApiError::Internal)?
        .ok_or(ApiError::RouteNotFound)?;
    unchanging(&request, || {
        let mut response = HttpResponse::Ok();
        if file.gzpipped {
            response.insert_header(ContentEncoding::Gzip);
        }
        Ok(response
            .content_type(file.content_type)
            .body(file.bytes.into_owned()))
    })
}

/// Describes the queries of the GET twins from the table that reads them.
struct Twins;

impl Modify for Twins {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let twins: [(&str, QueryNames, &str); 3] = [
            ("/v1/replays", RawReplay::QUERY, "h8a1h9c1h10e1h12g1h11"),
            ("/v1/legal-moves", RawLegalMoves::QUERY, "h8i9j7"),
            ("/v1/hints", RawHints::QUERY, "h8i9j7"),
        ];
        for (path, names, moves) in twins {
            let operation = document
                .paths
                .paths
                .get_mut(path)
                .and_then(|item| item.get.as_mut())
                .expect("each twin is in the document");
            let parameters = names.iter().copied().flatten().map(|name| {
                let example = if name.name == "moves" {
                    Some(json!(moves))
                } else {
                    None
                };
                ParameterBuilder::new()
                    .name(name.name)
                    .parameter_in(ParameterIn::Query)
                    .required(Required::False)
                    .description(Some(format!(
                        "As `{}` in the body of the POST.{}",
                        name.pointer,
                        name.kind.remark()
                    )))
                    .schema(Some(name_schema(name)))
                    .example(example)
                    .build()
                    .into()
            });
            operation.parameters = Some(parameters.collect());
        }
    }
}

impl QueryKind {
    const fn remark(self) -> &'static str {
        match self {
            QueryKind::List => " Rows from the top, separated by `/`.",
            QueryKind::Text | QueryKind::Number | QueryKind::Flag => "",
        }
    }
}

fn name_schema(name: &QueryName) -> RefOr<Schema> {
    let number = |least, most| {
        ObjectBuilder::new()
            .schema_type(Type::Integer)
            .minimum(Some(least))
            .maximum(Some(most))
            .into()
    };
    match (name.name, name.kind) {
        ("rule", _) => Rule::schema(),
        ("to_move", _) => Color::schema(),
        ("include", _) => Include::schema(),
        ("size", _) => number(
            i64::from(BoardSize::SMALLEST.lines()),
            i64::from(BoardSize::LARGEST.lines()),
        ),
        ("ply", _) => number(0, Record::MOST_PLIES as i64),
        ("count", _) => number(1, Limits::HINT_COUNT),
        (_, QueryKind::Number) => number(1, Limits::HINT_TIME_MS),
        (_, QueryKind::Flag) => ObjectBuilder::new().schema_type(Type::Boolean).into(),
        (_, QueryKind::Text | QueryKind::List) => {
            ObjectBuilder::new().schema_type(Type::String).into()
        }
    }
}

/// Answers every example of a computing POST, so that the document shows what is really answered.
struct Answers;

impl Modify for Answers {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let mut answer = |path: &str, answer: &dyn Fn(&[u8]) -> Result<HttpResponse, ApiError>| {
            let operation = document
                .paths
                .paths
                .get_mut(path)
                .and_then(|item| item.post.as_mut());
            add_answers(operation.expect("each of these paths has a POST"), answer);
        };
        let limits = Limits::default();
        answer("/v1/replays", &|body| {
            Ok(read_body::<RawReplay>(body, &limits)?.answer())
        });
        answer("/v1/legal-moves", &|body| {
            legal_moves::answer(&read_body::<RawLegalMoves>(body, &limits)?)
        });
        answer("/v1/hints", &|body| {
            read_body::<RawHints>(body, &limits)?.answer()
        });
    }
}

fn add_answers(
    operation: &mut Operation,
    answer: &dyn Fn(&[u8]) -> Result<HttpResponse, ApiError>,
) {
    let requests = operation.request_body.as_ref().expect("a POST has a body");
    let Some(RefOr::T(Response { content, .. })) = operation.responses.responses.get_mut("200")
    else {
        panic!("a computing POST answers with 200");
    };
    let (RefOr::T(requests), Some(RefOr::T(answers))) = (requests, content.get_mut(JSON)) else {
        panic!("requests and answers are described in place");
    };
    let Some(RefOr::T(requests)) = requests.content.get(JSON) else {
        panic!("a body is JSON");
    };
    for (name, example) in &requests.examples {
        if let RefOr::T(example) = example {
            let body = example.value.clone().unwrap_or_default().to_string();
            let body = answer(body.as_bytes())
                .expect("an example is a good request")
                .into_body();
            let body = body.try_into_bytes().unwrap_or_default();
            let answered = ExampleBuilder::new()
                .summary(example.summary.clone())
                .value(serde_json::from_slice(&body).ok())
                .build();
            answers.examples.insert(name.clone(), answered.into());
        }
    }
}

/// Adds to every operation what holds for all: the request's id in each answer, and the errors.
struct Problems;

/// What can be wrong with any request.
const ANY: &[Code] = &[
    Code::UnknownQueryParameter,
    Code::RouteNotFound,
    Code::NotAcceptable,
    Code::UriTooLong,
    Code::InternalError,
];
/// What can be wrong with any body.
const BODY: &[Code] = &[
    Code::MalformedJson,
    Code::BodyTooLarge,
    Code::UnsupportedMediaType,
    Code::UnknownField,
];
/// What can be wrong with a position.
const POSITION: &[Code] = &[
    Code::InvalidField,
    Code::MissingField,
    Code::LimitOutOfRange,
    Code::UnreadableNotation,
    Code::AmbiguousSource,
    Code::UnsupportedSize,
    Code::UnsupportedRule,
    Code::IllegalPosition,
];
/// What can be wrong with a record that must be legal.
const RECORD: &[Code] = &[Code::IllegalMove];
const STORE: &[Code] = &[Code::DatabaseBusy];

impl Modify for Problems {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        components
            .headers
            .insert("X-Request-Id".into(), request_id_header().into());
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
            ] {
                if let Some(operation) = operation {
                    let has_body = method == HttpMethod::Post;
                    add_problems(operation, &codes_of(path, has_body));
                    add_headers(operation);
                }
            }
        }
    }
}

fn codes_of(path: &str, has_body: bool) -> Vec<Code> {
    let own: &[&[Code]] = match path {
        "/v1/replays" => &[POSITION],
        "/v1/legal-moves" | "/v1/hints" => &[POSITION, RECORD],
        "/v1/games" if has_body => &[POSITION, RECORD, &[Code::ResultMismatch], STORE],
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
        "/v1/games/{id}" => &[&[Code::GameNotFound], STORE],
        "/v1/problems/{code}" => &[&[Code::RouteNotFound]],
        "/readyz" => &[STORE],
        _ => &[],
    };
    let body = if has_body { BODY } else { &[] };
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

fn request_id_header() -> Header {
    HeaderBuilder::new()
        .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
        .description(Some(
            "The request's id: the caller's own, its trace's, or a new one.",
        ))
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

fn add_headers(operation: &mut Operation) {
    for response in operation.responses.responses.values_mut() {
        if let RefOr::T(Response { headers, .. }) = response {
            headers.insert(
                "X-Request-Id".into(),
                RefOr::Ref(Ref::new("#/components/headers/X-Request-Id")),
            );
        }
    }
}
