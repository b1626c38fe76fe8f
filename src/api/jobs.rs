//! `/v1/jobs`: long work, done beside the requests.

use actix_web::http::StatusCode;
use actix_web::http::header::{LOCATION, RETRY_AFTER};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::api::answer;
use crate::api::code::Code;
use crate::api::error::{ApiError, Problem};
use crate::api::extract::{Body, Input, NoQuery};
use crate::api::faults::Faults;
use crate::api::job_task::{JobKind, Task, last};
use crate::api::negotiate::{accept, etag, tagged};
use crate::api::query::QueryNames;
use crate::api::stream::EventType;
use crate::api::text::{Text, named, present, written};
use crate::service::{Config, JobBell, Limits};
use crate::store::{Cancelling, Job, JobEvent, JobId, JobState, NewJob, PutJob, Store};

named!(
    JobState,
    "How far a job is: `queued` and `running` go on, `done`, `failed` and `cancelled` are ends."
);

/// Work to be done.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = JobRequest)]
pub struct RawJob {
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = JobKind, required = true)]
    kind: Option<Text<JobKind>>,
    /// Of an analysis, a review and a proof the body that `POST /v1/analyses`, `POST /v1/reviews` and `POST /v1/proofs` take, with the limits of time that `/v1/meta` tells for jobs; a proof has that of an analysis.
    /// Of an import the file as `text`, or as `octets` in base64, with `format`, `rule`, `size` and `dry_run` as in the query of `POST /v1/game-imports`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Object, required = true)]
    input: Option<Box<RawValue>>,
}

/// A valid request for a job; its input need not be.
pub struct JobRequest {
    kind: JobKind,
    input: Box<RawValue>,
}

impl Input for RawJob {
    type Valid = JobRequest;

    const QUERY: QueryNames = &[];

    fn most_octets(limits: &Limits) -> usize {
        limits.import_bytes.max(limits.body_bytes)
    }

    fn validate(self, _: &Limits, faults: &mut Faults) -> Option<JobRequest> {
        if self.kind.is_none() {
            let detail = format!("say what is to be done: {}", JobKind::CHOICE);
            faults.note("/kind", Code::MissingField, detail);
        }
        if self.input.is_none() {
            faults.note("/input", Code::MissingField, "an input is needed");
        }
        let kind = faults.choose(self.kind, "/kind", Code::InvalidField, JobKind::CHOICE);
        Some(JobRequest {
            kind: kind?,
            input: self.input?,
        })
    }
}

impl JobRequest {
    /// The job as it is kept. Equal inputs are equal whatever the order of their members.
    fn job(&self, limits: &Limits) -> Result<NewJob, ApiError> {
        let input = self.input.get();
        let task = Task::read(self.kind, input.as_bytes(), limits);
        let task = task.map_err(|error| error.below("/input"))?;
        let internal = |error: serde_json::Error| ApiError::Internal(error.to_string());
        let mut value: Value = serde_json::from_str(input).map_err(internal)?;
        value.sort_all_objects();
        let input = value.to_string();
        let kind = self.kind.name();
        let mut digest = Sha256::new();
        for part in [kind, " ", &input] {
            digest.update(part);
        }
        Ok(NewJob {
            kind: kind.into(),
            input,
            digest: digest.finalize().into(),
            accepted: task.accepted(),
        })
    }
}

/// A job as it stands.
#[derive(Serialize, ToSchema)]
#[schema(as = Job)]
pub struct JobView {
    /// Its name.
    #[schema(format = "uuid")]
    id: String,
    #[schema(value_type = JobKind)]
    kind: String,
    state: JobState,
    /// Where it stands among those that wait: 1 is begun next.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1)]
    queue_position: Option<u64>,
    /// How often it was begun: more than once where a server has gone in the midst of it.
    attempts: u64,
    /// Is its end asked for, and not yet come?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    cancelling: bool,
    /// How far it is. Of an analysis `depth`, `nodes` and `elapsed_ms`; of a review `searched` of so many `searches`, and the judged `plies`; of an import the counts so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, nullable = false)]
    progress: Option<Box<RawValue>>,
    /// What is found so far, or was before it was cancelled or failed. Of an analysis what its newest event of `progress` tells, of a review the judged `plies`, of an
    /// import the counts of what was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, nullable = false)]
    partial: Option<Box<RawValue>>,
    /// What came of it: the answer that the endpoint gives.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, nullable = false)]
    result: Option<Box<RawValue>>,
    /// Why it failed. Its `request_id` is the name of the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Problem>, nullable = false)]
    problem: Option<Box<RawValue>>,
    #[schema(format = "date-time")]
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = "date-time")]
    started_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = "date-time")]
    finished_at: Option<String>,
}

fn raw(json: Option<String>) -> Option<Box<RawValue>> {
    RawValue::from_string(json?).ok()
}

impl JobView {
    fn of(job: Job, events: &[JobEvent]) -> JobView {
        JobView {
            id: job.id.to_string(),
            partial: raw(partial(&job, events)),
            kind: job.kind,
            state: job.state,
            queue_position: job.queue_position,
            attempts: job.attempts,
            cancelling: job.is_cancelled && !job.state.is_ended(),
            progress: raw(job.progress),
            result: raw(job.result),
            problem: raw(job.problem),
            created_at: written(job.created_at),
            started_at: job.started_at.map(written),
            finished_at: job.finished_at.map(written),
        }
    }

    async fn read(store: &dyn Store, job: Job) -> Result<JobView, ApiError> {
        let events = if job.state == JobState::Done {
            Vec::new()
        } else {
            store.job_events(job.id, 0, MOST_EVENTS).await?
        };
        Ok(JobView::of(job, &events))
    }
}

/// More events than a job has: one for each ply of the longest record, for each depth of each attempt.
const MOST_EVENTS: u32 = 10_000;

/// What a job without a result has found, by its events.
fn partial(job: &Job, events: &[JobEvent]) -> Option<String> {
    if job.state == JobState::Done {
        return None;
    }
    let told = |kind: EventType| events.iter().filter(move |event| event.kind == kind.name());
    if job.kind != JobKind::Review.name() {
        return told(EventType::Progress)
            .next_back()
            .map(|event| event.data.clone());
    }
    let plies: Vec<_> = told(EventType::Ply)
        .map(|event| event.data.as_str())
        .collect();
    (!plies.is_empty()).then(|| format!("{{\"plies\":[{}]}}", plies.join(",")))
}

/// The job of a name.
///
/// # Errors
///
/// [`ApiError::JobNotFound`] when there is none.
pub async fn find(store: &dyn Store, id: &str) -> Result<Job, ApiError> {
    let id: JobId = id.parse().map_err(|_| ApiError::JobNotFound)?;
    store.job(id).await?.ok_or(ApiError::JobNotFound)
}

/// Answers with a job: 202 while there is more to come of it.
async fn respond(store: &dyn Store, job: Job) -> Result<HttpResponse, ApiError> {
    let is_ended = job.state.is_ended();
    let location = format!("/v1/jobs/{}", job.id);
    let mut response = answer::ok(&JobView::read(store, job).await?);
    if !is_ended && response.status().is_success() {
        *response.status_mut() = StatusCode::ACCEPTED;
    }
    if let Ok(location) = location.parse() {
        response.headers_mut().insert(LOCATION, location);
    }
    Ok(response)
}

/// Takes long work to be done beside the requests.
///
/// The job is kept at once and begun when its turn comes, by this server or another one on the same database; one that is gone in the midst
/// of it is replaced by another. Hints and analyses never wait for jobs. What comes of it is at `Location`, and on the way there at `Location` + `/events`.
///
/// An equal request (of the same kind, its input equal but for the order of members) gets the same job, unless that has failed or was cancelled: that begins anew,
/// and so does an import that is done, for it changes what is kept.
#[utoipa::path(
    post, path = "/v1/jobs", tag = "jobs",
    request_body(content = RawJob, examples(
        ("analysis" = (summary = "An analysis", value = json!({"kind": "analysis", "input": {"position": {"moves": "h8i9j7"}, "limits": {"nodes": 1000}}}))),
        ("review" = (summary = "The review of a game", value = json!({"kind": "review", "input": {"position": {"size": 9, "moves": "e5e6d5d6c5c6b5b6a1a6"}, "limits": {"nodes": 300}}}))),
        ("proof" = (summary = "A forced win", value = json!({"kind": "proof", "input": {"position": {"moves": "h8a1h9c1h10e1h11"}, "attacker": "black", "class": "fours", "limits": {"nodes": 2000}}}))),
        ("import" = (summary = "A file of games", value = json!({"kind": "import", "input": {"text": "(;GM[4]FF[4]SZ[15]RU[renju]PB[Ada]PW[Grace]RE[B+R];B[hh];W[ig];B[ji])"}}))),
    )),
    responses(
        (status = 202, description = "The job is taken, or an equal one goes on.", body = JobView, headers(("Location" = String, description = "Where the job is."))),
        (status = 200, description = "An equal job is done already.", body = JobView, headers(("Location" = String, description = "Where the job is."))),
    )
)]
pub async fn create_job(
    body: Body<RawJob>,
    config: web::Data<Config>,
    store: web::Data<dyn Store>,
    bell: web::Data<JobBell>,
) -> Result<HttpResponse, ApiError> {
    let job = body.0.job(&config.job_limits())?;
    let now = OffsetDateTime::now_utc();
    let job = match store.put_job(job, config.jobs.waiting, now).await? {
        PutJob::New(job) => {
            bell.ring();
            job
        }
        PutJob::Known(job) => job,
        PutJob::Full => return Err(ApiError::JobsFull),
    };
    respond(store.get_ref(), job).await
}

/// Tells how a job stands, and what came of it.
#[utoipa::path(
    get, path = "/v1/jobs/{id}", tag = "jobs",
    params(("id" = String, Path, description = "The job's name.", format = "uuid", example = "019357a4-6c00-7000-8000-000000000000")),
    responses((status = 200, description = "The job.", body = JobView))
)]
pub async fn get_job(
    request: HttpRequest,
    id: web::Path<String>,
    _: NoQuery,
    store: web::Data<dyn Store>,
) -> Result<HttpResponse, ApiError> {
    accept(&request, "application/json")?;
    let job = find(store.get_ref(), &id).await?;
    let is_ended = job.state.is_ended();
    let view = JobView::read(store.get_ref(), job).await?;
    let text =
        serde_json::to_string(&view).map_err(|error| ApiError::Internal(error.to_string()))?;
    let mut response = tagged(&request, &etag(&["job", &text]), async {
        Ok(answer::ok(&view))
    })
    .await?;
    if !is_ended {
        let soon = actix_web::http::header::HeaderValue::from_static("1");
        response.headers_mut().insert(RETRY_AFTER, soon);
    }
    Ok(response)
}

/// Ends a job that nobody wants any more. What it has found stays, as `partial`.
///
/// A job that waits ends at once; one that runs within a second, or when the server that works on it is known to be gone. One that has ended already stays as it
/// is: its `state` tells. To cancel twice does no harm.
#[utoipa::path(
    post, path = "/v1/jobs/{id}/cancellation", tag = "jobs",
    params(("id" = String, Path, description = "The job's name.", format = "uuid", example = "019357a4-6c00-7000-8000-000000000000")),
    responses(
        (status = 200, description = "The job has ended, by this or before.", body = JobView),
        (status = 202, description = "The job runs, and will end soon.", body = JobView),
    )
)]
pub async fn cancel_job(
    request: HttpRequest,
    id: web::Path<String>,
    _: NoQuery,
    store: web::Data<dyn Store>,
    bell: web::Data<JobBell>,
) -> Result<HttpResponse, ApiError> {
    accept(&request, "application/json")?;
    let id: JobId = id.parse().map_err(|_| ApiError::JobNotFound)?;
    let now = OffsetDateTime::now_utc();
    let job = match store.cancel_job(id, last("cancelled"), now).await? {
        Cancelling::NoSuchJob => return Err(ApiError::JobNotFound),
        Cancelling::Ended(job) | Cancelling::Asked(job) => {
            bell.ring();
            job
        }
        Cancelling::TooLate(job) => job,
    };
    respond(store.get_ref(), job).await
}
