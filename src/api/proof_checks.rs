//! `/v1/proof-checks`: is a certificate a proof?

use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::api::answer;
use crate::api::certificates::CertificateBody;
use crate::api::code::Code;
use crate::api::error::ApiError;
use crate::api::extract::{check_headers, receive};
use crate::api::faults::Faults;
use crate::api::negotiate::accept;
use crate::api::query::no_query;
use crate::api::text::named;
use crate::proof::{
    Certificate, CertificateError, CertificateId, Reason, Refuted, Reply, Verified, verify,
};
use crate::record::Ply;
use crate::service::{Limits, SearchError, SearchPool, Urgency};

named!(Reason as "RefutationCode", "Why a certificate is no proof.");

/// Whether a certificate is a proof.
#[derive(Serialize, ToSchema)]
pub struct ProofCheckAnswer {
    /// Does every line end in a win of the attacker?
    valid: bool,
    /// The certificate's name: the SHA-256 of its canonical text.
    id: CertificateId,
    /// The plies of its longest line. Told where it is valid, as all that follows but `refuted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    plies: Option<usize>,
    /// Its nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    nodes: Option<usize>,
    /// The positions that were looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    positions: Option<u64>,
    /// Where it fails first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    refuted: Option<RefutedView>,
}

/// Where a certificate fails.
#[derive(Serialize, ToSchema)]
#[schema(as = Refutation)]
struct RefutedView {
    /// The number of the node at which the attacker stands.
    node: usize,
    /// The plies played from the root, the one at fault counted.
    ply: usize,
    /// These plies as far as they could be played.
    line: Vec<Ply>,
    code: Reason,
    /// The same in words.
    detail: String,
}

impl RefutedView {
    fn of(refuted: &Refuted) -> RefutedView {
        RefutedView {
            node: refuted.node,
            ply: refuted.ply,
            line: refuted.line.iter().copied().map(ply_of).collect(),
            code: refuted.reason,
            detail: refuted.reason.to_string(),
        }
    }
}

/// A reply as it is written among moves.
pub fn ply_of(reply: Reply) -> Ply {
    match reply {
        Reply::Stone(cell) => Ply::Stone(cell),
        Reply::Pass => Ply::Pass,
    }
}

impl ProofCheckAnswer {
    fn of(id: CertificateId, checked: &Result<Verified, Box<Refuted>>) -> ProofCheckAnswer {
        let verified = checked.as_ref().ok();
        ProofCheckAnswer {
            valid: verified.is_some(),
            id,
            plies: verified.map(|verified| verified.plies),
            nodes: verified.map(|verified| verified.nodes),
            positions: verified.map(|verified| verified.positions),
            refuted: checked
                .as_ref()
                .err()
                .map(|refuted| RefutedView::of(refuted)),
        }
    }
}

/// How long a certificate may take to arrive.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many are held at once, waiting for a thread or on it: each may have 8 MiB.
static PLACES: Semaphore = Semaphore::const_new(8);
/// How long a caller waits for a place before its certificate is taken in.
const WAIT: Duration = Duration::from_secs(10);

/// Reads a text and plays it out.
///
/// # Errors
///
/// When it is no certificate.
fn check(body: &[u8]) -> Result<ProofCheckAnswer, ApiError> {
    let text =
        std::str::from_utf8(body).map_err(|error| ApiError::MalformedJson(error.to_string()))?;
    // What is no JSON at all has no place in it.
    serde_json::from_str::<serde::de::IgnoredAny>(text)
        .map_err(|error| ApiError::MalformedJson(error.to_string()))?;
    let certificate = Certificate::from_json(text).map_err(fault_of)?;
    let checked = verify(&certificate, Limits::PROOF_CHECK_POSITIONS);
    Ok(ProofCheckAnswer::of(certificate.id(), &checked))
}

/// What is wrong with a certificate, at its place.
fn fault_of(error: CertificateError) -> ApiError {
    let (pointer, code) = match &error {
        CertificateError::Unreadable { place, reason } => (pointer_of(place), code_of(reason)),
        CertificateError::TooLong(_) => (String::new(), Code::LimitOutOfRange),
        CertificateError::NoNodes => ("/nodes".into(), Code::InvalidField),
        CertificateError::TooManyNodes => ("/nodes".into(), Code::LimitOutOfRange),
        CertificateError::TooDeep { node } => (format!("/nodes/{node}"), Code::LimitOutOfRange),
        CertificateError::UnknownNode { node, .. }
        | CertificateError::Circle { node }
        | CertificateError::OffBoard { node, .. }
        | CertificateError::NamedTwice { node, .. }
        | CertificateError::NoStone { node }
        | CertificateError::NotInOrder { node } => (format!("/nodes/{node}"), Code::InvalidField),
        CertificateError::NotTheAttackersTurn => ("/nodes/0/m".into(), Code::InvalidField),
    };
    let mut faults = Faults::default();
    faults.note(pointer, code, error.to_string());
    faults.into()
}

fn code_of(reason: &str) -> Code {
    if reason.starts_with("missing field") {
        Code::MissingField
    } else if reason.starts_with("unknown field") {
        Code::UnknownField
    } else {
        Code::InvalidField
    }
}

/// A place as `nodes[3].r` as a pointer, `/nodes/3/r`; the text as a whole is the empty one.
fn pointer_of(place: &str) -> String {
    if place == "the text" || place == "the end" {
        return String::new();
    }
    let steps = place.split(['.', '[', ']']).filter(|step| !step.is_empty());
    steps.map(|step| format!("/{step}")).collect()
}

/// Checks a certificate by the rules alone.
///
/// The verifier plays every line: each named reply and every other legal one, passes in renju too. It shares no code with the
/// search. A certificate that does not hold is a good question with the answer `valid: false`: `refuted` tells the first node that fails,
/// the line to it and why. The body is the text of a certificate, in which blanks and the order of members do not matter; at most
/// 8 MiB, and at most so many positions are looked at as `/v1/meta` tells (`too_long`).
#[utoipa::path(
    post, path = "/v1/proof-checks", tag = "proofs",
    request_body(content = CertificateBody, examples(
        ("valid" = (summary = "A win by fours", value = json!({"version": 1, "rule": "freestyle", "size": 7, "black": ["b5", "c5", "d5"], "white": ["b2", "d2"], "to_move": "black", "attacker": "black", "nodes": [{"m": "e5", "r": {"a5": 1}, "o": 2}, {"m": "f5"}, {"m": "a5"}]}))),
        ("refuted" = (summary = "White stops this four", value = json!({"version": 1, "rule": "freestyle", "size": 7, "black": ["b5", "c5", "d5"], "white": ["b2", "d2"], "to_move": "black", "attacker": "black", "nodes": [{"m": "e5", "o": 1}, {"m": "a5"}]}))),
    )),
    responses((status = 200, description = "Whether it is a proof.", body = ProofCheckAnswer))
)]
pub async fn create_proof_check(
    request: HttpRequest,
    payload: web::Payload,
    pool: web::Data<SearchPool>,
) -> Result<HttpResponse, ApiError> {
    accept(&request, "application/json")?;
    no_query(&request)?;
    check_headers(request.headers())?;
    let place = timeout(WAIT, PLACES.acquire()).await;
    let _place = place.map_err(|_| ApiError::EngineQueueFull(SearchError::WaitedTooLong))?;
    let body = receive(&request, payload, Certificate::MOST_OCTETS, PATIENCE)
        .await?
        .ok_or_else(|| ApiError::MalformedJson("the body breaks off".into()))?;
    let checked = pool
        .work(Urgency::Analysis, Limits::PROOF_CHECK_TIME, move |_, _| {
            Some(check(&body))
        })
        .await?;
    Ok(answer::ok(&checked.outcome?))
}

/// The answer, checked on the calling thread.
///
/// # Errors
///
/// When the body is no certificate.
pub fn answer_here(body: &[u8]) -> Result<HttpResponse, ApiError> {
    Ok(answer::ok(&check(body)?))
}
