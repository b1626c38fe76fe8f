use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::board::Color;
use crate::record::Replay;
use crate::rules::{DrawReason, Status, WinReason};

/// How a finished game came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// One side won.
    Win(Color),
    /// Nobody won.
    Draw,
}

impl GameResult {
    /// All three.
    pub const ALL: [GameResult; 3] = [
        GameResult::Win(Color::Black),
        GameResult::Win(Color::White),
        GameResult::Draw,
    ];

    /// `black`, `white` or `draw`.
    pub const fn name(self) -> &'static str {
        match self {
            GameResult::Win(color) => color.name(),
            GameResult::Draw => "draw",
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a result is black, white or draw")]
pub struct ParseGameResultError;

impl FromStr for GameResult {
    type Err = ParseGameResultError;

    fn from_str(text: &str) -> Result<GameResult, ParseGameResultError> {
        GameResult::ALL
            .into_iter()
            .find(|result| result.name() == text)
            .ok_or(ParseGameResultError)
    }
}

/// What ended a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Termination {
    /// A row of exactly five.
    Five,
    /// A longer row, where it wins.
    Overline,
    /// A cell forbidden to Black.
    Forbidden,
    /// No cell left.
    BoardFull,
    /// Two passes in a row.
    Passes,
    /// A player gave up.
    Resignation,
    /// A player's time ran out.
    Timeout,
    /// The players agreed.
    Agreement,
    /// Anything else off the board.
    Other,
}

impl Termination {
    /// All of them.
    pub const ALL: [Termination; 9] = [
        Termination::Five,
        Termination::Overline,
        Termination::Forbidden,
        Termination::BoardFull,
        Termination::Passes,
        Termination::Resignation,
        Termination::Timeout,
        Termination::Agreement,
        Termination::Other,
    ];

    /// The name in snake case, as `board_full`.
    pub const fn name(self) -> &'static str {
        match self {
            Termination::Five => "five",
            Termination::Overline => "overline",
            Termination::Forbidden => "forbidden",
            Termination::BoardFull => "board_full",
            Termination::Passes => "passes",
            Termination::Resignation => "resignation",
            Termination::Timeout => "timeout",
            Termination::Agreement => "agreement",
            Termination::Other => "other",
        }
    }

    /// Can only the stones end a game so?
    pub const fn is_on_board(self) -> bool {
        matches!(
            self,
            Termination::Five
                | Termination::Overline
                | Termination::Forbidden
                | Termination::BoardFull
                | Termination::Passes
        )
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that is no termination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "a termination is five, overline, forbidden, board_full, passes, resignation, timeout, agreement or other"
)]
pub struct ParseTerminationError;

impl FromStr for Termination {
    type Err = ParseTerminationError;

    fn from_str(text: &str) -> Result<Termination, ParseTerminationError> {
        Termination::ALL
            .into_iter()
            .find(|termination| termination.name() == text)
            .ok_or(ParseTerminationError)
    }
}

/// A claim about a game's end that its stones contradict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ResultMismatch {
    /// The stones end the game with another result.
    #[error("the stones end the game with the result {0}")]
    Result(GameResult),
    /// The stones end the game in another way.
    #[error("the stones end the game by {0}")]
    Termination(Termination),
    /// The stones leave the game open, so it cannot have ended on the board.
    #[error("the stones leave the game open, it has not ended by {0}")]
    Open(Termination),
    /// A draw claimed for a game that one side resigned or lost on time.
    #[error("a game that ends by {0} has a winner")]
    NeedsWinner(Termination),
    /// A win claimed for a game that ended by agreement.
    #[error("a game that ends by agreement is a draw")]
    NeedsDraw,
}

impl Replay {
    /// How the stones themselves ended the game, if they did.
    pub const fn ending(&self) -> Option<(GameResult, Termination)> {
        match self.position().status() {
            Status::Ongoing => None,
            Status::Won { winner, by } => {
                let termination = match by {
                    WinReason::Five => Termination::Five,
                    WinReason::Overline => Termination::Overline,
                    WinReason::Forbidden(_) => Termination::Forbidden,
                };
                Some((GameResult::Win(winner), termination))
            }
            Status::Drawn { by } => {
                let termination = match by {
                    DrawReason::BoardFull => Termination::BoardFull,
                    DrawReason::Passes => Termination::Passes,
                };
                Some((GameResult::Draw, termination))
            }
        }
    }

    /// Checks a claim about the end of the game against the stones. On an unfinished board any end off
    /// the board is believed.
    ///
    /// # Errors
    ///
    /// The first [`ResultMismatch`].
    pub fn check_claim(
        &self,
        result: GameResult,
        termination: Termination,
    ) -> Result<(), ResultMismatch> {
        match self.ending() {
            Some((actual, _)) if actual != result => Err(ResultMismatch::Result(actual)),
            Some((_, actual)) if actual != termination => Err(ResultMismatch::Termination(actual)),
            Some(_) => Ok(()),
            None if termination.is_on_board() => Err(ResultMismatch::Open(termination)),
            None => check_claim_off_board(result, termination),
        }
    }
}

const fn check_claim_off_board(
    result: GameResult,
    termination: Termination,
) -> Result<(), ResultMismatch> {
    match (termination, result) {
        (Termination::Resignation | Termination::Timeout, GameResult::Draw) => {
            Err(ResultMismatch::NeedsWinner(termination))
        }
        (Termination::Agreement, GameResult::Win(_)) => Err(ResultMismatch::NeedsDraw),
        _ => Ok(()),
    }
}
