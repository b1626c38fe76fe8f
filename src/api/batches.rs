//! `/v1/batches`: many computations in one request.

use std::time::{Duration, Instant};

use actix_web::body::MessageBody;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::api::answer;
use crate::api::code::Code;
use crate::api::computation::{Computation, ComputationKind};
use crate::api::desk::Desk;
use crate::api::envelope::request_id;
use crate::api::error::ApiError;
use crate::api::extract::{Body, Input, read_body};
use crate::api::faults::Faults;
use crate::api::query::QueryNames;
use crate::api::text::{Text, Whole, present};
use crate::service::{Config, Limits, SearchPool, Searcher, Urgency};
use crate::store::Store;

/// Computations to be done.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = BatchRequest)]
pub struct RawBatch {
    /// The computations, in order.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Vec<RawItem>, required = true, min_items = 1, max_items = 100)]
    items: Option<Vec<Box<RawValue>>>,
    /// The time in milliseconds that all searches of the batch may take together; 10 000 when absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u32>, nullable = false, minimum = 1, maximum = 60_000)]
    time_ms: Option<Whole>,
}

/// A computation to be done.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = BatchItem)]
pub struct RawItem {
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = ComputationKind, required = true)]
    kind: Option<Text<ComputationKind>>,
    /// The body that the endpoint takes.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Object, required = true)]
    body: Option<Box<RawValue>>,
}

/// A valid batch; its items need not be.
pub struct BatchRequest {
    items: Vec<Box<RawValue>>,
    time: Duration,
}

impl Input for RawBatch {
    type Valid = BatchRequest;

    const QUERY: QueryNames = &[];

    fn most_octets(limits: &Limits) -> usize {
        limits.body_bytes.saturating_mul(Limits::BATCH_BODIES)
    }

    fn validate(self, limits: &Limits, faults: &mut Faults) -> Option<BatchRequest> {
        let most_ms = i64::try_from(limits.batch_time.as_millis()).ok()?;
        let default = Limits::BATCH_TIME_DEFAULT.min(limits.batch_time);
        let time = faults.within(self.time_ms, "/time_ms", 1..=most_ms);
        let items = self.items.unwrap_or_else(|| {
            faults.note("/items", Code::MissingField, "items are needed");
            Vec::new()
        });
        let most = Limits::BATCH_ITEMS;
        if !(1..=most).contains(&items.len()) {
            let detail = format!("a batch has 1 to {most} items");
            faults.note("/items", Code::LimitOutOfRange, detail);
        }
        Some(BatchRequest {
            items,
            time: time.map_or(Some(default), |time| {
                Some(Duration::from_millis(u64::try_from(time).ok()?))
            })?,
        })
    }
}

impl Input for RawItem {
    type Valid = (ComputationKind, Box<RawValue>);

    const QUERY: QueryNames = &[];

    fn validate(self, _: &Limits, faults: &mut Faults) -> Option<Self::Valid> {
        if self.kind.is_none() {
            let detail = format!("say what to compute: {}", ComputationKind::CHOICE);
            faults.note("/kind", Code::MissingField, detail);
        }
        if self.body.is_none() {
            faults.note("/body", Code::MissingField, "a body is needed");
        }
        let choice = ComputationKind::CHOICE;
        let kind = faults.choose(self.kind, "/kind", Code::InvalidField, choice);
        Some((kind?, self.body?))
    }
}

/// What became of each computation.
#[derive(Serialize, ToSchema)]
pub struct BatchAnswer {
    /// One for each item of the request, in their order.
    items: Vec<ItemAnswer>,
}

/// What became of one computation.
#[derive(Serialize, ToSchema)]
#[schema(as = BatchItemAnswer)]
struct ItemAnswer {
    /// The HTTP status that the endpoint would have answered with.
    #[schema(minimum = 200, maximum = 599)]
    status: u16,
    /// The endpoint's answer, or a problem; its pointers are into the body of the batch, as `/items/3/body/position/moves`.
    #[schema(value_type = Object)]
    body: Box<RawValue>,
}

impl ItemAnswer {
    fn of(response: HttpResponse) -> ItemAnswer {
        let status = response.status().as_u16();
        let octets = response.into_body().try_into_bytes().unwrap_or_default();
        let body = serde_json::from_slice(&octets).unwrap_or_default();
        ItemAnswer { status, body }
    }
}

/// A batch that is being done.
struct Batch<'a> {
    limits: &'a Limits,
    searcher: Searcher,
    desk: &'a Desk,
    /// When the items before have waited for so long that no other is begun.
    until: Instant,
}

impl Batch<'_> {
    async fn answer(&self, number: usize, item: &RawValue) -> Result<HttpResponse, ApiError> {
        let pointer = format!("/items/{number}");
        let (kind, body) = read_body::<RawItem>(item.get().as_bytes(), self.limits)
            .map_err(|error| error.below(&pointer))?;
        if body.get().len() > self.limits.body_bytes {
            return Err(ApiError::BodyTooLarge(self.limits.body_bytes));
        }
        if Instant::now() > self.until {
            return Err(ApiError::BatchOverdue);
        }
        let done = async {
            let computation = Computation::read(kind, body.get().as_bytes(), self.limits)?;
            computation.run(&self.searcher, self.desk).await
        };
        let below = |error: ApiError| error.below(&format!("{pointer}/body"));
        done.await.map_err(below)
    }
}

/// Computes many things in one request.
///
/// The items are done one after the other, each as its endpoint would do it, and one that is refused or fails leaves the others alone. Searches
/// count as analyses, hints too: hints of others go before them. All searches together take no longer than `time_ms`: a search is cut short where it ends
/// (`stop_reason` is `time` then), and what needs a search after it gets `engine_budget_exhausted`. Waiting for a free search
/// thread does not count; where that takes too long, the items that are left get `deadline_exceeded`. A caller that leaves stops the batch.
#[utoipa::path(
    post, path = "/v1/batches", tag = "analysis",
    request_body(content = RawBatch, examples(
        ("mixed" = (summary = "A hint, a replay and a request that is refused", value = json!({"items": [
            {"kind": "hint", "body": {"position": {"moves": "h8h12h9a1h10c1h11"}, "limits": {"nodes": 300}}},
            {"kind": "replay", "body": {"position": {"rule": "renju", "moves": "h8 i9"}}},
            {"kind": "threats", "body": {"position": {"moves": "8h"}}},
        ]}))),
    )),
    responses((status = 207, description = "What became of each item.", body = BatchAnswer))
)]
pub async fn create_batch(
    request: HttpRequest,
    body: Body<RawBatch>,
    config: web::Data<Config>,
    pool: web::Data<SearchPool>,
    store: web::Data<dyn Store>,
    desk: web::Data<Desk>,
) -> HttpResponse {
    let BatchRequest { items, time } = body.0;
    let batch = Batch {
        limits: &config.limits,
        searcher: Searcher::within(&pool, store.into_inner(), Urgency::Analysis, time),
        desk: &desk,
        until: Instant::now() + time + config.search.wait,
    };
    let id = request_id(&request);
    let mut answers = Vec::with_capacity(items.len());
    for (number, item) in items.iter().enumerate() {
        let answered = batch.answer(number, item).await;
        answers.push(ItemAnswer::of(
            answered.unwrap_or_else(|error| error.respond(&id)),
        ));
        // Replays wait for nothing: others on this thread have their turn between them.
        tokio::task::yield_now().await;
    }
    let mut response = answer::ok(&BatchAnswer { items: answers });
    if response.status().is_success() {
        *response.status_mut() = StatusCode::MULTI_STATUS;
    }
    response
}
