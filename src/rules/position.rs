use thiserror::Error;

use crate::board::{Board, BoardSize, Cell, Color, Key};
use crate::rules::forbidden::{self, Kind, Verdict};
use crate::rules::{Rule, WinLine, scan, winning_lines, wins};

/// A position in a game: a rule, the stones, whose turn it is and whether the game is over.
///
/// ```
/// use tengen::board::{BoardSize, Color};
/// use tengen::rules::{PlayError, Position, Rule, Status};
///
/// let mut position = Position::new(Rule::Freestyle, BoardSize::DEFAULT);
/// position.play("h8".parse()?)?;
/// assert_eq!(position.play("h8".parse()?), Err(PlayError::Occupied));
/// assert_eq!(position.status(), Status::Ongoing);
/// assert_eq!(position.to_move(), Color::White);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    rule: Rule,
    board: Board,
    to_move: Color,
    status: Status,
    key: Key,
    origin: Origin,
    passed: bool,
}

/// How a position came to be: what a win is looked for around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// Set up as a whole; wins are anywhere.
    SetUp,
    /// Played stone by stone; wins go through the last stone.
    Played { last: Option<Cell> },
}

/// Whether a game goes on, and how it ended if not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// A stone may be played.
    Ongoing,
    /// One side has won.
    Won {
        /// Who.
        winner: Color,
        /// How.
        by: WinReason,
    },
    /// Nobody wins.
    Drawn {
        /// How.
        by: DrawReason,
    },
}

/// How a game is won on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WinReason {
    /// A row of exactly five.
    Five,
    /// Only longer rows, where they win.
    Overline,
    /// Black played a forbidden cell in renju.
    Forbidden(Kind),
}

/// How a game is drawn on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawReason {
    /// No cell is left.
    BoardFull,
    /// Both sides passed in turn.
    Passes,
}

/// Why a stone or a pass was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PlayError {
    /// The cell is not on this board.
    #[error("the cell is not on the board")]
    OffBoard,
    /// The cell holds a stone.
    #[error("the cell is occupied")]
    Occupied,
    /// The game is over.
    #[error("the game has ended")]
    GameOver,
    /// A pass where the rule has none.
    #[error("a pass is allowed only in renju, after the third ply")]
    PassNotAllowed,
    /// A cell that renju forbids to Black.
    #[error("the cell is forbidden to Black: {0}")]
    Forbidden(Kind),
}

/// Why a board cannot be a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalPosition {
    /// Both colours have a winning line.
    #[error("both colours have a winning line")]
    TwoWinners,
}

impl Position {
    /// The position before the first ply.
    pub fn new(rule: Rule, size: BoardSize) -> Position {
        Position {
            rule,
            board: Board::new(size),
            to_move: Color::Black,
            status: Status::Ongoing,
            key: Key::empty(size),
            origin: Origin::Played { last: None },
            passed: false,
        }
    }

    /// A position without history. The whole board is scanned for winning lines; a forbidden cell that
    /// Black may have played before cannot be told from the stones and is not looked for.
    ///
    /// # Errors
    ///
    /// [`IllegalPosition::TwoWinners`] when both colours have a winning line.
    pub fn from_board(
        rule: Rule,
        board: Board,
        to_move: Color,
    ) -> Result<Position, IllegalPosition> {
        let lines = scan(&board, rule);
        let status = match (lines.black.is_empty(), lines.white.is_empty()) {
            (false, false) => return Err(IllegalPosition::TwoWinners),
            (false, true) => won(Color::Black, lines.black.iter().copied()),
            (true, false) => won(Color::White, lines.white.iter().copied()),
            (true, true) if board.is_full() => Status::Drawn {
                by: DrawReason::BoardFull,
            },
            (true, true) => Status::Ongoing,
        };
        Ok(Position {
            rule,
            key: Key::of(&board, to_move),
            board,
            to_move,
            status,
            origin: Origin::SetUp,
            passed: false,
        })
    }

    /// The rule.
    pub const fn rule(&self) -> Rule {
        self.rule
    }

    /// The stones.
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Whose turn it is; after the end of the game, whose turn it would be.
    pub const fn to_move(&self) -> Color {
        self.to_move
    }

    /// Whether the game goes on.
    pub const fn status(&self) -> Status {
        self.status
    }

    /// The key of the stones and the turn.
    pub const fn key(&self) -> Key {
        self.key
    }

    /// The rows that have won, empty unless the game was won by one.
    pub fn winning_lines(&self) -> Vec<WinLine> {
        let Status::Won {
            winner,
            by: WinReason::Five | WinReason::Overline,
        } = self.status
        else {
            return Vec::new();
        };
        match self.origin {
            Origin::SetUp => std::mem::take(&mut scan(&self.board, self.rule)[winner]),
            Origin::Played { last } => last.map_or_else(Vec::new, |last| {
                winning_lines(&self.board, last, winner, self.rule)
                    .iter()
                    .collect()
            }),
        }
    }

    /// May the side to move play here?
    ///
    /// # Errors
    ///
    /// The reason, if not.
    pub fn check(&self, cell: Cell) -> Result<(), PlayError> {
        if self.status != Status::Ongoing {
            return Err(PlayError::GameOver);
        }
        if !self.board.size().contains(cell) {
            return Err(PlayError::OffBoard);
        }
        if !self.board.is_empty(cell) {
            return Err(PlayError::Occupied);
        }
        if self.rule == Rule::Renju
            && self.to_move == Color::Black
            && let Verdict::Forbidden(kind) = forbidden::verdict(&self.board, cell)
        {
            return Err(PlayError::Forbidden(kind));
        }
        Ok(())
    }

    /// Plays a stone of the side to move.
    ///
    /// # Errors
    ///
    /// [`PlayError`] with the reason; the position is unchanged.
    pub fn play(&mut self, cell: Cell) -> Result<(), PlayError> {
        self.check(cell)?;
        self.play_unchecked(cell);
        Ok(())
    }

    /// Plays a stone that [`Position::check`] has accepted.
    pub(crate) fn play_unchecked(&mut self, cell: Cell) {
        debug_assert_eq!(self.check(cell), Ok(()));
        let color = self.place(cell);
        if wins(&self.board, cell, color, self.rule) {
            let lines = winning_lines(&self.board, cell, color, self.rule);
            self.status = won(color, lines.iter());
        } else if self.board.is_full() {
            self.status = Status::Drawn {
                by: DrawReason::BoardFull,
            };
        }
    }

    /// Lets a forbidden black stone stand: the game ends and White has won.
    pub(crate) fn play_forbidden(&mut self, cell: Cell, kind: Kind) {
        debug_assert_eq!(self.check(cell), Err(PlayError::Forbidden(kind)));
        let color = self.place(cell);
        self.status = Status::Won {
            winner: !color,
            by: WinReason::Forbidden(kind),
        };
    }

    /// Passes the turn at a ply of the game (counted from 1); the second pass in a row is a draw.
    ///
    /// # Errors
    ///
    /// [`PlayError::GameOver`], or [`PlayError::PassNotAllowed`] where the rule has no pass; the
    /// position is unchanged.
    pub fn pass(&mut self, ply: usize) -> Result<(), PlayError> {
        if self.status != Status::Ongoing {
            return Err(PlayError::GameOver);
        }
        if !self.rule.allows_pass(ply) {
            return Err(PlayError::PassNotAllowed);
        }
        let twice = self.passed;
        self.skip_turn();
        self.passed = true;
        if twice {
            self.status = Status::Drawn {
                by: DrawReason::Passes,
            };
        }
        Ok(())
    }

    /// Hands the turn over without a ply: how a record is judged beyond a ply that does not stand.
    pub(crate) fn skip_turn(&mut self) {
        self.to_move = !self.to_move;
        self.key = self.key.with_turn_passed();
        self.passed = false;
    }

    /// The cells where the side to move may play, in reading order; none when the game is over.
    pub fn legal_cells(&self) -> impl Iterator<Item = Cell> {
        self.board
            .size()
            .cells()
            .filter(|cell| self.check(*cell).is_ok())
    }

    /// The empty cells that renju forbids to the side to move, in reading order; none when the game is over.
    pub fn forbidden_cells(&self) -> impl Iterator<Item = Cell> {
        self.board
            .size()
            .cells()
            .filter(|cell| matches!(self.check(*cell), Err(PlayError::Forbidden(_))))
    }

    fn place(&mut self, cell: Cell) -> Color {
        let color = self.to_move;
        self.board.put(cell, color);
        self.key = self.key.with_stone(cell, color).with_turn_passed();
        self.to_move = !color;
        self.passed = false;
        if let Origin::Played { last } = &mut self.origin {
            *last = Some(cell);
        }
        debug_assert_eq!(self.key, Key::of(&self.board, self.to_move));
        color
    }
}

fn won(winner: Color, mut lines: impl Iterator<Item = WinLine>) -> Status {
    let by = if lines.any(|line| line.length == 5) {
        WinReason::Five
    } else {
        WinReason::Overline
    };
    Status::Won { winner, by }
}
