//! The threads that search. Begin reading with [`SearchPool`]; `queues.rs` says who goes next, `ticket.rs` how a
//! search is followed.

mod queues;
#[cfg(test)]
mod tests;
mod ticket;

use std::io;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use thiserror::Error;
use tokio::sync::{oneshot, watch};

use crate::engine::{Limits, Memory, Notary, Options, Outcome, Search, StopReason};
use crate::rules::Position;
use crate::service::SearchConfig;
use crate::service::pool::queues::{Job, Running, State, Work};
use crate::service::pool::ticket::{Claim, Patience};

pub use ticket::Ticket;

/// A search that somebody wants.
#[derive(Clone, Debug)]
pub struct Order {
    /// Where to look.
    pub position: Position,
    /// What the search may use; its time counts from its start, not from the wait before it.
    pub limits: Limits,
    /// How to look.
    pub options: Options,
}

impl Order {
    /// Searches on the calling thread, as a first search with this memory would. What is told as proven, on the way
    /// too, has its certificate.
    pub fn run(
        &self,
        memory: &mut Memory,
        cancel: &AtomicBool,
        on_progress: &mut dyn FnMut(&Outcome),
    ) -> Outcome {
        memory.forget();
        let mut notary = Notary::new(&self.position);
        let mut certified = |outcome: &Outcome| {
            let mut outcome = outcome.clone();
            notary.certify(&mut outcome, cancel);
            outcome
        };
        let search = Search::new(&self.position, self.limits, self.options.clone());
        let outcome = search.run(memory, cancel, &mut |outcome| {
            on_progress(&certified(outcome));
        });
        certified(&outcome)
    }
}

/// Who waits for a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// A player: goes before all analyses, and where there are two threads or more one is kept free of them.
    Hint,
    /// Somebody with time.
    Analysis,
    /// A job, for which nobody waits: it goes last, waits as long as it takes, and gives its thread back as soon as
    /// one of the others would have to wait for it.
    Job,
}

/// Why a search has no outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SearchError {
    /// As many searches wait as may.
    #[error("too many searches wait already")]
    QueueFull,
    /// No thread was free for as long as a search may wait.
    #[error("no search thread has become free in time")]
    WaitedTooLong,
    /// The search went on after its time, and was given up.
    #[error("the search took longer than it may")]
    Overran,
    /// The search broke down; the pool goes on.
    #[error("the search broke down")]
    Failed,
    /// The search was cancelled, which its owner hears only when the pool is being shut down.
    #[error("the search was cancelled")]
    Cancelled,
    /// The search of a job was stopped for the sake of a hint or an analysis; to be handed in again.
    #[error("the search has given way to a more urgent one")]
    GaveWay,
    /// The searches before this one have taken all the time that they may take together.
    #[error("the searches before have taken all the time of them together")]
    BudgetSpent,
}

/// The outcome of a search or of other work, and how long it had waited for a thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished<T = Outcome> {
    /// What was found.
    pub outcome: T,
    /// From the order to the start.
    pub waited: Duration,
}

/// What is heard of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Report<T = Outcome> {
    /// What is found so far; only the newest is told.
    Progress(Arc<Outcome>),
    /// The end: nothing comes after it.
    Done(Result<Finished<T>, SearchError>),
}

/// How many searches there are and were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Those that wait for a thread.
    pub waiting: usize,
    /// Those that run.
    pub running: usize,
    /// Those that have come to an end of their own.
    pub finished: u64,
    /// Those that nobody waited for any more.
    pub cancelled: u64,
    /// Those that broke down.
    pub failed: u64,
    /// Those that were not taken because too many waited.
    pub refused: u64,
}

/// A bounded number of threads that search, each with memory of its own, behind a bounded queue.
///
/// The threads are plain ones: a search takes a core for as long as it runs, and no request is answered by
/// them. Clones are handles to the same pool.
#[derive(Clone)]
pub struct SearchPool(Arc<Shared>);

struct Shared {
    config: SearchConfig,
    run: Run,
    // std mutexes: never held over an await or a search.
    state: Mutex<State>,
    has_work: Condvar,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// How an order is carried out; another one in tests.
type Run = fn(&Order, &mut Memory, &AtomicBool, &mut dyn FnMut(&Outcome)) -> Outcome;

/// How far a search is.
enum Stage {
    Waiting,
    Begun,
    Progress(Arc<Outcome>),
}

impl SearchPool {
    /// Starts the threads.
    ///
    /// # Errors
    ///
    /// When the system has no more threads.
    pub fn start(config: SearchConfig) -> io::Result<SearchPool> {
        SearchPool::start_with(config, Order::run)
    }

    fn start_with(config: SearchConfig, run: Run) -> io::Result<SearchPool> {
        let pool = SearchPool(Arc::new(Shared {
            config,
            run,
            state: Mutex::default(),
            has_work: Condvar::new(),
            threads: Mutex::default(),
        }));
        for number in 1..=config.threads.get() {
            let shared = pool.0.clone();
            let thread = thread::Builder::new().name(format!("search-{number}"));
            let thread = thread.spawn(move || shared.work())?;
            pool.0.threads().push(thread);
        }
        Ok(pool)
    }

    /// What the pool may use.
    pub fn config(&self) -> SearchConfig {
        self.0.config
    }

    /// Hands in a search, to be followed by its [`Ticket`].
    ///
    /// # Errors
    ///
    /// [`SearchError::QueueFull`] when no more may wait, [`SearchError::Cancelled`] after [`SearchPool::shutdown`].
    pub fn submit(&self, mut order: Order, urgency: Urgency) -> Result<Ticket, SearchError> {
        let is_repeatable = order.limits.nodes.is_some() || order.limits.depth.is_some();
        order.options.threads = match is_repeatable {
            true => NonZeroUsize::MIN,
            false => self.0.config.threads_each,
        };
        let (run, time) = (self.0.run, order.limits.time);
        self.hand_in(urgency, time, move |memory, cancel, stage| {
            let mut on_progress = |outcome: &Outcome| {
                let newest = Stage::Progress(Arc::new(outcome.clone()));
                stage.send_replace(newest);
            };
            let outcome = run(&order, memory, cancel, &mut on_progress);
            // What is cancelled after its search lacks certificates.
            let is_cancelled =
                outcome.stop == StopReason::Cancelled || cancel.load(Ordering::Relaxed);
            (!is_cancelled).then_some(outcome)
        })
    }

    /// Does other work of the engine's on a thread of the pool, and waits for what comes of it. It should take no
    /// longer than it may, end soon when it is cancelled, and gives nothing then.
    ///
    /// # Errors
    ///
    /// Every [`SearchError`].
    pub async fn work<T: Send + 'static>(
        &self,
        urgency: Urgency,
        longest: Duration,
        work: impl FnOnce(&mut Memory, &AtomicBool) -> Option<T> + Send + 'static,
    ) -> Result<Finished<T>, SearchError> {
        self.submit_work(urgency, longest, work)?.finish().await
    }

    /// Hands in other work of the engine's, to be followed by its [`Ticket`].
    ///
    /// # Errors
    ///
    /// As [`SearchPool::submit`].
    pub fn submit_work<T: Send + 'static>(
        &self,
        urgency: Urgency,
        longest: Duration,
        work: impl FnOnce(&mut Memory, &AtomicBool) -> Option<T> + Send + 'static,
    ) -> Result<Ticket<T>, SearchError> {
        let work = |memory: &mut Memory, cancel: &AtomicBool, _: &watch::Sender<Stage>| {
            work(memory, cancel)
        };
        self.hand_in(urgency, Some(longest), work)
    }

    fn hand_in<T: Send + 'static>(
        &self,
        urgency: Urgency,
        time: Option<Duration>,
        work: impl FnOnce(&mut Memory, &AtomicBool, &watch::Sender<Stage>) -> Option<T> + Send + 'static,
    ) -> Result<Ticket<T>, SearchError> {
        let (stage, stages) = watch::channel(Stage::Waiting);
        let (done, outcome) = oneshot::channel();
        let cancel = Arc::new(AtomicBool::new(false));
        let ordered = Instant::now();
        let patience = (urgency != Urgency::Job).then(|| (ordered + self.0.config.wait).into());
        let job = Job {
            work: work_of(work, cancel.clone(), ordered, stage, done),
            urgency,
            cancel: cancel.clone(),
        };
        self.0.enqueue(job)?;
        Ok(Ticket {
            stages,
            outcome,
            patience: Patience::Start(patience),
            begun: None,
            longest: time.map(|time| time + self.0.config.grace),
            _claim: Claim {
                cancel,
                pool: self.0.clone(),
            },
        })
    }

    /// Searches and waits for the outcome.
    ///
    /// # Errors
    ///
    /// Every [`SearchError`].
    pub async fn search(&self, order: Order, urgency: Urgency) -> Result<Finished, SearchError> {
        self.submit(order, urgency)?.finish().await
    }

    /// How many searches there are and were.
    pub fn counts(&self) -> Counts {
        let state = self.0.state();
        Counts {
            waiting: state.hints.len() + state.analyses.len() + state.jobs.len(),
            running: state.running.len(),
            ..state.counts
        }
    }

    /// Cancels all searches, and waits for the threads to end: some milliseconds.
    pub fn shutdown(&self) {
        {
            let mut state = self.0.state();
            state.is_closed = true;
            for running in &state.running {
                running.cancel.store(true, Ordering::Relaxed);
            }
            // Dropped unheard, which tells those that wait for them.
            state.hints.clear();
            state.analyses.clear();
            state.jobs.clear();
        }
        self.0.has_work.notify_all();
        let threads = std::mem::take(&mut *self.0.threads());
        for thread in threads {
            // A thread that has broken down has ended too.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics under this lock")
    }

    fn threads(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.threads.lock().expect("nothing panics under this lock")
    }

    fn enqueue(&self, job: Job) -> Result<(), SearchError> {
        let mut state = self.state();
        if state.is_closed {
            return Err(SearchError::Cancelled);
        }
        let urgency = job.urgency;
        let (queue, most) = match urgency {
            Urgency::Hint => (&mut state.hints, self.config.queue),
            Urgency::Analysis => (&mut state.analyses, self.config.queue),
            // Bounded by the number of workers.
            Urgency::Job => (&mut state.jobs, usize::MAX),
        };
        if queue.len() >= most {
            state.counts.refused += 1;
            return Err(SearchError::QueueFull);
        }
        queue.push_back(job);
        state.make_way(urgency, self.config.threads.get());
        drop(state);
        self.has_work.notify_one();
        Ok(())
    }

    /// What a thread does: one search after another, until the pool is closed.
    fn work(&self) {
        let new_memory = || Memory::with_mebibytes(self.config.memory_mib);
        let mut memory = new_memory();
        while let Some(job) = self.take() {
            let (end, tell) = (job.work)(&mut memory);
            if end == Err(SearchError::Failed) {
                // Whatever the search has left half done goes with its memory.
                memory = new_memory();
            }
            let end = self.end(&job.cancel, end);
            tell(end);
        }
    }

    /// The next search, once there is one and it may run; none when the pool is closed.
    fn take(&self) -> Option<Job> {
        let mut state = self.state();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(job) = state.next(self.config.threads.get()) {
                state.running.push(Running {
                    urgency: job.urgency,
                    cancel: job.cancel.clone(),
                    gives_way: false,
                });
                return Some(job);
            }
            state = self
                .has_work
                .wait(state)
                .expect("nothing panics under this lock");
        }
    }

    /// Notes that a search has ended, and tells how for who waits for it.
    fn end(
        &self,
        cancel: &Arc<AtomicBool>,
        mut end: Result<(), SearchError>,
    ) -> Result<(), SearchError> {
        let mut state = self.state();
        let is_it = |running: &Running| Arc::ptr_eq(&running.cancel, cancel);
        let gave_way = state.running.iter().any(|run| is_it(run) && run.gives_way);
        state.running.retain(|running| !is_it(running));
        if gave_way && !state.is_closed && end == Err(SearchError::Cancelled) {
            end = Err(SearchError::GaveWay);
        }
        match end {
            Ok(()) => state.counts.finished += 1,
            Err(SearchError::GaveWay) => {}
            Err(SearchError::Failed) => state.counts.failed += 1,
            Err(_) => state.counts.cancelled += 1,
        }
        drop(state);
        // An analysis that may run now may have to be taken by another thread.
        self.has_work.notify_one();
        end
    }

    /// Takes a search out of the queue that nobody waits for any more.
    fn forget(&self, cancel: &Arc<AtomicBool>) {
        let mut state = self.state();
        let State {
            hints,
            analyses,
            jobs,
            ..
        } = &mut *state;
        let before = hints.len() + analyses.len() + jobs.len();
        for queue in [&mut *hints, &mut *analyses, &mut *jobs] {
            queue.retain(|job| !Arc::ptr_eq(&job.cancel, cancel));
        }
        let forgotten = before - hints.len() - analyses.len() - jobs.len();
        state.counts.cancelled += u64::from(forgotten > 0);
    }
}

/// The work of a job: noted when it begins, kept from taking the thread with it when it breaks down, and told.
fn work_of<T: Send + 'static>(
    work: impl FnOnce(&mut Memory, &AtomicBool, &watch::Sender<Stage>) -> Option<T> + Send + 'static,
    cancel: Arc<AtomicBool>,
    ordered: Instant,
    stage: watch::Sender<Stage>,
    done: oneshot::Sender<Result<Finished<T>, SearchError>>,
) -> Work {
    Box::new(move |memory| {
        let waited = ordered.elapsed();
        stage.send_replace(Stage::Begun);
        let worked = catch_unwind(AssertUnwindSafe(|| work(memory, &cancel, &stage)));
        let result = match worked {
            Ok(Some(outcome)) => Ok(Finished { outcome, waited }),
            Ok(None) => Err(SearchError::Cancelled),
            Err(_) => Err(SearchError::Failed),
        };
        let end = result.as_ref().map(|_| ()).map_err(|error| *error);
        let tell = move |end: Result<(), SearchError>| {
            // Nobody need be there to hear it.
            let _ = done.send(end.and(result));
        };
        (end, Box::new(tell))
    })
}
