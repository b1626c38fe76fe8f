//! How long the rules take: wins, forbidden cells, replays, keys.
//!
//! The games are our own: engine against engine.

#![allow(
    missing_docs,
    reason = "criterion's macros make public functions without documentation"
)]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use tengen::board::{Board, BoardSize, Cell, Color, Key};
use tengen::record::notation::read_moves;
use tengen::record::{Ply, Record};
use tengen::rules::forbidden::Verdict;
use tengen::rules::{LineWords, Position, Rule, Status, forbidden, scan, winning_lines, wins};

/// A renju game of 92 stones.
const RENJU: &str = "j10k9g10j11k10i10g9i9i8h9g8g11j9h7h8j8f8e8h10i11k11f10i13l10i7e7e9g7k12m12f7k13m11j6c9k7i5i6\
    l6j7h5g6h6f5e4k5k6m9l11h3j4d9f11f4g4f3f2l3e3k4j5k3j3e5d5d6c7k2k1n9h2m7l8l9o9m6j1j2o11n11m8l7n7m5e6c4l4n5k8m4o6m3";
/// A freestyle game of more than forty stones.
const FREESTYLE: &str = "h8i7g7i9g6h9i6h6g5g4f7g9j9e8f5f6j8i8j7j6i10h11g10h10e4d3h5i5d5e5k8l9e7d7i11c6f9b5a4c4j10j11i4j3a6c3c\
    5b2d4b3m6l7b1e3f3a3";
/// A renju game of thirty stones after which Black has three forbidden cells.
const SHARP: &str = "h8h7f10g9f9g7g10h10f11f8e7i7j7i8h6j9k10i9i10j8f13f12g11k9h9l10m11m9l9j12";
/// A random board with thirteen forbidden cells.
const TANGLED: &str = "oo.xo.......o.o\n\
    ....o...xx....x\n\
    x......xx.x..x.\n\
    o...o..x..x....\n\
    ..x.x....xx.x..\n\
    .....x.o.x.x...\n\
    ..............o\n\
    ...xx....x...x.\n\
    .....x.x.x.x..x\n\
    ..ox.o..xox.x..\n\
    x..xx.x...x.o.x\n\
    .oxo.o....o....\n\
    ox.....xx......\n\
    xx.x......xx...\n\
    ..xx...ox......\n";
/// A renju game that filled the board.
const FULL: &str = "f10e9i10f11e10g10h9g8g7h8j9g11h11g12g9i9k10g13g14j10k12i11k8l7k9k11l12h12f14i12f12i13i14j14k15j11h14\
    e14j13l11m11l10k7k6j5f8e8m9j12c11d11e13c12b13i5d13c13e12c14h5d10h13f13b10i4d12a9i6l6h6m12n12h7g6j6l8\
    l9b11b9b12b14f4g4j7e6g5i7e5h3f5d5g3d6e3d2f6f7e7h4d3c4b3f3e11e15e4c2j4m5d8c9n4c3c5b6k5m4e2e1h2i1c6f1g\
    2g1h1i2i3d1c1n11m6m10o12n8k3n7n9m8o6a8m13k2j8i8m1a10a7a5b4d7c8a11a12l3n5m2l2k13o9o8n1k1o14o10o15l13k\
    14n2j15b5b7o11c15g15j2h15i15m14f15l1o3o2o5o4k4a2a3a1a14m3b1j1o1o7c7o13d14l5f2b8b2c10n3j3l4a4h10n13a6\
    d4d9n6l14m7n10n14l15n15a15b15f9d15a13m15";

fn game(rule: Rule, moves: &str, plies: usize) -> Record {
    let read = read_moves(moves, 1).expect("the moves are readable");
    let record = Record::new(rule, BoardSize::DEFAULT, read).prefix(plies);
    let replay = record.replay();
    assert!(replay.is_legal() && record.plies().len() == plies);
    assert_eq!(replay.position().status(), Status::Ongoing);
    record
}

fn stones(record: &Record) -> Vec<(Cell, Color)> {
    let numbered = record.plies().iter().enumerate();
    numbered
        .filter_map(|(index, ply)| match ply {
            Ply::Stone(cell) => Some((*cell, Color::of_ply(index + 1))),
            Ply::Pass | Ply::Outside(_) => None,
        })
        .collect()
}

/// The board after each stone of a game, with the stone.
fn positions(record: &Record) -> Vec<(Board, Cell, Color)> {
    let mut board = Board::new(record.size());
    let mut positions = Vec::new();
    for (cell, color) in stones(record) {
        board.put(cell, color);
        positions.push((board.clone(), cell, color));
    }
    positions
}

/// Has the stone just played won? The same forty positions for each detection; times are for all forty.
fn win_detections(criterion: &mut Criterion) {
    let game = game(Rule::Freestyle, FREESTYLE, 40);
    let positions = positions(&game);
    let words: Vec<LineWords> = positions
        .iter()
        .map(|(board, ..)| LineWords::of(board))
        .collect();
    for rule in [Rule::Freestyle, Rule::Caro] {
        let mut group = criterion.benchmark_group(format!("win, 40 positions, {rule}"));
        group.bench_function("around the stone", |bencher| {
            bencher.iter(|| {
                let won =
                    |(board, cell, color): &&(Board, Cell, Color)| wins(board, *cell, *color, rule);
                black_box(&positions).iter().filter(won).count()
            });
        });
        group.bench_function("lines around the stone", |bencher| {
            bencher.iter(|| {
                let found = black_box(&positions).iter();
                found
                    .filter(|(board, cell, color)| {
                        !winning_lines(board, *cell, *color, rule).is_empty()
                    })
                    .count()
            });
        });
        group.bench_function("whole board", |bencher| {
            bencher.iter(|| {
                let won = |(board, _, color): &&(Board, Cell, Color)| {
                    !scan(board, rule)[*color].is_empty()
                };
                black_box(&positions).iter().filter(won).count()
            });
        });
        group.bench_function("line words, kept", |bencher| {
            bencher.iter(|| {
                let with_color = black_box(&words).iter().zip(&positions);
                with_color
                    .filter(|(words, (_, _, color))| words.has_won(*color, rule))
                    .count()
            });
        });
        group.bench_function("line words, made anew", |bencher| {
            bencher.iter(|| {
                let won = |(board, _, color): &&(Board, Cell, Color)| {
                    LineWords::of(board).has_won(*color, rule)
                };
                black_box(&positions).iter().filter(won).count()
            });
        });
        group.finish();
    }
}

fn replays(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("replay");
    for rule in [Rule::Freestyle, Rule::Standard, Rule::Caro] {
        let record = game(rule, FREESTYLE, 40);
        group.bench_function(format!("40 stones, {rule}"), |bencher| {
            bencher.iter(|| black_box(&record).replay());
        });
    }
    let record = game(Rule::Renju, RENJU, 60);
    group.bench_function("60 stones, renju", |bencher| {
        bencher.iter(|| black_box(&record).replay());
    });
    let record = game(Rule::Renju, FULL, 224);
    group.bench_function("224 stones, renju", |bencher| {
        bencher.iter(|| black_box(&record).replay());
    });
    group.bench_function("an empty position", |bencher| {
        bencher.iter(|| Position::new(black_box(Rule::Renju), BoardSize::DEFAULT));
    });
    group.bench_function("reading 60 moves", |bencher| {
        let text: String = record
            .prefix(60)
            .plies()
            .iter()
            .map(Ply::to_string)
            .collect();
        bencher.iter(|| read_moves(black_box(&text), 20));
    });
    group.finish();
}

fn forbidden_cells(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("forbidden cells");
    let after = |moves, plies| game(Rule::Renju, moves, plies).replay().into_position();
    let tangled: Board = TANGLED.parse().expect("the board is well drawn");
    let tangled = Position::from_board(Rule::Renju, tangled, Color::Black).expect("nobody has won");
    for (name, position) in [
        ("after 30 stones", after(SHARP, 30)),
        ("after 60 stones", after(RENJU, 60)),
        ("after 150 stones", after(FULL, 150)),
        ("on a random board", tangled.clone()),
    ] {
        let count = position.forbidden_cells().count();
        group.bench_function(format!("{count} {name}"), |bencher| {
            bencher.iter(|| black_box(&position).forbidden_cells().count());
        });
    }
    let board = tangled.board();
    let cells: Vec<Cell> = tangled.forbidden_cells().collect();
    group.bench_function("verdicts on thirteen", |bencher| {
        let verdict = |cell: &Cell| forbidden::verdict(black_box(board), *cell);
        bencher.iter(|| {
            cells
                .iter()
                .map(verdict)
                .filter(|verdict| *verdict != Verdict::Legal)
                .count()
        });
    });
    group.bench_function("evidence for thirteen", |bencher| {
        let evidence = |cell: &Cell| forbidden::evidence(black_box(board), *cell);
        bencher.iter(|| {
            cells
                .iter()
                .map(evidence)
                .filter(|found| !found.threes.is_empty())
                .count()
        });
    });
    group.finish();
}

fn keys(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("key");
    let position = game(Rule::Renju, RENJU, 60).replay().into_position();
    let (board, to_move) = (position.board(), position.to_move());
    group.bench_function("of 60 stones", |bencher| {
        bencher.iter(|| Key::of(black_box(board), to_move));
    });
    group.bench_function("least of 60 stones", |bencher| {
        bencher.iter(|| Key::least(black_box(board), to_move));
    });
    group.bench_function("after one stone more", |bencher| {
        let cell = position.legal_cells().next().expect("some cell is empty");
        bencher.iter(|| {
            black_box(position.key())
                .with_stone(cell, to_move)
                .with_turn_passed()
        });
    });
    group.bench_function("a stone played", |bencher| {
        let cell = position.legal_cells().next().expect("some cell is empty");
        bencher.iter_batched_ref(
            || position.clone(),
            |position| position.play(cell),
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

criterion_group!(benches, win_detections, replays, forbidden_cells, keys);
criterion_main!(benches);
