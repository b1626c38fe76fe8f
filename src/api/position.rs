//! The position object as it is sent, and its turn into a record or a position.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::code::Code;
use crate::api::error::ApiError;
use crate::api::faults::Faults;
use crate::api::moves::RawMoves;
use crate::api::query::QueryName;
use crate::api::rows::{RawBoard, RawRow};
use crate::api::text::{Rows, Text, Whole, present};
use crate::board::{Board, BoardSize, Color};
use crate::record::{Ply, Record};
use crate::rules::{Position, Rule};

/// The rule, the size and either the moves of a game or the stones on a board.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PositionInput)]
pub struct RawPosition {
    /// The rule; freestyle when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Rule>, nullable = false)]
    rule: Option<Text<Rule>>,
    /// The number of lines, 5 to 25; 15 when absent, and that of the rows with `board`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u8>, nullable = false, minimum = 5, maximum = 25)]
    size: Option<Whole>,
    /// The moves in order, Black first: a list, or one text in any common spelling, as `h8i9j7` or `1. h8 i9 2. j7`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<RawMoves>, nullable = false)]
    moves: Option<RawMoves>,
    /// The stones without history, instead of `moves`: rows from the top, as text of `.`, `x` and `o` or as lists of 0, 1 and 2.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Vec<RawRow>>, nullable = false, min_items = 5, max_items = 25)]
    board: Option<RawBoard>,
    /// Whose turn it is on a `board`; by the number of stones when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Color>, nullable = false)]
    to_move: Option<Text<Color>>,
    /// Says that the numbers of stones on a `board` need not be those of a game.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false)]
    setup: Option<bool>,
}

/// The names of the position's members in a query.
pub const QUERY: &[QueryName] = &[
    QueryName::text("moves", "/position/moves"),
    QueryName::text("rule", "/position/rule"),
    QueryName::number("size", "/position/size"),
    QueryName::list("board", "/position/board"),
    QueryName::text("to_move", "/position/to_move"),
    QueryName::flag("setup", "/position/setup"),
];

/// What a position object stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A game, move by move; it need not be legal.
    Record {
        /// The game.
        record: Record,
        /// Were the moves a list? Then a fault has a place in it.
        is_listed: bool,
    },
    /// A board without history.
    Position(Box<Position>),
}

impl Source {
    /// The position and the ply that ended the game, if one did. A record must be legal.
    ///
    /// # Errors
    ///
    /// [`ApiError::IllegalMove`] with the violations of the record.
    pub fn position(&self) -> Result<(Position, Option<usize>), ApiError> {
        match self {
            Source::Position(position) => Ok((Position::clone(position), None)),
            Source::Record { record, is_listed } => {
                let replay = record.replay();
                if replay.is_legal() {
                    let ended_at = replay.ended_at();
                    Ok((replay.into_position(), ended_at))
                } else {
                    Err(ApiError::of_violations(replay.violations(), *is_listed))
                }
            }
        }
    }

    /// The size of its board.
    pub fn size(&self) -> BoardSize {
        match self {
            Source::Record { record, .. } => record.size(),
            Source::Position(position) => position.board().size(),
        }
    }

    /// The position as it was understood, to be echoed.
    pub fn echo(&self) -> PositionEcho<'_> {
        match self {
            Source::Record { record, .. } => echo_of(record),
            Source::Position(position) => PositionEcho {
                rule: position.rule(),
                size: position.board().size().lines(),
                moves: None,
                board: Some(Rows(position.board())),
                to_move: Some(position.to_move()),
                setup: (turn_by_count(position.board()) != Some(position.to_move()))
                    .then_some(true),
            },
        }
    }
}

/// The position as it was understood, fit to be sent again: `moves` for a record, `board` and `to_move`
/// for a board, with `setup` where the numbers of stones need it.
#[derive(Serialize, ToSchema)]
#[schema(as = Position)]
pub struct PositionEcho<'a> {
    rule: Rule,
    #[schema(minimum = 5, maximum = 25)]
    size: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Ply>>, nullable = false)]
    moves: Option<&'a [Ply]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Rows<'static>>, nullable = false)]
    board: Option<Rows<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    to_move: Option<Color>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    setup: Option<bool>,
}

/// A record as it was understood, to be echoed.
pub fn echo_of(record: &Record) -> PositionEcho<'_> {
    PositionEcho {
        rule: record.rule(),
        size: record.size().lines(),
        moves: Some(record.plies()),
        board: None,
        to_move: None,
        setup: None,
    }
}

/// A position object that must be there.
pub fn required(position: Option<RawPosition>, faults: &mut Faults) -> Option<Source> {
    match position {
        Some(position) => position.validate(faults),
        None => {
            faults.note("/position", Code::MissingField, "a position is needed");
            None
        }
    }
}

impl RawPosition {
    /// Turns the object into what it stands for; pointers begin with `/position`.
    pub fn validate(self, faults: &mut Faults) -> Option<Source> {
        let rule = match self.rule {
            None => Some(Rule::default()),
            raw => faults.rule(raw, "/position/rule"),
        };
        let size = faults.size(self.size, "/position/size");
        let choice = "black, white";
        let to_move = faults.choose(
            self.to_move,
            "/position/to_move",
            Code::InvalidField,
            choice,
        );
        match (self.moves, self.board) {
            (Some(moves), None) => {
                note_if(faults, to_move.is_some(), "/position/to_move");
                note_if(faults, self.setup.is_some(), "/position/setup");
                let size = size.unwrap_or_default();
                let (plies, is_listed) = moves.validate("/position/moves", size, faults)?;
                let record = Record::new(rule?, size, plies);
                Some(Source::Record { record, is_listed })
            }
            (None, Some(board)) => {
                let board = board.validate(size, faults)?;
                let to_move = turn(&board, to_move, self.setup == Some(true), faults)?;
                Position::from_board(rule?, board, to_move)
                    .map_err(|error| {
                        faults.note("/position/board", Code::TwoWinners, error.to_string());
                    })
                    .map(|position| Source::Position(Box::new(position)))
                    .ok()
            }
            (Some(_), Some(_)) => {
                let detail = "give moves or a board, not both";
                faults.note("/position", Code::AmbiguousSource, detail);
                None
            }
            // A board that could not be read is told already.
            (None, None) if faults.has("/position/board") => None,
            (None, None) => {
                faults.note(
                    "/position/moves",
                    Code::MissingField,
                    "give moves or a board",
                );
                None
            }
        }
    }
}

/// Notes a member that goes only with a board.
fn note_if(faults: &mut Faults, is_there: bool, pointer: &str) {
    if is_there {
        faults.note(
            pointer,
            Code::InvalidField,
            "this goes with a board; moves say it themselves",
        );
    }
}

/// Whose turn the numbers of stones say it is, if they could arise in a game.
fn turn_by_count(board: &Board) -> Option<Color> {
    let stones = board.stones();
    match stones.black.checked_sub(stones.white) {
        Some(0) => Some(Color::Black),
        Some(1) => Some(Color::White),
        _ => None,
    }
}

/// Whose turn it is on a board.
fn turn(
    board: &Board,
    to_move: Option<Color>,
    is_setup: bool,
    faults: &mut Faults,
) -> Option<Color> {
    let stones = board.stones();
    let by_count = turn_by_count(board);
    let fewer = if stones.black > stones.white {
        Color::White
    } else {
        Color::Black
    };
    match (by_count, to_move) {
        (Some(counted), None) => Some(counted),
        (Some(counted), Some(told)) if counted == told => Some(told),
        _ if is_setup => Some(to_move.unwrap_or(fewer)),
        _ => {
            let detail = format!(
                "{} black and {} white stones{} do not arise in a game; say \"setup\": true if that is meant",
                stones.black,
                stones.white,
                to_move.map_or(String::new(), |color| format!(" with {color} to move")),
            );
            faults.note("/position/board", Code::StoneCountMismatch, detail);
            None
        }
    }
}
