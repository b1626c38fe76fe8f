use std::time::Duration;

use crate::engine::Memory;
use crate::engine::clock::Clock;
use crate::engine::solve::Force;

/// What a look for a forced win carries along.
pub(super) struct Solver<'a> {
    pub(super) memory: &'a Memory,
    pub(super) clock: Clock<'a>,
    pub(super) force: Force,
    /// The positions that may still be spent on a look for fours.
    pub(super) budget: u32,
    /// Has a look for fours been cut off by the number of stones?
    pub(super) is_cut: bool,
    /// When a look for threats has to let another have its turn, in nodes.
    pub(super) turn_ends: u64,
    /// What is mixed into the keys of positions that were searched for threats.
    pub(super) salt: u64,
    /// When a win was known.
    pub(super) found: Option<Duration>,
}

impl Solver<'_> {
    /// Is the time of the whole up, or that of the turn?
    pub(super) fn is_out(&self) -> bool {
        self.clock.stop().is_some() || self.clock.nodes() >= self.turn_ends
    }
}
