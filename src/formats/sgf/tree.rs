use std::borrow::Cow;
use std::ops::Range;

use crate::formats::Reason;
use crate::formats::place::Fault;
use crate::formats::refusal::excerpt;

/// Does a text hold the beginning of a game tree?
pub(in crate::formats) fn is_begun(text: &str) -> bool {
    next_start(text, 0).is_some()
}

/// The octet of the next `(` with `;` behind it.
pub(super) fn next_start(text: &str, from: usize) -> Option<usize> {
    let octets = text.as_bytes();
    let mut at = from;
    loop {
        at += octets[at..].iter().position(|octet| *octet == b'(')?;
        let next = at + 1 + blanks(&octets[at + 1..]);
        if octets.get(next) == Some(&b';') {
            return Some(at);
        }
        at = next;
    }
}

fn blanks(octets: &[u8]) -> usize {
    let black = octets.iter().position(|octet| !octet.is_ascii_whitespace());
    black.unwrap_or(octets.len())
}

/// The length of a value from its `[` to behind its `]`; absent if it is not closed. A backslash takes
/// the next octet with it.
fn value_length(octets: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match octets.get(at)? {
            b'\\' => at += 2,
            b']' => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// Does a tree of its own begin at this `(`? A branch never has the properties of a root.
fn begins_root(octets: &[u8]) -> bool {
    let at = 1 + blanks(&octets[1..]);
    let Some(rest) = octets[at..].strip_prefix(b";") else {
        return false;
    };
    let rest = &rest[blanks(rest)..];
    rest.starts_with(b"GM[") || rest.starts_with(b"FF[")
}

/// The octets of the tree that begins here, and whether it is closed. Where a root begins within it, its
/// closing was forgotten. Depth is counted, not recursed into.
pub(super) fn extent(text: &str, start: usize) -> (Range<usize>, bool) {
    let octets = text.as_bytes();
    let mut at = start;
    let mut depth = 0_usize;
    while let Some(octet) = octets.get(at) {
        match octet {
            b'[' => match value_length(&octets[at..]) {
                Some(length) => at += length - 1,
                None => break,
            },
            b'(' if depth > 0 && begins_root(&octets[at..]) => return (start..at, false),
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return (start..at, true);
        }
    }
    (start..octets.len(), false)
}

/// A property's value on the main line, or the beginning of a node.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Node,
    Value {
        /// The property's name: its capitals, since old files write `GaMe`.
        name: Cow<'a, str>,
        /// What stands between the brackets, as it stands there.
        raw: &'a str,
        /// Where it begins.
        at: usize,
    },
}

/// The main line of a tree, token by token.
pub(super) struct MainLine<'a> {
    text: &'a str,
    at: usize,
    /// The property whose values are read.
    name: Option<Cow<'a, str>>,
    has_values: bool,
    is_over: bool,
}

impl<'a> MainLine<'a> {
    /// The main line of the tree in a text that is this tree and nothing else.
    pub(super) const fn of(text: &'a str) -> MainLine<'a> {
        MainLine {
            text,
            at: 0,
            name: None,
            has_values: false,
            is_over: false,
        }
    }

    /// Once the line is over: are there branches beside it?
    pub(super) fn has_variations(&self) -> bool {
        self.text[self.at..].contains('(')
    }

    /// A fault at the octet at hand.
    fn unexpected(&mut self, expected: &'static str) -> Fault {
        self.is_over = true;
        Fault {
            at: self.at,
            reason: Reason::Unexpected {
                found: excerpt(&self.text[self.at..]),
                expected,
            },
        }
    }

    /// The value at hand, if one is.
    fn value(&mut self) -> Option<Token<'a>> {
        let name = self.name.clone()?;
        let rest = &self.text[self.at..];
        let length = rest
            .starts_with('[')
            .then(|| value_length(rest.as_bytes()))??;
        let at = self.at + 1;
        self.at += length;
        self.has_values = true;
        Some(Token::Value {
            name,
            raw: &rest[1..length - 1],
            at,
        })
    }

    fn read_name(&mut self) {
        let rest = &self.text[self.at..];
        let other = rest.find(|character: char| !character.is_ascii_alphabetic());
        let raw = &rest[..other.unwrap_or(rest.len())];
        self.at += raw.len();
        self.name = Some(if raw.bytes().all(|octet| octet.is_ascii_uppercase()) {
            Cow::Borrowed(raw)
        } else {
            Cow::Owned(raw.chars().filter(char::is_ascii_uppercase).collect())
        });
        self.has_values = false;
    }
}

impl<'a> Iterator for MainLine<'a> {
    type Item = Result<Token<'a>, Fault>;

    fn next(&mut self) -> Option<Result<Token<'a>, Fault>> {
        while !self.is_over {
            self.at += blanks(&self.text.as_bytes()[self.at..]);
            if let Some(value) = self.value() {
                return Some(Ok(value));
            }
            if self.name.is_some() && !self.has_values {
                return Some(Err(self.unexpected("a value in brackets")));
            }
            self.name = None;
            match self.text.as_bytes().get(self.at)? {
                b'(' => self.at += 1,
                b')' => {
                    self.at += 1;
                    self.is_over = true;
                }
                b';' => {
                    self.at += 1;
                    return Some(Ok(Token::Node));
                }
                octet if octet.is_ascii_alphabetic() => self.read_name(),
                _ => return Some(Err(self.unexpected("a property, a node or a branch"))),
            }
        }
        None
    }
}

/// A value's text: a backslash makes the next character plain, and a line break behind one is none.
pub(super) fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut characters = raw.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        match characters.next() {
            Some(first @ ('\n' | '\r')) => {
                // Two different break characters are one break.
                characters.next_if(|next| matches!(next, '\n' | '\r') && *next != first);
            }
            Some(plain) => text.push(plain),
            None => {}
        }
    }
    Cow::Owned(text)
}

/// A text as a value: what would end it or escape is escaped.
pub(super) fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(['\\', ']']) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if matches!(character, '\\' | ']') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        MainLine::of(text)
            .map(|token| match token {
                Ok(Token::Node) => ";".to_owned(),
                Ok(Token::Value { name, raw, .. }) => format!("{name}={raw}"),
                Err(fault) => format!("{}: {}", fault.at, fault.reason),
            })
            .collect()
    }

    #[test]
    fn the_main_line_is_the_first_branch_at_each_fork() {
        let text = "(;GM[4];B[hh](;W[ii];B[jj](;W[aa])(;W[bb]))(;W[gg]))";
        assert_eq!(extent(text, 0), (0..text.len(), true));
        let expected = [
            ";", "GM=4", ";", "B=hh", ";", "W=ii", ";", "B=jj", ";", "W=aa",
        ];
        assert_eq!(values(text), expected);
        let mut line = MainLine::of("(;B[hh](;W[ii]))");
        assert_eq!(line.by_ref().count(), 4);
        assert!(!line.has_variations());
        let mut line = MainLine::of(text);
        assert_eq!(line.by_ref().count(), 10);
        assert!(line.has_variations());
    }

    #[test]
    fn values_may_hold_anything_escaped() {
        assert_eq!(
            values("(;C[a\\]b(;\\\\] [c] D [])"),
            [";", "C=a\\]b(;\\\\", "C=c", "D="]
        );
        assert_eq!(values("(;GaMe[4])"), [";", "GM=4"]);
        assert_eq!(unescape("a\\]b\\\\\\:\\\nc\\\r\nd\ne"), "a]b\\:cd\ne");
        for text in ["", "a]b", "\\", "]]\\\\[", "é]"] {
            assert_eq!(unescape(&escape(text)), text);
        }
    }

    #[test]
    fn faults_are_told_with_their_places() {
        let expected = "2: \"9])\" stands where a property, a node or a branch is expected";
        assert_eq!(values("(;9])"), [";", expected]);
        let expected = "3: \";W[aa])\" stands where a value in brackets is expected";
        assert_eq!(values("(;B;W[aa])"), [";", expected]);
        assert_eq!(extent("(;B[hh", 0), (0..6, false));
        assert_eq!(extent("(;B[hh](", 0), (0..8, false));
        let forgotten = "(;GM[4];B[hh](;W[aa])\n( ; GM[4])";
        assert_eq!(extent(forgotten, 0), (0..22, false));
        assert_eq!(extent(forgotten, 22), (22..32, true));
        assert_eq!(next_start("( (;", 0), Some(2));
        assert_eq!(next_start("((", 0), None);
    }
}
