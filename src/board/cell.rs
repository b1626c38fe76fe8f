use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::board::BoardSize;

/// A cell of the largest board, named by its column's letter and its row's number from the bottom.
///
/// The name does not depend on the board's size: `a1` is the lower left corner of every board.
/// The letter `i` is used. Whether a cell lies on a given board, [`BoardSize::contains`] tells.
///
/// ```
/// use tengen::board::{BoardSize, Cell};
///
/// let centre: Cell = "h8".parse()?;
/// assert_eq!(centre.to_string(), "h8");
/// assert_eq!(Cell::from_row(7, 7, BoardSize::DEFAULT), Some(centre));
/// assert!("h08".parse::<Cell>().is_err());
/// # Ok::<(), tengen::board::ParseCellError>(())
/// ```
// One number, height * 32 + column, so that a step in any direction is one addition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u16);

impl Cell {
    /// How much the index grows from one row to the one above it.
    pub(super) const ROW: u16 = 32;

    /// The cell in a column (0 = `a`) at a height (0 = the bottom row, numbered 1), if the largest board has it.
    pub const fn new(column: u8, height: u8) -> Option<Cell> {
        let lines = BoardSize::LARGEST.lines();
        if column < lines && height < lines {
            Some(Cell(height as u16 * Cell::ROW + column as u16))
        } else {
            None
        }
    }

    /// The cell at a row and a column counted from the top left corner of a board, both from 0.
    pub const fn from_row(row: u8, column: u8, size: BoardSize) -> Option<Cell> {
        if row < size.lines() && column < size.lines() {
            Cell::new(column, size.lines() - 1 - row)
        } else {
            None
        }
    }

    /// The column, from 0 at the left.
    pub const fn column(self) -> u8 {
        (self.0 % Cell::ROW) as u8
    }

    /// The row, from 0 at the bottom: one less than the number in the cell's name.
    pub const fn height(self) -> u8 {
        (self.0 / Cell::ROW) as u8
    }

    /// The row, from 0 at the top of a board that has this cell; absent on a board that has it not.
    pub const fn row(self, size: BoardSize) -> Option<u8> {
        (size.lines() - 1).checked_sub(self.height())
    }

    /// A number of its own for every cell, below [`Cell::INDICES`], with gaps.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// One more than the largest [`Cell::index`] can be.
    pub const INDICES: usize = 25 * Cell::ROW as usize;
}

/// A text that names no cell of any board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a cell is a letter from a to y and a row number from 1 to 25, as in h8")]
pub struct ParseCellError;

impl FromStr for Cell {
    type Err = ParseCellError;

    fn from_str(text: &str) -> Result<Cell, ParseCellError> {
        let number = match text.as_bytes() {
            [b'a'..=b'y', ones @ b'1'..=b'9'] => ones - b'0',
            [b'a'..=b'y', tens @ b'1'..=b'2', ones @ b'0'..=b'9'] => {
                (tens - b'0') * 10 + (ones - b'0')
            }
            _ => return Err(ParseCellError),
        };
        Cell::new(text.as_bytes()[0] - b'a', number - 1).ok_or(ParseCellError)
    }
}

/// The name of a cell, written without allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellName {
    octets: [u8; 3],
    length: u8,
}

impl Cell {
    /// The cell's name, as `Display` writes it: for answers, which hold hundreds of cells.
    pub const fn name(self) -> CellName {
        let (letter, number) = (b'a' + self.column(), self.height() + 1);
        let (tens, ones) = (b'0' + number / 10, b'0' + number % 10);
        if number < 10 {
            CellName {
                octets: [letter, ones, 0],
                length: 2,
            }
        } else {
            CellName {
                octets: [letter, tens, ones],
                length: 3,
            }
        }
    }
}

impl CellName {
    /// The name as a text.
    pub fn as_str(&self) -> &str {
        let octets = &self.octets[..usize::from(self.length)];
        str::from_utf8(octets).expect("a letter and digits are ASCII")
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name().as_str())
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_reads_back_as_it_is_written() {
        for cell in BoardSize::LARGEST.cells() {
            assert_eq!(cell.to_string().parse(), Ok(cell));
        }
    }

    #[test]
    fn what_is_not_the_one_spelling_of_a_cell_is_refused() {
        for text in [
            "", "h", "8", "h0", "h08", "H8", "8h", "h8 ", " h8", "z1", "h26", "h30", "h100", "hh",
            "é8", "h٨",
        ] {
            assert_eq!(text.parse::<Cell>(), Err(ParseCellError), "{text:?}");
        }
    }

    #[test]
    fn rows_count_from_the_top_of_the_board_at_hand() {
        let cell: Cell = "a1".parse().unwrap();
        assert_eq!(cell.row(BoardSize::DEFAULT), Some(14));
        assert_eq!(cell.row(BoardSize::SMALLEST), Some(4));
        let outside: Cell = "a6".parse().unwrap();
        assert_eq!(outside.row(BoardSize::SMALLEST), None);
        assert_eq!(Cell::from_row(5, 0, BoardSize::SMALLEST), None);
    }
}
