use crate::board::BoardSize;
use crate::record::{Ply, Replay};
use crate::rules::Rule;

/// A game as written: the rule, the board's size and the plies in order, Black first. It need not be legal.
///
/// ```
/// use tengen::board::BoardSize;
/// use tengen::record::{Record, notation::read_moves};
/// use tengen::rules::{Rule, Status};
///
/// let moves = read_moves("h8a1h9c1h10e1h12g1h11", 20).expect("all are moves");
/// let record = Record::new(Rule::Freestyle, BoardSize::DEFAULT, moves);
/// assert!(matches!(record.replay().position().status(), Status::Won { .. }));
/// assert_eq!(record.prefix(8).replay().position().status(), Status::Ongoing);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    rule: Rule,
    size: BoardSize,
    plies: Vec<Ply>,
}

impl Record {
    /// The most plies that a record can hold: a stone on every cell of the largest board and a pass
    /// after each, since two passes in a row end a game.
    pub const MOST_PLIES: usize = 2 * BoardSize::LARGEST.cell_count() as usize;

    /// A record of these plies.
    pub fn new(rule: Rule, size: BoardSize, plies: Vec<Ply>) -> Record {
        Record { rule, size, plies }
    }

    /// The rule.
    pub const fn rule(&self) -> Rule {
        self.rule
    }

    /// The board's size.
    pub const fn size(&self) -> BoardSize {
        self.size
    }

    /// The plies in order.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The record of the first plies only: undo. All of it when it is not longer than that.
    #[must_use]
    pub fn prefix(&self, plies: usize) -> Record {
        Record {
            plies: self.plies.iter().copied().take(plies).collect(),
            ..*self
        }
    }

    /// Plays the record through the rules.
    pub fn replay(&self) -> Replay {
        Replay::of(self)
    }
}
