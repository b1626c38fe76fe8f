//! Lists in pages: how many items one has, where the next one begins, and how a caller is told.

use std::fmt;
use std::str::FromStr;

use actix_web::http::header::LINK;
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::api::answer;
use crate::api::faults::Faults;
use crate::api::query::decode;
use crate::api::text::Whole;
use crate::service::Limits;

/// How many items a page has at most: what the caller says, within the limit of the service.
pub fn page_size(raw: Option<Whole>, limits: &Limits, faults: &mut Faults) -> u32 {
    faults
        .within(raw, "/limit", 1..=i64::from(limits.page_items))
        .and_then(|most| u32::try_from(most).ok())
        .unwrap_or(Limits::PAGE_DEFAULT.min(limits.page_items))
}

/// A place in a list, written in hexadecimal digits so that nobody counts on its meaning. A checksum over
/// list and place stands before it: what is cut off, mistyped or of another list is not taken for a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    check: [u8; CHECK],
    place: Vec<u8>,
}

/// How many octets of the checksum are written.
const CHECK: usize = 4;

impl Cursor {
    /// The cursor of a place in a list, which is named with its order.
    pub fn new(list: &str, place: Vec<u8>) -> Cursor {
        Cursor {
            check: check(list, &place),
            place,
        }
    }

    /// The place, if it is one in this list.
    pub fn place_in(&self, list: &str) -> Option<&[u8]> {
        (self.check == check(list, &self.place)).then_some(&self.place)
    }
}

fn check(list: &str, place: &[u8]) -> [u8; CHECK] {
    let mut hash = Sha256::new();
    for part in [list.as_bytes(), &[0], place] {
        hash.update(part);
    }
    let digest: [u8; 32] = hash.finalize().into();
    std::array::from_fn(|index| digest[index])
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut octets = self.check.iter().chain(&self.place);
        octets.try_for_each(|octet| write!(f, "{octet:02x}"))
    }
}

impl FromStr for Cursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Cursor, ()> {
        let digits = text.as_bytes();
        let (pairs, rest) = digits.as_chunks();
        let octets = pairs.iter().map(|[high, low]| {
            let octet = digit(*high)? << 4 | digit(*low)?;
            Some(octet)
        });
        let octets: Vec<u8> = octets.collect::<Option<_>>().ok_or(())?;
        let (check, place) = octets.split_first_chunk().ok_or(())?;
        rest.is_empty()
            .then(|| Cursor {
                check: *check,
                place: place.to_vec(),
            })
            .ok_or(())
    }
}

/// One spelling of a cursor: the digits are small.
const fn digit(letter: u8) -> Option<u8> {
    match letter {
        b'0'..=b'9' => Some(letter - b'0'),
        b'a'..=b'f' => Some(letter - b'a' + 10),
        _ => None,
    }
}

/// A page as an answer, with a link to the next one where there is one.
pub fn answer_page(
    request: &HttpRequest,
    page: &impl Serialize,
    next_cursor: Option<&str>,
) -> HttpResponse {
    let mut response = answer::ok(page);
    if let Some(link) = next_cursor.and_then(|cursor| next_link(request, cursor).try_into().ok()) {
        response.headers_mut().insert(LINK, link);
    }
    response
}

/// The value of a `Link` header that leads to the page behind a cursor: the same list with the same filters.
fn next_link(request: &HttpRequest, cursor: &str) -> String {
    let others: String = request
        .query_string()
        .split('&')
        .filter(|pair| !pair.is_empty() && !names_cursor(pair))
        .map(|pair| format!("{pair}&"))
        .collect();
    format!("<{}?{others}cursor={cursor}>; rel=\"next\"", request.path())
}

/// Is this the cursor's part of a query, however its name is encoded?
fn names_cursor(pair: &str) -> bool {
    let name = pair.split('=').next().and_then(decode);
    name.is_some_and(|name| name == "cursor")
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn the_next_page_has_the_same_filters_and_one_cursor() {
        for (query, expected) in [
            ("", "</v1/players?cursor=7>; rel=\"next\""),
            (
                "sort=name&cursor=1&limit=2",
                "</v1/players?sort=name&limit=2&cursor=7>; rel=\"next\"",
            ),
            (
                "c%75rsor=1&prefix=a%20b",
                "</v1/players?prefix=a%20b&cursor=7>; rel=\"next\"",
            ),
        ] {
            let request = TestRequest::with_uri(&format!("/v1/players?{query}")).to_http_request();
            assert_eq!(next_link(&request, "7"), expected);
        }
    }

    #[test]
    fn a_cursor_reads_back_in_its_own_list_alone() {
        for place in [&b""[..], b"A", b"\x00\xff\x7f"] {
            let cursor = Cursor::new("one", place.to_vec());
            let read: Cursor = cursor.to_string().parse().unwrap();
            assert_eq!(read, cursor);
            assert_eq!(read.place_in("one"), Some(place));
            assert_eq!(read.place_in("other"), None);
        }
    }

    #[test]
    fn what_is_cut_off_or_changed_is_no_place() {
        let text = Cursor::new("one", b"Ada".to_vec()).to_string();
        let place = |text: &str| {
            let cursor: Cursor = text.parse().ok()?;
            cursor.place_in("one").map(<[u8]>::to_vec)
        };
        assert_eq!(place(&text).as_deref(), Some(&b"Ada"[..]));
        for length in 0..text.len() {
            assert_eq!(place(&text[..length]), None, "{length}");
        }
        for index in 0..text.len() {
            for digit in ["0", "f", "F", "é", "+"] {
                let mut changed = text.clone();
                changed.replace_range(index..=index, digit);
                assert!(changed == text || place(&changed).is_none(), "{changed}");
            }
        }
        assert_eq!(place(&format!("{text}00")), None);
        assert_eq!(place(&text.to_uppercase()), None);
    }
}
