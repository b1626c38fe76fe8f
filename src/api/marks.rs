//! The marks of a picture as they are sent.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::api::code::Code;
use crate::api::faults::Faults;
use crate::api::moves::RawMove;
use crate::api::text::{Object, Text, Whole, named, present};
use crate::board::{BoardSize, Cell, Color};
use crate::picture::{Letter, Mark};
use crate::record::notation::read_move;
use crate::service::Limits;

/// Marks as they are sent.
pub enum RawMarks {
    /// One text, as `h8:! i9:1 j10:F:white`.
    Text(String),
    /// A list; null where an item of another type was.
    List(Vec<Option<Object<RawMark>>>),
}

/// A mark as it is sent.
#[derive(serde::Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = MarkInput)]
pub struct RawMark {
    /// Where. A hint and a threat are marked on empty cells.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawMove, required = true)]
    cell: Option<RawMove>,
    /// What is to be seen there.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = MarkKind, required = true)]
    kind: Option<Text<MarkKind>>,
    /// The rank of a hint; 1 when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u8>, nullable = false, minimum = 1, maximum = 99)]
    rank: Option<Whole>,
    /// Whose stone would threaten.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Color>, nullable = false)]
    by: Option<Text<Color>>,
    /// What kind of threat: a capital letter, but not `O` and `X`, which are stones in a text.
    #[serde(default, deserialize_with = "present")]
    #[schema(nullable = false, pattern = "^[A-NP-WYZ]$", example = "F")]
    letter: Option<String>,
}

/// What is to be seen on a marked cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// A cross.
    Forbidden,
    /// A ring with a rank.
    Hint,
    /// A lozenge with a letter.
    Threat,
}

impl MarkKind {
    const ALL: [MarkKind; 3] = [MarkKind::Forbidden, MarkKind::Hint, MarkKind::Threat];

    const fn name(self) -> &'static str {
        match self {
            MarkKind::Forbidden => "forbidden",
            MarkKind::Hint => "hint",
            MarkKind::Threat => "threat",
        }
    }
}

named!(
    MarkKind,
    "What is to be seen on a cell: a cross, a ring with the `rank`, or a lozenge in the colour `by` with the `letter`."
);

impl FromStr for MarkKind {
    type Err = ();

    fn from_str(text: &str) -> Result<MarkKind, ()> {
        let mut all = MarkKind::ALL.into_iter();
        all.find(|kind| kind.name() == text).ok_or(())
    }
}

/// A mark and where it is in the request.
#[derive(Debug)]
pub struct Marked {
    /// The cell.
    pub cell: Cell,
    /// The mark.
    pub mark: Mark,
    /// Its place in the body.
    pub pointer: String,
}

impl RawMarks {
    /// The marks; pointers begin with `/marks`.
    pub fn validate(self, size: BoardSize, faults: &mut Faults) -> Option<Vec<Marked>> {
        let (marks, is_listed) = match self {
            RawMarks::Text(text) => (read_text(&text, faults)?, false),
            RawMarks::List(list) => {
                let marks = list.into_iter().map(|mark| mark.map(|Object(mark)| mark));
                (marks.collect::<Vec<_>>(), true)
            }
        };
        let most = Limits::PICTURE_MARKS;
        if marks.len() > most {
            let detail = format!("{} marks; a picture has at most {most}", marks.len());
            faults.note("/marks", Code::LimitOutOfRange, detail);
            return None;
        }
        let marks = marks.into_iter().enumerate().map(|(index, mark)| {
            let Some(mark) = mark else {
                let pointer = format!("/marks/{index}");
                faults.note(pointer, Code::InvalidField, "null is not a mark");
                return None;
            };
            let place = if is_listed {
                Place::Item(index)
            } else {
                Place::Whole
            };
            mark.validate(place, size, faults)
        });
        // Every mark is looked at, so that all faults are noted.
        let marks: Vec<Option<Marked>> = marks.collect();
        marks.into_iter().collect()
    }
}

/// Where a mark was sent.
#[derive(Clone, Copy)]
enum Place {
    /// As an item of the list.
    Item(usize),
    /// In the one text.
    Whole,
}

impl Place {
    fn pointer(self, member: &str) -> String {
        match self {
            Place::Item(index) => format!("/marks/{index}{member}"),
            Place::Whole => "/marks".to_owned(),
        }
    }
}

impl RawMark {
    fn validate(self, place: Place, size: BoardSize, faults: &mut Faults) -> Option<Marked> {
        let cell = match self.cell {
            Some(cell) => cell.into_cell(&place.pointer("/cell"), size, faults),
            None => missing(place.pointer("/cell"), "a mark has a cell", faults),
        };
        let kind = match self.kind {
            Some(kind) => {
                let choice = "forbidden, hint, threat";
                let pointer = place.pointer("/kind");
                faults.choose(Some(kind), &pointer, Code::InvalidField, choice)
            }
            None => missing(place.pointer("/kind"), "a mark has a kind", faults),
        }?;
        let members = [
            ("/rank", self.rank.is_some(), MarkKind::Hint),
            ("/by", self.by.is_some(), MarkKind::Threat),
            ("/letter", self.letter.is_some(), MarkKind::Threat),
        ];
        for (member, is_there, owner) in members {
            if is_there && kind != owner {
                let detail = format!("this goes with a {}", owner.name());
                faults.note(place.pointer(member), Code::InvalidField, detail);
            }
        }
        let mark = match kind {
            MarkKind::Forbidden => Some(Mark::Forbidden),
            MarkKind::Hint => hint(self.rank, &place.pointer("/rank"), faults),
            MarkKind::Threat => threat(self.by, self.letter, place, faults),
        };
        Some(Marked {
            cell: cell?,
            mark: mark?,
            pointer: place.pointer(""),
        })
    }
}

fn hint(rank: Option<Whole>, pointer: &str, faults: &mut Faults) -> Option<Mark> {
    let rank = faults.within(rank.or(Some(Whole(1))), pointer, 1..=Limits::MARK_RANK)?;
    let rank = u8::try_from(rank).ok()?;
    Some(Mark::Hint { rank })
}

fn threat(
    by: Option<Text<Color>>,
    letter: Option<String>,
    place: Place,
    faults: &mut Faults,
) -> Option<Mark> {
    let by = match by {
        Some(by) => {
            let pointer = place.pointer("/by");
            faults.choose(Some(by), &pointer, Code::InvalidField, "black, white")
        }
        None => missing(
            place.pointer("/by"),
            "a threat is by black or white",
            faults,
        ),
    };
    let letter = match letter {
        Some(letter) => {
            let mut characters = letter.chars();
            let only = characters.next().filter(|_| characters.next().is_none());
            let letter = only.and_then(|only| Letter::try_from(only).ok());
            if letter.is_none() {
                let detail = "a threat is marked by a letter from A to Z other than O and X";
                faults.note(place.pointer("/letter"), Code::InvalidField, detail);
            }
            letter
        }
        None => missing(place.pointer("/letter"), "a threat has a letter", faults),
    };
    Some(Mark::Threat {
        by: by?,
        letter: letter?,
    })
}

fn missing<T>(pointer: String, detail: &str, faults: &mut Faults) -> Option<T> {
    faults.note(pointer, Code::MissingField, detail);
    None
}

/// The marks of one text; what is none is noted.
fn read_text(text: &str, faults: &mut Faults) -> Option<Vec<Option<RawMark>>> {
    let is_between = |character: char| character.is_whitespace() || matches!(character, ',' | ';');
    let items = text.split(is_between).filter(|item| !item.is_empty());
    let marks = items.map(|item| {
        let mark = read_item(item);
        if mark.is_none() {
            let shown: String = item.chars().take(20).collect();
            let detail = format!(
                "{shown:?} is not a mark; a mark is a cell with a sign, as h8:! (forbidden), h8:1 (a hint) or h8:F:white (a threat)"
            );
            faults.note("/marks", Code::UnreadableNotation, detail);
        }
        mark
    });
    let marks: Vec<Option<RawMark>> = marks.collect();
    marks.iter().all(Option::is_some).then_some(marks)
}

fn read_item(item: &str) -> Option<RawMark> {
    let mut parts = item.split(':');
    let ply = read_move(parts.next()?)?;
    let (sign, by) = (parts.next()?, parts.next());
    if parts.next().is_some() {
        return None;
    }
    let kind = match (sign, by) {
        ("!", None) => MarkKind::Forbidden,
        (_, Some(_)) => MarkKind::Threat,
        (_, None) => MarkKind::Hint,
    };
    let rank = match kind {
        MarkKind::Hint => Some(Whole(sign.parse().ok()?)),
        MarkKind::Forbidden | MarkKind::Threat => None,
    };
    Some(RawMark {
        cell: Some(RawMove::Readable(ply)),
        kind: Some(Text(Ok(kind))),
        rank,
        by: by.map(|by| Text(by.parse().map_err(|_| by.to_owned()))),
        letter: by.map(|_| sign.to_owned()),
    })
}

impl<'de> Deserialize<'de> for RawMarks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawMarks, D::Error> {
        struct Read;

        impl<'de> Visitor<'de> for Read {
            type Value = RawMarks;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("marks as a list or one text")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<RawMarks, E> {
                Ok(RawMarks::Text(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<RawMarks, A::Error> {
                let mut marks = Vec::new();
                while let Some(item) = list.next_element()? {
                    marks.push(item);
                }
                Ok(RawMarks::List(marks))
            }
        }

        deserializer.deserialize_any(Read)
    }
}

impl PartialSchema for RawMarks {
    fn schema() -> RefOr<Schema> {
        let list = ArrayBuilder::new()
            .items(Ref::from_schema_name("MarkInput"))
            .max_items(Some(Limits::PICTURE_MARKS));
        OneOfBuilder::new()
            .item(
                ObjectBuilder::new()
                    .schema_type(Type::String)
                    .description(Some(
                        "One text: each mark a cell with a sign, `!` for forbidden, a number for the rank of a hint, \
                         a letter and a colour for a threat.",
                    ))
                    .examples(["h8:! i9:1 j10:F:white"]),
            )
            .item(list.description(Some("A list.")))
            .description(Some("What is to be seen on cells besides stones."))
            .into()
    }
}

impl ToSchema for RawMarks {
    fn name() -> Cow<'static, str> {
        "MarksInput".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push(("MarkInput".into(), RawMark::schema()));
        RawMark::schemas(schemas);
    }
}
