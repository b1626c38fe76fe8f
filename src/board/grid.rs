use crate::board::{BoardSize, ByColor, Cell, Color, Direction};

/// What a place holds. The places around the board are `Outside`, so that a walk along a line ends there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Square {
    /// A cell without a stone.
    Empty,
    /// A cell with a stone.
    Stone(Color),
    /// No cell of this board.
    Outside,
}

/// The squares kept: 25 rows of 32 with a row of padding below and above, rounded up to a power of two.
const SQUARES: usize = 1024;
/// Where `a1` lies: one row and one column of padding before it.
const ORIGIN: usize = Cell::ROW as usize + 1;

/// Stones on a board of some size, without history, turn or rule.
#[derive(Clone)]
pub struct Board {
    size: BoardSize,
    stones: ByColor<u16>,
    squares: [Square; SQUARES],
}

impl Board {
    /// A board without stones.
    pub fn new(size: BoardSize) -> Board {
        let lines = usize::from(size.lines());
        let mut squares = [Square::Outside; SQUARES];
        for row in squares[ORIGIN..]
            .chunks_mut(usize::from(Cell::ROW))
            .take(lines)
        {
            row[..lines].fill(Square::Empty);
        }
        Board {
            size,
            stones: ByColor::default(),
            squares,
        }
    }

    /// The board's size.
    pub const fn size(&self) -> BoardSize {
        self.size
    }

    /// What lies on a cell.
    pub fn at(&self, cell: Cell) -> Square {
        self.squares[ORIGIN + cell.index()]
    }

    /// Is the cell on this board and without a stone?
    pub fn is_empty(&self, cell: Cell) -> bool {
        self.at(cell) == Square::Empty
    }

    /// Does every cell hold a stone?
    pub fn is_full(&self) -> bool {
        self.stones.black + self.stones.white == self.size.cell_count()
    }

    /// How many stones each colour has.
    pub const fn stones(&self) -> ByColor<u16> {
        self.stones
    }

    /// The cells with a stone and its colour, in reading order.
    pub fn occupied(&self) -> impl Iterator<Item = (Cell, Color)> {
        self.size.cells().filter_map(|cell| match self.at(cell) {
            Square::Stone(color) => Some((cell, color)),
            Square::Empty | Square::Outside => None,
        })
    }

    /// Puts a stone on an empty cell.
    ///
    /// # Panics
    ///
    /// When the cell is not an empty cell of this board.
    pub fn put(&mut self, cell: Cell, color: Color) {
        assert!(self.is_empty(cell), "{cell} is not an empty cell");
        self.squares[ORIGIN + cell.index()] = Square::Stone(color);
        self.stones[color] += 1;
    }

    /// Takes the stone off a cell, which gives its colour.
    ///
    /// # Panics
    ///
    /// When there is no stone on the cell.
    pub fn take(&mut self, cell: Cell) -> Color {
        let Square::Stone(color) = self.at(cell) else {
            panic!("{cell} has no stone to take");
        };
        self.squares[ORIGIN + cell.index()] = Square::Empty;
        self.stones[color] -= 1;
        color
    }

    /// What lies along a direction beyond a cell, nearest first, up to the first place outside the board.
    pub fn beyond(
        &self,
        cell: Cell,
        direction: Direction,
        sense: Sense,
    ) -> impl Iterator<Item = Square> {
        let step = match sense {
            Sense::Forward => direction.index_step(),
            Sense::Backward => -direction.index_step(),
        };
        let mut place = ORIGIN + cell.index();
        std::iter::from_fn(move || {
            // Cannot leave the array: padding surrounds the board and the walk ends in it.
            place = place.wrapping_add_signed(step) % SQUARES;
            Some(self.squares[place])
        })
        .take_while(|square| *square != Square::Outside)
    }
}

/// The way in which a direction is walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// To the right, or up.
    Forward,
    /// To the left, or down.
    Backward,
}

impl PartialEq for Board {
    fn eq(&self, other: &Board) -> bool {
        self.size == other.size && self.squares == other.squares
    }
}

impl Eq for Board {}
