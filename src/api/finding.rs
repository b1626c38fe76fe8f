//! An analysis, and how it is told: at once or in events.

use std::str::FromStr;
use std::sync::Arc;

use actix_web::HttpResponse;
use serde::Serialize;
use utoipa::ToSchema;

use crate::analysis::Threats;
use crate::api::error::ApiError;
use crate::api::position::{PositionEcho, Source};
use crate::api::reason::ReasonView;
use crate::api::search::{
    self, EffortView, Eyes, JudgementView, NoMove, NoMoveView, PlaceView, Scene,
};
use crate::api::stream::{EventType, Form, Told, respond_in_steps};
use crate::api::terms::Terms;
use crate::api::text::named;
use crate::board::{Cell, Color};
use crate::engine::{Line, Outcome};
use crate::service::{
    Finished, Order, Report, SearchPool, Searcher, Ticket, Urgency, keep_certificates_of,
};
use crate::store::Store;

/// For whom an analysis is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pov {
    /// For the side to move.
    ToMove,
    /// For one side, whoever is to move.
    Side(Color),
}

impl Pov {
    const ALL: [Pov; 3] = [
        Pov::ToMove,
        Pov::Side(Color::Black),
        Pov::Side(Color::White),
    ];

    const fn name(self) -> &'static str {
        match self {
            Pov::ToMove => "to_move",
            Pov::Side(color) => color.name(),
        }
    }

    /// Whose eyes these are, seen from the side to move.
    pub fn eyes(self, to_move: Color) -> Eyes {
        match self {
            Pov::Side(color) if color != to_move => Eyes::Other,
            Pov::Side(_) | Pov::ToMove => Eyes::Mover,
        }
    }
}

named!(Pov, "For whom an analysis is told.");

impl FromStr for Pov {
    type Err = ();

    fn from_str(text: &str) -> Result<Pov, ()> {
        let mut all = Pov::ALL.into_iter();
        all.find(|pov| pov.name() == text).ok_or(())
    }
}

/// What the engine finds in a position.
#[derive(Serialize, ToSchema)]
pub struct AnalysisAnswer<'a> {
    /// The position as it was understood.
    position: PositionEcho<'a>,
    /// Whose turn it is; absent when the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    to_move: Option<Color>,
    /// For whom `score`, `win_prob` and `verdict` are told.
    pov: Pov,
    /// The moves with what follows, best first; none when there is no move.
    lines: Vec<LineView>,
    /// The cells on which the other side would win with its next stone, where the side to move cannot win first.
    must_block: Vec<Cell>,
    /// Why there is no move.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    no_move: Option<NoMoveView>,
    #[serde(flatten)]
    effort: EffortView,
}

/// A move with what is expected to follow.
#[derive(Serialize, ToSchema)]
#[schema(as = AnalysisLine)]
struct LineView {
    #[serde(flatten)]
    place: PlaceView,
    #[serde(flatten)]
    judgement: JudgementView,
    /// What is expected to be played, the move first; every stone may be played.
    #[schema(min_items = 1)]
    pv: Vec<Cell>,
    /// Why this move.
    reason: ReasonView,
}

/// That a request is a good one.
#[derive(Serialize)]
pub struct Accepted<'a> {
    position: PositionEcho<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_move: Option<Color>,
}

impl<'a> Accepted<'a> {
    /// Of a position as it was asked, and as it is searched.
    pub fn of(source: &'a Source, scene: &Scene) -> Accepted<'a> {
        Accepted {
            position: source.echo(),
            to_move: scene.to_move(),
        }
    }
}

/// What is found so far.
#[derive(Serialize)]
pub struct Progress {
    lines: Vec<LineView>,
    #[serde(flatten)]
    effort: EffortView,
}

/// An analysis to be made: a request known to be sound.
pub struct Analysis {
    /// The position as it was asked.
    pub source: Source,
    /// The position as it is searched.
    pub scene: Scene,
    /// How many lines to tell.
    pub lines: usize,
    /// What the search may use.
    pub terms: Terms,
    /// The moves to choose from, unless empty.
    pub only: Vec<Cell>,
    /// The moves to leave out.
    pub avoid: Vec<Cell>,
    /// For whom it is told.
    pub pov: Pov,
}

impl Analysis {
    /// The answer, searched for on the calling thread.
    pub fn respond_here(&self) -> HttpResponse {
        let finished = self.order().map(|order| search::search_here(&order));
        self.respond(finished.as_ref())
    }

    /// The answer, once it is found.
    ///
    /// # Errors
    ///
    /// When the search gives none.
    pub async fn respond_at_once(&self, searcher: &Searcher) -> Result<HttpResponse, ApiError> {
        let finished = match self.order() {
            Some(order) => Some(searcher.search(order).await?),
            None => None,
        };
        Ok(self.respond(finished.as_ref()))
    }

    /// The answer as events.
    ///
    /// # Errors
    ///
    /// When no more searches may wait: that is told before the first event.
    pub fn respond_in_events(
        self,
        form: Form,
        pool: &SearchPool,
        store: Arc<dyn Store>,
        request_id: String,
    ) -> Result<HttpResponse, ApiError> {
        let ticket = match self.order() {
            Some(order) => Some(pool.submit(order, Urgency::Analysis)?),
            None => None,
        };
        let accepted = Told::new(EventType::Accepted, &self.accepted());
        let following = Following {
            analysis: self,
            store,
            ticket,
            request_id,
        };
        Ok(respond_in_steps(form, accepted, following, Following::step))
    }

    fn no_move(&self) -> Option<NoMove> {
        let is_avoided = |cell: &Cell| self.avoid.contains(cell);
        let is_none_left = || {
            if self.only.is_empty() {
                let mut legal = self.scene.position().legal_cells();
                legal.all(|cell| is_avoided(&cell))
            } else {
                self.only.iter().all(is_avoided)
            }
        };
        self.scene
            .no_move()
            .or_else(|| is_none_left().then_some(NoMove::NoneLeft))
    }

    /// The search that the answer needs, if there is a move to be found.
    pub fn order(&self) -> Option<Order> {
        let (only, avoid) = (self.only.clone(), self.avoid.clone());
        let order = || self.scene.order(self.terms, self.lines, only, avoid);
        self.no_move().is_none().then(order)
    }

    fn respond(&self, finished: Option<&Finished>) -> HttpResponse {
        search::respond(&self.answer(finished), self.terms, finished)
    }

    /// That the request is a good one.
    pub fn accepted(&self) -> Accepted<'_> {
        Accepted::of(&self.source, &self.scene)
    }

    /// What is found so far.
    pub fn progress(&self, outcome: &Outcome) -> Progress {
        Progress {
            lines: self.views(outcome, &Threats::of(self.scene.position())),
            effort: EffortView::so_far(outcome),
        }
    }

    /// The answer to what a search has found.
    pub fn answer(&self, finished: Option<&Finished>) -> AnalysisAnswer<'_> {
        let outcome = finished.map(|finished| &finished.outcome);
        let threats = Threats::of(self.scene.position());
        let no_move = self.no_move();
        AnalysisAnswer {
            position: self.source.echo(),
            to_move: self.scene.to_move(),
            pov: self.pov,
            lines: outcome.map_or_else(Vec::new, |outcome| self.views(outcome, &threats)),
            must_block: threats.must_block().to_vec(),
            no_move: no_move.map(|code| NoMoveView::of(code, &self.scene)),
            effort: outcome
                .map(|outcome| EffortView::of(self.terms, outcome))
                .unwrap_or_default(),
        }
    }

    fn views(&self, outcome: &Outcome, threats: &Threats<'_>) -> Vec<LineView> {
        let lines = outcome.lines.iter();
        lines.filter_map(|line| self.view(line, threats)).collect()
    }

    /// A line as it is told; none of a line without a move, which there is not.
    fn view(&self, line: &Line, threats: &Threats<'_>) -> Option<LineView> {
        let cell = *line.moves.first()?;
        let eyes = self.pov.eyes(self.scene.position().to_move());
        Some(LineView {
            place: PlaceView::of(cell, &self.scene),
            judgement: JudgementView::of(line, eyes),
            pv: line.moves.clone(),
            reason: ReasonView::of(threats.reason_for(cell)),
        })
    }
}

/// An analysis that is told in events. Dropped, it stops its search.
struct Following {
    analysis: Analysis,
    store: Arc<dyn Store>,
    ticket: Option<Ticket>,
    request_id: String,
}

impl Following {
    /// Waits for what comes next, and tells it.
    async fn step(mut self) -> (Vec<Told>, Option<Following>) {
        let report = match &mut self.ticket {
            Some(ticket) => ticket.next().await,
            None => return (self.end(None), None),
        };
        let lines = match &report {
            Report::Progress(outcome) => &outcome.lines[..],
            Report::Done(Ok(finished)) => &finished.outcome.lines,
            Report::Done(Err(_)) => &[],
        };
        if let Err(error) = keep_certificates_of(self.store.as_ref(), lines).await {
            return (vec![self.error(error.into())], None);
        }
        match report {
            Report::Progress(outcome) => {
                let progress = self.analysis.progress(&outcome);
                (vec![Told::new(EventType::Progress, &progress)], Some(self))
            }
            Report::Done(Ok(finished)) => (self.end(Some(&finished)), None),
            Report::Done(Err(error)) => (vec![self.error(error.into())], None),
        }
    }

    fn error(&self, error: ApiError) -> Told {
        Told::error(&error.problem(&self.request_id))
    }

    fn end(&self, finished: Option<&Finished>) -> Vec<Told> {
        let answer = self.analysis.answer(finished);
        vec![Told::new(EventType::Result, &answer), Told::done()]
    }
}
