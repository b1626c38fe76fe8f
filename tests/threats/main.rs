//! The threats of a position from outside: pictures with their answers, and a slow definition that all
//! kinds are held against on random boards of every rule.
//!
//! `PROPTEST_CASES` scales the properties.

#![allow(
    clippy::unwrap_used,
    reason = "in a test whatever is missing is a failure, and the helpers are not test functions themselves"
)]

mod boards;
mod documents;
mod lines;
#[expect(dead_code, reason = "the tests of the rules use more of it")]
#[path = "../oracle/mod.rs"]
mod oracle;
mod properties;
mod slow;

use tengen::analysis::{Pattern, Survey};
use tengen::board::{Board, Cell, Color};
use tengen::rules::{Position, Rule};

/// The survey of a board without history.
#[track_caller]
fn survey(rule: Rule, board: &Board, to_move: Color) -> Survey {
    let position = Position::from_board(rule, board.clone(), to_move)
        .unwrap_or_else(|error| panic!("{rule}: {error}{board:?}"));
    Survey::of(&position)
}

/// The names of cells, separated by blanks.
fn names(cells: &[Cell]) -> String {
    let names: Vec<_> = cells.iter().map(Cell::to_string).collect();
    names.join(" ")
}

/// A pattern in words, as `four b4 c4 d4 e4: f4`.
fn words(pattern: &Pattern) -> String {
    let (cells, gain) = (names(&pattern.cells), names(&pattern.gain));
    format!("{} {cells}: {gain}", pattern.kind.name())
        .trim_end()
        .to_owned()
}
