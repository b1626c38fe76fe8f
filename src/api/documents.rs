//! The OpenAPI document (made in `openapi`) and the pages that show it.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use actix_web::http::header::{ContentEncoding, LOCATION};
use actix_web::{HttpRequest, HttpResponse, web};
use utoipa_swagger_ui::Config as DocsConfig;

use crate::api::error::ApiError;
use crate::api::extract::NoQuery;
use crate::api::negotiate::{accept, unchanging};
use crate::api::openapi::document;

static AS_JSON: LazyLock<String> = LazyLock::new(|| {
    document()
        .to_pretty_json()
        .expect("the document is made of texts and numbers")
});
static AS_YAML: LazyLock<String> = LazyLock::new(|| {
    document()
        .to_yaml()
        .expect("the document is made of texts and numbers")
});

/// This document in JSON.
#[utoipa::path(
    get, path = "/openapi.json", tag = "service",
    responses((status = 200, description = "This document.", body = Object, content_type = "application/json"))
)]
pub async fn get_openapi_json(request: HttpRequest, _: NoQuery) -> Result<HttpResponse, ApiError> {
    accept(&request, "application/json")?;
    unchanging(&request, async {
        Ok(HttpResponse::Ok()
            .content_type("application/json")
            .body(AS_JSON.as_str()))
    })
    .await
}

/// This document in YAML.
#[utoipa::path(
    get, path = "/openapi.yaml", tag = "service",
    responses((status = 200, description = "This document.", body = Object, content_type = "application/yaml"))
)]
pub async fn get_openapi_yaml(request: HttpRequest, _: NoQuery) -> Result<HttpResponse, ApiError> {
    accept(&request, "application/yaml")?;
    unchanging(&request, async {
        Ok(HttpResponse::Ok()
            .content_type("application/yaml")
            .body(AS_YAML.as_str()))
    })
    .await
}

/// The way to the pages that show this document.
pub async fn get_docs() -> HttpResponse {
    HttpResponse::PermanentRedirect()
        .insert_header((LOCATION, "/docs/"))
        .finish()
}

static DOCS: LazyLock<Arc<DocsConfig<'static>>> =
    LazyLock::new(|| Arc::new(DocsConfig::new(["/openapi.json"]).validator_url("none")));

/// A file of the pages that show this document; all are part of the program.
pub async fn get_docs_file(
    request: HttpRequest,
    file: web::Path<String>,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let file = utoipa_swagger_ui::serve(&file, DOCS.clone())
        .map_err(|error| ApiError::Internal(error.to_string()))?
        .ok_or(ApiError::RouteNotFound)?;
    unchanging(&request, async {
        let mut response = HttpResponse::Ok();
        if file.gzpipped {
            response.insert_header(ContentEncoding::Gzip);
        }
        response.content_type(file.content_type);
        Ok(match file.bytes {
            Cow::Borrowed(octets) => response.body(octets),
            Cow::Owned(octets) => response.body(octets),
        })
    })
    .await
}
