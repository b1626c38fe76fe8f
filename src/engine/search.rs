use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::board::{Cell, mixed};
use crate::engine::chance::Chance;
use crate::engine::clock::Clock;
use crate::engine::params::Params;
use crate::engine::root::Root;
use crate::engine::{Limits, Memory, Options, Score, StopReason};
use crate::rules::Position;

/// A search to be run once.
pub struct Search<'a> {
    position: &'a Position,
    limits: Limits,
    options: Options,
    params: Params,
}

/// What a search has found, so far or in the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The moves, best first; none when the game is over or no cell may be played.
    pub lines: Vec<Line>,
    /// How many stones were looked ahead.
    pub depth: u8,
    /// How many positions were looked at.
    pub nodes: u64,
    /// How long it took.
    pub elapsed: Duration,
    /// Why it stopped.
    pub stop: StopReason,
}

/// A move with what is expected to follow.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The stones, the move itself first; all may be played. Never empty.
    pub moves: Vec<Cell>,
    /// How good it is for the side to move.
    pub score: Score,
    /// What is proven.
    pub verdict: Verdict,
}

/// What is proven about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The side to move wins by force; each step is checked by the rules alone.
    ProvenWin,
    /// The other side wins whatever is played.
    ProvenLoss,
    /// Nobody can win any more.
    ProvenDraw,
    /// Not proven.
    Unknown,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Verdict; 4] = [
        Verdict::ProvenWin,
        Verdict::ProvenLoss,
        Verdict::ProvenDraw,
        Verdict::Unknown,
    ];

    /// The name in snake case, as `proven_win`.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::ProvenWin => "proven_win",
            Verdict::ProvenLoss => "proven_loss",
            Verdict::ProvenDraw => "proven_draw",
            Verdict::Unknown => "unknown",
        }
    }
}

impl<'a> Search<'a> {
    /// A search of a position.
    pub fn new(position: &'a Position, limits: Limits, options: Options) -> Search<'a> {
        Search {
            position,
            limits,
            options,
            params: Params::default(),
        }
    }

    /// The same search with other numbers than the engine's own: for tuning them.
    pub fn with_params(self, params: Params) -> Search<'a> {
        Search { params, ..self }
    }

    /// Searches until a limit is reached, `cancel` is set or nothing is left to find. `on_progress` hears of
    /// each finished depth.
    pub fn run(
        self,
        memory: &mut Memory,
        cancel: &AtomicBool,
        on_progress: &mut dyn FnMut(&Outcome),
    ) -> Outcome {
        memory.age();
        let handicap = self.options.level.handicap();
        let most = handicap.map(|handicap| handicap.nodes);
        let nodes = self.limits.nodes.into_iter().chain(most).min();
        let clock = Clock::new(
            Limits {
                nodes,
                ..self.limits
            },
            cancel,
        );
        let mut root = Root::new(self.position, &self.options, memory, clock, &self.params);
        let Some(handicap) = handicap else {
            return root.run(self.limits.depth, on_progress);
        };
        root.choose_from(handicap.choices);
        let mut chance = Chance::new(mixed(self.options.seed) ^ root.key());
        let mut outcome = root.run(self.limits.depth, &mut |_| {});
        handicap.apply(&mut outcome.lines, &mut chance);
        outcome.lines.truncate(self.options.lines.max(1));
        on_progress(&outcome);
        outcome
    }
}
