//! Reads bodies and queries. What is valid comes out as a domain value; what is not, as up to twenty
//! faults at once, each with a pointer to its place.
//!
//! A POST body and the query of its GET twin are read by the same [`Input`]: a query is first turned
//! into the body it stands for.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use actix_web::http::header::{self, HeaderMap};
use actix_web::{FromRequest, HttpRequest, dev, web};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::api::error::ApiError;
use crate::api::faults::Faults;
use crate::api::negotiate;
use crate::api::pieces::read_in_pieces;
use crate::api::query::{QueryNames, no_query, read_query};
use crate::api::text::Object;
use crate::service::{Config, Limits};

/// A request as it is sent, and its turn into what it means.
pub trait Input: DeserializeOwned {
    /// What a valid request means.
    type Valid;

    /// The names of the query that stands for this body: the position's and the endpoint's own.
    const QUERY: QueryNames;

    /// The media types of the answer, the usual one first.
    const ANSWERS: &'static [&'static str] = &["application/json"];

    /// The most octets of the body.
    fn most_octets(limits: &Limits) -> usize {
        limits.body_bytes
    }

    /// Turns the raw request into a valid one, or notes its faults.
    fn validate(self, limits: &Limits, faults: &mut Faults) -> Option<Self::Valid>;
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
            negotiate::choose(&request, T::ANSWERS)?;
            no_query(&request)?;
            check_headers(request.headers())?;
            let limits = limits(&request);
            let payload = payload.map_err(|error| ApiError::Internal(error.to_string()))?;
            let body = receive(&request, payload, T::most_octets(limits), PATIENCE)
                .await?
                .ok_or_else(|| ApiError::MalformedJson("the body breaks off".into()))?;
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
        let read = negotiate::choose(request, T::ANSWERS)
            .and_then(|_| read_query::<T>(request.query_string(), limits(request)));
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

fn limits(request: &HttpRequest) -> &Limits {
    &request
        .app_data::<web::Data<Config>>()
        .expect("the routes are built with the configuration")
        .limits
}

/// Reads a body of at most so many octets; nothing when it breaks off or takes too long to arrive.
///
/// # Errors
///
/// [`ApiError::BodyTooLarge`], by what it says of its length before it is sent, else as soon as that shows.
pub async fn receive(
    request: &HttpRequest,
    payload: web::Payload,
    most: usize,
    patience: Duration,
) -> Result<Option<web::Bytes>, ApiError> {
    if announced_length(request.headers()).is_some_and(|length| length > most) {
        return Err(ApiError::BodyTooLarge(most));
    }
    match timeout(patience, payload.to_bytes_limited(most)).await {
        Ok(Err(_)) => Err(ApiError::BodyTooLarge(most)),
        Ok(Ok(Ok(body))) => Ok(Some(body)),
        Ok(Ok(Err(_))) | Err(_) => Ok(None),
    }
}

fn announced_length(headers: &HeaderMap) -> Option<usize> {
    headers
        .get(header::CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}

/// Does a body come without a content encoding?
pub fn is_identity(headers: &HeaderMap) -> bool {
    let coding = headers.get(header::CONTENT_ENCODING);
    coding.is_none_or(|coding| coding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

/// Is a body said to be JSON as it is read here?
///
/// # Errors
///
/// [`ApiError::UnsupportedMediaType`] if not.
pub fn check_headers(headers: &HeaderMap) -> Result<(), ApiError> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or(""));
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
    if is_identity(headers) && is_json && is_utf8 {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use serde_json::{Map, Value};

    use super::*;
    use crate::api::analyses::RawAnalysis;
    use crate::api::boards::{RawPng, RawText};
    use crate::api::code::Code;
    use crate::api::conversions::RawConversion;
    use crate::api::defences::RawDefences;
    use crate::api::explorer::RawExplorer;
    use crate::api::games::RawGame;
    use crate::api::hints::RawHints;
    use crate::api::legal_moves::RawLegalMoves;
    use crate::api::players::RawPlayers;
    use crate::api::proofs::RawProof;
    use crate::api::replays::RawReplay;
    use crate::api::reviews::RawReview;
    use crate::api::threats::RawThreats;

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
        let _ = read_body::<RawThreats>(octets, &limits);
        let _ = read_body::<RawHints>(octets, &limits);
        let _ = read_body::<RawAnalysis>(octets, &limits);
        let _ = read_body::<RawReview>(octets, &limits);
        let _ = read_body::<RawProof>(octets, &limits);
        let _ = read_body::<RawDefences>(octets, &limits);
        let _ = read_body::<RawPng>(octets, &limits);
        let _ = read_body::<RawText>(octets, &limits);
        let _ = read_body::<RawConversion>(octets, &limits);
        let _ = read_body::<RawGame>(octets, &limits);
        let query = String::from_utf8_lossy(octets);
        let _ = read_query::<RawReplay>(&query, &limits);
        let _ = read_query::<RawExplorer>(&query, &limits);
        let _ = read_query::<RawPlayers>(&query, &limits);
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
    fn a_member_given_twice_is_told_beside_other_faults() {
        let found = body_errors(
            r#"{"position":{"moves":[]},"ply":"x","ply":0,"include":1,"include":"states"}"#,
        );
        assert_eq!(
            found,
            [
                ("/ply".to_owned(), Code::InvalidField),
                ("/include".to_owned(), Code::InvalidField)
            ]
        );
        let found = body_errors(r#"{"position":7,"position":{"moves":"h8"}}"#);
        assert_eq!(found, [("/position".to_owned(), Code::InvalidField)]);
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

    #[test]
    fn an_unknown_name_is_told_as_it_is_and_hides_no_fault() {
        let read = read_query::<RawReplay>("moves=8h&/position/moves=1", &Limits::default());
        assert_eq!(
            errors(read),
            [
                ("/position/moves".to_owned(), Code::UnknownQueryParameter),
                ("moves".to_owned(), Code::UnreadableNotation)
            ]
        );
    }

    #[test]
    fn two_sources_in_a_query_are_told_under_a_name_of_it() {
        let read = read_query::<RawReplay>("moves=h8&board=.....", &Limits::default());
        assert_eq!(errors(read), [("board".to_owned(), Code::AmbiguousSource)]);
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
            "hint",
            "threat",
            "a1:F:white",
            "sgf",
            "moves",
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
            "only_moves",
            "level",
            "players",
            "black",
            "white",
            "result",
            "termination",
            "tags",
            "marks",
            "cell",
            "kind",
            "rank",
            "letter",
            "last_move",
            "title",
            "pixels",
            "from",
            "to",
            "text",
            "octets",
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
