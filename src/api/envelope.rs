//! What wraps every request: an id, a measured and logged answer, and one body for all errors.

use std::panic::AssertUnwindSafe;
use std::time::Instant;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CONTENT_ENCODING, ETAG, HeaderMap, HeaderName, HeaderValue,
};
use actix_web::middleware::Next;
use actix_web::{Error as ActixError, HttpMessage, HttpResponse, ResponseError, web};
use futures_util::FutureExt;
use thiserror::Error;
use uuid::Uuid;

use crate::api::error::ApiError;
use crate::api::health::Metrics;
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

/// Short, and nothing that could break a log line or a header.
fn is_id(id: &[u8]) -> bool {
    (1..=128).contains(&id.len()) && id.iter().all(u8::is_ascii_graphic)
}

/// Outermost: gives the request its id, then measures and logs how it was answered.
pub async fn trace<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, ActixError> {
    let started = Instant::now();
    let id = RequestId::of(request.headers());
    request.extensions_mut().insert(id.clone());
    let mut response = next.call(request).await?;
    response.headers_mut().insert(REQUEST_ID, id.0.clone());
    let took = started.elapsed();
    let request = response.request();
    if let Some(metrics) = request.app_data::<web::Data<Metrics>>() {
        metrics.count(request.path(), response.status(), took);
    }
    tracing::debug!(
        target: "tengen::access",
        id = id.as_str(),
        method = %request.method(),
        path = request.path(),
        status = response.status().as_u16(),
        took_us = took.as_micros(),
    );
    Ok(response)
}

/// Inside CORS: refuses what is too long to look at, catches panics, and gives every error its body.
pub async fn problems(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, ActixError> {
    let id = request
        .extensions()
        .get::<RequestId>()
        .map_or_else(String::new, |id| id.as_str().to_owned());
    let most = request
        .app_data::<web::Data<Config>>()
        .map_or(usize::MAX, |config| config.limits.url_bytes);
    if request
        .uri()
        .path_and_query()
        .is_some_and(|target| target.as_str().len() > most)
    {
        return Ok(request.into_response(ApiError::UriTooLong(most).respond(&id)));
    }
    // The request cannot be kept here for an answer of our own: routing needs it to itself.
    match AssertUnwindSafe(next.call(request)).catch_unwind().await {
        Ok(Ok(response)) => Ok(match problem_of(&response, most) {
            None => tag_coding(response.map_into_boxed_body()),
            Some(problem) => {
                let problem = problem.respond(&id);
                response.into_response(problem)
            }
        }),
        Ok(Err(error)) => {
            let problem = of_status(error.as_response_error().status_code(), most);
            Err(Failure { problem, id }.into())
        }
        Err(_) => {
            tracing::error!(request_id = id, "a handler panicked");
            Err(Failure {
                problem: ApiError::Internal,
                id,
            }
            .into())
        }
    }
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

/// An error after which there is no request left to pass on; it brings its own headers, since what
/// wraps this adds none.
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
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        response
    }
}

/// The error that an answer stands for, whether ours or the framework's; none for a good answer.
fn problem_of<B>(response: &ServiceResponse<B>, most: usize) -> Option<ProblemRef<'_>> {
    let status = response.status();
    if !status.is_client_error() && !status.is_server_error() {
        return None;
    }
    let own = response
        .response()
        .error()
        .and_then(|error| error.as_error::<ApiError>());
    Some(own.map_or_else(
        || ProblemRef::Framework(of_status(status, most)),
        ProblemRef::Own,
    ))
}

/// An error of ours, or one made for a status of the framework's.
enum ProblemRef<'a> {
    Own(&'a ApiError),
    Framework(ApiError),
}

impl ProblemRef<'_> {
    fn respond(&self, id: &str) -> actix_web::HttpResponse {
        match self {
            ProblemRef::Own(error) => error.respond(id),
            ProblemRef::Framework(error) => error.respond(id),
        }
    }
}

/// Our error for a status that the framework chose.
fn of_status(status: StatusCode, most_url: usize) -> ApiError {
    match status {
        StatusCode::NOT_FOUND => ApiError::RouteNotFound,
        StatusCode::NOT_ACCEPTABLE => {
            ApiError::NotAcceptable("a coding that Accept-Encoding allows")
        }
        StatusCode::URI_TOO_LONG => ApiError::UriTooLong(most_url),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => ApiError::UnsupportedMediaType,
        status if status.is_client_error() => ApiError::MalformedJson(status.to_string()),
        _ => ApiError::Internal,
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
            .wrap(from_fn(problems))
            .wrap(from_fn(trace))
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
