use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::store::End;

/// What the workers of this server do and have done, since it was started. Clones are handles to the same tally.
#[derive(Clone, Debug, Default)]
pub struct JobTally(Arc<Tallied>);

#[derive(Debug, Default)]
struct Tallied {
    running: AtomicUsize,
    done: AtomicU64,
    failed: AtomicU64,
    cancelled: AtomicU64,
}

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
pub(super) struct Working<'a>(&'a AtomicUsize);

impl JobTally {
    /// The present counts.
    pub fn counts(&self) -> JobCounts {
        JobCounts {
            running: self.0.running.load(Ordering::Relaxed),
            done: self.0.done.load(Ordering::Relaxed),
            failed: self.0.failed.load(Ordering::Relaxed),
            cancelled: self.0.cancelled.load(Ordering::Relaxed),
        }
    }

    /// A worker has begun a job.
    pub(super) fn begin(&self) -> Working<'_> {
        self.0.running.fetch_add(1, Ordering::Relaxed);
        Working(&self.0.running)
    }

    /// A worker has ended a job.
    pub(super) fn end(&self, end: &End) {
        let count = match end {
            End::Done(_) | End::DoneOnce(_) => &self.0.done,
            End::Failed(_) => &self.0.failed,
            End::Cancelled => &self.0.cancelled,
        };
        count.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
