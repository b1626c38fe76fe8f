use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::board::{Board, BoardSize, Cell, Color, Square};

/// What is wrong with a diagram, and in which line and column of it (from 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {fault}")]
pub struct DiagramError {
    /// The line, from 0.
    pub line: usize,
    /// The column, from 0.
    pub column: usize,
    /// What is wrong there.
    pub fault: DiagramFault,
}

/// The kinds of fault in a diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DiagramFault {
    /// The number of lines is no board's size.
    #[error("a board has 5 to 25 lines")]
    Size,
    /// A line has not as many characters as there are lines.
    #[error("each line has as many cells as there are lines")]
    Width,
    /// A character other than `.`, `x` and `o`.
    #[error("a cell is . (empty), x (Black) or o (White)")]
    Character,
}

/// A board as text, the top row first: `.` is empty, `x` Black, `o` White.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.rows() {
            writeln!(f, "{}", row.as_str())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl Board {
    /// The rows as text, the top row first.
    pub fn rows(&self) -> impl Iterator<Item = RowText> {
        let size = self.size();
        (0..size.lines()).map(move |row| {
            let mut text = RowText {
                octets: [0; MOST],
                lines: usize::from(size.lines()),
            };
            for (column, octet) in (0..size.lines()).zip(&mut text.octets) {
                *octet =
                    Cell::from_row(row, column, size).map_or(b'.', |cell| symbol(self.at(cell)));
            }
            text
        })
    }
}

const MOST: usize = BoardSize::LARGEST.lines() as usize;

/// A row of a board as text, written without allocation: answers hold one for each line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowText {
    octets: [u8; MOST],
    lines: usize,
}

impl RowText {
    /// The row as a text.
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.octets[..self.lines]).expect("stones are written in ASCII")
    }
}

const fn symbol(square: Square) -> u8 {
    match square {
        Square::Empty | Square::Outside => b'.',
        Square::Stone(Color::Black) => b'x',
        Square::Stone(Color::White) => b'o',
    }
}

/// Reads what [`Board`]'s `Display` writes; blanks around a line and blank lines are passed over.
impl FromStr for Board {
    type Err = DiagramError;

    fn from_str(text: &str) -> Result<Board, DiagramError> {
        let rows: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|row| !row.is_empty())
            .collect();
        let fault = |line, column, fault| DiagramError {
            line,
            column,
            fault,
        };
        let size = i64::try_from(rows.len())
            .ok()
            .and_then(|lines| BoardSize::try_from(lines).ok())
            .ok_or(fault(0, 0, DiagramFault::Size))?;
        let mut board = Board::new(size);
        for (line, row) in rows.iter().enumerate() {
            let width = row.chars().count();
            if width != usize::from(size.lines()) {
                return Err(fault(line, width, DiagramFault::Width));
            }
            for (column, (cell, character)) in
                size.cells().skip(line * width).zip(row.chars()).enumerate()
            {
                match character {
                    '.' => {}
                    'x' => board.put(cell, Color::Black),
                    'o' => board.put(cell, Color::White),
                    _ => return Err(fault(line, column, DiagramFault::Character)),
                }
            }
        }
        Ok(board)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagram_reads_back_as_it_is_written() {
        let text = "x...o\n.....\n..x..\n.....\no....\n";
        let board: Board = text.parse().unwrap();
        assert_eq!(board.at("a5".parse().unwrap()), Square::Stone(Color::Black));
        assert_eq!(board.at("a1".parse().unwrap()), Square::Stone(Color::White));
        assert_eq!(board.to_string(), text);
    }

    #[test]
    fn a_fault_in_a_diagram_is_named_with_its_place() {
        let fault = |text: &str| text.parse::<Board>().unwrap_err();
        assert_eq!(fault("").fault, DiagramFault::Size);
        assert_eq!(
            fault(".....\n.....\n....\n.....\n....."),
            DiagramError {
                line: 2,
                column: 4,
                fault: DiagramFault::Width
            }
        );
        assert_eq!(
            fault(".....\n.....\n.....\n...é.\n....."),
            DiagramError {
                line: 3,
                column: 3,
                fault: DiagramFault::Character
            }
        );
    }
}
