use std::sync::Arc;

use time::OffsetDateTime;

use crate::engine::Line;
use crate::proof::CertificateText;
use crate::store::{Store, StoreError};

/// Keeps the certificates of lines that are about to be told.
///
/// # Errors
///
/// When the database is busy or broken.
pub async fn keep_certificates_of(store: &dyn Store, lines: &[Line]) -> Result<(), StoreError> {
    let certificates = lines.iter().filter_map(|line| line.certificate.clone());
    let certificates: Vec<_> = certificates.collect();
    keep_certificates(store, &certificates).await
}

/// Keeps certificates that are about to be told: none is told that cannot be had.
///
/// # Errors
///
/// When the database is busy or broken.
pub async fn keep_certificates(
    store: &dyn Store,
    certificates: &[Arc<CertificateText>],
) -> Result<(), StoreError> {
    if certificates.is_empty() {
        return Ok(());
    }
    store
        .keep_certificates(certificates, OffsetDateTime::now_utc())
        .await
}
