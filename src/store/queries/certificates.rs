//! Certificates of forced wins.

use std::sync::Arc;

use sqlx::{QueryBuilder, Row};
use time::OffsetDateTime;

use super::rows::micros;
use super::{Connection, Db};
use crate::proof::{CertificateId, CertificateText};
use crate::store::StoreError;

/// Those of some certificates that are not kept yet.
pub async fn unknown(
    db: &mut Connection,
    certificates: &[Arc<CertificateText>],
) -> Result<Vec<Arc<CertificateText>>, StoreError> {
    let mut unknown = Vec::new();
    for certificate in certificates {
        let mut query = QueryBuilder::<Db>::new("SELECT octets FROM certificates WHERE id = ");
        query.push_bind(certificate.id().octets().to_vec());
        if query.build().fetch_optional(&mut *db).await?.is_none() {
            unknown.push(certificate.clone());
        }
    }
    Ok(unknown)
}

/// Keeps certificates. The caller holds the right to write.
pub async fn keep(
    db: &mut Connection,
    certificates: &[Arc<CertificateText>],
    at: OffsetDateTime,
) -> Result<(), StoreError> {
    let at = micros(at)?;
    for certificate in certificates {
        let octets = i64::try_from(certificate.as_str().len())
            .map_err(|_| StoreError::Corrupt("certificate"))?;
        let mut query = QueryBuilder::<Db>::new(
            "INSERT INTO certificates (id, octets, created_at, text) VALUES (",
        );
        let mut values = query.separated(", ");
        values
            .push_bind(certificate.id().octets().to_vec())
            .push_bind(octets)
            .push_bind(at)
            .push_bind(certificate.as_str().to_owned());
        query.push(") ON CONFLICT DO NOTHING");
        query.build().execute(&mut *db).await?;
    }
    Ok(())
}

/// The text of a certificate, if it is kept.
pub async fn text(db: &mut Connection, id: CertificateId) -> Result<Option<String>, StoreError> {
    let mut query = QueryBuilder::<Db>::new("SELECT text FROM certificates WHERE id = ");
    query.push_bind(id.octets().to_vec());
    let row = query.build().fetch_optional(&mut *db).await?;
    Ok(row.map(|row| row.try_get("text")).transpose()?)
}
