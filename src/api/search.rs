//! The position of a search and how its moves are told: shared by `hints.rs`, `analyses.rs` and
//! `reviews.rs`.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use actix_web::http::header::{CACHE_CONTROL, HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use utoipa::ToSchema;

use crate::analysis::Worth;
use crate::api::answer;
use crate::api::certificates::CertificateLink;
use crate::api::error::ApiError;
use crate::api::negotiate::unchanging_under;
use crate::api::position::Source;
use crate::api::replays::ResultView;
use crate::api::terms::Terms;
use crate::api::text::named;
use crate::board::{Cell, Color};
use crate::engine::{self, Line, Memory, Outcome, StopReason, Verdict};
use crate::rules::{Position, Status};
use crate::service::{Finished, Order, SearchConfig};

named!(
    StopReason,
    "What ended the search: a limit, or that nothing was left to find."
);
named!(NoMove, "Why there is no move.");
named!(
    Verdict as "MoveVerdict",
    "What is proven: nothing but what the rules alone confirm."
);

/// The position in which a move is looked for.
pub struct Scene {
    position: Position,
    ended_at: Option<usize>,
    /// The ply that comes next in a record.
    next_ply: Option<usize>,
}

impl Scene {
    /// The position that a source stands for.
    ///
    /// # Errors
    ///
    /// When a record breaks the rules.
    pub fn of(source: &Source) -> Result<Scene, ApiError> {
        let (position, ended_at) = source.position()?;
        Ok(Scene {
            position,
            ended_at,
            next_ply: match source {
                Source::Record { record, .. } => Some(record.plies().len() + 1),
                Source::Position(_) => None,
            },
        })
    }

    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Whose turn it is, unless the game is over.
    pub fn to_move(&self) -> Option<Color> {
        (self.position.status() == Status::Ongoing).then(|| self.position.to_move())
    }

    /// Why no move can be found here, if so.
    pub fn no_move(&self) -> Option<NoMove> {
        if self.to_move().is_none() {
            return Some(NoMove::GameOver);
        }
        let is_stuck = self.position.legal_cells().next().is_none();
        is_stuck.then_some(NoMove::NoLegalCell)
    }

    /// The order for a search here.
    pub fn order(&self, terms: Terms, lines: usize, only: Vec<Cell>, avoid: Vec<Cell>) -> Order {
        Order {
            position: self.position.clone(),
            limits: terms.limits,
            options: engine::Options {
                lines,
                level: terms.level,
                only,
                avoid,
                seed: terms.seed,
                ..engine::Options::default()
            },
        }
    }

    /// How the game stands.
    pub fn result(&self) -> ResultView {
        ResultView::of(&self.position, self.ended_at)
    }

    /// How the game stands after a move.
    fn result_after(&self, cell: Cell) -> ResultView {
        let mut after = self.position.clone();
        // Every move of the engine's is legal: a property test holds it to that.
        let played = after.play(cell);
        debug_assert_eq!(played, Ok(()));
        let ended_at = self.next_ply.filter(|_| after.status() != Status::Ongoing);
        ResultView::of(&after, ended_at)
    }
}

/// Why there is no move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoMove {
    /// The game is over.
    GameOver,
    /// Every empty cell is forbidden.
    NoLegalCell,
    /// The moves to choose from are all among those to leave out.
    NoneLeft,
}

impl NoMove {
    const ALL: [NoMove; 3] = [NoMove::GameOver, NoMove::NoLegalCell, NoMove::NoneLeft];

    const fn name(self) -> &'static str {
        match self {
            NoMove::GameOver => "game_over",
            NoMove::NoLegalCell => "no_legal_cell",
            NoMove::NoneLeft => "none_left",
        }
    }
}

/// That there is no move, and why.
#[derive(Serialize, ToSchema)]
#[schema(as = NoMoveReason)]
pub struct NoMoveView {
    code: NoMove,
    /// How the game stands.
    result: ResultView,
}

impl NoMoveView {
    pub fn of(code: NoMove, scene: &Scene) -> NoMoveView {
        NoMoveView {
            code,
            result: scene.result(),
        }
    }
}

/// What the search took; absent when there was nothing to search.
#[derive(Default, Serialize, ToSchema)]
#[schema(as = Effort)]
pub struct EffortView {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    stop_reason: Option<StopReason>,
    /// How many stones were looked ahead.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    depth: Option<u8>,
    /// How many positions were looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    nodes: Option<u64>,
    /// How long the search took, where the answer depends on it. (`Server-Timing` always tells.)
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    elapsed_ms: Option<u64>,
}

impl EffortView {
    /// What a search on these terms took.
    pub fn of(terms: Terms, outcome: &Outcome) -> EffortView {
        let elapsed_ms = u64::try_from(outcome.elapsed.as_millis()).ok();
        EffortView {
            stop_reason: Some(outcome.stop),
            depth: Some(outcome.depth),
            nodes: Some(outcome.nodes),
            elapsed_ms: elapsed_ms.filter(|_| !would_come_again(terms, outcome)),
        }
    }

    /// What a search has taken so far.
    pub fn so_far(outcome: &Outcome) -> EffortView {
        EffortView {
            stop_reason: None,
            depth: Some(outcome.depth),
            nodes: Some(outcome.nodes),
            elapsed_ms: u64::try_from(outcome.elapsed.as_millis()).ok(),
        }
    }
}

/// Would the same question get the same outcome again? Not where the clock has had a part in it.
pub fn would_come_again(terms: Terms, outcome: &Outcome) -> bool {
    terms.is_repeatable && outcome.stop != StopReason::Time
}

/// A move with its place on the board.
#[derive(Serialize, ToSchema)]
#[schema(as = Move)]
pub struct PlaceView {
    /// The cell.
    #[serde(rename = "move")]
    pub cell: Cell,
    /// Its row, from 0 at the top.
    #[schema(maximum = 24)]
    pub row: u8,
    /// Its column, from 0 at the left.
    #[schema(maximum = 24)]
    pub col: u8,
    /// How the game stands after it.
    pub result_after: ResultView,
}

impl PlaceView {
    pub fn of(cell: Cell, scene: &Scene) -> PlaceView {
        PlaceView {
            cell,
            row: cell.row(scene.position.board().size()).unwrap_or_default(),
            col: cell.column(),
            result_after: scene.result_after(cell),
        }
    }
}

/// How good a move is.
#[derive(Serialize, ToSchema)]
#[schema(as = Judgement)]
pub struct JudgementView {
    /// The engine's points: the more, the better; 0 when nobody is ahead, beyond ±29 000 a win or a loss.
    score: i32,
    /// With which ply from now the game ends, where the score is a win or a loss: 1 is the next stone, 0 after the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    plies_to_end: Option<u16>,
    /// The chance to win, a draw counting half; exactly 0 or 1 only when that is proven.
    #[schema(minimum = 0, maximum = 1)]
    win_prob: f64,
    verdict: Verdict,
    /// What proves a win or a loss; absent where the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    certificate: Option<CertificateLink>,
}

/// Through whose eyes a move is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eyes {
    /// Those of the side that plays it.
    Mover,
    /// Those of the other side.
    Other,
}

impl JudgementView {
    /// What a line is worth.
    pub fn of(line: &Line, eyes: Eyes) -> JudgementView {
        JudgementView::of_worth(Worth::of(line), eyes)
    }

    /// What a position or a move is worth.
    pub fn of_worth(worth: Worth, eyes: Eyes) -> JudgementView {
        let worth = match eyes {
            Eyes::Mover => worth,
            Eyes::Other => worth.reversed(),
        };
        JudgementView {
            score: worth.score.number(),
            plies_to_end: worth.score.plies_to_end(),
            // What is not proven stays off 0 and 1 by far more than is rounded away here.
            win_prob: to_places(worth.win_probability(), 4),
            verdict: worth.verdict,
            certificate: worth.certificate.map(CertificateLink::to),
        }
    }
}

/// A number to so many places after the point.
pub fn to_places(number: f64, places: i32) -> f64 {
    let scale = 10_f64.powi(places);
    (number * scale).round() / scale
}

pub const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// How an answer that depends on the clock may be kept: not at all.
pub const NOT_KEPT: (HeaderName, HeaderValue) =
    (CACHE_CONTROL, HeaderValue::from_static("no-store"));

/// The answer to a question on these terms, with what the search took in its headers.
pub fn respond(body: &impl Serialize, terms: Terms, finished: Option<&Finished>) -> HttpResponse {
    let Some(Finished { outcome, waited }) = finished else {
        return answer::ok(body);
    };
    let spent = Spent {
        waited: *waited,
        elapsed: outcome.elapsed,
        is_repeatable: would_come_again(terms, outcome),
    };
    respond_timed(body, spent)
}

/// What an answer has taken.
#[derive(Clone, Copy, Debug)]
pub struct Spent {
    /// The wait for a thread.
    pub waited: Duration,
    /// The search.
    pub elapsed: Duration,
    /// Would the same question get the same answer again?
    pub is_repeatable: bool,
}

impl Spent {
    /// The time as an answer tells it that depends on the clock.
    pub fn told_ms(self) -> Option<u64> {
        let elapsed_ms = u64::try_from(self.elapsed.as_millis()).ok();
        elapsed_ms.filter(|_| !self.is_repeatable)
    }
}

/// An answer with what it has taken in its headers.
pub fn respond_timed(body: &impl Serialize, spent: Spent) -> HttpResponse {
    let mut response = answer::ok(body);
    let millis = |duration: Duration| duration.as_secs_f64() * 1000.0;
    let timing = format!(
        "queue;dur={:.1}, search;dur={:.1}",
        millis(spent.waited),
        millis(spent.elapsed)
    );
    let headers = response.headers_mut();
    if let Ok(timing) = HeaderValue::try_from(timing) {
        headers.insert(SERVER_TIMING, timing);
    }
    if !spent.is_repeatable {
        headers.insert(NOT_KEPT.0, NOT_KEPT.1);
    }
    response
}

/// Answers a GET: one whose answer follows from the question is tagged, and known before it is searched.
///
/// # Errors
///
/// What `compute` gives.
pub async fn respond_to_get(
    request: &HttpRequest,
    terms: Terms,
    config: SearchConfig,
    compute: impl Future<Output = Result<HttpResponse, ApiError>>,
) -> Result<HttpResponse, ApiError> {
    if terms.is_repeatable {
        // What a search finds may depend on how much it can remember.
        let memory = config.memory_mib.to_string();
        unchanging_under(request, &memory, compute).await
    } else {
        compute.await
    }
}

/// Searches on the calling thread, with the memory that a service has by itself: for the examples in the
/// document.
pub fn search_here(order: &Order) -> Finished {
    let mut memory = Memory::with_mebibytes(SearchConfig::default().memory_mib);
    Finished {
        outcome: order.run(&mut memory, &AtomicBool::new(false), &mut |_| {}),
        waited: Duration::ZERO,
    }
}
