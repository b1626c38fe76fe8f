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
