use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::engine::{Memory, Outcome, StopReason};
use crate::service::{
    Finished, Order, Report, SearchError, SearchPool, SearcherError, Urgency, keep_certificates_of,
};
use crate::store::Store;

/// The least time of a search that was begun again: what is found in less is not worth a thread.
const LEAST_TIME: Duration = Duration::from_millis(20);

/// Searches for a job. Whenever the search has to give way it waits and begins again with the time that is left to it, so that it
/// ends however busy the service is; what was found before is not lost where it looked further ahead.
///
/// What is proven is kept before it is told.
///
/// # Errors
///
/// Every [`SearcherError`] but that the search has given way.
pub async fn search_for_job(
    pool: &SearchPool,
    store: &dyn Store,
    mut order: Order,
    mut on_progress: impl FnMut(&Outcome),
) -> Result<Finished, SearcherError> {
    let mut best: Option<Arc<Outcome>> = None;
    loop {
        let mut ticket = pool.submit(order.clone(), Urgency::Job)?;
        let result = loop {
            match ticket.next().await {
                Report::Progress(outcome) if is_deeper(&outcome, best.as_deref()) => {
                    keep_certificates_of(store, &outcome.lines).await?;
                    on_progress(&outcome);
                    best = Some(outcome);
                }
                Report::Progress(_) => {}
                Report::Done(result) => break result,
            }
        };
        match result {
            Err(SearchError::GaveWay) => {}
            Ok(finished) => {
                let deepest = deepest(finished, best.as_deref());
                keep_certificates_of(store, &deepest.outcome.lines).await?;
                return Ok(deepest);
            }
            Err(error) => return Err(error.into()),
        }
        let left = order
            .limits
            .time
            .map(|time| time.saturating_sub(ticket.ran()));
        match best.as_deref() {
            Some(best) if left.is_some_and(|left| left < LEAST_TIME) => return Ok(cut_off(best)),
            _ => order.limits.time = left.map(|left| left.max(LEAST_TIME)),
        }
    }
}

/// Does other work for a job, which may take so long; `work` makes it for the time that is left. Whenever it has to give way
/// it waits, and begins again.
///
/// # Errors
///
/// Every [`SearchError`] but [`SearchError::GaveWay`].
pub async fn work_for_job<T, W>(
    pool: &SearchPool,
    longest: Duration,
    work: impl Fn(Duration) -> W,
) -> Result<Finished<T>, SearchError>
where
    T: Send + 'static,
    W: FnOnce(&mut Memory, &AtomicBool) -> Option<T> + Send + 'static,
{
    let mut left = longest;
    loop {
        let mut ticket = pool.submit_work(Urgency::Job, left, work(left))?;
        match ticket.finish().await {
            Err(SearchError::GaveWay) => {
                left = left.saturating_sub(ticket.ran()).max(LEAST_TIME);
            }
            result => return result,
        }
    }
}

fn is_deeper(outcome: &Outcome, best: Option<&Outcome>) -> bool {
    best.is_none_or(|best| outcome.depth > best.depth)
}

/// What a search has found, or what one before it has found that the clock has not let it come to.
fn deepest(finished: Finished, best: Option<&Outcome>) -> Finished {
    let is_cut = finished.outcome.stop == StopReason::Time;
    match best {
        Some(best) if is_cut && best.depth > finished.outcome.depth => cut_off(best),
        _ => finished,
    }
}

fn cut_off(best: &Outcome) -> Finished {
    Finished {
        outcome: Outcome {
            stop: StopReason::Time,
            ..best.clone()
        },
        waited: Duration::ZERO,
    }
}
