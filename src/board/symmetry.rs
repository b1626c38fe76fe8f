use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::board::{Board, BoardSize, Cell};

/// One of the eight rotations and reflections of the square board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symmetry {
    /// Nothing moves.
    Identity,
    /// A quarter turn clockwise.
    Rotate90,
    /// A half turn.
    Rotate180,
    /// A quarter turn counter-clockwise.
    Rotate270,
    /// Left and right change places.
    FlipColumns,
    /// Top and bottom change places.
    FlipRows,
    /// Reflection in the diagonal from the top left to the bottom right.
    FlipDiagonal,
    /// Reflection in the diagonal from the bottom left to the top right.
    FlipAntidiagonal,
}

impl Symmetry {
    /// All eight, the identity first.
    pub const ALL: [Symmetry; 8] = [
        Symmetry::Identity,
        Symmetry::Rotate90,
        Symmetry::Rotate180,
        Symmetry::Rotate270,
        Symmetry::FlipColumns,
        Symmetry::FlipRows,
        Symmetry::FlipDiagonal,
        Symmetry::FlipAntidiagonal,
    ];

    /// The name in snake case, as `rotate_90`.
    pub const fn name(self) -> &'static str {
        match self {
            Symmetry::Identity => "identity",
            Symmetry::Rotate90 => "rotate_90",
            Symmetry::Rotate180 => "rotate_180",
            Symmetry::Rotate270 => "rotate_270",
            Symmetry::FlipColumns => "flip_columns",
            Symmetry::FlipRows => "flip_rows",
            Symmetry::FlipDiagonal => "flip_diagonal",
            Symmetry::FlipAntidiagonal => "flip_antidiagonal",
        }
    }

    /// Where a cell of a board goes.
    ///
    /// # Panics
    ///
    /// When the cell is not on a board of this size.
    pub fn apply(self, cell: Cell, size: BoardSize) -> Cell {
        let last = size.lines() - 1;
        let (x, y) = (cell.column(), cell.height());
        let (column, height) = match self {
            Symmetry::Identity => (x, y),
            Symmetry::Rotate90 => (y, last - x),
            Symmetry::Rotate180 => (last - x, last - y),
            Symmetry::Rotate270 => (last - y, x),
            Symmetry::FlipColumns => (last - x, y),
            Symmetry::FlipRows => (x, last - y),
            Symmetry::FlipDiagonal => (last - y, last - x),
            Symmetry::FlipAntidiagonal => (y, x),
        };
        Cell::new(column, height).expect("a symmetry keeps cells on the board")
    }

    /// The board with every stone moved.
    pub fn apply_board(self, board: &Board) -> Board {
        let mut turned = Board::new(board.size());
        for (cell, color) in board.occupied() {
            turned.put(self.apply(cell, board.size()), color);
        }
        turned
    }

    /// The symmetry that undoes this one.
    #[must_use]
    pub const fn inverse(self) -> Symmetry {
        match self {
            Symmetry::Rotate90 => Symmetry::Rotate270,
            Symmetry::Rotate270 => Symmetry::Rotate90,
            other => other,
        }
    }
}

impl fmt::Display for Symmetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that names no symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("there is no symmetry of that name")]
pub struct ParseSymmetryError;

impl FromStr for Symmetry {
    type Err = ParseSymmetryError;

    fn from_str(text: &str) -> Result<Symmetry, ParseSymmetryError> {
        Symmetry::ALL
            .into_iter()
            .find(|symmetry| symmetry.name() == text)
            .ok_or(ParseSymmetryError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_turn_goes_clockwise() {
        let turned = |symmetry: Symmetry, cell: &str| {
            symmetry
                .apply(cell.parse().unwrap(), BoardSize::DEFAULT)
                .to_string()
        };
        // The top left corner goes to the top right one.
        assert_eq!(turned(Symmetry::Rotate90, "a15"), "o15");
        assert_eq!(turned(Symmetry::FlipColumns, "a15"), "o15");
        assert_eq!(turned(Symmetry::FlipRows, "a15"), "a1");
        assert_eq!(turned(Symmetry::FlipDiagonal, "a15"), "a15");
        assert_eq!(turned(Symmetry::FlipDiagonal, "a1"), "o15");
        assert_eq!(turned(Symmetry::FlipAntidiagonal, "a15"), "o1");
    }

    #[test]
    fn the_inverse_undoes_and_the_eight_differ() {
        let size = BoardSize::DEFAULT;
        let mut images = Vec::new();
        for symmetry in Symmetry::ALL {
            for cell in size.cells() {
                let there = symmetry.apply(cell, size);
                assert_eq!(symmetry.inverse().apply(there, size), cell, "{symmetry}");
            }
            assert_eq!(symmetry.to_string().parse(), Ok(symmetry));
            images.push(symmetry.apply("b3".parse().unwrap(), size));
        }
        images.sort();
        images.dedup();
        assert_eq!(images.len(), 8);
    }
}
