//! The moves of a position object as they are sent.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::api::code::Code;
use crate::api::faults::Faults;
use crate::api::text::{Whole, present};
use crate::board::{BoardSize, Cell};
use crate::record::notation::{Unreadable, read_move, read_moves};
use crate::record::{Ply, Record};
use crate::service::Limits;

/// The moves as they are sent.
pub enum RawMoves {
    Text(String),
    List(Vec<RawMove>),
}

impl RawMoves {
    /// The plies, and whether they were a list; pointers begin with the one of the member.
    pub fn validate(
        self,
        pointer: &str,
        size: BoardSize,
        faults: &mut Faults,
    ) -> Option<(Vec<Ply>, bool)> {
        let is_listed = matches!(self, RawMoves::List(_));
        let plies: Vec<Ply> = match self {
            RawMoves::Text(text) => read_moves(&text, Limits::ERRORS)
                .map_err(|unreadable| {
                    faults.note(pointer, Code::UnreadableNotation, join(&unreadable))
                })
                .ok()?,
            RawMoves::List(moves) => {
                let plies = moves
                    .into_iter()
                    .enumerate()
                    // Spelt only where there is a fault to be told.
                    .map(|(index, raw)| {
                        raw.validate(&|| format!("{pointer}/{index}"), size, faults)
                    });
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
            faults.note(pointer, Code::LimitOutOfRange, detail);
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
pub enum RawMove {
    /// A text that is one.
    Readable(Ply),
    /// A text that is none.
    Unreadable(String),
    /// By row and column.
    RowAndColumn(RawRowAndColumn),
    /// Left in the place of an item of another type, which is noted already.
    Null,
}

/// A cell by row and column from the top left corner, both from 0.
#[derive(serde::Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RowAndColumn)]
pub struct RawRowAndColumn {
    /// The row, 0 at the top.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = i64, required = true)]
    row: Option<Whole>,
    /// The column, 0 at the left.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = i64, required = true)]
    col: Option<Whole>,
}

impl RawMove {
    fn validate(
        self,
        place: &dyn Fn() -> String,
        size: BoardSize,
        faults: &mut Faults,
    ) -> Option<Ply> {
        match self {
            RawMove::Readable(ply) => Some(ply),
            RawMove::Unreadable(text) => {
                let shown: String = text.chars().take(20).collect();
                let detail = format!(
                    "{shown:?} is not a move; a move is a letter and a row number, as in h8, or pass"
                );
                faults.note(place(), Code::UnreadableNotation, detail);
                None
            }
            RawMove::RowAndColumn(RawRowAndColumn { row, col }) => {
                let mut number = |name: &str, number: Option<Whole>| {
                    if number.is_none() {
                        faults.note(
                            format!("{}/{name}", place()),
                            Code::MissingField,
                            "a cell has a row and a col",
                        );
                    }
                    number.map(|Whole(number)| number)
                };
                let (row, col) = (number("row", row), number("col", col));
                Some(Ply::stone_at_row(row?, col?, size))
            }
            RawMove::Null => {
                faults.note(place(), Code::InvalidField, "null is not a move");
                None
            }
        }
    }

    /// A cell of a board; a pass and a place beside the board are noted.
    pub fn into_cell(self, place: &str, size: BoardSize, faults: &mut Faults) -> Option<Cell> {
        match self.validate(&|| place.to_owned(), size, faults)? {
            Ply::Stone(cell) if size.contains(cell) => Some(cell),
            other => {
                let detail = format!("{other} is no cell of a board of {} lines", size.lines());
                faults.note(place, Code::InvalidField, detail);
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

impl PartialSchema for RawMoves {
    fn schema() -> RefOr<Schema> {
        let list = ArrayBuilder::new()
            .items(Ref::from_schema_name("MoveInput"))
            .max_items(Some(Record::MOST_PLIES));
        OneOfBuilder::new()
            .item(
                ObjectBuilder::new()
                    .schema_type(Type::String)
                    .description(Some("One text."))
                    .examples(["h8i9j7"]),
            )
            .item(list.description(Some("A list.")))
            .description(Some("Moves in order, Black first."))
            .into()
    }
}

impl ToSchema for RawMoves {
    fn name() -> Cow<'static, str> {
        "MovesInput".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((RawMove::name().into(), RawMove::schema()));
        RawMove::schemas(schemas);
    }
}

impl PartialSchema for RawMove {
    fn schema() -> RefOr<Schema> {
        OneOfBuilder::new()
            .item(
                ObjectBuilder::new()
                    .schema_type(Type::String)
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

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((RawRowAndColumn::name().into(), RawRowAndColumn::schema()));
    }
}
