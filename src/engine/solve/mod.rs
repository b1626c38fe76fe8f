//! Forced wins: found by fours or by threats, and written down so that the verifier can check them.
//!
//! Nothing is called a win that [`crate::proof::verify`] has not accepted. Begin reading with [`Solve`].

mod build;
mod defences;
mod fours;
mod looks;
mod loss;
mod numbers;
mod quiet;
mod solver;
mod threats;

pub(super) use build::checked;
pub use defences::Defences;

use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::engine::clock::Clock;
use crate::engine::solve::build::{Build, certificate};
use crate::engine::solve::fours::MOST_STONES;
use crate::engine::solve::looks::{ANY_STONES, FIRST_TURN, LOOKS, Look, TURN_GROWTH};
use crate::engine::solve::loss::Replies;
use crate::engine::solve::numbers::Numbers;
use crate::engine::solve::solver::Solver;
use crate::engine::state::State;
use crate::engine::{Limits, Memory, StopReason};
use crate::proof::{Certificate, Reason, verify};
use crate::rules::{Position, Status};

/// The stones with which a win is to be forced. Each kind has the ones before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Force {
    /// Each stone of the attacker makes a four.
    Fours,
    /// Each makes a four or an open three, or stops a five while such a threat stands.
    FoursAndThrees,
    /// Each threatens a win by fours. Not every such stone is looked at, so there may be a win where none is found.
    #[default]
    Threats,
    /// The first may be any that the engine's search takes for a win, the others threaten a win by fours.
    Any,
}

impl Force {
    /// All of them.
    pub const ALL: [Force; 4] = [
        Force::Fours,
        Force::FoursAndThrees,
        Force::Threats,
        Force::Any,
    ];

    /// The name in snake case, as `fours_and_threes`.
    pub const fn name(self) -> &'static str {
        match self {
            Force::Fours => "fours",
            Force::FoursAndThrees => "fours_and_threes",
            Force::Threats => "threats",
            Force::Any => "any",
        }
    }
}

impl FromStr for Force {
    type Err = ();

    fn from_str(text: &str) -> Result<Force, ()> {
        let mut all = Force::ALL.into_iter();
        all.find(|force| force.name() == text).ok_or(())
    }
}

/// What a look for a forced win is to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aim {
    /// The side to move wins.
    #[default]
    Win,
    /// The other side would win if the turn were its own: what it threatens.
    Threat,
    /// The other side wins, whatever the side to move plays.
    Loss,
}

/// How a forced win is to be looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SolveOptions {
    /// With which stones.
    pub force: Force,
    /// What is to be shown.
    pub aim: Aim,
    /// Go on until no win with fewer stones is left in the class, as far as the limits allow?
    pub shortest: bool,
}

/// A look for a forced win, to be done once.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use tengen::board::{Board, Color};
/// use tengen::engine::{Limits, Memory, Solve, SolveOptions, Solved};
/// use tengen::rules::{Position, Rule};
///
/// let board: Board = ".......\n.......\n.xxx...\n.......\n.......\n.o.o...\n.......".parse()?;
/// let position = Position::from_board(Rule::Freestyle, board, Color::Black)?;
/// let solve = Solve::new(&position, Limits::default(), SolveOptions::default());
/// let solution = solve.run(&mut Memory::with_mebibytes(1), &AtomicBool::new(false));
/// assert!(matches!(solution.solved, Solved::Win { plies: 3, .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Solve<'a> {
    position: &'a Position,
    limits: Limits,
    options: SolveOptions,
}

/// What came of a look for a forced win.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The outcome.
    pub solved: Solved,
    /// How many positions were looked at.
    pub nodes: u64,
    /// How long it took until the outcome was known, before a win was written down and checked.
    pub search: Duration,
    /// How long all of it took.
    pub elapsed: Duration,
}

/// The outcome of a look for a forced win.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solved {
    /// The attacker wins.
    Win {
        /// The win, accepted by the verifier.
        certificate: Box<Certificate>,
        /// The plies of its longest line.
        plies: usize,
        /// Is it known that no win of the class is shorter?
        is_shortest: bool,
    },
    /// There is no win with such stones, however long.
    NoWinInClass,
    /// Neither was shown.
    Unknown(Unsolved),
}

impl Solved {
    /// Was there no answer because the caller has cancelled the look?
    pub fn is_cancelled(&self) -> bool {
        *self == Solved::Unknown(Unsolved::Stopped(StopReason::Cancelled))
    }
}

/// Why nothing was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsolved {
    /// A limit was reached.
    Stopped(StopReason),
    /// All was looked at that is looked at, and that is not all there is.
    Exhausted,
    /// A win was found that is too large to be written down or checked.
    TooLarge,
    /// The game is over.
    GameOver,
}

impl Unsolved {
    /// All of them.
    pub const ALL: [Unsolved; 8] = {
        let [time, nodes, depth, cancelled, decided] = StopReason::ALL;
        [
            Unsolved::Stopped(time),
            Unsolved::Stopped(nodes),
            Unsolved::Stopped(depth),
            Unsolved::Stopped(cancelled),
            Unsolved::Stopped(decided),
            Unsolved::Exhausted,
            Unsolved::TooLarge,
            Unsolved::GameOver,
        ]
    };

    /// The name in snake case, as `too_large`.
    pub const fn name(self) -> &'static str {
        match self {
            Unsolved::Stopped(reason) => reason.name(),
            Unsolved::Exhausted => "exhausted",
            Unsolved::TooLarge => "too_large",
            Unsolved::GameOver => "game_over",
        }
    }
}

impl<'a> Solve<'a> {
    /// The most positions of the check of a win: four seconds' work at the worst, and a look has to end in time. Nearly
    /// all certificates of games stay far below.
    pub const CHECK_POSITIONS: u64 = 5_000_000;

    /// A look from a position.
    pub fn new(position: &'a Position, limits: Limits, options: SolveOptions) -> Solve<'a> {
        Solve {
            position,
            limits,
            options,
        }
    }

    /// Looks, in memory whose former content is forgotten. The limit of depth bounds the attacker's stones.
    /// Equal questions within limits of nodes and depth have equal answers.
    ///
    /// There is no win in the class against all replies where one reply leaves none.
    pub fn run(&self, memory: &mut Memory, cancel: &AtomicBool) -> Solution {
        match (self.options.aim, self.options.force) {
            (Aim::Loss, _) => return Replies::of(self, memory, cancel).prove_loss(),
            (Aim::Win, Force::Any) => return self.begin_quietly(memory, cancel),
            (Aim::Win | Aim::Threat, _) => {}
        }
        memory.forget();
        memory.age();
        let clock = Clock::new(self.limits, cancel);
        let mut solver = Solver {
            memory,
            clock,
            force: self.force(),
            budget: 0,
            is_cut: false,
            turn_ends: u64::MAX,
            salt: 0,
            found: None,
        };
        let solved = self.solve(&mut solver);
        Solution {
            solved,
            nodes: solver.clock.nodes(),
            search: solver.found.unwrap_or(solver.clock.elapsed()),
            elapsed: solver.clock.elapsed(),
        }
    }

    /// With which stones the solver itself looks: a quiet beginning is not its own.
    fn force(&self) -> Force {
        self.options.force.min(Force::Threats)
    }

    fn solve(&self, solver: &mut Solver<'_>) -> Solved {
        let attacker = match self.options.aim {
            Aim::Win => self.position.to_move(),
            Aim::Threat | Aim::Loss => !self.position.to_move(),
        };
        // The verifier asks of a root what is asked here: that the game is not over.
        let board = self.position.board().clone();
        let position = Position::from_board(self.position.rule(), board, attacker);
        let Some(position) = position
            .ok()
            .filter(|_| self.position.status() == Status::Ongoing)
            .filter(|position| position.status() == Status::Ongoing)
        else {
            return Solved::Unknown(Unsolved::GameOver);
        };
        let mut state = State::new(&position);
        let most = self.limits.depth.map_or(ANY_STONES, i32::from);
        match by_fours(solver, &mut state, most) {
            ByFours::Win(stones) => self.won(solver, &position, &mut state, stones),
            ByFours::None if self.force() == Force::Fours => Solved::NoWinInClass,
            ByFours::Cut if self.force() == Force::Fours => {
                Solved::Unknown(unsolved(solver, StopReason::Depth))
            }
            ByFours::None | ByFours::Cut => self.by_threats(solver, &position, &mut state, most),
        }
    }

    /// Looks for a win by threats where there is none by fours alone, as far as is known. Which of several looks
    /// finds it first nobody knows beforehand, so they take turns, longer ones each round.
    fn by_threats(
        &self,
        solver: &mut Solver<'_>,
        position: &Position,
        state: &mut State,
        most: i32,
    ) -> Solved {
        let mut looks: Vec<Look> = LOOKS
            .into_iter()
            .filter(|look| look.force <= self.force() && look.stones <= most)
            .collect();
        if most < ANY_STONES {
            looks.push(Look {
                force: self.force(),
                stones: most,
            });
        }
        let mut turn = FIRST_TURN;
        while !looks.is_empty() {
            let mut left = Vec::with_capacity(looks.len());
            for look in looks {
                let numbers = look.take_turn(solver, state, turn);
                if numbers.is_won() {
                    return self.won(solver, position, state, look.stones);
                }
                if let Some(reason) = solver.clock.stop() {
                    return Solved::Unknown(Unsolved::Stopped(reason));
                }
                match (look.force, look.stones) {
                    _ if numbers != Numbers::NOT_WON => left.push(look),
                    (Force::FoursAndThrees, ANY_STONES) if self.force() == look.force => {
                        return Solved::NoWinInClass;
                    }
                    _ => {}
                }
            }
            looks = left;
            turn *= TURN_GROWTH;
        }
        Solved::Unknown(if most < ANY_STONES {
            Unsolved::Stopped(StopReason::Depth)
        } else {
            Unsolved::Exhausted
        })
    }

    /// Writes down the win that was found, or one with the fewest stones where that was asked for.
    fn won(
        &self,
        solver: &mut Solver<'_>,
        position: &Position,
        state: &mut State,
        stones: i32,
    ) -> Solved {
        let first = finish(solver, position, state, stones);
        match first {
            Solved::Win {
                plies,
                is_shortest: false,
                ..
            } if self.options.shortest => self.shorten(solver, position, state, first, plies),
            _ => first,
        }
    }

    /// Looks for a win with fewer stones than the first that was found, one more at a time.
    fn shorten(
        &self,
        solver: &mut Solver<'_>,
        position: &Position,
        state: &mut State,
        mut first: Solved,
        plies: usize,
    ) -> Solved {
        let known = i32::try_from(plies.div_ceil(2)).unwrap_or(ANY_STONES);
        for stones in 1..known {
            let is_won = self.wins_within(solver, state, stones);
            if solver.clock.stop().is_some() {
                return first;
            }
            if is_won {
                let shorter = finish(solver, position, state, stones);
                if !matches!(shorter, Solved::Win { .. }) {
                    return first;
                }
                first = shorter;
                break;
            }
        }
        if let Solved::Win { is_shortest, .. } = &mut first {
            *is_shortest = true;
        }
        first
    }

    /// Is a win with so many stones found?
    fn wins_within(&self, solver: &mut Solver<'_>, state: &mut State, stones: i32) -> bool {
        if self.force() == Force::Fours {
            solver.budget = u32::MAX;
            return solver.fours(state, stones.min(MOST_STONES)).is_some();
        }
        let look = Look {
            force: self.force(),
            stones,
        };
        look.take_turn(solver, state, u64::MAX).is_won()
    }
}

enum ByFours {
    /// There is a win within so many stones.
    Win(i32),
    /// There is no such win.
    None,
    /// None was found within the limits.
    Cut,
}

/// Looks for a win of the side to move by fours, of any length: to look for the shortest takes some six times as
/// long at the median of 1,675 puzzles.
fn by_fours(solver: &mut Solver<'_>, state: &mut State, most: i32) -> ByFours {
    solver.budget = match solver.force {
        Force::Fours => u32::MAX,
        // Threats may do what fours take too long for.
        Force::FoursAndThrees | Force::Threats | Force::Any => {
            solver.clock.tenth_of_nodes().min(200_000)
        }
    };
    solver.is_cut = false;
    match solver.fours(state, most.min(MOST_STONES)) {
        Some(stones) => ByFours::Win(stones),
        None if solver.is_cut || solver.budget == 0 => ByFours::Cut,
        None => ByFours::None,
    }
}

fn unsolved(solver: &Solver<'_>, otherwise: StopReason) -> Unsolved {
    Unsolved::Stopped(solver.clock.stop().unwrap_or(otherwise))
}

/// Writes a win down and has it checked.
fn finish(solver: &mut Solver<'_>, position: &Position, state: &mut State, stones: i32) -> Solved {
    solver.found = Some(solver.clock.elapsed());
    let mut build = Build::new(solver);
    let first = build.attack(state, stones);
    let nodes = std::mem::take(&mut build.nodes);
    let Some(certificate) = first.and_then(|first| certificate(position, nodes, first)) else {
        return Solved::Unknown(match solver.clock.stop() {
            Some(reason) => Unsolved::Stopped(reason),
            None => Unsolved::TooLarge,
        });
    };
    match verify(&certificate, Solve::CHECK_POSITIONS) {
        Ok(verified) => Solved::Win {
            certificate: Box::new(certificate),
            plies: verified.plies,
            // A five at once is found before anything else.
            is_shortest: verified.plies <= 3,
        },
        Err(refuted) => {
            let is_long = matches!(refuted.reason, Reason::TooLong(_));
            debug_assert!(is_long, "{refuted}: {}", certificate.to_json());
            Solved::Unknown(Unsolved::TooLarge)
        }
    }
}
