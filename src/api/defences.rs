//! `/v1/defences`: what can be done about a forced win that threatens.

use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::certificates::CertificateLink;
use crate::api::code::Code;
use crate::api::error::ApiError;
use crate::api::extract::{Body, Input, Query};
use crate::api::faults::Faults;
use crate::api::position::{self, PositionEcho, RawPosition, Source};
use crate::api::proof_checks::ply_of;
use crate::api::proofs::{SolveOrder, WrittenWin, proof_terms};
use crate::api::query::{QueryKind, QueryName, QueryNames};
use crate::api::search::{Scene, Spent, respond_timed, respond_to_get};
use crate::api::terms::{self, RawSearchLimits, Terms};
use crate::api::text::{Text, named, object, present};
use crate::board::{Cell, Color};
use crate::engine::{Aim, Defences, Force, Memory, SolveOptions, Solved, Unsolved};
use crate::proof::CertificateText;
use crate::record::Ply;
use crate::service::{
    Finished, Limits, SearchConfig, SearchPool, Searcher, Urgency, keep_certificates,
};
use crate::store::Store;

named!(
    DefenceClass,
    "With which stones a win is forced: `fours` (each makes a four), `fours_and_threes` (or an open three). Both are searched to \
     the end, so that a defence is one for certain."
);
named!(
    DefenceOutcome,
    "`none_needed`: nothing threatens; `defended`: there are moves that leave no win of the class; `none`: every move loses; \
     `unknown`: the limit ran out."
);

/// The classes in which it can be shown that there is no win.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DefenceClass {
    #[default]
    Fours,
    FoursAndThrees,
}

impl DefenceClass {
    const ALL: [DefenceClass; 2] = [DefenceClass::Fours, DefenceClass::FoursAndThrees];

    const fn force(self) -> Force {
        match self {
            DefenceClass::Fours => Force::Fours,
            DefenceClass::FoursAndThrees => Force::FoursAndThrees,
        }
    }

    const fn name(self) -> &'static str {
        self.force().name()
    }
}

impl FromStr for DefenceClass {
    type Err = ();

    fn from_str(text: &str) -> Result<DefenceClass, ()> {
        let mut all = DefenceClass::ALL.into_iter();
        all.find(|class| class.name() == text).ok_or(())
    }
}

/// What the side to move can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DefenceOutcome {
    NoneNeeded,
    Defended,
    None,
    Unknown,
}

impl DefenceOutcome {
    const ALL: [DefenceOutcome; 4] = [
        DefenceOutcome::NoneNeeded,
        DefenceOutcome::Defended,
        DefenceOutcome::None,
        DefenceOutcome::Unknown,
    ];

    const fn name(self) -> &'static str {
        match self {
            DefenceOutcome::NoneNeeded => "none_needed",
            DefenceOutcome::Defended => "defended",
            DefenceOutcome::None => "none",
            DefenceOutcome::Unknown => "unknown",
        }
    }
}

/// A position in which the side to move may have to defend itself.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DefencesRequest)]
pub struct RawDefences {
    /// The position.
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = RawPosition, required = true)]
    position: Option<RawPosition>,
    /// Which wins of the other side are looked for; `fours` when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<DefenceClass>, nullable = false)]
    class: Option<Text<DefenceClass>>,
    /// What all searches together may use; `depth` bounds the attacker's stones.
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = Option<RawSearchLimits>, nullable = false)]
    limits: Option<RawSearchLimits>,
}

/// A valid request for defences.
pub struct DefencesRequest {
    source: Source,
    class: DefenceClass,
    terms: Terms,
}

impl Input for RawDefences {
    type Valid = DefencesRequest;

    const QUERY: QueryNames = &[
        position::QUERY,
        &[QueryName {
            name: "class",
            pointer: "/class",
            kind: QueryKind::Text,
        }],
        terms::LIMITS_QUERY,
    ];

    fn validate(self, limits: &Limits, faults: &mut Faults) -> Option<DefencesRequest> {
        let terms = proof_terms(self.limits, limits, faults);
        let choice = "fours, fours_and_threes";
        let class = faults.choose(self.class, "/class", Code::InvalidField, choice);
        Some(DefencesRequest {
            source: position::required(self.position, faults)?,
            class: class.unwrap_or_default(),
            terms: terms?,
        })
    }
}

/// What can be done about a threat.
#[derive(Serialize, ToSchema)]
pub struct DefencesAnswer<'a> {
    /// The position as it was understood.
    position: PositionEcho<'a>,
    /// Whose turn it is; absent when the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    to_move: Option<Color>,
    class: DefenceClass,
    outcome: DefenceOutcome,
    /// What the other side would win with if the turn were its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    threat: Option<ThreatenedWin>,
    /// Every move that leaves the other side no win of the class: shown, not guessed.
    refutes: Vec<Ply>,
    /// Every move after which it wins all the same.
    fails: Vec<FailingMove>,
    /// The moves of which neither was shown.
    unknown: Vec<Ply>,
    /// Why not all is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    stop_reason: Option<Unsolved>,
    /// How many positions were looked at.
    nodes: u64,
    /// How long it took, where the answer depends on it. (`Server-Timing` always tells.)
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    elapsed_ms: Option<u64>,
}

/// A win that threatens.
#[derive(Serialize, ToSchema)]
struct ThreatenedWin {
    /// The plies of its longest line.
    #[schema(minimum = 1)]
    plies: usize,
    /// The first stones that are known to win.
    first_moves: Vec<Cell>,
    certificate: CertificateLink,
}

/// A move after which the other side wins.
#[derive(Serialize, ToSchema)]
struct FailingMove {
    #[serde(rename = "move")]
    played: Ply,
    /// The plies of the longest line after it.
    #[schema(minimum = 1)]
    plies: usize,
    /// The win after it.
    certificate: CertificateLink,
}

/// What was found, the certificates written.
struct Found {
    threat: Option<WrittenWin>,
    refutes: Vec<Ply>,
    fails: Vec<(Ply, WrittenWin)>,
    unknown: Vec<Ply>,
    stop_reason: Option<Unsolved>,
    is_cut_by_time: bool,
    nodes: u64,
    elapsed: Duration,
}

impl Found {
    /// Writes down what was found.
    fn of(defences: &Defences) -> Found {
        let mut found = Found {
            threat: None,
            refutes: Vec::new(),
            fails: Vec::new(),
            unknown: Vec::new(),
            stop_reason: None,
            is_cut_by_time: defences.is_cut_by_time(),
            nodes: defences.nodes,
            elapsed: defences.elapsed,
        };
        let mut octets = 0;
        match written(&defences.threat, &mut octets) {
            Some(Ok(threat)) => found.threat = Some(threat),
            Some(Err(reason)) => found.stop_reason = Some(reason),
            None => {}
        }
        for (reply, solved) in &defences.replies {
            let ply = ply_of(*reply);
            match written(solved, &mut octets) {
                Some(Ok(win)) => found.fails.push((ply, win)),
                Some(Err(reason)) => {
                    found.stop_reason.get_or_insert(reason);
                    found.unknown.push(ply);
                }
                None => found.refutes.push(ply),
            }
        }
        found
    }

    fn outcome(&self) -> DefenceOutcome {
        match (&self.threat, self.stop_reason) {
            (None, None) => DefenceOutcome::NoneNeeded,
            (Some(_), _) if !self.refutes.is_empty() => DefenceOutcome::Defended,
            (Some(_), None) => DefenceOutcome::None,
            (_, Some(_)) => DefenceOutcome::Unknown,
        }
    }

    /// All certificates.
    fn texts(&self) -> Vec<Arc<CertificateText>> {
        let fails = self.fails.iter().map(|(_, win)| win);
        let wins = self.threat.iter().chain(fails);
        wins.map(|win| win.text.clone()).collect()
    }
}

/// A win written down, or why none is known; nothing where there is none. So many octets are written already.
fn written(solved: &Solved, octets: &mut usize) -> Option<Result<WrittenWin, Unsolved>> {
    match solved {
        Solved::NoWinInClass => None,
        Solved::Unknown(reason) => Some(Err(*reason)),
        Solved::Win {
            certificate, plies, ..
        } => {
            let win = WrittenWin::of(certificate, *plies).filter(|win| {
                *octets += win.text.as_str().len();
                *octets <= Limits::DEFENCE_BYTES
            });
            Some(win.ok_or(Unsolved::TooLarge))
        }
    }
}

fn find(order: &SolveOrder, memory: &mut Memory, cancel: &AtomicBool) -> Option<Found> {
    let defences = order.solve().defences(memory, cancel);
    (!defences.is_cancelled()).then(|| Found::of(&defences))
}

impl DefencesRequest {
    fn begin(&self) -> Result<(Scene, SolveOrder), ApiError> {
        let scene = Scene::of(&self.source)?;
        let order = SolveOrder {
            position: scene.position().clone(),
            limits: self.terms.limits,
            options: SolveOptions {
                force: self.class.force(),
                aim: Aim::Loss,
                shortest: false,
            },
        };
        Ok((scene, order))
    }

    /// The answer, once all is judged or a limit is reached. Certificates are kept before they are told.
    ///
    /// # Errors
    ///
    /// When the record breaks the rules, the look gives nothing, or the database is busy or broken.
    pub async fn answer(&self, searcher: &Searcher) -> Result<HttpResponse, ApiError> {
        let (scene, order) = self.begin()?;
        let look = |time: Duration| {
            let order = order.within(time);
            move |memory: &mut Memory, cancel: &AtomicBool| find(&order, memory, cancel)
        };
        let finished = searcher.work(order.longest(), look).await?;
        keep_certificates(searcher.store(), &finished.outcome.texts()).await?;
        Ok(self.respond(&scene, &finished))
    }

    /// The answer, looked for on the calling thread.
    ///
    /// # Errors
    ///
    /// When the record breaks the rules.
    pub fn answer_here(&self) -> Result<HttpResponse, ApiError> {
        let (scene, order) = self.begin()?;
        let mut memory = Memory::with_mebibytes(SearchConfig::default().memory_mib);
        let found = find(&order, &mut memory, &AtomicBool::new(false));
        let outcome = found.ok_or(ApiError::ShuttingDown)?;
        let waited = Duration::ZERO;
        Ok(self.respond(&scene, &Finished { outcome, waited }))
    }

    fn respond(&self, scene: &Scene, finished: &Finished<Found>) -> HttpResponse {
        let found = &finished.outcome;
        let spent = Spent {
            waited: finished.waited,
            elapsed: found.elapsed,
            is_repeatable: self.terms.is_repeatable && !found.is_cut_by_time,
        };
        let fails = found.fails.iter().map(|(played, win)| FailingMove {
            played: *played,
            plies: win.plies,
            certificate: win.link(),
        });
        let body = DefencesAnswer {
            position: self.source.echo(),
            to_move: scene.to_move(),
            class: self.class,
            outcome: found.outcome(),
            threat: found.threat.as_ref().map(|win| ThreatenedWin {
                plies: win.plies,
                first_moves: win.first_moves(),
                certificate: win.link(),
            }),
            refutes: found.refutes.clone(),
            fails: fails.collect(),
            unknown: found.unknown.clone(),
            stop_reason: found.stop_reason,
            nodes: found.nodes,
            elapsed_ms: spent.told_ms(),
        };
        respond_timed(&body, spent)
    }
}

/// Lists what can be done about a forced win that threatens.
///
/// If the other side would win by force with the turn its own, every legal move of the side to move is judged: it `refutes` the
/// threat (no win of the class is left: all of it was searched), it `fails` (with the certificate of the win after it), or it is
/// `unknown` because a limit ran out. With nothing `unknown` both lists are complete. A win of another class may be left after a move that refutes.
///
/// The searches end together with the first of the limits; without any they take 500 ms. With `nodes` or `depth` and no
/// `time_ms` equal questions get equal answers, byte for byte: they have no `elapsed_ms`, and the GET an entity tag.
#[utoipa::path(
    post, path = "/v1/defences", tag = "proofs",
    request_body(content = RawDefences, examples(
        ("three" = (summary = "White must stop an open three", value = json!({"position": {"size": 7, "moves": "c4a1d4g1e4"}, "limits": {"nodes": 20000}}))),
        ("quiet" = (summary = "Nothing threatens", value = json!({"position": {"moves": "h8i9j7"}, "limits": {"nodes": 2000}}))),
    )),
    responses((status = 200, description = "What each move leaves of the threat.", body = DefencesAnswer<'_>))
)]
pub async fn create_defences(
    request: Body<RawDefences>,
    pool: web::Data<SearchPool>,
    store: web::Data<dyn Store>,
) -> Result<HttpResponse, ApiError> {
    let searcher = Searcher::new(&pool, store.into_inner(), Urgency::Analysis);
    request.0.answer(&searcher).await
}

/// Lists what can be done about a forced win that threatens: the linkable twin of the POST.
#[utoipa::path(
    get, path = "/v1/defences", tag = "proofs",
    responses((status = 200, description = "What each move leaves of the threat.", body = DefencesAnswer<'_>))
)]
pub async fn get_defences(
    request: HttpRequest,
    query: Query<RawDefences>,
    pool: web::Data<SearchPool>,
    store: web::Data<dyn Store>,
) -> Result<HttpResponse, ApiError> {
    let answer = async {
        let searcher = Searcher::new(&pool, store.into_inner(), Urgency::Analysis);
        let answered = query.0.answer(&searcher).await;
        answered.map_err(|error| error.into_query(RawDefences::QUERY))
    };
    respond_to_get(&request, query.0.terms, pool.config(), answer).await
}
