//! What a caller accepts, and what it has already.

use std::cmp::Ordering;

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};
use sha2::{Digest, Sha256};

use crate::api::error::ApiError;

/// Does the caller accept this media type? Without an `Accept` header it takes anything.
///
/// # Errors
///
/// [`ApiError::NotAcceptable`] if not.
pub fn accept(request: &HttpRequest, media_type: &'static str) -> Result<(), ApiError> {
    choose(request, &[media_type]).map(|_| ())
}

/// The media type that the caller likes best of those on offer; of equals the one it names more exactly,
/// then the first. Without an `Accept` header it takes the first.
///
/// # Errors
///
/// [`ApiError::NotAcceptable`] if it takes none.
pub fn choose(request: &HttpRequest, offers: &[&'static str]) -> Result<&'static str, ApiError> {
    let ranges: Vec<&str> = request
        .headers()
        .get_all(header::ACCEPT)
        .map(|value| value.to_str().unwrap_or(""))
        .flat_map(|value| value.split(','))
        .collect();
    let says_nothing = ranges.is_empty();
    let liked = offers.iter().copied().rev().filter_map(|offer| {
        // Of the ranges that fit, the most exact one decides (RFC 9110, 12.5.1).
        let decides = ranges
            .iter()
            .filter_map(|range| Some((exactness(range, offer)?, quality(range))))
            .max_by_key(|(exactness, _)| *exactness);
        let (exactness, quality) = decides.or(says_nothing.then_some((0, 1.0)))?;
        (quality > 0.0).then_some((quality, exactness, offer))
    });
    // The last of equals is the first on offer: the offers are turned round.
    liked
        .max_by(|one, other| {
            let (one, other) = ((one.0, f32::from(one.1)), (other.0, f32::from(other.1)));
            one.partial_cmp(&other).unwrap_or(Ordering::Equal)
        })
        .map(|(_, _, offer)| offer)
        .ok_or_else(|| ApiError::NotAcceptable(offers.join(", ")))
}

/// How exactly a media range names a media type, if it fits.
fn exactness(range: &str, media_type: &str) -> Option<u8> {
    let essence = range
        .split(';')
        .next()
        .unwrap_or("")
        .trim()
        .to_ascii_lowercase();
    let (family, _) = media_type.split_once('/')?;
    match essence.as_str() {
        "*/*" => Some(0),
        exact if exact == media_type => Some(2),
        part if part.strip_suffix("/*") == Some(family) => Some(1),
        _ => None,
    }
}

/// How much a media range is liked, from 0 (refused) to 1.
fn quality(range: &str) -> f32 {
    range
        .split(';')
        .filter_map(|part| part.trim().strip_prefix("q="))
        .find_map(|quality| quality.parse().ok())
        .unwrap_or(1.0)
}

/// How long an answer that never changes may be kept without asking again.
const KEEP: HeaderValue = HeaderValue::from_static("public, max-age=300");

/// Answers a request whose answer follows from its path and query alone: tagged by them, and kept for
/// some minutes.
///
/// # Errors
///
/// What `compute` gives.
pub async fn unchanging(
    request: &HttpRequest,
    compute: impl Future<Output = Result<HttpResponse, ApiError>>,
) -> Result<HttpResponse, ApiError> {
    unchanging_under(request, "", compute).await
}

/// As [`unchanging`], for an answer that follows from a setting of the service too.
///
/// # Errors
///
/// What `compute` gives.
pub async fn unchanging_under(
    request: &HttpRequest,
    setting: &str,
    compute: impl Future<Output = Result<HttpResponse, ApiError>>,
) -> Result<HttpResponse, ApiError> {
    let etag = etag(&[request.path(), request.query_string(), setting]);
    kept(request, &etag, compute).await
}

/// As [`unchanging`], for an answer that follows from what its tag is made of.
///
/// # Errors
///
/// What `compute` gives.
pub async fn kept(
    request: &HttpRequest,
    etag: &str,
    compute: impl Future<Output = Result<HttpResponse, ApiError>>,
) -> Result<HttpResponse, ApiError> {
    let mut response = tagged(request, etag, compute).await?;
    if !says_how_to_keep(&response) {
        response.headers_mut().insert(header::CACHE_CONTROL, KEEP);
    }
    Ok(response)
}

/// Answers with a strong `ETag`, or with 304 before anything is computed when the caller has that answer
/// already. An answer that says by itself how it may be kept gets no tag: it is not what was expected.
///
/// # Errors
///
/// What `compute` gives.
pub async fn tagged(
    request: &HttpRequest,
    etag: &str,
    compute: impl Future<Output = Result<HttpResponse, ApiError>>,
) -> Result<HttpResponse, ApiError> {
    let known = not_modified(request, etag);
    // `*` asks whether there is an answer at all: that is known only when it is there.
    if let Some(known) = known {
        if tags(request).any(|tag| tag == "*") {
            compute.await?;
        }
        return Ok(known);
    }
    let mut response = compute.await?;
    if let Ok(value) = HeaderValue::try_from(etag)
        && !says_how_to_keep(&response)
    {
        response.headers_mut().insert(header::ETAG, value);
        response.headers_mut().insert(VARIES.0, VARIES.1);
    }
    Ok(response)
}

fn says_how_to_keep(response: &HttpResponse) -> bool {
    response.headers().contains_key(header::CACHE_CONTROL)
}

/// The 304 for a caller that has this answer already, in whatever coding: `If-None-Match` names its tag.
/// Tags are compared weakly, as RFC 9110 asks for it.
fn not_modified(request: &HttpRequest, etag: &str) -> Option<HttpResponse> {
    let codings = CODINGS.map(|coding| coded(etag, coding));
    let is_named = |own: &&str| tags(request).any(|tag| tag == *own || tag == "*");
    let known = std::iter::once(etag)
        .chain(codings.iter().map(String::as_str))
        .find(is_named)?;
    let mut response = HttpResponse::NotModified();
    response.insert_header((header::ETAG, known));
    Some(response.insert_header(VARIES).finish())
}

/// The content codings that an answer may have.
const CODINGS: [&str; 3] = ["gzip", "br", "deflate"];

/// An answer with a tag comes in several codings.
pub const VARIES: (header::HeaderName, HeaderValue) =
    (header::VARY, HeaderValue::from_static("accept-encoding"));

/// An answer comes in several forms and codings. (One value: of several, only the first gets past CORS.)
pub const VARIES_BY_FORM: (header::HeaderName, HeaderValue) = (
    header::VARY,
    HeaderValue::from_static("accept, accept-encoding"),
);

/// The tags that `If-None-Match` names, without the mark of a weak one.
fn tags(request: &HttpRequest) -> impl Iterator<Item = &str> {
    request
        .headers()
        .get_all(header::IF_NONE_MATCH)
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .map(|tag| tag.strip_prefix("W/").unwrap_or(tag))
}

/// The tag of an answer in a content coding: other octets, so another strong tag.
pub fn coded(etag: &str, coding: &str) -> String {
    format!("{}-{coding}\"", etag.trim_end_matches('"'))
}

/// A strong entity tag over some texts and the build of the program: another build may answer otherwise.
pub fn etag(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in [&[env!("TENGEN_BUILD")], parts].concat() {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    let digest: [u8; 32] = hash.finalize().into();
    let digits: String = digest[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("\"{digits}\"")
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn a_caller_gets_only_what_it_accepts() {
        for (accepts, expected) in [
            ("application/json", true),
            ("text/html, application/*;q=0.5", true),
            ("*/*", true),
            ("text/html", false),
            ("application/json;q=0", false),
            ("", false),
            ("*/*, application/json;q=0", false),
            ("application/*;q=0, application/json", true),
            ("APPLICATION/JSON; charset=utf-8", true),
        ] {
            let request = TestRequest::default()
                .insert_header(("accept", accepts))
                .to_http_request();
            assert_eq!(
                accept(&request, "application/json").is_ok(),
                expected,
                "{accepts}"
            );
        }
        assert!(
            accept(
                &TestRequest::default().to_http_request(),
                "application/json"
            )
            .is_ok()
        );
    }

    #[test]
    fn the_best_liked_form_is_chosen() {
        const OFFERS: &[&str] = &["application/json", "text/event-stream"];
        for (accepts, chosen) in [
            ("*/*", Some("application/json")),
            ("text/event-stream", Some("text/event-stream")),
            ("text/event-stream, */*", Some("text/event-stream")),
            (
                "application/json, text/event-stream",
                Some("application/json"),
            ),
            (
                "text/event-stream, application/json;q=0.9",
                Some("text/event-stream"),
            ),
            (
                "text/event-stream;q=0.1, application/*;q=0.2",
                Some("application/json"),
            ),
            ("text/*", Some("text/event-stream")),
            ("text/html", None),
            ("text/event-stream;q=0, application/json;q=0.0", None),
        ] {
            let request = TestRequest::default()
                .insert_header(("accept", accepts))
                .to_http_request();
            assert_eq!(choose(&request, OFFERS).ok(), chosen, "{accepts}");
        }
        let silent = TestRequest::default().to_http_request();
        assert_eq!(choose(&silent, OFFERS).ok(), Some("application/json"));
    }

    #[test]
    fn a_tag_is_found_among_many_in_its_weak_form_and_in_every_coding() {
        let tag = etag(&["a", "b"]);
        assert_ne!(tag, etag(&["ab", ""]));
        let gzip = coded(&tag, "gzip");
        assert_ne!(gzip, tag);
        for (header, expected) in [
            (tag.clone(), Some(tag.clone())),
            (format!("\"x\", W/{tag}"), Some(tag.clone())),
            (gzip.clone(), Some(gzip.clone())),
            (gzip.trim_end_matches('"').to_owned(), None),
            ("*".into(), Some(tag.clone())),
            ("\"x\"".into(), None),
            (String::new(), None),
        ] {
            let request = TestRequest::default()
                .insert_header(("if-none-match", header))
                .to_http_request();
            let answered = not_modified(&request, &tag).map(|response| {
                response
                    .headers()
                    .get("etag")
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned()
            });
            assert_eq!(answered, expected);
        }
    }
}
