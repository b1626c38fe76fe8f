//! `/v1/proofs`: forced wins, with their certificates.

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
use crate::api::finding::Accepted;
use crate::api::position::{self, PositionEcho, RawPosition, Source};
use crate::api::query::{QueryKind, QueryName, QueryNames};
use crate::api::search::{Scene, Spent, respond_timed, respond_to_get};
use crate::api::terms::{self, RawSearchLimits, Terms};
use crate::api::text::{Text, named, object, present};
use crate::board::{Cell, Color};
use crate::engine::{
    Aim, Force, Limits as EngineLimits, Memory, Solution, Solve, SolveOptions, Solved, StopReason,
    Unsolved,
};
use crate::proof::{Certificate, CertificateText};
use crate::rules::Position;
use crate::service::{
    Finished, Limits, SearchConfig, SearchPool, Searcher, Urgency, keep_certificates,
};
use crate::store::{Store, StoreError};

named!(
    Force as "WinClass",
    "With which stones a win is forced: `fours` (each makes a four), `fours_and_threes` (or an open three), `threats` (each \
     threatens a win by fours), `any` (the first one may be any that the engine's search takes for a win). Each class has the ones \
     before."
);
named!(
    Unsolved as "ProofStopReason",
    "Why nothing is shown: a limit (`time`, `nodes`, `depth`), or that all was looked at that is looked at (`exhausted`), a win \
     too large to be written down or checked (`too_large`), or a game that is over (`game_over`)."
);
named!(
    ProofOutcome,
    "`win`: the attacker wins by force; `no_win_in_class`: there is no win with such stones, however long; `unknown`: neither was \
     shown."
);

/// What came of a look for a forced win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProofOutcome {
    Win,
    NoWinInClass,
    Unknown,
}

impl ProofOutcome {
    const ALL: [ProofOutcome; 3] = [
        ProofOutcome::Win,
        ProofOutcome::NoWinInClass,
        ProofOutcome::Unknown,
    ];

    const fn name(self) -> &'static str {
        match self {
            ProofOutcome::Win => "win",
            ProofOutcome::NoWinInClass => "no_win_in_class",
            ProofOutcome::Unknown => "unknown",
        }
    }
}

/// A position in which a forced win is looked for.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ProofRequest)]
pub struct RawProof {
    /// The position.
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = RawPosition, required = true)]
    position: Option<RawPosition>,
    /// Who is to win; the side to move when absent. For the other side it is asked whether it wins whatever the side to
    /// move plays.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Color>, nullable = false)]
    attacker: Option<Text<Color>>,
    /// With which stones; `threats` when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Force>, nullable = false)]
    class: Option<Text<Force>>,
    /// Is the win with the fewest stones of its class wanted? Not when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false)]
    shortest: Option<bool>,
    /// What the search may use; `depth` bounds the attacker's stones.
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = Option<RawSearchLimits>, nullable = false)]
    limits: Option<RawSearchLimits>,
}

/// A valid request for a forced win.
pub struct ProofRequest {
    source: Source,
    attacker: Option<Color>,
    force: Force,
    shortest: bool,
    terms: Terms,
}

impl Input for RawProof {
    type Valid = ProofRequest;

    const QUERY: QueryNames = &[
        position::QUERY,
        &[
            QueryName {
                name: "attacker",
                pointer: "/attacker",
                kind: QueryKind::Text,
            },
            QueryName {
                name: "class",
                pointer: "/class",
                kind: QueryKind::Text,
            },
            QueryName {
                name: "shortest",
                pointer: "/shortest",
                kind: QueryKind::Flag,
            },
        ],
        terms::LIMITS_QUERY,
    ];

    fn validate(self, limits: &Limits, faults: &mut Faults) -> Option<ProofRequest> {
        let terms = proof_terms(self.limits, limits, faults);
        let choice = "black, white";
        let attacker = faults.choose(self.attacker, "/attacker", Code::InvalidField, choice);
        let choice = "fours, fours_and_threes, threats, any";
        let force = faults.choose(self.class, "/class", Code::InvalidField, choice);
        Some(ProofRequest {
            source: position::required(self.position, faults)?,
            attacker,
            force: force.unwrap_or_default(),
            shortest: self.shortest.unwrap_or(false),
            terms: terms?,
        })
    }
}

/// The terms of a look for forced wins.
pub fn proof_terms(
    raw: Option<RawSearchLimits>,
    limits: &Limits,
    faults: &mut Faults,
) -> Option<Terms> {
    let (default, longest) = (Limits::SEARCH_TIME_DEFAULT, limits.analysis_time);
    Terms::of_limits(raw, default, longest, faults)
}

/// What is shown of a forced win.
#[derive(Serialize, ToSchema)]
pub struct ProofAnswer<'a> {
    /// The position as it was understood.
    position: PositionEcho<'a>,
    /// Whose turn it is; absent when the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    to_move: Option<Color>,
    /// For whom a win was looked for.
    attacker: Color,
    class: Force,
    outcome: ProofOutcome,
    /// The plies of the win's longest line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1)]
    plies: Option<usize>,
    /// The attacker's first stones that are known to win; none where the defender begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    first_moves: Option<Vec<Cell>>,
    /// The win, written down.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    certificate: Option<CertificateLink>,
    /// Is it known that no win of the class is shorter? Told of a win.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    is_shortest: Option<bool>,
    /// Why nothing is shown.
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

/// A forced win, written down.
#[derive(Clone, Debug)]
pub struct WrittenWin {
    /// The plies of its longest line.
    pub plies: usize,
    first: Option<Cell>,
    /// The certificate.
    pub text: Arc<CertificateText>,
}

impl WrittenWin {
    /// Writes a win down, unless its text is longer than any that is read.
    pub fn of(certificate: &Certificate, plies: usize) -> Option<WrittenWin> {
        let text = certificate.written();
        (text.as_str().len() <= Certificate::MOST_OCTETS).then(|| WrittenWin {
            plies,
            first: certificate.nodes().first().and_then(|node| node.stone),
            text: Arc::new(text),
        })
    }

    /// The attacker's first stone, as far as he begins.
    pub fn first_moves(&self) -> Vec<Cell> {
        self.first.into_iter().collect()
    }

    /// The link to the certificate.
    pub fn link(&self) -> CertificateLink {
        CertificateLink::to(self.text.id())
    }
}

/// What was found, its certificate written.
pub struct Found {
    solution: Solution,
    win: Option<WrittenWin>,
}

impl Found {
    /// Writes down what was found; that takes its time too, so it is done where it was found.
    fn of(mut solution: Solution) -> Found {
        let win = match &solution.solved {
            Solved::Win {
                certificate, plies, ..
            } => WrittenWin::of(certificate, *plies),
            Solved::NoWinInClass | Solved::Unknown(_) => None,
        };
        if win.is_none() && matches!(solution.solved, Solved::Win { .. }) {
            solution.solved = Solved::Unknown(Unsolved::TooLarge);
        }
        Found { solution, win }
    }
}

impl Found {
    /// Keeps the certificate, if there is one.
    ///
    /// # Errors
    ///
    /// When the database is busy or broken.
    pub async fn keep(&self, store: &dyn Store) -> Result<(), StoreError> {
        match &self.win {
            Some(win) => keep_certificates(store, std::slice::from_ref(&win.text)).await,
            None => Ok(()),
        }
    }
}

/// A question to the solver, to be taken to another thread.
#[derive(Clone, Debug)]
pub struct SolveOrder {
    /// Where to look.
    pub position: Position,
    /// What the look may use.
    pub limits: EngineLimits,
    /// For what.
    pub options: SolveOptions,
}

impl SolveOrder {
    /// The longest time that it may take; the terms of every request have one.
    pub fn longest(&self) -> Duration {
        self.limits.time.unwrap_or(Limits::SEARCH_TIME_DEFAULT)
    }

    /// The same with so much time, if it has more.
    pub fn within(&self, time: Duration) -> SolveOrder {
        let mut order = self.clone();
        order.limits.time = Some(self.longest().min(time));
        order
    }

    /// The look.
    pub fn solve(&self) -> Solve<'_> {
        Solve::new(&self.position, self.limits, self.options)
    }

    /// The look within so much time, to be done on another thread.
    pub fn look(
        &self,
        time: Duration,
    ) -> impl FnOnce(&mut Memory, &AtomicBool) -> Option<Found> + Send + use<> {
        let order = self.within(time);
        move |memory, cancel| order.run(memory, cancel)
    }

    fn run(&self, memory: &mut Memory, cancel: &AtomicBool) -> Option<Found> {
        let solution = self.solve().run(memory, cancel);
        (!solution.solved.is_cancelled()).then(|| Found::of(solution))
    }
}

impl ProofRequest {
    /// The position, and the question to the solver.
    ///
    /// # Errors
    ///
    /// When the record breaks the rules.
    pub fn begin(&self) -> Result<(Scene, SolveOrder), ApiError> {
        let scene = Scene::of(&self.source)?;
        let position = scene.position().clone();
        let options = SolveOptions {
            force: self.force,
            aim: if self.attacker(&scene) == position.to_move() {
                Aim::Win
            } else {
                Aim::Loss
            },
            shortest: self.shortest,
        };
        let limits = self.terms.limits;
        let order = SolveOrder {
            position,
            limits,
            options,
        };
        Ok((scene, order))
    }

    fn attacker(&self, scene: &Scene) -> Color {
        self.attacker.unwrap_or(scene.position().to_move())
    }

    /// The answer, once something is shown or a limit is reached. A certificate is kept before it is told.
    ///
    /// # Errors
    ///
    /// When the record breaks the rules, the look gives nothing, or the database is busy or broken.
    pub async fn answer(&self, searcher: &Searcher) -> Result<HttpResponse, ApiError> {
        let (scene, order) = self.begin()?;
        let look = |time| order.look(time);
        let finished = searcher.work(order.longest(), look).await?;
        finished.outcome.keep(searcher.store()).await?;
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
        let found = order.run(&mut memory, &AtomicBool::new(false));
        let outcome = found.ok_or(ApiError::ShuttingDown)?;
        let waited = Duration::ZERO;
        Ok(self.respond(&scene, &Finished { outcome, waited }))
    }

    /// That the request is a good one.
    pub fn accepted(&self, scene: &Scene) -> Accepted<'_> {
        Accepted::of(&self.source, scene)
    }

    fn respond(&self, scene: &Scene, finished: &Finished<Found>) -> HttpResponse {
        let (answer, spent) = self.answer_of(scene, finished);
        respond_timed(&answer, spent)
    }

    /// The answer of what was found, and what it has taken.
    pub fn answer_of(&self, scene: &Scene, finished: &Finished<Found>) -> (ProofAnswer<'_>, Spent) {
        let Found { solution, win } = &finished.outcome;
        let (outcome, is_shortest, stop_reason) = match solution.solved {
            Solved::Win { is_shortest, .. } => (ProofOutcome::Win, Some(is_shortest), None),
            Solved::NoWinInClass => (ProofOutcome::NoWinInClass, None, None),
            Solved::Unknown(reason) => (ProofOutcome::Unknown, None, Some(reason)),
        };
        let is_by_time = stop_reason == Some(Unsolved::Stopped(StopReason::Time));
        // What has been found in time may have become the shortest in more.
        let is_cut = self.shortest && is_shortest == Some(false) && self.is_out_of_time(solution);
        let spent = Spent {
            waited: finished.waited,
            elapsed: solution.elapsed,
            is_repeatable: self.terms.is_repeatable && !is_by_time && !is_cut,
        };
        let answer = ProofAnswer {
            position: self.source.echo(),
            to_move: scene.to_move(),
            attacker: self.attacker(scene),
            class: self.force,
            outcome,
            plies: win.as_ref().map(|win| win.plies),
            first_moves: win.as_ref().map(WrittenWin::first_moves),
            certificate: win.as_ref().map(WrittenWin::link),
            is_shortest,
            stop_reason,
            nodes: solution.nodes,
            elapsed_ms: spent.told_ms(),
        };
        (answer, spent)
    }

    fn is_out_of_time(&self, solution: &Solution) -> bool {
        let longest = self.terms.limits.time;
        longest.is_some_and(|longest| solution.elapsed >= longest)
    }
}

/// Looks for a forced win.
///
/// Every win has a certificate: the tree of the attacker's stones with every defence answered, checked by a verifier that shares no
/// code with the search, and kept under its `href`. `no_win_in_class` is a proof too: of `fours` and `fours_and_threes` all is
/// searched. Not every quiet stone is looked at, so `threats` and `any` end as `unknown` where nothing is found.
///
/// The search ends with the first of its limits; without any it takes 500 ms. With `nodes` or `depth` and no
/// `time_ms` equal questions get equal answers, byte for byte: they have no `elapsed_ms`, and the GET an entity tag.
#[utoipa::path(
    post, path = "/v1/proofs", tag = "proofs",
    request_body(content = RawProof, examples(
        ("fours" = (summary = "Black wins by fours", value = json!({"position": {"rule": "freestyle", "size": 7, "board": [".......", ".......", ".xxx...", ".......", ".......", ".o.o...", "......."], "to_move": "black", "setup": true}, "class": "fours", "limits": {"nodes": 2000}}))),
        ("lost" = (summary = "White cannot stop an open four", value = json!({"position": {"moves": "h8a1h9c1h10e1h11"}, "attacker": "black", "class": "fours", "limits": {"nodes": 2000}}))),
        ("none" = (summary = "There is no win by fours", value = json!({"position": {"rule": "renju", "moves": "h8 i9 j7"}, "class": "fours", "limits": {"nodes": 2000}}))),
    )),
    responses((status = 200, description = "A win with its certificate, that there is none of the class, or that neither was shown.", body = ProofAnswer<'_>))
)]
pub async fn create_proof(
    request: Body<RawProof>,
    pool: web::Data<SearchPool>,
    store: web::Data<dyn Store>,
) -> Result<HttpResponse, ApiError> {
    let searcher = Searcher::new(&pool, store.into_inner(), Urgency::Analysis);
    request.0.answer(&searcher).await
}

/// Looks for a forced win: the linkable twin of the POST.
#[utoipa::path(
    get, path = "/v1/proofs", tag = "proofs",
    responses((status = 200, description = "A win with its certificate, that there is none of the class, or that neither was shown.", body = ProofAnswer<'_>))
)]
pub async fn get_proof(
    request: HttpRequest,
    query: Query<RawProof>,
    pool: web::Data<SearchPool>,
    store: web::Data<dyn Store>,
) -> Result<HttpResponse, ApiError> {
    let answer = async {
        let searcher = Searcher::new(&pool, store.into_inner(), Urgency::Analysis);
        let answered = query.0.answer(&searcher).await;
        answered.map_err(|error| error.into_query(RawProof::QUERY))
    };
    respond_to_get(&request, query.0.terms, pool.config(), answer).await
}
