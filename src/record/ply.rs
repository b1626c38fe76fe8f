use std::fmt;

use crate::board::{BoardSize, Cell};

/// What a record says was done at one ply. Whether it could be done, the replay tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ply {
    /// A stone on a cell, on this board or off it.
    Stone(Cell),
    /// No stone; the turn goes over.
    Pass,
    /// A stone on a place that no board has.
    Outside(Outside),
}

/// A place that is written like a cell and lies on no board, as `z1`, `h99` or row −1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outside {
    column: i64,
    height: i64,
}

impl Ply {
    /// A stone in a column (0 = `a`) at a height (0 = the bottom row).
    pub fn stone_at(column: i64, height: i64) -> Ply {
        let cell = u8::try_from(column)
            .ok()
            .zip(u8::try_from(height).ok())
            .and_then(|(column, height)| Cell::new(column, height));
        cell.map_or(Ply::Outside(Outside { column, height }), Ply::Stone)
    }

    /// A stone at a row and a column counted from the top left corner of a board, both from 0. (Rows that
    /// only the largest board of 64 bits could have are told as its last one.)
    pub fn stone_at_row(row: i64, column: i64, size: BoardSize) -> Ply {
        let height = i64::from(size.lines()) - 1;
        Ply::stone_at(column, height.saturating_sub(row))
    }
}

/// A cell by its name, `pass`, or a place outside: by letter and number where it has them, else by
/// column and row number from the lower left corner, both from 1, as `(0,8)`.
impl fmt::Display for Ply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ply::Stone(cell) => cell.fmt(f),
            Ply::Pass => f.pad("pass"),
            Ply::Outside(outside) => outside.fmt(f),
        }
    }
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = i128::from(self.height) + 1;
        match u8::try_from(self.column) {
            Ok(column @ 0..26) if (0..100).contains(&number) => {
                write!(f, "{}{number}", char::from(b'a' + column))
            }
            _ => write!(f, "({},{number})", i128::from(self.column) + 1),
        }
    }
}
