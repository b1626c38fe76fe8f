use crate::board::{Board, BoardSize, Cell, Color};
use crate::formats::refusal::excerpt;
use crate::formats::{Loss, Losses, Reason};
use crate::record::notation::{Unreadable, read_moves};
use crate::record::{Ply, Record};
use crate::rules::Rule;

/// The plies of a game as they are read: each stone on the board and on a cell of its own.
pub(super) struct Plies {
    taken: Board,
    plies: Vec<Ply>,
}

impl Plies {
    /// No ply yet, on an empty board.
    pub(super) fn new(size: BoardSize) -> Plies {
        Plies::on(Board::new(size))
    }

    /// No ply yet, with stones set up.
    pub(super) const fn on(board: Board) -> Plies {
        Plies {
            taken: board,
            plies: Vec::new(),
        }
    }

    /// Adds a ply, that is written in this way.
    pub(super) fn push(&mut self, ply: Ply, text: &str) -> Result<(), Reason> {
        if self.plies.len() == Record::MOST_PLIES {
            return Err(Reason::TooLong);
        }
        let number = self.plies.len() + 1;
        let size = self.taken.size();
        match ply {
            Ply::Pass => {}
            Ply::Stone(cell) if size.contains(cell) => {
                if !self.taken.is_empty(cell) {
                    return Err(Reason::Occupied { ply: number, cell });
                }
                // Which colour, nobody asks.
                self.taken.put(cell, Color::Black);
            }
            Ply::Stone(_) | Ply::Outside(_) => {
                return Err(Reason::OffBoard {
                    ply: number,
                    text: excerpt(text),
                    size,
                });
            }
        }
        self.plies.push(ply);
        Ok(())
    }

    /// Adds the moves of a text in the notation of records. A fault tells the number of its character,
    /// from 1, in the text; that of a stone is the beginning of the text.
    pub(super) fn push_moves(&mut self, text: &str) -> Result<(), (usize, Reason)> {
        let moves = read_moves(text, 1).map_err(|unreadable| {
            let first = unreadable.into_iter().next();
            let Unreadable { at, text } = first.expect("a failed reading tells a piece");
            (at, Reason::NotAMove(excerpt(&text)))
        })?;
        for ply in moves {
            self.push(ply, &ply.to_string())
                .map_err(|reason| (1, reason))?;
        }
        Ok(())
    }

    /// The number of plies.
    pub(super) const fn count(&self) -> usize {
        self.plies.len()
    }

    /// The record of the plies.
    pub(super) fn into_record(self, rule: Rule) -> Record {
        Record::new(rule, self.taken.size(), self.plies)
    }
}

/// What is written of a ply: a cell that the board has, or no stone.
pub(super) fn on_board(ply: Ply, size: BoardSize, lost: &mut Losses) -> Option<Cell> {
    match ply {
        Ply::Stone(cell) if size.contains(cell) => Some(cell),
        Ply::Pass => None,
        Ply::Stone(_) | Ply::Outside(_) => {
            lost.insert(Loss::OffBoard);
            None
        }
    }
}
