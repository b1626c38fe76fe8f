use crate::board::{Board, Cell, Color, Direction, Sense, Square};
use crate::rules::Five;

/// An unbroken row of one colour through a cell, as long as it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The number of stones in it, the cell's own counted.
    pub length: i8,
    /// How many of them lie behind the cell, seen along the direction.
    pub behind: i8,
    /// What ends it behind and ahead.
    pub ends: [Square; 2],
}

impl Run {
    /// The run that a stone of a colour on this cell belongs to; the cell itself is not looked at.
    pub fn through(board: &Board, cell: Cell, color: Color, direction: Direction) -> Run {
        let (behind, start) = Run::arm(board, cell, color, direction, Sense::Backward);
        let (ahead, end) = Run::arm(board, cell, color, direction, Sense::Forward);
        Run {
            length: behind + 1 + ahead,
            behind,
            ends: [start, end],
        }
    }

    fn arm(
        board: &Board,
        cell: Cell,
        color: Color,
        direction: Direction,
        sense: Sense,
    ) -> (i8, Square) {
        let mut stones = 0;
        for square in board.beyond(cell, direction, sense) {
            if square != Square::Stone(color) {
                return (stones, square);
            }
            stones += 1;
        }
        (stones, Square::Outside)
    }

    /// Is this a winning row for its colour?
    pub fn is(&self, five: Five, color: Color) -> bool {
        match five {
            Five::AtLeast => self.length >= 5,
            Five::Exactly => self.length == 5,
            Five::ExactlyOpen => self.length == 5 && self.ends != [Square::Stone(!color); 2],
        }
    }
}
