//! What is told of a game besides its moves, as it is sent.

use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};

use crate::api::code::Code;
use crate::api::faults::Faults;
use crate::service::Limits;

/// A line of text without control characters, not blank, of a bounded length; outer blanks are dropped.
pub fn checked(raw: Option<String>, pointer: &str, faults: &mut Faults) -> Option<String> {
    let text = raw?.trim().to_owned();
    let most = Limits::TEXT_CHARS;
    if text.is_empty() || text.chars().any(char::is_control) {
        faults.note(
            pointer,
            Code::InvalidField,
            "a text is one line and not blank",
        );
        None
    } else if text.chars().count() > most {
        faults.note(
            pointer,
            Code::LimitOutOfRange,
            format!("a text has at most {most} characters"),
        );
        None
    } else {
        Some(text)
    }
}

/// Tags, each a line of text, each once.
pub fn checked_tags(raw: Vec<Option<String>>, faults: &mut Faults) -> Vec<String> {
    let most = Limits::TAGS;
    if raw.len() > most {
        faults.note(
            "/tags",
            Code::LimitOutOfRange,
            format!("a game has at most {most} tags"),
        );
        return Vec::new();
    }
    let mut tags = Vec::with_capacity(raw.len());
    for (index, tag) in raw.into_iter().enumerate() {
        let pointer = format!("/tags/{index}");
        if tag.is_none() {
            faults.note(pointer, Code::InvalidField, "null is not a tag");
        } else if let Some(tag) = checked(tag, &pointer, faults)
            && !tags.contains(&tag)
        {
            tags.push(tag);
        }
    }
    tags
}

/// A time.
pub fn moment(text: &str, pointer: &str, faults: &mut Faults) -> Option<OffsetDateTime> {
    let read = OffsetDateTime::parse(text, &Rfc3339)
        .ok()
        .and_then(|at| at.checked_to_offset(UtcOffset::UTC))
        .filter(|at| (0..=9999).contains(&at.year()));
    if read.is_none() {
        faults.note(
            pointer,
            Code::InvalidField,
            "a time is written as 2026-11-30T18:00:00Z (RFC 3339)",
        );
    }
    read
}
