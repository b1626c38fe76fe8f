//! Certificates of forced wins, served as they are kept.

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::error::ApiError;
use crate::api::extract::NoQuery;
use crate::api::negotiate::{accept, tagged};
use crate::proof::CertificateId;
use crate::store::Store;

/// Where a certificate is to be had.
#[derive(Clone, Serialize, ToSchema)]
pub struct CertificateLink {
    /// The SHA-256 of its text.
    id: CertificateId,
    /// Its path here.
    #[schema(
        format = "uri-reference",
        example = "/v1/proofs/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )]
    href: String,
}

impl CertificateLink {
    /// The link to a certificate.
    pub fn to(id: CertificateId) -> CertificateLink {
        CertificateLink {
            id,
            href: format!("/v1/proofs/{id}"),
        }
    }
}

/// A text never changes under its name.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Tells a certificate: the text whose SHA-256 is its name, byte for byte.
///
/// `docs/analysis.md` tells how to read it; `POST /v1/proof-checks` and `tengen verify` check it by the rules alone.
#[utoipa::path(
    get, path = "/v1/proofs/{sha256}", tag = "proofs",
    params(("sha256" = CertificateId, Path, description = "The certificate's name.")),
    responses((status = 200, description = "The certificate.", body = CertificateBody))
)]
pub async fn get_certificate(
    request: HttpRequest,
    name: web::Path<String>,
    store: web::Data<dyn Store>,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    accept(&request, "application/json")?;
    let id: CertificateId = name.parse().map_err(|_| ApiError::ProofNotFound)?;
    let text = store.certificate(id).await?;
    let text = text.ok_or(ApiError::ProofNotFound)?;
    let answer = async {
        Ok(HttpResponse::Ok()
            .content_type("application/json")
            .body(text))
    };
    let mut response = tagged(&request, &format!("\"{id}\""), answer).await?;
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, FOR_EVER);
    Ok(response)
}

/// A forced win written down, for the document; `src/proof` reads and writes it.
#[derive(ToSchema)]
#[schema(as = Certificate)]
#[expect(dead_code, reason = "it describes what another room writes")]
pub struct CertificateBody {
    /// 1.
    #[schema(minimum = 1, maximum = 1)]
    version: u8,
    rule: crate::rules::Rule,
    #[schema(minimum = 5, maximum = 25)]
    size: u8,
    /// Black's stones.
    black: Vec<crate::board::Cell>,
    /// White's stones.
    white: Vec<crate::board::Cell>,
    /// Whose turn it is.
    to_move: crate::board::Color,
    /// Who wins.
    attacker: crate::board::Color,
    /// The tree: each node is a stone of the attacker and what follows it, the first one is the root.
    #[schema(min_items = 1, max_items = 200_000)]
    nodes: Vec<CertificateNode>,
}

/// A stone of the attacker and what follows it.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes what another room writes")]
struct CertificateNode {
    /// The stone; absent only at a root where the defender begins.
    #[schema(nullable = false)]
    m: Option<crate::board::Cell>,
    /// The replies that have a continuation of their own, cells or `pass`, each with the number of its node.
    #[schema(nullable = false)]
    r: Option<std::collections::BTreeMap<String, u32>>,
    /// The number of the node that answers every other legal reply.
    #[schema(nullable = false)]
    o: Option<u32>,
}
