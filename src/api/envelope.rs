//! What wraps every request: an id, a measured and logged answer, and one body for all errors.

use std::panic::AssertUnwindSafe;
use std::time::Instant;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CONTENT_ENCODING, ETAG, HeaderMap,
    HeaderName, HeaderValue,
};
use actix_web::middleware::Next;
use actix_web::{Error as ActixError, HttpMessage, HttpRequest, HttpResponse, ResponseError, web};
use futures_util::FutureExt;
use thiserror::Error;
use uuid::Uuid;

use crate::api::EXPOSED;
use crate::api::error::ApiError;
use crate::api::health::{Metrics, RouteIndex};
use crate::api::negotiate::coded;
use crate::service::Config;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");

/// The id under which a request is answered and logged.
#[derive(Clone)]
struct RequestId(HeaderValue);

impl RequestId {
    /// The caller's own id, else the trace of its `traceparent` (W3C Trace Context), else a new one.
    fn of(headers: &HeaderMap) -> RequestId {
        let own = headers
            .get(REQUEST_ID)
            .filter(|id| is_id(id.as_bytes()))
            .cloned();
        let traced = || {
            let parent = headers.get(TRACE_PARENT)?.to_str().ok()?;
            let trace = parent.split('-').nth(1)?;
            // All zeros is no trace, by the same standard.
            let is_trace = trace.len() == 32
                && trace.bytes().all(|byte| byte.is_ascii_hexdigit())
                && trace.bytes().any(|byte| byte != b'0');
            is_trace.then(|| HeaderValue::from_str(trace).ok())?
        };
        let new =
            || HeaderValue::from_str(&Uuid::now_v7().to_string()).expect("an id is visible ASCII");
        RequestId(own.or_else(traced).unwrap_or_else(new))
    }

    fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or("")
    }
}

/// The id of a request, for what is told of it after its head has been answered.
pub fn request_id(request: &HttpRequest) -> String {
    let extensions = request.extensions();
    let id = extensions.get::<RequestId>();
    id.map_or_else(String::new, |id| id.as_str().to_owned())
}

/// Short, and nothing that could break a log line or a header.
fn is_id(id: &[u8]) -> bool {
    (1..=128).contains(&id.len()) && id.iter().all(u8::is_ascii_graphic)
}

/// Wraps everything else: gives the request its id, refuses a target that is too long, catches panics,
/// gives every error its body, and counts and logs how the request was answered.
pub async fn envelope(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, ActixError> {
    let call = Call::begin(&request);
    let target = request.uri().path_and_query();
    if target.is_some_and(|target| target.as_str().len() > call.most_url) {
        let problem = ApiError::UriTooLong(call.most_url);
        return Ok(request.into_response(call.fail(problem).error_response()));
    }
    request.extensions_mut().insert(call.id.clone());
    // The request cannot be kept here for an answer of our own: routing needs it to itself.
    match AssertUnwindSafe(next.call(request)).catch_unwind().await {
        Ok(Ok(response)) => Ok(call.end(response)),
        Ok(Err(error)) => {
            let status = error.as_response_error().status_code();
            Err(call.fail(of_status(status, call.most_url)).into())
        }
        Err(_) => Err(call
            .fail(ApiError::Internal("a handler panicked".into()))
            .into()),
    }
}

/// A request while it is answered.
struct Call {
    id: RequestId,
    started: Instant,
    metrics: Option<web::Data<Metrics>>,
    route: RouteIndex,
    most_url: usize,
}

impl Call {
    fn begin(request: &ServiceRequest) -> Call {
        let metrics = request.app_data::<web::Data<Metrics>>().cloned();
        let config = request.app_data::<web::Data<Config>>();
        Call {
            id: RequestId::of(request.headers()),
            started: Instant::now(),
            route: metrics
                .as_ref()
                .map_or_else(RouteIndex::default, |metrics| metrics.route(request.path())),
            metrics,
            most_url: config.map_or(usize::MAX, |config| config.limits.url_bytes),
        }
    }

    /// The answer as it goes out.
    fn end<B: MessageBody + 'static>(&self, response: ServiceResponse<B>) -> ServiceResponse {
        let mut response = match self.problem_for(&response) {
            None => tag_coding(response.map_into_boxed_body()),
            Some(mut problem) => {
                open_to_all(problem.headers_mut());
                response.into_response(problem)
            }
        };
        response.headers_mut().insert(REQUEST_ID, self.id.0.clone());
        self.count(response.status());
        tracing::debug!(
            target: "tengen::access",
            id = self.id.as_str(),
            method = %response.request().method(),
            path = response.request().path(),
            status = response.status().as_u16(),
            took_us = self.started.elapsed().as_micros(),
        );
        response
    }

    /// The error for a request that is lost.
    fn fail(&self, problem: ApiError) -> Failure {
        self.count(problem.status_code());
        let id = self.id.as_str().to_owned();
        Failure { problem, id }
    }

    /// Our body for an error, be it ours or the framework's; none for a good answer.
    fn problem_for<B>(&self, response: &ServiceResponse<B>) -> Option<HttpResponse> {
        let status = response.status();
        if !status.is_client_error() && !status.is_server_error() {
            return None;
        }
        let error = response.response().error();
        Some(match error.and_then(|error| error.as_error::<ApiError>()) {
            Some(own) => own.respond(self.id.as_str()),
            None => of_status(status, self.most_url).respond(self.id.as_str()),
        })
    }

    fn count(&self, status: StatusCode) {
        if let Some(metrics) = &self.metrics {
            metrics.count(self.route, status, self.started.elapsed());
        }
    }
}

/// Lets every page read an error, as CORS lets it read an answer.
fn open_to_all(headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(
        ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static(EXPOSED),
    );
}

/// Gives a compressed answer a tag of its own: a strong tag stands for the very octets.
fn tag_coding(mut response: ServiceResponse) -> ServiceResponse {
    let headers = response.headers();
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let coded = text(CONTENT_ENCODING)
        .zip(text(ETAG))
        .and_then(|(coding, etag)| HeaderValue::try_from(coded(etag, coding)).ok());
    if let Some(tag) = coded {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}

/// An error after which there is no request left to answer; it brings all its headers with it.
#[derive(Debug, Error)]
#[error("{problem}")]
struct Failure {
    problem: ApiError,
    id: String,
}

impl ResponseError for Failure {
    fn status_code(&self) -> StatusCode {
        self.problem.status_code()
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = self.problem.respond(&self.id);
        let headers = response.headers_mut();
        if let Ok(id) = HeaderValue::from_str(&self.id) {
            headers.insert(REQUEST_ID, id);
        }
        open_to_all(headers);
        response
    }
}

/// Our error for a status that the framework chose.
fn of_status(status: StatusCode, most_url: usize) -> ApiError {
    match status {
        StatusCode::NOT_FOUND => ApiError::RouteNotFound,
        StatusCode::NOT_ACCEPTABLE => {
            ApiError::NotAcceptable("a coding that Accept-Encoding allows".into())
        }
        StatusCode::URI_TOO_LONG => ApiError::UriTooLong(most_url),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => ApiError::UnsupportedMediaType,
        status if status.is_client_error() => ApiError::BadRequest(status.to_string()),
        _ => ApiError::Internal(status.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use actix_web::body::to_bytes;
    use actix_web::dev::Service;
    use actix_web::middleware::from_fn;
    use actix_web::{App, HttpResponse, test};
    use serde_json::Value;

    use super::*;

    async fn panics() -> HttpResponse {
        panic!("the secret of the house")
    }

    #[actix_web::test]
    async fn a_panic_is_an_internal_error_and_the_next_request_is_answered() {
        let app = App::new()
            .wrap(from_fn(envelope))
            .route("/panic", web::get().to(panics))
            .route("/fine", web::get().to(HttpResponse::Ok));
        let app = test::init_service(app).await;
        let request = test::TestRequest::get()
            .uri("/panic")
            .insert_header(("x-request-id", "abc"))
            .to_request();
        let failure = app.call(request).await.expect_err("the handler panics");
        let response = failure.error_response();
        assert_eq!(response.status(), 500);
        assert_eq!(response.headers().get("x-request-id").unwrap(), "abc");
        assert_eq!(
            response.headers().get("content-type").unwrap(),
            "application/problem+json"
        );
        let body = to_bytes(response.into_body()).await.unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["code"], "internal_error");
        assert_eq!(body["request_id"], "abc");
        assert!(!body.to_string().contains("secret"));
        let request = test::TestRequest::get().uri("/fine").to_request();
        assert_eq!(test::call_service(&app, request).await.status(), 200);
    }

    #[actix_web::test]
    async fn an_id_is_the_callers_or_its_traces_or_a_new_one() {
        let id_for = |name: &'static str, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(
                HeaderName::from_static(name),
                HeaderValue::from_str(value).unwrap(),
            );
            RequestId::of(&headers).as_str().to_owned()
        };
        assert_eq!(id_for("x-request-id", "my-id.7"), "my-id.7");
        let trace = "0af7651916cd43dd8448eb211c80319c";
        assert_eq!(
            id_for("traceparent", &format!("00-{trace}-b7ad6b7169203331-01")),
            trace
        );
        for bad in ["", "two words", &"x".repeat(129)] {
            assert_eq!(id_for("x-request-id", bad).len(), 36, "{bad:?}");
        }
    }
}
