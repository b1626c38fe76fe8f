//! A review on its way: one search after the other, and how it is told: at once or ply by ply.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header::HeaderValue;
use serde::Serialize;

use crate::analysis::{self, JudgedPly, Review};
use crate::api::answer;
use crate::api::boards::answer_svg;
use crate::api::error::ApiError;
use crate::api::finding::Pov;
use crate::api::position::{PositionEcho, echo_of};
use crate::api::review_view::{PlyView, ReviewAnswer};
use crate::api::search::{NOT_KEPT, SERVER_TIMING, would_come_again};
use crate::api::stream::{EventType, Form, Told, respond_in_steps};
use crate::api::terms::Terms;
use crate::engine::{Memory, Options};
use crate::picture::{Chart, Theme, Title, draw_chart};
use crate::record::Record;
use crate::service::{
    Finished, Order, Report, SearchConfig, SearchPool, Searcher, Ticket, Urgency,
    keep_certificates_of,
};
use crate::store::Store;

/// A game that is being reviewed: a request known to be sound, and what is found so far.
pub struct Reviewing {
    /// The game.
    pub record: Record,
    /// The game's plies and what is known of them.
    pub review: Review,
    /// What each search may use.
    pub terms: Terms,
    /// How it is told.
    pub telling: Telling,
    /// What the chart is called.
    pub title: Option<Title>,
    /// What the searches have taken.
    pub spent: Spent,
}

/// How a review is told.
#[derive(Clone, Copy, Debug)]
pub struct Telling {
    /// For whom.
    pub pov: Pov,
    /// The colours of the chart.
    pub theme: Theme,
}

/// What the searches of a review have taken together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    nodes: u64,
    elapsed: Duration,
    waited: Duration,
    /// Has the clock had a part in one of them?
    is_chancy: bool,
}

/// That a request is a good one.
#[derive(Serialize)]
pub struct Accepted<'a> {
    position: PositionEcho<'a>,
    plies: usize,
}

impl Reviewing {
    /// The answer, searched for on the calling thread, with the memory that a service has by itself.
    pub fn respond_here(mut self) -> HttpResponse {
        let mut memory = Memory::with_mebibytes(SearchConfig::default().memory_mib);
        while let Some(order) = self.next_order() {
            let outcome = order.run(&mut memory, &AtomicBool::new(false), &mut |_| {});
            let waited = Duration::ZERO;
            self.take(Finished { outcome, waited });
        }
        self.respond()
    }

    /// The answer as JSON, once all is found.
    ///
    /// # Errors
    ///
    /// When a search does not give what a ply needs.
    pub async fn respond_at_once(mut self, searcher: &Searcher) -> Result<HttpResponse, ApiError> {
        self.search_all(searcher).await?;
        Ok(self.respond())
    }

    /// The answer as a chart, once all is found.
    ///
    /// # Errors
    ///
    /// When a search does not give what a ply needs.
    pub async fn respond_drawn(mut self, searcher: &Searcher) -> Result<HttpResponse, ApiError> {
        self.search_all(searcher).await?;
        let chart = Chart::new(&self.review.chances())
            .with_marks(self.review.report().turning_points)
            .with_title(self.title.clone());
        Ok(self.with_headers(answer_svg(draw_chart(&chart, self.telling.theme))))
    }

    /// The answer as events.
    ///
    /// # Errors
    ///
    /// When no more searches may wait: that is told before the first event.
    pub fn respond_in_events(
        self,
        form: Form,
        pool: SearchPool,
        store: Arc<dyn Store>,
        request_id: String,
    ) -> Result<HttpResponse, ApiError> {
        let ticket = self.submit_next(&pool)?;
        let accepted = Told::new(EventType::Accepted, &self.accepted());
        let following = Following {
            reviewing: self,
            pool,
            store,
            ticket,
            request_id,
        };
        Ok(respond_in_steps(form, accepted, following, Following::step))
    }

    /// That the request is a good one.
    pub fn accepted(&self) -> Accepted<'_> {
        Accepted {
            position: echo_of(&self.record),
            plies: self.record.plies().len(),
        }
    }

    /// Searches one position after the other: between two of them others have their turn.
    async fn search_all(&mut self, searcher: &Searcher) -> Result<(), ApiError> {
        while let Some(order) = self.next_order() {
            let finished = searcher.search(order).await?;
            self.take(finished);
        }
        Ok(())
    }

    /// The next search, if one is needed.
    pub fn next_order(&self) -> Option<Order> {
        let position = self.review.next_position()?;
        Some(Order {
            position: position.clone(),
            limits: self.terms.limits,
            options: Options {
                lines: Review::LINES,
                level: self.terms.level,
                seed: self.terms.seed,
                ..Options::default()
            },
        })
    }

    fn submit_next(&self, pool: &SearchPool) -> Result<Option<Ticket>, ApiError> {
        let order = self.next_order();
        let submitted = order.map(|order| pool.submit(order, Urgency::Analysis));
        Ok(submitted.transpose()?)
    }

    /// Takes what a search has found, and gives the plies that can be judged now.
    pub fn take(&mut self, finished: Finished) -> &[JudgedPly] {
        let Finished { outcome, waited } = finished;
        self.spent.nodes += outcome.nodes;
        self.spent.elapsed += outcome.elapsed;
        self.spent.waited += waited;
        self.spent.is_chancy |= !would_come_again(self.terms, &outcome);
        self.review.add(outcome.lines)
    }

    fn respond(&self) -> HttpResponse {
        let report = self.review.report();
        self.with_headers(answer::ok(&self.answer(&report)))
    }

    /// The answer to what the searches have found.
    pub fn answer<'a>(&'a self, report: &'a analysis::Report) -> ReviewAnswer<'a> {
        let elapsed_ms = u64::try_from(self.spent.elapsed.as_millis()).ok();
        ReviewAnswer::of(
            &self.record,
            &self.review,
            report,
            self.telling.pov,
            self.spent.nodes,
            elapsed_ms.filter(|_| self.spent.is_chancy),
        )
    }

    /// An answer with what the searches took in its headers.
    fn with_headers(&self, mut response: HttpResponse) -> HttpResponse {
        let millis = |duration: Duration| duration.as_secs_f64() * 1000.0;
        let timing = format!(
            "queue;dur={:.1}, search;dur={:.1}",
            millis(self.spent.waited),
            millis(self.spent.elapsed)
        );
        let headers = response.headers_mut();
        if let Ok(timing) = HeaderValue::try_from(timing) {
            headers.insert(SERVER_TIMING, timing);
        }
        if self.spent.is_chancy {
            headers.insert(NOT_KEPT.0, NOT_KEPT.1);
        }
        response
    }
}

/// A review that is told in events. Dropped, it stops its search.
struct Following {
    reviewing: Reviewing,
    pool: SearchPool,
    store: Arc<dyn Store>,
    /// The search that runs or waits; none when all are done.
    ticket: Option<Ticket>,
    request_id: String,
}

impl Following {
    /// Waits for the next position, and tells the plies that are judged by it.
    async fn step(mut self) -> (Vec<Told>, Option<Following>) {
        let Some(mut ticket) = self.ticket.take() else {
            return (self.end(), None);
        };
        let finished = loop {
            if let Report::Done(result) = ticket.next().await {
                break result;
            }
        };
        let finished = match finished {
            Ok(finished) => finished,
            Err(error) => return (vec![self.error(&error.into())], None),
        };
        if let Err(error) = keep_certificates_of(self.store.as_ref(), &finished.outcome.lines).await
        {
            return (vec![self.error(&error.into())], None);
        }
        let pov = self.reviewing.telling.pov;
        let judged = self.reviewing.take(finished).iter();
        let told = judged.map(|ply| Told::new(EventType::Ply, &PlyView::of(ply, pov)));
        let mut told: Vec<Told> = told.collect();
        match self.reviewing.submit_next(&self.pool) {
            Ok(ticket) => self.ticket = ticket,
            Err(error) => {
                told.push(self.error(&error));
                return (told, None);
            }
        }
        (told, Some(self))
    }

    fn error(&self, error: &ApiError) -> Told {
        Told::error(&error.problem(&self.request_id))
    }

    fn end(&self) -> Vec<Told> {
        let report = self.reviewing.review.report();
        let answer = self.reviewing.answer(&report);
        vec![Told::new(EventType::Result, &answer), Told::done()]
    }
}
