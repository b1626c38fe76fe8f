use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::engine::StopReason;
use crate::service::{Finished, Order, SearchError, SearchPool, Urgency};

/// The searches of one caller: how urgent they are, and what time they may take together.
pub struct Searcher {
    pool: SearchPool,
    urgency: Urgency,
    /// What is left of the time of all. std mutex: never held over an await.
    left: Option<Mutex<Duration>>,
}

impl Searcher {
    /// Searches each of which is bounded by itself alone.
    pub fn new(pool: &SearchPool, urgency: Urgency) -> Searcher {
        Searcher {
            pool: pool.clone(),
            urgency,
            left: None,
        }
    }

    /// Searches that take so much time together at the most, waits not counted. The last one may be cut short by it.
    pub fn within(pool: &SearchPool, urgency: Urgency, budget: Duration) -> Searcher {
        Searcher {
            left: Some(Mutex::new(budget)),
            ..Searcher::new(pool, urgency)
        }
    }

    /// Searches and waits for the outcome.
    ///
    /// # Errors
    ///
    /// [`SearchError::BudgetSpent`] when the searches before have taken all of the time, and what the pool gives.
    pub async fn search(&self, mut order: Order) -> Result<Finished, SearchError> {
        let Some(left) = &self.left else {
            return self.pool.search(order, self.urgency).await;
        };
        let most = *left.lock().unwrap_or_else(PoisonError::into_inner);
        if most.is_zero() {
            return Err(SearchError::BudgetSpent);
        }
        let is_cut = order.limits.time.is_none_or(|time| time > most);
        if is_cut {
            order.limits.time = Some(most);
        }
        let finished = self.pool.search(order, self.urgency).await?;
        // A search that is ended by the clock may stop a little before its time: nothing can be done with the rest.
        let has_all = is_cut && finished.outcome.stop == StopReason::Time;
        let spent = if has_all {
            most
        } else {
            finished.outcome.elapsed
        };
        let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
        *left = left.saturating_sub(spent);
        Ok(finished)
    }
}
