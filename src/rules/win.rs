use crate::board::{Board, Cell, Color, Direction};
use crate::rules::{Rule, Run};

/// A row of stones that wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WinLine {
    /// Where it runs.
    pub direction: Direction,
    /// Its first cell, seen along the direction.
    pub first: Cell,
    /// The number of stones, 5 or more.
    pub length: i8,
}

impl WinLine {
    /// Its cells, in order along the direction.
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        (0..self.length).filter_map(move |step| self.direction.walk(self.first, step))
    }
}

/// The winning lines through one stone: at most one in each direction. Kept without allocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lines([Option<WinLine>; 4]);

impl Lines {
    /// The lines, in the order of [`Direction::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = WinLine> {
        self.0.into_iter().flatten()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }
}

/// Does a stone of a colour on this cell win? Looks only along the four directions through the cell,
/// both ways; the cell itself is not looked at, so the stone may already be there or not.
///
/// ```
/// use tengen::board::{Board, Color};
/// use tengen::rules::{Rule, wins};
///
/// let board: Board = "xxxx.\n.....\n.....\n.....\noooo.".parse()?;
/// assert!(wins(&board, "e5".parse()?, Color::Black, Rule::Caro));
/// assert!(!wins(&board, "e1".parse()?, Color::Black, Rule::Caro));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn wins(board: &Board, cell: Cell, color: Color, rule: Rule) -> bool {
    let five = rule.five(color);
    Direction::ALL
        .into_iter()
        .any(|direction| Run::through(board, cell, color, direction).is(five, color))
}

/// Every winning line that a stone of a colour on this cell completes or belongs to.
pub fn winning_lines(board: &Board, cell: Cell, color: Color, rule: Rule) -> Lines {
    let five = rule.five(color);
    Lines(Direction::ALL.map(|direction| {
        let run = Run::through(board, cell, color, direction);
        run.is(five, color).then(|| WinLine {
            direction,
            first: direction
                .walk(cell, -run.behind)
                .expect("the stones of a run are on the board"),
            length: run.length,
        })
    }))
}
