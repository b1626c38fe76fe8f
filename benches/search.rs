//! How long the search takes: nodes at fixed depths, hints, what comes before the first node, and a stone put
//! and taken.
//!
//! The positions are our own: engine against engine.

#![allow(
    missing_docs,
    reason = "criterion's macros make public functions without documentation"
)]

use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tengen::board::{BoardSize, Cell};
use tengen::engine::training::Stones;
use tengen::engine::{Limits, Memory, Options, Outcome, Search};
use tengen::record::Record;
use tengen::record::notation::read_moves;
use tengen::rules::{Position, Rule};

const OPENING: &str = "j2k4l2f7j3n3e7";
const MIDDLE: &str = "h8h9i10j10i8i7k8j8j9l7h7g6i12h11f8k7";

/// The positions searched: an opening, and a middle game under each rule.
fn positions() -> [(&'static str, Position); 5] {
    [
        (
            "freestyle, 7 stones",
            position(Rule::Freestyle, 15, OPENING),
        ),
        (
            "freestyle, 16 stones",
            position(Rule::Freestyle, 15, MIDDLE),
        ),
        ("standard, 16 stones", position(Rule::Standard, 15, MIDDLE)),
        ("renju, 16 stones", position(Rule::Renju, 15, MIDDLE)),
        ("caro, 16 stones", position(Rule::Caro, 15, MIDDLE)),
    ]
}

fn position(rule: Rule, lines: i64, moves: &str) -> Position {
    let size = BoardSize::try_from(lines).expect("the size is supported");
    let moves = read_moves(moves, 1).expect("the moves are readable");
    let replay = Record::new(rule, size, moves).replay();
    assert!(replay.is_legal());
    replay.into_position()
}

/// A search as a first one would be.
fn search(position: &Position, memory: &mut Memory, limits: Limits) -> Outcome {
    memory.forget();
    Search::new(position, limits, Options::default()).run(
        memory,
        &AtomicBool::new(false),
        &mut |_| {},
    )
}

fn nodes(nodes: u64) -> Limits {
    Limits {
        nodes: Some(nodes),
        ..Limits::default()
    }
}

/// Elements are nodes: the throughput is in nodes a second.
fn depths(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("to depth 8");
    group.sample_size(10);
    let mut memory = Memory::with_mebibytes(16);
    let limits = Limits {
        depth: Some(8),
        ..Limits::default()
    };
    for (name, position) in positions() {
        group.throughput(Throughput::Elements(
            search(&position, &mut memory, limits).nodes,
        ));
        group.bench_function(name, |bencher| {
            bencher.iter(|| search(black_box(&position), &mut memory, limits));
        });
    }
    group.finish();
}

fn hints(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hint of 1000 nodes");
    let mut memory = Memory::with_mebibytes(16);
    for (name, position) in positions() {
        group.bench_function(name, |bencher| {
            bencher.iter(|| search(black_box(&position), &mut memory, nodes(1_000)));
        });
    }
    group.finish();
}

/// What every search costs, however short.
fn beginnings(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a search of no nodes");
    let mut memory = Memory::with_mebibytes(16);
    for (name, position) in [
        ("15 lines, empty", position(Rule::Freestyle, 15, "")),
        ("15 lines, 16 stones", position(Rule::Freestyle, 15, MIDDLE)),
        (
            "15 lines, 16 stones, renju",
            position(Rule::Renju, 15, MIDDLE),
        ),
        ("25 lines, empty", position(Rule::Freestyle, 25, "")),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| search(black_box(&position), &mut memory, nodes(0)));
        });
    }
    group.finish();
}

/// What a stone costs a search, put on each empty cell in turn and taken again, without the evaluation and with it.
/// Elements are stones.
fn stones(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a stone put and taken");
    for (name, position) in positions() {
        let cells: Vec<Cell> = position.legal_cells().collect();
        let mut stones = Stones::new(&position);
        group.throughput(Throughput::Elements(cells.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| cells.iter().for_each(|cell| stones.put_and_take(*cell)));
        });
        group.bench_function(format!("{name}, evaluated"), |bencher| {
            bencher.iter(|| -> i32 { cells.iter().map(|cell| stones.points_after(*cell)).sum() });
        });
    }
    group.finish();
}

fn memories(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("memory of 64 MiB");
    let mut memory = Memory::with_mebibytes(64);
    group.bench_function("forgotten", |bencher| bencher.iter(|| memory.forget()));
    group.sample_size(10);
    group.bench_function("made", |bencher| {
        bencher.iter(|| Memory::with_mebibytes(64))
    });
    group.finish();
}

criterion_group!(benches, depths, hints, beginnings, stones, memories);
criterion_main!(benches);
