//! The OpenAPI document, made from the code: what the endpoints say of themselves, and on top of it what
//! holds for all of them and what tables and code know better than words.

mod problems;

use std::sync::LazyLock;

use actix_web::HttpResponse;
use actix_web::body::MessageBody;
use serde_json::json;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::{ObjectBuilder, RefOr, Required, Response, Schema, Type};
use utoipa::{Modify, OpenApi, PartialSchema};

use crate::api::analyses::RawAnalysis;
use crate::api::answer::ok;
use crate::api::boards::{RawPng, RawSvg, RawText};
use crate::api::conversions::RawConversion;
use crate::api::defences::{DefenceClass, RawDefences};
use crate::api::error::{ApiError, Problem};
use crate::api::extract::{Input, read_body};
use crate::api::finding::Pov;
use crate::api::hints::{RawHints, Reveal};
use crate::api::legal_moves::RawLegalMoves;
use crate::api::openapi::problems::Problems;
use crate::api::position;
use crate::api::proofs::RawProof;
use crate::api::query::{QueryKind, QueryName, QueryNames};
use crate::api::replays::{Include, RawReplay};
use crate::api::reviews::RawReview;
use crate::api::threats::RawThreats;
use crate::api::{
    about, analyses, batches, boards, certificates, conversions, defences, documents, explorer,
    game_change, game_files, game_list, games, health, hints, imports, job_events, jobs,
    legal_moves, players, proof_checks, proofs, replays, reviews, statistics, threats,
};
use crate::board::{BoardSize, Color, Symmetry};
use crate::engine::{Force, Level};
use crate::picture::{Pixels, Theme};
use crate::record::Record;
use crate::rules::Rule;
use crate::service::Limits;

const JSON: &str = "application/json";
const PLAIN: &str = "text/plain";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Tengen",
        description = "Five-in-a-row over HTTP: replay a record under the rules of freestyle, standard, renju or caro, \
            list the legal and the forbidden cells and the threats, ask for a move, an analysis or the review of a game, \
            draw a position, convert game files, keep finished games, find them again and see what was played in them.\n\n\
            Cells are text: a letter for the column from the left (`i` is used) and a number for the row from the bottom. \
            Every error is `application/problem+json` with a stable `code`.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    tags(
        (name = "positions", description = "What the rules say. Computed, nothing is kept."),
        (name = "analysis", description = "What the engine says. Computed, nothing is kept."),
        (name = "proofs", description = "Forced wins, shown and checked. Certificates are kept."),
        (name = "jobs", description = "Long work, done beside the requests."),
        (name = "pictures", description = "Positions drawn. Computed, nothing is kept."),
        (name = "files", description = "Game files of one format as another. Computed, nothing is kept."),
        (name = "games", description = "Finished games, kept."),
        (name = "collection", description = "What the kept games tell together."),
        (name = "service", description = "What this service is and how it is."),
    ),
    paths(
        replays::create_replay, replays::get_replay,
        legal_moves::create_legal_moves, legal_moves::get_legal_moves,
        threats::create_threats, threats::get_threats,
        hints::create_hint, hints::get_hint,
        analyses::create_analysis, analyses::get_analysis,
        reviews::create_review, reviews::get_review,
        proofs::create_proof, proofs::get_proof, certificates::get_certificate,
        proof_checks::create_proof_check,
        defences::create_defences, defences::get_defences,
        batches::create_batch,
        jobs::create_job, jobs::get_job, job_events::get_job_events, jobs::cancel_job,
        games::create_game, game_list::list_games, game_files::get_game, game_files::get_position,
        game_change::change_game, game_change::delete_game,
        boards::create_svg, boards::get_svg, boards::create_png, boards::get_png, boards::create_text, boards::get_text,
        conversions::create_conversion,
        imports::create_import,
        explorer::get_explorer, players::list_players, players::get_player, statistics::get_statistics,
        about::get_rules, about::get_meta, about::get_problem,
        documents::get_openapi_json, documents::get_openapi_yaml,
        health::get_healthz, health::get_readyz, health::get_metrics,
    ),
    components(schemas(Problem, game_list::Sort)),
    modifiers(&Twins, &Answers, &Problems)
)]
struct Document;

/// The OpenAPI document of this version.
pub fn document() -> &'static utoipa::openapi::OpenApi {
    // Made once: its examples are searched for.
    static DOCUMENT: LazyLock<utoipa::openapi::OpenApi> = LazyLock::new(Document::openapi);
    &DOCUMENT
}

/// Describes the queries of the GET twins, and the position in that of the explorer, from the tables that read them.
struct Twins;

impl Modify for Twins {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let twins: [(&str, QueryNames, &str); 10] = [
            ("/v1/replays", RawReplay::QUERY, "h8a1h9c1h10e1h12g1h11"),
            ("/v1/legal-moves", RawLegalMoves::QUERY, "h8i9j7"),
            ("/v1/threats", RawThreats::QUERY, "h8a1h9c1h10"),
            ("/v1/hints", RawHints::QUERY, "h8i9j7"),
            ("/v1/analyses", RawAnalysis::QUERY, "h8i9j7"),
            ("/v1/proofs", RawProof::QUERY, "h8a1h9c1h10e1"),
            ("/v1/defences", RawDefences::QUERY, "h8a1h9c1h10"),
            ("/v1/boards.svg", RawSvg::QUERY, "h8i9j7"),
            ("/v1/boards.png", RawPng::QUERY, "h8i9j7"),
            ("/v1/boards.txt", RawText::QUERY, "h8i9j7"),
        ];
        for (path, names, moves) in twins {
            let operation = document
                .paths
                .paths
                .get_mut(path)
                .and_then(|item| item.get.as_mut())
                .expect("each twin is in the document");
            let names = names.iter().copied().flatten();
            let parameters = names.map(|name| parameter(path, name, moves, "the POST").into());
            operation.parameters = Some(parameters.collect());
        }
        let path = "/v1/explorer";
        let item = document.paths.paths.get_mut(path);
        let explorer = item.and_then(|item| item.get.as_mut());
        let explorer = explorer.expect("the explorer is in the document");
        let own = explorer.parameters.take().unwrap_or_default();
        let names = position::QUERY.iter();
        let parameters =
            names.map(|name| parameter(path, name, "h8i9j7", "`POST /v1/replays`").into());
        explorer.parameters = Some(parameters.chain(own).collect());
    }
}

/// Describes a name of a query by the member of a body that it stands for.
fn parameter(path: &str, name: &QueryName, moves: &str, twin: &str) -> Parameter {
    ParameterBuilder::new()
        .name(name.name)
        .parameter_in(ParameterIn::Query)
        .required(Required::False)
        .description(Some(format!(
            "As `{}` in the body of {twin}.{}",
            name.pointer,
            name.kind.remark()
        )))
        .schema(Some(name_schema(path, name)))
        .example((name.name == "moves").then(|| json!(moves)))
        .build()
}

impl QueryKind {
    const fn remark(self) -> &'static str {
        match self {
            QueryKind::List => " Rows from the top, separated by `/`.",
            QueryKind::Text | QueryKind::Number | QueryKind::Flag => "",
        }
    }
}

fn name_schema(path: &str, name: &QueryName) -> RefOr<Schema> {
    let number = |least, most| {
        ObjectBuilder::new()
            .schema_type(Type::Integer)
            .minimum(Some(least))
            .maximum(Some(most))
            .into()
    };
    match (name.name, name.kind) {
        ("rule", _) => Rule::schema(),
        ("to_move" | "attacker", _) => Color::schema(),
        ("class", _) if path == "/v1/defences" => DefenceClass::schema(),
        ("class", _) => Force::schema(),
        ("include", _) => Include::schema(),
        ("size", _) => number(
            i64::from(BoardSize::SMALLEST.lines()),
            i64::from(BoardSize::LARGEST.lines()),
        ),
        ("ply", _) => number(0, Record::MOST_PLIES as i64),
        ("reveal", _) => Reveal::schema(),
        ("pov", _) => Pov::schema(),
        ("theme", _) => Theme::schema(),
        ("symmetry", _) => Symmetry::schema(),
        ("pixels", _) => number(
            i64::from(Pixels::FEWEST.count()),
            i64::from(Pixels::MOST.count()),
        ),
        ("count", _) => number(1, Limits::HINT_COUNT),
        ("multi_pv", _) => number(1, Limits::ANALYSIS_LINES),
        ("time_ms", _) if path == "/v1/hints" => number(1, 10_000),
        ("time_ms", _) => number(1, 30_000),
        ("nodes", _) => number(1, Limits::SEARCH_NODES),
        ("depth", _) => number(1, Limits::SEARCH_DEPTH),
        ("level", _) => number(1, i64::from(Level::FULL.number())),
        ("seed", _) => number(0, Limits::SEED),
        (_, QueryKind::Number) => ObjectBuilder::new().schema_type(Type::Integer).into(),
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
        let mut answer = |path: &str, media_type: &str, answer: &Answering<'_>| {
            let operation = document
                .paths
                .paths
                .get_mut(path)
                .and_then(|item| item.post.as_mut());
            let operation = operation.expect("each of these paths has a POST");
            add_answers(operation, media_type, answer);
        };
        let limits = Limits::default();
        answer("/v1/replays", JSON, &|body| {
            Ok(read_body::<RawReplay>(body, &limits)?.answer())
        });
        answer("/v1/legal-moves", JSON, &|body| {
            legal_moves::answer(&read_body::<RawLegalMoves>(body, &limits)?)
        });
        answer("/v1/threats", JSON, &|body| {
            threats::answer_here(&read_body::<RawThreats>(body, &limits)?)
        });
        answer("/v1/hints", JSON, &|body| {
            read_body::<RawHints>(body, &limits)?.answer_here()
        });
        answer("/v1/analyses", JSON, &|body| {
            let analysis = read_body::<RawAnalysis>(body, &limits)?.begin()?;
            Ok(analysis.respond_here())
        });
        answer("/v1/reviews", JSON, &|body| {
            let reviewing = read_body::<RawReview>(body, &limits)?.begin(&limits)?;
            Ok(reviewing.respond_here())
        });
        answer("/v1/proofs", JSON, &|body| {
            read_body::<RawProof>(body, &limits)?.answer_here()
        });
        answer("/v1/proof-checks", JSON, &proof_checks::answer_here);
        answer("/v1/defences", JSON, &|body| {
            read_body::<RawDefences>(body, &limits)?.answer_here()
        });
        answer("/v1/boards.txt", PLAIN, &|body| {
            boards::text(&read_body::<RawText>(body, &limits)?)
        });
        answer("/v1/conversions", JSON, &|body| {
            Ok(ok(&read_body::<RawConversion>(body, &limits)?.convert()?))
        });
    }
}

/// Answers the body of a POST.
type Answering<'a> = dyn Fn(&[u8]) -> Result<HttpResponse, ApiError> + 'a;

fn add_answers(operation: &mut Operation, media_type: &str, answer: &Answering<'_>) {
    let requests = operation.request_body.as_ref().expect("a POST has a body");
    let Some(RefOr::T(Response { content, .. })) = operation.responses.responses.get_mut("200")
    else {
        panic!("a computing POST answers with 200");
    };
    let (RefOr::T(requests), Some(RefOr::T(answers))) = (requests, content.get_mut(media_type))
    else {
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
            let value = if media_type == JSON {
                serde_json::from_slice(&body).ok()
            } else {
                Some(String::from_utf8_lossy(&body).into())
            };
            let answered = ExampleBuilder::new()
                .summary(example.summary.clone())
                .value(value)
                .build();
            answers.examples.insert(name.clone(), answered.into());
        }
    }
}
