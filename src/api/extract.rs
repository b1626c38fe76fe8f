//! Reads bodies and queries. What is valid comes out as a domain value; what is not, as up to twenty
//! faults at once, each with a pointer to its place.
//!
//! A POST body and the query of its GET twin are read by the same [`Input`]: a query is first turned
//! into the body it stands for.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use actix_web::http::header::{self, HeaderMap};
use actix_web::{FromRequest, HttpRequest, dev, web};
use percent_encoding::percent_decode_str;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use serde_path_to_error::{Path, Segment};
use tokio::time::timeout;

use crate::api::error::{ApiError, Code, InputError};
use crate::api::negotiate;
use crate::api::text::Object;
use crate::service::{Config, Limits};

/// A request as it is sent, and its turn into what it means.
pub trait Input: DeserializeOwned {
    /// What a valid request means.
    type Valid;

    /// The names of the query that stands for this body: the position's and the endpoint's own.
    const QUERY: QueryNames;

    /// Turns the raw request into a valid one, or notes its faults.
    fn validate(self, limits: &Limits, faults: &mut Faults) -> Option<Self::Valid>;
}

/// A name in a query and the member of the body that it stands for.
pub struct QueryName {
    /// The name.
    pub name: &'static str,
    /// The member, as a JSON pointer of one or two steps.
    pub pointer: &'static str,
    /// How its text is read.
    pub kind: QueryKind,
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

/// The faults found so far, each place told once, at most [`Limits::ERRORS`].
#[derive(Debug, Default)]
pub struct Faults {
    errors: Vec<InputError>,
}

impl Faults {
    /// Notes a fault; a second one at the same place is passed over.
    pub fn note(&mut self, pointer: impl Into<String>, code: Code, detail: impl Into<String>) {
        let pointer = pointer.into();
        if self.has_room() && !self.has(&pointer) {
            self.errors.push(InputError {
                pointer,
                code,
                detail: detail.into(),
            });
        }
    }

    /// Is there a fault at this place?
    pub fn has(&self, pointer: &str) -> bool {
        self.errors.iter().any(|error| error.pointer == pointer)
    }

    /// Can another fault be noted?
    pub fn has_room(&self) -> bool {
        self.errors.len() < Limits::ERRORS
    }

    /// The value, unless there were faults or it is missing for one.
    ///
    /// # Errors
    ///
    /// [`ApiError::Input`] with the faults.
    pub fn settle<T>(self, value: Option<T>) -> Result<T, ApiError> {
        match value {
            Some(value) if self.errors.is_empty() => Ok(value),
            _ => Err(ApiError::Input(self.errors)),
        }
    }
}

/// How long a body may take to arrive.
const PATIENCE: Duration = Duration::from_secs(30);

/// A valid JSON body.
pub struct Body<T: Input>(pub T::Valid);

impl<T: Input + 'static> FromRequest for Body<T> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut dev::Payload) -> Self::Future {
        let request = request.clone();
        let payload = web::Payload::from_request(&request, payload).into_inner();
        Box::pin(async move {
            negotiate::accept(&request, "application/json")?;
            no_query(&request)?;
            check_headers(request.headers())?;
            let limits = limits(&request);
            let most = limits.body_bytes;
            // Refused by what it says of its length, before it is sent.
            if announced_length(request.headers()).is_some_and(|length| length > most) {
                return Err(ApiError::BodyTooLarge(most));
            }
            let payload = payload.map_err(|_| ApiError::Internal)?;
            let body = match timeout(PATIENCE, payload.to_bytes_limited(most)).await {
                Ok(Err(_)) => return Err(ApiError::BodyTooLarge(most)),
                Ok(Ok(Ok(body))) => body,
                Ok(Ok(Err(_))) | Err(_) => {
                    return Err(ApiError::MalformedJson("the body breaks off".into()));
                }
            };
            read_body::<T>(&body, limits).map(Body)
        })
    }
}

/// A valid query.
pub struct Query<T: Input>(pub T::Valid);

impl<T: Input> FromRequest for Query<T> {
    type Error = ApiError;
    type Future = std::future::Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
        let read = negotiate::accept(request, "application/json")
            .and_then(|()| read_query::<T>(request.query_string(), limits(request)));
        std::future::ready(read.map(Query))
    }
}

/// A request for something that takes no query.
pub struct NoQuery;

impl FromRequest for NoQuery {
    type Error = ApiError;
    type Future = std::future::Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
        std::future::ready(no_query(request).map(|()| NoQuery))
    }
}

fn no_query(request: &HttpRequest) -> Result<(), ApiError> {
    let mut faults = Faults::default();
    query_object(request.query_string(), &[], &mut faults);
    faults.settle(Some(()))
}

fn limits(request: &HttpRequest) -> &Limits {
    &request
        .app_data::<web::Data<Config>>()
        .expect("the routes are built with the configuration")
        .limits
}

fn announced_length(headers: &HeaderMap) -> Option<usize> {
    headers
        .get(header::CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}

fn check_headers(headers: &HeaderMap) -> Result<(), ApiError> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or(""));
    let is_identity =
        text(header::CONTENT_ENCODING).is_none_or(|coding| coding.eq_ignore_ascii_case("identity"));
    let mut parts = text(header::CONTENT_TYPE)
        .unwrap_or("")
        .split(';')
        .map(str::trim);
    let essence = parts.next().unwrap_or("").to_ascii_lowercase();
    let is_json = essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"));
    let is_utf8 = parts
        .filter_map(|part| {
            part.to_ascii_lowercase()
                .strip_prefix("charset=")
                .map(str::to_owned)
        })
        .all(|charset| matches!(charset.trim_matches('"'), "utf-8" | "utf8" | "us-ascii"));
    if is_identity && is_json && is_utf8 {
        Ok(())
    } else {
        Err(ApiError::UnsupportedMediaType)
    }
}

/// Reads a body: at once if it is well-formed, else piece by piece to find all its faults.
pub fn read_body<T: Input>(body: &[u8], limits: &Limits) -> Result<T::Valid, ApiError> {
    let mut faults = Faults::default();
    let raw = match serde_json::from_slice::<Object<T>>(body) {
        Ok(Object(raw)) => Some(raw),
        Err(_) => read_in_pieces(body, &mut faults)?,
    };
    let valid = raw.and_then(|raw| raw.validate(limits, &mut faults));
    faults.settle(valid)
}

fn read_in_pieces<T: Input>(body: &[u8], faults: &mut Faults) -> Result<Option<T>, ApiError> {
    let malformed = |error: &dyn std::fmt::Display| ApiError::MalformedJson(error.to_string());
    let text = std::str::from_utf8(body).map_err(|error| malformed(&error))?;
    let value: Value = serde_json::from_str(text).map_err(|error| malformed(&error))?;
    // A member given twice is seen in the text alone: a value keeps only one of them.
    let mut reader = serde_json::Deserializer::from_str(text);
    if let Err(error) = serde_path_to_error::deserialize::<_, Object<T>>(&mut reader)
        && let Some(name) = error.inner().to_string().strip_prefix("duplicate field `")
    {
        let name = name.split('`').next().unwrap_or_default();
        let pointer = format!("{}/{}", pointer_of(error.path()), escape(name));
        faults.note(pointer, Code::InvalidField, "the member is given twice");
    }
    Ok(repair(value, faults))
}

/// Reads a value; each member that does not fit is noted and taken out until the rest can be read.
fn repair<T: Input>(mut value: Value, faults: &mut Faults) -> Option<T> {
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
    let detail = message.split(" at line ").next().unwrap_or(message);
    faults.note(pointer_of(path), code, detail);
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

/// Reads a query as the body that it stands for.
pub fn read_query<T: Input>(query: &str, limits: &Limits) -> Result<T::Valid, ApiError> {
    let mut faults = Faults::default();
    let body = query_object(query, T::QUERY, &mut faults);
    let valid = repair::<T>(body, &mut faults).and_then(|raw| raw.validate(limits, &mut faults));
    for error in &mut faults.errors {
        error.pointer = query_name(&error.pointer, T::QUERY);
    }
    // A name that is not known at all goes before values that are not: its code names the whole.
    faults
        .errors
        .sort_by_key(|error| error.code != Code::UnknownQueryParameter);
    faults.settle(valid)
}

/// The query name that stands for a member or for what it lies in.
pub fn query_name(pointer: &str, names: QueryNames) -> String {
    names
        .iter()
        .copied()
        .flatten()
        .find(|name| {
            pointer
                .strip_prefix(name.pointer)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
        .map_or_else(
            || pointer.trim_start_matches('/').to_owned(),
            |name| name.name.to_owned(),
        )
}

fn query_object(query: &str, names: QueryNames, faults: &mut Faults) -> Value {
    let mut body = Value::Object(Map::new());
    let mut seen = BTreeSet::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
        let Some(known) = decode(name).and_then(|name| {
            names
                .iter()
                .copied()
                .flatten()
                .find(|known| known.name == name)
        }) else {
            let list: Vec<_> = names
                .iter()
                .copied()
                .flatten()
                .map(|known| known.name)
                .collect();
            let known = if list.is_empty() {
                "none".to_owned()
            } else {
                list.join(", ")
            };
            let name = decode(name).unwrap_or_else(|| name.to_owned());
            faults.note(
                name,
                Code::UnknownQueryParameter,
                format!("the names known here: {known}"),
            );
            continue;
        };
        let Some(text) = decode(text) else {
            faults.note(
                known.pointer,
                Code::InvalidField,
                "the percent encoding is not UTF-8",
            );
            continue;
        };
        if seen.insert(known.name) {
            insert(&mut body, known.pointer, known.kind.read(text));
        } else {
            faults.note(known.pointer, Code::InvalidField, "the name is given twice");
        }
    }
    // The position object is always there, so that what is missing in it has a name of its own.
    if names
        .iter()
        .copied()
        .flatten()
        .any(|name| name.pointer.starts_with("/position/"))
        && body.get("position").is_none()
    {
        insert(&mut body, "/position", Value::Object(Map::new()));
    }
    body
}

fn decode(text: &str) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::api::games::RawGame;
    use crate::api::hints::RawHints;
    use crate::api::legal_moves::RawLegalMoves;
    use crate::api::replays::RawReplay;

    fn errors<T>(read: Result<T, ApiError>) -> Vec<(String, Code)> {
        match read {
            Err(ApiError::Input(errors)) => errors
                .into_iter()
                .map(|error| (error.pointer, error.code))
                .collect(),
            _ => Vec::new(),
        }
    }

    fn body_errors(body: &str) -> Vec<(String, Code)> {
        errors(read_body::<RawReplay>(body.as_bytes(), &Limits::default()))
    }

    /// Reads the same octets as every kind of request; the readers must come back.
    fn read_as_everything(octets: &[u8]) {
        let limits = Limits::default();
        let _ = read_body::<RawReplay>(octets, &limits);
        let _ = read_body::<RawLegalMoves>(octets, &limits);
        let _ = read_body::<RawHints>(octets, &limits);
        let _ = read_body::<RawGame>(octets, &limits);
        let _ = read_query::<RawReplay>(&String::from_utf8_lossy(octets), &limits);
    }

    #[test]
    fn faults_of_all_kinds_are_told_at_once_with_their_places() {
        let found = body_errors(
            r#"{"position":{"size":"15","moves":["h8",5,{"row":1},"?"],"x":1},"ply":null}"#,
        );
        assert_eq!(
            found,
            [
                ("/position/size".to_owned(), Code::InvalidField),
                ("/position/moves/1".to_owned(), Code::InvalidField),
                ("/position/x".to_owned(), Code::UnknownField),
                ("/ply".to_owned(), Code::InvalidField),
                ("/position/moves/2/col".to_owned(), Code::MissingField),
                ("/position/moves/3".to_owned(), Code::UnreadableNotation),
            ]
        );
    }

    #[test]
    fn a_member_given_twice_is_a_fault_at_its_place() {
        let found = body_errors(r#"{"position":{"size":15,"size":9,"moves":[]}}"#);
        assert_eq!(found, [("/position/size".to_owned(), Code::InvalidField)]);
    }

    #[test]
    fn names_with_slashes_are_escaped_in_pointers() {
        let found = body_errors(r#"{"position":{"moves":[]},"a/b~c":1}"#);
        assert_eq!(found, [("/a~1b~0c".to_owned(), Code::UnknownField)]);
    }

    #[test]
    fn faults_in_a_query_carry_its_names() {
        let read =
            read_query::<RawReplay>("moves=h8,8h&size=x&size=3&ply=1&y=%ff", &Limits::default());
        let found = errors(read);
        assert!(
            found.contains(&("moves".to_owned(), Code::UnreadableNotation)),
            "{found:?}"
        );
        assert!(
            found.contains(&("size".to_owned(), Code::InvalidField)),
            "{found:?}"
        );
        assert!(
            found.contains(&("y".to_owned(), Code::UnknownQueryParameter)),
            "{found:?}"
        );
    }

    /// Any JSON value, with the names and texts that requests have among its parts.
    fn any_json() -> impl Strategy<Value = Value> {
        let texts = prop::sample::select(vec![
            "h8",
            "pass",
            "renju",
            "black",
            "x.o..",
            ".....",
            "h8i9",
            "?",
            "z9",
            "states",
            "draw",
            "resignation",
        ]);
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            texts.prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        let names = prop::sample::select(vec![
            "position",
            "rule",
            "size",
            "moves",
            "board",
            "to_move",
            "setup",
            "row",
            "col",
            "ply",
            "include",
            "count",
            "limits",
            "time_ms",
            "players",
            "black",
            "white",
            "result",
            "termination",
            "tags",
            "other",
        ]);
        leaf.prop_recursive(4, 40, 8, move |inner| {
            let members = prop::collection::vec((names.clone(), inner.clone()), 0..6);
            prop_oneof![
                prop::collection::vec(inner, 0..8).prop_map(Value::from),
                members.prop_map(|members| members
                    .into_iter()
                    .map(|(k, v)| (k.to_owned(), v))
                    .collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn arbitrary_octets_never_break_the_readers(octets in prop::collection::vec(any::<u8>(), 0..200)) {
            read_as_everything(&octets);
        }

        #[test]
        fn arbitrary_json_never_breaks_the_readers(position in any_json(), rest in any_json()) {
            let mut body = if rest.is_object() { rest } else { Value::Object(Map::new()) };
            body["position"] = position;
            read_as_everything(body.to_string().as_bytes());
        }

        #[test]
        fn what_is_refused_has_between_one_and_twenty_faults(body in any_json()) {
            if let Err(ApiError::Input(errors)) = read_body::<RawReplay>(body.to_string().as_bytes(), &Limits::default()) {
                prop_assert!((1..=Limits::ERRORS).contains(&errors.len()), "{errors:?}");
            }
        }
    }
}
