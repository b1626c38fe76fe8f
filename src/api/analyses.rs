//! `/v1/analyses`: what the engine finds in a position, at once or as it goes.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::api::code::Code;
use crate::api::envelope::request_id;
use crate::api::error::{ApiError, InputError};
use crate::api::extract::{Body, Input, Query};
use crate::api::faults::Faults;
use crate::api::finding::{Analysis, AnalysisAnswer, Pov};
use crate::api::moves::RawMoves;
use crate::api::negotiate::{VARIES_BY_FORM, choose};
use crate::api::position::{self, RawPosition, Source};
use crate::api::query::{QueryName, QueryNames};
use crate::api::search::{Scene, respond_to_get};
use crate::api::stream::{Event, Form, has_had_all};
use crate::api::terms::{self, RawSearchLimits, Terms};
use crate::api::text::{Text, Whole, object, present};
use crate::board::{BoardSize, Cell};
use crate::record::Ply;
use crate::rules::{PlayError, Position};
use crate::service::{Limits, SearchPool, Searcher, Urgency};
use crate::store::Store;

/// A position to be analysed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = AnalysisRequest)]
pub struct RawAnalysis {
    /// The position.
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = RawPosition, required = true)]
    position: Option<RawPosition>,
    /// How many lines to tell, best first; 1 when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u8>, nullable = false, minimum = 1, maximum = 20)]
    multi_pv: Option<Whole>,
    /// What the search may use.
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = Option<RawSearchLimits>, nullable = false)]
    limits: Option<RawSearchLimits>,
    /// The moves to choose from; all when absent. Each must be one that may be played.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<RawMoves>, nullable = false)]
    only_moves: Option<RawMoves>,
    /// The moves to leave out. Each must be one that may be played.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<RawMoves>, nullable = false)]
    avoid_moves: Option<RawMoves>,
    /// For whom `score`, `win_prob` and `verdict` are told; `to_move` when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Pov>, nullable = false)]
    pov: Option<Text<Pov>>,
    /// How strongly to look, from 1 to 10; 10 when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u8>, nullable = false, minimum = 1, maximum = 10)]
    level: Option<Whole>,
    /// What chance comes from below level 10: equal seeds, equal choices; 0 when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u64>, nullable = false, minimum = 0, maximum = 9_007_199_254_740_991_i64)]
    seed: Option<Whole>,
}

/// A valid request for an analysis.
pub struct AnalysisRequest {
    source: Source,
    lines: usize,
    terms: Terms,
    only: Option<Choice>,
    avoid: Option<Choice>,
    pov: Pov,
}

/// Moves to choose from or to leave out, not yet known to be such that may be played.
struct Choice {
    pointer: &'static str,
    plies: Vec<Ply>,
    /// Were they a list? Then a fault has a place in it.
    is_listed: bool,
}

impl Input for RawAnalysis {
    type Valid = AnalysisRequest;

    const QUERY: QueryNames = &[
        position::QUERY,
        &[
            QueryName::number("multi_pv", "/multi_pv"),
            QueryName::text("only_moves", "/only_moves"),
            QueryName::text("avoid_moves", "/avoid_moves"),
            QueryName::text("pov", "/pov"),
        ],
        terms::LIMITS_QUERY,
        terms::LEVEL_QUERY,
    ];

    const ANSWERS: &'static [&'static str] = &["application/json", Form::SSE, Form::NDJSON];

    fn validate(self, limits: &Limits, faults: &mut Faults) -> Option<AnalysisRequest> {
        let longest = limits.analysis_time;
        let terms = Terms::validate(self.limits, self.level, self.seed, longest, faults);
        let lines = faults.within(self.multi_pv, "/multi_pv", 1..=Limits::ANALYSIS_LINES);
        let choice = "to_move, black, white";
        let pov = faults.choose(self.pov, "/pov", Code::InvalidField, choice);
        let source = position::required(self.position, faults);
        let size = source.as_ref().map(Source::size).unwrap_or_default();
        let only = Choice::validate(self.only_moves, "/only_moves", size, faults);
        if only.as_ref().is_some_and(|only| only.plies.is_empty()) {
            let detail = "name a move, or leave this out";
            faults.note("/only_moves", Code::InvalidField, detail);
        }
        let avoid = Choice::validate(self.avoid_moves, "/avoid_moves", size, faults);
        Some(AnalysisRequest {
            source: source?,
            lines: usize::try_from(lines.unwrap_or(1)).ok()?,
            terms: terms?,
            only,
            avoid,
            pov: pov.unwrap_or(Pov::ToMove),
        })
    }
}

impl Choice {
    /// The moves of a member; none when it is absent or has faults, which are noted.
    fn validate(
        raw: Option<RawMoves>,
        pointer: &'static str,
        size: BoardSize,
        faults: &mut Faults,
    ) -> Option<Choice> {
        let (plies, is_listed) = raw?.validate(pointer, size, faults)?;
        Some(Choice {
            pointer,
            plies,
            is_listed,
        })
    }

    /// The cells; those that may not be played are noted instead.
    fn cells(&self, position: &Position, errors: &mut Vec<InputError>) -> Vec<Cell> {
        let mut cells = Vec::with_capacity(self.plies.len());
        for (index, ply) in self.plies.iter().enumerate() {
            match playable(*ply, position) {
                Ok(cell) => cells.push(cell),
                Err((code, why)) if errors.len() < Limits::ERRORS => errors.push(InputError {
                    pointer: if self.is_listed {
                        format!("{}/{index}", self.pointer)
                    } else {
                        self.pointer.into()
                    },
                    code,
                    detail: format!("{ply}: {why}"),
                    evidence: None,
                }),
                Err(_) => {}
            }
        }
        cells
    }
}

/// The cell of a ply, if a stone may be played there.
fn playable(ply: Ply, position: &Position) -> Result<Cell, (Code, String)> {
    let refused = |error: PlayError| (Code::of_refusal(error), error.to_string());
    match ply {
        Ply::Stone(cell) => position.check(cell).map(|()| cell).map_err(refused),
        Ply::Outside(_) => Err(refused(PlayError::OffBoard)),
        Ply::Pass => Err((Code::PassNotAllowed, "a pass is no cell".into())),
    }
}

impl AnalysisRequest {
    /// The analysis that is asked for.
    ///
    /// # Errors
    ///
    /// When the record breaks the rules, or a move to choose from or to leave out may not be played.
    pub fn begin(self) -> Result<Analysis, ApiError> {
        let scene = Scene::of(&self.source)?;
        let mut errors = Vec::new();
        let mut cells = |choice: &Option<Choice>| match choice {
            // Where there is no move, there is none to choose.
            Some(choice) if scene.no_move().is_none() => {
                choice.cells(scene.position(), &mut errors)
            }
            _ => Vec::new(),
        };
        let (only, avoid) = (cells(&self.only), cells(&self.avoid));
        if errors.is_empty() {
            Ok(Analysis {
                source: self.source,
                scene,
                lines: self.lines,
                terms: self.terms,
                only,
                avoid,
                pov: self.pov,
            })
        } else {
            Err(ApiError::IllegalChoice(errors))
        }
    }
}

/// Analyses a position.
///
/// The search ends with the first of its limits; without any it takes 500 ms. With `nodes` or `depth` and no
/// `time_ms` equal questions get equal answers, byte for byte: they have no `elapsed_ms`, and the GET an entity tag.
/// (Should such a search take as long as a search may, it is cut off with `stop_reason` `time`, and its answer is not to be kept.)
/// Any other answer depends on the clock and says `Cache-Control: no-store`.
///
/// As `text/event-stream` or `application/x-ndjson` the answer comes in events: `accepted` at once, `progress` with every
/// finished depth (the newest, where the reader is slower), then `result` with the answer and `done`, or `error` with a problem. The last event is
/// `done` or `error`, and there is exactly one of them. Where nothing happens, a comment or an empty line is sent every five seconds.
/// All server-sent events are unnamed, and only the last has an id, `end`: a browser that comes back with it in `Last-Event-ID` is
/// told by 204 to come no more.
#[utoipa::path(
    post, path = "/v1/analyses", tag = "analysis",
    request_body(content = RawAnalysis, examples(
        ("must_block" = (summary = "Black must stop a four", value = json!({"position": {"rule": "freestyle", "moves": "h8h7i7g9h6g5g7i6g8f8f6e5f5j10i10i11k9h10j12l10"}, "limits": {"nodes": 2000}}))),
        ("between" = (summary = "Which of two cells, told for White", value = json!({"position": {"rule": "standard", "moves": "h8h12h9a1h10c1h11"}, "only_moves": ["h7", "o15"], "multi_pv": 2, "pov": "white", "limits": {"depth": 1}}))),
        ("over" = (summary = "A finished game has no move", value = json!({"position": {"moves": "h8a1h9c1h10e1h12g1h11"}}))),
    )),
    responses(
        (status = 200, description = "What is found, or the events on the way to it.", content(
            (AnalysisAnswer<'_> = "application/json"),
            (Event = "text/event-stream"),
            (Event = "application/x-ndjson"),
        )),
    )
)]
pub async fn create_analysis(
    request: HttpRequest,
    body: Body<RawAnalysis>,
    pool: web::Data<SearchPool>,
    store: web::Data<dyn Store>,
) -> Result<HttpResponse, ApiError> {
    let analysis = body.0.begin()?;
    match Form::of(choose(&request, RawAnalysis::ANSWERS)?) {
        Some(form) => {
            analysis.respond_in_events(form, &pool, store.into_inner(), request_id(&request))
        }
        None => {
            let searcher = Searcher::new(&pool, store.into_inner(), Urgency::Analysis);
            analysis.respond_at_once(&searcher).await
        }
    }
}

/// Analyses a position: the linkable twin of the POST, fit for a browser's `EventSource`.
#[utoipa::path(
    get, path = "/v1/analyses", tag = "analysis",
    responses(
        (status = 200, description = "What is found, or the events on the way to it.", content(
            (AnalysisAnswer<'_> = "application/json"),
            (Event = "text/event-stream"),
            (Event = "application/x-ndjson"),
        )),
        (status = 204, description = "The caller has had the last event: `Last-Event-ID` says so."),
    )
)]
pub async fn get_analysis(
    request: HttpRequest,
    query: Query<RawAnalysis>,
    pool: web::Data<SearchPool>,
    store: web::Data<dyn Store>,
) -> Result<HttpResponse, ApiError> {
    let asked = query.0;
    let named = |error: ApiError| error.into_query(RawAnalysis::QUERY);
    let mut response = match Form::of(choose(&request, RawAnalysis::ANSWERS)?) {
        Some(_) if has_had_all(&request) => HttpResponse::NoContent().finish(),
        Some(form) => {
            let analysis = asked.begin().map_err(named)?;
            let id = request_id(&request);
            analysis.respond_in_events(form, &pool, store.into_inner(), id)?
        }
        None => {
            let terms = asked.terms;
            let answer = async {
                let analysis = asked.begin().map_err(named)?;
                let searcher = Searcher::new(&pool, store.into_inner(), Urgency::Analysis);
                analysis.respond_at_once(&searcher).await
            };
            respond_to_get(&request, terms, pool.config(), answer).await?
        }
    };
    response
        .headers_mut()
        .insert(VARIES_BY_FORM.0, VARIES_BY_FORM.1);
    Ok(response)
}
