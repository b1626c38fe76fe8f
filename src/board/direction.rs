use std::fmt;

use crate::board::Cell;

/// One of the four lines through a cell. Each is walked from left to right, the vertical from the bottom up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Along a row, `a8` to `e8`.
    Horizontal,
    /// Along a column, `h1` to `h5`.
    Vertical,
    /// From the top left to the bottom right, `a5` to `e1`.
    Diagonal,
    /// From the bottom left to the top right, `a1` to `e5`.
    Antidiagonal,
}

impl Direction {
    /// All four.
    pub const ALL: [Direction; 4] = [
        Direction::Horizontal,
        Direction::Vertical,
        Direction::Diagonal,
        Direction::Antidiagonal,
    ];

    /// `horizontal`, `vertical`, `diagonal` or `antidiagonal`.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::Horizontal => "horizontal",
            Direction::Vertical => "vertical",
            Direction::Diagonal => "diagonal",
            Direction::Antidiagonal => "antidiagonal",
        }
    }

    /// One step forward as (columns to the right, rows up).
    pub const fn step(self) -> (i8, i8) {
        match self {
            Direction::Horizontal => (1, 0),
            Direction::Vertical => (0, 1),
            Direction::Diagonal => (1, -1),
            Direction::Antidiagonal => (1, 1),
        }
    }

    /// The cell some steps along this direction (backward when negative), if the largest board has it.
    pub fn walk(self, from: Cell, steps: i8) -> Option<Cell> {
        let (columns, rows) = self.step();
        let column = i16::from(from.column()) + i16::from(columns) * i16::from(steps);
        let height = i16::from(from.height()) + i16::from(rows) * i16::from(steps);
        Cell::new(u8::try_from(column).ok()?, u8::try_from(height).ok()?)
    }

    /// One step forward in the cell's index.
    pub(super) const fn index_step(self) -> isize {
        let (columns, rows) = self.step();
        columns as isize + rows as isize * Cell::ROW as isize
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_leaves_the_board_instead_of_wrapping() {
        let walk = |from: &str, direction: Direction, steps| {
            direction
                .walk(from.parse().unwrap(), steps)
                .map(|c| c.to_string())
        };
        assert_eq!(walk("a5", Direction::Diagonal, 4), Some("e1".into()));
        assert_eq!(walk("a1", Direction::Antidiagonal, 4), Some("e5".into()));
        assert_eq!(walk("h5", Direction::Vertical, -4), Some("h1".into()));
        assert_eq!(walk("y1", Direction::Horizontal, 1), None);
        assert_eq!(walk("a1", Direction::Horizontal, -1), None);
        assert_eq!(walk("a1", Direction::Diagonal, 1), None);
        assert_eq!(walk("a25", Direction::Vertical, 1), None);
    }
}
