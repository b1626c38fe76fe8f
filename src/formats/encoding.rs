use std::borrow::Cow;

use encoding_rs::{Encoding, WINDOWS_1252};

/// The text of octets: by their byte order mark, else as UTF-8 if they are that, else by the name of an
/// encoding that the file itself gives, else as Latin-1. What is no character becomes U+FFFD.
///
/// A file in UTF-8 is not copied.
pub(super) fn decode<'a>(octets: &'a [u8], label: Option<&[u8]>) -> Cow<'a, str> {
    if let Some((encoding, length)) = Encoding::for_bom(octets) {
        return encoding.decode_without_bom_handling(&octets[length..]).0;
    }
    if let Ok(text) = str::from_utf8(octets) {
        return Cow::Borrowed(text);
    }
    let named = label.and_then(Encoding::for_label);
    let encoding = named.unwrap_or(WINDOWS_1252);
    encoding.decode_without_bom_handling(octets).0
}

/// What stands between a word and a character, near the beginning of a file: the name of its encoding.
pub(super) fn label<'a>(octets: &'a [u8], before: &[u8], after: u8) -> Option<&'a [u8]> {
    // Every format names its encoding in its head.
    let head = &octets[..octets.len().min(4096)];
    let at = head
        .windows(before.len())
        .position(|window| window == before)?;
    let rest = &head[at + before.len()..];
    let length = rest.iter().position(|octet| *octet == after)?;
    Some(&rest[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_out_of_the_encodings_they_are_in() {
        assert_eq!(decode(b"\xe9", None), "é");
        assert_eq!(decode("é".as_bytes(), Some(b"gbk")), "é");
        assert_eq!(decode(b"\xef\xbb\xbf\xc3\xa9", None), "é");
        assert_eq!(decode(b"\xff\xfeh\x008\x00", None), "h8");
        assert_eq!(decode(b"\xce\xe5\xd7\xd3", Some(b"GB2312")), "五子");
        assert_eq!(decode(b"\x98\x41\x8e\xec", Some(b"Shift_JIS")), "連珠");
        assert_eq!(decode(b"\xe9", Some(b"no such name")), "é");
    }

    #[test]
    fn a_label_is_found_in_the_head() {
        assert_eq!(label(b"(;CA[gbk]", b"CA[", b']'), Some(&b"gbk"[..]));
        assert_eq!(label(b"(;CA[gbk", b"CA[", b']'), None);
        assert_eq!(label(b"", b"CA[", b']'), None);
    }
}
