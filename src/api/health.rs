//! Is the service alive, is it ready, and how much does it do.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpResponse, web};
use metrics::{Counter, Histogram};
use metrics_exporter_prometheus::{
    BuildError, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::error::ApiError;
use crate::api::extract::NoQuery;
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
pub async fn get_healthz(_: NoQuery) -> HttpResponse {
    HttpResponse::Ok().json(Health { status: "ok" })
}

/// The service and its database are ready.
#[utoipa::path(
    get, path = "/readyz", tag = "service",
    responses((status = 200, description = "The service and its database are ready.", body = Health, content_type = "application/json"))
)]
pub async fn get_readyz(_: NoQuery, store: web::Data<Store>) -> Result<HttpResponse, ApiError> {
    store.ping().await.map_err(|_| ApiError::DatabaseBusy)?;
    Ok(HttpResponse::Ok().json(Health { status: "ok" }))
}

/// Counters and histograms in the Prometheus text format.
#[utoipa::path(
    get, path = "/metrics", tag = "service",
    responses((status = 200, description = "Requests by route and status class, and how long they took.", body = String, content_type = "text/plain"))
)]
pub async fn get_metrics(_: NoQuery, metrics: web::Data<Metrics>) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8"))
        .body(metrics.handle.render())
}

/// Requests counted by route and status class, with handles made once: looking one up by its labels
/// at each request costs more than the counting.
pub struct Metrics {
    handle: PrometheusHandle,
    routes: HashMap<&'static str, Route>,
    other: Route,
    // Owns what the handles write to.
    _recorder: Arc<PrometheusRecorder>,
}

struct Route {
    by_class: [Counter; 5],
    seconds: Histogram,
}

/// The upper bounds of the histogram's buckets, in seconds.
const BUCKETS: [f64; 10] = [
    0.000_1, 0.000_25, 0.001, 0.002_5, 0.01, 0.025, 0.1, 0.5, 2.0, 10.0,
];

impl Metrics {
    /// Counters for these paths, without parameters, and one more for all other paths.
    ///
    /// # Errors
    ///
    /// When the histogram's buckets are refused.
    pub fn new(paths: &[&'static str]) -> Result<Metrics, BuildError> {
        let recorder = Arc::new(
            PrometheusBuilder::new()
                .set_buckets(&BUCKETS)?
                .build_recorder(),
        );
        let (routes, other) = metrics::with_local_recorder(&*recorder, || {
            metrics::describe_counter!("http_requests_total", "Requests answered.");
            metrics::describe_histogram!("http_request_seconds", "Time to an answer's head.");
            let routes = paths.iter().map(|path| (*path, Route::new(path))).collect();
            (routes, Route::new("other"))
        });
        Ok(Metrics {
            handle: recorder.handle(),
            routes,
            other,
            _recorder: recorder,
        })
    }

    /// Counts an answered request.
    pub fn count(&self, path: &str, status: StatusCode, took: Duration) {
        let route = self.routes.get(path).unwrap_or(&self.other);
        let class = usize::from(status.as_u16() / 100).clamp(1, 5) - 1;
        route.by_class[class].increment(1);
        route.seconds.record(took.as_secs_f64());
    }

    /// Sorts what was recorded into the buckets. Must be called now and then: until then every
    /// recorded time is kept by itself.
    pub fn tidy(&self) {
        self.handle.run_upkeep();
    }
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
