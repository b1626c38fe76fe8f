//! Is the service alive, is it ready, and how much does it do.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpRequest, HttpResponse, web};
use metrics::{Counter, Gauge, Histogram};
use metrics_exporter_prometheus::{
    BuildError, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::answer;
use crate::api::error::ApiError;
use crate::api::extract::NoQuery;
use crate::api::negotiate::accept;
use crate::service::{Counts, JobCounts, JobTally, SearchPool};
use crate::store::Store;

/// That the service answers.
#[derive(Serialize, ToSchema)]
pub struct Health {
    /// Always `ok`.
    #[schema(example = "ok")]
    status: &'static str,
}

/// The service answers.
#[utoipa::path(
    get, path = "/healthz", tag = "service",
    responses((status = 200, description = "The service answers.", body = Health, content_type = "application/json"))
)]
pub async fn get_healthz(request: HttpRequest, _: NoQuery) -> Result<HttpResponse, ApiError> {
    accept(&request, "application/json")?;
    Ok(answer::ok(&Health { status: "ok" }))
}

/// The service and its database are ready.
#[utoipa::path(
    get, path = "/readyz", tag = "service",
    responses((status = 200, description = "The service and its database are ready.", body = Health, content_type = "application/json"))
)]
pub async fn get_readyz(
    request: HttpRequest,
    _: NoQuery,
    store: web::Data<dyn Store>,
) -> Result<HttpResponse, ApiError> {
    accept(&request, "application/json")?;
    store.ping().await.map_err(|error| {
        tracing::error!(%error, "the database is not ready");
        ApiError::DatabaseBusy
    })?;
    Ok(answer::ok(&Health { status: "ok" }))
}

/// Counters and histograms in the Prometheus text format.
#[utoipa::path(
    get, path = "/metrics", tag = "service",
    responses((status = 200, description = "Requests by route and status class and how long they took, the searches, and the jobs of this server.", body = String, content_type = "text/plain"))
)]
pub async fn get_metrics(
    request: HttpRequest,
    _: NoQuery,
    metrics: web::Data<Metrics>,
    searches: web::Data<SearchPool>,
    jobs: web::Data<JobTally>,
) -> Result<HttpResponse, ApiError> {
    accept(&request, "text/plain")?;
    metrics.searches.set(searches.counts());
    metrics.jobs.set(jobs.counts());
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8"))
        .body(metrics.handle.render()))
}

/// Requests counted by route and status class, with handles made once: looking one up by its labels
/// at each request costs more than the counting.
pub struct Metrics {
    handle: PrometheusHandle,
    paths: HashMap<&'static str, RouteIndex>,
    /// The routes with a parameter.
    patterns: Vec<(RouteIndex, &'static str)>,
    routes: Vec<Route>,
    searches: Searches,
    jobs: Jobs,
    // Owns what the handles write to.
    _recorder: Arc<PrometheusRecorder>,
}

struct Route {
    by_class: [Counter; 5],
    seconds: Histogram,
}

/// The upper bounds of the histogram's buckets, in seconds.
const BUCKETS: &[f64] = &[
    0.000_1, 0.000_25, 0.001, 0.002_5, 0.01, 0.025, 0.1, 0.5, 2.0, 10.0,
];

/// The routes that are counted each by itself; all other paths are counted together.
pub const ROUTES: &[&str] = &[
    "/v1/replays",
    "/v1/legal-moves",
    "/v1/threats",
    "/v1/hints",
    "/v1/analyses",
    "/v1/reviews",
    "/v1/proofs",
    "/v1/proofs/{sha256}",
    "/v1/proof-checks",
    "/v1/defences",
    "/v1/batches",
    "/v1/jobs",
    "/v1/jobs/{id}",
    "/v1/jobs/{id}/events",
    "/v1/jobs/{id}/cancellation",
    "/v1/boards.svg",
    "/v1/boards.png",
    "/v1/boards.txt",
    "/v1/conversions",
    "/v1/games",
    "/v1/games/{id}",
    "/v1/games/{id}/positions/{ply}",
    "/v1/games/{id}/review",
    "/v1/game-imports",
    "/v1/explorer",
    "/v1/players",
    "/v1/players/{name}",
    "/v1/statistics",
    "/v1/rules",
    "/v1/meta",
    "/v1/problems/{code}",
    "/openapi.json",
    "/openapi.yaml",
    "/docs/{file}",
    "/healthz",
    "/readyz",
    "/metrics",
];

/// A route in the metrics; the first one stands for all paths that are not counted by themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RouteIndex(usize);

impl Metrics {
    /// Counters for these routes, and one more for all other paths.
    ///
    /// # Errors
    ///
    /// When the histogram's buckets are refused.
    pub fn new(routes: &[&'static str]) -> Result<Metrics, BuildError> {
        let recorder = Arc::new(
            PrometheusBuilder::new()
                .set_buckets(BUCKETS)?
                .build_recorder(),
        );
        let names = std::iter::once("other").chain(routes.iter().copied());
        let (kept, searches, jobs) = metrics::with_local_recorder(&*recorder, || {
            metrics::describe_counter!("http_requests_total", "Requests answered.");
            metrics::describe_histogram!("http_request_seconds", "Time to an answer's head.");
            let kept = names.clone().map(Route::new).collect();
            (kept, Searches::new(), Jobs::new())
        });
        Ok(Metrics {
            handle: recorder.handle(),
            paths: names
                .enumerate()
                .map(|(index, name)| (name, RouteIndex(index)))
                .collect(),
            patterns: (1..)
                .map(RouteIndex)
                .zip(routes.iter().copied())
                .filter(|(_, route)| route.contains('{'))
                .collect(),
            routes: kept,
            searches,
            jobs,
            _recorder: recorder,
        })
    }

    /// The route of a path.
    pub fn route(&self, path: &str) -> RouteIndex {
        let known = self.paths.get(path).copied();
        let of_pattern = || {
            let mut patterns = self.patterns.iter();
            patterns.find(|(_, route)| fits(route, path))
        };
        known
            .or_else(|| of_pattern().map(|(index, _)| *index))
            .unwrap_or_default()
    }

    /// Counts an answered request.
    pub fn count(&self, route: RouteIndex, status: StatusCode, took: Duration) {
        let class = usize::from(status.as_u16() / 100).clamp(1, 5) - 1;
        if let Some(route) = self.routes.get(route.0) {
            route.by_class[class].increment(1);
            route.seconds.record(took.as_secs_f64());
        }
    }

    /// Sorts what was recorded into the buckets. Must be called now and then: until then every
    /// recorded time is kept by itself.
    pub fn tidy(&self) {
        self.handle.run_upkeep();
    }
}

/// Is this a path of a route, as `/v1/games/x` of `/v1/games/{id}`?
fn fits(route: &str, path: &str) -> bool {
    let mut parts = path.split('/');
    route.split('/').all(|own| {
        parts
            .next()
            .is_some_and(|part| own == part || own.starts_with('{'))
    }) && parts.next().is_none()
}

impl Route {
    fn new(path: &'static str) -> Route {
        Route {
            by_class: ["1xx", "2xx", "3xx", "4xx", "5xx"].map(|class| {
                metrics::counter!("http_requests_total", "route" => path, "status" => class)
            }),
            seconds: metrics::histogram!("http_request_seconds", "route" => path),
        }
    }
}

/// How many searches there are and were, as the pool counts them.
struct Searches {
    waiting: Gauge,
    running: Gauge,
    by_end: [Counter; 4],
}

impl Searches {
    fn new() -> Searches {
        metrics::describe_gauge!("searches_waiting", "Searches that wait for a thread.");
        metrics::describe_gauge!("searches_running", "Searches that run.");
        metrics::describe_counter!("searches_total", "Searches by how they ended.");
        Searches {
            waiting: metrics::gauge!("searches_waiting"),
            running: metrics::gauge!("searches_running"),
            by_end: ["finished", "cancelled", "failed", "refused"]
                .map(|end| metrics::counter!("searches_total", "end" => end)),
        }
    }

    fn set(&self, counts: Counts) {
        self.waiting.set(number(counts.waiting));
        self.running.set(number(counts.running));
        let ends = [
            counts.finished,
            counts.cancelled,
            counts.failed,
            counts.refused,
        ];
        set_all(&self.by_end, ends);
    }
}

/// The jobs that this server works on and has ended.
struct Jobs {
    running: Gauge,
    by_end: [Counter; 3],
}

impl Jobs {
    fn new() -> Jobs {
        metrics::describe_gauge!("jobs_running", "Jobs that this server works on.");
        metrics::describe_counter!(
            "jobs_total",
            "Jobs that the workers of this server have ended, by how."
        );
        Jobs {
            running: metrics::gauge!("jobs_running"),
            by_end: ["done", "failed", "cancelled"]
                .map(|end| metrics::counter!("jobs_total", "end" => end)),
        }
    }

    fn set(&self, counts: JobCounts) {
        self.running.set(number(counts.running));
        let ends = [counts.done, counts.failed, counts.cancelled];
        set_all(&self.by_end, ends);
    }
}

fn set_all<const N: usize>(counters: &[Counter; N], counts: [u64; N]) {
    for (counter, count) in counters.iter().zip(counts) {
        counter.absolute(count);
    }
}

/// A count as a gauge shows it.
fn number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_counted_under_its_route_and_an_unknown_one_under_other() {
        let metrics = Metrics::new(ROUTES).unwrap();
        let name = |path: &str| match metrics.route(path) {
            RouteIndex(0) => "other",
            RouteIndex(index) => ROUTES[index - 1],
        };
        for (path, route) in [
            ("/v1/replays", "/v1/replays"),
            ("/v1/games", "/v1/games"),
            (
                "/v1/games/019357a4-6c00-7000-8000-000000000000",
                "/v1/games/{id}",
            ),
            ("/v1/games/a/positions/7", "/v1/games/{id}/positions/{ply}"),
            ("/v1/games/a/review", "/v1/games/{id}/review"),
            ("/v1/games/a/b", "other"),
            ("/v1/games/a/b/7", "other"),
            ("/v1/games/{id}/7", "other"),
            ("/v1/players", "/v1/players"),
            ("/v1/players/A%2FB", "/v1/players/{name}"),
            ("/docs/index.html", "/docs/{file}"),
            ("/docs/", "/docs/{file}"),
            ("/nothing", "other"),
            ("", "other"),
        ] {
            assert_eq!(name(path), route, "{path}");
        }
        metrics.count(
            metrics.route("/nothing"),
            StatusCode::IM_A_TEAPOT,
            Duration::ZERO,
        );
        let text = metrics.handle.render();
        assert!(
            text.contains("http_requests_total{route=\"other\",status=\"4xx\"} 1"),
            "{text}"
        );
    }

    #[test]
    fn every_documented_path_is_counted_by_itself() {
        for path in crate::api::document().paths.paths.keys() {
            assert!(ROUTES.contains(&path.as_str()), "{path}");
        }
    }
}
