use crate::board::{Board, BoardSize, ByColor, Cell, Color};
use crate::rules::{Five, Rule};

/// The lines of the largest board.
const ROWS: usize = BoardSize::LARGEST.lines() as usize;

/// The stones of a board as one word a row (bit = column), for a win test by shifts over whole rows.
///
/// ```
/// use tengen::board::{Board, Color};
/// use tengen::rules::{LineWords, Rule};
///
/// let board: Board = "xxxxx\n.....\n.....\n.....\noooo.".parse()?;
/// let words = LineWords::of(&board);
/// assert!(words.has_won(Color::Black, Rule::Renju));
/// assert!(!words.has_won(Color::White, Rule::Renju));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineWords {
    rows: ByColor<[u32; ROWS]>,
}

/// One step along a direction: rows up, columns to the right.
const STEPS: [(i8, i8); 4] = [(0, 1), (1, 0), (1, -1), (1, 1)];

impl LineWords {
    /// The words of a board.
    pub fn of(board: &Board) -> LineWords {
        let mut words = LineWords::default();
        for (cell, color) in board.occupied() {
            words.put(cell, color);
        }
        words
    }

    /// Adds a stone.
    pub fn put(&mut self, cell: Cell, color: Color) {
        self.rows[color][usize::from(cell.height())] |= 1 << cell.column();
    }

    /// Has a colour a winning line anywhere?
    pub fn has_won(&self, color: Color, rule: Rule) -> bool {
        STEPS
            .into_iter()
            .any(|(up, right)| self.has_five(color, rule.five(color), up, right))
    }

    fn has_five(&self, color: Color, five: Five, up: i8, right: i8) -> bool {
        let own = &self.rows[color];
        let enemy = &self.rows[!color];
        (0..BoardSize::LARGEST.lines().cast_signed()).any(|row| {
            // Bits of cells whose k-th successor along the direction is set; bits that leave the word are lost.
            let ahead = |rows: &[u32; ROWS], k: i8| look(rows, row, k, up, right);
            let starts = (0..5).fold(u32::MAX, |starts, k| starts & ahead(own, k));
            let longer = ahead(own, -1) | ahead(own, 5);
            let shut_in = ahead(enemy, -1) & ahead(enemy, 5);
            match five {
                Five::AtLeast => starts != 0,
                Five::Exactly => starts & !longer != 0,
                Five::ExactlyOpen => starts & !longer & !shut_in != 0,
            }
        })
    }
}

/// The row word `k` steps along, moved so that each bit lies under the cell the step began from.
fn look(rows: &[u32; ROWS], row: i8, k: i8, up: i8, right: i8) -> u32 {
    let height = usize::try_from(row + k * up).ok();
    let word = height
        .and_then(|height| rows.get(height))
        .copied()
        .unwrap_or(0);
    match k * right {
        shift @ 0.. => word >> shift,
        shift => word << -shift,
    }
}
