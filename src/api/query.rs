//! Reads queries: each is turned into the body that it stands for.

use std::collections::BTreeSet;

use actix_web::HttpRequest;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use crate::api::code::Code;
use crate::api::error::ApiError;
use crate::api::extract::Input;
use crate::api::faults::Faults;
use crate::api::pieces::repair;
use crate::service::Limits;

/// A name in a query and the member of the body that it stands for.
pub struct QueryName {
    /// The name.
    pub name: &'static str,
    /// The member, as a JSON pointer of one or two steps.
    pub pointer: &'static str,
    /// How its text is read.
    pub kind: QueryKind,
}

impl QueryName {
    /// A name whose text is taken as it is.
    pub const fn text(name: &'static str, pointer: &'static str) -> QueryName {
        QueryName::new(name, pointer, QueryKind::Text)
    }

    /// A name of a whole number.
    pub const fn number(name: &'static str, pointer: &'static str) -> QueryName {
        QueryName::new(name, pointer, QueryKind::Number)
    }

    /// A name of `true` or `false`.
    pub const fn flag(name: &'static str, pointer: &'static str) -> QueryName {
        QueryName::new(name, pointer, QueryKind::Flag)
    }

    /// A name of a list, its items separated by `/`.
    pub const fn list(name: &'static str, pointer: &'static str) -> QueryName {
        QueryName::new(name, pointer, QueryKind::List)
    }

    const fn new(name: &'static str, pointer: &'static str, kind: QueryKind) -> QueryName {
        QueryName {
            name,
            pointer,
            kind,
        }
    }
}

/// Groups of query names.
pub type QueryNames = &'static [&'static [QueryName]];

/// How the text of a query name is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum QueryKind {
    /// As it is.
    Text,
    /// As a whole number.
    Number,
    /// As `true` or `false`.
    Flag,
    /// As a list, its items separated by `/`.
    List,
}

/// Reads a query as the body that it stands for.
///
/// # Errors
///
/// What is wrong with it, under the names of the query. A name that is not known goes before values that
/// are not: its code names the whole.
pub fn read_query<T: Input>(query: &str, limits: &Limits) -> Result<T::Valid, ApiError> {
    let (mut unknown, mut faults) = (Faults::default(), Faults::default());
    let body = body_of(query, T::QUERY, &mut unknown, &mut faults);
    let valid = repair::<T>(body, &mut faults).and_then(|raw| raw.validate(limits, &mut faults));
    faults.rename(|pointer| name_of(pointer, T::QUERY));
    faults.behind(unknown).settle(valid)
}

/// Refuses every name in a query.
///
/// # Errors
///
/// The names, if there are any.
pub fn no_query(request: &HttpRequest) -> Result<(), ApiError> {
    let (mut unknown, mut faults) = (Faults::default(), Faults::default());
    body_of(request.query_string(), &[], &mut unknown, &mut faults);
    unknown.settle(Some(()))
}

/// The query name that stands for a member or for what it lies in.
pub fn name_of(pointer: &str, names: QueryNames) -> String {
    // What is wrong with a position as a whole is that it has two sources.
    let pointer = if pointer == "/position" {
        "/position/board"
    } else {
        pointer
    };
    let is_part = |name: &&QueryName| {
        let rest = pointer.strip_prefix(name.pointer);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let known = names.iter().copied().flatten().find(is_part);
    known.map_or_else(
        || pointer.trim_start_matches('/').to_owned(),
        |name| name.name.to_owned(),
    )
}

/// The body that a query stands for; names that are not known and values that cannot be read are noted.
fn body_of(query: &str, names: QueryNames, unknown: &mut Faults, faults: &mut Faults) -> Value {
    let mut body = Value::Object(Map::new());
    let mut seen = BTreeSet::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
        let name = decode(name).unwrap_or_else(|| name.to_owned());
        let Some(known) = names
            .iter()
            .copied()
            .flatten()
            .find(|known| known.name == name)
        else {
            unknown.note(name, Code::UnknownQueryParameter, known_names(names));
            continue;
        };
        if !seen.insert(known.name) {
            faults.note(known.pointer, Code::InvalidField, "the name is given twice");
        } else if let Some(text) = decode(text) {
            insert(&mut body, known.pointer, known.kind.read(text));
        } else {
            faults.note(
                known.pointer,
                Code::InvalidField,
                "the percent encoding is not UTF-8",
            );
        }
    }
    // The position object is always there, so that what is missing in it has a name of its own.
    let mut pointers = names.iter().copied().flatten().map(|name| name.pointer);
    if pointers.any(|pointer| pointer.starts_with("/position/")) && body.get("position").is_none() {
        insert(&mut body, "/position", Value::Object(Map::new()));
    }
    body
}

fn known_names(names: QueryNames) -> String {
    let list: Vec<_> = names
        .iter()
        .copied()
        .flatten()
        .map(|known| known.name)
        .collect();
    if list.is_empty() {
        "no query is read here".into()
    } else {
        format!("the names known here: {}", list.join(", "))
    }
}

/// The text of a percent-encoded part of a query, if it is UTF-8.
pub fn decode(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced)
        .decode_utf8()
        .ok()
        .map(Into::into)
}

impl QueryKind {
    /// The JSON value of a text; a text that does not fit stays one, for the member's type to refuse.
    fn read(self, text: String) -> Value {
        match self {
            QueryKind::Text => Value::String(text),
            QueryKind::Number => text.parse::<i64>().map_or(Value::String(text), Value::from),
            QueryKind::Flag => text
                .parse::<bool>()
                .map_or(Value::String(text), Value::Bool),
            QueryKind::List => text.split('/').map(Value::from).collect(),
        }
    }
}

fn insert(body: &mut Value, pointer: &str, value: Value) {
    let place = pointer.split('/').skip(1).fold(body, |place, step| {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        &mut place[step]
    });
    *place = value;
}
