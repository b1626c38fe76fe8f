use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::store::End;

/// What the workers of this server do and have done, since it was started. Clones are handles to the same tally.
#[derive(Clone, Debug, Default)]
pub struct JobTally(Arc<Mutex<JobCounts>>);

/// How many jobs the workers of this server have, and have ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobCounts {
    /// Those that are worked on.
    pub running: usize,
    /// Those that came out with a result.
    pub done: u64,
    /// Those that came out with a problem.
    pub failed: u64,
    /// Those that nobody wanted any more.
    pub cancelled: u64,
}

/// A job that is worked on, for as long as this is kept.
pub(super) struct Working<'a>(&'a JobTally);

impl JobTally {
    /// The present counts.
    pub fn counts(&self) -> JobCounts {
        *self.counted()
    }

    /// A worker has begun a job.
    pub(super) fn begin(&self) -> Working<'_> {
        self.counted().running += 1;
        Working(self)
    }

    /// A worker has ended a job.
    pub(super) fn end(&self, end: &End) {
        let mut counts = self.counted();
        match end {
            End::Done(_) | End::DoneOnce(_) => counts.done += 1,
            End::Failed(_) => counts.failed += 1,
            End::Cancelled => counts.cancelled += 1,
        }
    }

    fn counted(&self) -> MutexGuard<'_, JobCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0.counted().running -= 1;
    }
}
