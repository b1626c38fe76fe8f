//! `/v1/jobs/{id}/events`: a job followed from anywhere in it, on any server.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse, web};
use futures_util::stream::{self, Stream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::sleep;

use crate::api::error::ApiError;
use crate::api::extract::NoQuery;
use crate::api::jobs::find;
use crate::api::negotiate::choose;
use crate::api::stream::{Event, Form, last_event_of, respond_resumable};
use crate::service::{JobBell, Limits, stopped};
use crate::store::{JobId, Store};

/// How often it is looked for what another server has told.
const POLL: Duration = Duration::from_millis(500);
/// How many events are read at once.
const EVENTS_AT_ONCE: u32 = 100;

/// What the streams of events of a server share.
pub struct JobStreams {
    places: Arc<Semaphore>,
    bell: JobBell,
    stop: watch::Receiver<bool>,
}

impl JobStreams {
    /// Streams that hear this bell and end when the service is stopped.
    pub fn new(bell: JobBell, stop: watch::Receiver<bool>) -> JobStreams {
        JobStreams {
            places: Arc::new(Semaphore::new(Limits::JOB_STREAMS)),
            bell,
            stop,
        }
    }
}

/// Follows a job.
///
/// The events are numbered without gaps from 1 on, `accepted` being the first: `progress`, and `ply` of a review, as the work goes on; then `result` and `done`, or `error` with a
/// problem; of a job that was cancelled only `done`, whose `state` says so. Exactly one last event comes, `done` or `error`.
///
/// The number is the id of a server-sent event: who comes back with it in `Last-Event-ID`, to this server or another one on the same database, gets what comes after it. After the
/// last one that is 204. Where nothing happens, a comment or an empty line is sent every five seconds; when the server stops, the stream ends without a last event.
#[utoipa::path(
    get, path = "/v1/jobs/{id}/events", tag = "jobs",
    params(
        ("id" = String, Path, description = "The job's name.", format = "uuid", example = "019357a4-6c00-7000-8000-000000000000"),
        ("Last-Event-ID" = Option<u64>, Header, description = "The number of the last event that the caller has had."),
    ),
    responses(
        (status = 200, description = "The events.", content(
            (Event = "application/x-ndjson"),
            (Event = "text/event-stream"),
        )),
        (status = 204, description = "The caller has had the last event: `Last-Event-ID` says so."),
    )
)]
pub async fn get_job_events(
    request: HttpRequest,
    id: web::Path<String>,
    _: NoQuery,
    streams: web::Data<JobStreams>,
    store: web::Data<dyn Store>,
) -> Result<HttpResponse, ApiError> {
    // Browsers that follow events say so; for all others lines are easier to read.
    let form = choose(&request, &[Form::NDJSON, Form::SSE])?;
    let form = Form::of(form).unwrap_or(Form::Ndjson);
    let after = last_event_of(&request)?;
    let job = find(store.get_ref(), &id).await?;
    if job.state.is_ended() && after >= job.last_event {
        return Ok(HttpResponse::NoContent().finish());
    }
    let place = streams.places.clone().try_acquire_owned();
    let following = Following {
        id: job.id,
        after,
        read: VecDeque::new(),
        bell: streams.bell.listen(),
        stop: streams.stop.clone(),
        store: store.into_inner(),
        _place: place.map_err(|_| ApiError::TooManyStreams)?,
    };
    Ok(respond_resumable(form, following.events()))
}

/// A job that is followed by one caller.
struct Following {
    id: JobId,
    /// The number of the last event that was read.
    after: u64,
    /// What is read and not yet sent.
    read: VecDeque<Event>,
    bell: watch::Receiver<()>,
    stop: watch::Receiver<bool>,
    store: Arc<dyn Store>,
    _place: OwnedSemaphorePermit,
}

impl Following {
    fn events(self) -> impl Stream<Item = Event> {
        stream::unfold(self, |mut following| async move {
            let event = following.next().await?;
            Some((event, following))
        })
    }

    /// The next event, once there is one; none when the service is stopped. Can be dropped and called again.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.read.pop_front() {
                return Some(event);
            }
            let told = self
                .store
                .job_events(self.id, self.after, EVENTS_AT_ONCE)
                .await;
            let told = told.unwrap_or_else(|error| {
                tracing::warn!(%error, job = %self.id, "the events of a job could not be read");
                Vec::new()
            });
            if let Some(last) = told.last() {
                self.after = last.number;
                self.read.extend(told.iter().filter_map(Event::of));
                continue;
            }
            if *self.stop.borrow() {
                return None;
            }
            tokio::select! {
                _ = self.bell.changed() => {}
                () = sleep(POLL) => {}
                () = stopped(self.stop.clone()) => {}
            }
        }
    }
}
