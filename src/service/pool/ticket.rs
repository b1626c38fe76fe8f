use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{oneshot, watch};

use crate::engine::Outcome;
use crate::service::pool::{Finished, Report, SearchError, Shared, Stage};

/// A search that was handed in. Dropped, it is cancelled: at once if it runs, and it never begins if not.
pub struct Ticket<T = Outcome> {
    pub(super) stages: watch::Receiver<Stage>,
    pub(super) outcome: oneshot::Receiver<Result<Finished<T>, SearchError>>,
    pub(super) patience: Patience,
    pub(super) begun: Option<Instant>,
    /// How long the search may take once it has begun.
    pub(super) longest: Option<Duration>,
    pub(super) _claim: Claim,
}

/// What is waited for, and how long at most.
#[derive(Clone, Copy)]
pub(super) enum Patience {
    Start(Option<tokio::time::Instant>),
    End(Option<tokio::time::Instant>),
}

impl Patience {
    /// Comes when it has run out, and says so.
    async fn runs_out(self) -> SearchError {
        match self {
            Patience::Start(Some(until)) => {
                tokio::time::sleep_until(until).await;
                SearchError::WaitedTooLong
            }
            Patience::End(Some(until)) => {
                tokio::time::sleep_until(until).await;
                SearchError::Overran
            }
            Patience::Start(None) | Patience::End(None) => std::future::pending().await,
        }
    }
}

impl<T> Ticket<T> {
    /// Waits for the end.
    ///
    /// # Panics
    ///
    /// When called after the end.
    pub async fn finish(&mut self) -> Result<Finished<T>, SearchError> {
        loop {
            if let Report::Done(result) = self.next().await {
                return result;
            }
        }
    }

    /// Waits for what comes next. Can be dropped and called again: nothing is lost.
    ///
    /// # Panics
    ///
    /// When called after [`Report::Done`].
    pub async fn next(&mut self) -> Report<T> {
        loop {
            self.note_start();
            tokio::select! {
                biased;
                result = &mut self.outcome => {
                    return Report::Done(result.unwrap_or(Err(SearchError::Cancelled)));
                }
                Ok(()) = self.stages.changed() => {
                    if let Stage::Progress(outcome) = &*self.stages.borrow_and_update() {
                        return Report::Progress(outcome.clone());
                    }
                }
                error = self.patience.runs_out() => return Report::Done(Err(error)),
            }
        }
    }

    /// How long the search has run by now, as far as that was noticed: it is when its reports are waited for.
    pub fn ran(&self) -> Duration {
        self.begun.map_or(Duration::ZERO, |begun| begun.elapsed())
    }

    /// From the start on, what is waited for is the end.
    fn note_start(&mut self) {
        let has_begun = !matches!(*self.stages.borrow(), Stage::Waiting);
        if has_begun && matches!(self.patience, Patience::Start(_)) {
            let now = tokio::time::Instant::now();
            self.begun = Some(now.into());
            self.patience = Patience::End(self.longest.map(|longest| now + longest));
        }
    }
}

/// Cancels its search when dropped.
pub(super) struct Claim {
    pub(super) cancel: Arc<AtomicBool>,
    pub(super) pool: Arc<Shared>,
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
        self.pool.forget(&self.cancel);
    }
}
