//! A search ends when it is told to. The everyday tests leave room for a busy machine; the long one measures.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use tengen::board::BoardSize;
use tengen::engine::{Limits, Memory, Options, Search, StopReason};
use tengen::rules::{Position, Rule, Status};

use crate::games::plans;
use crate::{nodes, search};

/// Random positions, the same each time, and the largest empty boards.
fn positions(count: usize) -> Vec<Position> {
    let mut runner = TestRunner::deterministic();
    let random = (0..count).map(|_| {
        plans()
            .new_tree(&mut runner)
            .expect("plans are made")
            .current()
            .position()
    });
    let empty = Rule::ALL
        .into_iter()
        .map(|rule| Position::new(rule, BoardSize::LARGEST));
    random.chain(empty).collect()
}

/// How much longer than asked a search took.
fn overrun(position: &Position, memory: &mut Memory, time: Duration, lines: usize) -> Duration {
    let limits = Limits {
        time: Some(time),
        ..Limits::default()
    };
    let started = Instant::now();
    search(
        position,
        memory,
        limits,
        &Options {
            lines,
            ..Options::default()
        },
    );
    started.elapsed().saturating_sub(time)
}

#[test]
fn a_time_limit_ends_a_search_in_every_position() {
    let mut memory = Memory::with_mebibytes(1);
    for (number, position) in positions(24).iter().enumerate() {
        for millis in [0, 1, 10] {
            let over = overrun(
                position,
                &mut memory,
                Duration::from_millis(millis),
                1 + number % 3,
            );
            assert!(
                over < Duration::from_millis(500),
                "{over:?} over {millis} ms on\n{}",
                position.board()
            );
        }
    }
}

/// How long a search goes on after it was cancelled.
fn time_to_stop(position: &Position, memory: &mut Memory, after: Duration) -> Option<Duration> {
    let cancel = AtomicBool::new(false);
    thread::scope(|scope| {
        let canceller = scope.spawn(|| {
            thread::sleep(after);
            cancel.store(true, Ordering::Relaxed);
            Instant::now()
        });
        let search = Search::new(position, Limits::default(), Options::default());
        let outcome = search.run(memory, &cancel, &mut |_| {});
        let ended = Instant::now();
        let cancelled = canceller.join().expect("the canceller ends");
        (outcome.stop == StopReason::Cancelled).then(|| ended.saturating_duration_since(cancelled))
    })
}

#[test]
fn a_cancelled_search_ends() {
    let mut memory = Memory::with_mebibytes(1);
    let mut cancelled = 0;
    // Only boards on which a search does not come to an end by itself.
    for position in positions(60)
        .iter()
        .filter(|position| position.board().size().lines() >= 15)
        .take(24)
    {
        if let Some(late) = time_to_stop(position, &mut memory, Duration::from_millis(20)) {
            cancelled += 1;
            assert!(
                late < Duration::from_secs(1),
                "{late:?} on\n{}",
                position.board()
            );
        }
    }
    assert!(
        cancelled > 3,
        "only {cancelled} searches were still running"
    );
}

#[test]
fn several_threads_keep_to_time_and_nodes_and_play_by_the_rules() {
    let mut memory = Memory::with_mebibytes(1);
    let options = Options {
        threads: NonZeroUsize::new(3).expect("three are some"),
        ..Options::default()
    };
    // A thread's nodes are counted by as many at a time.
    let uncounted = 3 * 256;
    for position in positions(24) {
        let time = Duration::from_millis(10);
        let limits = Limits {
            time: Some(time),
            ..nodes(5_000)
        };
        let started = Instant::now();
        let outcome = search(&position, &mut memory, limits, &options);
        let board = position.board();
        assert!(
            outcome.nodes <= 5_000 + uncounted,
            "{} nodes on\n{board}",
            outcome.nodes
        );
        assert!(
            started.elapsed() < time + Duration::from_millis(500),
            "{:?} on\n{board}",
            started.elapsed()
        );
        let has_choice =
            position.status() == Status::Ongoing && position.legal_cells().next().is_some();
        assert_eq!(outcome.lines.is_empty(), !has_choice, "on\n{board}");
        for line in &outcome.lines {
            let mut after = position.clone();
            for cell in &line.moves {
                assert_eq!(after.play(*cell), Ok(()), "{cell} on\n{board}");
            }
        }
    }
}

#[test]
fn a_search_by_several_threads_is_cancelled_as_one() {
    let position = Position::new(Rule::Freestyle, BoardSize::DEFAULT);
    let options = Options {
        threads: NonZeroUsize::new(3).expect("three are some"),
        ..Options::default()
    };
    let cancel = AtomicBool::new(false);
    let mut depths = 0;
    let search = Search::new(&position, Limits::default(), options);
    let outcome = search.run(&mut Memory::with_mebibytes(1), &cancel, &mut |_| {
        depths += 1;
        cancel.store(depths == 3, Ordering::Relaxed);
    });
    assert_eq!((outcome.stop, outcome.depth), (StopReason::Cancelled, 3));
}

#[test]
fn a_search_cancelled_before_it_begins_still_answers() {
    let mut memory = Memory::with_mebibytes(1);
    for position in positions(8) {
        let search = Search::new(&position, Limits::default(), Options::default());
        let outcome = search.run(&mut memory, &AtomicBool::new(true), &mut |_| {});
        assert_eq!(
            outcome.lines.is_empty(),
            position.legal_cells().next().is_none()
        );
    }
}

/// The overruns of searches in some positions, the least first. One that is too long counts only if it comes
/// again: what a busy machine does to a thread is not the search's doing.
fn overruns(positions: &[&Position], time: Duration, allowed: Duration) -> Vec<Duration> {
    let mut memory = Memory::with_mebibytes(64);
    let measure = |position: &&Position| {
        let mut tries = (0..5).map(|_| overrun(position, &mut memory, time, 1));
        let first = tries.next().unwrap_or_default();
        if first <= allowed {
            first
        } else {
            tries.min().unwrap_or(first).min(first)
        }
    };
    let mut overruns: Vec<Duration> = positions.iter().map(measure).collect();
    overruns.sort();
    overruns
}

#[test]
#[ignore = "long, measures: cargo test --release --test engine -- --ignored --nocapture as_measured"]
fn limits_are_kept_as_measured_with_a_search_on_each_core() {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    for (millis, count) in [(10, 200), (50, 100), (500, 16), (5_000, 2)] {
        let time = Duration::from_millis(millis);
        let allowed = Duration::from_millis(20).max(time / 50);
        let positions = positions(count * cores);
        let mut all: Vec<Duration> = thread::scope(|scope| {
            let threads: Vec<_> = (0..cores)
                .map(|core| {
                    let mine: Vec<&Position> = positions.iter().skip(core).step_by(cores).collect();
                    scope.spawn(move || overruns(&mine, time, allowed))
                })
                .collect();
            threads
                .into_iter()
                .flat_map(|thread| thread.join().expect("a search ends"))
                .collect()
        });
        all.sort();
        let (half, most) = (all[all.len() / 2], all[all.len() - 1]);
        eprintln!(
            "{millis} ms, {cores} at once: half by at most {half:?} longer, all by at most {most:?}"
        );
        assert!(
            most <= allowed,
            "{most:?} over {millis} ms, with {cores} at once"
        );
    }
    let mut memory = Memory::with_mebibytes(64);
    let positions = positions(100);
    let late = positions
        .iter()
        .filter_map(|position| time_to_stop(position, &mut memory, Duration::from_millis(30)));
    let most = late.max().expect("some searches were still running");
    eprintln!("cancelled: at most {most:?}");
    assert!(
        most < Duration::from_millis(100),
        "cancelled, and went on for {most:?}"
    );
}
