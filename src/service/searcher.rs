use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::engine::{Memory, StopReason};
use crate::service::{Finished, Order, SearchError, SearchPool, Urgency, keep_certificates_of};
use crate::store::{Store, StoreError};

/// The searches of one caller: how urgent they are, what time they may take together, and where the certificates are kept
/// of what they prove.
pub struct Searcher {
    pool: SearchPool,
    store: Arc<dyn Store>,
    urgency: Urgency,
    /// What is left of the time of all. std mutex: never held over an await.
    left: Option<Mutex<Duration>>,
}

/// Why a search has nothing to tell.
#[derive(Debug, Error)]
pub enum SearcherError {
    /// The pool gives no outcome.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// What it proves could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Searcher {
    /// Searches each of which is bounded by itself alone.
    pub fn new(pool: &SearchPool, store: Arc<dyn Store>, urgency: Urgency) -> Searcher {
        Searcher {
            pool: pool.clone(),
            store,
            urgency,
            left: None,
        }
    }

    /// Searches that take so much time together at the most, waits not counted. The last one may be cut short by it.
    pub fn within(
        pool: &SearchPool,
        store: Arc<dyn Store>,
        urgency: Urgency,
        budget: Duration,
    ) -> Searcher {
        Searcher {
            left: Some(Mutex::new(budget)),
            ..Searcher::new(pool, store, urgency)
        }
    }

    /// Where what is proven is kept.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// Searches and waits for the outcome. Its certificates are kept.
    ///
    /// # Errors
    ///
    /// [`SearchError::BudgetSpent`] when the searches before have taken all of the time, and what pool and store give.
    pub async fn search(&self, mut order: Order) -> Result<Finished, SearcherError> {
        let most = self.left()?;
        let is_cut = most.filter(|most| order.limits.time.is_none_or(|time| time > *most));
        if is_cut.is_some() {
            order.limits.time = is_cut;
        }
        let finished = self.pool.search(order, self.urgency).await?;
        // A search that is ended by the clock may stop a little before its time: nothing can be done with the rest.
        let has_all = is_cut.filter(|_| finished.outcome.stop == StopReason::Time);
        self.spend(has_all.unwrap_or(finished.outcome.elapsed));
        keep_certificates_of(self.store(), &finished.outcome.lines).await?;
        Ok(finished)
    }

    /// Does other work of the engine's, which may take so long; `work` makes it for the time that there is.
    ///
    /// # Errors
    ///
    /// As [`Searcher::search`].
    pub async fn work<T, W>(
        &self,
        longest: Duration,
        work: impl FnOnce(Duration) -> W,
    ) -> Result<Finished<T>, SearcherError>
    where
        T: Send + 'static,
        W: FnOnce(&mut Memory, &AtomicBool) -> Option<T> + Send + 'static,
    {
        let longest = self.left()?.map_or(longest, |most| longest.min(most));
        let work = work(longest);
        let timed = move |memory: &mut Memory, cancel: &AtomicBool| {
            let began = Instant::now();
            Some((work(memory, cancel)?, began.elapsed()))
        };
        let finished = self.pool.work(self.urgency, longest, timed).await?;
        let (outcome, spent) = finished.outcome;
        self.spend(spent);
        Ok(Finished {
            outcome,
            waited: finished.waited,
        })
    }

    /// The time that is left, if it is bounded.
    fn left(&self) -> Result<Option<Duration>, SearchError> {
        let Some(left) = &self.left else {
            return Ok(None);
        };
        let left = *left.lock().unwrap_or_else(PoisonError::into_inner);
        if left.is_zero() {
            return Err(SearchError::BudgetSpent);
        }
        Ok(Some(left))
    }

    fn spend(&self, spent: Duration) {
        if let Some(left) = &self.left {
            let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
            *left = left.saturating_sub(spent);
        }
    }
}
