//! The board of a position object as it is sent, row by row.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::api::code::Code;
use crate::api::faults::Faults;
use crate::api::text::Whole;
use crate::board::{Board, BoardSize, Cell, Color};

/// A board as it is sent.
#[derive(serde::Deserialize)]
pub struct RawBoard(Vec<RawRow>);

/// A row as it is sent.
pub enum RawRow {
    Text(String),
    Numbers(Vec<Option<Whole>>),
    /// Left in the place of an item of another type, which is noted already.
    Null,
}

impl RawBoard {
    /// The board; its size must be the one that is told, if one is.
    pub fn validate(self, size: Option<BoardSize>, faults: &mut Faults) -> Option<Board> {
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
                ObjectBuilder::new()
                    .schema_type(Type::String)
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
