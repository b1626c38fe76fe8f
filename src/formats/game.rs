use crate::board::{Board, BoardSize, Color};
use crate::formats::{Losses, Refusal};
use crate::record::{GameResult, GameText, Record, Termination};
use crate::rules::Rule;

/// A game as a file has it. What the file does not tell is absent; an end by the stones alone need not be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// The moves. With a setup they begin with the side that it names, else with Black.
    pub record: Record,
    /// Stones that lay there before the first ply.
    pub setup: Option<Setup>,
    /// Who won.
    pub result: Option<GameResult>,
    /// What ended the game.
    pub termination: Option<Termination>,
    /// What else is told: each text on one line, not blank, of at most [`crate::formats::LONGEST_LINE`] characters.
    pub text: GameText,
    /// What the reader had to leave behind.
    pub lost: Losses,
}

impl Game {
    /// A game of which nothing is told but its moves.
    pub fn new(record: Record) -> Game {
        Game {
            record,
            setup: None,
            result: None,
            termination: None,
            text: GameText::default(),
            lost: Losses::NONE,
        }
    }

    /// Who plays the first ply.
    pub fn first_to_move(&self) -> Color {
        self.setup
            .as_ref()
            .map_or(Color::Black, |setup| setup.to_move)
    }
}

/// Where a game begins that does not begin with Black on an empty board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The stones; the size is the record's.
    pub board: Board,
    /// Who plays the first ply.
    pub to_move: Color,
}

impl Setup {
    /// A beginning, with the turn by the number of stones where it is not told: White's if Black has one more.
    pub(super) fn new(board: Board, to_move: Option<Color>) -> Setup {
        let stones = board.stones();
        let by_number = if stones.black == stones.white + 1 {
            Color::White
        } else {
            Color::Black
        };
        Setup {
            board,
            to_move: to_move.unwrap_or(by_number),
        }
    }
}

/// What is taken where a format or a file does not say it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Defaults {
    /// The rule.
    pub rule: Rule,
    /// The board's size.
    pub size: BoardSize,
}

/// One game of a file, or why it is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number in the file, from 1.
    pub number: usize,
    /// The line where it begins, from 1; of binary files 1.
    pub line: usize,
    /// The game.
    pub game: Result<Game, Refusal>,
}
