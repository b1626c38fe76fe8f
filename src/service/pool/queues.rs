use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::engine::Memory;
use crate::service::pool::{Counts, SearchError, Urgency};

/// The searches of a pool, in the order in which they go.
#[derive(Default)]
pub(super) struct State {
    pub(super) hints: VecDeque<Job>,
    pub(super) analyses: VecDeque<Job>,
    /// As many as there are workers on jobs, at the most.
    pub(super) jobs: VecDeque<Job>,
    pub(super) running: Vec<Running>,
    pub(super) is_closed: bool,
    pub(super) counts: Counts,
}

/// A search, or other work, that waits for a thread.
pub(super) struct Job {
    pub(super) work: Work,
    pub(super) urgency: Urgency,
    pub(super) cancel: Arc<AtomicBool>,
}

/// What a job does on its thread: gives how it ended, and the telling of it, for after that is counted.
pub(super) type Work = Box<dyn FnOnce(&mut Memory) -> (Result<(), SearchError>, Telling) + Send>;
pub(super) type Telling = Box<dyn FnOnce(Result<(), SearchError>)>;

/// A search on its thread.
pub(super) struct Running {
    pub(super) urgency: Urgency,
    pub(super) cancel: Arc<AtomicBool>,
    /// Is it being stopped for the sake of another?
    pub(super) gives_way: bool,
}

impl State {
    /// The search that goes next: a hint, else an analysis or a job's if that leaves a thread for hints.
    pub(super) fn next(&mut self, threads: usize) -> Option<Job> {
        let unhurried = self
            .running
            .iter()
            .filter(|running| running.urgency != Urgency::Hint);
        let has_room = unhurried.count() < most_unhurried(threads);
        let analysis =
            || has_room.then(|| self.analyses.pop_front().or_else(|| self.jobs.pop_front()))?;
        self.hints.pop_front().or_else(analysis)
    }

    /// Stops the search of a job if one that was just handed in would have to wait for it.
    pub(super) fn make_way(&mut self, urgency: Urgency, threads: usize) {
        let staying = || self.running.iter().filter(|running| !running.gives_way);
        let unhurried = staying().filter(|running| running.urgency != Urgency::Hint);
        let analyses = unhurried.count() + self.analyses.len();
        let waits = match urgency {
            Urgency::Hint => staying().count() + self.hints.len() > threads,
            Urgency::Analysis => {
                let all = staying().count() + self.hints.len() + self.analyses.len();
                analyses > most_unhurried(threads) || all > threads
            }
            Urgency::Job => false,
        };
        let mut running = self.running.iter_mut();
        let job = running.find(|running| running.urgency == Urgency::Job && !running.gives_way);
        if let Some(job) = job.filter(|_| waits) {
            job.gives_way = true;
            job.cancel.store(true, Ordering::Relaxed);
        }
    }
}

/// How many searches that are no hints may run at once.
fn most_unhurried(threads: usize) -> usize {
    (threads - 1).max(1)
}
