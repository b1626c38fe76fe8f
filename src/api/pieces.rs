//! Reads JSON that does not fit, piece by piece, so that all its faults are told at once.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Value};
use serde_path_to_error::{Path, Segment};

use crate::api::code::Code;
use crate::api::error::ApiError;
use crate::api::faults::Faults;
use crate::api::text::Object;
use crate::service::Limits;

/// Reads a body that is not what it should be: what can be read of it, and a fault for each other piece.
///
/// # Errors
///
/// [`ApiError::MalformedJson`] when it is no JSON at all.
pub fn read_in_pieces<T: DeserializeOwned>(
    body: &[u8],
    faults: &mut Faults,
) -> Result<Option<T>, ApiError> {
    let malformed = |error: &dyn fmt::Display| ApiError::MalformedJson(error.to_string());
    let text = std::str::from_utf8(body).map_err(|error| malformed(&error))?;
    let mut reader = serde_json::Deserializer::from_str(text);
    let tree = Tree {
        pointer: String::new(),
        faults,
    };
    let value = tree
        .deserialize(&mut reader)
        .map_err(|error| malformed(&error))?;
    reader.end().map_err(|error| malformed(&error))?;
    Ok(repair(value, faults))
}

/// Reads a value; each member that does not fit is noted and taken out until the rest can be read.
pub fn repair<T: DeserializeOwned>(mut value: Value, faults: &mut Faults) -> Option<T> {
    for _ in 0..=Limits::ERRORS {
        match serde_path_to_error::deserialize::<_, Object<T>>(&value) {
            Ok(Object(raw)) => return Some(raw),
            Err(error) => {
                note_shape(faults, error.path(), &error.inner().to_string());
                take_out(&mut value, error.path())?;
            }
        }
    }
    None
}

fn note_shape(faults: &mut Faults, path: &Path, message: &str) {
    let code = if message.starts_with("unknown field") {
        Code::UnknownField
    } else if message.starts_with("missing field") {
        Code::MissingField
    } else {
        Code::InvalidField
    };
    faults.note(pointer_of(path), code, message);
}

fn pointer_of(path: &Path) -> String {
    path.iter().fold(String::new(), |mut pointer, segment| {
        pointer.push('/');
        match segment {
            Segment::Seq { index } => pointer.push_str(&index.to_string()),
            Segment::Map { key } => pointer.push_str(&escape(key)),
            Segment::Enum { variant } => pointer.push_str(variant),
            Segment::Unknown => pointer.push('?'),
        }
        pointer
    })
}

/// A member's name as a step of a JSON pointer (RFC 6901).
fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Removes a member from an object, or empties an item of a list so that the others keep their places.
/// None when there is nothing to take out.
fn take_out(value: &mut Value, path: &Path) -> Option<()> {
    let mut steps: Vec<_> = path.iter().collect();
    let last = steps.pop()?;
    let parent = steps
        .into_iter()
        .try_fold(value, |value, step| match step {
            Segment::Map { key } => value.get_mut(key),
            Segment::Seq { index } => value.get_mut(index),
            Segment::Enum { .. } | Segment::Unknown => None,
        })?;
    match (last, parent) {
        (Segment::Map { key }, Value::Object(members)) => members.shift_remove(key).map(|_| ()),
        (Segment::Seq { index }, Value::Array(items)) => {
            let item = items.get_mut(*index)?;
            // An item that does not fit even when empty cannot be repaired.
            (!item.take().is_null()).then_some(())
        }
        _ => None,
    }
}

/// Reads any JSON and notes each member that an object has twice: a value keeps only the last of them.
struct Tree<'a> {
    pointer: String,
    faults: &'a mut Faults,
}

impl<'de> DeserializeSeed<'de> for Tree<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        loop {
            let pointer = format!("{}/{}", self.pointer, items.len());
            match list.next_element_seed(Tree {
                pointer,
                faults: self.faults,
            })? {
                Some(item) => items.push(item),
                None => return Ok(items.into()),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let (mut members, mut seen) = (Map::new(), BTreeSet::new());
        while let Some(name) = map.next_key::<String>()? {
            let pointer = format!("{}/{}", self.pointer, escape(&name));
            if !seen.insert(name.clone()) {
                self.faults.note(
                    pointer.clone(),
                    Code::InvalidField,
                    "the member is given twice",
                );
            }
            let value = map.next_value_seed(Tree {
                pointer,
                faults: self.faults,
            })?;
            members.insert(name, value);
        }
        Ok(members.into())
    }
}
