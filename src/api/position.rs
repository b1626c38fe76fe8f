//! The position object as it is sent, and its turn into a record or a position.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize as DeriveDeserialize, Serialize};
use utoipa::ToSchema;

use crate::api::error::{ApiError, Code};
use crate::api::extract::{Faults, QueryKind, QueryName};
use crate::api::text::{Rows, Text, Whole, present};
use crate::board::{Board, BoardSize, Cell, Color};
use crate::record::notation::{Unreadable, read_move, read_moves};
use crate::record::{Ply, Record};
use crate::rules::{Position, Rule};
use crate::service::Limits;

/// The rule, the size and either the moves of a game or the stones on a board.
#[derive(DeriveDeserialize, ToSchema)]
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
    QueryName {
        name: "moves",
        pointer: "/position/moves",
        kind: QueryKind::Text,
    },
    QueryName {
        name: "rule",
        pointer: "/position/rule",
        kind: QueryKind::Text,
    },
    QueryName {
        name: "size",
        pointer: "/position/size",
        kind: QueryKind::Number,
    },
    QueryName {
        name: "board",
        pointer: "/position/board",
        kind: QueryKind::List,
    },
    QueryName {
        name: "to_move",
        pointer: "/position/to_move",
        kind: QueryKind::Text,
    },
    QueryName {
        name: "setup",
        pointer: "/position/setup",
        kind: QueryKind::Flag,
    },
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
            },
        }
    }
}

/// The position as it was understood: `moves` for a record, `board` and `to_move` for a board.
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
}

/// A record as it was understood, to be echoed.
pub fn echo_of(record: &Record) -> PositionEcho<'_> {
    PositionEcho {
        rule: record.rule(),
        size: record.size().lines(),
        moves: Some(record.plies()),
        board: None,
        to_move: None,
    }
}

/// The rule of a text; one that is not played here is noted.
pub fn rule(raw: Option<Text<Rule>>, pointer: &str, faults: &mut Faults) -> Option<Rule> {
    match raw? {
        Text(Ok(rule)) => Some(rule),
        Text(Err(text)) => {
            let shown: String = text.chars().take(40).collect();
            let detail = format!(
                "{shown:?} is not played here; the rules are freestyle, standard, renju and caro"
            );
            faults.note(pointer, Code::UnsupportedRule, detail);
            None
        }
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
            raw => rule(raw, "/position/rule", faults),
        };
        let size = match self.size.map(|Whole(lines)| BoardSize::try_from(lines)) {
            None => Ok(None),
            Some(Ok(size)) => Ok(Some(size)),
            Some(Err(error)) => {
                faults.note("/position/size", Code::UnsupportedSize, error.to_string());
                Err(())
            }
        };
        let to_move = match self.to_move {
            None => None,
            Some(Text(Ok(color))) => Some(color),
            Some(Text(Err(text))) => {
                faults.note(
                    "/position/to_move",
                    Code::InvalidField,
                    format!("{text:?} is neither black nor white"),
                );
                None
            }
        };
        match (self.moves, self.board) {
            (Some(_), Some(_)) => {
                faults.note(
                    "/position",
                    Code::AmbiguousSource,
                    "give moves or a board, not both",
                );
                None
            }
            (None, None) => {
                faults.note(
                    "/position/moves",
                    Code::MissingField,
                    "give moves or a board",
                );
                None
            }
            (Some(moves), None) => {
                note_if(faults, to_move.is_some(), "/position/to_move");
                note_if(faults, self.setup.is_some(), "/position/setup");
                let (plies, is_listed) =
                    moves.validate(size.ok().flatten().unwrap_or_default(), faults)?;
                let record = Record::new(rule?, size.ok()?.unwrap_or_default(), plies);
                Some(Source::Record { record, is_listed })
            }
            (None, Some(board)) => {
                let board = board.validate(size.ok()?, faults)?;
                let to_move = turn(&board, to_move, self.setup == Some(true), faults)?;
                match Position::from_board(rule?, board, to_move) {
                    Ok(position) => Some(Source::Position(Box::new(position))),
                    Err(error) => {
                        faults.note("/position/board", Code::TwoWinners, error.to_string());
                        None
                    }
                }
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

/// Whose turn it is on a board.
fn turn(
    board: &Board,
    to_move: Option<Color>,
    is_setup: bool,
    faults: &mut Faults,
) -> Option<Color> {
    let stones = board.stones();
    let by_count = match stones.black.checked_sub(stones.white) {
        Some(0) => Some(Color::Black),
        Some(1) => Some(Color::White),
        _ => None,
    };
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

/// The moves as they are sent.
enum RawMoves {
    Text(String),
    List(Vec<RawMove>),
}

impl RawMoves {
    fn validate(self, size: BoardSize, faults: &mut Faults) -> Option<(Vec<Ply>, bool)> {
        const POINTER: &str = "/position/moves";
        let is_listed = matches!(self, RawMoves::List(_));
        let plies: Vec<Ply> = match self {
            RawMoves::Text(text) => read_moves(&text, Limits::ERRORS)
                .map_err(|unreadable| {
                    faults.note(POINTER, Code::UnreadableNotation, join(&unreadable))
                })
                .ok()?,
            RawMoves::List(moves) => {
                let plies = moves
                    .into_iter()
                    .enumerate()
                    .map(|(index, raw)| raw.validate(index, size, faults));
                // Every move is looked at, so that all faults are noted.
                let plies: Vec<Option<Ply>> = plies.collect();
                plies.into_iter().collect::<Option<_>>()?
            }
        };
        if plies.len() > Record::MOST_PLIES {
            let detail = format!(
                "{} moves; a record has at most {}",
                plies.len(),
                Record::MOST_PLIES
            );
            faults.note(POINTER, Code::LimitOutOfRange, detail);
            return None;
        }
        Some((plies, is_listed))
    }
}

fn join(unreadable: &[Unreadable]) -> String {
    let details: Vec<_> = unreadable.iter().map(Unreadable::to_string).collect();
    details.join("; ")
}

impl<'de> Deserialize<'de> for RawMoves {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawMoves, D::Error> {
        struct Read;

        impl<'de> Visitor<'de> for Read {
            type Value = RawMoves;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("moves as a list or one text")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<RawMoves, E> {
                Ok(RawMoves::Text(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<RawMoves, A::Error> {
                let mut moves = Vec::with_capacity(64);
                while let Some(item) = list.next_element()? {
                    moves.push(item);
                }
                Ok(RawMoves::List(moves))
            }
        }

        deserializer.deserialize_any(Read)
    }
}

/// A move as it is sent.
enum RawMove {
    Readable(Ply),
    Unreadable(String),
    RowAndColumn(RawRowAndColumn),
    /// Left in the place of an item of another type, which is noted already.
    Null,
}

/// A cell by row and column from the top left corner, both from 0.
#[derive(DeriveDeserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RowAndColumn)]
struct RawRowAndColumn {
    /// The row, 0 at the top.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = i32, required = true)]
    row: Option<Whole>,
    /// The column, 0 at the left.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = i32, required = true)]
    col: Option<Whole>,
}

impl RawMove {
    fn validate(self, index: usize, size: BoardSize, faults: &mut Faults) -> Option<Ply> {
        match self {
            RawMove::Readable(ply) => Some(ply),
            RawMove::Unreadable(text) => {
                let shown: String = text.chars().take(20).collect();
                let detail = format!(
                    "{shown:?} is not a move; a move is a letter and a row number, as in h8, or pass"
                );
                faults.note(
                    format!("/position/moves/{index}"),
                    Code::UnreadableNotation,
                    detail,
                );
                None
            }
            RawMove::RowAndColumn(RawRowAndColumn { row, col }) => {
                let mut number = |name: &str, number: Option<Whole>| {
                    let Some(Whole(number)) = number else {
                        faults.note(
                            format!("/position/moves/{index}/{name}"),
                            Code::MissingField,
                            "a cell has a row and a col",
                        );
                        return None;
                    };
                    // Far off the board is off the board, however far.
                    Some(number.clamp(i64::from(i16::MIN), i64::from(i16::MAX)) as i32)
                };
                let (row, col) = (number("row", row), number("col", col));
                Some(Ply::stone_at_row(row?, col?, size))
            }
            RawMove::Null => {
                faults.note(
                    format!("/position/moves/{index}"),
                    Code::InvalidField,
                    "null is not a move",
                );
                None
            }
        }
    }
}

impl<'de> Deserialize<'de> for RawMove {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawMove, D::Error> {
        struct Read;

        impl<'de> Visitor<'de> for Read {
            type Value = RawMove;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a move as a text or as {\"row\": 7, \"col\": 7}")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<RawMove, E> {
                Ok(read_move(text)
                    .map_or_else(|| RawMove::Unreadable(text.to_owned()), RawMove::Readable))
            }

            fn visit_unit<E: de::Error>(self) -> Result<RawMove, E> {
                Ok(RawMove::Null)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawMove, A::Error> {
                let cell =
                    RawRowAndColumn::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(RawMove::RowAndColumn(cell))
            }
        }

        deserializer.deserialize_any(Read)
    }
}

/// A board as it is sent.
#[derive(DeriveDeserialize)]
struct RawBoard(Vec<RawRow>);

/// A row as it is sent.
enum RawRow {
    Text(String),
    Numbers(Vec<Option<Whole>>),
    /// Left in the place of an item of another type, which is noted already.
    Null,
}

impl RawBoard {
    fn validate(self, size: Option<BoardSize>, faults: &mut Faults) -> Option<Board> {
        let lines = i64::try_from(self.0.len()).ok()?;
        let own = match BoardSize::try_from(lines) {
            Ok(own) => own,
            Err(error) => {
                faults.note("/position/board", Code::UnsupportedSize, error.to_string());
                return None;
            }
        };
        if size.is_some_and(|size| size != own) {
            let detail = format!("the board has {own} rows");
            faults.note("/position/size", Code::InvalidField, detail);
            return None;
        }
        let mut board = Board::new(own);
        let mut is_whole = true;
        for (index, row) in self.0.into_iter().enumerate() {
            if let Err(detail) = row.put(index, &mut board) {
                faults.note(
                    format!("/position/board/{index}"),
                    Code::InvalidField,
                    detail,
                );
                is_whole = false;
            }
        }
        is_whole.then_some(board)
    }
}

impl RawRow {
    /// Puts the stones of a row on the board.
    fn put(self, row: usize, board: &mut Board) -> Result<(), String> {
        let squares: Vec<Result<Option<Color>, String>> = match self {
            RawRow::Text(text) => text.chars().map(of_character).collect(),
            RawRow::Numbers(numbers) => numbers.into_iter().map(of_number).collect(),
            RawRow::Null => return Err("null is not a row".into()),
        };
        let lines = usize::from(board.size().lines());
        if squares.len() != lines {
            return Err(format!("{} cells in a row of {lines}", squares.len()));
        }
        let cells: Vec<Cell> = board.size().cells().skip(row * lines).take(lines).collect();
        for (column, (cell, square)) in cells.into_iter().zip(squares).enumerate() {
            if let Some(color) = square.map_err(|what| format!("column {column}: {what}"))? {
                board.put(cell, color);
            }
        }
        Ok(())
    }
}

fn of_character(character: char) -> Result<Option<Color>, String> {
    match character {
        '.' => Ok(None),
        'x' => Ok(Some(Color::Black)),
        'o' => Ok(Some(Color::White)),
        other => Err(format!(
            "{other:?} is not . (empty), x (Black) or o (White)"
        )),
    }
}

fn of_number(number: Option<Whole>) -> Result<Option<Color>, String> {
    match number {
        Some(Whole(0)) => Ok(None),
        Some(Whole(1)) => Ok(Some(Color::Black)),
        Some(Whole(2)) => Ok(Some(Color::White)),
        Some(Whole(other)) => Err(format!("{other} is not 0 (empty), 1 (Black) or 2 (White)")),
        None => Err("null is not 0 (empty), 1 (Black) or 2 (White)".into()),
    }
}

impl<'de> Deserialize<'de> for RawRow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawRow, D::Error> {
        struct Read;

        impl<'de> Visitor<'de> for Read {
            type Value = RawRow;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a row as a text of . x o or a list of 0 1 2")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<RawRow, E> {
                Ok(RawRow::Text(text.to_owned()))
            }

            fn visit_unit<E: de::Error>(self) -> Result<RawRow, E> {
                Ok(RawRow::Null)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<RawRow, A::Error> {
                let mut numbers = Vec::new();
                while let Some(number) = list.next_element()? {
                    numbers.push(number);
                }
                Ok(RawRow::Numbers(numbers))
            }
        }

        deserializer.deserialize_any(Read)
    }
}

/// Describes what is read by hand, under the names that callers see.
mod schemas {
    use std::borrow::Cow;

    use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Type};
    use utoipa::openapi::{Ref, RefOr, Schema};
    use utoipa::{PartialSchema, ToSchema};

    use super::{RawMove, RawMoves, RawRow, RawRowAndColumn, Record};

    type Named = (String, RefOr<Schema>);

    fn text() -> ObjectBuilder {
        ObjectBuilder::new().schema_type(Type::String)
    }

    impl PartialSchema for RawMoves {
        fn schema() -> RefOr<Schema> {
            let list = ArrayBuilder::new()
                .items(Ref::from_schema_name("MoveInput"))
                .max_items(Some(Record::MOST_PLIES));
            OneOfBuilder::new()
                .item(text().description(Some("One text.")).examples(["h8i9j7"]))
                .item(list.description(Some("A list.")))
                .description(Some("Moves in order, Black first."))
                .into()
        }
    }

    impl ToSchema for RawMoves {
        fn name() -> Cow<'static, str> {
            "MovesInput".into()
        }

        fn schemas(schemas: &mut Vec<Named>) {
            schemas.push((RawMove::name().into(), RawMove::schema()));
            RawMove::schemas(schemas);
        }
    }

    impl PartialSchema for RawMove {
        fn schema() -> RefOr<Schema> {
            OneOfBuilder::new()
                .item(
                    text()
                        .description(Some("A cell by name, or `pass`."))
                        .min_length(Some(2))
                        .examples(["h8"]),
                )
                .item(Ref::from_schema_name(RawRowAndColumn::name()))
                .description(Some("A move."))
                .into()
        }
    }

    impl ToSchema for RawMove {
        fn name() -> Cow<'static, str> {
            "MoveInput".into()
        }

        fn schemas(schemas: &mut Vec<Named>) {
            schemas.push((RawRowAndColumn::name().into(), RawRowAndColumn::schema()));
        }
    }

    impl PartialSchema for RawRow {
        fn schema() -> RefOr<Schema> {
            let number = ObjectBuilder::new()
                .schema_type(Type::Integer)
                .minimum(Some(0))
                .maximum(Some(2));
            let numbers = ArrayBuilder::new()
                .items(number)
                .min_items(Some(5))
                .max_items(Some(25));
            OneOfBuilder::new()
                .item(
                    text()
                        .description(Some("`.` empty, `x` Black, `o` White."))
                        .pattern(Some("^[.xo]{5,25}$"))
                        .examples(["..xo."]),
                )
                .item(numbers.description(Some("0 empty, 1 Black, 2 White.")))
                .description(Some("A row of a board."))
                .into()
        }
    }

    impl ToSchema for RawRow {
        fn name() -> Cow<'static, str> {
            "RowInput".into()
        }
    }
}
