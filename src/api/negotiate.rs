//! What a caller accepts, and what it has already.

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
    let mut ranges = request
        .headers()
        .get_all(header::ACCEPT)
        .map(|value| value.to_str().unwrap_or(""))
        .flat_map(|value| value.split(','))
        .peekable();
    // Of the ranges that fit, the most exact one decides (RFC 9110, 12.5.1).
    let says_nothing = ranges.peek().is_none();
    let decides = ranges
        .filter_map(|range| Some((exactness(range, media_type)?, range)))
        .max_by_key(|(exactness, _)| *exactness);
    if says_nothing || decides.is_some_and(|(_, range)| !is_refused(range)) {
        Ok(())
    } else {
        Err(ApiError::NotAcceptable(media_type))
    }
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

fn is_refused(range: &str) -> bool {
    range
        .split(';')
        .filter_map(|part| part.trim().strip_prefix("q="))
        .any(|quality| quality.parse::<f32>().is_ok_and(|quality| quality <= 0.0))
}

/// How long an answer that never changes may be kept without asking again.
const KEEP: HeaderValue = HeaderValue::from_static("public, max-age=300");

/// Answers a request whose answer follows from its path and query alone: tagged by them, and kept for
/// some minutes.
///
/// # Errors
///
/// What `compute` gives, its places named as in a query.
pub fn unchanging(
    request: &HttpRequest,
    compute: impl FnOnce() -> Result<HttpResponse, ApiError>,
) -> Result<HttpResponse, ApiError> {
    let etag = etag(&[request.path(), request.query_string()]);
    let mut response = tagged(request, &etag, || compute().map_err(ApiError::into_query))?;
    response.headers_mut().insert(header::CACHE_CONTROL, KEEP);
    Ok(response)
}

/// Answers with a strong `ETag`, or with 304 before anything is computed when the caller has that answer
/// already.
///
/// # Errors
///
/// What `compute` gives.
pub fn tagged(
    request: &HttpRequest,
    etag: &str,
    compute: impl FnOnce() -> Result<HttpResponse, ApiError>,
) -> Result<HttpResponse, ApiError> {
    let known = not_modified(request, etag);
    // `*` asks whether there is an answer at all: that is known only when it is there.
    if let Some(known) = known {
        if tags(request).any(|tag| tag == "*") {
            compute()?;
        }
        return Ok(known);
    }
    let mut response = compute()?;
    if let Ok(value) = HeaderValue::try_from(etag) {
        response.headers_mut().insert(header::ETAG, value);
        response.headers_mut().insert(VARIES.0, VARIES.1);
    }
    Ok(response)
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
