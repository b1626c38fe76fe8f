//! Forced wins that anybody can check: a certificate, and the verifier that plays it out.
//!
//! The verifier knows the rules and nothing of how a win was found, so an error of a search cannot pass for a
//! proof. Begin reading with [`Certificate`], then [`verify`]; `docs/analysis.md` has the text form.

mod canonical;
mod certificate;
mod fault;
mod id;
mod text;
mod verdict;
mod verify;

pub use certificate::{Certificate, Node, Reply, Root, Threat};
pub use fault::CertificateError;
pub use id::{CertificateId, CertificateText, ParseCertificateIdError};
pub use verdict::{Reason, Refuted, Verified};
pub use verify::{MOST_POSITIONS, verify};
