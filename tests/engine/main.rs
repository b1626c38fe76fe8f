//! The engine from outside: positions whose answers are known, and what holds in every position, by rules
//! that are written without the engine.
//!
//! `PROPTEST_CASES` scales the properties. What takes long is `--ignored`, and is meant for a release build.

mod checker;
mod games;
mod known;
#[expect(dead_code, reason = "the tests of the rules use more of it")]
#[path = "../oracle/mod.rs"]
mod oracle;
mod properties;
mod puzzles;
mod slow;
mod timing;

use std::sync::atomic::AtomicBool;

use tengen::board::{Cell, Color};
use tengen::engine::{Limits, Memory, Options, Outcome, Search};
use tengen::record::Ply;
use tengen::record::notation::read_moves;

/// The outcome of a search that nobody cancels, in memory as it is.
fn search(
    position: &tengen::rules::Position,
    memory: &mut Memory,
    limits: Limits,
    options: &Options,
) -> Outcome {
    let never = AtomicBool::new(false);
    Search::new(position, limits, options.clone()).run(memory, &never, &mut |_| {})
}

fn nodes(nodes: u64) -> Limits {
    Limits {
        nodes: Some(nodes),
        ..Limits::default()
    }
}

/// The stones of a text of moves, each with its colour by turns.
fn stones(moves: &str) -> Vec<(Cell, Color)> {
    let plies = read_moves(moves, 1)
        .expect("the moves are readable")
        .into_iter()
        .enumerate();
    plies
        .map(|(index, ply)| match ply {
            Ply::Stone(cell) => (cell, Color::of_ply(index + 1)),
            Ply::Pass | Ply::Outside(_) => panic!("not a stone: {ply:?}"),
        })
        .collect()
}
