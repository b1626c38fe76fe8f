use thiserror::Error;

use crate::board::{BoardSize, Cell, UnsupportedSize};
use crate::record::Record;

/// Why an entry is no game, and where that shows.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct Refusal {
    /// The line, from 1. Of binary files 1.
    pub line: usize,
    /// The column in characters, from 1. Of binary files the octet, from 1.
    pub column: usize,
    /// What is wrong there.
    pub reason: Reason,
}

/// What is wrong with an entry. Texts are what was found, cut short.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Reason {
    /// Something stands in the place of something else.
    #[error("{found:?} stands where {expected} is expected")]
    Unexpected {
        /// What was found.
        found: String,
        /// What belongs there.
        expected: &'static str,
    },
    /// The text ends within the game.
    #[error("the text ends in the middle of the game")]
    CutOff,
    /// A text that is no move.
    #[error("{0:?} is not a move")]
    NotAMove(String),
    /// A stone off the board.
    #[error("stone {text:?} is not on the board of {size} lines (move {ply}; 0 is the setup)")]
    OffBoard {
        /// The number of the ply, from 1; 0 for a stone set up.
        ply: usize,
        /// The stone as written.
        text: String,
        /// The board's size.
        size: BoardSize,
    },
    /// A stone where one lies.
    #[error("duplicate point at move {ply}: {cell} holds a stone already")]
    Occupied {
        /// The number of the ply, from 1.
        ply: usize,
        /// Where.
        cell: Cell,
    },
    /// More plies than a record can hold.
    #[error("the game has more than {} moves", Record::MOST_PLIES)]
    TooLong,
    /// A game without any.
    #[error("the game has no moves")]
    NoMoves,
    /// A board's size that is none.
    #[error("{0:?} is not the size of a board; a board is square")]
    NotASize(String),
    /// A size that is not supported.
    #[error(transparent)]
    UnsupportedSize(#[from] UnsupportedSize),
    /// A rule that is none.
    #[error("{0:?} is not a rule; the rules are freestyle, standard, renju and caro")]
    NotARule(String),
    /// A result that is none.
    #[error("{0:?} is not a result")]
    NotAResult(String),
    /// A termination that is none.
    #[error("{0:?} is not a termination")]
    NotATermination(String),
    /// A time that is none.
    #[error("{0:?} is not a time; a time is written as 2026-11-30T18:00:00Z (RFC 3339)")]
    NotATime(String),
    /// A game with the number of an earlier one.
    #[error("a game with the number {0:?} came before")]
    RepeatedNumber(String),
    /// A record of another game than five-in-a-row.
    #[error("game kind {0:?} is not five-in-a-row (4; Go, 1, is taken for it)")]
    OtherGame(String),
    /// Stones set up after the first move.
    #[error("stones are set up after the first move")]
    LateSetup,
    /// A board that is none.
    #[error("the board is not one: {0}")]
    NotABoard(String),
    /// Octets that are no text.
    #[error("the octets are not UTF-8")]
    NotUtf8,
    /// A fault in the JSON.
    #[error("the JSON is not a game: {0}")]
    Json(String),
    /// A fault in the XML; nothing behind it is read.
    #[error("the XML is faulty: {0}")]
    Xml(String),
}

impl Reason {
    /// The name in snake case, as `off_board`.
    pub const fn name(&self) -> &'static str {
        match self {
            Reason::Unexpected { .. } => "unexpected",
            Reason::CutOff => "cut_off",
            Reason::NotAMove(_) => "not_a_move",
            Reason::OffBoard { .. } => "off_board",
            Reason::Occupied { .. } => "occupied",
            Reason::TooLong => "too_long",
            Reason::NoMoves => "no_moves",
            Reason::NotASize(_) => "not_a_size",
            Reason::UnsupportedSize(_) => "unsupported_size",
            Reason::NotARule(_) => "not_a_rule",
            Reason::NotAResult(_) => "not_a_result",
            Reason::NotATermination(_) => "not_a_termination",
            Reason::NotATime(_) => "not_a_time",
            Reason::RepeatedNumber(_) => "repeated_number",
            Reason::OtherGame(_) => "other_game",
            Reason::LateSetup => "late_setup",
            Reason::NotABoard(_) => "not_a_board",
            Reason::NotUtf8 => "not_utf8",
            Reason::Json(_) => "json",
            Reason::Xml(_) => "xml",
        }
    }
}

/// A text cut to twenty characters.
pub(super) fn excerpt(text: &str) -> String {
    text.trim().chars().take(20).collect()
}

/// The message of a foreign reader, cut so that no input comes back whole.
pub(super) fn message(error: &dyn std::error::Error) -> String {
    error.to_string().chars().take(160).collect()
}
