use std::collections::VecDeque;
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

#[derive(Default)]
struct State {
    hints: VecDeque<Job>,
    analyses: VecDeque<Job>,
    /// As many as there are workers on jobs, at the most.
    jobs: VecDeque<Job>,
    running: Vec<Running>,
    is_closed: bool,
    counts: Counts,
}

/// A search, or other work, that waits for a thread.
struct Job {
    work: Work,
    urgency: Urgency,
    cancel: Arc<AtomicBool>,
}

/// What a job does on its thread: gives how it ended, and the telling of it, for after that is counted.
type Work = Box<dyn FnOnce(&mut Memory) -> (Result<(), SearchError>, Telling) + Send>;
type Telling = Box<dyn FnOnce(Result<(), SearchError>)>;

/// A search on its thread.
struct Running {
    urgency: Urgency,
    cancel: Arc<AtomicBool>,
    /// Is it being stopped for the sake of another?
    gives_way: bool,
}

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

impl State {
    /// The search that goes next: a hint, else an analysis or a job's if that leaves a thread for hints.
    fn next(&mut self, threads: usize) -> Option<Job> {
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
    fn make_way(&mut self, urgency: Urgency, threads: usize) {
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

/// A search that was handed in. Dropped, it is cancelled: at once if it runs, and it never begins if not.
pub struct Ticket<T = Outcome> {
    stages: watch::Receiver<Stage>,
    outcome: oneshot::Receiver<Result<Finished<T>, SearchError>>,
    patience: Patience,
    begun: Option<Instant>,
    /// How long the search may take once it has begun.
    longest: Option<Duration>,
    _claim: Claim,
}

/// What is waited for, and how long at most.
#[derive(Clone, Copy)]
enum Patience {
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
struct Claim {
    cancel: Arc<AtomicBool>,
    pool: Arc<Shared>,
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
        self.pool.forget(&self.cancel);
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use crate::board::BoardSize;
    use crate::rules::Rule;

    /// Longer than anything here takes.
    const PATIENCE: Duration = Duration::from_secs(20);

    fn outcome(nodes: u64, stop: StopReason) -> Outcome {
        Outcome {
            lines: Vec::new(),
            depth: 1,
            nodes,
            elapsed: Duration::ZERO,
            stop,
        }
    }

    /// A search that plays a part: with no limit on nodes it runs until it is cancelled, with one of zero it
    /// breaks down, else it is done at once.
    fn act(
        order: &Order,
        _: &mut Memory,
        cancel: &AtomicBool,
        on_progress: &mut dyn FnMut(&Outcome),
    ) -> Outcome {
        match order.limits.nodes {
            Some(0) => panic!("a search breaks down, as this test wants it"),
            Some(nodes) => {
                (1..nodes).for_each(|nodes| on_progress(&outcome(nodes, StopReason::Nodes)));
                outcome(nodes, StopReason::Nodes)
            }
            None => {
                on_progress(&outcome(1, StopReason::Depth));
                while !cancel.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(1));
                }
                outcome(1, StopReason::Cancelled)
            }
        }
    }

    fn pool(threads: usize, queue: usize, wait: Duration) -> SearchPool {
        let config = SearchConfig {
            threads: NonZeroUsize::new(threads).unwrap(),
            threads_each: NonZeroUsize::MIN,
            queue,
            wait,
            grace: Duration::from_millis(20),
            memory_mib: 1,
        };
        SearchPool::start_with(config, act).unwrap()
    }

    fn order(nodes: Option<u64>) -> Order {
        Order {
            position: Position::new(Rule::Freestyle, BoardSize::DEFAULT),
            limits: Limits {
                nodes,
                ..Limits::default()
            },
            options: Options::default(),
        }
    }

    const ENDLESS: Option<u64> = None;
    const BROKEN: Option<u64> = Some(0);

    /// Waits until the pool has counted what is asked for.
    async fn until(pool: &SearchPool, is_so: impl Fn(Counts) -> bool) {
        let started = Instant::now();
        while !is_so(pool.counts()) {
            assert!(started.elapsed() < PATIENCE, "{:?}", pool.counts());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    #[tokio::test]
    async fn a_search_is_reported_and_its_wait_told() {
        let pool = pool(1, 1, PATIENCE);
        let mut endless = pool.submit(order(ENDLESS), Urgency::Hint).unwrap();
        let progress = outcome(1, StopReason::Depth);
        assert_eq!(endless.next().await, Report::Progress(Arc::new(progress)));
        let mut queued = pool.submit(order(Some(7)), Urgency::Hint).unwrap();
        tokio::time::sleep(Duration::from_millis(5)).await;
        drop(endless);
        let finished = loop {
            if let Report::Done(result) = queued.next().await {
                break result.unwrap();
            }
        };
        assert_eq!(finished.outcome.nodes, 7);
        assert!(finished.waited >= Duration::from_millis(5));
        pool.shutdown();
    }

    #[tokio::test]
    async fn who_listens_late_misses_old_progress_and_never_the_end() {
        let pool = pool(1, 1, PATIENCE);
        let mut ticket = pool.submit(order(Some(9)), Urgency::Analysis).unwrap();
        until(&pool, |counts| counts.finished == 1).await;
        // The end is sent a moment after it is counted.
        tokio::time::sleep(Duration::from_millis(20)).await;
        let last = loop {
            match ticket.next().await {
                Report::Progress(newest) => assert_eq!(newest.nodes, 8),
                Report::Done(result) => break result,
            }
        };
        assert_eq!(last.unwrap().outcome.nodes, 9);
        pool.shutdown();
    }

    #[tokio::test]
    async fn a_full_queue_refuses_and_a_ticket_given_up_makes_room() {
        let pool = pool(1, 2, PATIENCE);
        let running = pool.submit(order(ENDLESS), Urgency::Analysis).unwrap();
        until(&pool, |counts| counts.running == 1).await;
        let first = pool.submit(order(ENDLESS), Urgency::Analysis).unwrap();
        let _second = pool.submit(order(ENDLESS), Urgency::Analysis).unwrap();
        let third = pool.submit(order(ENDLESS), Urgency::Analysis);
        assert_eq!(third.err(), Some(SearchError::QueueFull));
        assert_eq!((pool.counts().waiting, pool.counts().refused), (2, 1));
        drop(first);
        assert_eq!((pool.counts().waiting, pool.counts().cancelled), (1, 1));
        assert!(pool.submit(order(Some(1)), Urgency::Analysis).is_ok());
        drop(running);
        pool.shutdown();
    }

    #[tokio::test]
    async fn a_dropped_ticket_stops_its_search() {
        let pool = pool(1, 1, PATIENCE);
        let ticket = pool.submit(order(ENDLESS), Urgency::Hint).unwrap();
        until(&pool, |counts| counts.running == 1).await;
        drop(ticket);
        until(&pool, |counts| (counts.running, counts.cancelled) == (0, 1)).await;
        pool.shutdown();
    }

    #[tokio::test]
    async fn hints_go_before_analyses_and_have_a_thread_of_their_own() {
        let pool = pool(2, 8, PATIENCE);
        let mut analyses: Vec<_> = (0..3)
            .map(|_| pool.submit(order(ENDLESS), Urgency::Analysis).unwrap())
            .collect();
        until(&pool, |counts| (counts.running, counts.waiting) == (1, 2)).await;
        let hint = pool.search(order(Some(1)), Urgency::Hint).await;
        assert!(hint.is_ok());
        assert_eq!(pool.counts().waiting, 2, "the analyses wait on");
        drop(analyses.remove(0));
        until(&pool, |counts| (counts.running, counts.waiting) == (1, 1)).await;
        pool.shutdown();
    }

    #[tokio::test]
    async fn a_job_gives_way_to_whoever_would_wait_for_it() {
        for threads in [1, 2] {
            let pool = pool(threads, 8, Duration::from_millis(50));
            let mut job = pool.submit(order(ENDLESS), Urgency::Job).unwrap();
            until(&pool, |counts| counts.running == 1).await;
            // Though it waits for longer than others may.
            let waiting = pool.submit(order(Some(1)), Urgency::Job).unwrap();
            let analysis = pool.search(order(Some(1)), Urgency::Analysis).await;
            assert!(analysis.is_ok(), "{analysis:?}");
            let end = loop {
                if let Report::Done(end) = job.next().await {
                    break end;
                }
            };
            assert_eq!(end, Err(SearchError::GaveWay));
            assert!(job.ran() > Duration::ZERO);
            drop(waiting);
            pool.shutdown();
        }
    }

    #[tokio::test]
    async fn a_job_goes_on_where_there_is_a_thread_for_hints() {
        let pool = pool(2, 8, PATIENCE);
        let mut job = pool.submit(order(ENDLESS), Urgency::Job).unwrap();
        until(&pool, |counts| counts.running == 1).await;
        assert!(pool.search(order(Some(1)), Urgency::Hint).await.is_ok());
        assert!(matches!(job.next().await, Report::Progress(_)));
        assert_eq!(pool.counts().running, 1);
        // Two hints at once need both threads.
        let hints: Vec<_> = (0..2)
            .map(|_| pool.submit(order(ENDLESS), Urgency::Hint).unwrap())
            .collect();
        until(&pool, |counts| (counts.running, counts.waiting) == (2, 0)).await;
        assert_eq!(job.next().await, Report::Done(Err(SearchError::GaveWay)));
        drop(hints);
        pool.shutdown();
    }

    #[tokio::test]
    async fn a_search_that_breaks_down_takes_nothing_with_it() {
        let pool = pool(1, 1, PATIENCE);
        for _ in 0..3 {
            let broken = pool.search(order(BROKEN), Urgency::Hint).await;
            assert_eq!(broken, Err(SearchError::Failed));
            assert!(pool.search(order(Some(1)), Urgency::Hint).await.is_ok());
        }
        assert_eq!((pool.counts().failed, pool.counts().finished), (3, 3));
        pool.shutdown();
    }

    #[tokio::test]
    async fn other_work_is_done_cancelled_and_counted_as_searches_are() {
        let pool = pool(1, 1, PATIENCE);
        let done = pool.work(Urgency::Analysis, PATIENCE, |_, _| Some("done"));
        assert_eq!(done.await.unwrap().outcome, "done");
        let broken = pool.work(Urgency::Analysis, PATIENCE, |_, _| -> Option<()> {
            panic!("work breaks down, as this test wants it")
        });
        assert_eq!(broken.await.err(), Some(SearchError::Failed));
        let endless = |_: &mut Memory, cancel: &AtomicBool| -> Option<()> {
            while !cancel.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
            None
        };
        let given_up = pool.work(Urgency::Hint, Duration::ZERO, endless).await;
        assert_eq!(given_up.err(), Some(SearchError::Overran));
        until(&pool, |counts| counts.cancelled == 1).await;
        assert_eq!((pool.counts().finished, pool.counts().failed), (1, 1));
        pool.shutdown();
    }

    #[tokio::test]
    async fn a_search_waits_only_so_long_but_runs_on_once_begun() {
        let pool = pool(1, 1, Duration::from_millis(20));
        let mut running = pool.submit(order(ENDLESS), Urgency::Hint).unwrap();
        assert!(matches!(running.next().await, Report::Progress(_)));
        let waiting = pool.search(order(ENDLESS), Urgency::Hint).await;
        assert_eq!(waiting, Err(SearchError::WaitedTooLong));
        let more = tokio::time::timeout(Duration::from_millis(40), running.next()).await;
        assert!(more.is_err(), "it still runs: {more:?}");
        pool.shutdown();
    }

    #[tokio::test]
    async fn a_search_that_goes_on_after_its_time_is_given_up() {
        let pool = pool(1, 1, PATIENCE);
        let mut late = order(ENDLESS);
        late.limits.time = Some(Duration::from_millis(1));
        let given_up = pool.search(late, Urgency::Hint).await;
        assert_eq!(given_up, Err(SearchError::Overran));
        until(&pool, |counts| counts.running == 0).await;
        pool.shutdown();
    }

    #[tokio::test]
    async fn a_shutdown_ends_all_searches_and_takes_no_more() {
        let pool = pool(1, 1, PATIENCE);
        let mut running = pool.submit(order(ENDLESS), Urgency::Hint).unwrap();
        until(&pool, |counts| counts.running == 1).await;
        let mut waiting = pool.submit(order(ENDLESS), Urgency::Hint).unwrap();
        pool.shutdown();
        for ticket in [&mut running, &mut waiting] {
            loop {
                match ticket.next().await {
                    Report::Progress(_) => {}
                    Report::Done(result) => {
                        assert_eq!(result, Err(SearchError::Cancelled));
                        break;
                    }
                }
            }
        }
        let late = pool.search(order(Some(1)), Urgency::Hint).await;
        assert_eq!(late, Err(SearchError::Cancelled));
    }
}
