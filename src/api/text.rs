//! How the domain's values are written in JSON, and how their texts are read.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeSeq, Serializer};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::board::{Board, Cell, Color, Direction, Key, Symmetry};
use crate::formats::Format;
use crate::picture::Theme;
use crate::proof::CertificateId;
use crate::record::{GameResult, Ply, Termination};
use crate::rules::Rule;
use crate::rules::forbidden::Kind;

/// Serialises an enum with `ALL` and `name()` as its name, and describes it in the OpenAPI document.
macro_rules! named {
    ($type:ident, $meaning:literal) => {
        $crate::api::text::named!($type as stringify!($type), $meaning);
    };
    ($type:ident as $name:expr, $meaning:literal) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl utoipa::PartialSchema for $type {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::schema::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .description(Some($meaning))
                    .enum_values(Some($type::ALL.map(|value| value.name())))
                    .into()
            }
        }

        impl utoipa::ToSchema for $type {
            fn name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }
        }
    };
}
pub(crate) use named;

named!(Color, "The colour of a stone.");
named!(Direction, "One of the four lines through a cell.");
named!(Rule, "The rule of the game.");
named!(Symmetry, "A rotation or reflection of the board.");
named!(GameResult, "Who won.");
named!(Termination, "What ended the game.");
named!(Kind, "What renju forbids to Black.");
named!(Format, "A format of game files.");
named!(Theme, "The colours of a picture.");

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name().as_str())
    }
}

impl Serialize for Ply {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Ply::Stone(cell) => cell.serialize(serializer),
            Ply::Pass | Ply::Outside(_) => serializer.collect_str(self),
        }
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for CertificateId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A time in UTC as it is written.
pub fn written(at: OffsetDateTime) -> String {
    // Only times of four-digit years come in.
    at.format(&Rfc3339).unwrap_or_default()
}

/// Describes a value that is written as a text in the OpenAPI document.
macro_rules! written {
    ($type:ident, $pattern:literal, $example:literal, $meaning:literal) => {
        impl PartialSchema for $type {
            fn schema() -> RefOr<Schema> {
                ObjectBuilder::new()
                    .schema_type(Type::String)
                    .description(Some($meaning))
                    .pattern(Some($pattern))
                    .examples([$example])
                    .into()
            }
        }

        impl ToSchema for $type {}
    };
}

written!(
    Cell,
    "^[a-y]([1-9]|1[0-9]|2[0-5])$",
    "h8",
    "A cell: the letter of its column from the left (i is used) and the number of its row from the bottom."
);
written!(
    Ply,
    "^([a-z][0-9]{1,2}|pass|\\(-?[0-9]+,-?[0-9]+\\))$",
    "h8",
    "A move: a cell or `pass`; in illegal records also a place on no board, as `z1`, or by column and row number from the lower left corner as `(0,8)`."
);
written!(
    CertificateId,
    "^[0-9a-f]{64}$",
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "The name of a certificate: the SHA-256 of its text in hexadecimal digits."
);
written!(
    Key,
    "^[0-9a-f]{16}$",
    "dd8c4c8359497530",
    "A 64-bit key in hexadecimal digits."
);

/// A board as rows of `.`, `x` (Black) and `o` (White), the top row first.
pub struct Rows<'a>(pub &'a Board);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(Some(usize::from(self.0.size().lines())))?;
        for row in self.0.rows() {
            rows.serialize_element(row.as_str())?;
        }
        rows.end()
    }
}

/// Writes a board as its [`Rows`].
pub fn as_rows<S: Serializer>(board: &Board, serializer: S) -> Result<S::Ok, S::Error> {
    Rows(board).serialize(serializer)
}

impl PartialSchema for Rows<'_> {
    fn schema() -> RefOr<Schema> {
        let row = ObjectBuilder::new()
            .schema_type(Type::String)
            .pattern(Some("^[.xo]{5,25}$"));
        ArrayBuilder::new()
            .items(row)
            .min_items(Some(5))
            .max_items(Some(25))
            .description(Some(
                "The stones, the top row first: `.` empty, `x` Black, `o` White.",
            ))
            .into()
    }
}

impl ToSchema for Rows<'_> {
    fn name() -> std::borrow::Cow<'static, str> {
        "Board".into()
    }
}

/// A text that should be a `T`: the value, or the text that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text<T>(pub Result<T, String>);

impl<'de, T: FromStr> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text<T>, D::Error> {
        struct Read<T>(PhantomData<T>);

        impl<T: FromStr> Visitor<'_> for Read<T> {
            type Value = Text<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Text<T>, E> {
                Ok(Text(text.parse().map_err(|_| text.to_owned())))
            }
        }

        deserializer.deserialize_str(Read(PhantomData))
    }
}

/// A whole number, before it is known to be in range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole(pub i64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Whole, D::Error> {
        struct Read;

        impl Visitor<'_> for Read {
            type Value = Whole;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number of at most 63 bits")
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Whole, E> {
                Ok(Whole(number))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Whole, E> {
                i64::try_from(number)
                    .map(Whole)
                    .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(number), &self))
            }
        }

        deserializer.deserialize_i64(Read)
    }
}

/// What is read from an object and from nothing else: a derived reader takes a list of its members too.
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Object<T>, D::Error> {
        struct Read<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Read<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }

        deserializer.deserialize_map(Read(PhantomData))
    }
}

/// Reads an object that may be absent but, when there, may not be null.
pub fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Object::deserialize(deserializer).map(|Object(value)| Some(value))
}

/// Reads a member that may be absent but, when there, may not be null.
pub fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
