use crate::board::{BoardSize, Cell, Symmetry};

/// The board as it is turned: where a cell is seen, and what its columns and rows are called there.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    size: BoardSize,
    symmetry: Symmetry,
}

/// Where a cell is seen: column and row from 0 at the top left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub column: u8,
    pub row: u8,
}

impl Frame {
    pub(super) const fn new(size: BoardSize, symmetry: Symmetry) -> Frame {
        Frame { size, symmetry }
    }

    /// Where a cell of the board is seen.
    pub(super) fn place(self, cell: Cell) -> Place {
        let seen = self.symmetry.apply(cell, self.size);
        Place {
            column: seen.column(),
            row: self.size.lines() - 1 - seen.height(),
        }
    }

    /// The names under the columns, from the left.
    pub(super) fn column_names(self) -> Vec<String> {
        let bottom = (0..self.size.lines()).filter_map(|column| Cell::new(column, 0));
        bottom.map(|seen| self.name(seen, Axis::Across)).collect()
    }

    /// The names beside the rows, from the top.
    pub(super) fn row_names(self) -> Vec<String> {
        let left = (0..self.size.lines()).filter_map(|row| Cell::from_row(row, 0, self.size));
        left.map(|seen| self.name(seen, Axis::Up)).collect()
    }

    /// What tells a cell that is seen here from those beside it along an axis: its letter, or its number.
    fn name(self, seen: Cell, axis: Axis) -> String {
        let cell = self.symmetry.inverse().apply(seen, self.size);
        if (axis == Axis::Across) != self.swaps_axes() {
            char::from(b'a' + cell.column()).to_string()
        } else {
            (cell.height() + 1).to_string()
        }
    }

    const fn swaps_axes(self) -> bool {
        match self.symmetry {
            Symmetry::Identity
            | Symmetry::Rotate180
            | Symmetry::FlipColumns
            | Symmetry::FlipRows => false,
            Symmetry::Rotate90
            | Symmetry::Rotate270
            | Symmetry::FlipDiagonal
            | Symmetry::FlipAntidiagonal => true,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Axis {
    Across,
    Up,
}

/// The cells with a star, in reading order.
///
/// From 9 lines on, four near the corners: on the third line up to 12 lines, on the fourth above. A
/// board with a middle cell has one there, at any size, and from 17 lines on four more between the
/// corners. So 15 lines have d4 d12 h8 l4 l12, and 19 have nine.
pub(super) fn stars(size: BoardSize) -> Vec<Cell> {
    let last = size.lines() - 1;
    let inset = if size.lines() > 12 { 3 } else { 2 };
    let is_near_corner = |line: u8| size.lines() >= 9 && (line == inset || line == last - inset);
    let is_middle = |line: u8| 2 * line == last;
    size.cells()
        .filter(|cell| {
            let (column, height) = (cell.column(), cell.height());
            let between = is_near_corner(column) && is_middle(height)
                || is_middle(column) && is_near_corner(height);
            is_near_corner(column) && is_near_corner(height)
                || is_middle(column) && is_middle(height)
                || size.lines() >= 17 && between
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starred(lines: i64) -> String {
        let names: Vec<String> = stars(BoardSize::try_from(lines).unwrap())
            .iter()
            .map(Cell::to_string)
            .collect();
        names.join(" ")
    }

    #[test]
    fn stars_are_where_players_expect_them() {
        assert_eq!(starred(5), "c3");
        assert_eq!(starred(6), "");
        assert_eq!(starred(9), "c7 g7 e5 c3 g3");
        assert_eq!(starred(10), "c8 h8 c3 h3");
        assert_eq!(starred(13), "d10 j10 g7 d4 j4");
        assert_eq!(starred(15), "d12 l12 h8 d4 l4");
        assert_eq!(starred(19), "d16 j16 p16 d10 j10 p10 d4 j4 p4");
        assert_eq!(starred(20), "d17 q17 d4 q4");
    }

    #[test]
    fn names_turn_with_the_board() {
        let names = |symmetry| {
            let frame = Frame::new(BoardSize::SMALLEST, symmetry);
            (frame.column_names().concat(), frame.row_names().concat())
        };
        let told = |columns: &str, rows: &str| (columns.to_owned(), rows.to_owned());
        assert_eq!(names(Symmetry::Identity), told("abcde", "54321"));
        assert_eq!(names(Symmetry::Rotate90), told("12345", "abcde"));
        assert_eq!(names(Symmetry::Rotate180), told("edcba", "12345"));
        assert_eq!(names(Symmetry::FlipColumns), told("edcba", "54321"));
        assert_eq!(names(Symmetry::FlipAntidiagonal), told("12345", "edcba"));
    }

    #[test]
    fn a_cell_is_seen_where_its_names_cross() {
        let size = BoardSize::try_from(7).unwrap();
        for symmetry in Symmetry::ALL {
            let frame = Frame::new(size, symmetry);
            let (columns, rows) = (frame.column_names(), frame.row_names());
            for cell in size.cells() {
                let place = frame.place(cell);
                let column = &columns[usize::from(place.column)];
                let row = &rows[usize::from(place.row)];
                let name = if frame.swaps_axes() {
                    format!("{row}{column}")
                } else {
                    format!("{column}{row}")
                };
                assert_eq!(name, cell.to_string(), "{symmetry}");
            }
        }
    }
}
