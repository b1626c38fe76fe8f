use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::board::{Cell, mixed};
use crate::engine::chance::Chance;
use crate::engine::clock::Clock;
use crate::engine::params::Params;
use crate::engine::root::Root;
use crate::engine::{Limits, Memory, Options, Score, StopReason};
use crate::proof::CertificateText;
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
    /// The certificate of a win or a loss; a search gives none by itself, see [`crate::engine::Notary`].
    pub certificate: Option<Arc<CertificateText>>,
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
        let Some(handicap) = handicap else {
            return self.run_together(memory, clock, on_progress);
        };
        let mut root = self.root(memory, clock);
        root.choose_from(handicap.choices);
        let mut chance = Chance::new(mixed(self.options.seed) ^ root.key());
        let mut outcome = root.run(self.limits.depth, &mut |_| {});
        handicap.apply(&mut outcome.lines, &mut chance);
        outcome.lines.truncate(self.options.lines.max(1));
        on_progress(&outcome);
        outcome
    }

    fn root<'b>(&'b self, memory: &'b Memory, clock: Clock<'b>) -> Root<'b> {
        Root::new(self.position, &self.options, memory, clock, &self.params)
    }

    /// Searches by as many threads as are wanted. All share the memory, and so find quickly what another has
    /// found; the answer is the calling thread's.
    fn run_together(
        &self,
        memory: &Memory,
        clock: Clock<'_>,
        on_progress: &mut dyn FnMut(&Outcome),
    ) -> Outcome {
        let (nodes, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
        let limits = Limits {
            nodes: self.limits.nodes,
            ..Limits::default()
        };
        thread::scope(|scope| {
            for number in 1..self.options.threads.get() {
                let clock = Clock::new(limits, &is_over).in_team(&nodes);
                let helper = thread::Builder::new().name(format!("helper-{number}"));
                let help = move || self.root(memory, clock).help(number);
                if helper.spawn_scoped(scope, help).is_err() {
                    // The system has no more threads: those there are have to do.
                    break;
                }
            }
            // However this ends: the scope waits for the helpers.
            let _ends = SetOnDrop(&is_over);
            self.root(memory, clock.in_team(&nodes))
                .run(self.limits.depth, on_progress)
        })
    }
}

/// Sets a flag when it goes out of scope, be it by a panic.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
