//! Looks for the best move.
//!
//! It knows positions and rules, nothing of records, HTTP or the store, and runs on a plain thread. Begin
//! reading with [`Search`].

mod cells;
mod chance;
mod clock;
mod fours;
mod laid;
mod level;
mod limits;
mod memory;
mod network;
mod notary;
mod ordering;
mod params;
mod pattern;
mod proof;
mod root;
mod score;
mod search;
mod solve;
mod state;
pub mod training;
mod tree;

use crate::board::BoardSize;
use crate::rules::Rule;

pub use level::Level;
pub use limits::{Limits, Options, StopReason};
pub use memory::Memory;
pub use notary::Notary;
pub use params::Params;
pub use score::Score;
pub use search::{Line, Outcome, Search, Verdict};
pub use solve::{Aim, Defences, Force, Solution, Solve, SolveOptions, Solved, Unsolved};

/// Builds what the search needs for a rule, some tens of milliseconds' work that otherwise comes with the first
/// search under it.
pub fn prepare(rule: Rule) {
    laid::Laid::of(rule, BoardSize::DEFAULT);
}
