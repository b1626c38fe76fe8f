use std::fmt;

use thiserror::Error;

use crate::board::Cell;

/// The number of lines of a square board, 5 to 25.
///
/// ```
/// use tengen::board::BoardSize;
///
/// assert_eq!(BoardSize::try_from(19)?.cell_count(), 361);
/// assert!(BoardSize::try_from(4).is_err());
/// # Ok::<(), tengen::board::UnsupportedSize>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoardSize(u8);

impl BoardSize {
    /// Five lines: on fewer no five fits.
    pub const SMALLEST: BoardSize = BoardSize(5);
    /// Fifteen lines, the board of renju and of most tournaments; the default.
    pub const DEFAULT: BoardSize = BoardSize(15);
    /// Twenty-five lines: one for each letter from `a` to `y`.
    pub const LARGEST: BoardSize = BoardSize(25);

    /// The number of lines.
    pub const fn lines(self) -> u8 {
        self.0
    }

    /// The number of cells, lines times lines.
    pub const fn cell_count(self) -> u16 {
        self.0 as u16 * self.0 as u16
    }

    /// Does the cell lie on a board of this size?
    pub const fn contains(self, cell: Cell) -> bool {
        cell.column() < self.0 && cell.height() < self.0
    }

    /// The centre; on an even board the cell right of and below the middle, as Gomocup has it.
    pub fn centre(self) -> Cell {
        let half = self.0 / 2;
        Cell::from_row(half, half, self).expect("half of the board is on the board")
    }

    /// Every cell in reading order: the top row first, each row from the left.
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        (0..self.0).flat_map(move |row| {
            (0..self.0).filter_map(move |column| Cell::from_row(row, column, self))
        })
    }
}

impl Default for BoardSize {
    fn default() -> BoardSize {
        BoardSize::DEFAULT
    }
}

/// A number of lines that no supported board has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a board has 5 to 25 lines, not {0}")]
pub struct UnsupportedSize(
    /// The number asked for.
    pub i64,
);

impl TryFrom<i64> for BoardSize {
    type Error = UnsupportedSize;

    fn try_from(lines: i64) -> Result<BoardSize, UnsupportedSize> {
        u8::try_from(lines)
            .ok()
            .map(BoardSize)
            .filter(|size| (BoardSize::SMALLEST..=BoardSize::LARGEST).contains(size))
            .ok_or(UnsupportedSize(lines))
    }
}

impl fmt::Display for BoardSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_from_five_to_twenty_five_are_supported_and_no_others() {
        for lines in -3..300 {
            let size = BoardSize::try_from(lines);
            assert_eq!(size.is_ok(), (5..=25).contains(&lines), "{lines}");
        }
    }

    #[test]
    fn the_centre_is_the_middle_or_right_of_and_below_it() {
        let centre = |lines| BoardSize::try_from(lines).unwrap().centre().to_string();
        assert_eq!(centre(15), "h8");
        assert_eq!(centre(5), "c3");
        // Gomocup's (10, 10) from the top left on 20 lines.
        assert_eq!(centre(20), "k10");
    }

    #[test]
    fn cells_run_in_reading_order() {
        let cells: Vec<_> = BoardSize::SMALLEST.cells().map(|c| c.to_string()).collect();
        assert_eq!(cells.len(), 25);
        assert_eq!(cells[..6], ["a5", "b5", "c5", "d5", "e5", "a4"]);
        assert_eq!(cells[24], "e1");
    }
}
