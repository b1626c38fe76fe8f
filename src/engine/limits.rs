use std::num::NonZeroUsize;
use std::time::Duration;

use crate::board::Cell;
use crate::engine::Level;

/// What a search may use; whatever is reached first stops it. Without any limit it goes on until it is
/// cancelled or has nothing more to find.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The longest time from the call to the answer.
    pub time: Option<Duration>,
    /// The most positions looked at.
    pub nodes: Option<u64>,
    /// The most stones looked ahead.
    pub depth: Option<u8>,
}

/// How a search is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many moves to name, best first; at least one.
    pub lines: usize,
    /// How strongly to play.
    pub level: Level,
    /// The cells to choose from, unless empty. What may not be played is left out.
    pub only: Vec<Cell>,
    /// The cells not to choose.
    pub avoid: Vec<Cell>,
    /// How many threads search together, the calling one among them. Only one gives equal answers to equal
    /// questions; a level below full strength takes one in any case.
    pub threads: NonZeroUsize,
    /// What chance below full strength comes from: equal seeds, equal choices.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            lines: 1,
            level: Level::FULL,
            only: Vec::new(),
            avoid: Vec::new(),
            threads: NonZeroUsize::MIN,
            seed: 0,
        }
    }
}

/// Why a search stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The time was up.
    Time,
    /// The number of nodes was reached.
    Nodes,
    /// The depth was reached.
    Depth,
    /// The caller has cancelled it.
    Cancelled,
    /// There is nothing more to find: the outcome is known, or there is no choice.
    Decided,
}

impl StopReason {
    /// All of them.
    pub const ALL: [StopReason; 5] = [
        StopReason::Time,
        StopReason::Nodes,
        StopReason::Depth,
        StopReason::Cancelled,
        StopReason::Decided,
    ];

    /// The name in snake case, as `time`.
    pub const fn name(self) -> &'static str {
        match self {
            StopReason::Time => "time",
            StopReason::Nodes => "nodes",
            StopReason::Depth => "depth",
            StopReason::Cancelled => "cancelled",
            StopReason::Decided => "decided",
        }
    }
}
