//! Events on their way to the caller, as server-sent events or as lines of JSON.
//!
//! Both carry the same objects. The caller sets the pace: an event is made when the one before it has
//! been taken, so a slow reader gets the newest progress and not all of it.

use std::convert::Infallible;
use std::time::Duration;

use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};
use futures_util::stream::{self, Stream, StreamExt};
use serde::Serialize;
use serde_json::Value;
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::api::code::Code;
use crate::api::error::{ApiError, Problem};
use crate::api::faults::Faults;
use crate::api::search::NOT_KEPT;
use crate::api::text::named;
use crate::store::{JobEvent, NewEvent};

/// How the events are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Server-sent events.
    Sse,
    /// A line of JSON each.
    Ndjson,
}

impl Form {
    pub const SSE: &'static str = "text/event-stream";
    pub const NDJSON: &'static str = "application/x-ndjson";

    /// The form of a media type, if it is one of events.
    pub fn of(media_type: &str) -> Option<Form> {
        match media_type {
            Form::SSE => Some(Form::Sse),
            Form::NDJSON => Some(Form::Ndjson),
            _ => None,
        }
    }

    const fn media_type(self) -> &'static str {
        match self {
            Form::Sse => Form::SSE,
            Form::Ndjson => Form::NDJSON,
        }
    }

    /// What is sent so that the connection is seen to live: no event, and passed over by readers.
    const fn heartbeat(self) -> Bytes {
        match self {
            Form::Sse => Bytes::from_static(b":\n\n"),
            Form::Ndjson => Bytes::from_static(b"\n"),
        }
    }

    fn write(self, event: &Event, ids: Ids) -> Bytes {
        let json = serde_json::to_string(event).expect("a JSON value can be written");
        match (self, ids) {
            (Form::Ndjson, _) => format!("{json}\n").into(),
            (Form::Sse, Ids::Numbers) => format!("id: {}\ndata: {json}\n\n", event.seq).into(),
            (Form::Sse, Ids::Last) if event.kind.is_terminal() => {
                format!("id: {LAST}\ndata: {json}\n\n").into()
            }
            (Form::Sse, Ids::Last) => format!("data: {json}\n\n").into(),
        }
    }
}

/// The ids of server-sent events, which a browser that connects again tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ids {
    /// Only the last event has one: a browser that connects again because the stream has ended says so by it.
    Last,
    /// Each has its number: the stream can be taken up behind it.
    Numbers,
}

/// The id of the last event.
const LAST: &str = "end";

/// Has the caller had the last event, and comes back only because the connection has ended?
pub fn has_had_all(request: &HttpRequest) -> bool {
    let last = request.headers().get("last-event-id");
    last.is_some_and(|id| id.as_bytes() == LAST.as_bytes())
}

/// The number of the last event of a resumable stream that the caller has had; 0 if none.
///
/// # Errors
///
/// When what it says is no number.
pub fn last_event_of(request: &HttpRequest) -> Result<u64, ApiError> {
    let Some(last) = request.headers().get("last-event-id") else {
        return Ok(0);
    };
    let number = last.to_str().ok().and_then(|text| text.parse().ok());
    number.ok_or_else(|| {
        let mut faults = Faults::default();
        let detail = "an event's id is its number";
        faults.note("Last-Event-ID", Code::InvalidField, detail);
        faults.into()
    })
}

/// What an event tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventType {
    /// The request is a good one; always the first.
    Accepted,
    /// What is found so far.
    Progress,
    /// A ply of a review, judged.
    Ply,
    /// The answer, as it would be without events.
    Result,
    /// Why there is no answer: a problem. The last event.
    Error,
    /// There is nothing more to come. The last event.
    Done,
}

impl EventType {
    const ALL: [EventType; 6] = [
        EventType::Accepted,
        EventType::Progress,
        EventType::Ply,
        EventType::Result,
        EventType::Error,
        EventType::Done,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            EventType::Accepted => "accepted",
            EventType::Progress => "progress",
            EventType::Ply => "ply",
            EventType::Result => "result",
            EventType::Error => "error",
            EventType::Done => "done",
        }
    }

    const fn is_terminal(self) -> bool {
        matches!(self, EventType::Error | EventType::Done)
    }
}

named!(
    EventType,
    "What the event tells: `accepted` comes first; `progress` any number of times, only the newest each time; \
     `ply` once for each ply of a review; \
     `result` has the answer; `done` after it, or `error` instead of both, is the last."
);

/// An event.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Event {
    /// Its number, from 1.
    #[schema(minimum = 1)]
    seq: u64,
    /// What it tells.
    #[serde(rename = "type")]
    kind: EventType,
    /// With `accepted`: `position` and `to_move`; with `progress`: `lines`, `depth`, `nodes` and `elapsed_ms`; with `ply`:
    /// the ply as the answer of a review has it; with `result`: the answer; with `error`: the problem; with `done`: nothing, of a
    /// job its `state`.
    #[schema(value_type = Object)]
    data: Value,
}

impl Event {
    /// A kept event of a job; none of one that was kept by another version and is not known.
    pub fn of(event: &JobEvent) -> Option<Event> {
        let mut kinds = EventType::ALL.into_iter();
        Some(Event {
            seq: event.number,
            kind: kinds.find(|kind| kind.name() == event.kind)?,
            data: serde_json::from_str(&event.data).ok()?,
        })
    }
}

/// What is told in events, before it is numbered.
pub struct Told {
    kind: EventType,
    data: Value,
}

impl Told {
    /// An event of a type.
    pub fn new(kind: EventType, data: &impl Serialize) -> Told {
        match serde_json::to_value(data) {
            Ok(data) => Told { kind, data },
            Err(error) => Told::error(&ApiError::Internal(error.to_string()).problem("")),
        }
    }

    /// The event as it is kept of a job.
    pub fn into_event(self) -> NewEvent {
        NewEvent {
            kind: self.kind.name(),
            data: self.data.to_string(),
        }
    }

    /// The last event where something has gone wrong.
    pub fn error(problem: &Problem) -> Told {
        Told {
            kind: EventType::Error,
            data: serde_json::to_value(problem).unwrap_or_default(),
        }
    }

    /// The last event where all has gone well.
    pub fn done() -> Told {
        Told {
            kind: EventType::Done,
            data: Value::Object(serde_json::Map::new()),
        }
    }
}

/// The longest that a stream is silent.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// Tells proxies that hold back what they pass on to let events through.
const UNBUFFERED: (HeaderName, HeaderValue) = (
    HeaderName::from_static("x-accel-buffering"),
    HeaderValue::from_static("no"),
);

/// Answers with a first event, and then with those that each step from a state tells, until one leaves no state behind.
pub fn respond_in_steps<S, F>(
    form: Form,
    first: Told,
    state: S,
    step: impl Fn(S) -> F + Copy + 'static,
) -> HttpResponse
where
    S: 'static,
    F: Future<Output = (Vec<Told>, Option<S>)> + 'static,
{
    let steps = stream::unfold(
        Some(state),
        move |state| async move { Some(step(state?).await) },
    );
    let first = stream::once(std::future::ready(first));
    respond(form, first.chain(steps.flat_map(stream::iter)))
}

/// Answers with events, up to the first last one.
fn respond(form: Form, events: impl Stream<Item = Told> + 'static) -> HttpResponse {
    respond_with(form, Ids::Last, numbered(events))
}

/// Answers with events that have their numbers already, up to the first last one. The stream can be taken up behind each.
pub fn respond_resumable(form: Form, events: impl Stream<Item = Event> + 'static) -> HttpResponse {
    respond_with(form, Ids::Numbers, events)
}

fn numbered(events: impl Stream<Item = Told>) -> impl Stream<Item = Event> {
    let numbers = stream::iter(1..);
    numbers
        .zip(events)
        .map(|(seq, Told { kind, data })| Event { seq, kind, data })
}

fn respond_with(form: Form, ids: Ids, events: impl Stream<Item = Event> + 'static) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(form.media_type())
        .insert_header(NOT_KEPT)
        .insert_header(UNBUFFERED)
        .streaming(octets(form, ids, HEARTBEAT, events))
}

/// The octets of events, with a heartbeat wherever none comes for so long.
fn octets(
    form: Form,
    ids: Ids,
    heartbeat: Duration,
    events: impl Stream<Item = Event> + 'static,
) -> impl Stream<Item = Result<Bytes, Infallible>> {
    stream::unfold(Some(Box::pin(events)), move |events| async move {
        let mut events = events?;
        let event = match timeout(heartbeat, events.next()).await {
            Err(_) => return Some((Ok(form.heartbeat()), Some(events))),
            Ok(event) => event?,
        };
        let octets = form.write(&event, ids);
        let rest = (!event.kind.is_terminal()).then_some(events);
        Some((Ok(octets), rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(kind: EventType) -> Told {
        Told::new(kind, &serde_json::json!({}))
    }

    async fn text(form: Form, events: impl Stream<Item = Told> + 'static) -> String {
        let events = numbered(events);
        let octets = octets(form, Ids::Last, Duration::from_millis(20), events);
        let pieces: Vec<_> = octets.collect().await;
        pieces
            .into_iter()
            .map(|piece| String::from_utf8(piece.unwrap().to_vec()).unwrap())
            .collect()
    }

    #[actix_web::test]
    async fn events_are_numbered_and_end_with_the_first_last_one() {
        let kinds = [
            EventType::Accepted,
            EventType::Result,
            EventType::Done,
            EventType::Error,
        ];
        let lines = text(Form::Ndjson, stream::iter(kinds.map(told))).await;
        assert_eq!(
            lines,
            "{\"seq\":1,\"type\":\"accepted\",\"data\":{}}\n\
             {\"seq\":2,\"type\":\"result\",\"data\":{}}\n\
             {\"seq\":3,\"type\":\"done\",\"data\":{}}\n"
        );
        let events = text(Form::Sse, stream::iter(kinds.map(told))).await;
        assert_eq!(
            events,
            "data: {\"seq\":1,\"type\":\"accepted\",\"data\":{}}\n\n\
             data: {\"seq\":2,\"type\":\"result\",\"data\":{}}\n\n\
             id: end\ndata: {\"seq\":3,\"type\":\"done\",\"data\":{}}\n\n"
        );
    }

    #[actix_web::test]
    async fn a_resumable_stream_has_the_number_of_each_event_for_its_id() {
        let event = |seq, kind| Event {
            seq,
            kind,
            data: serde_json::json!({}),
        };
        let events = [event(7, EventType::Ply), event(8, EventType::Done)];
        let octets = octets(Form::Sse, Ids::Numbers, HEARTBEAT, stream::iter(events));
        let pieces: Vec<_> = octets.map(|piece| piece.unwrap()).collect().await;
        assert_eq!(
            pieces.concat(),
            b"id: 7\ndata: {\"seq\":7,\"type\":\"ply\",\"data\":{}}\n\n\
              id: 8\ndata: {\"seq\":8,\"type\":\"done\",\"data\":{}}\n\n"
        );
    }

    #[actix_web::test]
    async fn silence_is_broken_by_heartbeats_and_no_event_is_lost_by_them() {
        for (form, beat) in [(Form::Sse, ":\n\n"), (Form::Ndjson, "\n")] {
            let late = stream::once(async {
                tokio::time::sleep(Duration::from_millis(100)).await;
                told(EventType::Done)
            });
            let text = text(form, late).await;
            assert!(text.starts_with(beat), "{text:?}");
            assert!(
                text.trim_start_matches(beat)
                    .contains("\"seq\":1,\"type\":\"done\""),
                "{text:?}"
            );
        }
    }
}
