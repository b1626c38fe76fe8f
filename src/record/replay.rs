use thiserror::Error;

use crate::record::{Ply, Record};
use crate::rules::forbidden::{self, Evidence, Kind};
use crate::rules::{PlayError, Position, Status};

/// What the rules say of a record: the position its legal part leads to, and every violation.
///
/// The legal part is all before the first violation, and a forbidden stone with it: that stone
/// stands and ends the game. Beyond it the plies are still judged, each with the colour its number gives
/// and with faulty plies left out, so that all faults are told at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    position: Position,
    plies: usize,
    ended_at: Option<usize>,
    violations: Vec<Violation>,
}

/// A ply that the rules do not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Its number in the record, from 1.
    pub ply: usize,
    /// What the record says.
    pub played: Ply,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a ply. After the end of the game that alone is told.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The cell is not on the board.
    #[error("the cell is not on the board")]
    OffBoard,
    /// The cell holds a stone.
    #[error("the cell is occupied")]
    Occupied,
    /// The game had ended before.
    #[error("the game had ended before this ply")]
    AfterGameEnd,
    /// A pass where the rule has none.
    #[error("a pass is allowed only in renju, after the third ply")]
    PassNotAllowed,
    /// A cell that renju forbids to Black; the stone ends the game.
    #[error("the cell is forbidden to Black: {0}")]
    Forbidden(Kind, Box<Evidence>),
}

impl Fault {
    /// The name in snake case, as `forbidden_double_four`.
    pub const fn name(&self) -> &'static str {
        match self {
            Fault::OffBoard => "off_board",
            Fault::Occupied => "occupied",
            Fault::AfterGameEnd => "after_game_end",
            Fault::PassNotAllowed => "pass_not_allowed",
            Fault::Forbidden(Kind::Overline, _) => "forbidden_overline",
            Fault::Forbidden(Kind::DoubleFour, _) => "forbidden_double_four",
            Fault::Forbidden(Kind::DoubleThree, _) => "forbidden_double_three",
        }
    }
}

impl Replay {
    /// Plays a record through the rules.
    pub fn of(record: &Record) -> Replay {
        Replay::with_each(record, |_| {})
    }

    /// Plays a record through the rules and shows the replay of every prefix that still adds to the
    /// legal part, the empty one first.
    pub fn with_each(record: &Record, mut show: impl FnMut(&Replay)) -> Replay {
        let mut replay = Replay {
            position: Position::new(record.rule(), record.size()),
            plies: 0,
            ended_at: None,
            violations: Vec::new(),
        };
        show(&replay);
        for (index, ply) in record.plies().iter().enumerate() {
            if !replay.extend(index + 1, *ply) {
                replay.judge_rest(record, index + 1);
                break;
            }
            show(&replay);
        }
        replay
    }

    /// Is every ply of the record allowed?
    pub fn is_legal(&self) -> bool {
        self.violations.is_empty()
    }

    /// The position after the legal part.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The position after the legal part, taken out.
    pub fn into_position(self) -> Position {
        self.position
    }

    /// The number of plies in the legal part.
    pub const fn plies(&self) -> usize {
        self.plies
    }

    /// The ply that ended the game.
    pub const fn ended_at(&self) -> Option<usize> {
        self.ended_at
    }

    /// Every violation in the record, in order.
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// Plays one more ply of the legal part; tells whether it stands and more may follow.
    fn extend(&mut self, number: usize, ply: Ply) -> bool {
        let stands = match play(&mut self.position, number, ply) {
            Ok(()) => true,
            Err(fault) => {
                let stands = matches!(fault, Fault::Forbidden(..));
                self.violations.push(Violation {
                    ply: number,
                    played: ply,
                    fault,
                });
                stands
            }
        };
        if stands {
            self.plies = number;
            if self.position.status() != Status::Ongoing {
                self.ended_at = Some(number);
            }
        }
        stands
    }

    /// Judges the plies behind the first that does not stand, on a position of their own.
    fn judge_rest(&mut self, record: &Record, done: usize) {
        let mut beyond = self.position.clone();
        beyond.skip_turn();
        for (index, ply) in record.plies().iter().enumerate().skip(done) {
            if let Err(fault) = play(&mut beyond, index + 1, *ply) {
                if !matches!(fault, Fault::Forbidden(..)) {
                    beyond.skip_turn();
                }
                self.violations.push(Violation {
                    ply: index + 1,
                    played: *ply,
                    fault,
                });
            }
        }
    }
}

/// Plays a ply; a forbidden stone is placed and told as a fault.
fn play(position: &mut Position, number: usize, ply: Ply) -> Result<(), Fault> {
    let played = match ply {
        Ply::Stone(cell) => position.play(cell),
        Ply::Pass => position.pass(number),
        Ply::Outside(_) if position.status() == Status::Ongoing => Err(PlayError::OffBoard),
        Ply::Outside(_) => Err(PlayError::GameOver),
    };
    played.map_err(|error| match (error, ply) {
        (PlayError::Forbidden(kind), Ply::Stone(cell)) => {
            let evidence = forbidden::evidence(position.board(), cell);
            position.play_forbidden(cell, kind);
            Fault::Forbidden(kind, Box::new(evidence))
        }
        (PlayError::Occupied, _) => Fault::Occupied,
        (PlayError::GameOver, _) => Fault::AfterGameEnd,
        (PlayError::PassNotAllowed, _) => Fault::PassNotAllowed,
        (PlayError::OffBoard | PlayError::Forbidden(_), _) => Fault::OffBoard,
    })
}
