use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::proof::Certificate;

/// The name of a certificate: the SHA-256 of its text. Equal wins have equal names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CertificateId([u8; 32]);

impl CertificateId {
    /// The name of a text.
    fn of(text: &str) -> CertificateId {
        CertificateId(Sha256::digest(text).into())
    }

    /// The octets of the digest.
    pub const fn octets(&self) -> &[u8; 32] {
        &self.0
    }
}

/// In lower-case hexadecimal digits.
impl fmt::Display for CertificateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|octet| write!(f, "{octet:02x}"))
    }
}

/// A text that is no certificate's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a certificate's name is 64 hexadecimal digits in lower case")]
pub struct ParseCertificateIdError;

impl FromStr for CertificateId {
    type Err = ParseCertificateIdError;

    fn from_str(text: &str) -> Result<CertificateId, ParseCertificateIdError> {
        let digit = |octet: u8| match octet {
            b'0'..=b'9' => Ok(octet - b'0'),
            // One spelling of a name: digits in upper case are none.
            b'a'..=b'f' => Ok(octet - b'a' + 10),
            _ => Err(ParseCertificateIdError),
        };
        let digits: &[u8; 64] = text
            .as_bytes()
            .try_into()
            .map_err(|_| ParseCertificateIdError)?;
        let mut octets = [0; 32];
        for (octet, pair) in octets.iter_mut().zip(digits.chunks_exact(2)) {
            *octet = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Ok(CertificateId(octets))
    }
}

/// A certificate as it is kept and served: its text, and the name that follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateText {
    id: CertificateId,
    text: String,
}

impl CertificateText {
    /// The name.
    pub const fn id(&self) -> CertificateId {
        self.id
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Certificate {
    /// The text and its name.
    pub fn written(&self) -> CertificateText {
        let text = self.to_json();
        let id = CertificateId::of(&text);
        CertificateText { id, text }
    }

    /// The name.
    pub fn id(&self) -> CertificateId {
        self.written().id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_spelling() {
        let id = CertificateId::of("abc");
        // FIPS 180-2, appendix B.1.
        let name = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!((id.to_string().as_str(), name.parse()), (name, Ok(id)));
        let others = [
            String::new(),
            name.to_uppercase(),
            name[1..].to_owned(),
            format!("{name}0"),
            format!("{}é", &name[2..]),
            format!("+{}", &name[1..]),
        ];
        for other in others {
            assert_eq!(
                other.parse::<CertificateId>(),
                Err(ParseCertificateIdError),
                "{other}"
            );
        }
    }
}
